/* Wiping and giving space back: signatures, discard, overwriting, and the free blocks of filesystems.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "run.h"

enum { WIPEFS_TIMEOUT_S = 120, ZEROFREE_TIMEOUT_S = 24 * 3600 };
enum { SCRUB_BLOCK = 1024 * 1024 };
static const uint64_t discard_step = UINT64_C (1) << 30;

int
do_wipefs (struct call *c, struct device *dev)
{
  const struct run_how how = { .timeout_s = WIPEFS_TIMEOUT_S };

  return run_writing (c, dev, run_words (c, "wipefs", "-a", "-f", "-q", "--", dev->path, NULL), NULL, &how);
}

int
do_zerofree (struct call *c, struct device *dev)
{
  const struct run_how how = { .timeout_s = ZEROFREE_TIMEOUT_S };

  return run_writing (c, dev, run_words (c, "zerofree", "--", dev->path, NULL), NULL, &how);
}

/* Discard in steps, so that a cancel is seen.  A range may be a whole device that is no multiple of anything:
 * the kernel leaves out what it cannot discard. */
static int
discard_all (struct call *c, const struct device *dev, int fd, uint64_t size, unsigned block)
{
  uint64_t range[2] = { 0, 0 };

  for (size = size / block * block; range[0] < size; range[0] += range[1]) {
    range[1] = size - range[0] < discard_step ? size - range[0] : discard_step;
    if (ioctl (fd, BLKDISCARD, range) == -1)
      return call_error (c, errno, "cannot discard %s at offset %" PRIu64, dev->name, range[0]);
    if (call_progress (c, range[0] + range[1], size) == -1)
      return -1;
  }
  return io_sync (c, dev->name, fd);
}

int
do_blkdiscard (struct call *c, struct device *dev)
{
  unsigned block;
  uint64_t size;
  int fd, r;

  /* The emulated disk takes every discard, and forgets those that its drive does not pass on. */
  if (!dev->discard)
    return call_refuse (c, EOPNOTSUPP, "%s cannot be discarded: add its drive with discard "
                        "(--discard=enable)", dev->name);
  if (device_flush_caches (c, dev) == -1 || (fd = device_open (c, dev, O_RDWR | O_EXCL)) == -1)
    return -1;
  r = device_geometry (c, dev, fd, &size, &block);
  if (r == 0)
    r = discard_all (c, dev, fd, size, block);
  close (fd);
  if (device_flush_caches (c, dev) == -1)
    r = -1;
  if (dev->partnum == 0 && dev->disk != NULL && device_reread (c, dev) == -1)
    r = -1;
  return r;
}

int
do_blkdiscardzeroes (struct call *c, struct device *dev)
{
  unsigned zeroes = 0;
  int fd = device_open (c, dev, O_RDONLY);

  if (fd == -1)
    return -1;
  /* The kernel has said no for every device since 4.12; a file that stands for a disk knows no such call. */
  if (ioctl (fd, BLKDISCARDZEROES, &zeroes) == -1 && errno != ENOTTY) {
    call_error (c, errno, "cannot ask %s whether discarded blocks read as zero", dev->name);
    close (fd);
    return -1;
  }
  close (fd);
  return zeroes != 0;
}

/* --- overwriting --- */

/* What a pass writes: a byte over and over, or random bytes. */
struct pass {
  bool random;
  unsigned char byte;
};

static int
scrub_pass (struct call *c, const struct device *dev, int fd, uint64_t size, const struct pass *pass,
            char *buf, uint64_t before, uint64_t total)
{
  size_t n;

  memset (buf, pass->byte, SCRUB_BLOCK);
  for (uint64_t at = 0; at < size; at += n) {
    n = size - at < SCRUB_BLOCK ? (size_t) (size - at) : SCRUB_BLOCK;
    for (size_t got = 0; pass->random && got < n; got += 256)   /* so many are never interrupted */
      if (getrandom (buf + got, 256, 0) != 256)
        return call_error (c, errno, "cannot get random numbers");
    if (io_write (c, dev->name, fd, buf, n, at) == -1 || call_progress (c, before + at + n, total) == -1)
      return -1;
  }
  return io_sync (c, dev->name, fd);
}

int
do_scrub_device (struct call *c, struct device *dev)
{
  /* The four passes of NNSA NAP-14.x: twice random, once a pattern, and a pass that leaves zeroes. */
  static const struct pass passes[] = { { true, 0 }, { true, 0 }, { false, 0x55 }, { false, 0 } };
  enum { PASSES = sizeof passes / sizeof passes[0] };
  char *buf = call_alloc (c, SCRUB_BLOCK);
  unsigned block;
  uint64_t size;
  int fd, r;

  if (buf == NULL || device_flush_caches (c, dev) == -1 || (fd = device_open (c, dev, O_RDWR | O_EXCL)) == -1)
    return -1;
  r = device_geometry (c, dev, fd, &size, &block);
  for (size_t i = 0; i < PASSES && r == 0; i++)
    r = scrub_pass (c, dev, fd, size, &passes[i], buf, i * size, PASSES * size);
  close (fd);
  if (device_flush_caches (c, dev) == -1)
    r = -1;
  if (dev->partnum == 0 && dev->disk != NULL && device_reread (c, dev) == -1)
    r = -1;
  return r;
}

/* --- mounted filesystems --- */

int
do_fstrim (struct call *c, const char *mountpoint, const struct zf_fstrim_opts *opts)
{
  const uint64_t given = opts ? opts->bitmask : 0;
  struct fstrim_range range = { .len = UINT64_MAX };
  int fd, r = 0;

  if (((given & ZF_FSTRIM_OPTS_OFFSET) && opts->offset < 0) ||
      ((given & ZF_FSTRIM_OPTS_LENGTH) && opts->length <= 0) ||
      ((given & ZF_FSTRIM_OPTS_MINIMUMFREEEXTENT) && opts->minimumfreeextent <= 0))
    return call_refuse (c, EINVAL, "offset cannot be negative; length and minimumfreeextent have to be more "
                        "than 0");
  if (given & ZF_FSTRIM_OPTS_OFFSET)
    range.start = (uint64_t) opts->offset;
  if (given & ZF_FSTRIM_OPTS_LENGTH)
    range.len = (uint64_t) opts->length;
  if (given & ZF_FSTRIM_OPTS_MINIMUMFREEEXTENT)
    range.minlen = (uint64_t) opts->minimumfreeextent;
  if ((fd = sysroot_open (c, mountpoint, O_RDONLY | O_DIRECTORY, 0)) == -1)
    return -1;
  /* A log that holds the freeing of blocks back (XFS) has to be written first, or little is trimmed. */
  if (syncfs (fd) == -1 || ioctl (fd, FITRIM, &range) == -1 || syncfs (fd) == -1)
    r = call_error (c, errno == ENOTTY ? EOPNOTSUPP : errno, "cannot trim the filesystem at %s", mountpoint);
  close (fd);
  return r;
}
