/* A small dispatch table for the test of serve.c: calls that succeed, fail, last, read files and send them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_SERVE_ROWS_H
#define ZEROFISH_SERVE_ROWS_H

enum {
  P_NOTHING = 1,            /* no arguments, no result */
  P_ECHO,                   /* string -> string */
  P_MUTE,                   /* fails and does not say why */
  P_LARGE,                  /* int size -> buffer of that size */
  P_LONG,                   /* int ms -> int steps; progress, cancel */
  P_STUBBORN,               /* int ms; no cancel */
  P_OPTIONS,                /* two optional arguments; -> int64 mask */
  P_MEMORY,                 /* -> string list made with all of call.c's helpers */
  P_ERROR,                  /* int errno, string text: fails with call_error */
  P_IN = 66,                /* FileIn; int mode, int n -> nothing */
  P_OUT = 67,               /* FileOut; int mode, int n */
  P_NO_FILE = 70,           /* FileOut that sets up no file */
};

enum { IN_READ_ALL, IN_FAIL_AFTER_N, IN_FAIL_AFTER_END, IN_STOP_AFTER_N, IN_IGNORE_CANCEL, IN_SLOW };
enum { OUT_SEND_N, OUT_REFUSE, OUT_FAIL_AFTER_N, OUT_FOR_EVER, OUT_SMALL_PIECES };

/* Byte I of every file. */
#define PATTERN(i) ((unsigned char) ((i) * 7 + ((i) >> 13)))

#endif /* ZEROFISH_SERVE_ROWS_H */
