/* Optional arguments: bodies that end before them, masks of a newer library, given and not given.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <string.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;

/* umount: one string, then force and lazyunmount; EXTRA words of body follow the string. */
static void
send_umount (uint64_t mask, unsigned extra)
{
  struct buf b = { 0 };

  put_string (&b, "/");
  while (extra-- > 0)
    put_int (&b, 1);
  client_call (&c, UMOUNT, mask, &b);
}

static void
test_bodies (void **state)
{
  unsigned extra;

  (void) state;
  client_start (&c, (const char *const[]) { NULL });
  /* Short of both, of one, exact, and longer than we know of: all decoded, and refused for what they ask. */
  for (extra = 0; extra < 5; extra++) {
    send_umount (0, extra);
    client_error (&c, UMOUNT, "EINVAL", "");
    assert_null (strstr (c.message, "decode"));
  }
  /* Said to be given, and missing or there. */
  for (extra = 0; extra < 3; extra++) {
    send_umount (3, extra);
    client_error (&c, UMOUNT, "EINVAL", "");
  }
  assert_int_equal (client_end (&c), 0);
}

static void
test_masks (void **state)
{
  static const uint64_t masks[] = { 4, 7, UINT64_C (1) << 63, UINT64_MAX };
  size_t i;

  (void) state;
  client_start (&c, (const char *const[]) { NULL });
  for (i = 0; i < sizeof masks / sizeof masks[0]; i++) {
    send_umount (masks[i], 2);
    client_error (&c, UMOUNT, "EINVAL", "unknown optional argument");
    client_call (&c, PING_DAEMON, masks[i], NULL);
    client_error (&c, PING_DAEMON, "EINVAL", "unknown optional argument");
  }
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_bodies),
  cmocka_unit_test (test_masks),
};

TEST_MAIN (tests, 60)
