/* Reads and writes of a device, many in flight from one thread; and the system calls under them, which
 * tests replace.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZERO_IO_H
#define ZEROFISH_ZERO_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <linux/aio_abi.h>

/* What touches the device.  With async false nothing is left in flight: requests run in queue_start, through
 * these functions. */
struct zero_io {
  ssize_t (*read) (int fd, void *p, size_t n, off_t offset);
  ssize_t (*write) (int fd, const void *p, size_t n, off_t offset);
  int (*fallocate) (int fd, int mode, off_t offset, off_t len);
  bool async;
};
extern const struct zero_io zero_io_real;

/* One request: the caller fills the first five. */
struct op {
  bool write;
  int fd;
  void *buf;
  size_t len;
  uint64_t offset;

  bool busy;                    /* in flight: op and buffer belong to the queue */
  ssize_t result;               /* once it is not busy: bytes, or -errno */
  struct iocb cb;
};

/* What is dear to get and is kept from one call to the next: giving back a context of asynchronous I/O takes
 * the kernel 30 ms, and clearing new memory is slow in an emulated machine.  All zero: nothing yet. */
struct zero_pool {
  aio_context_t ctx;
  bool has_ctx;
  unsigned char *area;
  size_t area_size;
};

/* An area of SIZE bytes, aligned for huge pages.  Its content is of no meaning.  NULL with errno. */
extern unsigned char *pool_area (struct zero_pool *p, size_t size);
extern void pool_free (struct zero_pool *p);

struct queue {
  const struct zero_io *io;
  aio_context_t ctx;
  bool async;
  unsigned in_flight;
};

enum { QUEUE_DEPTH = 128 };     /* requests in flight at most */

/* Ready for work, with a context of the pool.  Where the kernel has no asynchronous I/O requests run one by
 * one; never fails. */
extern void queue_init (struct queue *q, const struct zero_io *io, struct zero_pool *p);

/* Start N requests. */
extern void queue_start (struct queue *q, struct op *const *ops, size_t n);

/* Wait up to TIMEOUT_MS until at least one request has ended, if any is in flight. */
extern void queue_wait (struct queue *q, int timeout_ms);

/* Wait for all that is in flight: the context is free for others then. */
extern void queue_free (struct queue *q);

#endif /* ZEROFISH_ZERO_IO_H */
