/* Adding drives: their options, and files, block devices, NBD servers and scratch disks as what is behind
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "drive.h"
#include "private-actions.h"

#define DRIVES_MAX  255     /* SCSI targets 0 to 254; 255 is the tools root */
#define LABEL_MAX   20

void
zfi_drive_free (struct zf_drive *d)
{
  if (d == NULL)
    return;
  free (d->path);
  free (d->format);
  free (d->label);
  free (d->cachemode);
  free (d->uri);
  zfi_nbd_free (d->nbd);
  free (d);
}

void
zfi_drives_forget (zf_handle *h)
{
  for (size_t i = 0; i < h->nr_drives; i++)
    zfi_drive_free (h->drives[i]);
  free (h->drives);
  h->drives = NULL;
  h->nr_drives = 0;
}

const char *
zfi_detect_zeroes_name (enum zf_detect_zeroes d)
{
  return d == DETECT_ZEROES_UNMAP ? "unmap" : d == DETECT_ZEROES_ON ? "on" : "off";
}

/* --- options --- */

/* Copy the string S into *PLACE. */
static int
set_copy (zf_handle *h, char **place, const char *s)
{
  *place = strdup (s);
  return *place ? 0 : zfi_perror (h, errno, "out of memory");
}

static int
set_label (zf_handle *h, struct zf_drive *d, const char *label)
{
  size_t n = strlen (label);

  for (size_t i = 0; i < n; i++)
    if (!isascii ((unsigned char) label[i]) || !isalpha ((unsigned char) label[i]))
      return zfi_error (h, EINVAL, "a drive's label consists of letters (a to z, A to Z) only");
  if (n < 1 || n > LABEL_MAX)
    return zfi_error (h, EINVAL, "a drive's label has 1 to %d letters", LABEL_MAX);
  for (size_t i = 0; i < h->nr_drives; i++)
    if (h->drives[i]->label && strcmp (h->drives[i]->label, label) == 0)
      return zfi_error (h, EEXIST, "another drive has the label \"%s\" already", label);
  return set_copy (h, &d->label, label);
}

static int
set_discard (zf_handle *h, struct zf_drive *d, const char *discard)
{
  if (strcmp (discard, "disable") == 0)
    d->discard = DISCARD_DISABLE;
  else if (strcmp (discard, "enable") == 0)
    d->discard = DISCARD_ENABLE;
  else if (strcmp (discard, "besteffort") == 0)
    d->discard = DISCARD_BESTEFFORT;
  else
    return zfi_error (h, EINVAL, "discard must be disable, enable or besteffort");
  return 0;
}

static int
set_blocksize (zf_handle *h, struct zf_drive *d, int blocksize)
{
  if (blocksize != 512 && blocksize != 4096)
    return zfi_error (h, EINVAL, "the block size must be 512 or 4096");
  d->blocksize = blocksize;
  return 0;
}

static int
set_cachemode (zf_handle *h, struct zf_drive *d, const char *mode)
{
  if (strcmp (mode, "writeback") != 0 && strcmp (mode, "unsafe") != 0)
    return zfi_error (h, EINVAL, "the cache mode must be writeback or unsafe");
  free (d->cachemode);
  return set_copy (h, &d->cachemode, mode);
}

/* All options but the format. */
static int
set_options (zf_handle *h, struct zf_drive *d, const struct zf_add_drive_opts *o)
{
  const uint64_t mask = o ? o->bitmask : 0;

  d->blocksize = 512;
  d->discard = DISCARD_DISABLE;
  d->readonly = (mask & ZF_ADD_DRIVE_OPTS_READONLY) && o->readonly;
  if (set_copy (h, &d->cachemode, "writeback") == -1
      || ((mask & ZF_ADD_DRIVE_OPTS_LABEL) && set_label (h, d, o->label) == -1)
      || ((mask & ZF_ADD_DRIVE_OPTS_DISCARD) && set_discard (h, d, o->discard) == -1)
      || ((mask & ZF_ADD_DRIVE_OPTS_BLOCKSIZE) && set_blocksize (h, d, o->blocksize) == -1)
      || ((mask & ZF_ADD_DRIVE_OPTS_CACHEMODE) && set_cachemode (h, d, o->cachemode) == -1))
    return -1;
  return 0;
}

/* "enable" is a demand: it fails where discards cannot reach the image.  "besteffort" gives in. */
static int
settle_discard (zf_handle *h, struct zf_drive *d)
{
  const char *why = NULL;

  if (d->discard == DISCARD_DISABLE)
    return 0;
  if (d->readonly)
    why = "the drive is read-only";
  else if (strcmp (d->format, "raw") != 0 && strcmp (d->format, "qcow2") != 0)
    why = "only raw and qcow2 images can give space back";
  if (why == NULL)
    return 0;
  if (d->discard == DISCARD_ENABLE)
    return zfi_error (h, ENOTSUP, "%s: discard cannot be enabled: %s (besteffort does not insist)",
                      d->nbd ? "NBD drive" : d->path, why);
  d->discard = DISCARD_DISABLE;
  return 0;
}

/* --- what is behind the drive --- */

bool
zfi_is_uri (const char *name)
{
  size_t n = strspn (name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

  return n > 0 && isalpha ((unsigned char) name[0]) && strncmp (name + n, "://", 3) == 0;
}

/* /dev/null by its device number, whatever it is called. */
static bool
is_null_device (const char *name)
{
  struct stat st;

  return stat (name, &st) == 0 && S_ISCHR (st.st_mode) && st.st_rdev == makedev (1, 3);
}

/* NBD servers export a disk's content, so an image format is only looked for if the user says so. */
static int
use_nbd (zf_handle *h, struct zf_drive *d, const char *uri, const char *format)
{
  if (strncmp (uri, "nbd", 3) != 0)
    return zfi_error (h, EINVAL, "this kind of URI is unknown: files are given by their names, "
                      "NBD servers as nbd://HOST/EXPORT or nbd+unix:///EXPORT?socket=PATH "
                      "(a file whose name looks like a URI: ./NAME)");
  if ((d->nbd = zfi_nbd_parse (h, uri)) == NULL)
    return -1;
  if (d->nbd->tls)
    return zfi_error (h, ENOTSUP, "NBD over TLS (nbds) is not supported");
  return set_copy (h, &d->uri, uri) == -1 || set_copy (h, &d->path, uri) == -1
    || set_copy (h, &d->format, format ? format : "raw") == -1 ? -1 : 0;
}

static int
use_scratch (zf_handle *h, struct zf_drive *d, const char *name, const char *format)
{
  if (format != NULL && strcmp (format, "raw") != 0)
    return zfi_error (h, EINVAL, "%s becomes a scratch disk, whose format is raw", name);
  d->scratch = true;
  return set_copy (h, &d->path, name) == -1 || set_copy (h, &d->format, "raw") == -1 ? -1 : 0;
}

static int
use_file (zf_handle *h, struct zf_drive *d, const char *name, const char *format)
{
  if (name[0] == '\0')
    return zfi_error (h, EINVAL, "the file name is empty");
  if ((d->path = zfi_absolute_path (h, name)) == NULL)
    return -1;
  return zfi_drive_look (h, d, format);
}

static int
use_name (zf_handle *h, struct zf_drive *d, const char *name, const char *format)
{
  if (zfi_is_uri (name))
    return use_nbd (h, d, name, format);
  if (is_null_device (name))
    return use_scratch (h, d, name, format);
  return use_file (h, d, name, format);
}

/* --- actions --- */

/* Takes over D. */
static int
append_drive (zf_handle *h, struct zf_drive *d)
{
  struct zf_drive **drives = realloc (h->drives, (h->nr_drives + 1) * sizeof *drives);

  if (drives == NULL) {
    zfi_drive_free (d);
    return zfi_perror (h, ENOMEM, "out of memory");
  }
  h->drives = drives;
  drives[h->nr_drives++] = d;
  return 0;
}

int
zfi_add_drive (zf_handle *h, const char *filename, const struct zf_add_drive_opts *opts)
{
  const char *format = opts && (opts->bitmask & ZF_ADD_DRIVE_OPTS_FORMAT) ? opts->format : NULL;
  struct zf_drive *d;

  if (h->nr_drives >= DRIVES_MAX)
    return zfi_error (h, EINVAL, "%d drives are already there, and more are not possible", DRIVES_MAX);
  if (format != NULL && !zfi_known_format (format))
    return zfi_error (h, EINVAL, "the format \"%s\" is unknown: it must be " ZFI_FORMATS, format);
  if ((d = calloc (1, sizeof *d)) == NULL)
    return zfi_perror (h, errno, "out of memory");
  if (set_options (h, d, opts) == -1 || use_name (h, d, filename, format) == -1
      || settle_discard (h, d) == -1) {
    zfi_drive_free (d);
    return -1;
  }
  return append_drive (h, d);
}

int
zfi_add_drive_ro (zf_handle *h, const char *filename)
{
  const struct zf_add_drive_opts opts = { .bitmask = ZF_ADD_DRIVE_OPTS_READONLY, .readonly = 1 };

  return zfi_add_drive (h, filename, &opts);
}
