/* A worker: a thread that keeps requests under way on its own lanes, and carries out tasks with them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

enum { LOOK_MS = 100, SOON_MS = 1 };

struct worker *
worker_new (struct copy *c, unsigned index, unsigned nr_workers)
{
  struct worker *w = calloc (1, sizeof *w);

  if (w == NULL)
    return NULL;
  w->c = c;
  for (unsigned i = 0; i < 2; i++)
    for (unsigned lane = index; lane < c->side[i].nr_lanes; lane += nr_workers)
      w->lanes[i][w->nr_lanes[i]++] = lane;
  w->nr_slots = c->o.requests;
  if ((w->slots = calloc (w->nr_slots, sizeof *w->slots)) != NULL)
    return w;
  free (w);
  return NULL;
}

void
worker_free (struct worker *w)
{
  if (w == NULL)
    return;
  for (unsigned i = 0; i < w->nr_slots; i++) {
    free (w->slots[i].buf);
    free (w->slots[i].other);
  }
  free (w->slots);
  free (w->todo);
  free (w);
}

bool
worker_busy (struct worker *w)
{
  return w->busy_slots > 0;
}

/* --- requests --- */

/* The lane with the least to do. */
static unsigned
choose_lane (struct worker *w, unsigned side)
{
  const struct side *s = &w->c->side[side];
  unsigned best = w->lanes[side][0];

  for (unsigned i = 1; i < w->nr_lanes[side]; i++)
    if (s->lanes[w->lanes[side][i]].busy < s->lanes[best].busy)
      best = w->lanes[side][i];
  return best;
}

void
worker_start (struct worker *w, unsigned side, struct op *op)
{
  struct side *s = &w->c->side[side];

  op->side = s;
  op->lane = choose_lane (w, side);
  op->started = true;
  op->done = false;
  op->err = 0;
  if (w->flying++ == 0)
    w->heard_ms = zfi_now_ms ();
  s->lanes[op->lane].busy++;
  s->ops->start (s, op->lane, op);
}

bool
worker_over (struct worker *w, struct op *op)
{
  if (!op->started)
    return true;
  if (!op->done)
    return false;
  op->started = false;
  op->side->lanes[op->lane].busy--;
  w->flying--;
  w->heard_ms = zfi_now_ms ();
  return true;
}

/* --- waiting --- */

/* What OP, or something on S, met with. */
static void
op_failed (struct worker *w, const struct side *s, const struct op *op, int err, const char *what)
{
  if (op == NULL)
    copy_fail (w->c, err, "%s: %s", s->name, what);
  else
    copy_fail (w->c, err, "%s: %s %llu bytes at offset %llu: %s", op->side->name, side_verb (op->kind),
               (unsigned long long) op->count, (unsigned long long) op->offset, what);
}

void
worker_failed (struct worker *w, const struct op *op)
{
  op_failed (w, op->side, op, op->err, strerror (op->err));
}

/* The request that has waited longest is not known; any that waits will do. */
static void
timed_out (struct worker *w)
{
  char what[64];

  snprintf (what, sizeof what, "no answer for %u seconds", w->c->o.timeout);
  op_failed (w, &w->c->side[SOURCE], worker_any_op (w, NULL), ETIMEDOUT, what);
}

/* Its requests have failed with it; any of them says where. */
static void
lane_died (struct worker *w, struct side *s, int err)
{
  char what[128];

  snprintf (what, sizeof what, "the connection was lost: %s", strerror (err));
  op_failed (w, s, worker_any_op (w, s), err, what);
}

void
worker_poll (struct worker *w, int ms)
{
  struct pollfd p[2 * MAX_LANES];
  struct { struct side *s; unsigned lane; } who[2 * MAX_LANES];
  nfds_t n = 0;

  for (unsigned i = 0; i < 2; i++)
    for (unsigned k = 0; k < w->nr_lanes[i]; k++) {
      who[n].s = &w->c->side[i];
      who[n].lane = w->lanes[i][k];
      p[n] = (struct pollfd) { .fd = -1 };
      if (who[n].s->lanes[who[n].lane].busy == 0)
        continue;
      who[n].s->ops->pollfd (who[n].s, who[n].lane, &p[n]);
      n += p[n].fd != -1;
    }
  if (n == 0)
    return;
  if (poll (p, n, ms) > 0)
    for (nfds_t i = 0; i < n; i++)
      if (p[i].revents != 0 && who[i].s->ops->notify (who[i].s, who[i].lane, p[i].revents) == -1)
        lane_died (w, who[i].s, errno);
  if (w->flying > 0 && zfi_now_ms () - w->heard_ms > (int64_t) w->c->o.timeout * 1000)
    timed_out (w);
}

void
worker_ask (struct worker *w, struct op *a, struct op *b)
{
  struct op *const ops[2] = { a, b };
  bool over[2];

  for (unsigned i = 0; i < 2; i++)
    if (ops[i] != NULL)
      worker_start (w, i, ops[i]);
  w->asking = a && !a->done ? a : b;
  do {
    for (unsigned i = 0; i < 2; i++)
      over[i] = ops[i] == NULL || worker_over (w, ops[i]);
    if (!over[0] || !over[1])
      worker_poll (w, LOOK_MS);
  } while (!(over[0] && over[1]) && !w->c->stop);
  w->asking = NULL;
}

int
worker_do (struct worker *w, unsigned side, struct op *op)
{
  worker_ask (w, side == SOURCE ? op : NULL, side == TARGET ? op : NULL);
  return op->started ? ECANCELED : op->err;
}

/* --- the loop --- */

static void
add_todo (struct worker *w, const struct range *r)
{
  struct range *grown;

  if (w->nr_todo == w->todo_allocated) {
    size_t n = w->todo_allocated ? 2 * w->todo_allocated : 64;

    if ((grown = realloc (w->todo, n * sizeof *grown)) == NULL) {
      copy_fail (w->c, ENOMEM, "out of memory");
      return;
    }
    w->todo = grown;
    w->todo_allocated = n;
  }
  w->todo[w->nr_todo++] = *r;
}

void
worker_later (struct worker *w, enum task_kind kind, uint64_t offset, uint64_t length)
{
  const struct range r = { .kind = kind, .state = STATE_UNKNOWN, .offset = offset, .length = length };

  add_todo (w, &r);
}

/* What this worker has left over comes first, so that it never grows much. */
static enum taken
next_task (struct worker *w, struct task *t)
{
  if (w->nr_todo == 0)
    return plan_take (w->c, w, t);
  range_cut (w->c, &w->todo[w->nr_todo - 1], t);
  w->nr_todo -= w->todo[w->nr_todo - 1].length == 0;
  return TAKEN;
}

/* Begin as many tasks as may be under way; what could not be begun. */
static enum taken
begin_tasks (struct worker *w)
{
  enum taken r = TAKEN;

  for (unsigned i = 0; i < w->nr_slots && r == TAKEN && !w->c->stop; i++) {
    if (w->busy_slots >= w->c->depth)
      break;
    if (w->slots[i].phase != SLOT_FREE)
      continue;
    if ((r = next_task (w, &w->slots[i].t)) == TAKEN) {
      w->busy_slots++;
      slot_begin (w, &w->slots[i]);
    }
  }
  return r;
}

bool
worker_advance (struct worker *w)
{
  bool moved = false;

  for (unsigned i = 0; i < w->nr_slots && !w->c->stop; i++)
    if (w->slots[i].phase != SLOT_FREE && slot_advance (w, &w->slots[i])) {
      moved = true;
      w->busy_slots -= w->slots[i].phase == SLOT_FREE;
    }
  return moved;
}

void
worker_begin_later (struct worker *w)
{
  for (unsigned i = 0; i < w->nr_slots && w->nr_todo > 0 && !w->c->stop; i++)
    if (w->slots[i].phase == SLOT_FREE && next_task (w, &w->slots[i].t) == TAKEN) {
      w->busy_slots++;
      slot_begin (w, &w->slots[i]);
    }
}

void
worker_run (struct worker *w)
{
  enum taken r;

  do {
    r = begin_tasks (w);
    while (worker_advance (w))
      ;
    if (w->flying > 0)
      worker_poll (w, r == TAKE_LATER ? SOON_MS : LOOK_MS);
  } while (!w->c->stop && (r != TAKE_NONE || w->busy_slots > 0 || w->nr_todo > 0));
}
