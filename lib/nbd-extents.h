/* Asking an NBD server which parts of an export are holes or zero, with a deadline for everything.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_NBD_EXTENTS_H
#define ZEROFISH_NBD_EXTENTS_H

#include <stddef.h>
#include <stdint.h>

struct nbd_extent {
  uint64_t offset, length;  /* bytes */
  uint32_t flags;           /* of base:allocation: 1 hole, 2 zero */
};

/* One answer of the server, while it comes in. */
struct nbd_answer {
  uint64_t pos, end;        /* what is not yet known of the part that was asked for */
  struct nbd_extent *v;
  size_t n, max;
  const char *bad;          /* what is wrong with it, or NULL */
  int done, error;
};

/* A connection to one export.  A server that once made no sense is not spoken to again. */
struct nbd_peer {
  struct nbd_handle *nbd;
  uint64_t size;            /* of the export, in bytes */
  /* Wait until FD is ready for EVENTS: 0, or -1 with errno (ETIMEDOUT, EINTR, ...). */
  int (*wait) (void *opaque, int fd, short events, int64_t deadline_ms);
  void *opaque;
  struct nbd_answer answer;
};

/* Connect to the server at the Unix socket PATH.  P->wait and P->opaque are set, the rest is zero.  0, or
 * -1 with errno and *WHY malloced (NULL: no memory); close it in any case. */
extern int nbd_peer_open (struct nbd_peer *p, const char *path, const char *export, int64_t deadline_ms,
                          char **why);

/* Ask once about [START, END), which lies in the export.  Up to MAX extents go to V: they begin at START,
 * are in order without gaps, and end at END at the latest.  Their number, at least 1; or -1 as
 * nbd_peer_open. */
extern ssize_t nbd_peer_ask (struct nbd_peer *p, uint64_t start, uint64_t end, struct nbd_extent *v,
                             size_t max, int64_t deadline_ms, char **why);

/* Never waits. */
extern void nbd_peer_close (struct nbd_peer *p);

#endif /* ZEROFISH_NBD_EXTENTS_H */
