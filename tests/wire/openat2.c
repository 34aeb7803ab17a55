/* Stands in for the system call openat2 under a valgrind that does not know it, in test programs only: the
 * same paths lead to the same files, but a rename in between is not looked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

extern long syscall (long number, ...);

/* A walk: where it is, and what is still to be walked. */
struct walk {
  int root, dir;
  char path[PATH_MAX];
  const char *rest;         /* of the path */
  int links;
};

/* Go on at FD, which may be -1 with errno. */
static int
enter (struct walk *w, int fd)
{
  if (fd == -1)
    return -1;
  close (w->dir);
  w->dir = fd;
  return 0;
}

static bool
at_root (const struct walk *w)
{
  struct stat a, b;

  return fstat (w->root, &a) == 0 && fstat (w->dir, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Take the next component off the path; false at its end. */
static bool
next (struct walk *w, char name[NAME_MAX + 1])
{
  size_t n;

  w->rest += strspn (w->rest, "/");
  n = strcspn (w->rest, "/");
  if (n == 0 || n > NAME_MAX)
    return false;
  memcpy (name, w->rest, n);
  name[n] = '\0';
  w->rest += n;
  return true;
}

/* NAME is a link: put what it says in front of the rest of the path. */
static int
follow (struct walk *w, const char *name)
{
  char target[PATH_MAX], joined[2 * PATH_MAX];
  ssize_t n = readlinkat (w->dir, name, target, sizeof target - 1);
  struct statfs fs;

  if (n == -1)
    return -1;
  target[n] = '\0';
  if (++w->links > 40 ||
      (fstatfs (w->dir, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC && strcmp (name, "self") != 0)) {
    errno = ELOOP;
    return -1;
  }
  if (snprintf (joined, sizeof joined, "%s%s", target, w->rest) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return -1;
  }
  strcpy (w->path, joined);
  w->rest = w->path;
  return target[0] == '/' ? enter (w, fcntl (w->root, F_DUPFD_CLOEXEC, 0)) : 0;
}

/* Walk to the end: the open file, or -1 with errno. */
static int
walk (struct walk *w, const struct open_how *how)
{
  char name[NAME_MAX + 1];
  struct stat st;
  bool last;

  while (next (w, name)) {
    last = w->rest[strspn (w->rest, "/")] == '\0';
    if (strcmp (name, "..") == 0) {
      if (!at_root (w) && enter (w, openat (w->dir, "..", O_PATH | O_DIRECTORY | O_CLOEXEC)) == -1)
        return -1;
    } else if (fstatat (w->dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK (st.st_mode) &&
               !(last && how->flags & O_NOFOLLOW)) {
      if (follow (w, name) == -1)
        return -1;
    } else if (last)
      return openat (w->dir, name, (int) how->flags | O_NOFOLLOW | (w->rest[0] ? O_DIRECTORY : 0),
                     (mode_t) how->mode);
    else if (enter (w, openat (w->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) == -1)
      return -1;
  }
  return openat (w->dir, ".", (int) how->flags & ~O_CREAT);
}

static int
emulate (int root, const char *path, const struct open_how *how)
{
  struct walk w = { .root = root, .dir = fcntl (root, F_DUPFD_CLOEXEC, 0) };
  int fd = -1, saved;

  if (path[0] == '\0' || strlen (path) >= PATH_MAX)
    errno = path[0] ? ENAMETOOLONG : ENOENT;
  else {
    strcpy (w.path, path);
    w.rest = w.path;
    fd = walk (&w, how);
  }
  saved = errno;
  close (w.dir);
  errno = saved;
  return fd;
}

long
syscall (long number, ...)
{
  static long (*real) (long, ...);
  long a[6];
  va_list args;

  va_start (args, number);
  for (size_t i = 0; i < 6; i++)
    a[i] = va_arg (args, long);
  va_end (args);
  if (number == SYS_openat2 && getenv ("ZEROFISH_TEST_VALGRIND") && *getenv ("ZEROFISH_TEST_VALGRIND"))
    return emulate ((int) a[0], (const char *) a[1], (const struct open_how *) a[2]);
  if (real == NULL)
    real = (long (*) (long, ...)) dlsym (RTLD_NEXT, "syscall");
  return real (number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
