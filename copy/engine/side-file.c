/* Raw files and block devices: every request is carried out at once, by the thread that makes it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <linux/falloc.h>
#include <linux/fs.h>

#include "walk.h"
#include "side.h"

#define WINDOW          (UINT64_C (8) << 20)
#define KEEP            (UINT64_C (256) << 20)

static int
read_all (int fd, const struct op *op)
{
  uint64_t done = 0;

  while (done < op->count) {
    ssize_t n = pread (fd, op->buf + done, op->count - done, op->offset + done);

    if (n == 0)
      return ENODATA;           /* the file has become shorter */
    if (n == -1 && errno != EINTR)
      return errno;
    done += n > 0 ? n : 0;
  }
  return 0;
}

static int
write_all (int fd, const unsigned char *p, uint64_t count, uint64_t offset)
{
  while (count > 0) {
    ssize_t n = pwrite (fd, p, count, offset);

    if (n == -1 && errno != EINTR)
      return errno;
    if (n > 0) {
      p += n;
      offset += n;
      count -= n;
    }
  }
  return 0;
}

static int
write_zeroes (int fd, uint64_t count, uint64_t offset)
{
  static const unsigned char zeroes[256 << 10];
  int err = 0;

  while (count > 0 && err == 0) {
    uint64_t n = count < sizeof zeroes ? count : sizeof zeroes;

    err = write_all (fd, zeroes, n, offset);
    offset += n;
    count -= n;
  }
  return err;
}

static bool
unsupported (int err)
{
  return err == EOPNOTSUPP || err == ENOSYS || err == ENODEV || err == EINVAL || err == ENOTTY
    || err == EPERM;
}

/* Never BLKDISCARD: what it leaves behind may be anything.  On a device PUNCH_HOLE is an unmap that is
 * known to give zeroes. */
static int
zero (struct side *s, const struct op *op)
{
  const bool keep = op->flags & ZERO_KEEP;

  if (!keep && !__atomic_load_n (&s->punch_fails, __ATOMIC_RELAXED)) {
    if (fallocate (s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, op->offset, op->count) == 0)
      return 0;
    if (!unsupported (errno))
      return errno;
    __atomic_store_n (&s->punch_fails, true, __ATOMIC_RELAXED);
  }
  if (!__atomic_load_n (&s->range_fails, __ATOMIC_RELAXED)) {
    if (fallocate (s->fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, op->offset, op->count) == 0)
      return 0;
    if (!unsupported (errno))
      return errno;
    __atomic_store_n (&s->range_fails, true, __ATOMIC_RELAXED);
  }
  if (op->flags & ZERO_FAST)
    return ENOTSUP;
  return write_zeroes (s->fd, op->count, op->offset);
}

/* Holes read as zero.  Where the kernel cannot tell, all is data. */
static int
ask (struct side *s, const struct op *op)
{
  uint64_t pos = op->offset, end = op->offset + op->count;
  int err = 0;

  while (pos < end && err == 0 && !op->extents->full) {
    off_t data = lseek (s->fd, pos, SEEK_DATA), hole;

    if (data == -1 && errno == ENXIO)
      data = end;
    if (data == -1)
      return extents_add (op->extents, end - pos, 0);
    if ((uint64_t) data > end)
      data = end;
    if ((uint64_t) data > pos) {
      err = extents_add (op->extents, data - pos, EXTENT_HOLE | EXTENT_ZERO);
      pos = data;
      continue;
    }
    hole = lseek (s->fd, pos, SEEK_HOLE);
    if (hole == -1 || (uint64_t) hole > end || (uint64_t) hole <= pos)
      hole = end;
    err = extents_add (op->extents, hole - pos, 0);
    pos = hole;
  }
  return err;
}

/* Have the disk begin early: else the kernel collects dirty pages, and then holds up the writer..  What was
 * written long ago and is on disk by now need not stay in memory, where a large copy would drive out
 * everything else, and finding room for it takes as long as copying. */
static void
write_behind (struct side *s, const struct op *op)
{
  const uint64_t window = op->offset / WINDOW * WINDOW;

  if (window == (op->offset + op->count) / WINDOW * WINDOW)
    return;
  sync_file_range (s->fd, window, WINDOW, SYNC_FILE_RANGE_WRITE);
  if (window >= KEEP)
    posix_fadvise (s->fd, window - KEEP, WINDOW, POSIX_FADV_DONTNEED);
}

static void
start (struct side *s, unsigned lane, struct op *op)
{
  (void) lane;
  switch (op->kind) {
  case OP_READ:
    op->err = read_all (s->fd, op);
    break;
  case OP_WRITE:
    op->err = write_all (s->fd, op->buf, op->count, op->offset);
    write_behind (s, op);
    break;
  case OP_ZERO:
    op->err = zero (s, op);
    break;
  case OP_EXTENTS:
    op->err = ask (s, op);
    break;
  case OP_FLUSH:
    op->err = fsync (s->fd) == -1 ? errno : 0;
    break;
  }
  op->done = true;
}

static void
pollfd (struct side *s, unsigned lane, struct pollfd *p)
{
  (void) s, (void) lane;
  p->fd = -1;
}

static int
notify (struct side *s, unsigned lane, short revents)
{
  (void) s, (void) lane, (void) revents;
  return 0;
}

static void
close_file (struct side *s)
{
  if (s->fd != -1)
    close (s->fd);
  s->fd = -1;
}

const struct side_ops side_file_ops = {
  .start = start, .pollfd = pollfd, .notify = notify, .close = close_file,
};

int
side_file_init (struct side *s, int fd)
{
  struct stat st;
  int sector = SECTOR;
  off_t size;

  s->ops = &side_file_ops;
  s->fd = fd;
  if (fstat (fd, &st) == -1 || (size = lseek (fd, 0, SEEK_END)) == -1)
    return zfi_perror (s->h, errno, "%s", s->name);
  s->block_device = S_ISBLK (st.st_mode);
  s->dev = s->block_device ? 0 : st.st_dev;
  s->ino = s->block_device ? st.st_rdev : st.st_ino;
  s->size = size;
  /* A device says nothing of its contents. */
  s->can_extents = !s->block_device;
  s->can_zero = s->can_flush = true;
  s->can_fast_zero = true;      /* or else it says so */
  s->align = s->block_device && ioctl (fd, BLKSSZGET, &sector) == 0 && sector > 0 ? sector : 1;
  s->grain = s->block_device ? 1 : 4096;
  s->max_request = MAX_REQUEST;
  s->max_zero = UINT64_C (1) << 30;
  s->nr_lanes = MAX_LANES;
  if (!s->target)
    posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  return 0;
}
