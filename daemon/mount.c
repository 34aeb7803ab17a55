/* Mounting the user's filesystems below the sysroot, and taking them down.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "devices.h"
#include "io.h"
#include "mounts.h"

enum { PROBE_SIZE = 68 * 1024 };

static bool
has (const unsigned char *p, size_t offset, const char *magic)
{
  return memcmp (p + offset, magic, strlen (magic)) == 0;
}

/* The driver for the filesystem that begins with these PROBE_SIZE bytes, or NULL.  Only a hint on what to try
 * first: every driver checks for itself. */
static const char *
guess_type (const unsigned char *p)
{
  if (p[0x438] == 0x53 && p[0x439] == 0xef)
    return "ext4";
  if (has (p, 0, "XFSB"))
    return "xfs";
  if (has (p, 0x10040, "_BHRfS_M"))
    return "btrfs";
  if (has (p, 0x8001, "CD001"))
    return "iso9660";
  if (has (p, 3, "NTFS    "))
    return "ntfs3";
  if (p[510] == 0x55 && p[511] == 0xaa && (has (p, 0x36, "FAT") || has (p, 0x52, "FAT32")))
    return "vfat";
  return NULL;
}

static const char *
probe_type (struct call *c, const struct device *dev)
{
  unsigned char *p = call_alloc (c, PROBE_SIZE);
  const char *type = NULL;
  int fd;

  if (p == NULL || (fd = device_open (c, dev, O_RDONLY)) == -1)
    return NULL;
  if (io_read (c, dev->name, fd, p, PROBE_SIZE, 0) != -1)
    type = guess_type (p);
  close (fd);
  return type;
}

struct attempt {
  const char *source, *target;
  unsigned long flags;
  const char *data;
};

/* Try every filesystem that the kernel knows and that needs a device; 0, or -1 with errno (EINVAL: none). */
static int
try_all_types (const struct attempt *a)
{
  FILE *fp = fopen ("/proc/filesystems", "re");
  char line[128];
  int r = -1;

  if (fp == NULL)
    return -1;
  errno = EINVAL;
  while (r == -1 && errno == EINVAL && fgets (line, sizeof line, fp) != NULL) {
    line[strcspn (line, "\n")] = '\0';
    if (line[0] == '\t')
      r = mount (a->source, a->target, line + 1, a->flags, a->data);
    else
      errno = EINVAL;
  }
  fclose (fp);
  return r;
}

/* The kernel would not mount it: say what that means. */
static int
mount_error (struct call *c, const struct device *dev, const char *mountpoint, const char *type, int err)
{
  struct stat st;
  const struct mount_entry *m = NULL;

  if (err == ENODEV && type != NULL)
    return call_refuse (c, ENOTSUP, "cannot mount %s: the appliance has no driver for %s", dev->name, type);
  if (err == EINVAL && type == NULL)
    return call_refuse (c, EINVAL, "cannot mount %s: no known filesystem is on it", dev->name);
  if (err == EINVAL)
    return call_refuse (c, EINVAL, "cannot mount %s: its %s filesystem is damaged, or of a form that the "
                        "kernel does not take", dev->name, type);
  if (err == EACCES || err == EROFS)
    return call_error (c, EROFS, "cannot mount %s for writing: it is set read-only", dev->name);
  if (err == EBUSY && stat (dev->path, &st) == 0)
    m = mounts_find (mounts_read (c), st.st_rdev, dev->path);
  if (m != NULL)
    return call_refuse (c, EBUSY, "cannot mount %s on %s: it is mounted on %s", dev->name, mountpoint,
                        m->inside);
  return call_error (c, err, "cannot mount %s on %s", dev->name, mountpoint);
}

/* Mount on the directory that TARGET names. */
static int
mount_at (struct call *c, struct mountable *m, const char *mountpoint, const char *target,
          unsigned long flags)
{
  struct attempt a = { .source = m->dev->path, .target = target, .flags = flags, .data = "" };
  const char *type = probe_type (c, m->dev), *data;

  if (c->error != NULL)
    return -1;
  if (m->volume != NULL) {
    type = "btrfs";
    if (strchr (m->volume, ',') != NULL)
      return call_refuse (c, EINVAL, "the volume name %s holds a comma, which cannot be mounted", m->volume);
    if ((a.data = call_printf (c, "subvol=%s", m->volume)) == NULL)
      return -1;
  }
  /* Without this option ext4 goes on to write zeroes to all of its inode tables, and the image grows. */
  data = type != NULL && strcmp (type, "ext4") == 0 ? "noinit_itable" : a.data;
  if (type != NULL && mount (a.source, target, type, flags, data) == 0)
    return 0;
  if (type != NULL && (m->volume != NULL || errno != EINVAL))
    return mount_error (c, m->dev, mountpoint, type, errno);
  if (try_all_types (&a) == 0)
    return 0;
  return mount_error (c, m->dev, mountpoint, type, errno);
}

static int
mount_device (struct call *c, struct mountable *m, const char *mountpoint, unsigned long flags)
{
  char target[32];
  int fd, r;

  flags |= MS_NODEV | MS_NOSUID;
  if (!c->d->appliance)
    return call_refuse (c, ENOTSUP, "cannot mount %s: this daemon does not run in an appliance",
                        m->dev->name);
  if (mountpoint[0] != '/')
    return call_refuse (c, EINVAL, "%s: a mount point has to start with /", mountpoint);
  if (device_flush_caches (c, m->dev) == -1)
    return -1;
  if (mountpoint[strspn (mountpoint, "/")] == '\0')
    return mount_at (c, m, mountpoint, c->d->sysroot, flags);
  if (path_check (c, mountpoint) == NULL ||
      (fd = sysroot_open (c, mountpoint, O_PATH | O_DIRECTORY, 0)) == -1)
    return -1;
  snprintf (target, sizeof target, "/proc/self/fd/%d", fd);
  r = mount_at (c, m, mountpoint, target, flags);
  close (fd);
  return r;
}

int
do_mount (struct call *c, struct mountable *m, const char *mountpoint)
{
  return mount_device (c, m, mountpoint, 0);
}

int
do_mount_ro (struct call *c, struct mountable *m, const char *mountpoint)
{
  return mount_device (c, m, mountpoint, MS_RDONLY);
}

/* The mount that lies on PATH, or NULL with the error set.  Nothing below it stays open. */
static const struct mount_entry *
find_by_path (struct call *c, const char *path)
{
  const struct mount_entry *found = NULL;
  char link[32], where[4096];
  ssize_t n;
  int fd = sysroot_open (c, path, O_PATH, 0);

  if (fd == -1)
    return NULL;
  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  n = readlink (link, where, sizeof where - 1);
  close (fd);
  where[n > 0 ? n : 0] = '\0';
  for (const struct mount_entry *m = mounts_read (c); m != NULL; m = m->next)
    if (strcmp (m->where, where) == 0)
      found = m;
  if (found == NULL)
    call_refuse (c, EINVAL, "%s is not a mount point", path);
  return found;
}

static const struct mount_entry *
find_by_device (struct call *c, const struct device *dev)
{
  const struct mount_entry *m = NULL;
  struct stat st;

  if (stat (dev->path, &st) == 0)
    m = mounts_find (mounts_read (c), S_ISBLK (st.st_mode) ? st.st_rdev : 0, dev->path);
  if (m == NULL)
    call_refuse (c, EINVAL, "%s is not mounted", dev->name);
  return m;
}

/* What the filesystem wrote last goes from its disk's own cache to where it stays. */
static int
flush_source (struct call *c, const struct mount_entry *m)
{
  int fd = open (m->source, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r = 0;

  if (fd == -1)
    return 0;               /* no device of that name: there is nothing to flush */
  if (fsync (fd) == -1)
    r = call_error (c, errno, "cannot write all of %s", device_text_out (c, m->source));
  close (fd);
  return r;
}

/* Take one mount down. */
static int
unmount (struct call *c, const struct mount_entry *m, int flags)
{
  size_t n = strlen (m->where);

  if (umount2 (m->where, flags | UMOUNT_NOFOLLOW) == 0)
    return flush_source (c, m);
  if (errno == EBUSY)
    for (const struct mount_entry *o = mounts_read (c); o != NULL; o = o->next)
      if (strncmp (o->where, m->where, n) == 0 && o->where[n] == '/')
        return call_refuse (c, EBUSY, "cannot unmount %s: %s is mounted below it", m->inside, o->inside);
  return call_error (c, errno, "cannot unmount %s", m->inside);
}

int
do_umount (struct call *c, struct device_or_path *pathordevice, const struct zf_umount_opts *opts)
{
  const uint64_t given = opts ? opts->bitmask : 0;
  const struct mount_entry *m;
  int flags = 0;

  if ((given & ZF_UMOUNT_OPTS_FORCE) && opts->force)
    flags |= MNT_FORCE;
  if ((given & ZF_UMOUNT_OPTS_LAZYUNMOUNT) && opts->lazyunmount)
    flags |= MNT_DETACH;
  m = pathordevice->dev ? find_by_device (c, pathordevice->dev) : find_by_path (c, pathordevice->path);
  return m ? unmount (c, m, flags) : -1;
}

/* Last mounted first. */
static int
unmount_reversed (struct call *c, const struct mount_entry *m)
{
  if (m == NULL)
    return 0;
  if (unmount_reversed (c, m->next) == -1)
    return -1;
  return unmount (c, m, 0);
}

int
do_umount_all (struct call *c)
{
  return unmount_reversed (c, mounts_read (c));
}

char **
do_mounts (struct call *c)
{
  struct list l = { 0 };

  for (const struct mount_entry *m = mounts_read (c); m != NULL; m = m->next) {
    const char *name = device_name_out (c, m->source);

    if (name != NULL && list_add (c, &l, name) == -1)
      return NULL;
  }
  return list_end (c, &l);
}
