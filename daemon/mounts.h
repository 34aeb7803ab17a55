/* The mounts below the sysroot, as the kernel lists them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_MOUNTS_H
#define ZEROFISH_MOUNTS_H

#include "daemon.h"

/* One mount, in the call's memory; the list is in the order of mounting. */
struct mount_entry {
  struct mount_entry *next;
  dev_t dev;                /* of the filesystem; not of a block device on btrfs */
  const char *where;        /* "/sysroot/boot" */
  const char *inside;       /* "/boot": as the user sees it */
  const char *source;       /* "/dev/sdb1": as it was given to mount */
};

/* All mounts on or below the sysroot; NULL if there are none (or no memory). */
extern const struct mount_entry *mounts_read (struct call *c);
/* The same from the text of a mountinfo file, which is changed. */
extern const struct mount_entry *mounts_parse (struct call *c, char *text, const char *sysroot);
/* The last mount of this block device, or NULL. */
extern const struct mount_entry *mounts_find (const struct mount_entry *m, dev_t dev, const char *source);
extern const struct mount_entry *mounts_find_block (struct call *c, const struct mount_entry *m,
                                                    const char *sysname);

#endif /* ZEROFISH_MOUNTS_H */
