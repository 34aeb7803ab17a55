/* The action table: zeroing, and testing for zeroes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_zero[] = {
  { .name = "zero", .proc = 85,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE,
    .since = "0.1",
    .shortdesc = "write zeroes over the start of a device",
    .longdesc =
      "Write zeroes over the first 131072 bytes (128 KiB) of C<device>, or over all of it if it is "
      "smaller.  Partition tables, filesystem headers and volume headers at the start are gone "
      "afterwards.  Blocks that hold only zeroes already are not written.\n"
      "\n"
      "Copies of such headers elsewhere stay: a GPT keeps its second table at the end of the disk.  To "
      "clear the whole device use A<zero_device>.\n"
      "\n"
      "A device that is mounted or otherwise in use is refused with C<EBUSY>.",
    .tests = {
      { START_EMPTY,
        "pwrite-device /dev/sdb abc 0\n"
        "pwrite-device /dev/sdb abcdef 131069\n"
        "zero /dev/sdb\n"
        "pread-device /dev/sdb 3 131072\n"
        "echo\n"
        "zero-device /dev/sdb\n"
        "is-zero-device /dev/sdb\n",
        "3\n6\ndef\ntrue\n" },
      { START_PARTITION, "zero /dev/sda\nlist-partitions\n", "" },
      { START_FS, "zero /dev/sda1\n", "", .error = "busy" },
      { START_ANY, "zero /dev/null\n", "", .error = "/dev/null" },
    } },

  { .name = "zero_device", .proc = 228,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL | F_HINTS,
    .since = "0.1",
    .shortdesc = "write zeroes over a whole device",
    .longdesc =
      "Make every byte of C<device> read as zero: a disk, a partition or a volume of any size.\n"
      "\n"
      "What is zero already is not written, so that an image never takes more space than before.  (Compressed "
      "clusters are unpacked only where just a part of one is zeroed, and in images of qcow2 version 2.)  On a "
      "drive that was added with discard, the space of what is zeroed goes back to the host; without "
      "discard it stays allocated.\n"
      "\n"
      "A block that cannot be read is overwritten; the call fails only if writing fails.  When it "
      "returns, the zeroes are on the disk and not only in a cache.  After an error or a cancel, each "
      "block holds either its old content or zeroes.\n"
      "\n"
      "A device that is mounted, or is held by a volume or a mapping, is refused with C<EBUSY>; the "
      "message says by what.  See also A<zero> for the start of a device only, and A<is_zero_device>.",
    .tests = {
      { START_EMPTY,
        "pwrite-device /dev/sda hello 268435456\n"
        "is-zero-device /dev/sda\n"
        "zero-device /dev/sda\n"
        "is-zero-device /dev/sda\n",
        "5\nfalse\ntrue\n" },
      { START_PARTITION,
        "zero-device /dev/sda1\nis-zero-device /dev/sda1\nlist-partitions\n",
        "true\n/dev/sda1\n" },
      { START_PARTITION, "zero-device /dev/sda\nlist-partitions\n", "" },
      { START_FS, "zero-device /dev/sda\n", "", .error = "busy" },
      { START_ANY, "zero-device /dev/sdc\n", "", .error = "/dev/sdc" },
    } },

  { .name = "is_zero", .proc = 283,
    .ret = T_BOOL,
    .args = { { "path", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "test whether a file holds only zero bytes",
    .longdesc =
      "True if the regular file C<path> has no byte that is not zero.  An empty file is true.  Holes of "
      "the file are not read.\n"
      "\n"
      "Symbolic links are followed inside the guest's filesystem.  A directory is refused with "
      "C<EISDIR>, and anything else that is not a regular file with C<EINVAL>; it is never opened.",
    .tests = {
      { START_FS,
        "touch /f\n"
        "is-zero /f\n"
        "truncate-size /f 1000000\n"
        "is-zero /f\n"
        "pwrite /f x 999999\n"
        "is-zero /f\n",
        "true\ntrue\n1\nfalse\n" },
      { START_FS, "is-zero /lost+found\n", "", .error = "/lost+found" },
      { START_FS, "is-zero /missing\n", "", .error = "No such file" },
      { START_EMPTY, "is-zero /f\n", "", .error = "no filesystem is mounted" },
    } },

  { .name = "is_zero_device", .proc = 284,
    .ret = T_BOOL,
    .args = { { "device", T_DEVICE } },
    .flags = F_PROGRESS | F_CANCEL | F_HINTS,
    .since = "0.1",
    .shortdesc = "test whether a device holds only zero bytes",
    .longdesc =
      "True if C<device> has no byte that is not zero.  The answer is false as soon as one is found, so "
      "only a device that is zero, or nearly so, is read to its end.\n"
      "\n"
      "Changes that were made through a mounted filesystem, or through the whole disk or another "
      "partition, count even if they were not yet written.  A block that cannot be read is an error, "
      "unless a byte that is not zero was found before it.",
    .tests = {
      { START_EMPTY,
        "is-zero-device /dev/sdb\n"
        "pwrite-device /dev/sdb x 67108863\n"
        "is-zero-device /dev/sdb\n",
        "true\n1\nfalse\n" },
      { START_PARTITION, "is-zero-device /dev/sda1\nis-zero-device /dev/sda\n", "true\nfalse\n" },
      { START_EMPTY, "is-zero-device /dev/sda5\n", "", .error = "/dev/sda5" },
    } },

  { .name = NULL }
};
