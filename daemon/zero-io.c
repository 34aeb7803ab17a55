/* Reads and writes of a device, many in flight from one thread, by the kernel's own asynchronous I/O.
 *
 * Threads would do as well, but the appliance has one processor most of the time, and 64 small writes
 * then cost one system call here and 64 changes of thread there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "zero-io.h"

const struct zero_io zero_io_real = {
  .read = pread,
  .write = pwrite,
  .fallocate = fallocate,
  .async = true,
};

enum { EVENTS = 32 };

/* The memory is never cleared here: only what a read has filled is looked at.  Huge pages make the kernel's
 * work for each read much smaller. */
unsigned char *
pool_area (struct zero_pool *p, size_t size)
{
  const uintptr_t huge = 2 << 20;
  void *area;

  if (p->area == NULL || p->area_size < size + huge) {
    area = mmap (NULL, size + huge, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (area == MAP_FAILED)
      return NULL;
    madvise (area, size + huge, MADV_HUGEPAGE);
    if (p->area != NULL)
      munmap (p->area, p->area_size);
    p->area = area;
    p->area_size = size + huge;
  }
  return p->area + (huge - (uintptr_t) p->area % huge) % huge;
}

void
pool_free (struct zero_pool *p)
{
  if (p->has_ctx)
    syscall (SYS_io_destroy, p->ctx);
  if (p->area != NULL)
    munmap (p->area, p->area_size);
  *p = (struct zero_pool) { 0 };
}

void
queue_init (struct queue *q, const struct zero_io *io, struct zero_pool *p)
{
  *q = (struct queue) { .io = io };
  if (!io->async)
    return;
  if (!p->has_ctx)
    p->has_ctx = syscall (SYS_io_setup, QUEUE_DEPTH, &p->ctx) == 0;
  q->async = p->has_ctx;
  q->ctx = p->ctx;
}

static void
run_now (struct queue *q, struct op *op)
{
  ssize_t r;

  do {
    if (op->write)
      r = q->io->write (op->fd, op->buf, op->len, op->offset);
    else
      r = q->io->read (op->fd, op->buf, op->len, op->offset);
  } while (r == -1 && errno == EINTR);
  op->result = r == -1 ? -errno : r;
  op->busy = false;
}

static struct iocb *
prepare (struct op *op)
{
  op->cb = (struct iocb) {
    .aio_data = (uintptr_t) op,
    .aio_lio_opcode = op->write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
    .aio_fildes = op->fd,
    .aio_buf = (uintptr_t) op->buf,
    .aio_nbytes = op->len,
    .aio_offset = op->offset,
  };
  return &op->cb;
}

/* Hand up to EVENTS requests to the kernel: how many it took, 0 or -1 if none. */
static long
submit (struct queue *q, struct op *const *ops, size_t n)
{
  struct iocb *cbs[EVENTS];
  size_t i;
  long r;

  if (n > EVENTS)
    n = EVENTS;
  for (i = 0; i < n; i++) {
    ops[i]->busy = true;
    cbs[i] = prepare (ops[i]);
  }
  r = syscall (SYS_io_submit, q->ctx, (long) n, cbs);
  if (r > 0)
    q->in_flight += r;
  return r;
}

void
queue_start (struct queue *q, struct op *const *ops, size_t n)
{
  size_t done = 0;
  long r;

  while (done < n) {
    r = q->async ? submit (q, ops + done, n - done) : -1;
    if (r > 0)
      done += r;
    else                        /* what the kernel does not take is done here */
      run_now (q, ops[done++]);
  }
}

void
queue_wait (struct queue *q, int timeout_ms)
{
  struct timespec timeout = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };
  struct io_event events[EVENTS];
  struct op *op;
  long i, n;

  if (q->in_flight == 0)
    return;
  n = syscall (SYS_io_getevents, q->ctx, 1L, (long) EVENTS, events, &timeout);
  for (i = 0; i < n; i++) {
    op = (struct op *) (uintptr_t) events[i].data;
    op->result = events[i].res;
    op->busy = false;
    q->in_flight--;
  }
}

void
queue_free (struct queue *q)
{
  while (q->in_flight > 0)
    queue_wait (q, 1000);
  q->async = false;
}
