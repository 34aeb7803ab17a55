/* One handle in several threads: calls follow each other, errors belong to the thread, close waits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "fake-daemon.h"

#define THREADS 4
#define CALLS   200

/* Say in the error what the call was about, so that a mixed-up message would be seen. */
static void
echo_errors (struct fake *f, void *opaque)
{
  struct zf_zero_device_args args = { 0 };
  XDR xdr;

  (void) opaque;
  while (fake_read_call (f)) {
    if (f->call.proc != ZF_PROC_ZERO_DEVICE) {
      fake_ok (f, NULL, 0);
      continue;
    }
    xdrmem_create (&xdr, (char *) f->body.data + ZF_HEADER_SIZE, f->body.len - ZF_HEADER_SIZE, XDR_DECODE);
    xdr_zf_zero_device_args (&xdr, &args);
    fake_error (f, "EIO", args.device);
    xdr_free ((xdrproc_t) xdr_zf_zero_device_args, (char *) &args);
  }
}

struct worker { pthread_t thread; struct fake *f; char name[24]; bool failed; };

static void *
work (void *opaque)
{
  struct worker *w = opaque;

  for (int i = 0; i < CALLS; i++) {
    char expected[40];

    snprintf (expected, sizeof expected, "zero_device: %s", w->name);
    if (zf_zero_device (w->f->h, w->name) != -1 || zf_last_errno (w->f->h) != EIO
        || strcmp (zf_last_error (w->f->h), expected) != 0)
      w->failed = true;
    if (zf_ping_daemon (w->f->h) != 0 || zf_last_error (w->f->h) != NULL)
      w->failed = true;
  }
  /* An error is left behind when the thread ends. */
  zf_zero_device (w->f->h, w->name);
  return NULL;
}

static void
test_errors_per_thread (void **state)
{
  struct fake *f = fake_new (echo_errors, NULL);
  struct worker w[THREADS] = { 0 };

  (void) state;
  assert_int_equal (zf_zero_device (f->h, "main"), -1);
  for (int i = 0; i < THREADS; i++) {
    w[i].f = f;
    snprintf (w[i].name, sizeof w[i].name, "disk %d", i);
    assert_int_equal (pthread_create (&w[i].thread, NULL, work, &w[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join (w[i].thread, NULL);
    assert_false (w[i].failed);
  }
  assert_error (f->h, EIO, "zero_device: main");
  fake_end (f);
}

/* A thread makes errors on handles that another one closes. */
static void *
fail_on (void *opaque)
{
  zf_handle **h = opaque;

  for (int i = 0; i < 2; i++) {
    zf_zero_device (h[i], "/dev/sda");
    assert_non_null (zf_last_error (h[i]));
  }
  return NULL;
}

static void
test_closed_elsewhere (void **state)
{
  zf_handle *h[2];
  pthread_t thread;

  (void) state;
  for (int i = 0; i < 100; i++) {
    h[0] = zf_create ();
    h[1] = zf_create ();
    assert_int_equal (pthread_create (&thread, NULL, fail_on, h), 0);
    pthread_join (thread, NULL);
    assert_null (zf_last_error (h[0]));
    zf_zero_device (h[0], "/dev/sda");
    zf_close (h[1]);
    zf_close (h[0]);
  }
}

/* Close while a call runs: it waits for the call, and a cancel makes that short. */
static void
until_cancelled (struct fake *f, void *opaque)
{
  fake_read_call (f);
  __atomic_store_n ((bool *) opaque, true, __ATOMIC_SEQ_CST);
  fake_expect_cancel (f);
  fake_error (f, "EINTR", "cancelled");
}

static void *
zero (void *opaque)
{
  zf_handle *h = opaque;

  return zf_zero_device (h, "/dev/sda") == -1 ? h : NULL;
}

static void
test_close_waits (void **state)
{
  bool running = false;
  struct fake *f = fake_new (until_cancelled, &running);
  pthread_t thread;
  void *result;

  (void) state;
  assert_int_equal (pthread_create (&thread, NULL, zero, f->h), 0);
  while (!__atomic_load_n (&running, __ATOMIC_SEQ_CST))
    poll (NULL, 0, 5);
  zf_user_cancel (f->h);
  fake_end (f);
  pthread_join (thread, &result);
  assert_non_null (result);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_errors_per_thread),
  cmocka_unit_test (test_closed_elsewhere),
  cmocka_unit_test (test_close_waits),
};

TEST_MAIN (tests, 120)
