/* File calls end to end under a sysroot: made, filled, read, measured, cut, removed; and what they refuse.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { 1 << 20, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static int64_t
filesize (const char *path)
{
  client_do (&c, FILESIZE, "s", path);
  return get_int64 (&c);
}

static bool
exists (const char *path)
{
  client_do (&c, EXISTS, "s", path);
  return get_int (&c);
}

static void
test_make_and_remove (void **state)
{
  (void) state;
  assert_false (exists ("/a"));
  client_do (&c, TOUCH, "s", "/a");
  assert_true (exists ("/a"));
  assert_int_equal (filesize ("/a"), 0);
  client_do (&c, MKDIR, "s", "/dir");
  client_do (&c, TOUCH, "s", "/dir/b c");
  assert_true (exists ("/dir/b c"));
  client_send_call (&c, MKDIR, "s", "/dir");
  client_error (&c, MKDIR, "EEXIST", "/dir");
  client_send_call (&c, RM, "s", "/dir");
  client_error (&c, RM, "EISDIR", "/dir");
  client_do (&c, RM, "s", "/a");
  assert_false (exists ("/a"));
  client_send_call (&c, RM, "s", "/a");
  client_error (&c, RM, "ENOENT", "/a");
  client_send_call (&c, TOUCH, "s", "/none/a");
  client_error (&c, TOUCH, "ENOENT", "/none/a");
}

static void
test_content (void **state)
{
  (void) state;
  client_do (&c, FILL, "iis", 'x', 100000, "/x");
  assert_int_equal (filesize ("/x"), 100000);
  client_do (&c, PREAD, "siI", "/x", 5, (int64_t) 99998);
  assert_memory_equal (c.body, "\0\0\0\2xx\0\0", 8);
  client_do (&c, PWRITE, "sbI", "/x", "yy", (size_t) 2, (int64_t) 1);
  assert_int_equal (get_int (&c), 2);
  client_do (&c, PREAD, "siI", "/x", 4, (int64_t) 0);
  assert_memory_equal (c.body, "\0\0\0\4xyyx", 8);
  client_do (&c, FILL_PATTERN, "sis", "abc", 10, "/p");
  client_do (&c, PREAD, "siI", "/p", 12, (int64_t) 0);
  assert_memory_equal (c.body, "\0\0\0\12abcabcabca\0\0", 16);
  client_do (&c, CHECKSUM, "ss", "md5", "/p");
  assert_int_equal (strlen (get_string (&c)), 32);
  client_send_call (&c, CHECKSUM, "ss", "md99", "/p");
  client_error (&c, CHECKSUM, "EINVAL", "md99");
}

static void
test_sizes (void **state)
{
  (void) state;
  client_do (&c, TOUCH, "s", "/t");
  client_do (&c, TRUNCATE_SIZE, "sI", "/t", INT64_C (1) << 40);
  assert_int_equal (filesize ("/t"), INT64_C (1) << 40);
  client_do (&c, TRUNCATE_SIZE, "sI", "/t", INT64_C (3));
  assert_int_equal (filesize ("/t"), 3);
  client_send_call (&c, TRUNCATE_SIZE, "sI", "/t", INT64_C (-1));
  client_error (&c, TRUNCATE_SIZE, "EINVAL", "");
  client_do (&c, FALLOCATE64, "sI", "/f", INT64_C (1000000));
  assert_int_equal (filesize ("/f"), 1000000);
  client_do (&c, STATVFS, "s", "/");
  assert_true (get_int64 (&c) >= 512);
}

static void
test_refused (void **state)
{
  (void) state;
  client_send_call (&c, FILL, "iis", 256, 10, "/x");
  client_error (&c, FILL, "EINVAL", "");
  client_send_call (&c, FILL, "iis", 'x', -1, "/x");
  client_error (&c, FILL, "EINVAL", "");
  client_send_call (&c, FILL_PATTERN, "sis", "", 10, "/x");
  client_error (&c, FILL_PATTERN, "EINVAL", "");
  client_do (&c, TOUCH, "s", "/x");
  client_send_call (&c, PREAD, "siI", "/x", -1, (int64_t) 0);
  client_error (&c, PREAD, "EINVAL", "");
  client_send_call (&c, PREAD, "siI", "/x", 1, (int64_t) -1);
  client_error (&c, PREAD, "EINVAL", "");
  client_send_call (&c, PREAD, "siI", "/x", 0x7fffffff, (int64_t) 0);
  client_error (&c, PREAD, "", "");
  client_send_call (&c, PWRITE, "sbI", "/x", "y", (size_t) 1, (int64_t) -1);
  client_error (&c, PWRITE, "EINVAL", "");
  client_send_call (&c, FALLOCATE64, "sI", "/y", INT64_C (-1));
  client_error (&c, FALLOCATE64, "EINVAL", "");
}

/* Without a sysroot nothing is mounted, and path arguments say so. */
static void
test_nothing_mounted (void **state)
{
  static const int procs[] = { TOUCH, RM, MKDIR, EXISTS, FILESIZE, IS_ZERO, STATVFS };
  struct client bare;
  size_t i;

  (void) state;
  client_start (&bare, (const char *const[]) { NULL });
  for (i = 0; i < sizeof procs / sizeof procs[0]; i++) {
    client_send_call (&bare, procs[i], "s", "/etc/passwd");
    client_error (&bare, procs[i], "EINVAL", "mount");
  }
  client_do (&bare, UMOUNT_ALL, "");
  client_do (&bare, MOUNTS, "");
  assert_int_equal (get_int (&bare), 0);
  assert_int_equal (client_end (&bare), 0);
}

static void
test_groups (void **state)
{
  (void) state;
  client_do (&c, AVAILABLE_ALL_GROUPS, "");
  client_do (&c, FEATURE_AVAILABLE, "s", "no-such-group");
  assert_int_equal (get_int (&c), 2);
  client_do (&c, FEATURE_AVAILABLE, "s", "btrfs");
  assert_in_range (get_int (&c), 0, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_make_and_remove), TEST (test_content), TEST (test_sizes), TEST (test_refused),
  TEST (test_nothing_mounted), TEST (test_groups),
};

TEST_MAIN (tests, 120)
