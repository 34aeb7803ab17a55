/* Actions on files and directories in the user's filesystems.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"

enum { FILL_BLOCK = 1024 * 1024 };

/* Sync and close a file that was written; 0, or -1 with the error set. */
static int
finish (struct call *c, const char *path, int fd, int r)
{
  if (r != -1 && io_sync (c, path, fd) == -1)
    r = -1;
  close (fd);
  return r;
}

/* Write LEN bytes that repeat the UNIT bytes at PATTERN. */
static int
write_repeated (struct call *c, const char *path, int fd, const char *pattern, size_t unit, uint64_t len)
{
  size_t block = unit > FILL_BLOCK ? unit : FILL_BLOCK / unit * unit, n;
  char *buf;

  if (block > len)
    block = (size_t) len;
  if ((buf = call_alloc (c, block + 1)) == NULL)
    return -1;
  for (size_t i = 0; i < block; i++)
    buf[i] = pattern[i % unit];
  for (uint64_t done = 0; done < len; done += n) {
    n = len - done < block ? (size_t) (len - done) : block;
    if (io_write (c, path, fd, buf, n, done) == -1 || call_progress (c, done + n, len) == -1)
      return -1;
  }
  return 0;
}

static int
fill (struct call *c, const char *pattern, size_t unit, int len, const char *path)
{
  int fd;

  if (len < 0)
    return call_refuse (c, EINVAL, "the length %d is negative", len);
  if ((fd = sysroot_open_regular (c, path, O_WRONLY | O_CREAT | O_TRUNC, 0666)) == -1)
    return -1;
  return finish (c, path, fd, write_repeated (c, path, fd, pattern, unit, (uint64_t) len));
}

int
do_fill (struct call *c, int byte, int len, const char *path)
{
  char pattern = (char) byte;

  if (byte < 0 || byte > 255)
    return call_refuse (c, EINVAL, "%d is not a byte: use 0 to 255", byte);
  return fill (c, &pattern, 1, len, path);
}

int
do_fill_pattern (struct call *c, const char *pattern, int len, const char *path)
{
  if (pattern[0] == '\0')
    return call_refuse (c, EINVAL, "the pattern is empty");
  return fill (c, pattern, strlen (pattern), len, path);
}

char *
do_pread (struct call *c, const char *path, int count, int64_t offset, size_t *size_r)
{
  int fd = sysroot_open_regular (c, path, O_RDONLY, 0);
  char *p;

  if (fd == -1)
    return NULL;
  p = io_pread (c, path, fd, 1, count, offset, size_r);
  close (fd);
  return p;
}

int
do_pwrite (struct call *c, const char *path, const char *content, size_t content_size, int64_t offset)
{
  int fd;

  if (io_check_offset (c, offset) == -1 || (fd = sysroot_open_regular (c, path, O_WRONLY, 0)) == -1)
    return -1;
  if (finish (c, path, fd, io_write (c, path, fd, content, content_size, (uint64_t) offset)) == -1)
    return -1;
  return (int) content_size;
}

/* All of CONTENT to a file that is opened with FLAGS. */
static int
write_whole (struct call *c, const char *path, int flags, const char *content, size_t size)
{
  int fd = sysroot_open_regular (c, path, O_WRONLY | O_CREAT | flags, 0666);
  struct stat st;

  if (fd == -1)
    return -1;
  if (fstat (fd, &st) == -1)
    return finish (c, path, fd, call_error (c, errno, "%s", path));
  return finish (c, path, fd, io_write (c, path, fd, content, size, (uint64_t) st.st_size));
}

int
do_internal_write (struct call *c, const char *path, const char *content, size_t content_size)
{
  return write_whole (c, path, O_TRUNC, content, content_size);
}

int
do_internal_write_append (struct call *c, const char *path, const char *content, size_t content_size)
{
  return write_whole (c, path, 0, content, content_size);
}

int
do_truncate_size (struct call *c, const char *path, int64_t size)
{
  int fd, r = 0;

  if (size < 0)
    return call_refuse (c, EINVAL, "the size %" PRIi64 " is negative", size);
  if ((fd = sysroot_open_regular (c, path, O_WRONLY, 0)) == -1)
    return -1;
  if (ftruncate (fd, size) == -1)
    r = call_error (c, errno, "%s: cannot set the size to %" PRIi64, path, size);
  return finish (c, path, fd, r);
}

/* Allocate LEN bytes, by writing them where the filesystem has no call for it. */
static int
allocate (struct call *c, const char *path, int fd, int64_t len)
{
  const char zero = 0;

  while (len > 0 && fallocate (fd, 0, 0, len) == -1) {
    if (errno == EOPNOTSUPP || errno == ENOSYS)
      return write_repeated (c, path, fd, &zero, 1, (uint64_t) len);
    if (errno != EINTR)
      return call_error (c, errno, "%s: cannot allocate %" PRIi64 " bytes", path, len);
    if (call_poll (c) == -1)
      return -1;
  }
  return 0;
}

int
do_fallocate64 (struct call *c, const char *path, int64_t len)
{
  int fd, r;

  if (len < 0)
    return call_refuse (c, EINVAL, "the length %" PRIi64 " is negative", len);
  if ((fd = sysroot_open_regular (c, path, O_WRONLY | O_CREAT | O_TRUNC, 0666)) == -1)
    return -1;
  r = allocate (c, path, fd, len);
  /* What was allocated before the space ran out is not kept. */
  if (r == -1 && ftruncate (fd, 0) == -1 && verbose)
    dprintf (2, "zerofishd: %s: cannot release its space: %s\n", path, strerror (errno));
  return finish (c, path, fd, r);
}

int64_t
do_filesize (struct call *c, const char *path)
{
  int fd = sysroot_open (c, path, O_PATH, 0);
  struct stat st;
  int64_t r;

  if (fd == -1)
    return -1;
  r = fstat (fd, &st) == -1 ? call_error (c, errno, "%s", path) : st.st_size;
  close (fd);
  return r;
}

int
do_rm (struct call *c, const char *path)
{
  const char *name;
  int dir = sysroot_open_parent (c, path, &name), r = 0;

  if (dir == -1)
    return -1;
  if (unlinkat (dir, name, 0) == -1)
    r = call_error (c, errno, "cannot remove %s", path);
  close (dir);
  return r;
}

int
do_mkdir (struct call *c, const char *path)
{
  const char *name;
  int dir = sysroot_open_parent (c, path, &name), r = 0;

  if (dir == -1)
    return -1;
  if (mkdirat (dir, name, 0777) == -1)
    r = call_error (c, errno, "cannot make the directory %s", path);
  close (dir);
  return r;
}

int
do_touch (struct call *c, const char *path)
{
  int fd = sysroot_open_regular (c, path, O_WRONLY | O_CREAT, 0666), r = 0;

  if (fd == -1)
    return -1;
  if (futimens (fd, NULL) == -1)
    r = call_error (c, errno, "%s: cannot set the times", path);
  close (fd);
  return r;
}

int
do_exists (struct call *c, const char *path)
{
  int fd = sysroot_open (c, path, O_PATH, 0);

  if (fd != -1) {
    close (fd);
    return 1;
  }
  if (c->error_errno != ENOENT && c->error_errno != ENOTDIR && c->error_errno != ELOOP)
    return -1;
  call_forget_error (c);
  return 0;
}

struct zf_statvfs *
do_statvfs (struct call *c, const char *path)
{
  struct zf_statvfs *r = call_alloc (c, sizeof *r);
  int fd = r ? sysroot_open (c, path, O_PATH, 0) : -1;
  struct statvfs st;

  if (fd == -1)
    return NULL;
  if (fstatvfs (fd, &st) == -1) {
    call_error (c, errno, "%s", path);
    r = NULL;
  } else
    *r = (struct zf_statvfs) {
      .bsize = (int64_t) st.f_bsize, .frsize = (int64_t) st.f_frsize, .blocks = (int64_t) st.f_blocks,
      .bfree = (int64_t) st.f_bfree, .bavail = (int64_t) st.f_bavail, .files = (int64_t) st.f_files,
      .ffree = (int64_t) st.f_ffree, .favail = (int64_t) st.f_favail, .fsid = (int64_t) st.f_fsid,
      .flag = (int64_t) st.f_flag, .namemax = (int64_t) st.f_namemax,
    };
  close (fd);
  return r;
}
