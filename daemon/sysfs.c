/* Block devices as sysfs shows them: disks, partitions, holders and slaves.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "devices.h"

enum { MAX_DEPTH = 16 };              /* of devices stacked on each other; the kernel's own limit is lower */

/* Put sysfs, "/" and the formatted text into OUT; 0, or -1 with errno. */
static int
sysfs_path (const struct daemon *d, char out[PATH_MAX], const char *fs, va_list args)
{
  int n = snprintf (out, PATH_MAX, "%s/", d->sysfs ? d->sysfs : "/sys");

  if (n < PATH_MAX)
    n += vsnprintf (out + n, PATH_MAX - (size_t) n, fs, args);
  if (n < PATH_MAX)
    return 0;
  errno = ENAMETOOLONG;
  return -1;
}

DIR *
sysfs_opendir (const struct daemon *d, const char *fs, ...)
{
  char path[PATH_MAX];
  va_list args;
  int r;

  va_start (args, fs);
  r = sysfs_path (d, path, fs, args);
  va_end (args);
  return r == 0 ? opendir (path) : NULL;
}

const char *
sysfs_next (DIR *dir)
{
  struct dirent *e;

  while ((e = readdir (dir)) != NULL)
    if (e->d_name[0] != '.')
      return e->d_name;
  return NULL;
}

int
sysfs_read (const struct daemon *d, char *out, size_t size, const char *fs, ...)
{
  char path[PATH_MAX];
  va_list args;
  FILE *fp;
  int r;

  va_start (args, fs);
  r = sysfs_path (d, path, fs, args);
  va_end (args);
  if (r == -1 || (fp = fopen (path, "re")) == NULL)
    return -1;
  if (fgets (out, (int) size, fp) == NULL)
    out[0] = '\0';
  out[strcspn (out, "\n")] = '\0';
  fclose (fp);
  return 0;
}

ssize_t
sysfs_read_bytes (const struct daemon *d, void *out, size_t size, const char *fs, ...)
{
  char path[PATH_MAX];
  va_list args;
  ssize_t n;
  int fd, r;

  va_start (args, fs);
  r = sysfs_path (d, path, fs, args);
  va_end (args);
  if (r == -1 || (fd = open (path, O_RDONLY | O_CLOEXEC)) == -1)
    return -1;
  n = read (fd, out, size);
  close (fd);
  return n;
}

int
sysfs_write (const struct daemon *d, const char *value, const char *fs, ...)
{
  char path[PATH_MAX];
  va_list args;
  int fd, r;

  va_start (args, fs);
  r = sysfs_path (d, path, fs, args);
  va_end (args);
  if (r == -1 || (fd = open (path, O_WRONLY | O_CLOEXEC)) == -1)
    return -1;
  r = write (fd, value, strlen (value)) == -1 ? -1 : 0;
  close (fd);
  return r;
}

int
sysfs_partnum (const struct daemon *d, const char *sysname)
{
  char text[32];

  if (sysfs_read (d, text, sizeof text, "class/block/%s/partition", sysname) == -1)
    return 0;
  return (int) strtol (text, NULL, 10);
}

/* Last component but SKIP of the link target; false if it is too long. */
static bool
last_component (char *target, int skip, char out[SYSNAME_MAX])
{
  char *p = NULL;

  for (; skip >= 0; skip--) {
    if (p != NULL)
      *p = '\0';
    if ((p = strrchr (target, '/')) == NULL)
      return false;
  }
  if (p[1] == '\0' || strlen (p + 1) >= SYSNAME_MAX)
    return false;
  strcpy (out, p + 1);
  return true;
}

/* Read a link below sysfs and give the component of its target that stands SKIP before the last. */
static bool __attribute__ ((format (printf, 4, 5)))
link_component (const struct daemon *d, int skip, char out[SYSNAME_MAX], const char *fs, ...)
{
  char path[PATH_MAX], target[PATH_MAX];
  va_list args;
  ssize_t n;
  int r;

  va_start (args, fs);
  r = sysfs_path (d, path, fs, args);
  va_end (args);
  if (r == -1 || (n = readlink (path, target, sizeof target - 1)) == -1)
    return false;
  target[n] = '\0';
  return last_component (target, skip, out);
}

bool
sysfs_partition_of (const struct daemon *d, const char *sysname, char disk[SYSNAME_MAX])
{
  return sysfs_partnum (d, sysname) > 0 && link_component (d, 1, disk, "class/block/%s", sysname);
}

bool
sysfs_name_of (const struct daemon *d, dev_t dev, char out[SYSNAME_MAX])
{
  return link_component (d, 0, out, "dev/block/%u:%u", major (dev), minor (dev));
}

bool
sysfs_find_partition (const struct daemon *d, const char *disk, int partnum, char out[SYSNAME_MAX])
{
  DIR *dir = sysfs_opendir (d, "class/block/%s", disk);
  const char *name;
  bool found = false;

  if (dir == NULL)
    return false;
  while (!found && (name = sysfs_next (dir)) != NULL) {
    /* Partitions are named for their disk; asking only these saves a file access for every attribute. */
    if (strncmp (name, disk, strlen (disk)) != 0 || strlen (name) >= SYSNAME_MAX)
      continue;
    if (sysfs_partnum (d, name) == partnum) {
      strcpy (out, name);
      found = true;
    }
  }
  closedir (dir);
  return found;
}

struct walk {
  const struct daemon *d;
  int (*fn) (void *opaque, const char *sysname);
  void *opaque;
  int depth;
};

static int walk_one (struct walk *w, const char *sysname);

/* Visit what is in the directory SUBDIR of SYSNAME: partitions of a disk (SUBDIR ""), or holders. */
static int
walk_dir (struct walk *w, const char *sysname, const char *subdir)
{
  DIR *dir = sysfs_opendir (w->d, "class/block/%s/%s", sysname, subdir);
  const char *name;
  int r = 0;

  if (dir == NULL)
    return 0;
  while (r == 0 && (name = sysfs_next (dir)) != NULL)
    if (subdir[0] != '\0' ||
        (strncmp (name, sysname, strlen (sysname)) == 0 && sysfs_partnum (w->d, name) > 0))
      r = walk_one (w, name);
  closedir (dir);
  return r;
}

static int
walk_one (struct walk *w, const char *sysname)
{
  int r;

  if (++w->depth > MAX_DEPTH) {
    w->depth--;
    return 0;
  }
  r = w->fn (w->opaque, sysname);
  if (r == 0)
    r = walk_dir (w, sysname, "");
  if (r == 0)
    r = walk_dir (w, sysname, "holders");
  w->depth--;
  return r;
}

int
sysfs_walk (const struct daemon *d, const char *sysname,
            int (*fn) (void *opaque, const char *sysname), void *opaque)
{
  struct walk w = { .d = d, .fn = fn, .opaque = opaque };

  return walk_one (&w, sysname);
}

static int
count_one (void *opaque, const char *sysname)
{
  (void) sysname;
  return ++*(int *) opaque > 1;
}

bool
sysfs_is_plain (const struct daemon *d, const char *sysname)
{
  int n = 0;

  return sysfs_walk (d, sysname, count_one, &n) == 0;
}
