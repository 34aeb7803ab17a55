/* Frames that no library sends: wrong lengths, flags out of place, bodies that lie, pieces, floods, hang-ups.
 *
 * The daemon may answer with an error or close the connection; it keeps its memory small, ends when its peer
 * does, and is never killed by a signal (client_end looks).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { MEMORY_LIMIT_KIB = 48 * 1024 };

static struct client c;

static void
start (void)
{
  client_start_disks (&c, (const off_t[]) { 1 << 20, 0 });
}

static void
ping (void)
{
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (c.body_len, 0);
}

static void
test_lengths (void **state)
{
  static const uint32_t lengths[] = {
    0, 1, ZF_HEADER_SIZE - 1, ZF_MESSAGE_MAX + 1, 0x7fffffff, 0x80000000, 0xffffffff, ZF_LAUNCH_FLAG,
    ZF_PROGRESS_FLAG,
  };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    start ();
    ping ();
    client_send_word (&c, lengths[i]);
    client_closed (&c);
    assert_int_equal (client_end (&c), 1);
  }
}

/* A frame that stops at any point: waited for while the peer lives, and no longer. */
static void
test_cut_off (void **state)
{
  const struct { uint32_t claim; size_t sent; } cuts[] = {
    { 40, 0 }, { 40, 1 }, { 40, 39 }, { ZF_MESSAGE_MAX, 0 }, { ZF_MESSAGE_MAX, 100000 },
  };
  char *zeroes = calloc (1, 100000);
  size_t i;

  (void) state;
  for (i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
    start ();
    client_send_word (&c, cuts[i].claim);
    client_send (&c, zeroes, cuts[i].sent);
    usleep (20000);
    assert_true (client_peak_memory (&c) < MEMORY_LIMIT_KIB);
    assert_int_equal (client_end (&c), 1);
  }
  start ();
  client_send (&c, "\0\0", 2);
  assert_int_equal (client_end (&c), 1);
  start ();
  assert_int_equal (client_end (&c), 0);
  free (zeroes);
}

/* Bodies for every number, known or not: empty, all ones, and strings or counts that claim more than there
 * is. */
static void
test_bodies (void **state)
{
  static const char ones[] =
    "\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377\377";
  static const struct { const char *p; size_t n; } bodies[] = {
    { "", 0 }, { "\0\0\0", 3 }, { ones, 3 }, { ones, 20 },
    { "\377\377\377\376", 4 }, { "\177\377\377\377abcd", 8 }, { "\0\0\0\005abcd", 8 },
    { "\0\100\0\001abcd", 8 },
  };
  size_t i;
  int proc;

  (void) state;
  start ();
  for (proc = 1; proc < 530; proc++) {
    for (i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
      struct wire_header h = client_header (&c, proc, 0);
      if (i > 0 && (proc == SYNC || proc == AUTOSYNC))
        break;                  /* takes no arguments, and long */
      client_send_frame (&c, &h, bodies[i].p, bodies[i].n);
      if (client_takes_file (proc))
        client_send_chunk (&c, "", 0, 0);
      client_next (&c);
      if (c.got == GOT_CANCEL && client_takes_file (proc))
        client_next (&c);
      if (c.got != GOT_FRAME)
        fail_msg ("no reply to procedure %d, body %zu", proc, i);
      assert_int_equal (c.header.proc, proc);
      assert_int_equal (c.header.serial, c.serial);
    }
  }
  assert_int_equal (client_end (&c), 0);
}

static void
test_pieces (void **state)
{
  struct wire_header h;
  unsigned char frame[4 + ZF_HEADER_SIZE] = { 0, 0, 0, ZF_HEADER_SIZE };
  size_t i;

  (void) state;
  start ();
  h = client_header (&c, PING_DAEMON, 0);
  wire_put_header (frame + 4, &h);
  for (i = 0; i < sizeof frame; i++) {
    client_send (&c, frame + i, 1);
    usleep (500);
  }
  client_ok (&c, PING_DAEMON);
  assert_int_equal (client_end (&c), 0);
}

static void
test_flag_flood (void **state)
{
  const size_t n = 250000;
  uint32_t *flags = malloc (n * sizeof *flags);
  size_t i;

  (void) state;
  for (i = 0; i < n; i++)
    memcpy (flags + i, "\xff\xff\xee\xee", 4);
  start ();
  for (i = 0; i < 40; i++)      /* 10 million */
    assert_true (client_send (&c, flags, n * sizeof *flags));
  ping ();
  assert_true (client_peak_memory (&c) < MEMORY_LIMIT_KIB);
  assert_int_equal (client_end (&c), 0);
  free (flags);
}

/* Requests without end from a peer that never reads: the daemon waits, it does not collect them. */
static void
test_never_reads (void **state)
{
  unsigned char frame[4 + ZF_HEADER_SIZE] = { 0, 0, 0, ZF_HEADER_SIZE };
  const struct wire_header h = client_header (&c, 9999, 0);
  int i, r = 0;

  (void) state;
  start ();
  wire_put_header (frame + 4, &h);
  for (i = 0; i < 200000 && r == 0; i++)
    r = send (c.conn.fd, frame, sizeof frame, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t) sizeof frame ? 0 : -1;
  assert_int_equal (r, -1);
  assert_true (client_peak_memory (&c) < MEMORY_LIMIT_KIB);
  client_end (&c);
}

static void
test_large_requests (void **state)
{
  const size_t len = ZF_MESSAGE_MAX - ZF_HEADER_SIZE;
  char *body = malloc (len);
  int i;

  (void) state;
  memset (body, 'x', len);
  start ();
  for (i = 0; i < 20; i++) {
    struct wire_header h = client_header (&c, ZERO_DEVICE, 0);
    memcpy (body, "\0\077\377\324", 4);         /* one string of all the rest */
    client_send_frame (&c, &h, body, len);
    client_error (&c, ZERO_DEVICE, "", "");
  }
  assert_true (client_peak_memory (&c) < MEMORY_LIMIT_KIB);
  assert_int_equal (client_end (&c), 0);
  free (body);
}

/* Two requests at once, the second cut off. */
static void
test_next_cut_off (void **state)
{
  (void) state;
  start ();
  client_call (&c, PING_DAEMON, 0, NULL);
  client_send_word (&c, ZF_HEADER_SIZE);
  client_ok (&c, PING_DAEMON);
  assert_int_equal (client_end (&c), 1);
}

/* The peer leaves while a call runs: the call is given up. */
static void
test_leave_in_call (void **state)
{
  int64_t start_ms = client_now_ms ();

  (void) state;
  client_start_disks (&c, (const off_t[]) { (off_t) 1 << 40, 0 });
  client_send_call (&c, CHECKSUM_DEVICE, "ss", "sha512", "/dev/sda");
  usleep (200000);
  client_end (&c);
  assert_true (client_now_ms () - start_ms < 10000);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_lengths),
  cmocka_unit_test (test_cut_off),
  cmocka_unit_test (test_bodies),
  cmocka_unit_test (test_pieces),
  cmocka_unit_test (test_flag_flood),
  cmocka_unit_test (test_never_reads),
  cmocka_unit_test (test_large_requests),
  cmocka_unit_test (test_next_cut_off),
  cmocka_unit_test (test_leave_in_call),
};

TEST_MAIN (tests, 300)
