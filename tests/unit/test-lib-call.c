/* Calls of the library on a well-behaved daemon: results, errors, states, progress, callbacks and trace
 * lines.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake-daemon.h"

/* --- results and errors --- */

static void
say_true_then_error (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_ok_int (f, 77);      /* any non-zero is true */
  fake_read_call (f);
  fake_error (f, "ENOSPC", "/dev/sda: no room\x1b[31m at 4096");
  fake_read_call (f);
  fake_error (f, "", "");
}

static void
test_results (void **state)
{
  struct fake *f = fake_new (say_true_then_error, NULL);

  (void) state;
  assert_int_equal (zf_is_zero_device (f->h, "/dev/sda"), 1);
  assert_null (zf_last_error (f->h));
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, ENOSPC, "zero_device: /dev/sda: no room?[31m at 4096");
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, 0, "zero_device: failed, and the appliance did not say why");
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), 0);
  assert_null (zf_last_error (f->h));
  assert_int_equal (zf_last_errno (f->h), 0);
  fake_end (f);
}

static void
test_refusals (void **state)
{
  struct fake *f = fake_new (NULL, NULL);
  char *huge = malloc (5 << 20);
  zf_handle *h = zf_create ();

  (void) state;
  memset (huge, 'a', (5 << 20) - 1);
  huge[(5 << 20) - 1] = '\0';
  assert_int_equal (zf_zero_device (f->h, NULL), -1);
  assert_error (f->h, EINVAL, "zero_device: argument 1 is NULL");
  assert_int_equal (zf_zero_device (f->h, huge), -1);
  assert_error (f->h, EMSGSIZE, "zero_device: the arguments are too large");
  assert_int_equal (zf_add_drive_ro (f->h, "/dev/null"), -1);
  assert_error (f->h, EINVAL, "only before launch");
  assert_int_equal (zf_ping_daemon (f->h), 0);

  assert_int_equal (zf_zero_device (h, "/dev/sda"), -1);
  assert_error (h, EINVAL, "zero_device: the appliance is not running");
  assert_int_equal (zf_zero_device (NULL, "/dev/sda"), -1);
  zf_close (h);
  zf_close (NULL);
  free (huge);
  fake_end (f);
}

/* --- progress --- */

struct seen { unsigned n; uint64_t position, total; bool backwards, past_end, full_early; };

static void
see_progress (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
              const uint64_t *array, size_t array_len)
{
  struct seen *s = opaque;

  (void) h; (void) event; (void) handle; (void) buf; (void) len;
  assert_int_equal (array_len, 4);
  if (array[2] > array[3] || array[3] == 0)
    s->past_end = true;
  if (s->n > 0 && (double) array[2] / array[3] < (double) s->position / s->total)
    s->backwards = true;
  if (s->n > 0 && s->position == s->total)
    s->full_early = true;
  s->n++;
  s->position = array[2];
  s->total = array[3];
}

static void
wild_progress (struct fake *f, void *opaque)
{
  const bool *fails = opaque;

  fake_read_call (f);
  fake_progress (f, 0, 0);
  fake_progress (f, 10, 100);
  fake_progress (f, 5, 100);
  fake_progress (f, 40, 200);
  fake_progress (f, UINT64_MAX, 200);
  fake_progress (f, 3, UINT64_MAX);
  fake_progress (f, 1, 2);
  if (*fails)
    fake_error (f, "EIO", "no");
  else
    fake_ok (f, NULL, 0);
}

static void
test_progress_clamped (void **state)
{
  bool fails[] = { false, true };

  (void) state;
  for (int i = 0; i < 2; i++) {
    struct fake *f = fake_new (wild_progress, &fails[i]);
    struct seen s = { 0 };

    zf_set_event_callback (f->h, see_progress, ZF_EVENT_PROGRESS, &s);
    assert_int_equal (zf_zero_device (f->h, "/dev/sda"), fails[i] ? -1 : 0);
    assert_true (s.n > 2);
    assert_false (s.backwards || s.past_end || s.full_early);
    /* 100 % is only true once the call has succeeded. */
    if (fails[i])
      assert_true (s.position < s.total);
    else
      assert_int_equal (s.position, s.total);
    fake_end (f);
  }
}

static void
flood (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  for (unsigned i = 0; i < 1000000; i++)
    fake_progress (f, i, 1000000);
  fake_ok (f, NULL, 0);
}

/* The stack of the caller is limited, so that a recursion would be seen. */
static void *
call_on_small_stack (void *opaque)
{
  struct fake *f = opaque;

  return zf_zero_device (f->h, "/dev/sda") == 0 ? opaque : NULL;
}

static void
test_progress_flood (void **state)
{
  struct fake *f = fake_new (flood, NULL);
  struct seen s = { 0 };
  pthread_attr_t attr;
  pthread_t thread;
  void *result;

  (void) state;
  zf_set_event_callback (f->h, see_progress, ZF_EVENT_PROGRESS, &s);
  pthread_attr_init (&attr);
  assert_int_equal (pthread_attr_setstacksize (&attr, 256 * 1024), 0);
  assert_int_equal (pthread_create (&thread, &attr, call_on_small_stack, f), 0);
  pthread_join (thread, &result);
  pthread_attr_destroy (&attr);
  assert_ptr_equal (result, f);
  assert_int_equal (s.n, 1000001);
  assert_false (s.backwards);
  fake_end (f);
}

/* --- callbacks --- */

struct inside { int call, memsize; char *error; int err; };

static void
call_inside (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
             const uint64_t *array, size_t array_len)
{
  struct inside *in = opaque;

  (void) event; (void) handle; (void) buf; (void) len; (void) array; (void) array_len;
  if (in->error != NULL)
    return;
  zf_close (h);             /* refused */
  in->call = zf_zero_device (h, "/dev/sdb");
  in->err = zf_last_errno (h);
  in->error = strdup (zf_last_error (h));
  in->memsize = zf_get_memsize (h);
}

static void
progress_then_error (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_progress (f, 1, 2);
  fake_error (f, "EIO", "the outer error");
  fake_read_call (f);
  fake_ok (f, NULL, 0);
}

static void
test_call_inside_callback (void **state)
{
  struct fake *f = fake_new (progress_then_error, NULL);
  struct inside in = { 0 };

  (void) state;
  zf_set_event_callback (f->h, call_inside, ZF_EVENT_PROGRESS, &in);
  assert_int_equal (zf_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EIO, "zero_device: the outer error");
  assert_int_equal (in.call, -1);
  assert_int_equal (in.err, EBUSY);
  assert_non_null (strstr (in.error, "callback of zero_device"));
  assert_int_equal (in.memsize, zf_get_memsize (f->h));
  assert_int_equal (zf_ping_daemon (f->h), 0);
  free (in.error);
  fake_end (f);
}

static void
count (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
       const uint64_t *array, size_t array_len)
{
  (void) event; (void) buf; (void) len; (void) array; (void) array_len;
  ++*(int *) opaque;
  zf_delete_event_callback (h, handle);
}

static void
test_registering (void **state)
{
  zf_handle *h = zf_create ();
  int n = 0, close_event;

  (void) state;
  assert_int_equal (zf_set_event_callback (h, NULL, ZF_EVENT_CLOSE, NULL), -1);
  assert_error (h, EINVAL, "set_event_callback: the callback is NULL");
  assert_int_equal (zf_set_event_callback (h, count, 0, NULL), -1);
  assert_int_equal (zf_set_event_callback (h, count, UINT64_C (1) << 40, NULL), -1);
  assert_int_equal (zf_set_event_callback (h, count, ZF_EVENT_TRACE, &n), 0);
  close_event = zf_set_event_callback (h, count, ZF_EVENT_CLOSE, &n);
  zf_delete_event_callback (h, 77);
  zf_delete_event_callback (h, -1);
  zf_set_trace (h, 1);
  assert_int_equal (n, 1);      /* it deletes itself at its first event */
  assert_int_equal (close_event, 1);
  zf_close (h);
  assert_int_equal (n, 2);
}

/* --- trace --- */

static void
collect (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
         const uint64_t *array, size_t array_len)
{
  struct buf *b = opaque;

  (void) h; (void) event; (void) handle; (void) array; (void) array_len;
  buf_append (b, buf, len);
  buf_append (b, "\n", 1);
}

static void
ok_then_true (struct fake *f, void *opaque)
{
  (void) opaque;
  fake_read_call (f);
  fake_ok (f, NULL, 0);
  fake_read_call (f);
  fake_ok_int (f, 1);
}

static void
test_trace (void **state)
{
  const struct zf_add_drive_opts o = {
    .bitmask = ZF_ADD_DRIVE_OPTS_READONLY | ZF_ADD_DRIVE_OPTS_FORMAT | ZF_ADD_DRIVE_OPTS_BLOCKSIZE,
    .readonly = 1, .format = "raw", .blocksize = 512,
  };
  struct fake *f = fake_new (ok_then_true, NULL);
  struct buf b = { 0 };
  char *backend;

  (void) state;
  zf_set_event_callback (f->h, collect, ZF_EVENT_TRACE, &b);
  zf_set_trace (f->h, 1);
  assert_int_equal (zf_zero_device (f->h, "/dev/\"s\nda"), 0);
  assert_int_equal (zf_zero_device (f->h, NULL), -1);
  assert_int_equal (zf_is_zero_device (f->h, "/dev/sda"), 1);
  assert_int_equal (zf_add_drive (f->h, "nbd://user:secret@host/x", &o), -1);
  backend = zf_get_backend (f->h);
  free (backend);
  zf_set_trace (f->h, 0);
  buf_append (&b, "", 1);
  assert_non_null (strstr ((char *) b.data, "zero_device \"/dev/\\\"s\\nda\"\nzero_device = 0\n"));
  assert_non_null (strstr ((char *) b.data, "zero_device NULL\nzero_device = -1 (error)\n"));
  assert_non_null (strstr ((char *) b.data, "is_zero_device \"/dev/sda\"\nis_zero_device = 1\n"));
  assert_non_null (strstr ((char *) b.data, "add_drive \"nbd://user:***@host/x\" readonly:true "
                           "format:\"raw\" blocksize:512\n"));
  assert_non_null (strstr ((char *) b.data, "get_backend = \"unix:/tmp/"));
  assert_null (strstr ((char *) b.data, "secret"));
  assert_null (strstr (zf_last_error (f->h) ? zf_last_error (f->h) : "", "secret"));
  buf_free (&b);
  fake_end (f);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_results),
  cmocka_unit_test (test_refusals),
  cmocka_unit_test (test_progress_clamped),
  cmocka_unit_test (test_progress_flood),
  cmocka_unit_test (test_call_inside_callback),
  cmocka_unit_test (test_registering),
  cmocka_unit_test (test_trace),
};

TEST_MAIN (tests, 120)
