/* What a word could be completed to: commands, devices, files of the appliance, optional arguments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fish.h"

/* A growing list of strings. */
struct list {
  char **v;
  size_t n;
};

/* Takes over S. */
static void
add (struct list *l, char *s)
{
  l->v = xrealloc (l->v, (l->n + 2) * sizeof *l->v);
  l->v[l->n++] = s;
  l->v[l->n] = NULL;
}

static void
add_name (struct list *l, const char *name, const char *text)
{
  if (name_has_prefix (name, text))
    add (l, xstrdup (name));
}

static void
add_commands (struct list *l, const char *text)
{
  for (size_t i = 0; i < nr_builtins; i++) {
    add_name (l, builtins[i].name, text);
    if (builtins[i].alias != NULL)
      add_name (l, builtins[i].alias, text);
  }
  for (size_t i = 0; i < nr_commands; i++) {
    add_name (l, commands[i].name, text);
    for (size_t j = 0; commands[i].aliases != NULL && commands[i].aliases[j] != NULL; j++)
      add_name (l, commands[i].aliases[j], text);
  }
}

static void
add_devices (struct list *l, const struct completer *c, const char *text)
{
  char **devices = c->devices (c->opaque);

  for (size_t i = 0; devices != NULL && devices[i] != NULL; i++)
    if (strncmp (devices[i], text, strlen (text)) == 0)
      add (l, xstrdup (devices[i]));
  list_free (devices);
}

static void
add_paths (struct list *l, const struct completer *c, const char *text)
{
  const char *slash = strrchr (text, '/');
  size_t head;              /* "/dir/" of "/dir/na" */
  char *dir, **names;

  if (c->directory == NULL)     /* --no-dest-paths */
    return;
  if (slash == NULL) {
    if (*text == '\0')
      add (l, xstrdup ("/"));
    return;
  }
  head = slash + 1 - text;
  dir = xstrndup (text, head > 1 ? head - 1 : 1);
  names = c->directory (c->opaque, dir);
  for (size_t i = 0; names != NULL && names[i] != NULL; i++)
    if (strncmp (names[i], slash + 1, strlen (slash + 1)) == 0)
      add (l, xasprintf ("%.*s%s", (int) head, text, names[i]));
  list_free (names);
  free (dir);
}

static enum completion
complete_value (struct list *l, const struct completer *c, enum value_type type, const char *text)
{
  switch (type) {
  case V_DEVICE:
  case V_MOUNTABLE:
    add_devices (l, c, text);
    return COMPLETE_LIST;
  case V_DEVICE_OR_PATH:
    add_devices (l, c, text);
    add_paths (l, c, text);
    return COMPLETE_LIST;
  case V_PATH:
    add_paths (l, c, text);
    return COMPLETE_LIST;
  case V_BOOL:
    add_name (l, "true", text);
    add_name (l, "false", text);
    return COMPLETE_LIST;
  case V_FILE_IN:
  case V_FILE_OUT:
  case V_FILENAME:
    return COMPLETE_LOCAL;
  default:
    return COMPLETE_NONE;
  }
}

/* "na" to "name:", and "readonly:t" to "readonly:true". */
static enum completion
complete_optional (struct list *l, const struct command *cmd, const char *text)
{
  for (size_t i = 0; i < cmd->nr_optargs; i++) {
    const struct command_arg *arg = &cmd->optargs[i];
    char *name = xasprintf ("%s:", arg->name);
    char *yes = xasprintf ("%strue", name), *no = xasprintf ("%sfalse", name);

    if (arg->type == V_BOOL && name_has_prefix (text, name)) {
      add_name (l, yes, text);
      add_name (l, no, text);
    }
    else
      add_name (l, name, text);
    free (name);
    free (yes);
    free (no);
  }
  return COMPLETE_LIST;
}

/* Argument number INDEX (from 0). */
static enum completion
complete_argument (struct list *l, const struct completer *c, const struct command *cmd, size_t index,
                   const char *text)
{
  for (size_t i = 0; i < cmd->nr_args; i++)
    if (cmd->args[i].type != V_KEY && index-- == 0)
      return complete_value (l, c, cmd->args[i].type, text);
  return complete_optional (l, cmd, text);
}

/* The N words W stand before TEXT. */
static enum completion
complete_after (struct list *l, const struct completer *c, const struct word *w, size_t n, const char *text)
{
  struct found f;
  bool is_help;

  if (n == 0) {
    add_commands (l, text);
    return COMPLETE_LIST;
  }
  if (!command_find (w[0].s, true, &f, NULL))
    return COMPLETE_NONE;
  if (f.cmd != NULL)
    return complete_argument (l, c, f.cmd, n - 1, text);
  is_help = strcmp (f.builtin->name, "help") == 0;
  switch (f.builtin->complete) {
  case B_COMMAND:
    return is_help && n > 1 ? COMPLETE_NONE : complete_after (l, c, w + 1, n - 1, text);
  case B_LOCAL_FILE:
    return n == 1 ? COMPLETE_LOCAL : COMPLETE_NONE;
  default:
    return COMPLETE_NONE;
  }
}

enum completion
complete_word (const struct completer *c, const char *before, const char *text, char ***result)
{
  char err[WORDS_ERROR_SIZE];
  struct list l = { 0 };
  struct line line;
  enum completion r = COMPLETE_NONE;

  *result = NULL;
  before += strspn (before, " \t-");
  if (*before == '!' || *before == '<')
    return COMPLETE_LOCAL;
  if (line_split (before, &line, err) == 0)
    r = line.pipe != NULL ? COMPLETE_LOCAL : complete_after (&l, c, line.words, line.nr_words, text);
  line_free (&line);
  *result = l.v;
  return r;
}
