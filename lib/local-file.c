/* The local end of a file transfer: opening, reading and writing files, pipes and terminals without ever
 * getting stuck.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc.h"

#define BLOCK        4096       /* what may become a hole */
#define PENDING_MAX  65536      /* bytes collected before they are written */
#define READER_MS    30000      /* how long a FIFO may lack a reader */

/* --- reading --- */

int
file_open_in (zf_handle *h, struct local_file *f, const char *name)
{
  struct stat st;
  off_t pos;

  f->name = name;
  f->ours = strcmp (name, "-") != 0 && strcmp (name, "/dev/stdin") != 0;
  f->fd = f->ours ? open (name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : STDIN_FILENO;
  if (f->fd == -1)
    return zfi_perror (h, errno, "%s", name);
  if (fstat (f->fd, &st) == -1) {
    zfi_perror (h, errno, "%s", name);
    file_close_in (f);
    return -1;
  }
  if (S_ISDIR (st.st_mode)) {
    file_close_in (f);
    return zfi_error (h, EISDIR, "%s: this is a directory; a file is meant", name);
  }
  f->regular = S_ISREG (st.st_mode) || S_ISBLK (st.st_mode);
  if (S_ISREG (st.st_mode)) {
    pos = f->ours ? 0 : lseek (f->fd, 0, SEEK_CUR);
    f->size = pos >= 0 && pos < st.st_size ? st.st_size - pos : 0;
  }
  return 0;
}

void
file_close_in (struct local_file *f)
{
  if (f->ours && f->fd != -1)
    close (f->fd);
  f->fd = -1;
}

ssize_t
file_read (zf_handle *h, struct local_file *f, const struct iovec *pieces, int n)
{
  struct pollfd pfd = { .fd = f->fd, .events = POLLIN };
  ssize_t r;

  for (;;) {
    if (!f->regular) {
      if (zfi_wait_local (h, f->fd, POLLIN, true) == -1)
        return -1;
      if (poll (&pfd, 1, 0) == 0)
        return -2;
    }
    r = readv (f->fd, pieces, n);
    if (r >= 0 || (errno != EINTR && errno != EAGAIN))
      return r;
  }
}

/* --- writing --- */

/* A FIFO without a reader cannot be opened for writing yet. */
static int
open_for_writing (zf_handle *h, const char *name)
{
  const int64_t limit = zfi_now_ms () + READER_MS;
  int fd;

  for (;;) {
    fd = open (name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (fd != -1 || errno != ENXIO || zfi_now_ms () >= limit)
      return fd;
    if (zfi_cancelled (h)) {
      errno = EINTR;
      return -1;
    }
    poll (NULL, 0, 50);
  }
}

int
file_open_out (zf_handle *h, struct local_file *f, const char *name)
{
  struct stat st;

  f->name = name;
  f->ours = strcmp (name, "-") != 0 && strcmp (name, "/dev/stdout") != 0;
  f->fd = f->ours ? open_for_writing (h, name) : STDOUT_FILENO;
  if (f->fd == -1)
    return -1;
  f->regular = fstat (f->fd, &st) == 0 && (S_ISREG (st.st_mode) || S_ISBLK (st.st_mode));
  f->sparse = f->ours && f->regular && S_ISREG (st.st_mode);
  return 0;
}

/* One write that cannot kill the program when a pipe's reader is gone. */
static ssize_t
write_without_sigpipe (int fd, const void *p, size_t n)
{
  const struct timespec now = { 0, 0 };
  sigset_t pipe_set, old, pending;
  bool was_pending;
  ssize_t r;
  int err;

  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  sigpending (&pending);
  was_pending = sigismember (&pending, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe_set, &old);
  r = write (fd, p, n);
  err = errno;
  if (r == -1 && err == EPIPE && !was_pending)
    while (sigtimedwait (&pipe_set, NULL, &now) == -1 && errno == EINTR)
      ;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = err;
  return r;
}

/* Write all N bytes at the file's own position. */
static int
write_all (zf_handle *h, struct local_file *f, const unsigned char *p, size_t n)
{
  ssize_t r;

  while (n > 0) {
    /* A pipe that is ready takes a page without blocking. */
    if (!f->regular && zfi_wait_local (h, f->fd, POLLOUT, false) == -1)
      return -1;
    r = f->regular ? write (f->fd, p, n) : write_without_sigpipe (f->fd, p, n < BLOCK ? n : BLOCK);
    if (r == -1 && errno != EINTR && errno != EAGAIN)
      return -1;
    if (r > 0) {
      p += r;
      n -= r;
    }
  }
  return 0;
}

static bool
block_is_zero (const unsigned char *p, size_t n)
{
  return p[0] == 0 && memcmp (p, p + 1, n - 1) == 0;
}

/* Write N bytes of a file that was just emptied, leaving out blocks of zeroes. */
static int
write_sparse (zf_handle *h, struct local_file *f, const unsigned char *p, size_t n)
{
  size_t start = 0, end;

  while (start < n) {
    end = start;
    while (end < n && !block_is_zero (p + end, n - end < BLOCK ? n - end : BLOCK))
      end += n - end < BLOCK ? n - end : BLOCK;
    if (end > start && (lseek (f->fd, f->position + start, SEEK_SET) == -1
                        || write_all (h, f, p + start, end - start) == -1))
      return -1;
    start = end;
    while (start < n && block_is_zero (p + start, n - start < BLOCK ? n - start : BLOCK))
      start += n - start < BLOCK ? n - start : BLOCK;
  }
  return 0;
}

static int
flush_pending (zf_handle *h, struct local_file *f)
{
  size_t n = f->pending.len;

  if (n == 0)
    return 0;
  if ((f->sparse ? write_sparse : write_all) (h, f, f->pending.data, n) == -1)
    return -1;
  f->position += n;
  f->pending.len = 0;
  return 0;
}

int
file_write (zf_handle *h, struct local_file *f, const void *p, size_t n)
{
  size_t part;

  if (f->regular && n >= PENDING_MAX) {
    if (flush_pending (h, f) == -1 || (f->sparse ? write_sparse : write_all) (h, f, p, n) == -1)
      return -1;
    f->position += n;
    return 0;
  }
  while (n > 0) {
    part = PENDING_MAX - f->pending.len < n ? PENDING_MAX - f->pending.len : n;
    if (buf_append (&f->pending, p, part) == -1)
      return -1;
    p = (const char *) p + part;
    n -= part;
    /* Someone may be waiting at the other end of a pipe. */
    if ((f->pending.len == PENDING_MAX || !f->regular) && flush_pending (h, f) == -1)
      return -1;
  }
  return 0;
}

int
file_finish (zf_handle *h, struct local_file *f)
{
  int r = flush_pending (h, f), err;

  if (r == 0 && f->sparse)
    r = ftruncate (f->fd, f->position);
  buf_free (&f->pending);
  if (!f->ours)
    return r;
  err = errno;
  if (close (f->fd) == -1 && r == 0)
    return -1;
  errno = err;
  return r;
}

void
file_abandon (struct local_file *f)
{
  buf_free (&f->pending);
  file_close_in (f);
}
