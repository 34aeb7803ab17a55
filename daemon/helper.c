/* Work of a call in a process of its own, which speaks to the daemon in the protocol's words: progress and
 * cancel flags, and at the end its error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"
#include "serve.h"

enum {
  TICK_MS = 100,
  READ_MS = 5000,           /* for the rest of what has begun to arrive */
  END_MS = 5000,            /* from a cancel to the kill */
  TEXT_MAX = 4096,
  STATUS_OK = 0, STATUS_ERROR = 3, STATUS_OTHER = 4,
};

/* The child as its parent sees it. */
struct helper {
  struct call *c;
  pid_t pid;
  struct conn conn;
  uint64_t position, total;
  bool over;                /* it has closed its end */
  int64_t kill_ms;          /* when it is killed; 0: it was not told to stop */
  int status;
};

/* --- in the child --- */

/* The error travels as a length, the errno value, and the text. */
static void
send_error (struct call *c)
{
  const char *text = c->error ? c->error : "failed without a message";
  const size_t n = strlen (text) < TEXT_MAX ? strlen (text) : TEXT_MAX;

  if (conn_write_word (c->d->conn, 4 + n) == 0 && conn_write_word (c->d->conn, (uint32_t) c->error_errno) == 0)
    conn_write (c->d->conn, text, n);
}

/* The kernel's queues of the parent are not the child's, so nothing that the daemon keeps is used. */
static void __attribute__ ((noreturn))
run_child (struct call *c, int fd, int (*work) (struct call *c, void *opaque), void *opaque)
{
  static struct conn conn;
  struct daemon d = *c->d;
  struct call mine = {
    .d = &d, .row = c->row, .serial = c->serial, .started_ms = c->started_ms, .last_poll_ms = c->last_poll_ms,
  };
  int r;

  if (c->d->conn != NULL)
    close (c->d->conn->fd);
  conn_init (&conn, fd);
  d.conn = &conn;
  d.zero_pool = NULL;
  d.hints = NULL;
  r = work (&mine, opaque);
  if (r == -1)
    send_error (&mine);
  _exit (r == 0 ? STATUS_OK : r == -1 ? STATUS_ERROR : STATUS_OTHER);
}

/* --- in the parent --- */

static int
wait_a_little (void *opaque, int fd, short events)
{
  struct pollfd pfd = { .fd = fd, .events = events };

  (void) opaque;
  if (poll (&pfd, 1, READ_MS) == 0) {
    errno = ETIMEDOUT;
    return -1;
  }
  return 0;
}

static int
take_progress (struct helper *h)
{
  unsigned char body[ZF_PROGRESS_SIZE];
  struct wire_progress p;

  if (conn_read (&h->conn, body, sizeof body) == -1)
    return -1;
  wire_get_progress (body, &p);
  h->position = p.position;
  h->total = p.total;
  return 0;
}

static int
take_error (struct helper *h, uint32_t len)
{
  char text[TEXT_MAX + 1] = "";
  uint32_t err;

  if (len < 4 || len > 4 + TEXT_MAX || conn_read_word (&h->conn, &err) == -1 ||
      conn_read (&h->conn, text, len - 4) == -1)
    return -1;
  call_refuse (h->c, (int) err, "%s", text);
  return 0;
}

/* Take all that has come.  0, or -1 once the child has closed its end. */
static int
listen_to (struct helper *h)
{
  uint32_t w;
  int n;

  while ((n = conn_peek_word (&h->conn, &w)) == 1) {
    if (conn_read_word (&h->conn, &w) == -1 ||
        (w == ZF_PROGRESS_FLAG ? take_progress (h) : take_error (h, w)) == -1)
      return -1;
  }
  return n;
}

void
helper_progress (struct helper *h, uint64_t position, uint64_t total)
{
  h->position = position;
  h->total = total;
}

/* Pass progress on, and the wish to stop. */
static void
look (struct helper *h)
{
  if (h->kill_ms == 0 && call_progress (h->c, h->position, h->total) == -1) {
    conn_write_now (&h->conn, "\xff\xff\xee\xee", 4);       /* the cancel flag */
    h->kill_ms = serve_now_ms () + END_MS;
  }
  if (h->kill_ms != 0 && serve_now_ms () > h->kill_ms)
    kill (h->pid, SIGKILL);
}

int
helper_look (struct helper *h)
{
  look (h);
  if (!h->over && listen_to (h) == -1)
    h->over = true;
  return h->over || h->kill_ms != 0 ? -1 : 0;
}

/* What its end was. */
static int
judge (const struct helper *h)
{
  if (WIFSIGNALED (h->status))
    return call_refuse (h->c, EIO, "the process that did the work was killed by signal %d (%s)",
                        WTERMSIG (h->status), strsignal (WTERMSIG (h->status)));
  switch (WEXITSTATUS (h->status)) {
  case STATUS_OK: return 0;
  case STATUS_OTHER: return 1;
  default: return call_refuse (h->c, EIO, "the process that did the work failed without a message");
  }
}

int
helper_end (struct helper *h)
{
  struct pollfd pfd = { .fd = h->conn.fd, .events = POLLIN };

  while (!h->over) {
    poll (&pfd, 1, TICK_MS);
    helper_look (h);
  }
  while (waitpid (h->pid, &h->status, 0) == -1 && errno == EINTR)
    ;
  close (h->conn.fd);
  return judge (h);
}

struct helper *
helper_start (struct call *c, int (*work) (struct call *c, void *opaque), void *opaque)
{
  struct helper *h = call_alloc (c, sizeof *h);
  int pair[2];

  if (h == NULL)
    return NULL;
  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == -1) {
    call_error (c, errno, "cannot make a pair of sockets");
    return NULL;
  }
  h->c = c;
  h->pid = fork ();
  if (h->pid == 0) {
    close (pair[0]);
    run_child (c, pair[1], work, opaque);
  }
  close (pair[1]);
  if (h->pid == -1) {
    call_error (c, errno, "cannot start a process");
    close (pair[0]);
    return NULL;
  }
  conn_init (&h->conn, pair[0]);
  h->conn.wait = wait_a_little;
  return h;
}

int
helper_run (struct call *c, int (*work) (struct call *c, void *opaque), void *opaque)
{
  struct helper *h = helper_start (c, work, opaque);

  return h != NULL ? helper_end (h) : -1;
}
