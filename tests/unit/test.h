/* What every unit test begins with: cmocka, a time limit, and a look at descriptors left open.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_TEST_H
#define ZEROFISH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <fcntl.h>

/* Descriptors open below 256. */
static inline int
test_open_fds (void)
{
  int fd, n = 0;

  for (fd = 0; fd < 256; fd++)
    n += fcntl (fd, F_GETFD) != -1;
  return n;
}

/* Run the array TESTS in at most SECONDS (SIGALRM ends the program then): for main to return. */
#define TEST_MAIN(tests, seconds) \
  int \
  main (void) \
  { \
    const int before = test_open_fds (); \
    int r; \
\
    alarm (seconds); \
    r = cmocka_run_group_tests (tests, NULL, NULL); \
    if (test_open_fds () != before) { \
      fprintf (stderr, "%d descriptors open at the start, %d at the end\n", before, test_open_fds ()); \
      r = 1; \
    } \
    return r != 0; \
  }

#endif /* ZEROFISH_TEST_H */
