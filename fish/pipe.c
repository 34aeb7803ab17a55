/* Shell commands of the user: "!cmd", "cmd | command".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fish.h"

extern char **environ;

/* Start /bin/sh with descriptor FROM (-1: none) as its TO, and the usual signals.  The process, or -1 with
 * errno. */
static pid_t
spawn_shell (const char *cmd, int from, int to)
{
  char *argv[] = { (char *) "sh", (char *) "-c", (char *) cmd, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t usual;
  pid_t pid;
  int err;

  sigemptyset (&usual);
  sigaddset (&usual, SIGPIPE);
  posix_spawn_file_actions_init (&actions);
  posix_spawnattr_init (&attr);
  posix_spawnattr_setsigdefault (&attr, &usual);
  posix_spawnattr_setflags (&attr, POSIX_SPAWN_SETSIGDEF);
  if (from != -1)
    posix_spawn_file_actions_adddup2 (&actions, from, to);
  err = posix_spawn (&pid, "/bin/sh", &actions, &attr, argv, environ);
  posix_spawnattr_destroy (&attr);
  posix_spawn_file_actions_destroy (&actions);
  errno = err;
  return err == 0 ? pid : -1;
}

pid_t
start_command (const char *cmd, bool output, int *fd)
{
  int p[2];
  pid_t pid;

  if (pipe2 (p, O_CLOEXEC) == -1)
    return -1;
  pid = output ? spawn_shell (cmd, p[1], STDOUT_FILENO) : spawn_shell (cmd, p[0], STDIN_FILENO);
  close (p[output]);
  *fd = p[!output];
  if (pid == -1)
    close (*fd);
  return pid;
}

int
wait_command (pid_t pid)
{
  int status;

  while (waitpid (pid, &status, 0) == -1)
    if (errno != EINTR)
      return -1;
  return WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
}

int
shell_command (struct shell *sh, const char *cmd)
{
  pid_t pid;

  fflush (stdout);
  if ((pid = spawn_shell (cmd, -1, -1)) == -1)
    return shell_error (sh, "cannot start /bin/sh: %s", strerror (errno));
  return wait_command (pid);
}

/* Run the words while standard output is FD (closed here). */
static int
run_redirected (struct shell *sh, const struct word *w, size_t n, int fd)
{
  int saved = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  int r, err;

  if (saved == -1 || dup2 (fd, STDOUT_FILENO) == -1) {
    r = shell_error (sh, "cannot redirect the output: %s", strerror (errno));
    close (fd);
    return r;
  }
  close (fd);
  sh->in_pipe = true;
  r = run_words (sh, w, n);
  errno = 0;
  err = fflush (stdout) == EOF || ferror (stdout) ? errno : 0;
  clearerr (stdout);
  sh->in_pipe = false;
  dup2 (saved, STDOUT_FILENO);
  close (saved);
  if (r == 0 && err != 0 && sh->pipe_error)
    return shell_error (sh, "cannot write to the pipe: %s", strerror (err));
  return r;
}

int
run_pipe (struct shell *sh, const struct word *w, size_t n, const char *cmd)
{
  pid_t pid;
  int fd, r;

  if (fflush (stdout) == EOF)
    return shell_error (sh, "cannot write the output: %s", strerror (errno));
  if ((pid = start_command (cmd, false, &fd)) == -1)
    return shell_error (sh, "cannot start /bin/sh: %s", strerror (errno));
  r = run_redirected (sh, w, n, fd);
  wait_command (pid);
  return r;
}
