/* Carrying out a task: read, look for zeroes, write what is none.
 *
 * Nothing is written that was not read: a buffer is looked at only after its read has ended well, and
 * then only as far as that read filled it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"
#include "zero-scan.h"

/* Zeroes between data go along with it where the target has space for them anyway. */
enum { SHORT_GAP = 32 << 10, ZEROES = 256 << 10, FALL_BACK = 32 << 20 };

static const unsigned char zeroes[ZEROES];

/* --- beginning --- */

bool
slot_buffer (struct worker *w, unsigned char **buf, size_t *size, size_t n)
{
  void *p;

  if (*size >= n)
    return true;
  free (*buf);
  *buf = NULL;
  *size = 0;
  if (posix_memalign (&p, 4096, n) != 0) {
    copy_fail (w->c, ENOMEM, "out of memory");
    return false;
  }
  *buf = p;
  *size = n;
  return true;
}

static void
begin_read (struct worker *w, struct slot *s, unsigned side, struct op *op, unsigned char **buf, size_t *size)
{
  if (!slot_buffer (w, buf, size, s->t.length))
    return;
  *op = (struct op) { .kind = OP_READ, .offset = s->t.offset, .count = s->t.length, .buf = *buf };
  worker_start (w, side, op);
}

static void
begin_zero (struct worker *w, struct op *op, uint64_t offset, uint64_t length, unsigned flags)
{
  *op = (struct op) { .kind = OP_ZERO, .offset = offset, .count = length, .flags = flags };
  worker_start (w, TARGET, op);
}

static unsigned
zero_flags (struct worker *w)
{
  return (w->c->o.allocated ? ZERO_KEEP : 0) | (w->c->side[TARGET].can_fast_zero ? ZERO_FAST : 0);
}

void
slot_begin (struct worker *w, struct slot *s)
{
  s->phase = SLOT_READING;
  s->pos = 0;
  s->second.started = false;
  for (unsigned i = 0; i < MAX_SUBS; i++)
    s->sub[i].started = false;
  switch (s->t.kind) {
  case TASK_COPY:
  case TASK_EXPECT_SOURCE:
    begin_read (w, s, SOURCE, &s->main, &s->buf, &s->buf_size);
    break;
  case TASK_CHECK:
  case TASK_EXPECT_TARGET:
    begin_read (w, s, TARGET, &s->main, &s->buf, &s->buf_size);
    break;
  case TASK_COMPARE:
    begin_read (w, s, SOURCE, &s->main, &s->buf, &s->buf_size);
    begin_read (w, s, TARGET, &s->second, &s->other, &s->other_size);
    break;
  case TASK_ZERO:
    begin_zero (w, &s->main, s->t.offset, s->t.length, zero_flags (w));
    break;
  case TASK_FILL:
    s->main.started = false;
    s->phase = SLOT_WRITING;
    break;
  }
}

/* --- after a read: writing --- */

static struct op *
free_sub (struct worker *w, struct slot *s)
{
  for (unsigned i = 0; i < MAX_SUBS; i++)
    if (worker_over (w, &s->sub[i]))
      return &s->sub[i];
  return NULL;
}

/* What the target is at POS of the task, and in *LEFT how much further. */
static enum state
state_at (const struct slot *s, uint64_t pos, uint64_t *left)
{
  unsigned i = 0;

  while (pos >= s->t.runs[i].length)
    pos -= s->t.runs[i++].length;
  *left = s->t.runs[i].length - pos;
  return s->t.runs[i].state;
}

/* Length of the run of like blocks at POS, blocks being at multiples of c->block of the disk. */
static uint64_t
run_at (struct worker *w, const struct slot *s, uint64_t pos, bool *zero)
{
  const unsigned block = w->c->block;
  const uint64_t left = s->t.length - pos, to_block = block - (s->t.offset + pos) % block;

  if (to_block < block) {
    const uint64_t n = to_block < left ? to_block : left;

    *zero = zero_scan_is_zero (s->buf + pos, n);
    return n;
  }
  return zero_scan_run (s->buf + pos, left, block, zero);
}

/* A run of data, with the short gaps that may go along. */
static uint64_t
data_run (struct worker *w, const struct slot *s, uint64_t pos, uint64_t n)
{
  uint64_t gap, left;
  bool zero;

  while (pos + n < s->t.length) {
    gap = run_at (w, s, pos + n, &zero);
    if (zero && (gap >= SHORT_GAP || pos + n + gap >= s->t.length
                 || state_at (s, pos + n, &left) != STATE_DATA || left < gap))
      break;
    n += gap;
  }
  return n;
}

static void
write_run (struct worker *w, struct slot *s, struct op *op, uint64_t n)
{
  *op = (struct op) { .kind = OP_WRITE, .offset = s->t.offset + s->pos, .count = n, .buf = s->buf + s->pos };
  w->c->written += n;
  worker_start (w, TARGET, op);
}

/* Zeroes of the source that nobody knew of before. */
static void
zero_run (struct worker *w, struct slot *s, struct op *op, uint64_t n, enum state state)
{
  const uint64_t offset = s->t.offset + s->pos;

  if (state == STATE_ZERO)
    w->c->skipped += n;
  else if (state == STATE_UNKNOWN || !w->c->side[TARGET].can_zero)
    worker_later (w, TASK_CHECK, offset, n);
  else {
    w->c->zeroed += n;
    begin_zero (w, op, offset, n, 0);
  }
}

/* One request more for data that was read. */
static void
copy_step (struct worker *w, struct slot *s, struct op *op)
{
  enum state state;
  uint64_t n, left;
  bool zero;

  if (w->c->o.allocated) {
    n = s->t.length - s->pos;
    zero = false;
  }
  else
    n = run_at (w, s, s->pos, &zero);
  if (zero) {
    state = state_at (s, s->pos, &left);
    n = n < left ? n : left;
    zero_run (w, s, op, n, state);
  }
  else {
    n = w->c->o.allocated ? n : data_run (w, s, s->pos, n);
    write_run (w, s, op, n);
  }
  s->pos += n;
}

/* What the target holds is zeroed where it is not zero. */
static void
check_step (struct worker *w, struct slot *s, struct op *op)
{
  bool zero = false;
  uint64_t n;

  if (s->t.kind == TASK_CHECK)
    n = run_at (w, s, s->pos, &zero);
  else
    n = s->t.length - s->pos;
  if (zero)
    w->c->skipped += n;
  else if (s->t.kind == TASK_CHECK && w->c->side[TARGET].can_zero) {
    w->c->zeroed += n;
    begin_zero (w, op, s->t.offset + s->pos, n, 0);
  }
  else {
    n = n < ZEROES ? n : ZEROES;
    *op = (struct op) { .kind = OP_WRITE, .offset = s->t.offset + s->pos, .count = n,
                        .buf = (unsigned char *) zeroes };
    w->c->zeroed += n;
    worker_start (w, TARGET, op);
  }
  s->pos += n;
}

/* --- after a read: comparing --- */

static void
differs (struct worker *w, const struct slot *s, const unsigned char *other)
{
  uint64_t i = 0;

  while (i < s->t.length && s->buf[i] == (other ? other[i] : 0))
    i++;
  if (w->c->mode == MODE_MUST_BE_ZERO)
    copy_fail (w->c, EEXIST, "%s is not all zero: there is data at offset %llu; nothing was written",
               w->c->side[TARGET].name, (unsigned long long) (s->t.offset + i));
  else
    copy_fail (w->c, EIO, "%s: the copy differs from the source at offset %llu", w->c->side[TARGET].name,
               (unsigned long long) (s->t.offset + i));
}

static void
compare (struct worker *w, struct slot *s)
{
  if (s->t.kind == TASK_COMPARE) {
    if (memcmp (s->buf, s->other, s->t.length) != 0)
      differs (w, s, s->other);
  }
  else if (!zero_scan_is_zero (s->buf, s->t.length))
    differs (w, s, NULL);
}

/* --- moving on --- */

/* A zeroing request has ended.  Where it would be slow, or is too large for the server, there are other
 * ways. */
static void
zeroed (struct worker *w, struct slot *s)
{
  struct side *t = &w->c->side[TARGET];
  const int err = s->main.err;

  if (err == 0)
    w->c->zeroed += s->t.length;
  else if ((err == ENOTSUP || err == EOPNOTSUPP) && (s->main.flags & ZERO_FAST)) {
    w->c->slow_zero = true;
    worker_later (w, w->c->o.allocated ? TASK_FILL : TASK_CHECK, s->t.offset, s->t.length);
  }
  else if ((err == EINVAL || err == EOVERFLOW || err == ENOMEM) && s->t.length > FALL_BACK) {
    __atomic_store_n (&t->max_zero, FALL_BACK, __ATOMIC_RELAXED);
    worker_later (w, TASK_ZERO, s->t.offset, s->t.length);
  }
  else
    worker_failed (w, &s->main);
}

/* The reads have ended. */
static void
have_read (struct worker *w, struct slot *s)
{
  const bool target = s->t.kind == TASK_CHECK || s->t.kind == TASK_EXPECT_TARGET;

  if (s->main.err != 0 || s->second.err != 0) {
    worker_failed (w, s->main.err != 0 ? &s->main : &s->second);
    return;
  }
  if ((target || s->t.kind == TASK_COMPARE) && w->c->mode != MODE_VERIFY)
    w->c->checked += s->t.length;
  if (!target && w->c->mode == MODE_COPY)
    w->c->read += s->t.length;
  if (s->t.kind == TASK_COPY || s->t.kind == TASK_CHECK)
    s->phase = SLOT_WRITING;
  else {
    compare (w, s);
    s->phase = SLOT_FREE;
  }
}

/* True when every request of the slot has ended; failures are reported. */
static bool
subs_over (struct worker *w, struct slot *s)
{
  bool all = true;

  for (unsigned i = 0; i < MAX_SUBS; i++) {
    const bool was = s->sub[i].started;

    if (!worker_over (w, &s->sub[i]))
      all = false;
    else if (was && s->sub[i].err != 0)
      worker_failed (w, &s->sub[i]);
  }
  return all;
}

static bool
advance_write (struct worker *w, struct slot *s)
{
  bool moved = false, over = subs_over (w, s);
  struct op *op;

  while (s->pos < s->t.length && !w->c->stop && (op = free_sub (w, s)) != NULL) {
    if (s->t.kind == TASK_COPY)
      copy_step (w, s, op);
    else
      check_step (w, s, op);
    moved = true;
    over = subs_over (w, s);
  }
  if (s->pos == s->t.length && over) {
    s->phase = SLOT_FREE;
    pace_note (w->c, s->t.length);
    return true;
  }
  return moved;
}

bool
slot_advance (struct worker *w, struct slot *s)
{
  if (s->phase == SLOT_WRITING)
    return advance_write (w, s);
  if (!worker_over (w, &s->main) || !worker_over (w, &s->second))
    return false;
  if (s->t.kind == TASK_ZERO) {
    s->phase = SLOT_FREE;
    zeroed (w, s);
  }
  else
    have_read (w, s);
  return true;
}

/* Under way on side WHERE (or on any), or failed without having been looked at. */
static bool
waits (const struct op *op, const struct side *where)
{
  return op->started && (!op->done || op->err != 0) && (where == NULL || op->side == where);
}

const struct op *
worker_any_op (struct worker *w, const struct side *where)
{
  if (w->asking != NULL && waits (w->asking, where))
    return w->asking;
  for (unsigned i = 0; i < w->nr_slots; i++) {
    const struct slot *s = &w->slots[i];

    if (s->phase == SLOT_FREE)
      continue;
    if (waits (&s->main, where))
      return &s->main;
    if (waits (&s->second, where))
      return &s->second;
    for (unsigned k = 0; k < MAX_SUBS; k++)
      if (waits (&s->sub[k], where))
        return &s->sub[k];
  }
  return NULL;
}
