/* Opening devices, and saying what keeps one from being opened.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "devices.h"
#include "mounts.h"

/* Looks for what uses a device: first mounts, then holders. */
struct user {
  struct call *c;
  const struct mount_entry *mounts;
  const char *first;        /* where the walk began */
  const char *text;         /* the answer */
};

static int
find_user (void *opaque, const char *sysname)
{
  struct user *u = opaque;
  const struct mount_entry *m = mounts_find_block (u->c, u->mounts, sysname);
  const char *path = call_printf (u->c, "/dev/%s", sysname), *name;

  if (path == NULL)
    return 0;
  name = device_name_out (u->c, path);
  if (m != NULL && strcmp (sysname, u->first) == 0)
    u->text = call_printf (u->c, "it is mounted on %s", m->inside);
  else if (m != NULL)
    u->text = call_printf (u->c, "%s is mounted on %s", name ? name : path, m->inside);
  else if (strcmp (sysname, u->first) != 0 && sysfs_partnum (u->c->d, sysname) == 0)
    u->text = call_printf (u->c, "it is held by %s", name ? name : path);
  return u->text != NULL;
}

/* What keeps the device busy, never NULL but without memory. */
static const char *
in_use_by (struct call *c, const struct device *dev, dev_t rdev)
{
  char sysname[SYSNAME_MAX];
  struct user u = { .c = c, .first = sysname };

  if (sysfs_name_of (c->d, rdev, sysname)) {
    u.mounts = mounts_read (c);
    sysfs_walk (c->d, sysname, find_user, &u);
    if (u.text == NULL && dev->partnum > 0 && dev->disk->sysname != NULL)
      u.text = "its whole disk is in use";
  }
  return u.text ? u.text : "another program has it open";
}

/* open failed with ERR. */
static int
open_error (struct call *c, const struct device *dev, int err)
{
  struct stat st;
  bool block = stat (dev->path, &st) == 0 && S_ISBLK (st.st_mode);

  if (err == EBUSY && block)
    return call_refuse (c, EBUSY, "%s is busy: %s", dev->name, in_use_by (c, dev, st.st_rdev));
  if ((err == EACCES || err == EPERM || err == EROFS) && block)
    return call_error (c, EROFS, "%s is set read-only", dev->name);
  return call_error (c, err, "cannot open %s", dev->name);
}

/* Is the open device a block device that blockdev_setro, or its drive, made read-only?  The kernel opens it
 * for writing all the same, and complains later with less clear words. */
static bool
is_set_readonly (int fd)
{
  int ro = 0;

  return ioctl (fd, BLKROGET, &ro) == 0 && ro;
}

int
device_open (struct call *c, const struct device *dev, int flags)
{
  bool writes = (flags & O_ACCMODE) != O_RDONLY;
  int fd;

  if (writes && dev->readonly)
    return call_error (c, EROFS, "%s is on a drive that was added read-only", dev->name);
  if (writes && dev->disk != NULL && dev->disk->setro)
    return call_error (c, EROFS, "%s is set read-only", dev->name);
  fd = open (dev->path, flags | O_CLOEXEC | O_NOCTTY);
  /* Some filesystems, for files as devices, know no direct access. */
  if (fd == -1 && errno == EINVAL && (flags & O_DIRECT))
    fd = open (dev->path, (flags & ~O_DIRECT) | O_CLOEXEC | O_NOCTTY);
  if (fd == -1)
    return open_error (c, dev, errno);
  if (writes && is_set_readonly (fd)) {
    close (fd);
    return call_error (c, EROFS, "%s is set read-only", dev->name);
  }
  return fd;
}

int
device_geometry (struct call *c, const struct device *dev, int fd, uint64_t *size, unsigned *block)
{
  struct stat st;
  int n;

  if (fstat (fd, &st) == -1)
    return call_error (c, errno, "cannot get the size of %s", dev->name);
  if (S_ISREG (st.st_mode)) {
    *size = (uint64_t) st.st_size;
    *block = dev->disk != NULL && dev->disk->block > 0 ? dev->disk->block : 512;
    return 0;
  }
  if (ioctl (fd, BLKGETSIZE64, size) == -1 || ioctl (fd, BLKSSZGET, &n) == -1 || n <= 0)
    return call_error (c, errno, "cannot get the size of %s", dev->name);
  *block = (unsigned) n;
  return 0;
}

uint64_t
device_start (const struct call *c, const struct device *dev)
{
  const char *base = strrchr (dev->path, '/');
  char sectors[32];

  if (dev->partnum == 0 || dev->disk == NULL || dev->disk->sysname == NULL || base == NULL
      || sysfs_read (c->d, sectors, sizeof sectors, "class/block/%s/start", base + 1) == -1)
    return 0;
  return strtoull (sectors, NULL, 10) * 512;
}
