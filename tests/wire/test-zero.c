/* Zeroing and zero detection end to end on files for disks: odd sizes, single bytes, sparseness kept.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;

static void
write_disk (off_t offset, const void *p, size_t n)
{
  int fd = open (c.files[0], O_WRONLY);

  assert_int_not_equal (fd, -1);
  assert_int_equal (pwrite (fd, p, n, offset), n);
  close (fd);
}

/* Fill the disk with 0xAA. */
static void
fill_disk (off_t size)
{
  char *b = malloc (size);

  memset (b, 0xaa, size);
  write_disk (0, b, size);
  free (b);
}

/* The first byte in the disk that is not WANT, from OFFSET on; its size if there is none. */
static off_t
first_other (off_t offset, unsigned char want)
{
  int fd = open (c.files[0], O_RDONLY);
  struct stat st;
  unsigned char *b;

  assert_int_equal (fstat (fd, &st), 0);
  b = malloc (st.st_size + 1);
  assert_int_equal (read (fd, b, st.st_size), st.st_size);
  close (fd);
  while (offset < st.st_size && b[offset] == want)
    offset++;
  free (b);
  return offset;
}

/* Blocks on disk, once all that was written is there. */
static blkcnt_t
blocks (void)
{
  int fd = open (c.files[0], O_RDONLY);
  struct stat st;

  assert_int_equal (fsync (fd), 0);
  assert_int_equal (fstat (fd, &st), 0);
  close (fd);
  return st.st_blocks;
}

static bool
is_zero_device (void)
{
  client_do (&c, IS_ZERO_DEVICE, "s", "/dev/sda");
  return get_int (&c);
}

/* Sizes that are no multiple of any block: the last byte counts, and is zeroed, and nothing is added. */
static void
test_odd_sizes (void **state)
{
  static const off_t sizes[] = {
    512, 4096, 4096 + 512, 8192 - 512, 65536 + 512, 4097 * 512, 66048, 1000, 1, 16 * 1024 * 1024 + 512,
    33 * 1024 * 1024 - 512,
  };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    client_start_disks (&c, (const off_t[]) { sizes[i], 0 });
    assert_true (is_zero_device ());
    write_disk (sizes[i] - 1, "\1", 1);
    assert_false (is_zero_device ());
    client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
    assert_true (is_zero_device ());
    fill_disk (sizes[i]);
    assert_false (is_zero_device ());
    client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
    assert_true (is_zero_device ());
    assert_int_equal (first_other (0, 0), sizes[i]);
    assert_int_equal (client_end (&c), 0);
  }
}

/* `zero' wipes the first 128 KiB, or all of a smaller disk, and nothing else. */
static void
test_zero (void **state)
{
  static const off_t sizes[] = { 64 * 1024, 66048, 128 * 1024, 256 * 1024 + 512, 1024 * 1024 };
  off_t end;
  size_t i;

  (void) state;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    end = sizes[i] < 128 * 1024 ? sizes[i] : 128 * 1024;
    client_start_disks (&c, (const off_t[]) { sizes[i], 0 });
    fill_disk (sizes[i]);
    client_do (&c, ZERO, "s", "/dev/sda");
    assert_int_equal (first_other (0, 0), end);
    assert_int_equal (first_other (end, 0xaa), sizes[i]);
    assert_int_equal (client_end (&c), 0);
  }
}

/* Never write a zero that is already there. */
static void
test_sparse_stays_sparse (void **state)
{
  static char stripe[4096];
  blkcnt_t before;
  off_t i;

  (void) state;
  memset (stripe, 0x55, sizeof stripe);
  client_start_disks (&c, (const off_t[]) { 64 * 1024 * 1024, 0 });
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (blocks (), 0);
  for (i = 0; i < 64 * 1024 * 1024; i += 65536)
    write_disk (i, stripe, sizeof stripe);
  before = blocks ();
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (first_other (0, 0), 64 * 1024 * 1024);
  assert_true (blocks () <= before);
  assert_int_equal (client_end (&c), 0);
}

static void
test_is_zero_file (void **state)
{
  char name[64];
  int fd;

  (void) state;
  client_start_disks (&c, (const off_t[]) { 1 << 20, 0 });
  snprintf (name, sizeof name, "%s/file", c.sysroot);
  fd = open (name, O_WRONLY | O_CREAT, 0666);
  client_do (&c, IS_ZERO, "s", "/file");
  assert_int_equal (get_int (&c), 1);           /* empty */
  assert_int_equal (ftruncate (fd, (off_t) 1 << 40), 0);
  client_do (&c, IS_ZERO, "s", "/file");
  assert_int_equal (get_int (&c), 1);           /* a hole of 1 TiB takes no time */
  assert_int_equal (pwrite (fd, "\0\0\0\0", 4, 5000000), 4);
  client_do (&c, IS_ZERO, "s", "/file");
  assert_int_equal (get_int (&c), 1);
  assert_int_equal (pwrite (fd, "\1", 1, ((off_t) 1 << 40) - 1), 1);
  client_do (&c, IS_ZERO, "s", "/file");
  assert_int_equal (get_int (&c), 0);
  close (fd);
  assert_int_equal (client_end (&c), 0);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_odd_sizes),
  cmocka_unit_test (test_zero),
  cmocka_unit_test (test_sparse_stays_sparse),
  cmocka_unit_test (test_is_zero_file),
};

TEST_MAIN (tests, 300)
