/* An appliance in a folder of its own, which the user names: ours, or that of libguestfs.
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

#include "launch.h"

#define NR_FILES 4
static const char *const files[NR_FILES] = { "kernel", "initrd", "root", "README.fixed" };
enum { KERNEL, INITRD, ROOT, README };

/* Fill PATHS (malloced) with the files in the N bytes at DIR.  NULL: all are there; else the one that is
 * not. */
static const char *
find_files (const char *dir, size_t n, char *paths[NR_FILES])
{
  struct stat st;

  for (size_t i = 0; i < NR_FILES; i++) {
    if (asprintf (&paths[i], "%.*s/%s", (int) n, dir, files[i]) == -1)
      paths[i] = NULL;
    if (paths[i] == NULL || stat (paths[i], &st) == -1 || !S_ISREG (st.st_mode)
        || access (paths[i], R_OK) == -1)
      return files[i];
  }
  return NULL;
}

static void
free_paths (char *paths[NR_FILES])
{
  for (size_t i = 0; i < NR_FILES; i++) {
    free (paths[i]);
    paths[i] = NULL;
  }
}

/* Did zerofish-make-fixed-appliance write the folder? */
static bool
is_ours (const char *readme)
{
  char text[128] = "";
  FILE *fp = fopen (readme, "re");

  if (fp != NULL) {
    if (fgets (text, sizeof text, fp) == NULL)
      text[0] = '\0';
    fclose (fp);
  }
  return strncmp (text, ZFI_FIXED_OURS, strlen (ZFI_FIXED_OURS)) == 0;
}

/* The UUID by which an appliance of libguestfs finds its root, into UUID; false if there is none. */
static bool
read_uuid (const char *root, char uuid[37])
{
  unsigned char sb[1024];
  FILE *fp = fopen (root, "re");
  size_t n = fp != NULL && fseek (fp, 1024, SEEK_SET) == 0 ? fread (sb, 1, sizeof sb, fp) : 0;
  char *out = uuid;

  if (fp != NULL)
    fclose (fp);
  if (n != sizeof sb || sb[0x38] != 0x53 || sb[0x39] != 0xef)
    return false;
  for (size_t i = 0; i < 16; i++)
    out += sprintf (out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", sb[0x68 + i]);
  return true;
}

static struct zfi_appliance *
make (zf_handle *h, const char *dir, size_t n, char *paths[NR_FILES])
{
  struct zfi_appliance *a = calloc (1, sizeof *a);

  if (a == NULL || (a->dir = strndup (dir, n)) == NULL) {
    zfi_appliance_free (a);
    zfi_perror (h, ENOMEM, "the appliance");
    return NULL;
  }
  a->kernel = paths[KERNEL];
  a->initrd = paths[INITRD];
  a->root = paths[ROOT];
  paths[KERNEL] = paths[INITRD] = paths[ROOT] = NULL;
  a->stock = !is_ours (paths[README]);
  if (a->stock && !read_uuid (a->root, a->uuid)) {
    zfi_error (h, EINVAL, "%s is no root of an appliance: it holds no ext2 filesystem; make the folder again",
               a->root);
    zfi_appliance_free (a);
    return NULL;
  }
  zfi_verbose (h, "the appliance is %s, %s", a->dir, a->stock ? "of libguestfs" : "of zerofish");
  return a;
}

/* The path may be a list, as programs of libguestfs know it: the first folder that is complete counts. */
struct zfi_appliance *
zfi_appliance_fixed (zf_handle *h, const char *path)
{
  struct zfi_appliance *a = NULL;
  char *paths[NR_FILES] = { NULL };
  const char *missing = "";

  for (const char *p = path; *p != '\0' && a == NULL; p += *p == ':') {
    size_t n = strcspn (p, ":");

    missing = find_files (p, n, paths);
    if (n > 0 && missing == NULL && (a = make (h, p, n, paths)) == NULL) {
      free_paths (paths);
      return NULL;
    }
    free_paths (paths);
    p += n;
  }
  if (a == NULL)
    zfi_error (h, ENOENT, "there is no appliance in %s ('%s' is missing): zerofish-make-fixed-appliance or "
               "libguestfs-make-fixed-appliance makes one; without a path zerofish uses its own", path, missing);
  return a;
}

/* What the kernel of libguestfs's appliance is told by its own library. */
char *
zfi_stock_cmdline (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel)
{
  const char *term = getenv ("TERM");
  char *s;

  if (term == NULL || *term == '\0' || term[strspn (term, "abcdefghijklmnopqrstuvwxyz0123456789-+.")] != '\0')
    term = "linux";
  if (asprintf (&s, "panic=1 console=%s edd=off udevtimeout=6000 udev.event-timeout=6000 no_timer_check"
                " printk.time=1 cgroup_disable=memory usbcore.nousb cryptomgr.notests%s 8250.nr_uarts=1"
                " root=UUID=%s selinux=0 %s TERM=%s", ZFI_CONSOLE, accel == ACCEL_TCG ? " tsc=reliable" : "",
                a->uuid, h->verbose ? "guestfs_verbose=1" : "quiet", term) == -1)
    return NULL;
  return s;
}
