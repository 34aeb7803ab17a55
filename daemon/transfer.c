/* Files on their way in and out: upload and download.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "zero-scan.h"

enum { WINDOW = 256 * 1024, HOLE_BLOCK = 4096, SYNC_EVERY = 32 * 1024 * 1024 };

/* One transfer: the open file or device, and how far it got. */
struct transfer {
  const char *name;
  int fd;
  bool sparse;              /* the target is a fresh regular file: zeroes need not be written */
  uint64_t offset;
  uint64_t synced;          /* up to here it is on the disk */
  uint64_t size;            /* of the source or device */
  char buf[WINDOW];
};

/* Write N bytes of the window at the current offset; blocks of zeroes are left out of fresh files. */
static int
store (struct call *c, struct transfer *t, size_t n)
{
  for (size_t done = 0, run; done < n; done += run) {
    bool zero = false;

    run = t->sparse ? zero_scan_run (t->buf + done, n - done, HOLE_BLOCK, &zero) : n - done;
    if (!zero && io_write (c, t->name, t->fd, t->buf + done, run, t->offset + done) == -1)
      return -1;
  }
  t->offset += n;
  return 0;
}

/* On a device, write back now and then: a full host is found soon, and the error says about where. */
static int
write_back (struct call *c, struct transfer *t)
{
  if (t->offset - t->synced < SYNC_EVERY)
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

  while ((n = file_in_read (c, t->buf, sizeof t->buf)) > 0) {
    if (dev != NULL && (uint64_t) n > t->size - t->offset)
      return call_refuse (c, ENOSPC, "the file does not fit: %s has only %" PRIu64 " bytes", t->name,
                          t->size);
    if (store (c, t, (size_t) n) == -1 || (dev != NULL && write_back (c, t) == -1) ||
        call_progress (c, t->offset, c->progress_hint) == -1)
      return -1;
  }
  if (n == -1)
    return -1;
  /* The last blocks may have been left out. */
  if (t->sparse && ftruncate (t->fd, (off_t) t->offset) == -1)
    return call_error (c, errno, "%s: cannot set the size to %" PRIu64, t->name, t->offset);
  return io_sync (c, t->name, t->fd);
}

static int
upload_to_device (struct call *c, struct transfer *t, struct device *dev)
{
  unsigned block;
  int r = -1;

  t->name = dev->name;
  if (device_flush_caches (c, dev) == -1 || (t->fd = device_open (c, dev, O_RDWR)) == -1)
    return -1;
  if (device_geometry (c, dev, t->fd, &t->size, &block) == 0)
    r = receive (c, t, dev);
  close (t->fd);
  if (t->offset > 0 && (device_flush_caches (c, dev) == -1 || device_reread (c, dev) == -1))
    r = -1;
  return r;
}

int
do_upload (struct call *c, struct device_or_path *remotefilename)
{
  struct transfer *t = call_alloc (c, sizeof *t);
  int r;

  if (t == NULL)
    return -1;
  if (remotefilename->dev != NULL)
    return upload_to_device (c, t, remotefilename->dev);
  t->name = remotefilename->path;
  t->sparse = true;
  if ((t->fd = sysroot_open_regular (c, t->name, O_WRONLY | O_CREAT | O_TRUNC, 0666)) == -1)
    return -1;
  r = receive (c, t, NULL);
  close (t->fd);
  return r;
}

/* Runs after the reply: the whole file as chunks. */
static int
send_all (struct call *c, void *opaque)
{
  struct transfer *t = opaque;
  ssize_t n;
  int r = 0;

  while (r == 0 && (n = io_read (c, t->name, t->fd, t->buf, sizeof t->buf, t->offset)) != 0) {
    if (n == -1 || file_out_write (c, t->buf, (size_t) n) == -1)
      r = -1;
    else
      r = call_progress (c, t->offset += (uint64_t) n, t->size);
  }
  close (t->fd);
  free (t);
  return r;
}

int
do_download (struct call *c, struct device_or_path *remotefilename)
{
  const struct device *dev = remotefilename->dev;
  const struct device file = { .name = remotefilename->path };
  struct transfer *t = malloc (sizeof *t);
  unsigned block;

  if (t == NULL)
    return call_error (c, ENOMEM, "cannot get memory for the transfer");
  t->name = dev ? dev->name : remotefilename->path;
  t->fd = -1;
  t->offset = t->size = 0;
  if (dev == NULL || device_flush_caches (c, dev) == 0)
    t->fd = dev ? device_open (c, dev, O_RDONLY) : sysroot_open_regular (c, t->name, O_RDONLY, 0);
  if (t->fd == -1 || device_geometry (c, dev ? dev : &file, t->fd, &t->size, &block) == -1) {
    if (t->fd != -1)
      close (t->fd);
    free (t);
    return -1;
  }
  call_set_file_out (c, send_all, t);
  return 0;
}
