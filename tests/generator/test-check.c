/* Each rule of the table: an entry that breaks it is refused, with the entry's name and the right message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emit.h"

/* What a good entry has; the cases say what differs. */
#define GOOD \
  .name = "good", .proc = 1, .since = "0.1", .shortdesc = "do it", .longdesc = "Do it.", \
  .tests = { { START_EMPTY, "good\n", "" } }
#define ONE_ARG(T) .args = { { "arg", T } }

#pragma GCC diagnostic ignored "-Woverride-init"

static const struct action first = { GOOD, .name = "first", .proc = 99, .aliases = { "start" } };

static const struct bad {
  struct action action;
  const char *expect;       /* the one violation, "" for none */
} bad[] = {
  { { GOOD }, "" },

  /* names */
  { { GOOD, .name = "Good" }, "Good: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "good-one" }, "good-one: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "1st" }, "1st: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "good_" }, "good_: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "while" }, "while: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "lambda" }, "lambda: the name is not a lower-case identifier, or is a reserved word" },
  { { GOOD, .name = "create" }, "create: the name belongs to a function of zerofish.h" },
  { { GOOD, .name = "free_it" }, "free_it: the name belongs to a function of zerofish.h" },
  { { GOOD, .name = "mkfs_opts" }, "mkfs_opts: the ending _opts is kept for the structs of optional arguments" },
  { { GOOD, .name = "internal_x" }, "internal_x: names with internal_ are for private actions" },
  { { GOOD, .name = "first" }, "first: there are two entries of this name" },

  /* numbers */
  { { GOOD, .proc = 99 }, "good: the procedure number 99 is also that of first" },
  { { GOOD, .proc = 12 }, "good: the procedure number 12 was used by an earlier action and is retired" },
  { { GOOD, .proc = -1 }, "good: the procedure number -1 is negative" },
  { { GOOD, .proc = 10000 }, "good: the procedure number 10000 is in the private range, but F_PRIVATE is not set" },
  { { GOOD, .proc = 0, .flags = F_PRIVATE | F_ANY_STATE },
    "good: an action of the library cannot be private: write a plain function instead" },

  /* arguments */
  { { GOOD, .args = { { "Path", T_PATH } } },
    "good: argument \"Path\": not a lower-case identifier, or a reserved word" },
  { { GOOD, .args = { { "int", T_INT } } }, "good: argument \"int\": not a lower-case identifier, or a reserved word" },
  { { GOOD, .args = { { "h", T_INT } } }, "good: argument \"h\": the name is used by generated functions" },
  { { GOOD, .args = { { "a", T_INT }, { "a", T_INT } } }, "good: argument \"a\": there are two of this name" },
  { { GOOD, .args = { { "a", T_INT } }, .optargs = { { "a", T_INT } } },
    "good: argument \"a\": there are two of this name" },
  { { GOOD, ONE_ARG (T_HASH) }, "good: argument \"arg\": its type is not allowed as an argument of an action of the daemon" },
  { { GOOD, ONE_ARG (T_STRUCT) },
    "good: argument \"arg\": its type is not allowed as an argument of an action of the daemon" },
  { { GOOD, ONE_ARG (T_NONE) }, "good: argument \"arg\": its type is not allowed as an argument of an action of the daemon" },
  { { GOOD, ONE_ARG (T_FILENAME) },
    "good: argument \"arg\": its type is not allowed as an argument of an action of the daemon" },
  { { GOOD, .proc = 0, .flags = F_ANY_STATE, ONE_ARG (T_PATH) },
    "good: argument \"arg\": its type is not allowed as an argument of an action of the library" },
  { { GOOD, .args = { { "one", T_FILE_IN }, { "two", T_FILE_OUT } } },
    "good: argument \"two\": only one file can be streamed in a call" },
  { { GOOD, .args = { { "one", T_FILE_IN } }, .ret = T_INT }, "good: an action that streams a file cannot have a result" },
  { { GOOD, .args = { { "a", T_INT }, { "b", T_INT }, { "d", T_INT }, { "e", T_INT }, { "f", T_INT }, { "g", T_INT },
                      { "i", T_INT }, { "j", T_INT }, { "k", T_INT } } }, "good: more than 8 arguments" },
  { { GOOD, .optargs = { { "arg", T_PATH } } },
    "good: argument \"arg\": its type is not allowed as an optional argument" },
  { { GOOD, .optargs = { { "arg", T_BUFFER } } },
    "good: argument \"arg\": its type is not allowed as an optional argument" },

  /* results */
  { { GOOD, .ret = T_PATH }, "good: its type is not allowed as a result" },
  { { GOOD, .ret = T_KEY }, "good: its type is not allowed as a result" },
  { { GOOD, .ret = (enum type) 77 }, "good: its type is not allowed as a result" },
  { { GOOD, .ret = T_STRUCT }, "good: the result is a struct, but ret_struct does not say which" },
  { { GOOD, .ret = T_STRUCT, .ret_struct = "none" }, "good: there is no struct \"none\"" },
  { { GOOD, .ret = T_STRUCT_LIST, .ret_struct = "hidden" },
    "good: the struct \"hidden\" is wire_only, but the action is public" },
  { { GOOD, .ret = T_INT, .ret_struct = "every" }, "good: ret_struct is set, but the result is no struct" },
  { { GOOD, .ret = T_STRING, .output = OUTPUT_HEX }, "good: the output form does not fit the result" },
  { { GOOD, .ret = T_INT, .output = OUTPUT_HUMAN_SIZE }, "good: the output form does not fit the result" },

  /* flags */
  { { GOOD, .flags = 1 << 20 }, "good: unknown flags 0x100000" },
  { { GOOD, .proc = 0, .flags = F_CONFIG | F_ANY_STATE }, "good: F_CONFIG and F_ANY_STATE exclude each other" },
  { { GOOD, .flags = F_PRIVATE | F_NO_SHELL }, "good: F_NO_SHELL says nothing new beside F_PRIVATE" },
  { { GOOD, .flags = F_CONFIG }, "good: F_CONFIG and F_ANY_STATE are for actions of the library" },
  { { GOOD, .proc = 0 }, "good: an action of the library needs F_CONFIG or F_ANY_STATE" },
  { { GOOD, .proc = 0, .flags = F_CONFIG | F_TOOLS },
    "good: F_DESTRUCTIVE and F_TOOLS are for actions of the daemon" },
  { { GOOD, .flags = F_DESTRUCTIVE }, "good: F_DESTRUCTIVE without a device argument" },
  { { GOOD, .args = { { "text", T_STRING }, { "device", T_DEVICE } }, .flags = F_HINTS },
    "good: F_HINTS is for public actions of the daemon whose first argument is a device" },
  { { GOOD, .flags = F_HINTS }, "good: F_HINTS is for public actions of the daemon whose first argument is a device" },
  { { GOOD, .flags = F_NO_SHELL, .aliases = { "other" } }, "good: it is no shell command, but has aliases" },
  { { GOOD, .proc = 0, .flags = F_CONFIG, .group = "lvm" },
    "good: only actions of the daemon can need a feature group" },

  /* texts and tests */
  { { GOOD, .shortdesc = NULL }, "good: no short text" },
  { { GOOD, .shortdesc = "" }, "good: no short text" },
  { { GOOD, .shortdesc = "Do it." },
    "good: the short text is one line, begins in lower case, has no marks and no full stop" },
  { { GOOD, .longdesc = NULL }, "good: no long text" },
  { { GOOD, .longdesc = "See A<nothing>." }, "good: the text refers to an action \"nothing\" that does not exist" },
  { { GOOD, .longdesc = "End */" }, "good: the long text would end a C comment" },
  { { GOOD, .since = NULL }, "good: \"since\" is not a version" },
  { { GOOD, .since = "soon" }, "good: \"since\" is not a version" },
  { { GOOD, .tests = { { 0 } } }, "good: no test" },
  { { GOOD, .tests = { { START_EMPTY, "x", NULL } } }, "good: test 1 is not complete" },

  /* shell names */
  { { GOOD, .aliases = { "Other" } }, "good: the alias \"Other\" is not a lower-case name with '-'" },
  { { GOOD, .aliases = { "an_alias" } }, "good: the alias \"an_alias\" is not a lower-case name with '-'" },
  { { GOOD, .aliases = { "first" } }, "good: the alias \"first\" is the name of a command" },
  { { GOOD, .aliases = { "start" } }, "good: the alias \"start\" is also one of first" },
  { { GOOD, .aliases = { "twice", "twice" } }, "good: the alias \"twice\" is also one of good" },
};

/* Bad structs; the entries that return them are good. */
static const struct bad_struct {
  struct structure s;
  const char *expect;
} bad_structs[] = {
  { { "while", "Text", { { "a", FT_INT32, "x" } }, false },
    "while: struct: the name is not a lower-case identifier, or is taken" },
  { { "handle", "Text", { { "a", FT_INT32, "x" } }, false },
    "handle: struct: the name is not a lower-case identifier, or is taken" },
  { { "thing", NULL, { { "a", FT_INT32, "x" } }, false }, "thing: struct: no text" },
  { { "thing", "Text", { { 0 } }, false }, "thing: struct: no fields" },
  { { "thing", "Text", { { "A", FT_INT32, "x" } }, false },
    "thing: struct: field \"A\" is not a lower-case identifier, or is a reserved word" },
  { { "thing", "Text", { { "a", FT_END, "x" } }, false }, "thing: struct: field \"a\" has no type" },
  { { "thing", "Text", { { "a", FT_INT32, NULL } }, false }, "thing: struct: field \"a\" has no text" },
  { { "thing", "Text", { { "a", FT_INT32, "x" }, { "a", FT_INT32, "x" } }, false },
    "thing: struct: there are two fields \"a\"" },
};

static int failures;

/* Check T; what is printed must be EXPECT, one line. */
static void
expect_output (const struct table *t, const char *expect)
{
  char *text = NULL, line[512];
  size_t size;
  FILE *err = open_memstream (&text, &size);
  int n;

  if (err == NULL)
    exit (EXIT_FAILURE);
  n = check_table (t, err);
  fclose (err);
  snprintf (line, sizeof line, *expect ? "generator: %s\n" : "", expect);
  if (strcmp (text, line) != 0 || n != (*expect ? 1 : 0)) {
    fprintf (stderr, "FAIL: expected 1 violation:\n  %sgot %d:\n  %s", line, n, text);
    failures++;
  }
  free (text);
}

/* ACTION beside another one and two structs that actions return. */
static void
check_action (const struct action *action, const char *expect)
{
  static const struct structure structs[] = {
    { "every", "Text", { { "a", FT_INT32, "x" } }, false },
    { "hidden", NULL, { { "a", FT_INT32, NULL } }, true },
  };
  struct action actions[4] = {
    first, *action,
    { GOOD, .name = "with_every", .proc = 98, .ret = T_STRUCT, .ret_struct = "every" },
    { GOOD, .name = "with_hidden", .proc = 97, .ret = T_STRUCT, .ret_struct = "hidden", .flags = F_PRIVATE },
  };
  const struct table t = { actions, 4, structs, 2, retired };

  expect_output (&t, expect);
}

static void
check_structure (const struct structure *s, const char *expect)
{
  const struct action action = { GOOD, .ret = T_STRUCT, .ret_struct = s->name };
  const struct table t = { &action, 1, s, 1, retired };

  expect_output (&t, expect);
}

/* 64 optional arguments are allowed, 65 are not. */
static void
check_limit (void)
{
  static char names[MAX_OPTARGS + 1][8];
  struct action action = { GOOD };

  for (int i = 0; i < MAX_OPTARGS + 1; i++) {
    snprintf (names[i], sizeof names[i], "opt%d", i);
    action.optargs[i] = (struct param) { names[i], T_INT };
    if (i == MAX_OPTARGS - 1)
      check_action (&action, "");
  }
  check_action (&action, "good: more than 64 optional arguments");
}

static void
check_unused_struct (void)
{
  static const struct structure s = { "thing", "Text", { { "a", FT_INT32, "x" } }, false };
  const struct table t = { &first, 1, &s, 1, retired };

  expect_output (&t, "thing: struct: no action returns it");
}

static void
check_struct_twice (void)
{
  static const struct structure s[] = {
    { "thing", "Text", { { "a", FT_INT32, "x" } }, false }, { "thing", "Text", { { "b", FT_INT32, "x" } }, false },
  };
  const struct action action = { GOOD, .ret = T_STRUCT, .ret_struct = "thing" };
  const struct table t = { &action, 1, s, 2, retired };

  expect_output (&t, "thing: struct: there are two of this name");
}

int
main (void)
{
  alarm (60);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    check_action (&bad[i].action, bad[i].expect);
  for (size_t i = 0; i < sizeof bad_structs / sizeof bad_structs[0]; i++)
    check_structure (&bad_structs[i].s, bad_structs[i].expect);
  check_limit ();
  check_unused_struct ();
  check_struct_twice ();
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
