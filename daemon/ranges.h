/* Ranges of bytes: exact arithmetic on offsets and lengths, and sorted lists of ranges.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_RANGES_H
#define ZEROFISH_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct range {
  uint64_t start, end;          /* bytes [start, end) */
};

/* Sorted, no two touch.  All zero is an empty list. */
struct ranges {
  struct range *v;
  size_t n, cap;
};

/* Does [OFFSET, OFFSET+LEN) lie inside SIZE bytes?  Never overflows. */
extern bool range_inside (uint64_t offset, uint64_t len, uint64_t size);

/* Cut R at multiples of BLOCK (a power of two): MIDDLE is the whole blocks in it, HEAD and TAIL what
 * is left before and after.  Each may be empty; together they are R, in order.  A range inside one
 * block is all HEAD. */
extern void range_split (struct range r, uint64_t block,
                         struct range *head, struct range *middle, struct range *tail);

/* Round down and up to a multiple of BLOCK (a power of two); range_up stops at the largest multiple. */
extern uint64_t range_down (uint64_t offset, uint64_t block);
extern uint64_t range_up (uint64_t offset, uint64_t block);

/* Add [START, END), in any order, overlapping or not.  0, or -1 with errno ENOMEM. */
extern int ranges_add (struct ranges *l, uint64_t start, uint64_t end);

/* The first part of [FROM, SIZE) that is in the list, or that is not in it.  False: there is none. */
extern bool ranges_next (const struct ranges *l, uint64_t from, uint64_t size, struct range *r);
extern bool ranges_next_gap (const struct ranges *l, uint64_t from, uint64_t size, struct range *r);

/* How many bytes are in the list. */
extern uint64_t ranges_bytes (const struct ranges *l);

extern void ranges_free (struct ranges *l);

#endif /* ZEROFISH_RANGES_H */
