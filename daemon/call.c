/* One request: its memory, its error, its result, and word to and from the library while it runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "serve.h"
#include "visible.h"

enum {
  FIRST_PROGRESS_MS = 2000,
  NEXT_PROGRESS_MS = 334,   /* at most three a second */
  POLL_MS = 100,
  PAGE = 4096,
  /* What is not given back to the system: fresh pages cost more than reading into them. */
  KEPT_PAGES = ZF_CHUNK_AGREED_MAX + 2 * PAGE,
};

/* A piece of memory.  With SIZE it is of call_alloc_pages: SIZE bytes, one page on from here. */
struct chunk {
  struct chunk *next;
  size_t size;
  max_align_t data[];
};

void *
call_alloc (struct call *c, size_t n)
{
  struct chunk *m = NULL;

  if (n <= SIZE_MAX - sizeof *m)
    m = calloc (1, sizeof *m + n);
  if (m == NULL) {
    call_error (c, ENOMEM, "cannot get %zu bytes", n);
    return NULL;
  }
  m->next = c->memory;
  c->memory = m;
  return m->data;
}

/* A new piece for N bytes in pages, or NULL with errno. */
static struct chunk *
new_pages (size_t n)
{
  struct chunk *m;
  void *p;
  int err;

  /* One page for our own words and for heads, and four bytes for what pads a message. */
  if (n > SIZE_MAX - 2 * PAGE)
    err = ENOMEM;
  else
    err = posix_memalign (&p, PAGE, PAGE + n + 4);
  if (err != 0) {
    errno = err;
    return NULL;
  }
  m = p;
  m->size = n;
  return m;
}

char *
call_alloc_pages (struct call *c, size_t n)
{
  struct chunk *m = c->d->pages;

  if (m != NULL && m->size >= n)
    c->d->pages = NULL;
  else
    m = new_pages (n < KEPT_PAGES ? KEPT_PAGES : n);
  if (m == NULL) {
    call_error (c, ENOMEM, "cannot get %zu bytes", n);
    return NULL;
  }
  m->next = c->memory;
  c->memory = m;
  return (char *) m + PAGE;
}

bool
call_in_pages (const struct call *c, const void *p, size_t n)
{
  const struct chunk *m;
  const char *q = p, *start;

  for (m = c->memory; m != NULL; m = m->next) {
    start = (const char *) m + PAGE;
    if (m->size > 0 && q >= start && q <= start + m->size && n <= (size_t) (start + m->size - q))
      return true;
  }
  return false;
}

char *
call_strdup (struct call *c, const char *s)
{
  size_t n = strlen (s) + 1;
  char *p = call_alloc (c, n);

  if (p)
    memcpy (p, s, n);
  return p;
}

char *
call_printf (struct call *c, const char *fs, ...)
{
  va_list args;
  char *p = NULL;
  int n;

  va_start (args, fs);
  n = vsnprintf (NULL, 0, fs, args);
  va_end (args);
  if (n >= 0)
    p = call_alloc (c, (size_t) n + 1);
  if (p) {
    va_start (args, fs);
    vsnprintf (p, (size_t) n + 1, fs, args);
    va_end (args);
  }
  return p;
}

/* Make room for one more pointer; the old array stays in the call's memory until the end. */
static int
list_grow (struct call *c, struct list *l)
{
  size_t cap = l->cap > 0 ? l->cap * 2 : 8;
  char **v;

  if (l->n < l->cap)
    return 0;
  v = call_alloc (c, cap * sizeof *v);
  if (v == NULL)
    return -1;
  if (l->n > 0)
    memcpy (v, l->v, l->n * sizeof *v);
  l->v = v;
  l->cap = cap;
  return 0;
}

int
list_add (struct call *c, struct list *l, const char *s)
{
  char *copy;

  if (list_grow (c, l) == -1 || (copy = call_strdup (c, s)) == NULL)
    return -1;
  l->v[l->n++] = copy;
  return 0;
}

char **
list_end (struct call *c, struct list *l)
{
  if (list_grow (c, l) == -1)
    return NULL;
  l->v[l->n] = NULL;
  return l->v;
}

/* Set the first error; TAIL is ": strerror", or "".  Names in it may hold anything. */
static void __attribute__ ((format (printf, 5, 0)))
set_error (struct call *c, int err, bool lines, const char *tail, const char *fs, va_list args)
{
  char *text = NULL, *visible = NULL;

  if (c->error)
    return;
  c->error_errno = err;
  if (vasprintf (&text, fs, args) == -1)
    text = NULL;
  else
    visible = text_visible (text, lines);
  if (visible == NULL || asprintf (&c->error, "%s%s", visible, tail) == -1)
    c->error = strdup ("out of memory while reporting an error");
  free (visible);
  free (text);
}

int
call_error (struct call *c, int err, const char *fs, ...)
{
  char tail[256] = "";
  va_list args;

  if (err)
    snprintf (tail, sizeof tail, ": %s", strerror (err));
  va_start (args, fs);
  set_error (c, err, false, tail, fs, args);
  va_end (args);
  return -1;
}

int
call_refuse (struct call *c, int err, const char *fs, ...)
{
  va_list args;

  va_start (args, fs);
  set_error (c, err, false, "", fs, args);
  va_end (args);
  return -1;
}

int
call_refuse_lines (struct call *c, int err, const char *fs, ...)
{
  va_list args;

  va_start (args, fs);
  set_error (c, err, true, "", fs, args);
  va_end (args);
  return -1;
}

void
call_forget_error (struct call *c)
{
  free (c->error);
  c->error = NULL;
  c->error_errno = 0;
}

int
call_result (struct call *c, xdrproc_t proc, void *value)
{
  if (wire_begin (&c->reply) == 0 && wire_append (&c->reply, proc, value) == 0)
    return 0;
  c->reply.len = 0;
  if (errno == EMSGSIZE)
    return call_refuse (c, EMSGSIZE,
                        "the result is larger than a message can be (4 MiB): ask for less at a time");
  return call_error (c, errno, "cannot encode the result");
}

struct result {
  char *p;
  u_int n;
};

/* XDR routine of a result that is a buffer. */
static bool_t
xdr_buffer (XDR *xdrs, struct result *r)
{
  return xdr_bytes (xdrs, &r->p, &r->n, ZF_MESSAGE_MAX);
}

int
call_result_buffer (struct call *c, char *p, size_t n)
{
  struct result r = { .p = p, .n = (u_int) n };

  if (n > REPLY_BUFFER_MAX || !call_in_pages (c, p, n))
    return call_result (c, (xdrproc_t) xdr_buffer, &r);
  c->result = p;
  c->result_size = n;
  return 0;
}

/* Take a cancel flag, if that is what the library sent.  Anything else is the next request, and stays
 * unread. */
static void
look_for_flag (struct call *c)
{
  struct conn *conn = c->d->conn;
  uint32_t w;
  int r = conn_peek_word (conn, &w);

  if (r == -1) {
    call_error (c, errno, "stopped, since the library is gone");
    c->cancelled = true;
  }
  /* Where the row does not say so, the flag is left to be ignored once the call is over. */
  else if (r == 1 && w == ZF_CANCEL_FLAG && (c->row->flags & (ROW_CANCEL | ROW_FILE_IN | ROW_FILE_OUT))) {
    conn_read_word (conn, &w);
    c->cancelled = true;
  }
}

int
call_look (struct call *c, int64_t now)
{
  /* A cancel flag among the chunks of a file means nothing: there the library cancels by a chunk. */
  if (!c->cancelled && c->file_in != FILE_IN_OPEN && now - c->last_poll_ms >= POLL_MS) {
    c->last_poll_ms = now;
    look_for_flag (c);
  }
  if (c->cancelled)
    return call_refuse (c, EINTR, "cancelled");
  return 0;
}

static int
send_progress (struct call *c, uint64_t position, uint64_t total)
{
  unsigned char frame[4 + ZF_PROGRESS_SIZE];
  const struct wire_progress p = {
    .proc = c->row->proc, .serial = c->serial, .position = position, .total = total,
  };
  const uint32_t flag = htobe32 (ZF_PROGRESS_FLAG);

  memcpy (frame, &flag, sizeof flag);
  wire_put_progress (frame + sizeof flag, &p);
  if (conn_write (c->d->conn, frame, sizeof frame) == -1) {
    c->cancelled = true;
    return call_error (c, errno, "stopped, since the library is gone");
  }
  return 0;
}

int
call_progress (struct call *c, uint64_t position, uint64_t total)
{
  int64_t now = serve_now_ms ();

  if (call_look (c, now) == -1)
    return -1;
  if (!(c->row->flags & ROW_PROGRESS)
      || now - c->started_ms < FIRST_PROGRESS_MS || now - c->last_progress_ms < NEXT_PROGRESS_MS)
    return 0;

  if (total == 0) {
    position = 0;
    total = 1;
  }
  if (position > total)
    position = total;
  c->last_progress_ms = now;
  c->progress_sent = true;
  c->progress_total = total;
  return send_progress (c, position, total);
}

int
call_poll (struct call *c)
{
  return call_progress (c, 0, 0);
}

int
call_last_progress (struct call *c)
{
  if (!c->progress_sent)
    return 0;
  return send_progress (c, c->progress_total, c->progress_total);
}

void
call_free (struct call *c)
{
  struct chunk *m;

  while ((m = c->memory) != NULL) {
    c->memory = m->next;
    if (m->size > 0 && m->size <= KEPT_PAGES && c->d->pages == NULL)
      c->d->pages = m;
    else
      free (m);
  }
  buf_free (&c->reply);
  buf_free (&c->chunk);
  call_forget_error (c);
}
