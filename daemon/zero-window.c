/* The zero engine's middle: which bytes of a window become requests and writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>

#include "daemon.h"
#include "zero-engine.h"
#include "zero-scan.h"

/* The next run of blocks with something in them, in [POS, END) of the window.  Blocks are as small as the
 * device has them: an image may have holes of that size, which must stay. */
static bool
next_run (const struct engine *e, const struct window *w, size_t pos, size_t end, struct range *run)
{
  size_t n;
  bool zero;

  for (; pos < end; pos += n) {
    n = zero_scan_run ((unsigned char *) w->op.buf + pos, end - pos, e->t->block, &zero);
    if (!zero) {
      *run = (struct range) { pos, pos + n };
      return true;
    }
  }
  return false;
}

/* BLOCKs that RUN touches, as far as they are in [POS, END) of the window. */
static struct range
widen (const struct engine *e, const struct window *w, struct range run, uint64_t block,
       size_t pos, size_t end)
{
  uint64_t start = engine_down (e, w->offset + run.start, block);
  uint64_t stop = engine_up (e, w->offset + run.end, block) - w->offset;

  return (struct range) { start > w->offset + pos ? start - w->offset : pos, stop < end ? stop : end };
}

/* A table is one cluster with entries of 8 or 16 bytes. */
bool
engine_same_table (const struct engine *e, uint64_t from, uint64_t to)
{
  const uint64_t reach = (uint64_t) e->t->cluster * (e->t->cluster / 16);

  return e->t->cluster > 0
    && range_down (e->t->start + from - 1, reach) == range_down (e->t->start + to, reach);
}

/* May the zeroes in [FROM, TO) of the device be zeroed once more, since that saves a request?  Not where they
 * may be a hole that would be filled. */
static bool
may_merge (const struct engine *e, uint64_t from, uint64_t to)
{
  struct range r;

  if (from >= to)
    return true;
  if (to - from > MERGE_MAX)
    return false;
  return engine_same_table (e, from, to) || (e->allocated && ranges_next (e->allocated, from, to, &r)
                                      && r.start == from && r.end == to);
}

/* Make zeroes of what is not zero in [POS, END) of the window.  A cluster with something in it is asked for
 * as a whole: it has its place already, while a piece of a compressed one would be unpacked for it. */
static int
zero_runs (struct engine *e, const struct window *w, size_t pos, size_t end)
{
  struct range run, todo = { 0, 0 };
  uint64_t witness = 0;

  while (next_run (e, w, pos, end, &run)) {
    uint64_t found = w->offset + run.start;

    if (e->t->cluster > 0)
      run = widen (e, w, run, e->t->cluster, pos, end);
    pos = run.end;
    if (todo.end > 0 && may_merge (e, w->offset + todo.end, w->offset + run.start)) {
      todo.end = run.end;
      continue;
    }
    if (todo.end > 0 && write_zeroes (e, w->offset + todo.start, todo.end - todo.start, witness) == -1)
      return -1;
    todo = run;
    witness = found;
  }
  return todo.end == 0 ? 0 : write_zeroes (e, w->offset + todo.start, todo.end - todo.start, witness);
}

/* Unmap [POS, END) of the window, or make zeroes of it in another way for good if the device will not. */
static int
unmap_piece (struct engine *e, struct window *w, size_t pos, size_t end)
{
  int r = 0;

  if (pos < end && e->method == ZERO_UNMAP)
    r = write_blind (e, w->offset + pos, end - pos);
  if (r == 1 && ranges_add (e->punched, w->offset + pos, w->offset + end) == -1)
    return call_error (e->call, errno, "no memory for the list of unmapped ranges of %s", e->t->name);
  if (r != 0)
    return r == -1 ? -1 : 0;
  return zero_runs (e, w, pos, end);
}

/* Unmap the large blocks that have something in them.  Asking for a zero block in between does no harm
 * here: it gives a cluster back as a whole.  Blocks with nothing in them are left alone, since a qcow2
 * image would get tables for them, where it has none. */
static int
unmap_window (struct engine *e, struct window *w)
{
  struct range run, todo = { 0, 0 };
  size_t pos = 0;

  while (next_run (e, w, pos, w->len, &run)) {
    run = widen (e, w, run, UNMAP_GRAIN, pos, w->len);
    pos = run.end;
    if (run.start > todo.end) {
      if (unmap_piece (e, w, todo.start, todo.end) == -1)
        return -1;
      todo.start = run.start;
    }
    todo.end = run.end;
  }
  return unmap_piece (e, w, todo.start, todo.end);
}

int
engine_request (struct engine *e, struct zero_source source, enum zero_method method, uint64_t *end)
{
  struct range r, head, middle, tail;
  int n, done = 1;

  write_begin (e, method, NULL);
  *end = e->done = 0;
  while ((n = source.next (source.opaque, *end, e->t->size, &r)) == 1) {
    if (r.end - r.start > BLIND_MOST)
      r.end = engine_down (e, r.start + BLIND_MOST, UNMAP_GRAIN);
    range_split (r, e->t->block, &head, &middle, &tail);
    *end = r.start;
    if (middle.start < middle.end && (done = write_blind (e, middle.start, middle.end - middle.start)) != 1)
      return done;
    *end = r.end;
    e->done += r.end - r.start;
  }
  if (n == -1)
    return call_error (e->call, errno, "cannot find the data of %s after offset %" PRIu64, e->t->name, *end);
  return 1;
}

/* Did the window begin with data?  What follows is likely to be data then. */
static bool
begins_with_data (const struct engine *e, const struct window *w)
{
  return w->op.result >= (ssize_t) e->grain && !zero_scan_is_zero (w->op.buf, e->grain);
}

/* All of the window is allocated, and its first block was looked at: it stands for all if there is something
 * in it. */
static int
zero_peeked (struct engine *e, struct window *w)
{
  const uint64_t end = w->offset + w->len;
  uint64_t offset = w->offset;

  if (e->dense)
    return write_zeroes (e, offset, w->len, offset);
  for (; offset < end; offset = w->offset + w->len)
    if (engine_read_again (e, w, offset, end) == -1 || zero_runs (e, w, 0, w->len) == -1)
      return -1;
  return 0;
}

int
zero_window (struct engine *e, struct window *w)
{
  e->dense = begins_with_data (e, w);
  if (w->peek)
    return zero_peeked (e, w);
  if (e->method == ZERO_UNMAP)
    return unmap_window (e, w);
  return zero_runs (e, w, 0, w->len);
}
