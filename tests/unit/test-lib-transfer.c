/* File transfers: content, holes, every way to fail, and both sides cancelling at random moments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "fake-daemon.h"

/* What came by upload, what goes by download. */
struct content { struct buf b; uint64_t hint; int end; unsigned stop_after; };

static void
fill (unsigned char *p, size_t n)
{
  for (size_t i = 0; i < n; i++)
    p[i] = i * 7 + i / 251;
}

static char name[] = "/tmp/zf-transfer-XXXXXX";

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

static void
receive (struct fake *f, void *opaque)
{
  struct content *c = opaque;
  unsigned char data[ZF_CHUNK_MAX];

  fake_read_call (f);
  c->hint = f->call.progress_hint;
  while ((c->end = fake_read_chunk (f, data)) > 0)
    buf_append (&c->b, data, c->end);
  if (c->end == 0)
    fake_ok (f, NULL, 0);
  else
    fake_error (f, "EINTR", "cancelled by the library");
}

static void
test_upload (void **state)
{
  static const size_t sizes[] = { 0, 1, 3, 8191, 8192, 8193, 65536, 1000003 };
  unsigned char *p = malloc (1000003);

  (void) state;
  fill (p, 1000003);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    struct content c = { 0 };
    struct fake *f = fake_new (receive, &c);

    make_file (p, sizes[i]);
    assert_int_equal (zf_upload (f->h, name, "/x"), 0);
    assert_int_equal (c.end, 0);
    assert_int_equal (c.b.len, sizes[i]);
    assert_int_equal (c.hint, sizes[i]);
    assert_true (sizes[i] == 0 || memcmp (c.b.data, p, sizes[i]) == 0);
    assert_int_equal (zf_ping_daemon (f->h), 0);
    unlink (name);
    buf_free (&c.b);
    fake_end (f);
  }
  free (p);
}

/* Standard input, a pipe here. */
static void
test_upload_stdin (void **state)
{
  struct content c = { 0 };
  struct fake *f = fake_new (receive, &c);
  int p[2], saved = dup (0);

  (void) state;
  assert_int_equal (pipe (p), 0);
  assert_int_equal (write (p[1], "hello", 5), 5);
  close (p[1]);
  dup2 (p[0], 0);
  close (p[0]);
  assert_int_equal (zf_upload (f->h, "-", "/x"), 0);
  assert_int_equal (c.b.len, 5);
  assert_memory_equal (c.b.data, "hello", 5);
  dup2 (saved, 0);
  close (saved);
  buf_free (&c.b);
  fake_end (f);
}

static void
test_upload_local_errors (void **state)
{
  struct content c = { 0 };
  struct fake *f = fake_new (receive, &c);

  (void) state;
  assert_int_equal (zf_upload (f->h, "/nonexistent/file", "/x"), -1);
  assert_error (f->h, ENOENT, "upload: /nonexistent/file: No such file");
  assert_int_equal (zf_upload (f->h, "/tmp", "/x"), -1);
  assert_error (f->h, EISDIR, "upload: /tmp: this is a directory");
  /* It opens, but cannot be read: the daemon is told, and the local error is what is reported. */
  assert_int_equal (zf_upload (f->h, "/proc/self/mem", "/x"), -1);
  assert_error (f->h, EIO, "upload: /proc/self/mem: Input/output error");
  assert_int_equal (c.end, -1);
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

/* Take some chunks, cancel, drain, error. */
static void
cancel_upload (struct fake *f, void *opaque)
{
  const struct content *c = opaque;
  unsigned char data[ZF_CHUNK_MAX];
  int n = 1;

  fake_read_call (f);
  for (unsigned i = 0; i < c->stop_after && n > 0; i++)
    n = fake_read_chunk (f, data);
  fake_word (f, ZF_CANCEL_FLAG);
  while (n > 0)
    n = fake_read_chunk (f, data);
  fake_error (f, "ENOSPC", "the filesystem is full");
}

static void
test_daemon_cancels_upload (void **state)
{
  struct content c = { 0 };

  (void) state;
  for (c.stop_after = 0; c.stop_after < 40; c.stop_after += 13) {
    struct fake *f = fake_new (cancel_upload, &c);

    assert_int_equal (zf_upload (f->h, "/dev/zero", "/x"), -1);
    assert_error (f->h, ENOSPC, "upload: the filesystem is full");
    assert_int_equal (zf_ping_daemon (f->h), 0);
    fake_end (f);
  }
}

/* The flag comes when the library has sent everything: it must not be answered. */
static void
test_cancel_after_end (void **state)
{
  struct content c = { .stop_after = 2 };
  struct fake *f = fake_new (cancel_upload, &c);

  (void) state;
  make_file ("small", 5);
  assert_int_equal (zf_upload (f->h, name, "/x"), -1);
  assert_error (f->h, ENOSPC, "full");
  assert_int_equal (zf_ping_daemon (f->h), 0);
  unlink (name);
  fake_end (f);
}

/* --- download --- */

static void
send_content (struct fake *f, void *opaque)
{
  const struct content *c = opaque;
  size_t n;

  fake_read_call (f);
  fake_ok (f, NULL, 0);
  for (size_t i = 0; i < c->b.len; i += n) {
    n = i % 3 == 0 ? 8192 : 5000;           /* chunks are not always full */
    if (n > c->b.len - i)
      n = c->b.len - i;
    fake_chunk (f, false, c->b.data + i, n);
    if (i % 7 == 0)
      fake_progress (f, i, c->b.len);
  }
  fake_chunk (f, c->end == -1, NULL, 0);
}

static void
test_download (void **state)
{
  const size_t size = 4 << 20;
  struct content c = { 0 };
  unsigned char *got = malloc (size + 1);
  struct fake *f;
  struct stat st;
  int fd;

  (void) state;
  /* Data at the start, in the middle and in the last byte; holes elsewhere, also at the end of a shorter
   * version. */
  for (int shorter = 0; shorter < 2; shorter++) {
    memset (buf_reserve (&c.b, size), 0, size);
    c.b.len = size - 5 * shorter;
    fill (c.b.data, 5000);
    fill (c.b.data + 2000000, 9000);
    c.b.data[size - 1] = 1;
    f = fake_new (send_content, &c);
    make_file ("old content", 11);
    assert_int_equal (zf_download (f->h, "/x", name), 0);
    fd = open (name, O_RDONLY);
    assert_int_equal (read (fd, got, size + 1), c.b.len);
    assert_memory_equal (got, c.b.data, c.b.len);
    assert_int_equal (fstat (fd, &st), 0);
    assert_true (st.st_blocks * 512 < 256 * 1024);
    close (fd);
    unlink (name);
    fake_end (f);
    buf_free (&c.b);
  }
  free (got);
}

static void
test_download_errors (void **state)
{
  struct content c = { .end = -1 };
  struct fake *f;

  (void) state;
  memset (buf_reserve (&c.b, 1 << 20), 1, 1 << 20);
  c.b.len = 1 << 20;
  f = fake_new (send_content, &c);
  make_file ("", 0);
  assert_int_equal (zf_download (f->h, "/x", name), -1);
  assert_error (f->h, EIO, "could not send all of it; the file is incomplete");
  unlink (name);
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
  buf_free (&c.b);
}

/* Chunks without an end, until the library cancels. */
static void
send_until_cancelled (struct fake *f, void *opaque)
{
  static const unsigned char data[ZF_CHUNK_MAX] = { 1 };
  uint32_t w = 0;

  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  while (!f->gone && conn_peek_word (&f->conn, &w) == 0)
    fake_chunk (f, false, data, sizeof data);
  fake_expect_cancel (f);
  fake_chunk (f, true, NULL, 0);
}

static void
test_download_local_errors (void **state)
{
  static const struct { const char *name; int err; const char *text; } cases[] = {
    { "/dev/full", ENOSPC, "download: /dev/full" },
    { "/nonexistent/file", ENOENT, "download: /nonexistent/file: No such" },
    { "/tmp", EISDIR, "download: /tmp" },
  };

  (void) state;
  for (int i = 0; i < 3; i++) {
    struct fake *f = fake_new (send_until_cancelled, NULL);

    assert_int_equal (zf_download (f->h, "/x", cases[i].name), -1);
    assert_error (f->h, cases[i].err, cases[i].text);
    assert_int_equal (zf_ping_daemon (f->h), 0);
    fake_end (f);
  }
}

/* Standard output is a pipe whose reader has gone: an error, and the program lives. */
static void
test_download_broken_pipe (void **state)
{
  struct fake *f = fake_new (send_until_cancelled, NULL);
  int p[2], saved, r;

  (void) state;
  fflush (stdout);
  saved = dup (1);
  signal (SIGPIPE, SIG_DFL);
  assert_int_equal (pipe (p), 0);
  close (p[0]);
  dup2 (p[1], 1);
  close (p[1]);
  r = zf_download (f->h, "/x", "-");
  dup2 (saved, 1);
  close (saved);
  assert_int_equal (r, -1);
  assert_error (f->h, EPIPE, "download: -");
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

/* --- both sides at once --- */

#define ROUNDS 1000

struct both { bool stop; };

static void
tiny_sleep (unsigned microseconds)
{
  const struct timespec ts = { 0, microseconds * 1000 };

  nanosleep (&ts, NULL);
}

/* ROUNDS uploads, each cancelled by the daemon at some moment unless the library was first. */
static void
cancel_uploads (struct fake *f, void *opaque)
{
  unsigned char data[ZF_CHUNK_MAX];
  unsigned seed = 1;

  (void) opaque;
  for (int i = 0; i < ROUNDS && fake_read_call (f); i++) {
    unsigned n = rand_r (&seed) % 30;
    int r = 1;

    for (unsigned j = 0; j < n && r > 0; j++)
      r = fake_read_chunk (f, data);
    if (r > 0)
      fake_word (f, ZF_CANCEL_FLAG);
    while (r > 0)
      r = fake_read_chunk (f, data);
    fake_error (f, "ENOSPC", "full");
  }
}

static void *
cancel_often (void *opaque)
{
  struct fake *f = opaque;
  struct both *b = f->opaque;
  unsigned seed = 2;

  while (!__atomic_load_n (&b->stop, __ATOMIC_RELAXED)) {
    tiny_sleep (rand_r (&seed) % 200);
    zf_user_cancel (f->h);
  }
  return NULL;
}

static void
test_both_cancel (void **state)
{
  struct both b = { 0 };
  struct fake *f = fake_new (cancel_uploads, &b);
  unsigned user = 0, daemon = 0;
  pthread_t thread;

  (void) state;
  assert_int_equal (pthread_create (&thread, NULL, cancel_often, f), 0);
  for (int i = 0; i < ROUNDS; i++) {
    assert_int_equal (zf_upload (f->h, "/dev/zero", "/x"), -1);
    user += zf_last_errno (f->h) == EINTR;
    daemon += zf_last_errno (f->h) == ENOSPC;
  }
  __atomic_store_n (&b.stop, true, __ATOMIC_RELAXED);
  pthread_join (thread, NULL);
  assert_int_equal (user + daemon, ROUNDS);
  print_message ("cancelled by the user %u times, by the daemon %u times\n", user, daemon);
  assert_int_equal (zf_ping_daemon (f->h), 0);
  fake_end (f);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_upload),
  cmocka_unit_test (test_upload_stdin),
  cmocka_unit_test (test_upload_local_errors),
  cmocka_unit_test (test_daemon_cancels_upload),
  cmocka_unit_test (test_cancel_after_end),
  cmocka_unit_test (test_download),
  cmocka_unit_test (test_download_errors),
  cmocka_unit_test (test_download_local_errors),
  cmocka_unit_test (test_download_broken_pipe),
  cmocka_unit_test (test_both_cancel),
};

TEST_MAIN (tests, 120)
