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

/* What the user asks for beside device and directory. */
struct wish {
  unsigned long flags;
  const char *data;         /* options of the filesystem itself */
  const char *type;         /* NULL: find out */
};

/* DATA with one more option behind it. */
static const char *
add_option (struct call *c, const char *data, const char *option)
{
  return data[0] != '\0' ? call_printf (c, "%s,%s", data, option) : option;
}

/* Mount on the directory that TARGET names. */
static int
mount_at (struct call *c, struct mountable *m, const char *mountpoint, const char *target,
          const struct wish *wish)
{
  struct attempt a = { .source = m->dev->path, .target = target, .flags = wish->flags, .data = wish->data };
  const char *type = wish->type ? wish->type : probe_type (c, m->dev), *data;
  bool sure = m->volume != NULL || wish->type != NULL;

  if (c->error != NULL)
    return -1;
  if (m->volume != NULL) {
    type = "btrfs";
    if (strchr (m->volume, ',') != NULL)
      return call_refuse (c, EINVAL, "the volume name %s holds a comma, which cannot be mounted", m->volume);
    a.data = add_option (c, a.data, call_printf (c, "subvol=%s", m->volume));
  }
  /* Without this option ext4 goes on to write zeroes to all of its inode tables, and the image grows. */
  data = type != NULL && strcmp (type, "ext4") == 0 ? add_option (c, a.data, "noinit_itable") : a.data;
  if (data == NULL || a.data == NULL)
    return -1;
  if (type != NULL && mount (a.source, target, type, a.flags, data) == 0)
    return 0;
  if (type != NULL && (sure || errno != EINVAL))
    return mount_error (c, m->dev, mountpoint, type, errno);
  if (try_all_types (&a) == 0)
    return 0;
  return mount_error (c, m->dev, mountpoint, type, errno);
}

static int
mount_device (struct call *c, struct mountable *m, const char *mountpoint, const struct wish *wish)
{
  char target[32];
  int fd, r;

  if (!c->d->appliance)
    return call_refuse (c, ENOTSUP, "cannot mount %s: this daemon does not run in an appliance",
                        m->dev->name);
  if (mountpoint[0] != '/')
    return call_refuse (c, EINVAL, "%s: a mount point has to start with /", mountpoint);
  if (device_flush_caches (c, m->dev) == -1)
    return -1;
  if (mountpoint[strspn (mountpoint, "/")] == '\0')
    return mount_at (c, m, mountpoint, c->d->sysroot, wish);
  if (path_check (c, mountpoint) == NULL ||
      (fd = sysroot_open (c, mountpoint, O_PATH | O_DIRECTORY, 0)) == -1)
    return -1;
  snprintf (target, sizeof target, "/proc/self/fd/%d", fd);
  r = mount_at (c, m, mountpoint, target, wish);
  close (fd);
  return r;
}

/* Nothing that a guest made is run with its rights, or opened as a device: not to be turned off. */
#define ALWAYS (MS_NODEV | MS_NOSUID)

int
do_mount (struct call *c, struct mountable *m, const char *mountpoint)
{
  return mount_device (c, m, mountpoint, &(struct wish) { .flags = ALWAYS, .data = "" });
}

int
do_mount_ro (struct call *c, struct mountable *m, const char *mountpoint)
{
  return mount_device (c, m, mountpoint, &(struct wish) { .flags = ALWAYS | MS_RDONLY, .data = "" });
}

/* Options that are flags of the kernel's call, the same for all filesystems. */
static const struct {
  const char *name;
  unsigned long set, clear;
} vfs_options[] = {
  { "defaults", 0, 0 }, { "ro", MS_RDONLY, 0 }, { "rw", 0, MS_RDONLY },
  { "sync", MS_SYNCHRONOUS, 0 }, { "async", 0, MS_SYNCHRONOUS }, { "dirsync", MS_DIRSYNC, 0 },
  { "noatime", MS_NOATIME, 0 }, { "atime", 0, MS_NOATIME }, { "nodiratime", MS_NODIRATIME, 0 },
  { "diratime", 0, MS_NODIRATIME }, { "relatime", MS_RELATIME, 0 }, { "norelatime", 0, MS_RELATIME },
  { "strictatime", MS_STRICTATIME, 0 }, { "lazytime", MS_LAZYTIME, 0 }, { "nolazytime", 0, MS_LAZYTIME },
  { "noexec", MS_NOEXEC, 0 }, { "exec", 0, MS_NOEXEC }, { "silent", MS_SILENT, 0 }, { "loud", 0, MS_SILENT },
  { "nodev", 0, 0 }, { "dev", 0, 0 }, { "nosuid", 0, 0 }, { "suid", 0, 0 }, { "nofail", 0, 0 },
  { "auto", 0, 0 }, { "noauto", 0, 0 }, { "user", 0, 0 }, { "nouser", 0, 0 },
};
enum { NR_VFS_OPTIONS = sizeof vfs_options / sizeof vfs_options[0] };

/* Sort OPTIONS, as mount -o takes them, into flags and what is for the filesystem.  0, or -1. */
static int
parse_options (struct call *c, const char *options, struct wish *wish)
{
  char *copy = call_strdup (c, options), *save = NULL;
  size_t i;

  if (copy == NULL)
    return -1;
  for (char *word = strtok_r (copy, ",", &save); word != NULL; word = strtok_r (NULL, ",", &save)) {
    for (i = 0; i < NR_VFS_OPTIONS && strcmp (vfs_options[i].name, word) != 0; i++)
      ;
    if (i < NR_VFS_OPTIONS)
      wish->flags = (wish->flags & ~vfs_options[i].clear) | vfs_options[i].set;
    else if (strcmp (word, "loop") == 0 || strcmp (word, "bind") == 0 || strcmp (word, "remount") == 0)
      return call_refuse (c, EINVAL, "the mount option \"%s\" is not possible here", word);
    else if ((wish->data = add_option (c, wish->data, word)) == NULL)
      return -1;
  }
  return 0;
}

int
do_mount_vfs (struct call *c, const char *options, const char *vfstype, struct mountable *m,
              const char *mountpoint)
{
  struct wish wish = { .flags = ALWAYS, .data = "" };

  if (vfstype[0] != '\0' && strcmp (vfstype, "auto") != 0)
    wish.type = vfstype;
  return parse_options (c, options, &wish) == -1 ? -1 : mount_device (c, m, mountpoint, &wish);
}

int
do_mount_options (struct call *c, const char *options, struct mountable *m, const char *mountpoint)
{
  return do_mount_vfs (c, options, "", m, mountpoint);
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
do_mountpoints (struct call *c)
{
  struct list l = { 0 };

  for (const struct mount_entry *m = mounts_read (c); m != NULL; m = m->next) {
    const char *name = device_name_out (c, m->source);

    if (name != NULL && (list_add (c, &l, name) == -1 || list_add (c, &l, m->inside) == -1))
      return NULL;
  }
  return list_end (c, &l);
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
