/* What completion and "glob" ask of the appliance: devices, directories, matching paths.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "fish.h"

struct list {
  char **v;
  size_t n;
};

static void
add (struct list *l, char *s)
{
  l->v = xrealloc (l->v, (l->n + 2) * sizeof *l->v);
  l->v[l->n++] = s;
  l->v[l->n] = NULL;
}

static void
add_all (struct list *l, char **names)
{
  for (size_t i = 0; names != NULL && names[i] != NULL; i++)
    add (l, xstrdup (names[i]));
  zf_free_string_list (names);
}

/* NULL before launch. */
char **
guest_devices (void *h)
{
  struct list l = { 0 };

  if (zf_is_ready (h) != 1)
    return NULL;
  add_all (&l, zf_list_devices (h));
  add_all (&l, zf_list_partitions (h));
  return l.v;
}

char **
guest_directory (void *h, const char *dir)
{
  struct list l = { .v = xcalloc (1, sizeof *l.v) };
  struct zf_dirent_list *entries;

  entries = zf_is_ready (h) == 1 ? zf_readdir (h, dir) : NULL;
  for (uint32_t i = 0; entries != NULL && i < entries->len; i++) {
    const struct zf_dirent *e = &entries->val[i];

    if (strcmp (e->name, ".") != 0 && strcmp (e->name, "..") != 0)
      add (&l, xasprintf ("%s%s", e->name, e->ftyp == 'd' ? "/" : ""));
  }
  zf_free_dirent_list (entries);
  return l.v;
}

static int
compare (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Does a failed look into a directory mean no more than that nothing is there? */
static bool
nothing_there (zf_handle *h)
{
  int err = zf_last_errno (h);

  return err == ENOENT || err == ENOTDIR || err == ELOOP || err == EACCES;
}

static int match_from (zf_handle *h, struct list *l, const char *head, const char *pattern);

/* Entries of DIR that match the LEN characters at PATTERN, and below them what matches the rest. */
static int
match_entries (zf_handle *h, struct list *l, const char *dir, const char *pattern, size_t len)
{
  struct zf_dirent_list *entries = zf_readdir (h, *dir ? dir : "/");
  char *component = xstrndup (pattern, len);
  int r = 0;

  if (entries == NULL)
    r = *dir && nothing_there (h) ? 0 : -1;
  for (uint32_t i = 0; entries != NULL && i < entries->len && r == 0; i++) {
    const char *name = entries->val[i].name;
    char *path;

    if (strcmp (name, ".") == 0 || strcmp (name, "..") == 0 || fnmatch (component, name, FNM_PERIOD) != 0)
      continue;
    path = xasprintf ("%s/%s", dir, name);
    r = match_from (h, l, path, pattern + len);
    free (path);
  }
  free (component);
  zf_free_dirent_list (entries);
  return r;
}

/* HEAD exists ("" is the root); PATTERN is empty or begins with '/'. */
static int
match_from (zf_handle *h, struct list *l, const char *head, const char *pattern)
{
  size_t slashes = strspn (pattern, "/"), len = strcspn (pattern + slashes, "/");
  const char *component = pattern + slashes;
  char *path;
  int r;

  if (len == 0) {
    add (l, xasprintf ("%s%s", head, slashes > 0 ? "/" : ""));
    return 0;
  }
  if (strcspn (component, "*?[") < len)
    return match_entries (h, l, head, component, len);
  path = xasprintf ("%s/%.*s", head, (int) len, component);
  r = strpbrk (component + len, "*?[") != NULL ? 1 : zf_exists (h, path);
  if (r == 1)
    r = match_from (h, l, path, component + len);
  free (path);
  return r;
}

/* Devices are no files of the guest: they match by name. */
static void
match_devices (zf_handle *h, struct list *l, const char *pattern)
{
  char **devices = guest_devices (h);

  for (size_t i = 0; devices != NULL && devices[i] != NULL; i++)
    if (fnmatch (pattern, devices[i], FNM_PATHNAME) == 0)
      add (l, xstrdup (devices[i]));
  list_free (devices);
}

char **
guest_glob (zf_handle *h, const char *pattern)
{
  struct list l = { .v = xcalloc (1, sizeof *l.v) };

  if (strncmp (pattern, "/dev/", 5) == 0)
    match_devices (h, &l, pattern);
  if (l.n == 0 && match_from (h, &l, "", pattern) == -1) {
    list_free (l.v);
    return NULL;
  }
  qsort (l.v, l.n, sizeof *l.v, compare);
  return l.v;
}
