/* Names of devices and paths: what means a user's disk, and everything that must be refused at once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { 1 << 20, 2 << 20, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static void
test_good_devices (void **state)
{
  static const char *const names[] = { "/dev/sdb", "/dev/hdb", "/dev/vdb", "/dev/xvdb" };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    client_do (&c, GETSIZE64, "s", names[i]);
    assert_int_equal (get_int64 (&c), 2 << 20);
  }
}

static void
test_bad_devices (void **state)
{
  static const char *const names[] = {
    "", "/", "/dev", "/dev/", "/dev/sdc", "/dev/sdz", "/dev/sdaa", "/dev/sdzzzzzzzzzzzzzzzzzzzz", "/dev/sda1",
    "/dev/sda0", "/dev/sda01", "/dev/sda99999999999999999999", "/dev/sda-1", "/dev/SDA", "/dev/sd",
    "/dev/sd1", "/dev/null",
    "/dev/zero", "/dev/console", "/dev/tty", "/dev/../dev/sda", "/dev//sda", "/dev/sda/", "sda",
    "/dev/sda ", "/dev/sda\n",
    "/dev/mapper/control", "/dev/loop0", "/dev/nbd0", "/dev/root", "/etc/passwd", "disk", "-rf",
    "/dev/sda\xff",
  };
  static const int procs[] = { GETSIZE64, ZERO, ZERO_DEVICE, IS_ZERO_DEVICE };
  char *longest;
  size_t i, j;

  (void) state;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    for (j = 0; j < sizeof procs / sizeof procs[0]; j++) {
      client_send_call (&c, procs[j], "s", names[i]);
      client_reply (&c, procs[j]);
      if (c.header.status != ZF_ERROR)
        fail_msg ("procedure %d took '%s' for a device", procs[j], names[i]);
      assert_int_not_equal (strlen (c.message), 0);
    }
  }
  longest = malloc (1000001);
  memset (longest, 'a', 1000000);
  longest[1000000] = '\0';
  memcpy (longest, "/dev/sd", 7);
  client_send_call (&c, ZERO_DEVICE, "s", longest);
  client_error (&c, ZERO_DEVICE, "", "");
  free (longest);
}

/* A string with a zero byte inside must not be cut off and taken. */
static void
test_zero_byte (void **state)
{
  (void) state;
  client_send_call (&c, ZERO_DEVICE, "b", "/dev/sda\0xxx", (size_t) 12);
  client_error (&c, ZERO_DEVICE, "EINVAL", "");
  client_do (&c, PING_DAEMON, "");
}

static void
make (const char *format, const char *name)
{
  char command[256];

  snprintf (command, sizeof command, format, c.sysroot, name);
  assert_int_equal (system (command), 0);
}

static void
test_special_files (void **state)
{
  static const char *const names[] = {
    "/fifo", "/to-fifo", "/dir", "/to-null", "/socket", "/missing", "/to-missing",
  };
  int64_t start = client_now_ms ();
  size_t i;

  (void) state;
  make ("mkfifo %s/%s", "fifo");
  make ("ln -s fifo %s/%s", "to-fifo");
  make ("mkdir %s/%s", "dir");
  make ("ln -s /dev/null %s/%s", "to-null");
  make ("ln -s nowhere %s/%s", "to-missing");
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    client_send_call (&c, IS_ZERO, "s", names[i]);
    client_error (&c, IS_ZERO, "", "");
    client_send_call (&c, CHECKSUM, "ss", "md5", names[i]);
    client_error (&c, CHECKSUM, "", "");
    client_send_call (&c, PREAD, "siI", names[i], 10, (int64_t) 0);
    client_error (&c, PREAD, "", "");
  }
  assert_true (client_now_ms () - start < 10000);
}

/* Nothing outside of the sysroot can be reached, by .. or by links. */
static void
test_outside (void **state)
{
  static const char *const names[] = {
    "/../outside", "/dir/../../outside", "/abs", "/rel", "/../../../../../../etc/passwd",
    "/proc-self/cwd/outside",
  };
  char cwd[4096], outside[4200];
  size_t i;
  FILE *fp;

  (void) state;
  assert_non_null (getcwd (cwd, sizeof cwd));
  snprintf (outside, sizeof outside, "%s/%s.outside", cwd, c.sysroot);
  fp = fopen (outside, "w");
  assert_non_null (fp);
  fputs ("secret", fp);
  fclose (fp);
  make ("mkdir %s/%s", "dir");
  make ("ln -s /etc/passwd %s/%s", "abs");
  make ("ln -s ../../../../../../../etc/passwd %s/%s", "rel");
  make ("ln -s /proc/self %s/%s", "proc-self");
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    client_send_call (&c, PREAD, "siI", names[i], 10, (int64_t) 0);
    client_error (&c, PREAD, "", "");
  }
  client_send_call (&c, RM, "s", "/../x.outside");
  client_error (&c, RM, "", "");
  assert_int_equal (access (outside, F_OK), 0);
  unlink (outside);
}

static void
test_relative_paths (void **state)
{
  static const char *const names[] = { "", "file", "./file", "../file" };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    client_send_call (&c, TOUCH, "s", names[i]);
    client_error (&c, TOUCH, "EINVAL", "");
  }
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_good_devices), TEST (test_bad_devices), TEST (test_zero_byte), TEST (test_special_files),
  TEST (test_outside), TEST (test_relative_paths),
};

TEST_MAIN (tests, 120)
