/* Files that travel as chunks: from the library after its call (FileIn), to it after our reply (FileOut).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "serve.h"

enum {
  BATCH = 64 * 1024,        /* the port is much faster with writes of this size than with single chunks */
  LARGE = 32 * 1024,        /* a chunk that is worth a write of its own */
};

static unsigned char *
put_word (unsigned char *p, uint32_t w)
{
  w = htobe32 (w);
  memcpy (p, &w, sizeof w);
  return p + sizeof w;
}

static size_t
chunk_max (const struct call *c)
{
  return c->d->chunk_max > 0 ? c->d->chunk_max : ZF_CHUNK_MAX;
}

/* --- FileIn --- */

/* The length word of the next chunk.  Cancel flags among chunks are skipped: the library may have sent one
 * at the moment when we failed. */
static int
read_chunk_length (struct call *c, uint32_t *len)
{
  do {
    if (conn_read_word (c->d->conn, len) == -1)
      return -1;
  } while (*len == ZF_CANCEL_FLAG);

  if (*len < 8 || *len > 8 + chunk_max (c)) {
    errno = EPROTO;
    return -1;
  }
  return 0;
}

/* Read the head of a chunk, and nothing of its data. */
static int
read_chunk_head (struct call *c)
{
  uint32_t len, cancel, size;

  if (read_chunk_length (c, &len) == -1 || conn_read_word (c->d->conn, &cancel) == -1 ||
      conn_read_word (c->d->conn, &size) == -1)
    return -1;
  if (cancel > 1 || size > len - 8) {
    errno = EPROTO;
    return -1;
  }
  c->in_left = size;
  c->in_pad = len - 8 - size;
  if (cancel == 0 && size > 0)
    return 0;
  c->in_left = c->in_pad = 0;
  if (conn_skip (c->d->conn, len - 8) == -1)
    return -1;
  c->file_in = cancel ? FILE_IN_CANCELLED : FILE_IN_END;
  return 0;
}

/* N bytes of the chunk's data were taken from the stream. */
static int
took (struct call *c, size_t n)
{
  c->in_left -= n;
  if (c->in_left > 0)
    return 0;
  n = c->in_pad;
  c->in_pad = 0;
  return conn_skip (c->d->conn, n);
}

/* Take the next N bytes at most, of one chunk, to P (NULL: throw them away): how many, 0 if there was only a
 * head to take; -1 with errno and FILE_IN_LOST.  The stream stands at FILE_IN_OPEN. */
static ssize_t
take_data (struct call *c, void *p, size_t n)
{
  int r;

  if (n > c->in_left)
    n = c->in_left;
  if (n == 0)
    r = read_chunk_head (c);
  else {
    r = p != NULL ? conn_read (c->d->conn, p, n) : conn_skip (c->d->conn, n);
    if (r == 0)
      r = took (c, n);
  }
  if (r == 0)
    return n;
  c->file_in = FILE_IN_LOST;
  c->file_in_errno = errno;
  return -1;
}

ssize_t
file_in_read (struct call *c, void *p, size_t n)
{
  size_t done = 0;
  ssize_t r;

  while (done < n && c->file_in == FILE_IN_OPEN) {
    if ((r = take_data (c, (char *) p + done, n - done)) == -1)
      return call_error (c, errno, "cannot read the file that is being sent");
    done += r;
  }
  switch (c->file_in) {
  case FILE_IN_OPEN:
  case FILE_IN_END:
    return done;
  case FILE_IN_CANCELLED:
    return call_refuse (c, EINTR, "the file transfer was cancelled");
  default:
    return call_refuse (c, EINVAL, "there is no file to read");
  }
}

int
file_in_finish (struct call *c, bool tell)
{
  if (c->file_in == FILE_IN_OPEN && tell && conn_write_word (c->d->conn, ZF_CANCEL_FLAG) == -1)
    return -1;
  while (c->file_in == FILE_IN_OPEN)
    take_data (c, NULL, SIZE_MAX);
  if (c->file_in == FILE_IN_LOST) {
    errno = c->file_in_errno;
    return -1;
  }
  return 0;
}

/* --- FileOut --- */

void
call_set_file_out (struct call *c, int (*fn) (struct call *c, void *opaque), void *opaque)
{
  c->file_out = fn;
  c->file_out_opaque = opaque;
}

/* Nothing more can be sent: whatever waits is dropped. */
static int
give_up (struct call *c)
{
  c->file_out_failed = true;
  c->chunk.len = c->chunk_used = 0;
  return -1;
}

static int
flush_chunks (struct call *c)
{
  size_t n = c->chunk.len;

  c->chunk.len = c->chunk_used = 0;
  if (n > 0 && conn_write (c->d->conn, c->chunk.data, n) == -1) {
    call_error (c, errno, "cannot send the file");
    return give_up (c);
  }
  return 0;
}

/* Begin a chunk whose head is filled in when it is closed. */
static int
open_chunk (struct call *c)
{
  unsigned char *p = buf_reserve (&c->chunk, CHUNK_HEAD + ZF_CHUNK_MAX);

  if (p == NULL)
    return -1;
  c->chunk_used = c->chunk.len;
  c->chunk.len += CHUNK_HEAD;
  return 0;
}

static size_t
open_chunk_size (const struct call *c)
{
  return c->chunk.len > c->chunk_used ? c->chunk.len - c->chunk_used - CHUNK_HEAD : 0;
}

/* Put a head in front of the SIZE bytes at P, and up to three zeroes behind them.  The length of it all. */
static size_t
put_around (unsigned char *p, size_t size, bool cancel)
{
  size_t padded = (size + 3) & ~(size_t) 3;

  memset (p + size, 0, padded - size);
  p = put_word (p - CHUNK_HEAD, 8 + padded);
  p = put_word (p, cancel);
  put_word (p, size);
  return CHUNK_HEAD + padded;
}

/* Finish the open chunk; open_chunk made room enough. */
static void
close_chunk (struct call *c, bool cancel)
{
  size_t size = open_chunk_size (c);

  c->chunk_used += put_around (c->chunk.data + c->chunk_used + CHUNK_HEAD, size, cancel);
  c->chunk.len = c->chunk_used;
}

/* Copy at most N bytes into the open chunk (opening one), and send the batch when it is full. */
static ssize_t
add_data (struct call *c, const void *p, size_t n)
{
  size_t room;

  if (c->chunk.len == c->chunk_used && open_chunk (c) == -1) {
    call_error (c, errno, "cannot send the file");
    return give_up (c);
  }
  room = ZF_CHUNK_MAX - open_chunk_size (c);
  if (n > room)
    n = room;
  memcpy (c->chunk.data + c->chunk.len, p, n);
  c->chunk.len += n;
  if (n == room) {
    close_chunk (c, false);
    if (c->chunk.len >= BATCH && flush_chunks (c) == -1)
      return -1;
  }
  return n;
}

int
file_out_write (struct call *c, const void *p, size_t n)
{
  const char *q = p;
  ssize_t r;

  if (c->file_out_failed)
    return -1;
  if (call_look (c, serve_now_ms ()) == -1)
    return give_up (c);
  while (n > 0) {
    r = add_data (c, q, n);
    if (r == -1)
      return -1;
    q += r;
    n -= r;
  }
  return 0;
}

int
file_out_pages (struct call *c, char *p, size_t n)
{
  const size_t max = chunk_max (c);
  unsigned char *q = (unsigned char *) p;
  size_t part;

  if (max < LARGE)
    return file_out_write (c, p, n);
  if (c->file_out_failed)
    return -1;
  if (call_look (c, serve_now_ms ()) == -1)
    return give_up (c);
  if (c->chunk.len > c->chunk_used)
    close_chunk (c, false);
  if (flush_chunks (c) == -1)
    return -1;
  for (; n > 0; q += part, n -= part) {
    /* The head takes the place of bytes that have gone out, or of what stands in front of the first. */
    part = n < max ? n : max;
    if (conn_write (c->d->conn, q - CHUNK_HEAD, put_around (q, part, false)) == -1) {
      call_error (c, errno, "cannot send the file");
      return give_up (c);
    }
  }
  return 0;
}

/* Send what is left, then the chunk that ends the file: empty, or cancelled. */
static int
end_file (struct call *c, bool cancel)
{
  if (cancel)
    give_up (c);
  else if (c->chunk.len > c->chunk_used)
    close_chunk (c, false);
  if (open_chunk (c) == -1)
    return -1;
  close_chunk (c, cancel);
  return flush_chunks (c);
}

int
file_out_run (struct call *c, bool sent)
{
  bool failed;
  int r;

  c->file_out_failed = !sent;
  r = c->file_out (c, c->file_out_opaque);
  if (!sent)
    return -1;
  failed = r == -1 || c->cancelled || c->file_out_failed;
  if (failed && verbose)
    fprintf (stderr, "zerofishd: %s: %s\n", c->row->name, c->error ? c->error : "failed without a message");
  if (!failed && call_last_progress (c) == -1)
    return -1;
  return end_file (c, failed);
}
