/* SCSI disks as sysfs lists them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_DISKS_H
#define ZEROFISH_DISKS_H

#include "devices.h"

struct scsi_disk {
  int host, channel, target, lun;
  char sysname[SYSNAME_MAX];
};

/* All SCSI disks, ordered by address, in memory that the caller frees; their number, or -1 with errno. */
extern ssize_t disks_list_scsi (const struct daemon *d, struct scsi_disk **list);
/* The disk at this address, its driver done with it; false if it is not there (yet). */
extern bool disks_find_scsi (const struct daemon *d, int target, int lun, struct scsi_disk *out);
/* Wait for a disk until its driver has read its partitions; 0, or -1 with the error set. */
extern int disks_wait_scsi (struct call *c, int target, int lun, int timeout_ms, struct scsi_disk *out);
/* Append to the user's disks; NULL with errno. */
extern struct disk *disks_add_scsi (struct daemon *d, const struct scsi_disk *s);
/* The UUID of "root=UUID=..." on a kernel command line; false if there is none. */
extern bool disks_root_uuid (const char *cmdline, unsigned char uuid[16]);

#endif /* ZEROFISH_DISKS_H */
