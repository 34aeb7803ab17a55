/* Settings of a handle: defaults, the environment, and the set_ and get_ actions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "private-actions.h"
#include "settings.h"

#define MEMSIZE_DEFAULT 1280            /* MiB: luks_open with argon2id wants 1 GiB */
#define MEMSIZE_MIN     128
#define MEMSIZE_MAX     (1024 * 1024)
#define SMP_MAX         255

/* --- defaults --- */

/* An environment variable; NULL also if it is empty. */
static const char *
environment (const char *name)
{
  const char *s = secure_getenv (name);

  return s && *s ? s : NULL;
}

/* One of our own variables, which the program may not want. */
static const char *
own (zf_handle *h, const char *name)
{
  return h->no_environment ? NULL : environment (name);
}

static bool
environment_bool (zf_handle *h, const char *name)
{
  const char *s = own (h, name);

  return s && (strcmp (s, "1") == 0 || strcasecmp (s, "true") == 0 || strcasecmp (s, "yes") == 0
               || strcasecmp (s, "on") == 0);
}

/* A number from MIN to MAX; anything else is ignored with a warning, as there is no handle yet that could
 * hold an error. */
static int
environment_int (zf_handle *h, const char *name, int def, int min, int max)
{
  const char *s = own (h, name);
  char *end;
  long n;

  if (s == NULL)
    return def;
  errno = 0;
  n = strtol (s, &end, 10);
  if (errno == 0 && *end == '\0' && n >= min && n <= max)
    return n;
  zfi_warning (h, "$%s is ignored: \"%s\" is not a number from %d to %d", name, s, min, max);
  return def;
}

/* A copy of S, or NULL if S is NULL; *ERR is set if memory is out. */
static char *
copy (const char *s, int *err)
{
  char *r = s ? strdup (s) : NULL;

  if (s && r == NULL)
    *err = ENOMEM;
  return r;
}

/* "a:b" as a list. */
static char **
split (const char *s, int *err)
{
  char *text = copy (s, err), *save = NULL;
  char **list = calloc (s ? strlen (s) + 1 : 1, sizeof *list);
  size_t n = 0;

  if (list == NULL)
    *err = ENOMEM;
  if (text != NULL && list != NULL)
    for (char *p = strtok_r (text, ":", &save); p != NULL; p = strtok_r (NULL, ":", &save))
      list[n++] = copy (p, err);
  free (text);
  return list;
}

int
zfi_default_settings (zf_handle *h)
{
  const char *backend = own (h, "ZEROFISH_BACKEND");
  int err = 0;

  h->verbose = environment_bool (h, "ZEROFISH_DEBUG");
  h->trace = environment_bool (h, "ZEROFISH_TRACE");
  h->memsize = environment_int (h, "ZEROFISH_MEMSIZE", MEMSIZE_DEFAULT, MEMSIZE_MIN, MEMSIZE_MAX);
  h->smp = environment_int (h, "ZEROFISH_SMP", 1, 1, SMP_MAX);
  h->backend_name = copy (backend ? backend : "direct", &err);
  h->backend_settings = split (own (h, "ZEROFISH_BACKEND_SETTINGS"), &err);
  h->hv = copy (own (h, "ZEROFISH_HV"), &err);
  h->cachedir = copy (own (h, "ZEROFISH_CACHEDIR"), &err);
  h->tmpdir = copy (own (h, "ZEROFISH_TMPDIR"), &err);
  h->path = copy (own (h, "ZEROFISH_APPLIANCE"), &err);
  return err;
}

/* --- helpers of the actions --- */

/* Replace *PLACE by a copy of S; an empty S means the default (NULL). */
static int
set_string (zf_handle *h, char **place, const char *s)
{
  char *r = NULL;

  if (*s && (r = strdup (s)) == NULL)
    return zfi_perror (h, errno, "out of memory");
  free (*place);
  *place = r;
  return 0;
}

/* A copy that the caller of the API frees. */
static char *
result_string (zf_handle *h, const char *s)
{
  char *r = strdup (s ? s : "");

  if (r == NULL)
    zfi_perror (h, errno, "out of memory");
  return r;
}

static int
set_int (zf_handle *h, int *place, const char *what, int n, int min, int max)
{
  if (n < min || n > max)
    return zfi_error (h, EINVAL, "%d is no possible %s: it must be from %d to %d", n, what, min, max);
  *place = n;
  return 0;
}

/* --- actions --- */

int
zfi_set_autosync (zf_handle *h, int autosync)
{
  h->no_autosync = !autosync;
  return 0;
}

int
zfi_get_autosync (zf_handle *h)
{
  return !h->no_autosync;
}

int
zfi_set_verbose (zf_handle *h, int verbose)
{
  h->verbose = verbose;
  return 0;
}

int
zfi_get_verbose (zf_handle *h)
{
  return h->verbose;
}

int
zfi_set_trace (zf_handle *h, int trace)
{
  h->trace = trace;
  return 0;
}

int
zfi_get_trace (zf_handle *h)
{
  return h->trace;
}

int
zfi_set_memsize (zf_handle *h, int memsize)
{
  return set_int (h, &h->memsize, "memory size in MiB", memsize, MEMSIZE_MIN, MEMSIZE_MAX);
}

int
zfi_get_memsize (zf_handle *h)
{
  return h->memsize;
}

int
zfi_set_smp (zf_handle *h, int smp)
{
  return set_int (h, &h->smp, "number of virtual CPUs", smp, 1, SMP_MAX);
}

int
zfi_get_smp (zf_handle *h)
{
  return h->smp;
}

int
zfi_set_backend (zf_handle *h, const char *backend)
{
  const char *name = *backend ? backend : "direct";
  const char *arg;

  if (zfi_backend_find (h, name, &arg) == NULL)
    return -1;
  return set_string (h, &h->backend_name, name);
}

char *
zfi_get_backend (zf_handle *h)
{
  return result_string (h, h->backend_name);
}

/* A copy of LIST, or NULL with the error set. */
static char **
copy_list (zf_handle *h, char *const *list)
{
  char **r;
  size_t n = 0;

  while (list[n] != NULL)
    n++;
  if ((r = calloc (n + 1, sizeof *r)) == NULL)
    goto error;
  for (size_t i = 0; i < n; i++)
    if ((r[i] = strdup (list[i])) == NULL)
      goto error;
  return r;

 error:
  zfi_perror (h, errno, "out of memory");
  zf_free_string_list (r);
  return NULL;
}

int
zfi_set_backend_settings (zf_handle *h, char *const *settings)
{
  char **copied = copy_list (h, settings);

  if (copied == NULL)
    return -1;
  zf_free_string_list (h->backend_settings);
  h->backend_settings = copied;
  return 0;
}

char **
zfi_get_backend_settings (zf_handle *h)
{
  return copy_list (h, h->backend_settings);
}

int
zfi_set_hv (zf_handle *h, const char *hv)
{
  return set_string (h, &h->hv, hv);
}

char *
zfi_get_hv (zf_handle *h)
{
  return h->hv ? result_string (h, h->hv) : zfi_find_hv (h);
}

int
zfi_set_path (zf_handle *h, const char *path)
{
  return set_string (h, &h->path, path);
}

char *
zfi_get_path (zf_handle *h)
{
  return result_string (h, h->path);
}

int
zfi_set_cachedir (zf_handle *h, const char *cachedir)
{
  return set_string (h, &h->cachedir, cachedir);
}

char *
zfi_get_cachedir (zf_handle *h)
{
  const char *xdg = environment ("XDG_CACHE_HOME"), *home = environment ("HOME");
  char *dir;

  if (h->cachedir != NULL)
    return result_string (h, h->cachedir);
  if (asprintf (&dir, "%s%s/zerofish", xdg ? xdg : home ? home : "", xdg ? "" : "/.cache") != -1)
    return dir;
  zfi_perror (h, ENOMEM, "out of memory");
  return NULL;
}

int
zfi_set_tmpdir (zf_handle *h, const char *tmpdir)
{
  return set_string (h, &h->tmpdir, tmpdir);
}

char *
zfi_get_tmpdir (zf_handle *h)
{
  const char *variable = environment ("TMPDIR");

  return result_string (h, h->tmpdir ? h->tmpdir : variable ? variable : "/tmp");
}

int
zfi_is_config (zf_handle *h)
{
  return h->state == ZF_STATE_CONFIG;
}

int
zfi_is_ready (zf_handle *h)
{
  return h->state == ZF_STATE_READY;
}

struct zf_version *
zfi_version (zf_handle *h)
{
  struct zf_version *v = calloc (1, sizeof *v);
  int major = 0, minor = 0, release = 0, used = 0;

  sscanf (PACKAGE_VERSION, "%d.%d.%d%n", &major, &minor, &release, &used);
  if (v == NULL || (v->extra = strdup (PACKAGE_VERSION + used)) == NULL) {
    zfi_perror (h, errno, "out of memory");
    free (v);
    return NULL;
  }
  v->major = major;
  v->minor = minor;
  v->release = release;
  return v;
}
