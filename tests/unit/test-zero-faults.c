/* The zero engine on damaged and lying devices, and cancelled: right or an error, never a silent wrong.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zero-fixture.h"

#include <cmocka.h>

enum { SIZE = 3 << 20 };

static void
assert_all_zero (const struct zero_target *t)
{
  assert_int_equal (fixture_first_not (t, 0, 0, t->size), t->size);
}

/* What cannot be read is overwritten, and only that block. */
static void
test_unreadable_is_overwritten (void **state)
{
  struct zero_target t = fixture_open (SPARSE, SIZE);

  (void) state;
  fixture_fill (&t, 0xaa, 123 * 4096, 124 * 4096);
  faults.unreadable = (struct range) { 123 * 4096 + 512, 123 * 4096 + 1024 };
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_all_zero (&t);
  assert_int_equal (seen.writes, 1);
  assert_int_equal (fixture_allocated (&t), 4096);
  fixture_close (&t);
}

static void
test_all_unreadable (void **state)
{
  struct zero_target t = fixture_open (RANDOM, SIZE + 513);

  (void) state;
  faults.unreadable = (struct range) { 0, SIZE + 513 };
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_all_zero (&t);
  fixture_close (&t);
}

/* is-zero-device must not call zero what it could not read; but data before it is an answer. */
static void
test_unreadable_is_not_zero (void **state)
{
  struct zero_target t = fixture_open (SPARSE, SIZE);

  (void) state;
  faults.unreadable = (struct range) { 2 * 4096 + 1, 2 * 4096 + 2 };
  assert_int_equal (run_is_zero (&t, &faulty_io), -1);
  assert_int_equal (seen.error, EIO);
  assert_string_equal (seen.message, "cannot read /dev/sda at offset 8192");
  seen = (struct seen) { 0 };
  fixture_fill (&t, 1, 8191, 8192);
  assert_int_equal (run_is_zero (&t, &faulty_io), 0);
  assert_int_equal (seen.error, 0);
  fixture_close (&t);
}

/* A write that fails is an error with the offset, and all other blocks are zeroed. */
static void
test_unwritable (void **state)
{
  struct zero_target t = fixture_open (RANDOM, SIZE);

  (void) state;
  faults.unwritable = (struct range) { 5 * 4096, 5 * 4096 + 1 };
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), -1);
  assert_int_equal (seen.error, EIO);
  assert_string_equal (seen.message, "cannot write zeroes to /dev/sda at offset 20480");
  fixture_close (&t);
}

/* The same block unreadable and unwritable: the write decides. */
static void
test_dead_block (void **state)
{
  struct zero_target t = fixture_open (SPARSE, SIZE);

  (void) state;
  faults.unreadable = faults.unwritable = (struct range) { SIZE - 4096, SIZE - 4095 };
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), -1);
  assert_int_equal (seen.error, EIO);
  assert_non_null (strstr (seen.message, "/dev/sda at offset 3141632"));
  fixture_close (&t);
}

static void
test_no_requests (void **state)
{
  static const int errors[] = { EOPNOTSUPP, EINVAL, ENOSYS, EBUSY, ENOSPC, EIO, ENOTTY };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    struct zero_target t = fixture_open (RANDOM, SIZE + 1);
    struct ranges punched = { 0 };
    uint64_t before = fixture_allocated (&t);

    faults.fallocate_errno = errors[i];
    assert_int_equal (run_zero (&t, &faulty_io, i % 2 ? ZERO_KEEP : ZERO_UNMAP, &punched), 0);
    assert_all_zero (&t);
    assert_int_equal (punched.n, 0);
    assert_int_equal (fixture_allocated (&t), before);
    fixture_close (&t);
  }
}

/* A device that says yes and does nothing is found out. */
static void
test_request_lies (void **state)
{
  struct zero_target t = fixture_open (RANDOM, SIZE);

  (void) state;
  faults.request_lies = true;
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_all_zero (&t);
  assert_int_equal (seen.requests, 1);
  fixture_close (&t);
}

/* The same with unmapping: the second look, as do_zero_device does it, writes what is still there. */
static void
test_unmap_lies (void **state)
{
  struct zero_target t = fixture_open (RANDOM, SIZE);
  struct ranges punched = { 0 };
  const struct zero_source source = { zero_source_listed, &punched, false };
  struct engine e;

  (void) state;
  faults.unmap_lies = true;
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_UNMAP, &punched), 0);
  assert_int_equal (punched.n, 1);
  seen.position = 0;
  assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
  assert_int_equal (engine_zero (&e, source, ZERO_WRITE, NULL), 0);
  engine_free (&e);
  assert_all_zero (&t);
  ranges_free (&punched);
  fixture_close (&t);
}

static void
test_short_reads (void **state)
{
  static const size_t most[] = { 512, 4096, 65536, 100 * 512 };
  size_t i;

  (void) state;
  for (i = 0; i < 4; i++) {
    struct zero_target t = fixture_open (LAST_BYTE, 512 * 1024 + 512);

    faults.short_reads = most[i];
    assert_int_equal (run_is_zero (&t, &faulty_io), 0);
    assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
    assert_all_zero (&t);
    assert_int_equal (seen.writes, 1);
    fixture_close (&t);
  }
}

/* The device is smaller than it said. */
static void
test_ends_early (void **state)
{
  struct zero_target t = fixture_open (SPARSE, SIZE);

  (void) state;
  assert_int_equal (ftruncate (t.fd, SIZE - 8192), 0);
  assert_int_equal (run_is_zero (&t, &zero_io_real), -1);
  assert_int_equal (seen.error, EIO);
  assert_non_null (strstr (seen.message, "/dev/sda ended at offset 3137536"));
  seen = (struct seen) { 0 };
  assert_int_equal (run_zero (&t, &zero_io_real, ZERO_KEEP, NULL), -1);
  assert_int_equal (lseek (t.fd, 0, SEEK_END), SIZE - 8192);
  fixture_close (&t);
}

/* Cancelled at each look in turn: an error, and each block is old or zero. */
static void
test_cancel (void **state)
{
  unsigned at;
  uint64_t i;
  int r = -1;

  (void) state;
  for (at = 1; r == -1; at++) {
    struct zero_target t = fixture_open (SPARSE, SIZE);

    fixture_fill (&t, 0xaa, 0, SIZE);
    faults.cancel_at = at;
    r = run_zero (&t, at % 2 ? &zero_io_real : &faulty_io, at % 3 ? ZERO_KEEP : ZERO_WRITE, NULL);
    assert_int_equal (seen.error, r == -1 ? EINTR : 0);
    for (i = 0; i < SIZE; i += 4096)
      assert_true (fixture_first_not (&t, 0xaa, i, i + 4096) == i + 4096
                   || fixture_first_not (&t, 0, i, i + 4096) == i + 4096);
    fixture_close (&t);
    assert_in_range (at, 1, 1000);
  }
  assert_in_range (at, 4, 1000);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_unreadable_is_overwritten),
    cmocka_unit_test (test_all_unreadable),
    cmocka_unit_test (test_unreadable_is_not_zero),
    cmocka_unit_test (test_unwritable),
    cmocka_unit_test (test_dead_block),
    cmocka_unit_test (test_no_requests),
    cmocka_unit_test (test_request_lies),
    cmocka_unit_test (test_unmap_lies),
    cmocka_unit_test (test_short_reads),
    cmocka_unit_test (test_ends_early),
    cmocka_unit_test (test_cancel),
  };

  alarm (120);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
