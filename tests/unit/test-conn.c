/* One end of the byte stream: exact reads and writes in awkward pieces, peeking, closed peers, wait hooks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "test.h"
#include "conn.h"

static struct conn conn;    /* the side under test */
static int peer;            /* the other side, blocking */

static int
setup (void **state)
{
  int pair[2];

  (void) state;
  if (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == -1)
    return -1;
  fcntl (pair[0], F_SETFL, O_NONBLOCK);
  conn_init (&conn, pair[0]);
  peer = pair[1];
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  close (conn.fd);
  if (peer != -1)
    close (peer);
  return 0;
}

static void
close_peer (void)
{
  close (peer);
  peer = -1;
}

static int
give_up (void *opaque, int fd, short events)
{
  (void) fd;
  *(short *) opaque = events;
  errno = ETIMEDOUT;
  return -1;
}

/* A child that sends LEN bytes 0, 1, 2, ... in pieces of PIECE, with pauses. */
static void
send_slowly (size_t len, size_t piece)
{
  unsigned char *b;
  size_t i, n;

  if (fork () != 0)
    return;
  b = malloc (len);
  for (i = 0; i < len; i++)
    b[i] = i * 7;
  for (i = 0; i < len; i += n) {
    n = len - i < piece ? len - i : piece;
    if (write (peer, b + i, n) != (ssize_t) n)
      _exit (1);
    if (i / piece % 64 == 0)
      usleep (100);
  }
  free (b);
  _exit (0);
}

static void
check_pattern (const unsigned char *b, size_t len)
{
  size_t i;

  for (i = 0; i < len; i++) {
    if (b[i] != (unsigned char) (i * 7))
      fail_msg ("byte %zu is wrong", i);
  }
}

static void
reap (void)
{
  int status;

  assert_true (wait (&status) > 0);
  assert_int_equal (status, 0);
}

static void
test_words (void **state)
{
  uint32_t w;

  (void) state;
  assert_int_equal (conn_write_word (&conn, UINT32_C (0xf5f55ff5)), 0);
  assert_int_equal (read (peer, &w, 4), 4);
  assert_memory_equal (&w, "\xf5\xf5\x5f\xf5", 4);
  assert_int_equal (write (peer, "\0\0\1\2", 4), 4);
  assert_int_equal (conn_read_word (&conn, &w), 0);
  assert_int_equal (w, 0x102);
}

static void
test_peek (void **state)
{
  uint32_t w = 0;
  char b[3];

  (void) state;
  assert_int_equal (conn_peek_word (&conn, &w), 0);
  assert_int_equal (write (peer, "\0\0\1", 3), 3);
  assert_int_equal (conn_peek_word (&conn, &w), 0);
  assert_int_equal (write (peer, "\2abc", 4), 4);
  assert_int_equal (conn_peek_word (&conn, &w), 1);
  assert_int_equal (w, 0x102);
  assert_int_equal (conn_peek_word (&conn, &w), 1);
  assert_int_equal (conn_read_word (&conn, &w), 0);
  assert_int_equal (w, 0x102);
  assert_int_equal (conn_read (&conn, b, 3), 0);
  assert_memory_equal (b, "abc", 3);
  assert_true (conn_empty (&conn));
  close_peer ();
  assert_int_equal (conn_peek_word (&conn, &w), -1);
  assert_int_equal (errno, ECONNRESET);
}

/* Small and large reads mixed, over a stream that comes in odd pieces. */
static void
test_pieces (void **state)
{
  static const size_t sizes[] = { 1, 3, 4, 24, 40, 1000, 16384, 16385, 65536, 65537, 200000, 4 };
  const size_t len = 400000;
  unsigned char *b = malloc (len);
  size_t done = 0, i;
  uint32_t w;

  (void) state;
  send_slowly (len, 1021);
  for (i = 0; done < len; i++) {
    size_t n = sizes[i % (sizeof sizes / sizeof sizes[0])];
    if (n > len - done)
      n = len - done;
    assert_int_not_equal (conn_peek_word (&conn, &w), -1);
    assert_int_equal (conn_read (&conn, b + done, n), 0);
    done += n;
  }
  check_pattern (b, len);
  free (b);
  reap ();
}

static void
test_body (void **state)
{
  struct buf b = { .max = ZF_MESSAGE_MAX };

  (void) state;
  send_slowly (1000000, 4096);
  assert_int_equal (conn_read_body (&conn, 1000000, &b), 0);
  assert_int_equal (b.len, 1000000);
  check_pattern (b.data, b.len);
  reap ();
  assert_int_equal (conn_read_body (&conn, 0, &b), 0);
  assert_int_equal (b.len, 0);
  buf_free (&b);
}

/* A length word alone must not cost memory. */
static void
test_body_cut_off (void **state)
{
  struct buf b = { .max = ZF_MESSAGE_MAX };

  (void) state;
  assert_int_equal (write (peer, "abc", 3), 3);
  close_peer ();
  assert_int_equal (conn_read_body (&conn, ZF_MESSAGE_MAX, &b), -1);
  assert_int_equal (errno, ECONNRESET);
  assert_true (b.cap <= 65536);
  buf_free (&b);
}

static void
test_closed (void **state)
{
  uint32_t w;
  int i;

  (void) state;
  assert_int_equal (write (peer, "ab", 2), 2);
  close_peer ();
  assert_int_equal (conn_read_word (&conn, &w), -1);
  assert_int_equal (errno, ECONNRESET);
  assert_false (conn_empty (&conn));
  /* And no SIGPIPE, which would end this program. */
  for (i = 0; i < 3; i++) {
    assert_int_equal (conn_write_word (&conn, 1), -1);
    assert_int_equal (errno, ECONNRESET);
  }
}

static void
test_wait_hook (void **state)
{
  static char big[1 << 20];
  short events = 0;
  uint32_t w;

  (void) state;
  conn.wait = give_up;
  conn.opaque = &events;
  assert_int_equal (conn_read_word (&conn, &w), -1);
  assert_int_equal (errno, ETIMEDOUT);
  assert_int_equal (events, POLLIN);
  assert_int_equal (conn_write (&conn, big, sizeof big), -1);
  assert_int_equal (errno, ETIMEDOUT);
  assert_int_equal (events, POLLOUT);
}

/* A peer that reads slowly gets every byte. */
static void
test_write_large (void **state)
{
  const size_t len = 3000000;
  unsigned char *b = malloc (len);
  size_t i;

  (void) state;
  for (i = 0; i < len; i++)
    b[i] = i * 7;
  if (fork () == 0) {
    unsigned char *p = malloc (len);
    size_t done = 0;
    ssize_t n;
    int r;

    while (done < len && (n = read (peer, p + done, len - done)) > 0)
      done += n;
    r = done == len && memcmp (p, b, len) == 0 ? 0 : 1;
    free (p);
    free (b);
    _exit (r);
  }
  assert_int_equal (conn_write (&conn, b, len), 0);
  free (b);
  reap ();
}

/* The virtio port is no socket. */
static void
test_pipe (void **state)
{
  struct conn c;
  int fds[2];
  char b[4];

  (void) state;
  assert_int_equal (pipe (fds), 0);
  conn_init (&c, fds[1]);
  assert_int_equal (conn_write_word (&c, 5), 0);
  assert_int_equal (read (fds[0], b, 4), 4);
  assert_memory_equal (b, "\0\0\0\5", 4);
  close (fds[0]);
  close (fds[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_words), TEST (test_peek), TEST (test_pieces), TEST (test_body), TEST (test_body_cut_off),
  TEST (test_closed), TEST (test_wait_hook), TEST (test_write_large), TEST (test_pipe),
};

TEST_MAIN (tests, 60)
