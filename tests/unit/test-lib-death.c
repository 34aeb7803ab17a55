/* The machine goes away before, during and after a call and in the middle of transfers: an error, one
 * event, and the handle can launch again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake-daemon.h"

/* Where the daemon hangs up. */
enum place { BEFORE, AFTER_CALL, IN_REPLY, IN_PROGRESS, IN_CHUNKS, AFTER_REPLY, NR_PLACES };

static void
die (struct fake *f, void *opaque)
{
  const enum place *place = opaque;
  unsigned char data[ZF_CHUNK_MAX] = { 0 };

  if (*place != BEFORE)
    fake_read_call (f);
  switch (*place) {
  case IN_REPLY:
    fake_word (f, 1000);
    break;
  case IN_PROGRESS:
    fake_word (f, ZF_PROGRESS_FLAG);
    break;
  case IN_CHUNKS:
    if (f->call.proc == ZF_PROC_UPLOAD)
      fake_read_chunk (f, data);
    else {
      fake_ok (f, NULL, 0);
      fake_chunk (f, false, data, sizeof data);
    }
    break;
  case AFTER_REPLY:
    fake_ok (f, NULL, 0);
    break;
  default:
    break;
  }
  fake_hang_up (f);
}

static int
call (zf_handle *h, int kind)
{
  switch (kind) {
  case 0: return zf_zero_device (h, "/dev/sda");
  case 1: return zf_upload (h, "/dev/zero", "/x");
  default: return zf_download (h, "/x", "/dev/null");
  }
}

static void
test_death (void **state)
{
  (void) state;
  for (int kind = 0; kind < 3; kind++)
    for (enum place place = BEFORE; place < NR_PLACES; place++) {
      struct fake *f;

      /* These are no places of such a call. */
      if ((place == IN_CHUNKS && kind == 0) || ((place == IN_REPLY || place == AFTER_REPLY) && kind == 1))
        continue;
      f = fake_new (die, &place);
      if (place == AFTER_REPLY && kind == 0)
        assert_int_equal (call (f->h, kind), 0);
      assert_int_equal (call (f->h, kind), -1);
      assert_error (f->h, ECONNRESET, "the appliance ended unexpectedly");
      assert_int_equal (f->quits, 1);
      assert_int_equal (zf_is_config (f->h), 1);
      assert_int_equal (call (f->h, kind), -1);
      assert_error (f->h, EINVAL, "not running");
      fake_again (f, NULL, NULL);
      assert_int_equal (zf_ping_daemon (f->h), 0);
      assert_int_equal (f->quits, 1);
      fake_end (f);
    }
}

/* Closing a handle whose daemon is gone neither hangs nor fails. */
static void
test_close_after_death (void **state)
{
  enum place place = BEFORE;

  (void) state;
  fake_end (fake_new (die, &place));
}

static void
test_launch_fails (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  assert_int_equal (zf_set_backend (h, "nonsense"), -1);
  assert_int_equal (zf_set_backend (h, "unix:/nonexistent/sock"), 0);
  assert_int_equal (zf_launch (h), -1);
  assert_error (h, ENOENT, "launch: /nonexistent/sock: No such file");
  assert_int_equal (zf_is_config (h), 1);
  assert_int_equal (zf_set_backend (h, "unix:relative"), 0);
  assert_int_equal (zf_launch (h), -1);
  assert_error (h, EINVAL, "absolute path");
  zf_close (h);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_death),
  cmocka_unit_test (test_close_after_death),
  cmocka_unit_test (test_launch_fails),
};

TEST_MAIN (tests, 120)
