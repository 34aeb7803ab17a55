/* What an entry of the appliance's cache depends on: found by looking at files, without starting a program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "cache.h"

#define SCRIPT "zerofish-build-appliance"

static const char *const kernel_files[] = { "kernel", "initrd", NULL };
static const char *const tools_files[] = { "root", NULL };
const struct cache_kind cache_kernel = { "kernel", "the appliance", kernel_files, 120, false };
const struct cache_kind cache_tools = { "tools", "the appliance's root with the tools", tools_files, 900,
                                        false };

/* A list of names under construction. */
struct names {
  char **v;
  size_t n;
  bool failed;
};

static void __attribute__ ((format (printf, 2, 3)))
add (struct names *l, const char *fs, ...)
{
  va_list args;
  char **v = realloc (l->v, (l->n + 1) * sizeof *v);

  if (v == NULL) {
    l->failed = true;
    return;
  }
  l->v = v;
  va_start (args, fs);
  if (vasprintf (&v[l->n], fs, args) == -1)
    l->failed = true;
  else
    l->n++;
  va_end (args);
}

/* All files that DIR/PATTERN names.  DIR is taken as it is. */
static void
add_glob (struct names *l, const char *dir, const char *pattern)
{
  char full[PATH_MAX * 2 + 64];
  size_t n = 0;
  glob_t g;

  for (; *dir != '\0' && n < PATH_MAX * 2; dir++) {
    if (strchr ("*?[\\", *dir) != NULL)
      full[n++] = '\\';
    full[n++] = *dir;
  }
  snprintf (full + n, sizeof full - n, "/%s", pattern);
  if (glob (full, GLOB_NOSORT, NULL, &g) == 0) {
    for (size_t i = 0; i < g.gl_pathc; i++)
      add (l, "%s", g.gl_pathv[i]);
    globfree (&g);
  }
}

static const char *
variable (const char *name, const char *otherwise)
{
  const char *s = secure_getenv (name);

  return s != NULL && s[0] != '\0' ? s : otherwise;
}

static bool
is_directory (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISDIR (st.st_mode);
}

/* The daemon that the script in the directory DIR takes. */
static void
add_daemon (struct names *l, const char *dir)
{
  const char *named = variable ("ZEROFISHD", NULL), *slash = strrchr (dir, '/');
  char *beside = NULL;

  if (named != NULL)
    add (l, "%s", named);
  else if (asprintf (&beside, "%s/zerofishd", dir) == -1)
    l->failed = true;
  else if (access (beside, F_OK) == 0)
    add (l, "%s", beside);
  else
    add (l, "%.*s/daemon/zerofishd", slash ? (int) (slash - dir) : 0, dir);
  if (named == NULL)
    free (beside);
}

static void
add_kernel_files (struct names *l, const char *dir)
{
  const char *kernel = variable ("ZEROFISH_KERNEL", NULL);
  const char *modules = variable ("ZEROFISH_KERNEL_MODULES", "/lib/modules");

  add_daemon (l, dir);
  add (l, "%s/modules.list", dir);
  if (kernel != NULL && !is_directory (kernel))
    add (l, "%s", kernel);
  else
    add_glob (l, kernel ? kernel : "/boot", "vmlinuz-*");
  if (kernel == NULL)
    add_glob (l, modules, "*/vmlinuz");
  add (l, "%s/modules.dep", modules);
  add_glob (l, modules, "*/modules.dep");
}

/* The databases of the package managers change with every package. */
static void
add_tools_files (struct names *l, const char *dir)
{
  static const char *const databases[] = {
    "/var/lib/dpkg/status", "/var/lib/rpm/Packages", "/var/lib/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/Packages.db", "/usr/lib/sysimage/rpm/rpmdb.sqlite", "/var/lib/pacman/local",
  };
  const char *packages = variable ("ZEROFISH_PACKAGES", NULL);

  if (packages != NULL)
    add (l, "%s", packages);
  else
    add (l, "%s/packages.list", dir);
  for (size_t i = 0; i < sizeof databases / sizeof databases[0]; i++)
    add (l, "%s", databases[i]);
}

static int
compare (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Replace each name by its line; names that do not exist go. */
static void
add_stats (struct names *l)
{
  size_t kept = 0;
  struct stat st;

  for (size_t i = 0; i < l->n; i++) {
    char *name = l->v[i];

    if (stat (name, &st) == 0) {
      if (asprintf (&l->v[kept], "%s %lld %lld.%09ld\n", name, (long long) st.st_size,
                    (long long) st.st_mtim.tv_sec, st.st_mtim.tv_nsec) == -1)
        l->failed = true;
      else
        kept++;
    }
    free (name);
  }
  l->n = kept;
}

static char *
join (struct names *l)
{
  size_t len = 1;
  char *r, *end;

  for (size_t i = 0; i < l->n; i++)
    len += strlen (l->v[i]);
  r = end = l->failed ? NULL : malloc (len);
  if (r != NULL)
    *r = '\0';
  for (size_t i = 0; i < l->n; i++) {
    if (r != NULL)
      end = stpcpy (end, l->v[i]);
    free (l->v[i]);
  }
  free (l->v);
  return r;
}

char *
zfi_build_script (zf_handle *h)
{
  const char *builddir = variable ("ZEROFISH_BUILDDIR", NULL);
  char *r = NULL;
  int n = builddir != NULL ? asprintf (&r, "%s/appliance/" SCRIPT, builddir)
                           : asprintf (&r, "%s", ZF_LIBDIR "/" SCRIPT);

  if (n == -1) {
    zfi_perror (h, ENOMEM, "the appliance's build script");
    return NULL;
  }
  if (access (r, X_OK) == -1) {
    zfi_perror (h, errno, "the appliance's build script %s (zerofish is not completely installed)", r);
    free (r);
    return NULL;
  }
  return r;
}

char *
zfi_cache_key (const char *script, const struct cache_kind *kind)
{
  struct names l = { 0 };
  char *dir = strdup (script), *slash = dir ? strrchr (dir, '/') : NULL;

  if (slash != NULL) {
    *slash = '\0';
    add (&l, "%s/" SCRIPT, dir);
    add (&l, "%s/build-%s.sh", dir, kind->name);
    if (kind == &cache_kernel) {
      add (&l, "%s/build-initrd.sh", dir);
      add_kernel_files (&l, dir);
    } else
      add_tools_files (&l, dir);
  }
  free (dir);
  if (l.n > 0)
    qsort (l.v, l.n, sizeof *l.v, compare);
  add_stats (&l);
  return join (&l);
}

char *
zfi_cache_entry_name (const struct cache_kind *kind, const char *key)
{
  struct sha256_ctx ctx;
  uint8_t digest[SHA256_DIGEST_SIZE];
  char hex[33], *r;

  sha256_init (&ctx);
  sha256_update (&ctx, strlen (key), (const uint8_t *) key);
  sha256_digest (&ctx, sizeof digest, digest);
  for (int i = 0; i < 16; i++)
    sprintf (hex + 2 * i, "%02x", digest[i]);
  return asprintf (&r, "%s-%s", kind->name, hex) == -1 ? NULL : r;
}
