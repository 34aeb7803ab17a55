/* Work of a call in a process of its own: what goes wrong there, a crash included, is an error of that call.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_HELPER_H
#define ZEROFISH_HELPER_H

#include "daemon.h"

/* Start WORK in a child.  It has a call like C: call_progress reports through C, and fails once C is cancelled;
 * its error becomes C's.  What it changes in memory is lost.  WORK returns 0, -1 with the error set, or 1,
 * which means what the caller likes.  NULL with C's error; else end it by helper_end. */
extern struct helper *helper_start (struct call *c, int (*work) (struct call *c, void *opaque), void *opaque);
/* Where it stands, for a child that does not say so itself. */
extern void helper_progress (struct helper *h, uint64_t position, uint64_t total);
/* Pass on progress and cancel.  0, or -1 once the child is over, or C is cancelled. */
extern int helper_look (struct helper *h);
/* Wait until the child has ended; one that does not do so after a cancel is killed.  What WORK returned; -1
 * with C's error also after a crash. */
extern int helper_end (struct helper *h);
/* All of it. */
extern int helper_run (struct call *c, int (*work) (struct call *c, void *opaque), void *opaque);

#endif /* ZEROFISH_HELPER_H */
