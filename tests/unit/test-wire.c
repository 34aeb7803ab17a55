/* Headers, progress, error bodies and errno names, against bytes written out by hand.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "test.h"
#include "conn.h"
#include "wire.h"

static const unsigned char header_bytes[ZF_HEADER_SIZE] = {
  0x20, 0x00, 0xf5, 0xf5, 0, 0, 0, 4, 0, 0, 0, 228, 0, 0, 0, 1, 0, 0x12, 0x34, 5,
  1, 2, 3, 4, 5, 6, 7, 8, 0x80, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1,
};

static void
test_header (void **state)
{
  const struct wire_header h = {
    .prog = ZF_PROGRAM, .vers = ZF_VERSION, .proc = 228, .direction = ZF_REPLY, .serial = 0x123405,
    .progress_hint = UINT64_C (0x0102030405060708), .optargs_bitmask = UINT64_C (0x8000000000000003),
    .status = ZF_ERROR,
  };
  struct wire_header back;
  unsigned char out[ZF_HEADER_SIZE];

  (void) state;
  wire_put_header (out, &h);
  assert_memory_equal (out, header_bytes, sizeof out);
  wire_get_header (header_bytes, &back);
  assert_int_equal (back.prog, h.prog);
  assert_int_equal (back.vers, h.vers);
  assert_int_equal (back.proc, h.proc);
  assert_int_equal (back.direction, h.direction);
  assert_int_equal (back.serial, h.serial);
  assert_int_equal (back.progress_hint, h.progress_hint);
  assert_int_equal (back.optargs_bitmask, h.optargs_bitmask);
  assert_int_equal (back.status, h.status);
}

static void
test_progress (void **state)
{
  static const unsigned char bytes[ZF_PROGRESS_SIZE] = {
    0, 0, 0, 228, 0, 0x12, 0x34, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0,
  };
  const struct wire_progress p = {
    .proc = 228, .serial = 0x123400, .position = UINT64_C (1) << 32, .total = UINT64_C (2) << 32,
  };
  struct wire_progress back;
  unsigned char out[ZF_PROGRESS_SIZE];

  (void) state;
  wire_put_progress (out, &p);
  assert_memory_equal (out, bytes, sizeof out);
  wire_get_progress (bytes, &back);
  assert_int_equal (back.proc, p.proc);
  assert_int_equal (back.serial, p.serial);
  assert_int_equal (back.position, p.position);
  assert_int_equal (back.total, p.total);
}

static void
test_frame (void **state)
{
  static const unsigned char body[] = "\0\0\0\6EINVAL\0\0\0\0\0\5wrong\0\0";
  const struct wire_header h = {
    .prog = ZF_PROGRAM, .vers = ZF_VERSION, .proc = 228, .direction = ZF_REPLY, .serial = 0x123405,
    .progress_hint = UINT64_C (0x0102030405060708), .optargs_bitmask = UINT64_C (0x8000000000000003),
    .status = ZF_ERROR,
  };
  struct wire_error e = { .errno_name = (char *) "EINVAL", .message = (char *) "wrong" };
  struct buf b = { .max = 4 + ZF_MESSAGE_MAX };
  int i;

  (void) state;
  for (i = 0; i < 2; i++) {     /* the buffer is used again */
    assert_int_equal (wire_begin (&b), 0);
    assert_int_equal (wire_append (&b, (xdrproc_t) xdr_wire_error, &e), 0);
    wire_end (&b, &h);
    assert_int_equal (b.len, 4 + ZF_HEADER_SIZE + 12 + 12);
    assert_memory_equal (b.data, "\0\0\0\100", 4);
    assert_memory_equal (b.data + 4, header_bytes, ZF_HEADER_SIZE);
    assert_memory_equal (b.data + 4 + ZF_HEADER_SIZE, body, 24);
  }
  buf_free (&b);
}

static void
test_too_large (void **state)
{
  static char text[ZF_ERROR_MAX + 2];
  struct wire_error e = { .errno_name = (char *) "", .message = text };
  struct buf b = { .max = 1000 };

  (void) state;
  memset (text, 'x', ZF_ERROR_MAX);
  assert_int_equal (wire_begin (&b), 0);
  assert_int_equal (wire_append (&b, (xdrproc_t) xdr_wire_error, &e), -1);
  assert_int_equal (errno, EMSGSIZE);
  b.max = 0;
  assert_int_equal (wire_append (&b, (xdrproc_t) xdr_wire_error, &e), 0);
  text[ZF_ERROR_MAX] = 'x';     /* one too many for XDR */
  assert_int_equal (wire_append (&b, (xdrproc_t) xdr_wire_error, &e), -1);
  assert_int_equal (errno, EINVAL);
  buf_free (&b);
}

static bool_t
decode_string (const char *bytes, size_t len, char **s)
{
  XDR x;

  *s = NULL;
  xdrmem_create (&x, (char *) bytes, len, XDR_DECODE);
  return xdr_wire_string (&x, s);
}

static void
test_string (void **state)
{
  static const struct { const char *p; size_t n; } bad[] = {
    { "\0\0\0\3a\0c\0", 8 }, { "\0\0\0\4abc\0", 8 }, { "\0\0\0\5abcd", 8 }, { "\377\377\377\377abcd", 8 },
    { "\377\377\377\376abcd", 8 }, { "\0\100\0\1abcd", 8 }, { "\0\0\0", 3 }, { "", 0 },
  };
  char *s;
  size_t i;

  (void) state;
  assert_true (decode_string ("\0\0\0\3abc\0", 8, &s));
  assert_string_equal (s, "abc");
  xdr_free ((xdrproc_t) xdr_wire_string, &s);
  assert_true (decode_string ("\0\0\0\0", 4, &s));
  assert_string_equal (s, "");
  xdr_free ((xdrproc_t) xdr_wire_string, &s);
  for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    if (decode_string (bad[i].p, bad[i].n, &s))
      fail_msg ("bad string %zu was taken", i);
    xdr_free ((xdrproc_t) xdr_wire_string, &s);
  }
}

static void
test_errno_names (void **state)
{
  int i;

  (void) state;
  assert_string_equal (wire_errno_to_name (0), "");
  assert_string_equal (wire_errno_to_name (EINVAL), "EINVAL");
  assert_string_equal (wire_errno_to_name (95), "ENOTSUP");
  assert_string_equal (wire_errno_to_name (35), "EDEADLOCK");
  assert_string_equal (wire_errno_to_name (11), "EAGAIN");
  assert_string_equal (wire_errno_to_name (99999), "EINVAL");
  assert_string_equal (wire_errno_to_name (-1), "EINVAL");

  assert_int_equal (wire_errno_from_name (""), 0);
  assert_int_equal (wire_errno_from_name ("ENOSPC"), ENOSPC);
  assert_int_equal (wire_errno_from_name ("EOPNOTSUPP"), EOPNOTSUPP);
  assert_int_equal (wire_errno_from_name ("EDEADLK"), EDEADLK);
  assert_int_equal (wire_errno_from_name ("EWOULDBLOCK"), EWOULDBLOCK);
  assert_int_equal (wire_errno_from_name ("ENONSENSE"), EINVAL);
  assert_int_equal (wire_errno_from_name ("einval"), EINVAL);

  for (i = 0; i < 134; i++) {
    const char *name = wire_errno_to_name (i);
    assert_true (strlen (name) < 32);
    if (strcmp (name, "EINVAL") != 0)
      assert_int_equal (wire_errno_from_name (name), i);
  }
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_header),
  cmocka_unit_test (test_progress),
  cmocka_unit_test (test_frame),
  cmocka_unit_test (test_too_large),
  cmocka_unit_test (test_string),
  cmocka_unit_test (test_errno_names),
};

TEST_MAIN (tests, 60)
