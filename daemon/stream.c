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
  CHUNK_HEAD = 8,           /* cancel, length of the data */
  OUT_HEAD = 4 + CHUNK_HEAD,
  BATCH = 64 * 1024,        /* the port is much faster with writes of this size than with single chunks */
};

static uint32_t
get_word (const unsigned char *p)
{
  uint32_t w;

  memcpy (&w, p, sizeof w);
  return be32toh (w);
}

static unsigned char *
put_word (unsigned char *p, uint32_t w)
{
  w = htobe32 (w);
  memcpy (p, &w, sizeof w);
  return p + sizeof w;
}

/* The length word of the next chunk.  Cancel flags among chunks are skipped: the library may have sent one
 * at the moment when we failed. */
static int
read_chunk_length (struct call *c, uint32_t *len)
{
  do {
    if (conn_read_word (c->d->conn, len) == -1)
      return -1;
  } while (*len == ZF_CANCEL_FLAG);

  if (*len < CHUNK_HEAD || *len > CHUNK_HEAD + ZF_CHUNK_MAX) {
    errno = EPROTO;
    return -1;
  }
  return 0;
}

/* Judge the chunk in c->chunk: its data are left there, from chunk_used on. */
static int
parse_chunk (struct call *c)
{
  const uint32_t cancel = get_word (c->chunk.data), size = get_word (c->chunk.data + 4);

  if (cancel > 1 || size > c->chunk.len - CHUNK_HEAD) {
    errno = EPROTO;
    return -1;
  }
  if (cancel)
    c->file_in = FILE_IN_CANCELLED;
  else if (size == 0)
    c->file_in = FILE_IN_END;
  c->chunk.len = CHUNK_HEAD + size;
  c->chunk_used = CHUNK_HEAD;
  return 0;
}

/* Read one chunk; the stream stands at FILE_IN_OPEN.  0, or -1 with errno and FILE_IN_LOST. */
static int
read_chunk (struct call *c)
{
  uint32_t len;

  if (read_chunk_length (c, &len) == 0
      && conn_read_body (c->d->conn, len, &c->chunk) == 0
      && parse_chunk (c) == 0)
    return 0;
  c->file_in = FILE_IN_LOST;
  c->file_in_errno = errno;
  return -1;
}

/* Move at most N bytes of the chunk at hand to P. */
static size_t
take_data (struct call *c, void *p, size_t n)
{
  if (n > c->chunk.len - c->chunk_used)
    n = c->chunk.len - c->chunk_used;
  if (n > 0)
    memcpy (p, c->chunk.data + c->chunk_used, n);
  c->chunk_used += n;
  return n;
}

ssize_t
file_in_read (struct call *c, void *p, size_t n)
{
  size_t done = take_data (c, p, n);

  while (done < n && c->file_in == FILE_IN_OPEN) {
    if (read_chunk (c) == -1)
      return call_error (c, errno, "cannot read the file that is being sent");
    if (c->file_in == FILE_IN_OPEN)
      done += take_data (c, (char *) p + done, n - done);
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
    read_chunk (c);
  if (c->file_in == FILE_IN_LOST) {
    errno = c->file_in_errno;
    return -1;
  }
  return 0;
}

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
  unsigned char *p = buf_reserve (&c->chunk, OUT_HEAD + ZF_CHUNK_MAX);

  if (p == NULL)
    return -1;
  c->chunk_used = c->chunk.len;
  c->chunk.len += OUT_HEAD;
  return 0;
}

static size_t
open_chunk_size (const struct call *c)
{
  return c->chunk.len > c->chunk_used ? c->chunk.len - c->chunk_used - OUT_HEAD : 0;
}

/* Pad the open chunk and fill in its head; open_chunk made room enough. */
static void
close_chunk (struct call *c, bool cancel)
{
  size_t size = open_chunk_size (c), padded = (size + 3) & ~(size_t) 3;
  unsigned char *p = c->chunk.data + c->chunk_used;

  memset (p + OUT_HEAD + size, 0, padded - size);
  p = put_word (p, CHUNK_HEAD + padded);
  p = put_word (p, cancel);
  put_word (p, size);
  c->chunk_used += OUT_HEAD + padded;
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
