/* Progress of a copy: a bar for people, lines for programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "zerocp.h"

enum { CELLS = 50 };

static int to = -1;             /* descriptor, -1: nowhere */
static bool bar;
static int last;                /* percent that was shown */

void
progress_begin (const struct options *o)
{
  last = -1;
  to = -1;
  if (!o->progress)
    return;
  bar = o->progress_fd == -1;
  to = bar ? STDERR_FILENO : o->progress_fd;
  if (bar && !isatty (to))
    to = -1;
}

static void
show (int percent)
{
  char text[CELLS + 32], cells[CELLS + 1];
  int n;

  if (to == -1 || percent == last)
    return;
  last = percent;
  if (bar) {
    memset (cells, ' ', CELLS);
    memset (cells, '#', percent * CELLS / 100);
    cells[CELLS] = '\0';
    n = snprintf (text, sizeof text, "\r%3d%% [%s]", percent, cells);
  }
  else
    n = snprintf (text, sizeof text, "%d/100\n", percent);
  if (write (to, text, n) == -1)
    to = -1;                    /* nobody looks any more */
}

void
progress_show (void *opaque, uint64_t position, uint64_t total)
{
  (void) opaque;
  /* All is only said at the end, when it is known to be well. */
  if (total > 0)
    show (position >= total ? 99 : (int) ((double) position / total * 100));
}

void
progress_end (bool ok)
{
  if (ok)
    show (100);
  if (to != -1 && bar && last != -1 && write (to, "\n", 1) == -1)
    to = -1;
}
