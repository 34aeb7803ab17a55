/* Drives in a real machine: their names follow the order in which they were added, however many there are;
 * read-only ones never change; images in use are refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "rig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SIZE = 65536 };

/* "/dev/sda", ..., "/dev/sdz", "/dev/sdaa", ... */
static const char *
device_name (int i)
{
  static char name[16];

  if (i < 26)
    snprintf (name, sizeof name, "/dev/sd%c", 'a' + i);
  else
    snprintf (name, sizeof name, "/dev/sd%c%c", 'a' + i / 26 - 1, 'a' + i % 26);
  return name;
}

/* N drives, each with its number in the first sector; every third is read-only. */
static void
many_drives (int n)
{
  char **images = calloc (n, sizeof *images), text[32], buf[32];
  int64_t begin;
  int i;

  for (i = 0; i < n; i++) {
    snprintf (text, sizeof text, "file%d", i);
    snprintf (buf, sizeof buf, "marker %d.", i);
    images[i] = make_image (text, SIZE, buf);
    add_image (h, images[i], i % 3 == 2);
  }
  begin = zfi_now_ms ();
  launch (h);
  print_message ("%d drives: launched in %d ms\n", n, (int) (zfi_now_ms () - begin));
  assert_int_equal (zf_nr_devices (h), n);
  for (i = 0; i < n; i++) {
    snprintf (text, sizeof text, "marker %d.", i);
    expect_text (h, device_name (i), text);
  }
  /* Only the one that is named changes. */
  assert_int_equal (zf_zero_device (h, device_name (n / 3 * 3 - 3)), 0);
  assert_int_equal (zf_shutdown (h), 0);
  for (i = 0; i < n; i++) {
    snprintf (text, sizeof text, "marker %d.", i);
    read_file (images[i], buf, strlen (text));
    if (i == n / 3 * 3 - 3)
      assert_int_equal (buf[0], 0);
    else
      assert_memory_equal (buf, text, strlen (text));
    free (images[i]);
  }
  free (images);
}

static void
test_30 (void **state)
{
  (void) state;
  many_drives (30);
}

static void
test_255 (void **state)
{
  (void) state;
  many_drives (255);
}

/* --- events --- */

static uint64_t last_position, last_total;
static unsigned done;

static void
on_event (zf_handle *handle, void *opaque, uint64_t event, int event_handle, const char *buf, size_t len,
          const uint64_t *array, size_t array_len)
{
  (void) handle; (void) opaque; (void) event_handle; (void) buf; (void) len;
  if (event == ZF_EVENT_LAUNCH_DONE) {
    done++;
    return;
  }
  assert_int_equal (array_len, 4);
  assert_true (array[2] >= last_position && array[2] <= array[3]);
  last_position = array[2];
  last_total = array[3];
}

/* A launch tells how far it is, and that it is done. */
static void
test_launch_events (void **state)
{
  (void) state;
  last_position = last_total = done = 0;
  assert_int_equal (zf_add_drive (h, "/dev/null", NULL), 0);
  zf_set_event_callback (h, on_event, ZF_EVENT_PROGRESS | ZF_EVENT_LAUNCH_DONE, NULL);
  launch (h);
  assert_int_equal (done, 1);
  assert_true (last_total > 0);
  assert_int_equal (last_position, last_total);
}

/* What is written to a read-only drive goes to its overlay or nowhere; the file keeps its bytes and its
 * time. */
static void
test_readonly (void **state)
{
  char *image = make_image ("image", SIZE, "before"), buf[6];
  struct stat st, st2;

  (void) state;
  assert_int_equal (stat (image, &st), 0);
  add_image (h, image, true);
  launch (h);
  expect_text (h, "/dev/sda", "before");
  assert_int_equal (zf_zero_device (h, "/dev/sda"), -1);
  assert_int_equal (zf_last_errno (h), EROFS);
  assert_int_equal (zf_shutdown (h), 0);
  read_file (image, buf, sizeof buf);
  assert_memory_equal (buf, "before", 6);
  assert_int_equal (stat (image, &st2), 0);
  assert_memory_equal (&st.st_mtim, &st2.st_mtim, sizeof st.st_mtim);
  free (image);
}

/* A second machine may read the image of the first but not write it, and says so at once. */
static void
test_in_use (void **state)
{
  char *image = make_image ("image", SIZE, "before");
  zf_handle *h2 = zf_create ();

  (void) state;
  rig_prepare (h2);
  /* Adding looks too, so both are added before the image is in use. */
  add_image (h, image, false);
  add_image (h2, image, false);
  launch (h);
  assert_int_equal (zf_launch (h2), -1);
  assert_int_equal (zf_last_errno (h2), EBUSY);
  assert_non_null (strstr (zf_last_error (h2), "in use"));
  assert_non_null (strstr (zf_last_error (h2), image));
  assert_int_equal (zf_is_config (h2), 1);
  zf_close (h2);

  h2 = zf_create ();
  rig_prepare (h2);
  add_image (h2, image, true);
  launch (h2);
  expect_text (h2, "/dev/sda", "before");
  put_text (h, "/dev/sda", "after!");
  assert_int_equal (zf_sync (h), 0);
  zf_close (h2);
  assert_int_equal (zf_ping_daemon (h), 0);
  free (image);
}

/* Names that mean something to qemu open exactly that file. */
static void
test_names (void **state)
{
  static const char *const names[] = {
    " ", "a,readonly=on", "nbd:x", "json:{}", "-hda", "a&b<c>'\"", "tab\t%s", "a\xff" "b", "\xc3\xbc",
  };
  size_t i;

  (void) state;
  for (i = 0; i < sizeof names / sizeof names[0]; i++) {
    char *image = make_image (names[i], SIZE, names[i]);

    add_image (h, image, i % 2);
    free (image);
  }
  launch (h);
  for (i = 0; i < sizeof names / sizeof names[0]; i++)
    expect_text (h, device_name ((int) i), names[i]);
}

#define T(f) cmocka_unit_test_setup_teardown (f, rig_setup, rig_teardown)
static const struct CMUnitTest tests[] = {
  T (test_30), T (test_255), T (test_launch_events), T (test_readonly), T (test_in_use), T (test_names),
};

TEST_MAIN (tests, 600)
