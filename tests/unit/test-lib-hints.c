/* Extent hints from the library's side: what is sent before a call, and that the call is made all the same
 * when there can be none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake-daemon.h"
#include "fake-nbd.h"

enum { KIB = 1024, MIB = 1 << 20, SIZE = MIB };

static struct fake_nbd *nbd;
static struct zf_backend backend;
static unsigned exports;
static bool is_backed, cannot_export;

/* What the daemon of the tests saw and is to say. */
static struct daemon {
  struct zf_hint_place place;
  bool begin_fails, add_fails, dies, obeys;
  unsigned begins, adds, calls;
  size_t n;
  struct wire_hint hints[HINTS_MAX];
} d;

/* --- the emulator --- */

static char *
export_drive (zf_handle *h, void *data, size_t index, char name[32], bool *backed)
{
  (void) data;
  exports++;
  snprintf (name, 32, "drive%zu", index);
  *backed = is_backed;
  if (!cannot_export)
    return strdup (nbd->path);
  zfi_error (h, EIO, "The command block-export-add has not been found");
  return NULL;
}

/* Data, hole, allocated zeroes, a hole of unknown content: 4 KiB each. */
static void
mixed (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  static const uint32_t flags[] = { 0, 3, 2, 1 };
  const uint64_t end = offset + count;

  for (uint64_t next; offset < end; offset = next) {
    next = (offset / 4096 + 1) * 4096;
    put_extent (n, next - offset, flags[offset / 4096 % 4]);
  }
}

static void
many (struct fake_nbd *n, uint64_t offset, uint32_t count)
{
  for (uint32_t i = 0; i < count / 4096 && i < 100000; i++)
    put_extent (n, 4096, (offset / 4096 + i) % 2 ? 2 : 3);
}

/* --- the daemon --- */

static void
answer_begin (struct fake *f)
{
  uint32_t body[5];

  d.begins++;
  if (d.begin_fails) {
    fake_error (f, "EIO", "cannot flush /dev/sda");
    return;
  }
  body[0] = htobe32 (d.place.disk);
  for (int i = 0; i < 2; i++) {
    uint64_t v = htobe64 (i == 0 ? d.place.start : d.place.size);

    memcpy (&body[1 + 2 * i], &v, sizeof v);
  }
  fake_ok (f, body, sizeof body);
}

static void
answer_add (struct fake *f)
{
  const unsigned char *p = f->body.data + ZF_HEADER_SIZE + 4;
  size_t n = (f->body.len - ZF_HEADER_SIZE - 4) / WIRE_HINT_SIZE;

  d.adds++;
  for (; n > 0 && d.n < HINTS_MAX; n--, p += WIRE_HINT_SIZE)
    wire_get_hint (p, &d.hints[d.n++]);
  if (d.add_fails)
    fake_error (f, "EINVAL", "a hint that makes no sense");
  else
    fake_ok (f, NULL, 0);
}

static void
script (struct fake *f, void *opaque)
{
  (void) opaque;
  while (fake_read_call (f)) {
    if (d.dies) {
      fake_hang_up (f);
      return;
    }
    if (f->call.proc == ZF_PROC_INTERNAL_HINTS_BEGIN)
      answer_begin (f);
    else if (f->call.proc == ZF_PROC_INTERNAL_HINTS_ADD)
      answer_add (f);
    else if (f->call.proc == ZF_PROC_IS_ZERO_DEVICE) {
      d.calls++;
      if (d.obeys) {
        fake_expect_cancel (f);
        fake_error (f, "EINTR", "cancelled");
      }
      else
        fake_ok_int (f, 1);
    }
    else
      fake_ok (f, NULL, 0);
  }
}

/* --- the handle --- */

/* One local qcow2 drive, as if it had been launched with it. */
static void
add_drive (zf_handle *h)
{
  struct zf_drive *drive = calloc (1, sizeof *drive);

  drive->path = strdup ("/nonexistent/disk.qcow2");
  drive->format = strdup ("qcow2");
  drive->cluster = 65536;
  h->drives = malloc (sizeof *h->drives);
  h->drives[0] = drive;
  h->nr_drives = 1;
}

static struct fake *
start (void (*answer) (struct fake_nbd *n, uint64_t offset, uint32_t count))
{
  struct fake *f;

  memset (&d, 0, sizeof d);
  d.place = (struct zf_hint_place) { 0, 0, SIZE };
  exports = 0;
  is_backed = cannot_export = false;
  nbd = fake_nbd_new (SIZE, answer);
  f = fake_new (script, NULL);
  backend = *f->h->backend;
  backend.export_drive = export_drive;
  f->h->backend = &backend;
  add_drive (f->h);
  return f;
}

static void
end (struct fake *f)
{
  fake_end (f);
  fake_nbd_end (nbd);
}

/* The call has its usual result, whatever came of the hints. */
static void
call (struct fake *f)
{
  const unsigned before = d.calls;

  d.n = 0;
  assert_int_equal (zf_is_zero_device (f->h, "/dev/sda"), 1);
  assert_int_equal (d.calls, before + 1);
  assert_null (zf_last_error (f->h));
}

static void
assert_hint (size_t i, uint64_t offset, uint64_t length, uint32_t flags)
{
  assert_int_equal (d.hints[i].offset, offset);
  assert_int_equal (d.hints[i].length, length);
  assert_int_equal (d.hints[i].flags, flags);
}

/* --- tests --- */

static void
test_sent (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  call (f);
  assert_int_equal (d.begins, 1);
  assert_int_equal (d.adds, 1);
  assert_int_equal (d.n, SIZE / 4096 * 3 / 4);
  assert_hint (0, 0, 4096, HINT_ALLOCATED);
  assert_hint (1, 4096, 4096, HINT_ZERO | HINT_HOLE);
  assert_hint (2, 8192, 4096, HINT_ZERO);
  assert_hint (3, 16384, 4096, HINT_ALLOCATED);

  /* The connection stays. */
  call (f);
  assert_int_equal (d.begins, 2);
  assert_int_equal (exports, 1);
  assert_int_equal (nbd->connections, 1);

  /* Other calls are not preceded by anything. */
  assert_int_equal (zf_ping_daemon (f->h), 0);
  assert_int_equal (d.begins, 2);
  end (f);
}

/* A partition: offsets are those in it. */
static void
test_part (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  d.place.start = 6 * KIB;
  d.place.size = 4 * KIB;
  call (f);
  assert_int_equal (d.n, 2);
  assert_hint (0, 0, 2 * KIB, HINT_ZERO | HINT_HOLE);
  assert_hint (1, 2 * KIB, 2 * KIB, HINT_ZERO);
  end (f);
}

/* Data may be those of the image below: nothing is said about them, and no space is promised back. */
static void
test_backed (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  is_backed = true;
  call (f);
  /* None of the zeroes covers a cluster. */
  assert_int_equal (d.n, 0);
  f->h->drives[0]->cluster = 4096;
  call (f);
  assert_int_equal (d.n, SIZE / 4096 / 4);
  assert_hint (0, 4096, 8192, HINT_ZERO | HINT_HOLE);
  end (f);
}

/* Data of images that cannot mark clusters zero, and of raw files that cannot be looked at. */
static void
test_data (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  f->h->drives[0]->cluster = 0;
  call (f);
  assert_hint (0, 0, 4096, 0);
  strcpy (f->h->drives[0]->format, "raw");
  call (f);
  assert_hint (0, 0, 4096, 0);
  strcpy (f->h->drives[0]->format, "vdi");
  call (f);
  assert_hint (0, 4096, 4096, HINT_ZERO | HINT_HOLE);
  end (f);
}

/* In several messages; and not without end. */
static void
test_many (void **state)
{
  struct fake *f = start (many);

  (void) state;
  nbd->size = UINT64_C (1) << 40;
  d.place.size = UINT64_C (100000) * 4096;
  call (f);
  assert_int_equal (d.n, 100000);
  assert_in_range (d.adds, 2, 100);
  for (size_t i = 0; i < d.n; i++)
    assert_hint (i, i * 4096, 4096, i % 2 ? HINT_ZERO : HINT_ZERO | HINT_HOLE);

  d.place.size = nbd->size;
  call (f);
  assert_in_range (d.n, 1, HINTS_MAX);
  end (f);
}

/* Who must not be asked, or told. */
static void
test_not_asked (void **state)
{
  char *off[] = { (char *) "hints=off", NULL };
  struct zfi_nbd peer = { 0 };
  struct fake *f = start (mixed);
  struct zf_drive *drive = f->h->drives[0];

  (void) state;
  f->h->daemon_version = 0;             /* a stock daemon */
  call (f);
  f->h->daemon_version = 1;
  backend.export_drive = NULL;
  call (f);
  backend.export_drive = export_drive;
  drive->nbd = &peer;
  call (f);
  drive->nbd = NULL;
  drive->block_device = true;
  strcpy (drive->format, "raw");
  call (f);
  drive->block_device = false;
  assert_int_equal (zf_set_backend_settings (f->h, off), 0);
  call (f);
  assert_int_equal (d.begins, 0);
  assert_int_equal (zf_set_backend_settings (f->h, off + 1), 0);
  call (f);
  assert_int_equal (d.begins, 1);
  end (f);
}

/* Places that make no sense, or have no disk. */
static void
test_places (void **state)
{
  static const struct zf_hint_place places[] = {
    { -1, 0, SIZE }, { 1, 0, SIZE }, { INT32_MAX, 0, SIZE }, { INT32_MIN, 0, SIZE }, { 0, -1, SIZE }, { 0, 0, 0 },
    { 0, 0, -1 }, { 0, 0, SIZE + 1 }, { 0, 1, SIZE }, { 0, SIZE, 1 }, { 0, INT64_MAX, INT64_MAX },
  };
  struct fake *f = start (mixed);

  (void) state;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    d.place = places[i];
    call (f);
    assert_int_equal (d.n, 0);
    assert_int_equal (d.begins, i + 1);
  }
  end (f);
}

static void
test_daemon_refuses (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  d.begin_fails = true;
  call (f);
  assert_int_equal (d.n, 0);
  d.begin_fails = false;
  d.add_fails = true;
  call (f);
  d.add_fails = false;
  call (f);
  assert_int_equal (d.n, SIZE / 4096 * 3 / 4);
  end (f);
}

/* An emulator that cannot, and each way in which its server can fail: the call is made, and it is not
 * asked again. */
static void
test_faults (void **state)
{
  (void) state;
  for (int fault = NBD_GOOD; fault < NBD_NR_FAULTS; fault++) {
    struct fake *f = start (mixed);
    int64_t begin = zfi_now_ms ();

    if (fault == NBD_GOOD)
      cannot_export = true;
    nbd->fault = fault;
    call (f);
    assert_int_equal (d.n, 0);
    assert_true (zfi_now_ms () - begin < 20000);
    nbd->fault = NBD_GOOD;
    cannot_export = false;
    call (f);
    assert_int_equal (d.n, 0);
    assert_int_equal (exports, 1);
    end (f);
  }
}

/* A machine that ends meanwhile is a clear error. */
static void
test_death (void **state)
{
  struct fake *f = start (mixed);

  (void) state;
  d.dies = true;
  assert_int_equal (zf_is_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, ECONNRESET, "ended unexpectedly");
  assert_int_equal (f->quits, 1);
  assert_int_equal (d.calls, 0);
  end (f);
}

static void *
cancel_soon (void *opaque)
{
  usleep (300000);
  zf_user_cancel (opaque);
  return NULL;
}

/* Cancelled while the server hangs: at once, and the server is asked again next time. */
static void
test_cancel (void **state)
{
  struct fake *f = start (mixed);
  int64_t begin = zfi_now_ms ();
  pthread_t thread;

  (void) state;
  nbd->fault = NBD_HANG;
  d.obeys = true;
  assert_int_equal (pthread_create (&thread, NULL, cancel_soon, f->h), 0);
  assert_int_equal (zf_is_zero_device (f->h, "/dev/sda"), -1);
  assert_error (f->h, EINTR, "cancelled");
  assert_true (zfi_now_ms () - begin < 2500);
  pthread_join (thread, NULL);
  nbd->fault = NBD_GOOD;
  d.obeys = false;
  call (f);
  assert_int_equal (d.n, SIZE / 4096 * 3 / 4);
  assert_int_equal (exports, 1);
  end (f);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_sent),
  cmocka_unit_test (test_part),
  cmocka_unit_test (test_backed),
  cmocka_unit_test (test_data),
  cmocka_unit_test (test_many),
  cmocka_unit_test (test_not_asked),
  cmocka_unit_test (test_places),
  cmocka_unit_test (test_daemon_refuses),
  cmocka_unit_test (test_faults),
  cmocka_unit_test (test_death),
  cmocka_unit_test (test_cancel),
};

TEST_MAIN (tests, 240)
