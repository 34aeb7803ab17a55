/* The server of remote mode: waits on a private socket for clients and runs their commands, one by one.
 *
 * A client's commands run with its standard input, output, error and working directory, which it sends along.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "remote.h"

/* Clients that have not yet said what they want; so long may they take. */
enum { MAX_CLIENTS = 32, CLIENT_MS = 10000 };

struct client {
  int fd;
  int fds[REMOTE_FDS];      /* -1: none */
  struct remote_header header;
  char *text;
  size_t len;               /* of the header and the text that have come */
  int64_t deadline_ms;
};

struct server {
  struct shell *sh;
  int listener;
  struct sockaddr_un addr;
  struct client clients[MAX_CLIENTS];
  size_t nr_clients;
  int own[REMOTE_FDS];      /* our standard input, output, error and directory */
};

static int64_t
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- clients before their command is complete --- */

static void
close_fds (int fds[REMOTE_FDS])
{
  for (int i = 0; i < REMOTE_FDS; i++) {
    if (fds[i] != -1)
      close (fds[i]);
    fds[i] = -1;
  }
}

static void
drop (struct server *s, size_t i)
{
  struct client *c = &s->clients[i];

  close_fds (c->fds);
  close (c->fd);
  free (c->text);
  *c = s->clients[--s->nr_clients];
}

static void
accept_client (struct server *s)
{
  int fd = accept4 (s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

  if (fd == -1)
    return;
  if (!remote_peer_is_us (fd)) {
    close (fd);
    return;
  }
  s->clients[s->nr_clients++] = (struct client) {
    .fd = fd, .fds = { -1, -1, -1, -1 }, .deadline_ms = now_ms () + CLIENT_MS,
  };
}

/* Take descriptors out of a message; any but the four that are wanted are closed. */
static bool
take_fds (struct client *c, struct msghdr *msg)
{
  bool ok = true;

  for (struct cmsghdr *m = CMSG_FIRSTHDR (msg); m != NULL; m = CMSG_NXTHDR (msg, m)) {
    bool rights = m->cmsg_level == SOL_SOCKET && m->cmsg_type == SCM_RIGHTS;
    size_t n = rights ? (m->cmsg_len - CMSG_LEN (0)) / sizeof (int) : 0;
    int fd;

    for (size_t i = 0; i < n; i++) {
      memcpy (&fd, CMSG_DATA (m) + i * sizeof fd, sizeof fd);
      if (n == REMOTE_FDS && c->fds[i] == -1)
        c->fds[i] = fd;
      else {
        close (fd);
        ok = false;
      }
    }
  }
  return ok && !(msg->msg_flags & MSG_CTRUNC);
}

/* Read what has come.  1: the request is complete, 0: not yet, -1: the client is of no use. */
static int
read_client (struct client *c)
{
  bool in_header = c->len < sizeof c->header;
  size_t at = in_header ? c->len : c->len - sizeof c->header;
  struct iovec iov = { in_header ? (char *) &c->header + at : c->text + at,
                       (in_header ? sizeof c->header : c->header.size) - at };
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE (REMOTE_FDS * sizeof (int))];
  } control;
  struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
                        .msg_controllen = sizeof control.space };
  ssize_t n = recvmsg (c->fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

  if (n == -1)
    return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (!take_fds (c, &msg) || n == 0)
    return -1;
  c->len += n;
  if (in_header && c->len == sizeof c->header) {
    if (c->header.magic != REMOTE_MAGIC || c->header.size > REMOTE_MAX || c->fds[0] == -1
        || (c->header.kind != REMOTE_ARGUMENTS && c->header.kind != REMOTE_SCRIPT))
      return -1;
    c->text = xmalloc (c->header.size + 1);
    c->text[c->header.size] = '\0';
  }
  return c->len == sizeof c->header + c->header.size ? 1 : 0;
}

/* --- a command --- */

/* Watches the client while its commands run: ^C there, or its end, cancels. */
static void *
watch_client (void *opaque)
{
  const int *fds = opaque;      /* the client, and a pipe that ends the watch */
  struct pollfd p[2] = { { .fd = fds[0], .events = POLLIN | POLLRDHUP }, { .fd = fds[1], .events = POLLIN } };
  char byte;

  for (;;) {
    if (poll (p, 2, -1) == -1 && errno != EINTR)
      return NULL;
    if (p[1].revents != 0)
      return NULL;
    if (p[0].revents == 0)
      continue;
    interrupt_remote ();
    if (recv (fds[0], &byte, 1, MSG_DONTWAIT) != 1)
      return NULL;
  }
}

/* Take FDS for our standard descriptors and directory. */
static int
become (const int fds[REMOTE_FDS])
{
  fflush (stdout);
  clearerr (stdout);
  for (int i = 0; i < 3; i++)
    if (dup2 (fds[i], i) == -1)
      return -1;
  return fchdir (fds[3]);
}

static int
run_arguments (struct shell *sh, char *text, size_t size)
{
  char **argv = NULL;
  size_t argc = 0;
  int r;

  for (size_t at = 0; at < size; at += strlen (text + at) + 1) {
    argv = xrealloc (argv, (argc + 1) * sizeof *argv);
    argv[argc++] = text + at;
  }
  r = argc > 0 ? run_argv (sh, argv, argc) : 0;
  free (argv);
  return r;
}

static int
run_text (struct shell *sh, const char *text, size_t size)
{
  int fd = memfd_create ("script", MFD_CLOEXEC), r;

  if (fd == -1 || write (fd, text, size) != (ssize_t) size || lseek (fd, 0, SEEK_SET) == -1)
    r = shell_error (sh, "cannot keep the script: %s", strerror (errno));
  else
    r = run_script (sh, fd, "stdin");
  if (fd != -1)
    close (fd);
  return r;
}

/* Run the client's commands; its exit status. */
static int
run_client (struct server *s, struct client *c)
{
  struct shell *sh = s->sh;
  int stop[2], watched[2], r = -1;
  pthread_t watcher;

  if (pipe2 (stop, O_CLOEXEC) == -1)
    return EXIT_FAILURE;
  watched[0] = c->fd;
  watched[1] = stop[0];
  interrupt_clear ();
  if (become (c->fds) == 0 && pthread_create (&watcher, NULL, watch_client, watched) == 0) {
    r = c->header.kind == REMOTE_ARGUMENTS ? run_arguments (sh, c->text, c->header.size)
      : run_text (sh, c->text, c->header.size);
    close (stop[1]);
    stop[1] = -1;
    pthread_join (watcher, NULL);
    /* What is flushed at the end belongs to the command that ends it. */
    if (sh->quit && shell_end (sh) == -1)
      r = -1;
  }
  interrupt_clear ();
  become (s->own);
  close (stop[0]);
  if (stop[1] != -1)
    close (stop[1]);
  return r == -1 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static void
serve_client (struct server *s, size_t i)
{
  unsigned char status = run_client (s, &s->clients[i]);

  send (s->clients[i].fd, &status, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  drop (s, i);
}

/* --- the loop --- */

/* Milliseconds until the first client's time is over; -1: there is none. */
static int
patience (const struct server *s)
{
  int64_t first = INT64_MAX, now = now_ms ();

  for (size_t i = 0; i < s->nr_clients; i++)
    if (s->clients[i].deadline_ms < first)
      first = s->clients[i].deadline_ms;
  return s->nr_clients == 0 ? -1 : first > now ? (int) (first - now) : 0;
}

static void
look_at_clients (struct server *s)
{
  for (size_t i = s->nr_clients; i-- > 0 && !s->sh->quit; ) {
    int r = read_client (&s->clients[i]);

    if (r == 1)
      serve_client (s, i);
    else if (r == -1 || now_ms () > s->clients[i].deadline_ms)
      drop (s, i);
  }
}

static void
serve (struct server *s)
{
  struct pollfd p[MAX_CLIENTS + 1];

  while (!s->sh->quit) {
    size_t n = 0;

    for (; n < s->nr_clients; n++)
      p[n] = (struct pollfd) { .fd = s->clients[n].fd, .events = POLLIN };
    /* With the table full, the others wait until somebody's time is over. */
    p[n] = (struct pollfd) { .fd = n < MAX_CLIENTS ? s->listener : -1, .events = POLLIN };
    if (poll (p, n + 1, patience (s)) == -1)
      continue;
    if (p[n].revents != 0)
      accept_client (s);
    look_at_clients (s);
  }
  while (s->nr_clients > 0)
    drop (s, 0);
}

/* --- the beginning and the end --- */

static int
open_listener (struct server *s)
{
  if (remote_address (&s->addr, getpid (), true) == -1)
    return -1;
  unlink (s->addr.sun_path);    /* of a process that had our number */
  s->listener = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s->listener == -1 || bind (s->listener, (struct sockaddr *) &s->addr, sizeof s->addr) == -1
      || listen (s->listener, 64) == -1)
    return shell_error (s->sh, "%s: %s", s->addr.sun_path, strerror (errno));
  return 0;
}

/* Whoever waits for our output must not wait for us; messages still go to the terminal. */
static int
keep_own (struct server *s)
{
  s->own[0] = s->own[1] = open ("/dev/null", O_RDWR | O_CLOEXEC);
  s->own[2] = fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  s->own[3] = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (s->own[0] == -1 || s->own[2] == -1 || s->own[3] == -1 || become (s->own) == -1)
    return shell_error (s->sh, "cannot begin to listen: %s", strerror (errno));
  return 0;
}

int
run_listen (struct shell *sh, int ready_fd)
{
  struct server s = { .sh = sh, .listener = -1, .own = { -1, -1, -1, -1 } };
  char byte = 1;
  int r = -1;

  /* Nobody may be left to tell that we are there. */
  if (keep_own (&s) == 0 && open_listener (&s) == 0 && write (ready_fd, &byte, 1) == 1) {
    close (ready_fd);
    serve (&s);
    r = 0;
  }
  if (s.listener != -1) {
    close (s.listener);
    unlink (s.addr.sun_path);
  }
  s.own[1] = -1;                /* the same as the first */
  close_fds (s.own);
  return r;
}

/* The process that listens is a child, in a session of its own so that ^C here does not reach it. */
int
listen_fork (bool csh, int *ready_fd)
{
  char byte;
  int fds[2];
  pid_t pid;
  ssize_t n;

  if (pipe2 (fds, O_CLOEXEC) == -1 || (pid = fork ()) == -1)
    return shell_error (NULL, "cannot start a process: %s", strerror (errno));
  if (pid == 0) {
    close (fds[0]);
    setsid ();
    *ready_fd = fds[1];
    return 0;
  }
  close (fds[1]);
  while ((n = read (fds[0], &byte, 1)) == -1 && errno == EINTR)
    ;
  close (fds[0]);
  if (n != 1)                   /* it has said why */
    return -1;
  printf (csh ? "setenv ZEROFISH_PID %ld\n" : "ZEROFISH_PID=%ld; export ZEROFISH_PID\n", (long) pid);
  return 1;
}
