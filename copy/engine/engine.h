/* What the files of the engine share: the copy, its plan and its workers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ENGINE_H
#define ZEROFISH_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "walk.h"
#include "side.h"

enum { SOURCE, TARGET };

/* What a run through both sides is for. */
enum mode { MODE_MUST_BE_ZERO, MODE_COPY, MODE_VERIFY };

enum task_kind {
  TASK_COPY,                    /* read the source, write what is not zero, treat the rest as zero */
  TASK_ZERO,                    /* one request to zero the target */
  TASK_FILL,                    /* write zeroes to a target that has no request for that */
  TASK_CHECK,                   /* read the target and zero what is not zero */
  TASK_EXPECT_SOURCE,           /* read it: it must be zero */
  TASK_EXPECT_TARGET,
  TASK_COMPARE,                 /* read both */
};

/* What is known of a piece of the target. */
enum state { STATE_ZERO, STATE_DATA, STATE_UNKNOWN };

struct range {
  enum task_kind kind;
  enum state state;             /* TASK_COPY */
  uint64_t offset, length;
};

/* What a worker does at a time: of a size that fits into one request, but for TASK_ZERO. */
enum { MAX_RUNS = 8 };
struct task {
  enum task_kind kind;
  uint64_t offset, length;
  struct { enum state state; uint64_t length; } runs[MAX_RUNS];   /* TASK_COPY: of the target, in order */
  unsigned nr_runs;
};

/* Ranges that wait for a worker. */
struct queue {
  struct range *r;
  size_t head, n, allocated;
  uint64_t bytes;               /* to be read */
};

/* What pace.c has found out. */
enum { NR_PACES = 4 };
struct pace {
  bool fixed;                   /* nothing to find out */
  unsigned workers, requests;   /* requests: stated, or 0 */
  unsigned step;                /* in use */
  unsigned stay;                /* judgements to come that change nothing */
  double rate;                  /* of the best step */
  int64_t since_ms;
  uint64_t bytes;               /* done since then */
};

/* Locks: LOCK is the only one. */
struct copy {
  zf_handle *h;
  struct copy_options o;        /* with every number chosen */
  struct side side[2];
  enum mode mode;
  bool target_is_zero;          /* all of it was looked at */
  unsigned grain;               /* what is known of extents counts in these units */
  unsigned block;               /* contents are tested for zero in these */

  pthread_mutex_t lock;
  pthread_cond_t changed;       /* the queue, or the end */

  /* The plan, under LOCK; the walks belong to whoever has set FILLING. */
  uint64_t pos, end;
  struct walk walk[2];
  struct queue queue;
  bool filling;

  /* The pace. */
  atomic_uint request_size;
  atomic_uint depth;            /* requests under way, of each worker */
  struct pace pace;             /* under LOCK */

  /* Progress. */
  atomic_ullong read, written, zeroed, skipped, checked;
  atomic_bool slow_zero;        /* zeroing means writing here */
  atomic_bool stop;             /* an error, or interrupted */
  unsigned running;             /* workers, under LOCK */
  int err;                      /* the first error, under LOCK */
  char *message;
  bool interrupted;
  int64_t looked_ms;
};

struct worker;

/* Note the first error and stop everything. */
extern void copy_fail (struct copy *c, int err, const char *fs, ...) __attribute__ ((format (printf, 3, 4)));

/* Report progress, and look whether the user has had enough; often called, seldom does anything. */
extern void copy_look (struct copy *c);
/* Give a raw target file the source's size. */
extern void copy_set_size (struct copy *c);
/* Everything was sent: have it written out if that was asked for, or if a server's end would hide errors. */
extern void copy_flush (struct copy *c, struct worker *w);
/* The last N bytes at BEGIN, which are less than a block of the target: what is behind them stays.  DATA,
 * or NULL to read them from the source. */
extern void copy_rest (struct copy *c, struct worker *w, uint64_t begin, uint64_t n,
                       const unsigned char *data);

/* --- plan.c --- */
extern void plan_begin (struct copy *c, enum mode mode, uint64_t end);
extern void plan_end (struct copy *c);
enum taken { TAKEN, TAKE_LATER, TAKE_NONE };
/* The next task for W.  TAKE_LATER: another worker is just asking for more, and W has something to do. */
extern enum taken plan_take (struct copy *c, struct worker *w, struct task *t);
/* Where a statement of UNTIL about POS counts to: what is zero shrinks to whole grains, what is not
 * grows.  POS if nothing of it is left. */
extern uint64_t plan_round (struct copy *c, uint64_t pos, uint64_t until, bool zero);
/* The next piece of *R, whose beginning moves on. */
extern void range_cut (struct copy *c, struct range *r, struct task *t);

/* --- worker.c --- */

/* A thread with its own lanes of both sides. */
struct worker *worker_new (struct copy *c, unsigned index, unsigned nr_workers);
extern void worker_free (struct worker *w);
/* Until there is nothing left to do, or c->stop. */
extern void worker_run (struct worker *w);
extern bool worker_busy (struct worker *w);
/* One request, waited for: its error. */
extern int worker_do (struct worker *w, unsigned side, struct op *op);
/* Two at once. */
extern void worker_ask (struct worker *w, struct op *a, struct op *b);

/* --- pipe.c --- */
/* The whole copy if one of the sides is a pipe. */
extern void pipe_copy (struct copy *c, struct worker *w);

/* --- pace.c --- */
extern void pace_init (struct copy *c, unsigned nr_workers);
/* BYTES more are done: find out which size and number of requests is the fastest. */
extern void pace_note (struct copy *c, uint64_t bytes);

#endif /* ZEROFISH_ENGINE_H */
