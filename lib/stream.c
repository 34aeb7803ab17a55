/* File transfers as the library sees the wire: chunks out (FileIn), chunks in (FileOut), and both sides'
 * ways to stop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rpc.h"

#define BATCH   (8 * ZF_CHUNK_MAX)      /* bytes read from the local file at a time */
#define PADDED(n) (((n) + 3) / 4 * 4)

static int
put_word (struct buf *b, uint32_t w)
{
  w = htobe32 (w);
  return buf_append (b, &w, sizeof w);
}

static uint32_t
get_word (const unsigned char *p)
{
  uint32_t w;

  memcpy (&w, p, sizeof w);
  return be32toh (w);
}

/* --- FileIn --- */

/* Append a chunk with its length word. */
static int
put_chunk (struct buf *b, bool cancelled, const void *p, size_t n)
{
  static const char zero[4];

  if (put_word (b, 8 + PADDED (n)) == -1 || put_word (b, cancelled) == -1 || put_word (b, n) == -1)
    return -1;
  return n == 0 || (buf_append (b, p, n) == 0 && buf_append (b, zero, PADDED (n) - n) == 0) ? 0 : -1;
}

/* Send N bytes as chunks; N 0 is the end of the file, or with CANCELLED the end of the transfer. */
static int
send_chunks (struct rpc *c, bool cancelled, const unsigned char *p, size_t n)
{
  struct buf *b = &c->frame;
  size_t part;

  b->len = 0;
  do {
    part = n < ZF_CHUNK_MAX ? n : ZF_CHUNK_MAX;
    if (put_chunk (b, cancelled, p, part) == -1)
      return rpc_lost (c);
    p += part;
    n -= part;
  } while (n > 0);
  if (conn_write (c->h->conn, b->data, b->len) == -1)
    return rpc_lost (c);
  return 0;
}

/* How sending came to its end; SEND_LOST: the error is set and the machine gone. */
enum send_end { SEND_DONE, SEND_DAEMON, SEND_USER, SEND_LOCAL, SEND_LOST };

/* Send the file's content without the chunk that ends it.  SEND_LOCAL: *ERR says what is wrong with the
 * file. */
static enum send_end
send_content (struct rpc *c, struct local_file *f, unsigned char *data, int *err)
{
  ssize_t n;

  for (;;) {
    if (rpc_poll_flags (c) == -1)
      return SEND_LOST;
    if (c->daemon_cancelled)
      return SEND_DAEMON;
    if (zfi_cancelled (c->h))
      return SEND_USER;
    n = file_read (c->h, f, data, BATCH);
    if (n == -2)
      continue;
    if (n == -1 && errno == ECONNRESET && c->h->lost_why != NULL) {
      rpc_lost (c);
      return SEND_LOST;
    }
    *err = errno;
    if (n == -1)
      return zfi_cancelled (c->h) ? SEND_USER : SEND_LOCAL;
    if (n == 0)
      return SEND_DONE;
    if (send_chunks (c, false, data, n) == -1)
      return SEND_LOST;
  }
}

/* The reply has come; what the call's caller is to be told. */
static int
judge_send (struct rpc *c, const struct local_file *f, enum send_end end, int err)
{
  if (end == SEND_LOCAL)
    return zfi_perror (c->h, err, "%s", f->name);
  if (end == SEND_USER)
    return zfi_error (c->h, EINTR, "%s: the transfer was cancelled", f->name);
  if (end == SEND_DAEMON && c->ok)
    return rpc_violation (c, "success after it had cancelled the transfer");
  return 0;
}

int
file_send (struct rpc *c, struct local_file *f)
{
  unsigned char *data = malloc (BATCH);
  enum send_end end = SEND_LOCAL;
  int err = ENOMEM;

  if (data != NULL)
    end = send_content (c, f, data, &err);
  free (data);
  if (end == SEND_LOST)
    return -1;
  c->sent_cancelled_chunk = end != SEND_DONE;
  if (send_chunks (c, c->sent_cancelled_chunk, NULL, 0) == -1 || rpc_read_reply (c) == -1)
    return -1;
  return judge_send (c, f, end, err);
}

/* --- FileOut --- */

struct chunk {
  bool cancelled;
  const unsigned char *data;    /* in c->frame */
  size_t n;
};

static int
read_chunk (struct rpc *c, struct chunk *chunk)
{
  uint32_t len, cancel;

  if (rpc_read_length (c, &len) == -1)
    return -1;
  if (len < 8 || len > 8 + ZF_CHUNK_MAX || len % 4 != 0)
    return rpc_violation (c, "a file chunk of %u bytes", len);
  if (conn_read_body (c->h->conn, len, &c->frame) == -1)
    return rpc_lost (c);
  cancel = get_word (c->frame.data);
  chunk->cancelled = cancel != 0;
  chunk->n = get_word (c->frame.data + 4);
  chunk->data = c->frame.data + 8;
  if (chunk->n > ZF_CHUNK_MAX || 8 + PADDED (chunk->n) != len || cancel > 1)
    return rpc_violation (c, "a damaged file chunk");
  return 0;
}

/* Receive until the last chunk.  *ERR is the first errno of the local file, or 0; then the daemon is told
 * to stop and what still comes is thrown away.  1: all came; 0: the daemon ended it with a cancelled
 * chunk; -1: the machine is lost. */
static int
receive_content (struct rpc *c, struct local_file *f, int *err)
{
  struct chunk chunk = { 0 };

  for (;;) {
    if (*err != 0 && zfi_send_cancel (c->h) == -1)
      return rpc_lost (c);
    if (read_chunk (c, &chunk) == -1)
      return -1;
    if (chunk.cancelled || chunk.n == 0)
      return chunk.cancelled ? 0 : 1;
    if (*err == 0 && file_write (c->h, f, chunk.data, chunk.n) == -1)
      *err = errno;
  }
}

int
file_receive (struct rpc *c, const char *name)
{
  struct local_file f = { .fd = -1 };
  zf_handle *h = c->h;
  int err = 0, end;

  if (file_open_out (h, &f, name) == -1)
    err = errno;
  end = receive_content (c, &f, &err);
  if (end == 1 && err == 0) {
    if (file_finish (h, &f) == 0)
      return 0;
    return zfi_perror (h, errno, "%s (the file is incomplete)", name);
  }
  file_abandon (&f);
  if (end == -1)
    return -1;
  if (zfi_cancelled (h))
    return zfi_error (h, EINTR, "%s: the transfer was cancelled; the file is incomplete", name);
  if (err != 0)
    return zfi_perror (h, err, f.position > 0 ? "%s (the file is incomplete)" : "%s", name);
  return zfi_error (h, EIO, "%s: the appliance could not send all of it; the file is incomplete", name);
}
