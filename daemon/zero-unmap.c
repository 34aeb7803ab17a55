/* The zero engine's way to give space back: unmapping, and how much of that has to be looked at again.
 *
 * What is asked of the kernel is PUNCH_HOLE on a block device.  That is a request for zeroes which may be
 * unmapped (WRITE SAME with UNMAP and a block of zeroes), or it fails; it is not BLKDISCARD, after which a
 * device may return anything.  qemu takes the request as one for zeroes too, and writes them where its file
 * cannot be unmapped.  So what was punched without a look, which may be a TiB that takes no space, gets a
 * sample of blocks as its second look: enough to catch a device that does nothing.  What was read before is
 * small enough to be read again.
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

/* Whole blocks of SOLID, with the holes between them where the image has room for marking these zero: many
 * small requests become a few. */
static int
choose_blind (struct engine *e, const struct ranges *zero, const struct ranges *solid, struct ranges *blind)
{
  struct range r, gap;
  uint64_t start, end, last = 0;

  for (uint64_t at = 0; ranges_next (solid, at, e->t->size, &r); at = r.end) {
    start = engine_up (e, r.start, e->grain);
    end = engine_down (e, r.end, e->grain);
    if (start >= end)
      continue;
    if (last > 0 && engine_same_table (e, last, start) && ranges_next (zero, last, start, &gap)
        && gap.start == last && gap.end == start)
      start = last;
    if (ranges_add (blind, start, end) == -1)
      return no_memory (e);
    last = end;
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
  r = engine_zero (e, (struct zero_source) { zero_source_unknown, known }, method, &punched);
  if (r == 0 && punched.n > 0) {
    e->progress_base += rest;
    r = engine_zero (e, (struct zero_source) { zero_source_listed, &punched }, ZERO_WRITE, NULL);
  }
  ranges_free (&punched);
  return r;
}

/* Punch BLIND, which becomes what was punched; *WORKS: and is zero. */
static int
punch (struct engine *e, struct ranges *blind, bool *works)
{
  uint64_t end = 0;
  int r = engine_unmap (e, (struct zero_source) { zero_source_listed, blind }, &end);

  e->progress_base += e->done;
  e->done = 0;
  if (r == -1 || (r == 0 && cut (e, blind, end) == -1))
    return -1;
  *works = blind->n == 0 || sample_is_zero (e, blind);
  return engine_look (e);
}

int
engine_discard (struct engine *e, const struct ranges *zero, const struct ranges *solid)
{
  struct ranges known = { 0 };
  struct range r;
  bool works = true;
  int ret = -1;

  e->progress_work = true;
  if (choose_blind (e, zero, solid, &known) == -1)
    goto out;
  e->progress_total = ranges_bytes (&known) + 2 * (e->t->size - ranges_bytes (&known));
  if (known.n > 0 && punch (e, &known, &works) == -1)
    goto out;
  /* What it says is not to be trusted, so what was zero before may be something else now. */
  if (!works)
    ranges_free (&known);
  for (uint64_t at = 0; works && ranges_next (zero, at, e->t->size, &r); at = r.end)
    if (ranges_add (&known, r.start, r.end) == -1) {
      no_memory (e);
      goto out;
    }
  ret = unmap_rest (e, &known, works ? ZERO_UNMAP : ZERO_WRITE);
 out:
  ranges_free (&known);
  return ret;
}
