/* Local files named "-" (standard input or output) and "-<<END" (the lines that follow).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fish.h"

static int
write_all (int fd, const char *p, size_t n)
{
  while (n > 0) {
    ssize_t r = write (fd, p, n);

    if (r == -1) {
      if (errno == EINTR)
        continue;
      return -1;
    }
    p += r;
    n -= r;
  }
  return 0;
}

/* In a child: write the N bytes at P and then all of FROM to TO.  Only async-signal-safe calls, since the
 * library may have threads; and its descriptors are closed, since the machine ends when they do. */
static void __attribute__ ((noreturn))
copy_child (int from, int to, const char *p, size_t n)
{
  static char buf[65536];
  ssize_t r;

  signal (SIGINT, SIG_DFL);
  if (dup2 (from, STDIN_FILENO) == -1 || dup2 (to, STDOUT_FILENO) == -1)
    _exit (1);
  close_range (STDERR_FILENO + 1, ~0U, 0);
  if (write_all (STDOUT_FILENO, p, n) == -1)
    _exit (errno == EPIPE ? 0 : 1);
  while ((r = read (STDIN_FILENO, buf, sizeof buf)) != 0) {
    if (r == -1 && errno == EINTR)
      continue;
    if (r == -1 || write_all (STDOUT_FILENO, buf, r) == -1)
      _exit (r != -1 && errno == EPIPE ? 0 : 1);
  }
  _exit (0);
}

static char *
dev_fd (int fd)
{
  return xasprintf ("/dev/fd/%d", fd);
}

/* Start a child between FD and a pipe; the library gets the other end of it.  OUTPUT: the child writes to
 * FD. */
static char *
start_copy (struct shell *sh, int fd, bool output, const char *p, size_t n)
{
  int pipe_fds[2];
  pid_t pid = -1;

  if (pipe2 (pipe_fds, O_CLOEXEC) == -1 || (pid = fork ()) == -1) {
    shell_error (sh, "cannot copy standard %s: %s", output ? "output" : "input", strerror (errno));
    return NULL;
  }
  if (pid == 0) {
    close (pipe_fds[output]);
    if (output)
      copy_child (pipe_fds[0], fd, p, n);
    copy_child (fd, pipe_fds[1], p, n);
  }
  close (pipe_fds[!output]);
  sh->stream.fd = pipe_fds[output];
  sh->stream.child = pid;
  return dev_fd (sh->stream.fd);
}

/* Can the library simply open /dev/stdin or /dev/stdout?  Not a socket; and not a file that others read or
 * write at a position of their own. */
static bool
can_open (int fd, bool shared)
{
  struct stat st;

  if (fstat (fd, &st) == -1 || shared)
    return false;
  return S_ISFIFO (st.st_mode) || S_ISCHR (st.st_mode)
    || (fd == STDIN_FILENO && S_ISREG (st.st_mode) && lseek (fd, 0, SEEK_CUR) == 0);
}

/* Standard input, as far as the script has not taken it. */
static char *
from_stdin (struct shell *sh)
{
  bool script = sh->src != NULL && sh->src->fd == STDIN_FILENO;
  char *name;

  if (can_open (STDIN_FILENO, script))
    return xstrdup ("/dev/stdin");
  if (!script)
    return start_copy (sh, STDIN_FILENO, false, "", 0);
  name = start_copy (sh, STDIN_FILENO, false, sh->src->buf + sh->src->start, sh->src->end - sh->src->start);
  sh->src->start = sh->src->end;
  sh->src->eof = true;
  return name;
}

/* The lines up to END, in a file without a name. */
static char *
here_document (struct shell *sh, const char *end)
{
  int fd = memfd_create ("here-document", MFD_CLOEXEC);
  char *line;

  if (fd == -1) {
    shell_error (sh, "cannot make a temporary file: %s", strerror (errno));
    return NULL;
  }
  sh->stream.fd = fd;
  while ((line = shell_next_line (sh)) != NULL && strcmp (line, end) != 0) {
    size_t n = strlen (line);

    line[n] = '\n';             /* takes the place of the NUL for a moment */
    if (write_all (fd, line, n + 1) == -1) {
      shell_error (sh, "cannot write a temporary file: %s", strerror (errno));
      free (line);
      return NULL;
    }
    free (line);
  }
  if (line == NULL) {
    shell_error (sh, "the text after '-<<%s' has no line '%s' at its end", end, end);
    return NULL;
  }
  free (line);
  return dev_fd (fd);
}

char *
stream_in (struct shell *sh, const struct word *w)
{
  if (w->quoted || w->s[0] != '-')
    return xstrdup (w->s);
  if (w->s[1] == '\0')
    return from_stdin (sh);
  if (strncmp (w->s, "-<<", 3) == 0)
    return here_document (sh, w->s + 3);
  return xstrdup (w->s);
}

char *
stream_out (struct shell *sh, const struct word *w)
{
  if (w->quoted || strcmp (w->s, "-") != 0)
    return xstrdup (w->s);
  fflush (stdout);
  if (can_open (STDOUT_FILENO, false))
    return xstrdup ("/dev/stdout");
  return start_copy (sh, STDOUT_FILENO, true, "", 0);
}

/* A child that still feeds a command which has failed is ended: its pipe has no reader any more, but its
 * own input may never come. */
int
stream_end (struct shell *sh, bool failed)
{
  struct stream s = sh->stream;
  int r;

  sh->stream = (struct stream) { .fd = -1 };
  if (s.fd != -1)
    close (s.fd);
  if (s.child == 0)
    return 0;
  if (failed)
    kill (s.child, SIGTERM);
  r = wait_command (s.child);
  if (failed || r == 0)
    return 0;
  return shell_error (sh, "cannot copy between the command and standard input or output");
}
