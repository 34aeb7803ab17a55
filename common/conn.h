/* One end of the byte stream between library and daemon: exact reads and writes, and words that are flags.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_CONN_H
#define ZEROFISH_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"

#define ZF_LAUNCH_FLAG    UINT32_C (0xf5f55ff5)
#define ZF_PROGRESS_FLAG  UINT32_C (0xffff5555)
#define ZF_CANCEL_FLAG    UINT32_C (0xffffeeee)
#define ZF_MESSAGE_MAX    (4 * 1024 * 1024)
#define ZF_CHUNK_MAX      8192          /* data bytes of a file's chunk, as every peer takes them */
#define ZF_CHUNK_AGREED_MAX (1024 * 1024)   /* the same between two of ours, which agree on it */

struct conn {
  int fd;                   /* non-blocking; the caller closes it */
  bool exact;               /* read no more than what is asked for: large data are not copied */
  bool plain;               /* found out at the first write: not a socket (a virtio port) */
  size_t start, end;        /* unread bytes in buf */
  unsigned char buf[65536];

  /* Called when the fd is not ready for EVENTS (POLLIN or POLLOUT): waits, and may look after other
   * descriptors.  0: try again.  -1 with errno: give up (ETIMEDOUT, ECONNRESET, EINTR, ...).
   * NULL: poll without a limit. */
  int (*wait) (void *opaque, int fd, short events);
  void *opaque;
};

extern void conn_init (struct conn *c, int fd);

/* Exactly N bytes; 0, or -1 with errno; a closed peer is ECONNRESET.  Never raises SIGPIPE on a socket.
 * When a read of a few bytes (a word, a header) fails, what did arrive of it stays unread. */
extern int conn_read (struct conn *c, void *p, size_t n);
extern int conn_write (struct conn *c, const void *p, size_t n);

/* One write of at most N bytes: the number, 0 if there is no room now, -1 with errno. */
extern ssize_t conn_write_now (struct conn *c, const void *p, size_t n);

/* Take N bytes and throw them away; 0, or -1 with errno. */
extern int conn_skip (struct conn *c, size_t n);

/* A big-endian 32-bit word. */
extern int conn_read_word (struct conn *c, uint32_t *w);
extern int conn_write_word (struct conn *c, uint32_t w);

/* Has the peer sent nothing that is still unread?  With ECONNRESET this tells a peer that left between two
 * frames from one that left inside a frame. */
extern bool conn_empty (const struct conn *c);

/* Is a whole word there without waiting?  If so put it in *W but leave it unread (conn_read_word takes it).
 * 1, 0, or -1 with errno. */
extern int conn_peek_word (struct conn *c, uint32_t *w);

/* Read the LEN bytes that follow a length word into B, which is emptied first and grows as bytes arrive. */
extern int conn_read_body (struct conn *c, uint32_t len, struct buf *b);

#endif /* ZEROFISH_CONN_H */
