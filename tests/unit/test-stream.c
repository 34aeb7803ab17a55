/* Files in chunks, and the rules for failing early: one cancel flag, drain, one error reply; a peer that
 * is wrong.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "../wire/client.h"
#include "serve-peer.h"
#include "serve-rows.h"

static struct client c;

static int
setup (void **state)
{
  (void) state;
  serve_peer_start (&c);
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  client_call (&c, P_NOTHING, 0, NULL);
  client_ok (&c, P_NOTHING);
  assert_int_equal (client_end (&c), 0);
  return 0;
}

/* For tests whose connection the daemon ends. */
static int
teardown_broken (void **state)
{
  (void) state;
  client_closed (&c);
  assert_int_equal (client_end (&c), 1);
  return 0;
}

static void
call_file (int proc, int mode, int n)
{
  struct buf b = { 0 };

  put_int (&b, mode);
  put_int (&b, n);
  client_call (&c, proc, 0, &b);
}

/* Send bytes FROM to TO of the pattern in chunks of PIECE. */
static void
send_pattern (size_t from, size_t to, size_t piece)
{
  unsigned char b[ZF_CHUNK_MAX];
  size_t i, n;

  for (; from < to; from += n) {
    n = to - from < piece ? to - from : piece;
    for (i = 0; i < n; i++)
      b[i] = PATTERN (from + i);
    client_send_chunk (&c, b, n, 0);
  }
}

static void
send_end (void)
{
  client_send_chunk (&c, "", 0, 0);
}

static void
expect_cancel_flag (void)
{
  client_next (&c);
  assert_int_equal (c.got, GOT_CANCEL);
}

static void
test_in (void **state)
{
  static const size_t pieces[] = { 1, 3, 4, 1000, 8191, 8192 };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
    call_file (P_IN, IN_READ_ALL, 30000);
    send_pattern (0, 30000, pieces[i]);
    send_end ();
    client_ok (&c, P_IN);
  }
  call_file (P_IN, IN_READ_ALL, 0);
  send_end ();
  client_ok (&c, P_IN);
  call_file (P_IN, IN_READ_ALL, 10);
  send_pattern (0, 5, 5);
  client_send_word (&c, ZF_CANCEL_FLAG);        /* among chunks: skipped */
  send_pattern (5, 10, 5);
  send_end ();
  client_ok (&c, P_IN);
}

/* A cancel flag among the chunks is not taken by a handler that looks for one while it reads. */
static void
test_in_flag_among_chunks (void **state)
{
  (void) state;
  call_file (P_IN, IN_SLOW, 100);
  send_pattern (0, 50, 50);
  client_send_word (&c, ZF_CANCEL_FLAG);
  usleep (150000);
  client_send_word (&c, ZF_CANCEL_FLAG);
  send_pattern (50, 100, 50);
  send_end ();
  client_ok (&c, P_IN);
}

static void
test_in_fails_early (void **state)
{
  static const int after[] = { 0, 1, 4096, 8192, 20000 };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof after / sizeof after[0]; i++) {
    call_file (P_IN, IN_FAIL_AFTER_N, after[i]);
    send_pattern (0, 30000, 4096);
    expect_cancel_flag ();
    client_send_chunk (&c, "", 0, 1);
    client_error (&c, P_IN, "ENOSPC", "failed as asked");
    /* The end of the file had been sent before the flag came: no cancelled chunk follows. */
    call_file (P_IN, IN_FAIL_AFTER_N, after[i]);
    send_pattern (0, 30000, 4096);
    send_end ();
    expect_cancel_flag ();
    client_error (&c, P_IN, "ENOSPC", "failed as asked");
  }
}

static void
test_in_fails_after_end (void **state)
{
  (void) state;
  call_file (P_IN, IN_FAIL_AFTER_END, 0);
  send_pattern (0, 30000, 8192);
  send_end ();
  client_error (&c, P_IN, "ENOSPC", "failed as asked");   /* and no flag before it */
}

/* A handler content with a part of the file: the rest is read, and nothing is said. */
static void
test_in_stops_early (void **state)
{
  (void) state;
  call_file (P_IN, IN_STOP_AFTER_N, 100);
  send_pattern (0, 30000, 8192);
  send_end ();
  client_ok (&c, P_IN);
  call_file (P_IN, IN_STOP_AFTER_N, 100);
  send_pattern (0, 30000, 8192);
  client_send_chunk (&c, "", 0, 1);
  client_error (&c, P_IN, "EINTR", "cancelled");
}

static void
test_in_cancelled (void **state)
{
  (void) state;
  call_file (P_IN, IN_READ_ALL, 0);
  send_pattern (0, 20000, 8192);
  client_send_chunk (&c, "", 0, 1);
  client_error (&c, P_IN, "EINTR", "cancelled");
  /* Even if the handler says that all is well. */
  call_file (P_IN, IN_IGNORE_CANCEL, 30000);
  client_send_chunk (&c, "", 0, 1);
  client_error (&c, P_IN, "EINTR", "cancelled");
}

/* Calls with a file that this daemon does not have, or refuses before it looks at the body. */
static void
test_in_unknown (void **state)
{
  static const int procs[] = { 69, 71, 229, 241, 242, 273, 309, 397, 413, 472 };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof procs / sizeof procs[0]; i++) {
    call_file (procs[i], 0, 0);
    send_pattern (0, 30000, 8192);
    expect_cancel_flag ();
    client_send_chunk (&c, "", 0, 1);
    client_error (&c, procs[i], "ENOTSUP", "unknown procedure");
  }
  client_call (&c, P_IN, 1, NULL);
  send_end ();
  expect_cancel_flag ();
  client_error (&c, P_IN, "EINVAL", "optional");
  client_call (&c, P_IN, 0, NULL);
  send_end ();
  expect_cancel_flag ();
  client_error (&c, P_IN, "EINVAL", "decode");
}

/* What the library does: send until a flag is seen, then one cancelled chunk.  FAIL_AT: its own file
 * breaks there. */
static void
library_upload (size_t size, size_t piece, size_t fail_at)
{
  struct pollfd pfd = { .fd = c.conn.fd, .events = POLLIN };
  size_t done, n;

  for (done = 0; done < size; done += n) {
    if (done >= fail_at || poll (&pfd, 1, 0) == 1) {
      client_send_chunk (&c, "", 0, 1);
      return;
    }
    n = size - done < piece ? size - done : piece;
    send_pattern (done, done + n, piece);
  }
  send_end ();
}

/* Both sides fail at about the same time, a thousand times. */
static void
test_in_both_cancel (void **state)
{
  int i, flags;
  size_t size, piece;

  (void) state;
  srand (40);
  for (i = 0; i < 1000; i++) {
    size = rand () % 60000;
    piece = 1 + rand () % ZF_CHUNK_MAX;
    call_file (P_IN, rand () % 4 == 0 ? IN_FAIL_AFTER_END : IN_FAIL_AFTER_N, rand () % 60000);
    if (rand () % 2)
      usleep (rand () % 300);
    library_upload (size, piece, rand () % 3 ? (size_t) rand () % 60000 : SIZE_MAX);
    flags = 0;
    while (client_next (&c), c.got == GOT_CANCEL)
      flags++;
    assert_in_range (flags, 0, 1);
    assert_int_equal (c.got, GOT_FRAME);
    assert_int_equal (c.header.serial, c.serial);
    assert_int_equal (c.header.status, ZF_ERROR);
  }
}

static void
broken_start (void)
{
  call_file (P_IN, IN_READ_ALL, 0);
  send_pattern (0, 8192, 8192);
}

static void
test_in_bad_cancel (void **state)
{
  (void) state;
  broken_start ();
  client_send_chunk (&c, "", 0, 2);
}

static void
test_in_long_chunk (void **state)
{
  (void) state;
  broken_start ();
  client_send_word (&c, 8 + ZF_CHUNK_MAX + 4);
}

static void
test_in_short_chunk (void **state)
{
  (void) state;
  broken_start ();
  client_send_word (&c, 7);
}

/* The data's own length says more than the chunk holds. */
static void
test_in_lying_chunk (void **state)
{
  (void) state;
  broken_start ();
  client_send (&c, "\0\0\0\14\0\0\0\0\0\0\0\5abcd", 16);
}

/* A peer that leaves in the middle of a file is no error, and not waited for. */
static void
test_in_peer_leaves (void **state)
{
  (void) state;
  broken_start ();
  assert_int_equal (client_end (&c), 0);
  serve_peer_start (&c);
}

static void
expect_file (int mode, int n)
{
  struct buf b = { 0 };
  size_t i;

  call_file (P_OUT, mode, n);
  client_ok (&c, P_OUT);
  assert_int_equal (c.body_len, 0);
  assert_int_equal (client_read_file (&c, &b), 0);
  assert_int_equal (b.len, n);
  for (i = 0; i < b.len; i++) {
    if (b.data[i] != PATTERN (i))
      fail_msg ("byte %zu is wrong", i);
  }
  buf_free (&b);
}

static void
test_out (void **state)
{
  static const int sizes[] = { 0, 1, 3, 8191, 8192, 8193, 65536, 100001, 3000000 };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    expect_file (OUT_SEND_N, sizes[i]);
    expect_file (OUT_SMALL_PIECES, sizes[i]);
  }
}

static void
test_out_fails (void **state)
{
  (void) state;
  call_file (P_OUT, OUT_REFUSE, 0);
  client_error (&c, P_OUT, "ENOENT", "/missing");
  call_file (P_OUT, OUT_FAIL_AFTER_N, 0);
  client_ok (&c, P_OUT);
  assert_int_equal (client_read_file (&c, NULL), -1);
  call_file (P_OUT, OUT_FAIL_AFTER_N, 500000);
  client_ok (&c, P_OUT);
  assert_int_equal (client_read_file (&c, NULL), -1);
}

static void
test_out_cancelled (void **state)
{
  int64_t start = client_now_ms ();
  int i;

  (void) state;
  for (i = 0; i < 10; i++) {
    call_file (P_OUT, OUT_FOR_EVER, 0);
    if (i == 0)
      client_send_word (&c, ZF_CANCEL_FLAG);    /* before the reply */
    client_ok (&c, P_OUT);
    if (i != 0) {
      assert_true (client_read_chunk (&c) > 0);
      client_send_word (&c, ZF_CANCEL_FLAG);
    }
    assert_int_equal (client_read_file (&c, NULL), -1);
  }
  assert_true (client_now_ms () - start < 20000);
}

/* The flag crosses the end of the file, or two flags are sent: ignored. */
static void
test_out_late_cancel (void **state)
{
  (void) state;
  expect_file (OUT_SEND_N, 20000);
  client_send_word (&c, ZF_CANCEL_FLAG);
  expect_file (OUT_SEND_N, 20000);
  call_file (P_OUT, OUT_FOR_EVER, 0);
  client_ok (&c, P_OUT);
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_send_word (&c, ZF_CANCEL_FLAG);
  assert_int_equal (client_read_file (&c, NULL), -1);
  expect_file (OUT_SEND_N, 20000);
}

static void
test_out_peer_leaves (void **state)
{
  (void) state;
  call_file (P_OUT, OUT_FOR_EVER, 0);
  client_ok (&c, P_OUT);
  assert_int_equal (client_end (&c), 0);
  serve_peer_start (&c);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
#define BROKEN(f) cmocka_unit_test_setup_teardown (f, setup, teardown_broken)
static const struct CMUnitTest tests[] = {
  TEST (test_in), TEST (test_in_flag_among_chunks), TEST (test_in_fails_early),
  TEST (test_in_fails_after_end),
  TEST (test_in_stops_early), TEST (test_in_cancelled), TEST (test_in_unknown),
  TEST (test_in_both_cancel), TEST (test_in_peer_leaves),
  BROKEN (test_in_bad_cancel), BROKEN (test_in_long_chunk), BROKEN (test_in_short_chunk),
  BROKEN (test_in_lying_chunk),
  TEST (test_out), TEST (test_out_fails), TEST (test_out_cancelled), TEST (test_out_late_cancel),
  TEST (test_out_peer_leaves),
};

TEST_MAIN (tests, 120)
