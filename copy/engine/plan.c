/* The plan of a copy: what both sides say of themselves becomes ranges, and ranges become tasks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"

/* More is asked for when less than this waits; one answer may be much longer. */
enum { LOW_RANGES = 64, HIGH_RANGES = 65536 };
#define LOW_BYTES (UINT64_C (256) << 20)

static uint64_t
down (uint64_t n, uint64_t unit)
{
  return n / unit * unit;
}

static uint64_t
up (uint64_t n, uint64_t unit)
{
  return down (n + unit - 1, unit);
}

void
plan_begin (struct copy *c, enum mode mode, uint64_t end)
{
  c->mode = mode;
  c->pos = 0;
  c->end = end;
  c->queue.head = c->queue.n = 0;
  c->queue.bytes = 0;
  for (int i = 0; i < 2; i++)
    walk_init (&c->walk[i], &c->side[i]);
  if (mode == MODE_MUST_BE_ZERO)
    c->walk[SOURCE].silent = true;      /* nobody asks */
  if (mode == MODE_COPY && c->target_is_zero)
    c->walk[TARGET].silent = true;
}

void
plan_end (struct copy *c)
{
  walk_free (&c->walk[SOURCE]);
  walk_free (&c->walk[TARGET]);
  free (c->queue.r);
  c->queue = (struct queue) { 0 };
}

/* --- the queue --- */

static bool
is_read (enum task_kind kind)
{
  return kind != TASK_ZERO;
}

/* 0, or ENOMEM. */
static int
push (struct queue *q, const struct range *r)
{
  struct range *last = q->n > 0 ? &q->r[q->head + q->n - 1] : NULL, *grown;

  q->bytes += is_read (r->kind) ? r->length : 0;
  if (last != NULL && last->kind == r->kind && last->state == r->state
      && last->offset + last->length == r->offset) {
    last->length += r->length;
    return 0;
  }
  if (q->head > 0 && q->head + q->n == q->allocated) {
    memmove (q->r, q->r + q->head, q->n * sizeof *q->r);
    q->head = 0;
  }
  if (q->head + q->n == q->allocated) {
    size_t n = q->allocated ? 2 * q->allocated : 256;

    if ((grown = realloc (q->r, n * sizeof *grown)) == NULL)
      return ENOMEM;
    q->r = grown;
    q->allocated = n;
  }
  q->r[q->head + q->n++] = *r;
  return 0;
}

/* --- cutting tasks --- */

static uint64_t
task_size (struct copy *c, enum task_kind kind)
{
  const struct side *t = &c->side[TARGET];

  if (kind != TASK_ZERO)
    return c->request_size;
  return down (__atomic_load_n (&t->max_zero, __ATOMIC_RELAXED), c->grain);
}

/* Reads end at multiples of their size, so that the next ones are aligned. */
static uint64_t
piece (struct copy *c, const struct range *r)
{
  const uint64_t size = task_size (c, r->kind), length = r->length;
  const uint64_t n = r->kind == TASK_ZERO ? size : size - r->offset % size;

  return n < length ? n : length;
}

void
range_cut (struct copy *c, struct range *r, struct task *t)
{
  const uint64_t n = piece (c, r);

  *t = (struct task) { .kind = r->kind, .offset = r->offset, .length = n, .nr_runs = 1 };
  t->runs[0].state = r->state;
  t->runs[0].length = n;
  r->offset += n;
  r->length -= n;
}

/* A task of the queue's first range, and of those that follow it without a gap. */
static void
cut_first (struct copy *c, struct task *t)
{
  struct queue *q = &c->queue;
  const uint64_t size = task_size (c, q->r[q->head].kind);

  range_cut (c, &q->r[q->head], t);
  q->bytes -= is_read (t->kind) ? t->length : 0;
  while (q->r[q->head].length == 0) {
    struct range *next = &q->r[q->head + 1];
    uint64_t n;

    q->head++;
    if (--q->n == 0 || t->kind != TASK_COPY || next->kind != TASK_COPY || t->nr_runs == MAX_RUNS
        || next->offset != t->offset + t->length || next->offset % size == 0)
      break;
    n = piece (c, next);
    t->runs[t->nr_runs].state = next->state;
    t->runs[t->nr_runs++].length = n;
    t->length += n;
    next->offset += n;
    next->length -= n;
    q->bytes -= n;
  }
}

/* --- from extents to ranges --- */

/* What is to be done where the source is zero. */
static enum task_kind
zeroing (struct copy *c, enum state state)
{
  const struct side *t = &c->side[TARGET];

  if (c->o.allocated)
    return t->can_zero && !c->slow_zero ? TASK_ZERO : TASK_FILL;
  return state == STATE_UNKNOWN || !t->can_zero || c->slow_zero ? TASK_CHECK : TASK_ZERO;
}

/* False: there is nothing to be done. */
static bool
decide (struct copy *c, bool zero, enum state state, enum task_kind *kind)
{
  switch (c->mode) {
  case MODE_MUST_BE_ZERO:
    *kind = TASK_EXPECT_TARGET;
    return state != STATE_ZERO;
  case MODE_COPY:
    *kind = zero ? zeroing (c, state) : TASK_COPY;
    return !(zero && state == STATE_ZERO);
  case MODE_VERIFY:
    *kind = zero ? TASK_EXPECT_TARGET : state == STATE_ZERO ? TASK_EXPECT_SOURCE : TASK_COMPARE;
    return !(zero && state == STATE_ZERO);
  }
  return false;
}

static enum state
target_state (struct copy *c, uint64_t pos, uint64_t *until)
{
  unsigned flags;

  if (c->mode == MODE_COPY && c->target_is_zero) {
    *until = c->end;
    return c->o.allocated ? STATE_UNKNOWN : STATE_ZERO;
  }
  flags = walk_look (&c->walk[TARGET], pos, until);
  if (c->walk[TARGET].silent)
    return STATE_UNKNOWN;
  if (!(flags & EXTENT_ZERO))
    return STATE_DATA;
  return c->mode == MODE_COPY && c->o.allocated && (flags & EXTENT_HOLE) ? STATE_DATA : STATE_ZERO;
}

static bool
source_zero (struct copy *c, uint64_t pos, uint64_t *until)
{
  if (c->mode == MODE_MUST_BE_ZERO) {
    *until = c->end;
    return false;
  }
  return walk_look (&c->walk[SOURCE], pos, until) & EXTENT_ZERO;
}

uint64_t
plan_round (struct copy *c, uint64_t pos, uint64_t until, bool zero)
{
  if (until >= c->end)
    return c->end;
  until = zero ? down (until, c->grain) : up (until, c->grain);
  return until < pos ? pos : until < c->end ? until : c->end;
}

/* One range more, from c->pos on, which both sides know. */
static int
plan_step (struct copy *c)
{
  struct range r = { .offset = c->pos };
  uint64_t source_end, target_end, end;
  bool zero = source_zero (c, c->pos, &source_end);

  r.state = target_state (c, c->pos, &target_end);
  source_end = plan_round (c, c->pos, source_end, zero);
  target_end = plan_round (c, c->pos, target_end, r.state == STATE_ZERO);
  /* Less than a grain of zeroes is no zero. */
  if (source_end == c->pos) {
    zero = false;
    source_end = plan_round (c, c->pos, c->pos + 1, false);
  }
  if (target_end == c->pos) {
    r.state = STATE_DATA;
    target_end = plan_round (c, c->pos, c->pos + 1, false);
  }
  end = source_end < target_end ? source_end : target_end;
  r.length = end - c->pos;
  c->pos = end;
  if (!decide (c, zero, r.state, &r.kind)) {
    c->skipped += c->mode == MODE_COPY ? r.length : 0;
    return 0;
  }
  if (r.kind != TASK_COPY)
    r.state = STATE_UNKNOWN;
  return push (&c->queue, &r);
}

/* Is nothing known of what comes next? */
static bool
must_ask (struct copy *c)
{
  return (!c->walk[SOURCE].silent && c->pos >= c->walk[SOURCE].known)
    || (!c->walk[TARGET].silent && c->pos >= c->walk[TARGET].known);
}

/* Ask what must be asked, without the lock, since the answers take their time. */
static void
ask (struct copy *c, struct worker *w)
{
  struct op *op[2] = { NULL, NULL };

  for (int i = 0; i < 2; i++)
    if (walk_must_ask (&c->walk[i], c->pos, c->end))
      op[i] = &c->walk[i].op;
  pthread_mutex_unlock (&c->lock);
  worker_ask (w, op[SOURCE], op[TARGET]);
  pthread_mutex_lock (&c->lock);
  for (int i = 0; i < 2; i++)
    if (op[i] != NULL && !c->stop)
      walk_answered (&c->walk[i]);
}

static void
fill (struct copy *c, struct worker *w)
{
  int err = 0;

  c->filling = true;
  if (must_ask (c))
    ask (c, w);
  while (err == 0 && !c->stop && c->pos < c->end && !must_ask (c) && c->queue.n < HIGH_RANGES)
    err = plan_step (c);
  c->filling = false;
  pthread_cond_broadcast (&c->changed);
  if (err != 0) {
    pthread_mutex_unlock (&c->lock);
    copy_fail (c, err, "out of memory");
    pthread_mutex_lock (&c->lock);
  }
}

static void
wait_a_moment (struct copy *c)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  t.tv_nsec += 50 * 1000000;
  if (t.tv_nsec >= 1000000000) {
    t.tv_sec++;
    t.tv_nsec -= 1000000000;
  }
  pthread_cond_timedwait (&c->changed, &c->lock, &t);
}

enum taken
plan_take (struct copy *c, struct worker *w, struct task *t)
{
  struct queue *q = &c->queue;
  enum taken r = TAKE_NONE;

  pthread_mutex_lock (&c->lock);
  while (!c->stop) {
    if (!c->filling && c->pos < c->end && q->n < LOW_RANGES && q->bytes < LOW_BYTES)
      fill (c, w);
    else if (q->n > 0) {
      cut_first (c, t);
      r = TAKEN;
      break;
    }
    else if (!c->filling)
      break;
    else if (worker_busy (w)) {
      r = TAKE_LATER;
      break;
    }
    else
      wait_a_moment (c);
  }
  pthread_mutex_unlock (&c->lock);
  return r;
}
