/* Copies end to end on files for disks: every offset and size, zeroes that are neither read nor written, and what
 * is refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { SDA = 3 << 20, SDB = 4097 * 512, REST = -1 };
enum { HAS_SRC = 1, HAS_DEST = 2, HAS_SIZE = 4, HAS_SPARSE = 8, HAS_APPEND = 16 };

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { SDA, SDB, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
  return 0;
}

/* Name on the host of what the daemon knows as NAME. */
static const char *
host_name (const char *name)
{
  static char path[4096];

  if (strcmp (name, "/dev/sda") == 0)
    return c.files[0];
  if (strcmp (name, "/dev/sdb") == 0)
    return c.files[1];
  snprintf (path, sizeof path, "%s%s", c.sysroot, name);
  return path;
}

/* What NAME holds.  The caller frees it; *SIZE is set. */
static unsigned char *
content (const char *name, size_t *size)
{
  int fd = open (host_name (name), O_RDONLY);
  unsigned char *b;
  struct stat st;

  assert_int_not_equal (fd, -1);
  assert_int_equal (fstat (fd, &st), 0);
  b = malloc (st.st_size + 1);
  assert_int_equal (read (fd, b, st.st_size), st.st_size);
  close (fd);
  *size = st.st_size;
  return b;
}

static void
put (const char *name, off_t offset, const void *p, size_t n)
{
  int fd = open (host_name (name), O_WRONLY | O_CREAT, 0666);

  assert_int_not_equal (fd, -1);
  assert_int_equal (pwrite (fd, p, n, offset), n);
  close (fd);
}

static void
set_size (const char *name, off_t size)
{
  int fd = open (host_name (name), O_WRONLY | O_CREAT, 0666);

  assert_int_not_equal (fd, -1);
  assert_int_equal (ftruncate (fd, 0), 0);
  assert_int_equal (ftruncate (fd, size), 0);
  close (fd);
}

static void
fill (const char *name, off_t offset, int byte, size_t n)
{
  unsigned char *b = malloc (n);

  memset (b, byte, n);
  put (name, offset, b, n);
  free (b);
}

/* Space that NAME takes, in KiB. */
static long
kib (const char *name)
{
  int fd = open (host_name (name), O_RDONLY);
  struct stat st;

  assert_int_equal (fsync (fd), 0);
  assert_int_equal (fstat (fd, &st), 0);
  close (fd);
  return st.st_blocks / 2;
}

static int
proc_of (const char *src, const char *dest)
{
  return COPY_DEVICE_TO_DEVICE + 2 * (strncmp (src, "/dev/", 5) != 0) + (strncmp (dest, "/dev/", 5) != 0);
}

static int
send_copy (const char *src, const char *dest, unsigned mask, int64_t from, int64_t to, int64_t size)
{
  struct buf b = { 0 };

  put_string (&b, src);
  put_string (&b, dest);
  put_int64 (&b, from);
  put_int64 (&b, to);
  put_int64 (&b, size);
  put_int (&b, 1);
  put_int (&b, 1);
  client_call (&c, proc_of (src, dest), mask, &b);
  return proc_of (src, dest);
}

/* Copy, and compare with what a copy is: FROM, TO, SIZE as given, SIZE REST for all that follows. */
static void
check_copy (const char *src, const char *dest, unsigned mask, size_t from, size_t to, ssize_t size)
{
  const bool is_file = strncmp (dest, "/dev/", 5) != 0;
  size_t had, has, before = 0, n;
  unsigned char *source = content (src, &had), *old = NULL, *want, *got;

  if (!is_file || (mask & HAS_APPEND))
    old = content (dest, &before);
  n = size == REST ? had - from : (size_t) size;
  if (mask & HAS_APPEND)
    to = before;
  want = calloc (1, before + to + n + 1);
  if (old != NULL)
    memcpy (want, old, before);
  memcpy (want + to, source + from, n);

  client_ok (&c, send_copy (src, dest, mask | HAS_SRC | HAS_DEST | (size == REST ? 0 : HAS_SIZE), from, to, n));
  got = content (dest, &has);
  assert_int_equal (has, is_file ? to + n : before);
  for (size_t i = 0; i < has; i++)
    if (got[i] != want[i])
      fail_msg ("%s to %s, %zu to %zu, %zu bytes: byte %zu is %#x, not %#x", src, dest, from, to, n, i, got[i],
                want[i]);
  free (source);
  free (old);
  free (want);
  free (got);
}

/* One byte at the very end, and sizes that are no multiple of anything. */
static void
test_lengths (void **state)
{
  static const off_t sizes[] = { 1, 511, 512, 4096, 4096 + 512, 8192 - 512, 65536 + 512, 1000001 };

  (void) state;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    set_size ("/src", sizes[i]);
    put ("/src", sizes[i] - 1, "\1", 1);
    fill ("/dev/sda", 0, 0xff, SDA);
    set_size ("/dev/sdb", SDB);
    check_copy ("/src", "/dev/sda", HAS_SPARSE, 0, 0, REST);
    check_copy ("/src", "/dev/sdb", 0, 0, SDB - sizes[i], REST);
    check_copy ("/src", "/copy", HAS_SPARSE, 0, 0, REST);
    check_copy ("/src", "/copy", 0, 0, 0, REST);
    check_copy ("/src", "/copy", HAS_SPARSE | HAS_APPEND, 0, 0, REST);
  }
  fill ("/dev/sdb", 0, 0, SDB);
  fill ("/dev/sdb", SDB - 1, 1, 1);
  check_copy ("/dev/sdb", "/dev/sda", HAS_SPARSE, 0, 0, REST);
  check_copy ("/dev/sdb", "/copy", HAS_SPARSE, 0, 0, REST);
  set_size ("/src", 0);
  check_copy ("/src", "/copy", 0, 0, 0, REST);
  check_copy ("/src", "/dev/sda", 0, 0, SDA, REST);
}

/* Pieces of data and zeroes of all lengths. */
static void
scatter (const char *name, size_t size, int byte)
{
  fill (name, 0, 0, size);
  for (size_t at = 0, n; at < size; at += n + (rand () % 4 == 0 ? rand () % 400000 : rand () % 9000)) {
    n = 1 + (rand () % 3 == 0 ? rand () % 200000 : rand () % 5000);
    n = n < size - at ? n : size - at;
    fill (name, at, byte, n);
  }
}

/* Any offsets, any size, whatever was there before. */
static void
test_any_offsets (void **state)
{
  static const char *const names[] = { "/dev/sda", "/dev/sdb", "/a", "/b" };
  static const size_t sizes[] = { SDA, SDB, 1234567, SDA };

  (void) state;
  srand (20);
  for (int i = 0; i < 60; i++) {
    const int s = rand () % 4, d = (s + 1 + rand () % 3) % 4;
    const unsigned mask = (rand () % 2 ? HAS_SPARSE : 0) | (d > 1 && rand () % 3 == 0 ? HAS_APPEND : 0);
    size_t from = rand () % sizes[s], room, to = rand () % sizes[d], n;

    if (rand () % 2) {
      from &= ~4095;
      to &= ~4095;
    }
    scatter (names[s], sizes[s], 'a' + i % 26);
    scatter (names[d], sizes[d], 'A' + i % 26);
    n = sizes[s] - from;
    room = d < 2 ? sizes[d] - to : n;
    n = 1 + rand () % (n < room ? n : room);
    check_copy (names[s], names[d], mask, from, to, n);
  }
}

/* Holes are not read, zeroes that are there are not written, and nothing grows. */
static void
test_holes (void **state)
{
  (void) state;
  set_size ("/src", 2 << 20);
  fill ("/src", 1 << 20, 'x', 4096);
  set_size ("/dev/sda", SDA);
  if (kib ("/dev/sda") > 16)
    skip ();
  check_copy ("/src", "/dev/sda", 0, 0, 0, REST);
  assert_in_range (kib ("/dev/sda"), 0, 64);
  check_copy ("/src", "/copy", 0, 0, 0, REST);
  assert_in_range (kib ("/copy"), 0, 64);

  /* Zeroes that are written in the source: holes on request. */
  fill ("/src", 0, 0, 1 << 20);
  check_copy ("/src", "/copy", 0, 0, 0, REST);
  assert_in_range (kib ("/copy"), 1024, 1100);
  check_copy ("/src", "/copy", HAS_SPARSE, 0, 0, REST);
  assert_in_range (kib ("/copy"), 0, 64);
  check_copy ("/dev/sda", "/copy", HAS_SPARSE, 0, 5, REST);
  assert_in_range (kib ("/copy"), 0, 64);
  /* Of devices that are zero already nothing grows, whatever the offsets. */
  check_copy ("/dev/sda", "/dev/sdb", 0, 512, 1024, 1 << 19);
  assert_in_range (kib ("/dev/sdb"), 0, 64);

  /* The target's own data go. */
  fill ("/dev/sda", 0, 0xff, SDA);
  check_copy ("/src", "/dev/sda", HAS_SPARSE, 0, 0, REST);
}

/* Within one device or file. */
static void
test_same (void **state)
{
  (void) state;
  scatter ("/dev/sda", SDA, 'q');
  scatter ("/a", 500000, 'r');
  check_copy ("/dev/sda", "/dev/sda", 0, 0, 1 << 20, 1 << 20);
  check_copy ("/dev/sda", "/dev/sda", 0, (1 << 20) + 77, 77, 1 << 20);
  check_copy ("/a", "/a", HAS_APPEND, 0, 0, REST);
  client_error (&c, send_copy ("/dev/sda", "/dev/sda", 7, 0, 99, 100), "EINVAL", "overlap");
  client_error (&c, send_copy ("/dev/sda", "/dev/sda", 0, 0, 0, 0), "EINVAL", "overlap");
  client_error (&c, send_copy ("/a", "/a", 0, 0, 0, 0), "EINVAL", "/a");
  assert_int_equal (symlink ("a", host_name ("/link")), 0);
  client_error (&c, send_copy ("/a", "/link", 0, 0, 0, 0), "EINVAL", "/link");
  client_do (&c, FILESIZE, "s", "/a");
  assert_int_equal (get_int64 (&c), 1000000);
  unlink (host_name ("/link"));
}

/* Nothing is written, and no file is made or cut off, where a request makes no sense. */
static void
test_refused (void **state)
{
  const struct { const char *src, *dest; unsigned mask; int64_t from, to, size; const char *error, *text; } t[] = {
    { "/dev/sda", "/dev/sdb", 0, 0, 0, 0, "ENOSPC", "2097664 bytes" },
    { "/dev/sda", "/dev/sdb", 7, 0, SDB - 9, 10, "ENOSPC", "10 bytes do not fit" },
    { "/dev/sda", "/dev/sdb", 7, 0, INT64_MAX, 10, "ENOSPC", "do not fit" },
    { "/dev/sda", "/dev/sdb", 7, SDA - 9, 0, 10, "EINVAL", "has only 9" },
    { "/dev/sda", "/dev/sdb", 7, SDA + 1, 0, 0, "EINVAL", "behind the end" },
    { "/dev/sda", "/dev/sdb", 7, 0, 0, INT64_MAX, "EINVAL", "has only" },
    { "/dev/sda", "/dev/sdb", 1, -1, 0, 0, "EINVAL", "negative" },
    { "/dev/sda", "/dev/sdb", 2, 0, -1, 0, "EINVAL", "negative" },
    { "/dev/sda", "/dev/sdb", 4, 0, 0, -1, "EINVAL", "negative" },
    { "/dev/sda", "/dev/sdb", 16 + 4, 0, 0, 1, "EINVAL", "append" },
    { "/dev/sda", "/old", 4, 0, 0, SDA + 1, "EINVAL", "has only" },
    { "/dev/sda", "/new", 4, 0, 0, SDA + 1, "EINVAL", "has only" },
    { "/dev/sda", "/new", 6, 0, INT64_MAX - 5, 10, "EFBIG", "larger" },
    { "/missing", "/new", 0, 0, 0, 0, "ENOENT", "/missing" },
    { "/old", "/dir", 0, 0, 0, 0, "EISDIR", "/dir" },
    { "/dir", "/dev/sda", 0, 0, 0, 0, "EISDIR", "/dir" },
    { "/fifo", "/dev/sda", 0, 0, 0, 0, "EINVAL", "not a regular file" },
    { "/old", "/fifo", 0, 0, 0, 0, "EINVAL", "not a regular file" },
    { "/dev/sdc", "/dev/sdb", 0, 0, 0, 0, "", "/dev/sdc" },
  };

  (void) state;
  fill ("/old", 0, 'o', 10);
  assert_int_equal (mkdir (host_name ("/dir"), 0777), 0);
  assert_int_equal (mkfifo (host_name ("/fifo"), 0666), 0);
  fill ("/dev/sda", 0, 0x55, SDA);
  fill ("/dev/sdb", 0, 0xaa, SDB);
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    const int proc = send_copy (t[i].src, t[i].dest, t[i].mask, t[i].from, t[i].to, t[i].size);
    unsigned char *b;
    size_t n;

    client_error (&c, proc, t[i].error, t[i].text);
    b = content ("/dev/sdb", &n);
    for (size_t k = 0; k < n; k++)
      assert_int_equal (b[k], 0xaa);
    free (b);
  }
  client_do (&c, FILESIZE, "s", "/old");
  assert_int_equal (get_int64 (&c), 10);
  unlink (host_name ("/fifo"));
  rmdir (host_name ("/dir"));
}

/* The drive was added read-only: it can be read, and not written to. */
static void
test_read_only (void **state)
{
  char name[] = "disk-XXXXXX", other[] = "disk-XXXXXX", option[64];
  int a = mkstemp (name), b = mkstemp (other);

  (void) state;
  assert_int_equal (ftruncate (a, 65536), 0);
  assert_int_equal (pwrite (a, "ro", 2, 60000), 2);
  assert_int_equal (ftruncate (b, 65536), 0);
  snprintf (option, sizeof option, "%s,readonly", name);
  client_start (&c, (const char *const[]) { "--device", option, "--device", other, NULL });
  client_error (&c, send_copy ("/dev/sdb", "/dev/sda", 0, 0, 0, 0), "EROFS", "/dev/sda");
  client_ok (&c, send_copy ("/dev/sda", "/dev/sdb", 0, 0, 0, 0));
  client_end (&c);
  assert_int_equal (pread (b, option, 2, 60000), 2);
  assert_memory_equal (option, "ro", 2);
  close (a);
  close (b);
  unlink (name);
  unlink (other);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup_teardown (test_lengths, setup, teardown),
  cmocka_unit_test_setup_teardown (test_any_offsets, setup, teardown),
  cmocka_unit_test_setup_teardown (test_holes, setup, teardown),
  cmocka_unit_test_setup_teardown (test_same, setup, teardown),
  cmocka_unit_test_setup_teardown (test_refused, setup, teardown),
  cmocka_unit_test (test_read_only),
};

TEST_MAIN (tests, 120)
