/* The action table: what files are, and lists of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_tree[] = {
  { .name = "is_file", .proc = 37,
    .ret = T_BOOL,
    .args = { { "path", T_PATH } },
    .optargs = { { "followsymlinks", T_BOOL } },
    .aliases = { "is-file-opts" },
    .since = "0.1",
    .shortdesc = "test for a regular file",
    .longdesc =
      "True if C<path> is a regular file; false if it is anything else or does not exist.  A "
      "symbolic link at its "
      "end is followed only with C<followsymlinks>.",
    .tests = {
      { START_FS, "touch /f\nis-file /f\nis-file /lost+found\nis-file /missing\n", "true\nfalse\nfalse\n" },
    } },

  { .name = "is_dir", .proc = 38,
    .ret = T_BOOL,
    .args = { { "path", T_PATH } },
    .optargs = { { "followsymlinks", T_BOOL } },
    .aliases = { "is-dir-opts" },
    .since = "0.1",
    .shortdesc = "test for a directory",
    .longdesc =
      "True if C<path> is a directory; false if it is anything else or does not exist.  A symbolic "
      "link at its "
      "end is followed only with C<followsymlinks>.",
    .tests = {
      { START_FS, "touch /f\nis-dir /f\nis-dir /lost+found\nis-dir /missing\n", "false\ntrue\nfalse\n" },
    } },

  { .name = "is_blockdev", .proc = 268,
    .ret = T_BOOL,
    .args = { { "path", T_PATH } },
    .optargs = { { "followsymlinks", T_BOOL } },
    .aliases = { "is-blockdev-opts" },
    .since = "0.1",
    .shortdesc = "test for a block device",
    .longdesc =
      "True if C<path>, a file in the mounted filesystem, is a block device node.  A symbolic link "
      "at its end is "
      "followed only with C<followsymlinks>.  (For the disks themselves see A<list_devices>.)",
    .tests = { { START_FS, "touch /f\nis-blockdev /f\nis-blockdev /missing\n", "false\nfalse\n" } } },

  { .name = "statns", .proc = 421,
    .ret = T_STRUCT, .ret_struct = "statns",
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "what is known of a file",
    .longdesc = "Size, owner, times and so on of the file C<path>.  Symbolic links are followed.",
    .tests = {
      { START_FS, "fill 97 5 /f\nstatns /f | grep -E 'st_(size|nlink|mode)'\n",
        "st_mode: 33188\nst_nlink: 1\nst_size: 5\n" },
      { START_FS, "statns /missing\n", "", .error = "No such file" },
    } },

  { .name = "lstatns", .proc = 422,
    .ret = T_STRUCT, .ret_struct = "statns",
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "what is known of a file or link",
    .longdesc = "As A<statns>, but a symbolic link at the end of C<path> is not followed.",
    .tests = { { START_FS, "fill 97 5 /f\nlstatns /f | grep st_size\n", "st_size: 5\n" } } },

  { .name = "internal_lstatlist", .proc = 423,
    .ret = T_STRUCT_LIST, .ret_struct = "statns",
    .args = { { "path", T_PATH }, { "names", T_STRING_LIST } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "what is known of several files of a directory" },

  { .name = "mkdir_p", .proc = 33,
    .args = { { "path", T_PATH } },
    .since = "0.1",
    .shortdesc = "make a directory and those above it",
    .longdesc =
      "Make the directory C<path>, and all directories above it that do not exist yet.  It is no "
      "error if it is "
      "there already.",
    .tests = {
      { START_FS, "mkdir-p /a/b/c\nis-dir /a/b/c\nmkdir-p /a/b\nmkdir-p /\n", "true\n" },
      { START_FS, "touch /f\nmkdir-p /f/d\n", "", .error = "File exists" },
    } },

  { .name = "equal", .proc = 93,
    .ret = T_BOOL,
    .args = { { "file1", T_PATH }, { "file2", T_PATH } },
    .flags = F_PROGRESS | F_CANCEL,
    .since = "0.1",
    .shortdesc = "compare two files",
    .longdesc = "True if the regular files C<file1> and C<file2> have the same content.",
    .tests = {
      { START_FS,
        "fill 97 3000000 /a\nfill 97 3000000 /b\nequal /a /b\npwrite /b x 2999999\nequal /a /b\n",
        "true\n1\nfalse\n" },
      { START_FS, "touch /a\nequal /a /missing\n", "", .error = "No such file" },
      { START_FS, "touch /a\nequal /a /\n", "", .error = "directory" },
    } },

  { .name = "ls0", .proc = 347,
    .args = { { "dir", T_PATH }, { "filenames", T_FILE_OUT } },
    .flags = F_CANCEL,
    .since = "0.1",
    .shortdesc = "write the names in a directory to a file",
    .longdesc =
      "Write the names of all entries of the directory C<dir> but C<.> and C<..> to the local file "
      "C<filenames>, "
      "each with a NUL byte behind it, in no order.  There is no limit on their number.",
    .tests = {
      { START_FS, "touch /a\ntouch /b\nls0 / n\n!tr '\\000' '\\n' <n | sort\n", "a\nb\nlost+found\n" },
      { START_FS, "touch /a\nls0 /a n\n", "", .error = "Not a directory" },
    } },

  { .name = "find0", .proc = 196,
    .args = { { "directory", T_PATH }, { "files", T_FILE_OUT } },
    .flags = F_CANCEL,
    .since = "0.1",
    .shortdesc = "write the names of all files below a directory to a file",
    .longdesc =
      "Write the names of everything below the directory C<directory> to the local file C<files>, "
      "relative to it, "
      "each with a NUL byte behind it, in no order.  Symbolic links are not followed.",
    .tests = {
      { START_FS, "mkdir-p /d/e/f\ntouch /d/e/g\nfind0 /d n\n!tr '\\000' '\\n' <n | sort\n",
        "e\ne/f\ne/g\n" },
      { START_FS, "find0 /missing n\n", "", .error = "No such file" },
    } },

  { .name = "ll", .proc = 5,
    .ret = T_STRING,
    .args = { { "directory", T_PATH } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "list a directory for people to read",
    .longdesc =
      "List the directory C<directory> in the long form of ls(1).  It is meant for people: programs "
      "use A<readdir> "
      "and A<lstatns>.",
    .tests = {
      { START_FS, "fill 97 5 /hello\nll / | grep -c hello\n", "1\n" },
      { START_FS, "touch /f\nll /f\n", "", .error = "Not a directory" },
    } },

  { .name = "file", .proc = 49,
    .ret = T_STRING,
    .args = { { "path", T_DEVICE_OR_PATH } },
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "guess what a file or device holds",
    .longdesc =
      "Say in words what C<path>, a file or a device, seems to hold, as file(1) does.  A symbolic link is "
      "not followed.",
    .tests = {
      { START_FS, "touch /f\nfile /f\nfile /\nfile /dev/sda | grep -c boot\n", "empty\ndirectory\n1\n" },
      { START_FS, "file /missing\n", "", .error = "No such file" },
    } },

  { .name = "df_h", .proc = 126,
    .ret = T_STRING,
    .flags = F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "space of the mounted filesystems for people to read",
    .longdesc =
      "Say how much space there is in the mounted filesystems, as C<df -h> does.  It is meant for people: "
      "programs use A<statvfs>.",
    .tests = {
      { START_FS, "df-h | grep -c '^/dev/sda1 .* /sysroot$'\n", "1\n" },
      { START_EMPTY, "df-h\n", "", .error = "nothing is mounted" },
    } },

  { .name = NULL }
};
