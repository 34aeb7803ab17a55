/* The tests of the table's entries, as one script for the shell and what it must print.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

static void
put_start (FILE *out, enum test_start start)
{
  fputs ("umount-all\nzero-device /dev/sda\nzero-device /dev/sdb\n", out);
  if (start >= START_PARTITION)
    fputs ("part-disk /dev/sda mbr\n", out);
  if (start >= START_FS)
    fputs ("mkfs ext4 /dev/sda1\nmount /dev/sda1 /\n", out);
}

/* The commands; a '-' goes in front of the last one if it must fail. */
static void
put_commands (FILE *out, const struct test *test)
{
  const char *s = test->commands, *last = s;

  for (const char *p = s; (p = strchr (p, '\n')) != NULL; )
    if (*++p)
      last = p;
  if (test->error)
    fprintf (out, "%.*s-%s", (int) (last - s), s, last);
  else
    fputs (s, out);
  if (*s && s[strlen (s) - 1] != '\n')
    fputc ('\n', out);
}

/* Call FN for each test, in order of names. */
static void
each_test (FILE *out, const struct table *t, void (*fn) (FILE *out, const struct action *a, size_t i))
{
  for (size_t i = 0; i < t->nr_actions; i++)
    for (size_t j = 0; t->actions[i].tests[j].commands; j++)
      fn (out, &t->actions[i], j);
}

static void
put_script (FILE *out, const struct action *a, size_t i)
{
  fputc ('\n', out);
  put_start (out, a->tests[i].start);
  fprintf (out, "echo \"== %s %zu\"\n", a->name, i + 1);
  put_commands (out, &a->tests[i]);
}

static void
put_expect (FILE *out, const struct action *a, size_t i)
{
  const struct test *test = &a->tests[i];

  fprintf (out, "== %s %zu\n%s", a->name, i + 1, test->expect);
  if (test->expect[0] && test->expect[strlen (test->expect) - 1] != '\n')
    fputc ('\n', out);
  if (test->error)
    fprintf (out, "~%s\n", test->error);
}

void
emit_test_script (FILE *out, const struct table *t)
{
  fputs ("# Tests of all actions.  Generated from the action table in generator/; do not edit.\n"
         "# For a session with /dev/sda of 512 MiB and /dev/sdb of 64 MiB, in an empty folder.\n"
         "# A command with '-' in front must fail.\n"
         "run\n", out);
  each_test (out, t, put_script);
}

void
emit_test_expect (FILE *out, const struct table *t)
{
  each_test (out, t, put_expect);
}
