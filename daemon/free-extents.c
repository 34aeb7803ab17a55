/* Zeroing the free extents of a frozen filesystem (ext2, ext3, ext4, XFS) through its device.
 *
 * Nothing in the filesystem changes, so that the image does not grow, and there is nothing to clean up but the
 * freeze.  The work is done by a process of its own: the daemon, which thaws the filesystem whatever becomes of
 * that process, must not touch the filesystem meanwhile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <linux/fsmap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "free-space.h"
#include "helper.h"
#include "zero-scan.h"
#include "zero-target.h"

enum {
  RECORDS = 1024,               /* extents that the kernel is asked for at once */
  BATCH = 8192,                 /* free ones that are zeroed together */
};

/* The work in the child. */
struct sweep {
  struct call *c;
  const struct filesystem *fs;
  struct zero_target t;
  struct engine e;
  struct fsmap_head *map;
  uint32_t device;              /* as the map has it */
  struct ranges whole;          /* free, in whole blocks of the engine */
  unsigned char *piece;         /* room for a part of one, aligned for direct access */
  uint64_t nr_extents, bytes;
};

/* --- where is it free --- */

/* Ask for all extents from the last answer on.  1, 0 after the end, -1 with errno. */
static int
next_records (struct sweep *s)
{
  struct fsmap_head *map = s->map;

  if (map->fmh_entries > 0) {
    const struct fsmap *last = &map->fmh_recs[map->fmh_entries - 1];

    if (last->fmr_flags & FMR_OF_LAST)
      return 0;
    map->fmh_keys[0] = *last;
  }
  map->fmh_count = RECORDS;
  if (ioctl (s->fs->fd, FS_IOC_GETFSMAP, map) == -1)
    return -1;
  return map->fmh_entries > 0;
}

static void
first_records (struct sweep *s, unsigned count)
{
  struct fsmap *high = &s->map->fmh_keys[1];

  memset (s->map, 0, sizeof *s->map);
  s->map->fmh_count = count;
  high->fmr_device = high->fmr_flags = UINT32_MAX;
  high->fmr_physical = high->fmr_owner = high->fmr_offset = UINT64_MAX;
}

static bool
is_free (const struct sweep *s, const struct fsmap *rec)
{
  return (rec->fmr_flags & FMR_OF_SPECIAL_OWNER) && rec->fmr_owner == FMR_OWN_FREE
    && rec->fmr_device == s->device && range_inside (rec->fmr_physical, rec->fmr_length, s->t.size);
}

/* --- making it zero --- */

/* Less than a block of the engine, but whole blocks of the device, with used ones around. */
static int
zero_piece (struct sweep *s, uint64_t start, uint64_t end)
{
  const size_t len = end - start;
  ssize_t n;

  if (len == 0)
    return 0;
  if ((n = pread (s->t.fd, s->piece, len, (off_t) start)) != (ssize_t) len)
    return call_error (s->c, n == -1 ? errno : EIO, "cannot read %s at offset %" PRIu64, s->t.name, start);
  if (zero_scan_is_zero (s->piece, len))
    return 0;
  memset (s->piece, 0, len);
  if ((n = pwrite (s->t.fd, s->piece, len, (off_t) start)) != (ssize_t) len)
    return call_error (s->c, n == -1 ? errno : EIO, "cannot write %s at offset %" PRIu64, s->t.name, start);
  return 0;
}

/* Put the whole blocks of a free extent into the list, and do the rest now. */
static int
take_extent (struct sweep *s, const struct fsmap *rec)
{
  const uint64_t start = s->t.start + rec->fmr_physical;
  struct range head, middle, tail;

  s->nr_extents++;
  s->bytes += rec->fmr_length;
  range_split ((struct range) { start, start + rec->fmr_length }, s->e.grain, &head, &middle, &tail);
  if (zero_piece (s, head.start - s->t.start, head.end - s->t.start) == -1 ||
      zero_piece (s, tail.start - s->t.start, tail.end - s->t.start) == -1)
    return -1;
  if (ranges_add (&s->whole, middle.start - s->t.start, middle.end - s->t.start) == -1)
    return call_error (s->c, errno, "no memory for the free extents of %s", s->t.name);
  return engine_look (&s->e);
}

/* Give the space of what is in the list back, and look again at what the device may have taken for advice.  A raw
 * image may have space where it looks like a hole. */
static int
unmap_batch (struct sweep *s)
{
  const struct zero_source whole = { zero_source_listed, &s->whole, false };
  struct ranges punched = { 0 };
  struct zero_source again = whole;
  uint64_t end;
  int r = s->t.raw ? engine_request (&s->e, whole, ZERO_UNMAP, &end) : 0;

  if (r == 0) {
    r = engine_zero (&s->e, whole, ZERO_UNMAP, &punched);
    again.opaque = &punched;
  }
  s->e.progress_base += s->e.done;
  if (r != -1)
    r = engine_zero (&s->e, again, ZERO_WRITE, NULL);
  ranges_free (&punched);
  return r;
}

static int
zero_batch (struct sweep *s)
{
  const struct zero_source whole = { zero_source_listed, &s->whole, false };
  int r = s->fs->dev->discard ? unmap_batch (s) : engine_zero (&s->e, whole, ZERO_KEEP, NULL);

  s->e.progress_base += s->e.done;
  s->e.done = 0;
  ranges_free (&s->whole);
  return r;
}

/* All of the filesystem, which is frozen. */
static int
sweep_all (struct sweep *s)
{
  int n, r = 0;

  first_records (s, RECORDS);
  while (r == 0 && (n = next_records (s)) == 1) {
    for (unsigned i = 0; r == 0 && i < s->map->fmh_entries; i++)
      if (is_free (s, &s->map->fmh_recs[i]))
        r = take_extent (s, &s->map->fmh_recs[i]);
    if (r == 0 && s->whole.n >= BATCH)
      r = zero_batch (s);
  }
  if (r == 0 && n == -1)
    r = call_error (s->c, errno, "cannot list the extents of the filesystem at %s", s->fs->path);
  if (r == 0 && s->whole.n > 0)
    r = zero_batch (s);
  if (r == 0 && fsync (s->t.fd) == -1)
    r = call_error (s->c, errno, "cannot flush %s", s->t.name);
  return r;
}

/* --- the child --- */

/* The number of the device as the kernel writes it in 32 bits. */
static uint32_t
encode_device (dev_t dev)
{
  const uint32_t maj = major (dev), min = minor (dev);

  return (min & 0xff) | maj << 8 | (min & ~UINT32_C (0xff)) << 12;
}

/* 0, 1 if extents cannot be listed, or -1. */
static int
prepare (struct sweep *s)
{
  struct statvfs space;
  struct stat st;

  s->map = calloc (1, fsmap_sizeof (RECORDS));
  if (s->map == NULL || posix_memalign ((void **) &s->piece, 4096, 65536) != 0)
    return call_error (s->c, ENOMEM, "no memory for the extents of %s", s->fs->path);
  first_records (s, 0);
  if (ioctl (s->fs->fd, FS_IOC_GETFSMAP, s->map) == -1)
    return 1;
  if (target_open (s->c, s->fs->dev, O_RDWR, &s->t) == -1)
    return -1;
  if (fstat (s->fs->fd, &st) == -1 || fstatvfs (s->fs->fd, &space) == -1)
    return call_error (s->c, errno, "%s", s->fs->path);
  s->device = encode_device (st.st_dev);
  if (s->fs->dev->discard)
    target_allow_unmap (s->c, s->fs->dev->disk);
  if (engine_init (&s->e, s->c, &s->t, &zero_io_real, NULL) == -1)
    return -1;
  s->e.progress_work = true;
  s->e.progress_total = (uint64_t) space.f_bfree * space.f_frsize * (s->fs->dev->discard ? 2 : 1);
  return 0;
}

/* Most is written out before, so that the freeze is short. */
static int
freeze (struct sweep *s)
{
  if (syncfs (s->fs->fd) == -1)
    return call_error (s->c, errno, "cannot flush the filesystem at %s", s->fs->path);
  if (device_flush_caches (s->c, s->fs->dev) == -1)
    return -1;
  if (ioctl (s->fs->fd, FIFREEZE, 0) == 0)
    return 0;
  if (errno == EOPNOTSUPP || errno == ENOTTY)
    return 1;
  return call_error (s->c, errno, "cannot freeze the filesystem at %s", s->fs->path);
}

/* The memory goes with the process. */
static int
sweep (struct call *c, void *opaque)
{
  struct sweep *s = calloc (1, sizeof *s);
  int r;

  if (s == NULL)
    return call_error (c, ENOMEM, "no memory for the free extents");
  s->c = c;
  s->fs = opaque;
  if ((r = prepare (s)) != 0 || (r = freeze (s)) != 0)
    return r;
  r = sweep_all (s);
  engine_free (&s->e);
  if (ioctl (s->fs->fd, FITHAW, 0) == -1 && r == 0)
    r = call_error (c, errno, "cannot thaw the filesystem at %s", s->fs->path);
  if (verbose)
    fprintf (stderr, "zerofishd: %s: %" PRIu64 " free extents, %" PRIu64 " bytes, read=%" PRIu64 " requested=%" PRIu64
             " written=%" PRIu64 "\n", s->t.name, s->nr_extents, s->bytes, s->e.stats.read, s->e.stats.requested,
             s->e.stats.written);
  return r;
}

int
free_extents_zero (struct call *c, const struct filesystem *fs)
{
  int r = helper_run (c, sweep, (void *) fs);

  /* EINVAL: it is not frozen, as it should be. */
  if (ioctl (fs->fd, FITHAW, 0) == -1 && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOTTY)
    return call_error (c, errno, "cannot thaw the filesystem at %s", fs->path);
  return r;
}
