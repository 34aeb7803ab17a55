/* Content end to end: sparse uploads, checksums as the usual programs print them, odd ends, and syncing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

enum { MIB = 1024 * 1024, DISK = 4 * MIB + 1000 };

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { DISK, 0 });
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static struct stat
stat_in_sysroot (const char *name)
{
  char path[128];
  struct stat st;

  snprintf (path, sizeof path, "%s/%s", c.sysroot, name);
  assert_int_equal (stat (path, &st), 0);
  return st;
}

static void
upload (const char *path, const unsigned char *p, size_t n)
{
  client_send_call (&c, UPLOAD, "s", path);
  for (size_t at = 0, len; at < n; at += len) {
    len = n - at < 8192 ? n - at : 8192;
    client_send_chunk (&c, p + at, len, 0);
  }
  client_send_chunk (&c, "", 0, 0);
  client_ok (&c, UPLOAD);
}

static void
download_is (const char *path, const unsigned char *p, size_t n)
{
  struct buf b = { 0 };

  client_do (&c, DOWNLOAD, "s", path);
  assert_int_equal (client_read_file (&c, &b), 0);
  assert_int_equal (b.len, n);
  assert_memory_equal (b.data, p, n);
  buf_free (&b);
}

/* Holes stay holes, whatever lies around them and however the file ends; nothing of an old file is kept. */
static void
test_sparse_upload (void **state)
{
  static const struct { size_t size, data; } table[] = {
    { 64 * MIB, 64 * MIB - 1 }, { 8 * MIB, 0 }, { 8 * MIB + 1, 4 * MIB + 4095 }, { 8 * MIB - 1, 5000 },
  };
  unsigned char *p = calloc (64, MIB);

  (void) state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    client_do (&c, FILL, "iis", 0xff, 100000, "/f");
    p[table[i].data] = 1;
    upload ("/f", p, table[i].size);
    assert_int_equal (stat_in_sysroot ("f").st_size, table[i].size);
    assert_true (stat_in_sysroot ("f").st_blocks <= 64);
    download_is ("/f", p, table[i].size);
    p[table[i].data] = 0;
  }
  upload ("/f", p, 3 * MIB);                /* nothing but zeroes */
  assert_int_equal (stat_in_sysroot ("f").st_size, 3 * MIB);
  assert_int_equal (stat_in_sysroot ("f").st_blocks, 0);
  free (p);
}

/* On a device zeroes are written: they replace what was there. */
static void
test_upload_to_device (void **state)
{
  unsigned char *p = malloc (DISK);

  (void) state;
  memset (p, 0xaa, DISK);
  upload ("/dev/sda", p, DISK);
  memset (p, 0, 100000);
  upload ("/dev/sda", p, 100000);
  download_is ("/dev/sda", p, DISK);
  free (p);
}

static void
test_checksums (void **state)
{
  static const struct { const char *type, *sum; } abc[] = {
    { "crc", "1219131554" },
    { "md5", "900150983cd24fb0d6963f7d28e17f72" },
    { "sha1", "a9993e364706816aba3e25717850c26c9cd0d89d" },
    { "sha224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7" },
    { "sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "sha384", "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded163"
                "1a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7" },
    { "sha512", "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f" },
  };

  (void) state;
  client_do (&c, FILL_PATTERN, "sis", "abc", 3, "/abc");
  for (size_t i = 0; i < sizeof abc / sizeof abc[0]; i++) {
    client_do (&c, CHECKSUM, "ss", abc[i].type, "/abc");
    assert_string_equal (get_string (&c), abc[i].sum);
  }
  client_send_call (&c, CHECKSUM, "ss", "SHA1", "/abc");
  client_error (&c, CHECKSUM, "EINVAL", "crc, md5, sha1, sha224, sha256, sha384 or sha512");
  client_send_call (&c, CHECKSUM, "ss", "md5", "/");
  client_error (&c, CHECKSUM, "EISDIR", "/");
}

/* A device is summed to its last byte, whatever its size; as a file of the same content. */
static void
test_checksum_device (void **state)
{
  unsigned char *p = malloc (DISK);
  char *sum;

  (void) state;
  for (size_t i = 0; i < DISK; i++)
    p[i] = (unsigned char) (i * 7 + (i >> 10));
  upload ("/dev/sda", p, DISK);
  upload ("/copy", p, DISK);
  client_do (&c, CHECKSUM, "ss", "crc", "/copy");
  sum = strdup (get_string (&c));
  client_do (&c, CHECKSUM_DEVICE, "ss", "crc", "/dev/sda");
  assert_string_equal (get_string (&c), sum);
  free (sum);
  free (p);
}

static void
test_sync (void **state)
{
  (void) state;
  client_do (&c, SYNC, "");
  client_do (&c, DROP_CACHES, "i", 3);
  client_send_call (&c, DROP_CACHES, "i", 4);
  client_error (&c, DROP_CACHES, "EINVAL", "use 1, 2 or 3");
  client_do (&c, REREADPT, "s", "/dev/sda");
  client_do (&c, UMOUNT_ALL, "");
  client_do (&c, AUTOSYNC, "");
}

static void
test_mount_needs_appliance (void **state)
{
  (void) state;
  client_send_call (&c, MOUNT, "ss", "/dev/sda", "/");
  client_error (&c, MOUNT, "ENOTSUP", "not run in an appliance");
  client_send_call (&c, MOUNT_RO, "ss", "/dev/sdb", "/");
  client_error (&c, MOUNT_RO, "ENOENT", "/dev/sdb");
  client_send_call (&c, UMOUNT, "sii", "/", 0, 0);
  client_error (&c, UMOUNT, "EINVAL", "not a mount point");
  client_send_call (&c, UMOUNT, "sii", "/dev/sda", 0, 0);
  client_error (&c, UMOUNT, "EINVAL", "not mounted");
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_sparse_upload), TEST (test_upload_to_device), TEST (test_checksums), TEST (test_checksum_device),
  TEST (test_sync), TEST (test_mount_needs_appliance),
};

TEST_MAIN (tests, 180)
