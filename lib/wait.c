/* Waiting for the daemon: deadlines, cancelling, the health of the machine, and the console meanwhile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "rpc.h"

#define CHECK_MS          1000      /* how often the backend is asked whether the machine lives */
#define CONSOLE_TAIL      4096      /* bytes of the console that are kept for messages */

int64_t
zfi_now_ms (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

void
zfi_set_deadline (zf_handle *h, int64_t deadline_ms)
{
  h->deadline_ms = deadline_ms;
}

struct conn *
zfi_conn_new (zf_handle *h, int fd)
{
  struct conn *c = malloc (sizeof *c);
  int flags = fcntl (fd, F_GETFL);

  if (c == NULL || flags == -1 || fcntl (fd, F_SETFL, flags | O_NONBLOCK) == -1) {
    zfi_perror (h, errno, "connection to the appliance");
    free (c);
    return NULL;
  }
  conn_init (c, fd);
  c->wait = zfi_wait;
  c->opaque = h;
  return c;
}

/* --- console --- */

/* Keep the end of what the console said. */
static void
keep_tail (struct buf *tail, const char *s, size_t n)
{
  size_t drop;

  if (buf_append (tail, s, n) == -1 || tail->len <= CONSOLE_TAIL)
    return;
  drop = tail->len - CONSOLE_TAIL;
  memmove (tail->data, tail->data + drop, CONSOLE_TAIL);
  tail->len = CONSOLE_TAIL;
}

/* Read once from the console, which is known to be readable. */
static void
read_console (zf_handle *h)
{
  char s[4096];
  ssize_t n = read (h->console_fd, s, sizeof s);

  if (n == -1 && (errno == EAGAIN || errno == EINTR))
    return;
  if (n <= 0) {
    close (h->console_fd);
    h->console_fd = -1;
    return;
  }
  keep_tail (&h->console_tail, s, n);
  if (zfi_has_event (h, ZF_EVENT_APPLIANCE))
    zfi_event (h, ZF_EVENT_APPLIANCE, s, n, NULL, 0);
  else if (h->verbose)
    fwrite (s, 1, n, stderr);
}

void
zfi_pump_console (zf_handle *h)
{
  struct pollfd pfd = { .fd = h->console_fd, .events = POLLIN };

  /* Bounded: a console that never stops must not hold up the call. */
  for (int i = 0; i < 64 && pfd.fd != -1 && poll (&pfd, 1, 0) == 1; i++) {
    read_console (h);
    pfd.fd = h->console_fd;
  }
}

/* Where the last N lines begin. */
static size_t
last_lines (const struct buf *tail, unsigned n)
{
  size_t start = tail->len;

  while (start > 0 && (tail->data[start - 1] != '\n' || start == tail->len || n-- > 1))
    start--;
  return start;
}

/* Where the line with TEXT begins, if it is before START; else START. */
static size_t
line_with (const struct buf *tail, const char *text, size_t start)
{
  const char *s = (const char *) tail->data, *found = NULL;

  if (start > 0)
    found = memmem (s, start, text, strlen (text));
  if (found == NULL)
    return start;
  while (found > s && found[-1] != '\n')
    found--;
  return (size_t) (found - s);
}

/* A panic's reason is followed by many lines that say less. */
char *
zfi_console_lines (zf_handle *h, unsigned n)
{
  const struct buf *tail = &h->console_tail;
  size_t last = last_lines (tail, n), i = line_with (tail, "Kernel panic", last), end = tail->len;
  char *text, *p;

  p = text = malloc (end - i + 1);
  if (text == NULL)
    return NULL;
  for (bool panic = i < last; i < end && (!panic || n > 0); i++) {
    unsigned char c = tail->data[i];

    n -= c == '\n';
    if (c == '\r' || (c == '\n' && i == end - 1))
      continue;
    *p++ = c == '\n' || c == '\t' || (c >= ' ' && c < 0x7f) ? c : '?';
  }
  *p = '\0';
  return text;
}

/* --- waiting --- */

static void
drain_cancel_pipe (zf_handle *h)
{
  char s[64];

  while (read (h->cancel_pipe[0], s, sizeof s) > 0)
    ;
}

/* How long poll may sleep. */
static int
next_timeout (zf_handle *h)
{
  int64_t ms = h->wait_cb ? ZFI_WAIT_CALLBACK_MS : CHECK_MS;

  if (h->deadline_ms != 0 && h->deadline_ms - zfi_now_ms () < ms)
    ms = h->deadline_ms - zfi_now_ms ();
  return ms < 0 ? 0 : (int) ms;
}

/* Ask the backend, at most once a second, whether the machine is alive. */
static int
check_backend (zf_handle *h)
{
  char *why = NULL;

  if (h->backend == NULL || h->backend->check == NULL || zfi_now_ms () - h->last_check_ms < CHECK_MS)
    return 0;
  h->last_check_ms = zfi_now_ms ();
  if (h->backend->check (h, h->backend_data, &why) == 0)
    return 0;
  free (h->lost_why);
  h->lost_why = why;
  errno = ECONNRESET;
  return -1;
}

/* What there is to do for a cancelled call: the flag if it can be sent, and in any case an end to
 * patience. */
static int
look_at_cancel (zf_handle *h, bool local)
{
  if (!zfi_cancelled (h))
    return 0;
  if (local || !h->on_wire) {
    errno = EINTR;
    return -1;
  }
  return zfi_send_cancel (h);
}

/* Wait for FD.  OTHER (or -1) is the connection, whose input ends the wait too; LOCAL makes a cancel end
 * it. */
static int
wait_for (zf_handle *h, int fd, short events, int other, bool local)
{
  enum { FD, OTHER, CANCEL, CONSOLE, NR };

  for (;;) {
    struct pollfd pfds[NR] = {
      [FD] = { .fd = fd, .events = events },
      [OTHER] = { .fd = other, .events = POLLIN },
      [CANCEL] = { .fd = h->cancel_pipe[0], .events = POLLIN },
      [CONSOLE] = { .fd = h->console_fd, .events = POLLIN },
    };

    if (look_at_cancel (h, local) == -1)
      return -1;
    if (poll (pfds, NR, next_timeout (h)) == -1) {
      if (errno != EINTR)
        return -1;
      h->interrupted = true;
    }
    if (pfds[CONSOLE].revents)
      read_console (h);
    if (pfds[CANCEL].revents)
      drain_cancel_pipe (h);
    if (pfds[FD].revents || pfds[OTHER].revents)
      return 0;
    if (h->deadline_ms != 0 && zfi_now_ms () >= h->deadline_ms) {
      errno = ETIMEDOUT;
      return -1;
    }
    if (check_backend (h) == -1)
      return -1;
  }
}

int
zfi_wait (void *handle, int fd, short events)
{
  return wait_for (handle, fd, events, -1, false);
}

int
zfi_wait_local (zf_handle *h, int fd, short events, bool or_daemon)
{
  return wait_for (h, fd, events, or_daemon ? h->conn->fd : -1, true);
}
