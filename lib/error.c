/* Error messages and errno values, kept per thread and handle, and messages that are not errors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "visible.h"

/* The last error of one thread on one handle.  Handles are named by number and not by address: an entry
 * may outlive its handle (which another thread closed) and goes when the thread ends or next makes an
 * entry. */
struct thread_error {
  struct thread_error *next;
  uint64_t id;
  int err;
  char *msg;            /* NULL: there was no memory for it */
};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool have_key;

static void
free_list (void *list)
{
  struct thread_error *e = list, *next;

  for (; e != NULL; e = next) {
    next = e->next;
    free (e->msg);
    free (e);
  }
}

static void
make_key (void)
{
  have_key = pthread_key_create (&key, free_list) == 0;
}

static struct thread_error *
first_error (void)
{
  pthread_once (&once, make_key);
  return have_key ? pthread_getspecific (key) : NULL;
}

static struct thread_error *
find_error (uint64_t id)
{
  struct thread_error *e;

  for (e = first_error (); e != NULL && e->id != id; e = e->next)
    ;
  return e;
}

/* Take the entry of handle ID out of this thread's list, and all entries of handles that are closed. */
static void
drop_errors (uint64_t id)
{
  struct thread_error *e, *next, *keep = NULL;

  for (e = first_error (); e != NULL; e = next) {
    next = e->next;
    if (e->id == id || !zfi_live (e->id)) {
      e->next = NULL;
      free_list (e);
    }
    else {
      e->next = keep;
      keep = e;
    }
  }
  if (have_key)
    pthread_setspecific (key, keep);
}

void
zfi_drop_errors (zf_handle *h)
{
  drop_errors (h->id);
}

void
zfi_clear_error (zf_handle *h)
{
  if (find_error (h->id) != NULL)
    drop_errors (h->id);
}

/* Takes over MSG, which may be NULL. */
static void
set_error (zf_handle *h, int err, char *msg)
{
  struct thread_error *e;

  drop_errors (h->id);
  e = have_key ? calloc (1, sizeof *e) : NULL;
  if (e == NULL) {
    free (msg);
    return;
  }
  *e = (struct thread_error) { first_error (), h->id, err, msg };
  if (pthread_setspecific (key, e) != 0) {
    e->next = NULL;
    free_list (e);
  }
}

struct zfi_saved_error
zfi_take_error (zf_handle *h)
{
  struct thread_error *e = find_error (h->id);
  struct zfi_saved_error saved = { 0 };

  if (e != NULL) {
    saved.err = e->err;
    saved.msg = e->msg ? e->msg : strdup ("out of memory");
    e->msg = NULL;
    drop_errors (h->id);
  }
  return saved;
}

void
zfi_put_error (zf_handle *h, struct zfi_saved_error e)
{
  if (e.msg == NULL)
    zfi_clear_error (h);
  else
    set_error (h, e.err, e.msg);
}

const char *
zf_last_error (zf_handle *h)
{
  struct thread_error *e = find_error (h->id);

  if (e == NULL)
    return NULL;
  return e->msg ? e->msg : "out of memory";
}

int
zf_last_errno (zf_handle *h)
{
  struct thread_error *e = find_error (h->id);

  return e ? e->err : 0;
}

/* printf into malloced text that text_visible has made fit for a message; NULL if there is no memory. */
static char * __attribute__ ((format (printf, 2, 0)))
format_visible (bool lines, const char *fs, va_list args)
{
  char *text, *visible;

  if (vasprintf (&text, fs, args) == -1)
    return NULL;
  visible = text_visible (text, lines);
  free (text);
  return visible;
}

/* "NAME: text" and, if SUFFIX is not NULL, ": SUFFIX". */
static void __attribute__ ((format (printf, 5, 0)))
format_error (zf_handle *h, int err, bool lines, const char *suffix, const char *fs, va_list args)
{
  char *text = format_visible (lines, fs, args), *msg = NULL;
  const char *name = h->current ? h->current->name : NULL;

  if (text != NULL && asprintf (&msg, "%s%s%s%s%s", name ? name : "", name ? ": " : "", text,
                                suffix ? ": " : "", suffix ? suffix : "") == -1)
    msg = NULL;
  set_error (h, err, msg);
  free (text);
}

int
zfi_error (zf_handle *h, int err, const char *fs, ...)
{
  va_list args;

  va_start (args, fs);
  format_error (h, err, false, NULL, fs, args);
  va_end (args);
  return -1;
}

int
zfi_error_lines (zf_handle *h, int err, const char *fs, ...)
{
  va_list args;

  va_start (args, fs);
  format_error (h, err, true, NULL, fs, args);
  va_end (args);
  return -1;
}

int
zfi_perror (zf_handle *h, int err, const char *fs, ...)
{
  char buf[256];
  va_list args;

  va_start (args, fs);
  format_error (h, err, false, strerror_r (err, buf, sizeof buf), fs, args);
  va_end (args);
  return -1;
}

/* Pass text on to who listens, else to standard error with a prefix. */
static void __attribute__ ((format (printf, 5, 0)))
message (zf_handle *h, uint64_t event, bool lines, const char *prefix, const char *fs, va_list args)
{
  char *text = format_visible (lines, fs, args);

  if (text == NULL)
    return;
  if (zfi_has_event (h, event))
    zfi_event (h, event, text, strlen (text), NULL, 0);
  else
    fprintf (stderr, "%s%s\n", prefix, text);
  free (text);
}

void
zfi_verbose (zf_handle *h, const char *fs, ...)
{
  va_list args;

  if (!h->verbose)
    return;
  va_start (args, fs);
  message (h, ZF_EVENT_LIBRARY, true, "zerofish: ", fs, args);
  va_end (args);
}

void
zfi_notice (zf_handle *h, const char *fs, ...)
{
  va_list args;

  if (!h->verbose && !zfi_has_event (h, ZF_EVENT_LIBRARY))
    return;
  va_start (args, fs);
  message (h, ZF_EVENT_LIBRARY, false, "zerofish: ", fs, args);
  va_end (args);
}

void
zfi_warning (zf_handle *h, const char *fs, ...)
{
  va_list args;

  va_start (args, fs);
  message (h, ZF_EVENT_WARNING, false, "zerofish: warning: ", fs, args);
  va_end (args);
}
