/* Paths in the user's filesystems: resolved below the sysroot by the kernel, whatever links they lead to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon.h"

enum { MAX_TRIES = 32 };      /* the kernel asks for another try when a rename crossed the path */

/* openat2 of PATH with everything taken from ROOT's point of view; -1 with errno. */
static int
open_in_root (int root, const char *path, int flags, mode_t mode)
{
  struct open_how how = {
    .flags = (unsigned) flags | O_CLOEXEC,
    .mode = flags & O_CREAT ? mode : 0,
    .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
  };
  int fd = -1;

  if (!(flags & O_PATH))
    how.flags |= O_NOCTTY;
  for (int i = 0; i < MAX_TRIES; i++) {
    fd = (int) syscall (SYS_openat2, root, path, &how, sizeof how);
    if (fd != -1 || (errno != EAGAIN && errno != EINTR))
      break;
  }
  return fd;
}

static int
open_root (struct call *c)
{
  int fd;

  if (c->d->sysroot == NULL)
    return call_refuse (c, EINVAL, "no filesystem is mounted");
  fd = open (c->d->sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
  return fd == -1 ? call_error (c, errno, "cannot open the sysroot") : fd;
}

/* The same from a path of the user; -1 with errno, or with the error set and errno 0. */
static int
open_path (struct call *c, const char *path, int flags, mode_t mode)
{
  int root = open_root (c), fd, saved;

  if (root == -1) {
    errno = 0;
    return -1;
  }
  fd = open_in_root (root, path, flags, mode);
  saved = errno;
  close (root);
  errno = saved;
  return fd;
}

int
sysroot_open (struct call *c, const char *path, int flags, mode_t mode)
{
  int fd = open_path (c, path, flags, mode);

  if (fd == -1 && errno != 0)
    return call_error (c, errno, "%s", path);
  return fd;
}

/* Only regular files may pass; closes FD otherwise. */
static int
check_regular (struct call *c, const char *path, int fd)
{
  struct stat st;

  if (fstat (fd, &st) == -1)
    call_error (c, errno, "%s", path);
  else if (S_ISDIR (st.st_mode))
    call_error (c, EISDIR, "%s", path);
  else if (!S_ISREG (st.st_mode))
    call_refuse (c, EINVAL, "%s: not a regular file", path);
  else
    return fd;
  close (fd);
  return -1;
}

/* Make a file open that was only looked at so far: nothing but a regular file ever gets this far. */
static int
reopen (struct call *c, const char *path, int fd, int flags)
{
  char link[32];
  int opened;

  snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
  opened = open (link, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC);
  if (opened == -1)
    call_error (c, errno, "%s", path);
  close (fd);
  return opened;
}

int
sysroot_open_regular (struct call *c, const char *path, int flags, mode_t mode)
{
  int fd = open_path (c, path, O_PATH | (flags & O_NOFOLLOW), 0);

  if (fd == -1 && errno == ENOENT && (flags & O_CREAT))
    fd = open_path (c, path, flags | O_NONBLOCK, mode);
  else if (fd != -1 && (flags & O_CREAT) && (flags & O_EXCL)) {
    close (fd);
    return call_error (c, EEXIST, "%s", path);
  } else if (fd != -1)
    return (fd = check_regular (c, path, fd)) == -1 ? -1 : reopen (c, path, fd, flags);
  if (fd == -1)
    return errno != 0 ? call_error (c, errno, "%s", path) : -1;
  return check_regular (c, path, fd);
}

int
sysroot_open_parent (struct call *c, const char *path, const char **name)
{
  size_t len = strlen (path), start;
  char *dir;

  while (len > 0 && path[len - 1] == '/')
    len--;
  for (start = len; start > 0 && path[start - 1] != '/'; start--)
    ;
  *name = call_printf (c, "%.*s", (int) (len - start), path + start);
  dir = call_printf (c, "%.*s", (int) start, path);
  if (*name == NULL || dir == NULL)
    return -1;
  if ((*name)[0] == '\0' || strcmp (*name, ".") == 0 || strcmp (*name, "..") == 0)
    return call_refuse (c, EINVAL, "%s: the last part of the path has to be a name", path);
  return sysroot_open (c, dir[0] ? dir : "/", O_PATH | O_DIRECTORY, 0);
}

bool
sysroot_mounted (struct daemon *d)
{
  struct statx sx;

  if (d->sysroot == NULL)
    return false;
  if (!d->appliance)
    return true;
  return statx (AT_FDCWD, d->sysroot, AT_NO_AUTOMOUNT, 0, &sx) == 0 &&
         (sx.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

const char *
path_check (struct call *c, const char *path)
{
  if (path[0] != '/') {
    call_refuse (c, EINVAL, "%s: a path has to start with /", path);
    return NULL;
  }
  if (!sysroot_mounted (c->d)) {
    call_refuse (c, EINVAL, "%s: no filesystem is mounted: mount one on / first", path);
    return NULL;
  }
  return path;
}
