/* A file as the device of the zero engine, system calls that can fail, and a call that records.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/falloc.h>

#include "zero-fixture.h"

#include <cmocka.h>

struct faults faults;
struct seen seen;
static struct ranges written;           /* since the fixture was opened */

/* --- the call --- */

static void
record (int err, const char *fs, va_list args)
{
  if (seen.error != 0)
    return;
  seen.error = err;
  vsnprintf (seen.message, sizeof seen.message, fs, args);
}

int
call_error (struct call *c, int err, const char *fs, ...)
{
  va_list args;

  (void) c;
  va_start (args, fs);
  record (err, fs, args);
  va_end (args);
  return -1;
}

int
call_refuse (struct call *c, int err, const char *fs, ...)
{
  va_list args;

  (void) c;
  va_start (args, fs);
  record (err, fs, args);
  va_end (args);
  return -1;
}

int
call_progress (struct call *c, uint64_t position, uint64_t total)
{
  assert_true (position <= total);
  assert_true (position >= seen.position);
  seen.position = position;
  if (++seen.looks == faults.cancel_at)
    return call_error (c, EINTR, "cancelled");
  return seen.error == EINTR ? -1 : 0;
}

/* --- the system calls --- */

static bool
touches (struct range bad, uint64_t offset, size_t n)
{
  return offset < bad.end && offset + n > bad.start;
}

/* Has all of the bad range been written? */
static bool
was_written (struct range bad)
{
  struct range gap;

  return !ranges_next_gap (&written, bad.start, bad.end, &gap);
}

static ssize_t
faulty_read (int fd, void *p, size_t n, off_t offset)
{
  if (touches (faults.unreadable, offset, n) && !(faults.remapped && was_written (faults.unreadable))) {
    errno = EIO;
    return -1;
  }
  if (faults.short_reads > 0 && n > faults.short_reads)
    n = faults.short_reads;
  seen.read += n;
  return pread (fd, p, n, offset);
}

static ssize_t
faulty_write (int fd, const void *p, size_t n, off_t offset)
{
  seen.writes++;
  seen.written += n;
  if (touches (faults.unwritable, offset, n)) {
    errno = EIO;
    return -1;
  }
  assert_int_equal (ranges_add (&written, offset, offset + n), 0);
  return pwrite (fd, p, n, offset);
}

static int
faulty_fallocate (int fd, int mode, off_t offset, off_t len)
{
  bool unmap = mode & FALLOC_FL_PUNCH_HOLE;

  if (unmap)
    seen.unmaps++;
  else {
    seen.requests++;
    seen.requested += len;
  }
  if (faults.fallocate_errno != 0 || touches (faults.unwritable, offset, len)) {
    errno = faults.fallocate_errno ? faults.fallocate_errno : EIO;
    return -1;
  }
  if (unmap ? faults.unmap_lies : faults.request_lies)
    return 0;
  assert_int_equal (ranges_add (&written, offset, offset + len), 0);
  return fallocate (fd, mode, offset, len);
}

const struct zero_io faulty_io = { faulty_read, faulty_write, faulty_fallocate, false };

/* --- the file --- */

const char *const pattern_names[NR_PATTERNS] = {
  "sparse", "allocated", "written zero", "random", "stripes", "first byte", "last byte",
};

static void
write_all (int fd, const void *p, size_t n, off_t offset)
{
  assert_int_equal (pwrite (fd, p, n, offset), n);
}

/* Never zero, so that each block holds something. */
static unsigned char *
random_bytes (size_t n)
{
  const size_t words = n / 8 + 1;
  uint64_t *p = malloc (words * 8), r = 88172645463325252u;
  size_t i;

  assert_non_null (p);
  for (i = 0; i < words; i++) {
    r ^= r << 13;
    r ^= r >> 7;
    r ^= r << 17;
    p[i] = r | UINT64_C (0x0101010101010101);
  }
  return (unsigned char *) p;
}

static void
fill_pattern (int fd, enum pattern pattern, size_t size)
{
  unsigned char *p = random_bytes (size);
  size_t at;

  if (pattern == ALLOCATED && size > 0)
    assert_int_equal (posix_fallocate (fd, 0, size), 0);
  if (pattern == WRITTEN_ZERO)
    memset (p, 0, size);
  if (pattern == RANDOM || pattern == WRITTEN_ZERO)
    write_all (fd, p, size, 0);
  for (at = 0; pattern == STRIPES && at < size; at += 8192)
    write_all (fd, p + at, size - at < 4096 ? size - at : 4096, at);
  if (pattern == FIRST_BYTE && size > 0)
    write_all (fd, p, 1, 0);
  if (pattern == LAST_BYTE && size > 0)
    write_all (fd, p, 1, size - 1);
  free (p);
}

struct zero_target
fixture_open (enum pattern pattern, uint64_t size)
{
  struct zero_target t = { .name = "/dev/sda", .size = size, .block = 512 };
  char name[] = "zero-fixture-XXXXXX";
  char path[64];

  t.buffered = mkostemp (name, O_CLOEXEC);
  assert_true (t.buffered >= 0);
  unlink (name);
  assert_int_equal (ftruncate (t.buffered, size), 0);
  fill_pattern (t.buffered, pattern, size);
  snprintf (path, sizeof path, "/proc/self/fd/%d", t.buffered);
  t.fd = open (path, O_RDWR | O_CLOEXEC);
  assert_true (t.fd >= 0);
  fcntl (t.fd, F_SETFL, O_DIRECT);
  faults = (struct faults) { 0 };
  seen = (struct seen) { 0 };
  ranges_free (&written);
  return t;
}

void
fixture_close (struct zero_target *t)
{
  close (t->fd);
  close (t->buffered);
  ranges_free (&written);
}

uint64_t
fixture_allocated (const struct zero_target *t)
{
  struct stat st;

  assert_int_equal (fsync (t->fd), 0);
  assert_int_equal (fstat (t->fd, &st), 0);
  return st.st_blocks * UINT64_C (512);
}

uint64_t
fixture_first_not (const struct zero_target *t, unsigned char c, uint64_t start, uint64_t end)
{
  unsigned char p[65536];
  ssize_t i, n;

  for (; start < end; start += n) {
    n = end - start < sizeof p ? end - start : sizeof p;
    assert_int_equal (pread (t->buffered, p, n, start), n);
    for (i = 0; i < n; i++)
      if (p[i] != c)
        return start + i;
  }
  return end;
}

void
fixture_fill (const struct zero_target *t, unsigned char c, uint64_t start, uint64_t end)
{
  unsigned char *p = malloc (end - start);

  assert_non_null (p);
  memset (p, c, end - start);
  write_all (t->buffered, p, end - start, start);
  assert_int_equal (fsync (t->buffered), 0);
  free (p);
}

/* --- the engine --- */

static const struct ranges none;
static const struct zero_source all = { zero_source_unknown, &none, true };

int
run_zero (struct zero_target *t, const struct zero_io *io, enum zero_method method, struct ranges *punched)
{
  struct engine e;
  int r;

  seen.position = 0;
  r = engine_init (&e, NULL, t, io, NULL);
  if (r == 0)
    r = engine_zero (&e, all, method, punched);
  engine_free (&e);
  return r;
}

int
run_is_zero (struct zero_target *t, const struct zero_io *io)
{
  struct engine e;
  int r;

  seen.position = 0;
  r = engine_init (&e, NULL, t, io, NULL);
  if (r == 0)
    r = engine_is_zero (&e, all);
  engine_free (&e);
  return r;
}

int
run_bytes (struct zero_target *t, const struct zero_io *io, uint64_t offset, uint64_t len)
{
  struct engine e;
  int r;

  seen.position = 0;
  r = engine_init (&e, NULL, t, io, NULL);
  if (r == 0)
    r = engine_zero_bytes (&e, offset, len, ZERO_KEEP);
  engine_free (&e);
  return r;
}
