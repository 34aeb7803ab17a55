/* Actions zero, zero_device, is_zero and is_zero_device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon.h"
#include "actions.h"
#include "hints.h"
#include "zero-target.h"

enum { ZERO_HEAD = 128 * 1024 };       /* what do_zero looks at */

/* One line of figures for whoever measures. */
static void
show_stats (const struct engine *e, int64_t started)
{
  const struct zero_stats *s = &e->stats;

  if (verbose)
    fprintf (stderr, "zerofishd: %s: %s: size=%" PRIu64 " reads=%" PRIu64 " read=%" PRIu64
             " requests=%" PRIu64 " requested=%" PRIu64 " writes=%" PRIu64 " written=%" PRIu64
             " microseconds=%" PRId64 "\n", e->call->row->name, e->t->name, e->t->size, s->reads, s->read,
             s->requests, s->requested, s->writes, s->written, engine_now_us () - started);
}

void
zero_prepare (struct daemon *d)
{
  struct zero_pool *pool = target_pool (d);

  if (pool != NULL)
    engine_prepare (pool);
}

static const struct ranges none;

/* HINTS may be NULL. */
static const struct ranges *
known_zero (const struct hints *hints)
{
  return hints != NULL ? &hints->zero : &none;
}

/* Zero the target and give space back.  A raw image may have space even where it looks like a hole. */
static int
discard_target (struct engine *e, const struct hints *hints)
{
  struct range all = { 0, e->t->size };
  const struct ranges raw = { &all, e->t->size > 0, 0 }, *solid = hints != NULL ? &hints->solid : &none;

  return engine_discard (e, known_zero (hints), e->t->raw ? &raw : solid);
}

static int
zero_target (struct call *c, const struct zero_target *t, bool discard, const struct hints *hints)
{
  struct engine *e = call_alloc (c, sizeof *e);
  int64_t started = engine_now_us ();
  int r = -1;

  if (e == NULL)
    return -1;
  if (engine_init (e, c, t, &zero_io_real, target_pool (c->d)) == 0) {
    e->allocated = hints != NULL ? &hints->allocated : NULL;
    r = discard ? discard_target (e, hints) : engine_zero_known (e, known_zero (hints));
  }
  engine_free (e);
  show_stats (e, started);
  if (r == 0 && fsync (t->fd) == -1)
    r = call_error (c, errno, "cannot flush %s", t->name);
  if (r == 0)
    r = call_progress (c, 1, 1);
  return r;
}

/* Zero the first MAX bytes of the device, or all of it if that is less.  All caches of the disk are
 * flushed before, so that what is read is what is there, and after, also on failure, since something
 * may have been written. */
static int
zero_start (struct call *c, struct device *dev, uint64_t max)
{
  struct zero_target t;
  int r;

  if (device_flush_caches (c, dev) == -1)
    return -1;
  if (target_open (c, dev, O_RDWR | O_EXCL, &t) == -1) {
    target_close (&t);
    return -1;
  }
  if (t.size > max)
    t.size = max;
  if (dev->discard)
    target_allow_unmap (c, dev->disk);
  r = zero_target (c, &t, dev->discard, hints_take (c, dev, t.size));
  hints_drop (c->d);
  target_close (&t);

  if (device_flush_caches (c, dev) == -1)
    r = -1;
  if (dev->partnum == 0 && dev->disk != NULL && device_reread (c, dev) == -1)
    r = -1;
  return r;
}

int
do_zero (struct call *c, struct device *device)
{
  return zero_start (c, device, ZERO_HEAD);
}

int
do_zero_device (struct call *c, struct device *device)
{
  return zero_start (c, device, UINT64_MAX);
}

static int
look_at (struct call *c, const struct zero_target *t, struct zero_source source)
{
  struct engine *e = call_alloc (c, sizeof *e);
  int64_t started = engine_now_us ();
  int r = -1;

  if (e == NULL)
    return -1;
  if (engine_init (e, c, t, &zero_io_real, target_pool (c->d)) == 0) {
    if (source.next == zero_source_unknown_mostly) {
      e->progress_work = true;
      e->progress_total = zero_source_bytes (source, t->size);
    }
    r = engine_is_zero (e, source);
  }
  engine_free (e);
  show_stats (e, started);
  return r;
}

int
do_is_zero_device (struct call *c, struct device *device)
{
  struct zero_source source = { zero_source_unknown_mostly, NULL, false };
  struct zero_target t;
  int r = -1;

  if (device_flush_caches (c, device) == -1)
    return -1;
  if (target_open (c, device, O_RDONLY, &t) == 0) {
    source.opaque = known_zero (hints_take (c, device, t.size));
    r = look_at (c, &t, source);
  }
  hints_drop (c->d);
  target_close (&t);
  return r;
}

int
do_is_zero (struct call *c, const char *path)
{
  struct zero_target t = { .name = path, .fd = -1, .buffered = -1, .block = 512 };
  struct stat st;
  int r = -1;

  if ((t.fd = sysroot_open_regular (c, path, O_RDONLY, 0)) == -1)
    return -1;
  if (fstat (t.fd, &st) == -1) {
    call_error (c, errno, "%s", path);
    goto out;
  }
  t.size = st.st_size;
  target_set_direct (t.fd);
  r = look_at (c, &t, (struct zero_source) { target_next_data, &t.fd, false });
 out:
  close (t.fd);
  return r;
}
