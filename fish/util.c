/* Messages, and memory that must be there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fish.h"

static void *
need (void *p)
{
  if (p == NULL) {
    fputs ("zerofish: out of memory\n", stderr);
    exit (EXIT_FAILURE);
  }
  return p;
}

void *
xmalloc (size_t n)
{
  return need (malloc (n > 0 ? n : 1));
}

void *
xcalloc (size_t n, size_t size)
{
  return need (calloc (n, size));
}

void *
xrealloc (void *p, size_t n)
{
  return need (realloc (p, n > 0 ? n : 1));
}

char *
xstrdup (const char *s)
{
  return need (strdup (s));
}

char *
xstrndup (const char *s, size_t n)
{
  return need (strndup (s, n));
}

char *
xasprintf (const char *fs, ...)
{
  va_list args;
  char *s;
  int r;

  va_start (args, fs);
  r = vasprintf (&s, fs, args);
  va_end (args);
  return need (r == -1 ? NULL : s);
}

/* "zerofish: " and, in a script, its name and the line. */
static void
print_place (struct shell *sh)
{
  fflush (stdout);
  fputs ("zerofish: ", stderr);
  if (sh != NULL && sh->src != NULL)
    fprintf (stderr, "%s:%zu: ", sh->src->name, sh->src->lineno);
}

int
shell_error (struct shell *sh, const char *fs, ...)
{
  va_list args;

  print_place (sh);
  va_start (args, fs);
  vfprintf (stderr, fs, args);
  va_end (args);
  fputc ('\n', stderr);
  return -1;
}

/* The library names the call in C ("zero_device: ..."); the user typed "zero-device". */
int
shell_lib_error (struct shell *sh)
{
  const char *msg = zf_last_error (sh->h);
  size_t n;

  if (msg == NULL)
    msg = "failed without a message";
  n = strspn (msg, "abcdefghijklmnopqrstuvwxyz0123456789_");
  if (msg[n] != ':')
    n = 0;
  print_place (sh);
  for (size_t i = 0; i < n; i++)
    fputc (msg[i] == '_' ? '-' : msg[i], stderr);
  fprintf (stderr, "%s\n", msg + n);
  return -1;
}
