/* The action table: copies between devices and files, and archives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

#define OPTIONS { \
    { "srcoffset", T_INT64 }, { "destoffset", T_INT64 }, { "size", T_INT64 }, { "sparse", T_BOOL }, \
    { "append", T_BOOL }, \
  }

const struct action actions_copy[] = {
  { .name = "copy_device_to_device", .proc = 294,
    .args = { { "src", T_DEVICE }, { "dest", T_DEVICE } },
    .optargs = OPTIONS,
    .flags = F_PROGRESS | F_CANCEL | F_HINTS,
    .since = "0.1",
    .shortdesc = "copy from a device to a device",
    .longdesc =
      "Copy C<size> bytes, beginning at byte C<srcoffset> of the device C<src>, to the device C<dest>, "
      "beginning at its byte C<destoffset>.  Offsets are 0 if they are left out, and the size is all that "
      "follows C<srcoffset>.\n"
      "\n"
      "A source that ends before, and a destination that is too small, are refused before anything is "
      "written, and the message says how much there is.  So are ranges that overlap on one disk.  C<dest> must "
      "be in no other use (C<EBUSY>), and its drive not read-only (C<EROFS>).\n"
      "\n"
      "Blocks of zeroes are not written where C<dest> is zero already, so that an image does not grow by "
      "them; elsewhere C<dest> is made zero.  With C<sparse>, and a drive that was added with discard, the "
      "space of what becomes zero goes back to the host.  C<append> cannot be used for a device.\n"
      "\n"
      "After an error or a cancel, some of the bytes are copied and the others are as before.",
    .tests = {
      { START_EMPTY,
        "pwrite-device /dev/sdb hello 1000\n"
        "pwrite-device /dev/sda rubbish 5000\n"
        "copy-device-to-device /dev/sdb /dev/sda\n"
        "pread-device /dev/sda 5 1000\n"
        "echo\n"
        "checksum-device md5 /dev/sdb\n"
        "zero-device /dev/sdb\n"
        "copy-device-to-device /dev/sda /dev/sdb size:67108864 sparse:true\n"
        "checksum-device md5 /dev/sdb\n",
        "5\n7\nhello\nd1ba2deeeb857da05e81e460fb04be5e\nd1ba2deeeb857da05e81e460fb04be5e\n" },
      { START_EMPTY,
        "pwrite-device /dev/sda abcdefgh 4090\n"
        "copy-device-to-device /dev/sda /dev/sdb srcoffset:4092 destoffset:67108861 size:3\n"
        "pread-device /dev/sdb 10 67108858 | tr '\\000' .\n"
        "echo\n",
        "8\n...cde\n" },
      { START_EMPTY, "copy-device-to-device /dev/sda /dev/sdb\n", "", .error = "which has 67108864 bytes" },
      { START_ANY, "copy-device-to-device /dev/sdb /dev/sda size:100 srcoffset:67108800\n", "",
        .error = "has only 64" },
      { START_ANY, "copy-device-to-device /dev/sda /dev/sda destoffset:10 size:11\n", "", .error = "overlap" },
      { START_ANY, "copy-device-to-device /dev/sda /dev/sdb append:true size:1\n", "", .error = "append" },
      { START_FS, "copy-device-to-device /dev/sdb /dev/sda1 size:10\n", "", .error = "busy" },
    } },

  { .name = "copy_device_to_file", .proc = 295,
    .args = { { "src", T_DEVICE }, { "dest", T_PATH } },
    .optargs = OPTIONS,
    .flags = F_PROGRESS | F_CANCEL | F_HINTS,
    .since = "0.1",
    .shortdesc = "copy from a device to a file",
    .longdesc =
      "Copy C<size> bytes, beginning at byte C<srcoffset> of the device C<src>, to the file C<dest>, "
      "beginning at its byte C<destoffset>.  Offsets are 0 if they are left out, and the size is all that "
      "follows C<srcoffset>; a source that ends before is refused.\n"
      "\n"
      "The file is made if there is none.  What it held before is removed, and it ends where the copy does; "
      "but with C<append> the copy is put at its end, and C<destoffset> means nothing.  With C<sparse>, "
      "blocks of zeroes become holes.",
    .tests = {
      { START_FS,
        "pwrite-device /dev/sdb hello 70000\n"
        "copy-device-to-file /dev/sdb /f size:1000001 sparse:true\n"
        "filesize /f\n"
        "pread /f 5 70000\n"
        "echo\n"
        "copy-device-to-file /dev/sdb /f srcoffset:70000 size:3 append:true\n"
        "filesize /f\n"
        "pread /f 4 1000000 | tr '\\000' .\n"
        "echo\n",
        "5\n1000001\nhello\n1000004\n.hel\n" },
      { START_FS, "copy-device-to-file /dev/sdb /f srcoffset:67108000 size:1000\n", "", .error = "has only 864" },
      { START_FS, "copy-device-to-file /dev/sdb /lost+found\n", "", .error = "directory" },
    } },

  { .name = "copy_file_to_device", .proc = 296,
    .args = { { "src", T_PATH }, { "dest", T_DEVICE } },
    .optargs = OPTIONS,
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy from a file to a device",
    .longdesc =
      "Copy C<size> bytes, beginning at byte C<srcoffset> of the file C<src>, to the device C<dest>, "
      "beginning at its byte C<destoffset>.  Offsets are 0 if they are left out, and the size is all that "
      "follows C<srcoffset>.  Holes of the file are not read.  For the rest see A<copy_device_to_device>.",
    .tests = {
      { START_FS,
        "fill 97 10000 /f\n"
        "truncate-size /f 1000000\n"
        "pwrite-device /dev/sdb rubbish 500000\n"
        "copy-file-to-device /f /dev/sdb\n"
        "checksum md5 /f\n"
        "copy-device-to-file /dev/sdb /g size:1000000\n"
        "checksum md5 /g\n",
        "7\n2d8934a770d773fc82c8f6b7c107af52\n2d8934a770d773fc82c8f6b7c107af52\n" },
      { START_FS, "fill 97 10 /f\ncopy-file-to-device /f /dev/sdb destoffset:67108855\n", "", .error = "do not fit" },
      { START_FS, "copy-file-to-device /lost+found /dev/sdb\n", "", .error = "directory" },
    } },

  { .name = "copy_file_to_file", .proc = 297,
    .args = { { "src", T_PATH }, { "dest", T_PATH } },
    .optargs = OPTIONS,
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy from a file to a file",
    .longdesc =
      "Copy C<size> bytes, beginning at byte C<srcoffset> of the file C<src>, to the file C<dest>, "
      "beginning at its byte C<destoffset>.  Holes of C<src> become holes of C<dest>.  For the rest see "
      "A<copy_device_to_file>.  A file can be copied to itself only with C<append>.",
    .tests = {
      { START_FS,
        "fill 97 9000 /f\n"
        "truncate-size /f 300000\n"
        "copy-file-to-file /f /g\n"
        "equal /f /g\n"
        "copy-file-to-file /f /g srcoffset:8999 destoffset:10 size:2\n"
        "filesize /g\n"
        "pread /g 12 0 | tr '\\000' .\n"
        "echo\n"
        "copy-file-to-file /f /f append:true\n"
        "filesize /f\n",
        "true\n12\n..........a.\n600000\n" },
      { START_FS, "fill 97 10 /f\ncopy-file-to-file /f /f\n", "",
        .error = "are the same" },
      { START_FS, "fill 97 10 /f\ncopy-file-to-file /f /g size:11\n", "", .error = "has only 10" },
      { START_FS, "copy-file-to-file /missing /g\n", "", .error = "/missing" },
    } },

  { .name = "zero_free_space", .proc = 311,
    .args = { { "directory", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "zero the free space of a mounted filesystem",
    .longdesc =
      "Zero the free space of the filesystem that C<directory> lies on, so that nothing of deleted files is left "
      "and an image can be made small.\n"
      "\n"
      "In ext2, ext3, ext4 and XFS the free extents are zeroed on the device while the filesystem is frozen; only "
      "what is not zero yet is written, the image does not grow, and the filesystem never gets full.  Blocks that "
      "the filesystem has set aside for files being written count as used.  Any other "
      "filesystem is filled with files of zeroes, which have no names and go at the end: then an image takes "
      "all of its space for a while, unless its drive was added with discard.\n"
      "\n"
      "On a drive that was added with discard the space goes back to the host.  A filesystem that is mounted "
      "read-only, or a drive that was added so, is refused with C<EROFS>.",
    .tests = {
      { START_FS,
        "fill-pattern secret 100000000 /f\n"
        "rm /f\n"
        "fill 98 1000 /g\n"
        "zero-free-space /\n"
        "checksum md5 /g\n"
        "ls0 / n\n!tr '\\000' '\\n' <n | sort\n"
        "umount /\n"
        "e2fsck /dev/sda1\n"
        "pread-device /dev/sda1 4000000 100000000 | grep -c secret || echo none\n",
        "c73c16de8912c313c06ac38b9961e806\ng\nlost+found\n0\nnone\n" },
      { START_PARTITION,
        "mkfs vfat /dev/sda1\n"
        "mount /dev/sda1 /\n"
        "fill-pattern secret 1000000 /f\n"
        "rm /f\n"
        "zero-free-space /\n"
        "ls0 / n\n!tr '\\000' '\\n' <n | sort\n"
        "umount /\n"
        "pread-device /dev/sda1 3000000 500000 | grep -c secret || echo none\n",
        "0\nnone\n" },
      { START_FS, "zero-free-space /missing\n", "", .error = "No such file" },
      { START_FS, "touch /f\nzero-free-space /f\n", "", .error = "Not a directory" },
      { START_PARTITION, "mkfs ext2 /dev/sda1\nmount-ro /dev/sda1 /\nzero-free-space /\n", "",
        .error = "read-only" },
      { START_EMPTY, "zero-free-space /\n", "", .error = "no filesystem is mounted" },
    } },

  { .name = "tar_in", .proc = 69,
    .args = { { "tarfile", T_FILE_IN }, { "directory", T_PATH } },
    .optargs = { { "compress", T_STRING }, { "xattrs", T_BOOL }, { "selinux", T_BOOL }, { "acls", T_BOOL } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "unpack an archive into a directory",
    .longdesc =
      "Unpack the local tar archive C<tarfile> into the directory C<directory>.  C<compress> says how it is "
      "compressed: C<bzip2>, C<compress>, C<gzip>, C<lzma>, C<xz> or C<zstd>; without it the archive is taken as "
      "it is.  Owners are taken by their numbers.\n"
      "\n"
      "With C<xattrs> extended attributes are restored, with C<selinux> the SELinux context, with C<acls> "
      "access control lists.\n"
      "\n"
      "Nothing that an archive holds can lead out of the guest's filesystem: the C</> that a name begins with is "
      "ignored, a name with C<..> in it is an error, and links are followed inside the guest only.  A file that "
      "cannot be made ends the call; what came before stays.",
    .tests = {
      { START_FS,
        "!mkdir d && echo hello >d/f && chmod 640 d/f && ln -s f d/l && tar --owner=7 --group=8 -cf t.tar d\n"
        "tar-in t.tar /\n"
        "pread /d/l 5 0\n"
        "echo\n"
        "mkdir /e\n"
        "!gzip t.tar\n"
        "tar-in t.tar.gz /e compress:gzip\n"
        "equal /d/f /e/d/f\n"
        "lstatns /e/d/f | grep -E 'st_(uid|gid)'\n",
        "hello\ntrue\nst_uid: 7\nst_gid: 8\n" },
      { START_FS, "!echo x >f && tar -cPf t.tar --transform 's,^f,../f,' f\ntar-in t.tar /\n", "", .error = ".." },
      { START_FS, "!echo nonsense >t.tar\ntar-in t.tar /\n", "", .error = "archive" },
      { START_FS, "!tar -cf t.tar /dev/null 2>&1 | grep -v Remov\ntar-in t.tar / compress:best\n", "",
        .error = "best" },
      { START_FS, "!: >t.tar\ntar-in t.tar /missing\n", "", .error = "No such file" },
    } },

  { .name = "tar_out", .proc = 70,
    .args = { { "directory", T_STRING }, { "tarfile", T_FILE_OUT } },
    .optargs = {
      { "compress", T_STRING }, { "numericowner", T_BOOL }, { "excludes", T_STRING_LIST }, { "xattrs", T_BOOL },
      { "selinux", T_BOOL }, { "acls", T_BOOL },
    },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "make an archive of a directory",
    .longdesc =
      "Make the local tar archive C<tarfile> of all that is in the directory C<directory>.  C<compress> is how "
      "it is compressed: C<bzip2>, C<compress>, C<gzip>, C<lzma>, C<xz> or C<zstd>; not at all without it.\n"
      "\n"
      "Owners are always written as numbers, whether C<numericowner> is given or not.  C<excludes> is a list of "
      "patterns: files with such a name, and all below such a directory, are left out.  With C<xattrs> the "
      "archive has extended attributes, with C<selinux> the SELinux context, with C<acls> access control lists.  "
      "Holes of files stay holes.",
    .tests = {
      { START_FS,
        "mkdir-p /d/e\n"
        "fill 97 100 /d/e/f\n"
        "touch /d/skip\n"
        "tar-out /d t.tar excludes:sk*\n"
        "!tar tf t.tar | sort\n"
        "tar-out /d t.tar.xz compress:xz\n"
        "!tar xJOf t.tar.xz ./e/f | wc -c\n",
        "./\n./e/\n./e/f\n100\n" },
      { START_FS, "tar-out /missing t.tar\n", "", .error = "No such file" },
      { START_FS, "tar-out / t.tar compress:best\n", "", .error = "best" },
      { START_EMPTY, "tar-out / t.tar\n", "", .error = "no filesystem is mounted" },
    } },

  { .name = NULL }
};
