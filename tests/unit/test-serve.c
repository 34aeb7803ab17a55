/* The request loop with a small table of its own: replies, errors, progress, cancel, and requests that are
 * wrong.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "../wire/client.h"
#include "serve-peer.h"
#include "serve-rows.h"

static struct client c;

static int
setup (void **state)
{
  (void) state;
  serve_peer_start (&c);
  return 0;
}

/* After every test the daemon must still be there, in step, and leave as it should. */
static int
teardown (void **state)
{
  (void) state;
  client_call (&c, P_NOTHING, 0, NULL);
  client_ok (&c, P_NOTHING);
  assert_int_equal (c.body_len, 0);
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static void
call_long (int proc, int ms)
{
  struct buf b = { 0 };

  put_int (&b, ms);
  client_call (&c, proc, 0, &b);
}

static void
test_replies (void **state)
{
  struct buf b = { 0 };
  char name[32];
  unsigned i;

  (void) state;
  put_string (&b, "hello, world");
  client_call (&c, P_ECHO, 0, &b);
  client_ok (&c, P_ECHO);
  assert_string_equal (get_string (&c), "hello, world");

  client_call (&c, P_MEMORY, 0, NULL);
  client_ok (&c, P_MEMORY);
  assert_int_equal (get_int (&c), 1000);
  for (i = 0; i < 1000; i++) {
    snprintf (name, sizeof name, "element-%u", i);
    assert_string_equal (get_string (&c), name);
  }
}

static void
test_errors (void **state)
{
  struct buf b = { 0 };

  (void) state;
  client_call (&c, P_MUTE, 0, NULL);
  client_error (&c, P_MUTE, "EINVAL", "mute failed without a message");

  put_int (&b, ENOTSUP);
  put_string (&b, "/dev/sda: offset 5");
  client_call (&c, P_ERROR, 0, &b);
  client_error (&c, P_ERROR, "ENOTSUP", "/dev/sda: offset 5: Operation not supported");
  assert_null (strstr (c.message, "second"));

  client_call (&c, P_NO_FILE, 0, NULL);
  client_error (&c, P_NO_FILE, "EINVAL", "without a file");

  client_call (&c, P_ECHO, 0, NULL);    /* short body */
  client_error (&c, P_ECHO, "EINVAL", "cannot decode");
}

/* An error text over the protocol's maximum is cut, not lost. */
static void
test_long_error (void **state)
{
  const size_t len = 200000;
  struct buf b = { 0 };
  char *text = malloc (len + 1);

  (void) state;
  memset (text, 'x', len);
  text[len] = '\0';
  put_int (&b, EIO);
  put_string (&b, text);
  client_call (&c, P_ERROR, 0, &b);
  client_error (&c, P_ERROR, "EIO", "xxx");
  assert_int_equal (c.body_len, 4 + 4 + 4 + ZF_ERROR_MAX);
  free (text);
}

static void
test_large_results (void **state)
{
  struct buf b = { 0 };
  size_t len;

  (void) state;
  put_int (&b, 4194260);        /* the largest that fits */
  client_call (&c, P_LARGE, 0, &b);
  client_ok (&c, P_LARGE);
  assert_int_equal (c.frame.len, ZF_MESSAGE_MAX);
  get_buffer (&c, &len);
  assert_int_equal (len, 4194260);

  put_int (&b, 4194261);
  client_call (&c, P_LARGE, 0, &b);
  client_error (&c, P_LARGE, "EMSGSIZE", "4 MiB");
}

static void
test_largest_request (void **state)
{
  struct wire_header h = client_header (&c, P_NOTHING, 0);
  char *body = calloc (1, ZF_MESSAGE_MAX);

  (void) state;
  client_send_frame (&c, &h, body, ZF_MESSAGE_MAX - ZF_HEADER_SIZE);    /* trailing bytes are ignored */
  client_ok (&c, P_NOTHING);
  free (body);
}

static void
send_wrong (const struct wire_header *h, const char *text)
{
  client_send_frame (&c, h, "rubbish", 7);
  client_error (&c, h->proc, "", text);
}

static void
test_wrong_headers (void **state)
{
  struct wire_header h;

  (void) state;
  h = client_header (&c, P_NOTHING, 0), h.prog = 0xdeadbeef;
  send_wrong (&h, "program");
  h = client_header (&c, P_NOTHING, 0), h.vers = 5;
  send_wrong (&h, "version");
  h = client_header (&c, P_NOTHING, 0), h.direction = ZF_REPLY;
  send_wrong (&h, "direction");
  h = client_header (&c, P_NOTHING, 0), h.status = ZF_ERROR;
  send_wrong (&h, "status");
  h = client_header (&c, 12345, 0);
  send_wrong (&h, "unknown procedure number 12345");
  assert_string_equal (c.errno_name, "ENOTSUP");
  h = client_header (&c, -1, 0);
  send_wrong (&h, "unknown procedure number -1");
  h = client_header (&c, P_IN, 0), h.direction = ZF_REPLY;      /* and no file is expected after it */
  send_wrong (&h, "direction");
}

static void
test_optional_mask (void **state)
{
  struct wire_header h;

  (void) state;
  client_call (&c, P_OPTIONS, 3, NULL);
  client_ok (&c, P_OPTIONS);
  assert_int_equal (get_int64 (&c), 3);
  h = client_header (&c, P_OPTIONS, 4);
  send_wrong (&h, "unknown optional argument");
  assert_string_equal (c.errno_name, "EINVAL");
  h = client_header (&c, P_OPTIONS, UINT64_C (1) << 63);
  send_wrong (&h, "unknown optional argument");
  h = client_header (&c, P_NOTHING, 1);
  send_wrong (&h, "unknown optional argument");
}

static void
test_pipelined (void **state)
{
  uint32_t first = c.serial;
  int i;

  (void) state;
  for (i = 0; i < 100; i++)
    client_call (&c, P_NOTHING, 0, NULL);
  c.serial = first;
  for (i = 0; i < 100; i++) {
    c.serial++;
    client_ok (&c, P_NOTHING);
  }
}

/* None before 2 s, then at most three a second, and 100 % at the end. */
static void
test_progress (void **state)
{
  int64_t start = client_now_ms (), first = 0;
  unsigned n = 0;

  (void) state;
  call_long (P_LONG, 3500);
  while (client_next (&c), c.got == GOT_PROGRESS) {
    if (n++ == 0)
      first = client_now_ms () - start;
    assert_int_equal (c.progress.proc, P_LONG);
    assert_int_equal (c.progress.serial, c.serial);
  }
  assert_int_equal (c.got, GOT_FRAME);
  assert_int_equal (c.header.status, ZF_OK);
  assert_int_equal (get_int (&c), 350);
  assert_true (first >= 1950);
  assert_true (n >= 2);
  assert_true (n <= 2 + (client_now_ms () - start - 1900) / 330);
  assert_int_equal (c.progress.position, 350);
  assert_int_equal (c.progress.total, 350);
}

static void
test_no_progress (void **state)
{
  (void) state;
  call_long (P_LONG, 300);
  client_ok (&c, P_LONG);
  assert_int_equal (c.nr_progress, 0);
  call_long (P_STUBBORN, 2500);         /* its row has no progress */
  client_ok (&c, P_STUBBORN);
  assert_int_equal (c.nr_progress, 0);
}

static void
test_cancel (void **state)
{
  int64_t start = client_now_ms ();

  (void) state;
  call_long (P_LONG, 30000);
  usleep (50000);
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_send_word (&c, ZF_CANCEL_FLAG);        /* twice is once */
  client_error (&c, P_LONG, "EINTR", "cancelled");
  assert_true (client_now_ms () - start < 2000);
}

/* A flag that comes when no call runs does nothing to the next. */
static void
test_idle_cancel (void **state)
{
  (void) state;
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_send_word (&c, ZF_CANCEL_FLAG);
  call_long (P_LONG, 300);
  client_ok (&c, P_LONG);
  call_long (P_STUBBORN, 300);          /* cannot be cancelled */
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_ok (&c, P_STUBBORN);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_replies), TEST (test_errors), TEST (test_long_error), TEST (test_large_results),
  TEST (test_largest_request), TEST (test_wrong_headers), TEST (test_optional_mask), TEST (test_pipelined),
  TEST (test_progress), TEST (test_no_progress), TEST (test_cancel), TEST (test_idle_cancel),
};

TEST_MAIN (tests, 120)
