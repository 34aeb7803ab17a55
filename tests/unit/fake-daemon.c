/* A daemon of the tests' own, in a thread, that says whatever a test wants the library to hear.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "fake-daemon.h"

int fake_chunk_size, fake_launch_result;

/* --- reading and writing --- */

bool
fake_read (struct fake *f, void *p, size_t n)
{
  if (!f->gone && conn_read (&f->conn, p, n) == -1)
    f->gone = true;
  return !f->gone;
}

void
fake_write (struct fake *f, const void *p, size_t n)
{
  if (!f->gone && conn_write (&f->conn, p, n) == -1)
    f->gone = true;
}

void
fake_word (struct fake *f, uint32_t w)
{
  w = htobe32 (w);
  fake_write (f, &w, sizeof w);
}

static bool
read_word (struct fake *f, uint32_t *w)
{
  bool r = fake_read (f, w, sizeof *w);

  *w = be32toh (*w);
  return r;
}

/* The next length word, passing over cancel flags. */
static bool
read_length (struct fake *f, uint32_t *len)
{
  do
    if (!read_word (f, len))
      return false;
  while (*len == ZF_CANCEL_FLAG);
  return true;
}

bool
fake_read_call (struct fake *f)
{
  uint32_t len;

  if (!read_length (f, &len))
    return false;
  if (len < ZF_HEADER_SIZE || len > ZF_MESSAGE_MAX || conn_read_body (&f->conn, len, &f->body) == -1) {
    f->gone = true;
    return false;
  }
  wire_get_header (f->body.data, &f->call);
  return true;
}

struct wire_header
fake_header (struct fake *f)
{
  struct wire_header hdr = f->call;

  hdr.direction = ZF_REPLY;
  hdr.progress_hint = hdr.optargs_bitmask = 0;
  hdr.status = ZF_OK;
  return hdr;
}

void
fake_reply (struct fake *f, const struct wire_header *hdr, const void *body, size_t n)
{
  unsigned char raw[ZF_HEADER_SIZE];

  wire_put_header (raw, hdr);
  fake_word (f, sizeof raw + n);
  fake_write (f, raw, sizeof raw);
  if (n > 0)
    fake_write (f, body, n);
}

void
fake_ok (struct fake *f, const void *body, size_t n)
{
  const struct wire_header hdr = fake_header (f);

  fake_reply (f, &hdr, body, n);
}

void
fake_ok_int (struct fake *f, uint32_t n)
{
  n = htobe32 (n);
  fake_ok (f, &n, sizeof n);
}

void
fake_error (struct fake *f, const char *errno_name, const char *message)
{
  struct wire_error e = { (char *) errno_name, (char *) message };
  struct wire_header hdr = fake_header (f);
  struct buf b = { 0 };

  hdr.status = ZF_ERROR;
  assert_int_equal (wire_begin (&b), 0);
  assert_int_equal (wire_append (&b, (xdrproc_t) xdr_wire_error, &e), 0);
  wire_end (&b, &hdr);
  fake_write (f, b.data, b.len);
  buf_free (&b);
}

void
fake_progress (struct fake *f, uint64_t position, uint64_t total)
{
  const struct wire_progress p = { f->call.proc, f->call.serial, position, total };
  unsigned char raw[4 + ZF_PROGRESS_SIZE];
  uint32_t flag = htobe32 (ZF_PROGRESS_FLAG);

  memcpy (raw, &flag, 4);
  wire_put_progress (raw + 4, &p);
  fake_write (f, raw, sizeof raw);
}

void
fake_expect_cancel (struct fake *f)
{
  uint32_t w;

  if (read_word (f, &w) && w != ZF_CANCEL_FLAG) {
    fprintf (stderr, "a cancel flag was expected, 0x%08x came\n", w);
    abort ();
  }
}

int
fake_read_chunk (struct fake *f, unsigned char *data)
{
  const uint32_t max = fake_chunk_size > ZF_CHUNK_MAX ? fake_chunk_size : ZF_CHUNK_MAX;
  uint32_t len, word[2], n;
  unsigned char pad[4];

  if (!read_length (f, &len) || !fake_read (f, word, sizeof word))
    return -2;
  n = be32toh (word[1]);
  if (n > max || len != 8 + (n + 3) / 4 * 4 || be32toh (word[0]) > 1) {
    fprintf (stderr, "bad chunk: length %u, %u bytes, cancel %u\n", len, n, be32toh (word[0]));
    abort ();
  }
  if ((n > 0 && !fake_read (f, data, n)) || (n % 4 != 0 && !fake_read (f, pad, 4 - n % 4)))
    return -2;
  return word[0] ? -1 : (int) n;
}

void
fake_chunk (struct fake *f, bool cancelled, const void *p, size_t n)
{
  fake_word (f, 8 + (n + 3) / 4 * 4);
  fake_word (f, cancelled);
  fake_word (f, n);
  if (n > 0)
    fake_write (f, p, n);
  fake_write (f, "\0\0\0", (4 - n % 4) % 4);
}

void
fake_hang_up (struct fake *f)
{
  shutdown (f->conn.fd, SHUT_RDWR);
  f->gone = true;
}

/* --- the thread --- */

/* Answer everything with an empty success; FileIn is read to its end. */
static void
answer_all (struct fake *f)
{
  unsigned char data[ZF_CHUNK_MAX];

  while (fake_read_call (f)) {
    if (f->call.proc == ZF_PROC_UPLOAD)
      while (fake_read_chunk (f, data) > 0)
        ;
    fake_ok (f, NULL, 0);
  }
}

/* The library's first two calls. */
static void
greet (struct fake *f)
{
  if (!fake_read_call (f))
    return;
  fake_ok_int (f, 1);
  if (!fake_read_call (f))
    return;
  if (f->call.proc != ZF_PROC_INTERNAL_SET_CHUNK) {
    fprintf (stderr, "internal_set_chunk was expected, %d came\n", f->call.proc);
    abort ();
  }
  if (fake_chunk_size != 0)
    fake_ok_int (f, fake_chunk_size);
  else
    fake_error (f, "ENOTSUP", "unknown procedure");
}

static void *
run (void *opaque)
{
  struct fake *f = opaque;
  int fd = accept4 (f->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

  f->gone = fd == -1;
  if (fd == -1)
    return NULL;
  conn_init (&f->conn, fd);
  fake_word (f, ZF_LAUNCH_FLAG);
  greet (f);
  if (f->script)
    f->script (f, f->opaque);
  answer_all (f);
  buf_free (&f->body);
  close (fd);
  return NULL;
}

static void
count_quit (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
            const uint64_t *array, size_t array_len)
{
  struct fake *f = opaque;

  (void) h; (void) event; (void) handle; (void) buf; (void) len; (void) array; (void) array_len;
  f->quits++;
}

static void
ignore_warning (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
                const uint64_t *array, size_t array_len)
{
  (void) h; (void) opaque; (void) event; (void) handle;
  (void) buf; (void) len; (void) array; (void) array_len;
}

static void
start (struct fake *f, fake_script script, void *opaque)
{
  f->script = script;
  f->opaque = opaque;
  assert_int_equal (pthread_create (&f->thread, NULL, run, f), 0);
  assert_int_equal (zf_launch (f->h), fake_launch_result);
}

struct fake *
fake_new (fake_script script, void *opaque)
{
  struct fake *f = calloc (1, sizeof *f);
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  char backend[80];

  assert_non_null (f);
  strcpy (f->dir, "/tmp/zf-test-XXXXXX");
  assert_non_null (mkdtemp (f->dir));
  snprintf (f->path, sizeof f->path, "%s/sock", f->dir);
  strcpy (addr.sun_path, f->path);
  f->listen_fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal (bind (f->listen_fd, (struct sockaddr *) &addr, sizeof addr), 0);
  assert_int_equal (listen (f->listen_fd, 1), 0);
  f->h = zf_create ();
  assert_non_null (f->h);
  snprintf (backend, sizeof backend, "unix:%s", f->path);
  assert_int_equal (zf_set_backend (f->h, backend), 0);
  assert_int_not_equal (zf_set_event_callback (f->h, count_quit, ZF_EVENT_SUBPROCESS_QUIT, f), -1);
  assert_int_not_equal (zf_set_event_callback (f->h, ignore_warning, ZF_EVENT_WARNING, f), -1);
  start (f, script, opaque);
  return f;
}

void
fake_again (struct fake *f, fake_script script, void *opaque)
{
  pthread_join (f->thread, NULL);
  memset (&f->body, 0, sizeof f->body);
  start (f, script, opaque);
}

void
fake_end (struct fake *f)
{
  zf_close (f->h);
  pthread_join (f->thread, NULL);
  close (f->listen_fd);
  unlink (f->path);
  rmdir (f->dir);
  free (f);
}
