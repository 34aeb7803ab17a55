/* Words, numbers, lists, lines, completion and bars: the shell's functions one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fish.h"

/* The words of TEXT, each followed by '|'; the pipe after ">"; or "error". */
static const char *
split (const char *text)
{
  static char out[512];
  char err[WORDS_ERROR_SIZE];
  struct line line;

  out[0] = '\0';
  if (line_split (text, &line, err) == -1)
    snprintf (out, sizeof out, "error: %s", err);
  else {
    for (size_t i = 0; i < line.nr_words; i++)
      snprintf (out + strlen (out), sizeof out - strlen (out), "%s|", line.words[i].s);
    if (line.pipe)
      snprintf (out + strlen (out), sizeof out - strlen (out), ">%s", line.pipe);
  }
  line_free (&line);
  return out;
}

static void
test_split (void **state)
{
  (void) state;
  setenv ("HOME", "/home/me", 1);
  assert_string_equal (split (""), "");
  assert_string_equal (split (" \t "), "");
  assert_string_equal (split ("a  b\tc "), "a|b|c|");
  assert_string_equal (split ("\"a b\" 'c \"d' \"\" ''"), "a b|c \"d|||");
  assert_string_equal (split ("\"\\a\\b\\f\\n\\r\\t\\v\\\"\\\\\\'\""), "\a\b\f\n\r\t\v\"\\'|");
  assert_string_equal (split ("\"\\x41\\n\\101\\377\""), "A\nA\377|");
  assert_string_equal (split ("'a\\nb' a\\nb"), "a\\nb|a\\nb|");
  assert_string_equal (split ("a\"b c\""), "a\"b|c\"|");
  assert_string_equal (split ("it's"), "it's|");
  assert_string_equal (split ("~ ~/x '~' a~"), "/home/me|/home/me/x|~|a~|");
  assert_string_equal (split ("~no-such-user/x"), "~no-such-user/x|");
  assert_string_equal (split ("a | b 'c | d"), "a|>b 'c | d");
  assert_string_equal (split ("a |b"), "a|>b");
  assert_string_equal (split ("a|b '|' \"|\""), "a|b|||||");
  assert_string_equal (split ("| a"), "||a|");
}

static void
test_split_errors (void **state)
{
  static const char *const bad[][2] = {
    { "\"a\"b", "follows the closing quote" }, { "'it''s'", "follows the closing quote" },
    { "x \"abc", "no end (column 3)" }, { "'abc", "no end (column 1)" }, { "\"\\", "no end" },
    { "\"\\\"", "no end" }, { "\"\\x00\"", "zero byte" }, { "\"\\000\"", "zero byte" },
    { "\"\\q\"", "unknown escape" },
    { "\"\\x4\"", "unknown escape" }, { "\"\\x4g\"", "unknown escape" }, { "\"\\12\"", "unknown escape" },
    { "\"\\400\"", "unknown escape" }, { "\"\\189\"", "unknown escape" }, { "\"\\x", "unknown escape" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    const char *r = split (bad[i][0]);

    if (strncmp (r, "error: ", 7) != 0 || strstr (r, bad[i][1]) == NULL)
      fail_msg ("%s: got %s", bad[i][0], r);
  }
}

/* A line of 200,000 words and one of a megabyte in one word, quoted or not. */
static void
test_split_long (void **state)
{
  size_t n = 200000, size = 1 << 20;
  char err[WORDS_ERROR_SIZE], *text = malloc (5 * n + 1), *big = malloc (size + 3);
  struct line line;

  (void) state;
  for (size_t i = 0; i < n; i++)
    memcpy (text + 5 * i, "\"ab\" ", 5);
  text[5 * n] = '\0';
  assert_int_equal (line_split (text, &line, err), 0);
  assert_int_equal (line.nr_words, n);
  assert_string_equal (line.words[n - 1].s, "ab");
  line_free (&line);

  memset (big, 'x', size + 2);
  big[size + 2] = '\0';
  for (int i = 0; i < 2; i++) {
    big[0] = big[size + 1] = i ? '"' : 'x';
    assert_int_equal (line_split (big, &line, err), 0);
    assert_int_equal (strlen (line.words[0].s), i ? size : size + 2);
    line_free (&line);
  }
  free (text);
  free (big);
}

static const char *
join_list (const char *text)
{
  static char out[256];
  char err[WORDS_ERROR_SIZE], **list = list_split (text, err);

  out[0] = '\0';
  if (list == NULL)
    return "error";
  for (size_t i = 0; list[i] != NULL; i++)
    snprintf (out + strlen (out), sizeof out - strlen (out), "%s|", list[i]);
  list_free (list);
  return out;
}

static void
test_list (void **state)
{
  char err[WORDS_ERROR_SIZE];
  struct line line;

  (void) state;
  assert_string_equal (join_list (""), "");
  assert_string_equal (join_list (" x  y\tz "), "x|y|z|");
  assert_string_equal (join_list ("x 'y z' w"), "x|y z|w|");
  assert_string_equal (join_list ("'' ' '"), "| |");
  assert_string_equal (join_list ("\\'foo\\' 'it\\'s'"), "'foo'|it's|");
  assert_string_equal (join_list ("a'b c\"d a\\b"), "a'b|c\"d|a\\b|");
  assert_string_equal (join_list ("'a"), "error");
  assert_string_equal (join_list ("'a'b"), "error");
  assert_string_equal (join_list ("'a\\'"), "error");
  /* A quote that is escaped in the line is still escaped in the list. */
  assert_int_equal (line_split ("\"a \\'b\\' 'c\\x20d'\"", &line, err), 0);
  assert_string_equal (line.words[0].s, "a 'b' 'c d'");
  assert_string_equal (join_list (line.words[0].list), "a|'b'|c d|");
  line_free (&line);
}

static void
test_numbers (void **state)
{
  static const struct {
    const char *s;
    int64_t n;
  } good[] = {
    { "0", 0 }, { "1234", 1234 }, { "02322", 1234 }, { "0x4d2", 1234 }, { "0X4D2", 1234 }, { "+5", 5 },
    { "-5", -5 },
    { "1k", 1024 }, { "1K", 1024 }, { "1KiB", 1024 }, { "1KB", 1000 }, { "-1K", -1024 }, { "0x10K", 16384 },
    { "010K", 8192 },
    { "1M", 1048576 }, { "1MiB", 1048576 }, { "1MB", 1000000 },
    { "1G", INT64_C (1) << 30 }, { "1GiB", INT64_C (1) << 30 }, { "1GB", 1000000000 },
    { "1T", INT64_C (1) << 40 }, { "1TB", INT64_C (1000000000000) },
    { "1P", INT64_C (1) << 50 }, { "1PB", INT64_C (1000000000000000) },
    { "7E", INT64_C (7) << 60 }, { "7EiB", INT64_C (7) << 60 }, { "9EB", INT64_C (9000000000000000000) },
    { "9223372036854775807", INT64_MAX }, { "-9223372036854775808", INT64_MIN }, { "-8E", INT64_MIN },
    { "0Y", 0 },
  };
  static const char *const bad[] = {
    "", "-", "+", " 1", "1 ", "1 M", "--1", "+-1", "x", "08", "0x", "1m", "1b", "1B", "1Q", "1Kb", "1KiBx",
    "1.5G", "1KK", "0xg",
    "8E", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "18446744073709551617K",
    "16777216T", "10EB",
    "1Z", "1YB", "99999999999999999999999999",
  };
  const char *why;
  int64_t n;

  (void) state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
    if (parse_number (good[i].s, &n, &why) != 0 || n != good[i].n)
      fail_msg ("%s", good[i].s);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    if (parse_number (bad[i], &n, &why) != -1)
      fail_msg ("'%s' was taken as %lld", bad[i], (long long) n);
}

static void
test_booleans (void **state)
{
  static const char *const yes[] = { "true", "1", "yes", "on", "t", "y", "TRUE", "Yes", "oN" };
  static const char *const no[] = { "false", "0", "no", "off", "f", "n", "False", "NO" };
  static const char *const bad[] = { "", "2", "maybe", "tru", "truee", " true" };
  int64_t n;

  (void) state;
  for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++)
    assert_true (parse_bool (yes[i], &n) == 0 && n == 1);
  for (size_t i = 0; i < sizeof no / sizeof no[0]; i++)
    assert_true (parse_bool (no[i], &n) == 0 && n == 0);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal (parse_bool (bad[i], &n), -1);
}

/* What completion puts into the line is read back as the same word. */
static void
test_quote (void **state)
{
  static const char *const words[] = {
    "plain", "", "a b", "it's", "\"", "a\"b\\c", "|", "~", "~x", "tab\there", "\x01\x7f\n", "'",
    "back\\slash", "\xc3\xa9", "-x"
  };
  char err[WORDS_ERROR_SIZE];
  struct line line;

  (void) state;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    for (int force = 0; force < 2; force++) {
      char *q = word_quote (words[i], force, false);

      assert_int_equal (line_split (q, &line, err), 0);
      assert_int_equal (line.nr_words, 1);
      assert_string_equal (line.words[0].s, words[i]);
      line_free (&line);
      free (q);
    }
}

static int
input (const char *text, size_t n)
{
  int p[2];

  assert_int_equal (pipe (p), 0);
  assert_int_equal (write (p[1], text, n), n);
  close (p[1]);
  return p[0];
}

static void
test_lines (void **state)
{
  static const char text[] = "\xef\xbb\xbf" "one\r\n\ntwo\rx\n\0bad\nlast";
  static const char *const lines[] = { "one", "", "two\rx", NULL, "last" };
  int fd = input (text, sizeof text - 1);
  struct source src;
  char *line;

  (void) state;
  source_open (&src, fd, "test");
  for (size_t i = 0; i < 5; i++) {
    int r = source_line (&src, &line);

    assert_int_equal (src.lineno, i + 1);
    assert_int_equal (r, lines[i] ? 1 : -1);
    if (lines[i])
      assert_string_equal (line, lines[i]);
    else
      assert_int_equal (errno, EILSEQ);
  }
  assert_int_equal (source_line (&src, &line), 0);
  source_close (&src);
  close (fd);
}

static char **
devices (void *opaque)
{
  char **list = xcalloc (3, sizeof *list);

  (void) opaque;
  list[0] = xstrdup ("/dev/sda");
  list[1] = xstrdup ("/dev/sda1");
  return list;
}

static char **
directory (void *opaque, const char *dir)
{
  char **list = xcalloc (4, sizeof *list);

  (void) opaque;
  if (strcmp (dir, "/") == 0) {
    list[0] = xstrdup ("my file");
    list[1] = xstrdup ("my dir/");
    list[2] = xstrdup ("other");
  }
  else if (strcmp (dir, "/my dir") == 0)
    list[0] = xstrdup ("inner");
  return list;
}

static const char *
candidates (const char *before, const char *text)
{
  static const struct completer c = { devices, directory, NULL };
  static char out[512];
  char **list;
  enum completion r = complete_word (&c, before, text, &list);

  snprintf (out, sizeof out, r == COMPLETE_LOCAL ? "local|" : r == COMPLETE_NONE ? "none|" : "");
  for (size_t i = 0; list != NULL && list[i] != NULL; i++)
    snprintf (out + strlen (out), sizeof out - strlen (out), "%s|", list[i]);
  list_free (list);
  return out;
}

static void
test_complete (void **state)
{
  (void) state;
  assert_string_equal (candidates ("", "is-"), "is-zero-device|");
  assert_string_equal (candidates (" -", "is_z"), "is-zero-device|");
  assert_string_equal (candidates ("time glob ", "is"), "is-zero-device|");
  assert_string_equal (candidates ("help ", "is"), "is-zero-device|");
  assert_string_equal (candidates ("help is-zero-device ", ""), "none|");
  assert_string_equal (candidates ("is-zero-device ", "/dev/sda1"), "/dev/sda1|");
  assert_string_equal (candidates ("is-z ", ""), "/dev/sda|/dev/sda1|");
  assert_string_equal (candidates ("rm ", ""), "/|");
  assert_string_equal (candidates ("rm ", "/my fi"), "/my file|");
  assert_string_equal (candidates ("rm ", "/my"), "/my file|/my dir/|");
  assert_string_equal (candidates ("rm ", "/my dir/"), "/my dir/inner|");
  assert_string_equal (candidates ("rm ", "/none/x"), "");
  assert_string_equal (candidates ("upload ", "x"), "local|");
  assert_string_equal (candidates ("upload 'a b' ", "/o"), "/other|");
  assert_string_equal (candidates ("show a 1 2 ", "t"), "true|");
  assert_string_equal (candidates ("show a 1 2 true ", "l"), "label:|");
  assert_string_equal (candidates ("show a 1 2 true ", "force:"), "force:true|force:false|");
  assert_string_equal (candidates ("show a 1 2 true ", "force:f"), "force:false|");
  assert_string_equal (candidates ("show ", "x"), "none|");
  assert_string_equal (candidates ("sparse ", "x"), "local|");
  assert_string_equal (candidates ("sparse x ", "1"), "none|");
  assert_string_equal (candidates ("!ls ", "x"), "local|");
  assert_string_equal (candidates ("show | ", "x"), "local|");
  assert_string_equal (candidates ("nosuch ", "x"), "none|");
  assert_string_equal (candidates ("rm \"open ", "x"), "none|");
}

static void
test_names (void **state)
{
  struct found f;
  char *all;

  (void) state;
  assert_true (command_find ("IS_zero-Device", false, &f, &all));
  assert_string_equal (f.cmd->name, "is-zero-device");
  assert_true (command_find ("run", false, &f, &all));
  assert_string_equal (f.cmd->name, "launch");
  assert_false (command_find ("is-zero", false, &f, &all));
  assert_null (all);
  assert_true (command_find ("is-zero", true, &f, &all));
  assert_true (command_find ("show", true, &f, &all));        /* and not show-list */
  assert_true (command_find ("allo", true, &f, &all));        /* alloc and allocate are one */
  assert_string_equal (f.builtin->name, "alloc");
  assert_false (command_find ("sh", true, &f, &all));
  assert_string_equal (all, "show, show-list");
  free (all);
  assert_false (command_find ("", true, &f, &all));
  assert_string_equal (command_like ("ech"), "echo");
  assert_string_equal (command_like ("zs-zero-devise"), "is-zero-device");
  assert_null (command_like ("disk.img"));
}

static void
test_bar (void **state)
{
  char text[320];

  (void) state;
  progress_text (text, sizeof text, 40, 0, 500, 65);
  assert_string_equal (text, "|  50% [##########          ] 01:05");
  progress_text (text, sizeof text, 40, 1, 1000, 0);
  assert_string_equal (text, "/ 100% [####################] 00:00");
  progress_text (text, sizeof text, 40, 2, 0, 7384);
  assert_string_equal (text, "-   0% [                    ] 2:03:04");
  progress_text (text, sizeof text, 40, 17, -1, -1);
  assert_string_equal (text, "/ ---% [               #### ] --:--");
  progress_text (text, sizeof text, 10, 3, 10, -1);
  assert_string_equal (text, "\\   1% --:--");
  progress_text (text, sizeof text, 10000, 0, 999, -1);
  assert_true (strlen (text) < 300);
}

static void
test_prompt_text (void **state)
{
  char *s = prompt_decode ("\\[\\e[1m\\]a\\x41\\101\\n\\\\\\q\\", true);

  (void) state;
  assert_string_equal (s, "\001\033[1m\002aAA\n\\\\q\\");
  free (s);
  s = prompt_decode ("\\[\\e\\]", false);
  assert_string_equal (s, "\033");
  free (s);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_split), cmocka_unit_test (test_split_errors), cmocka_unit_test (test_split_long),
    cmocka_unit_test (test_list), cmocka_unit_test (test_numbers), cmocka_unit_test (test_booleans),
    cmocka_unit_test (test_quote), cmocka_unit_test (test_lines), cmocka_unit_test (test_complete),
    cmocka_unit_test (test_names), cmocka_unit_test (test_bar), cmocka_unit_test (test_prompt_text),
  };

  alarm (60);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
