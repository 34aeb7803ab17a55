/* The loop that reads requests and answers them: the only place that replies, once for each request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "serve.h"

/* A request buffer that grew over this is given back, so that one large request does not cost memory for
 * ever. */
enum { KEEP = 2 * 1024 * 1024 };

/* Calls of the stock protocol that are followed by a file.  Those we do not implement must be known too,
 * or their chunks would be taken for calls. */
static const int file_in_procs[] = { 66, 69, 71, 229, 241, 242, 273, 309, 397, 413, 472 };

int64_t
serve_now_ms (void)
{
  struct timespec ts;

  /* The coarse clock never reads the hardware, which is slow in an emulated machine. */
  clock_gettime (CLOCK_MONOTONIC_COARSE, &ts);
  return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
compare_row (const void *key, const void *elem)
{
  const int proc = *(const int *) key;
  const struct row *row = elem;

  return proc < row->proc ? -1 : proc > row->proc;
}

static const struct row *
find_row (int proc)
{
  return bsearch (&proc, rows, nr_rows, sizeof rows[0], compare_row);
}

static bool
file_follows (const struct row *row, int proc)
{
  size_t i;

  if (row)
    return row->flags & ROW_FILE_IN;
  for (i = 0; i < sizeof file_in_procs / sizeof file_in_procs[0]; i++) {
    if (file_in_procs[i] == proc)
      return true;
  }
  return false;
}

/* Everything about a request that can be judged without its body. */
static int
check_header (struct call *c, const struct wire_header *h)
{
  unsigned n;

  if (h->prog != ZF_PROGRAM)
    return call_refuse (c, EPROTO, "unknown program number %#" PRIx32, h->prog);
  if (h->vers != ZF_VERSION)
    return call_refuse (c, EPROTO, "protocol version %" PRIu32 " is not spoken here, only %d",
                        h->vers, ZF_VERSION);
  if (h->direction != ZF_CALL)
    return call_refuse (c, EPROTO, "message direction %" PRId32 " is not a call", h->direction);
  if (h->status != ZF_OK)
    return call_refuse (c, EPROTO, "a call with status %" PRId32, h->status);
  if (c->row == NULL)
    return call_refuse (c, ENOTSUP, "unknown procedure number %" PRId32 ": "
                        "the appliance is older than the library, or built without it", h->proc);
  n = c->row->nr_optargs;
  if (n < 64 && (h->optargs_bitmask >> n) != 0)
    return call_refuse (c, EINVAL, "%s: unknown optional argument (mask %#" PRIx64 "): "
                        "the appliance is older than the library", c->row->name, h->optargs_bitmask);
  return 0;
}

/* Decode and run.  0 or -1, and then there is an error. */
static int
run (struct call *c, const struct buf *frame)
{
  XDR in;
  int r;

  xdrmem_create (&in, (char *) frame->data + ZF_HEADER_SIZE, frame->len - ZF_HEADER_SIZE, XDR_DECODE);
  r = c->row->stub (c, &in);
  xdr_destroy (&in);

  if (r == 0 && (c->row->flags & ROW_FILE_OUT) && c->file_out == NULL)
    r = call_refuse (c, EINVAL, "%s succeeded without a file to send", c->row->name);
  if (r == -1)
    call_refuse (c, EINVAL, "%s failed without a message", c->row->name);
  return r;
}

/* Bring the stream of chunks, if one follows the call, to its end.  *R becomes -1 if the file did not come
 * whole. 0, or -1 with errno: connection lost. */
static int
finish_file_in (struct call *c, int *r)
{
  if (c->file_in == FILE_IN_NONE)
    return 0;
  if (file_in_finish (c, *r == -1) == -1)
    return -1;
  /* An ok reply to a cut-off file would report success for a part of it. */
  if (*r == 0 && c->file_in == FILE_IN_CANCELLED)
    *r = call_refuse (c, EINTR, "the file transfer was cancelled");
  return 0;
}

static int
encode_error (struct call *c)
{
  char *text = c->error ? c->error : (char *) "out of memory";
  struct wire_error e = { .errno_name = (char *) wire_errno_to_name (c->error_errno), .message = text };

  if (strlen (text) > ZF_ERROR_MAX)
    text[ZF_ERROR_MAX] = '\0';
  if (verbose)
    fprintf (stderr, "zerofishd: %s: %s\n", c->row ? c->row->name : "request", text);
  if (wire_begin (&c->reply) == -1)
    return -1;
  return wire_append (&c->reply, (xdrproc_t) xdr_wire_error, &e);
}

/* Send a result that lies in pages, with head and padding put around it there. */
static int
send_in_place (struct call *c, const struct wire_header *h)
{
  const uint32_t size = htobe32 (c->result_size);
  const size_t padding = -c->result_size % 4;
  unsigned char *p = (unsigned char *) c->result - sizeof size;
  struct buf frame = { .data = p - 4 - ZF_HEADER_SIZE, .len = PAGES_HEAD + c->result_size + padding };

  memcpy (p, &size, sizeof size);
  memset (c->result + c->result_size, 0, padding);
  wire_end (&frame, h);
  return conn_write (c->d->conn, frame.data, frame.len);
}

/* The one reply. */
static int
reply (struct call *c, int32_t proc, int r)
{
  const struct wire_header h = {
    .prog = ZF_PROGRAM, .vers = ZF_VERSION, .proc = proc, .direction = ZF_REPLY, .serial = c->serial,
    .status = r == 0 ? ZF_OK : ZF_ERROR,
  };

  if (r == -1) {
    if (encode_error (c) == -1)
      return -1;
  }
  else {
    /* A file that follows has its own last progress. */
    if (c->file_out == NULL && call_last_progress (c) == -1)
      return -1;
    if (c->result != NULL)
      return send_in_place (c, &h);
    if (c->reply.len == 0 && wire_begin (&c->reply) == -1)
      return -1;
  }
  wire_end (&c->reply, &h);
  return conn_write (c->d->conn, c->reply.data, c->reply.len);
}

/* Answer one request.  0, or -1 with errno: the connection is lost. */
static int
answer (struct daemon *d, const struct buf *frame)
{
  struct wire_header h;
  struct call c = { .d = d, .started_ms = serve_now_ms () };
  int r, err, ret = -1;

  d->nr_calls++;
  wire_get_header (frame->data, &h);
  c.serial = h.serial;
  c.progress_hint = h.progress_hint;
  c.optargs_bitmask = h.optargs_bitmask;
  c.last_poll_ms = c.started_ms;
  c.reply.max = 4 + ZF_MESSAGE_MAX;
  c.row = find_row (h.proc);
  if (h.direction == ZF_CALL && file_follows (c.row, h.proc))
    c.file_in = FILE_IN_OPEN;

  r = check_header (&c, &h);
  if (r == 0)
    r = run (&c, frame);
  if (finish_file_in (&c, &r) == 0)
    ret = reply (&c, h.proc, r);
  err = errno;
  if (r == 0 && c.file_out) {
    if (file_out_run (&c, ret == 0) == -1 && ret == 0) {
      ret = -1;
      err = errno;
    }
  }
  call_free (&c);
  errno = err;
  return ret;
}

/* Read the next request into FRAME (without its length word), skipping cancel flags that came too late to
 * matter. 1, 0 if the peer went away between two frames, -1 with errno. */
static int
read_request (struct daemon *d, struct buf *frame)
{
  uint32_t len;

  do {
    if (conn_read_word (d->conn, &len) == -1)
      return errno == ECONNRESET && conn_empty (d->conn) ? 0 : -1;
  } while (len == ZF_CANCEL_FLAG);

  /* Neither can be answered: there is no header to reply to. */
  if (len < ZF_HEADER_SIZE || len > ZF_MESSAGE_MAX) {
    fprintf (stderr, "zerofishd: %#" PRIx32 " is no length of a request, giving up\n", len);
    errno = EPROTO;
    return -1;
  }
  return conn_read_body (d->conn, len, frame) == -1 ? -1 : 1;
}

int
serve (struct daemon *d, bool flag)
{
  struct buf frame = { .max = ZF_MESSAGE_MAX };
  int r = 0;

  if (flag && conn_write_word (d->conn, ZF_LAUNCH_FLAG) == -1)
    return -1;
  while ((r = read_request (d, &frame)) == 1) {
    if (answer (d, &frame) == -1) {
      /* A library that leaves without waiting for its answer is no error of ours. */
      r = errno == ECONNRESET ? 0 : -1;
      break;
    }
    if (frame.cap > KEEP)
      buf_free (&frame);
  }
  buf_free (&frame);
  return r;
}
