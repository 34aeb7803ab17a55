/* Zeroing the free blocks of a filesystem by files of zeroes, which have no names, until it is full.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "free-space.h"

enum {
  WRITE_MAX = 1 << 20, WRITE_MIN = 512,
  SYNC_EVERY = 16 << 20,        /* so much can wait in memory when the cancel flag comes */
  FILLERS = 900,                /* each as large as a file can be */
};

struct fill {
  struct call *c;
  const struct filesystem *fs;
  int fds[FILLERS];
  size_t n;
  uint64_t done, total, synced;
  size_t size;                  /* of the next write */
  const char *zeroes;           /* WRITE_MAX */
};

/* Where files without names are not known, a name is there for a moment: the file goes with its last
 * descriptor, also when the daemon dies. */
static int
open_named (int dir)
{
  char name[32];
  uint32_t number = 0;
  int fd;

  do {
    if (getrandom (&number, sizeof number, 0) == -1)
      return -1;
    snprintf (name, sizeof name, "zf%06" PRIx32 ".tmp", number & 0xffffff);
    fd = openat (dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  } while (fd == -1 && errno == EEXIST);
  if (fd != -1 && unlinkat (dir, name, 0) == -1) {
    close (fd);
    return -1;
  }
  return fd;
}

static bool
is_full (int err)
{
  return err == ENOSPC || err == EDQUOT;
}

/* Begin a further file.  0, 1 if there is no room for one, or -1 with the call's error. */
static int
open_filler (struct fill *f)
{
  struct statvfs st;
  int fd;

  if (f->n == FILLERS)
    return call_refuse (f->c, EFBIG, "%s: the filesystem is too large to be filled with %d files", f->fs->path,
                        FILLERS);
  fd = openat (f->fs->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd == -1 && !is_full (errno))
    fd = open_named (f->fs->fd);
  if (fd != -1) {
    f->fds[f->n++] = fd;
    return 0;
  }
  if (is_full (errno) && (f->done > 0 || (fstatvfs (f->fs->fd, &st) == 0 && st.f_bfree == 0)))
    return 1;
  return call_error (f->c, errno, "%s: cannot make a file to fill the filesystem with", f->fs->path);
}

/* Some filesystems find out only now that there is no more room. */
static int
flush (struct fill *f)
{
  f->synced = f->done;
  if (fdatasync (f->fds[f->n - 1]) == -1 && !is_full (errno))
    return call_error (f->c, errno, "%s: cannot write the file that fills the filesystem", f->fs->path);
  return 0;
}

/* Write once.  0, or -1 with the call's error; the size becomes ever smaller where there is no room. */
static int
fill_more (struct fill *f)
{
  ssize_t n = write (f->fds[f->n - 1], f->zeroes, f->size);
  int r;

  if (n > 0)
    f->done += (uint64_t) n;
  else if (errno == EFBIG) {
    if ((r = flush (f)) == 0 && (r = open_filler (f)) == 1)
      f->size = r = 0;
    return r;
  }
  else if (is_full (errno)) {
    f->size /= 2;
    return flush (f);           /* what waits to be written may take less room than was kept for it */
  }
  else if (errno != EINTR)
    return call_error (f->c, errno, "%s: cannot write the file that fills the filesystem", f->fs->path);
  return f->done - f->synced >= SYNC_EVERY ? flush (f) : 0;
}

static int
fill_all (struct fill *f)
{
  struct statvfs st;
  int r;

  if (fstatvfs (f->fs->fd, &st) == -1)
    return call_error (f->c, errno, "%s", f->fs->path);
  f->total = (uint64_t) st.f_bfree * st.f_frsize;
  if ((r = open_filler (f)) == 1)
    return 0;
  while (r == 0 && f->size >= WRITE_MIN)
    if ((r = fill_more (f)) == 0)
      r = call_progress (f->c, f->done, f->total);
  return r == 0 ? flush (f) : -1;
}

int
fill_space (struct call *c, const struct filesystem *fs)
{
  struct fstrim_range all = { .len = UINT64_MAX };
  struct fill *f = call_alloc (c, sizeof *f);
  int r;

  if (f == NULL || (f->zeroes = call_alloc (c, WRITE_MAX)) == NULL)
    return -1;
  f->c = c;
  f->fs = fs;
  f->size = WRITE_MAX;
  r = fill_all (f);
  while (f->n > 0)
    close (f->fds[--f->n]);
  if (syncfs (fs->fd) == -1 && r == 0)
    r = call_error (c, errno, "cannot flush the filesystem at %s", fs->path);
  /* What the files took goes back to the host, where the filesystem can say so. */
  if (fs->dev->discard && ioctl (fs->fd, FITRIM, &all) == -1 && verbose)
    fprintf (stderr, "zerofishd: %s: cannot trim\n", fs->path);
  return r;
}
