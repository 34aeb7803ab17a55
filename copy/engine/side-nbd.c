/* NBD servers: requests through libnbd, whose answers are checked to fill what they should.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <libnbd.h>

#include "walk.h"
#include "side.h"

static int
completed (void *opaque, int *error)
{
  struct op *op = opaque;

  op->err = *error;
  if (op->err == 0 && op->kind == OP_READ && op->seen != op->count)
    op->err = EPROTO;           /* a part of the buffer was never filled */
  free (op->filled);
  op->filled = NULL;
  op->done = true;
  return 1;
}

/* Pieces that do not follow each other are noted byte by byte: a server that sends one piece twice must
 * not make up for one that is missing. */
static int
note_piece (struct op *op, uint64_t begin, uint64_t n)
{
  if (op->filled == NULL) {
    if (begin == op->seen) {
      op->seen += n;
      return 0;
    }
    if ((op->filled = calloc (1, op->count)) == NULL)
      return ENOMEM;
    memset (op->filled, 1, op->seen);
  }
  for (uint64_t i = begin; i < begin + n; i++) {
    op->seen += !op->filled[i];
    op->filled[i] = 1;
  }
  return 0;
}

static int
got_piece (void *opaque, const void *p, size_t n, uint64_t offset, unsigned status, int *error)
{
  struct op *op = opaque;

  (void) p;
  if (status == LIBNBD_READ_ERROR)
    return 0;                   /* the completion will say so */
  if (offset < op->offset || offset - op->offset > op->count || n > op->count - (offset - op->offset))
    *error = EPROTO;
  else
    *error = note_piece (op, offset - op->offset, n);
  return *error ? -1 : 0;
}

/* A server may say more than it was asked, or nonsense: empty extents are left out. */
static int
got_extents (void *opaque, const char *context, uint64_t offset, uint32_t *entries, size_t n, int *error)
{
  struct op *op = opaque;

  if (strcmp (context, LIBNBD_CONTEXT_BASE_ALLOCATION) != 0)
    return 0;
  if (offset != op->offset) {
    *error = EPROTO;
    return -1;
  }
  for (size_t i = 0; i + 1 < n && !op->extents->full; i += 2) {
    if (entries[i] == 0)
      continue;
    if ((*error = extents_add (op->extents, entries[i], entries[i + 1] & (EXTENT_HOLE | EXTENT_ZERO))) != 0)
      return -1;
  }
  return 0;
}

static int64_t
start_nbd (struct nbd_handle *nbd, struct op *op)
{
  const nbd_completion_callback done = { .callback = completed, .user_data = op };
  const nbd_chunk_callback chunk = { .callback = got_piece, .user_data = op };
  const nbd_extent_callback extent = { .callback = got_extents, .user_data = op };
  uint32_t flags = 0;

  switch (op->kind) {
  case OP_READ:
    return nbd_aio_pread_structured (nbd, op->buf, op->count, op->offset, chunk, done, 0);
  case OP_WRITE:
    return nbd_aio_pwrite (nbd, op->buf, op->count, op->offset, done, 0);
  case OP_ZERO:
    flags |= op->flags & ZERO_KEEP ? LIBNBD_CMD_FLAG_NO_HOLE : 0;
    flags |= op->flags & ZERO_FAST ? LIBNBD_CMD_FLAG_FAST_ZERO : 0;
    return nbd_aio_zero (nbd, op->count, op->offset, done, flags);
  case OP_EXTENTS:
    return nbd_aio_block_status (nbd, op->count, op->offset, extent, done, 0);
  case OP_FLUSH:
    return nbd_aio_flush (nbd, done, 0);
  }
  return -1;
}

static void
start (struct side *s, unsigned lane, struct op *op)
{
  op->seen = 0;
  op->filled = NULL;
  if (start_nbd (s->lanes[lane].nbd, op) == -1) {
    op->err = nbd_get_errno () ? nbd_get_errno () : EIO;
    op->done = true;
  }
}

static void
pollfd (struct side *s, unsigned lane, struct pollfd *p)
{
  struct nbd_handle *nbd = s->lanes[lane].nbd;
  unsigned dir = nbd_aio_get_direction (nbd);

  p->fd = dir == 0 ? -1 : nbd_aio_get_fd (nbd);
  p->events = (dir & LIBNBD_AIO_DIRECTION_READ ? POLLIN : 0)
    | (dir & LIBNBD_AIO_DIRECTION_WRITE ? POLLOUT : 0);
}

static int
notify (struct side *s, unsigned lane, short revents)
{
  struct nbd_handle *nbd = s->lanes[lane].nbd;
  unsigned dir = nbd_aio_get_direction (nbd);
  int r = 0;

  if ((revents & (POLLIN | POLLHUP | POLLERR)) && (dir & LIBNBD_AIO_DIRECTION_READ))
    r = nbd_aio_notify_read (nbd);
  else if ((revents & (POLLOUT | POLLHUP | POLLERR)) && (dir & LIBNBD_AIO_DIRECTION_WRITE))
    r = nbd_aio_notify_write (nbd);
  if (r == -1)
    errno = nbd_get_errno () ? nbd_get_errno () : EPROTO;
  else if (nbd_aio_is_dead (nbd) || nbd_aio_is_closed (nbd)) {
    errno = ECONNRESET;
    r = -1;
  }
  return r;
}

const struct side_ops side_nbd_ops = {
  .start = start, .pollfd = pollfd, .notify = notify, .close = side_nbd_close,
};
