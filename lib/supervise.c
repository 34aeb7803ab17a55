/* The supervising child: it starts the emulator and ends it when this process goes away or asks for it.
 *
 * The emulator cannot be our own child with PR_SET_PDEATHSIG: that signal comes when the *thread* that
 * forked ends. The supervisor has one thread, so the emulator has the signal set towards it, and it has a
 * socket from us. After fork only async-signal-safe functions are called, since the program may have
 * threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launch.h"

#ifdef HAVE__FORK
#define safe_fork _Fork
#else
#define safe_fork fork
#endif

enum { MAX_FDS = 8, WANT_FDS = 4096, TERM_TO_KILL_MS = 1000, LOOK_MS = 500 };

/* What the supervisor reports; we send it single bytes: 'K' to kill. */
enum { REPORT_STARTED, REPORT_FAILED, REPORT_ENDED };
struct report {
  int what;
  int value;                /* pid, errno, wait status */
};

/* What the supervisor was told, collected before fork. */
struct plan {
  char *const *argv;
  int output;
  int fds[MAX_FDS];
  int nr_fds;
  int sock;
  const char *workdir;
  pid_t parent;
};

/* Close every descriptor from FIRST up. */
static void
close_from (int first)
{
  struct rlimit rl;
  int fd, max = 65536;

#ifdef SYS_close_range
  if (syscall (SYS_close_range, first, ~0U, 0) == 0)
    return;
#endif
  if (getrlimit (RLIMIT_NOFILE, &rl) == 0 && rl.rlim_cur < (rlim_t) max)
    max = (int) rl.rlim_cur;
  for (fd = first; fd < max; ++fd)
    close (fd);
}

/* Lay the descriptors out as the program wants them; returns the place of the supervisor's socket, or -1. */
static int
arrange_fds (const struct plan *p)
{
  int from[MAX_FDS + 4], n = p->nr_fds + 4, i;

  from[0] = open ("/dev/null", O_RDWR);
  from[1] = from[2] = p->output;
  for (i = 0; i < p->nr_fds; ++i)
    from[3 + i] = p->fds[i];
  from[n - 1] = p->sock;
  /* Copies above the target range first, so that none is overwritten before its turn. */
  for (i = 0; i < n; ++i)
    if ((from[i] = fcntl (from[i], F_DUPFD, n)) == -1)
      return -1;
  for (i = 0; i < n; ++i)
    if (dup2 (from[i], i) == -1)
      return -1;
  close_from (n);
  fcntl (n - 1, F_SETFD, FD_CLOEXEC);
  return n - 1;
}

static void
on_sigchld (int sig)
{
  (void) sig;
}

/* Forget the program's signal handlers. */
static void
reset_signals (void)
{
  struct sigaction sa;
  int sig;

  memset (&sa, 0, sizeof sa);
  sa.sa_handler = SIG_DFL;
  for (sig = 1; sig < NSIG; ++sig)
    sigaction (sig, &sa, NULL);
}

static _Noreturn void
exec_program (const struct plan *p, pid_t supervisor, int error_fd)
{
  struct rlimit rl;
  sigset_t none;
  int err;

  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  if (getppid () != supervisor)
    _exit (127);
  /* Many drives take many descriptors. */
  if (getrlimit (RLIMIT_NOFILE, &rl) == 0) {
    rl.rlim_cur = rl.rlim_max < WANT_FDS ? rl.rlim_max : rl.rlim_cur < WANT_FDS ? WANT_FDS : rl.rlim_cur;
    setrlimit (RLIMIT_NOFILE, &rl);
  }
  if (chdir ("/") == 0)
    execv (p->argv[0], p->argv);
  err = errno;
  if (write (error_fd, &err, sizeof err) != sizeof err)
    _exit (126);
  _exit (127);
}

/* Fork and exec; the pid, or -1 with errno, also when exec failed. */
static pid_t
start_program (const struct plan *p)
{
  pid_t pid, self = getpid ();
  int pipefd[2], err = 0;
  ssize_t n;

  if (pipe2 (pipefd, O_CLOEXEC) == -1)
    return -1;
  if ((pid = safe_fork ()) == 0)
    exec_program (p, self, pipefd[1]);
  close (pipefd[1]);
  do
    n = pid == -1 ? 0 : read (pipefd[0], &err, sizeof err);
  while (n == -1 && errno == EINTR);
  close (pipefd[0]);
  if (n > 0) {
    waitpid (pid, NULL, 0);
    errno = err;
    return -1;
  }
  return pid;
}

static void
report (int sock, int what, int value)
{
  const struct report r = { what, value };
  ssize_t n;

  do
    n = send (sock, &r, sizeof r, MSG_NOSIGNAL);
  while (n == -1 && errno == EINTR);
}

/* Commands from the library.  True if it has gone. */
static bool
library_gone (const struct plan *p, int sock, pid_t pid)
{
  char c;
  ssize_t n = recv (sock, &c, 1, MSG_DONTWAIT);

  if (n == 1 && c == 'K' && pid > 0)
    kill (pid, SIGKILL);
  return n == 0 || (n == -1 && errno != EAGAIN && errno != EINTR)
    || getppid () != p->parent;
}

/* Until both the program and the library have gone. */
static void
supervise (const struct plan *p, int sock, pid_t pid, const sigset_t *unblocked)
{
  struct pollfd pfd = { .fd = sock, .events = POLLIN };
  int64_t kill_at = 0;
  bool gone = false;
  int status;

  while (pid > 0 || !gone) {
    const struct timespec look = { 0, (gone ? 20 : LOOK_MS) * 1000000L };

    if (pid > 0 && waitpid (pid, &status, WNOHANG) == pid) {
      report (sock, REPORT_ENDED, status);
      pid = 0;
      continue;
    }
    ppoll (&pfd, gone ? 0 : 1, &look, unblocked);
    if (!gone && library_gone (p, sock, pid)) {
      gone = true;
      kill_at = zfi_now_ms () + TERM_TO_KILL_MS;
      if (pid > 0)
        kill (pid, SIGTERM);
    }
    if (gone && pid > 0 && zfi_now_ms () >= kill_at)
      kill (pid, SIGKILL);
  }
}

static _Noreturn void
supervisor_main (const struct plan *p)
{
  struct sigaction sa = { .sa_handler = on_sigchld };
  sigset_t mask, unblocked;
  int sock, i;
  pid_t pid = -1;

  prctl (PR_SET_NAME, "zerofish-super");
  setsid ();
  reset_signals ();
  sigemptyset (&unblocked);
  sigemptyset (&mask);
  sigaddset (&mask, SIGCHLD);
  sigaction (SIGCHLD, &sa, NULL);
  sigprocmask (SIG_SETMASK, &mask, NULL);

  if ((sock = arrange_fds (p)) == -1) {
    report (p->sock, REPORT_FAILED, errno);
    _exit (1);
  }
  pid = start_program (p);
  report (sock, pid == -1 ? REPORT_FAILED : REPORT_STARTED, pid == -1 ? errno : pid);
  /* The program's descriptors must be its own alone, so that their other ends see when it has gone. */
  for (i = 1; i < sock; ++i)
    if (i < 3)
      dup2 (0, i);
    else
      close (i);
  if (pid != -1 && chdir ("/") == 0)
    supervise (p, sock, pid, &unblocked);
  zfi_workdir_remove (p->workdir);
  _exit (0);
}

/* Read one report, waiting until DEADLINE_MS; 1, 0 (none came), or -1 if the supervisor has gone. */
static int
get_report (struct zfi_child *c, struct report *r, int64_t deadline_ms)
{
  struct pollfd pfd = { .fd = c->fd, .events = POLLIN };
  int64_t left = deadline_ms - zfi_now_ms ();
  ssize_t n;

  if (left < 0)
    left = 0;
  while (poll (&pfd, 1, left > INT_MAX ? INT_MAX : (int) left) == -1)
    if (errno != EINTR)
      return -1;
  n = recv (c->fd, r, sizeof *r, MSG_DONTWAIT);
  if (n == -1 && (errno == EAGAIN || errno == EINTR))
    return 0;
  return n == (ssize_t) sizeof *r ? 1 : -1;
}

int
zfi_child_start (struct zfi_child *c, char *const *argv, int output, const int *fds, size_t nr_fds,
                 const char *workdir)
{
  struct plan p = {
    .argv = argv, .output = output, .nr_fds = (int) nr_fds, .workdir = workdir, .parent = getpid ()
  };
  struct report r;
  sigset_t all, old;
  int sv[2], got, err;

  memset (c, 0, sizeof *c);
  c->fd = -1;
  c->owner = p.parent;
  if (nr_fds > MAX_FDS) {
    errno = EINVAL;
    return -1;
  }
  if (nr_fds > 0)
    memcpy (p.fds, fds, nr_fds * sizeof *fds);
  if (socketpair (AF_UNIX, SOCK_SEQPACKET|SOCK_CLOEXEC, 0, sv) == -1)
    return -1;
  p.sock = sv[1];

  /* No handler of the program may run in the child. */
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  c->supervisor = safe_fork ();
  if (c->supervisor == 0)
    supervisor_main (&p);
  err = errno;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  close (sv[1]);
  c->fd = sv[0];
  if (c->supervisor == -1) {
    c->supervisor = 0;
    zfi_child_stop (c);
    errno = err;
    return -1;
  }

  got = get_report (c, &r, zfi_now_ms () + 10000);
  if (got == 1 && r.what == REPORT_STARTED) {
    c->pid = r.value;
    return 0;
  }
  err = got == 1 && r.what == REPORT_FAILED ? r.value : got == 0 ? ETIMEDOUT : ECHILD;
  zfi_child_stop (c);
  errno = err;
  return -1;
}

bool
zfi_child_wait (struct zfi_child *c, int64_t deadline_ms)
{
  struct report r;
  int got;

  while (!c->ended && c->fd != -1) {
    got = get_report (c, &r, deadline_ms);
    if (got == 1 && r.what == REPORT_ENDED) {
      c->ended = true;
      c->status = r.value;
    }
    else if (got == -1) {               /* the supervisor was killed, and the program with it */
      c->ended = true;
      c->status = SIGKILL;
    }
    else if (got == 0 && zfi_now_ms () >= deadline_ms)
      return false;
  }
  return true;
}

bool
zfi_child_ended (struct zfi_child *c)
{
  return zfi_child_wait (c, 0);
}

void
zfi_child_stop (struct zfi_child *c)
{
  int i;

  if (c->fd != -1 && c->owner != getpid ()) {
    close (c->fd);
    c->fd = -1;
    return;
  }
  if (c->fd != -1) {
    if (c->pid > 0 && !zfi_child_ended (c)) {
      if (send (c->fd, "K", 1, MSG_NOSIGNAL) == 1)
        zfi_child_wait (c, zfi_now_ms () + 5000);
    }
    close (c->fd);
    c->fd = -1;
  }
  /* It ends by itself now; if it does not, its end takes the program along.  A program that collects all its
   * children may have taken ours too (ECHILD). */
  for (i = 0; c->supervisor > 0 && i < 500; ++i) {
    pid_t r = waitpid (c->supervisor, NULL, WNOHANG);

    if (r == c->supervisor || (r == -1 && errno != EINTR))
      c->supervisor = 0;
    else if (i == 400)
      kill (c->supervisor, SIGKILL);
    else
      poll (NULL, 0, i < 20 ? 1 : 10);
  }
  c->supervisor = 0;
}

const char *
zfi_child_how (const struct zfi_child *c, char *buf, size_t len)
{
  if (WIFEXITED (c->status))
    snprintf (buf, len, "exited with status %d", WEXITSTATUS (c->status));
  else if (WIFSIGNALED (c->status))
    snprintf (buf, len, "was killed by signal %d (%s)", WTERMSIG (c->status),
              strsignal (WTERMSIG (c->status)));
  else
    snprintf (buf, len, "ended");
  return buf;
}
