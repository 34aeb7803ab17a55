/* File transfers as the library sees the wire: chunks out (FileIn), chunks in (FileOut), and both sides'
 * ways to stop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "rpc.h"

#define BATCH   (8 * ZF_CHUNK_MAX)      /* bytes sent at a time, if chunks are no larger */
#define HEAD    12                      /* of a chunk: its length word, cancel, size of the data */
#define PADDED(n) (((n) + 3) / 4 * 4)

static unsigned char *
put_word (unsigned char *p, uint32_t w)
{
  w = htobe32 (w);
  memcpy (p, &w, sizeof w);
  return p + sizeof w;
}

static uint32_t
get_word (const unsigned char *p)
{
  uint32_t w;

  memcpy (&w, p, sizeof w);
  return be32toh (w);
}

static size_t
chunk_max (const struct rpc *c)
{
  return c->h->chunk_max > 0 ? c->h->chunk_max : ZF_CHUNK_MAX;
}

/* --- FileIn --- */

/* Chunks on their way out.  The file is read to where it is sent from, with room between the pieces for the
 * heads. */
struct out {
  size_t max, nr;               /* data bytes of a chunk, and how many chunks fit */
  struct iovec *data;           /* where the data of each go */
  unsigned char *frame;
};

static int
out_init (struct out *o, struct rpc *c)
{
  o->max = chunk_max (c);
  o->nr = o->max < BATCH ? BATCH / o->max : 1;
  o->data = calloc (o->nr, sizeof *o->data);
  o->frame = buf_reserve (&c->frame, o->nr * (HEAD + o->max));
  if (o->data == NULL || o->frame == NULL)
    return -1;
  for (size_t i = 0; i < o->nr; i++)
    o->data[i] = (struct iovec) { .iov_base = o->frame + i * (HEAD + o->max) + HEAD, .iov_len = o->max };
  return 0;
}

/* Head and padding for a chunk whose SIZE bytes of data begin at P: its length. */
static size_t
put_around (unsigned char *p, size_t size, bool cancelled)
{
  memset (p + size, 0, PADDED (size) - size);
  p = put_word (p - HEAD, 8 + PADDED (size));
  p = put_word (p, cancelled);
  put_word (p, size);
  return HEAD + PADDED (size);
}

/* Write, but listen meanwhile: a daemon that does not read before it has been heard must not make both of us
 * wait. */
static int
write_data (struct rpc *c, const unsigned char *p, size_t n)
{
  struct conn *conn = c->h->conn;
  ssize_t r;

  for (; n > 0; p += r, n -= r) {
    r = conn_write_now (conn, p, n);
    if (r == -1 || (r == 0 && zfi_wait (c->h, conn->fd, POLLIN | POLLOUT) == -1))
      return rpc_lost (c);
    if (r == 0 && rpc_poll_flags (c) == -1)
      return -1;
  }
  return 0;
}

/* Send the N bytes that were read. */
static int
send_data (struct rpc *c, const struct out *o, size_t n)
{
  size_t total = 0, part;

  for (size_t i = 0; n > 0; n -= part, i++) {
    part = n < o->max ? n : o->max;
    total += put_around (o->data[i].iov_base, part, false);
  }
  return write_data (c, o->frame, total);
}

/* Send the chunk that ends the file, or with CANCELLED the transfer. */
static int
send_end_chunk (struct rpc *c, bool cancelled)
{
  unsigned char chunk[HEAD];

  if (conn_write (c->h->conn, chunk, put_around (chunk + HEAD, 0, cancelled)) == -1)
    return rpc_lost (c);
  return 0;
}

/* How sending came to its end; SEND_LOST: the error is set and the machine gone. */
enum send_end { SEND_DONE, SEND_DAEMON, SEND_USER, SEND_LOCAL, SEND_LOST };

/* Send the file's content without the chunk that ends it.  SEND_LOCAL: *ERR says what is wrong with the
 * file. */
static enum send_end
send_content (struct rpc *c, struct local_file *f, const struct out *o, int *err)
{
  ssize_t n;

  for (;;) {
    if (rpc_poll_flags (c) == -1)
      return SEND_LOST;
    if (c->daemon_cancelled)
      return SEND_DAEMON;
    if (zfi_cancelled (c->h))
      return SEND_USER;
    n = file_read (c->h, f, o->data, o->nr);
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
    if (send_data (c, o, n) == -1)
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
  enum send_end end = SEND_LOCAL;
  struct out o = { 0 };
  int err = ENOMEM;

  if (out_init (&o, c) == 0)
    end = send_content (c, f, &o, &err);
  free (o.data);
  if (end == SEND_LOST)
    return -1;
  c->sent_cancelled_chunk = end != SEND_DONE;
  if (send_end_chunk (c, c->sent_cancelled_chunk) == -1 || rpc_read_reply (c) == -1)
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
  if (len < 8 || len > 8 + chunk_max (c) || len % 4 != 0)
    return rpc_violation (c, "a file chunk of %u bytes", len);
  if (conn_read_body (c->h->conn, len, &c->frame) == -1)
    return rpc_lost (c);
  cancel = get_word (c->frame.data);
  chunk->cancelled = cancel != 0;
  chunk->n = get_word (c->frame.data + 4);
  chunk->data = c->frame.data + 8;
  if (chunk->n > chunk_max (c) || 8 + PADDED (chunk->n) != len || cancel > 1)
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
