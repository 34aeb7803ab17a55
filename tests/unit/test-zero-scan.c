/* The zero scanners: each candidate at every short length and alignment, runs of blocks, and the calibration.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "zero-scan.h"
#include "zero-scan-impl.h"

/* Every byte outside the piece is set, so that a scanner that looks too far says so. */
static void
check_piece (const struct zero_scanner *s, unsigned char *area, size_t align, size_t len)
{
  unsigned char *p = area + 64 + align;
  size_t i;

  memset (area, 0xff, 512);
  memset (p, 0, len);
  if (!s->is_zero (p, len))
    fail_msg ("%s: %zu zero bytes at alignment %zu called non-zero", s->name, len, align);
  for (i = 0; i < len; i++) {
    p[i] = 1 << (i + align) % 8;
    if (s->is_zero (p, len))
      fail_msg ("%s: byte %zu of %zu at alignment %zu not seen", s->name, i, len, align);
    p[i] = 0;
  }
}

static void
test_every_length (void **state)
{
  unsigned char *area = aligned_alloc (64, 512);
  size_t i, align, len;

  (void) state;
  assert_non_null (area);
  for (i = 0; i < nr_zero_scanners; i++) {
    if (!zero_scanners[i].usable ())
      continue;
    for (align = 0; align < 32; align++)
      for (len = 0; len <= 300; len++)
        check_piece (&zero_scanners[i], area, align, len);
  }
  free (area);
}

/* A bit in a large area: first, last, and on both sides of each power of two. */
static void
test_large (void **state)
{
  const size_t size = 1024 * 1024 + 17;
  unsigned char *p = calloc (1, size);
  size_t i, at;

  (void) state;
  assert_non_null (p);
  for (i = 0; i < nr_zero_scanners; i++) {
    if (!zero_scanners[i].usable ())
      continue;
    assert_true (zero_scanners[i].is_zero (p, size));
    for (at = 1; at <= size; at *= 2) {
      p[at - 1] = 0x80;
      assert_false (zero_scanners[i].is_zero (p, size));
      p[at - 1] = 0;
    }
    p[size - 1] = 1;
    assert_false (zero_scanners[i].is_zero (p, size));
    assert_true (zero_scanners[i].is_zero (p, size - 1));
    p[size - 1] = 0;
  }
  free (p);
}

/* Walk AREA by runs: they alternate, cover everything, and say what is there. */
static void
check_runs (const unsigned char *area, size_t len, size_t block)
{
  size_t pos, n, b, size;
  bool zero, last = false;

  for (pos = 0; pos < len; pos += n) {
    n = zero_scan_run (area + pos, len - pos, block, &zero);
    assert_in_range (n, 1, len - pos);
    assert_true (pos == 0 || zero != last);
    assert_true (n % block == 0 || pos + n == len);
    for (b = 0; b < n; b += block) {
      size = n - b < block ? n - b : block;
      assert_int_equal (zero_scan_is_zero (area + pos + b, size), zero);
    }
    last = zero;
  }
}

static void
test_runs (void **state)
{
  static const size_t lengths[] = { 1, 511, 512, 513, 4095, 4096, 4097, 65536, 65537, 300000 };
  unsigned char *area = calloc (1, 300000);
  size_t i, round, at;
  bool zero;

  (void) state;
  assert_non_null (area);
  srand (1);
  assert_int_equal (zero_scan_run (area, 0, 4096, &zero), 0);
  for (round = 0; round < 40; round++) {
    for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
      check_runs (area, lengths[i], 512);
      check_runs (area, lengths[i], 4096);
    }
    at = rand () % 300000;
    memset (area + at, round % 3 == 0 ? 0 : 0x55, at + 9000 < 300000 ? 1 + rand () % 9000 : 1);
  }
  free (area);
}

static void
test_calibrate (void **state)
{
  size_t i;

  (void) state;
  zero_scan_calibrate ();
  for (i = 0; i < nr_zero_scanners; i++)
    if (strcmp (zero_scanners[i].name, zero_scan_name ()) == 0)
      return;
  fail_msg ("calibration chose '%s'", zero_scan_name ());
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_every_length),
    cmocka_unit_test (test_large),
    cmocka_unit_test (test_runs),
    cmocka_unit_test (test_calibrate),
    cmocka_unit_test (test_runs),       /* with the chosen scanner */
  };

  alarm (60);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
