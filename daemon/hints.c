/* Hints about the next call's device: taken in, checked, and forgotten when they can be wrong.
 *
 * They are true for the moment after begin has flushed all caches.  They are used by the very next call or
 * not at all, and only if the disk was not written to since, by whomever.
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

#include "actions.h"
#include "devices.h"
#include "hints.h"

void
hints_drop (struct daemon *d)
{
  if (d->hints == NULL)
    return;
  ranges_free (&d->hints->zero);
  ranges_free (&d->hints->solid);
  ranges_free (&d->hints->allocated);
  free (d->hints->path);
  free (d->hints->state);
  free (d->hints);
  d->hints = NULL;
}

/* What changes when the disk is written to: the kernel's counts of sectors written and discarded (a flush
 * counts as a write of none); a file's times.  NULL: that cannot be told. */
static char *
disk_state (const struct daemon *d, const struct disk *disk)
{
  unsigned long long written, discarded = 0;
  char line[256], *s;
  struct stat st;
  int n;

  if (disk->sysname != NULL) {
    if (sysfs_read (d, line, sizeof line, "block/%s/stat", disk->sysname) == -1
        || sscanf (line, "%*u %*u %*u %*u %*u %*u %llu %*u %*u %*u %*u %*u %*u %llu",
                   &written, &discarded) < 1)
      return NULL;
    n = asprintf (&s, "%llu %llu", written, discarded);
  }
  else {
    if (stat (disk->path, &st) == -1)
      return NULL;
    n = asprintf (&s, "%lld.%09ld %lld", (long long) st.st_ctim.tv_sec, st.st_ctim.tv_nsec,
                  (long long) st.st_size);
  }
  return n == -1 ? NULL : s;
}

/* Does the device lie in one piece on one disk? */
static bool
is_plain (const struct device *dev)
{
  return dev->disk != NULL && (dev->partnum > 0 || dev->path == dev->disk->path);
}

static int
device_size (struct call *c, const struct device *dev, uint64_t *size)
{
  unsigned block;
  int fd = device_open (c, dev, O_RDONLY), r = -1;

  if (fd != -1) {
    r = device_geometry (c, dev, fd, size, &block);
    close (fd);
  }
  return r;
}

/* Ready to take hints for DEV; -1 with the call's error.  D->hints stays NULL where none can be used. */
static int
begin (struct call *c, const struct device *dev, uint64_t size)
{
  struct hints *h = calloc (1, sizeof *h);

  if (h == NULL)
    return call_error (c, ENOMEM, "no memory for hints");
  c->d->hints = h;
  h->call = c->d->nr_calls;
  h->size = size;
  h->path = strdup (dev->path);
  h->state = disk_state (c->d, dev->disk);
  if (h->path == NULL || h->state == NULL)
    hints_drop (c->d);
  return 0;
}

struct zf_hint_place *
do_internal_hints_begin (struct call *c, struct device *device)
{
  struct zf_hint_place *place = call_alloc (c, sizeof *place);
  uint64_t size;

  hints_drop (c->d);
  if (place == NULL || device_flush_caches (c, device) == -1)
    return NULL;
  place->disk = -1;
  if (!is_plain (device))
    return place;
  if (device_size (c, device, &size) == -1 || begin (c, device, size) == -1)
    return NULL;
  if (c->d->hints != NULL) {
    place->disk = device->disk - c->d->disks;
    place->start = device_start (c, device);
    place->size = size;
  }
  return place;
}

/* Are there hints for the call that runs now? */
static bool
are_fresh (const struct daemon *d)
{
  return d->hints != NULL && d->hints->call + 1 == d->nr_calls;
}

static int
take_hint (struct hints *h, const struct wire_hint *w)
{
  const uint64_t end = w->offset + w->length;
  const bool zero = w->flags & HINT_ZERO;

  if (w->length == 0 || w->offset < h->end || !range_inside (w->offset, w->length, h->size)
      || (w->flags & ~(HINT_HOLE | HINT_ZERO | HINT_ALLOCATED)) || h->n == HINTS_MAX)
    return EINVAL;
  h->end = end;
  h->n++;
  if ((zero && ranges_add (&h->zero, w->offset, end) == -1)
      || (!(w->flags & HINT_HOLE) && ranges_add (&h->solid, w->offset, end) == -1)
      || (!zero && (w->flags & HINT_ALLOCATED) && ranges_add (&h->allocated, w->offset, end) == -1))
    return ENOMEM;
  return 0;
}

int
do_internal_hints_add (struct call *c, const char *extents, size_t extents_size)
{
  struct wire_hint w;
  size_t i;
  int err = 0;

  if (!are_fresh (c->d)) {
    hints_drop (c->d);
    return call_refuse (c, EINVAL, "hints that were not begun just before");
  }
  c->d->hints->call = c->d->nr_calls;
  for (i = 0; err == 0 && i + WIRE_HINT_SIZE <= extents_size; i += WIRE_HINT_SIZE) {
    wire_get_hint ((const unsigned char *) extents + i, &w);
    err = take_hint (c->d->hints, &w);
  }
  if (err == 0 && i == extents_size)
    return 0;
  hints_drop (c->d);
  if (err == ENOMEM)
    return call_error (c, ENOMEM, "no memory for hints");
  return call_refuse (c, EINVAL, err == 0 ? "half a hint" : "a hint that makes no sense: %" PRIu64
                      " bytes at offset %" PRIu64 ", flags %#" PRIx32, w.length, w.offset, w.flags);
}

const struct hints *
hints_take (struct call *c, const struct device *dev, uint64_t size)
{
  const struct hints *h = c->d->hints;
  char *state = NULL;

  if (are_fresh (c->d) && is_plain (dev) && strcmp (h->path, dev->path) == 0 && h->size == size
      && (state = disk_state (c->d, dev->disk)) != NULL && strcmp (state, h->state) == 0) {
    free (state);
    return h;
  }
  if (h != NULL && verbose)
    fprintf (stderr, "zerofishd: %s: hints are not used: %s\n", dev->name,
             state != NULL ? "the disk was written to" : "they are not for this call");
  free (state);
  hints_drop (c->d);
  return NULL;
}
