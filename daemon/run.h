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

/* tools.c: mount DISK ("/dev/sdb") read-only as the tools root and prepare it; 0, or -1 with the error. */
extern int tools_attach (struct call *c, const char *disk);
/* Attach the disk that was found at boot, if there is one and it was not yet needed. */
extern int tools_need (struct call *c);
/* In the child, before exec: own mounts, and the tools root as root.  0, or -1 with errno and *WHAT. */
extern int tools_enter (const struct daemon *d, const char **what);

#endif /* ZEROFISH_RUN_H */
