/* The action table: filesystems and mounting.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_fs[] = {
  { .name = "mount", .proc = 1,
    .args = { { "mountable", T_MOUNTABLE }, { "mountpoint", T_STRING } },
    .since = "0.1",
    .shortdesc = "mount a filesystem",
    .longdesc =
      "Mount the filesystem on C<mountable>, a device, at C<mountpoint>.  The first mount must be at "
      "C</>; others go to directories that exist in what is mounted already.  The kernel finds out the "
      "type of the filesystem.\n"
      "\n"
      "On a drive that was added read-only, writes go to a throw-away layer and are lost at the end.  To "
      "mount without changing anything use A<mount_ro>.",
    .tests = {
      { START_PARTITION,
        "mkfs ext4 /dev/sda1\n"
        "mount /dev/sda1 /\n"
        "touch /f\n"
        "exists /f\n",
        "true\n" },
      { START_FS,
        "mkdir /mnt\n"
        "mkfs ext2 /dev/sdb\n"
        "mount /dev/sdb /mnt\n"
        "exists /mnt/lost+found\n",
        "true\n" },
      { START_PARTITION, "mount /dev/sda1 /\n", "", .error = "/dev/sda1" },
      { START_PARTITION, "mkfs ext4 /dev/sda1\nmount /dev/sda1 /mnt\n", "", .error = "/mnt" },
    } },

  { .name = "mount_ro", .proc = 73,
    .args = { { "mountable", T_MOUNTABLE }, { "mountpoint", T_STRING } },
    .since = "0.1",
    .shortdesc = "mount a filesystem read-only",
    .longdesc = "As A<mount>, but nothing can be written to the filesystem.",
    .tests = {
      { START_PARTITION, "mkfs ext4 /dev/sda1\nmount-ro /dev/sda1 /\ntouch /f\n", "", .error = "Read-only" },
    } },

  { .name = "mount_options", .proc = 74,
    .args = { { "options", T_STRING }, { "mountable", T_MOUNTABLE }, { "mountpoint", T_STRING } },
    .since = "0.1",
    .shortdesc = "mount a filesystem with options",
    .longdesc =
      "As A<mount>, with C<options> as C<mount -o> takes them, separated by commas: C<ro>, C<noatime> and so "
      "on, and those of the filesystem itself.  An empty string is none.  Devices and set-user-ID programs in "
      "the filesystem are never honoured, whatever the options say.",
    .tests = {
      { START_PARTITION,
        "mkfs ext4 /dev/sda1\nmount-options ro,noatime /dev/sda1 /\ntouch /f\n",
        "", .error = "Read-only" },
      { START_PARTITION, "mkfs ext4 /dev/sda1\nmount-options \"\" /dev/sda1 /\ntouch /f\nmountpoints\n",
        "/dev/sda1: /\n" },
      { START_PARTITION, "mkfs ext4 /dev/sda1\nmount-options nonsense /dev/sda1 /\n", "", .error = "/dev/sda1" },
      { START_PARTITION, "mkfs ext4 /dev/sda1\nmount-options loop /dev/sda1 /\n", "", .error = "loop" },
    } },

  { .name = "mount_vfs", .proc = 75,
    .args = {
      { "options", T_STRING }, { "vfstype", T_STRING }, { "mountable", T_MOUNTABLE },
      { "mountpoint", T_STRING },
    },
    .since = "0.1",
    .shortdesc = "mount a filesystem of a given type",
    .longdesc =
      "As A<mount_options>, as a filesystem of type C<vfstype>, a name that the kernel has (C<ext4>, "
      "C<vfat>, ...); an empty string, or C<auto>, lets it be found out.",
    .tests = {
      { START_PARTITION, "mkfs ext3 /dev/sda1\nmount-vfs \"\" ext4 /dev/sda1 /\ntouch /f\n", "" },
      { START_PARTITION, "mkfs ext3 /dev/sda1\nmount-vfs \"\" xfs /dev/sda1 /\n", "", .error = "xfs" },
      { START_PARTITION, "mkfs ext3 /dev/sda1\nmount-vfs \"\" nonsense /dev/sda1 /\n", "",
        .error = "nonsense" },
    } },

  { .name = "mountpoints", .proc = 147,
    .ret = T_HASH,
    .since = "0.1",
    .shortdesc = "list mounted devices with their mount points",
    .longdesc =
      "List the devices whose filesystems are mounted, each with the directory that it is mounted on.",
    .tests = {
      { START_FS, "mkdir /mnt\nmkfs ext2 /dev/sdb\nmount /dev/sdb /mnt\nmountpoints\n",
        "/dev/sda1: /\n/dev/sdb: /mnt\n" },
      { START_EMPTY, "mountpoints\n", "" },
    } },

  { .name = "umount", .proc = 45,
    .args = { { "pathordevice", T_DEVICE_OR_PATH } },
    .optargs = { { "force", T_BOOL }, { "lazyunmount", T_BOOL } },
    .aliases = { "unmount", "umount-opts" },
    .since = "0.1",
    .shortdesc = "unmount a filesystem",
    .longdesc =
      "Unmount the filesystem that is mounted at C<pathordevice>, or from it if it is a device.  What "
      "was written is on the disk when the call returns.\n"
      "\n"
      "It fails with C<EBUSY> while something is mounted below.  With C<force>, the kernel is told to "
      "give up what waits on the filesystem; with C<lazyunmount>, the filesystem disappears at once and "
      "is let go when nothing uses it any longer.  See also A<umount_all>.",
    .tests = {
      { START_FS, "umount /\nmounts\n", "" },
      { START_FS, "umount /dev/sda1\nmounts\n", "" },
      { START_EMPTY, "umount /dev/sda\n", "", .error = "/dev/sda" },
    } },

  { .name = "umount_all", .proc = 47,
    .aliases = { "unmount-all" },
    .since = "0.1",
    .shortdesc = "unmount everything",
    .longdesc =
      "Unmount all filesystems, in an order that works.  It is no error if nothing is mounted.  See also "
      "A<umount>.",
    .tests = {
      { START_FS,
        "mkdir /mnt\n"
        "mkfs ext2 /dev/sdb\n"
        "mount /dev/sdb /mnt\n"
        "umount-all\n"
        "mounts\n",
        "" },
      { START_EMPTY, "umount-all\n", "" },
    } },

  { .name = "mounts", .proc = 46,
    .ret = T_DEVICE_LIST,
    .since = "0.1",
    .shortdesc = "list the mounted devices",
    .longdesc = "List the devices whose filesystems are mounted, in the order in which they were mounted.",
    .tests = {
      { START_EMPTY, "mounts\n", "" },
      { START_FS, "mounts\n", "/dev/sda1\n" },
    } },

  { .name = "mkfs", .proc = 278,
    .args = { { "fstype", T_STRING }, { "device", T_DEVICE } },
    .optargs = {
      { "blocksize", T_INT }, { "features", T_STRING }, { "inode", T_INT }, { "sectorsize", T_INT },
      { "label", T_STRING },
    },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL | F_TOOLS,
    .aliases = { "mkfs-opts" },
    .since = "0.1",
    .shortdesc = "make a filesystem",
    .longdesc =
      "Make an empty filesystem of type C<fstype> on C<device>: C<ext2>, C<ext3>, C<ext4>, C<btrfs>, C<ntfs>, C<vfat> or "
      "C<xfs>.  Other types are refused with C<EINVAL>.\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<blocksize>\n"
      "\n"
      "Block size in bytes, a power of two; for C<vfat> the cluster size.\n"
      "\n"
      "=item C<features>\n"
      "\n"
      "Comma-separated features to turn on, or off with C<^> in front (ext2, ext3, ext4 only).\n"
      "\n"
      "=item C<inode>\n"
      "\n"
      "Size of an inode in bytes (ext2, ext3, ext4, xfs).\n"
      "\n"
      "=item C<sectorsize>\n"
      "\n"
      "Sector size in bytes (xfs, vfat, btrfs, ntfs).\n"
      "\n"
      "=item C<label>\n"
      "\n"
      "Label of the filesystem.  Its longest length depends on the type: 16 bytes for ext, 12 for xfs, "
      "11 for vfat.\n"
      "\n"
      "=back\n"
      "\n"
      "An optional argument that the type has no use for is refused with C<EINVAL>.  A device that is "
      "mounted or otherwise in use is refused with C<EBUSY>.",
    .tests = {
      { START_PARTITION, "mkfs ext3 /dev/sda1 blocksize:1024\nmount /dev/sda1 /\nstatvfs / | grep ^bsize\n",
        "bsize: 1024\n" },
      { START_PARTITION,
        "mkfs vfat /dev/sda1 label:DATA\nmount /dev/sda1 /\ntouch /f\nexists /f\n",
        "true\n" },
      { START_PARTITION, "mkfs xfs /dev/sda1\nmount /dev/sda1 /\ntouch /f\nexists /f\n", "true\n" },
      { START_PARTITION, "mkfs nonsense /dev/sda1\n", "", .error = "nonsense" },
      { START_FS, "mkfs ext4 /dev/sda1\n", "", .error = "busy" },
    } },

  { .name = "vfs_type", .proc = 198,
    .ret = T_STRING,
    .args = { { "mountable", T_MOUNTABLE } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "type of a filesystem",
    .longdesc =
      "The type of what C<mountable> holds, as blkid names it: C<ext4>, C<xfs>, C<vfat>, C<swap>, "
      "C<LVM2_member> and so on; an empty string if it holds nothing that is known.",
    .tests = {
      { START_FS, "vfs-type /dev/sda1\n", "ext4\n" },
      { START_EMPTY, "vfs-type /dev/sdb\n", "\n" },
    } },

  { .name = "vfs_label", .proc = 253,
    .ret = T_STRING,
    .args = { { "mountable", T_MOUNTABLE } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "label of a filesystem",
    .longdesc = "The label of the filesystem on C<mountable>; an empty string if it has none.",
    .tests = {
      { START_PARTITION, "mkfs ext4 /dev/sda1 label:data\nvfs-label /dev/sda1\n", "data\n" },
      { START_EMPTY, "vfs-label /dev/sdb\n", "\n" },
    } },

  { .name = "vfs_uuid", .proc = 254,
    .ret = T_STRING,
    .args = { { "mountable", T_MOUNTABLE } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "get the UUID of a filesystem",
    .longdesc = "The UUID of the filesystem on C<mountable>; an empty string if it has none.",
    .tests = {
      { START_PARTITION,
        "mkswap /dev/sda1 uuid:12345678-1234-1234-1234-123456789abc\nvfs-uuid /dev/sda1\n",
        "12345678-1234-1234-1234-123456789abc\n" },
    } },

  { .name = "list_filesystems", .proc = 476,
    .ret = T_HASH,
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "list the filesystems on all disks",
    .longdesc =
      "List the disks without partitions, the partitions and the volumes with the type of what is on "
      "each (see "
      "A<vfs_type>): C<unknown> where nothing is known, C<swap> for swap space.  Members of volume groups "
      "and arrays, and encrypted devices, are left out.",
    .tests = {
      { START_FS, "list-filesystems\n", "/dev/sdb: unknown\n/dev/sda1: ext4\n" },
    } },

  { .name = "e2fsck", .proc = 304,
    .args = { { "device", T_DEVICE } },
    .optargs = { { "correct", T_BOOL }, { "forceall", T_BOOL } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "check an ext filesystem",
    .longdesc =
      "Check the ext2, ext3 or ext4 filesystem on C<device>, which must not be mounted, even if it seems "
      "clean.  Nothing is changed, and errors make the call fail, unless C<correct> is given (safe "
      "corrections are made) or C<forceall> (every question is answered with yes).  Only one of the two "
      "can be given.",
    .tests = {
      { START_FS, "umount /\ne2fsck /dev/sda1\n", "" },
      { START_FS, "e2fsck /dev/sda1\n", "", .error = "busy" },
      { START_EMPTY, "e2fsck /dev/sda\n", "", .error = "Bad magic" },
      { START_PARTITION, "e2fsck /dev/sda1 correct:true forceall:true\n", "", .error = "only one" },
    } },

  { .name = "resize2fs", .proc = 106,
    .args = { { "device", T_DEVICE } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "grow an ext filesystem to its device",
    .longdesc =
      "Resize the ext2, ext3 or ext4 filesystem on C<device>, which must not be mounted, to the size of the "
      "device.  It is checked before that, and harmless damage is repaired.",
    .tests = {
      { START_FS, "umount /\nresize2fs /dev/sda1\n", "" },
      { START_EMPTY, "resize2fs /dev/sda\n", "", .error = "Bad magic" },
    } },

  { .name = "mkswap", .proc = 130,
    .args = { { "device", T_DEVICE } },
    .optargs = { { "label", T_STRING }, { "uuid", T_STRING } },
    .flags = F_DESTRUCTIVE | F_CANCEL | F_TOOLS,
    .aliases = { "mkswap-opts" },
    .since = "0.1",
    .shortdesc = "make swap space",
    .longdesc =
      "Make swap space on C<device>, with the C<label> and the C<uuid> that are given; otherwise it has no "
      "label and a random UUID.",
    .tests = {
      { START_PARTITION, "mkswap /dev/sda1 label:swp\nvfs-type /dev/sda1\nvfs-label /dev/sda1\n",
        "swap\nswp\n" },
      { START_PARTITION, "mkswap /dev/sda1 uuid:nonsense\n", "", .error = "UUID" },
    } },

  { .name = "statvfs", .proc = 54,
    .ret = T_STRUCT, .ret_struct = "statvfs",
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "size and use of a filesystem",
    .longdesc = "Size and use of the mounted filesystem that holds the file or directory C<path>.",
    .tests = {
      { START_FS, "statvfs / | grep ^namemax\n", "namemax: 255\n" },
      { START_FS, "statvfs /missing\n", "", .error = "No such file" },
    } },

  { .name = "sync", .proc = 2,
    .since = "0.1",
    .shortdesc = "write everything to the disks",
    .longdesc =
      "Write to the disks what the appliance still holds in its memory, and wait for it.  Closing a "
      "handle does this too.",
    .tests = { { START_FS, "fill 97 1000 /f\nsync\n", "" } } },

  { .name = "drop_caches", .proc = 90,
    .args = { { "whattodrop", T_INT } },
    .since = "0.1",
    .shortdesc = "drop the kernel's caches",
    .longdesc =
      "Make the appliance's kernel forget what it caches of the disks: with C<whattodrop> 1 file "
      "contents, with 2 directory entries and inodes, with 3 both.  Data that is not yet written is "
      "written first.  Other values are refused with C<EINVAL>.",
    .tests = {
      { START_ANY, "drop-caches 3\n", "" },
      { START_ANY, "drop-caches 0\n", "", .error = "use 1, 2 or 3" },
    } },

  { .name = NULL }
};
