/* The actions on image files that need no appliance: disk_create, disk_format, disk_virtual_size.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "drive.h"
#include "private-actions.h"

#define ARGS_MAX 16

/* Arguments of qemu-img being put together; strings that were made for it are freed at the end. */
struct args {
  const char *v[ARGS_MAX];
  size_t n;
  char *made[ARGS_MAX];
  size_t nr_made;
};

static void
add (struct args *a, const char *s)
{
  a->v[a->n++] = s;
}

/* Add S, which was malloced. */
static void
add_made (struct args *a, char *s)
{
  a->made[a->nr_made++] = s;
  add (a, s);
}

static void
free_args (struct args *a)
{
  for (size_t i = 0; i < a->nr_made; i++)
    free (a->made[i]);
}

/* --- disk_create --- */

static int
check_preallocation (zf_handle *h, const char *format, const char *given, const char **value)
{
  const char *s = strcmp (given, "sparse") == 0 ? "off" : given;
  bool qcow2 = strcmp (format, "qcow2") == 0;

  *value = s;
  if (strcmp (s, "off") == 0 || strcmp (s, "full") == 0 || strcmp (s, "falloc") == 0
      || (qcow2 && strcmp (s, "metadata") == 0))
    return 0;
  return zfi_error (h, EINVAL, "preallocation must be off, sparse, falloc, full or (qcow2 only) metadata");
}

static int
check_qcow2_options (zf_handle *h, const struct zf_disk_create_opts *o, uint64_t mask)
{
  if ((mask & ZF_DISK_CREATE_OPTS_COMPAT) && strcmp (o->compat, "0.10") != 0
      && strcmp (o->compat, "1.1") != 0)
    return zfi_error (h, EINVAL, "compat must be 0.10 or 1.1");
  if ((mask & ZF_DISK_CREATE_OPTS_CLUSTERSIZE)
      && (o->clustersize < 512 || o->clustersize > 2 * 1024 * 1024
          || (o->clustersize & (o->clustersize - 1)) != 0))
    return zfi_error (h, EINVAL, "the cluster size must be a power of two from 512 to 2097152");
  if ((mask & ZF_DISK_CREATE_OPTS_BACKINGFORMAT) && !zfi_known_format (o->backingformat))
    return zfi_error (h, EINVAL, "the backing format \"%s\" is unknown: it must be " ZFI_FORMATS,
                      o->backingformat);
  return 0;
}

/* Are the format, the size and the options possible together? */
static int
check_create (zf_handle *h, const char *format, int64_t size, const struct zf_disk_create_opts *o,
              uint64_t mask)
{
  const uint64_t qcow2_only = ZF_DISK_CREATE_OPTS_BACKINGFILE | ZF_DISK_CREATE_OPTS_BACKINGFORMAT
    | ZF_DISK_CREATE_OPTS_COMPAT | ZF_DISK_CREATE_OPTS_CLUSTERSIZE;
  bool qcow2 = strcmp (format, "qcow2") == 0, backing = mask & ZF_DISK_CREATE_OPTS_BACKINGFILE;

  if (!qcow2 && strcmp (format, "raw") != 0)
    return zfi_error (h, EINVAL, "images can be created in the formats raw and qcow2, not \"%s\"", format);
  if (!qcow2 && (mask & qcow2_only))
    return zfi_error (h, EINVAL, "backing files, compat and cluster sizes are for qcow2 images only");
  if ((mask & ZF_DISK_CREATE_OPTS_BACKINGFORMAT) && !backing)
    return zfi_error (h, EINVAL, "a backing format without a backing file");
  if (size < 0 && !(size == -1 && backing))
    return zfi_error (h, EINVAL, "the size must not be negative, but for instance 10G or 1048576%s",
                      size == -1 ? " (-1 means the backing file's size and needs a backing file)" : "");
  return check_qcow2_options (h, o, mask);
}

/* The name of the backing file as it is written into the image: a relative one stays relative (to the
 * image), unless qemu could take it for something else than a file name. */
static char *
backing_name (zf_handle *h, const char *image, const char *backing)
{
  const char *slash = strrchr (image, '/');
  char *name;

  if (backing[0] == '\0') {
    zfi_error (h, EINVAL, "the name of the backing file is empty");
    return NULL;
  }
  if (backing[strcspn (backing, ":/")] != ':')
    name = strdup (backing);
  else if (asprintf (&name, "%.*s/%s", (int) (slash - image), image, backing) == -1)
    name = NULL;
  if (name == NULL)
    zfi_perror (h, errno, "out of memory");
  return name;
}

/* The format of the backing file if the user did not say it; never one that names another file. */
static const char *
backing_format (zf_handle *h, const char *image, const char *backing)
{
  const char *slash = strrchr (image, '/'), *names, *format = NULL;
  char *path = NULL;
  struct stat st;
  int64_t size;
  int fd;

  if (asprintf (&path, "%.*s/%s", (int) (slash - image), image, backing) == -1) {
    zfi_perror (h, ENOMEM, "out of memory");
    return NULL;
  }
  fd = zfi_open_image (h, backing[0] == '/' ? backing : path, &st);
  free (path);
  if (fd == -1)
    return NULL;
  format = zfi_probe_format (fd, &names, &size);
  if (format == NULL)
    zfi_perror (h, errno, "%s", backing);
  else if (names != NULL) {
    zfi_error (h, EPERM, "the backing file %s looks like a %s image that names %s: state its format",
               backing, format, names);
    format = NULL;
  }
  close (fd);
  return format;
}

/* -b BACKING -F FORMAT */
static int
add_backing (zf_handle *h, struct args *a, const char *image, const struct zf_disk_create_opts *o,
             uint64_t mask)
{
  const char *format;
  char *name;

  if (!(mask & ZF_DISK_CREATE_OPTS_BACKINGFILE))
    return 0;
  if ((name = backing_name (h, image, o->backingfile)) == NULL)
    return -1;
  add (a, "-b");
  add_made (a, name);
  format = mask & ZF_DISK_CREATE_OPTS_BACKINGFORMAT ? o->backingformat
    : backing_format (h, image, o->backingfile);
  if (format == NULL)
    return -1;
  add (a, "-F");
  add (a, format);
  return 0;
}

/* -o OPTIONS; all values are checked, so none holds a comma. */
static int
add_options (zf_handle *h, struct args *a, const char *format, const struct zf_disk_create_opts *o,
             uint64_t mask)
{
  const char *preallocation = "off";
  char cluster[40] = "", *s;

  if ((mask & ZF_DISK_CREATE_OPTS_PREALLOCATION)
      && check_preallocation (h, format, o->preallocation, &preallocation) == -1)
    return -1;
  if (mask & ZF_DISK_CREATE_OPTS_CLUSTERSIZE)
    snprintf (cluster, sizeof cluster, ",cluster_size=%d", o->clustersize);
  if (asprintf (&s, "preallocation=%s%s%s%s", preallocation, cluster,
                mask & ZF_DISK_CREATE_OPTS_COMPAT ? ",compat=" : "",
                mask & ZF_DISK_CREATE_OPTS_COMPAT ? o->compat : "") == -1)
    return zfi_perror (h, ENOMEM, "out of memory");
  add (a, "-o");
  add_made (a, s);
  return 0;
}

static int
add_size (zf_handle *h, struct args *a, int64_t size)
{
  char *s;

  if (size == -1)
    return 0;
  if (asprintf (&s, "%" PRIi64, size) == -1)
    return zfi_perror (h, ENOMEM, "out of memory");
  add_made (a, s);
  return 0;
}

/* An image may take the place of a file, but of nothing else. *EXISTS: there is one. */
static int
check_target (zf_handle *h, const char *path, bool *exists)
{
  struct stat st;

  *exists = stat (path, &st) == 0;
  if (!*exists && errno != ENOENT)
    return zfi_perror (h, errno, "%s", path);
  if (*exists && !S_ISREG (st.st_mode))
    return zfi_error (h, EINVAL, "%s exists and is not a regular file", path);
  for (size_t i = 0; *exists && i < h->nr_drives; i++)
    if (zfi_drive_is_file (h->drives[i], st.st_dev, st.st_ino))
      return zfi_error (h, EBUSY, "%s is a drive of this handle", path);
  return 0;
}

static int
run_create (zf_handle *h, const char *path, const char *format, int64_t size,
            const struct zf_disk_create_opts *o)
{
  const uint64_t mask = o ? o->bitmask : 0;
  struct args a = { .v = { "create", "-q", "-f", format }, .n = 4 };
  bool exists = true;
  int r = -1;

  if (check_create (h, format, size, o, mask) == -1 || check_target (h, path, &exists) == -1
      || add_options (h, &a, format, o, mask) == -1 || add_backing (h, &a, path, o, mask) == -1)
    goto out;
  add (&a, "--");
  add (&a, path);
  if (add_size (h, &a, size) == -1)
    goto out;
  r = zfi_qemu_img (h, a.v, NULL);
  if (r == -1 && !exists)
    unlink (path);
 out:
  free_args (&a);
  return r;
}

int
zfi_disk_create (zf_handle *h, const char *filename, const char *format, int64_t size,
                 const struct zf_disk_create_opts *opts)
{
  char *path;
  int r;

  if (filename[0] == '\0')
    return zfi_error (h, EINVAL, "the file name is empty");
  if ((path = zfi_absolute_path (h, filename)) == NULL)
    return -1;
  r = run_create (h, path, format, size, opts);
  free (path);
  return r;
}

/* --- disk_format, disk_virtual_size --- */

char *
zfi_disk_format (zf_handle *h, const char *filename)
{
  struct stat st;
  int fd = zfi_open_image (h, filename, &st);
  const char *format, *names;
  int64_t size;
  char *r = NULL;

  if (fd == -1)
    return NULL;
  format = zfi_probe_format (fd, &names, &size);
  if (format == NULL || (r = strdup (format)) == NULL)
    zfi_perror (h, errno, "%s", filename);
  close (fd);
  return r;
}

/* Virtual size by qemu-img, of an image that names no other file. */
static int64_t
ask_size (zf_handle *h, const char *filename, const char *format)
{
  char *path = zfi_absolute_path (h, filename), *text = NULL;
  const char *const argv[] = { "info", "-U", "-f", format, "--output=json", "--", path, NULL };
  json_t *info = NULL, *size = NULL;
  int64_t r = -1;

  if (path != NULL && zfi_qemu_img (h, argv, &text) == 0) {
    info = json_loads (text, 0, NULL);
    size = json_object_get (info, "virtual-size");
    if (json_is_integer (size) && json_integer_value (size) >= 0)
      r = json_integer_value (size);
    else
      zfi_error (h, EIO, "%s: qemu-img did not say how large it is", filename);
  }
  json_decref (info);
  free (text);
  free (path);
  return r;
}

int64_t
zfi_disk_virtual_size (zf_handle *h, const char *filename)
{
  struct stat st;
  int fd = zfi_open_image (h, filename, &st);
  const char *format, *names;
  int64_t size;

  if (fd == -1)
    return -1;
  format = zfi_probe_format (fd, &names, &size);
  close (fd);
  if (format == NULL)
    return zfi_perror (h, errno, "%s", filename);
  /* The header says it plainly in the common formats, without opening what else it may name. */
  if (size >= 0)
    return size;
  if (names != NULL)
    return zfi_error (h, EPERM, "%s looks like a %s image that names %s, which is not opened "
                      "without your saying so",
                      filename, format, names);
  return ask_size (h, filename, format);
}
