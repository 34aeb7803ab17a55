/* Files on their way in and out: upload and download, whole or at an offset.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "zero-scan.h"

enum { WINDOW = 1024 * 1024, HOLE_BLOCK = 4096, SKIP_MIN = 32 * 1024, SYNC_EVERY = 32 * 1024 * 1024 };

/* One transfer: the open file or device, and how far it got. */
struct transfer {
  const char *name;
  int fd;
  bool sparse;              /* the target is a fresh regular file: zeroes need not be written */
  bool file;                /* it is a file, and grows */
  uint64_t fresh;           /* of a file that was there: from here on it reads as zero; else no offset */
  bool touched;             /* something may have been written */
  uint64_t start, offset;
  uint64_t end;             /* download: so far */
  uint64_t synced;          /* up to here it is on the disk */
  uint64_t size;            /* of the source or device */
  char *buf, *old;          /* WINDOW bytes each, in pages; OLD: what the target has, NULL until needed */
};

/* Length of the run of zeroes, or of other data, at the beginning of BUF.  Zeroes that are no more than a few
 * blocks count as data: to leave them out costs more than it saves. */
static size_t
next_run (const struct transfer *t, const char *buf, size_t n, bool *zero)
{
  const size_t min = t->sparse ? 1 : SKIP_MIN;
  size_t run = zero_scan_run (buf, n, HOLE_BLOCK, zero), more;
  bool more_zero;

  if (*zero && run >= min)
    return run;
  *zero = false;
  for (; run < n; run += more) {
    more = zero_scan_run (buf + run, n - run, HOLE_BLOCK, &more_zero);
    if (more_zero && more >= min)
      break;
  }
  return run;
}

/* Zeroes for a device: written only where something else is. */
static int
store_zeroes (struct call *c, struct transfer *t, size_t pos, size_t n)
{
  const uint64_t offset = t->offset + pos;
  size_t run;
  bool zero;

  if (t->old == NULL && (t->old = call_alloc_pages (c, WINDOW)) == NULL)
    return -1;
  if (io_read (c, t->name, t->fd, t->old, n, offset) != (ssize_t) n) {
    call_forget_error (c);      /* what cannot be read can still be written */
    return io_write (c, t->name, t->fd, t->buf + pos, n, offset);
  }
  for (size_t done = 0; done < n; done += run) {
    run = next_run (t, t->old + done, n - done, &zero);
    if (!zero && io_write (c, t->name, t->fd, t->buf + pos + done, run, offset + done) == -1)
      return -1;
  }
  return 0;
}

/* Write N bytes of the window at the current offset.  A zero that is already there is not written: in a fresh
 * file that is all of them, on a device one has to look. */
static int
store (struct call *c, struct transfer *t, size_t n)
{
  size_t run;
  bool zero;
  int r;

  t->touched = true;
  for (size_t done = 0; done < n; done += run) {
    run = next_run (t, t->buf + done, n - done, &zero);
    if (!zero)
      r = io_write (c, t->name, t->fd, t->buf + done, run, t->offset + done);
    else
      r = t->sparse || t->offset + done >= t->fresh ? 0 : store_zeroes (c, t, done, run);
    if (r == -1)
      return -1;
  }
  t->offset += n;
  return 0;
}

/* Write back now and then, where writes go to a cache: a full host is found soon, and the error says about
 * where. */
static int
write_back (struct call *c, struct transfer *t)
{
  if (t->offset - t->synced < SYNC_EVERY || (fcntl (t->fd, F_GETFL) & O_DIRECT))
    return 0;
  if (fdatasync (t->fd) == -1)
    return call_error (c, errno, "cannot write %s between offsets %" PRIu64 " and %" PRIu64, t->name,
                       t->synced, t->offset);
  t->synced = t->offset;
  return 0;
}

/* Take the whole stream.  What a device has no room for is an error; what came before has been written. */
static int
receive (struct call *c, struct transfer *t, const struct device *dev)
{
  ssize_t n;

  while ((n = file_in_read (c, t->buf, WINDOW)) > 0) {
    if (dev != NULL && (uint64_t) n > t->size - t->offset)
      return call_refuse (c, ENOSPC, "the file does not fit: %s has only %" PRIu64 " bytes", t->name,
                          t->size);
    if (store (c, t, (size_t) n) == -1 || (dev != NULL && write_back (c, t) == -1) ||
        call_progress (c, t->offset - t->start, c->progress_hint) == -1)
      return -1;
  }
  if (n == -1)
    return -1;
  /* The last blocks may have been left out. */
  if (t->file && t->offset > t->fresh && ftruncate (t->fd, (off_t) t->offset) == -1)
    return call_error (c, errno, "%s: cannot set the size to %" PRIu64, t->name, t->offset);
  return io_sync (c, t->name, t->fd);
}

static int
upload_to_device (struct call *c, struct transfer *t, struct device *dev)
{
  unsigned block;
  int r = -1;

  t->name = dev->name;
  t->fresh = UINT64_MAX;
  if (device_write_back (c, dev, true) == -1 || (t->fd = device_open (c, dev, O_RDWR | O_DIRECT)) == -1)
    return -1;
  if (device_geometry (c, dev, t->fd, &t->size, &block) == -1)
    r = -1;
  else if (t->offset > t->size)
    r = call_refuse (c, ENOSPC, "the offset %" PRIu64 " is behind the end of %s, which has %" PRIu64 " bytes", t->offset,
                     t->name, t->size);
  else
    r = receive (c, t, dev);
  close (t->fd);
  if (t->touched && (device_write_back (c, dev, true) == -1 || device_reread (c, dev) == -1))
    r = -1;
  return r;
}

/* To a file, from t->offset on.  KEEP: what it has elsewhere stays; else it begins empty. */
static int
upload_to_file (struct call *c, struct transfer *t, const char *path, bool keep)
{
  struct stat st;
  int r;

  t->name = path;
  t->file = true;
  t->sparse = !keep;
  t->fd = sysroot_open_regular (c, path, keep ? O_RDWR | O_CREAT : O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (t->fd == -1)
    return -1;
  if (fstat (t->fd, &st) == -1)
    r = call_error (c, errno, "%s", path);
  else {
    t->fresh = (uint64_t) st.st_size;
    r = receive (c, t, NULL);
  }
  close (t->fd);
  return r;
}

static int
upload (struct call *c, struct device_or_path *where, int64_t offset, bool keep)
{
  struct transfer *t = call_alloc (c, sizeof *t);

  if (t == NULL || (t->buf = call_alloc_pages (c, WINDOW)) == NULL || io_check_offset (c, offset) == -1)
    return -1;
  t->start = t->offset = t->synced = (uint64_t) offset;
  return where->dev != NULL ? upload_to_device (c, t, where->dev) : upload_to_file (c, t, where->path, keep);
}

int
do_upload (struct call *c, struct device_or_path *remotefilename)
{
  return upload (c, remotefilename, 0, false);
}

int
do_upload_offset (struct call *c, struct device_or_path *remotefilename, int64_t offset)
{
  return upload (c, remotefilename, offset, true);
}

/* Runs after the reply: the file up to its end, or to t->end, as chunks. */
static int
send_all (struct call *c, void *opaque)
{
  struct transfer *t = opaque;
  ssize_t n = 1;
  int r = 0;

  while (r == 0 && t->offset < t->end && n != 0) {
    n = io_read (c, t->name, t->fd, t->buf, t->end - t->offset < WINDOW ? (size_t) (t->end - t->offset) : WINDOW,
                 t->offset);
    if (n == -1 || (n > 0 && file_out_pages (c, t->buf, (size_t) n) == -1))
      r = -1;
    else
      r = call_progress (c, (t->offset += (uint64_t) n) - t->start, t->size - t->start);
  }
  close (t->fd);
  return r;
}

static int
open_download (struct call *c, struct transfer *t, struct device_or_path *where)
{
  const struct device *dev = where->dev;
  const struct device file = { .name = where->path };
  unsigned block;

  t->name = dev ? dev->name : where->path;
  t->end = UINT64_MAX;
  if (dev != NULL && device_write_back (c, dev, false) == -1)
    return -1;
  t->fd = dev ? device_open (c, dev, O_RDONLY | O_DIRECT) : sysroot_open_regular (c, t->name, O_RDONLY, 0);
  if (t->fd == -1)
    return -1;
  if (device_geometry (c, dev ? dev : &file, t->fd, &t->size, &block) == -1) {
    close (t->fd);
    return -1;
  }
  return 0;
}

int
do_download (struct call *c, struct device_or_path *remotefilename)
{
  struct transfer *t = call_alloc (c, sizeof *t);

  if (t == NULL || (t->buf = call_alloc_pages (c, WINDOW)) == NULL || open_download (c, t, remotefilename) == -1)
    return -1;
  call_set_file_out (c, send_all, t);
  return 0;
}

int
do_download_offset (struct call *c, struct device_or_path *remotefilename, int64_t offset, int64_t size)
{
  struct transfer *t = call_alloc (c, sizeof *t);
  uint64_t has;

  if (io_check_offset (c, offset) == -1)
    return -1;
  if (size < 0)
    return call_refuse (c, EINVAL, "the size %" PRIi64 " is negative", size);
  if (t == NULL || (t->buf = call_alloc_pages (c, WINDOW)) == NULL || open_download (c, t, remotefilename) == -1)
    return -1;
  has = (uint64_t) offset < t->size ? t->size - (uint64_t) offset : 0;
  if ((uint64_t) size > has) {
    close (t->fd);
    return call_refuse (c, EINVAL, "%" PRIi64 " bytes are wanted, but %s has only %" PRIu64 " from offset %" PRIi64
                        " on", size, t->name, has, offset);
  }
  t->start = t->offset = (uint64_t) offset;
  t->size = t->end = t->start + (uint64_t) size;
  call_set_file_out (c, send_all, t);
  return 0;
}
