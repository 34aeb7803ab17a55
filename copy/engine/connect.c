/* Connecting to NBD servers: with a deadline, and never believing more than was said.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libnbd.h>

#include "side.h"

enum { GOODBYE_MS = 5000, HANG_UP_MS = 500, LOOK_MS = 100 };

/* libnbd's message names its own function first, which tells a user nothing. */
static const char *
nbd_says (void)
{
  const char *s = nbd_get_error (), *colon;

  if (s == NULL)
    return "no reason given";
  colon = strncmp (s, "nbd_", 4) == 0 ? strstr (s, ": ") : NULL;
  return colon ? colon + 2 : s;
}

/* A server of ours that cannot start says why itself; here it only hangs up. */
static bool
child_ended (struct side *s)
{
  char how[80];

  if (!s->has_child || !zfi_child_wait (&s->child, zfi_now_ms () + HANG_UP_MS))
    return false;
  zfi_error (s->h, ECONNREFUSED, "%s: the server %s before it answered", s->name,
             zfi_child_how (&s->child, how, sizeof how));
  return true;
}

static int
failed (struct side *s, const char *what)
{
  if (child_ended (s))
    return -1;
  return zfi_error (s->h, nbd_get_errno () ? nbd_get_errno () : ECONNREFUSED, "%s: %s: %s", s->name, what,
                    nbd_says ());
}

/* One step of the connection's machine, of at most LOOK_MS. 0 or -1. */
static int
step (struct nbd_handle *nbd)
{
  unsigned dir = nbd_aio_get_direction (nbd);
  struct pollfd p = { .fd = nbd_aio_get_fd (nbd) };

  p.events = (dir & LIBNBD_AIO_DIRECTION_READ ? POLLIN : 0)
    | (dir & LIBNBD_AIO_DIRECTION_WRITE ? POLLOUT : 0);
  if (poll (&p, 1, LOOK_MS) <= 0)
    return 0;
  if (p.revents & (POLLIN | POLLHUP | POLLERR) && dir & LIBNBD_AIO_DIRECTION_READ)
    return nbd_aio_notify_read (nbd);
  return dir & LIBNBD_AIO_DIRECTION_WRITE ? nbd_aio_notify_write (nbd) : 0;
}

/* Negotiate to the end, or to that of the user's patience. */
static int
negotiate (struct side *s, struct nbd_handle *nbd, const struct copy_options *o)
{
  const int64_t end = zfi_now_ms () + (int64_t) o->timeout * 1000;

  while (!nbd_aio_is_ready (nbd)) {
    if (nbd_aio_is_dead (nbd) || nbd_aio_is_closed (nbd))
      return failed (s, "connecting");
    if (o->cancelled != NULL && o->cancelled (o->opaque))
      return zfi_error (s->h, EINTR, "interrupted while connecting; nothing was copied");
    if (s->has_child && zfi_child_ended (&s->child))
      return failed (s, "connecting");
    if (zfi_now_ms () >= end)
      return zfi_error (s->h, ETIMEDOUT, "%s: connecting: no answer within %u seconds", s->name, o->timeout);
    if (step (nbd) == -1)
      return failed (s, "connecting");
  }
  return 0;
}

static int
configure (struct side *s, struct nbd_handle *nbd)
{
  const struct zfi_nbd *n = s->nbd;

  if (nbd_set_export_name (nbd, n->export) == -1
      || nbd_add_meta_context (nbd, LIBNBD_CONTEXT_BASE_ALLOCATION) == -1
      || nbd_set_tls (nbd, n->tls ? LIBNBD_TLS_REQUIRE : LIBNBD_TLS_DISABLE) == -1
      || (n->user != NULL && nbd_set_tls_username (nbd, n->user) == -1)
      /* Safe, since no byte is used that an answer has not filled. */
      || nbd_set_pread_initialize (nbd, false) == -1)
    return failed (s, "preparing the connection");
  return 0;
}

static struct nbd_handle *
connect_one (struct side *s, const struct copy_options *o)
{
  const struct zfi_nbd *n = s->nbd;
  struct nbd_handle *nbd = nbd_create ();
  int r;

  if (nbd == NULL) {
    failed (s, "preparing the connection");
    return NULL;
  }
  if (configure (s, nbd) == 0) {
    r = n->socket ? nbd_aio_connect_unix (nbd, n->socket) : nbd_aio_connect_tcp (nbd, n->host, n->port);
    if (r == -1)
      failed (s, "connecting");
    else if (negotiate (s, nbd, o) == 0)
      return nbd;
  }
  nbd_close (nbd);
  return NULL;
}

static bool
power_of_two (uint64_t n)
{
  return n != 0 && (n & (n - 1)) == 0;
}

/* Sizes of blocks; absent or odd values count as not said. */
static void
learn_blocks (struct side *s, struct nbd_handle *nbd)
{
  const int64_t min = nbd_get_block_size (nbd, LIBNBD_SIZE_MINIMUM);
  const int64_t max = nbd_get_block_size (nbd, LIBNBD_SIZE_MAXIMUM);

  s->align = min > 0 && min <= 65536 && power_of_two (min) ? min : 1;
  s->max_request = max >= 65536 && max < MAX_REQUEST ? max / 4096 * 4096 : MAX_REQUEST;
  s->max_zero = UINT64_C (0xffffffff) / 65536 * 65536;
  s->grain = 1;
}

static int
learn (struct side *s, struct nbd_handle *nbd)
{
  const int64_t size = nbd_get_size (nbd);

  /* Some versions of the library pass sizes over 2^63 on as negative numbers. */
  if (size < 0)
    return zfi_error (s->h, EOVERFLOW, "%s: the server states an impossible size", s->name);
  if (s->target && nbd_is_read_only (nbd) != 0)
    return zfi_error (s->h, EROFS, "%s: the server does not allow writing", s->name);
  s->size = size;
  s->can_extents = nbd_can_meta_context (nbd, LIBNBD_CONTEXT_BASE_ALLOCATION) == 1;
  s->can_zero = nbd_can_zero (nbd) == 1;
  s->can_fast_zero = nbd_can_fast_zero (nbd) == 1;
  s->can_flush = nbd_can_flush (nbd) == 1;
  learn_blocks (s, nbd);
  return 0;
}

int
side_nbd_connect (struct side *s, const struct copy_options *o)
{
  struct nbd_handle *nbd = connect_one (s, o);

  s->ops = &side_nbd_ops;
  if (nbd == NULL)
    return -1;
  s->lanes[0].nbd = nbd;
  s->nr_lanes = 1;
  return learn (s, nbd);
}

/* The other end of the first connection. */
static bool
peer (const struct side *s, struct sockaddr_storage *addr)
{
  socklen_t len = sizeof *addr;

  memset (addr, 0, sizeof *addr);
  return getpeername (nbd_aio_get_fd (s->lanes[0].nbd), (struct sockaddr *) addr, &len) == 0;
}

/* The port of a TCP peer, 0 if it is something else. */
static in_port_t
port_of (const struct sockaddr_storage *a)
{
  return a->ss_family == AF_INET ? ((const struct sockaddr_in *) a)->sin_port
    : a->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *) a)->sin6_port : 0;
}

static bool
is_loopback (const struct sockaddr_storage *a)
{
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *) a;

  if (a->ss_family == AF_INET)
    return ntohl (((const struct sockaddr_in *) a)->sin_addr.s_addr) >> 24 == 127;
  return a->ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK (&six->sin6_addr);
}

/* Names of a host differ more often than its address. */
bool
side_nbd_same_host (const struct side *a, const struct side *b)
{
  struct sockaddr_storage x, y;

  if (!peer (a, &x) || !peer (b, &y) || port_of (&x) == 0 || port_of (&x) != port_of (&y))
    return false;
  if (is_loopback (&x) && is_loopback (&y))
    return true;
  if (x.ss_family == AF_INET && y.ss_family == AF_INET)
    return memcmp (&((struct sockaddr_in *) &x)->sin_addr, &((struct sockaddr_in *) &y)->sin_addr,
                   sizeof (struct in_addr)) == 0;
  return x.ss_family == y.ss_family && memcmp (&((struct sockaddr_in6 *) &x)->sin6_addr,
                                               &((struct sockaddr_in6 *) &y)->sin6_addr,
                                               sizeof (struct in6_addr)) == 0;
}

bool
side_nbd_multi (struct side *s)
{
  return nbd_can_multi_conn (s->lanes[0].nbd) == 1;
}

void
side_nbd_more (struct side *s, unsigned n, const struct copy_options *o)
{
  struct nbd_handle *nbd;

  if (s->lanes[0].nbd == NULL || !side_nbd_multi (s))
    return;
  while (s->nr_lanes < n && s->nr_lanes < MAX_LANES) {
    if ((nbd = connect_one (s, o)) == NULL)
      break;
    /* A server that shows each connection something else has no use. */
    if (nbd_get_size (nbd) != (int64_t) s->size) {
      nbd_close (nbd);
      break;
    }
    s->lanes[s->nr_lanes++].nbd = nbd;
  }
  zfi_clear_error (s->h);
}

/* Requests that are under way are dropped; without any, the server is told. */
void
side_nbd_close (struct side *s)
{
  const int64_t end = zfi_now_ms () + GOODBYE_MS;

  for (unsigned i = 0; i < s->nr_lanes; i++) {
    struct nbd_handle *nbd = s->lanes[i].nbd;

    if (nbd == NULL)
      continue;
    if (s->lanes[i].busy == 0 && nbd_aio_is_ready (nbd) && nbd_aio_disconnect (nbd, 0) == 0)
      while (!nbd_aio_is_closed (nbd) && !nbd_aio_is_dead (nbd) && zfi_now_ms () < end)
        if (step (nbd) == -1)
          break;
    nbd_close (nbd);
    s->lanes[i].nbd = NULL;
  }
  s->nr_lanes = 0;
}
