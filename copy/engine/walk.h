/* What a side says of itself: a list that is asked for piece by piece and walked once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_WALK_H
#define ZEROFISH_WALK_H

#include "side.h"

/* Add to the answer; like neighbours become one.  0, or ENOMEM. */
extern int extents_add (struct extents *x, uint64_t length, unsigned flags);

/* A walk over one side, always forward. */
struct walk {
  struct side *side;
  struct op op;                 /* the question under way */
  struct extents answer;
  uint64_t known;               /* up to here there is an answer */
  uint64_t start;               /* of extent I of the answer */
  size_t i;
  uint64_t window;              /* bytes that the next question is about */
  bool silent;                  /* it cannot tell, or no longer */
};

extern void walk_init (struct walk *w, struct side *s);
extern void walk_free (struct walk *w);

/* Does POS need a question?  Then fill in w->op for the rest up to END. */
extern bool walk_must_ask (struct walk *w, uint64_t pos, uint64_t end);
/* The question was answered, well or not. */
extern void walk_answered (struct walk *w);
/* The flags at POS, which is known, and in *UNTIL where they end. */
extern unsigned walk_look (struct walk *w, uint64_t pos, uint64_t *until);

#endif /* ZEROFISH_WALK_H */
