/* A daemon and a call for tests of single pieces of the daemon, without a connection or a dispatch table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_TEST_HANDLER_H
#define ZEROFISH_TEST_HANDLER_H

#include "test.h"
#include "../../daemon/daemon.h"

/* A call of a daemon that has nothing yet; the same one each time, after handler_end. */
extern struct call *handler_begin (void);
/* Forget the call's memory and error, keep the daemon: for several calls in one test. */
extern struct call *handler_again (void);
extern void handler_end (void);

/* An empty directory, removed by handler_end with all that is in it. */
extern const char *handler_dir (void);
/* "DIR/NAME" in the call's memory, with the directories above it made. */
extern char *handler_path (const char *name);
/* Make a file with this text, or a link, below handler_dir. */
extern void handler_file (const char *name, const char *text);
extern void handler_link (const char *name, const char *target);

/* The call has failed with this errno and TEXT in its message; forgets the error. */
extern void handler_error (int err, const char *text);

#endif /* ZEROFISH_TEST_HANDLER_H */
