/* Running programs with more say over it than run_program gives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_RUN_H
#define ZEROFISH_RUN_H

#include "daemon.h"

enum { RUN_OUTPUT_MAX = 1024 * 1024, RUN_ERRORS_MAX = 4096 };

/* Full path (as seen in the tools root) of the program NAME, or NULL with the error set (ENOTSUP). */
extern const char *run_find (struct call *c, const char *name);
/* Is there a program of this name? */
extern bool run_has (struct daemon *d, const char *name);

/* What run_program takes beside the words. */
struct run_how {
  int timeout_s;            /* 0: none */
  unsigned fine;            /* bit N: exit status N (1 to 31) is no failure, as 0 is none */
  int *status;              /* if not NULL: the exit status, where it was no failure */
  const void *input;        /* standard input, if not NULL: at most RUN_INPUT_MAX bytes */
  size_t input_size;
  bool use_stdin;           /* standard input is STDIN_FD instead */
  int stdin_fd;
  bool use_directory;       /* it starts in the directory that DIRECTORY is open on */
  int directory;
};
enum { RUN_INPUT_MAX = 64 * 1024 };     /* what a pipe holds, so that nobody waits */
/* run_program with all that HOW says. */
extern int run_program_how (struct call *c, const char *const *argv, char **out, const struct run_how *how);

/* Words of a command line: PROGRAM is looked up, the rest is copied up to a NULL.  NULL with the error set. */
extern char **run_words (struct call *c, const char *program, ...) __attribute__ ((sentinel));

/* Run ARGV, which looks at DEV (and changes nothing): all caches are written out and dropped before. */
extern int run_reading (struct call *c, const struct device *dev, char **argv, char **out,
                        const struct run_how *how);
/* Run ARGV, which writes to DEV: refused with EBUSY while DEV is in use; caches are written out before and
 * dropped after, also on failure, and the partitions of a whole disk are read again. */
extern int run_writing (struct call *c, const struct device *dev, char **argv, char **out,
                        const struct run_how *how);

/* tools.c: mount DISK ("/dev/sdb") read-only as the tools root and prepare it; 0, or -1 with the error. */
extern int tools_attach (struct call *c, const char *disk);
/* Attach the disk that was found at boot, if there is one and it was not yet needed. */
extern int tools_need (struct call *c);
/* In the child, before exec: own mounts, and the tools root as root.  0, or -1 with errno and *WHAT. */
extern int tools_enter (const struct daemon *d, const char **what);

#endif /* ZEROFISH_RUN_H */
