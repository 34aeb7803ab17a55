/* Twenty thousand random and damaged requests, the same ones in every run.
 *
 * Each is a sensible call with some of its bytes changed, cut, lengthened or moved, or plain noise.
 * Whatever comes, the daemon replies once or closes the connection, and no signal ends it.  FUZZ_SEED and
 * FUZZ_COUNT in the environment give other runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;
static uint64_t random_state;
static unsigned closed;

static uint32_t
rnd (uint32_t below)
{
  random_state = random_state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
  return (uint32_t) (random_state >> 33) % below;
}

/* What the calls are made of: one of these numbers with one of these bodies. */
static const int procs[] = {
  TOUCH, LIST_DEVICES, LIST_PARTITIONS, RM, MKDIR, EXISTS, UMOUNT, MOUNTS, STATVFS, GETRO, GETSS, GETSZ,
  GETSIZE64, FLUSHBUFS, UPLOAD, DOWNLOAD, CHECKSUM, ZERO, PING_DAEMON, TRUNCATE_SIZE, PREAD, FILL,
  FILESIZE, ZERO_DEVICE, CHECKSUM_DEVICE, FILL_PATTERN, PWRITE, AVAILABLE_ALL_GROUPS, PWRITE_DEVICE,
  PREAD_DEVICE, IS_ZERO, IS_ZERO_DEVICE, NR_DEVICES, FEATURE_AVAILABLE, 9999, 0, -1, TAR_IN, 273,
};

static void
put_something (struct buf *b)
{
  static const char *const strings[] = {
    "/dev/sda", "/dev/sdb", "/file", "/dir/file", "/", "md5", "sha256", "", "/dev/sda1", "abc", "/../x",
    "/dev/null",
  };
  static const uint32_t numbers[] = {
    0, 1, 2, 7, 100, 512, 4096, 100000, 0x7fffffff, 0x80000000, 0xffffffff,
  };

  switch (rnd (4)) {
  case 0:
  case 1: put_string (b, strings[rnd (sizeof strings / sizeof strings[0])]); break;
  case 2: put_int (b, numbers[rnd (sizeof numbers / sizeof numbers[0])]); break;
  default: put_int64 (b, (uint64_t) numbers[rnd (5)] << (rnd (10) ? 0 : 31)); break;
  }
}

/* Bodies that decode, for the calls that do most. */
static void
put_sensible (struct buf *b, int proc)
{
  const char *device = rnd (2) ? "/dev/sda" : "/dev/sdb", *path = rnd (2) ? "/file" : "/other";

  switch (proc) {
  case PREAD: put_string (b, path), put_int (b, rnd (100000)), put_int64 (b, rnd (1 << 20)); break;
  case PREAD_DEVICE: put_string (b, device), put_int (b, rnd (100000)), put_int64 (b, rnd (1 << 20)); break;
  case PWRITE: put_string (b, path), put_buffer (b, procs, rnd (100)), put_int64 (b, rnd (1 << 20)); break;
  case PWRITE_DEVICE:
    put_string (b, device), put_buffer (b, procs, rnd (100)), put_int64 (b, rnd (1 << 20));
    break;
  case FILL: put_int (b, rnd (256)), put_int (b, rnd (100000)), put_string (b, path); break;
  case FILL_PATTERN: put_string (b, "abc"), put_int (b, rnd (100000)), put_string (b, path); break;
  case TRUNCATE_SIZE: put_string (b, path), put_int64 (b, rnd (1 << 20)); break;
  case CHECKSUM: put_string (b, "md5"), put_string (b, path); break;
  case CHECKSUM_DEVICE: put_string (b, "sha1"), put_string (b, device); break;
  case FEATURE_AVAILABLE: put_string (b, "btrfs"); break;
  case TOUCH: case RM: case MKDIR: case EXISTS: case STATVFS: case FILESIZE: case IS_ZERO:
  case DOWNLOAD: case UPLOAD:
    put_string (b, path);
    break;
  default: put_string (b, device); break;
  }
}

/* Change the bytes from FROM on in some way. */
static void
damage (struct buf *b, size_t from)
{
  static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff, '/', '.', '%' };
  unsigned n;

  for (n = rnd (4); n > 0 && b->len > from; n--)
    b->data[from + rnd (b->len - from)] = rnd (2) ? bytes[rnd (sizeof bytes)] : rnd (256);
  switch (rnd (12)) {
  case 0: b->len = from + rnd (b->len - from + 1); break;
  case 1: put_int64 (b, rnd (1 << 30)); break;
  case 2: put_something (b); break;
  }
}

static void
start (void)
{
  client_start_disks (&c, (const off_t[]) { 1 << 20, (1 << 18) + 512, 0 });
}

/* End a connection that the daemon closed, or that we did in the middle of a frame. */
static void
restart (void)
{
  client_end (&c);
  closed++;
  start ();
}

/* Read until the reply to the frame that was sent.  False: closed. */
static bool
read_answer (uint32_t serial, int proc)
{
  do
    client_next (&c);
  while (c.got == GOT_PROGRESS || (c.got == GOT_CANCEL && client_takes_file (proc)));
  if (c.got == GOT_END)
    return false;
  assert_int_equal (c.got, GOT_FRAME);
  assert_int_equal (c.header.serial, serial);
  assert_int_equal (c.header.proc, proc);
  assert_int_equal (c.header.direction, ZF_REPLY);
  if (c.header.status == ZF_OK && proc == DOWNLOAD)
    client_read_file (&c, NULL);
  return true;
}

/* Calls that end their asynchronous reads take the kernel 30 ms, so they come less often. */
static int
pick_proc (void)
{
  int proc;

  do
    proc = procs[rnd (sizeof procs / sizeof procs[0])];
  while ((proc == ZERO_DEVICE || proc == IS_ZERO_DEVICE || proc == ZERO || proc == IS_ZERO) && rnd (8));
  return proc;
}

/* One request, sound on the outside: it must be answered. */
static void
send_request (void)
{
  struct wire_header h = client_header (&c, pick_proc (), 0);
  unsigned char head[ZF_HEADER_SIZE];
  struct buf b = { 0 };
  int n;

  if (rnd (3) == 0) {
    for (n = rnd (5); n > 0; n--)
      put_something (&b);
  }
  else
    put_sensible (&b, h.proc);
  if (rnd (2))
    damage (&b, 0);
  if (rnd (10) == 0)
    h.optargs_bitmask = UINT64_C (1) << rnd (64);
  if (rnd (50) == 0) {
    wire_put_header (head, &h);
    head[rnd (ZF_HEADER_SIZE)] ^= 1 << rnd (8);
    wire_get_header (head, &h);
  }
  if (rnd (20) == 0)
    client_send_word (&c, ZF_CANCEL_FLAG);
  client_send_frame (&c, &h, b.data, b.len);
  buf_free (&b);
  if (client_takes_file (h.proc) && h.direction == ZF_CALL) {
    for (n = rnd (3); n > 0; n--)
      client_send_chunk (&c, procs, 1 + rnd (sizeof procs), 0);
    client_send_chunk (&c, "", 0, rnd (2));
  }
  if (!read_answer (h.serial, h.proc))
    restart ();
}

/* Noise with a length in front that may be wrong. */
static void
send_noise (void)
{
  unsigned char noise[400];
  uint32_t len = rnd (sizeof noise);
  size_t i;

  for (i = 0; i < sizeof noise; i++)
    noise[i] = rnd (256);
  client_send_word (&c, rnd (2) ? len : rnd (2) ? rnd (0x7fffffff) * 2 : rnd (ZF_MESSAGE_MAX));
  client_send (&c, noise, len);
  restart ();
}

static unsigned long
setting (const char *name, unsigned long otherwise)
{
  const char *s = getenv (name);

  return s ? strtoul (s, NULL, 0) : otherwise;
}

static void
test_fuzz (void **state)
{
  const struct rlimit limit = { .rlim_cur = 16 << 20, .rlim_max = 16 << 20 };
  const bool slow = getenv ("ZEROFISH_TEST_VALGRIND") && *getenv ("ZEROFISH_TEST_VALGRIND");
  unsigned long i, count = setting ("FUZZ_COUNT", slow ? 1000 : 20000);
  int64_t begin = client_now_ms ();

  (void) state;
  random_state = setting ("FUZZ_SEED", 2026);
  /* The daemon inherits this: a call that asks for too much fails, and does not fill the disk of the
   * machine. */
  signal (SIGXFSZ, SIG_IGN);
  assert_int_equal (setrlimit (RLIMIT_FSIZE, &limit), 0);
  start ();
  for (i = 0; i < count; i++) {
    if (rnd (100) == 0)
      send_noise ();
    else
      send_request ();
  }
  client_do (&c, PING_DAEMON, "");
  assert_true (client_peak_memory (&c) < 64 * 1024);
  assert_int_equal (client_end (&c), 0);
  print_message ("%lu requests, %u connections ended, %.1f s\n", count, closed,
                 (client_now_ms () - begin) / 1e3);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_fuzz),
};

TEST_MAIN (tests, 300)
