/* Where commands come from when nobody types them: a script, the output of a local command, the command line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fish.h"

static int
stopped (struct shell *sh)
{
  return shell_error (sh, "stopped by ^C");
}

/* 1: run the line; 0: the end; -1: after a message. */
static int
next (struct shell *sh, struct source *src, char **line)
{
  int r;

  do
    r = source_line (src, line);
  while (r == -1 && errno == EINTR && !interrupted ());
  if (r != -1)
    return r;
  if (errno == EINTR)
    return stopped (sh);
  if (errno == EILSEQ)
    return shell_error (sh, "the line holds a zero byte");
  return shell_error (sh, "cannot read: %s", strerror (errno));
}

static int
run_source (struct shell *sh, struct source *src)
{
  char *line;
  int r = 0;

  while (!sh->quit && (r = next (sh, src, &line)) == 1) {
    char *copy = xstrdup (line);      /* a here-document reads on in the source's buffer */

    r = run_line (sh, copy);
    free (copy);
    if (r == -1)
      return -1;
    if (interrupted ())
      return stopped (sh);
  }
  return r == -1 ? -1 : 0;
}

int
run_script (struct shell *sh, int fd, const char *name)
{
  struct source src, *outer = sh->src;
  int r;

  source_open (&src, fd, name);
  sh->src = &src;
  r = run_source (sh, &src);
  sh->src = outer;
  source_close (&src);
  return r;
}

int
run_inline (struct shell *sh, const char *shell_command_text)
{
  pid_t pid;
  int fd, r, status;

  fflush (stdout);
  if ((pid = start_command (shell_command_text, true, &fd)) == -1)
    return shell_error (sh, "cannot start /bin/sh: %s", strerror (errno));
  r = run_script (sh, fd, "<!");
  close (fd);
  status = wait_command (pid);
  if (r == 0 && status != 0)
    return shell_error (sh, "the local command '%s' failed with exit status %d", shell_command_text, status);
  return r;
}

char *
shell_next_line (struct shell *sh)
{
  char *line;

  if (sh->src != NULL)
    return next (sh, sh->src, &line) == 1 ? xstrdup (line) : NULL;
  return sh->prompt ? prompt_line ("> ") : NULL;
}

/* One command of the command line: "cmd args..." or "-cmd args...". */
static int
run_one (struct shell *sh, char **argv, size_t n)
{
  struct word *w = xmalloc (n * sizeof *w);
  bool ignore = argv[0][0] == '-';
  int r;

  for (size_t i = 0; i < n; i++)
    w[i] = (struct word) { .s = argv[i] };
  w[0].s += ignore;
  if (sh->trace) {
    for (size_t i = 0; i < n; i++)
      fprintf (stderr, "%s%s", i > 0 ? " " : "", w[i].s);
    fputc ('\n', stderr);
  }
  r = run_words (sh, w, n);
  free (w);
  return ignore ? 0 : r;
}

int
run_argv (struct shell *sh, char **argv, size_t argc)
{
  size_t i = 0, n;

  while (i < argc && !sh->quit) {
    for (n = 0; i + n < argc && strcmp (argv[i + n], ":") != 0; n++)
      ;
    if (n == 0)
      return shell_error (sh, "empty command on the command line (a ':' without a command before it)");
    if (run_one (sh, argv + i, n) == -1)
      return -1;
    if (interrupted ())
      return stopped (sh);
    i += n + 1;
  }
  return 0;
}
