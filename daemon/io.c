/* Reads and writes that do not stop half way, and errors that say where.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Some filesystems refuse direct access only when it comes to reading and writing, and none takes the odd
 * bytes at an end.  True: try again, it is off now. */
static bool
drop_direct (int fd, int err)
{
  int flags = err == EINVAL ? fcntl (fd, F_GETFL) : -1;

  return flags != -1 && (flags & O_DIRECT) && fcntl (fd, F_SETFL, flags & ~O_DIRECT) == 0;
}

ssize_t
io_read (struct call *c, const char *name, int fd, void *p, size_t n, uint64_t offset)
{
  size_t done = 0;

  while (done < n) {
    ssize_t r = pread (fd, (char *) p + done, n - done, (off_t) (offset + done));

    if (r == -1 && (errno == EINTR || drop_direct (fd, errno)))
      continue;
    if (r == -1)
      return call_error (c, errno, "cannot read %s at offset %" PRIu64, name, offset + done);
    if (r == 0)
      break;
    done += (size_t) r;
  }
  return (ssize_t) done;
}

int
io_write (struct call *c, const char *name, int fd, const void *p, size_t n, uint64_t offset)
{
  size_t done = 0;

  while (done < n) {
    ssize_t r = pwrite (fd, (const char *) p + done, n - done, (off_t) (offset + done));

    if (r == -1 && (errno == EINTR || drop_direct (fd, errno)))
      continue;
    if (r <= 0)
      return call_error (c, r == 0 ? ENOSPC : errno, "cannot write %s at offset %" PRIu64, name,
                         offset + done);
    done += (size_t) r;
  }
  return 0;
}

int
io_sync (struct call *c, const char *name, int fd)
{
  if (fsync (fd) == -1)
    return call_error (c, errno, "cannot write all of %s", name);
  return 0;
}

int
io_check_offset (struct call *c, int64_t offset)
{
  if (offset < 0)
    return call_refuse (c, EINVAL, "the offset %" PRIi64 " is negative", offset);
  return 0;
}

char *
io_pread (struct call *c, const char *name, int fd, unsigned block, int count, int64_t offset, size_t *size_r)
{
  size_t skip, len;
  ssize_t n;
  char *p;

  if (count < 0) {
    call_refuse (c, EINVAL, "the count %d is negative", count);
    return NULL;
  }
  if (count > REPLY_BUFFER_MAX) {
    call_refuse (c, EINVAL, "the count %d is too large: read at most %d bytes at a time", count,
                 REPLY_BUFFER_MAX);
    return NULL;
  }
  if (io_check_offset (c, offset) == -1)
    return NULL;
  skip = (size_t) offset % block;
  len = (skip + (size_t) count + block - 1) / block * block;
  if ((p = call_alloc_pages (c, len)) == NULL ||
      (n = io_read (c, name, fd, p, len, (uint64_t) offset - skip)) == -1)
    return NULL;
  len = (size_t) n > skip ? (size_t) n - skip : 0;
  *size_r = len < (size_t) count ? len : (size_t) count;
  return p + skip;
}
