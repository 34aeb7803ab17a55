/* Work of a call in a process of its own: what goes wrong there, a crash included, is an error of that call.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_HELPER_H
#define ZEROFISH_HELPER_H

#include "daemon.h"

/* Run WORK in a child.  It has a call like C: call_progress reports through C, and fails once C is cancelled;
 * its error becomes C's.  What it changes in memory is lost.  WORK returns 0, -1 with the error set, or 1,
 * which means what the caller likes; that is what is returned, and the child has ended by then.  After a
 * cancel a child that does not end by itself is killed. */
extern int helper_run (struct call *c, int (*work) (struct call *c, void *opaque), void *opaque);

#endif /* ZEROFISH_HELPER_H */
