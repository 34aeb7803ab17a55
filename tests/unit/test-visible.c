/* text_visible: control characters become escapes, all else stays; newlines stay where lines are wanted.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "visible.h"

static void
test_escapes (void **state)
{
  static const struct { const char *in, *line, *lines; } cases[] = {
    { "", "", "" },
    { "/dev/sda", "/dev/sda", "/dev/sda" },
    { "/dev/sda\n", "/dev/sda\\n", "/dev/sda\n" },
    { "a\tb\rc", "a\\tb\\rc", "a\tb\\rc" },
    { "\33[1m\177\1", "\\x1b[1m\\x7f\\x01", "\\x1b[1m\\x7f\\x01" },
    { "\xc3\xa4\xff", "\xc3\xa4\xff", "\xc3\xa4\xff" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char *line = text_visible (cases[i].in, false), *lines = text_visible (cases[i].in, true);

    assert_string_equal (line, cases[i].line);
    assert_string_equal (lines, cases[i].lines);
    free (line);
    free (lines);
  }
}

/* The longest result for its length. */
static void
test_size (void **state)
{
  char in[1001], *out;

  (void) state;
  memset (in, '\1', sizeof in - 1);
  in[sizeof in - 1] = '\0';
  out = text_visible (in, true);
  assert_int_equal (strlen (out), 4 * (sizeof in - 1));
  free (out);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_escapes),
    cmocka_unit_test (test_size),
  };

  alarm (20);
  return cmocka_run_group_tests (tests, NULL, NULL) != 0;
}
