/* A small QMP client: one command at a time with a deadline, and what qemu's events said on the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "internal.h"
#include "qmp.h"

void
qmp_init (struct qmp *q, int fd, int (*wait) (void *, int, short, int64_t), void *opaque)
{
  memset (q, 0, sizeof *q);
  q->fd = fd;
  q->in.max = QMP_LINE_MAX;
  q->next_id = 1;
  q->pass_fd = -1;
  q->wait = wait;
  q->opaque = opaque;
  fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) | O_NONBLOCK);
}

void
qmp_close (struct qmp *q)
{
  if (q->fd != -1)
    close (q->fd);
  q->fd = -1;
  buf_free (&q->in);
}

/* Set *ERROR and errno; returns -1. */
static int __attribute__ ((format (printf, 3, 4)))
fail (char **error, int err, const char *fs, ...)
{
  va_list ap;

  va_start (ap, fs);
  if (vasprintf (error, fs, ap) == -1)
    *error = NULL;
  va_end (ap);
  errno = err;
  return -1;
}

static void
take_event (struct qmp *q, const char *event)
{
  if (strcmp (event, "STOP") == 0)
    q->stopped = true;
  else if (strcmp (event, "RESUME") == 0)
    q->stopped = false;
  else if (strcmp (event, "GUEST_PANICKED") == 0)
    q->panicked = true;
  else if (strcmp (event, "SHUTDOWN") == 0)
    q->shutdown = true;
}

/* The answer to query-status that qmp_look asked for. */
static void
take_status (struct qmp *q, json_t *msg)
{
  const char *status = json_string_value (json_object_get (json_object_get (msg, "return"), "status"));

  q->status_id = 0;
  if (status == NULL)
    return;
  snprintf (q->status, sizeof q->status, "%s", status);
  q->stopped = strcmp (status, "running") != 0 && strcmp (status, "inmigrate") != 0
    && strcmp (status, "prelaunch") != 0;
}

/* Parse the next whole line that has arrived.  Returns a message that is no event, NULL with errno EAGAIN if
 * there is none yet, or NULL with another errno: broken. */
static json_t *
next_message (struct qmp *q)
{
  for (;;) {
    unsigned char *nl = q->in.len > q->scanned
      ? memchr (q->in.data + q->scanned, '\n', q->in.len - q->scanned) : NULL;
    const char *event;
    json_t *msg;
    size_t len;

    if (nl == NULL) {
      q->scanned = q->in.len;
      errno = EAGAIN;
      return NULL;
    }
    len = nl - q->in.data;
    msg = json_loadb ((char *) q->in.data, len, 0, NULL);
    memmove (q->in.data, nl + 1, q->in.len - len - 1);
    q->in.len -= len + 1;
    q->scanned = 0;
    if (!json_is_object (msg)) {
      json_decref (msg);
      q->broken = true;
      errno = EPROTO;
      return NULL;
    }
    if ((event = json_string_value (json_object_get (msg, "event"))) != NULL)
      take_event (q, event);
    else if (q->status_id != 0 && json_integer_value (json_object_get (msg, "id")) == q->status_id)
      take_status (q, msg);
    else
      return msg;
    json_decref (msg);
  }
}

/* Read what is there.  1: got something, 0: nothing, -1 with errno: broken. */
static int
fill (struct qmp *q)
{
  unsigned char *p;
  ssize_t n;

  if ((p = buf_reserve (&q->in, 65536)) == NULL) {
    q->broken = true;
    return -1;
  }
  n = read (q->fd, p, 65536);
  if (n > 0) {
    q->in.len += n;
    return 1;
  }
  if (n == -1 && (errno == EAGAIN || errno == EINTR))
    return 0;
  q->broken = true;
  if (n == 0)
    errno = ECONNRESET;
  return -1;
}

/* The next message that is no event, waiting for it; NULL with errno. */
static json_t *
wait_message (struct qmp *q, int64_t deadline_ms)
{
  for (;;) {
    json_t *msg = next_message (q);
    int r;

    if (msg != NULL || errno != EAGAIN)
      return msg;
    if ((r = fill (q)) == -1)
      return NULL;
    if (r == 0 && q->wait (q->opaque, q->fd, POLLIN, deadline_ms) == -1)
      return NULL;
  }
}

/* send, with the descriptor that is to go along. */
static ssize_t
send_some (struct qmp *q, const char *p, size_t len)
{
  union { struct cmsghdr head; char space[CMSG_SPACE (sizeof (int))]; } control = { 0 };
  struct iovec iov = { .iov_base = (char *) p, .iov_len = len };
  struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
  ssize_t n;

  if (q->pass_fd != -1) {
    msg.msg_control = &control;
    msg.msg_controllen = sizeof control;
    control.head.cmsg_level = SOL_SOCKET;
    control.head.cmsg_type = SCM_RIGHTS;
    control.head.cmsg_len = CMSG_LEN (sizeof (int));
    memcpy (CMSG_DATA (&control.head), &q->pass_fd, sizeof (int));
  }
  n = sendmsg (q->fd, &msg, MSG_NOSIGNAL);
  if (n > 0)
    q->pass_fd = -1;
  return n;
}

static int
send_all (struct qmp *q, const char *p, size_t len, int64_t deadline_ms)
{
  while (len > 0) {
    ssize_t n = send_some (q, p, len);

    if (n >= 0) {
      p += n;
      len -= n;
    }
    else if (errno == EAGAIN) {
      if (q->wait (q->opaque, q->fd, POLLOUT, deadline_ms) == -1) {
        q->broken = true;           /* half a command may have been sent */
        return -1;
      }
    }
    else if (errno != EINTR) {
      q->broken = true;
      return -1;
    }
  }
  return 0;
}

/* Write the command out.  ARGS is taken.  -1 with errno; EILSEQ: an argument is no valid text. */
static int
send_command (struct qmp *q, const char *command, json_t *args, unsigned id, int64_t deadline_ms)
{
  json_t *msg = json_pack ("{s:s, s:I}", "execute", command, "id", (json_int_t) id);
  char *text = NULL, *line;
  int r = -1;

  if (args != NULL && json_object_set_new (msg, "arguments", args) == -1)
    errno = ENOMEM;
  else if (msg == NULL || (text = json_dumps (msg, JSON_COMPACT)) == NULL)
    errno = EILSEQ;
  else if ((line = realloc (text, strlen (text) + 2)) == NULL)
    errno = ENOMEM;
  else {
    text = line;
    strcat (text, "\n");
    r = send_all (q, text, strlen (text), deadline_ms);
  }
  free (text);
  json_decref (msg);
  return r;
}

static int
transport_error (struct qmp *q, const char *command, char **error)
{
  int err = errno;

  if (err == ETIMEDOUT)
    return fail (error, err, "qemu did not answer %s in time", command);
  if (err == ECONNRESET || err == EPIPE)
    return fail (error, err, "qemu ended during %s", command);
  if (err == EPROTO || err == EMSGSIZE)
    return fail (error, err, "qemu sent something that is not QMP");
  (void) q;
  return fail (error, err, "%s: %s", command, strerror (err));
}

/* Wait for the answer to command ID; others (of commands given up) are dropped. */
static int
get_answer (struct qmp *q, const char *command, unsigned id, json_t **ret, int64_t deadline_ms, char **error)
{
  json_t *msg, *e;
  int r = 0;

  for (;;) {
    if ((msg = wait_message (q, deadline_ms)) == NULL)
      return transport_error (q, command, error);
    if (json_integer_value (json_object_get (msg, "id")) == id)
      break;
    json_decref (msg);
  }
  if ((e = json_object_get (msg, "error")) != NULL) {
    const char *desc = json_string_value (json_object_get (e, "desc"));

    r = fail (error, EIO, "%s", desc != NULL ? desc : "qemu refused without a reason");
  }
  else if (ret != NULL)
    *ret = json_incref (json_object_get (msg, "return"));
  json_decref (msg);
  return r;
}

int
qmp_command (struct qmp *q, const char *command, json_t *args, json_t **ret, int64_t deadline_ms,
             char **error)
{
  unsigned id = q->next_id++;
  int r;

  *error = NULL;
  if (ret != NULL)
    *ret = NULL;
  if (q->broken || q->busy || q->fd == -1) {
    json_decref (args);
    return fail (error, EPIPE, "%s: the connection to qemu is gone", command);
  }
  q->busy = true;
  if (send_command (q, command, args, id, deadline_ms) == -1)
    r = transport_error (q, command, error);
  else
    r = get_answer (q, command, id, ret, deadline_ms, error);
  q->busy = false;
  return r;
}

int
qmp_open (struct qmp *q, int64_t deadline_ms, char **error)
{
  json_t *msg;

  q->busy = true;
  msg = wait_message (q, deadline_ms);
  q->busy = false;
  if (msg == NULL)
    return transport_error (q, "the greeting", error);
  if (json_object_get (msg, "QMP") == NULL) {
    json_decref (msg);
    q->broken = true;
    return fail (error, EPROTO, "qemu sent something that is not QMP");
  }
  json_decref (msg);
  return qmp_command (q, "qmp_capabilities", NULL, NULL, deadline_ms, error);
}

int
qmp_pass_fd (struct qmp *q, const char *name, int fd, int64_t deadline_ms, char **error)
{
  int r;

  q->pass_fd = fd;
  r = qmp_command (q, "getfd", json_pack ("{s:s}", "fdname", name), NULL, deadline_ms, error);
  q->pass_fd = -1;
  return r;
}

/* The entry of job ID in the answer of query-jobs, or NULL. */
static json_t *
find_job (json_t *jobs, const char *id)
{
  json_t *job;
  size_t i;

  json_array_foreach (jobs, i, job) {
    const char *s = json_string_value (json_object_get (job, "id"));

    if (s != NULL && strcmp (s, id) == 0)
      return job;
  }
  return NULL;
}

/* Jobs tell of each change by an event, which ends the wait unless it has been read already: so look again
 * soon. */
int
qmp_finish_job (struct qmp *q, const char *id, int64_t deadline_ms, char **error)
{
  const char *status, *e;
  json_t *jobs, *job;
  bool known;
  int r = 0;

  for (;;) {
    int64_t soon = zfi_now_ms () + 20;

    if (qmp_command (q, "query-jobs", NULL, &jobs, deadline_ms, error) == -1)
      return -1;
    job = find_job (jobs, id);
    status = json_string_value (json_object_get (job, "status"));
    if (job == NULL || status == NULL || strcmp (status, "concluded") == 0)
      break;
    json_decref (jobs);
    if (q->wait (q->opaque, q->fd, POLLIN, soon < deadline_ms ? soon : deadline_ms) == -1
        && (errno != ETIMEDOUT || zfi_now_ms () >= deadline_ms))
      return transport_error (q, "a job", error);
  }
  known = job != NULL;
  if ((e = json_string_value (json_object_get (job, "error"))) != NULL)
    r = fail (error, EIO, "%s", e);
  else if (!known)
    r = fail (error, EPROTO, "qemu does not know job %s", id);
  json_decref (jobs);
  if (known) {
    char *e2 = NULL;
    int r2 = qmp_command (q, "job-dismiss", json_pack ("{s:s}", "id", id), NULL, deadline_ms, &e2);

    if (r == 0 && r2 == -1) {
      *error = e2;
      return -1;
    }
    free (e2);
    errno = EIO;
  }
  return r;
}

/* For the question after the state, which is never worth a wait. */
static int
no_wait (void *opaque, int fd, short events, int64_t deadline_ms)
{
  (void) opaque; (void) fd; (void) events; (void) deadline_ms;
  errno = EAGAIN;
  return -1;
}

/* Send the question after the state, if the last one was answered and there is room. */
static void
ask_status (struct qmp *q)
{
  int (*wait) (void *, int, short, int64_t) = q->wait;
  struct pollfd pfd = { .fd = q->fd, .events = POLLOUT };
  unsigned id = q->next_id;

  if (q->status_id != 0 || poll (&pfd, 1, 0) != 1 || !(pfd.revents & POLLOUT))
    return;
  q->next_id++;
  q->wait = no_wait;
  if (send_command (q, "query-status", NULL, id, 0) == 0)
    q->status_id = id;
  q->wait = wait;
}

int
qmp_look (struct qmp *q)
{
  json_t *msg;
  int r;

  if (q->busy)
    return 0;
  do {
    r = q->broken ? -1 : fill (q);
    /* Also what came just before the end. */
    while ((msg = next_message (q)) != NULL)
      json_decref (msg);
  } while (r == 1);
  if (!q->broken)
    ask_status (q);
  return q->broken ? -1 : 0;
}
