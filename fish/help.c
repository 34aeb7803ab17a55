/* What "help" prints, from the command tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "fish.h"

/* TEXT with four spaces in front of each line that is not empty. */
static void
indented (FILE *out, const char *text)
{
  bool begin = true;

  for (; *text != '\0'; text++) {
    if (begin && *text != '\n')
      fputs ("    ", out);
    begin = *text == '\n';
    fputc (*text, out);
  }
  if (!begin)
    fputc ('\n', out);
}

static void
print_aliases (FILE *out, const struct found *f)
{
  const char *const *a = f->cmd != NULL ? f->cmd->aliases : NULL;

  if (f->builtin != NULL && f->builtin->alias != NULL)
    fprintf (out, "\n    Also called: %s\n", f->builtin->alias);
  if (a == NULL || a[0] == NULL)
    return;
  fprintf (out, "\n    Also called: %s", a[0]);
  while (*++a != NULL)
    fprintf (out, ", %s", *a);
  fputc ('\n', out);
}

int
help_command (struct shell *sh, const char *name, FILE *out)
{
  const char *like;
  struct found f;
  char *usage, *candidates;

  if (!command_find (name, sh->prompt && sh->src == NULL, &f, &candidates)) {
    like = command_like (name);
    if (candidates != NULL)
      shell_error (sh, "help: %s could be any of: %s", name, candidates);
    else
      shell_error (sh, "help: %s: no such command%s%s%s.  (For a list: help --list)", name,
                   like ? "; did you mean '" : "", like ? like : "", like ? "'?" : "");
    free (candidates);
    return -1;
  }
  usage = command_usage (&f);
  fprintf (out, "NAME\n    %s - %s\n\nSYNOPSIS\n    %s\n\nDESCRIPTION\n",
           f.cmd ? f.cmd->name : f.builtin->name, f.cmd ? f.cmd->shortdesc : f.builtin->shortdesc, usage);
  indented (out, f.cmd ? f.cmd->longdesc : f.builtin->longdesc);
  if (f.cmd != NULL && f.cmd->destructive)
    fputs ("\n    This command overwrites what is on the device.\n", out);
  print_aliases (out, &f);
  fputc ('\n', out);
  free (usage);
  return 0;
}

struct row {
  const char *name;
  const char *text;
  const char *alias_of;
};

static int
compare_rows (const void *a, const void *b)
{
  return strcmp (((const struct row *) a)->name, ((const struct row *) b)->name);
}

/* Append the row of a name, and return the new number of rows. */
static size_t
add_row (struct row **rows, size_t n, struct row row)
{
  *rows = xrealloc (*rows, (n + 1) * sizeof **rows);
  (*rows)[n] = row;
  return n + 1;
}

void
help_list (FILE *out)
{
  struct row *rows = NULL;
  size_t n = 0;

  for (size_t i = 0; i < nr_builtins; i++) {
    n = add_row (&rows, n, (struct row) { builtins[i].name, builtins[i].shortdesc, NULL });
    if (builtins[i].alias != NULL)
      n = add_row (&rows, n, (struct row) { builtins[i].alias, NULL, builtins[i].name });
  }
  for (size_t i = 0; i < nr_commands; i++) {
    n = add_row (&rows, n, (struct row) { commands[i].name, commands[i].shortdesc, NULL });
    for (size_t j = 0; commands[i].aliases != NULL && commands[i].aliases[j] != NULL; j++)
      n = add_row (&rows, n, (struct row) { commands[i].aliases[j], NULL, commands[i].name });
  }
  qsort (rows, n, sizeof *rows, compare_rows);
  fprintf (out, "%-24s %s\n", "Command", "Description");
  for (size_t i = 0; i < n; i++)
    if (rows[i].alias_of != NULL)
      fprintf (out, "%-24s alias for '%s'\n", rows[i].name, rows[i].alias_of);
    else
      fprintf (out, "%-24s %s\n", rows[i].name, rows[i].text);
  fprintf (out, "\nUse 'help CMD', or 'zerofish -h CMD', for what a command does.\n");
  free (rows);
}

void
help_general (FILE *out)
{
  fputs ("Add disk images with the -a option or the 'add' command, or make one with 'alloc',\n"
         "'sparse' or 'disk-create'.  Then type 'run', and give commands:\n\n"
         "    add disk.img\n"
         "    run\n"
         "    list-devices\n"
         "    is-zero-device /dev/sda\n"
         "    zero-device /dev/sda\n\n"
         "'help CMD' explains one command, 'help --list' lists all, 'man' shows the manual.\n", out);
}
