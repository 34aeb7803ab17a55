/* The action table: block devices and partitions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_block[] = {
  { .name = "list_devices", .proc = 7,
    .ret = T_DEVICE_LIST,
    .since = "0.1",
    .shortdesc = "list the disks",
    .longdesc =
      "List the whole disks in the order in which they were added: C</dev/sda>, C</dev/sdb> and so on, "
      "with C</dev/sdaa> after C</dev/sdz>.  The appliance's own disks are not among them.  See also "
      "A<list_partitions>.",
    .tests = { { START_ANY, "list-devices\n", "/dev/sda\n/dev/sdb\n" } } },

  { .name = "list_partitions", .proc = 8,
    .ret = T_DEVICE_LIST,
    .since = "0.1",
    .shortdesc = "list the partitions of all disks",
    .longdesc =
      "List the partitions that were found on the disks, sorted by disk and number.  Whole disks are not "
      "listed: see A<list_devices>.",
    .tests = {
      { START_EMPTY, "list-partitions\n", "" },
      { START_PARTITION, "part-disk /dev/sdb gpt\nlist-partitions\n", "/dev/sda1\n/dev/sdb1\n" },
    } },

  { .name = "nr_devices", .proc = 336,
    .ret = T_INT,
    .since = "0.1",
    .shortdesc = "count the disks",
    .longdesc =
      "The number of whole disks, without the appliance's own.  It is the length of A<list_devices>.",
    .tests = { { START_ANY, "nr-devices\n", "2\n" } } },

  { .name = "blockdev_getsize64", .proc = 63,
    .ret = T_INT64,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "size of a device in bytes",
    .longdesc = "The size of C<device> in bytes.  See also A<blockdev_getsz>.",
    .tests = {
      { START_ANY, "blockdev-getsize64 /dev/sda\nblockdev-getsize64 /dev/sdb\n", "536870912\n67108864\n" },
      { START_ANY, "blockdev-getsize64 /dev/sdc\n", "", .error = "/dev/sdc" },
    } },

  { .name = "blockdev_getsz", .proc = 62,
    .ret = T_INT64,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "size of a device in 512-byte units",
    .longdesc =
      "The size of C<device> in units of 512 bytes, whatever its own sectors are (see "
      "A<blockdev_getss>).  For the size in bytes use A<blockdev_getsize64>.",
    .tests = { { START_ANY, "blockdev-getsz /dev/sdb\n", "131072\n" } } },

  { .name = "blockdev_getss", .proc = 59,
    .ret = T_INT,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "sector size of a device",
    .longdesc = "The logical sector size of C<device> in bytes: usually 512, or 4096.",
    .tests = { { START_ANY, "blockdev-getss /dev/sda\n", "512\n" } } },

  { .name = "blockdev_getbsz", .proc = 60,
    .ret = T_INT,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "block size that the kernel uses for a device",
    .longdesc =
      "The size in bytes of the blocks in which the appliance's kernel caches C<device>.  It says nothing about the "
      "device itself: see A<blockdev_getss>.",
    .tests = { { START_ANY, "blockdev-getbsz /dev/sda\n", "4096\n" } } },

  { .name = "list_disk_labels", .proc = 369,
    .ret = T_HASH,
    .since = "0.1",
    .shortdesc = "list the labels of the disks",
    .longdesc =
      "List the labels that disks were added with (see A<add_drive>), each with its device; partitions are "
      "listed as the label with their number behind it.",
    .tests = { { START_PARTITION, "list-disk-labels\n", "" } } },

  { .name = "blockdev_getro", .proc = 58,
    .ret = T_BOOL,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "test whether a device is set read-only",
    .longdesc =
      "True if C<device> is set read-only in the appliance (see A<blockdev_setro>), or lies on a drive "
      "that was added read-only.",
    .tests = { { START_ANY, "blockdev-getro /dev/sdb\n", "false\n" } } },

  { .name = "blockdev_setro", .proc = 56,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "set a device read-only",
    .longdesc =
      "Make the appliance refuse writes to C<device> until A<blockdev_setrw>.  This is a setting of the "
      "running appliance: nothing is written to the disk.",
    .tests = {
      { START_ANY,
        "blockdev-setro /dev/sdb\n"
        "blockdev-getro /dev/sdb\n"
        "blockdev-setrw /dev/sdb\n"
        "blockdev-getro /dev/sdb\n",
        "true\nfalse\n" },
    } },

  { .name = "blockdev_setrw", .proc = 57,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "set a device writable",
    .longdesc =
      "Undo A<blockdev_setro> for C<device>.  A drive that was added read-only cannot be made writable: "
      "that is refused with C<EROFS>.",
    .tests = { { START_ANY, "blockdev-setrw /dev/sda\nblockdev-getro /dev/sda\n", "false\n" } } },

  { .name = "blockdev_flushbufs", .proc = 64,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "write out and drop the cache of a device",
    .longdesc =
      "Write what the appliance's cache holds for C<device> and forget it, so that the next read comes "
      "from the disk.  See also A<sync> and A<drop_caches>.",
    .tests = { { START_ANY, "blockdev-flushbufs /dev/sda\n", "" } } },

  { .name = "blockdev_rereadpt", .proc = 65,
    .args = { { "device", T_DEVICE } },
    .since = "0.1",
    .shortdesc = "read the partition table of a disk again",
    .longdesc =
      "Make the appliance's kernel read the partition table of the whole disk C<device> again, and wait "
      "until its partitions are there.  Actions that write to a whole disk do this themselves.  It fails "
      "with C<EBUSY> while a partition of the disk is in use.",
    .tests = { { START_PARTITION, "blockdev-rereadpt /dev/sda\nlist-partitions\n", "/dev/sda1\n" } } },

  { .name = "pread_device", .proc = 276,
    .ret = T_BUFFER,
    .args = { { "device", T_DEVICE }, { "count", T_INT }, { "offset", T_INT64 } },
    .since = "0.1",
    .shortdesc = "read part of a device",
    .longdesc =
      "Read up to C<count> bytes of C<device> from byte C<offset> on.  Fewer come back only at the end "
      "of the device, and none past it.\n"
      "\n"
      "C<count> is 0 to 4194260, the most that fits in a message; C<offset> is 0 or more.  Anything else "
      "is refused with C<EINVAL>.  To read more use A<download>.",
    .tests = {
      { START_EMPTY,
        "pwrite-device /dev/sda hello 1000\n"
        "pread-device /dev/sda 4 1001\n"
        "echo\n",
        "5\nello\n" },
      { START_ANY, "pread-device /dev/sda 10 536870912\n", "" },
      { START_ANY, "pread-device /dev/sda -1 0\n", "", .error = "negative" },
    } },

  { .name = "pwrite_device", .proc = 275,
    .ret = T_INT,
    .args = { { "device", T_DEVICE }, { "content", T_BUFFER }, { "offset", T_INT64 } },
    .flags = F_DESTRUCTIVE,
    .since = "0.1",
    .shortdesc = "write to part of a device",
    .longdesc =
      "Write C<content> to C<device> from byte C<offset> on, and return how many bytes were written.  "
      "Neither needs to be a multiple of the sector size; what is beside them is kept.  All is written, "
      "or the call fails.\n"
      "\n"
      "C<offset> is 0 or more; writing past the end of the device is refused and then nothing is "
      "written.  C<content> must fit in a message (somewhat less than 4 MiB); for more use A<upload>.",
    .tests = {
      { START_EMPTY,
        "pwrite-device /dev/sda abc 511\n"
        "pread-device /dev/sda 3 511\n"
        "echo\n",
        "3\nabc\n" },
      { START_ANY, "pwrite-device /dev/sdb abc 67108862\n", "", .error = "do not fit" },
      { START_ANY, "pwrite-device /dev/sdb abc -1\n", "", .error = "negative" },
    } },

  { .name = "part_disk", .proc = 210,
    .args = { { "device", T_DEVICE }, { "parttype", T_STRING } },
    .flags = F_DESTRUCTIVE,
    .since = "0.1",
    .shortdesc = "partition a disk with one partition",
    .longdesc =
      "Write a new partition table to the whole disk C<device>, with one partition over all of it that "
      "begins at a multiple of 64 KiB or more.  C<parttype> is C<mbr> (or C<msdos>), or C<gpt> (or "
      "C<efi>).\n"
      "\n"
      "An MBR table describes at most 2 TiB; larger disks need C<gpt>.",
    .tests = {
      { START_EMPTY, "part-disk /dev/sda mbr\nlist-partitions\n", "/dev/sda1\n" },
      { START_EMPTY, "part-disk /dev/sdb gpt\nlist-partitions\n", "/dev/sdb1\n" },
      { START_ANY, "part-disk /dev/sda nonsense\n", "", .error = "nonsense" },
    } },

  { .name = NULL }
};
