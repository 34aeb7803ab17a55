/* The growable buffer: growth, the hard maximum, overflow, and use after buf_free.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "test.h"
#include "buf.h"

static void
test_grow (void **state)
{
  struct buf b = { 0 };
  unsigned i;

  (void) state;
  for (i = 0; i < 100000; i++)
    assert_int_equal (buf_append (&b, &i, sizeof i), 0);
  assert_int_equal (b.len, 400000);
  for (i = 0; i < 100000; i++)
    assert_memory_equal (b.data + 4 * i, &i, 4);
  buf_free (&b);
  assert_null (b.data);
  assert_int_equal (buf_append (&b, "x", 1), 0);
  assert_int_equal (b.len, 1);
  buf_free (&b);
}

static void
test_maximum (void **state)
{
  struct buf b = { .max = 1000 };
  char block[600] = { 0 };

  (void) state;
  assert_int_equal (buf_append (&b, block, 600), 0);
  assert_int_equal (buf_append (&b, block, 600), -1);
  assert_int_equal (errno, EMSGSIZE);
  assert_int_equal (b.len, 600);
  assert_int_equal (buf_append (&b, block, 400), 0);
  assert_true (b.cap <= 1000);
  assert_non_null (buf_reserve (&b, 0));
  assert_null (buf_reserve (&b, 1));
  buf_free (&b);
  assert_int_equal (b.max, 1000);
}

static void
test_overflow (void **state)
{
  struct buf b = { 0 };

  (void) state;
  assert_int_equal (buf_append (&b, "abc", 3), 0);
  assert_null (buf_reserve (&b, SIZE_MAX));
  assert_int_equal (errno, EMSGSIZE);
  assert_memory_equal (b.data, "abc", 3);
  buf_free (&b);
}

static void
test_empty (void **state)
{
  struct buf b = { 0 };

  (void) state;
  assert_int_equal (buf_append (&b, NULL, 0), 0);
  assert_int_equal (b.len, 0);
  buf_free (&b);
  buf_free (&b);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_grow),
  cmocka_unit_test (test_maximum),
  cmocka_unit_test (test_overflow),
  cmocka_unit_test (test_empty),
};

TEST_MAIN (tests, 60)
