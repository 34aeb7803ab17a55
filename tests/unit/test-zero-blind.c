/* The zero engine where it need not look: what is known to take space is zeroed or unmapped unread, holes
 * stay holes, and a device that does not do as it says is found out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <setjmp.h>
#include <unistd.h>

#include "zero-fixture.h"

#include <cmocka.h>

enum { SIZE = 3 << 20 };

/* What a host filesystem may need to note that extents were split. */
enum { METADATA_SLACK = 16384 };

static void
assert_all_zero (const struct zero_target *t)
{
  assert_int_equal (fixture_first_not (t, 0, 0, t->size), t->size);
}

static void
discard (struct zero_target *t, const struct ranges *zero, const struct ranges *solid, int result)
{
  struct engine e;

  seen = (struct seen) { 0 };
  assert_int_equal (engine_init (&e, NULL, t, &faulty_io, NULL), 0);
  assert_int_equal (engine_discard (&e, zero, solid), result);
  engine_free (&e);
}

/* What is said to take space is unmapped without being read, apart from a sample; the rest as ever. */
static void
test_discard_solid (void **state)
{
  const uint64_t size = (16 << 20) + 100;
  struct range solid = { 0, size }, half = { 512, (8 << 20) + 512 };
  const struct ranges nothing = { 0 }, whole = { &solid, 1, 0 }, part = { &half, 1, 0 };
  struct zero_target t;

  (void) state;
  for (int i = 0; i < NR_PATTERNS; i++) {
    t = fixture_open (i, size);
    discard (&t, &nothing, &whole, 0);
    assert_all_zero (&t);
    assert_in_range (seen.read, 1, 64 * 4096 + 4096 + 1024 * 1024);
    assert_in_range (fixture_allocated (&t), 0, 8192 + METADATA_SLACK);

    fixture_fill (&t, 0xaa, 0, size);
    discard (&t, &nothing, &part, 0);
    assert_all_zero (&t);
    assert_in_range (seen.read, 8 << 20, 24 << 20);
    assert_in_range (fixture_allocated (&t), 0, 8192 + METADATA_SLACK);
    fixture_close (&t);
  }
}

/* Every second cluster is a hole.  Where the image has a table for all of them anyway, it is a few requests;
 * otherwise holes are left alone. */
static void
test_discard_stripes (void **state)
{
  struct zero_target t = fixture_open (RANDOM, 16 << 20);
  struct ranges zero = { 0 }, solid = { 0 };

  (void) state;
  for (uint64_t at = 0; at < t.size; at += 128 << 10) {
    assert_int_equal (ranges_add (&solid, at, at + (64 << 10)), 0);
    assert_int_equal (ranges_add (&zero, at + (64 << 10), at + (128 << 10)), 0);
  }
  discard (&t, &zero, &solid, 0);
  assert_int_equal (seen.unmaps, 128);
  assert_int_equal (fixture_first_not (&t, 0, 0, t.size), 64 << 10);
  t.cluster = 64 << 10;
  discard (&t, &zero, &solid, 0);
  assert_in_range (seen.unmaps, 1, 8);
  ranges_free (&zero);
  ranges_free (&solid);
  fixture_close (&t);
}

/* What is known to be zero stays as it is; but not if it takes space. */
static void
test_discard_zero (void **state)
{
  struct zero_target t = fixture_open (ALLOCATED, 16 << 20);
  struct range all = { 0, 16 << 20 }, second = { 8 << 20, 16 << 20 };
  const struct ranges zero = { &all, 1, 0 }, solid = { &second, 1, 0 };

  (void) state;
  discard (&t, &zero, &solid, 0);
  assert_in_range (seen.read, 1, 64 * 4096);
  assert_in_range (fixture_allocated (&t), 8 << 20, (8 << 20) + METADATA_SLACK);
  fixture_close (&t);
}

/* Unmapped without a look, on a device that does nothing, will not, or will not any more. */
static void
test_discard_fails (void **state)
{
  struct range all = { 0, SIZE }, zero = { SIZE / 2, SIZE };
  const struct ranges solid = { &all, 1, 0 }, known = { &zero, 1, 0 };

  (void) state;
  for (int i = 0; i < 3; i++) {
    struct zero_target t = fixture_open (RANDOM, SIZE);
    struct engine e;

    faults.unmap_lies = i == 0;
    faults.fallocate_errno = i == 1 ? EOPNOTSUPP : 0;
    if (i == 2)
      faults.unwritable = (struct range) { 8192, 16384 };
    if (i == 2)
      fixture_fill (&t, 0, 8192, 16384);
    /* What is said to be zero is believed where nothing unmapped it. */
    if (i > 0)
      fixture_fill (&t, 0, zero.start, zero.end);
    assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
    assert_int_equal (engine_discard (&e, &known, &solid), 0);
    engine_free (&e);
    assert_all_zero (&t);
    seen = (struct seen) { 0 };
    faults = (struct faults) { 0 };
    fixture_close (&t);
  }
}

/* Clusters of 64 KiB: every eighth is allocated and has something in its last block, the others are
 * holes. */
static struct zero_target
open_clusters (struct ranges *zero, struct ranges *allocated)
{
  struct zero_target t = fixture_open (RANDOM, 16 << 20);

  t.cluster = 64 << 10;
  for (uint64_t at = 0; at < t.size; at += 512 << 10) {
    assert_int_equal (ranges_add (allocated, at + (60 << 10), at + (64 << 10)), 0);
    assert_int_equal (ranges_add (zero, at, at + (60 << 10)), 0);
    assert_int_equal (ranges_add (zero, at + (64 << 10), at + (512 << 10)), 0);
    fixture_fill (&t, 0, at, at + (60 << 10));
  }
  return t;
}

/* In a few requests, unread, and without a byte that is plainly written into a hole. */
static void
test_keep_clusters (void **state)
{
  struct ranges zero = { 0 }, allocated = { 0 };
  struct zero_target t = open_clusters (&zero, &allocated);
  struct engine e;

  (void) state;
  seen = (struct seen) { 0 };
  assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
  e.allocated = &allocated;
  assert_int_equal (engine_zero_known (&e, &zero), 0);
  engine_free (&e);
  assert_in_range (seen.requests, 1, 8);
  assert_in_range (seen.read, 1, 64 * 4096);
  assert_int_equal (seen.writes + seen.unmaps, 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, t.size - (448 << 10)), t.size - (448 << 10));
  ranges_free (&zero);
  ranges_free (&allocated);
  fixture_close (&t);
}

/* Where such requests fail, only what is not zero is written; where they do nothing, all is looked at. */
static void
test_keep_fails (void **state)
{
  (void) state;
  for (int lies = 0; lies < 2; lies++) {
    struct ranges zero = { 0 }, allocated = { 0 };
    struct zero_target t = open_clusters (&zero, &allocated);
    struct engine e;

    seen = (struct seen) { 0 };
    faults.request_lies = lies;
    faults.fallocate_errno = lies ? 0 : EOPNOTSUPP;
    assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
    e.allocated = &allocated;
    assert_int_equal (engine_zero_known (&e, &zero), 0);
    engine_free (&e);
    if (lies)
      assert_all_zero (&t);
    else
      for (uint64_t at = 0; at < t.size; at += 512 << 10) {
        assert_int_equal (fixture_first_not (&t, 0, at, at + (64 << 10)), at + (64 << 10));
        assert_true (fixture_first_not (&t, 0, at + (64 << 10), at + (512 << 10)) < at + (65 << 10));
      }
    faults = (struct faults) { 0 };
    ranges_free (&zero);
    ranges_free (&allocated);
    fixture_close (&t);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_discard_solid),
    cmocka_unit_test (test_discard_stripes),
    cmocka_unit_test (test_discard_zero),
    cmocka_unit_test (test_discard_fails),
    cmocka_unit_test (test_keep_clusters),
    cmocka_unit_test (test_keep_fails),
  };

  alarm (120);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
