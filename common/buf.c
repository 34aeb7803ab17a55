/* A growable byte buffer with a hard maximum, for frames and replies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

enum { SMALLEST = 256 };

/* Capacity for NEED bytes: twice what there was, so that many small appends stay cheap, but never over the
 * maximum. */
static size_t
next_cap (const struct buf *b, size_t need)
{
  size_t cap = b->cap < SIZE_MAX / 2 ? b->cap * 2 : SIZE_MAX;

  if (cap < SMALLEST)
    cap = SMALLEST;
  if (b->max > 0 && cap > b->max)
    cap = b->max;
  return cap < need ? need : cap;
}

unsigned char *
buf_reserve (struct buf *b, size_t n)
{
  unsigned char *data;
  size_t cap;

  if (n > SIZE_MAX - b->len || (b->max > 0 && b->len + n > b->max)) {
    errno = EMSGSIZE;
    return NULL;
  }
  if (b->data == NULL || b->len + n > b->cap) {
    cap = next_cap (b, b->len + n);
    data = realloc (b->data, cap);
    if (data == NULL)
      return NULL;
    b->data = data;
    b->cap = cap;
  }
  return b->data + b->len;
}

int
buf_append (struct buf *b, const void *p, size_t n)
{
  unsigned char *end = buf_reserve (b, n);

  if (end == NULL)
    return -1;
  if (n > 0)
    memcpy (end, p, n);
  b->len += n;
  return 0;
}

void
buf_free (struct buf *b)
{
  free (b->data);
  b->data = NULL;
  b->len = b->cap = 0;
}
