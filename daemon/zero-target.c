/* Opening devices and files for the zero engine, so that it can work at full speed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devices.h"
#include "zero-target.h"

/* The kernel cuts large reads into requests of 1280 KiB.  Where each request is dear, as in an
 * emulated machine, larger ones save a third of the time; a disk that cannot is left as it is. */
static void
allow_large_requests (const struct call *c, const struct disk *disk)
{
  char most[32], now[32];
  unsigned long n;

  if (disk == NULL || disk->sysname == NULL
      || sysfs_read (c->d, most, sizeof most, "block/%s/queue/max_hw_sectors_kb", disk->sysname) == -1
      || sysfs_read (c->d, now, sizeof now, "block/%s/queue/max_sectors_kb", disk->sysname) == -1)
    return;
  n = strtoul (most, NULL, 10);
  if (n > WINDOW_MAX / 1024)
    n = WINDOW_MAX / 1024;
  snprintf (most, sizeof most, "%lu", n);
  if (n > strtoul (now, NULL, 10))
    sysfs_write (c->d, most, "block/%s/queue/max_sectors_kb", disk->sysname);
}

void
target_set_direct (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags != -1)
    fcntl (fd, F_SETFL, flags | O_DIRECT);
}

int
target_open (struct call *c, const struct device *dev, int flags, struct zero_target *t)
{
  const bool writing = (flags & O_ACCMODE) != O_RDONLY;

  *t = (struct zero_target) { .name = dev->name, .fd = -1, .buffered = -1, .start = device_start (c, dev) };
  t->fd = device_open (c, dev, flags);
  if (t->fd == -1 || device_geometry (c, dev, t->fd, &t->size, &t->block) == -1)
    return -1;
  if (writing && (t->buffered = device_open (c, dev, O_RDWR)) == -1)
    return -1;
  if (dev->disk != NULL && (dev->partnum > 0 || dev->path == dev->disk->path)) {
    t->cluster = dev->disk->cluster;
    t->raw = dev->disk->raw;
  }
  target_set_direct (t->fd);
  allow_large_requests (c, dev->disk);
  return 0;
}

void
target_close (struct zero_target *t)
{
  if (t->buffered >= 0)
    close (t->buffered);
  if (t->fd >= 0)
    close (t->fd);
}

void
target_allow_unmap (const struct call *c, const struct disk *disk)
{
  if (disk == NULL || disk->sysname == NULL)
    return;
  if (sysfs_write (c->d, "writesame_16_unmap", "class/scsi_disk/%d:%d:%d:%d/zeroing_mode",
                   disk->host, disk->channel, disk->target, disk->lun) == -1 && verbose)
    fprintf (stderr, "zerofishd: cannot set the zeroing mode of %s: %s; zeroing will not give space back\n",
             disk->path, strerror (errno));
}

int
target_next_data (const void *opaque, uint64_t from, uint64_t size, struct range *r)
{
  const int fd = *(const int *) opaque;
  off_t start = 0, end = 0;

  if (from >= size)
    return 0;
  start = lseek (fd, from, SEEK_DATA);
  if (start == -1 && errno == ENXIO)            /* a hole up to the end */
    return 0;
  if (start >= 0)
    end = lseek (fd, start, SEEK_HOLE);
  if ((start == -1 || end == -1) && errno != EINVAL && errno != EOPNOTSUPP)
    return -1;
  *r = (struct range) { from, size };
  if (start >= 0 && end >= 0)
    *r = (struct range) { start, (uint64_t) end < size ? (uint64_t) end : size };
  return r->start < r->end;
}

struct zero_pool *
target_pool (struct daemon *d)
{
  if (d->zero_pool == NULL)
    d->zero_pool = calloc (1, sizeof *d->zero_pool);
  return d->zero_pool;
}
