/* Devices and files as the zero engine takes them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZERO_TARGET_H
#define ZEROFISH_ZERO_TARGET_H

#include "daemon.h"
#include "zero-engine.h"

/* Open DEV with FLAGS and fill in T; target_close in any case.  To be alone with what is written, FLAGS are
 * O_RDWR | O_EXCL.  0, or -1 with the call's error. */
extern int target_open (struct call *c, const struct device *dev, int flags, struct zero_target *t);
extern void target_close (struct zero_target *t);

/* O_DIRECT where it works: whole megabytes go from the disk into our buffers. */
extern void target_set_direct (int fd);

/* By default the kernel's request for zeroes keeps a SCSI disk's space allocated, also when it is
 * asked to give space back.  That is right for all disks but those with discard on. */
extern void target_allow_unmap (const struct call *c, const struct disk *disk);

/* As a zero_source: the data of a file, without its holes.  A filesystem that knows no holes calls all of it
 * data.  OPAQUE is the file's descriptor. */
extern int target_next_data (const void *opaque, uint64_t from, uint64_t size, struct range *r);

/* What engines share from call to call; NULL if there is no memory for it. */
extern struct zero_pool *target_pool (struct daemon *d);

#endif /* ZEROFISH_ZERO_TARGET_H */
