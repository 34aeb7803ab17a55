/* Hints: what good ones save, and that bad, late and strange ones never change an answer.
 *
 * A hint that is wrong about what a disk holds cannot be told from a right one: the tests use such to see
 * whether it is believed at all.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { MIB = 1 << 20 };
enum { HINTS_BEGIN = 10003, HINTS_ADD = 10004 };

static struct client c;

static void
setup (void)
{
  static const off_t sizes[] = { 8 * MIB, 4 * MIB, 0 };
  int fd;

  client_start_disks (&c, sizes);
  /* Something at 1 MiB, which only those will miss who believe that it is zero. */
  fd = open (c.files[0], O_WRONLY);
  assert_int_not_equal (fd, -1);
  assert_int_equal (pwrite (fd, "x", 1, MIB), 1);
  close (fd);
}

static void
begin (const char *device)
{
  client_do (&c, HINTS_BEGIN, "s", device);
}

static void
put (struct buf *b, uint64_t offset, uint64_t length, uint32_t flags)
{
  put_int64 (b, offset);
  put_int64 (b, length);
  put_int (b, flags);
}

static void
add_ok (struct buf *b)
{
  client_do (&c, HINTS_ADD, "b", b->data, b->len);
  buf_free (b);
}

static void
add_bad (struct buf *b)
{
  client_send_call (&c, HINTS_ADD, "b", b->data, b->len);
  client_error (&c, HINTS_ADD, "EINVAL", "");
  buf_free (b);
}

static void
add_one (uint64_t offset, uint64_t length, uint32_t flags)
{
  struct buf b = { .max = 65536 };

  put (&b, offset, length, flags);
  add_ok (&b);
}

static bool
is_zero (const char *device)
{
  client_do (&c, IS_ZERO_DEVICE, "s", device);
  return get_int (&c);
}

/* The answer that is true: hints are not used. */
static void
not_believed (void)
{
  assert_false (is_zero ("/dev/sda"));
}

static void
test_used (void **state)
{
  (void) state;
  setup ();
  begin ("/dev/sda");
  assert_int_equal (get_int (&c), 0);
  assert_int_equal (get_int64 (&c), 0);
  assert_int_equal (get_int64 (&c), 8 * MIB);
  add_one (MIB, MIB, HINT_ZERO);
  add_one (2 * MIB, 6 * MIB, HINT_ZERO | HINT_HOLE);
  assert_true (is_zero ("/dev/sda"));
  /* Once only. */
  not_believed ();
  client_end (&c);
}

/* What is not hinted is read, and holes that are not said to be zero are. */
static void
test_rest_is_read (void **state)
{
  (void) state;
  setup ();
  begin ("/dev/sda");
  add_one (MIB + 4096, 7 * MIB - 4096, HINT_ZERO | HINT_HOLE);
  not_believed ();
  begin ("/dev/sda");
  add_one (0, 8 * MIB, HINT_HOLE);
  not_believed ();
  begin ("/dev/sda");
  add_one (0, 8 * MIB, HINT_ALLOCATED);
  not_believed ();
  begin ("/dev/sda");
  add_one (0, 8 * MIB, 0);
  not_believed ();
  begin ("/dev/sda");
  not_believed ();
  client_end (&c);
}

/* Each of these drops all that was said. */
static void
test_inconsistent (void **state)
{
  static const struct { uint64_t offset, length; uint32_t flags; } bad[] = {
    { 2 * MIB, 0, HINT_ZERO },
    { MIB, MIB, HINT_ZERO },                            /* again */
    { 0, 4096, HINT_ZERO },                             /* backwards */
    { 2 * MIB - 1, 4096, HINT_ZERO },                   /* overlapping */
    { 2 * MIB, 6 * MIB + 1, HINT_ZERO },                /* past the end */
    { 8 * MIB, 1, HINT_ZERO },
    { UINT64_MAX - 1, 2, HINT_ZERO },                   /* wraps around */
    { 2 * MIB, UINT64_MAX - 2 * MIB + 2, HINT_ZERO },
    { 2 * MIB, 4096, 8 },
    { 2 * MIB, 4096, UINT32_MAX },
  };
  size_t i;

  (void) state;
  setup ();
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct buf b = { .max = 65536 };

    begin ("/dev/sda");
    put (&b, MIB, MIB, HINT_ZERO);
    put (&b, bad[i].offset, bad[i].length, bad[i].flags);
    add_bad (&b);
    not_believed ();

    /* The same in a message of its own; and what is said after it does not count either. */
    begin ("/dev/sda");
    add_one (MIB, MIB, HINT_ZERO);
    put (&b, bad[i].offset, bad[i].length, bad[i].flags);
    add_bad (&b);
    put (&b, 2 * MIB, MIB, HINT_ZERO);
    add_bad (&b);
    not_believed ();
  }
  client_end (&c);
}

static void
test_half_a_hint (void **state)
{
  struct buf b = { .max = 65536 };

  (void) state;
  setup ();
  begin ("/dev/sda");
  put (&b, MIB, MIB, HINT_ZERO);
  b.len--;
  add_bad (&b);
  not_believed ();
  begin ("/dev/sda");
  client_do (&c, HINTS_ADD, "b", "", (size_t) 0);
  add_one (MIB, MIB, HINT_ZERO);
  assert_true (is_zero ("/dev/sda"));
  client_end (&c);
}

/* Another call in between, another device, no begin. */
static void
test_late (void **state)
{
  struct buf b = { .max = 65536 };

  (void) state;
  setup ();
  put (&b, MIB, MIB, HINT_ZERO);
  add_bad (&b);

  begin ("/dev/sda");
  add_one (MIB, MIB, HINT_ZERO);
  client_do (&c, PING_DAEMON, "");
  not_believed ();

  begin ("/dev/sda");
  client_do (&c, PING_DAEMON, "");
  put (&b, MIB, MIB, HINT_ZERO);
  add_bad (&b);
  not_believed ();

  begin ("/dev/sdb");
  add_one (MIB, MIB, HINT_ZERO);
  not_believed ();

  begin ("/dev/sda");
  add_one (MIB, MIB, HINT_ZERO);
  begin ("/dev/sdb");
  not_believed ();

  begin ("/dev/sda");
  add_one (MIB, MIB, HINT_ZERO);
  client_send_call (&c, HINTS_BEGIN, "s", "/dev/sdz");
  client_error (&c, HINTS_BEGIN, "", "/dev/sdz");
  not_believed ();
  client_end (&c);
}

/* Written to by somebody else between the hints and the call. */
static void
test_changed (void **state)
{
  int fd;

  (void) state;
  setup ();
  begin ("/dev/sda");
  add_one (0, 8 * MIB, HINT_ZERO);
  fd = open (c.files[0], O_WRONLY);
  assert_int_equal (pwrite (fd, "y", 1, 3 * MIB), 1);
  close (fd);
  not_believed ();
  begin ("/dev/sda");
  add_one (0, 8 * MIB, HINT_ZERO);
  assert_int_equal (truncate (c.files[0], 9 * MIB), 0);
  not_believed ();
  client_end (&c);
}

/* No more hints than both sides agreed on, and no more memory for them. */
static void
test_endless (void **state)
{
  enum { BATCH = 64 * 1024 };
  size_t before, n;
  struct buf b = { .max = 4 * MIB };

  (void) state;
  setup ();
  client_do (&c, PING_DAEMON, "");
  before = client_peak_memory (&c);
  begin ("/dev/sda");
  for (n = 0; n < HINTS_MAX; n++) {
    put (&b, 2 * MIB + 2 * n, 1, HINT_ZERO);
    if (b.len == BATCH * WIRE_HINT_SIZE)
      add_ok (&b);
  }
  put (&b, 7 * MIB, 1, HINT_ZERO);
  add_bad (&b);
  if (before > 0)
    assert_true (client_peak_memory (&c) < before + 40 * 1024);
  not_believed ();
  client_end (&c);
}

/* Zeroing leaves alone what is hinted zero, and makes zeroes of the rest. */
static void
test_zero_device (void **state)
{
  char byte;
  int fd;

  (void) state;
  setup ();
  fd = open (c.files[0], O_RDWR);
  assert_int_equal (pwrite (fd, "z", 1, 5 * MIB + 77), 1);
  begin ("/dev/sda");
  add_one (0, 4 * MIB, HINT_ZERO | HINT_HOLE);
  add_one (4 * MIB, 4 * MIB, HINT_ALLOCATED);
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (pread (fd, &byte, 1, MIB), 1);
  assert_int_equal (byte, 'x');
  assert_int_equal (pread (fd, &byte, 1, 5 * MIB + 77), 1);
  assert_int_equal (byte, 0);
  close (fd);
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  assert_true (is_zero ("/dev/sda"));
  client_end (&c);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_used),
  cmocka_unit_test (test_rest_is_read),
  cmocka_unit_test (test_inconsistent),
  cmocka_unit_test (test_half_a_hint),
  cmocka_unit_test (test_late),
  cmocka_unit_test (test_changed),
  cmocka_unit_test (test_endless),
  cmocka_unit_test (test_zero_device),
};

TEST_MAIN (tests, 120)
