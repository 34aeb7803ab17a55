/* What a source or a target is, and making it ready: never the same thing twice, never a format that was
 * not asked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drive.h"
#include "side.h"

const char *
side_verb (enum op_kind kind)
{
  static const char *const verbs[] = { "reading", "writing", "zeroing", "asking for extents", "flushing" };

  return verbs[kind];
}

void
side_init (struct side *s, zf_handle *h, bool target)
{
  *s = (struct side) { .h = h, .target = target, .fd = -1 };
  s->child.fd = -1;
}

static int
set_name (struct side *s, const char *name)
{
  if (asprintf (&s->name, "%s %s", s->target ? "target" : "source", name) != -1)
    return 0;
  s->name = NULL;
  return zfi_perror (s->h, ENOMEM, "out of memory");
}

/* --- pipes --- */

static int
open_pipe (struct side *s)
{
  int fd = fcntl (s->target ? STDOUT_FILENO : STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

  if (fd == -1)
    return zfi_perror (s->h, errno, "%s", s->name);
  s->ops = &side_file_ops;
  s->fd = fd;
  if (isatty (fd))
    return zfi_error (s->h, EINVAL, "%s is a terminal; a pipe or a redirection is meant", s->name);
  s->pipe = true;
  s->nr_lanes = 1;
  s->align = s->grain = 1;
  s->max_request = MAX_REQUEST;
  return 0;
}

/* --- servers --- */

static int
open_uri (struct side *s, const char *uri, const struct copy_options *o)
{
  struct stat st;

  if (strncmp (uri, "nbd", 3) != 0)
    return zfi_error (s->h, EINVAL, "%s: this kind of URI is unknown: NBD servers are given as "
                      "nbd://HOST/EXPORT or nbd+unix:///EXPORT?socket=PATH, files by their names (a file "
                      "whose name looks like a URI: ./NAME)", s->name);
  if ((s->nbd = zfi_nbd_parse (s->h, uri)) == NULL)
    return -1;
  if (s->nbd->socket != NULL && stat (s->nbd->socket, &st) == 0) {
    s->dev = st.st_dev;
    s->ino = st.st_ino;
  }
  return side_nbd_connect (s, o);
}

static int
open_command (struct side *s, const struct copy_place *p, const struct copy_options *o)
{
  if (side_serve_command (s, p->command) == -1)
    return -1;
  return side_nbd_connect (s, o);
}

/* --- local images --- */

static int
serve_image (struct side *s, const char *path, const char *format, const struct copy_options *o)
{
  if (side_serve_image (s, path, format, MAX_LANES) == -1)
    return -1;
  return side_nbd_connect (s, o);
}

static int
open_raw (struct side *s, const char *path)
{
  /* The kinds that would block or do something were refused before. */
  int fd = open (path, (s->target ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY);

  if (fd == -1)
    return zfi_perror (s->h, errno, "%s", s->name);
  return side_file_init (s, fd);
}

/* Bytes of one cluster, which is what a qcow2 image allocates. */
static unsigned
cluster_size (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC), n = fd == -1 ? 0 : zfi_probe_cluster (fd);

  if (fd != -1)
    close (fd);
  return n > 0 ? n : 1;
}

/* Is there a file of 0 bytes?  It has no format, and as a target it counts as new. */
static bool
is_empty_file (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0 && S_ISREG (st.st_mode) && st.st_size == 0;
}

/* Open the image that D tells of. */
static int
open_image (struct side *s, const struct zf_drive *d, const struct copy_options *o)
{
  if (strcmp (d->format, "raw") == 0)
    return open_raw (s, d->path);
  if (serve_image (s, d->path, d->format, o) == -1)
    return -1;
  s->dev = d->block_device ? 0 : d->dev;
  s->ino = d->ino;
  if (s->target)
    s->grain = cluster_size (d->path);
  return 0;
}

/* What an existing local image is: its format is detected unless it was stated, and whether it may be used
 * so. */
static int
open_existing (struct side *s, const char *path, const char *format, const struct copy_options *o)
{
  struct zf_drive d = { .path = (char *) path, .blocksize = SECTOR, .readonly = !s->target };
  struct stat st;
  int r = -1;

  if (zfi_drive_look (s->h, &d, format) == 0) {
    if (d.block_device && stat (path, &st) == 0)
      d.ino = st.st_rdev;
    r = open_image (s, &d, o);
  }
  free (d.format);
  return r;
}

static int
check_format (struct side *s, const struct copy_place *p)
{
  if (p->format == NULL || zfi_known_format (p->format))
    return 0;
  return zfi_error (s->h, EINVAL, "%s: the format \"%s\" is unknown: it must be " ZFI_FORMATS, s->name,
                    p->format);
}

/* --- the source --- */

static int
open_source_file (struct side *s, const struct copy_place *p, const struct copy_options *o)
{
  char *path;
  int r;

  if (p->name[0] == '\0')
    return zfi_error (s->h, EINVAL, "the name of the source is empty");
  if ((path = zfi_absolute_path (s->h, p->name)) == NULL)
    return -1;
  if (is_empty_file (path) && (p->format == NULL || strcmp (p->format, "raw") == 0))
    r = open_raw (s, path);
  else
    r = open_existing (s, path, p->format, o);
  free (path);
  return r;
}

int
side_open_source (struct side *s, const struct copy_place *p, const struct copy_options *o)
{
  if (set_name (s, p->name) == -1 || check_format (s, p) == -1)
    return -1;
  if (p->command != NULL)
    return open_command (s, p, o);
  if (strcmp (p->name, "-") == 0)
    return open_pipe (s);
  if (zfi_is_uri (p->name))
    return open_uri (s, p->name, o);
  return open_source_file (s, p, o);
}

/* --- the target --- */

/* Links, names of devices and names of sockets may differ: the numbers tell. */
static int
refuse_same (const struct side *s, const struct side *source)
{
  const bool exports = s->nbd != NULL && source->nbd != NULL && !s->has_child && !source->has_child;
  bool same = s->ino != 0 && s->ino == source->ino && s->dev == source->dev;

  if (exports)
    same = strcmp (s->nbd->export, source->nbd->export) == 0 && (same || side_nbd_same_host (s, source));
  if (same || side_server_holds (source, s->dev, s->ino, false)
      || side_server_holds (s, source->dev, source->ino, true))
    return zfi_error (s->h, EINVAL, "source and target are the same: nothing was written");
  return 0;
}

/* Before anything is made or opened for writing. */
static int
refuse_same_file (struct side *s, const char *path, const struct side *source)
{
  struct stat st;

  if (stat (path, &st) == -1)
    return 0;
  s->dev = S_ISBLK (st.st_mode) ? 0 : st.st_dev;
  s->ino = S_ISBLK (st.st_mode) ? st.st_rdev : st.st_ino;
  return refuse_same (s, source);
}

static int
need_size (const struct side *s, const struct side *source, const char *format)
{
  if (source->pipe && strcmp (format, "raw") != 0)
    return zfi_error (s->h, EINVAL, "%s: the size of a pipe is not known, so a new %s image cannot be made "
                      "for it: copy it to a raw file first", s->name, format);
  return 0;
}

/* A new file, or one of 0 bytes, which is filled where it is. */
static int
open_new (struct side *s, const char *path, const char *format, const struct copy_options *o,
          const struct side *source)
{
  const char *real;

  if (format == NULL)
    format = target_format (path);
  if (need_size (s, source, format) == -1 || target_create (s, path, format, source->size) == -1)
    return -1;
  real = s->temporary ? s->temporary : s->path;
  if (strcmp (format, "raw") == 0)
    return open_raw (s, real);
  if (serve_image (s, real, format, o) == -1)
    return -1;
  s->grain = cluster_size (real);
  return 0;
}

static int
open_target_file (struct side *s, const struct copy_place *p, const struct copy_options *o,
                  const struct side *source)
{
  char *path;
  int r = -1;

  if (p->name[0] == '\0')
    return zfi_error (s->h, EINVAL, "the name of the target is empty");
  if ((path = zfi_absolute_path (s->h, p->name)) == NULL)
    return -1;
  if (refuse_same_file (s, path, source) == 0) {
    if (access (path, F_OK) == -1 || is_empty_file (path))
      r = open_new (s, path, p->format, o, source);
    else if ((r = open_existing (s, path, p->format, o)) == 0 && (s->path = strdup (path)) == NULL)
      r = zfi_perror (s->h, errno, "out of memory");
  }
  free (path);
  return r;
}

/* Raw files take the source's size; everything else has its own. */
static int
check_size (struct side *s, const struct side *source)
{
  if (s->ops == &side_file_ops && !s->block_device && !s->pipe) {
    s->set_size = true;
    return 0;
  }
  if (!s->pipe && !source->pipe && s->size < source->size)
    return zfi_error (s->h, ENOSPC, "%s has %llu bytes, and the source %llu: nothing was written", s->name,
                      (unsigned long long) s->size, (unsigned long long) source->size);
  return 0;
}

static int
open_target (struct side *s, const struct copy_place *p, const struct copy_options *o,
             const struct side *source)
{
  if (p->command != NULL)
    return open_command (s, p, o);
  if (strcmp (p->name, "-") == 0)
    return open_pipe (s);
  if (zfi_is_uri (p->name))
    return open_uri (s, p->name, o);
  return open_target_file (s, p, o, source);
}

int
side_open_target (struct side *s, const struct copy_place *p, const struct copy_options *o,
                  const struct side *source)
{
  if (set_name (s, p->name) == -1 || check_format (s, p) == -1
      || open_target (s, p, o, source) == -1 || refuse_same (s, source) == -1)
    return -1;
  return check_size (s, source);
}

/* --- the end --- */

/* Data of an image whose server has ended lies in the host's cache. */
static int
sync_file (struct side *s, const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC), r = 0;

  if (fd == -1 || fsync (fd) == -1)
    r = zfi_perror (s->h, errno, "%s: flushing", s->name);
  if (fd != -1)
    close (fd);
  return r;
}

/* The new file gets its name; one that came there meanwhile is kept. */
static int
give_name (struct side *s)
{
  if (renameat2 (AT_FDCWD, s->temporary, AT_FDCWD, s->path, RENAME_NOREPLACE) == 0
      || (errno == EINVAL && access (s->path, F_OK) == -1 && rename (s->temporary, s->path) == 0)) {
    free (s->temporary);
    s->temporary = NULL;
    return 0;
  }
  return zfi_perror (s->h, errno, "%s: giving the copy its name", s->name);
}

int
side_finish (struct side *s, bool ok, const struct copy_options *o)
{
  const bool served = s->has_child;
  int r = 0;

  if (s->ops != NULL)
    s->ops->close (s);
  if (side_server_end (s, ok) == -1)
    r = -1;
  if (r == 0 && ok && s->target && o->flush && served && s->path != NULL)
    r = sync_file (s, s->temporary ? s->temporary : s->path);
  if (r == 0 && ok && s->temporary != NULL)
    r = give_name (s);
  if (s->temporary != NULL)
    unlink (s->temporary);
  return r;
}

void
side_free (struct side *s)
{
  zfi_nbd_free (s->nbd);
  free (s->name);
  free (s->path);
  free (s->temporary);
}
