/* One end of the byte stream between library and daemon: exact reads and writes, and words that are flags.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"

void
conn_init (struct conn *c, int fd)
{
  memset (c, 0, offsetof (struct conn, buf));
  c->fd = fd;
  c->wait = NULL;
  c->opaque = NULL;
}

static int
wait_ready (struct conn *c, short events)
{
  struct pollfd pfd = { .fd = c->fd, .events = events };

  if (c->wait)
    return c->wait (c->opaque, c->fd, events);
  if (poll (&pfd, 1, -1) == -1 && errno != EINTR)
    return -1;
  return 0;
}

/* One read of at most N bytes: the number, 0 if nothing is there now, -1 with errno. */
static ssize_t
read_now (struct conn *c, void *p, size_t n)
{
  ssize_t r;

  do
    r = read (c->fd, p, n);
  while (r == -1 && errno == EINTR);

  if (r == 0) {
    errno = ECONNRESET;
    return -1;
  }
  if (r == -1 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return 0;
  return r;
}

/* The same, but waits until at least one byte has come. */
static ssize_t
read_some (struct conn *c, void *p, size_t n)
{
  ssize_t r;

  while ((r = read_now (c, p, n)) == 0) {
    if (wait_ready (c, POLLIN) == -1)
      return -1;
  }
  return r;
}

/* Free space at the end of the buffer, after moving what is unread to its front. */
static size_t
make_room (struct conn *c)
{
  if (c->start > 0) {
    memmove (c->buf, c->buf + c->start, c->end - c->start);
    c->end -= c->start;
    c->start = 0;
  }
  return sizeof c->buf - c->end;
}

/* Hand out at most N buffered bytes. */
static size_t
take (struct conn *c, void *p, size_t n)
{
  if (n > c->end - c->start)
    n = c->end - c->start;
  memcpy (p, c->buf + c->start, n);
  c->start += n;
  if (c->start == c->end)
    c->start = c->end = 0;
  return n;
}

/* Wait until N bytes (no more than the buffer holds) are buffered. */
static int
fill (struct conn *c, size_t n)
{
  ssize_t r;
  size_t room;

  while (c->end - c->start < n) {
    room = make_room (c);
    if (c->exact)
      room = n - (c->end - c->start);
    r = read_some (c, c->buf + c->end, room);
    if (r == -1)
      return -1;
    c->end += r;
  }
  return 0;
}

/* Large reads go past the buffer, straight to where the bytes are wanted. */
static int
read_large (struct conn *c, unsigned char *p, size_t n)
{
  size_t done = take (c, p, n);
  ssize_t r;

  while (done < n) {
    r = read_some (c, p + done, n - done);
    if (r == -1)
      return -1;
    done += r;
  }
  return 0;
}

int
conn_read (struct conn *c, void *p, size_t n)
{
  if (n > sizeof c->buf / 4)
    return read_large (c, p, n);
  if (fill (c, n) == -1)
    return -1;
  take (c, p, n);
  return 0;
}

int
conn_skip (struct conn *c, size_t n)
{
  size_t part;

  while (n > 0) {
    if (fill (c, 1) == -1)
      return -1;
    part = c->end - c->start < n ? c->end - c->start : n;
    c->start += part;
    n -= part;
  }
  return 0;
}

/* On a socket SIGPIPE is suppressed, since a library must not change its program's signals. */
ssize_t
conn_write_now (struct conn *c, const void *p, size_t n)
{
  ssize_t r;

  do {
    r = c->plain ? write (c->fd, p, n) : send (c->fd, p, n, MSG_NOSIGNAL);
    if (r == -1 && errno == ENOTSOCK && !c->plain) {
      c->plain = true;
      errno = EINTR;
    }
  } while (r == -1 && errno == EINTR);

  if (r == -1 && (errno == EAGAIN || errno == EWOULDBLOCK))
    return 0;
  if (r == -1 && errno == EPIPE)
    errno = ECONNRESET;
  return r;
}

int
conn_write (struct conn *c, const void *p, size_t n)
{
  const unsigned char *q = p;
  ssize_t r;

  while (n > 0) {
    r = conn_write_now (c, q, n);
    if (r == -1)
      return -1;
    if (r == 0 && wait_ready (c, POLLOUT) == -1)
      return -1;
    q += r;
    n -= r;
  }
  return 0;
}

int
conn_read_word (struct conn *c, uint32_t *w)
{
  if (conn_read (c, w, sizeof *w) == -1)
    return -1;
  *w = be32toh (*w);
  return 0;
}

int
conn_write_word (struct conn *c, uint32_t w)
{
  w = htobe32 (w);
  return conn_write (c, &w, sizeof w);
}

bool
conn_empty (const struct conn *c)
{
  return c->start == c->end;
}

int
conn_peek_word (struct conn *c, uint32_t *w)
{
  size_t room;
  ssize_t r;

  while (c->end - c->start < sizeof *w) {
    room = make_room (c);
    r = read_now (c, c->buf + c->end, room);
    if (r <= 0)
      return r;
    c->end += r;
  }
  memcpy (w, c->buf + c->start, sizeof *w);
  *w = be32toh (*w);
  return 1;
}

int
conn_read_body (struct conn *c, uint32_t len, struct buf *b)
{
  unsigned char *end;
  size_t n;

  b->len = 0;
  while (b->len < len) {
    /* Memory follows what has really arrived, not what the length word claims. */
    n = len - b->len;
    if (n > sizeof c->buf)
      n = sizeof c->buf;
    end = buf_reserve (b, n);
    if (end == NULL || read_large (c, end, n) == -1)
      return -1;
    b->len += n;
  }
  return 0;
}
