/* What a program sees when its machine is killed, when it cancels, and when it launches from a thread: on a
 * real appliance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

static const char *image;
static unsigned quits;
static atomic_bool cancelled;

#define CHECK(cond) \
  do { \
    if (!(cond)) { \
      fprintf (stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #cond, \
               zf_last_error (h) ? zf_last_error (h) : ""); \
      exit (1); \
    } \
  } while (0)

static void
sleep_ms (long ms)
{
  const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

  nanosleep (&ts, NULL);
}

static void
count_quit (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
            const uint64_t *array, size_t array_len)
{
  (void) h; (void) opaque; (void) event; (void) handle;
  (void) buf; (void) len; (void) array; (void) array_len;
  quits++;
}

static pid_t
emulator (zf_handle *h)
{
  return h->backend && h->backend_data ? h->backend->pid (h->backend_data) : 0;
}

static void
launch (zf_handle *h)
{
  CHECK (zf_add_drive (h, image, NULL) == 0);
  CHECK (zf_launch (h) == 0);
}

/* --- death --- */

/* Kill the machine of OPAQUE in a while. */
static void *
kill_later (void *opaque)
{
  sleep_ms (300);
  kill (emulator (opaque), SIGKILL);
  return NULL;
}

/* Wait until the machine that is being launched has a process, and kill that. */
static void *
kill_early (void *opaque)
{
  zf_handle *h = opaque;
  pid_t pid;

  while ((pid = emulator (h)) == 0)
    sleep_ms (20);
  sleep_ms (300);
  kill (pid, SIGKILL);
  return NULL;
}

static int
fill_device (zf_handle *h)
{
  return zf_upload (h, "/dev/zero", "/dev/sda");
}

static int
look_forever (zf_handle *h)
{
  int r = 0;

  while (r != -1)
    r = zf_is_zero_device (h, "/dev/sda");
  return r;
}

static void
killed_in (zf_handle *h, int (*call) (zf_handle *h))
{
  pthread_t thread;

  quits = 0;
  launch (h);
  CHECK (pthread_create (&thread, NULL, kill_later, h) == 0);
  CHECK (call (h) == -1);
  pthread_join (thread, NULL);
  CHECK (zf_last_errno (h) == ECONNRESET);
  CHECK (strstr (zf_last_error (h), "ended unexpectedly") != NULL);
  CHECK (quits == 1 && zf_is_config (h) == 1);
}

static void
test_death (zf_handle *h)
{
  pthread_t thread;

  quits = 0;
  launch (h);
  kill (emulator (h), SIGKILL);
  CHECK (zf_zero_device (h, "/dev/sda") == -1);
  CHECK (zf_last_errno (h) == ECONNRESET && quits == 1);

  killed_in (h, look_forever);
  killed_in (h, fill_device);

  /* A launch from a template would be over before the kill, or boot after it. */
  CHECK (zf_set_backend_settings (h, (char *[]) { "template=off", NULL }) == 0);
  CHECK (zf_add_drive (h, image, NULL) == 0);
  CHECK (pthread_create (&thread, NULL, kill_early, h) == 0);
  CHECK (zf_launch (h) == -1);
  pthread_join (thread, NULL);
  CHECK (strstr (zf_last_error (h), "ended before it was ready") != NULL && zf_is_config (h) == 1);
  CHECK (zf_set_backend_settings (h, (char *[]) { NULL }) == 0);
  /* The drives of a launch that failed are still there. */
  CHECK (zf_launch (h) == 0);
  CHECK (zf_is_zero_device (h, "/dev/sda") != -1);
  CHECK (zf_shutdown (h) == 0);
}

/* --- cancel --- */

/* Again and again, since a cancel between two calls stops neither. */
static void *
cancel_later (void *opaque)
{
  while (!cancelled) {
    sleep_ms (500);
    zf_user_cancel (opaque);
  }
  return NULL;
}

static void
cancelled_in (zf_handle *h, int (*call) (zf_handle *h))
{
  pthread_t thread;
  int64_t start;

  cancelled = false;
  CHECK (pthread_create (&thread, NULL, cancel_later, h) == 0);
  start = zfi_now_ms ();
  CHECK (call (h) == -1);
  cancelled = true;
  CHECK (zf_last_errno (h) == EINTR);
  CHECK (zfi_now_ms () - start < 10000);
  pthread_join (thread, NULL);
}

static int
download (zf_handle *h)
{
  int r = 0;

  while (r != -1)
    r = zf_download (h, "/dev/sda", "/dev/null");
  return r;
}

static void
test_cancel (zf_handle *h)
{
  CHECK (zf_add_drive (h, image, NULL) == 0);
  /* From a template it would be over before the cancel. */
  CHECK (zf_set_backend_settings (h, (char *[]) { "template=off", NULL }) == 0);
  cancelled_in (h, zf_launch);
  CHECK (zf_set_backend_settings (h, (char *[]) { NULL }) == 0);
  CHECK (zf_is_config (h) == 1);
  CHECK (zf_launch (h) == 0);
  zf_user_cancel (h);
  CHECK (zf_ping_daemon (h) == 0);
  cancelled_in (h, fill_device);
  cancelled_in (h, look_forever);
  cancelled_in (h, download);
  CHECK (zf_ping_daemon (h) == 0);
  CHECK (zf_shutdown (h) == 0);
}

/* --- threads --- */

static void *
launch_in_thread (void *opaque)
{
  launch (opaque);
  return NULL;
}

static void
test_thread (zf_handle *h)
{
  pthread_t thread;

  CHECK (pthread_create (&thread, NULL, launch_in_thread, h) == 0);
  pthread_join (thread, NULL);
  sleep_ms (500);
  CHECK (zf_ping_daemon (h) == 0);
  CHECK (zf_zero_device (h, "/dev/sda") == 0);
  CHECK (zf_shutdown (h) == 0);
}

int
main (int argc, char **argv)
{
  zf_handle *h = zf_create ();

  if (argc != 2)
    return 1;
  image = argv[1];
  alarm (600);
  CHECK (zf_set_event_callback (h, count_quit, ZF_EVENT_SUBPROCESS_QUIT, NULL) != -1);
  test_death (h);
  test_cancel (h);
  test_thread (h);
  zf_close (h);
  return 0;
}
