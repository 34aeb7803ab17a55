/* The template: the state of an appliance that has come up, from which later launches go on instead of booting.
 *
 * It is an entry of the cache whose key covers all that makes such a state unusable.  Nothing here is ever an
 * error of the launch: without a template the appliance boots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cache.h"
#include "launch.h"

/* A machine with much memory can have a large state, whose loading would cost more than a boot. */
#define STATE_MAX (256 << 20)

static const char *const files[] = { "state", NULL };
const struct cache_kind cache_template = { "template", "the template", files, 60, .private = true };

/* --- the key --- */

/* A line that identifies the file PATH; a missing one has a line too. */
static void
put_file (FILE *out, const char *path)
{
  struct stat st;

  if (stat (path, &st) == -1)
    fprintf (out, "%s missing\n", path);
  else
    fprintf (out, "%s %lld %lld.%09ld %llu\n", path, (long long) st.st_size, (long long) st.st_mtim.tv_sec,
             st.st_mtim.tv_nsec, (unsigned long long) st.st_ino);
}

/* Under KVM the guest has seen the host's processor, and its state has the form of the host's kernel. */
static void
put_host (FILE *out)
{
  static const char *const wanted[] = {
    "vendor_id", "cpu family", "model", "stepping", "microcode", "flags", "bogomips", "Features", "BogoMIPS",
  };
  FILE *fp = fopen ("/proc/cpuinfo", "re");
  char *line = NULL;
  size_t cap = 0;
  struct utsname u;

  if (uname (&u) == 0)
    fprintf (out, "%s %s %s\n", u.release, u.version, u.machine);
  while (fp != NULL && getline (&line, &cap, fp) > 1)         /* the first processor; an empty line ends it */
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
      if (strncmp (line, wanted[i], strlen (wanted[i])) == 0)
        fputs (line, out);
  free (line);
  if (fp != NULL)
    fclose (fp);
}

/* All that the state depends on (malloced), or NULL.  The command line has the machine, processor,
 * accelerator, memory, kernel options and verbosity in it. */
static char *
make_key (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel)
{
  char *hv = zfi_find_hv (h), **argv = NULL, *text = NULL;
  size_t size;
  FILE *out;

  if (hv == NULL || (argv = zfi_qemu_argv (h, hv, a, accel)) == NULL
      || (out = open_memstream (&text, &size)) == NULL)
    goto out;
  fprintf (out, "zerofish %s, template 1\n", PACKAGE_VERSION);
  for (char **p = argv; *p != NULL; p++)
    fprintf (out, "%s\n", *p);
  put_file (out, hv);
  put_file (out, a->kernel);
  put_file (out, a->initrd);
  if (accel == ACCEL_KVM)
    put_host (out);
  if (fclose (out) == EOF) {
    free (text);
    text = NULL;
  }
 out:
  free (hv);
  zf_free_string_list (argv);
  return text;
}

/* Where it is, or would be: 0, or -1 where there can be none. */
static int
find_place (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, struct zfi_template *t)
{
  char *key = make_key (h, a, accel);

  t->dir = zfi_cache_dir (h);
  t->name = key != NULL ? zfi_cache_entry_name (&cache_template, key) : NULL;
  free (key);
  if (t->dir != NULL && t->name != NULL && asprintf (&t->entry, "%s/%s", t->dir, t->name) != -1)
    return 0;
  t->entry = NULL;
  zfi_clear_error (h);
  return -1;
}

/* The entry says itself which key it is for: one that was put in the place of another is found out. */
static char *
check_key (const struct zfi_template *t)
{
  char *path, name[256] = "";
  FILE *fp;

  if (asprintf (&path, "%s/key", t->entry) == -1)
    return strdup ("no memory");
  fp = fopen (path, "re");
  free (path);
  if (fp != NULL) {
    if (fgets (name, sizeof name, fp) == NULL)
      name[0] = '\0';
    fclose (fp);
  }
  name[strcspn (name, "\n")] = '\0';
  return strcmp (name, t->name) == 0 ? NULL : strdup ("it was made for another machine");
}

/* NULL, or what went wrong (malloced). */
static char *
write_key (const char *tmp, const struct zfi_template *t)
{
  char *path;
  FILE *fp;
  int fd;
  bool ok;

  if (asprintf (&path, "%s/key", tmp) == -1)
    return strdup ("no memory");
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  free (path);
  if (fd == -1 || (fp = fdopen (fd, "w")) == NULL) {
    if (fd != -1)
      close (fd);
    return strdup (strerror (errno));
  }
  ok = fprintf (fp, "%s\n", t->name) > 0;
  return fclose (fp) == 0 && ok ? NULL : strdup (strerror (errno));
}

/* --- using it --- */

bool
zfi_template_open (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, struct zfi_template *t)
{
  char *reason = NULL;
  bool missing;

  *t = (struct zfi_template) { .fd = -1 };
  if (find_place (h, a, accel, t) == -1)
    return false;
  t->fd = zfi_cache_open (t->entry, &cache_template, &t->crc, &missing, &reason);
  if (t->fd != -1 && (reason = check_key (t)) != NULL) {
    close (t->fd);
    t->fd = -1;
  }
  if (t->fd == -1 && !missing) {
    zfi_verbose (h, "the template cannot be used: %s; booting instead", reason);
    zfi_template_discard (t);
  }
  free (reason);
  return t->fd != -1;
}

bool
zfi_template_intact (const struct zfi_template *t)
{
  uint32_t crc;

  return zfi_cache_sum (t->fd, &crc) == 0 && crc == t->crc;
}

void
zfi_template_used (const struct zfi_template *t)
{
  zfi_cache_touch (t->entry);
}

void
zfi_template_discard (const struct zfi_template *t)
{
  if (t->entry != NULL)
    zfi_remove_tree (t->entry);
}

void
zfi_template_close (struct zfi_template *t)
{
  if (t->fd != -1)
    close (t->fd);
  free (t->dir);
  free (t->name);
  free (t->entry);
  *t = (struct zfi_template) { .fd = -1 };
}

/* --- making it --- */

/* A new file in directory TMP for the state; -1 with errno. */
static int
create_state (const char *tmp)
{
  char *path;
  int fd;

  if (asprintf (&path, "%s/%s", tmp, files[0]) == -1)
    return -1;
  fd = open (path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  free (path);
  return fd;
}

/* Have the state written to the new directory TMP: NULL, or why not (malloced). */
static char *
fill (zf_handle *h, const char *tmp, bool *running)
{
  int fd = create_state (tmp);
  char *why = NULL;
  struct stat st;

  if (fd == -1)
    return strdup (strerror (errno));
  if (h->backend->save (h, h->backend_data, fd, running, &why) == -1 && why == NULL)
    why = strdup ("no memory");
  if (why == NULL && (fstat (fd, &st) == -1 || st.st_size > STATE_MAX))
    why = strdup ("it is too large");
  close (fd);
  return why != NULL ? why : zfi_cache_seal (tmp, &cache_template);
}

/* Under the lock: NULL, or why there is no template now (malloced). */
static char *
make (zf_handle *h, const struct zfi_template *t, bool *running)
{
  char *tmp = NULL, *why = NULL;

  zfi_cache_remove_stale (t->dir, &cache_template);
  if (asprintf (&tmp, "%s/tmp-template-XXXXXX", t->dir) == -1)
    return strdup ("no memory");
  if (mkdtemp (tmp) == NULL)
    why = strdup (strerror (errno));
  else {
    chmod (tmp, 0700);
    if ((why = fill (h, tmp, running)) == NULL && (why = write_key (tmp, t)) == NULL) {
      zfi_remove_tree (t->entry);
      if (rename (tmp, t->entry) == -1)
        why = strdup (strerror (errno));
    }
    if (why != NULL)
      zfi_remove_tree (tmp);
    else
      zfi_cache_prune (t->dir, &cache_template, t->name);
  }
  free (tmp);
  return why;
}

int
zfi_template_make (zf_handle *h, struct zfi_template *t)
{
  int64_t start = zfi_now_ms ();
  bool running = true;
  char *why = NULL;
  int lock;

  if (t->entry == NULL || h->backend->save == NULL)
    return 0;
  if ((lock = zfi_cache_try_lock (t->dir, &cache_template)) == -1) {
    zfi_verbose (h, "no template was made: %s",
                 errno == EAGAIN || errno == EACCES ? "another launch is making one" : strerror (errno));
    return 0;
  }
  /* Not if another made it while this one booted: it is the same. */
  if (access (t->entry, F_OK) == -1) {
    if ((why = make (h, t, &running)) != NULL)
      zfi_verbose (h, "no template was made: %s", why);
    else
      zfi_verbose (h, "made a template in %lld ms: %s", (long long) (zfi_now_ms () - start), t->entry);
  }
  free (why);
  zfi_cache_unlock (lock);
  t->spoilt = !running;
  return running ? 0 : zfi_error (h, EIO, "the emulator did not go on after its state was saved");
}
