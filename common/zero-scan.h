/* Is this memory all zero?  The fastest of several scanners for the machine at hand, found by timing them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZERO_SCAN_H
#define ZEROFISH_ZERO_SCAN_H

#include <stdbool.h>
#include <stddef.h>

/* Time the candidates for about a millisecond and keep the winner.  Safe to call again and from threads; the
 * scanners work without it (64-bit words). */
extern void zero_scan_calibrate (void);

/* Name of the scanner in use: "words", "sse2", "avx2", "memcmp". */
extern const char *zero_scan_name (void);

/* True if all LEN bytes at P are zero (LEN 0: true).  P needs no alignment. */
extern bool zero_scan_is_zero (const void *p, size_t len);

/* Length of the run of like blocks at P: blocks of BLOCK bytes (the last may be short) that are all
 * zero if *ZERO is set true on return, or that all hold something if it is set false.  Returns bytes,
 * 0 only if LEN is 0. */
extern size_t zero_scan_run (const void *p, size_t len, size_t block, bool *zero);

#endif /* ZEROFISH_ZERO_SCAN_H */
