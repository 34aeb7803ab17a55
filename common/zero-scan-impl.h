/* The candidates that the zero scanner chooses from; for zero-scan.c and its tests only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZERO_SCAN_IMPL_H
#define ZEROFISH_ZERO_SCAN_IMPL_H

#include <stdbool.h>
#include <stddef.h>

struct zero_scanner {
  const char *name;
  bool (*usable) (void);                        /* on this processor */
  bool (*is_zero) (const void *p, size_t len);  /* any length, any alignment */
};

/* The first one runs everywhere. */
extern const struct zero_scanner zero_scanners[];
extern const size_t nr_zero_scanners;

#endif /* ZEROFISH_ZERO_SCAN_IMPL_H */
