/* Device arguments: a user's disk, a partition or volume on one, and nothing else; and the way back to names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "devices.h"

static bool
below (const struct daemon *d, const char *sysname, bool *used, int depth)
{
  char disk[SYSNAME_MAX];
  const char *slave;
  bool found = false, all = true;
  DIR *dir;

  if (depth > 16)
    return false;
  if (sysfs_partition_of (d, sysname, disk))
    return below (d, disk, used, depth + 1);
  for (size_t i = 0; i < d->nr_disks; i++)
    if (d->disks[i].sysname != NULL && strcmp (d->disks[i].sysname, sysname) == 0)
      return used[i] = true;
  if ((dir = sysfs_opendir (d, "class/block/%s/slaves", sysname)) == NULL)
    return false;
  while (all && (slave = sysfs_next (dir)) != NULL)
    found = all = below (d, slave, used, depth + 1);
  closedir (dir);
  return found && all;
}

bool
devices_below (const struct daemon *d, const char *sysname, bool *used)
{
  return below (d, sysname, used, 0);
}

char *
device_index_name (struct call *c, size_t index)
{
  char letters[16];

  device_letters (index, letters);
  return call_printf (c, "/dev/sd%s", letters);
}

/* There is no disk INDEX: say which there are. */
static struct device *
no_such_disk (struct call *c, const char *name)
{
  size_t n = c->d->nr_disks;

  if (n == 0)
    call_refuse (c, ENOENT, "%s: there is no such device: no drive was added", name);
  else if (n == 1)
    call_refuse (c, ENOENT, "%s: there is no such device: the only disk is /dev/sda", name);
  else
    call_refuse (c, ENOENT, "%s: there is no such device: the disks are /dev/sda to %s", name,
                 device_index_name (c, n - 1));
  return NULL;
}

/* A disk or partition given by index and number. */
static struct device *
find_disk (struct call *c, const char *name, size_t index, int partnum)
{
  struct device *dev = call_alloc (c, sizeof *dev);
  char sysname[SYSNAME_MAX];
  const char *disk_name;
  struct disk *disk;

  if (dev == NULL)
    return NULL;
  if (index >= c->d->nr_disks)
    return no_such_disk (c, name);
  disk = &c->d->disks[index];
  disk_name = device_index_name (c, index);
  *dev = (struct device) {
    .name = disk_name, .path = disk->path, .disk = disk, .partnum = partnum,
    .readonly = disk->readonly, .discard = disk->discard,
  };
  if (partnum > 0) {
    if (disk->sysname == NULL || !sysfs_find_partition (c->d, disk->sysname, partnum, sysname)) {
      call_refuse (c, ENOENT, "%s%d: there is no such device: %s has no partition %d", disk_name, partnum,
                   disk_name, partnum);
      return NULL;
    }
    dev->name = call_printf (c, "%s%d", disk_name, partnum);
    dev->path = call_printf (c, "/dev/%s", sysname);
  }
  return dev->name != NULL && dev->path != NULL ? dev : NULL;
}

/* What USED (of devices_below) means for the device. */
static void
set_disks (struct call *c, struct device *dev, const bool *used)
{
  size_t count = 0;

  dev->discard = true;
  for (size_t i = 0; i < c->d->nr_disks; i++) {
    if (!used[i])
      continue;
    dev->disk = &c->d->disks[i];
    dev->readonly |= dev->disk->readonly;
    dev->discard &= dev->disk->discard;
    count++;
  }
  if (count > 1)
    dev->disk = NULL;
}

/* Anything else that is a block device on top of user disks only: volumes, mappings, arrays. */
static struct device *
find_volume (struct call *c, const char *name)
{
  struct device *dev = call_alloc (c, sizeof *dev);
  bool *used = call_alloc (c, (c->d->nr_disks + 1) * sizeof *used);
  char sysname[SYSNAME_MAX];
  struct stat st;

  if (dev == NULL || used == NULL)
    return NULL;
  if (stat (name, &st) == -1) {
    call_error (c, errno, "%s", name);
    return NULL;
  }
  if (!S_ISBLK (st.st_mode)) {
    call_refuse (c, ENOTBLK, "%s is not a block device", name);
    return NULL;
  }
  if (!sysfs_name_of (c->d, st.st_rdev, sysname) || sysfs_partnum (c->d, sysname) > 0 ||
      !devices_below (c->d, sysname, used)) {
    call_refuse (c, ENODEV, "%s is not one of the disks that were added, nor lies on them", name);
    return NULL;
  }
  set_disks (c, dev, used);
  dev->name = dev->path = call_strdup (c, name);
  return dev->name ? dev : NULL;
}

static struct device *
find_device (struct call *c, const char *name)
{
  size_t index, n;
  int partnum;

  if (name[0] == '\0') {
    call_refuse (c, EINVAL, "the name of the device is empty");
    return NULL;
  }
  if (!device_name_is_plain (name)) {
    call_refuse (c, EINVAL, "%s is not a device name like /dev/sda, /dev/sda1 or /dev/VG/LV", name);
    return NULL;
  }
  n = device_name_parse (name, &index, &partnum);
  if (n > 0 && name[n] == '\0')
    return find_disk (c, name, index, partnum);
  return find_volume (c, name);
}

struct device *
device_resolve (struct call *c, const char *name, unsigned flags)
{
  struct device *dev = find_device (c, name);

  if (dev != NULL && (flags & ROW_DESTRUCTIVE) && dev->readonly) {
    call_error (c, EROFS, "%s is on a drive that was added read-only", dev->name);
    return NULL;
  }
  return dev;
}

/* Where the device ends in "/dev/sda1/VOL" or "/dev/VG/LV/VOL"; NULL if there is no volume. */
static const char *
end_of_device (const char *name)
{
  size_t index, n = strncmp (name, "/dev/", 5) == 0 ? 5 : 0;
  int partnum;

  if (device_name_parse (name, &index, &partnum) > 0)
    return strchr (name + n, '/');
  for (int i = 0; i < 2 && name != NULL; i++, n = 1)
    name = strchr (name + n, '/');
  return name;
}

struct mountable *
mountable_resolve (struct call *c, const char *name, unsigned flags)
{
  static const char prefix[] = "btrfsvol:";
  struct mountable *m = call_alloc (c, sizeof *m);
  const char *end;

  if (m == NULL)
    return NULL;
  if (strncmp (name, prefix, strlen (prefix)) == 0) {
    name += strlen (prefix);
    end = end_of_device (name);
    if (end == NULL || end[1] == '\0') {
      call_refuse (c, EINVAL, "btrfsvol:%s: it has to be like btrfsvol:/dev/sda1/VOLUME", name);
      return NULL;
    }
    m->volume = call_strdup (c, end + 1);
    name = call_printf (c, "%.*s", (int) (end - name), name);
    if (m->volume == NULL || name == NULL)
      return NULL;
  }
  m->dev = device_resolve (c, name, flags);
  return m->dev ? m : NULL;
}

struct device_or_path *
device_or_path_resolve (struct call *c, const char *name, unsigned flags)
{
  struct device_or_path *dp = call_alloc (c, sizeof *dp);

  if (dp == NULL)
    return NULL;
  if (strncmp (name, "/dev/", 5) == 0)
    dp->dev = device_resolve (c, name, flags);
  else
    dp->path = path_check (c, name);
  return dp->dev || dp->path ? dp : NULL;
}

/* The disk whose own path or kernel name this is, or NULL. */
static struct disk *
disk_of_path (const struct daemon *d, const char *path, const char *sysname)
{
  for (size_t i = 0; i < d->nr_disks; i++)
    if (strcmp (d->disks[i].path, path) == 0 ||
        (sysname != NULL && d->disks[i].sysname != NULL && strcmp (d->disks[i].sysname, sysname) == 0))
      return &d->disks[i];
  return NULL;
}

/* The same for volumes, whose nodes have many names: "/dev/mapper/NAME" for dm-N, else as they are. */
static const char *
volume_name_out (struct call *c, const char *path, const char *sysname)
{
  bool *used = call_alloc (c, (c->d->nr_disks + 1) * sizeof *used);
  char name[256];
  struct stat st;
  char real[SYSNAME_MAX];

  if (used == NULL)
    return NULL;
  if (stat (path, &st) == 0 && S_ISBLK (st.st_mode) && sysfs_name_of (c->d, st.st_rdev, real))
    sysname = real;
  if (!devices_below (c->d, sysname, used))
    return NULL;
  if (strncmp (path, "/dev/dm-", 8) == 0 &&
      sysfs_read (c->d, name, sizeof name, "class/block/%s/dm/name", sysname) == 0 && name[0] != '\0')
    return call_printf (c, "/dev/mapper/%s", name);
  return call_strdup (c, path);
}

const char *
device_name_out (struct call *c, const char *path)
{
  const char *sysname = strncmp (path, "/dev/", 5) == 0 ? path + 5 : NULL;
  char parent[SYSNAME_MAX];
  struct disk *disk = disk_of_path (c->d, path, sysname);

  if (disk != NULL)
    return device_index_name (c, (size_t) (disk - c->d->disks));
  if (sysname == NULL)
    return NULL;
  if (sysfs_partition_of (c->d, sysname, parent)) {
    disk = disk_of_path (c->d, "", parent);
    return disk ? call_printf (c, "%s%d", device_index_name (c, (size_t) (disk - c->d->disks)),
                               sysfs_partnum (c->d, sysname)) : NULL;
  }
  return volume_name_out (c, path, sysname);
}

/* Length of the path at the start of TEXT that is to become *NAME; 0 if none is. */
static size_t
text_path (struct call *c, const char *text, const char **name)
{
  size_t n;

  for (size_t i = 0; i < c->d->nr_disks; i++) {
    n = strlen (c->d->disks[i].path);
    if (c->d->disks[i].sysname == NULL && strncmp (text, c->d->disks[i].path, n) == 0) {
      *name = device_index_name (c, i);
      return n;
    }
  }
  if (strncmp (text, "/dev/", 5) != 0)
    return 0;
  n = 5 + strspn (text + 5, "abcdefghijklmnopqrstuvwxyz0123456789");
  *name = n < SYSNAME_MAX ? device_name_out (c, call_printf (c, "%.*s", (int) n, text)) : NULL;
  return *name ? n : 0;
}

char *
device_text_out (struct call *c, const char *text)
{
  char *result = call_strdup (c, ""), *next;
  const char *name, *start = text;
  size_t n;

  while (result != NULL && *text != '\0') {
    name = NULL;
    if (*text != '/' || (n = text_path (c, text, &name)) == 0) {
      text++;
      continue;
    }
    next = call_printf (c, "%s%.*s%s", result, (int) (text - start), start, name ? name : "");
    start = text += n;
    result = next;
  }
  return result ? call_printf (c, "%s%s", result, start) : NULL;
}
