/* Copies from and to pipes: in order, with reads ahead where the source can do that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "worker.h"

enum { LOOK_MS = 100 };
/* How far behind the end of a raw file its holes are asked for, which it will have. */
#define FURTHER (UINT64_C (1) << 30)

/* Wait for the pipe; the other end may take its time, so that only the user ends this. */
static bool
wait_pipe (struct copy *c, int fd, short events)
{
  struct pollfd p = { .fd = fd, .events = events };

  while (!c->stop) {
    if (poll (&p, 1, LOOK_MS) > 0)
      return true;
    copy_look (c);
  }
  return false;
}

/* --- from a pipe --- */

/* Up to MAX bytes; fewer only at the end. */
static uint64_t
read_piece (struct copy *c, unsigned char *buf, uint64_t max)
{
  uint64_t done = 0;
  ssize_t n = 1;

  while (done < max && n != 0 && wait_pipe (c, c->side[SOURCE].fd, POLLIN)) {
    n = read (c->side[SOURCE].fd, buf + done, max - done);
    if (n > 0)
      done += n;
    else if (n == -1 && errno != EINTR && errno != EAGAIN)
      copy_fail (c, errno, "%s: reading at offset %llu: %s", c->side[SOURCE].name,
                 (unsigned long long) (c->read + done), strerror (errno));
  }
  return done;
}

/* What the target holds where the task is going to write, so that zeroes that are there are not written. */
static void
look_at_target (struct copy *c, struct worker *w, struct task *t)
{
  const struct side *target = &c->side[TARGET];
  struct walk *k = &c->walk[TARGET];
  uint64_t pos = t->offset, end = t->offset + t->length, until;
  bool zero;

  for (t->nr_runs = 0; pos < end; pos = until, t->nr_runs++) {
    if (walk_must_ask (k, pos, target->set_size ? pos + FURTHER : target->size)) {
      worker_ask (w, NULL, &k->op);
      if (c->stop)
        break;
      walk_answered (k);
    }
    zero = c->target_is_zero || (walk_look (k, pos, &until) & EXTENT_ZERO);
    until = plan_round (c, pos, c->target_is_zero ? end : until, zero);
    if (until == pos) {
      zero = false;
      until = plan_round (c, pos, pos + 1, false);
    }
    /* The rest of too many pieces counts as data. */
    if (t->nr_runs == MAX_RUNS - 1 && until < end) {
      zero = false;
      until = end;
    }
    until = until < end ? until : end;
    t->runs[t->nr_runs].state = zero ? STATE_ZERO : k->silent ? STATE_UNKNOWN : STATE_DATA;
    t->runs[t->nr_runs].length = until - pos;
  }
}

/* A slot in which nothing is going on. */
static struct slot *
free_slot (struct copy *c, struct worker *w)
{
  while (!c->stop) {
    worker_begin_later (w);
    while (worker_advance (w))
      ;
    for (unsigned i = 0; i < w->nr_slots; i++)
      if (w->slots[i].phase == SLOT_FREE && w->nr_todo == 0)
        return &w->slots[i];
    worker_poll (w, LOOK_MS);
    copy_look (c);
  }
  return NULL;
}

static void
finish_slots (struct copy *c, struct worker *w)
{
  while (!c->stop && (w->busy_slots > 0 || w->nr_todo > 0)) {
    worker_begin_later (w);
    while (worker_advance (w))
      ;
    worker_poll (w, LOOK_MS);
    copy_look (c);
  }
}

/* The N bytes in the slot's buffer begin at OFFSET. */
static void
begin_write (struct copy *c, struct worker *w, struct slot *s, uint64_t offset, uint64_t n)
{
  const unsigned align = c->side[TARGET].align;
  const uint64_t whole = n / align * align;

  if (whole < n && c->side[TARGET].size >= offset + whole + align)
    copy_rest (c, w, offset + whole, n - whole, s->buf + whole);
  else if (whole < n)
    copy_fail (c, ENOSPC, "%s: its end is not large enough for the last %llu bytes", c->side[TARGET].name,
               (unsigned long long) (n - whole));
  s->t = (struct task) { .kind = TASK_COPY, .offset = offset, .length = whole };
  s->pos = 0;
  look_at_target (c, w, &s->t);
  if (whole == 0 || c->stop)
    return;
  s->phase = SLOT_WRITING;
  w->busy_slots++;
}

static void
from_pipe (struct copy *c, struct worker *w)
{
  const struct side *t = &c->side[TARGET];
  const unsigned size = c->request_size;
  uint64_t offset = 0, n = size;
  struct slot *s;

  plan_begin (c, MODE_COPY, UINT64_MAX);
  while (n == size && (s = free_slot (c, w)) != NULL && slot_buffer (w, &s->buf, &s->buf_size, size)) {
    n = read_piece (c, s->buf, size);
    w->heard_ms = zfi_now_ms ();
    if (c->stop)
      break;
    c->read += n;
    if (!t->set_size && (offset > t->size || n > t->size - offset))
      copy_fail (c, ENOSPC, "%s has %llu bytes, and more than that came from the pipe", t->name,
                 (unsigned long long) t->size);
    else
      begin_write (c, w, s, offset, n);
    offset += n;
  }
  finish_slots (c, w);
  plan_end (c);
  c->side[SOURCE].size = c->read;
  copy_set_size (c);
}

/* --- to a pipe --- */

/* So much can be written without waiting: all of an empty pipe, else a page. */
static size_t
pipe_room (int fd)
{
  int used = 0, room = fcntl (fd, F_GETPIPE_SZ);

  if (room == -1)
    return 1 << 20;             /* no pipe */
  return ioctl (fd, FIONREAD, &used) == 0 && used == 0 && room > 4096 ? room : 4096;
}

static void
write_piece (struct copy *c, const unsigned char *p, uint64_t n)
{
  const struct side *t = &c->side[TARGET];

  while (n > 0 && wait_pipe (c, t->fd, POLLOUT)) {
    const size_t room = pipe_room (t->fd);
    ssize_t r = write (t->fd, p, n < room ? n : room);

    if (r > 0) {
      p += r;
      n -= r;
      c->written += r;
    }
    else if (r == -1 && errno != EINTR && errno != EAGAIN)
      copy_fail (c, errno, "%s: writing at offset %llu: %s", t->name, (unsigned long long) c->written,
                 strerror (errno));
  }
}

/* Zeroes are written without having been read. */
static void
write_zeroes (struct copy *c, uint64_t n)
{
  static const unsigned char zeroes[64 << 10];

  while (n > 0 && !c->stop) {
    const uint64_t k = n < sizeof zeroes ? n : sizeof zeroes;

    write_piece (c, zeroes, k);
    n -= k;
    copy_look (c);
  }
}

/* Begin the next piece at *POS in slot S. */
static void
read_ahead (struct copy *c, struct worker *w, struct slot *s, uint64_t *pos)
{
  struct walk *k = &c->walk[SOURCE];
  uint64_t until;
  bool zero;

  if (walk_must_ask (k, *pos, c->end)) {
    worker_ask (w, &k->op, NULL);
    if (c->stop)
      return;
    walk_answered (k);
  }
  zero = walk_look (k, *pos, &until) & EXTENT_ZERO;
  until = plan_round (c, *pos, until, zero);
  if (until == *pos) {
    zero = false;
    until = plan_round (c, *pos, *pos + 1, false);
  }
  s->t = (struct task) { .kind = zero ? TASK_FILL : TASK_COPY, .offset = *pos, .length = until - *pos };
  if (!zero) {
    if (s->t.length > c->request_size)
      s->t.length = c->request_size;
    if (!slot_buffer (w, &s->buf, &s->buf_size, s->t.length))
      return;
    s->main = (struct op) { .kind = OP_READ, .offset = *pos, .count = s->t.length, .buf = s->buf };
    worker_start (w, SOURCE, &s->main);
  }
  s->phase = SLOT_READING;
  *pos += s->t.length;
}

/* The oldest piece, as soon as it is there. */
static void
write_oldest (struct copy *c, struct worker *w, struct slot *s)
{
  while (!worker_over (w, &s->main) && !c->stop) {
    worker_poll (w, LOOK_MS);
    copy_look (c);
  }
  if (c->stop)
    return;
  if (s->t.kind == TASK_FILL)
    write_zeroes (c, s->t.length);
  else if (s->main.err != 0)
    worker_failed (w, &s->main);
  else {
    c->read += s->t.length;
    write_piece (c, s->buf, s->t.length);
  }
  s->phase = SLOT_FREE;
  w->heard_ms = zfi_now_ms ();
}

static void
to_pipe (struct copy *c, struct worker *w)
{
  uint64_t pos = 0;
  unsigned first = 0, n = 0;

  plan_begin (c, MODE_COPY, c->side[SOURCE].size);
  while (!c->stop && (pos < c->end || n > 0)) {
    while (!c->stop && pos < c->end && n < w->nr_slots)
      read_ahead (c, w, &w->slots[(first + n++) % w->nr_slots], &pos);
    if (c->stop)
      break;
    write_oldest (c, w, &w->slots[first]);
    first = (first + 1) % w->nr_slots;
    n--;
    copy_look (c);
  }
  plan_end (c);
}

static void
pipe_to_pipe (struct copy *c, struct worker *w)
{
  struct slot *s = &w->slots[0];
  const unsigned size = c->request_size;
  uint64_t n = size;

  if (!slot_buffer (w, &s->buf, &s->buf_size, size))
    return;
  while (n == size && !c->stop) {
    n = read_piece (c, s->buf, size);
    c->read += n;
    write_piece (c, s->buf, n);
    copy_look (c);
  }
  c->side[SOURCE].size = c->read;
}

void
pipe_copy (struct copy *c, struct worker *w)
{
  if (!c->side[SOURCE].pipe)
    to_pipe (c, w);
  else if (c->side[TARGET].pipe)
    pipe_to_pipe (c, w);
  else
    from_pipe (c, w);
  copy_flush (c, w);
}
