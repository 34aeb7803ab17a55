/* disk_create, disk_format and disk_virtual_size with the real qemu-img, and programs in its place that
 * misbehave.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "internal.h"
#include "lib-error.h"

static char dir[] = "/tmp/zf-disk-XXXXXX";

static int
make_dir (void **state)
{
  (void) state;
  return mkdtemp (dir) && chdir (dir) == 0 ? 0 : -1;
}

static int
remove_dir (void **state)
{
  (void) state;
  return chdir ("/") == 0 && rmdir (dir) == 0 ? 0 : -1;
}

static void
test_create (void **state)
{
  static const char *const names[] = { "plain", "a,b=c", "nbd:x", "json:{}", "-f", "new\nline", "inv\xff" };
  static const char *const formats[] = { "raw", "qcow2" };
  zf_handle *h = zf_create ();
  char *format;

  (void) state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    for (int f = 0; f < 2; f++) {
      if (zf_disk_create (h, names[i], formats[f], 1 << 20, NULL) != 0)
        fail_msg ("\"%s\": %s", names[i], zf_last_error (h));
      format = zf_disk_format (h, names[i]);
      assert_non_null (format);
      assert_string_equal (format, formats[f]);
      free (format);
      assert_int_equal (zf_disk_virtual_size (h, names[i]), 1 << 20);
      assert_int_equal (unlink (names[i]), 0);
    }
  zf_close (h);
}

static void
test_create_options (void **state)
{
  struct zf_disk_create_opts o = {
    .bitmask = ZF_DISK_CREATE_OPTS_PREALLOCATION | ZF_DISK_CREATE_OPTS_CLUSTERSIZE
      | ZF_DISK_CREATE_OPTS_COMPAT,
    .preallocation = "metadata", .clustersize = 4096, .compat = "1.1",
  };
  zf_handle *h = zf_create ();
  struct stat st;

  (void) state;
  assert_int_equal (zf_disk_create (h, "q", "qcow2", 1 << 20, &o), 0);
  o = (struct zf_disk_create_opts) { .bitmask = ZF_DISK_CREATE_OPTS_PREALLOCATION, .preallocation = "full" };
  assert_int_equal (zf_disk_create (h, "r", "raw", 1 << 20, &o), 0);
  assert_int_equal (stat ("r", &st), 0);
  assert_true (st.st_blocks * 512 >= 1 << 20);

  /* An overlay over each: the backing format is found, or stated. */
  o = (struct zf_disk_create_opts) { .bitmask = ZF_DISK_CREATE_OPTS_BACKINGFILE, .backingfile = "q" };
  assert_int_equal (zf_disk_create (h, "over", "qcow2", -1, &o), 0);
  assert_int_equal (zf_disk_virtual_size (h, "over"), 1 << 20);
  o.backingfile = "over";
  assert_int_equal (zf_disk_create (h, "over2", "qcow2", -1, &o), -1);
  assert_error (h, EPERM, "names a backing file: state its format");
  assert_int_equal (access ("over2", F_OK), -1);
  o.bitmask |= ZF_DISK_CREATE_OPTS_BACKINGFORMAT;
  o.backingformat = "qcow2";
  assert_int_equal (zf_disk_create (h, "over2", "qcow2", -1, &o), 0);
  for (const char *const *n = (const char *const[]) { "q", "r", "over", "over2", NULL }; *n; n++)
    unlink (*n);
  zf_close (h);
}

static void
test_create_refused (void **state)
{
  static const struct {
    const char *format;
    int64_t size;
    struct zf_disk_create_opts o;
    const char *text;
  } cases[] = {
    { "vmdk", 1, { 0 }, "raw and qcow2" },
    { "raw", -1, { 0 }, "negative" },
    { "qcow2", -1, { 0 }, "negative" },
    { "qcow2", -5, { 0 }, "for instance 10G" },
    { "raw", INT64_MIN, { 0 }, "negative" },
    { "raw", 1, { .bitmask = ZF_DISK_CREATE_OPTS_BACKINGFILE, .backingfile = "x" }, "qcow2 images only" },
    { "raw", 1, { .bitmask = ZF_DISK_CREATE_OPTS_PREALLOCATION, .preallocation = "metadata" },
      "preallocation must be" },
    { "qcow2", 1, { .bitmask = ZF_DISK_CREATE_OPTS_PREALLOCATION, .preallocation = "off,size=1" },
      "preallocation must be" },
    { "qcow2", 1, { .bitmask = ZF_DISK_CREATE_OPTS_COMPAT, .compat = "2" }, "compat must be" },
    { "qcow2", 1, { .bitmask = ZF_DISK_CREATE_OPTS_CLUSTERSIZE, .clustersize = 1000 }, "power of two" },
    { "qcow2", 1, { .bitmask = ZF_DISK_CREATE_OPTS_CLUSTERSIZE, .clustersize = INT32_MIN }, "power of two" },
    { "qcow2", 1, { .bitmask = ZF_DISK_CREATE_OPTS_BACKINGFORMAT, .backingformat = "raw" },
      "without a backing file" },
  };
  zf_handle *h = zf_create ();

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal (zf_disk_create (h, "x", cases[i].format, cases[i].size, &cases[i].o), -1);
    assert_error (h, EINVAL, cases[i].text);
    assert_int_equal (access ("x", F_OK), -1);
  }
  assert_int_equal (zf_disk_create (h, "", "raw", 1, NULL), -1);
  assert_error (h, EINVAL, "empty");
  assert_int_equal (zf_disk_create (h, "/dev/null", "raw", 1, NULL), -1);
  assert_error (h, EINVAL, "not a regular file");
  assert_int_equal (zf_disk_create (h, "/nonexistent/x", "raw", 1, NULL), -1);
  assert_error (h, EIO, "qemu-img: ");
  assert_int_equal (zf_disk_virtual_size (h, "missing"), -1);
  assert_error (h, ENOENT, "disk_virtual_size: missing: No such file");
  assert_int_equal (zf_disk_create (h, "x", "raw", 4096, NULL), 0);
  assert_int_equal (zf_add_drive (h, "x", NULL), 0);
  assert_int_equal (zf_disk_create (h, "x", "raw", 512, NULL), -1);
  assert_error (h, EBUSY, "is a drive of this handle");
  unlink ("x");
  zf_close (h);
}

/* --- in qemu-img's place --- */

static void
fake_qemu_img (const char *script)
{
  FILE *f = fopen ("fake", "w");

  assert_non_null (f);
  fprintf (f, "#!/bin/sh\n%s\n", script);
  assert_int_equal (fchmod (fileno (f), 0700), 0);
  assert_int_equal (fclose (f), 0);
  assert_int_equal (setenv ("ZEROFISH_QEMU_IMG", "./fake", 1), 0);
}

static int
no_fake (void **state)
{
  (void) state;
  unlink ("fake");
  return unsetenv ("ZEROFISH_QEMU_IMG");
}

static void
test_qemu_img_fails (void **state)
{
  static const struct { const char *script; int err; const char *text; } cases[] = {
    { "echo 'qemu-img: no such luck' >&2; exit 1", EIO, "disk_create: qemu-img: no such luck" },
    { "exit 3", EIO, "status 3" },
    { "kill -9 $$", EIO, "killed by signal 9" },
    { "exec yes", EMSGSIZE, "wrote more than" },
    { "exec yes >&2", EMSGSIZE, "wrote more than" },
  };
  zf_handle *h = zf_create ();

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    fake_qemu_img (cases[i].script);
    assert_int_equal (zf_disk_create (h, "x", "raw", 1, NULL), -1);
    assert_error (h, cases[i].err, cases[i].text);
  }
  setenv ("ZEROFISH_QEMU_IMG", "/nonexistent/qemu-img", 1);
  assert_int_equal (zf_disk_create (h, "x", "raw", 1, NULL), -1);
  assert_error (h, ENOENT, "running /nonexistent/qemu-img");
  zf_close (h);
}

static void *
cancel_later (void *opaque)
{
  const struct timespec ts = { 0, 300 * 1000000 };

  nanosleep (&ts, NULL);
  zf_user_cancel (opaque);
  return NULL;
}

static void
test_qemu_img_cancelled (void **state)
{
  zf_handle *h = zf_create ();
  int64_t start = zfi_now_ms ();
  pthread_t thread;

  (void) state;
  fake_qemu_img ("exec sleep 100");
  assert_int_equal (pthread_create (&thread, NULL, cancel_later, h), 0);
  assert_int_equal (zf_disk_create (h, "x", "raw", 1, NULL), -1);
  assert_error (h, EINTR, "disk_create: cancelled");
  assert_true (zfi_now_ms () - start < 5000);
  pthread_join (thread, NULL);
  zf_close (h);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_create),
  cmocka_unit_test (test_create_options),
  cmocka_unit_test (test_create_refused),
  cmocka_unit_test_teardown (test_qemu_img_fails, no_fake),
  cmocka_unit_test_teardown (test_qemu_img_cancelled, no_fake),
};

int
main (void)
{
  const int before = test_open_fds ();
  int r;

  alarm (120);
  r = cmocka_run_group_tests (tests, make_dir, remove_dir);
  if (test_open_fds () != before) {
    fprintf (stderr, "descriptors are left open\n");
    r = 1;
  }
  return r != 0;
}
