/* A small dispatch table for the test of serve.c: calls that succeed, fail, last, read files and send them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../daemon/daemon.h"
#include "serve-rows.h"

int verbose;

static int
bad_body (struct call *c)
{
  return call_refuse (c, EINVAL, "cannot decode the arguments");
}

static int
stub_nothing (struct call *c, XDR *in)
{
  (void) c;
  (void) in;
  return 0;
}

static int
stub_echo (struct call *c, XDR *in)
{
  char *s = NULL;
  int r = -1;

  if (!xdr_string (in, &s, ZF_MESSAGE_MAX))
    bad_body (c);
  else
    r = call_result (c, (xdrproc_t) xdr_wrapstring, &s);
  free (s);
  return r;
}

static int
stub_mute (struct call *c, XDR *in)
{
  (void) c;
  (void) in;
  return -1;
}

static bool_t
xdr_bytes_result (XDR *x, struct buf *b)
{
  u_int len = b->len;

  return xdr_bytes (x, (char **) &b->data, &len, ~0U);
}

static int
stub_large (struct call *c, XDR *in)
{
  struct buf b = { 0 };
  u_int n;

  if (!xdr_u_int (in, &n))
    return bad_body (c);
  b.data = call_alloc (c, n);
  b.len = n;
  return b.data ? call_result (c, (xdrproc_t) xdr_bytes_result, &b) : -1;
}

static int
stub_long (struct call *c, XDR *in)
{
  int ms, steps, i;

  if (!xdr_int (in, &ms))
    return bad_body (c);
  steps = ms / 10;
  for (i = 0; i < steps; i++) {
    usleep (10000);
    if (call_progress (c, i, steps) == -1)
      return -1;
  }
  return call_result (c, (xdrproc_t) xdr_int, &steps);
}

static int
stub_options (struct call *c, XDR *in)
{
  (void) in;
  return call_result (c, (xdrproc_t) xdr_u_int64_t, &c->optargs_bitmask);
}

static bool_t
xdr_list_result (XDR *x, struct list *l)
{
  u_int n = l->n;

  return xdr_array (x, (char **) &l->v, &n, ~0U, sizeof (char *), (xdrproc_t) xdr_wrapstring);
}

static int
stub_memory (struct call *c, XDR *in)
{
  struct list l = { 0 };
  int i;

  (void) in;
  call_error (c, ENOENT, "this one is forgotten");
  call_forget_error (c);
  for (i = 0; i < 1000; i++) {
    char *s = call_printf (c, "%s-%d", call_strdup (c, "element"), i);
    if (s == NULL || list_add (c, &l, s) == -1)
      return -1;
  }
  if (list_end (c, &l) == NULL || l.v[1000] != NULL)
    return call_refuse (c, EINVAL, "a list without an end");
  return call_result (c, (xdrproc_t) xdr_list_result, &l);
}

static int
stub_error (struct call *c, XDR *in)
{
  char *s = NULL;
  int err;

  if (!xdr_int (in, &err) || !xdr_string (in, &s, ZF_MESSAGE_MAX))
    bad_body (c);
  else
    call_error (c, err, "%s", s);
  call_error (c, EIO, "a second error must not replace the first");
  free (s);
  return -1;
}

/* Read at most LIMIT bytes and compare them with the pattern: how many came, or -1. */
static ssize_t
read_pattern (struct call *c, size_t limit)
{
  unsigned char b[5000];
  size_t done = 0;
  ssize_t n, i;

  while (done < limit) {
    n = file_in_read (c, b, limit - done < sizeof b ? limit - done : sizeof b);
    if (n == -1)
      return -1;
    if (n == 0)
      break;
    for (i = 0; i < n; i++, done++) {
      if (b[i] != PATTERN (done))
        return call_refuse (c, EINVAL, "byte %zu of the file is wrong", done);
    }
  }
  return done;
}

/* Polls, as long uploads do, while chunks and what is among them are waiting. */
static ssize_t
read_slowly (struct call *c, size_t n)
{
  ssize_t r = read_pattern (c, 1);
  int i;

  for (i = 0; r != -1 && i < 30; i++) {
    usleep (10000);
    r = call_progress (c, i, 30);
  }
  if (r == -1)
    return -1;
  while ((r = file_in_read (c, (char[1]) { 0 }, 1)) == 1)
    n--;
  return r == 0 && n == 1 ? 0 : call_refuse (c, EINVAL, "not the whole file");
}

static int
stub_in (struct call *c, XDR *in)
{
  int mode, n;
  ssize_t r;

  if (!xdr_int (in, &mode) || !xdr_int (in, &n))
    return bad_body (c);
  if (mode == IN_SLOW)
    return read_slowly (c, n);
  r = read_pattern (c, mode == IN_READ_ALL || mode == IN_FAIL_AFTER_END ? SIZE_MAX : (size_t) n);
  if (mode == IN_IGNORE_CANCEL)
    return 0;
  if (r == -1)
    return -1;
  if (mode == IN_READ_ALL && r != n)
    return call_refuse (c, EINVAL, "%zd bytes instead of %d", r, n);
  if (mode == IN_FAIL_AFTER_N || mode == IN_FAIL_AFTER_END)
    return call_error (c, ENOSPC, "failed as asked");
  return 0;
}

struct out {
  int mode, n;
};

static int
send_pattern (struct call *c, void *opaque)
{
  struct out *o = opaque;
  const size_t piece = o->mode == OUT_SMALL_PIECES ? 7 : 3000;
  unsigned char b[3000];
  size_t done, i, n, end = o->n;
  int r = 0;

  for (done = 0; r == 0 && (o->mode == OUT_FOR_EVER || done < end); done += n) {
    n = o->mode != OUT_FOR_EVER && end - done < piece ? end - done : piece;
    for (i = 0; i < n; i++)
      b[i] = PATTERN (done + i);
    r = file_out_write (c, b, n);
  }
  if (o->mode == OUT_FAIL_AFTER_N)
    r = call_error (c, EIO, "failed as asked");
  free (o);
  return r;
}

static int
stub_out (struct call *c, XDR *in)
{
  struct out o, *p;

  if (!xdr_int (in, &o.mode) || !xdr_int (in, &o.n))
    return bad_body (c);
  if (o.mode == OUT_REFUSE)
    return call_error (c, ENOENT, "/missing");
  p = malloc (sizeof *p);
  *p = o;
  call_set_file_out (c, send_pattern, p);
  return 0;
}

const struct row rows[] = {
  { P_NOTHING, "nothing", 0, 0, stub_nothing },
  { P_ECHO, "echo", 0, 0, stub_echo },
  { P_MUTE, "mute", 0, 0, stub_mute },
  { P_LARGE, "large", 0, 0, stub_large },
  { P_LONG, "long", ROW_PROGRESS | ROW_CANCEL, 0, stub_long },
  { P_STUBBORN, "stubborn", 0, 0, stub_long },
  { P_OPTIONS, "options", 0, 2, stub_options },
  { P_MEMORY, "memory", 0, 0, stub_memory },
  { P_ERROR, "error", 0, 0, stub_error },
  { P_IN, "in", ROW_FILE_IN, 0, stub_in },
  { P_OUT, "out", ROW_FILE_OUT, 0, stub_out },
  { P_NO_FILE, "no_file", ROW_FILE_OUT, 0, stub_nothing },
};
const size_t nr_rows = sizeof rows / sizeof rows[0];
