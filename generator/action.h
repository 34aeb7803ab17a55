/* The shape of one row of the action table, from which everything repetitive is generated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ACTION_H
#define ZEROFISH_ACTION_H

#include <stdbool.h>
#include <stddef.h>

/* Types of arguments and results.  The comment says which C type the public API uses. */
enum type {
  T_NONE = 0,          /* results only: int, 0 or -1 */

  /* Arguments and results. */
  T_STRING,            /* const char * in, char * out (the caller frees) */
  T_INT,               /* int; as a result -1 is an error */
  T_INT64,             /* int64_t; as a result -1 is an error */
  T_BOOL,              /* int; as a result 0, 1 or -1 */
  T_DEVICE,            /* const char *: a user disk, partition or volume; results are translated names */
  T_STRING_LIST,       /* char *const *, NULL at the end; results: char **, zf_free_string_list */
  T_DEVICE_LIST,       /* as T_STRING_LIST, every element a T_DEVICE */
  T_BUFFER,            /* const void *buf, size_t buf_size; result: char * and size_t *size_r */

  /* Arguments only. */
  T_MOUNTABLE,         /* const char *: a device, or btrfsvol:DEVICE/VOLUME */
  T_PATH,              /* const char *: an absolute path in the mounted filesystem of the guest */
  T_DEVICE_OR_PATH,    /* const char * */
  T_KEY,               /* const char *, never traced */
  T_FILE_IN,           /* const char *: local file, streamed to the daemon; must be the only one */
  T_FILE_OUT,          /* const char *: local file, streamed from the daemon; must be the only one */
  T_FILENAME,          /* const char *: local file, library actions only */

  /* Results only. */
  T_HASH,              /* char **: key, value, key, value, NULL */
  T_STRUCT,            /* struct zf_NAME *, freed by zf_free_NAME */
  T_STRUCT_LIST,       /* struct zf_NAME_list *, freed by zf_free_NAME_list */
};

/* Flags.  check.c refuses combinations that make no sense. */
enum {
  F_DESTRUCTIVE = 1 << 0,   /* writes to its device arguments: refused (EROFS) on read-only drives */
  F_PROGRESS    = 1 << 1,   /* reports progress */
  F_CANCEL      = 1 << 2,   /* looks for the cancel flag; zf_user_cancel works */
  F_PRIVATE     = 1 << 3,   /* no public C function, shell command or text: called by the library itself */
  F_TOOLS       = 1 << 4,   /* needs a program from the tools root, which is attached at first use */
  F_CONFIG      = 1 << 5,   /* library actions: only before launch */
  F_ANY_STATE   = 1 << 6,   /* library actions: before and after launch */
  F_NO_SHELL    = 1 << 7,   /* in the C API but not a shell command (the shell has its own built-in) */
  F_HINTS       = 1 << 8,   /* its first argument is a device: the library says first where that is zero */
};

enum { MAX_ARGS = 8, MAX_OPTARGS = 64, MAX_ALIASES = 3, MAX_TESTS = 8, MAX_FIELDS = 32 };

/* How the shell prints a result where the type's usual form is not what people want. */
enum output {
  OUTPUT_DEFAULT = 0,
  OUTPUT_HEX,               /* int as 0x... */
  OUTPUT_OCTAL,             /* int as 0... */
  OUTPUT_HUMAN_SIZE,        /* int64 bytes also as KiB, MiB, ... */
};

struct param {
  const char *name;         /* a C identifier, lower case */
  enum type type;
};

/* What the appliance holds when a test begins.  /dev/sda is a 512 MiB raw disk, /dev/sdb a 64 MiB one. */
enum test_start {
  START_EMPTY = 0,          /* both disks all zero, nothing mounted */
  START_PARTITION,          /* /dev/sda with one MBR partition */
  START_FS,                 /* and ext4 on /dev/sda1, mounted on / */
  START_ANY,                /* whatever the test before it left: for tests that do not look at it (quicker) */
};

/* A test in the shell's own language: the commands run after START and print exactly EXPECT. */
struct test {
  enum test_start start;
  const char *commands;     /* one a line */
  const char *expect;       /* the whole standard output, "" for none */
  const char *error;        /* if set, the last command fails with a message that contains this */
};

struct action {
  const char *name;         /* C identifier: zf_NAME, do_NAME, shell command with - for _ */
  int proc;                 /* procedure number, fixed for ever (private ones from 10000);
                               0: carried out by the library (zfi_NAME), no call to the daemon */
  enum type ret;
  const char *ret_struct;   /* with T_STRUCT and T_STRUCT_LIST: the struct's name */
  struct param args[MAX_ARGS + 1];
  struct param optargs[MAX_OPTARGS + 2];
  unsigned flags;
  const char *group;        /* feature group that must be available, or NULL */
  const char *aliases[MAX_ALIASES + 1];  /* further shell names */
  enum output output;
  const char *since;        /* version that had it first, "0.1" */
  const char *shortdesc;    /* one line, no full stop, lower case start */
  const char *longdesc;     /* paragraphs with POD marks */
  struct test tests[MAX_TESTS + 1];
};

/* Struct types on the wire and in the API. */
enum field_type { FT_END = 0, FT_INT32, FT_INT64, FT_CHAR, FT_STRING };

struct field {
  const char *name;
  enum field_type type;
  const char *text;         /* unit and meaning, a few words */
};

struct structure {
  const char *name;
  const char *text;         /* what it describes: upper case start, no full stop */
  struct field fields[MAX_FIELDS + 1];
  bool wire_only;           /* not in the public header */
};

/* A table, as main.c collects it from the actions-*.c files (or a test from its own). */
struct table {
  const struct action *actions;
  size_t nr_actions;
  const struct structure *structs;
  size_t nr_structs;
  const int *retired;       /* procedure numbers that must never be used again, 0 at the end */
};

/* Each file of the table: an array that ends with a row whose name is NULL. */
extern const struct action actions_zero[];      /* zero, is_zero and their device forms */
extern const struct action actions_block[];     /* devices, partitions, blockdev_*, pread/pwrite_device */
extern const struct action actions_copy[];      /* copies, archives, zeroing free space */
extern const struct action actions_file[];      /* files and directories, transfers, checksums */
extern const struct action actions_fs[];        /* mkfs, mount, sync */
extern const struct action actions_part[];      /* partition tables, wiping, discard */
extern const struct action actions_tree[];      /* what files are, and lists of them */
extern const struct action actions_volume[];    /* volume groups, logical volumes, encrypted devices */
extern const struct action actions_internal[];  /* protocol helpers and private actions */
extern const struct action actions_library[];   /* carried out by the library itself */
extern const struct structure structures[];     /* ends with a row whose name is NULL */
extern const int retired[];                     /* procedure numbers never to be used again, 0 at the end */

#endif /* ZEROFISH_ACTION_H */
