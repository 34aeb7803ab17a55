/* What the library said for the next call: where a device is zero, and where it is allocated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_HINTS_H
#define ZEROFISH_HINTS_H

#include "daemon.h"
#include "ranges.h"

/* Offsets in the device.  What is in none of the lists is unknown. */
struct hints {
  struct ranges zero;       /* reads as zero */
  struct ranges solid;      /* zero or not, it takes space that can be given back */
  struct ranges allocated;  /* not known to be zero, and all of it has its place */

  /* Since when they are true, and for what. */
  uint64_t call;            /* number of the last call that was about them */
  char *path;
  uint64_t size;            /* bytes */
  char *state;              /* of the disk: what changes when it is written to */
  uint64_t end;             /* of the last hint */
  size_t n;
};

/* The hints for DEV, which has SIZE bytes, if they were given just before this call and nothing was
 * written since.  Call it after device_flush_caches.  Valid until hints_drop; NULL: there are none. */
extern const struct hints *hints_take (struct call *c, const struct device *dev, uint64_t size);
extern void hints_drop (struct daemon *d);

#endif /* ZEROFISH_HINTS_H */
