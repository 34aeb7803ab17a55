/* The action table: volume groups, logical volumes and encrypted devices.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_volume[] = {
  { .name = "pvs", .proc = 9,
    .ret = T_DEVICE_LIST,
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "list the physical volumes",
    .longdesc = "List the devices that are physical volumes of LVM, sorted by name.",
    .tests = {
      { START_PARTITION, "pvs\npvcreate /dev/sda1\npvcreate /dev/sdb\npvs\nlvm-remove-all\npvs\n",
        "/dev/sda1\n/dev/sdb\n" },
    } },

  { .name = "vgs", .proc = 10,
    .ret = T_STRING_LIST,
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "list the volume groups",
    .longdesc = "List the names of the volume groups on all disks, active or not.",
    .tests = {
      { START_PARTITION, "pvcreate /dev/sda1\nvgcreate vg /dev/sda1\nvgs\nlvm-remove-all\n", "vg\n" },
    } },

  { .name = "lvs", .proc = 11,
    .ret = T_DEVICE_LIST,
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "list the logical volumes",
    .longdesc =
      "List the logical volumes of all groups as C</dev/GROUP/VOLUME>.  Those of a group that is not "
      "active cannot be used before A<vg_activate_all>.",
    .tests = {
      { START_PARTITION,
        "pvcreate /dev/sda1\n"
        "vgcreate vg /dev/sda1\n"
        "lvcreate a vg 16\n"
        "lvcreate b vg 32\n"
        "lvs\n"
        "lvm-remove-all\n"
        "lvs\n",
        "/dev/vg/a\n/dev/vg/b\n" },
    } },

  { .name = "pvcreate", .proc = 39,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "make a physical volume",
    .longdesc =
      "Make C<device>, usually a partition, a physical volume, from which A<vgcreate> makes a group. "
      " What is on "
      "it is lost.",
    .tests = {
      { START_FS, "pvcreate /dev/sda1\n", "", .error = "busy" },
    } },

  { .name = "vgcreate", .proc = 40,
    .args = { { "volgroup", T_STRING }, { "physvols", T_DEVICE_LIST } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "make a volume group",
    .longdesc =
      "Make the volume group C<volgroup> of the physical volumes C<physvols> (see A<pvcreate>).",
    .tests = {
      { START_PARTITION,
        "pvcreate /dev/sda1\n"
        "pvcreate /dev/sdb\n"
        "vgcreate vg \"/dev/sda1 /dev/sdb\"\n"
        "lvcreate big vg 520\n"
        "zero-device /dev/vg/big\n"
        "is-zero-device /dev/vg/big\n"
        "blockdev-getsize64 /dev/vg/big\n"
        "lvm-remove-all\n",
        "true\n545259520\n" },
      { START_ANY, "vgcreate -x /dev/sdb\n", "", .error = "not a name" },
    } },

  { .name = "lvcreate", .proc = 41,
    .args = { { "logvol", T_STRING }, { "volgroup", T_STRING }, { "mbytes", T_INT } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "make a logical volume",
    .longdesc =
      "Make the logical volume C</dev/C<volgroup>/C<logvol>> of C<mbytes> MiB, rounded up to the "
      "extents of the "
      "group.  What was there before shows in it until A<zero_device>.",
    .tests = {
      { START_PARTITION,
        "pvcreate /dev/sda1\n"
        "vgcreate vg /dev/sda1\n"
        "lvcreate a vg 16\n"
        "pwrite-device /dev/vg/a hello 8388608\n"
        "is-zero-device /dev/vg/a\n"
        "is-zero-device /dev/sda\n"
        "zero-device /dev/vg/a\n"
        "is-zero-device /dev/vg/a\n"
        "pread-device /dev/vg/a 3 8388608 | od -An -c\n"
        "lvm-remove-all\n",
        "5\nfalse\nfalse\ntrue\n  \\0  \\0  \\0\n" },
      { START_ANY, "lvcreate a vg 0\n", "", .error = "1 MiB or more" },
      { START_EMPTY, "lvcreate a nogroup 16\n", "", .error = "nogroup" },
    } },

  { .name = "vg_activate_all", .proc = 103,
    .args = { { "activate", T_BOOL } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "make all logical volumes usable, or not",
    .longdesc =
      "With C<activate> true make the logical volumes of all groups usable as C</dev/GROUP/VOLUME>; "
      "with false "
      "take them away again, so that what they lie on is in use no longer.  Disks that were added with "
      "volumes on them need it.",
    .tests = {
      { START_PARTITION,
        "pvcreate /dev/sda1\n"
        "vgcreate vg /dev/sda1\n"
        "lvcreate a vg 16\n"
        "vg-activate-all false\n"
        "-is-zero-device /dev/vg/a\n"
        "vg-activate-all true\n"
        "blockdev-getsize64 /dev/vg/a\n"
        "lvm-remove-all\n",
        "~/dev/vg/a: No such file\n16777216\n" },
    } },

  { .name = "lvm_remove_all", .proc = 48,
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "remove all volumes, groups and physical volumes",
    .longdesc =
      "Remove all logical volumes, volume groups and physical volumes from the disks, with what is on them.",
    .tests = {
      { START_ANY, "lvm-remove-all\nvgs\npvs\n", "" },
    } },

  { .name = "lvm_clear_filter", .proc = 256,
    .flags = F_CANCEL | F_TOOLS,
    .group = "lvm2",
    .since = "0.1",
    .shortdesc = "look for physical volumes on all disks again",
    .longdesc =
      "Make LVM look at all disks of the user again.  (It never looks at the appliance's own, and "
      "there is no "
      "other filter to be cleared.)",
    .tests = { { START_ANY, "lvm-clear-filter\n", "" } } },

  { .name = "luks_format", .proc = 260,
    .args = { { "device", T_DEVICE }, { "key", T_KEY }, { "keyslot", T_INT } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .group = "luks",
    .since = "0.1",
    .shortdesc = "make an encrypted device",
    .longdesc =
      "Make C<device> a LUKS device which C<key> opens, kept in key slot C<keyslot> (usually 0).  What is on "
      "it is lost.  Open it with A<luks_open>.\n"
      "\n"
      "The memory that the key costs is chosen to fit in the appliance's; a device that was made on "
      "another machine can need more (1 GiB is usual) to be opened: raise C<memsize> then.",
    .tests = {
      { START_ANY, "luks-format /dev/sdb\n", "", .error = "argument" },
    } },

  { .name = "luks_open", .proc = 257,
    .args = { { "device", T_DEVICE }, { "key", T_KEY }, { "mapname", T_STRING } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "luks",
    .since = "0.1",
    .shortdesc = "open an encrypted device",
    .longdesc =
      "Open the LUKS device C<device> with C<key>: what is in it can then be used as C</dev/mapper/> with "
      "C<mapname>, until A<luks_close>.",
    .tests = { { START_ANY, "luks-open\n", "", .error = "argument" } } },

  { .name = "luks_close", .proc = 259,
    .args = { { "device", T_DEVICE } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "luks",
    .since = "0.1",
    .shortdesc = "close an encrypted device",
    .longdesc =
      "Close what A<luks_open> opened.  C<device> is the name of the mapping (C</dev/mapper/NAME>), not of "
      "the device below.",
    .tests = { { START_ANY, "luks-close /dev/sda\n", "", .error = "not a mapping" } } },

  { .name = "cryptsetup_open", .proc = 508,
    .args = { { "device", T_DEVICE }, { "key", T_KEY }, { "mapname", T_STRING } },
    .optargs = { { "readonly", T_BOOL }, { "crypttype", T_STRING }, { "cipher", T_STRING } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "luks",
    .since = "0.1",
    .shortdesc = "open an encrypted device of any type",
    .longdesc =
      "As A<luks_open>, for other types too: C<crypttype> is one that cryptsetup knows, such as C<luks1>, "
      "C<luks2>, C<bitlk> or C<plain>; without it, LUKS of either version is expected.  C<readonly> "
      "refuses writes to "
      "the mapping.  C<cipher> is for C<plain>, where nothing on the device names it.",
    .tests = { { START_ANY, "cryptsetup-open\n", "", .error = "argument" } } },

  { .name = "cryptsetup_close", .proc = 509,
    .args = { { "device", T_DEVICE } },
    .flags = F_CANCEL | F_TOOLS,
    .group = "luks",
    .since = "0.1",
    .shortdesc = "close an encrypted device of any type",
    .longdesc = "Close what A<cryptsetup_open> or A<luks_open> opened, named as C</dev/mapper/NAME>.",
    .tests = { { START_ANY, "cryptsetup-close /dev/sda\n", "", .error = "not a mapping" } } },

  { .name = NULL }
};
