/* The action table: partition tables, wiping and giving space back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_part[] = {
  { .name = "part_init", .proc = 208,
    .args = { { "device", T_DEVICE }, { "parttype", T_STRING } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "make an empty partition table",
    .longdesc =
      "Write an empty partition table to the whole disk C<device>.  C<parttype> is C<mbr> (or C<msdos>), "
      "C<gpt> (or C<efi>), or one of the types that are seldom used now: C<aix>, C<amiga> (or C<rdb>), "
      "C<bsd>, C<dasd>, C<dvh>, C<mac>, C<pc98>, C<sun>.  Add partitions with A<part_add>; for one "
      "partition over the whole disk use A<part_disk> instead.",
    .tests = {
      { START_PARTITION, "part-init /dev/sda gpt\nlist-partitions\npart-get-parttype /dev/sda\n", "gpt\n" },
      { START_ANY, "part-init /dev/sda nonsense\n", "", .error = "nonsense" },
      { START_PARTITION, "part-init /dev/sda1 mbr\n", "", .error = "whole disk" },
    } },

  { .name = "part_add", .proc = 209,
    .args = {
      { "device", T_DEVICE }, { "prlogex", T_STRING }, { "startsect", T_INT64 }, { "endsect", T_INT64 },
    },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "add a partition",
    .longdesc =
      "Add a partition to the table of C<device>, from sector C<startsect> to sector C<endsect>, both "
      "included; a negative C<endsect> counts from the end of the disk, -1 being its last sector.  "
      "C<prlogex> is C<primary>, C<logical> or C<extended>, or their first letters; in a table that does "
      "not have these kinds (gpt) use C<primary>.",
    .tests = {
      { START_EMPTY,
        "part-init /dev/sda mbr\n"
        "part-add /dev/sda primary 2048 4095\n"
        "part-add /dev/sda p 4096 -1\n"
        "blockdev-getsize64 /dev/sda1\n"
        "list-partitions\n",
        "1048576\n/dev/sda1\n/dev/sda2\n" },
      { START_EMPTY, "part-init /dev/sda mbr\npart-add /dev/sda best 2048 4095\n", "", .error = "best" },
      { START_EMPTY, "part-add /dev/sda p 2048 4095\n", "", .error = "parted" },
    } },

  { .name = "part_del", .proc = 233,
    .args = { { "device", T_DEVICE }, { "partnum", T_INT } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "remove a partition",
    .longdesc =
      "Remove partition number C<partnum> (1 and up) from the table of C<device>.  The numbers of logical "
      "partitions above it change in an MBR table.",
    .tests = {
      { START_PARTITION, "part-del /dev/sda 1\nlist-partitions\n", "" },
      { START_PARTITION, "part-del /dev/sda 2\n", "", .error = "parted" },
      { START_PARTITION, "part-del /dev/sda 0\n", "", .error = "begin with 1" },
    } },

  { .name = "part_list", .proc = 213,
    .ret = T_STRUCT_LIST, .ret_struct = "partition",
    .args = { { "device", T_DEVICE } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "list the partitions of a disk",
    .longdesc =
      "List the partitions in the table of the whole disk C<device>: numbers, and places in bytes.  "
      "C<part_end> is the last byte, not the one after it.",
    .tests = {
      { START_EMPTY,
        "part-init /dev/sda gpt\n"
        "part-add /dev/sda p 2048 4095\n"
        "part-list /dev/sda\n",
        "[0] = {\n  part_num: 1\n  part_start: 1048576\n  part_end: 2097151\n  part_size: 1048576\n}\n" },
      { START_EMPTY, "part-list /dev/sda\n", "", .error = "parted" },
    } },

  { .name = "part_get_parttype", .proc = 214,
    .ret = T_STRING,
    .args = { { "device", T_DEVICE } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "type of a partition table",
    .longdesc =
      "The type of the partition table on the whole disk C<device>: C<msdos>, C<gpt>, or another name "
      "that parted has.  C<loop> is a disk that holds a filesystem without a table.  A disk with "
      "neither is an "
      "error.",
    .tests = {
      { START_PARTITION, "part-get-parttype /dev/sda\n", "msdos\n" },
      { START_EMPTY, "part-get-parttype /dev/sda\n", "", .error = "parted" },
    } },

  { .name = "wipefs", .proc = 306,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .group = "wipefs",
    .since = "0.1",
    .shortdesc = "remove signatures of filesystems and tables",
    .longdesc =
      "Erase the signatures by which filesystems, partition tables, volumes and RAID members are known "
      "on C<device>.  Everything else stays as it is.  To make the whole device zero use A<zero_device>.",
    .tests = {
      { START_PARTITION,
        "mkfs ext4 /dev/sda1\n"
        "vfs-type /dev/sda1\n"
        "wipefs /dev/sda1\n"
        "vfs-type /dev/sda1\n",
        "ext4\n\n" },
      { START_PARTITION, "wipefs /dev/sda\nlist-partitions\n", "" },
      { START_FS, "wipefs /dev/sda1\n", "", .error = "busy" },
    } },

  { .name = "blkdiscard", .proc = 417,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL,
    .group = "blkdiscard",
    .since = "0.1",
    .shortdesc = "discard all blocks of a device",
    .longdesc =
      "Tell the drive that nothing on C<device> is needed any longer, so that its space goes back to the "
      "host.  What it reads as afterwards is up to the storage: if it has to be zero, use A<zero_device>, "
      "which also gives the space back on such a drive.\n"
      "\n"
      "A drive that was added without discard is refused with C<EOPNOTSUPP>.",
    .tests = { { START_ANY, "blkdiscard /dev/sda\n", "", .error = "discard" } } },

  { .name = "blkdiscardzeroes", .proc = 418,
    .ret = T_BOOL,
    .args = { { "device", T_DEVICE } },
    .group = "blkdiscardzeroes",
    .since = "0.1",
    .shortdesc = "do discarded blocks read as zero",
    .longdesc =
      "True if the kernel promises that what was discarded on C<device> reads as zero.  Linux has given "
      "this promise for no device since version 4.12, so the answer is false: use A<zero_device> where "
      "zeroes are needed.",
    .tests = { { START_ANY, "blkdiscardzeroes /dev/sda\n", "false\n" } } },

  { .name = "scrub_device", .proc = 114,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL,
    .group = "scrub",
    .since = "0.1",
    .shortdesc = "overwrite a device with patterns",
    .longdesc =
      "Overwrite all of C<device> four times: twice with random bytes, once with the byte 0x55, and with "
      "zeroes at last, each pass written to the disk before the next begins.  This makes old data "
      "hard to get "
      "back from magnetic media.  It allocates every block of an image and takes long; on images, flash "
      "and thin storage it has no advantage over A<zero_device>.",
    .tests = {
      { START_EMPTY, "pwrite-device /dev/sdb abc 1000\nscrub-device /dev/sdb\nis-zero-device /dev/sdb\n",
        "3\ntrue\n" },
      { START_FS, "scrub-device /dev/sda\n", "", .error = "busy" },
    } },

  { .name = "zerofree", .proc = 97,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .group = "zerofree",
    .since = "0.1",
    .shortdesc = "zero the free blocks of an ext filesystem",
    .longdesc =
      "Zero those free blocks of the ext2, ext3 or ext4 filesystem on C<device> that are not zero "
      "yet.  It must "
      "not be mounted.",
    .tests = {
      { START_FS,
        "fill 97 1000000 /f\n"
        "rm /f\n"
        "umount /\n"
        "zerofree /dev/sda1\n"
        "e2fsck /dev/sda1\n",
        "" },
      { START_FS, "zerofree /dev/sda1\n", "", .error = "busy" },
    } },

  { .name = "fstrim", .proc = 334,
    .args = { { "mountpoint", T_PATH } },
    .optargs = { { "offset", T_INT64 }, { "length", T_INT64 }, { "minimumfreeextent", T_INT64 } },
    .group = "fstrim",
    .since = "0.1",
    .shortdesc = "discard the free space of a mounted filesystem",
    .longdesc =
      "Let the filesystem that is mounted at C<mountpoint> tell its drive which blocks are free, so "
      "that their "
      "space goes back to the host.  The drive has to be added with discard for this to have an effect.\n"
      "\n"
      "C<offset> and C<length> choose a part of the filesystem, in bytes; free pieces that are smaller "
      "than C<minimumfreeextent> bytes are left out.  A filesystem without this is refused with "
      "C<ENOTSUP>.",
    .tests = {
      { START_FS, "fstrim / length:-1\n", "", .error = "more than 0" },
      { START_FS, "fstrim /missing\n", "", .error = "No such file" },
    } },

  { .name = NULL }
};
