/* Actions on block devices: lists, properties, and bytes at an offset.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "devices.h"
#include "io.h"

char **
do_list_devices (struct call *c)
{
  struct list l = { 0 };

  for (size_t i = 0; i < c->d->nr_disks; i++) {
    const char *name = device_index_name (c, i);

    if (name == NULL || list_add (c, &l, name) == -1)
      return NULL;
  }
  return list_end (c, &l);
}

/* Numbers of a disk's partitions. */
struct numbers {
  int v[MAX_PARTNUM];
  size_t n;
};

static int
compare_numbers (const void *a, const void *b)
{
  return *(const int *) a - *(const int *) b;
}

/* Add the names of all partitions of disk INDEX. */
static int
list_partitions_of (struct call *c, struct list *l, size_t index)
{
  const char *disk = c->d->disks[index].sysname, *sysname;
  struct numbers *numbers = call_alloc (c, sizeof *numbers);
  const char *name = device_index_name (c, index);
  int partnum;
  DIR *dir;

  if (numbers == NULL || name == NULL)
    return -1;
  if (disk == NULL || (dir = sysfs_opendir (c->d, "class/block/%s", disk)) == NULL)
    return 0;
  while ((sysname = sysfs_next (dir)) != NULL)
    if ((partnum = sysfs_partnum (c->d, sysname)) > 0 && numbers->n < MAX_PARTNUM)
      numbers->v[numbers->n++] = partnum;
  closedir (dir);
  qsort (numbers->v, numbers->n, sizeof numbers->v[0], compare_numbers);
  for (size_t i = 0; i < numbers->n; i++) {
    char *partition = call_printf (c, "%s%d", name, numbers->v[i]);

    if (partition == NULL || list_add (c, l, partition) == -1)
      return -1;
  }
  return 0;
}

char **
do_list_partitions (struct call *c)
{
  struct list l = { 0 };

  for (size_t i = 0; i < c->d->nr_disks; i++)
    if (list_partitions_of (c, &l, i) == -1)
      return NULL;
  return list_end (c, &l);
}

int
do_nr_devices (struct call *c)
{
  return (int) c->d->nr_disks;
}

/* Size and logical block size of a device that is not open. */
static int
get_geometry (struct call *c, struct device *dev, uint64_t *size, unsigned *block)
{
  int fd = device_open (c, dev, O_RDONLY), r;

  if (fd == -1)
    return -1;
  r = device_geometry (c, dev, fd, size, block);
  close (fd);
  return r;
}

int64_t
do_blockdev_getsize64 (struct call *c, struct device *dev)
{
  uint64_t size;
  unsigned block;

  return get_geometry (c, dev, &size, &block) == -1 ? -1 : (int64_t) size;
}

int64_t
do_blockdev_getsz (struct call *c, struct device *dev)
{
  int64_t size = do_blockdev_getsize64 (c, dev);

  return size == -1 ? -1 : size / 512;
}

int
do_blockdev_getbsz (struct call *c, struct device *dev)
{
  int fd = device_open (c, dev, O_RDONLY), block = 0, r;

  if (fd == -1)
    return -1;
  /* A file that stands for a disk has no such size: what the kernel takes for most disks. */
  r = ioctl (fd, BLKBSZGET, &block) == 0 ? block : errno == ENOTTY ? 4096 :
    call_error (c, errno, "cannot get the block size of %s", dev->name);
  close (fd);
  return r;
}

int
do_blockdev_getss (struct call *c, struct device *dev)
{
  uint64_t size;
  unsigned block;

  return get_geometry (c, dev, &size, &block) == -1 ? -1 : (int) block;
}

/* ioctl REQUEST with *VALUE on a block device.  1 if the device is a file, which knows no such thing. */
static int
block_ioctl (struct call *c, struct device *dev, unsigned long request, int *value, const char *what)
{
  int fd = device_open (c, dev, O_RDONLY), r = 0;
  struct stat st;

  if (fd == -1)
    return -1;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    r = 1;
  else if (ioctl (fd, request, value) == -1)
    r = call_error (c, errno, "cannot %s of %s", what, dev->name);
  close (fd);
  return r;
}

int
do_blockdev_getro (struct call *c, struct device *dev)
{
  int value = 0, r = block_ioctl (c, dev, BLKROGET, &value, "get the read-only flag");

  if (r == -1)
    return -1;
  if (r == 1)
    value = dev->disk->setro;
  return value != 0 || dev->readonly;
}

static int
set_readonly (struct call *c, struct device *dev, int value)
{
  int r = block_ioctl (c, dev, BLKROSET, &value, "set the read-only flag");

  if (r == 1)
    dev->disk->setro = value != 0;
  return r == -1 ? -1 : 0;
}

int
do_blockdev_setro (struct call *c, struct device *dev)
{
  return set_readonly (c, dev, 1);
}

int
do_blockdev_setrw (struct call *c, struct device *dev)
{
  if (dev->readonly)
    return call_error (c, EROFS, "%s is on a drive that was added read-only", dev->name);
  return set_readonly (c, dev, 0);
}

int
do_blockdev_flushbufs (struct call *c, struct device *dev)
{
  return device_flush_caches (c, dev);
}

int
do_blockdev_rereadpt (struct call *c, struct device *dev)
{
  int fd;

  if (dev->partnum > 0)
    return call_refuse (c, EINVAL, "%s is a partition: name the whole disk", dev->name);
  /* Says by what it is in use, where it is. */
  if ((fd = device_open (c, dev, O_RDONLY | O_EXCL)) == -1)
    return -1;
  close (fd);
  return device_reread (c, dev);
}

char *
do_pread_device (struct call *c, struct device *dev, int count, int64_t offset, size_t *size_r)
{
  char *p = NULL;
  uint64_t size;
  unsigned block;
  int fd;

  if (device_write_back (c, dev, false) == -1 || (fd = device_open (c, dev, O_RDONLY | O_DIRECT)) == -1)
    return NULL;
  if (device_geometry (c, dev, fd, &size, &block) == 0)
    p = io_pread (c, dev->name, fd, block, count, offset, size_r);
  close (fd);
  return p;
}

/* Write all of CONTENT, which has to fit, and sync it. */
static int
write_within (struct call *c, struct device *dev, int fd, const char *content, size_t n, uint64_t offset)
{
  uint64_t size;
  unsigned block;
  char *aligned;

  if (device_geometry (c, dev, fd, &size, &block) == -1)
    return -1;
  if (offset > size || n > size - offset)
    return call_refuse (c, ENOSPC, "%s has only %" PRIu64 " bytes: %zu do not fit at offset %" PRIu64,
                        dev->name, size, n, offset);
  /* Past the cache, if whole blocks are written. */
  if (n > 0 && n % block == 0 && offset % block == 0) {
    if ((aligned = call_alloc_pages (c, n)) == NULL)
      return -1;
    content = memcpy (aligned, content, n);
    fcntl (fd, F_SETFL, O_DIRECT);
  }
  if (io_write (c, dev->name, fd, content, n, offset) == -1)
    return -1;
  if (fsync (fd) == -1)
    return call_error (c, errno, "cannot write %s at offset %" PRIu64, dev->name, offset);
  return 0;
}

int
do_pwrite_device (struct call *c, struct device *dev, const char *content, size_t content_size,
                  int64_t offset)
{
  int fd, r;

  if (io_check_offset (c, offset) == -1 || device_write_back (c, dev, true) == -1 ||
      (fd = device_open (c, dev, O_RDWR)) == -1)
    return -1;
  r = write_within (c, dev, fd, content, content_size, (uint64_t) offset);
  close (fd);
  if (device_write_back (c, dev, true) == -1 || r == -1 || device_reread (c, dev) == -1)
    return -1;
  return (int) content_size;
}
