/* The work of a copy: windows of the source are read ahead, data are written, and the target is made zero
 * where the source is, if it is not so already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>

#include "copy.h"
#include "daemon.h"
#include "io.h"
#include "zero-scan.h"

enum {
  BATCH_RANGES = 4096,          /* so many ranges of zeroes are looked at together */
  BATCH_BYTES = 1 << 30,        /* or so many bytes of them, for the sake of progress */
};

static uint64_t
min64 (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* Where the byte OFFSET of the source goes. */
static uint64_t
target_offset (const struct copy *k, uint64_t offset)
{
  return offset - k->from + k->to;
}

/* --- writing data --- */

/* The write failed, or was short: do the rest slowly, for an error that says where.  A filesystem may want
 * larger blocks for direct writes than it seemed. */
static int
write_again (struct copy *k, const struct op *op)
{
  size_t done = op->result > 0 ? (size_t) op->result : 0;
  int fd = op->result == -EINVAL || done % k->target.block != 0 ? k->target.buffered : op->fd;

  return io_write (k->call, k->target.name, fd, (char *) op->buf + done, op->len - done, op->offset + done);
}

/* Wait for all writes. */
static int
settle_writes (struct copy *k)
{
  int r = 0;

  for (size_t i = 0; i < k->nr_writes; i++) {
    struct op *op = &k->writes[i];

    while (op->busy) {
      queue_wait (&k->in.queue, LOOK_MS);
      if (r == 0)
        r = engine_look (&k->in);
    }
    if (r == 0 && op->result != (ssize_t) op->len)
      r = write_again (k, op);
  }
  k->nr_writes = 0;
  return r;
}

/* Begin to write whole blocks; the memory is the window's, which stays until settle_writes. */
static int
write_blocks (struct copy *k, unsigned char *p, uint64_t offset, size_t len)
{
  struct op *op = &k->writes[k->nr_writes];

  if ((uintptr_t) p % k->target.block != 0)
    return io_write (k->call, k->target.name, k->target.buffered, p, len, offset);
  *op = (struct op) { .write = true, .fd = k->target.fd, .buf = p, .len = len, .offset = offset };
  queue_start (&k->in.queue, &op, 1);
  return ++k->nr_writes == COPY_WRITES ? settle_writes (k) : 0;
}

/* --- making zeroes --- */

/* Make zeroes of what was collected.  Both engines use one context of asynchronous I/O: nothing of the other
 * may be in flight. */
static int
flush_zeroes (struct copy *k)
{
  const struct zero_source all = { zero_source_listed, &k->zeroes, false };
  struct ranges punched = { 0 };
  int r = settle_writes (k);

  while (r == 0 && k->in.queue.in_flight > 0) {
    queue_wait (&k->in.queue, LOOK_MS);
    r = engine_look (&k->in);
  }
  if (r == 0 && k->zeroes.n > 0) {
    k->out.progress_base = k->in.progress_base + k->in.done;
    r = engine_zero (&k->out, all, k->unmap ? ZERO_UNMAP : ZERO_KEEP, &punched);
  }
  /* Unmapping is advice to a device, while this must be true. */
  if (r == 0 && punched.n > 0)
    r = engine_zero (&k->out, (struct zero_source) { zero_source_listed, &punched, false }, ZERO_WRITE, NULL);
  ranges_free (&punched);
  ranges_free (&k->zeroes);
  k->nr_zeroes = 0;
  return r;
}

/* The same at once for less than a block. */
static int
zero_piece (struct copy *k, uint64_t offset, size_t len)
{
  ssize_t n = io_read (k->call, k->target.name, k->target.buffered, k->block, len, offset);

  if (n == -1)
    return -1;
  if ((size_t) n == len && zero_scan_is_zero (k->block, len))
    return 0;
  return io_write (k->call, k->target.name, k->target.buffered, k->out.zeroes, len, offset);
}

/* Collect whole blocks. */
static int
collect_zeroes (struct copy *k, struct range r)
{
  uint64_t end;

  for (; r.start < r.end; r.start = end) {
    end = min64 (r.end, r.start + (BATCH_BYTES - k->nr_zeroes));
    if (ranges_add (&k->zeroes, r.start, end) == -1)
      return call_error (k->call, errno, "no memory for the list of zeroes in %s", k->target.name);
    k->nr_zeroes += end - r.start;
    if ((k->nr_zeroes == BATCH_BYTES || k->zeroes.n == BATCH_RANGES) && flush_zeroes (k) == -1)
      return -1;
    if (k->in.done < end - k->to + k->from)
      k->in.done = end - k->to + k->from;
  }
  return 0;
}

/* Cut a range of the target at its blocks, as the disk has them. */
static void
split (const struct copy *k, uint64_t offset, uint64_t len, struct range v[3])
{
  const uint64_t start = k->target.start;

  range_split ((struct range) { start + offset, start + offset + len }, k->out.grain, &v[0], &v[1], &v[2]);
  for (int i = 0; i < 3; i++) {
    v[i].start -= start;
    v[i].end -= start;
  }
}

/* The source is known to be zero up to UNTIL. */
static int
skip_gap (struct copy *k, uint64_t until)
{
  struct range v[3];
  int r;

  if (k->fresh || k->at >= until)
    return 0;
  split (k, target_offset (k, k->at), until - k->at, v);
  if (v[0].start < v[0].end && zero_piece (k, v[0].start, v[0].end - v[0].start) == -1)
    return -1;
  r = collect_zeroes (k, v[1]);
  if (r == 0 && v[2].start < v[2].end)
    r = zero_piece (k, v[2].start, v[2].end - v[2].start);
  return r;
}

/* --- what was read --- */

/* Less than a block of the target. */
static int
copy_piece (struct copy *k, const unsigned char *p, struct range r)
{
  const size_t len = r.end - r.start;

  if (len == 0)
    return 0;
  if (!k->skip_zeroes || !zero_scan_is_zero (p, len))
    return io_write (k->call, k->target.name, k->target.buffered, p, len, r.start);
  return k->fresh ? 0 : zero_piece (k, r.start, len);
}

/* Whole blocks of the target. */
static int
copy_blocks (struct copy *k, unsigned char *p, struct range r)
{
  bool zero = false;
  int ret = 0;
  size_t n;

  for (; ret == 0 && r.start < r.end; p += n, r.start += n) {
    n = r.end - r.start;
    if (k->skip_zeroes)
      n = zero_scan_run (p, n, k->out.grain, &zero);
    if (!zero)
      ret = write_blocks (k, p, r.start, n);
    else if (!k->fresh)
      ret = collect_zeroes (k, (struct range) { r.start, r.start + n });
  }
  return ret;
}

/* Bytes of the source that were read to P. */
static int
copy_bytes (struct copy *k, unsigned char *p, uint64_t offset, size_t len)
{
  const uint64_t to = target_offset (k, offset);
  struct range v[3];

  split (k, to, len, v);
  if (copy_piece (k, p, v[0]) == -1 || copy_blocks (k, p + (v[1].start - to), v[1]) == -1)
    return -1;
  return copy_piece (k, p + (v[2].start - to), v[2]);
}

/* A window of the source; it may begin before what is wanted, and end after it. */
static int
copy_window (struct engine *e, struct window *w)
{
  struct copy *k = e->opaque;
  const uint64_t start = w->offset > k->at ? w->offset : k->at;
  const uint64_t end = min64 (w->offset + w->len, k->from + k->size);
  int r = skip_gap (k, min64 (start, k->from + k->size));

  if (r == 0 && start < end) {
    k->at = start;
    r = copy_bytes (k, (unsigned char *) w->op.buf + (start - w->offset), start, end - start);
    k->at = end;
  }
  if (settle_writes (k) == -1)
    return -1;
  if (r == 0 && w->error)
    r = call_error (k->call, w->error, "cannot read %s at offset %" PRIu64, k->source.name, w->offset + w->len);
  return r;
}

/* Progress counts bytes of the source from where reading begins. */
static int
start_engines (struct copy *k)
{
  k->source.size = k->from + k->size;
  if (engine_init (&k->in, k->call, &k->source, &zero_io_real, k->pool) == -1)
    return -1;
  k->out_pool.ctx = k->in.pool->ctx;
  k->out_pool.has_ctx = k->in.pool->has_ctx;
  if (engine_init (&k->out, k->call, &k->target, &zero_io_real, &k->out_pool) == -1)
    return -1;
  if ((k->block = call_alloc (k->call, k->out.grain)) == NULL)
    return -1;
  k->in.first = engine_down (&k->in, k->from, k->in.grain);
  k->in.opaque = k;
  k->in.progress_base = 0 - k->in.first;
  k->in.progress_total = k->out.progress_total = k->source.size - k->in.first;
  k->out.progress_stays = true;
  k->at = k->from;
  return 0;
}

int
copy_run (struct copy *k)
{
  int r = -1;

  if (start_engines (k) == 0) {
    r = engine_each_window (&k->in, k->parts, copy_window);
    if (r == 0)
      r = skip_gap (k, k->from + k->size);
    if (r == 0)
      r = flush_zeroes (k);
  }
  engine_free (&k->out);
  engine_free (&k->in);
  k->out_pool.has_ctx = false;          /* it is the other pool's */
  pool_free (&k->out_pool);
  ranges_free (&k->zeroes);
  return r;
}
