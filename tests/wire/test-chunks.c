/* Chunks of files that are larger than the usual ones: agreeing on their size, all sizes around it, giving up
 * half way, and peers that send more than was agreed.
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

enum { DISK = 3 << 20, MIB = 1 << 20, USUAL = 8192 };

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

/* After the daemon has hung up. */
static int
teardown_closed (void **state)
{
  (void) state;
  assert_int_not_equal (client_end (&c), 0);
  return 0;
}

static size_t
agree (size_t size)
{
  client_do (&c, SET_CHUNK, "i", (uint32_t) size);
  return c.chunk_max = get_int (&c);
}

/* Bytes that repeat nowhere near, with zeroes here and there. */
static unsigned char *
pattern (size_t n)
{
  unsigned char *b = calloc (1, n + 1);
  size_t i;

  for (i = 0; i < n; i++)
    if (i / 50000 % 3 != 1)
      b[i] = i * 13 + (i >> 9);
  return b;
}

static void
upload (const char *path, const unsigned char *b, size_t size, size_t piece)
{
  size_t done, n;

  client_send_call (&c, UPLOAD, "s", path);
  for (done = 0; done < size; done += n) {
    n = size - done < piece ? size - done : piece;
    client_send_chunk (&c, b + done, n, 0);
  }
  client_send_chunk (&c, "", 0, 0);
  client_ok (&c, UPLOAD);
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
test_agree (void **state)
{
  static const uint32_t bad[] = { 0, 4, USUAL - 4, USUAL + 2, 65537, UINT32_C (0x80000000), UINT32_MAX };
  size_t i;

  (void) state;
  assert_int_equal (agree (USUAL), USUAL);
  assert_int_equal (agree (65536), 65536);
  assert_int_equal (agree (MIB), MIB);
  assert_int_equal (agree (MIB + 4), MIB);
  assert_int_equal (agree (INT32_MAX - 3), MIB);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    client_send_call (&c, SET_CHUNK, "i", bad[i]);
    client_error (&c, SET_CHUNK, "EINVAL", "chunk");
  }
}

/* Around the usual size and the agreed one, in chunks as large as they may be and in smaller ones. */
static void
check_sizes (size_t agreed, const char *path)
{
  const size_t sizes[] = {
    0, 1, USUAL - 1, USUAL, USUAL + 1, agreed - 1, agreed, agreed + 1, 2 * agreed + 5,
  };
  unsigned char *b = pattern (2 * agreed + 5);
  size_t i;

  assert_int_equal (agree (agreed), agreed);
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    upload (path, b, sizes[i], agreed);
    check_download (path, b, sizes[i]);
    upload (path, b, sizes[i], 5003);
    check_download (path, b, sizes[i]);
  }
  free (b);
}

static void
test_sizes (void **state)
{
  (void) state;
  check_sizes (USUAL, "/file");
  check_sizes (USUAL + 4, "/file");
  check_sizes (65536, "/file");
  check_sizes (MIB, "/file");
}

static void
test_large_file (void **state)
{
  const size_t size = 50 * MIB;
  unsigned char *b = pattern (size);

  (void) state;
  agree (MIB);
  upload ("/file", b, size, MIB);
  check_download ("/file", b, size);
  free (b);
}

/* Over data, zeroes are written; over zeroes, data; the rest of the disk stays as it is. */
static void
test_device (void **state)
{
  unsigned char *b = pattern (DISK), *zero = calloc (1, DISK);

  (void) state;
  agree (MIB);
  upload ("/dev/sda", b, DISK, MIB);
  check_download ("/dev/sda", b, DISK);
  upload ("/dev/sda", zero, DISK - 100000, 65536);
  memset (b, 0, DISK - 100000);
  check_download ("/dev/sda", b, DISK);
  upload ("/dev/sda", zero, 0, 1);
  check_download ("/dev/sda", b, DISK);
  free (b);
  free (zero);
}

/* The larger chunks are really used: a file of that size comes in one. */
static void
test_used (void **state)
{
  unsigned char *b = pattern (MIB);

  (void) state;
  memset (b, 1, MIB);
  agree (MIB);
  upload ("/file", b, MIB, MIB);
  client_do (&c, DOWNLOAD, "s", "/file");
  assert_int_equal (client_read_chunk (&c), MIB);
  assert_int_equal (client_read_chunk (&c), 0);
  free (b);
}

/* Given up by us, after 0 to 3 chunks and inside the window that is being filled. */
static void
test_given_up (void **state)
{
  unsigned char *b = pattern (MIB);
  int i, n;

  (void) state;
  agree (MIB);
  for (n = 0; n < 4; n++) {
    client_send_call (&c, UPLOAD, "s", "/file");
    for (i = 0; i < n; i++)
      client_send_chunk (&c, b, n == 3 ? 700001 : MIB, 0);
    client_send_chunk (&c, "", 0, 1);
    client_error (&c, UPLOAD, "EINTR", "cancelled");
  }
  free (b);
}

/* Given up by the daemon at a time when a large chunk is on its way. */
static void
test_refused (void **state)
{
  unsigned char *b = pattern (MIB);
  int i;

  (void) state;
  agree (MIB);
  for (i = 0; i < 20; i++) {
    client_send_call (&c, UPLOAD, "s", "/none/file");
    client_send_chunk (&c, b, MIB, 0);
    client_send_chunk (&c, b, MIB - i, 0);
    client_send_chunk (&c, "", 0, 1);
    client_next (&c);
    assert_int_equal (c.got, GOT_CANCEL);
    client_error (&c, UPLOAD, "ENOENT", "");
  }
  free (b);
}

static void
test_download_cancelled (void **state)
{
  int i;

  (void) state;
  agree (MIB);
  client_do (&c, TOUCH, "s", "/huge");
  client_do (&c, TRUNCATE_SIZE, "sI", "/huge", INT64_C (1) << 40);
  for (i = 0; i < 5; i++) {
    client_do (&c, DOWNLOAD, "s", "/huge");
    usleep (i * 20000);
    client_send_word (&c, ZF_CANCEL_FLAG);
    assert_int_equal (client_read_file (&c, NULL), -1);
  }
}

/* A library that does not know the call, after one that does: its chunks are as ever. */
static void
test_hello_forgets (void **state)
{
  unsigned char *b = pattern (MIB);

  (void) state;
  agree (MIB);
  client_do (&c, HELLO, "IIb", INT64_C (0), INT64_C (0), "", (size_t) 0);
  c.chunk_max = 0;
  upload ("/file", b, MIB, USUAL);
  check_download ("/file", b, MIB);
  client_send_call (&c, UPLOAD, "s", "/file");
  client_send_chunk (&c, b, USUAL + 1, 0);
  client_closed (&c);
  free (b);
}

static void
test_larger_than_agreed (void **state)
{
  unsigned char *b = pattern (MIB);

  (void) state;
  agree (65536);
  client_send_call (&c, UPLOAD, "s", "/file");
  client_send_chunk (&c, b, 65537, 0);
  client_closed (&c);
  free (b);
}

/* A head that lies about what follows. */
static void
test_damaged (void **state)
{
  (void) state;
  agree (MIB);
  client_send_call (&c, UPLOAD, "s", "/file");
  client_send_word (&c, 8 + 16);
  client_send_word (&c, 0);
  client_send_word (&c, 17);
  client_closed (&c);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
#define CLOSED(f) cmocka_unit_test_setup_teardown (f, setup, teardown_closed)
static const struct CMUnitTest tests[] = {
  TEST (test_agree), TEST (test_sizes), TEST (test_large_file), TEST (test_device), TEST (test_used),
  TEST (test_given_up), TEST (test_refused), TEST (test_download_cancelled), CLOSED (test_hello_forgets),
  CLOSED (test_larger_than_agreed), CLOSED (test_damaged),
};

TEST_MAIN (tests, 300)
