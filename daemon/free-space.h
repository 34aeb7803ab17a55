/* Zeroing what a mounted filesystem does not use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_FREE_SPACE_H
#define ZEROFISH_FREE_SPACE_H

#include "daemon.h"

/* A mounted filesystem: an open directory in it, its name for messages, and the device it is on. */
struct filesystem {
  int fd;
  const char *path;
  struct device *dev;
};

/* free-extents.c: zero the free extents that are not zero yet, through the device, while the filesystem is
 * frozen; it is not frozen any longer on return, whatever happened.  0, -1 with the call's error, or 1: this
 * filesystem does not tell where they are. */
extern int free_extents_zero (struct call *c, const struct filesystem *fs);

/* fill-space.c: zero all free blocks by writing files of zeroes until the filesystem is full.  The files
 * have no names and go on return.  0, or -1 with the call's error. */
extern int fill_space (struct call *c, const struct filesystem *fs);

#endif /* ZEROFISH_FREE_SPACE_H */
