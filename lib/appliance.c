/* The appliance: kernel, initramfs and tools root, from the cache, or built into it.
 *
 * A good entry is found without a lock and without starting anything.  Else, under a lock, an entry is
 * built in a directory of its own and renamed into place, so that whoever sees it sees all of it.
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
#include <unistd.h>

#include "cache.h"

/* What a search works with. */
struct search {
  const struct cache_kind *kind;
  char *script;
  char *dir;                /* the cache */
  char *key;
  char *name;               /* of the entry */
  char *entry;              /* DIR/NAME */
};

static void
search_free (struct search *s)
{
  free (s->script);
  free (s->dir);
  free (s->key);
  free (s->name);
  free (s->entry);
}

static int
search_init (zf_handle *h, struct search *s, const struct cache_kind *kind)
{
  *s = (struct search) { .kind = kind };
  if ((s->script = zfi_build_script (h)) == NULL || (s->dir = zfi_cache_dir (h)) == NULL)
    return -1;
  if ((s->key = zfi_cache_key (s->script, kind)) == NULL
      || (s->name = zfi_cache_entry_name (kind, s->key)) == NULL
      || asprintf (&s->entry, "%s/%s", s->dir, s->name) == -1) {
    s->entry = NULL;
    return zfi_perror (h, ENOMEM, "the appliance's cache");
  }
  return 0;
}

/* Make the new directory TMP into the entry. */
static int
build_in (zf_handle *h, struct search *s, const char *tmp)
{
  char *reason;

  if (zfi_cache_run_script (h, s->script, s->kind, tmp) == -1)
    return -1;
  if ((reason = zfi_cache_seal (tmp, s->kind)) != NULL) {
    zfi_error (h, EIO, "building %s failed: %s", s->kind->what, reason);
    free (reason);
    return -1;
  }
  /* An unusable entry is emptied, not moved: directories of an image's lower layer cannot be renamed. */
  zfi_remove_tree (s->entry);
  if (rename (tmp, s->entry) == -1)
    return zfi_perror (h, errno, "cannot rename %s to %s", tmp, s->entry);
  return 0;
}

/* Under the lock. */
static int
build (zf_handle *h, struct search *s)
{
  int64_t start = zfi_now_ms ();
  char *tmp = NULL;
  int r = -1;

  zfi_cache_remove_stale (s->dir, s->kind);
  if (asprintf (&tmp, "%s/tmp-%s-XXXXXX", s->dir, s->kind->name) == -1)
    return zfi_perror (h, ENOMEM, "the appliance's cache");
  if (mkdtemp (tmp) == NULL || chmod (tmp, 0700) == -1) {
    zfi_perror (h, errno, "cannot make a directory in the appliance's cache %s", s->dir);
    goto out;
  }
  r = build_in (h, s, tmp);
  if (r == -1)
    zfi_remove_tree (tmp);
  else {
    zfi_cache_prune (s->dir, s->kind, s->name);
    zfi_verbose (h, "built %s in %lld ms: %s", s->kind->what, (long long) (zfi_now_ms () - start), s->entry);
  }
 out:
  free (tmp);
  return r;
}

/* Is the entry good?  0: no, and *REASON (malloced) says why. */
static bool
good (struct search *s, bool *missing, char **reason)
{
  *reason = zfi_cache_check (s->entry, s->kind, missing);
  return *reason == NULL;
}

static int
find_or_build (zf_handle *h, struct search *s)
{
  bool missing;
  char *reason;
  int lock, r = 0;

  if (good (s, &missing, &reason))
    goto found;
  free (reason);
  if ((lock = zfi_cache_lock (h, s->dir, s->kind)) == -1)
    return -1;
  /* Another may have built it while we waited. */
  if (!good (s, &missing, &reason)) {
    if (missing)
      zfi_verbose (h, "building %s in %s", s->kind->what, s->dir);
    else
      zfi_warning (h, "%s in the cache is damaged and is built again: %s", s->kind->what, reason);
    free (reason);
    r = build (h, s);
  }
  zfi_cache_unlock (lock);
  if (r == -1)
    return -1;
 found:
  zfi_cache_touch (s->entry);
  return 0;
}

/* DIR/NAME, or NULL with the error set. */
static char *
file_of (zf_handle *h, const char *dir, const char *name)
{
  char *r;

  if (asprintf (&r, "%s/%s", dir, name) != -1)
    return r;
  zfi_perror (h, ENOMEM, "the appliance");
  return NULL;
}

struct zfi_appliance *
zfi_appliance_get (zf_handle *h)
{
  struct zfi_appliance *a = NULL;
  struct search s;

  if (h->path != NULL)
    return zfi_appliance_fixed (h, h->path);
  if (search_init (h, &s, &cache_kernel) == -1 || find_or_build (h, &s) == -1)
    goto out;
  if ((a = calloc (1, sizeof *a)) == NULL) {
    zfi_perror (h, ENOMEM, "the appliance");
    goto out;
  }
  a->dir = s.entry;
  s.entry = NULL;
  a->kernel = file_of (h, a->dir, "kernel");
  a->initrd = a->kernel == NULL ? NULL : file_of (h, a->dir, "initrd");
  if (a->initrd == NULL) {
    zfi_appliance_free (a);
    a = NULL;
  }
 out:
  search_free (&s);
  return a;
}

int
zfi_appliance_tools (zf_handle *h, struct zfi_appliance *a)
{
  struct search s;
  int r = -1;

  if (a->root != NULL)
    return 0;
  if (search_init (h, &s, &cache_tools) == 0 && find_or_build (h, &s) == 0
      && (a->root = file_of (h, s.entry, "root")) != NULL)
    r = 0;
  search_free (&s);
  return r;
}

void
zfi_appliance_free (struct zfi_appliance *a)
{
  if (a == NULL)
    return;
  free (a->dir);
  free (a->kernel);
  free (a->initrd);
  free (a->root);
  free (a);
}
