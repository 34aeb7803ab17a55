/* Asking an NBD server for extents: servers that answer well, badly, endlessly, and not at all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "fake-nbd.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "nbd-extents.h"

enum { KIB = 1024, MAX = 1000, SHORT_MS = 300, LONG_MS = 20000 };

static struct nbd_extent v[MAX];

static int
wait_poll (void *opaque, int fd, short events, int64_t deadline_ms)
{
  struct pollfd pfd = { .fd = fd, .events = events };
  int64_t left = deadline_ms - zfi_now_ms ();

  (void) opaque;
  if (poll (&pfd, 1, left > 0 ? left : 0) == 1)
    return 0;
  errno = ETIMEDOUT;
  return -1;
}

static int
wait_interrupted (void *opaque, int fd, short events, int64_t deadline_ms)
{
  (void) opaque; (void) fd; (void) events; (void) deadline_ms;
  errno = EINTR;
  return -1;
}

/* Stripes of 64 KiB: data, hole, data, ... */
static void
stripes (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  uint64_t end = offset + count;

  for (uint64_t next; offset < end; offset = next) {
    next = (offset / (64 * KIB) + 1) * (64 * KIB);
    put_extent (n, next - offset, offset / (64 * KIB) % 2 ? 3 : 0);
  }
}

/* One hole, said in pieces that cannot be longer than 32 bits have room for. */
static void
one_hole (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  (void) offset;
  put_extent (n, count, 3);
}

static void
one_byte (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  for (uint32_t i = 0; i < count && i < 100000; i++)
    put_extent (n, 1, (offset + i) % 2 ? 3 : 0);
}

static void
zero_length (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  (void) offset; (void) count;
  put_extent (n, 4096, 0);
  put_extent (n, 0, 3);
  put_extent (n, 4096, 0);
}

static void
past_end (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  (void) offset; (void) count;
  put_extent (n, 4096, 0);
  put_extent (n, UINT32_MAX, 3);
  put_extent (n, UINT32_MAX, 0);
}

static int
open_peer (struct nbd_peer *p, const struct fake_nbd *n, int ms)
{
  char *why = NULL;
  int r;

  *p = (struct nbd_peer) { .wait = wait_poll };
  r = nbd_peer_open (p, n->path, "drive0", zfi_now_ms () + ms, &why);
  if (r == -1)
    assert_non_null (why);
  free (why);
  return r;
}

static ssize_t
ask (struct nbd_peer *p, uint64_t start, uint64_t end, int ms)
{
  char *why = NULL;
  ssize_t r = nbd_peer_ask (p, start, end, v, MAX, zfi_now_ms () + ms, &why);

  if (r == -1)
    assert_non_null (why);
  free (why);
  return r;
}

static void
assert_extent (size_t i, uint64_t offset, uint64_t length, uint32_t flags)
{
  assert_int_equal (v[i].offset, offset);
  assert_int_equal (v[i].length, length);
  assert_int_equal (v[i].flags, flags);
}

static void
test_good (void **state)
{
  struct fake_nbd *n = fake_nbd_new (256 * KIB + 512, stripes);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  assert_int_equal (p.size, 256 * KIB + 512);
  assert_int_equal (ask (&p, 0, p.size, LONG_MS), 5);
  assert_extent (0, 0, 64 * KIB, 0);
  assert_extent (3, 192 * KIB, 64 * KIB, 3);
  assert_extent (4, 256 * KIB, 512, 0);
  assert_int_equal (ask (&p, 100 * KIB, 130 * KIB, LONG_MS), 2);
  assert_extent (0, 100 * KIB, 28 * KIB, 3);
  assert_extent (1, 128 * KIB, 2 * KIB, 0);
  assert_int_equal (n->connections, 1);
  nbd_peer_close (&p);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

/* More than a question can hold, at both ends of what there is. */
static void
test_large (void **state)
{
  const uint64_t size = INT64_MAX - 4095;
  struct fake_nbd *n = fake_nbd_new (size, one_hole);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  assert_int_equal (ask (&p, 0, size, LONG_MS), 1);
  assert_in_range (v[0].length, 1, UINT32_MAX);
  assert_int_equal (v[0].length, n->largest);
  assert_int_equal (ask (&p, size - 512, size, LONG_MS), 1);
  assert_extent (0, size - 512, 512, 3);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

/* No more than there is room for; the next question goes on from there. */
static void
test_one_byte (void **state)
{
  struct fake_nbd *n = fake_nbd_new (64 << 20, one_byte);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  assert_int_equal (ask (&p, 0, p.size, LONG_MS), MAX);
  assert_extent (MAX - 1, MAX - 1, 1, 3);
  assert_int_equal (ask (&p, MAX, p.size, LONG_MS), MAX);
  assert_extent (0, MAX, 1, 0);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

static void
test_past_end (void **state)
{
  struct fake_nbd *n = fake_nbd_new (1 << 20, past_end);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  assert_int_equal (ask (&p, 0, 8192, LONG_MS), 2);
  assert_extent (0, 0, 4096, 0);
  assert_extent (1, 4096, 4096, 3);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

static void
test_zero_length (void **state)
{
  struct fake_nbd *n = fake_nbd_new (1 << 20, zero_length);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  assert_int_equal (ask (&p, 0, p.size, LONG_MS), -1);
  assert_int_equal (errno, EPROTO);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

/* Each fault is an error in time. */
static void
test_faults (void **state)
{
  (void) state;
  for (int fault = NBD_GOOD + 1; fault < NBD_NR_FAULTS; fault++) {
    struct fake_nbd *n = fake_nbd_new (1 << 20, stripes);
    const bool hangs = fault == NBD_HANG_FIRST || fault == NBD_HANG_OPTION || fault == NBD_HANG
      || fault == NBD_HALF;
    int64_t start = zfi_now_ms ();
    struct nbd_peer p;

    n->fault = fault;
    if (fault <= NBD_LAST_CONNECT)
      assert_int_equal (open_peer (&p, n, hangs ? SHORT_MS : LONG_MS), -1);
    else {
      assert_int_equal (open_peer (&p, n, LONG_MS), 0);
      if (ask (&p, 0, p.size, hangs ? SHORT_MS : LONG_MS) != -1)
        fail_msg ("fault %d was not seen", fault);
    }
    assert_true ((errno == ETIMEDOUT) == hangs);
    assert_true (zfi_now_ms () - start < LONG_MS);
    nbd_peer_close (&p);
    fake_nbd_end (n);
  }
}

static void
test_interrupted (void **state)
{
  struct fake_nbd *n = fake_nbd_new (1 << 20, stripes);
  struct nbd_peer p;

  (void) state;
  assert_int_equal (open_peer (&p, n, LONG_MS), 0);
  n->fault = NBD_HANG;
  p.wait = wait_interrupted;
  assert_int_equal (ask (&p, 0, p.size, LONG_MS), -1);
  assert_int_equal (errno, EINTR);
  nbd_peer_close (&p);
  fake_nbd_end (n);
}

static void
test_no_server (void **state)
{
  struct nbd_peer p = { .wait = wait_poll };
  char *why = NULL;

  (void) state;
  assert_int_equal (nbd_peer_open (&p, "/nonexistent/socket", "x", zfi_now_ms () + LONG_MS, &why), -1);
  assert_non_null (why);
  free (why);
  nbd_peer_close (&p);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_good),
  cmocka_unit_test (test_large),
  cmocka_unit_test (test_one_byte),
  cmocka_unit_test (test_past_end),
  cmocka_unit_test (test_zero_length),
  cmocka_unit_test (test_faults),
  cmocka_unit_test (test_interrupted),
  cmocka_unit_test (test_no_server),
};

TEST_MAIN (tests, 120)
