/* Asking an NBD server which parts of an export are holes or zero, with a deadline for everything.
 *
 * The server is our own emulator, but it has read an image that anybody may have made: what it says is
 * looked at as if it were a stranger's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libnbd.h>

#include "nbd-extents.h"

/* Lengths are 32 bits on the wire; a whole number of blocks of any size. */
static const uint64_t ask_max = UINT64_C (0xfff00000);

static int __attribute__ ((format (printf, 3, 4)))
fail (char **why, int err, const char *fs, ...)
{
  va_list ap;

  va_start (ap, fs);
  if (vasprintf (why, fs, ap) == -1)
    *why = NULL;
  va_end (ap);
  errno = err;
  return -1;
}

/* libnbd's own words. */
static int
nbd_failed (char **why)
{
  const char *text = nbd_get_error ();
  int err = nbd_get_errno ();

  return fail (why, err != 0 ? err : EPROTO, "%s", text != NULL ? text : "NBD failed");
}

/* Let libnbd do what can be done, waiting once. */
static int
step (struct nbd_peer *p, int64_t deadline_ms, char **why)
{
  unsigned dir = nbd_aio_get_direction (p->nbd);
  struct pollfd pfd = { .fd = nbd_aio_get_fd (p->nbd) };
  int err;

  if (dir & LIBNBD_AIO_DIRECTION_READ)
    pfd.events |= POLLIN;
  if (dir & LIBNBD_AIO_DIRECTION_WRITE)
    pfd.events |= POLLOUT;
  if (pfd.fd == -1 || pfd.events == 0)
    return fail (why, ECONNRESET, "the NBD server has gone");
  if (p->wait (p->opaque, pfd.fd, pfd.events, deadline_ms) == -1) {
    err = errno;
    return fail (why, err, err == ETIMEDOUT ? "the NBD server did not answer in time" : "%s", strerror (err));
  }
  if (poll (&pfd, 1, 0) == -1)
    return errno == EINTR ? 0 : fail (why, errno, "poll: %s", strerror (errno));
  /* An end of the connection is read, too. */
  if ((dir & LIBNBD_AIO_DIRECTION_READ) && (pfd.revents & (POLLIN | POLLHUP | POLLERR)))
    return nbd_aio_notify_read (p->nbd) == -1 ? nbd_failed (why) : 0;
  if ((dir & LIBNBD_AIO_DIRECTION_WRITE) && (pfd.revents & (POLLOUT | POLLHUP | POLLERR)))
    return nbd_aio_notify_write (p->nbd) == -1 ? nbd_failed (why) : 0;
  return 0;
}

int
nbd_peer_open (struct nbd_peer *p, const char *path, const char *export, int64_t deadline_ms, char **why)
{
  int64_t size;

  *why = NULL;
  if ((p->nbd = nbd_create ()) == NULL
      || nbd_set_export_name (p->nbd, export) == -1
      || nbd_add_meta_context (p->nbd, LIBNBD_CONTEXT_BASE_ALLOCATION) == -1
      || nbd_aio_connect_unix (p->nbd, path) == -1)
    return nbd_failed (why);
  while (nbd_aio_is_connecting (p->nbd) == 1)
    if (step (p, deadline_ms, why) == -1)
      return -1;
  if (nbd_aio_is_ready (p->nbd) != 1)
    return fail (why, ECONNRESET, "the NBD server ended the connection");
  if (nbd_can_meta_context (p->nbd, LIBNBD_CONTEXT_BASE_ALLOCATION) != 1)
    return fail (why, ENOTSUP, "the NBD server does not say which blocks are allocated");
  if ((size = nbd_get_size (p->nbd)) == -1)
    return nbd_failed (why);
  p->size = size;
  return 0;
}

/* --- answers --- */

/* Take one extent.  -1: nothing more of this answer is of use. */
static int
take_extent (struct nbd_answer *a, uint64_t length, uint32_t flags)
{
  struct nbd_extent *last = a->n > 0 ? &a->v[a->n - 1] : NULL;

  if (length == 0) {
    a->bad = "an extent of no length";
    return -1;
  }
  if (length > a->end - a->pos)         /* the last one may say more than it was asked for */
    length = a->end - a->pos;
  if (last != NULL && last->flags == flags)
    last->length += length;
  else if (a->n == a->max)
    return -1;
  else
    a->v[a->n++] = (struct nbd_extent) { a->pos, length, flags };
  a->pos += length;
  return a->pos < a->end ? 0 : -1;
}

static int
on_extents (void *opaque, const char *context, uint64_t offset, uint32_t *entries, size_t nr_entries,
            int *error)
{
  struct nbd_answer *a = opaque;
  size_t i;

  (void) error;
  if (strcmp (context, LIBNBD_CONTEXT_BASE_ALLOCATION) != 0 || a->bad != NULL)
    return 0;
  if (offset != a->pos) {
    a->bad = "extents of another place";
    return 0;
  }
  for (i = 0; i + 1 < nr_entries; i += 2)
    if (take_extent (a, entries[i], entries[i + 1]) == -1)
      break;
  return 0;
}

/* 1: the command is over, and libnbd forgets it. */
static int
on_end (void *opaque, int *error)
{
  struct nbd_answer *a = opaque;

  a->done = 1;
  a->error = *error;
  return 1;
}

ssize_t
nbd_peer_ask (struct nbd_peer *p, uint64_t start, uint64_t end, struct nbd_extent *v, size_t max,
              int64_t deadline_ms, char **why)
{
  struct nbd_answer *a = &p->answer;    /* may be written to until the peer is closed */

  *why = NULL;
  if (end - start > ask_max)
    end = start + ask_max;
  *a = (struct nbd_answer) { .pos = start, .end = end, .v = v, .max = max };
  if (nbd_aio_block_status (p->nbd, end - start, start,
                            (nbd_extent_callback) { .callback = on_extents, .user_data = a },
                            (nbd_completion_callback) { .callback = on_end, .user_data = a }, 0) == -1)
    return nbd_failed (why);
  while (!a->done)
    if (step (p, deadline_ms, why) == -1)
      return -1;
  if (a->error != 0)
    return fail (why, a->error, "the NBD server cannot say which blocks are allocated: %s",
                 strerror (a->error));
  if (a->bad == NULL && a->n == 0)
    a->bad = "no extents";
  if (a->bad != NULL)
    return fail (why, EPROTO, "the NBD server sent %s", a->bad);
  return a->n;
}

void
nbd_peer_close (struct nbd_peer *p)
{
  nbd_close (p->nbd);
  p->nbd = NULL;
}
