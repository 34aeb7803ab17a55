/* NBD URIs: what they mean, and what is refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "internal.h"

static const struct good {
  const char *uri, *host, *port, *socket, *export, *user;
  bool tls;
} good[] = {
  { "nbd://localhost", "localhost", "10809", NULL, "", NULL, false },
  { "nbd://localhost/", "localhost", "10809", NULL, "", NULL, false },
  { "nbd://localhost//", "localhost", "10809", NULL, "/", NULL, false },
  { "nbd://h:1/a/b", "h", "1", NULL, "a/b", NULL, false },
  { "nbd://[::1]:10810/a%20b", "::1", "10810", NULL, "a b", NULL, false },
  { "nbd://[fe80::1]/x", "fe80::1", "10809", NULL, "x", NULL, false },
  { "nbd://h/a+b=c,d:e", "h", "10809", NULL, "a+b=c,d:e", NULL, false },
  { "nbd://h/%2Fx%2f", "h", "10809", NULL, "/x/", NULL, false },
  { "nbd:///?socket=/s", NULL, NULL, "/s", "", NULL, false },
  { "nbd://?socket=/s", NULL, NULL, "/s", "", NULL, false },
  { "nbd:///exp?socket=/a/b", NULL, NULL, "/a/b", "exp", NULL, false },
  { "nbd+unix:///exp/x?socket=/s%2Ck", NULL, NULL, "/s,k", "exp/x", NULL, false },
  { "nbd+unix://?socket=/s%20k", NULL, NULL, "/s k", "", NULL, false },
  { "nbds://me@h/x", "h", "10809", NULL, "x", "me", true },
  { "nbds+unix:///x?socket=/s", NULL, NULL, "/s", "x", NULL, true },
};

static void
assert_string (const char *got, const char *expected)
{
  if (expected == NULL)
    assert_null (got);
  else {
    assert_non_null (got);
    assert_string_equal (got, expected);
  }
}

static void
test_good (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    struct zfi_nbd *n = zfi_nbd_parse (h, good[i].uri);

    if (n == NULL)
      fail_msg ("%s: %s", good[i].uri, zf_last_error (h));
    assert_string (n->host, good[i].host);
    assert_string (n->port, good[i].port);
    assert_string (n->socket, good[i].socket);
    assert_string (n->export, good[i].export);
    assert_string (n->user, good[i].user);
    assert_int_equal (n->tls, good[i].tls);
    zfi_nbd_free (n);
  }
  zf_close (h);
}

static const struct { const char *uri, *text; } bad[] = {
  { "nbd:h", "\"://\" is missing" },
  { "nbd://", "no host and no socket" },
  { "nbd:///x", "no host and no socket" },
  { "nbdx://h/x", "scheme" },
  { "NBD://h/x", "scheme" },
  { "http://h/x", "scheme" },
  { "nbd://h:0/x", "port" },
  { "nbd://h:65536/x", "port" },
  { "nbd://h:-1/x", "port" },
  { "nbd://h: 1/x", "port" },
  { "nbd://h:/x", "port" },
  { "nbd://h:1x/x", "port" },
  { "nbd://[::1/x", "\"[\" without" },
  { "nbd://[::1]1/x", "may follow" },
  { "nbd://h/x#y", "\"#\"" },
  { "nbd://h/%", "hexadecimal" },
  { "nbd://h/%4", "hexadecimal" },
  { "nbd://h/%zz", "hexadecimal" },
  { "nbd://h/a%00b", "hexadecimal" },
  { "nbd://h/x?socket=/s", "not both" },
  { "nbd+unix:///x", "socket=PATH" },
  { "nbd+unix://h/x?socket=/s", "not both" },
  { "nbd+unix:///x?socket=", "empty" },
  { "nbd+unix:///x?socket=/a&socket=/b", "twice" },
  { "nbd://h/x?tls-verify-peer=no", "unknown parameter \"tls-verify-peer\"" },
  { "nbd://h/x?y", "unknown parameter \"y\"" },
  { "nbd://me@h/x", "user name" },
  { "nbds://me:hunter2@h/x", "password" },
  { "nbd://me:hunter2@h/x", "password" },
};

static void
test_bad (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct zfi_nbd *n = zfi_nbd_parse (h, bad[i].uri);

    if (n != NULL)
      fail_msg ("%s is accepted", bad[i].uri);
    if (strstr (zf_last_error (h), bad[i].text) == NULL)
      fail_msg ("%s: \"%s\" does not hold \"%s\"", bad[i].uri, zf_last_error (h), bad[i].text);
    assert_null (strstr (zf_last_error (h), "hunter2"));
    assert_int_equal (zf_last_errno (h), EINVAL);
  }
  zf_close (h);
}

/* The emulator may run in another directory. */
static void
test_relative_socket (void **state)
{
  zf_handle *h = zf_create ();
  struct zfi_nbd *n = zfi_nbd_parse (h, "nbd:///?socket=s.sock");
  char dir[PATH_MAX];

  (void) state;
  assert_non_null (n);
  assert_non_null (getcwd (dir, sizeof dir));
  assert_int_equal (n->socket[0], '/');
  assert_memory_equal (n->socket, dir, strlen (dir));
  assert_string_equal (n->socket + strlen (dir), "/s.sock");
  zfi_nbd_free (n);
  zf_close (h);
}

static void
test_export_length (void **state)
{
  zf_handle *h = zf_create ();
  char uri[5000] = "nbd://h/";
  struct zfi_nbd *n;

  (void) state;
  memset (uri + 8, 'x', 4096);
  n = zfi_nbd_parse (h, uri);
  assert_non_null (n);
  assert_int_equal (strlen (n->export), 4096);
  zfi_nbd_free (n);
  uri[8 + 4096] = 'x';
  assert_null (zfi_nbd_parse (h, uri));
  zf_close (h);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_good),
  cmocka_unit_test (test_bad),
  cmocka_unit_test (test_relative_socket),
  cmocka_unit_test (test_export_length),
};

TEST_MAIN (tests, 60)
