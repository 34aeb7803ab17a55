/* Results that are buffers go straight to the caller's memory, or to what the program allocates for them;
 * whatever happens, the connection stays in step.
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

#include "fake-daemon.h"

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

/* Answer with the first N letters, of which CLAIM are said to come. */
static void
answer (struct fake *f, uint32_t claim, uint32_t n)
{
  unsigned char body[64] = { 0 };
  uint32_t w = htobe32 (claim);

  memcpy (body, &w, 4);
  memcpy (body + 4, alphabet, n);
  fake_ok (f, body, 4 + (n + 3) / 4 * 4);
}

static void
five_letters (struct fake *f, void *opaque)
{
  (void) opaque;
  while (fake_read_call (f))
    answer (f, 5, 5);
}

static void
refuse (struct fake *f, void *opaque)
{
  (void) opaque;
  while (fake_read_call (f))
    fake_error (f, "ENXIO", "no such thing");
}

static void
test_into (void **state)
{
  struct fake *f = fake_new (five_letters, NULL);
  char buf[9] = "........";

  (void) state;
  assert_int_equal (zf_pread_device_into (f->h, "/dev/sda", buf, 8, 0), 5);
  assert_string_equal (buf, "abcde...");
  assert_int_equal (zf_pread_into (f->h, "/file", buf, 5, 0), 5);
  /* What has no room: the bytes are passed over. */
  memset (buf, '.', 8);
  assert_int_equal (zf_pread_device_into (f->h, "/dev/sda", buf, 4, 0), -1);
  assert_error (f->h, ERANGE, "pread_device_into: the result has 5 bytes, but there is room for only 4");
  assert_string_equal (buf, "........");
  assert_int_equal (zf_pread_device_into (f->h, "/dev/sda", buf, 8, 0), 5);

  assert_int_equal (zf_pread_device_into (f->h, "/dev/sda", NULL, 8, 0), -1);
  assert_error (f->h, EINVAL, "the buffer is NULL");
  assert_int_equal (zf_pread_device_into (f->h, NULL, buf, 8, 0), -1);
  assert_error (f->h, EINVAL, "NULL");
  fake_end (f);
}

/* The size of the buffer is the count that is asked for. */
static void
test_into_count (void **state)
{
  struct fake *f = fake_new (five_letters, NULL);
  char buf[7];
  uint32_t count;

  (void) state;
  assert_int_equal (zf_pread_device_into (f->h, "/dev/sda", buf, sizeof buf, 0), 5);
  /* Length word, header, length and text of the name. */
  memcpy (&count, f->body.data + f->body.len - 12, 4);
  assert_int_equal (be32toh (count), sizeof buf);
  fake_end (f);
}

struct memory {
  char p[32];
  size_t size;
  unsigned calls;
  bool refuse;
};

static void *
allocate (zf_handle *h, void *opaque, size_t size)
{
  struct memory *m = opaque;

  (void) h;
  m->size = size;
  m->calls++;
  errno = ENOMEM;
  return m->refuse ? NULL : m->p;
}

static void
test_allocate (void **state)
{
  struct fake *f = fake_new (five_letters, NULL);
  struct memory m = { .refuse = true };
  size_t size = 0;
  char *p;

  (void) state;
  zf_set_allocate_callback (f->h, allocate, &m);
  assert_null (zf_pread_device (f->h, "/dev/sda", 10, 0, &size));
  assert_error (f->h, ENOMEM, "result of 5 bytes");
  m.refuse = false;
  assert_ptr_equal (zf_pread_device (f->h, "/dev/sda", 10, 0, &size), m.p);
  assert_int_equal (size, 5);
  assert_int_equal (m.size, 5);
  assert_string_equal (m.p, "abcde");
  assert_int_equal (m.calls, 2);
  zf_set_allocate_callback (f->h, NULL, NULL);
  p = zf_pread_device (f->h, "/dev/sda", 10, 0, &size);
  assert_memory_equal (p, "abcde", 5);
  free (p);
  assert_int_equal (m.calls, 2);
  fake_end (f);
}

static void
test_error (void **state)
{
  struct fake *f = fake_new (refuse, NULL);
  struct memory m = { 0 };
  size_t size;

  (void) state;
  zf_set_allocate_callback (f->h, allocate, &m);
  for (int i = 0; i < 2; i++) {
    assert_null (zf_pread_device (f->h, "/dev/sda", 10, 0, &size));
    assert_error (f->h, ENXIO, "pread_device: no such thing");
  }
  assert_int_equal (m.calls, 0);
  fake_end (f);
}

/* --- a daemon that lies --- */

static void
too_many (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  answer (f, 9, 5);
}

static void
too_few (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  answer (f, 4, 5);
}

static void
no_size (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
}

static void
huge (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  answer (f, UINT32_MAX, 5);
}

static void
test_violations (void **state)
{
  static const fake_script scripts[] = { too_many, too_few, no_size, huge };
  struct memory m = { 0 };
  size_t size;

  (void) state;
  for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
    struct fake *f = fake_new (scripts[i], NULL);

    zf_set_allocate_callback (f->h, allocate, &m);
    assert_null (zf_pread_device (f->h, "/dev/sda", 10, 0, &size));
    assert_error (f->h, EPROTO, "a result that cannot be decoded");
    assert_int_equal (f->quits, 1);
    fake_end (f);
  }
  assert_int_equal (m.calls, 0);
}

/* The daemon ends in the middle of the data. */
static void
half (struct fake *f, void *opaque)
{
  struct wire_header hdr;
  unsigned char raw[ZF_HEADER_SIZE];

  (void) opaque;
  fake_read_call (f);
  hdr = fake_header (f);
  wire_put_header (raw, &hdr);
  fake_word (f, ZF_HEADER_SIZE + 4 + 20);
  fake_write (f, raw, sizeof raw);
  fake_word (f, 20);
  fake_write (f, alphabet, 10);
  fake_hang_up (f);
}

static void
test_half (void **state)
{
  struct fake *f = fake_new (half, NULL);
  size_t size;

  (void) state;
  assert_null (zf_pread_device (f->h, "/dev/sda", 20, 0, &size));
  assert_error (f->h, ECONNRESET, "ended unexpectedly");
  fake_end (f);
}

/* --- the wait callback --- */

static void
expect_cancel (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_expect_cancel (f);
  fake_error (f, "EINTR", "cancelled");
}

static void
on_signal (int sig)
{
  (void) sig;
}

/* Lets the call be for some time, then ends it. */
static int
on_wait (zf_handle *h, void *opaque)
{
  unsigned *calls = opaque;

  (void) h;
  return ++*calls == 3;
}

static int
on_wait_signal (zf_handle *h, void *opaque)
{
  unsigned *calls = opaque;

  (void) h;
  ++*calls;
  return 1;
}

static void
test_wait_callback (void **state)
{
  struct fake *f = fake_new (expect_cancel, NULL);
  unsigned calls = 0;

  (void) state;
  zf_set_wait_callback (f->h, on_wait, &calls);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EINTR, "cancelled");
  assert_in_range (calls, 3, 1000);
  calls = 0;
  assert_int_equal (zf_is_config (f->h), 0);
  assert_int_equal (calls, 0);
  fake_end (f);
}

static void *
send_signal (void *thread)
{
  poll (NULL, 0, 300);
  pthread_kill (*(pthread_t *) thread, SIGUSR1);
  return NULL;
}

static void
test_wait_callback_signal (void **state)
{
  struct sigaction action = { .sa_handler = on_signal };
  struct fake *f = fake_new (expect_cancel, NULL);
  pthread_t self = pthread_self (), thread;
  unsigned calls = 0;

  (void) state;
  assert_int_equal (sigaction (SIGUSR1, &action, NULL), 0);
  zf_set_wait_callback (f->h, on_wait_signal, &calls);
  assert_int_equal (pthread_create (&thread, NULL, send_signal, &self), 0);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EINTR, "cancelled");
  assert_in_range (calls, 1, 1000);
  pthread_join (thread, NULL);
  fake_end (f);
}

static void
test_create_flags (void **state)
{
  zf_handle *h;
  char *s;

  (void) state;
  errno = 0;
  assert_null (zf_create_flags (2));
  assert_int_equal (errno, EINVAL);
  setenv ("ZEROFISH_HV", "/other/qemu", 1);
  h = zf_create_flags (ZF_CREATE_NO_ENVIRONMENT);
  s = zf_get_hv (h);
  assert_true (s == NULL || strcmp (s, "/other/qemu") != 0);
  free (s);
  zf_close (h);
  h = zf_create_flags (0);
  s = zf_get_hv (h);
  assert_string_equal (s, "/other/qemu");
  free (s);
  zf_close (h);
  unsetenv ("ZEROFISH_HV");
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_into),
  cmocka_unit_test (test_into_count),
  cmocka_unit_test (test_allocate),
  cmocka_unit_test (test_error),
  cmocka_unit_test (test_violations),
  cmocka_unit_test (test_half),
  cmocka_unit_test (test_wait_callback),
  cmocka_unit_test (test_wait_callback_signal),
  cmocka_unit_test (test_create_flags),
};

TEST_MAIN (tests, 120)
