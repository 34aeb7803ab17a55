/* Zeroing by kind of drive: discard on and off, 4096-byte blocks, read-only; and what is no drive.
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
static char disk[32];

/* A new disk of SIZE bytes, of which the first FILLED are 0xAA; and the daemon on it. */
static void
start (off_t size, size_t filled, const char *suffix)
{
  char *option = NULL, *b = malloc (filled + 1);
  int fd;

  strcpy (disk, "disk-XXXXXX");
  fd = mkstemp (disk);
  assert_int_not_equal (fd, -1);
  assert_int_equal (ftruncate (fd, size), 0);
  memset (b, 0xaa, filled);
  assert_int_equal (write (fd, b, filled), filled);
  free (b);
  assert_int_equal (fsync (fd), 0);
  close (fd);
  assert_int_not_equal (asprintf (&option, "%s%s", disk, suffix), -1);
  client_start (&c, (const char *const[]) { "--device", option, NULL });
  free (option);
}

static void
finish (void)
{
  assert_int_equal (client_end (&c), 0);
  unlink (disk);
}

static blkcnt_t
blocks (void)
{
  struct stat st;

  assert_int_equal (stat (disk, &st), 0);
  return st.st_blocks;
}

/* The first byte from START on that is not WANT. */
static off_t
first_other (off_t start, unsigned char want)
{
  int fd = open (disk, O_RDONLY);
  unsigned char b[4096];
  ssize_t n, i;

  while ((n = pread (fd, b, sizeof b, start)) > 0)
    for (i = 0; i < n; i++, start++)
      if (b[i] != want) {
        close (fd);
        return start;
      }
  close (fd);
  return start;
}

static void
check_zeroed (off_t size)
{
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  client_do (&c, IS_ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (get_int (&c), 1);
  assert_int_equal (first_other (0, 0), size);
}

static void
test_discard (void **state)
{
  const off_t size = 20 * 1024 * 1024 + 513;
  blkcnt_t before;

  (void) state;
  start (size, 5 << 20, ",discard");
  check_zeroed (size);
  assert_int_equal (blocks (), 0);
  finish ();

  start (size, 5 << 20, "");
  before = blocks ();
  check_zeroed (size);
  assert_true (blocks () >= (5 << 20) / 512 && blocks () <= before + 64);
  finish ();
}

/* A last block that is shorter than the disk's is zeroed, and nothing else than what is asked for. */
static void
test_large_blocks (void **state)
{
  static const off_t sizes[] = { 512, 4096, 131072 + 512, 1 << 20, (1 << 20) + 512 };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    off_t head = sizes[i] < 131072 ? sizes[i] : 131072;

    start (sizes[i], sizes[i], ",blocksize=4096");
    client_do (&c, ZERO, "s", "/dev/sda");
    assert_int_equal (first_other (0, 0), head);
    assert_int_equal (first_other (head, 0xaa), sizes[i]);
    check_zeroed (sizes[i]);
    finish ();
  }
}

static void
test_read_only (void **state)
{
  (void) state;
  start (8192, 8192, ",readonly");
  client_send_call (&c, ZERO_DEVICE, "s", "/dev/sda");
  client_error (&c, ZERO_DEVICE, "EROFS", "/dev/sda");
  client_send_call (&c, ZERO, "s", "/dev/sda");
  client_error (&c, ZERO, "EROFS", "/dev/sda");
  client_do (&c, IS_ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (get_int (&c), 0);
  assert_int_equal (first_other (0, 0xaa), 8192);
  finish ();
}

/* Only user disks: each of these is an error at once, and the connection goes on. */
static void
test_not_a_device (void **state)
{
  static const char *const names[] = {
    "", "/dev/null", "/dev/console", "/dev/../dev/sda", "/dev/sdb", "/dev/sda1", "/etc/passwd", "sda",
  };
  size_t i;

  (void) state;
  start (8192, 8192, "");
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    client_send_call (&c, ZERO_DEVICE, "s", names[i]);
    client_error (&c, ZERO_DEVICE, "", "");
    client_send_call (&c, IS_ZERO_DEVICE, "s", names[i]);
    client_error (&c, IS_ZERO_DEVICE, "", "");
  }
  assert_int_equal (first_other (0, 0xaa), 8192);
  finish ();
}

/* The disk became shorter between two calls: its size is asked for each time, and it stays as short. */
static void
test_shrunk (void **state)
{
  struct stat st;

  (void) state;
  start (1 << 20, 0, "");
  client_do (&c, ZERO_DEVICE, "s", "/dev/sda");
  assert_int_equal (truncate (disk, 12288), 0);
  check_zeroed (12288);
  assert_int_equal (stat (disk, &st), 0);
  assert_int_equal (st.st_size, 12288);
  finish ();
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_discard),
  cmocka_unit_test (test_large_blocks),
  cmocka_unit_test (test_read_only),
  cmocka_unit_test (test_not_a_device),
  cmocka_unit_test (test_shrunk),
};

TEST_MAIN (tests, 120)
