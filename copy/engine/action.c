/* The library's action copy_disk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "private-actions.h"

static void
at_progress (void *opaque, uint64_t position, uint64_t total)
{
  const uint64_t numbers[] = { 0, 0, position, total };

  if (total > 0)
    zfi_event (opaque, ZF_EVENT_PROGRESS, NULL, 0, numbers, 4);
}

static bool
cancelled (void *opaque)
{
  return zfi_cancelled (opaque);
}

static int
must_be_zero (zf_handle *h, const struct zf_copy_disk_opts *o, bool *zero)
{
  const char *s = o->bitmask & ZF_COPY_DISK_OPTS_TARGETMUSTBE ? o->targetmustbe : "any";

  *zero = strcmp (s, "zero") == 0;
  return *zero || strcmp (s, "any") == 0 ? 0 : zfi_error (h, EINVAL, "targetmustbe must be zero or any");
}

/* Numbers: 0 and absent ones are chosen by the engine. */
static int
set_numbers (zf_handle *h, const struct zf_copy_disk_opts *o, struct copy_options *c)
{
  const struct { uint64_t bit; int value; unsigned *to; const char *name; } numbers[] = {
    { ZF_COPY_DISK_OPTS_THREADS, o->threads, &c->threads, "threads" },
    { ZF_COPY_DISK_OPTS_CONNECTIONS, o->connections, &c->connections, "connections" },
    { ZF_COPY_DISK_OPTS_REQUESTS, o->requests, &c->requests, "requests" },
    { ZF_COPY_DISK_OPTS_REQUESTSIZE, o->requestsize, &c->request_size, "requestsize" },
    { ZF_COPY_DISK_OPTS_TIMEOUT, o->timeout, &c->timeout, "timeout" },
  };

  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (o->bitmask & numbers[i].bit) {
      if (numbers[i].value < 0)
        return zfi_error (h, EINVAL, "%s must not be negative", numbers[i].name);
      *numbers[i].to = numbers[i].value;
    }
  return 0;
}

static struct zf_copy_stats *
stats_new (zf_handle *h, const struct copy_stats *s)
{
  struct zf_copy_stats *r = calloc (1, sizeof *r);

  if (r == NULL) {
    zfi_perror (h, errno, "out of memory");
    return NULL;
  }
  r->size = s->size;
  r->read = s->read;
  r->written = s->written;
  r->zeroed = s->zeroed;
  r->skipped = s->skipped;
  r->checked = s->checked;
  r->milliseconds = s->ms;
  return r;
}

struct zf_copy_stats *
zfi_copy_disk (zf_handle *h, const char *source, const char *target, const struct zf_copy_disk_opts *opts)
{
  static const struct zf_copy_disk_opts none;
  const struct zf_copy_disk_opts *o = opts ? opts : &none;
  const uint64_t mask = o->bitmask;
  const struct copy_place from = {
    source, NULL, mask & ZF_COPY_DISK_OPTS_SOURCEFORMAT ? o->sourceformat : NULL
  };
  const struct copy_place to = {
    target, NULL, mask & ZF_COPY_DISK_OPTS_TARGETFORMAT ? o->targetformat : NULL
  };
  struct copy_options c = {
    .allocated = (mask & ZF_COPY_DISK_OPTS_ALLOCATED) && o->allocated,
    .flush = (mask & ZF_COPY_DISK_OPTS_FLUSH) && o->flush,
    .verify = (mask & ZF_COPY_DISK_OPTS_VERIFY) && o->verify,
    .synchronous = (mask & ZF_COPY_DISK_OPTS_SYNCHRONOUS) && o->synchronous,
    .progress = at_progress, .cancelled = cancelled, .opaque = h,
  };
  struct copy_stats stats;

  if (must_be_zero (h, o, &c.must_be_zero) == -1 || set_numbers (h, o, &c) == -1
      || zfi_copy (h, &from, &to, &c, &stats) == -1)
    return NULL;
  return stats_new (h, &stats);
}
