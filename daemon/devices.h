/* What the files about disks share among themselves: names, and walks through sysfs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_DEVICES_H
#define ZEROFISH_DEVICES_H

#include <dirent.h>

#include "daemon.h"

enum { SYSNAME_MAX = 64 };        /* "sdaa15", "dm-12" and its NUL */

/* --- names.c --- */

/* "/dev/" + sd, hd, vd or xvd + letters + optional number at the start of NAME: the number of characters that
 * are it, with *INDEX and *PARTNUM (0: none) set; 0 if NAME is not of this form, or a number is too large. */
extern size_t device_name_parse (const char *name, size_t *index, int *partnum);
/* Letters of a disk index: 0 "a", 25 "z", 26 "aa". */
extern void device_letters (size_t index, char out[16]);
/* Does NAME begin with /dev/ and hold no empty, "." or ".." component? */
extern bool device_name_is_plain (const char *name);

/* --- sysfs.c --- */

/* Open a directory below sysfs, or NULL. */
extern DIR *sysfs_opendir (const struct daemon *d, const char *fs, ...)
  __attribute__ ((format (printf, 2, 3)));
/* The next name that does not begin with a dot, or NULL. */
extern const char *sysfs_next (DIR *dir);
/* First line of a file below sysfs; 0, or -1 with errno. */
extern int sysfs_read (const struct daemon *d, char *out, size_t size, const char *fs, ...)
  __attribute__ ((format (printf, 4, 5)));
/* Up to SIZE bytes of one that is not text: how many, or -1 with errno. */
extern ssize_t sysfs_read_bytes (const struct daemon *d, void *out, size_t size, const char *fs, ...)
  __attribute__ ((format (printf, 4, 5)));
/* Write VALUE to a file below sysfs; 0, or -1 with errno. */
extern int sysfs_write (const struct daemon *d, const char *value, const char *fs, ...)
  __attribute__ ((format (printf, 3, 4)));

/* Name of the disk that the partition SYSNAME belongs to; false if it is no partition. */
extern bool sysfs_partition_of (const struct daemon *d, const char *sysname, char disk[SYSNAME_MAX]);
/* Name of the partition PARTNUM of a disk; false if there is none. */
extern bool sysfs_find_partition (const struct daemon *d, const char *disk, int partnum,
                                  char out[SYSNAME_MAX]);
/* Number of a partition, 0 if SYSNAME is none. */
extern int sysfs_partnum (const struct daemon *d, const char *sysname);
/* Name of the block device with this number; false if there is none. */
extern bool sysfs_name_of (const struct daemon *d, dev_t dev, char out[SYSNAME_MAX]);
/* Is anything (partition or holder) on top of SYSNAME? */
extern bool sysfs_is_plain (const struct daemon *d, const char *sysname);

/* Call FN for SYSNAME, its partitions, and everything that holds any of these; stops when FN does not return
 * 0 and returns what it returned. */
extern int sysfs_walk (const struct daemon *d, const char *sysname,
                       int (*fn) (void *opaque, const char *sysname), void *opaque);

/* --- devices.c --- */

/* Set used[i] for each user disk i that SYSNAME lies on.  False if any of it lies on anything else. */
extern bool devices_below (const struct daemon *d, const char *sysname, bool *used);
/* Highest number of partitions that are looked at. */
enum { MAX_PARTNUM = 4096 };

#endif /* ZEROFISH_DEVICES_H */
