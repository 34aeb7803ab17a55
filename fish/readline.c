/* Connects completion and quoting with readline.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "fish.h"

static struct shell *session;
static char **candidates;         /* of the word being completed */
static size_t next_candidate;
static bool in_appliance;         /* they are no local files */

/* The text inside quotes that were opened with QUOTE, escapes done.  Readline frees it, so malloc. */
static char *
dequote (char *text, int quote)
{
  char err[WORDS_ERROR_SIZE];
  struct line line;
  char *quoted, *s;

  if (quote != '"')
    return xstrdup (text);
  quoted = xasprintf ("\"%s\"", text);
  s = line_split (quoted, &line, err) == 0 && line.nr_words == 1 ? xstrdup (line.words[0].s) : xstrdup (text);
  line_free (&line);
  free (quoted);
  return s;
}

/* A match as it is put into the line.  A common part of several matches, and a directory, go on: no
 * closing quote. */
static char *
quote (char *text, int match_type, char *quote_pointer)
{
  size_t len = strlen (text);
  bool open = match_type != SINGLE_MATCH || (len > 0 && text[len - 1] == '/');

  if (quote_pointer != NULL)
    *quote_pointer = '"';
  return word_quote (text, true, open);
}

/* Readline asks whether a match is a directory; a name in the appliance must not be looked up on the host. */
static int
stat_name (char **name)
{
  if (!in_appliance)
    return 0;
  free (*name);
  *name = xstrdup ("");
  return 1;
}

static char *
each_candidate (const char *text, int state)
{
  (void) text;
  if (state == 0)
    next_candidate = 0;
  if (candidates == NULL || candidates[next_candidate] == NULL)
    return NULL;
  return xstrdup (candidates[next_candidate++]);
}

/* After the only match comes a space, but not where the word goes on: "/dir/", "name:". */
static void
choose_ending (void)
{
  size_t len;

  if (candidates == NULL || candidates[0] == NULL || candidates[1] != NULL
      || (len = strlen (candidates[0])) == 0)
    return;
  if (candidates[0][len - 1] == '/' || candidates[0][len - 1] == ':') {
    rl_completion_append_character = '\0';
    rl_completion_suppress_quote = 1;
  }
}

static char **
complete (const char *text, int start, int end)
{
  struct completer c = { guest_devices, session->no_dest_paths ? NULL : guest_directory, session->h };
  int quoted = rl_completion_quote_character;
  char *before = xstrndup (rl_line_buffer, start > 0 && quoted ? start - 1 : start);
  char *plain = dequote ((char *) text, quoted);
  enum completion r;
  char **matches = NULL;

  (void) end;
  list_free (candidates);
  rl_filename_completion_desired = rl_filename_quoting_desired = 1;
  r = complete_word (&c, before, plain, &candidates);
  in_appliance = r != COMPLETE_LOCAL;
  if (r == COMPLETE_LIST) {
    choose_ending ();
    matches = rl_completion_matches (text, each_candidate);
  }
  rl_attempted_completion_over = r != COMPLETE_LOCAL;
  free (plain);
  free (before);
  return matches;
}

void
readline_init (struct shell *sh)
{
  static char quote_characters[48] = " \"'\\|~\x7f";
  size_t n = strlen (quote_characters);

  for (char c = 1; c < ' '; c++)
    quote_characters[n++] = c;
  session = sh;
  rl_readline_name = "zerofish";
  rl_attempted_completion_function = complete;
  rl_basic_word_break_characters = " \t\n";
  rl_completer_word_break_characters = (char *) " \t\n";
  rl_completer_quote_characters = "\"'";
  rl_filename_quote_characters = quote_characters;
  rl_filename_quoting_function = quote;
  rl_filename_dequoting_function = dequote;
  rl_filename_stat_hook = stat_name;
}
