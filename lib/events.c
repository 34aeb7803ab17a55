/* Event callbacks: registering them and calling them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "internal.h"

bool
zfi_has_event (zf_handle *h, uint64_t event)
{
  for (size_t i = 0; i < h->nr_events; i++)
    if (h->events[i].mask & event)
      return true;
  return false;
}

/* Call everyone who listens to EVENT.  Callbacks may add and remove callbacks, so each entry is copied
 * before use; those that are added meanwhile are not called.  What a callback does to this thread's error
 * does not last. */
void
zfi_event (zf_handle *h, uint64_t event, const char *buf, size_t len, const uint64_t *array, size_t array_len)
{
  struct zfi_saved_error saved;
  size_t n = h->nr_events;

  if (!zfi_has_event (h, event))
    return;
  saved = zfi_take_error (h);
  for (size_t i = 0; i < n; i++) {
    struct zf_event e = h->events[i];

    if (e.mask & event)
      e.cb (h, e.opaque, event, (int) i, buf ? buf : "", len, array, array_len);
  }
  zfi_put_error (h, saved);
}

static const struct zfi_action action_set = { "set_event_callback", 0, ZFI_ANY_STATE, "", NULL };

/* The number of a free entry, or -1.  Numbers are not used again: a program may delete twice. */
static int
new_entry (zf_handle *h)
{
  struct zf_event *events;

  if (h->nr_events == INT_MAX)
    return -1;
  events = realloc (h->events, (h->nr_events + 1) * sizeof *events);
  if (events == NULL)
    return -1;
  h->events = events;
  return (int) h->nr_events;
}

int
zf_set_event_callback (zf_handle *h, zf_event_callback cb, uint64_t events, void *opaque)
{
  const struct zfi_action *current;
  int r = -1;

  pthread_mutex_lock (&h->lock);
  current = h->current;
  h->current = &action_set;
  zfi_clear_error (h);
  if (cb == NULL)
    zfi_error (h, EINVAL, "the callback is NULL");
  else if ((events & ZF_EVENT_ALL) == 0 || (events & ~ZF_EVENT_ALL) != 0)
    zfi_error (h, EINVAL, "the set of events is empty or holds unknown ones");
  else if ((r = new_entry (h)) == -1)
    zfi_error (h, ENOMEM, "out of memory");
  else {
    h->events[r] = (struct zf_event) { events, cb, opaque };
    h->nr_events++;
  }
  h->current = current;
  pthread_mutex_unlock (&h->lock);
  return r;
}

void
zf_delete_event_callback (zf_handle *h, int event_handle)
{
  pthread_mutex_lock (&h->lock);
  if (event_handle >= 0 && (size_t) event_handle < h->nr_events)
    h->events[event_handle].mask = 0;
  pthread_mutex_unlock (&h->lock);
}
