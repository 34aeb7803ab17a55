/* The zero engine: look at a device in large windows, and write zeroes only where something else is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZERO_ENGINE_H
#define ZEROFISH_ZERO_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ranges.h"
#include "zero-io.h"

struct call;

/* An open device or file. */
struct zero_target {
  const char *name;             /* for messages */
  int fd;                       /* O_DIRECT where that works */
  int buffered;                 /* without O_DIRECT, for pieces of blocks; -1 where nothing is written */
  uint64_t size;
  unsigned block;               /* logical block in bytes, a power of two */
  uint64_t start;               /* of a partition on its disk: blocks are cut as those of the disk */
  bool raw;                     /* punching holes in it never takes space, wherever it is */
  unsigned cluster;             /* a request for zeroes that covers a cluster takes no space; 0: unknown */
};

/* Which parts to look at.  The next one at or after FROM: 1, 0 when there is none, or -1 with errno.  To be
 * zeroed, they begin and end at the engine's grain; what is read only need not. */
struct zero_source {
  int (*next) (const void *opaque, uint64_t from, uint64_t size, struct range *r);
  const void *opaque;
  bool around;                  /* what is around them is to become zero too: clusters may be zeroed as a whole */
};
/* All but the ranges of a list: those are known to be zero.  OPAQUE is a struct ranges. */
extern int zero_source_unknown (const void *opaque, uint64_t from, uint64_t size, struct range *r);
/* The same, with the short ones of the list: it takes less time to read those than to read what is around them
 * in two requests. */
extern int zero_source_unknown_mostly (const void *opaque, uint64_t from, uint64_t size, struct range *r);
/* Only the ranges of a list. */
extern int zero_source_listed (const void *opaque, uint64_t from, uint64_t size, struct range *r);

enum zero_method {
  ZERO_KEEP,                    /* ZERO_RANGE: what is allocated stays so */
  ZERO_UNMAP,                   /* PUNCH_HOLE: give space back */
  ZERO_WRITE,                   /* plain writes, which no device can take for advice */
};

enum {
  WINDOWS = 3,                  /* one is looked at, the others are on their way */
  WINDOW_MAX = 4 << 20,         /* larger ones are not faster, and their memory has to be cleared once */
  WINDOW_FIRST = 128 << 10,     /* they grow: a first answer is wanted at once */
  WINDOW_MIN = 256 << 10,
  WRITES = 64,                  /* writes of zeroes in flight */
  WRITE_BATCH = 32,
  WRITE_MAX = 256 << 10,        /* size of one */
  REQUEST_BLOCK = 64 << 10,     /* runs without such a block are written: cheaper, host extents stay whole */
  MERGE_MAX = 256 << 10,        /* zeroes between two runs that may be zeroed with them */
  UNMAP_GRAIN = 2 << 20,        /* the largest qcow2 cluster: they are only given back as a whole */
  BLIND_MOST = 1 << 30,         /* between two reports of progress */
  PEEK_MAX = 16 << 20,          /* one block may stand for so much that is allocated */
  PEEK_MIN = 1 << 20,
  SKIP_MIN = 256 << 10,         /* less is not worth a request of its own for what follows */
  TAIL = 64 << 10,              /* looked at first by engine_is_zero, with the start */
  LOOK_MS = 100,                /* between looks for the cancel flag while waiting */
};

struct window {
  struct op op;
  uint64_t offset;
  size_t len;                   /* bytes that are wanted; 0: nothing left to read */
  int error;                    /* looking: what follows LEN cannot be read */
  bool peek;                    /* only the first block is read, and stands for all */
};

/* What was done, for the curious. */
struct zero_stats {
  uint64_t reads, read, requests, requested, writes, written;   /* numbers, and bytes */
};

struct engine {
  struct call *call;
  const struct zero_target *t;
  struct queue queue;
  unsigned grain;               /* read as one: 4 KiB, or the logical block if that is larger */

  /* What is certainly allocated, zero or not, as offsets in T; NULL: nothing is known.  The caller sets it
   * between engine_init and the work.  An image that only cannot say where its holes are is unknown. */
  const struct ranges *allocated;

  /* Reading. */
  struct zero_source source;
  struct range part;            /* of the source: being read */
  uint64_t ahead;               /* read up to here */
  uint64_t done, progress_base, progress_total;
  bool progress_work;           /* it counts the bytes that are looked at, not offsets */
  uint64_t first;               /* nothing before it is looked at: a multiple of the grain */
  bool progress_stays;          /* at progress_base: this is a part of greater work */
  void *opaque;                 /* of who has each window shown */
  struct zero_stats stats;
  struct zero_pool *pool, own_pool;
  unsigned char *area;          /* of the pool */
  size_t window_size, next_size;
  struct window windows[WINDOWS];
  bool fix_unreadable;          /* mark as non-zero what cannot be read; otherwise it is an error */

  /* Writing. */
  enum zero_method method;
  struct ranges *punched;       /* ZERO_UNMAP: what was asked for */
  bool request_works, request_seen;     /* fallocate, in this method */
  int request_error;            /* errno of the last one, 0 if it was accepted */
  uint64_t request_size;
  bool request_fast;            /* faster than reading */
  struct range held;            /* to be zeroed, with what may follow */
  uint64_t witness;             /* there is something else in it here */
  bool dense;                   /* the last window began with data */
  void *zeroes;                 /* WRITE_MAX of them, never written to */
  struct op writes[WRITES];
  bool write_used[WRITES];
  struct op *batch[WRITE_BATCH];
  size_t nr_batch, next_write;
};

/* Ready to work on T, which must outlive it.  POOL is used by one engine at a time; NULL: one for this engine
 * alone.  -1 with the call's error; engine_free in any case. */
extern int engine_init (struct engine *e, struct call *c, const struct zero_target *t,
                        const struct zero_io *io, struct zero_pool *pool);
/* How much there is in SOURCE of SIZE bytes; for those that do not fail. */
extern uint64_t zero_source_bytes (struct zero_source source, uint64_t size);
/* Get the usual memory in advance: no call has to wait for it to be cleared. */
extern void engine_prepare (struct zero_pool *pool);
extern void engine_free (struct engine *e);

/* Look at SOURCE (read with O_DIRECT) and zero by METHOD what is not zero.  What cannot be read is
 * overwritten. ZERO_UNMAP adds to PUNCHED the ranges that the device was asked to unmap: they need a
 * second look.  Returns when all is written, but not yet flushed: 0, or -1 with the call's error. */
extern int engine_zero (struct engine *e, struct zero_source source, enum zero_method method,
                        struct ranges *punched);

/* Have the device zero whole blocks of SOURCE by METHOD (ZERO_KEEP, ZERO_UNMAP) without a look at them.  1, 0 if
 * it will not from *END on, or -1 with the call's error. */
extern int engine_request (struct engine *e, struct zero_source source, enum zero_method method,
                           uint64_t *end);

/* Zero all of the device and give its space back.  ZERO is known to be zero and stays as it is, unless it is
 * in SOLID too: that is known to take space, and is unmapped without a look.  0, or -1 with the call's
 * error. */
extern int engine_discard (struct engine *e, const struct ranges *zero, const struct ranges *solid);
/* Zero all of the device but ZERO, which is known to be so, and leave space allocated.  What is in e->allocated is
 * not looked at if its clusters can be marked zero.  0, or -1 with the call's error. */
extern int engine_zero_known (struct engine *e, const struct ranges *zero);

/* Is all of SOURCE zero?  1, 0, or -1 with the call's error.  Stops where it finds something. */
extern int engine_is_zero (struct engine *e, struct zero_source source);

/* Zero exactly these bytes without looking, by METHOD.  A range that is not inside the device is
 * EINVAL and nothing is written.  0, or -1 with the call's error. */
extern int engine_zero_bytes (struct engine *e, uint64_t offset, uint64_t len, enum zero_method method);

/* Show VISIT each window of SOURCE in turn, which are read ahead, until it returns other than 0; that, 0 at the
 * end, or -1 with the call's error. */
extern int engine_each_window (struct engine *e, struct zero_source source,
                               int (*visit) (struct engine *e, struct window *w));

/* --- between the engine's files --- */

/* What is done with a window to make it zero. */
extern int zero_window (struct engine *e, struct window *w);
/* Round an offset to blocks, which are counted from the start of the disk, also on a partition that begins at
 * an odd sector; not beyond the device. */
extern uint64_t engine_down (const struct engine *e, uint64_t offset, uint64_t block);
extern uint64_t engine_up (const struct engine *e, uint64_t offset, uint64_t block);

/* Begin with METHOD.  Make zeroes of a run, which has something else at WITNESS; maybe only later, with the
 * next one.  Wait for all writes; with REST false what is not yet begun is left. */
extern void write_begin (struct engine *e, enum zero_method method, struct ranges *punched);
extern int write_zeroes (struct engine *e, uint64_t offset, uint64_t len, uint64_t witness);
extern int write_finish (struct engine *e, bool rest);
/* Are the clusters before FROM and at TO in the same table of the image?  Then those in between can be marked
 * zero in it, for no space. */
extern bool engine_same_table (const struct engine *e, uint64_t from, uint64_t to);
/* Ask the device for zeroes by the method: 1 it accepted, 0 it will not, -1 with the call's error. */
extern int write_blind (struct engine *e, uint64_t offset, uint64_t len);
/* Fill W from OFFSET, up to END or as much as it holds; waits.  0, or -1 with the call's error. */
extern int engine_read_again (struct engine *e, struct window *w, uint64_t offset, uint64_t end);
/* Monotonic. */
extern int64_t engine_now_us (void);
/* Look for the cancel flag, report progress. */
extern int engine_look (struct engine *e);

#endif /* ZEROFISH_ZERO_ENGINE_H */
