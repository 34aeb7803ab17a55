/* What a side says of itself: a list that is asked for piece by piece and walked once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

#define WINDOW_FIRST    (UINT64_C (1) << 30)
#define WINDOW_MIN      (UINT64_C (64) << 10)
/* As much as 32 bits allow, in whole pieces of 64 KiB. */
#define WINDOW_MAX      (UINT64_C (0xffff0000))

int
extents_add (struct extents *x, uint64_t length, unsigned flags)
{
  size_t n = x->allocated ? 2 * x->allocated : 64;
  struct extent *e;

  if (x->n > 0 && x->e[x->n - 1].flags == flags) {
    x->e[x->n - 1].length += length;
    return 0;
  }
  if (x->n == MAX_EXTENTS) {
    x->full = true;
    return 0;
  }
  if (x->n == x->allocated) {
    if ((e = realloc (x->e, n * sizeof *e)) == NULL)
      return ENOMEM;
    x->e = e;
    x->allocated = n;
  }
  x->e[x->n++] = (struct extent) { length, flags };
  return 0;
}

void
walk_init (struct walk *w, struct side *s)
{
  *w = (struct walk) { .side = s, .window = WINDOW_FIRST, .silent = !s->can_extents };
}

void
walk_free (struct walk *w)
{
  free (w->answer.e);
  w->answer.e = NULL;
}

bool
walk_must_ask (struct walk *w, uint64_t pos, uint64_t end)
{
  if (w->silent || pos < w->known)
    return false;
  w->answer.n = 0;
  w->answer.full = false;
  w->i = 0;
  w->start = pos;
  w->op = (struct op) {
    .kind = OP_EXTENTS, .offset = pos, .count = end - pos < w->window ? end - pos : w->window,
    .extents = &w->answer,
  };
  return true;
}

/* Ask for much where little is said, and the other way round: the answer to one question is held in
 * memory.  LENGTH is what this one told of. */
static void
choose_window (struct walk *w, uint64_t length)
{
  if (w->answer.full)
    w->window = length > WINDOW_MIN ? length : WINDOW_MIN;
  else if (w->answer.n >= MAX_EXTENTS / 4 && w->window > WINDOW_MIN)
    w->window /= 2;
  else if (w->answer.n < MAX_EXTENTS / 32 && w->window < WINDOW_MAX)
    w->window = 2 * w->window < WINDOW_MAX ? 2 * w->window : WINDOW_MAX;
}

/* Without an answer the rest counts as data, of which the contents decide. */
void
walk_answered (struct walk *w)
{
  uint64_t length = 0;

  for (size_t i = 0; i < w->answer.n; i++)
    length += w->answer.e[i].length;
  w->known = w->start + (length < w->op.count ? length : w->op.count);
  w->silent = w->op.err != 0 || length == 0;
  choose_window (w, length);
}

unsigned
walk_look (struct walk *w, uint64_t pos, uint64_t *until)
{
  const struct extent *e = w->answer.e;

  if (w->silent) {
    *until = UINT64_MAX;
    return 0;
  }
  while (pos >= w->start + e[w->i].length)
    w->start += e[w->i++].length;
  *until = w->start + e[w->i].length;
  if (*until > w->known)
    *until = w->known;
  return e[w->i].flags;
}
