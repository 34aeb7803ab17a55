/* The action table: files and directories, transfers, checksums.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_file[] = {
  { .name = "touch", .proc = 3,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "make an empty file or update its time",
    .longdesc =
      "Set the time of the file C<path> to now, or make it, empty, if it does not exist.  Only regular "
      "files are touched: anything else is refused.",
    .tests = {
      { START_FS, "touch /f\nfilesize /f\n", "0\n" },
      { START_FS, "touch /no/f\n", "", .error = "No such file" },
    } },

  { .name = "rm", .proc = 29,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "remove a file",
    .longdesc =
      "Remove C<path>, which may be anything but a directory.  A symbolic link itself is removed.",
    .tests = {
      { START_FS, "touch /f\nrm /f\nexists /f\n", "false\n" },
      { START_FS, "rm /f\n", "", .error = "No such file" },
      { START_FS, "mkdir /d\nrm /d\n", "", .error = "/d" },
    } },

  { .name = "mkdir", .proc = 32,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "make a directory",
    .longdesc = "Make the directory C<path>.  The directory above must exist, and C<path> must not.",
    .tests = {
      { START_FS, "mkdir /d\nexists /d\n", "true\n" },
      { START_FS, "mkdir /d\nmkdir /d\n", "", .error = "File exists" },
    } },

  { .name = "exists", .proc = 36,
    .ret = T_BOOL,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "test whether a file exists",
    .longdesc =
      "True if there is a file, directory or anything else at C<path>.  Symbolic links are followed: one "
      "that leads nowhere is false.",
    .tests = { { START_FS, "exists /lost+found\nexists /missing\n", "true\nfalse\n" } } },

  { .name = "readdir", .proc = 138,
    .ret = T_STRUCT_LIST, .ret_struct = "dirent",
    .args = { { "dir", T_PATH } },
    .flags = F_CANCEL,
    .since = "0.1",
    .shortdesc = "list the entries of a directory",
    .longdesc =
      "List the directory C<dir>: every entry's name, inode number and type, C<.> and C<..> included, "
      "sorted by name.  A directory whose list does not fit in a message (of 4 MiB) is refused with "
      "C<EMSGSIZE>.",
    .tests = {
      { START_FS, "mkdir /d\ntouch /d/f\nreaddir /d | grep -v ino\n",
        "[0] = {\n  ftyp: d\n  name: .\n}\n"
        "[1] = {\n  ftyp: d\n  name: ..\n}\n"
        "[2] = {\n  ftyp: r\n  name: f\n}\n" },
      { START_FS, "readdir /missing\n", "", .error = "No such file" },
    } },

  { .name = "filesize", .proc = 218,
    .ret = T_INT64,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "size of a file in bytes",
    .longdesc =
      "The size of the file C<path> in bytes, holes included.  For devices use A<blockdev_getsize64>.",
    .tests = {
      { START_FS, "fill 97 1234 /f\nfilesize /f\n", "1234\n" },
      { START_FS, "filesize /missing\n", "", .error = "No such file" },
    } },

  { .name = "truncate_size", .proc = 200,
    .args = { { "path", T_PATH }, { "size", T_INT64 } },
    .since = "0.1",
    .shortdesc = "set the size of a file",
    .longdesc =
      "Set the size of the existing regular file C<path> to C<size> bytes, 0 or more.  What is cut off "
      "is lost; what is added is a hole, and reads as zeroes.  See A<fallocate64> to make a file whose "
      "blocks are allocated.",
    .tests = {
      { START_FS, "fill 97 10 /f\ntruncate-size /f 4\nfilesize /f\npread /f 10 0\necho\n", "4\naaaa\n" },
      { START_FS, "truncate-size /missing 4\n", "", .error = "No such file" },
      { START_FS, "touch /f\ntruncate-size /f -1\n", "", .error = "negative" },
    } },

  { .name = "fallocate64", .proc = 252,
    .args = { { "path", T_PATH }, { "len", T_INT64 } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "make a file with allocated blocks",
    .longdesc =
      "Make the file C<path>, or empty it if it exists, and allocate C<len> bytes for it, 0 or more.  It "
      "reads as zeroes.  Where the filesystem has no way to allocate, zeroes are written.  A full "
      "filesystem is C<ENOSPC>.",
    .tests = {
      { START_FS, "fallocate64 /f 1000000\nfilesize /f\nis-zero /f\n", "1000000\ntrue\n" },
      { START_FS, "fallocate64 /f 10000000000\n", "", .error = "No space" },
    } },

  { .name = "fill", .proc = 215,
    .args = { { "byte", T_INT }, { "len", T_INT }, { "path", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "make a file filled with one byte value",
    .longdesc =
      "Make the file C<path>, or overwrite it, so that it holds C<len> bytes of the value C<byte>.  "
      "C<byte> is 0 to 255 and C<len> 0 or more.  Zeroes are written like any other value; for a file "
      "with a hole use A<truncate_size>.  See also A<fill_pattern>.",
    .tests = {
      { START_FS, "fill 97 10 /f\nchecksum md5 /f\n", "e09c80c42fda55f9d992e59ca6b3307d\n" },
      { START_FS, "fill 256 10 /f\n", "", .error = "0 to 255" },
      { START_FS, "fill 0 -1 /f\n", "", .error = "negative" },
    } },

  { .name = "fill_pattern", .proc = 245,
    .args = { { "pattern", T_STRING }, { "len", T_INT }, { "path", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "make a file filled with a repeated text",
    .longdesc =
      "Make the file C<path>, or overwrite it, so that it holds C<len> bytes: C<pattern> again and "
      "again, cut off at the end.  C<pattern> must not be empty, and C<len> is 0 or more.  See also "
      "A<fill>.",
    .tests = {
      { START_FS, "fill-pattern abc 10 /f\npread /f 20 0\necho\n", "abcabcabca\n" },
      { START_FS, "fill-pattern \"\" 10 /f\n", "", .error = "empty" },
    } },

  { .name = "pread", .proc = 207,
    .ret = T_BUFFER,
    .args = { { "path", T_PATH }, { "count", T_INT }, { "offset", T_INT64 } },
    .since = "0.1",
    .shortdesc = "read part of a file",
    .longdesc =
      "Read up to C<count> bytes of the file C<path> from byte C<offset> on.  Fewer come back only at "
      "the end of the file, and none past it.\n"
      "\n"
      "C<count> is 0 to 4194260, the most that fits in a message; C<offset> is 0 or more.  Anything else "
      "is refused with C<EINVAL>.  To read more use A<download>.",
    .tests = {
      { START_FS, "fill-pattern abc 10 /f\npread /f 4 5\necho\n", "cabc\n" },
      { START_FS, "fill-pattern abc 10 /f\npread /f 4 10\n", "" },
      { START_FS, "touch /f\npread /f -1 0\n", "", .error = "negative" },
    } },

  { .name = "pwrite", .proc = 247,
    .ret = T_INT,
    .args = { { "path", T_PATH }, { "content", T_BUFFER }, { "offset", T_INT64 } },
    .since = "0.1",
    .shortdesc = "write to part of a file",
    .longdesc =
      "Write C<content> to the existing file C<path> from byte C<offset> on, and return how many bytes "
      "were written.  The file grows if needed; a gap before C<offset> becomes a hole.  All is written, "
      "or the call fails.\n"
      "\n"
      "C<offset> is 0 or more.  C<content> must fit in a message (somewhat less than 4 MiB); for more "
      "use A<upload>.",
    .tests = {
      { START_FS, "touch /f\npwrite /f hello 3\nfilesize /f\npread /f 5 3\necho\n", "5\n8\nhello\n" },
      { START_FS, "pwrite /missing hello 3\n", "", .error = "No such file" },
    } },

  { .name = "upload", .proc = 66,
    .args = { { "filename", T_FILE_IN }, { "remotefilename", T_DEVICE_OR_PATH } },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy a local file to a file or device",
    .longdesc =
      "Copy the local file C<filename> to C<remotefilename>: a path in the mounted filesystem, which is "
      "made or overwritten, or a device, whose start is overwritten.  Blocks of zeroes become holes in a "
      "file; on a device they are written only where something else is, so that a sparse image stays as it "
      "is.\n"
      "\n"
      "After an error the target holds part of the data.  A file that does not fit is C<ENOSPC>.  See "
      "also A<download>.",
    .tests = {
      { START_FS,
        "!printf hello > local.txt\n"
        "upload local.txt /f\n"
        "pread /f 10 0\n"
        "echo\n",
        "hello\n" },
      { START_EMPTY,
        "!printf hello > local.txt\n"
        "upload local.txt /dev/sdb\n"
        "pread-device /dev/sdb 5 0\n"
        "echo\n",
        "hello\n" },
      { START_FS, "upload no-such-file /f\n", "", .error = "no-such-file" },
      { START_EMPTY, "!printf hello > local.txt\nupload local.txt /f\n", "", .error = "no filesystem is mounted" },
    } },

  { .name = "download", .proc = 67,
    .args = { { "remotefilename", T_DEVICE_OR_PATH }, { "filename", T_FILE_OUT } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy a file or device to a local file",
    .longdesc =
      "Copy C<remotefilename>, a path in the mounted filesystem or a device, to the local file "
      "C<filename>, which is made or overwritten.  After an error the local file holds part of the data. "
      " See also A<upload>.",
    .tests = {
      { START_FS,
        "fill-pattern abc 7 /f\n"
        "download /f got.txt\n"
        "!cat got.txt\n"
        "echo\n",
        "abcabca\n" },
      { START_EMPTY, "download /dev/sdb got.img\n!wc -c < got.img\n", "67108864\n" },
      { START_FS, "download /missing got.txt\n", "", .error = "No such file" },
    } },

  { .name = "upload_offset", .proc = 273,
    .args = { { "filename", T_FILE_IN }, { "remotefilename", T_DEVICE_OR_PATH }, { "offset", T_INT64 } },
    .flags = F_DESTRUCTIVE | F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy a local file into a file or device",
    .longdesc =
      "Copy the local file C<filename> to C<remotefilename>, a path in the mounted filesystem or a device, "
      "from its byte C<offset> on.  The rest of a file or device stays as it is; a file is made if there is none, "
      "and grows if it has to.  What does not fit on a device is C<ENOSPC>.  See also A<upload>.",
    .tests = {
      { START_FS,
        "!printf hello > local.txt\n"
        "fill 97 10 /f\n"
        "upload-offset local.txt /f 2\n"
        "upload-offset local.txt /f 12\n"
        "pread /f 20 0 | tr '\\000' .\n"
        "echo\n"
        "upload-offset local.txt /dev/sdb 511\n"
        "pread-device /dev/sdb 7 510 | tr '\\000' .\n"
        "echo\n",
        "aahelloaaa..hello\n.hello.\n" },
      { START_EMPTY, "!printf hello > local.txt\nupload-offset local.txt /dev/sdb 67108860\n", "",
        .error = "does not fit" },
      { START_FS, "!printf hello > local.txt\nupload-offset local.txt /f -1\n", "", .error = "negative" },
    } },

  { .name = "download_offset", .proc = 274,
    .args = {
      { "remotefilename", T_DEVICE_OR_PATH }, { "filename", T_FILE_OUT }, { "offset", T_INT64 }, { "size", T_INT64 },
    },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "copy a part of a file or device to a local file",
    .longdesc =
      "Copy C<size> bytes, beginning at byte C<offset>, of C<remotefilename>, a path in the mounted filesystem or "
      "a device, to the local file C<filename>, which is made or overwritten.  If there are fewer it is an error, "
      "and the message says how many.  See also A<download>.",
    .tests = {
      { START_FS, "fill-pattern abcdef 12 /f\ndownload-offset /f got 5 3\n!cat got; echo\n", "fab\n" },
      { START_EMPTY,
        "pwrite-device /dev/sdb hello 1000\n"
        "download-offset /dev/sdb got 1001 3\n"
        "!cat got; echo\n",
        "5\nell\n" },
      { START_FS, "fill 97 10 /f\ndownload-offset /f got 5 6\n", "", .error = "has only 5" },
    } },

  { .name = "checksum", .proc = 68,
    .ret = T_STRING,
    .args = { { "csumtype", T_STRING }, { "path", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "checksum of a file",
    .longdesc =
      "The checksum of the file C<path>, as printed by the usual programs.  C<csumtype> says which:\n"
      "\n"
      "=over 4\n"
      "\n"
      "=item C<crc>\n"
      "\n"
      "The cyclic redundancy check of POSIX C<cksum>, in decimal.\n"
      "\n"
      "=item C<md5>, C<sha1>, C<sha224>, C<sha256>, C<sha384>, C<sha512>\n"
      "\n"
      "In hexadecimal.\n"
      "\n"
      "=back\n"
      "\n"
      "Any other is refused with C<EINVAL>.  For a device use A<checksum_device>.",
    .tests = {
      { START_FS, "fill-pattern abc 3 /f\nchecksum md5 /f\nchecksum crc /f\n",
        "900150983cd24fb0d6963f7d28e17f72\n1219131554\n" },
      { START_FS, "fill-pattern abc 10 /f\nchecksum sha256 /f\n",
        "dec3cbbdb5a2455f024763c222865100142d98ba9441257693980fbdafb58efe\n" },
      { START_FS, "touch /f\nchecksum nonsense /f\n", "", .error = "nonsense" },
    } },

  { .name = "checksum_device", .proc = 237,
    .ret = T_STRING,
    .args = { { "csumtype", T_STRING }, { "device", T_DEVICE } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "checksum of a device",
    .longdesc = "The checksum of all of C<device>.  C<csumtype> is as for A<checksum>.",
    .tests = {
      { START_EMPTY, "checksum-device md5 /dev/sdb\n", "7f614da9329cd3aebf59b91aadc30bf0\n" },
      { START_ANY, "checksum-device nonsense /dev/sdb\n", "", .error = "nonsense" },
    } },

  { .name = NULL }
};
