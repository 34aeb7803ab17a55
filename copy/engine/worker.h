/* A worker and its slots, in which tasks are carried out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_WORKER_H
#define ZEROFISH_WORKER_H

#include "engine.h"

enum { MAX_SUBS = 8 };
enum phase { SLOT_FREE, SLOT_READING, SLOT_WRITING };

/* A task under way. */
struct slot {
  enum phase phase;
  struct task t;
  uint64_t pos;                 /* of the task: what is before it was dealt with */
  struct op main, second;       /* reads; TASK_ZERO */
  struct op sub[MAX_SUBS];      /* writes and zeroes that follow a read */
  unsigned char *buf, *other;   /* never cleared: only what a read has filled is used */
  size_t buf_size, other_size;
};

struct worker {
  struct copy *c;
  unsigned lanes[2][MAX_LANES], nr_lanes[2];
  struct slot *slots;
  unsigned nr_slots, busy_slots;
  unsigned flying;              /* requests under way */
  int64_t heard_ms;             /* when the last one ended */
  struct range *todo;           /* found while working; the last comes first */
  size_t nr_todo, todo_allocated;
  const struct op *asking;
};

/* Start OP on the lane of SIDE that has the least to do. */
extern void worker_start (struct worker *w, unsigned side, struct op *op);
/* Has it ended (or was never started)?  Must be called until it says so. */
extern bool worker_over (struct worker *w, struct op *op);
/* Report the failure of OP. */
extern void worker_failed (struct worker *w, const struct op *op);
/* Let lanes work for at most MS milliseconds. */
extern void worker_poll (struct worker *w, int ms);
/* To be done by this worker before anything new. */
extern void worker_later (struct worker *w, enum task_kind kind, uint64_t offset, uint64_t length);

/* True if some slot moved. */
extern bool worker_advance (struct worker *w);
/* Begin what is to be done later, as far as slots are free. */
extern void worker_begin_later (struct worker *w);

/* --- slot.c --- */
/* Room for N bytes in *BUF. */
extern bool slot_buffer (struct worker *w, unsigned char **buf, size_t *size, size_t n);
extern void slot_begin (struct worker *w, struct slot *s);
/* Look at what has ended and start what follows; true if anything changed. */
extern bool slot_advance (struct worker *w, struct slot *s);
/* Some request to WHERE (NULL: either side) that has not ended well, or NULL. */
extern const struct op *worker_any_op (struct worker *w, const struct side *where);

#endif /* ZEROFISH_WORKER_H */
