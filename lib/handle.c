/* The handle: creating and closing it, beginning and ending an action, cancelling.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#include "private-actions.h"
#include "settings.h"
#include "trace.h"

#define CANCEL_PATIENCE_MS (30 * 1000)

/* All open handles, so that errors kept for closed ones can be told (error.c). */
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
static zf_handle *live;
static uint64_t last_id;

static void
add_live (zf_handle *h)
{
  pthread_mutex_lock (&live_lock);
  h->id = ++last_id;
  h->next_live = live;
  live = h;
  pthread_mutex_unlock (&live_lock);
}

static void
remove_live (zf_handle *h)
{
  zf_handle **p;

  pthread_mutex_lock (&live_lock);
  for (p = &live; *p != h; p = &(*p)->next_live)
    ;
  *p = h->next_live;
  pthread_mutex_unlock (&live_lock);
}

bool
zfi_live (uint64_t id)
{
  zf_handle *h;

  pthread_mutex_lock (&live_lock);
  for (h = live; h != NULL && h->id != id; h = h->next_live)
    ;
  pthread_mutex_unlock (&live_lock);
  return h != NULL;
}

static int
init_lock (zf_handle *h)
{
  pthread_mutexattr_t attr;
  int err;

  if ((err = pthread_mutexattr_init (&attr)) != 0)
    return err;
  pthread_mutexattr_settype (&attr, PTHREAD_MUTEX_RECURSIVE);
  err = pthread_mutex_init (&h->lock, &attr);
  pthread_mutexattr_destroy (&attr);
  return err ? err : pthread_mutex_init (&h->state_lock, NULL);
}

/* Free the memory of H, which is not live any more or never was. */
static void
free_handle (zf_handle *h)
{
  zfi_drives_forget (h);
  free (h->events);
  free (h->hv);
  free (h->backend_name);
  zf_free_string_list (h->backend_settings);
  free (h->cachedir);
  free (h->tmpdir);
  free (h->path);
  buf_free (&h->console_tail);
  free (h->workdir);
  free (h->trace_result);
  free (h->lost_why);
  for (int i = 0; i < 2; i++)
    if (h->cancel_pipe[i] != -1)
      close (h->cancel_pipe[i]);
  free (h);
}

zf_handle *
zf_create (void)
{
  return zf_create_flags (0);
}

zf_handle *
zf_create_flags (unsigned flags)
{
  zf_handle *h;
  int err;

  if ((flags & ~ZF_CREATE_NO_ENVIRONMENT) != 0) {
    errno = EINVAL;
    return NULL;
  }
  h = calloc (1, sizeof *h);
  if (h == NULL)
    return NULL;
  h->no_environment = flags & ZF_CREATE_NO_ENVIRONMENT;
  h->console_fd = h->restore_fd = h->cancel_pipe[0] = h->cancel_pipe[1] = -1;
  h->next_serial = 0x00123400;
  h->cancel_patience_ms = CANCEL_PATIENCE_MS;
  if ((err = init_lock (h)) != 0)
    goto error;
  err = pipe2 (h->cancel_pipe, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : errno;
  if (err == 0)
    err = zfi_default_settings (h);
  if (err != 0)
    goto error;
  add_live (h);
  return h;

 error:
  free_handle (h);
  errno = err;
  return NULL;
}

static const struct zfi_action action_close = { "close", 0, ZFI_ANY_STATE, "", NULL };

void
zf_close (zf_handle *h)
{
  if (h == NULL || zfi_enter (h, &action_close) == -1)
    return;
  if (h->state != ZF_STATE_CONFIG && zfi_shutdown (h) == -1)
    zfi_warning (h, "%s", zf_last_error (h));
  zfi_event (h, ZF_EVENT_CLOSE, NULL, 0, NULL, 0);
  /* Programs free what their callbacks use when they are told of the close. */
  h->nr_events = 0;
  h->trace = false;
  zfi_drop_errors (h);
  zfi_leave (h, true);
  remove_live (h);
  pthread_mutex_destroy (&h->lock);
  pthread_mutex_destroy (&h->state_lock);
  free_handle (h);
}

void
zf_free_string_list (char **list)
{
  if (list == NULL)
    return;
  for (size_t i = 0; list[i] != NULL; i++)
    free (list[i]);
  free (list);
}

/* --- cancelling --- */

/* Only atomics and write: this may run in a signal handler. */
void
zf_user_cancel (zf_handle *h)
{
  unsigned long running = atomic_load (&h->running);
  unsigned long old = atomic_load (&h->cancelled);
  int saved_errno = errno;

  if (running % 2 == 0)
    return;
  while (old < running && !atomic_compare_exchange_weak (&h->cancelled, &old, running))
    ;
  /* A full pipe wakes the waiter just as well. */
  if (old < running && write (h->cancel_pipe[1], "", 1) == -1)
    errno = saved_errno;
}

void
zf_set_wait_callback (zf_handle *h, zf_wait_callback cb, void *opaque)
{
  pthread_mutex_lock (&h->lock);
  h->wait_cb = cb;
  h->wait_opaque = opaque;
  pthread_mutex_unlock (&h->lock);
}

/* Let the program look after its signals: at once if one has come, else when it is time. */
static void
call_wait_callback (zf_handle *h)
{
  int64_t now = zfi_now_ms ();
  int saved_errno = errno;

  if (!h->interrupted && now - h->last_wait_cb_ms < ZFI_WAIT_CALLBACK_MS)
    return;
  h->interrupted = false;
  h->last_wait_cb_ms = now;
  if (h->wait_cb (h, h->wait_opaque) != 0)
    zf_user_cancel (h);
  errno = saved_errno;
}

bool
zfi_cancelled (zf_handle *h)
{
  unsigned long running = atomic_load (&h->running);

  if (h->wait_cb != NULL && running % 2 == 1)
    call_wait_callback (h);
  return running % 2 == 1 && atomic_load (&h->cancelled) == running;
}

/* --- actions --- */

/* Calls that only look at settings are harmless while another call runs on the handle. */
static bool
allowed_in_callback (const struct zfi_action *a)
{
  return a->proc == 0 && (strncmp (a->name, "get_", 4) == 0 || strncmp (a->name, "is_", 3) == 0
                          || strcmp (a->name, "version") == 0);
}

static int
check_state (zf_handle *h, const struct zfi_action *a)
{
  if (a->flags & ZFI_ANY_STATE)
    return 0;
  if ((a->flags & ZFI_CONFIG) && h->state != ZF_STATE_CONFIG)
    return zfi_error (h, EINVAL, "this works only before launch; the appliance is already running");
  if (a->proc != 0 && h->state != ZF_STATE_READY)
    return zfi_error (h, EINVAL, "the appliance is not running: launch it first (\"run\" in the shell)");
  return 0;
}

/* Undo the begin of an action; this thread's error stays. */
static void
end (zf_handle *h)
{
  if (--h->depth == 0) {
    atomic_fetch_add (&h->running, 1);
    h->current = NULL;
  }
  else
    h->current = h->outer;
  pthread_mutex_unlock (&h->lock);
}

int
zfi_enter (zf_handle *h, const struct zfi_action *a, ...)
{
  va_list args;
  int r;

  if (h == NULL) {
    errno = EINVAL;
    return -1;
  }
  pthread_mutex_lock (&h->lock);
  zfi_clear_error (h);
  h->outer = h->current;
  h->current = a;
  if (h->depth++ > 0) {
    if (h->depth == 2 && allowed_in_callback (a))
      return 0;
    zfi_error (h, EBUSY, "called from inside a callback of %s, which is still running on this handle",
               h->outer->name);
    end (h);
    return -1;
  }
  atomic_fetch_add (&h->running, 1);
  va_start (args, a);
  r = zfi_trace_enter (h, a, args);
  va_end (args);
  if (r == -1 || check_state (h, a) == -1) {
    zfi_trace_leave (h, a, false);
    end (h);
    return -1;
  }
  return 0;
}

void
zfi_leave (zf_handle *h, bool ok)
{
  if (ok)
    zfi_clear_error (h);
  if (h->depth == 1)
    zfi_trace_leave (h, h->current, ok);
  end (h);
}
