/* Ranges of bytes: exact arithmetic, and sorted lists.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

static uint64_t
min64 (uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

static uint64_t
max64 (uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

bool
range_inside (uint64_t offset, uint64_t len, uint64_t size)
{
  return offset <= size && len <= size - offset;
}

uint64_t
range_down (uint64_t offset, uint64_t block)
{
  return offset & ~(block - 1);
}

uint64_t
range_up (uint64_t offset, uint64_t block)
{
  if (offset > UINT64_MAX - (block - 1))
    return range_down (UINT64_MAX, block);
  return range_down (offset + block - 1, block);
}

void
range_split (struct range r, uint64_t block,
             struct range *head, struct range *middle, struct range *tail)
{
  uint64_t first = range_up (r.start, block), last;

  if (first < r.start || first > r.end)         /* no block begins in it */
    first = r.end;
  last = max64 (range_down (r.end, block), first);

  *head = (struct range) { r.start, first };
  *middle = (struct range) { first, last };
  *tail = (struct range) { last, r.end };
}

/* Index of the first range that ends after OFFSET; l->n if none does. */
static size_t
find (const struct ranges *l, uint64_t offset)
{
  size_t low = 0, high = l->n, mid;

  while (low < high) {
    mid = low + (high - low) / 2;
    if (l->v[mid].end > offset)
      high = mid;
    else
      low = mid + 1;
  }
  return low;
}

static int
make_room (struct ranges *l)
{
  size_t cap = l->cap > 0 ? 2 * l->cap : 16;
  struct range *v;

  if (l->n < l->cap)
    return 0;
  if ((v = reallocarray (l->v, cap, sizeof *v)) == NULL)
    return -1;
  l->v = v;
  l->cap = cap;
  return 0;
}

int
ranges_add (struct ranges *l, uint64_t start, uint64_t end)
{
  size_t i, j;

  if (start >= end)
    return 0;
  if (make_room (l) == -1)
    return -1;

  /* [i, j) are the ranges that the new one overlaps or touches. */
  i = find (l, start > 0 ? start - 1 : 0);
  for (j = i; j < l->n && l->v[j].start <= end; j++) {
    start = min64 (start, l->v[j].start);
    end = max64 (end, l->v[j].end);
  }
  memmove (&l->v[i + 1], &l->v[j], (l->n - j) * sizeof l->v[0]);
  l->v[i] = (struct range) { start, end };
  l->n = l->n - (j - i) + 1;
  return 0;
}

bool
ranges_next (const struct ranges *l, uint64_t from, uint64_t size, struct range *r)
{
  size_t i = find (l, from);

  if (i == l->n || l->v[i].start >= size || from >= size)
    return false;
  r->start = max64 (from, l->v[i].start);
  r->end = min64 (size, l->v[i].end);
  return true;
}

bool
ranges_next_gap (const struct ranges *l, uint64_t from, uint64_t size, struct range *r)
{
  size_t i = find (l, from);

  /* No two ranges touch, so that one step leads out of them. */
  if (i < l->n && l->v[i].start <= from)
    from = l->v[i++].end;
  if (from >= size)
    return false;
  r->start = from;
  r->end = i < l->n ? min64 (size, l->v[i].start) : size;
  return true;
}

uint64_t
ranges_bytes (const struct ranges *l)
{
  uint64_t n = 0;

  for (size_t i = 0; i < l->n; i++)
    n += l->v[i].end - l->v[i].start;
  return n;
}

void
ranges_free (struct ranges *l)
{
  free (l->v);
  *l = (struct ranges) { 0 };
}
