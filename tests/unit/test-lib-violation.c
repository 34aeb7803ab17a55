/* A daemon that breaks the protocol: the first violation ends the connection with EPROTO, in bounded memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "fake-daemon.h"

typedef int (*call_function) (zf_handle *h);

static int
call_zero (zf_handle *h)
{
  return zf_zero_device (h, "/dev/sda");
}

static int
call_list (zf_handle *h)
{
  char **list = zf_list_devices (h);

  zf_free_string_list (list);
  return list ? 0 : -1;
}

static int
call_checksum (zf_handle *h)
{
  char *s = zf_checksum_device (h, "md5", "/dev/sda");

  free (s);
  return s ? 0 : -1;
}

static int
call_upload (zf_handle *h)
{
  return zf_upload (h, "/dev/zero", "/x");
}

static int
call_download (zf_handle *h)
{
  return zf_download (h, "/x", "/dev/null");
}

/* A script with a message that is nothing but a length word. */
static void
say_word (struct fake *f, void *opaque)
{
  fake_read_call (f);
  fake_word (f, *(const uint32_t *) opaque);
}

static void
say_word_in_download (struct fake *f, void *opaque)
{
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  fake_word (f, *(const uint32_t *) opaque);
}

static void
say_bad_header (struct fake *f, void *opaque)
{
  struct wire_header hdr;

  fake_read_call (f);
  hdr = fake_header (f);
  switch (*(const uint32_t *) opaque) {
  case 0: hdr.prog++; break;
  case 1: hdr.vers++; break;
  case 2: hdr.proc++; break;
  case 3: hdr.serial++; break;
  case 4: hdr.direction = ZF_CALL; break;
  case 5: hdr.status = 2; break;
  }
  fake_reply (f, &hdr, NULL, 0);
}

/* A correct header, and these words as the body. */
struct words { uint32_t status, n, w[4]; };

static void
say_body (struct fake *f, void *opaque)
{
  const struct words *words = opaque;
  struct wire_header hdr;
  uint32_t body[4];

  fake_read_call (f);
  hdr = fake_header (f);
  hdr.status = words->status;
  for (int i = 0; i < 4; i++)
    body[i] = __builtin_bswap32 (words->w[i]);
  fake_reply (f, &hdr, body, words->n * 4);
}

static void
say_two_replies (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  fake_ok (f, NULL, 0);
}

static void
say_cancel_flags (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  for (int i = 0; i < 1000000 && !f->gone; i++)
    fake_word (f, ZF_CANCEL_FLAG);
}

static void
say_bad_chunk (struct fake *f, void *opaque)
{
  const struct words *words = opaque;

  fake_read_call (f);
  fake_ok (f, NULL, 0);
  for (unsigned i = 0; i < words->n; i++)
    fake_word (f, words->w[i]);
}

/* Reply before the cancel flag and before draining; success after a cancel flag. */
static void
say_early_reply (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_error (f, "EIO", "too early");
}

static void
say_ok_after_cancel (struct fake *f, void *opaque)
{
  unsigned char data[ZF_CHUNK_MAX];

  (void) opaque;
  fake_read_call (f);
  fake_word (f, ZF_CANCEL_FLAG);
  while (fake_read_chunk (f, data) > 0)
    ;
  fake_ok (f, NULL, 0);
}

#define WORD(n) &(uint32_t) { n }
#define BODY(...) &(struct words) { __VA_ARGS__ }

static const struct violation {
  const char *text;
  fake_script script;
  void *opaque;
  call_function call;
} violations[] = {
  { "a message of 0 bytes", say_word, WORD (0), call_zero },
  { "a message of 1 bytes", say_word, WORD (1), call_zero },
  { "a message of 39 bytes", say_word, WORD (39), call_zero },
  { "a message of 4194305 bytes", say_word, WORD (ZF_MESSAGE_MAX + 1), call_zero },
  { "a message of 4294967295 bytes", say_word, WORD (UINT32_MAX), call_zero },
  { "launch flag", say_word, WORD (ZF_LAUNCH_FLAG), call_zero },
  { "launch flag", say_word, WORD (ZF_LAUNCH_FLAG), call_upload },
  { "cancel flag", say_word, WORD (ZF_CANCEL_FLAG), call_zero },
  { "cancel flag", say_cancel_flags, NULL, call_upload },
  { "another program", say_bad_header, WORD (0), call_zero },
  { "another program or version", say_bad_header, WORD (1), call_zero },
  { "reply to another call", say_bad_header, WORD (2), call_zero },
  { "reply to another call", say_bad_header, WORD (3), call_zero },
  { "a call instead of a reply", say_bad_header, WORD (4), call_zero },
  { "unknown status", say_bad_header, WORD (5), call_zero },
  { "cannot be decoded", say_body, BODY (0, 1, { UINT32_MAX }), call_list },          /* list count */
  { "cannot be decoded", say_body, BODY (0, 1, { 1000000 }), call_list },
  { "cannot be decoded", say_body, BODY (0, 2, { 1, UINT32_MAX }), call_list },       /* string in it */
  { "cannot be decoded", say_body, BODY (0, 0, { 0 }), call_list },
  /* string without an end */
  { "cannot be decoded", say_body, BODY (0, 2, { 100, 0x41414141 }), call_checksum },
  { "cannot be decoded", say_body, BODY (0, 1, { UINT32_MAX }), call_checksum },
  { "error reply that cannot be decoded", say_body, BODY (1, 1, { UINT32_MAX }), call_zero },
  { "error reply that cannot be decoded", say_body, BODY (1, 2, { 0, 70000 }), call_zero },
  { "a file chunk of 4 bytes", say_word_in_download, WORD (4), call_download },
  { "a file chunk of 8204 bytes", say_word_in_download, WORD (8204), call_download },
  { "a file chunk of 4294967292 bytes", say_word_in_download, WORD (UINT32_MAX - 3), call_download },
  { "cancel flag", say_word_in_download, WORD (ZF_CANCEL_FLAG), call_download },
  { "a damaged file chunk", say_bad_chunk, BODY (0, 3, { 8, 0, 8192 }), call_download },
  { "a damaged file chunk", say_bad_chunk, BODY (0, 4, { 12, 2, 4, 0 }), call_download },
  { "a damaged file chunk", say_bad_chunk, BODY (0, 3, { 8, 0, UINT32_MAX - 2 }), call_download },
  { "a message that nobody asked for", say_early_reply, NULL, call_upload },
  { "success after it had cancelled", say_ok_after_cancel, NULL, call_upload },
};

static void
test_violations (void **state)
{
  (void) state;
  for (size_t i = 0; i < sizeof violations / sizeof violations[0]; i++) {
    const struct violation *v = &violations[i];
    struct fake *f = fake_new (v->script, v->opaque);

    assert_int_equal (v->call (f->h), -1);
    assert_error (f->h, EPROTO, v->text);
    assert_int_equal (f->quits, 1);
    assert_int_equal (zf_is_config (f->h), 1);
    assert_int_equal (zf_ping_daemon (f->h), -1);
    assert_error (f->h, EINVAL, "not running");

    /* And the handle can be used again. */
    fake_again (f, NULL, NULL);
    assert_int_equal (zf_ping_daemon (f->h), 0);
    fake_end (f);
  }
}

/* The second reply is found by the next call. */
static void
test_two_replies (void **state)
{
  struct fake *f = fake_new (say_two_replies, NULL);

  (void) state;
  assert_int_equal (call_zero (f->h), 0);
  for (int i = 0; i < 100 && zf_last_error (f->h) == NULL; i++)
    call_zero (f->h);
  assert_int_equal (zf_last_errno (f->h), EPROTO);
  assert_int_equal (f->quits, 1);
  fake_end (f);
}

/* False lengths and counts must not be believed: the process gets little memory for the test above. */
static int
limit_memory (void **state)
{
  const char *s = getenv ("ZEROFISH_TEST_VALGRIND");
  struct rlimit limit = { 1u << 30, 1u << 30 };

  (void) state;
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
  if (s == NULL || *s == '\0')
    assert_int_equal (setrlimit (RLIMIT_AS, &limit), 0);
#else
  (void) s;
  (void) limit;
#endif
  return 0;
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup (test_violations, limit_memory),
  cmocka_unit_test (test_two_replies),
};

TEST_MAIN (tests, 120)
