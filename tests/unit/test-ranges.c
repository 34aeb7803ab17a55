/* Ranges: arithmetic at both ends of the number line, and lists against a plain bitmap.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ranges.h"

static void
test_inside (void **state)
{
  static const struct { uint64_t offset, len, size; bool inside; } cases[] = {
    { 0, 0, 0, true }, { 0, 1, 0, false }, { 0, 0, 65536, true }, { 1024, 512, 65536, true },
    { 65535, 1, 65536, true }, { 65536, 0, 65536, true }, { 65536, 1, 65536, false },
    { 65535, 2, 65536, false },
    { 65537, 0, 65536, false }, { INT64_MAX, 2, 65536, false }, { UINT64_MAX, 1, 65536, false },
    { 1, UINT64_MAX, 65536, false }, { UINT64_MAX, UINT64_MAX, UINT64_MAX, false },
    { 0, UINT64_MAX, UINT64_MAX, true },
  };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (range_inside (cases[i].offset, cases[i].len, cases[i].size) != cases[i].inside)
      fail_msg ("case %zu", i);
}

static void
check_split (uint64_t start, uint64_t end, uint64_t block)
{
  struct range head, middle, tail;

  range_split ((struct range) { start, end }, block, &head, &middle, &tail);
  assert_true (head.start == start && head.end == middle.start);
  assert_true (middle.end == tail.start && tail.end == end);
  assert_true (head.start <= head.end && middle.start <= middle.end && tail.start <= tail.end);
  assert_true (head.end - head.start < block && tail.end - tail.start < block);
  if (middle.start < middle.end)
    assert_true (middle.start % block == 0 && middle.end % block == 0);
}

static void
test_split (void **state)
{
  uint64_t start, end;

  (void) state;
  for (start = 0; start < 40; start++)
    for (end = start; end < 60; end++)
      check_split (start, end, 16);
  check_split (UINT64_MAX - 1000, UINT64_MAX, 512);
  check_split (UINT64_MAX, UINT64_MAX, 512);
  check_split (0, UINT64_MAX, 4096);
  assert_true (range_up (UINT64_MAX, 4096) == UINT64_MAX - 4095);
  assert_true (range_up (4097, 4096) == 8192 && range_up (4096, 4096) == 4096);
  assert_true (range_down (4095, 4096) == 0);
}

enum { MAP = 256 };

/* Walk the list by parts and by gaps: both agree with the map. */
static void
check_list (const struct ranges *l, const bool *map)
{
  bool seen[MAP] = { 0 };
  struct range r;
  uint64_t at, i;

  for (at = 0; ranges_next (l, at, MAP, &r); at = r.end) {
    assert_true (r.start >= at && r.start < r.end && r.end <= MAP);
    for (i = r.start; i < r.end; i++)
      seen[i] = true;
  }
  assert_memory_equal (seen, map, sizeof seen);
  memset (seen, true, sizeof seen);
  for (at = 0; ranges_next_gap (l, at, MAP, &r); at = r.end) {
    assert_true (r.start >= at && r.start < r.end && r.end <= MAP);
    for (i = r.start; i < r.end; i++)
      seen[i] = false;
  }
  assert_memory_equal (seen, map, sizeof seen);
}

static void
test_lists (void **state)
{
  struct ranges l = { 0 };
  bool map[MAP] = { 0 };
  size_t round, i, j;

  (void) state;
  srand (2);
  for (round = 0; round < 3000; round++) {
    size_t start = rand () % MAP, end = start + rand () % 8;

    if (round % 60 == 0) {
      ranges_free (&l);
      memset (map, 0, sizeof map);
    }
    end = end < MAP ? end : MAP;
    assert_int_equal (ranges_add (&l, start, end), 0);
    for (i = start; i < end; i++)
      map[i] = true;
    check_list (&l, map);
    for (j = 1; j < l.n; j++)
      assert_true (l.v[j - 1].end < l.v[j].start);
  }
  ranges_free (&l);
}

static void
test_list_ends (void **state)
{
  struct ranges l = { 0 };
  struct range r;

  (void) state;
  assert_false (ranges_next (&l, 0, 100, &r));
  assert_true (ranges_next_gap (&l, 7, 100, &r) && r.start == 7 && r.end == 100);
  assert_false (ranges_next_gap (&l, 0, 0, &r));
  assert_int_equal (ranges_add (&l, 5, 5), 0);
  assert_int_equal (ranges_add (&l, 6, 5), 0);
  assert_int_equal (l.n, 0);
  assert_int_equal (ranges_add (&l, UINT64_MAX - 10, UINT64_MAX), 0);
  assert_int_equal (ranges_add (&l, 0, 10), 0);
  assert_true (ranges_next_gap (&l, 3, UINT64_MAX, &r) && r.start == 10 && r.end == UINT64_MAX - 10);
  assert_false (ranges_next_gap (&l, UINT64_MAX - 5, UINT64_MAX, &r));
  assert_false (ranges_next (&l, 10, 1000, &r));
  ranges_free (&l);
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_inside),
    cmocka_unit_test (test_split),
    cmocka_unit_test (test_lists),
    cmocka_unit_test (test_list_ends),
  };

  alarm (60);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
