/* Running qemu-img: an argument array, no shell, bounded output, and an end if it makes no progress.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

#define OUTPUT_MAX    (1024 * 1024)
#define STALL_MS      30000     /* without output and without using the CPU */
#define MEMORY_MAX    (UINT64_C (2) << 30)

extern char **environ;

struct child {
  pid_t pid;
  int fd[2];                    /* standard output and error; -1: closed */
  struct buf text[2];
  unsigned long ticks;          /* CPU time when last looked at */
  int64_t stall_ms;             /* when patience ends */
};

static const char *
program (void)
{
  const char *s = secure_getenv ("ZEROFISH_QEMU_IMG");

  return s && *s ? s : QEMU_IMG;
}

/* --- starting --- */

/* Two pipes, close-on-exec: [0], [1] standard output, [2], [3] standard error. */
static int
make_pipes (int fds[4])
{
  if (pipe2 (fds, O_CLOEXEC) == -1)
    return -1;
  if (pipe2 (fds + 2, O_CLOEXEC) == -1) {
    close (fds[0]);
    close (fds[1]);
    return -1;
  }
  return 0;
}

/* Its own process group, so that ^C at the terminal does not hit it, and no signal blocked or ignored. */
static int
set_attributes (posix_spawnattr_t *attr)
{
  sigset_t none, pipe_set;

  sigemptyset (&none);
  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  posix_spawnattr_setsigmask (attr, &none);
  posix_spawnattr_setsigdefault (attr, &pipe_set);
  posix_spawnattr_setpgroup (attr, 0);
  return posix_spawnattr_setflags (attr,
                                   POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

/* 0, or an errno value. */
static int
spawn (const int fds[4], char *const *argv, pid_t *pid)
{
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  int err;

  if ((err = posix_spawn_file_actions_init (&actions)) != 0)
    return err;
  if ((err = posix_spawnattr_init (&attr)) == 0) {
    if ((err = set_attributes (&attr)) == 0
        && (err = posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
        && (err = posix_spawn_file_actions_adddup2 (&actions, fds[1], 1)) == 0
        && (err = posix_spawn_file_actions_adddup2 (&actions, fds[3], 2)) == 0)
      err = posix_spawn (pid, program (), &actions, &attr, argv, environ);
    posix_spawnattr_destroy (&attr);
  }
  posix_spawn_file_actions_destroy (&actions);
  return err;
}

/* ARGV with the program's name in front; only the array is new. */
static char **
full_argv (const char *const *argv)
{
  size_t n = 0;
  char **r;

  while (argv[n] != NULL)
    n++;
  r = calloc (n + 2, sizeof *r);
  if (r == NULL)
    return NULL;
  r[0] = (char *) "qemu-img";
  memcpy (r + 1, argv, n * sizeof *r);
  return r;
}

static int
start (zf_handle *h, struct child *c, const char *const *argv)
{
  const struct rlimit memory = { MEMORY_MAX, MEMORY_MAX };
  char **full = full_argv (argv);
  int fds[4], err;

  if (full == NULL || make_pipes (fds) == -1) {
    free (full);
    return zfi_perror (h, errno, "qemu-img");
  }
  err = spawn (fds, full, &c->pid);
  free (full);
  close (fds[1]);
  close (fds[3]);
  c->fd[0] = fds[0];
  c->fd[1] = fds[2];
  if (err != 0) {
    close (fds[0]);
    close (fds[2]);
    return zfi_perror (h, err, "running %s", program ());
  }
  prlimit (c->pid, RLIMIT_AS, &memory, NULL);
  c->stall_ms = zfi_now_ms () + STALL_MS;
  return 0;
}

/* --- waiting --- */

/* CPU time that the child has used, in clock ticks; 0 if it is not known. */
static unsigned long
cpu_ticks (pid_t pid)
{
  char name[64], text[1024], *p;
  unsigned long user = 0, sys = 0;
  FILE *f;
  size_t n;

  snprintf (name, sizeof name, "/proc/%d/stat", (int) pid);
  if ((f = fopen (name, "re")) == NULL)
    return 0;
  n = fread (text, 1, sizeof text - 1, f);
  fclose (f);
  text[n] = '\0';
  /* The name in parentheses may hold anything. */
  p = strrchr (text, ')');
  if (p != NULL)
    sscanf (p + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys);
  return user + sys;
}

/* Take what output I has. 0, or -1 with errno: there is too much. */
static int
take_output (struct child *c, int i)
{
  unsigned char *end = buf_reserve (&c->text[i], 4096);
  ssize_t n;

  if (end == NULL)
    return -1;
  n = read (c->fd[i], end, 4096);
  if (n > 0)
    c->text[i].len += n;
  else if (n == 0 || errno != EINTR) {
    close (c->fd[i]);
    c->fd[i] = -1;
  }
  return 0;
}

/* Note whether anything moved; -1 with errno if patience is over or the user cancelled. */
static int
look (zf_handle *h, struct child *c, bool output)
{
  unsigned long ticks = cpu_ticks (c->pid);

  if (output || ticks != c->ticks)
    c->stall_ms = zfi_now_ms () + STALL_MS;
  c->ticks = ticks;
  errno = zfi_cancelled (h) ? EINTR : ETIMEDOUT;
  return zfi_cancelled (h) || zfi_now_ms () >= c->stall_ms ? -1 : 0;
}

/* Read until both outputs are closed: 0, or -1 with errno. */
static int
collect (zf_handle *h, struct child *c)
{
  while (c->fd[0] != -1 || c->fd[1] != -1) {
    struct pollfd p[3] = {
      { .fd = c->fd[0], .events = POLLIN }, { .fd = c->fd[1], .events = POLLIN },
      { .fd = h->cancel_pipe[0], .events = POLLIN },
    };

    if (poll (p, 3, 500) == -1 && errno != EINTR)
      return -1;
    for (int i = 0; i < 2; i++)
      if (p[i].revents && take_output (c, i) == -1)
        return -1;
    if (look (h, c, p[0].revents || p[1].revents) == -1)
      return -1;
    if (p[2].revents)
      poll (NULL, 0, 20);       /* an old cancel may lie in the pipe: do not spin */
  }
  return 0;
}

/* Wait for its end, which may come after its outputs were closed; the status, or -1 with errno if it had
 * to be killed. */
static int
reap (zf_handle *h, struct child *c)
{
  int status;
  pid_t r;

  while ((r = waitpid (c->pid, &status, WNOHANG)) == 0 || (r == -1 && errno == EINTR)) {
    if (look (h, c, false) == -1)
      return -1;
    poll (NULL, 0, 5);
  }
  return r == -1 ? -1 : status;
}

static void
end (struct child *c)
{
  int err = errno;

  kill (c->pid, SIGKILL);
  while (waitpid (c->pid, NULL, 0) == -1 && errno == EINTR)
    ;
  errno = err;
}

/* --- the whole --- */

/* What went wrong, as qemu-img says it: without its own name and the newline at the end. */
static int
failed (zf_handle *h, struct child *c, int status)
{
  char *s = c->text[1].data ? (char *) c->text[1].data : (char *) "";
  size_t n = strlen (s);

  while (n > 0 && s[n - 1] == '\n')
    n--;
  if (strncmp (s, "qemu-img: ", 10) == 0) {
    s += 10;
    n -= 10;
  }
  if (WIFSIGNALED (status))
    return zfi_error (h, EIO, "qemu-img was killed by signal %d", WTERMSIG (status));
  /* Where the C library cannot pass the error of exec on, this is all it says. */
  if (n == 0 && WEXITSTATUS (status) == 127)
    return zfi_perror (h, ENOENT, "running %s", program ());
  if (n == 0)
    return zfi_error (h, EIO, "qemu-img failed with status %d", WEXITSTATUS (status));
  return zfi_error_lines (h, EIO, "qemu-img: %.*s", (int) n, s);
}

static int
not_finished (zf_handle *h, int err)
{
  if (err == EINTR)
    return zfi_error (h, err, "cancelled");
  if (err == ETIMEDOUT)
    return zfi_error (h, err, "qemu-img did nothing for %d seconds and was stopped", STALL_MS / 1000);
  if (err == EMSGSIZE)
    return zfi_error (h, err, "qemu-img wrote more than %d bytes and was stopped", OUTPUT_MAX);
  return zfi_perror (h, err, "running qemu-img");
}

int
zfi_qemu_img (zf_handle *h, const char *const *argv, char **out)
{
  struct child c = { .text = { { .max = OUTPUT_MAX }, { .max = OUTPUT_MAX } } };
  int status = -1, r = -1;

  if (start (h, &c, argv) == -1)
    return -1;
  if (collect (h, &c) == -1 || (status = reap (h, &c)) == -1) {
    end (&c);
    not_finished (h, errno);
  }
  else if (buf_append (&c.text[0], "", 1) == -1 || buf_append (&c.text[1], "", 1) == -1)
    zfi_perror (h, errno, "qemu-img");
  else if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    failed (h, &c, status);
  else {
    r = 0;
    if (out != NULL) {
      *out = (char *) c.text[0].data;
      c.text[0] = (struct buf) { 0 };
    }
  }
  for (int i = 0; i < 2; i++) {
    if (c.fd[i] != -1)
      close (c.fd[i]);
    buf_free (&c.text[i]);
  }
  return r;
}
