/* Action zero_free_space: by the list of free extents where the filesystem has one, else by filling it up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "actions.h"
#include "free-space.h"
#include "mounts.h"

/* The device that the filesystem with the open directory FS->fd is on. */
static struct device *
device_of (struct call *c, const struct filesystem *fs)
{
  const struct mount_entry *m;
  const char *name;
  struct stat st;

  if (fstat (fs->fd, &st) == -1) {
    call_error (c, errno, "%s", fs->path);
    return NULL;
  }
  m = mounts_find (mounts_read (c), st.st_dev, NULL);
  name = m != NULL ? device_name_out (c, m->source) : NULL;
  if (name == NULL) {
    call_refuse (c, ENOTSUP, "%s: its filesystem is not on a device of the appliance", fs->path);
    return NULL;
  }
  return device_resolve (c, name, ROW_DESTRUCTIVE);
}

/* Does the filesystem keep a list of its extents that says truly where on the device they are? */
static bool
may_list_extents (const struct filesystem *fs)
{
  struct statfs st;

  return fstatfs (fs->fd, &st) == 0 && (st.f_type == EXT4_SUPER_MAGIC || st.f_type == XFS_SUPER_MAGIC);
}

static int
zero_free_space (struct call *c, struct filesystem *fs)
{
  struct statvfs st;
  int r = 1;

  if (fstatvfs (fs->fd, &st) == -1)
    return call_error (c, errno, "%s", fs->path);
  if (st.f_flag & ST_RDONLY)
    return call_error (c, EROFS, "the filesystem at %s is mounted read-only", fs->path);
  if ((fs->dev = device_of (c, fs)) == NULL)
    return -1;
  if (may_list_extents (fs))
    r = free_extents_zero (c, fs);
  if (r == 1)
    r = fill_space (c, fs);
  /* Other nodes of the disk have their own caches of what was free. */
  if (device_flush_caches (c, fs->dev) == -1)
    r = -1;
  return r == 0 ? call_progress (c, 1, 1) : r;
}

int
do_zero_free_space (struct call *c, const char *directory)
{
  struct filesystem fs = { .path = directory };
  int r;

  if ((fs.fd = sysroot_open (c, directory, O_RDONLY | O_DIRECTORY, 0)) == -1)
    return -1;
  r = zero_free_space (c, &fs);
  close (fs.fd);
  return r;
}
