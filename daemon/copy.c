/* Actions copy_device_to_device, copy_device_to_file, copy_file_to_device and copy_file_to_file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions.h"
#include "copy.h"
#include "devices.h"
#include "hints.h"
#include "io.h"
#include "zero-target.h"

enum { FILE_BLOCK = 4096 };     /* for direct access to files, whatever they lie on */

/* The optional arguments, which are the same for all four; -1: not given. */
struct wishes {
  int64_t srcoffset, destoffset, size;
  bool sparse, append;
};

/* One end: a device, or else a file. */
struct end {
  const struct device *dev;
  const char *path;
};

#define WISHES(name, o) ((struct wishes) { \
    .srcoffset = (o)->bitmask & ZF_##name##_OPTS_SRCOFFSET ? (o)->srcoffset : 0, \
    .destoffset = (o)->bitmask & ZF_##name##_OPTS_DESTOFFSET ? (o)->destoffset : 0, \
    .size = (o)->bitmask & ZF_##name##_OPTS_SIZE ? (o)->size : -1, \
    .sparse = (o)->bitmask & ZF_##name##_OPTS_SPARSE && (o)->sparse, \
    .append = (o)->bitmask & ZF_##name##_OPTS_APPEND && (o)->append })

/* What can be judged before anything is opened.  GIVEN: the size is not just left out. */
static int
check_wishes (struct call *c, const struct wishes *w, bool given, const struct end *to)
{
  if (w->srcoffset < 0)
    return call_refuse (c, EINVAL, "srcoffset %" PRIi64 " is negative", w->srcoffset);
  if (w->destoffset < 0)
    return call_refuse (c, EINVAL, "destoffset %" PRIi64 " is negative", w->destoffset);
  if (given && w->size < 0)
    return call_refuse (c, EINVAL, "the size %" PRIi64 " is negative", w->size);
  if (w->append && to->dev != NULL)
    return call_refuse (c, EINVAL, "nothing can be appended to a device: leave append out");
  return 0;
}

/* --- opening --- */

/* Size and identity of a file that is open at T->fd. */
static int
measure_file (struct call *c, struct zero_target *t)
{
  struct stat st;

  if (fstat (t->fd, &st) == -1)
    return call_error (c, errno, "%s", t->name);
  t->size = (uint64_t) st.st_size;
  t->block = FILE_BLOCK;
  return 0;
}

static int
open_source (struct call *c, const struct end *from, struct zero_target *t)
{
  if (from->dev != NULL)
    return device_flush_caches (c, from->dev) == -1 ? -1 : target_open (c, from->dev, O_RDONLY, t);
  t->name = from->path;
  if ((t->fd = sysroot_open_regular (c, from->path, O_RDONLY, 0)) == -1 || measure_file (c, t) == -1)
    return -1;
  target_set_direct (t->fd);
  return 0;
}

/* The file is made if there is none, but what it holds is not yet touched. */
static int
open_target (struct call *c, const struct end *to, struct zero_target *t)
{
  if (to->dev != NULL)
    return device_flush_caches (c, to->dev) == -1 ? -1 : target_open (c, to->dev, O_RDWR | O_EXCL, t);
  t->name = to->path;
  if ((t->buffered = sysroot_open_regular (c, to->path, O_RDWR | O_CREAT, 0666)) == -1 ||
      (t->fd = sysroot_open_regular (c, to->path, O_RDWR, 0)) == -1 || measure_file (c, t) == -1)
    return -1;
  target_set_direct (t->fd);
  return 0;
}

/* --- checks once the source, or both, are open --- */

/* Which bytes of the source. */
static int
find_size (struct copy *k, const struct wishes *w)
{
  const uint64_t size = k->source.size;

  k->from = (uint64_t) w->srcoffset;
  if (k->from > size)
    return call_refuse (k->call, EINVAL, "srcoffset %" PRIu64 " is behind the end of %s, which has %" PRIu64
                        " bytes", k->from, k->source.name, size);
  k->size = w->size >= 0 ? (uint64_t) w->size : size - k->from;
  if (k->size > size - k->from)
    return call_refuse (k->call, EINVAL, "%" PRIu64 " bytes are wanted, but %s has only %" PRIu64 " from offset %"
                        PRIu64 " on", k->size, k->source.name, size - k->from, k->from);
  return 0;
}

static int
check_room (const struct copy *k)
{
  const uint64_t size = k->target.size;

  if (range_inside (k->to, k->size, size))
    return 0;
  return call_refuse (k->call, ENOSPC, "%" PRIu64 " bytes do not fit at offset %" PRIu64 " of %s, which has %"
                      PRIu64 " bytes", k->size, k->to, k->target.name, size);
}

static bool
overlap (uint64_t a, uint64_t b, uint64_t size)
{
  return size > 0 && (a < b ? b - a : a - b) < size;
}

/* Is DEV a disk, or a partition of one? */
static bool
is_plain (const struct device *dev)
{
  return dev->disk != NULL && (dev->partnum > 0 || dev->path == dev->disk->path);
}

static int
is_name (void *opaque, const char *sysname)
{
  return strcmp (opaque, sysname) == 0;
}

/* Do the devices open as A and B share bytes of the copy?  A is read. */
static bool
devices_overlap (const struct copy *k, const struct device *from, const struct device *to,
                 const struct stat *a, const struct stat *b)
{
  char lower[SYSNAME_MAX], upper[SYSNAME_MAX];

  if (is_plain (from) && is_plain (to))
    return from->disk == to->disk
      && overlap (k->source.start + k->from, k->target.start + k->to, k->size);
  if (a->st_rdev == b->st_rdev)
    return overlap (k->from, k->to, k->size);
  /* A volume is written that lies on what is read; the other way round the target would be busy. */
  return sysfs_name_of (k->call->d, a->st_rdev, lower) && sysfs_name_of (k->call->d, b->st_rdev, upper)
    && sysfs_walk (k->call->d, lower, is_name, upper) != 0;
}

static int
check_overlap (const struct copy *k, const struct end *from, const struct end *to, bool append)
{
  struct stat a, b;
  bool bad = false;

  if (fstat (k->source.fd, &a) == -1 || fstat (k->target.fd, &b) == -1)
    return call_error (k->call, errno, "cannot compare %s and %s", k->source.name, k->target.name);
  if (from->dev != NULL && to->dev != NULL)
    bad = devices_overlap (k, from->dev, to->dev, &a, &b);
  else if (from->dev == NULL && to->dev == NULL)
    bad = !append && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
  if (bad)
    return call_refuse (k->call, EINVAL, "%s and %s are the same, or overlap: the copy would destroy what it "
                        "has still to read", k->source.name, k->target.name);
  return 0;
}

/* --- the copy --- */

/* Begin with an empty file, or go on at its end: all that is written to reads as zero. */
static int
prepare_file (struct copy *k, const struct wishes *w)
{
  k->fresh = true;
  k->skip_zeroes = w->sparse;
  if (w->append)
    k->to = k->target.size;
  else if (ftruncate (k->target.fd, 0) == -1)
    return call_error (k->call, errno, "%s: cannot make it empty", k->target.name);
  if (k->to > (uint64_t) INT64_MAX - k->size)
    return call_refuse (k->call, EFBIG, "%s would be larger than any file can be", k->target.name);
  k->target.size = k->to + k->size;
  return 0;
}

/* What was left out at the end is a hole of the right length. */
static int
finish_file (struct copy *k)
{
  struct stat st;

  if (fstat (k->target.fd, &st) == -1)
    return call_error (k->call, errno, "%s", k->target.name);
  if ((uint64_t) st.st_size < k->target.size && ftruncate (k->target.fd, (off_t) k->target.size) == -1)
    return call_error (k->call, errno, "%s: cannot set the size to %" PRIu64, k->target.name, k->target.size);
  return 0;
}

/* What of the source has to be read: not the holes of a file, nor what the library knows to be zero. */
static struct zero_source
source_parts (struct copy *k, const struct end *from)
{
  static const struct ranges none;
  const struct hints *hints;

  if (from->dev == NULL)
    return (struct zero_source) { target_next_data, &k->source.fd, false };
  hints = hints_take (k->call, from->dev, k->source.size);
  return (struct zero_source) { zero_source_unknown_mostly, hints != NULL ? &hints->zero : &none, false };
}

static int
copy_open (struct copy *k, const struct end *from, const struct end *to, const struct wishes *w)
{
  k->to = (uint64_t) w->destoffset;
  if (open_source (k->call, from, &k->source) == -1)
    return -1;
  k->parts = source_parts (k, from);
  if (find_size (k, w) == -1 ||
      open_target (k->call, to, &k->target) == -1 || (to->dev != NULL && check_room (k) == -1) ||
      check_overlap (k, from, to, w->append) == -1)
    return -1;
  if (to->dev == NULL)
    return prepare_file (k, w);
  k->skip_zeroes = true;
  k->unmap = w->sparse && to->dev->discard;
  if (k->unmap)
    target_allow_unmap (k->call, to->dev->disk);
  return 0;
}

static int
copy (struct call *c, const struct end *from, const struct end *to, const struct wishes *w, bool size_given)
{
  struct copy *k = call_alloc (c, sizeof *k);
  bool started;
  int r;

  if (k == NULL || check_wishes (c, w, size_given, to) == -1)
    return -1;
  k->call = c;
  k->pool = target_pool (c->d);
  k->source.fd = k->source.buffered = k->target.fd = k->target.buffered = -1;
  started = copy_open (k, from, to, w) == 0;
  r = started ? copy_run (k) : -1;
  if (r == 0 && to->dev == NULL)
    r = finish_file (k);
  if (r == 0)
    r = io_sync (c, k->target.name, k->target.fd);
  hints_drop (c->d);
  target_close (&k->source);
  target_close (&k->target);
  if (started && to->dev != NULL && (device_flush_caches (c, to->dev) == -1 || device_reread (c, to->dev) == -1))
    r = -1;
  return r == 0 ? call_progress (c, 1, 1) : -1;
}

int
do_copy_device_to_device (struct call *c, struct device *src, struct device *dest,
                          const struct zf_copy_device_to_device_opts *opts)
{
  const struct wishes w = WISHES (COPY_DEVICE_TO_DEVICE, opts);

  return copy (c, &(struct end) { .dev = src }, &(struct end) { .dev = dest }, &w,
               opts->bitmask & ZF_COPY_DEVICE_TO_DEVICE_OPTS_SIZE);
}

int
do_copy_device_to_file (struct call *c, struct device *src, const char *dest,
                        const struct zf_copy_device_to_file_opts *opts)
{
  const struct wishes w = WISHES (COPY_DEVICE_TO_FILE, opts);

  return copy (c, &(struct end) { .dev = src }, &(struct end) { .path = dest }, &w,
               opts->bitmask & ZF_COPY_DEVICE_TO_FILE_OPTS_SIZE);
}

int
do_copy_file_to_device (struct call *c, const char *src, struct device *dest,
                        const struct zf_copy_file_to_device_opts *opts)
{
  const struct wishes w = WISHES (COPY_FILE_TO_DEVICE, opts);

  return copy (c, &(struct end) { .path = src }, &(struct end) { .dev = dest }, &w,
               opts->bitmask & ZF_COPY_FILE_TO_DEVICE_OPTS_SIZE);
}

int
do_copy_file_to_file (struct call *c, const char *src, const char *dest,
                      const struct zf_copy_file_to_file_opts *opts)
{
  const struct wishes w = WISHES (COPY_FILE_TO_FILE, opts);

  return copy (c, &(struct end) { .path = src }, &(struct end) { .path = dest }, &w,
               opts->bitmask & ZF_COPY_FILE_TO_FILE_OPTS_SIZE);
}
