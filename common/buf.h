/* A growable byte buffer with a hard maximum, for frames and replies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_BUF_H
#define ZEROFISH_BUF_H

#include <stddef.h>

/* All zero is an empty buffer with no maximum.  buf_free leaves it empty and usable. */
struct buf {
  unsigned char *data;
  size_t len;
  size_t cap;
  size_t max;           /* 0: no maximum */
};

/* Make room for N more bytes and return where they begin, or NULL with errno ENOMEM (no memory)
 * or EMSGSIZE (over the maximum).  The length does not change: add to buf->len what was written. */
extern unsigned char *buf_reserve (struct buf *b, size_t n);

/* Append N bytes; 0, or -1 with errno as buf_reserve. */
extern int buf_append (struct buf *b, const void *p, size_t n);

extern void buf_free (struct buf *b);

#endif /* ZEROFISH_BUF_H */
