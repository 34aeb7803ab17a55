/* The tests of the table's entries, as one script for the shell and what it must print.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

/* Each command with '-' in front: one that fails must not hide the rest, and the output tells that it failed. */
static void
put_commands (FILE *out, const char *commands)
{
  for (const char *p = commands; *p; ) {
    size_t n = strcspn (p, "\n");

    fprintf (out, "-%.*s\n", (int) n, p);
    p += n;
    p += *p == '\n';
  }
}

static void
put_start (FILE *out, enum test_start start)
{
  if (start == START_ANY)
    return;
  put_commands (out, "umount-all\nzero-device /dev/sda\nzero-device /dev/sdb\n");
  if (start >= START_PARTITION)
    put_commands (out, "part-disk /dev/sda mbr\n");
  if (start >= START_FS)
    put_commands (out, "mkfs ext4 /dev/sda1\nmount /dev/sda1 /\n");
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
  fprintf (out, "echo \"== %s %zu\"\n", a->name, i + 1);
  put_start (out, a->tests[i].start);
  put_commands (out, a->tests[i].commands);
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
         "run\n", out);
  each_test (out, t, put_script);
}

void
emit_test_expect (FILE *out, const struct table *t)
{
  fputs ("# What actions.zf prints, errors included.  A line that begins with '~' stands for one that holds the rest.\n", out);
  each_test (out, t, put_expect);
}
