/* Names of files as a stream: one directory, or everything below it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"

/* A directory that is being read, in the one above it. */
struct level {
  struct level *up;
  DIR *dir;
  size_t prefix;            /* length of the names' beginning */
};

struct walk {
  struct level *level;      /* the innermost */
  char *name;               /* of what was found last, from the start of the walk */
  size_t cap;
  bool deep;
};

static void
leave (struct walk *w)
{
  struct level *l = w->level;

  w->level = l->up;
  closedir (l->dir);
  free (l);
}

static void
free_walk (struct walk *w)
{
  while (w->level != NULL)
    leave (w);
  free (w->name);
  free (w);
}

/* Go on in the directory FD, which is taken over.  0, or -1 with errno. */
static int
enter (struct walk *w, int fd, size_t prefix)
{
  struct level *l = malloc (sizeof *l);
  DIR *dir = l ? fdopendir (fd) : NULL;

  if (dir == NULL) {
    close (fd);
    free (l);
    return -1;
  }
  *l = (struct level) { .up = w->level, .dir = dir, .prefix = prefix };
  w->level = l;
  return 0;
}

/* Make W->name the name of an entry of the innermost directory: its length, or 0 without memory. */
static size_t
set_name (struct walk *w, const char *entry)
{
  size_t len = w->level->prefix + strlen (entry);
  char *bigger;

  if (len + 2 > w->cap) {       /* the NUL, and a slash in its place for what is below */
    if ((bigger = realloc (w->name, 2 * len + 256)) == NULL)
      return 0;
    w->name = bigger;
    w->cap = 2 * len + 256;
  }
  strcpy (w->name + w->level->prefix, entry);
  return len;
}

static bool
is_directory (int dir, const struct dirent *e)
{
  struct stat st;

  if (e->d_type != DT_UNKNOWN)
    return e->d_type == DT_DIR;
  return fstatat (dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR (st.st_mode);
}

/* Send one entry, and go into it if it is a directory.  0, or -1. */
static int
visit (struct call *c, struct walk *w, const struct dirent *e)
{
  int dir = dirfd (w->level->dir), fd;
  size_t len = set_name (w, e->d_name);

  if (len == 0 || file_out_write (c, w->name, len + 1) == -1)
    return -1;
  if (!w->deep || !is_directory (dir, e))
    return 0;
  fd = openat (dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd == -1)
    return errno == ENOENT ? 0 : -1;
  w->name[len] = '/';
  return enter (w, fd, len + 1);
}

/* Runs after the reply: the names, each with a NUL behind it. */
static int
send_names (struct call *c, void *opaque)
{
  struct walk *w = opaque;
  struct dirent *e;
  int r = 0;

  while (r == 0 && w->level != NULL) {
    errno = 0;
    if ((e = readdir (w->level->dir)) == NULL) {
      r = errno == 0 ? 0 : -1;
      leave (w);
    } else if (strcmp (e->d_name, ".") != 0 && strcmp (e->d_name, "..") != 0)
      r = visit (c, w, e);
  }
  free_walk (w);
  return r;
}

static int
start_walk (struct call *c, const char *path, bool deep)
{
  int fd = sysroot_open (c, path, O_RDONLY | O_DIRECTORY, 0);
  struct walk *w = fd == -1 ? NULL : calloc (1, sizeof *w);

  if (fd == -1)
    return -1;
  if (w != NULL)
    w->deep = deep;
  if (w == NULL || enter (w, fd, 0) == -1) {
    if (w == NULL)
      close (fd);
    free (w);
    return call_error (c, ENOMEM, "%s: cannot read the directory", path);
  }
  call_set_file_out (c, send_names, w);
  return 0;
}

int
do_ls0 (struct call *c, const char *dir)
{
  return start_walk (c, dir, false);
}

int
do_find0 (struct call *c, const char *directory)
{
  return start_walk (c, directory, true);
}
