/* Lists directories.
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
#include <unistd.h>

#include "actions.h"

static char
type_letter (unsigned char type)
{
  switch (type) {
  case DT_BLK: return 'b';
  case DT_CHR: return 'c';
  case DT_DIR: return 'd';
  case DT_FIFO: return 'f';
  case DT_LNK: return 'l';
  case DT_REG: return 'r';
  case DT_SOCK: return 's';
  default: return 'u';
  }
}

/* Append an entry to LIST, whose array has room for *CAP. */
static int
add_entry (struct call *c, struct zf_dirent_list *list, size_t *cap, const struct dirent *e)
{
  struct zf_dirent *d;

  if (list->len == *cap) {
    size_t n = *cap ? *cap * 2 : 64;

    if ((d = call_alloc (c, n * sizeof *d)) == NULL)
      return -1;
    if (list->len > 0)
      memcpy (d, list->val, list->len * sizeof *d);
    list->val = d;
    *cap = n;
  }
  d = &list->val[list->len];
  d->ino = e->d_ino;
  d->ftyp = type_letter (e->d_type);
  if ((d->name = call_strdup (c, e->d_name)) == NULL)
    return -1;
  list->len++;
  return 0;
}

static int
compare_names (const void *a, const void *b)
{
  return strcmp (((const struct zf_dirent *) a)->name, ((const struct zf_dirent *) b)->name);
}

/* Read all of DIR, but no more than a reply can carry: nothing that a guest made may use up our memory. */
static int
read_entries (struct call *c, const char *path, DIR *dir, struct zf_dirent_list *list)
{
  size_t cap = 0, bytes = 0;
  struct dirent *e;

  while (errno = 0, (e = readdir (dir)) != NULL) {
    bytes += 16 + strlen (e->d_name);       /* at least, as it travels */
    if (bytes > ZF_MESSAGE_MAX)
      return call_refuse (c, EMSGSIZE, "%s: too many entries for one message", path);
    if (add_entry (c, list, &cap, e) == -1 || call_poll (c) == -1)
      return -1;
  }
  return errno == 0 ? 0 : call_error (c, errno, "%s: reading the directory", path);
}

struct zf_dirent_list *
do_readdir (struct call *c, const char *path)
{
  struct zf_dirent_list *list = call_alloc (c, sizeof *list), *r = NULL;
  int fd = list ? sysroot_open (c, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) : -1;
  DIR *dir;

  if (fd == -1)
    return NULL;
  if ((dir = fdopendir (fd)) == NULL) {
    call_error (c, errno, "%s", path);
    close (fd);
    return NULL;
  }
  if (read_entries (c, path, dir, list) == 0) {
    if (list->len > 0)
      qsort (list->val, list->len, sizeof *list->val, compare_names);
    r = list;
  }
  closedir (dir);
  return r;
}
