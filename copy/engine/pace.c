/* How large requests are and how many are under way: found out while copying.
 *
 * What is fastest depends on the servers' caches and on how far away they are, so larger settings are tried
 * as long as each is better than the last; the best stays for a while, and then it is looked again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "engine.h"

/* Memory of all buffers together. */
#define BUFFERS         (40u << 20)

/* A setting is judged by so much, unless that takes too long; the best one stays for so many of these. */
#define TRY_BYTES       (UINT64_C (64) << 20)
enum { TRY_MS = 500, STAY = 16 };

/* More and more bytes under way: the first is the best guess for servers on this machine, the others help
 * where answers take long.  There each is faster than the one before; where one is not, the rest is not
 * tried. */
static const struct { unsigned size, depth; } steps[NR_PACES] = {
  { 256 << 10, 8 }, { 512 << 10, 8 }, { 256 << 10, 32 }, { 1 << 20, 16 },
};

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

/* What the user said, the servers' limits and the memory go before what is tried. */
static void
set_pace (struct copy *c, unsigned step)
{
  const unsigned max = least (c->side[SOURCE].max_request, c->side[TARGET].max_request);
  unsigned size = c->o.request_size ? c->o.request_size : steps[step].size, depth;

  while (size > max || size > BUFFERS / c->pace.workers)
    size /= 2;
  if (size < c->grain)
    size = c->grain;
  depth = c->pace.requests ? c->pace.requests : steps[step].depth;
  depth = least (depth, BUFFERS / c->pace.workers / size);
  c->pace.step = step;
  c->request_size = size;
  c->depth = depth > 0 ? depth : 1;
}

void
pace_init (struct copy *c, unsigned nr_workers)
{
  const bool files = c->side[SOURCE].ops == &side_file_ops && c->side[TARGET].ops == &side_file_ops;

  c->pace.workers = nr_workers > 0 ? nr_workers : 1;
  /* What is carried out at once gains nothing from more buffers, which only leave the processor's cache. */
  c->pace.requests = c->o.requests ? c->o.requests : files ? 1 : 0;
  c->pace.fixed = files || (c->o.requests && c->o.request_size);
  set_pace (c, 0);
  c->o.requests = c->pace.requests ? c->depth : steps[NR_PACES - 2].depth;
  c->pace.since_ms = zfi_now_ms ();
}

/* Judge the setting in use, and go on to the next, back to the one before, or after its stay to the first
 * again. */
static void
judge (struct copy *c, int64_t now)
{
  struct pace *p = &c->pace;

  if (p->stay > 0) {
    if (--p->stay == 0)
      set_pace (c, 0);
  }
  else {
    const double rate = (double) p->bytes / (now - p->since_ms + 1);
    const bool better = p->step == 0 || rate > 1.05 * p->rate;

    if (better)
      p->rate = rate;
    if (!better || p->step + 1 == NR_PACES)
      p->stay = STAY;
    if (!better)
      set_pace (c, p->step - 1);
    else if (p->step + 1 < NR_PACES)
      set_pace (c, p->step + 1);
  }
  p->bytes = 0;
  p->since_ms = now;
}

void
pace_note (struct copy *c, uint64_t bytes)
{
  int64_t now;

  if (c->pace.fixed)
    return;
  pthread_mutex_lock (&c->lock);
  c->pace.bytes += bytes;
  now = zfi_now_ms ();
  if (c->pace.bytes >= TRY_BYTES || now - c->pace.since_ms >= TRY_MS)
    judge (c, now);
  pthread_mutex_unlock (&c->lock);
}
