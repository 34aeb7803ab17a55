/* Finds commands by name and runs lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fish.h"

static int
fold (char c)
{
  return c == '_' ? '-' : tolower ((unsigned char) c);
}

bool
name_has_prefix (const char *name, const char *prefix)
{
  for (; *prefix != '\0'; name++, prefix++)
    if (fold (*name) != fold (*prefix))
      return false;
  return true;
}

bool
name_equal (const char *a, const char *b)
{
  return strlen (a) == strlen (b) && name_has_prefix (a, b);
}

/* Call FN for each name of each command until it returns false; a built-in hides a command. */
static void
each_name (bool (*fn) (void *opaque, const char *name, const struct found *f), void *opaque)
{
  for (size_t i = 0; i < nr_builtins; i++) {
    struct found f = { .builtin = &builtins[i] };

    if (!fn (opaque, builtins[i].name, &f)
        || (builtins[i].alias != NULL && !fn (opaque, builtins[i].alias, &f)))
      return;
  }
  for (size_t i = 0; i < nr_commands; i++) {
    struct found f = { .cmd = &commands[i] };

    if (!fn (opaque, commands[i].name, &f))
      return;
    for (size_t j = 0; commands[i].aliases != NULL && commands[i].aliases[j] != NULL; j++)
      if (!fn (opaque, commands[i].aliases[j], &f))
        return;
  }
}

struct search {
  const char *name;
  struct found *found;
  size_t nr;                /* different commands that match */
  char *candidates;
};

static bool
match_whole (void *opaque, const char *name, const struct found *f)
{
  struct search *s = opaque;

  if (!name_equal (name, s->name))
    return true;
  *s->found = *f;
  s->nr = 1;
  return false;
}

/* Two names of one command are no ambiguity. */
static bool
match_prefix (void *opaque, const char *name, const struct found *f)
{
  struct search *s = opaque;
  char *all;

  if (!name_has_prefix (name, s->name))
    return true;
  if (s->nr == 0 || memcmp (f, s->found, sizeof *f) != 0)
    s->nr++;
  *s->found = *f;
  all = s->candidates == NULL ? xstrdup (name) : xasprintf ("%s, %s", s->candidates, name);
  free (s->candidates);
  s->candidates = all;
  return true;
}

bool
command_find (const char *name, bool prefixes, struct found *found, char **candidates)
{
  struct search s = { .name = name, .found = found };

  if (candidates != NULL)
    *candidates = NULL;
  *found = (struct found) { 0 };
  each_name (match_whole, &s);
  if (s.nr == 1)
    return true;
  if (prefixes && *name != '\0')
    each_name (match_prefix, &s);
  if (s.nr > 1 && candidates != NULL)
    *candidates = s.candidates;
  else
    free (s.candidates);
  return s.nr == 1;
}

/* Number of single-letter changes between A and B, by the usual table of prefixes, one row at a time. */
static size_t
distance (const char *a, const char *b)
{
  size_t row[64], diagonal, n = strlen (b);

  if (n >= 64)
    return n;
  for (size_t j = 0; j <= n; j++)
    row[j] = j;
  for (size_t i = 1; a[i - 1] != '\0'; i++) {
    diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t best = diagonal + (fold (a[i - 1]) != fold (b[j - 1]));

      diagonal = row[j];
      if (row[j] + 1 < best)
        best = row[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[n];
}

struct nearest {
  const char *name, *best;
  size_t distance;
};

static bool
match_nearest (void *opaque, const char *name, const struct found *f)
{
  struct nearest *n = opaque;
  size_t d = distance (n->name, name);

  (void) f;
  if (d < n->distance) {
    n->distance = d;
    n->best = name;
  }
  return true;
}

const char *
command_like (const char *name)
{
  size_t len = strlen (name);
  struct nearest n = { .name = name, .distance = len > 5 ? 4 : len > 3 ? 3 : 2 };

  if (len < 64)
    each_name (match_nearest, &n);
  return n.best;
}

const char *
value_type_hint (enum value_type type)
{
  return type == V_INT || type == V_INT64 ? "N" : type == V_BOOL ? "true|false" : "..";
}

char *
command_usage (const struct found *f)
{
  char *s, *t;

  if (f->builtin != NULL)
    return xasprintf ("%s%s%s", f->builtin->name, f->builtin->usage[0] ? " " : "", f->builtin->usage);
  s = xstrdup (f->cmd->name);
  for (size_t i = 0; i < f->cmd->nr_args; i++) {
    if (f->cmd->args[i].type == V_KEY)
      continue;
    t = xasprintf ("%s %s", s, f->cmd->args[i].name);
    free (s);
    s = t;
  }
  for (size_t i = 0; i < f->cmd->nr_optargs; i++) {
    t = xasprintf ("%s [%s:%s]", s, f->cmd->optargs[i].name, value_type_hint (f->cmd->optargs[i].type));
    free (s);
    s = t;
  }
  return s;
}

static int
unknown (struct shell *sh, const char *name, const char *candidates)
{
  const char *like;

  if (candidates != NULL)
    return shell_error (sh, "%s: could be any of: %s", name, candidates);
  if ((like = command_like (name)) != NULL)
    return shell_error (sh, "%s: unknown command; did you mean '%s'?  (For a list of commands: help --list)",
                        name, like);
  return shell_error (sh, "%s: unknown command\nTo open a disk image:    zerofish -a disk.img\n"
                      "For a list of commands:  zerofish -h", name);
}

/* Whatever the command printed must have arrived. */
static int
flush_output (struct shell *sh)
{
  if (sh->in_pipe || (fflush (stdout) == 0 && !ferror (stdout)))
    return 0;
  clearerr (stdout);
  if (errno == EPIPE)           /* the reader has gone, as after "| head": nobody to tell */
    return -1;
  return shell_error (sh, "cannot write the output: %s", strerror (errno));
}

static int
run_command (struct shell *sh, const struct command *cmd, const struct word *w, size_t n)
{
  struct value *v = xcalloc (cmd->nr_args + 1, sizeof *v);
  struct value *opt = xcalloc (cmd->nr_optargs + 1, sizeof *opt);
  uint64_t mask;
  int r = values_convert (sh, cmd, w, n, v, opt, &mask);

  if (r == 0) {
    progress_begin (sh);
    r = cmd->run (sh->h, v, opt, mask, stdout);
    progress_end ();
    if (r == -1)
      shell_lib_error (sh);
  }
  if (stream_end (sh, r == -1) == -1)
    r = -1;
  values_free (cmd, v, opt);
  free (v);
  free (opt);
  return r;
}

static int
run_builtin (struct shell *sh, const struct builtin *b, const struct word *w, size_t n)
{
  if (n >= b->min && n <= b->max)
    return b->run (sh, w, n);
  return shell_error (sh, "%s: wrong number of arguments\nusage: %s %s\nType 'help %s' for more.",
                      b->name, b->name, b->usage, b->name);
}

int
run_words (struct shell *sh, const struct word *w, size_t n)
{
  struct found f;
  char *candidates;
  int r;

  if (!command_find (w[0].s, sh->prompt && sh->src == NULL, &f, &candidates)) {
    r = unknown (sh, w[0].s, candidates);
    free (candidates);
    return r;
  }
  if (f.builtin != NULL)
    r = run_builtin (sh, f.builtin, w + 1, n - 1);
  else
    r = run_command (sh, f.cmd, w + 1, n - 1);
  return flush_output (sh) == -1 ? -1 : r;
}

static int
run_split (struct shell *sh, const char *text)
{
  char err[WORDS_ERROR_SIZE];
  struct line line;
  int r = 0;

  if (line_split (text, &line, err) == -1)
    r = shell_error (sh, "%s", err);
  else if (line.nr_words > 0)
    r = line.pipe != NULL ? run_pipe (sh, line.words, line.nr_words, line.pipe)
      : run_words (sh, line.words, line.nr_words);
  line_free (&line);
  return r;
}

static int
run_local (struct shell *sh, const char *cmd)
{
  int r = shell_command (sh, cmd);

  if (r > 0 && !sh->prompt)
    shell_error (sh, "the local command '%s' failed with exit status %d", cmd, r);
  return r == 0 ? 0 : -1;
}

int
run_line (struct shell *sh, const char *text)
{
  bool ignore;
  int r;

  text += strspn (text, " \t\r\n");
  if ((ignore = *text == '-'))
    text += strspn (text, "- \t");
  if (*text == '\0' || *text == '#')
    return 0;
  if (sh->trace)
    fprintf (stderr, "%s\n", text);
  if (*text == '!')
    r = run_local (sh, text + 1);
  else if (strncmp (text, "<!", 2) == 0)
    r = run_inline (sh, text + 2);
  else
    r = run_split (sh, text);
  return ignore ? 0 : r;
}
