/* A filesystem is never left frozen by zero_free_space: not after a cancel, and not when the process that does
 * the work is killed; its progress never goes back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "rig.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* So much free space that it takes a minute to look at. */
static const int64_t huge = INT64_C (100) << 30;

/* Words of the appliance's shell that kill the daemon's child, a second after they are over. */
static char killer[] =
  "setsid sh -c 'sleep 2; for d in /proc/[1-9]*; do "
  "read n <$d/comm; read me </proc/1/comm; test $d = /proc/1 || test $n != $me || kill -9 ${d#/proc/}; done' "
  "</dev/null >/dev/null 2>&1 & sleep 1";

static int64_t cancelled_at;
static uint64_t position, total;
static unsigned nr_progress;

static void
watch_progress (zf_handle *handle, void *opaque, uint64_t event, int event_handle, const char *buf, size_t len,
                const uint64_t *array, size_t array_len)
{
  (void) handle; (void) opaque; (void) event; (void) event_handle; (void) buf; (void) len;
  assert_int_equal (array_len, 4);
  assert_true (array[2] >= position);
  assert_true (total <= 1 || array[3] == total);        /* 0 of 1: it has not begun */
  position = array[2];
  total = array[3];
  nr_progress++;
}

static void *
cancel_later (void *opaque)
{
  poll (NULL, 0, 4000);
  cancelled_at = zfi_now_ms ();
  zf_user_cancel (opaque);
  return NULL;
}

static void
check_usable (void)
{
  int64_t start = zfi_now_ms ();

  assert_int_equal (zf_fill (h, 'x', 100000, "/file"), 0);
  assert_int_equal (zf_sync (h), 0);
  assert_int_equal (zf_rm (h, "/file"), 0);
  assert_true (zfi_now_ms () - start < 30000);
}

static void
prepare (void)
{
  char *image = make_image ("image", huge, NULL);

  add_image (h, image, false);
  launch (h);
  assert_int_equal (zf_mkfs (h, "ext4", "/dev/sda", NULL), 0);
  assert_int_equal (zf_mount (h, "/dev/sda", "/"), 0);
  position = total = nr_progress = 0;
  zf_set_event_callback (h, watch_progress, ZF_EVENT_PROGRESS, NULL);
  free (image);
}

static void
test_cancel (void **state)
{
  pthread_t thread;

  (void) state;
  prepare ();
  assert_int_equal (pthread_create (&thread, NULL, cancel_later, h), 0);
  assert_int_equal (zf_zero_free_space (h, "/"), -1);
  assert_int_equal (zf_last_errno (h), EINTR);
  pthread_join (thread, NULL);
  assert_true (zfi_now_ms () - cancelled_at < 5000);
  assert_in_range (nr_progress, 1, 20);
  check_usable ();
  assert_int_equal (zf_umount (h, "/", NULL), 0);
}

static void
test_killed (void **state)
{
  char *words[] = { killer, NULL }, *answer;

  (void) state;
  prepare ();
  assert_non_null (answer = zf_debug (h, "sh", words));
  free (answer);
  assert_int_equal (zf_zero_free_space (h, "/"), -1);
  assert_non_null (strstr (zf_last_error (h), "killed by signal 9"));
  check_usable ();
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup_teardown (test_cancel, rig_setup, rig_teardown),
  cmocka_unit_test_setup_teardown (test_killed, rig_setup, rig_teardown),
};

TEST_MAIN (tests, 400)
