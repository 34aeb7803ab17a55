/* Chunks of files that are larger than the usual ones, as the library sees them: what it accepts, all
 * sizes around the one that was agreed, and daemons that answer or send what makes no sense.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake-daemon.h"

enum { MIB = 1 << 20 };

struct content {
  struct buf b;
  size_t largest;           /* chunk that came */
  int end;
};

static char name[] = "/tmp/zf-chunks-XXXXXX";

static void
make_file (const void *p, size_t n)
{
  int fd;

  strcpy (name + strlen (name) - 6, "XXXXXX");
  fd = mkstemp (name);
  assert_int_not_equal (fd, -1);
  assert_int_equal (write (fd, p, n), n);
  close (fd);
}

/* Bytes with a few zero blocks among them. */
static unsigned char *
pattern (size_t n)
{
  unsigned char *p = calloc (1, n + 1);

  for (size_t i = 0; i < n; i++)
    if (i / 30000 % 3 != 1)
      p[i] = i * 7 + i / 251;
  return p;
}

static void
receive (struct fake *f, void *opaque)
{
  struct content *c = opaque;
  unsigned char *data = malloc (MIB);

  fake_read_call (f);
  while ((c->end = fake_read_chunk (f, data)) > 0) {
    buf_append (&c->b, data, c->end);
    if ((size_t) c->end > c->largest)
      c->largest = c->end;
  }
  fake_ok (f, NULL, 0);
  free (data);
}

static void
send_all (struct fake *f, void *opaque)
{
  const struct content *c = opaque;
  size_t done, n;

  fake_read_call (f);
  fake_ok (f, NULL, 0);
  for (done = 0; done < c->b.len; done += n) {
    n = c->b.len - done < (size_t) fake_chunk_size ? c->b.len - done : (size_t) fake_chunk_size;
    fake_chunk (f, false, c->b.data + done, n);
  }
  fake_chunk (f, false, NULL, 0);
}

static void
check_upload (const unsigned char *p, size_t size, size_t largest)
{
  struct content c = { 0 };
  struct fake *f = fake_new (receive, &c);

  make_file (p, size);
  assert_int_equal (zf_upload (f->h, name, "/x"), 0);
  assert_int_equal (c.end, 0);
  assert_int_equal (c.b.len, size);
  assert_true (size == 0 || memcmp (c.b.data, p, size) == 0);
  assert_int_equal (c.largest, size < largest ? size : largest);
  unlink (name);
  buf_free (&c.b);
  fake_end (f);
}

static void
check_download (const unsigned char *p, size_t size)
{
  struct content c = { .b = { .data = (unsigned char *) p, .len = size } };
  struct fake *f = fake_new (send_all, &c);
  unsigned char *got = malloc (size + 1);
  int fd;

  make_file ("old", 3);
  assert_int_equal (zf_download (f->h, "/x", name), 0);
  fd = open (name, O_RDONLY);
  assert_int_equal (read (fd, got, size + 1), size);
  assert_memory_equal (got, p, size);
  close (fd);
  free (got);
  unlink (name);
  fake_end (f);
}

static void
test_sizes (void **state)
{
  static const int agreed[] = { 8192, 8196, 65536, MIB };
  unsigned char *p = pattern (2 * MIB + 3);

  (void) state;
  for (size_t i = 0; i < sizeof agreed / sizeof agreed[0]; i++) {
    const size_t a = agreed[i], sizes[] = { 0, 1, 8191, 8192, 8193, a - 1, a, a + 1, 2 * a + 3 };

    fake_chunk_size = agreed[i];
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
      check_upload (p, sizes[k], a);
      check_download (p, sizes[k]);
    }
  }
  fake_chunk_size = 0;
  check_upload (p, MIB, 8192);
  free (p);
}

/* What no daemon may want: the launch fails, and nothing else is sent. */
static void
test_bad_answers (void **state)
{
  static const int bad[] = { -5, 4, 8188, 8191, 8194, MIB + 4, 0x7ffffffc };

  (void) state;
  fake_launch_result = -1;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct fake *f;

    fake_chunk_size = bad[i];
    f = fake_new (NULL, NULL);
    assert_error (f->h, EPROTO, "launch: protocol error: the appliance wants chunks of");
    fake_end (f);
  }
  fake_launch_result = fake_chunk_size = 0;
}

/* A length word that the agreement does not allow. */
static void
send_too_much (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  fake_word (f, 8 + 65536 + 4);
}

static void
test_larger_than_agreed (void **state)
{
  struct fake *f;

  (void) state;
  fake_chunk_size = 65536;
  f = fake_new (send_too_much, NULL);
  assert_int_equal (zf_download (f->h, "/x", "/dev/null"), -1);
  assert_error (f->h, EPROTO, "download: protocol error: the appliance sent a file chunk of 65548 bytes");
  fake_end (f);
  fake_chunk_size = 0;
}

/* It wants no more in the middle of a large chunk: the chunk is finished, then the transfer. */
static void
refuse (struct fake *f, void *opaque)
{
  unsigned char *data = malloc (MIB);
  uint32_t w;

  (void) opaque;
  fake_read_call (f);
  fake_read (f, &w, sizeof w);
  fake_word (f, ZF_CANCEL_FLAG);
  usleep (20000);
  fake_read (f, data, 8 + MIB);
  while (fake_read_chunk (f, data) > 0)
    ;
  fake_error (f, "ENOSPC", "the filesystem is full");
  free (data);
}

static void
test_refused (void **state)
{
  struct fake *f;

  (void) state;
  fake_chunk_size = MIB;
  f = fake_new (refuse, NULL);
  assert_int_equal (zf_upload (f->h, "/dev/zero", "/x"), -1);
  assert_error (f->h, ENOSPC, "upload: the filesystem is full");
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
  fake_chunk_size = 0;
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_sizes),
  cmocka_unit_test (test_bad_answers),
  cmocka_unit_test (test_larger_than_agreed),
  cmocka_unit_test (test_refused),
};

TEST_MAIN (tests, 120)
