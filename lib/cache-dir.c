/* The directory of the appliance's cache: which one, is it safe, and keeping it small.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cache.h"

enum { KEEP_ENTRIES = 4 };

/* One directory, if it is not there yet, with a mode that no umask changes. */
static int
make_one (const char *path)
{
  if (mkdir (path, 0700) == 0)
    return chmod (path, 0700);
  return errno == EEXIST ? 0 : -1;
}

/* PATH and what is missing above it. */
static int
make_directory (const char *path)
{
  char *copy = strdup (path), *slash;
  int r = -1;

  if (copy == NULL)
    return -1;
  for (slash = strchr (copy + 1, '/'); slash != NULL; slash = strchr (slash + 1, '/')) {
    *slash = '\0';
    if (make_one (copy) == -1)
      goto out;
    *slash = '/';
  }
  r = make_one (copy);
 out:
  free (copy);
  return r;
}

/* Somebody who can write here could give us a kernel of theirs. */
static int
check_directory (zf_handle *h, const char *path)
{
  struct stat st;

  if (lstat (path, &st) == -1)
    return zfi_perror (h, errno, "the appliance's cache directory %s", path);
  if (S_ISLNK (st.st_mode))
    return zfi_error (h, EPERM, "the appliance's cache directory %s is a symbolic link, which is not safe; "
                      "remove it, or set ZEROFISH_CACHEDIR to a directory of yours", path);
  if (!S_ISDIR (st.st_mode))
    return zfi_error (h, ENOTDIR, "the appliance's cache directory %s is not a directory; remove it, "
                      "or set ZEROFISH_CACHEDIR", path);
  if (st.st_uid != geteuid ())
    return zfi_error (h, EPERM, "the appliance's cache directory %s belongs to user %lu and not to user "
                      "%lu, who runs this; set ZEROFISH_CACHEDIR to a directory of yours", path,
                      (unsigned long) st.st_uid, (unsigned long) geteuid ());
  if (st.st_mode & 022)
    return zfi_error (h, EPERM, "the appliance's cache directory %s can be written by others (mode "
                      "%04o); check what is in it, then: chmod 0700 '%s'", path,
                      (unsigned) st.st_mode & 07777, path);
  return 0;
}

/* A directory that the user named must work; one of ours that cannot be made lets us try the next. */
static char *
try_directory (zf_handle *h, bool named, const char *base, const char *below, bool *next)
{
  char *path = NULL;

  *next = false;
  if (asprintf (&path, "%s%s", base, below) == -1) {
    zfi_perror (h, ENOMEM, "the appliance's cache directory");
    return NULL;
  }
  if (path[0] != '/') {
    char *abs = NULL, *cwd = getcwd (NULL, 0);

    if (cwd == NULL || asprintf (&abs, "%s/%s", cwd, path) == -1)
      abs = NULL;
    free (cwd);
    free (path);
    path = abs;
  }
  if (path == NULL || make_directory (path) == -1) {
    *next = !named;
    zfi_perror (h, errno, "cannot make the appliance's cache directory %s%s (see ZEROFISH_CACHEDIR)", base,
                below);
    free (path);
    return NULL;
  }
  if (check_directory (h, path) == -1) {
    free (path);
    return NULL;
  }
  return path;
}

static const char *
variable (const char *name)
{
  const char *s = secure_getenv (name);

  return s != NULL && s[0] != '\0' ? s : NULL;
}

char *
zfi_cache_dir (zf_handle *h)
{
  const char *named = h->cachedir, *xdg = variable ("XDG_CACHE_HOME"), *home = variable ("HOME");
  char *r = NULL, last[64];
  bool next = true;

  if (named == NULL || named[0] == '\0')
    named = variable ("ZEROFISH_CACHEDIR");
  if (named != NULL)
    return try_directory (h, true, named, "", &next);
  if (xdg != NULL && xdg[0] == '/')
    r = try_directory (h, false, xdg, "/zerofish", &next);
  if (r == NULL && next && home != NULL && home[0] == '/')
    r = try_directory (h, false, home, "/.cache/zerofish", &next);
  if (r == NULL && next) {
    snprintf (last, sizeof last, "/zerofish-%lu", (unsigned long) geteuid ());
    r = try_directory (h, false, "/var/tmp", last, &next);
  }
  return r;
}

/* --- removing --- */

/* As zfi_remove_tree, for NAME in the open directory PARENT.  Directories may be unwritable, as in a copied
 * system. */
static void
remove_at (int parent, const char *name)
{
  DIR *dir;
  struct dirent *d;
  int fd;

  if (unlinkat (parent, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
    return;
  fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd == -1 && errno == EACCES && fchmodat (parent, name, 0700, 0) == 0)
    fd = openat (parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd == -1)
    return;
  fchmod (fd, 0700);
  if ((dir = fdopendir (fd)) == NULL) {
    close (fd);
    return;
  }
  while ((d = readdir (dir)) != NULL)
    if (strcmp (d->d_name, ".") != 0 && strcmp (d->d_name, "..") != 0)
      remove_at (fd, d->d_name);
  closedir (dir);
  unlinkat (parent, name, AT_REMOVEDIR);
}

void
zfi_remove_tree (const char *path)
{
  remove_at (AT_FDCWD, path);
}

static bool
has_prefix (const char *s, const char *prefix, const char *kind)
{
  size_t n = strlen (prefix), k = strlen (kind);

  return strncmp (s, prefix, n) == 0 && strncmp (s + n, kind, k) == 0 && s[n + k] == '-';
}

void
zfi_cache_remove_stale (const char *path, const struct cache_kind *kind)
{
  DIR *dir = opendir (path);
  struct dirent *d;

  while (dir != NULL && (d = readdir (dir)) != NULL)
    if (has_prefix (d->d_name, "tmp-", kind->name))
      remove_at (dirfd (dir), d->d_name);
  if (dir != NULL)
    closedir (dir);
}

/* Of the entries of KIND but KEEP, count them and find the one that was used the longest ago. */
static size_t
oldest_entry (DIR *dir, const struct cache_kind *kind, const char *keep, char *name, size_t size)
{
  struct dirent *d;
  struct stat st;
  time_t oldest = 0;
  size_t n = 0;

  rewinddir (dir);
  while ((d = readdir (dir)) != NULL) {
    if (!has_prefix (d->d_name, "", kind->name) || strcmp (d->d_name, keep) == 0 ||
        fstatat (dirfd (dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == -1)
      continue;
    if (n++ == 0 || st.st_mtime < oldest) {
      oldest = st.st_mtime;
      snprintf (name, size, "%s", d->d_name);
    }
  }
  return n;
}

void
zfi_cache_prune (const char *path, const struct cache_kind *kind, const char *keep)
{
  DIR *dir = opendir (path);
  char name[NAME_MAX + 1];
  size_t n, before = SIZE_MAX;

  if (dir == NULL)
    return;
  /* Ends also where an entry cannot be removed. */
  while ((n = oldest_entry (dir, kind, keep, name, sizeof name)) >= KEEP_ENTRIES && n < before) {
    before = n;
    remove_at (dirfd (dir), name);
  }
  closedir (dir);
}
