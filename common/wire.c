/* Message headers, error replies and XDR bodies, as both sides of the protocol need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "conn.h"
#include "wire.h"

static unsigned char *
put32 (unsigned char *p, uint32_t v)
{
  v = htobe32 (v);
  memcpy (p, &v, sizeof v);
  return p + sizeof v;
}

static unsigned char *
put64 (unsigned char *p, uint64_t v)
{
  v = htobe64 (v);
  memcpy (p, &v, sizeof v);
  return p + sizeof v;
}

static uint32_t
get32 (const unsigned char **p)
{
  uint32_t v;

  memcpy (&v, *p, sizeof v);
  *p += sizeof v;
  return be32toh (v);
}

static uint64_t
get64 (const unsigned char **p)
{
  uint64_t v;

  memcpy (&v, *p, sizeof v);
  *p += sizeof v;
  return be64toh (v);
}

void
wire_put_header (unsigned char out[ZF_HEADER_SIZE], const struct wire_header *hdr)
{
  unsigned char *p = out;

  p = put32 (p, hdr->prog);
  p = put32 (p, hdr->vers);
  p = put32 (p, hdr->proc);
  p = put32 (p, hdr->direction);
  p = put32 (p, hdr->serial);
  p = put64 (p, hdr->progress_hint);
  p = put64 (p, hdr->optargs_bitmask);
  put32 (p, hdr->status);
}

void
wire_get_header (const unsigned char in[ZF_HEADER_SIZE], struct wire_header *hdr)
{
  const unsigned char *p = in;

  hdr->prog = get32 (&p);
  hdr->vers = get32 (&p);
  hdr->proc = get32 (&p);
  hdr->direction = get32 (&p);
  hdr->serial = get32 (&p);
  hdr->progress_hint = get64 (&p);
  hdr->optargs_bitmask = get64 (&p);
  hdr->status = get32 (&p);
}

void
wire_put_progress (unsigned char out[ZF_PROGRESS_SIZE], const struct wire_progress *progress)
{
  unsigned char *p = out;

  p = put32 (p, progress->proc);
  p = put32 (p, progress->serial);
  p = put64 (p, progress->position);
  put64 (p, progress->total);
}

void
wire_get_progress (const unsigned char in[ZF_PROGRESS_SIZE], struct wire_progress *progress)
{
  const unsigned char *p = in;

  progress->proc = get32 (&p);
  progress->serial = get32 (&p);
  progress->position = get64 (&p);
  progress->total = get64 (&p);
}

void
wire_put_hint (unsigned char out[WIRE_HINT_SIZE], const struct wire_hint *hint)
{
  put32 (put64 (put64 (out, hint->offset), hint->length), hint->flags);
}

void
wire_get_hint (const unsigned char in[WIRE_HINT_SIZE], struct wire_hint *hint)
{
  hint->offset = get64 (&in);
  hint->length = get64 (&in);
  hint->flags = get32 (&in);
}

bool_t
xdr_wire_string (XDR *xdrs, char **s)
{
  u_int pos, len;

  if (xdrs->x_op != XDR_DECODE)
    return xdr_string (xdrs, s, ZF_MESSAGE_MAX);
  pos = xdr_getpos (xdrs);
  return xdr_u_int (xdrs, &len) && xdr_setpos (xdrs, pos)
    && xdr_string (xdrs, s, ZF_MESSAGE_MAX) && strlen (*s) == len;
}

bool_t
xdr_wire_error (XDR *xdrs, struct wire_error *e)
{
  return xdr_string (xdrs, &e->errno_name, 32) && xdr_string (xdrs, &e->message, ZF_ERROR_MAX);
}

int
wire_begin (struct buf *b)
{
  b->len = 0;
  if (buf_reserve (b, 4 + ZF_HEADER_SIZE) == NULL)
    return -1;
  b->len = 4 + ZF_HEADER_SIZE;
  return 0;
}

int
wire_append (struct buf *b, xdrproc_t proc, void *value)
{
  unsigned long size = xdr_sizeof (proc, value);   /* 0: cannot be encoded; no struct of ours is empty */
  unsigned char *p;
  XDR xdrs;
  int r = -1;

  if (size == 0) {
    errno = EINVAL;
    return -1;
  }
  p = buf_reserve (b, size);
  if (p == NULL)
    return -1;
  xdrmem_create (&xdrs, (char *) p, size, XDR_ENCODE);
  if (proc (&xdrs, value)) {
    b->len += xdr_getpos (&xdrs);
    r = 0;
  }
  else
    errno = EINVAL;
  xdr_destroy (&xdrs);
  return r;
}

void
wire_end (struct buf *b, const struct wire_header *hdr)
{
  put32 (b->data, b->len - 4);
  wire_put_header (b->data + 4, hdr);
}

/* The two whose usual name is another one of the same number. */
const char *
wire_errno_to_name (int err)
{
  const char *name;

  switch (err) {
  case 0: return "";
  case ENOTSUP: return "ENOTSUP";
  case EDEADLK: return "EDEADLOCK";
  case EAGAIN: return "EAGAIN";
  }
  name = strerrorname_np (err);
  return name ? name : "EINVAL";
}

/* Names that stand for a number besides the one that we send. */
static const struct { const char *name; int err; } aliases[] = {
  { "EOPNOTSUPP", EOPNOTSUPP }, { "EDEADLK", EDEADLK }, { "EWOULDBLOCK", EWOULDBLOCK },
};

int
wire_errno_from_name (const char *name)
{
  const int highest = 255;
  size_t i;
  int err;

  for (err = 0; err <= highest; err++) {
    if (strcmp (wire_errno_to_name (err), name) == 0)
      return err;
  }
  for (i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
    if (strcmp (aliases[i].name, name) == 0)
      return aliases[i].err;
  }
  return EINVAL;
}
