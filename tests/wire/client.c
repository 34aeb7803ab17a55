/* A peer for the daemon that speaks in raw frames, so that tests can also send what no library would.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"

bool
client_send (struct client *c, const void *p, size_t n)
{
  return conn_write (&c->conn, p, n) == 0;
}

bool
client_send_word (struct client *c, uint32_t w)
{
  return conn_write_word (&c->conn, w) == 0;
}

struct wire_header
client_header (struct client *c, int proc, uint64_t mask)
{
  const struct wire_header h = {
    .prog = ZF_PROGRAM, .vers = ZF_VERSION, .proc = proc, .direction = ZF_CALL, .serial = ++c->serial,
    .optargs_bitmask = mask,
  };

  return h;
}

bool
client_send_frame (struct client *c, const struct wire_header *h, const void *body, size_t len)
{
  struct buf b = { 0 };
  bool r;

  assert_int_equal (wire_begin (&b), 0);
  assert_int_equal (buf_append (&b, body, len), 0);
  wire_end (&b, h);
  r = client_send (c, b.data, b.len);
  buf_free (&b);
  return r;
}

void
client_call (struct client *c, int proc, uint64_t mask, struct buf *body)
{
  const struct wire_header h = client_header (c, proc, mask);

  client_send_frame (c, &h, body ? body->data : NULL, body ? body->len : 0);
  if (body)
    buf_free (body);
}

static void
send_call (struct client *c, int proc, const char *types, va_list args)
{
  struct buf b = { 0 };
  const void *p;

  for (; *types; types++) {
    switch (*types) {
    case 's': put_string (&b, va_arg (args, const char *)); break;
    case 'i': put_int (&b, va_arg (args, int)); break;
    case 'I': put_int64 (&b, va_arg (args, int64_t)); break;
    case 'b':
      p = va_arg (args, const void *);
      put_buffer (&b, p, va_arg (args, size_t));
      break;
    default: fail_msg ("type '%c'?", *types);
    }
  }
  client_call (c, proc, 0, &b);
}

void
client_send_call (struct client *c, int proc, const char *types, ...)
{
  va_list args;

  va_start (args, types);
  send_call (c, proc, types, args);
  va_end (args);
}

void
client_do (struct client *c, int proc, const char *types, ...)
{
  va_list args;

  va_start (args, types);
  send_call (c, proc, types, args);
  va_end (args);
  client_ok (c, proc);
}

void
put_int (struct buf *b, uint32_t v)
{
  v = htobe32 (v);
  assert_int_equal (buf_append (b, &v, sizeof v), 0);
}

void
put_int64 (struct buf *b, uint64_t v)
{
  v = htobe64 (v);
  assert_int_equal (buf_append (b, &v, sizeof v), 0);
}

void
put_buffer (struct buf *b, const void *p, size_t n)
{
  put_int (b, n);
  assert_int_equal (buf_append (b, p, n), 0);
  assert_int_equal (buf_append (b, "\0\0\0", -n & 3), 0);
}

void
put_string (struct buf *b, const char *s)
{
  put_buffer (b, s, strlen (s));
}

static void
decode_error (struct client *c)
{
  struct wire_error e = { NULL, NULL };
  XDR x;

  xdrmem_create (&x, (char *) c->body, c->body_len, XDR_DECODE);
  assert_true (xdr_wire_error (&x, &e));
  assert_true (strlen (e.errno_name) < sizeof c->errno_name);
  strcpy (c->errno_name, e.errno_name);
  snprintf (c->message, sizeof c->message, "%s", e.message);
  xdr_free ((xdrproc_t) xdr_wire_error, &e);
}

static void
read_frame (struct client *c, uint32_t len)
{
  assert_in_range (len, ZF_HEADER_SIZE, ZF_MESSAGE_MAX);
  assert_int_equal (conn_read_body (&c->conn, len, &c->frame), 0);
  wire_get_header (c->frame.data, &c->header);
  c->body = c->frame.data + ZF_HEADER_SIZE;
  c->body_len = len - ZF_HEADER_SIZE;
  c->errno_name[0] = c->message[0] = '\0';
  if (c->header.status == ZF_ERROR)
    decode_error (c);
}

static void
read_progress (struct client *c)
{
  unsigned char p[ZF_PROGRESS_SIZE];

  assert_int_equal (conn_read (&c->conn, p, sizeof p), 0);
  wire_get_progress (p, &c->progress);
  assert_true (c->progress.position <= c->progress.total);
}

/* Read a length word or flag; flags are dealt with.  The length, or 0 if it was a flag or the end. */
static uint32_t
read_word (struct client *c)
{
  uint32_t w;

  if (conn_read_word (&c->conn, &w) == -1) {
    assert_int_equal (errno, ECONNRESET);
    c->got = GOT_END;
    return 0;
  }
  switch (w) {
  case ZF_CANCEL_FLAG:
    c->got = GOT_CANCEL;
    return 0;
  case ZF_PROGRESS_FLAG:
    c->got = GOT_PROGRESS;
    read_progress (c);
    return 0;
  }
  c->got = GOT_FRAME;
  return w;
}

void
client_next (struct client *c)
{
  uint32_t len = read_word (c);

  if (c->got == GOT_FRAME)
    read_frame (c, len);
}

void
client_reply (struct client *c, int proc)
{
  c->nr_progress = 0;
  while (client_next (c), c->got == GOT_PROGRESS) {
    assert_int_equal (c->progress.proc, proc);
    assert_int_equal (c->progress.serial, c->serial);
    c->nr_progress++;
  }
  assert_int_equal (c->got, GOT_FRAME);
  assert_int_equal (c->header.prog, ZF_PROGRAM);
  assert_int_equal (c->header.vers, ZF_VERSION);
  assert_int_equal (c->header.proc, proc);
  assert_int_equal (c->header.direction, ZF_REPLY);
  assert_int_equal (c->header.serial, c->serial);
  assert_int_equal (c->header.progress_hint, 0);
  assert_int_equal (c->header.optargs_bitmask, 0);
}

void
client_ok (struct client *c, int proc)
{
  client_reply (c, proc);
  if (c->header.status != ZF_OK)
    fail_msg ("procedure %d: %s (%s)", proc, c->message, c->errno_name);
}

void
client_error (struct client *c, int proc, const char *errno_name, const char *text)
{
  client_reply (c, proc);
  assert_int_equal (c->header.status, ZF_ERROR);
  if (errno_name[0])
    assert_string_equal (c->errno_name, errno_name);
  if (strstr (c->message, text) == NULL)
    fail_msg ("procedure %d: the message '%s' does not contain '%s'", proc, c->message, text);
}

void
client_closed (struct client *c)
{
  char b[4096];

  while (conn_read (&c->conn, b, 1) == 0)
    ;
  assert_int_equal (errno, ECONNRESET);
}

static const unsigned char *
get_bytes (struct client *c, size_t n)
{
  const unsigned char *p = c->body;

  assert_true (n <= c->body_len);
  c->body += n;
  c->body_len -= n;
  return p;
}

uint32_t
get_int (struct client *c)
{
  uint32_t v;

  memcpy (&v, get_bytes (c, sizeof v), sizeof v);
  return be32toh (v);
}

uint64_t
get_int64 (struct client *c)
{
  uint64_t v;

  memcpy (&v, get_bytes (c, sizeof v), sizeof v);
  return be64toh (v);
}

const void *
get_buffer (struct client *c, size_t *len)
{
  const void *p;

  *len = get_int (c);
  p = get_bytes (c, *len);
  /* What pads must be zero: it could be somebody's memory. */
  assert_memory_equal (get_bytes (c, -*len & 3), "\0\0\0", -*len & 3);
  return p;
}

const char *
get_string (struct client *c)
{
  static char s[4096];
  size_t len;
  const void *p = get_buffer (c, &len);

  assert_true (len < sizeof s);
  memcpy (s, p, len);
  s[len] = '\0';
  return s;
}

bool
client_takes_file (int proc)
{
  static const int procs[] = { 66, 69, 71, 229, 241, 242, 273, 309, 397, 413, 472 };
  size_t i;

  for (i = 0; i < sizeof procs / sizeof procs[0]; i++) {
    if (procs[i] == proc)
      return true;
  }
  return false;
}

bool
client_send_chunk (struct client *c, const void *p, size_t n, uint32_t cancel)
{
  struct buf b = { 0 };
  bool r;

  put_int (&b, 8 + ((n + 3) & ~(size_t) 3));
  put_int (&b, cancel);
  put_buffer (&b, p, n);
  r = client_send (c, b.data, b.len);
  buf_free (&b);
  return r;
}

ssize_t
client_read_chunk (struct client *c)
{
  uint32_t len, cancel;
  size_t n;

  do
    len = read_word (c);
  while (c->got == GOT_PROGRESS);
  assert_int_equal (c->got, GOT_FRAME);
  assert_in_range (len, 8, 8 + (c->chunk_max > 0 ? c->chunk_max : ZF_CHUNK_MAX));
  assert_int_equal (conn_read_body (&c->conn, len, &c->frame), 0);
  c->body = c->frame.data;
  c->body_len = len;
  cancel = get_int (c);
  assert_in_range (cancel, 0, 1);
  c->body = get_buffer (c, &n);
  assert_int_equal (c->body_len, 0);
  if (cancel)
    assert_int_equal (n, 0);
  return cancel ? -1 : (ssize_t) n;
}

int
client_read_file (struct client *c, struct buf *out)
{
  ssize_t n;

  while ((n = client_read_chunk (c)) > 0) {
    if (out)
      assert_int_equal (buf_append (out, c->body, n), 0);
  }
  return n;
}
