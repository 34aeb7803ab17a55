/* Calls whose result is a buffer: its bytes are read straight to where they are wanted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "rpc.h"

#define PADDED(n) (((n) + 3) / 4 * 4)

/* Where the bytes go. */
struct sink {
  char *p;              /* memory of the caller's, or NULL: found when the size is known */
  size_t room;          /* of that memory */
  size_t size;          /* what came */
};

/* Memory for the result: the program's, else malloc's.  NULL with the error set. */
static void *
allocate (struct rpc *c, size_t size)
{
  zf_handle *h = c->h;
  void *p;

  errno = ENOMEM;
  if (h->allocate_cb && !(c->a->flags & ZFI_PRIVATE))
    p = h->allocate_cb (h, h->allocate_opaque, size);
  else
    p = malloc (size > 0 ? size : 1);
  if (p == NULL)
    zfi_perror (h, errno, "result of %zu bytes", size);
  return p;
}

/* Find the place for the result, whose size is known: 0, or -1 with the error set. */
static int
find_place (struct rpc *c, struct sink *s)
{
  if (s->p != NULL && s->size > s->room)
    return zfi_error (c->h, ERANGE, "the result has %zu bytes, but there is room for only %zu", s->size,
                      s->room);
  if (s->p == NULL)
    s->p = allocate (c, s->size);
  return s->p == NULL ? -1 : 0;
}

/* Read the LEN bytes of an ok reply's body: the size as a word, the bytes, padding.  If there is no place
 * for them they are read all the same, so that the connection stays in step. */
static int
read_content (struct rpc *c, struct sink *s, uint32_t len)
{
  struct conn *conn = c->h->conn;
  unsigned char padding[4];
  uint32_t size;
  int r;

  if (len < 4)
    return rpc_violation (c, "a result that cannot be decoded");
  if (conn_read_word (conn, &size) == -1)
    return rpc_lost (c);
  if (size > len - 4 || PADDED (size) != len - 4)
    return rpc_violation (c, "a result that cannot be decoded");
  s->size = size;
  r = find_place (c, s);
  if (r == -1 && conn_read_body (conn, len - 4, &c->frame) == -1)
    return rpc_lost (c);
  if (r == 0 && (conn_read (conn, s->p, size) == -1 || conn_read (conn, padding, PADDED (size) - size) == -1))
    return rpc_lost (c);
  return r;
}

static int
read_reply (struct rpc *c, struct sink *s)
{
  unsigned char header[ZF_HEADER_SIZE];
  struct conn *conn = c->h->conn;
  uint32_t len;
  int r;

  /* No byte of the result is to pass through the connection's buffer. */
  conn->exact = true;
  r = rpc_read_head (c, header, &len);
  if (r == 0 && c->ok)
    r = read_content (c, s, len);
  else if (r == 0) {
    rpc_read_error (c, len);
    r = -1;
  }
  /* A lost machine takes its connection with it. */
  if (c->h->conn == conn)
    conn->exact = false;
  return r;
}

static int
call (zf_handle *h, const struct zfi_action *a, uint64_t mask, xdrproc_t args_proc, void *args,
      struct sink *s)
{
  struct rpc c = { .h = h, .a = a, .frame.max = 4 + ZF_MESSAGE_MAX };
  int r;

  if (rpc_prepare (h, a) == -1)
    return -1;
  c.serial = h->next_serial++;
  r = rpc_send (&c, mask, 0, args_proc, args);
  if (r == 0)
    r = read_reply (&c, s);
  return rpc_finish (&c, r);
}

char *
zfi_call_buffer (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
                 xdrproc_t args_proc, void *args, size_t *size_r)
{
  struct sink s = { 0 };

  if (call (h, a, optargs_bitmask, args_proc, args, &s) == 0) {
    *size_r = s.size;
    return s.p;
  }
  /* What the program allocated it also frees. */
  if (h->allocate_cb == NULL || (a->flags & ZFI_PRIVATE))
    free (s.p);
  return NULL;
}

int64_t
zfi_call_into (zf_handle *h, const struct zfi_action *a, uint64_t optargs_bitmask,
               xdrproc_t args_proc, void *args, void *buf, size_t buf_size)
{
  struct sink s = { .p = buf, .room = buf_size };

  if (buf == NULL)
    return zfi_error (h, EINVAL, "the buffer is NULL");
  return call (h, a, optargs_bitmask, args_proc, args, &s) == 0 ? (int64_t) s.size : -1;
}

int
zfi_into_count (size_t buf_size)
{
  return buf_size < INT_MAX ? (int) buf_size : INT_MAX;
}

void
zf_set_allocate_callback (zf_handle *h, zf_allocate_callback cb, void *opaque)
{
  pthread_mutex_lock (&h->lock);
  h->allocate_cb = cb;
  h->allocate_opaque = opaque;
  pthread_mutex_unlock (&h->lock);
}
