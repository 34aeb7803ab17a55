/* Message headers, error replies and XDR bodies, as both sides of the protocol need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_WIRE_H
#define ZEROFISH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rpc/types.h>
#include <rpc/xdr.h>

#include "buf.h"

#define ZF_PROGRAM       UINT32_C (0x2000F5F5)
#define ZF_VERSION       4
#define ZF_HEADER_SIZE   40
#define ZF_ERROR_MAX     65536
#define ZF_PROGRESS_SIZE 24

enum { ZF_CALL = 0, ZF_REPLY = 1 };
enum { ZF_OK = 0, ZF_ERROR = 1 };

struct wire_header {
  uint32_t prog, vers;
  int32_t proc;
  int32_t direction;
  uint32_t serial;
  uint64_t progress_hint;
  uint64_t optargs_bitmask;
  int32_t status;
};

struct wire_progress {
  uint32_t proc, serial;
  uint64_t position, total;
};

/* What the library knows of a range of a device.  Both sides stop at HINTS_MAX of them for one device. */
enum { HINT_HOLE = 1, HINT_ZERO = 2, HINT_ALLOCATED = 4 };
enum { WIRE_HINT_SIZE = 20, HINTS_MAX = 1 << 18 };
struct wire_hint {
  uint64_t offset, length;  /* bytes */
  uint32_t flags;           /* HOLE, ZERO: as NBD has them; ALLOCATED: has its place in the image */
};

struct wire_error {
  char *errno_name;
  char *message;
};

extern void wire_put_header (unsigned char out[ZF_HEADER_SIZE], const struct wire_header *hdr);
extern void wire_get_header (const unsigned char in[ZF_HEADER_SIZE], struct wire_header *hdr);
extern void wire_put_progress (unsigned char out[ZF_PROGRESS_SIZE], const struct wire_progress *p);
extern void wire_get_progress (const unsigned char in[ZF_PROGRESS_SIZE], struct wire_progress *p);
extern void wire_put_hint (unsigned char out[WIRE_HINT_SIZE], const struct wire_hint *hint);
extern void wire_get_hint (const unsigned char in[WIRE_HINT_SIZE], struct wire_hint *hint);

/* A string no longer than a message.  Decoding refuses one with a zero byte inside, which C would cut off
 * there. */
extern bool_t xdr_wire_string (XDR *xdrs, char **s);

/* XDR routine of an error reply's body. */
extern bool_t xdr_wire_error (XDR *xdrs, struct wire_error *e);

/* Begin a frame in B: emptied, then room for the length word and the header.  Append the body with
 * wire_append, then wire_end fills in length and header.  B->max bounds the whole (set it to
 * 4 + ZF_MESSAGE_MAX); -1 with errno EMSGSIZE or ENOMEM; a value that XDR cannot encode is EINVAL. */
extern int wire_begin (struct buf *b);
extern int wire_append (struct buf *b, xdrproc_t proc, void *value);
extern void wire_end (struct buf *b, const struct wire_header *hdr);

/* errno values as they travel: "EINVAL", ...  Unknown numbers give "EINVAL", 0 gives "". */
extern const char *wire_errno_to_name (int err);
/* "" gives 0, an unknown name EINVAL. */
extern int wire_errno_from_name (const char *name);

#endif /* ZEROFISH_WIRE_H */
