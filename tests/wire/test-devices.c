/* Device calls end to end: lists, sizes, read-only, bytes at offsets, and a result that is as large as it
 * can be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { SIZE_A = 8 * 1024 * 1024, SIZE_B = 1024 * 1024 + 512 };

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { SIZE_A, SIZE_B, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static void
test_lists (void **state)
{
  (void) state;
  client_do (&c, LIST_DEVICES, "");
  assert_int_equal (get_int (&c), 2);
  assert_string_equal (get_string (&c), "/dev/sda");
  assert_string_equal (get_string (&c), "/dev/sdb");
  client_do (&c, NR_DEVICES, "");
  assert_int_equal (get_int (&c), 2);
  client_do (&c, LIST_PARTITIONS, "");
  assert_int_equal (get_int (&c), 0);
}

static void
test_sizes (void **state)
{
  (void) state;
  client_do (&c, GETSIZE64, "s", "/dev/sda");
  assert_int_equal (get_int64 (&c), SIZE_A);
  client_do (&c, GETSIZE64, "s", "/dev/sdb");
  assert_int_equal (get_int64 (&c), SIZE_B);
  client_do (&c, GETSZ, "s", "/dev/sdb");
  assert_int_equal (get_int64 (&c), SIZE_B / 512);
  client_do (&c, GETSS, "s", "/dev/sda");
  assert_int_equal (get_int (&c), 512);
  client_do (&c, FLUSHBUFS, "s", "/dev/sda");
}

static void
test_pread_pwrite (void **state)
{
  size_t len;
  const char *p;

  (void) state;
  client_do (&c, PWRITE_DEVICE, "sbI", "/dev/sda", "hello", (size_t) 5, (int64_t) 1000);
  assert_int_equal (get_int (&c), 5);
  client_do (&c, PREAD_DEVICE, "siI", "/dev/sda", 7, (int64_t) 999);
  p = get_buffer (&c, &len);
  assert_int_equal (len, 7);
  assert_memory_equal (p, "\0hello", 7);
  client_do (&c, PREAD_DEVICE, "siI", "/dev/sdb", 100, (int64_t) SIZE_B - 10);
  get_buffer (&c, &len);
  assert_int_equal (len, 10);
}

static void
test_past_the_end (void **state)
{
  (void) state;
  client_send_call (&c, PWRITE_DEVICE, "sbI", "/dev/sdb", "hello", (size_t) 5, (int64_t) SIZE_B - 4);
  client_reply (&c, PWRITE_DEVICE);             /* short or refused, but the disk does not grow */
  client_send_call (&c, PWRITE_DEVICE, "sbI", "/dev/sdb", "hello", (size_t) 5, (int64_t) SIZE_B + 5);
  client_error (&c, PWRITE_DEVICE, "", "/dev/sdb");
  client_send_call (&c, PWRITE_DEVICE, "sbI", "/dev/sdb", "hello", (size_t) 5, (int64_t) -1);
  client_error (&c, PWRITE_DEVICE, "EINVAL", "");
  client_do (&c, GETSIZE64, "s", "/dev/sdb");
  assert_int_equal (get_int64 (&c), SIZE_B);
  client_send_call (&c, PREAD_DEVICE, "siI", "/dev/sda", -1, (int64_t) 0);
  client_error (&c, PREAD_DEVICE, "EINVAL", "");
  client_send_call (&c, PREAD_DEVICE, "siI", "/dev/sda", 512, (int64_t) -512);
  client_error (&c, PREAD_DEVICE, "EINVAL", "");
}

static void
test_large_result (void **state)
{
  size_t len;

  (void) state;
  client_do (&c, PREAD_DEVICE, "siI", "/dev/sda", 4194260, (int64_t) 0);
  get_buffer (&c, &len);
  assert_int_equal (len, 4194260);
  client_send_call (&c, PREAD_DEVICE, "siI", "/dev/sda", 4194261, (int64_t) 0);
  client_error (&c, PREAD_DEVICE, "", "");
  client_send_call (&c, PREAD_DEVICE, "siI", "/dev/sda", 0x7fffffff, (int64_t) 0);
  client_error (&c, PREAD_DEVICE, "", "");
  client_do (&c, PING_DAEMON, "");
}

/* A destructive call on a read-only disk changes nothing. */
static void
test_readonly (void **state)
{
  static const int procs[] = { ZERO, ZERO_DEVICE };
  const char *options[] = { "--device", NULL, NULL };
  char name[64];
  struct client ro;
  size_t i;

  (void) state;
  client_do (&c, PWRITE_DEVICE, "sbI", "/dev/sda", "data", (size_t) 4, (int64_t) 0);
  snprintf (name, sizeof name, "%s,readonly", c.files[0]);
  options[1] = name;
  client_start (&ro, options);
  client_do (&ro, GETRO, "s", "/dev/sda");
  assert_int_equal (get_int (&ro), 1);
  for (i = 0; i < sizeof procs / sizeof procs[0]; i++) {
    client_send_call (&ro, procs[i], "s", "/dev/sda");
    client_error (&ro, procs[i], "EROFS", "/dev/sda");
  }
  client_send_call (&ro, PWRITE_DEVICE, "sbI", "/dev/sda", "x", (size_t) 1, (int64_t) 0);
  client_error (&ro, PWRITE_DEVICE, "EROFS", "/dev/sda");
  client_do (&ro, PREAD_DEVICE, "siI", "/dev/sda", 4, (int64_t) 0);
  assert_memory_equal (ro.body, "\0\0\0\4data", 8);
  assert_int_equal (client_end (&ro), 0);
  client_do (&c, GETRO, "s", "/dev/sda");
  assert_int_equal (get_int (&c), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_lists), TEST (test_sizes), TEST (test_pread_pwrite), TEST (test_past_the_end),
  TEST (test_large_result),
  TEST (test_readonly),
};

TEST_MAIN (tests, 120)
