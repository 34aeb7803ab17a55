/* Waiting: deadlines, a machine that the backend finds dead or stuck, the console meanwhile; and settings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "lib-error.h"

static void
test_deadline (void **state)
{
  zf_handle *h = zf_create ();
  int64_t start = zfi_now_ms ();
  int p[2];

  (void) state;
  assert_int_equal (pipe (p), 0);
  zfi_set_deadline (h, start + 200);
  errno = 0;
  assert_int_equal (zfi_wait (h, p[0], POLLIN), -1);
  assert_int_equal (errno, ETIMEDOUT);
  assert_true (zfi_now_ms () - start >= 200 && zfi_now_ms () - start < 5000);
  /* What is ready is ready, even past the deadline. */
  assert_int_equal (zfi_wait (h, p[1], POLLOUT), 0);
  close (p[0]);
  close (p[1]);
  zf_close (h);
}

static int
find_stuck (zf_handle *h, void *data, char **why)
{
  (void) h; (void) data;
  *why = strdup ("the virtual machine is paused");
  return -1;
}

static const struct zf_backend stuck = { .name = "stuck", .check = find_stuck };

static void
test_stuck (void **state)
{
  zf_handle *h = zf_create ();
  int p[2];

  (void) state;
  assert_int_equal (pipe (p), 0);
  h->backend = &stuck;
  assert_int_equal (zfi_wait (h, p[0], POLLIN), -1);
  assert_int_equal (errno, ECONNRESET);
  assert_string_equal (h->lost_why, "the virtual machine is paused");
  h->backend = NULL;
  close (p[0]);
  close (p[1]);
  zf_close (h);
}

static void
collect (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
         const uint64_t *array, size_t array_len)
{
  (void) h; (void) event; (void) handle; (void) array; (void) array_len;
  *(size_t *) opaque += len;
  (void) buf;
}

static void
test_console (void **state)
{
  zf_handle *h = zf_create ();
  size_t seen = 0;
  int c[2], p[2];
  char *lines;

  (void) state;
  assert_int_equal (pipe (c), 0);
  assert_int_equal (pipe (p), 0);
  zf_set_event_callback (h, collect, ZF_EVENT_APPLIANCE, &seen);
  h->console_fd = c[0];
  for (int i = 0; i < 1000; i++)
    dprintf (c[1], "line %d\r\n", i);
  dprintf (c[1], "bell \a and \x1b[0m\n");
  zfi_set_deadline (h, zfi_now_ms () + 100);
  assert_int_equal (zfi_wait (h, p[0], POLLIN), -1);
  assert_true (seen > 9000);
  assert_true (h->console_tail.len <= 4096);
  lines = zfi_console_lines (h, 2);
  assert_string_equal (lines, "line 999\nbell ? and ?[0m");
  free (lines);
  lines = zfi_console_lines (h, 100000);
  assert_true (strlen (lines) > 3000);
  free (lines);

  /* Its end is noticed once, and does not make the wait spin. */
  close (c[1]);
  zfi_set_deadline (h, zfi_now_ms () + 100);
  assert_int_equal (zfi_wait (h, p[0], POLLIN), -1);
  assert_int_equal (h->console_fd, -1);
  h->console_tail.len = 0;
  lines = zfi_console_lines (h, 3);
  assert_string_equal (lines, "");
  free (lines);
  close (p[0]);
  close (p[1]);
  zf_close (h);
}

static void
test_settings (void **state)
{
  char *const settings[] = { (char *) "force_tcg", (char *) "x", NULL };
  struct zf_version *v;
  zf_handle *h;
  char **list, *s;

  (void) state;
  setenv ("ZEROFISH_MEMSIZE", "2000", 1);
  setenv ("ZEROFISH_SMP", "3", 1);
  setenv ("ZEROFISH_BACKEND_SETTINGS", "a:b", 1);
  setenv ("ZEROFISH_TMPDIR", "/tmp/x", 1);
  h = zf_create ();
  assert_int_equal (zf_get_memsize (h), 2000);
  assert_int_equal (zf_get_smp (h), 3);
  list = zf_get_backend_settings (h);
  assert_string_equal (list[1], "b");
  assert_null (list[2]);
  zf_free_string_list (list);
  s = zf_get_tmpdir (h);
  assert_string_equal (s, "/tmp/x");
  free (s);
  assert_int_equal (zf_set_memsize (h, 127), -1);
  assert_error (h, EINVAL, "set_memsize: 127 is no possible memory size");
  assert_int_equal (zf_set_smp (h, 256), -1);
  assert_int_equal (zf_set_backend_settings (h, settings), 0);
  list = zf_get_backend_settings (h);
  assert_string_equal (list[0], "force_tcg");
  zf_free_string_list (list);
  assert_int_equal (zf_set_hv (h, "/my/qemu"), 0);
  s = zf_get_hv (h);
  assert_string_equal (s, "/my/qemu");
  free (s);
  v = zf_version (h);
  assert_non_null (v);
  assert_int_equal (v->minor, 1);
  zf_free_version (v);
  zf_close (h);
  for (const char *const *n = (const char *const[]) { "ZEROFISH_MEMSIZE", "ZEROFISH_SMP", "ZEROFISH_TMPDIR",
                                                      "ZEROFISH_BACKEND_SETTINGS", NULL }; *n; n++)
    unsetenv (*n);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_deadline),
  cmocka_unit_test (test_stuck),
  cmocka_unit_test (test_console),
  cmocka_unit_test (test_settings),
};

TEST_MAIN (tests, 60)
