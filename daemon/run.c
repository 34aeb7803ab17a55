/* External programs: started from an argument array, bounded in output and time, cancelled on request.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "serve.h"

enum { TICK_MS = 100 };

/* One program while it runs. */
struct job {
  const char *const *argv;
  const struct run_how *how;
  pid_t pid;
  int out_fd, err_fd;       /* our ends of its pipes; -1 once closed */
  struct buf out, err;
  bool out_full;
  int status;
};

bool
run_exists (struct daemon *d, const char *path)
{
  char full[4096];
  struct stat st;
  int n = snprintf (full, sizeof full, "%s%s", d->tools ? d->tools : "", path);

  return n < (int) sizeof full && stat (full, &st) == 0 && S_ISREG (st.st_mode) && (st.st_mode & 0111);
}

static const char *const directories[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin" };
enum { NR_DIRECTORIES = sizeof directories / sizeof directories[0] };

bool
run_has (struct daemon *d, const char *name)
{
  char path[256];

  for (size_t i = 0; i < NR_DIRECTORIES; i++) {
    snprintf (path, sizeof path, "%s/%s", directories[i], name);
    if (run_exists (d, path))
      return true;
  }
  return false;
}

const char *
run_find (struct call *c, const char *name)
{
  if (tools_need (c) == -1)
    return NULL;
  for (size_t i = 0; i < NR_DIRECTORIES; i++) {
    char *path = call_printf (c, "%s/%s", directories[i], name);

    if (path == NULL)
      return NULL;
    if (run_exists (c->d, path))
      return path;
  }
  call_refuse (c, ENOTSUP, "the program %s is not in the appliance", name);
  return NULL;
}

/* The child: nothing but calls that are safe after fork.  Never returns. */
static void __attribute__ ((noreturn))
run_child (const struct daemon *d, const struct job *job, int in, int out, int err)
{
  const struct run_how *how = job->how;
  static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin", locale[] = "LC_ALL=C";
  static char no_udev[] = "DM_DISABLE_UDEV=1";      /* there is nobody to make links and to be waited for */
  char *const environment[] = { path, locale, no_udev, NULL };
  const struct rlimit no_core = { 0, 0 };
  const char *what = "cannot start";
  sigset_t none;

  if (how->use_stdin)
    in = how->stdin_fd;
  if (in == -1)
    in = open ("/dev/null", O_RDONLY);

  setsid ();
  for (int sig = 1; sig < NSIG; sig++)
    signal (sig, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  setrlimit (RLIMIT_CORE, &no_core);
  dup2 (err, 2);
  dup2 (out, 1);
  if (in > 0)
    dup2 (in, 0);
  if (how->use_directory && dup2 (how->directory, 3) == 3)
    close_range (4, ~0U, 0);
  else
    close_range (3, ~0U, 0);
  if (tools_enter (d, &what) == 0 && (how->use_directory ? fchdir (3) : chdir ("/")) == 0 &&
      (!how->use_directory || close (3) == 0))
    execve (job->argv[0], (char *const *) job->argv, environment);
  dprintf (2, "%s: %s", what, strerror (errno));
  _exit (127);
}

/* A pipe that holds the program's input, and then its end: where to read it, or -1 with the error set. */
static int
make_input (struct call *c, const struct run_how *how)
{
  int in[2];

  if (how->input_size > RUN_INPUT_MAX)
    return call_refuse (c, EINVAL, "at most %d bytes can be given to a program", RUN_INPUT_MAX);
  if (pipe2 (in, O_CLOEXEC | O_NONBLOCK) == -1)
    return call_error (c, errno, "cannot make a pipe");
  if (write (in[1], how->input, how->input_size) != (ssize_t) how->input_size) {
    call_error (c, errno, "cannot write to a pipe");
    close (in[0]);
    in[0] = -1;
  } else
    fcntl (in[0], F_SETFL, 0);
  close (in[1]);
  return in[0];
}

static int
start (struct call *c, struct job *job)
{
  int in = -1, out[2], err[2];

  if (job->how->input != NULL && (in = make_input (c, job->how)) == -1)
    return -1;

  if (pipe2 (out, O_CLOEXEC) == -1) {
    call_error (c, errno, "cannot make a pipe");
    goto no_out;
  }
  if (pipe2 (err, O_CLOEXEC) == -1) {
    call_error (c, errno, "cannot make a pipe");
    goto no_err;
  }
  job->pid = fork ();
  if (job->pid == 0)
    run_child (c->d, job, in, out[1], err[1]);
  if (in != -1)
    close (in);
  close (out[1]);
  close (err[1]);
  job->out_fd = out[0];
  job->err_fd = err[0];
  if (job->pid == -1)
    return call_error (c, errno, "cannot start %s", job->argv[0]);
  fcntl (job->out_fd, F_SETFL, O_NONBLOCK);
  fcntl (job->err_fd, F_SETFL, O_NONBLOCK);
  return 0;

 no_err:
  close (out[0]);
  close (out[1]);
 no_out:
  if (in != -1)
    close (in);
  return -1;
}

/* Take what is in the pipe *FD, as long as B has room; the rest is dropped.  Closes it at its end. */
static void
drain (int *fd, struct buf *b, bool *full)
{
  char text[4096];
  ssize_t n;

  while (*fd != -1) {
    n = read (*fd, text, sizeof text);
    if (n == -1 && errno == EINTR)
      continue;
    if (n == -1 && errno == EAGAIN)
      return;
    if (n <= 0) {
      close (*fd);
      *fd = -1;
    } else if (b->len + (size_t) n > b->max || buf_append (b, text, (size_t) n) == -1) {
      buf_append (b, text, b->max - b->len);
      *full = true;
      return;               /* one piece at a time: a program that never stops must not keep us here */
    }
  }
}

/* Wait until the program has ended; -1 with the error set if DEADLINE (0: none) is over first, or on
 * cancel. */
static int
watch (struct call *c, struct job *job, int64_t deadline)
{
  bool err_full;

  for (;;) {
    struct pollfd fds[2] = {
      { .fd = job->out_fd, .events = POLLIN }, { .fd = job->err_fd, .events = POLLIN },
    };
    pid_t r;

    /* Programs that left their output open in the background are not waited for. */
    poll (fds, 2, job->out_fd == -1 && job->err_fd == -1 ? 5 : TICK_MS);
    r = waitpid (job->pid, &job->status, WNOHANG);
    if (r == -1 && errno != EINTR)
      return call_error (c, errno, "cannot wait for %s", job->argv[0]);
    drain (&job->out_fd, &job->out, &job->out_full);
    drain (&job->err_fd, &job->err, &err_full);
    if (r == job->pid) {
      job->pid = -1;
      return 0;
    }
    if (call_poll (c) == -1)
      return -1;
    if (deadline != 0 && serve_now_ms () > deadline)
      return call_refuse (c, ETIMEDOUT, "%s did not end in time and was stopped", job->argv[0]);
  }
}

/* End what is left of the program's process group, and as process 1 collect its orphans. */
static void
finish (struct call *c, struct job *job, pid_t group)
{
  kill (-group, SIGKILL);
  if (job->pid > 0) {
    kill (job->pid, SIGKILL);
    while (waitpid (job->pid, &job->status, 0) == -1 && errno == EINTR)
      ;
  }
  while (c->d->appliance && waitpid (-1, NULL, WNOHANG) > 0)
    ;
  if (job->out_fd != -1)
    close (job->out_fd);
  if (job->err_fd != -1)
    close (job->err_fd);
}

/* Text of a program that is fit for a message: one line, nothing that a terminal would obey. */
static char *
clean_text (struct call *c, const struct buf *b)
{
  char *text = call_printf (c, "%.*s", (int) b->len, b->len ? (const char *) b->data : "");
  size_t len = text ? strlen (text) : 0;

  while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
    text[--len] = '\0';
  for (char *p = text; p != NULL && *p != '\0'; p++)
    if ((unsigned char) *p < ' ' && *p != '\n' && *p != '\t')
      *p = '?';
  return text ? device_text_out (c, text) : NULL;
}

/* The program has ended: 0 if it said that all is well, else -1 with the error set. */
static int
judge (struct call *c, const struct job *job)
{
  const char *name = strrchr (job->argv[0], '/') + 1, *text = clean_text (c, &job->err);
  bool said = text != NULL && *text != '\0';

  if (WIFSIGNALED (job->status))
    return call_refuse_lines (c, EIO, "%s was killed by signal %d (%s)%s%s", name, WTERMSIG (job->status),
                              strsignal (WTERMSIG (job->status)), said ? ": " : "", said ? text : "");
  if (WEXITSTATUS (job->status) != 0 &&
      (WEXITSTATUS (job->status) > 31 || !(job->how->fine & 1U << WEXITSTATUS (job->status))))
    return said ? call_refuse_lines (c, EIO, "%s: %s", name, text)
      : call_refuse (c, EIO, "%s: exit status %d", name, WEXITSTATUS (job->status));
  if (job->out_full)
    return call_refuse (c, EOVERFLOW, "%s wrote more than %d bytes", name, RUN_OUTPUT_MAX);
  if (job->how->status != NULL)
    *job->how->status = WEXITSTATUS (job->status);
  return 0;
}

int
run_program_how (struct call *c, const char *const *argv, char **out, const struct run_how *how)
{
  struct job job = {
    .argv = argv, .how = how, .out_fd = -1, .err_fd = -1, .out.max = RUN_OUTPUT_MAX, .err.max = RUN_ERRORS_MAX,
  };
  pid_t group;
  int r = -1;

  if (tools_need (c) == -1 || start (c, &job) == -1)
    goto out;
  group = job.pid;
  r = watch (c, &job, how->timeout_s > 0 ? serve_now_ms () + how->timeout_s * INT64_C (1000) : 0);
  finish (c, &job, group);
  if (r == 0)
    r = judge (c, &job);
  if (r == 0 && out != NULL &&
      (*out = call_printf (c, "%.*s", (int) job.out.len, job.out.len ? (char *) job.out.data : "")) == NULL)
    r = -1;
 out:
  buf_free (&job.out);
  buf_free (&job.err);
  return r;
}

int
run_program (struct call *c, const char *const *argv, char **out, int timeout_s)
{
  return run_program_how (c, argv, out, &(struct run_how) { .timeout_s = timeout_s });
}

char **
run_words (struct call *c, const char *program, ...)
{
  const char *path = run_find (c, program), *word;
  struct list l = { 0 };
  va_list args;
  int r;

  if (path == NULL)
    return NULL;
  r = list_add (c, &l, path);
  va_start (args, program);
  while (r == 0 && (word = va_arg (args, const char *)) != NULL)
    r = list_add (c, &l, word);
  va_end (args);
  return r == 0 ? list_end (c, &l) : NULL;
}

int
run_reading (struct call *c, const struct device *dev, char **argv, char **out, const struct run_how *how)
{
  if (argv == NULL || device_flush_caches (c, dev) == -1)
    return -1;
  return run_program_how (c, (const char *const *) argv, out, how);
}

int
run_writing (struct call *c, const struct device *dev, char **argv, char **out, const struct run_how *how)
{
  int fd, r;

  if (argv == NULL || device_flush_caches (c, dev) == -1 ||
      (fd = device_open (c, dev, O_RDWR | O_EXCL)) == -1)
    return -1;
  close (fd);
  r = run_program_how (c, (const char *const *) argv, out, how);
  if (device_flush_caches (c, dev) == -1)
    r = -1;
  if (dev->partnum == 0 && dev->disk != NULL && device_reread (c, dev) == -1)
    r = -1;
  return r;
}
