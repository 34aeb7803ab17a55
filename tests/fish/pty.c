/* Runs a program on a terminal of its own and talks to it: each line of standard input is "send TEXT",
 * "expect TEXT", "refuse TEXT" (must not have come since the last expect) or "exit STATUS"; TEXT may hold
 * \n \t \e \xHH.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TIMEOUT_S = 20 };

static int terminal;
static char seen[1 << 20];        /* all output so far */
static size_t nr_seen, matched;   /* up to where "expect" has looked */
static pid_t child;
static int line_number;

static void
give_up (const char *what, const char *text)
{
  fprintf (stderr, "pty: line %d: %s '%s'; output since the last expect:\n%.*s\n", line_number, what, text,
           (int) (nr_seen - matched), seen + matched);
  kill (child, SIGKILL);
  exit (1);
}

/* Read what comes within MS milliseconds; false at the end of the output. */
static bool
read_more (int ms)
{
  struct pollfd p = { .fd = terminal, .events = POLLIN };
  ssize_t n;

  if (poll (&p, 1, ms) <= 0)
    return true;
  n = read (terminal, seen + nr_seen, sizeof seen - 1 - nr_seen);
  if (n <= 0)                   /* EIO: the program has closed the terminal */
    return false;
  nr_seen += n;
  return true;
}

static size_t
decode (char *text)
{
  char *out = text, hex[3] = "";
  const char *p = text;

  while (*p) {
    if (*p != '\\')
      *out++ = *p++;
    else {
      p++;
      *out++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == 'e' ? '\033' : *p == 'x' ? 0 : *p;
      if (*p == 'x' && p[1] && p[2]) {
        memcpy (hex, p + 1, 2);
        out[-1] = strtol (hex, NULL, 16);
        p += 2;
      }
      p++;
    }
  }
  *out = '\0';
  return out - text;
}

static void
expect (const char *text)
{
  time_t end = time (NULL) + TIMEOUT_S;
  char *at;

  while ((at = memmem (seen + matched, nr_seen - matched, text, strlen (text))) == NULL) {
    if (time (NULL) > end)
      give_up ("timeout waiting for", text);
    if (!read_more (200) && memmem (seen + matched, nr_seen - matched, text, strlen (text)) == NULL)
      give_up ("the program ended without", text);
  }
  matched = at - seen + strlen (text);
}

static void
refuse (const char *text)
{
  read_more (300);
  if (memmem (seen + matched, nr_seen - matched, text, strlen (text)) != NULL)
    give_up ("unwanted", text);
}

static void
expect_exit (const char *wanted)
{
  time_t end = time (NULL) + TIMEOUT_S;
  char got[16];
  int status;

  while (read_more (200))
    if (time (NULL) > end)
      give_up ("the program does not end; wanted status", wanted);
  while (waitpid (child, &status, 0) == -1 && errno == EINTR)
    ;
  snprintf (got, sizeof got, "%d", WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status));
  if (strcmp (got, wanted) != 0)
    give_up ("wrong exit status, wanted", wanted);
}

static void
step (char *line)
{
  char *text = strchr (line, ' ');
  size_t n;

  if (line[0] == '\0' || line[0] == '#')
    return;
  text = text ? text + 1 : line + strlen (line);
  n = decode (text);
  if (strncmp (line, "send ", 5) == 0) {
    if (write (terminal, text, n) != (ssize_t) n)
      give_up ("cannot send", text);
  }
  else if (strncmp (line, "expect ", 7) == 0)
    expect (text);
  else if (strncmp (line, "refuse ", 7) == 0)
    refuse (text);
  else if (strncmp (line, "exit ", 5) == 0)
    expect_exit (text);
  else if (strncmp (line, "sleep ", 6) == 0)
    usleep (1000 * atoi (text));
  else
    give_up ("unknown step", line);
}

int
main (int argc, char **argv)
{
  struct winsize size = { .ws_row = 24, .ws_col = 80 };
  char line[4096];

  if (argc < 2)
    return 2;
  if ((child = forkpty (&terminal, NULL, NULL, &size)) == -1) {
    perror ("forkpty");
    return 77;
  }
  if (child == 0) {
    execvp (argv[1], argv + 1);
    _exit (127);
  }
  alarm (120);
  while (fgets (line, sizeof line, stdin) != NULL) {
    line_number++;
    line[strcspn (line, "\n")] = '\0';
    step (line);
  }
  kill (child, SIGKILL);        /* nothing if it has been waited for */
  if (getenv ("PTY_SHOW"))
    fwrite (seen, 1, nr_seen, stdout);
  return 0;
}
