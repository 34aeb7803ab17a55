/* What serve.c, call.c and stream.c share and the handlers need not know.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_SERVE_H
#define ZEROFISH_SERVE_H

#include "daemon.h"

/* In front of what call_alloc_pages gives: room for the head of any message. */
enum { PAGES_HEAD = 4 + ZF_HEADER_SIZE + 4, CHUNK_HEAD = 4 + 8 };

/* Milliseconds on the monotonic clock, good to a few of them and cheap enough for inner loops. */
extern int64_t serve_now_ms (void);

/* --- call.c --- */

/* Look for the cancel flag, if the last look is a tenth of a second past: 0, or -1 with the error EINTR
 * set. */
extern int call_look (struct call *c, int64_t now);
/* The final 100 %, if there was a progress message before. */
extern int call_last_progress (struct call *c);
/* Is P[N] in memory of call_alloc_pages? */
extern bool call_in_pages (const struct call *c, const void *p, size_t n);
/* Free all that the call holds. */
extern void call_free (struct call *c);

/* --- stream.c --- */

/* After the handler of a call with FileIn: leave the stream at the next frame, having said (TELL) once
 * that we want no more of the file.  0, or -1 with errno: the connection is lost. */
extern int file_in_finish (struct call *c, bool tell);
/* After the ok reply of a call with FileOut (SENT false: after failing to send it): run its function and
 * end the file. */
extern int file_out_run (struct call *c, bool sent);

#endif /* ZEROFISH_SERVE_H */
