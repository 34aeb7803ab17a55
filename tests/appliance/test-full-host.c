/* A host filesystem that fills up under a sparse image: an error in seconds that names the device, and
 * everything goes on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "rig.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>

enum { MIB = 1048576 };

static char small[80];

/* A tmpfs of 20 MiB that nobody else sees. */
static int
setup (void **state)
{
  if (rig_setup (state) == -1)
    return -1;
  snprintf (small, sizeof small, "%s/small", dir);
  return mkdir (small, 0700) == 0 && mount ("tmpfs", small, "tmpfs", 0, "size=20m") == 0 ? 0 : -1;
}

static int
teardown (void **state)
{
  zf_shutdown (h);
  umount (small);
  rmdir (small);
  return rig_teardown (state);
}

/* Write random pieces until it fails; the number of the piece, -1 if none did.  MESSAGE is the error's. */
static int
write_until_full (char *message, size_t len, int *err)
{
  char *piece = malloc (MIB);
  int i, failed = -1;

  memset (piece, 0xa5, MIB);
  for (i = 0; i < 60 && failed == -1; i++)
    if (zf_pwrite_device (h, "/dev/sda", piece, MIB, (int64_t) i * MIB) == -1) {
      failed = i;
      *err = zf_last_errno (h);
      snprintf (message, len, "%s", zf_last_error (h));
    }
  free (piece);
  return failed;
}

static void
test_image (void **state)
{
  char message[1024] = "", *image;
  int64_t begin;
  int err = 0, failed;

  (void) state;
  image = make_image ("small/image", INT64_C (100) * MIB, NULL);
  add_image (h, image, false);
  launch (h);
  begin = zfi_now_ms ();
  failed = write_until_full (message, sizeof message, &err);
  print_message ("piece %d: %s\n", failed, message);
  assert_true (failed >= 15 && failed <= 25);
  assert_true (err == ENOSPC || err == EIO);
  assert_non_null (strstr (message, "/dev/sda"));
  assert_true (zfi_now_ms () - begin < 30000);
  assert_int_equal (zf_ping_daemon (h), 0);
  begin = zfi_now_ms ();
  zf_shutdown (h);
  assert_true (zfi_now_ms () - begin < 30000);
  assert_int_equal (zf_is_config (h), 1);

  /* The image still opens. */
  add_image (h, image, true);
  launch (h);
  expect_text (h, "/dev/sda", "\xa5\xa5\xa5\xa5");
  assert_int_equal (zf_shutdown (h), 0);
  assert_int_equal (unlink (image), 0);
  free (image);
}

/* The same for the overlay of a read-only drive, in a full directory for temporary files. */
static void
test_overlay (void **state)
{
  char message[1024] = "", *image;
  int err = 0;

  (void) state;
  image = make_image ("image", INT64_C (100) * MIB, NULL);
  zf_set_tmpdir (h, small);
  add_image (h, image, true);
  launch (h);
  /* A destructive call is refused there, so a filesystem has to do the writing; reading must not be
   * troubled. */
  assert_int_equal (write_until_full (message, sizeof message, &err), 0);
  assert_int_equal (err, EROFS);
  assert_int_equal (zf_is_zero_device (h, "/dev/sda"), 1);
  assert_int_equal (zf_shutdown (h), 0);

  /* Not even room for the overlay's first blocks. */
  free (make_image ("small/filler", 0, NULL));
  {
    char filler[100];
    int fd;

    snprintf (filler, sizeof filler, "%s/filler", small);
    fd = open (filler, O_WRONLY|O_CLOEXEC);
    assert_int_equal (posix_fallocate (fd, 0, 20 * MIB - 16384), 0);
    close (fd);
    add_image (h, image, true);
    assert_int_equal (zf_launch (h), -1);
    print_message ("no room: %s\n", zf_last_error (h));
    assert_int_equal (unlink (filler), 0);
  }
  zf_set_tmpdir (h, dir);
  free (image);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup_teardown (test_image, setup, teardown),
  cmocka_unit_test_setup_teardown (test_overlay, setup, teardown),
};

int
main (void)
{
  if (unshare (CLONE_NEWNS) == -1 || mount (NULL, "/", NULL, MS_REC|MS_PRIVATE, NULL) == -1) {
    fprintf (stderr, "skipped: only root can mount a small tmpfs (%s)\n", strerror (errno));
    return 77;
  }
  alarm (600);
  return cmocka_run_group_tests (tests, NULL, NULL) != 0;
}
