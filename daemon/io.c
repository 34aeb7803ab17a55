/* Reads and writes that do not stop half way, and errors that say where.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

ssize_t
io_read (struct call *c, const char *name, int fd, void *p, size_t n, uint64_t offset)
{
  size_t done = 0;

  while (done < n) {
    ssize_t r = pread (fd, (char *) p + done, n - done, (off_t) (offset + done));

    if (r == -1 && errno == EINTR)
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

    if (r == -1 && errno == EINTR)
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
io_pread (struct call *c, const char *name, int fd, int count, int64_t offset, size_t *size_r)
{
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
  if (io_check_offset (c, offset) == -1 || (p = call_alloc (c, (size_t) count + 1)) == NULL)
    return NULL;
  if ((n = io_read (c, name, fd, p, (size_t) count, (uint64_t) offset)) == -1)
    return NULL;
  *size_r = (size_t) n;
  return p;
}
