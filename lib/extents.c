/* Extent hints: what the emulator knows of an image's holes and zeroes is told to the daemon before it
 * looks at a device, so that it need not read them.
 *
 * The daemon has flushed everything when the emulator is asked, and nothing else happens in the machine
 * between that and the call that uses the answer.  Whatever goes wrong means no hints: the call then reads
 * all of the device.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"
#include "nbd-extents.h"
#include "private-actions.h"
#include "protocol.h"

enum {
  OPEN_MS = 3000,           /* to connect to the emulator's NBD server */
  ANSWER_MS = 3000,         /* for one answer */
  ASK_MS = 2000,            /* for all questions before one call: what is not known by then is read */
  ASK_MAX = 128 * 1024,     /* extents that are taken from one answer: as many as qemu sends */
  SEND_MAX = 16 * 1024,     /* hints in one message */
};

struct drive_extents {
  char *path, name[32];     /* socket of the server, and its name for the drive; NULL: not yet exported */
  struct nbd_peer peer;     /* open if peer.nbd is not NULL */
  bool failed;              /* it is not asked again */
  bool backed;              /* the image has another one below it */
};

struct zfi_extents {
  bool failed;              /* none is asked about again */
  size_t nr_drives;
  struct drive_extents drives[];
};

/* Hints on their way. */
struct hints {
  zf_handle *h;
  uint64_t start;           /* of the part, on the disk */
  bool backed, data, allocated;
  struct wire_hint last;    /* the next may continue it; no length: there is none */
  size_t n, total;          /* not yet sent; all */
  unsigned char buf[SEND_MAX * WIRE_HINT_SIZE];
  uint64_t size;            /* of the drive */
  unsigned cluster;         /* of the drive in bytes, 0: not known */
};

/* --- which drives --- */

/* An NBD server's word is not taken for what its blocks hold, and a block device calls everything data. */
static bool
may_ask (const struct zf_drive *d)
{
  return d->nbd == NULL && !(d->block_device && strcmp (d->format, "raw") == 0);
}

static bool
is_enabled (zf_handle *h)
{
  if (h->daemon_version == 0 || h->backend == NULL || h->backend->export_drive == NULL
      || zfi_backend_setting_is (h, "hints", "off") || (h->extents != NULL && h->extents->failed))
    return false;
  for (size_t i = 0; i < h->nr_drives; i++)
    if (may_ask (h->drives[i]))
      return true;
  return false;
}

/* What the data extents of drive D may be taken for.  On top of another image they may be that one's, so
 * that giving them back or writing over them could take space here.  Older qcow2 cannot mark a cluster
 * zero without writing it. */
static void
judge_data (struct hints *t, const struct zf_drive *d, bool backed)
{
  bool raw = strcmp (d->format, "raw") == 0;

  t->backed = backed;
  t->data = !backed && (raw || strcmp (d->format, "qcow2") == 0);
  t->allocated = t->data && (raw ? !d->scratch && zfi_drive_shows_holes (d) : d->cluster > 0);
}

/* --- connections --- */

static int
wait_nbd (void *opaque, int fd, short events, int64_t deadline_ms)
{
  zf_handle *h = opaque;
  int64_t saved = h->deadline_ms;
  int r;

  zfi_set_deadline (h, deadline_ms);
  r = zfi_wait (h, fd, events);
  zfi_set_deadline (h, saved);
  return r;
}

static struct zfi_extents *
get_extents (zf_handle *h)
{
  struct zfi_extents *x = h->extents;

  if (x == NULL && (x = calloc (1, sizeof *x + h->nr_drives * sizeof x->drives[0])) != NULL) {
    x->nr_drives = h->nr_drives;
    h->extents = x;
  }
  return x;
}

void
zfi_extents_free (struct zfi_extents *x)
{
  if (x == NULL)
    return;
  for (size_t i = 0; i < x->nr_drives; i++) {
    nbd_peer_close (&x->drives[i].peer);
    free (x->drives[i].path);
  }
  free (x);
}

/* A cancelled call says nothing about the server; anything else and it is not asked again, and one that hangs
 * not about other drives either. */
static int
give_up (zf_handle *h, struct drive_extents *e, char *why)
{
  int err = errno;

  nbd_peer_close (&e->peer);
  e->failed = err != EINTR;
  h->extents->failed |= err == ETIMEDOUT;
  zfi_verbose (h, "no extent hints%s: %s", e->failed ? " for this drive" : "",
               why != NULL ? why : strerror (err));
  free (why);
  return -1;
}

/* Export drive I, unless it is, and connect to that. */
static int
open_drive (zf_handle *h, struct drive_extents *e, size_t i)
{
  char *why = NULL;

  if (e->path == NULL)
    e->path = h->backend->export_drive (h, h->backend_data, i, e->name, &e->backed);
  if (e->path == NULL) {
    errno = zf_last_errno (h);
    return give_up (h, e, zfi_take_error (h).msg);
  }
  e->peer = (struct nbd_peer) { .wait = wait_nbd, .opaque = h };
  return nbd_peer_open (&e->peer, e->path, e->name, zfi_now_ms () + OPEN_MS, &why) == -1
    ? give_up (h, e, why) : 0;
}

/* --- telling the daemon --- */

static int
send_hints (struct hints *t)
{
  size_t n = t->n;

  t->n = 0;
  return n == 0 ? 0 : zfi_internal_hints_add (t->h, (char *) t->buf, n * WIRE_HINT_SIZE);
}

/* On top of another image zeroes can be any small part of a cluster, which is cheap to make zero only as a
 * whole: leave to the hint the whole clusters.  What is cut off is read instead. */
static void
cut_to_clusters (struct hints *t)
{
  uint64_t start = t->start + t->last.offset, end = start + t->last.length;

  start += t->cluster - 1;
  start -= start % t->cluster;
  if (end < t->size)
    end -= end % t->cluster;
  t->last.length = start < end ? end - start : 0;
  t->last.offset = start - t->start;
}

/* No more will continue the last hint. */
static int
end_hint (struct hints *t)
{
  if (t->last.length > 0 && t->backed && t->cluster > 0)
    cut_to_clusters (t);
  if (t->last.length == 0)
    return 0;
  wire_put_hint (t->buf + t->n++ * WIRE_HINT_SIZE, &t->last);
  t->total++;
  t->last.length = 0;
  return t->n == SEND_MAX ? send_hints (t) : 0;
}

/* A hole that is not known to be zero tells the daemon nothing. */
static int
add_hint (struct hints *t, const struct nbd_extent *e)
{
  struct wire_hint hint = { e->offset - t->start, e->length, e->flags & (HINT_HOLE | HINT_ZERO) };

  if (hint.flags & HINT_ZERO)
    hint.flags |= t->backed ? HINT_HOLE : 0;
  else if (hint.flags & HINT_HOLE || !t->data)
    return 0;
  else if (t->allocated)
    hint.flags |= HINT_ALLOCATED;
  if (t->last.length > 0 && t->last.flags == hint.flags && t->last.offset + t->last.length == hint.offset) {
    t->last.length += hint.length;
    return 0;
  }
  if (end_hint (t) == -1)
    return -1;
  t->last = hint;
  return 0;
}

/* Ask about [START, END) and tell the daemon, as far as that is known in time.  0, or -1 if the daemon did
 * not take it (with the error set) or the peer failed. */
static int
pass_on (struct hints *t, struct drive_extents *e, uint64_t start, uint64_t end, struct nbd_extent *v)
{
  int64_t deadline = zfi_now_ms () + ASK_MS;
  char *why = NULL;
  ssize_t n, i;

  for (; start < end && t->total < HINTS_MAX - 1 && zfi_now_ms () < deadline;
       start = v[n - 1].offset + v[n - 1].length) {
    n = nbd_peer_ask (&e->peer, start, end, v, ASK_MAX, zfi_now_ms () + ANSWER_MS, &why);
    if (n == -1)
      return give_up (t->h, e, why);
    for (i = 0; i < n && t->total < HINTS_MAX - 1; i++)
      if (add_hint (t, &v[i]) == -1)
        return -1;
  }
  return end_hint (t) == -1 ? -1 : send_hints (t);
}

static int
hint_part (zf_handle *h, size_t i, uint64_t start, uint64_t size)
{
  struct drive_extents *e = &h->extents->drives[i];
  struct hints *t;
  struct nbd_extent *v;
  int r = -1;

  if (e->failed || (e->peer.nbd == NULL && open_drive (h, e, i) == -1))
    return -1;
  if (start > e->peer.size || size > e->peer.size - start) {
    zfi_verbose (h, "no extent hints: the drive has %" PRIu64 " bytes, fewer than the device", e->peer.size);
    return -1;
  }
  t = calloc (1, sizeof *t);
  v = reallocarray (NULL, ASK_MAX, sizeof *v);
  if (t != NULL && v != NULL) {
    t->h = h;
    t->start = start;
    t->size = e->peer.size;
    t->cluster = h->drives[i]->cluster > 0 ? (unsigned) h->drives[i]->cluster : 0;
    judge_data (t, h->drives[i], e->backed);
    r = pass_on (t, e, start, start + size, v);
    if (r == 0)
      zfi_verbose (h, "%zu extent hints", t->total);
  }
  free (t);
  free (v);
  return r;
}

int
zfi_send_hints (zf_handle *h, const char *device)
{
  struct zf_hint_place *place;
  struct zfi_saved_error error;

  if (!is_enabled (h) || get_extents (h) == NULL)
    return 0;
  place = zfi_internal_hints_begin (h, device);
  if (place != NULL && place->disk >= 0 && (size_t) place->disk < h->extents->nr_drives
      && place->start >= 0 && place->size > 0 && may_ask (h->drives[place->disk]))
    hint_part (h, place->disk, place->start, place->size);
  free (place);
  if (h->state != ZF_STATE_READY)
    return -1;
  error = zfi_take_error (h);
  if (error.msg != NULL)
    zfi_verbose (h, "no extent hints: %s", error.msg);
  free (error.msg);
  return 0;
}
