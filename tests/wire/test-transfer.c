/* Files to and from the daemon end to end: whole, refused early, given up by either side or by both at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { DISK = 1 << 20, MIB = 1 << 20 };

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { DISK, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static unsigned char *
pattern (size_t n)
{
  unsigned char *b = malloc (n + 1);
  size_t i;

  for (i = 0; i < n; i++)
    b[i] = i * 13 + (i >> 9);
  return b;
}

/* As the library: send until the daemon says something, then one cancelled chunk.  At FAIL_AT our own file
 * breaks. The number of bytes sent. */
static size_t
send_file (const unsigned char *b, size_t size, size_t piece, size_t fail_at)
{
  struct pollfd pfd = { .fd = c.conn.fd, .events = POLLIN };
  size_t done, n;

  for (done = 0; done < size; done += n) {
    if (done >= fail_at || poll (&pfd, 1, 0) == 1) {
      client_send_chunk (&c, "", 0, 1);
      return done;
    }
    n = size - done < piece ? size - done : piece;
    client_send_chunk (&c, b + done, n, 0);
  }
  client_send_chunk (&c, "", 0, 0);
  return done;
}

/* Upload that fails: at most one flag, then one error reply. */
static void
expect_failure (const char *errno_name, const char *text)
{
  int flags = 0;

  while (client_next (&c), c.got == GOT_CANCEL)
    flags++;
  assert_in_range (flags, 0, 1);
  assert_int_equal (c.got, GOT_FRAME);
  assert_int_equal (c.header.proc, UPLOAD);
  assert_int_equal (c.header.serial, c.serial);
  assert_int_equal (c.header.status, ZF_ERROR);
  if (errno_name[0])
    assert_string_equal (c.errno_name, errno_name);
  if (strstr (c.message, text) == NULL)
    fail_msg ("the message '%s' does not contain '%s'", c.message, text);
}

static void
check_download (const char *path, const unsigned char *want, size_t n)
{
  struct buf b = { 0 };

  client_do (&c, DOWNLOAD, "s", path);
  assert_int_equal (client_read_file (&c, &b), 0);
  assert_int_equal (b.len, n);
  if (n > 0)
    assert_memory_equal (b.data, want, n);
  buf_free (&b);
}

static void
test_there_and_back (void **state)
{
  static const size_t sizes[] = { 0, 1, 511, 512, 8191, 8192, 8193, 100000, 5 * MIB + 7 };
  unsigned char *b = pattern (5 * MIB + 7);
  size_t i;

  (void) state;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    client_send_call (&c, UPLOAD, "s", "/file");
    assert_int_equal (send_file (b, sizes[i], i % 2 ? 8192 : 5000, SIZE_MAX), sizes[i]);
    client_ok (&c, UPLOAD);
    check_download ("/file", b, sizes[i]);
  }
  free (b);
}

static void
test_device (void **state)
{
  unsigned char *b = pattern (DISK + 1);

  (void) state;
  client_send_call (&c, UPLOAD, "s", "/dev/sda");
  send_file (b, DISK, 8192, SIZE_MAX);
  client_ok (&c, UPLOAD);
  check_download ("/dev/sda", b, DISK);
  /* A byte too many: refused, and the disk does not grow. */
  client_send_call (&c, UPLOAD, "s", "/dev/sda");
  send_file (b, DISK + 1, 8192, SIZE_MAX);
  expect_failure ("", "/dev/sda");
  client_do (&c, GETSIZE64, "s", "/dev/sda");
  assert_int_equal (get_int64 (&c), DISK);
  free (b);
}

/* Into the middle of a device and of a file, at odd places; the rest stays. */
static void
check_offset (const char *path, size_t size, size_t offset, size_t n)
{
  unsigned char *b = pattern (n), *all = calloc (1, offset + n + 1), *old = pattern (size);
  struct buf got = { 0 };

  memset (b + n / 3, 0, n / 3);
  client_send_call (&c, UPLOAD, "s", path);
  send_file (old, size, 8192, SIZE_MAX);
  client_ok (&c, UPLOAD);
  client_send_call (&c, UPLOAD_OFFSET, "sI", path, (int64_t) offset);
  send_file (b, n, 8000, SIZE_MAX);
  client_ok (&c, UPLOAD_OFFSET);
  memcpy (all, old, size < offset ? size : offset);
  memcpy (all + offset, b, n);
  client_do (&c, DOWNLOAD_OFFSET, "sII", path, (int64_t) 1, (int64_t) (offset + n - 1));
  assert_int_equal (client_read_file (&c, &got), 0);
  assert_int_equal (got.len, offset + n - 1);
  assert_memory_equal (got.data, all + 1, got.len);
  if (offset + n < size) {
    buf_free (&got);
    client_do (&c, DOWNLOAD_OFFSET, "sII", path, (int64_t) (offset + n), (int64_t) (size - offset - n));
    assert_int_equal (client_read_file (&c, &got), 0);
    assert_int_equal (got.len, size - offset - n);
    assert_memory_equal (got.data, old + offset + n, got.len);
  }
  buf_free (&got);
  free (b);
  free (old);
  free (all);
}

static void
test_offsets (void **state)
{
  (void) state;
  check_offset ("/dev/sda", DISK, 0, 300001);
  check_offset ("/dev/sda", DISK, 4096, 300001);
  check_offset ("/dev/sda", DISK, 511, DISK - 511);
  check_offset ("/off", 1000000, 70001, 300001);
  check_offset ("/off", 100000, 70001, 3 * MIB);
  check_offset ("/off", 100000, 4 * MIB + 1, 300001);
  check_offset ("/off", 0, 77, 1);
  client_send_call (&c, DOWNLOAD_OFFSET, "sII", "/off", (int64_t) 70, (int64_t) 9);
  client_error (&c, DOWNLOAD_OFFSET, "EINVAL", "has only 8");
  client_send_call (&c, UPLOAD_OFFSET, "sI", "/dev/sda", (int64_t) DISK + 1);
  client_send_chunk (&c, "", 0, 0);
  while (client_next (&c), c.got == GOT_CANCEL)
    ;
  assert_string_equal (c.errno_name, "ENOSPC");
}

/* Refused at once, though 50 MiB are on their way: the sender is told, and stops soon. */
static void
test_refused_early (void **state)
{
  static const struct { const char *path, *errno_name; } bad[] = {
    { "/", "EISDIR" }, { "/none/file", "ENOENT" }, { "relative", "EINVAL" }, { "/dev/sdb", "" },
    { "", "EINVAL" },
  };
  const size_t size = 50 * MIB;
  unsigned char *b = pattern (size);
  size_t i;

  (void) state;
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    client_send_call (&c, UPLOAD, "s", bad[i].path);
    assert_true (send_file (b, size, 8192, SIZE_MAX) < size);
    expect_failure (bad[i].errno_name, "");
    client_do (&c, PING_DAEMON, "");
  }
  free (b);
}

static void
test_nothing_mounted (void **state)
{
  const size_t size = 50 * MIB;
  unsigned char *b = pattern (size);
  struct client saved = c;

  (void) state;
  client_start (&c, (const char *const[]) { NULL });
  client_send_call (&c, UPLOAD, "s", "/file");
  assert_true (send_file (b, size, 8192, SIZE_MAX) < size);
  expect_failure ("EINVAL", "mount");
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
  c = saved;
  free (b);
}

/* Our own file cannot be read further. */
static void
test_given_up (void **state)
{
  unsigned char *b = pattern (MIB);

  (void) state;
  client_send_call (&c, UPLOAD, "s", "/file");
  send_file (b, MIB, 1000, 1);
  expect_failure ("EINTR", "cancelled");
  client_send_call (&c, UPLOAD, "s", "/file");
  send_file (b, MIB, 1000, 0);
  expect_failure ("EINTR", "cancelled");
  free (b);
}

/* Both sides fail at about the same time, a thousand times. */
static void
test_both_give_up (void **state)
{
  unsigned char *b = pattern (200000);
  int i;

  (void) state;
  srand (40);
  for (i = 0; i < 1000; i++) {
    client_send_call (&c, UPLOAD, "s", rand () % 2 ? "/" : "/none/file");
    if (rand () % 2)
      usleep (rand () % 300);
    send_file (b, 200000, 1 + rand () % ZF_CHUNK_MAX, rand () % 3 ? (size_t) rand () % 60000 : SIZE_MAX);
    expect_failure ("", "");
  }
  free (b);
}

static void
test_download_refused (void **state)
{
  (void) state;
  client_send_call (&c, DOWNLOAD, "s", "/none");
  client_error (&c, DOWNLOAD, "ENOENT", "/none");
  client_send_call (&c, DOWNLOAD, "s", "/");
  client_error (&c, DOWNLOAD, "EISDIR", "");
  client_send_call (&c, DOWNLOAD, "s", "/dev/sdb");
  client_error (&c, DOWNLOAD, "", "/dev/sdb");
}

/* A file of 1 TiB is given up when asked; after its end the flag is ignored. */
static void
test_download_cancelled (void **state)
{
  int64_t start = client_now_ms ();
  int i;

  (void) state;
  client_do (&c, TOUCH, "s", "/huge");
  client_do (&c, TRUNCATE_SIZE, "sI", "/huge", INT64_C (1) << 40);
  for (i = 0; i < 5; i++) {
    client_do (&c, DOWNLOAD, "s", "/huge");
    usleep (i * 20000);
    client_send_word (&c, ZF_CANCEL_FLAG);
    assert_int_equal (client_read_file (&c, NULL), -1);
  }
  client_do (&c, DOWNLOAD, "s", "/dev/sda");
  assert_int_equal (client_read_file (&c, NULL), 0);
  client_send_word (&c, ZF_CANCEL_FLAG);
  assert_true (client_now_ms () - start < 20000);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_there_and_back), TEST (test_device), TEST (test_offsets), TEST (test_refused_early),
  TEST (test_nothing_mounted),
  TEST (test_given_up), TEST (test_both_give_up), TEST (test_download_refused),
  TEST (test_download_cancelled),
};

TEST_MAIN (tests, 300)
