/* The zero engine's reading half: windows that are read ahead, looked at, and handed on where they are
 * not zero.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "daemon.h"
#include "zero-engine.h"
#include "zero-scan.h"

int
zero_source_unknown (const void *opaque, uint64_t from, uint64_t size, struct range *r)
{
  return ranges_next_gap (opaque, from, size, r);
}

int
zero_source_unknown_mostly (const void *opaque, uint64_t from, uint64_t size, struct range *r)
{
  struct range more;

  if (!ranges_next_gap (opaque, from, size, r))
    return 0;
  while (ranges_next_gap (opaque, r->end, size, &more) && more.start - r->end < SKIP_MIN)
    r->end = more.end;
  return 1;
}

uint64_t
zero_source_bytes (struct zero_source source, uint64_t size)
{
  uint64_t n = 0, at = 0;
  struct range r;

  for (; source.next (source.opaque, at, size, &r) == 1; at = r.end)
    n += r.end - r.start;
  return n;
}

int
zero_source_listed (const void *opaque, uint64_t from, uint64_t size, struct range *r)
{
  return ranges_next (opaque, from, size, r);
}

int
engine_look (struct engine *e)
{
  uint64_t position = e->progress_base + (e->progress_stays ? 0 : e->done);

  /* Pieces of blocks are looked at with all of the block. */
  if (position > e->progress_total)
    position = e->progress_total;
  return call_progress (e->call, position, e->progress_total);
}

/* --- memory --- */

/* Bytes that can be had without pushing anything out of memory that matters; a modest guess where unknown. */
static uint64_t
memory_available (void)
{
  unsigned long long kib = 64 * 1024;
  char line[128];
  FILE *fp = fopen ("/proc/meminfo", "re");

  if (fp == NULL)
    return kib * 1024;
  while (fgets (line, sizeof line, fp) != NULL)
    if (sscanf (line, "MemAvailable: %llu kB", &kib) == 1)
      break;
  fclose (fp);
  return kib * 1024;
}

/* An eighth of the memory for all windows, and none larger than the device needs. */
static size_t
choose_window_size (const struct engine *e)
{
  uint64_t share = memory_available () / 8 / WINDOWS;
  size_t size = WINDOW_MAX;

  while (size > WINDOW_MIN && (size > share || size / 2 >= e->t->size))
    size /= 2;
  return size > e->grain ? size : e->grain;
}

static int
allocate_windows (struct engine *e)
{
  size_t i;

  for (e->window_size = choose_window_size (e); ; e->window_size /= 2) {
    e->area = pool_area (e->pool, WINDOWS * e->window_size);
    if (e->area != NULL)
      break;
    if (e->window_size / 2 < e->grain)
      return call_error (e->call, ENOMEM, "no memory for reading %s", e->t->name);
  }
  for (i = 0; i < WINDOWS; i++)
    e->windows[i].op.buf = e->area + i * e->window_size;
  return 0;
}

int
engine_init (struct engine *e, struct call *c, const struct zero_target *t, const struct zero_io *io,
             struct zero_pool *pool)
{
  *e = (struct engine) { .call = c, .t = t, .progress_total = t->size };
  e->pool = pool != NULL ? pool : &e->own_pool;
  e->grain = t->block > 4096 ? t->block : 4096;
  queue_init (&e->queue, io, e->pool);

  /* Never written to, so that all of it is the kernel's one page of zeroes. */
  e->zeroes = mmap (NULL, WRITE_MAX, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (e->zeroes == MAP_FAILED) {
    e->zeroes = NULL;
    return call_error (c, ENOMEM, "no memory for zeroing %s", t->name);
  }
  return 0;
}

void
engine_prepare (struct zero_pool *pool)
{
  unsigned char *area = memory_available () / 8 >= WINDOWS * WINDOW_MAX
    ? pool_area (pool, WINDOWS * WINDOW_MAX) : NULL;

  for (size_t i = 0; area != NULL && i < WINDOWS * WINDOW_MAX; i += 4096)
    area[i] = 0;
}

void
engine_free (struct engine *e)
{
  queue_free (&e->queue);
  if (e->zeroes)
    munmap (e->zeroes, WRITE_MAX);
  e->zeroes = NULL;
  pool_free (&e->own_pool);
}

/* --- reading --- */

/* Otherwise a hole of the image could end up inside a block with data around it. */
uint64_t
engine_down (const struct engine *e, uint64_t offset, uint64_t block)
{
  uint64_t r = range_down (e->t->start + offset, block);

  return r > e->t->start ? r - e->t->start : 0;
}

uint64_t
engine_up (const struct engine *e, uint64_t offset, uint64_t block)
{
  uint64_t r = range_up (e->t->start + offset, block) - e->t->start;

  return r < e->t->size ? r : e->t->size;
}

/* The next part of the source, widened to whole blocks but not to what was read already.  Clusters are zeroed
 * as a whole where nothing else can be in them.  1, 0, -1. */
static int
next_part (struct engine *e)
{
  const unsigned block = e->source.around && e->t->cluster > e->grain ? e->t->cluster : e->grain;
  int r = e->source.next (e->source.opaque, e->ahead, e->t->size, &e->part);
  uint64_t start;

  if (r == -1)
    return call_error (e->call, errno, "cannot find the data of %s after offset %" PRIu64,
                       e->t->name, e->ahead);
  if (r == 0)
    return 0;
  start = engine_down (e, e->part.start, block);
  e->ahead = start > e->ahead ? start : e->ahead;
  e->part.end = engine_up (e, e->part.end, block);
  return 1;
}

/* Where the window that begins at OFFSET ends: at a multiple of its size on the disk, so that what is
 * aligned on the disk lies in one window; but a first piece of a block stands alone. */
static uint64_t
window_end (const struct engine *e, uint64_t offset)
{
  bool aligned = (e->t->start + offset) % e->grain == 0;
  uint64_t end = engine_up (e, offset + 1, aligned ? e->next_size : e->grain);

  return end < e->part.end ? end : e->part.end;
}

/* How far from OFFSET one block may stand for all; OFFSET if it may not.  That is where all is allocated and
 * a request for zeroes therefore costs nothing but its time, where such requests are faster than reading,
 * and where there was data just before. */
static uint64_t
peek_end (const struct engine *e, uint64_t offset)
{
  const unsigned block = e->t->cluster > e->grain ? e->t->cluster : e->grain;
  uint64_t end;
  struct range r;

  if (e->allocated == NULL || !e->dense || !e->request_fast || e->method != ZERO_KEEP
      || engine_down (e, offset, block) != offset
      || !ranges_next (e->allocated, offset, e->part.end, &r) || r.start != offset)
    return offset;
  end = engine_down (e, offset + PEEK_MAX, PEEK_MAX);
  if (r.end < end)
    end = r.end < e->t->size ? engine_down (e, r.end, block) : r.end;
  return end > offset + PEEK_MIN ? end : offset;
}

/* Start to read the next window into W; its len is 0 if there is none. */
static int
start_window (struct engine *e, struct window *w)
{
  struct op *op = &w->op;
  int r = 1;

  w->len = 0;
  w->error = 0;
  if (e->ahead >= e->part.end)
    r = next_part (e);
  if (r <= 0)
    return r;

  w->offset = e->ahead;
  w->len = peek_end (e, w->offset) - w->offset;
  w->peek = w->len > 0;
  if (!w->peek)
    w->len = window_end (e, w->offset) - w->offset;
  e->ahead += w->len;
  if (e->next_size < e->window_size)
    e->next_size *= 2;

  op->write = false;
  op->fd = e->t->fd;
  op->len = range_up (w->peek ? e->grain : w->len, e->grain);   /* for O_DIRECT; ends where the device does */
  op->offset = w->offset;
  e->stats.reads++;
  e->stats.read += op->len;
  queue_start (&e->queue, &op, 1);
  return 0;
}

/* The filesystem that holds a file may refuse O_DIRECT only when it comes to reading.  True: try again. */
static bool
drop_direct (struct engine *e)
{
  int flags = fcntl (e->t->fd, F_GETFL);

  return flags != -1 && (flags & O_DIRECT) && fcntl (e->t->fd, F_SETFL, flags & ~O_DIRECT) == 0;
}

/* Read bytes [POS, POS+LEN) of the window: 0, an errno value, or -1 with the call's error set. */
static int
read_piece (struct engine *e, struct window *w, size_t pos, size_t len)
{
  size_t done = 0;
  ssize_t r;

  while (done < len) {
    r = e->queue.io->read (e->t->fd, (char *) w->op.buf + pos + done, range_up (len - done, e->grain),
                           w->offset + pos + done);
    if (r == -1 && (errno == EINTR || (errno == EINVAL && drop_direct (e))))
      continue;
    if (r == -1)
      return errno;
    if (r == 0)
      return call_error (e->call, EIO, "%s ended at offset %" PRIu64 ", before its size of %" PRIu64 " bytes",
                         e->t->name, w->offset + pos + done, e->t->size);
    done += r;
  }
  return 0;
}

/* Read [POS, POS+LEN) in ever smaller pieces down to a block.  A block that cannot be read is marked
 * for being overwritten, or ends the window. */
static int
read_carefully (struct engine *e, struct window *w, size_t pos, size_t len)
{
  size_t half;
  int r;

  if (engine_look (e) == -1)
    return -1;
  if ((r = read_piece (e, w, pos, len)) <= 0)
    return r;
  if (len > e->grain) {
    half = range_up (len / 2, e->grain);
    if (read_carefully (e, w, pos, half) == -1)
      return -1;
    return w->error ? 0 : read_carefully (e, w, pos + half, len - half);
  }
  if (e->fix_unreadable)
    memset ((char *) w->op.buf + pos, 0xff, len);
  else {
    w->len = pos;
    w->error = r;
  }
  return 0;
}

/* Wait until W is filled. */
static int
finish_window (struct engine *e, struct window *w)
{
  size_t good;

  while (w->op.busy) {
    queue_wait (&e->queue, LOOK_MS);
    if (engine_look (e) == -1)
      return -1;
  }
  if (engine_look (e) == -1)
    return -1;
  if (w->op.result >= (ssize_t) w->len || w->peek)
    return 0;
  good = w->op.result > 0 ? range_down (w->op.result, e->grain) : 0;
  return read_carefully (e, w, good, w->len - good);
}

/* Clusters should lie in one window as a whole. */
static size_t
first_size (const struct engine *e)
{
  size_t size = e->t->cluster > WINDOW_FIRST ? e->t->cluster : WINDOW_FIRST;

  return size < e->window_size ? size : e->window_size;
}

/* Show VISIT each window in turn, until it returns other than 0; that, 0 at the end, or -1 with the
 * call's error. */
static int
each_window (struct engine *e, int (*visit) (struct engine *e, struct window *w))
{
  struct window *w;
  uint64_t len, end;
  size_t i;
  int r = 0;

  if (e->area == NULL && allocate_windows (e) == -1)
    return -1;
  e->part = (struct range) { 0, 0 };
  e->ahead = e->first;
  e->done = e->progress_work ? 0 : e->first;
  e->next_size = first_size (e);
  for (i = 0; i < WINDOWS && r == 0; i++)
    r = start_window (e, &e->windows[i]);

  for (i = 0; r == 0 && e->windows[i].len > 0; i = (i + 1) % WINDOWS) {
    w = &e->windows[i];
    len = w->len;
    end = w->offset + len;
    if ((r = finish_window (e, w)) == 0)
      r = visit (e, w);
    e->done = e->progress_work ? e->done + len : end;
    if (r == 0)
      r = start_window (e, w);
  }

  for (i = 0; i < WINDOWS; i++)
    while (e->windows[i].op.busy)
      queue_wait (&e->queue, LOOK_MS);
  return r;
}

int
engine_each_window (struct engine *e, struct zero_source source,
                    int (*visit) (struct engine *e, struct window *w))
{
  e->source = source;
  e->fix_unreadable = false;
  return each_window (e, visit);
}

/* --- what is done with a window --- */

int
engine_read_again (struct engine *e, struct window *w, uint64_t offset, uint64_t end)
{
  const uint64_t stop = engine_down (e, offset + e->window_size, e->grain);

  w->peek = false;
  w->offset = offset;
  w->len = (stop < end ? stop : end) - offset;
  e->stats.reads++;
  e->stats.read += w->len;
  return read_carefully (e, w, 0, w->len);
}

static int
test_window (struct engine *e, struct window *w)
{
  if (!zero_scan_is_zero (w->op.buf, w->len))
    return 1;
  if (w->error)
    return call_error (e->call, w->error, "cannot read %s at offset %" PRIu64,
                       e->t->name, w->offset + w->len);
  return 0;
}

/* Has the end of the source something in it?  A partition table has its copy there, and then there is no need
 * to read all up to it.  What cannot be read is found later. */
static bool
end_has_data (struct engine *e)
{
  const uint64_t from = e->t->size > TAIL ? engine_down (e, e->t->size - TAIL, e->grain) : 0;
  unsigned char *buf = e->windows[0].op.buf;
  struct range r;
  ssize_t n;

  if (from < TAIL || e->source.next (e->source.opaque, from, e->t->size, &r) != 1)
    return false;
  r.start = engine_down (e, r.start, e->grain);
  if (r.start < from)
    r.start = from;
  r.end = engine_up (e, r.end, e->grain);
  n = e->queue.io->read (e->t->fd, buf, range_up (r.end - r.start, e->grain), r.start);
  e->stats.reads++;
  e->stats.read += r.end - r.start;
  return n >= (ssize_t) (r.end - r.start) && !zero_scan_is_zero (buf, r.end - r.start);
}

int
engine_is_zero (struct engine *e, struct zero_source source)
{
  int r;

  e->source = source;
  e->fix_unreadable = false;
  if (e->area == NULL && allocate_windows (e) == -1)
    return -1;
  if (end_has_data (e))
    return 0;
  r = each_window (e, test_window);
  return r == -1 ? -1 : !r;
}

int
engine_zero (struct engine *e, struct zero_source source, enum zero_method method, struct ranges *punched)
{
  int r;

  e->source = source;
  e->fix_unreadable = true;
  write_begin (e, method, punched);
  r = each_window (e, zero_window);
  if (write_finish (e, r == 0) == -1)
    r = -1;
  return r;
}

int
engine_zero_bytes (struct engine *e, uint64_t offset, uint64_t len, enum zero_method method)
{
  int r;

  if (!range_inside (offset, len, e->t->size))
    return call_refuse (e->call, EINVAL, "%" PRIu64 " bytes at offset %" PRIu64
                        " do not lie inside %s, which has %" PRIu64 " bytes",
                        len, offset, e->t->name, e->t->size);
  e->done = 0;
  write_begin (e, method, NULL);
  r = write_zeroes (e, offset, len, offset);
  if (write_finish (e, r == 0) == -1)
    r = -1;
  return r;
}
