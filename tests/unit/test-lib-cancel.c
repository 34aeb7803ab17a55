/* Cancelling: from a signal handler and from a thread, twice, without a call, and a daemon that does not
 * listen.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake-daemon.h"

static zf_handle *volatile signalled;

static void
on_signal (int sig)
{
  (void) sig;
  zf_user_cancel (signalled);
  zf_user_cancel (signalled);
}

/* SIGALRM is the test's own time limit. */
static void
signal_after (unsigned ms)
{
  const struct itimerspec when = { .it_value = { ms / 1000, ms % 1000 * 1000000 } };
  struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
  timer_t timer;

  signal (SIGUSR1, on_signal);
  assert_int_equal (timer_create (CLOCK_MONOTONIC, &ev, &timer), 0);
  assert_int_equal (timer_settime (timer, 0, &when, NULL), 0);
}

static void *
cancel_later (void *opaque)
{
  const struct timespec ts = { 0, 100 * 1000000 };

  nanosleep (&ts, NULL);
  zf_user_cancel (opaque);
  zf_user_cancel (opaque);
  return NULL;
}

/* Run until cancelled; then exactly one flag has come, as the next thing after it is the next call. */
static void
obey (struct fake *f, void *opaque)
{
  (void) opaque;
  for (int i = 0; i < 2 && fake_read_call (f); i++) {
    fake_progress (f, 1, 2);
    fake_expect_cancel (f);
    fake_error (f, "EINTR", "cancelled");
  }
  /* From here on a flag is a failure of the test. */
  for (int i = 0; i < 3; i++) {
    uint32_t len;

    if (!fake_read (f, &len, sizeof len))
      return;
    if (__builtin_bswap32 (len) == ZF_CANCEL_FLAG)
      abort ();
    f->body.len = 0;
    assert_int_equal (conn_read_body (&f->conn, __builtin_bswap32 (len), &f->body), 0);
    wire_get_header (f->body.data, &f->call);
    fake_ok (f, NULL, 0);
  }
}

static void
test_cancel (void **state)
{
  struct fake *f = fake_new (obey, NULL);
  int64_t start = zfi_now_ms ();
  pthread_t thread;

  (void) state;
  zf_user_cancel (f->h);                /* no call runs: nothing happens */
  signalled = f->h;
  signal_after (100);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EINTR, "zero_device: cancelled");
  assert_int_equal (pthread_create (&thread, NULL, cancel_later, f->h), 0);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EINTR, "zero_device: cancelled");
  pthread_join (thread, NULL);
  assert_true (zfi_now_ms () - start < 5000);

  zf_user_cancel (f->h);                /* nor does this hit the next ones */
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), 0);
  zf_user_cancel (f->h);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), 0);
  fake_end (f);
}

/* A daemon that finishes its work all the same: then the call has succeeded. */
static void
finish_anyway (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_expect_cancel (f);
  fake_ok (f, NULL, 0);
}

static void
test_cancel_too_late (void **state)
{
  struct fake *f = fake_new (finish_anyway, NULL);

  (void) state;
  signalled = f->h;
  signal_after (50);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), 0);
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

/* Neither the reply nor an end of the progress messages ever comes. */
static void
never_listen (struct fake *f, void *opaque)
{
  const bool *talk = opaque;

  fake_read_call (f);
  while (!f->gone) {
    if (*talk)
      fake_progress (f, 1, 2);
    else
      fake_read_call (f);
  }
}

/* One that never reads: the upload gets stuck in the middle of a chunk. */
static void
never_read (struct fake *f, void *opaque)
{
  struct pollfd pfd;

  (void) opaque;
  fake_read_call (f);
  pfd = (struct pollfd) { .fd = f->conn.fd, .events = POLLRDHUP };
  poll (&pfd, 1, -1);
  f->gone = true;
}

static void
test_cancel_ignored (void **state)
{
  static const bool talk[] = { false, true };

  (void) state;
  for (int i = 0; i < 3; i++) {
    struct fake *f = fake_new (i < 2 ? never_listen : never_read, (void *) &talk[i % 2]);

    f->h->cancel_patience_ms = 1000;
    signalled = f->h;
    signal_after (50);
    if (i < 2)
      assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
    else
      assert_int_equal (zf_upload (f->h, "/dev/zero", "/x"), -1);
    assert_error (f->h, ETIMEDOUT, "did not react to the cancel within 1 seconds");
    assert_int_equal (f->quits, 1);
    assert_int_equal (zf_is_config (f->h), 1);
    fake_end (f);
  }
}

/* Transfers: an upload from a pipe on which nothing comes, and a download without an end. */
static void
drain (struct fake *f, void *opaque)
{
  unsigned char data[ZF_CHUNK_MAX];
  int r;

  (void) opaque;
  fake_read_call (f);
  while ((r = fake_read_chunk (f, data)) > 0)
    ;
  assert_int_equal (r, -1);
  fake_error (f, "EINTR", "the library cancelled");
}

static void
test_cancel_upload (void **state)
{
  struct fake *f = fake_new (drain, NULL);
  int p[2], saved = dup (0), r;

  (void) state;
  assert_int_equal (pipe (p), 0);
  dup2 (p[0], 0);
  signalled = f->h;
  signal_after (100);
  r = zf_upload (f->h, "-", "/x");
  dup2 (saved, 0);
  close (saved);
  close (p[0]);
  close (p[1]);
  assert_int_equal (r, -1);
  assert_error (f->h, EINTR, "upload: -: the transfer was cancelled");
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

static void
send_until_cancelled (struct fake *f, void *opaque)
{
  static const unsigned char data[ZF_CHUNK_MAX];
  uint32_t w = 0;

  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  while (!f->gone && conn_peek_word (&f->conn, &w) == 0)
    fake_chunk (f, false, data, sizeof data);
  fake_expect_cancel (f);
  fake_chunk (f, true, NULL, 0);
}

static void
test_cancel_download (void **state)
{
  struct fake *f = fake_new (send_until_cancelled, NULL);

  (void) state;
  signalled = f->h;
  signal_after (100);
  assert_int_equal (zf_download (f->h, "/x", "/dev/null"), -1);
  assert_error (f->h, EINTR, "download: /dev/null: the transfer was cancelled; the file is incomplete");
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_cancel),
  cmocka_unit_test (test_cancel_too_late),
  cmocka_unit_test (test_cancel_ignored),
  cmocka_unit_test (test_cancel_upload),
  cmocka_unit_test (test_cancel_download),
};

TEST_MAIN (tests, 120)
