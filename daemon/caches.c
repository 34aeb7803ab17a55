/* Keeping the page caches of a disk, its partitions and its volumes in step, and partition nodes up to date.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "devices.h"

enum { NODES_TIMEOUT_MS = 5000 };

struct flush {
  struct call *c;
  enum { FSYNC = 1, WRITE_BACK = 2, DROP = 4 } how;
};

/* Write back, or drop, the cache of one node.  One that has just gone needs nothing. */
static int
flush_node (void *opaque, const char *sysname)
{
  struct flush *f = opaque;
  char path[SYSNAME_MAX + 8];
  int fd, r = 0;

  snprintf (path, sizeof path, "/dev/%s", sysname);
  if ((fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
    return 0;
  if (((f->how & FSYNC) && fsync (fd) == -1) ||
      ((f->how & WRITE_BACK) && sync_file_range (fd, 0, 0, SYNC_FILE_RANGE_WRITE_AND_WAIT) == -1))
    r = call_error (f->c, errno, "cannot flush %s", device_text_out (f->c, path));
  if ((f->how & DROP) && ioctl (fd, BLKFLSBUF, 0) == -1 && errno != ENOTTY)
    r = call_error (f->c, errno, "cannot drop the cache of %s", device_text_out (f->c, path));
  close (fd);
  return r;
}

/* Files as devices have one cache only, which all share. */
static int
flush_file (struct call *c, const struct disk *disk)
{
  int fd = open (disk->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  int r = 0;

  if (fd == -1)
    return call_error (c, errno, "cannot open %s", device_text_out (c, disk->path));
  if (fdatasync (fd) == -1 && errno != EINVAL)
    r = call_error (c, errno, "cannot flush %s", device_text_out (c, disk->path));
  close (fd);
  return r;
}

/* Which disks the device lies on: all of them for a volume over several. */
static bool *
disks_of (struct call *c, const struct device *dev)
{
  bool *used = call_alloc (c, (c->d->nr_disks + 1) * sizeof *used);
  char sysname[SYSNAME_MAX];
  struct stat st;

  if (used == NULL)
    return NULL;
  if (dev->disk != NULL)
    used[dev->disk - c->d->disks] = true;
  else if (stat (dev->path, &st) == 0 && sysfs_name_of (c->d, st.st_rdev, sysname))
    devices_below (c->d, sysname, used);
  return used;
}

/* Do what HOWS says with the disks that are marked in USED, one walk over their nodes for each. */
static int
flush (struct call *c, const bool *used, const int *hows, size_t nr_hows)
{
  bool blocks = false;

  for (size_t i = 0; i < c->d->nr_disks; i++)
    blocks |= used[i] && c->d->disks[i].sysname != NULL;
  if (blocks && sysroot_mounted (c->d))
    sync ();                /* filesystems write through any of the nodes */
  for (size_t k = 0; k < nr_hows; k++) {
    struct flush f = { .c = c, .how = hows[k] };

    for (size_t i = 0; i < c->d->nr_disks; i++) {
      struct disk *disk = &c->d->disks[i];

      if (used[i] && disk->sysname != NULL && sysfs_walk (c->d, disk->sysname, flush_node, &f) != 0)
        return -1;
      if (used[i] && disk->sysname == NULL && (hows[k] & FSYNC) && flush_file (c, disk) == -1)
        return -1;
    }
  }
  return 0;
}

/* Rule 8: all is written before the first is dropped. */
static const int all[] = { FSYNC, DROP };

int
device_flush_caches (struct call *c, const struct device *dev)
{
  const bool *used = disks_of (c, dev);

  return used ? flush (c, used, all, 2) : -1;
}

int
devices_flush_all (struct call *c)
{
  bool *used = call_alloc (c, (c->d->nr_disks + 1) * sizeof *used);

  if (used == NULL)
    return -1;
  memset (used, true, c->d->nr_disks * sizeof *used);
  return flush (c, used, all, 2);
}

int
device_write_back (struct call *c, const struct device *dev, bool drop)
{
  const bool *used = disks_of (c, dev);
  const int how = drop ? WRITE_BACK | DROP : WRITE_BACK;

  return used ? flush (c, used, &how, 1) : -1;
}

/* Does the node of SYSNAME exist and have the number that sysfs gives? */
static int
check_node (void *opaque, const char *sysname)
{
  const struct daemon *d = opaque;
  char path[SYSNAME_MAX + 8], text[32];
  unsigned maj, min;
  struct stat st;

  if (sysfs_read (d, text, sizeof text, "class/block/%s/dev", sysname) == -1 ||
      sscanf (text, "%u:%u", &maj, &min) != 2)
    return 1;
  if (strncmp (sysname, "dm-", 3) == 0)
    return 0;
  snprintf (path, sizeof path, "/dev/%s", sysname);
  return stat (path, &st) == 0 && S_ISBLK (st.st_mode) && st.st_rdev == makedev (maj, min) ? 0 : 1;
}

int
device_reread (struct call *c, const struct device *dev)
{
  const struct timespec pause = { .tv_nsec = 5 * 1000 * 1000 };
  int fd;

  if (dev->partnum > 0 || dev->disk == NULL || dev->disk->sysname == NULL ||
      strcmp (dev->path, dev->disk->path) != 0)
    return 0;
  if ((fd = open (dev->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) == -1)
    return call_error (c, errno, "cannot open %s", dev->name);
  /* EBUSY: a partition is in use, and the kernel keeps the nodes as they are; EINVAL: it cannot have any. */
  if (ioctl (fd, BLKRRPART, 0) == -1 && errno != EBUSY && errno != EINVAL) {
    call_error (c, errno, "cannot read the partition table of %s again", dev->name);
    close (fd);
    return -1;
  }
  close (fd);
  for (int waited = 0; sysfs_walk (c->d, dev->disk->sysname, check_node, c->d) != 0; waited += 5) {
    if (waited >= NODES_TIMEOUT_MS)
      return call_refuse (c, ETIMEDOUT, "the partitions of %s did not appear within %d s", dev->name,
                          NODES_TIMEOUT_MS / 1000);
    nanosleep (&pause, NULL);
  }
  return 0;
}
