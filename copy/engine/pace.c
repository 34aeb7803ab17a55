/* How large requests are and how many are under way: found out while copying.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "engine.h"

/* Memory of all buffers together. */
#define BUFFERS         (48u << 20)

/* What is tried, best guess first. */
static const struct { unsigned size, depth; } steps[] = {
  { 256 << 10, 16 }, { 512 << 10, 8 }, { 1 << 20, 8 }, { 256 << 10, 4 }, { 2 << 20, 8 },
};

static unsigned
least (unsigned a, unsigned b)
{
  return a < b ? a : b;
}

void
pace_init (struct copy *c, unsigned nr_workers)
{
  unsigned size = c->o.request_size ? c->o.request_size : steps[0].size, depth;
  const unsigned max = least (c->side[SOURCE].max_request, c->side[TARGET].max_request);

  while (size > max)
    size /= 2;
  if (size < c->grain)
    size = c->grain;
  depth = least (c->o.requests ? c->o.requests : steps[0].depth, BUFFERS / nr_workers / size);
  c->request_size = size;
  c->depth = depth > 0 ? depth : 1;
  c->o.requests = c->depth;
}

void
pace_note (struct copy *c, uint64_t bytes)
{
  (void) c, (void) bytes;
}
