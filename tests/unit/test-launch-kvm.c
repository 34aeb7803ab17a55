/* KVM that seems to work and then does not: one more try without it, said in a line; none if the user
 * demanded KVM.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "launch.h"

static bool no_kvm;

/* In place of the real probe (accel.c): this machine looks good, unless a test says no. */
enum zfi_accel
zfi_probe_accel (zf_handle *h, char **reason)
{
  (void) h;
  *reason = no_kvm ? strdup ("no such luck") : NULL;
  return no_kvm ? ACCEL_TCG : ACCEL_KVM;
}

static zf_handle *h;
static char script[] = "/tmp/zerofish-kvm-XXXXXX";
static char warnings[8192];

static void
collect (zf_handle *handle, void *opaque, uint64_t event, int event_handle, const char *buf, size_t len,
         const uint64_t *array, size_t array_len)
{
  (void) handle; (void) opaque; (void) event; (void) event_handle; (void) array; (void) array_len;
  assert_true (strlen (warnings) + len < sizeof warnings);
  strncat (warnings, buf, len);
}

static int
setup (void **state)
{
  FILE *fp = fdopen (mkstemp (script), "w");

  (void) state;
  if (fp == NULL)
    return -1;
  fprintf (fp, "#!/bin/sh\n"
           "case \"$*\" in *accel=kvm*) echo no hypervisor for me >&2; exit 1 ;; esac\nexit 3\n");
  fclose (fp);
  chmod (script, 0755);
  if ((h = zf_create ()) == NULL)
    return -1;
  zf_set_hv (h, script);
  zf_set_backend (h, "direct");
  zf_set_event_callback (h, collect, ZF_EVENT_WARNING, NULL);
  return zf_add_drive (h, "/dev/null", NULL);
}

static int
teardown (void **state)
{
  (void) state;
  zf_close (h);
  return unlink (script);
}

static void
test_second_try (void **state)
{
  char *none[] = { NULL };

  (void) state;
  zf_set_backend_settings (h, none);
  warnings[0] = '\0';
  assert_int_equal (zf_launch (h), -1);
  assert_non_null (strstr (zf_last_error (h), "exited with status 3"));
  assert_non_null (strstr (warnings, "exited with status 1"));
  assert_non_null (strstr (warnings, "software emulation"));
}

static void
test_forced (void **state)
{
  char *force[] = { (char *) "force_kvm", NULL };

  (void) state;
  zf_set_backend_settings (h, force);
  warnings[0] = '\0';
  assert_int_equal (zf_launch (h), -1);
  assert_non_null (strstr (zf_last_error (h), "exited with status 1"));
  assert_non_null (strstr (zf_last_error (h), "no hypervisor for me"));
  assert_string_equal (warnings, "");
}

/* Without KVM nothing is said to the user, but a program that listens hears why, each time. */
static void
test_notice (void **state)
{
  char *none[] = { NULL };
  int listener = zf_set_event_callback (h, collect, ZF_EVENT_LIBRARY, NULL);

  (void) state;
  no_kvm = true;
  zf_set_backend_settings (h, none);
  for (int i = 0; i < 2; i++) {
    warnings[0] = '\0';
    assert_int_equal (zf_launch (h), -1);
    assert_non_null (strstr (warnings, "KVM is not used: no such luck"));
    assert_non_null (strstr (warnings, "force_tcg"));
  }
  zf_delete_event_callback (h, listener);
  warnings[0] = '\0';
  assert_int_equal (zf_launch (h), -1);
  assert_string_equal (warnings, "");
  no_kvm = false;
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_second_try),
  cmocka_unit_test (test_forced),
  cmocka_unit_test (test_notice),
};

int
main (void)
{
  alarm (60);
  return cmocka_run_group_tests (tests, setup, teardown) != 0;
}
