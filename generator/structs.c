/* Structs that actions return, and procedure numbers that are used up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct structure structures[] = {
  { .name = "copy_stats",
    .text = "What a copy did",
    .fields = {
      { "size",         FT_INT64, "bytes of the source" },
      { "read",         FT_INT64, "bytes read from the source" },
      { "written",      FT_INT64, "bytes written to the target" },
      { "zeroed",       FT_INT64, "bytes zeroed in the target" },
      { "skipped",      FT_INT64, "bytes that were zero on both sides" },
      { "checked",      FT_INT64, "bytes read from the target" },
      { "milliseconds", FT_INT64, "time that it took" },
    } },

  { .name = "dirent",
    .text = "An entry of a directory",
    .fields = {
      { "ino",  FT_INT64,  "inode number" },
      { "ftyp", FT_CHAR,   "b c device, d directory, f FIFO, l link, r file, s socket, u ? unknown" },
      { "name", FT_STRING, "without the directory" },
    } },

  { .name = "hint_place", .wire_only = true,
    .fields = {
      { "disk",  FT_INT32, NULL },      /* index of a user disk; -1: not in one piece on one */
      { "start", FT_INT64, NULL },      /* bytes */
      { "size",  FT_INT64, NULL },
    } },

  { .name = "internal_mountable",
    .wire_only = true,
    .fields = {
      { "im_type",   FT_INT32, NULL },          /* 0: a device, 1: a btrfs volume */
      { "im_device", FT_STRING, NULL },
      { "im_volume", FT_STRING, NULL },
    } },

  { .name = "partition",
    .text = "A partition of a disk",
    .fields = {
      { "part_num",   FT_INT32, "its number" },
      { "part_start", FT_INT64, "first byte" },
      { "part_end",   FT_INT64, "last byte" },
      { "part_size",  FT_INT64, "size in bytes" },
    } },

  { .name = "statns",
    .text = "What is known of a file",
    .fields = {
      { "st_dev",        FT_INT64, "device that holds it" },
      { "st_ino",        FT_INT64, "inode number" },
      { "st_mode",       FT_INT64, "kind and permissions" },
      { "st_nlink",      FT_INT64, "number of links" },
      { "st_uid",        FT_INT64, "owner" },
      { "st_gid",        FT_INT64, "group" },
      { "st_rdev",       FT_INT64, "device that it is, if it is one" },
      { "st_size",       FT_INT64, "size in bytes" },
      { "st_blksize",    FT_INT64, "good size of reads and writes in bytes" },
      { "st_blocks",     FT_INT64, "allocated units of 512 bytes" },
      { "st_atime_sec",  FT_INT64, "last read: seconds since 1970" },
      { "st_atime_nsec", FT_INT64, "and nanoseconds" },
      { "st_mtime_sec",  FT_INT64, "last change of the content: seconds since 1970" },
      { "st_mtime_nsec", FT_INT64, "and nanoseconds" },
      { "st_ctime_sec",  FT_INT64, "last change of anything: seconds since 1970" },
      { "st_ctime_nsec", FT_INT64, "and nanoseconds" },
      { "st_spare1",     FT_INT64, "for later, 0" },
      { "st_spare2",     FT_INT64, "for later, 0" },
      { "st_spare3",     FT_INT64, "for later, 0" },
      { "st_spare4",     FT_INT64, "for later, 0" },
      { "st_spare5",     FT_INT64, "for later, 0" },
      { "st_spare6",     FT_INT64, "for later, 0" },
    } },

  { .name = "statvfs",
    .text = "Size and use of a filesystem",
    .fields = {
      { "bsize",   FT_INT64, "block size in bytes" },
      { "frsize",  FT_INT64, "size in bytes of the units that the next three count" },
      { "blocks",  FT_INT64, "size of the filesystem in units" },
      { "bfree",   FT_INT64, "free units" },
      { "bavail",  FT_INT64, "free units that users other than root may take" },
      { "files",   FT_INT64, "number of inodes" },
      { "ffree",   FT_INT64, "free inodes" },
      { "favail",  FT_INT64, "free inodes that users other than root may take" },
      { "fsid",    FT_INT64, "filesystem id" },
      { "flag",    FT_INT64, "mount flags" },
      { "namemax", FT_INT64, "longest file name in bytes" },
    } },

  { .name = "version",
    .text = "Version of the library",
    .fields = {
      { "major",   FT_INT64,  "raised when programs must be changed" },
      { "minor",   FT_INT64,  "raised when something is added" },
      { "release", FT_INT64,  "raised with each release" },
      { "extra",   FT_STRING, "what a distributor added, often empty" },
    } },

  { .name = NULL }
};

/* An action that is removed leaves its number here. */
const int retired[] = {
  0
};
