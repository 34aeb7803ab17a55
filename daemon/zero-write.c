/* The zero engine's writing half: requests that the device turns into zeroes itself, and plain writes
 * of zeroes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include <linux/falloc.h>

#include "daemon.h"
#include "zero-engine.h"
#include "zero-scan.h"

enum {
  REQUEST_FIRST = 4 << 20, REQUEST_LEAST = 256 << 10, REQUEST_MOST = 1 << 30,
  FAST = 4096,                  /* bytes in a microsecond */
};

void
write_begin (struct engine *e, enum zero_method method, struct ranges *punched)
{
  e->method = method;
  e->punched = punched;
  e->request_works = method != ZERO_WRITE;
  e->request_seen = false;
  e->request_size = REQUEST_FIRST;
  e->request_fast = e->dense = false;
  e->held = (struct range) { 0, 0 };
}

/* --- plain writes --- */

static int
write_failed (struct engine *e, int err, uint64_t offset)
{
  return call_error (e->call, err, "cannot write zeroes to %s at offset %" PRIu64, e->t->name, offset);
}

/* Write LEN zeroes by FD now.  *DONE counts those that were written.  0, or an errno value. */
static int
write_now (struct engine *e, int fd, uint64_t offset, size_t len, size_t *done)
{
  size_t n;
  ssize_t r;

  for (*done = 0; *done < len; *done += r) {
    n = len - *done < WRITE_MAX ? len - *done : WRITE_MAX;
    r = e->queue.io->write (fd, e->zeroes, n, offset + *done);
    if (r == -1 && errno == EINTR)
      r = 0;
    else if (r <= 0)
      return r == 0 ? EIO : errno;
  }
  return 0;
}

/* Pieces of blocks: the page cache reads and keeps what surrounds them. */
static int
write_buffered (struct engine *e, uint64_t offset, size_t len)
{
  size_t done;
  int err = write_now (e, e->t->buffered, offset, len, &done);

  return err == 0 ? 0 : write_failed (e, err, offset + done);
}

/* A write failed: block by block, so that all that can be written is, and the error names the block. */
static int
write_carefully (struct engine *e, uint64_t offset, size_t len)
{
  size_t pos, n, done;
  int err;

  for (pos = 0; pos < len; pos += n) {
    n = len - pos < e->grain ? len - pos : e->grain;
    if (engine_look (e) == -1)
      return -1;
    err = write_now (e, e->t->fd, offset + pos, n, &done);
    if (err == EINVAL)          /* a filesystem that wants larger blocks than the device it seems to be */
      err = write_now (e, e->t->buffered, offset + pos, n, &done);
    if (err != 0)
      return write_failed (e, err, offset + pos + done);
  }
  return 0;
}

static void
start_batch (struct engine *e)
{
  queue_start (&e->queue, e->batch, e->nr_batch);
  e->nr_batch = 0;
}

/* Wait for write I and look at its result. */
static int
settle (struct engine *e, size_t i)
{
  struct op *op = &e->writes[i];

  if (!e->write_used[i])
    return 0;
  while (op->busy) {
    queue_wait (&e->queue, LOOK_MS);
    if (engine_look (e) == -1)
      return -1;
  }
  e->write_used[i] = false;
  return op->result == (ssize_t) op->len ? 0 : write_carefully (e, op->offset, op->len);
}

/* Queue one write.  The oldest one must be over before its place is taken. */
static int
queue_write (struct engine *e, uint64_t offset, size_t len)
{
  size_t i = e->next_write;

  if (settle (e, i) == -1)
    return -1;
  e->next_write = (i + 1) % WRITES;
  e->write_used[i] = true;
  e->writes[i] = (struct op) {
    .write = true, .fd = e->t->fd, .buf = e->zeroes, .len = len, .offset = offset,
  };
  e->stats.writes++;
  e->stats.written += len;
  e->batch[e->nr_batch++] = &e->writes[i];
  if (e->nr_batch == WRITE_BATCH)
    start_batch (e);
  return 0;
}

static int
write_blocks (struct engine *e, uint64_t offset, uint64_t len)
{
  size_t n;

  for (; len > 0; offset += n, len -= n) {
    n = len < WRITE_MAX ? len : WRITE_MAX;
    if (queue_write (e, offset, n) == -1)
      return -1;
  }
  return 0;
}

/* --- requests --- */

int64_t
engine_now_us (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C (1000000) + t.tv_nsec / 1000;
}

/* Keep one request so short that the cancel flag is seen in time, whatever the speed of the device:
 * there are hosts that need half a second to unmap a megabyte.  But a cluster is asked for as a whole. */
static void
adapt_request_size (struct engine *e, int mode, int64_t took_ms)
{
  bool whole = mode == FALLOC_FL_PUNCH_HOLE || e->t->cluster > 0;

  if (took_ms > LOOK_MS && e->request_size > (whole ? UNMAP_GRAIN : REQUEST_LEAST))
    e->request_size /= 2;
  else if (took_ms < LOOK_MS / 4 && e->request_size < REQUEST_MOST)
    e->request_size *= 2;
}

static int
allocate_range (struct engine *e, int mode, uint64_t offset, uint64_t len)
{
  int64_t took = engine_now_us ();
  int r;

  do
    r = e->queue.io->fallocate (e->t->fd, mode | FALLOC_FL_KEEP_SIZE, offset, len);
  while (r == -1 && errno == EINTR);
  e->request_error = r == -1 ? errno : 0;
  took = engine_now_us () - took;
  e->stats.requests++;
  e->stats.requested += len;
  if (r == 0) {
    adapt_request_size (e, mode, took / 1000);
    if (len >= REQUEST_FIRST)
      e->request_fast = took == 0 || len / took >= FAST;
  }
  else if (e->request_error != EIO && e->request_error != EBUSY && e->request_error != ENOSPC)
    e->request_works = false;
  return r;
}

/* Did the device do what it said?  Looked at once for each kind of request: a block that held something
 * must be zero now. */
static bool
request_was_done (struct engine *e)
{
  uint64_t offset = engine_down (e, e->witness, e->grain);
  void *p = NULL;
  bool done = false;

  if (posix_memalign (&p, 4096, e->grain) == 0) {
    ssize_t r = e->queue.io->read (e->t->fd, p, e->grain, offset);

    done = r > 0 && zero_scan_is_zero (p, r);
    free (p);
  }
  return done;
}

/* Have the device make zeroes of [*OFFSET, END) by fallocate MODE.  1; 0 if it refuses at *OFFSET; -1
 * with the call's error set. */
static int
request (struct engine *e, int mode, uint64_t *offset, uint64_t end)
{
  uint64_t n;

  for (; *offset < end; *offset += n) {
    n = e->request_size;
    if (n >= UNMAP_GRAIN)               /* cut between clusters */
      n = engine_down (e, *offset + n, UNMAP_GRAIN) - *offset;
    if (n > end - *offset)
      n = end - *offset;
    if (!e->request_works || allocate_range (e, mode, *offset, n) == -1)
      return 0;
    if (!e->request_seen && mode == FALLOC_FL_ZERO_RANGE && e->witness - *offset < n) {
      e->request_seen = true;
      e->request_works = request_was_done (e);
      if (!e->request_works)
        return 0;
    }
    if (engine_look (e) == -1)
      return -1;
  }
  return 1;
}

int
write_blind (struct engine *e, uint64_t offset, uint64_t len)
{
  const int mode = e->method == ZERO_UNMAP ? FALLOC_FL_PUNCH_HOLE : FALLOC_FL_ZERO_RANGE;
  int r;

  e->witness = UINT64_MAX;              /* nothing is known to be there */
  r = request (e, mode, &offset, offset + len);

  /* What the device refuses once for want of support it is not asked again, neither in this way nor in
   * the other until that has been tried. */
  if (!e->request_works) {
    e->method = ZERO_KEEP;
    e->request_works = true;
  }
  return r;
}

/* Is it better to ask for these zeroes than to write them?  A compressed cluster that is written over becomes
 * a plain one, while the request frees it; but it must be one request for all of the cluster. */
static bool
request_is_better (const struct engine *e, struct range r)
{
  struct range head, middle, tail;
  const uint64_t start = e->t->start;

  if (!e->request_works || r.start == r.end)
    return false;
  range_split ((struct range) { start + r.start, start + r.end }, REQUEST_BLOCK, &head, &middle, &tail);
  return e->t->cluster > 0 || middle.start < middle.end;
}

/* Make zeroes of whole blocks.  What a mounted filesystem has in its cache cannot be asked for (EBUSY): that is
 * written, the rest is asked for. */
static int
request_range (struct engine *e, struct range r)
{
  uint64_t n;
  int ret;

  while (request_is_better (e, r)) {
    if ((ret = request (e, FALLOC_FL_ZERO_RANGE, &r.start, r.end)) != 0)
      return ret == -1 ? -1 : 0;
    if (e->request_error != EBUSY)
      break;
    if (e->request_size > REQUEST_LEAST) {
      e->request_size = REQUEST_LEAST;
      continue;
    }
    n = r.end - r.start < REQUEST_LEAST ? r.end - r.start : REQUEST_LEAST;
    if (write_blocks (e, r.start, n) == -1)
      return -1;
    r.start += n;
  }
  return write_blocks (e, r.start, r.end - r.start);
}

/* Make zeroes of what was held back. */
static int
write_held (struct engine *e)
{
  struct range head, middle, tail;

  range_split (e->held, e->t->block, &head, &middle, &tail);
  e->held = (struct range) { 0, 0 };
  if (head.start < head.end && write_buffered (e, head.start, head.end - head.start) == -1)
    return -1;
  if (request_range (e, middle) == -1)
    return -1;
  if (tail.start < tail.end)
    return write_buffered (e, tail.start, tail.end - tail.start);
  return 0;
}

int
write_zeroes (struct engine *e, uint64_t offset, uint64_t len, uint64_t witness)
{
  if (e->held.end > e->held.start && e->held.end == offset)
    e->held.end += len;
  else {
    if (write_held (e) == -1)
      return -1;
    e->held = (struct range) { offset, offset + len };
    e->witness = witness;
  }
  return e->held.end - e->held.start >= e->request_size ? write_held (e) : 0;
}

int
write_finish (struct engine *e, bool rest)
{
  size_t i;
  int r = rest ? write_held (e) : 0;

  start_batch (e);
  for (i = 0; i < WRITES; i++)
    if (settle (e, i) == -1)
      r = -1;
  return r;
}
