/* Long calls on a huge empty disk: progress comes in time, and the cancel flag ends each within a second.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <string.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

/* Too large to be read in the time of a test. */
static const off_t huge = (off_t) 4 << 40;

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { huge, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  assert_int_equal (client_end (&c), 0);
  return 0;
}

/* The call that was sent is cancelled AFTER_US later, and must then end within a second. */
static void
cancel_after (int proc, unsigned after_us)
{
  int64_t start;

  usleep (after_us);
  start = client_now_ms ();
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_error (&c, proc, "EINTR", "cancel");
  assert_true (client_now_ms () - start < 1000);
  client_do (&c, PING_DAEMON, "");
}

/* All of a device to a file, with holes. */
static void
send_copy (const char *src, const char *dest)
{
  struct buf b = { 0 };

  put_string (&b, src);
  put_string (&b, dest);
  for (int i = 0; i < 3; i++)
    put_int64 (&b, 0);
  put_int (&b, 1);
  put_int (&b, 0);
  client_call (&c, COPY_DEVICE_TO_FILE, 8, &b);
}

static void
test_each_call (void **state)
{
  (void) state;
  client_send_call (&c, CHECKSUM_DEVICE, "ss", "sha256", "/dev/sda");
  cancel_after (CHECKSUM_DEVICE, 300000);
  client_send_call (&c, IS_ZERO_DEVICE, "s", "/dev/sda");
  cancel_after (IS_ZERO_DEVICE, 300000);
  client_send_call (&c, ZERO_DEVICE, "s", "/dev/sda");
  cancel_after (ZERO_DEVICE, 300000);
  send_copy ("/dev/sda", "/copy");
  cancel_after (COPY_DEVICE_TO_FILE, 300000);
}

static void
test_at_once (void **state)
{
  int i;

  (void) state;
  for (i = 0; i < 20; i++) {
    client_send_call (&c, CHECKSUM_DEVICE, "ss", "sha256", "/dev/sda");
    cancel_after (CHECKSUM_DEVICE, i * 5000 + 20000);
  }
}

static void
test_twice (void **state)
{
  (void) state;
  client_send_call (&c, CHECKSUM_DEVICE, "ss", "md5", "/dev/sda");
  usleep (100000);
  client_send_word (&c, ZF_CANCEL_FLAG);
  cancel_after (CHECKSUM_DEVICE, 0);
}

/* A flag that comes between two calls does not harm the next. */
static void
test_idle (void **state)
{
  (void) state;
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_do (&c, GETSIZE64, "s", "/dev/sda");
  assert_int_equal (get_int64 (&c), huge);
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_send_call (&c, CHECKSUM_DEVICE, "ss", "crc", "/dev/sda");
  cancel_after (CHECKSUM_DEVICE, 500000);
}

/* Progress of one call for four seconds: the first after 2 s, at least one a second, never backwards. */
static void
check_progress (int proc)
{
  int64_t start = client_now_ms (), last = start;
  uint64_t position = 0;
  unsigned n = 0;

  while (client_now_ms () - start < 4000) {
    client_next (&c);
    assert_int_equal (c.got, GOT_PROGRESS);
    assert_int_equal (c.progress.proc, proc);
    assert_true (n > 0 || client_now_ms () - start >= 1900);
    assert_true (client_now_ms () - last < (n > 0 ? 1000 : 3000));
    assert_true (c.progress.position >= position);
    last = client_now_ms ();
    position = c.progress.position;
    n++;
  }
  assert_in_range (n, 2, 8);
  cancel_after (proc, 0);
}

static void
test_progress (void **state)
{
  (void) state;
  client_send_call (&c, IS_ZERO_DEVICE, "s", "/dev/sda");
  check_progress (IS_ZERO_DEVICE);
  client_send_call (&c, CHECKSUM_DEVICE, "ss", "sha1", "/dev/sda");
  check_progress (CHECKSUM_DEVICE);
  send_copy ("/dev/sda", "/copy");
  check_progress (COPY_DEVICE_TO_FILE);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_each_call), TEST (test_at_once), TEST (test_twice), TEST (test_idle), TEST (test_progress),
};

TEST_MAIN (tests, 300)
