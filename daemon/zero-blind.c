/* The zero engine where it need not look: what is known to take space is zeroed, or given back, unread.
 *
 * What is asked of the kernel is PUNCH_HOLE or ZERO_RANGE on a block device.  These are requests for
 * zeroes (WRITE SAME of a block of zeroes, with UNMAP for the first), or they fail; neither is BLKDISCARD,
 * after which a device may return anything.  qemu takes them as requests for zeroes too, and writes zeroes
 * where its file knows no better.  So what was made zero without a look, which may be a TiB that takes no
 * space, gets a sample of blocks as its second look: enough to catch a device that does nothing.  What was
 * read before it was unmapped is small enough to be read again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "daemon.h"
#include "zero-engine.h"
#include "zero-scan.h"

enum { SAMPLES = 64 };

static int
no_memory (struct engine *e)
{
  return call_error (e->call, ENOMEM, "no memory for the list of unmapped ranges of %s", e->t->name);
}

/* Which blocks of SOLID: whole ones; to be zeroed in their place also those clusters that it has a part of, since
 * they have theirs.  A cluster of which a part belongs to another partition is looked at: it may be a compressed
 * one with zeroes in our part, which would be unpacked. */
static struct range
choose_blocks (const struct engine *e, struct range r, enum zero_method method)
{
  const unsigned block = e->t->cluster > e->grain ? e->t->cluster : e->grain;

  if (method == ZERO_KEEP) {
    r.start = engine_down (e, r.start, block);
    r.end = engine_up (e, r.end, block);
  }
  return (struct range) { engine_up (e, r.start, block), engine_down (e, r.end, block) };
}

/* Is [FROM, TO) known to be zero, with its clusters in one table? */
static bool
is_cheap_gap (const struct engine *e, const struct ranges *zero, uint64_t from, uint64_t to)
{
  struct range r;

  return engine_same_table (e, from, to)
    && ranges_next (zero, from, to, &r) && r.start == from && r.end == to;
}

/* SOLID as it is asked for, with the holes in between where the image has room for marking these zero: many
 * small requests become a few. */
static int
choose_blind (struct engine *e, const struct ranges *zero, const struct ranges *solid,
              enum zero_method method, struct ranges *blind)
{
  struct range r, part;
  uint64_t last = 0;

  for (uint64_t at = 0; ranges_next (solid, at, e->t->size, &r); at = r.end) {
    part = choose_blocks (e, r, method);
    if (part.start >= part.end)
      continue;
    if (last > 0 && last < part.start && is_cheap_gap (e, zero, last, part.start))
      part.start = last;
    if (ranges_add (blind, part.start, part.end) == -1)
      return no_memory (e);
    last = part.end;
  }
  return 0;
}

/* Forget what begins at or after END. */
static int
cut (struct engine *e, struct ranges *l, uint64_t end)
{
  struct ranges kept = { 0 };
  struct range r;

  for (uint64_t at = 0; ranges_next (l, at, end, &r); at = r.end)
    if (ranges_add (&kept, r.start, r.end) == -1)
      return no_memory (e);
  ranges_free (l);
  *l = kept;
  return 0;
}

/* Are a number of blocks, spread over the list, zero?  A block that cannot be read is not. */
static bool
sample_is_zero (struct engine *e, const struct ranges *l)
{
  void *buf = NULL;
  bool zero = posix_memalign (&buf, 4096, e->grain) == 0;

  for (size_t i = 0; zero && i < SAMPLES; i++) {
    const struct range *r = &l->v[(l->n - 1) * i / (SAMPLES - 1)];
    const uint64_t blocks = (r->end - r->start) / e->grain;
    const uint64_t offset = r->start + (blocks - 1) * i / (SAMPLES - 1) * e->grain;

    zero = e->queue.io->read (e->t->fd, buf, e->grain, offset) == (ssize_t) e->grain
      && zero_scan_is_zero (buf, e->grain);
  }
  free (buf);
  return zero;
}

/* Unmap what is worth it in all but KNOWN, after a look, and look at that again. */
static int
unmap_rest (struct engine *e, const struct ranges *known, enum zero_method method)
{
  const uint64_t rest = e->t->size - ranges_bytes (known);
  struct ranges punched = { 0 };
  int r;

  e->progress_total = e->progress_base + 2 * rest;
  r = engine_zero (e, (struct zero_source) { zero_source_unknown, known, true }, method, &punched);
  if (r == 0 && punched.n > 0) {
    e->progress_base += rest;
    r = engine_zero (e, (struct zero_source) { zero_source_listed, &punched, false }, ZERO_WRITE, NULL);
  }
  ranges_free (&punched);
  return r;
}

/* Zero BLIND by METHOD, which becomes what was zeroed; *WORKS: and is zero. */
static int
zero_blind (struct engine *e, struct ranges *blind, enum zero_method method, bool *works)
{
  uint64_t end = 0;
  int r = engine_request (e, (struct zero_source) { zero_source_listed, blind, false }, method, &end);

  e->progress_base += e->done;
  e->done = 0;
  if (r == -1 || (r == 0 && cut (e, blind, end) == -1))
    return -1;
  *works = blind->n == 0 || sample_is_zero (e, blind);
  return engine_look (e);
}

/* Zero BLIND, and add ZERO to it: what need not be looked at.  It becomes empty if the device does not do
 * as it says: what was zero before may be something else now.  *WORKS: not so. */
static int
begin_blind (struct engine *e, const struct ranges *zero, struct ranges *blind, enum zero_method method,
             bool *works)
{
  struct range r;

  *works = true;
  if (blind->n > 0 && zero_blind (e, blind, method, works) == -1)
    return -1;
  if (!*works)
    ranges_free (blind);
  for (uint64_t at = 0; *works && ranges_next (zero, at, e->t->size, &r); at = r.end)
    if (ranges_add (blind, r.start, r.end) == -1)
      return no_memory (e);
  return 0;
}

int
engine_discard (struct engine *e, const struct ranges *zero, const struct ranges *solid)
{
  struct ranges known = { 0 };
  bool works;
  int r = choose_blind (e, zero, solid, ZERO_UNMAP, &known);

  e->progress_work = true;
  e->progress_total = ranges_bytes (&known) + 2 * (e->t->size - ranges_bytes (&known));
  if (r == 0)
    r = begin_blind (e, zero, &known, ZERO_UNMAP, &works);
  if (r == 0)
    r = unmap_rest (e, &known, works ? ZERO_UNMAP : ZERO_WRITE);
  ranges_free (&known);
  return r;
}

int
engine_zero_known (struct engine *e, const struct ranges *zero)
{
  struct ranges known = { 0 };
  const struct zero_source rest = { zero_source_unknown_mostly, &known, true };
  bool works;
  int r = 0;

  /* Others than clusters that can be marked zero are only zeroed if that is worth it. */
  if (e->allocated != NULL && e->t->cluster > 0)
    r = choose_blind (e, zero, e->allocated, ZERO_KEEP, &known);
  e->progress_work = true;
  e->progress_total = e->t->size;
  if (r == 0)
    r = begin_blind (e, zero, &known, ZERO_KEEP, &works);
  if (r == 0) {
    e->progress_total = e->progress_base + zero_source_bytes (rest, e->t->size);
    r = engine_zero (e, rest, ZERO_KEEP, NULL);
  }
  ranges_free (&known);
  return r;
}
