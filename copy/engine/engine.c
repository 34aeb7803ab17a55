/* A whole copy: both sides opened, the target looked at if that was asked for, the workers, the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker.h"
#include "zero-scan.h"

enum { LOOK_MS = 50, DEFAULT_TIMEOUT = 120, DEFAULT_CONNECTIONS = 4 };

void
copy_fail (struct copy *c, int err, const char *fs, ...)
{
  va_list args;

  pthread_mutex_lock (&c->lock);
  if (c->err == 0) {
    c->err = err ? err : EIO;
    va_start (args, fs);
    if (vasprintf (&c->message, fs, args) == -1)
      c->message = NULL;
    va_end (args);
  }
  c->stop = true;
  pthread_cond_broadcast (&c->changed);
  pthread_mutex_unlock (&c->lock);
}

/* --- numbers --- */

static bool
check_numbers (zf_handle *h, const struct copy_options *o)
{
  if (o->threads > MAX_THREADS)
    zfi_error (h, EINVAL, "threads must be 1 to %d", MAX_THREADS);
  else if (o->connections > MAX_LANES)
    zfi_error (h, EINVAL, "connections must be 1 to %d", MAX_LANES);
  else if (o->requests > MAX_REQUESTS)
    zfi_error (h, EINVAL, "requests must be 1 to %d", MAX_REQUESTS);
  else if (o->request_size != 0 && (o->request_size < MIN_REQUEST || o->request_size > MAX_REQUEST
                                    || (o->request_size & (o->request_size - 1)) != 0))
    zfi_error (h, EINVAL, "the request size must be a power of two from %u to %u", MIN_REQUEST, MAX_REQUEST);
  else
    return true;
  return false;
}

static unsigned
greatest (unsigned a, unsigned b)
{
  return a > b ? a : b;
}

static unsigned
nr_cpus (void)
{
  const long n = sysconf (_SC_NPROCESSORS_ONLN);

  return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (unsigned) n;
}

static void
choose_numbers (struct copy_options *o)
{
  if (o->synchronous)
    o->threads = o->connections = o->requests = 1;
  if (o->timeout == 0)
    o->timeout = DEFAULT_TIMEOUT;
  if (o->connections == 0)
    o->connections = greatest (o->threads ? o->threads : nr_cpus (), DEFAULT_CONNECTIONS);
}

static void
choose_blocks (struct copy *c)
{
  const struct side *s = &c->side[SOURCE], *t = &c->side[TARGET];

  c->grain = greatest (4096, greatest (s->align, t->align));
  /* A cluster that holds anything takes its whole space. */
  c->block = greatest (c->grain, t->grain < 65536 ? t->grain : 65536);
}

/* --- workers --- */

static void *
work (void *worker)
{
  struct worker *w = worker;
  struct copy *c = *(struct copy **) worker;

  worker_run (w);
  pthread_mutex_lock (&c->lock);
  c->running--;
  pthread_cond_broadcast (&c->changed);
  pthread_mutex_unlock (&c->lock);
  return NULL;
}

void
copy_look (struct copy *c)
{
  const unsigned parts = c->o.verify ? 2 : 1;
  uint64_t done = c->written + c->zeroed + c->skipped;
  uint64_t end;

  if (zfi_now_ms () - c->looked_ms < LOOK_MS)
    return;
  c->looked_ms = zfi_now_ms ();
  pthread_mutex_lock (&c->lock);
  end = c->end;
  if (c->mode == MODE_VERIFY)
    done = end + c->pos;
  pthread_mutex_unlock (&c->lock);
  if (c->o.progress != NULL && c->mode != MODE_MUST_BE_ZERO && end != UINT64_MAX)
    c->o.progress (c->o.opaque, done < parts * end ? done : parts * end, parts * end);
  if (c->o.cancelled != NULL && !c->interrupted && c->o.cancelled (c->o.opaque)) {
    c->interrupted = true;
    copy_fail (c, EINTR, "interrupted");
  }
}

/* Wait for the workers, looking about meanwhile. */
static void
watch (struct copy *c)
{
  struct timespec t;
  bool running = true;

  while (running) {
    clock_gettime (CLOCK_MONOTONIC, &t);
    t.tv_nsec += LOOK_MS * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    pthread_mutex_lock (&c->lock);
    while (c->running > 0 && pthread_cond_timedwait (&c->changed, &c->lock, &t) == 0)
      ;
    running = c->running > 0;
    pthread_mutex_unlock (&c->lock);
    copy_look (c);
  }
}

/* Signals are for the program's own threads. */
static int
start_thread (struct copy *c, struct worker *w, pthread_t *thread)
{
  sigset_t all, old;
  int err;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &old);
  c->running++;
  if ((err = pthread_create (thread, NULL, work, w)) != 0)
    c->running--;
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  return err;
}

static void
run_workers (struct copy *c, struct worker **workers, unsigned n)
{
  pthread_t threads[MAX_THREADS];
  unsigned started = 0;
  int err = 0;

  pthread_mutex_lock (&c->lock);
  while (started < n && (err = start_thread (c, workers[started], &threads[started])) == 0)
    started++;
  pthread_mutex_unlock (&c->lock);
  /* Fewer will do: a lane that nobody serves is not used. */
  if (started == 0)
    copy_fail (c, err, "starting a thread: %s", strerror (err));
  watch (c);
  for (unsigned i = 0; i < started; i++)
    pthread_join (threads[i], NULL);
}

/* Once through both sides. */
static void
pass (struct copy *c, struct worker **workers, unsigned n, enum mode mode, uint64_t end)
{
  if (c->stop)
    return;
  plan_begin (c, mode, end);
  run_workers (c, workers, n);
  plan_end (c);
}

/* --- the end of the disk --- */

void
copy_rest (struct copy *c, struct worker *w, uint64_t begin, uint64_t n, const unsigned char *data)
{
  const unsigned align = c->side[TARGET].align;
  struct op read = { .kind = OP_READ, .offset = begin, .count = n };
  struct op rest = { .kind = OP_READ, .offset = begin, .count = align };
  struct op write = { .kind = OP_WRITE, .offset = begin, .count = align };
  unsigned char *buf = malloc (2 * align);
  struct op *const ops[] = { &read, &rest, &write };

  if (buf == NULL) {
    copy_fail (c, ENOMEM, "out of memory");
    return;
  }
  read.buf = buf + align;
  rest.buf = write.buf = buf;
  for (unsigned i = data ? 1 : 0; i < 3 && !c->stop; i++) {
    if (i == 2)
      memcpy (buf, data ? data : read.buf, n);
    if (worker_do (w, i == 0 ? SOURCE : TARGET, ops[i]) != 0 && !c->stop)
      worker_failed (w, ops[i]);
  }
  if (!c->stop) {
    c->read += data ? 0 : n;
    c->written += n;
  }
  /* A request that is still under way may need it. */
  if (!read.started && !rest.started && !write.started)
    free (buf);
}

/* Where the part that is copied in whole blocks ends. */
static uint64_t
whole_end (const struct copy *c)
{
  const uint64_t size = c->side[SOURCE].size;
  const unsigned align = c->side[TARGET].align;

  const uint64_t whole = size / align * align;

  return whole < size && c->side[TARGET].size >= whole + align ? whole : size;
}

void
copy_flush (struct copy *c, struct worker *w)
{
  struct side *t = &c->side[TARGET];
  struct op op = { .kind = OP_FLUSH };

  /* The flush of a server of ours makes it tell of errors that its end would hide. */
  if (c->stop || t->pipe || !(c->o.flush || t->has_child))
    return;
  if (!t->can_flush) {
    if (c->o.flush)
      zfi_warning (c->h, "%s: the server has no request to flush its data to disk", t->name);
    return;
  }
  if (worker_do (w, TARGET, &op) != 0 && !c->stop)
    copy_fail (c, op.err, "%s: flushing: %s", t->name, strerror (op.err));
}

/* --- the copy --- */

void
copy_set_size (struct copy *c)
{
  struct side *t = &c->side[TARGET];

  if (c->stop || !t->set_size)
    return;
  if (ftruncate (t->fd, c->side[SOURCE].size) == -1)
    copy_fail (c, errno, "%s: setting its size to %llu bytes: %s", t->name,
               (unsigned long long) c->side[SOURCE].size, strerror (errno));
  t->size = c->side[SOURCE].size;
}

static void
copy_disk (struct copy *c, struct worker **workers, unsigned n)
{
  const uint64_t size = c->side[SOURCE].size, end = whole_end (c);

  copy_set_size (c);
  pass (c, workers, n, MODE_COPY, end);
  if (!c->stop && end < size)
    copy_rest (c, workers[0], end, size - end, NULL);
  copy_flush (c, workers[0]);
  if (c->o.verify)
    pass (c, workers, n, MODE_VERIFY, end);
}

/* Threads that write to one file wait for each other, and lay it out badly. */
static unsigned
nr_workers (const struct copy *c)
{
  const bool files = c->side[SOURCE].ops == &side_file_ops && c->side[TARGET].ops == &side_file_ops;
  unsigned n = c->o.threads ? c->o.threads : files ? 1 : nr_cpus ();

  for (int i = 0; i < 2; i++)
    n = n < c->side[i].nr_lanes ? n : c->side[i].nr_lanes;
  return n;
}

static void
run (struct copy *c)
{
  struct worker *workers[MAX_THREADS] = { NULL };
  const unsigned n = nr_workers (c);

  choose_blocks (c);
  pace_init (c, n);
  for (unsigned i = 0; i < n && !c->stop; i++)
    if ((workers[i] = worker_new (c, i, n)) == NULL)
      copy_fail (c, ENOMEM, "out of memory");
  if (c->o.must_be_zero) {
    pass (c, workers, n, MODE_MUST_BE_ZERO, c->side[TARGET].size);
    c->target_is_zero = true;
  }
  if (!c->stop && (c->side[SOURCE].pipe || c->side[TARGET].pipe))
    pipe_copy (c, workers[0]);
  else if (!c->stop)
    copy_disk (c, workers, n);
  /* Lanes with requests under way refer to the workers' memory. */
  for (int i = 0; i < 2; i++)
    if (c->stop)
      c->side[i].ops->close (&c->side[i]);
  for (unsigned i = 0; i < n; i++)
    worker_free (workers[i]);
}

/* --- from outside --- */

/* A pipe cannot be read back, nor looked at beforehand. */
static int
check_pipes (struct copy *c)
{
  if (c->side[TARGET].pipe && c->o.must_be_zero)
    return zfi_error (c->h, EINVAL, "%s is a pipe, which cannot be looked at beforehand",
                      c->side[TARGET].name);
  for (int i = 0; i < 2; i++)
    if (c->side[i].pipe && c->o.verify)
      return zfi_error (c->h, EINVAL, "%s is a pipe, which cannot be read again to verify the copy",
                        c->side[i].name);
  return 0;
}

static int
open_sides (struct copy *c, const struct copy_place *source, const struct copy_place *target)
{
  if (side_open_source (&c->side[SOURCE], source, &c->o) == -1
      || side_open_target (&c->side[TARGET], target, &c->o, &c->side[SOURCE]) == -1)
    return -1;
  for (int i = 0; i < 2; i++)
    if (c->side[i].ops == &side_nbd_ops)
      side_nbd_more (&c->side[i], c->o.connections, &c->o);
  return check_pipes (c);
}

/* What became of the target after a failure. */
static const char *
left_behind (const struct copy *c)
{
  const struct side *t = &c->side[TARGET];

  if (c->written + c->zeroed == 0)
    return "nothing was written";
  return t->created ? "the unfinished copy was removed" : "the target is only partly written";
}

static int
report (struct copy *c)
{
  const uint64_t done = c->written + c->zeroed + c->skipped;

  if (c->err == 0)
    return 0;
  if (c->mode != MODE_COPY)
    return zfi_error (c->h, c->err, "%s", c->message ? c->message : strerror (c->err));
  return zfi_error (c->h, c->err, "%s (%llu of %llu bytes were dealt with; %s)",
                    c->message ? c->message : strerror (c->err), (unsigned long long) done,
                    (unsigned long long) c->side[SOURCE].size, left_behind (c));
}

static int
finish_sides (struct copy *c, bool ok)
{
  int r = 0;

  for (int i = 1; i >= 0; i--) {
    if (side_finish (&c->side[i], ok && r == 0, &c->o) == -1)
      r = -1;
    side_free (&c->side[i]);
  }
  return r;
}

static void
init (struct copy *c)
{
  pthread_condattr_t attr;

  pthread_mutex_init (&c->lock, NULL);
  pthread_condattr_init (&attr);
  pthread_condattr_setclock (&attr, CLOCK_MONOTONIC);
  pthread_cond_init (&c->changed, &attr);
  pthread_condattr_destroy (&attr);
  zero_scan_calibrate ();
}

int
zfi_copy (zf_handle *h, const struct copy_place *source, const struct copy_place *target,
          const struct copy_options *o, struct copy_stats *stats)
{
  struct copy c = { .h = h, .o = *o, .mode = MODE_COPY };
  const int64_t begin = zfi_now_ms ();
  int r = -1;

  memset (stats, 0, sizeof *stats);
  if (!check_numbers (h, o))
    return -1;
  init (&c);
  choose_numbers (&c.o);
  side_init (&c.side[SOURCE], h, false);
  side_init (&c.side[TARGET], h, true);
  if (open_sides (&c, source, target) == 0) {
    run (&c);
    r = report (&c);
    *stats = (struct copy_stats) {
      .size = c.side[SOURCE].size, .read = c.read, .written = c.written, .zeroed = c.zeroed,
      .skipped = c.skipped, .checked = c.checked,
    };
  }
  if (finish_sides (&c, r == 0) == -1)
    r = -1;
  stats->ms = zfi_now_ms () - begin;
  free (c.message);
  pthread_cond_destroy (&c.changed);
  pthread_mutex_destroy (&c.lock);
  return r;
}
