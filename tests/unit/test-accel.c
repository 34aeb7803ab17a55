/* The accelerator probe: every way in which /dev/kvm can be useless gives a reason, fast.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "launch.h"

static char dir[] = "/tmp/zerofish-accel-XXXXXX";
static char node[64];

static int
setup (void **state)
{
  (void) state;
  if (mkdtemp (dir) == NULL)
    return -1;
  chmod (dir, 0755);
  snprintf (node, sizeof node, "%s/kvm", dir);
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  unlink (node);
  return rmdir (dir);
}

/* Probe NODE: TCG, with a reason of one line that holds TEXT, within three seconds, and no child left. */
static void
expect_reason (const char *text)
{
  int64_t begin = zfi_now_ms ();
  char *reason = NULL;

  assert_int_equal (zfi_probe_kvm (node, &reason), ACCEL_TCG);
  assert_non_null (reason);
  if (strstr (reason, text) == NULL)
    fail_msg ("'%s' is not in '%s'", text, reason);
  assert_null (strchr (reason, '\n'));
  assert_true (zfi_now_ms () - begin < 3000);
  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
  free (reason);
}

static void
test_missing (void **state)
{
  (void) state;
  unlink (node);
  expect_reason ("does not exist");
}

static void
test_mode_0 (void **state)
{
  const bool root = geteuid () == 0;

  (void) state;
  unlink (node);
  assert_int_equal (mknod (node, S_IFREG | 0600, 0), 0);
  assert_int_equal (chmod (node, 0), 0);
  if (root)
    assert_int_equal (seteuid (65534), 0);
  expect_reason ("may not open");
  if (root)
    assert_int_equal (seteuid (0), 0);
}

static void
test_no_driver (void **state)
{
  (void) state;
  unlink (node);
  /* A number of the range for local use. */
  if (mknod (node, S_IFCHR | 0600, makedev (120, 77)) == -1)
    skip ();
  expect_reason ("driver");
}

static void
test_no_kvm_device (void **state)
{
  (void) state;
  unlink (node);
  assert_int_equal (mkfifo (node, 0600), 0);
  expect_reason ("not a KVM device");
  unlink (node);
  assert_int_equal (symlink ("/dev/null", node), 0);
  expect_reason ("not a KVM device");
  unlink (node);
  assert_int_equal (symlink ("kvm", node), 0);
  expect_reason ("cannot be opened");
}

/* A program that ignores the end of its children must get the same answer. */
static void
test_sigchld_ignored (void **state)
{
  (void) state;
  unlink (node);
  signal (SIGCHLD, SIG_IGN);
  expect_reason ("does not exist");
  signal (SIGCHLD, SIG_DFL);
}

/* Whatever this machine has: an answer in time, and a reason exactly if it is no. */
static void
test_this_machine (void **state)
{
  int64_t begin = zfi_now_ms ();
  char *reason = NULL;
  enum zfi_accel accel = zfi_probe_kvm ("/dev/kvm", &reason);

  (void) state;
  assert_int_equal (accel == ACCEL_TCG, reason != NULL);
  assert_true (zfi_now_ms () - begin < 3000);
  print_message ("this machine: %s\n", reason != NULL ? reason : "KVM works");
  free (reason);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_missing),
  cmocka_unit_test (test_mode_0),
  cmocka_unit_test (test_no_driver),
  cmocka_unit_test (test_no_kvm_device),
  cmocka_unit_test (test_sigchld_ignored),
  cmocka_unit_test (test_this_machine),
};

int
main (void)
{
  const int before = test_open_fds ();
  int r;

  alarm (60);
  r = cmocka_run_group_tests (tests, setup, teardown);
  if (test_open_fds () != before)
    r = 1;
  return r != 0;
}
