/* An NBD server of the tests' own, in a thread: it knows block status and nothing else, and can be as bad
 * as a test wants.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_FAKE_NBD_H
#define ZEROFISH_FAKE_NBD_H

#include "test.h"

#include <pthread.h>

#include "buf.h"

enum nbd_fault {
  NBD_GOOD = 0,
  NBD_HANG_FIRST,           /* says nothing at all */
  NBD_HANG_OPTION,          /* takes the first option and says no more */
  NBD_CLOSE_FIRST, NBD_CLOSE_OPTION,
  NBD_GARBAGE,              /* no NBD server */
  NBD_NO_STRUCTURED,        /* structured replies are refused */
  NBD_NO_META,              /* base:allocation is unknown */
  NBD_NO_EXPORT,            /* there is no such export */
  NBD_LAST_CONNECT = NBD_NO_EXPORT,
  NBD_HANG,                 /* questions are taken, and not answered */
  NBD_HALF,                 /* half an answer, then nothing */
  NBD_CLOSE,                /* hangs up instead of an answer */
  NBD_ERROR,                /* EIO */
  NBD_EMPTY,                /* no extents in the answer */
  NBD_OTHER_CONTEXT,        /* extents of a context that nobody asked for */
  NBD_BAD_COOKIE, NBD_HUGE_REPLY,
  NBD_NR_FAULTS
};

struct fake_nbd {
  char dir[32], path[64];
  enum nbd_fault fault;
  uint64_t size;            /* of the export */
  /* The extents from OFFSET on, with put_extent. */
  void (*answer) (struct fake_nbd *n, uint64_t offset, uint32_t count);

  int listen_fd;
  int fd;                   /* of the connection */
  pthread_t thread;
  struct buf extents;
  unsigned connections, questions;
  uint32_t largest;         /* count that was asked for */
};

/* Ready for connections at n->path; other fields may be set before or between. */
extern struct fake_nbd *fake_nbd_new (uint64_t size, void (*answer) (struct fake_nbd *n, uint64_t offset,
                                                                     uint32_t count));
extern void fake_nbd_end (struct fake_nbd *n);
extern void put_extent (struct fake_nbd *n, uint32_t length, uint32_t flags);

#endif /* ZEROFISH_FAKE_NBD_H */
