/* The zero engine on healthy files: content exact, sizes kept, nothing ever allocated, space given
 * back when asked.
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
#include <sys/stat.h>
#include <unistd.h>

#include "zero-fixture.h"

#include <cmocka.h>

static const uint64_t sizes[] = {
  0, 1, 511, 512, 513, 4095, 4096, 4097, 4096 + 512, 8192 - 512, 65535, 65536, 65537, 65536 + 512, 66048,
  131072, 4097 * 512, (1 << 20) - 1, (3 << 20) + 513, 9 << 20,
};
enum { NR_SIZES = sizeof sizes / sizeof sizes[0] };

/* The ways of writing differ in few of them. */
static const uint64_t few_sizes[] = { 1, 4097, 65536 + 512, 4097 * 512 };

/* What a host filesystem may need to note that extents were split. */
enum { METADATA_SLACK = 16384 };

static const struct ranges none;
static const struct zero_source all = { zero_source_unknown, &none, true };

static uint64_t
file_size (const struct zero_target *t)
{
  struct stat st;

  assert_int_equal (fstat (t->fd, &st), 0);
  return st.st_size;
}

static void
zero_one (enum pattern pattern, uint64_t size, const struct zero_io *io, enum zero_method method)
{
  struct zero_target t = fixture_open (pattern, size);
  uint64_t before = fixture_allocated (&t), after;
  bool was_zero = size == 0 || pattern <= WRITTEN_ZERO;
  struct ranges punched = { 0 };

  if (run_is_zero (&t, io) != was_zero)
    fail_msg ("%s, %ju bytes: is_zero wrong: %s", pattern_names[pattern], (uintmax_t) size, seen.message);
  if (run_zero (&t, io, method, &punched) != 0)
    fail_msg ("%s, %ju bytes: %s", pattern_names[pattern], (uintmax_t) size, seen.message);
  after = fixture_allocated (&t);
  if (fixture_first_not (&t, 0, 0, size) != size)
    fail_msg ("%s, %ju bytes: byte %ju is not zero", pattern_names[pattern], (uintmax_t) size,
              (uintmax_t) fixture_first_not (&t, 0, 0, size));
  assert_int_equal (file_size (&t), size);
  if (after > before + (was_zero ? 0 : METADATA_SLACK))
    fail_msg ("%s, %ju bytes: grew from %ju to %ju", pattern_names[pattern], (uintmax_t) size,
              (uintmax_t) before, (uintmax_t) after);
  assert_int_equal (run_is_zero (&t, io), 1);
  ranges_free (&punched);
  fixture_close (&t);
}

static void
test_keep (void **state)
{
  size_t pattern, i;

  (void) state;
  for (pattern = 0; pattern < NR_PATTERNS; pattern++)
    for (i = 0; i < NR_SIZES; i++)
      zero_one (pattern, sizes[i], &zero_io_real, ZERO_KEEP);
}

static void
test_other_ways (void **state)
{
  size_t pattern, i;

  (void) state;
  for (pattern = ALLOCATED; pattern < NR_PATTERNS; pattern++)
    for (i = 0; i < 4; i++) {
      zero_one (pattern, few_sizes[i], &zero_io_real, ZERO_UNMAP);
      zero_one (pattern, few_sizes[i], &zero_io_real, ZERO_WRITE);
      zero_one (pattern, few_sizes[i], &faulty_io, ZERO_KEEP);
    }
}

/* Many windows, all of them in use in turn. */
static void
test_large (void **state)
{
  const uint64_t size = (100 << 20) + 777;
  size_t pattern;

  (void) state;
  for (pattern = 0; pattern < NR_PATTERNS; pattern++) {
    struct zero_target t = fixture_open (pattern, size);
    uint64_t before = fixture_allocated (&t);

    assert_int_equal (run_zero (&t, &zero_io_real, ZERO_KEEP, NULL), 0);
    assert_int_equal (fixture_first_not (&t, 0, 0, size), size);
    assert_in_range (fixture_allocated (&t), 0, before + METADATA_SLACK);
    assert_in_range (seen.position, size - (16 << 20), size);
    assert_in_range (seen.looks, 5, 100000);
    fixture_close (&t);
  }
}

/* Nothing is written to what is zero already, and no zero gap is written over. */
static void
test_writes_only_data (void **state)
{
  struct zero_target t = fixture_open (STRIPES, 1 << 20);

  (void) state;
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (seen.writes, 128);
  assert_int_equal (seen.requests, 0);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (seen.writes, 128);
  fixture_close (&t);

  t = fixture_open (RANDOM, 8 << 20);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (seen.writes, 0);
  assert_in_range (seen.requests, 1, 8);
  fixture_close (&t);
}

/* Stripes are given back as whole large blocks; large blocks without data are left alone. */
static void
test_unmap_releases (void **state)
{
  struct zero_target t = fixture_open (SPARSE, 64 << 20);
  struct ranges punched = { 0 };

  (void) state;
  fixture_fill (&t, 0xaa, (10 << 20) + 4096, (10 << 20) + 8192);
  fixture_fill (&t, 0xaa, (12 << 20) - 4096, (12 << 20) + 4096);
  fixture_fill (&t, 0xaa, (40 << 20) - 1, 40 << 20);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_UNMAP, &punched), 0);
  assert_int_equal (fixture_allocated (&t), 0);
  assert_int_equal (punched.n, 2);
  assert_true (punched.v[0].start == 10 << 20 && punched.v[0].end == 14 << 20);
  assert_true (punched.v[1].start == 38 << 20 && punched.v[1].end == 40 << 20);
  assert_in_range (seen.unmaps, 2, 3);  /* windows may cut one in two */
  assert_int_equal (seen.writes + seen.requests, 0);
  ranges_free (&punched);
  fixture_close (&t);
}

/* Without a look: what is in the source and nothing else, also where space is kept that reads as zero. */
static void
test_unmap_all (void **state)
{
  struct zero_target t = fixture_open (ALLOCATED, (8 << 20) + 100);
  struct ranges keep = { 0 };
  struct engine e;
  uint64_t end;

  (void) state;
  fixture_fill (&t, 0xaa, 0, 4 << 20);
  assert_int_equal (ranges_add (&keep, 1 << 20, 2 << 20), 0);
  assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
  assert_int_equal (engine_request (&e, (struct zero_source) { zero_source_unknown, &keep, false }, ZERO_UNMAP, &end), 1);
  assert_int_equal (seen.read, 0);
  assert_int_equal (fixture_first_not (&t, 0xaa, 1 << 20, 2 << 20), 2 << 20);
  assert_int_equal (fixture_first_not (&t, 0, 2 << 20, t.size), t.size);
  assert_in_range (fixture_allocated (&t), 1 << 20, (1 << 20) + 4096 + METADATA_SLACK);
  faults.fallocate_errno = EOPNOTSUPP;
  seen.position = 0;
  assert_int_equal (engine_request (&e, all, ZERO_UNMAP, &end), 0);
  assert_int_equal (seen.error, 0);
  faults.fallocate_errno = 0;
  assert_int_equal (engine_request (&e, all, ZERO_UNMAP, &end), 1);
  assert_in_range (fixture_allocated (&t), 0, 4096 + METADATA_SLACK);
  engine_free (&e);
  ranges_free (&keep);
  fixture_close (&t);
}

/* Short ranges that are known to be zero are read with what is around them, long ones not. */
static void
test_short_ranges (void **state)
{
  struct ranges known = { 0 };
  const struct zero_source source = { zero_source_unknown_mostly, &known, false };
  struct range r;

  (void) state;
  assert_int_equal (ranges_add (&known, 0, 4096), 0);
  for (uint64_t at = 65536; at < (1 << 20); at += 65536)
    assert_int_equal (ranges_add (&known, at, at + SKIP_MIN / 16), 0);
  assert_int_equal (ranges_add (&known, 2 << 20, (2 << 20) + SKIP_MIN), 0);
  assert_int_equal (ranges_add (&known, (8 << 20) - 1, 9 << 20), 0);
  assert_int_equal (source.next (source.opaque, 0, 8 << 20, &r), 1);
  assert_int_equal (r.start, 4096);
  assert_int_equal (r.end, 2 << 20);
  assert_int_equal (source.next (source.opaque, r.end, 8 << 20, &r), 1);
  assert_int_equal (r.start, (2 << 20) + SKIP_MIN);
  assert_int_equal (r.end, (8 << 20) - 1);
  assert_int_equal (source.next (source.opaque, r.end, 8 << 20, &r), 0);
  assert_int_equal (zero_source_bytes (source, 8 << 20), (8 << 20) - 4096 - SKIP_MIN - 1);
  assert_int_equal (zero_source_bytes (source, 0), 0);
  ranges_free (&known);
}

/* A partition that begins at sector 63: blocks are those of the disk, so a hole of the image stays one. */
static void
test_odd_start (void **state)
{
  const uint64_t start = 63 * 512, size = 256 * 1024 + 1024;
  struct zero_target t = fixture_open (SPARSE, size);
  uint64_t hole = 10 * 4096 - start;    /* relative to the partition; a block of the disk */
  struct ranges punched = { 0 };
  size_t i;

  (void) state;
  t.start = start;
  for (i = 0; i < 8; i++)
    fixture_fill (&t, 0xaa, hole + i * 8192 + 4096, hole + i * 8192 + 8192);
  assert_int_equal (run_is_zero (&t, &faulty_io), 0);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (seen.writes, 8);
  assert_int_equal (fixture_first_not (&t, 0, 0, size), size);
  fixture_fill (&t, 0xaa, 0, size);
  assert_int_equal (run_zero (&t, &zero_io_real, ZERO_KEEP, NULL), 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, size), size);
  fixture_fill (&t, 0xaa, 0, size);
  assert_int_equal (run_zero (&t, &zero_io_real, ZERO_UNMAP, &punched), 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, size), size);
  ranges_free (&punched);
  fixture_close (&t);
}

/* Blocks of 4096 bytes, and a size that is no multiple of them. */
static void
test_large_blocks (void **state)
{
  static const uint64_t odd[] = { 1 << 20, (1 << 20) + 512, 512 };
  size_t i;

  (void) state;
  for (i = 0; i < 3; i++) {
    struct zero_target t = fixture_open (RANDOM, odd[i]);

    t.block = 4096;
    assert_int_equal (run_zero (&t, &zero_io_real, ZERO_KEEP, NULL), 0);
    assert_int_equal (fixture_first_not (&t, 0, 0, odd[i]), odd[i]);
    assert_int_equal (file_size (&t), odd[i]);
    fixture_close (&t);
  }
}

/* Known zero ranges are neither read nor written. */
static void
test_known_ranges (void **state)
{
  struct zero_target t = fixture_open (RANDOM, 4 << 20);
  struct ranges known = { 0 };
  const struct zero_source source = { zero_source_unknown, &known, false };
  struct engine e;

  (void) state;
  assert_int_equal (ranges_add (&known, 0, 1 << 20), 0);
  assert_int_equal (ranges_add (&known, (2 << 20) + 100, (3 << 20) - 100), 0);
  assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
  assert_int_equal (engine_zero (&e, source, ZERO_KEEP, NULL), 0);
  engine_free (&e);
  assert_int_equal (fixture_first_not (&t, 0, 1 << 20, (2 << 20) + 4096), (2 << 20) + 4096);
  assert_int_equal (fixture_first_not (&t, 0, (3 << 20) - 4096, 4 << 20), 4 << 20);
  assert_int_not_equal (fixture_first_not (&t, 0, 0, 1), 1);
  assert_int_not_equal (fixture_first_not (&t, 0, (2 << 20) + 4096, (2 << 20) + 4097), (2 << 20) + 4097);
  ranges_free (&known);
  fixture_close (&t);
}

/* Holes can be as small as a sector: each run of sectors with data is written alone. */
static void
test_sectors (void **state)
{
  struct zero_target t = fixture_open (SPARSE, 1 << 20);
  size_t i;

  (void) state;
  for (i = 0; i < 8; i++)
    fixture_fill (&t, 0xaa, 4096 + i * 2048, 4096 + i * 2048 + 1024);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, 1 << 20), 1 << 20);
  assert_int_equal (seen.writes, 8);
  assert_int_equal (seen.written, 8 * 1024);
  assert_int_equal (seen.requests, 0);
  fixture_close (&t);
}

/* Clusters with anything in them are asked for as a whole, as those of the disk; no others. */
static void
test_clusters (void **state)
{
  struct zero_target t = fixture_open (SPARSE, 4 << 20);

  (void) state;
  t.cluster = 65536;
  t.start = 63 * 512;
  fixture_fill (&t, 0xaa, 65535, 65536);
  fixture_fill (&t, 0xaa, 3 * 65536 - 63 * 512, 3 * 65536 - 63 * 512 + 1);
  fixture_fill (&t, 0xaa, (4 << 20) - 1, 4 << 20);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, 4 << 20), 4 << 20);
  assert_int_equal (seen.writes, 0);
  assert_int_equal (seen.requests, 2);          /* with the one between */
  assert_int_equal (seen.requested, 3 * 65536 + 63 * 512);
  fixture_close (&t);

  /* What is in between would need a table of its own if these were not in the same one. */
  t = fixture_open (SPARSE, 1 << 20);
  t.cluster = 512;
  fixture_fill (&t, 0xaa, 4096, 4097);
  fixture_fill (&t, 0xaa, 16383, 16384);
  fixture_fill (&t, 0xaa, 16384 + 512, 16384 + 513);
  assert_int_equal (run_zero (&t, &faulty_io, ZERO_KEEP, NULL), 0);
  assert_int_equal (fixture_first_not (&t, 0, 0, 1 << 20), 1 << 20);
  assert_int_equal (seen.requests, 2);
  assert_int_equal (seen.requested, 16384 - 4096 + 512);
  fixture_close (&t);
}

/* What lies between two runs goes with them if it is certainly allocated. */
static void
test_allocated (void **state)
{
  struct zero_target t = fixture_open (STRIPES, 8 << 20);
  struct ranges allocated = { 0 };
  struct engine e;

  (void) state;
  assert_int_equal (ranges_add (&allocated, 1 << 20, 2 << 20), 0);
  assert_int_equal (engine_init (&e, NULL, &t, &faulty_io, NULL), 0);
  e.allocated = &allocated;
  assert_int_equal (engine_zero (&e, all, ZERO_KEEP, NULL), 0);
  engine_free (&e);
  assert_int_equal (fixture_first_not (&t, 0, 0, 8 << 20), 8 << 20);
  assert_int_equal (seen.writes, 7 << 20 >> 13);
  assert_in_range (seen.requests, 1, 3);        /* windows may cut one in two */
  assert_int_equal (seen.requested, (1 << 20) - 4096);
  ranges_free (&allocated);
  fixture_close (&t);
}

/* Zero T, all of which is allocated; bytes that were read. */
static uint64_t
zero_allocated (struct zero_target *t)
{
  struct ranges allocated = { 0 };
  struct zero_pool pool = { 0 };
  struct engine e;

  seen = (struct seen) { 0 };
  assert_int_equal (ranges_add (&allocated, 0, t->size), 0);
  assert_int_equal (engine_init (&e, NULL, t, &faulty_io, &pool), 0);
  e.allocated = &allocated;
  assert_int_equal (engine_zero (&e, all, ZERO_KEEP, NULL), 0);
  engine_free (&e);
  pool_free (&pool);
  ranges_free (&allocated);
  assert_int_equal (fixture_first_not (t, 0, 0, t->size), t->size);
  return seen.read;
}

/* Where all is allocated, requests are quick and data follows data, not all of it is read. */
static void
test_peek (void **state)
{
  const uint64_t size = (64 << 20) + 512 + 7;
  struct zero_target t = fixture_open (RANDOM, size);
  uint64_t before = fixture_allocated (&t), n = size;
  int tries;

  (void) state;
  for (tries = 0; tries < 20 && n >= size / 2; tries++) {       /* the machine may be busy */
    fixture_fill (&t, 0xaa, 0, size);
    n = zero_allocated (&t);
  }
  assert_in_range (n, 1, size / 2);
  assert_in_range (fixture_allocated (&t), 0, before + METADATA_SLACK);

  /* Here and there. */
  fixture_fill (&t, 0xaa, 0, 30 << 20);
  fixture_fill (&t, 0xaa, (41 << 20) + 777, (41 << 20) + 778);
  fixture_fill (&t, 0xaa, 60 << 20, size);
  zero_allocated (&t);
  /* What is zero already is not written again. */
  assert_int_equal (zero_allocated (&t), range_up (size, 4096));
  assert_int_equal (seen.requests + seen.writes, 0);
  fixture_close (&t);
}

/* A disk with something at its end or its start is not read up to there. */
static void
test_first_answer (void **state)
{
  struct zero_target t = fixture_open (LAST_BYTE, (64 << 20) + 512);

  (void) state;
  assert_int_equal (run_is_zero (&t, &faulty_io), 0);
  assert_in_range (seen.read, 1, 1 << 20);
  fixture_close (&t);
  t = fixture_open (FIRST_BYTE, 64 << 20);
  assert_int_equal (run_is_zero (&t, &faulty_io), 0);
  assert_in_range (seen.read, 1, 1 << 20);
  fixture_close (&t);
}

/* Exact bytes: neighbours stay, what reaches past the end is refused before anything is written. */
static void
test_exact_bytes (void **state)
{
  static const struct { uint64_t offset, len; bool inside; } cases[] = {
    { 1024, 512, true }, { 511, 2, true }, { 4095, 2, true }, { 0, 1, true }, { 65535, 1, true },
    { 0, 0, true },
    { 65536, 1, false }, { INT64_MAX, 2, false }, { 65536, 0, true }, { 0, 65536, true }, { 1, 65534, true },
    { 700, 5000, true }, { UINT64_MAX, 2, false }, { 65535, 2, false },
  };
  const uint64_t size = 65536;
  size_t i;

  (void) state;
  for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct zero_target t = fixture_open (SPARSE, size);
    uint64_t start = cases[i].inside ? cases[i].offset : size;
    uint64_t end = cases[i].inside ? start + cases[i].len : size;

    fixture_fill (&t, 0xaa, 0, size);
    assert_int_equal (run_bytes (&t, &zero_io_real, cases[i].offset, cases[i].len), cases[i].inside ? 0 : -1);
    assert_int_equal (seen.error, cases[i].inside ? 0 : EINVAL);
    assert_int_equal (fixture_first_not (&t, 0xaa, 0, start), start);
    assert_int_equal (fixture_first_not (&t, 0, start, end), end);
    assert_int_equal (fixture_first_not (&t, 0xaa, end, size), size);
    assert_int_equal (file_size (&t), size);
    fixture_close (&t);
  }
}

/* The ranges of a list are all that becomes zero, though the clusters that they lie in have more in them. */
static void
test_listed (void **state)
{
  static const enum zero_method methods[] = { ZERO_KEEP, ZERO_UNMAP, ZERO_WRITE };
  static const unsigned clusters[] = { 0, 512, 65536, 1 << 20, 2 << 20 };
  const struct range parts[] = { { 4096, 8192 }, { 126976, 135168 }, { (1 << 20) - 4096, (3 << 20) + 4096 } };
  const struct ranges list = { (struct range *) parts, 3, 3 };
  const struct zero_source source = { zero_source_listed, &list, false };

  (void) state;
  for (size_t i = 0; i < 15; i++) {
    struct zero_target t = fixture_open (SPARSE, 4 << 20);
    struct ranges punched = { 0 };
    struct engine e;

    t.cluster = clusters[i / 3];
    fixture_fill (&t, 0xaa, 0, t.size);
    assert_int_equal (engine_init (&e, NULL, &t, &zero_io_real, NULL), 0);
    assert_int_equal (engine_zero (&e, source, methods[i % 3], &punched), 0);
    engine_free (&e);
    for (uint64_t at = 0, part = 0; part < 4; part++) {
      const uint64_t start = part < 3 ? parts[part].start : t.size;

      assert_int_equal (fixture_first_not (&t, 0xaa, at, start), start);
      if (part < 3)
        assert_int_equal (fixture_first_not (&t, 0, start, parts[part].end), parts[part].end);
      at = part < 3 ? parts[part].end : t.size;
    }
    ranges_free (&punched);
    fixture_close (&t);
  }
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_keep),
    cmocka_unit_test (test_other_ways),
    cmocka_unit_test (test_large),
    cmocka_unit_test (test_writes_only_data),
    cmocka_unit_test (test_unmap_releases),
    cmocka_unit_test (test_unmap_all),
    cmocka_unit_test (test_short_ranges),
    cmocka_unit_test (test_odd_start),
    cmocka_unit_test (test_large_blocks),
    cmocka_unit_test (test_known_ranges),
    cmocka_unit_test (test_sectors),
    cmocka_unit_test (test_clusters),
    cmocka_unit_test (test_listed),
    cmocka_unit_test (test_allocated),
    cmocka_unit_test (test_peek),
    cmocka_unit_test (test_first_answer),
    cmocka_unit_test (test_exact_bytes),
  };

  alarm (240);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
