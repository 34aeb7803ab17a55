/* Partitioning and formatting of files as disks, checked by programs of others; refusals change nothing.
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

enum { SIZE = 64 * 1024 * 1024, BLOCKSIZE = 1, FEATURES = 2, INODE = 4, SECTORSIZE = 8, LABEL = 16 };

static struct client c;

static int
setup (void **state)
{
  (void) state;
  client_start_disks (&c, (const off_t[]) { SIZE, SIZE + 512, 0 });
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

/* What COMMAND (with the disk's file name for %s) prints. */
static const char *
look (const char *command, size_t disk)
{
  static char text[4096];
  char line[512];
  size_t n;
  FILE *fp;

  strcpy (line, "PATH=$PATH:/usr/sbin:/sbin; exec 2>&1; ");
  snprintf (line + strlen (line), sizeof line - strlen (line), command, c.files[disk]);
  assert_non_null (fp = popen (line, "r"));
  n = fread (text, 1, sizeof text - 1, fp);
  text[n] = '\0';
  pclose (fp);
  return text;
}

/* Is PART in what COMMAND prints?  Without the program the test is skipped. */
static void
shows (const char *command, size_t disk, const char *part)
{
  const char *text = look (command, disk);

  if (strstr (text, "not found") != NULL)
    skip ();
  if (strstr (text, part) == NULL)
    fail_msg ("%s prints '%s', which does not contain '%s'", command, text, part);
}

static void
mkfs (const char *type, const char *device, unsigned mask, int blocksize, const char *features, int inode,
      int sectorsize, const char *label)
{
  struct buf b = { 0 };

  put_string (&b, type);
  put_string (&b, device);
  put_int (&b, (uint32_t) blocksize);
  put_string (&b, features);
  put_int (&b, (uint32_t) inode);
  put_int (&b, (uint32_t) sectorsize);
  put_string (&b, label);
  client_call (&c, MKFS, mask, &b);
}

static bool
program_missing (void)
{
  client_reply (&c, MKFS);
  if (c.header.status == ZF_OK)
    return false;
  if (strcmp (c.errno_name, "ENOTSUP") == 0)
    return true;
  fail_msg ("mkfs: %s", c.message);
  return true;
}

static void
test_part_disk (void **state)
{
  (void) state;
  client_do (&c, PART_DISK, "ss", "/dev/sda", "mbr");
  client_do (&c, PART_DISK, "ss", "/dev/sdb", "gpt");
  shows ("sfdisk --verify %s", 0, "No errors");
  shows ("sfdisk -d %s", 0, "start=         128, size=      130817, type=83");
  shows ("sfdisk --verify %s", 1, "No errors");
  shows ("sfdisk -d %s", 1, "start=         128, size=      130818, type=0FC63DAF");
  /* From one kind to the other nothing of the first stays, at either end. */
  client_do (&c, PART_DISK, "ss", "/dev/sdb", "msdos");
  shows ("sfdisk -d %s", 1, "label: dos");
  shows ("tail -c 65024 %s | tr -d '\\0' | wc -c", 1, "0\n");
}

static void
test_part_disk_refused (void **state)
{
  struct client small;

  (void) state;
  client_send_call (&c, PART_DISK, "ss", "/dev/sda", "bsd");
  client_error (&c, PART_DISK, "EINVAL", "\"bsd\": use mbr or gpt");
  client_send_call (&c, PART_DISK, "ss", "/dev/sda1", "gpt");
  client_error (&c, PART_DISK, "ENOENT", "/dev/sda has no partition 1");
  shows ("tr -d '\\0' < %s | wc -c", 0, "0\n");
  client_start_disks (&small, (const off_t[]) { 255 * 512, 256 * 512, 0 });
  client_send_call (&small, PART_DISK, "ss", "/dev/sda", "mbr");
  client_error (&small, PART_DISK, "EINVAL", "too small");
  client_do (&small, PART_DISK, "ss", "/dev/sdb", "gpt");
  assert_int_equal (client_end (&small), 0);
}

static void
test_ext (void **state)
{
  (void) state;
  mkfs ("ext4", "/dev/sda", BLOCKSIZE | INODE | FEATURES | LABEL, 2048, "^has_journal,metadata_csum", 512, 0,
        "-n $(x)");
  if (program_missing ())
    skip ();
  shows ("e2fsck -fn %s", 0, "0/");
  shows ("dumpe2fs -h %s", 0, "Filesystem volume name:   -n $(x)\n");
  shows ("dumpe2fs -h %s", 0, "Block size:               2048\n");
  shows ("dumpe2fs -h %s", 0, "Inode size:\t          512\n");
  assert_null (strstr (look ("dumpe2fs -h %s", 0), "has_journal"));
  mkfs ("ext2", "/dev/sda", 0, 0, "", 0, 0, "");
  client_ok (&c, MKFS);
  shows ("dumpe2fs -h %s", 0, "Filesystem volume name:   <none>");
}

/* The new filesystem stands alone: nothing else is found on the disk, and no partition. */
static void
test_over_old (void **state)
{
  (void) state;
  client_do (&c, PART_DISK, "ss", "/dev/sdb", "gpt");
  mkfs ("ext4", "/dev/sda", 0, 0, "", 0, 0, "");
  if (program_missing ())
    skip ();
  mkfs ("vfat", "/dev/sda", LABEL, 0, "", 0, 0, "DATA");
  if (program_missing ())
    skip ();
  shows ("wipefs %s", 0, "vfat");
  assert_null (strstr (look ("wipefs %s", 0), "ext4"));
  mkfs ("vfat", "/dev/sdb", BLOCKSIZE, 4096, "", 0, 0, "");
  client_ok (&c, MKFS);
  assert_null (strstr (look ("wipefs %s", 1), "gpt"));
  assert_null (strstr (look ("sfdisk -d %s", 1), "start="));
  shows ("fsck.vfat -vn %s", 1, "4096 bytes per cluster");
}

static void
test_xfs (void **state)
{
  struct client big, saved = c;

  (void) state;
  client_start_disks (&big, (const off_t[]) { INT64_C (400) << 20, 0 });
  c = big;
  mkfs ("xfs", "/dev/sda", BLOCKSIZE | INODE | SECTORSIZE | LABEL, 2048, "", 1024, 2048, "label");
  if (!program_missing ()) {
    shows ("xfs_db -r -c 'sb 0' -c 'p blocksize sectsize inodesize fname' %s", 0,
           "blocksize = 2048\nsectsize = 2048\ninodesize = 1024\nfname = \"label");
    assert_in_range (strtol (look ("du -m %s", 0), NULL, 10), 0, 80);
  }
  assert_int_equal (client_end (&c), 0);
  c = saved;
}

static void
test_mkfs_refused (void **state)
{
  static const struct {
    const char *type, *device;
    unsigned mask;
    int number;
    const char *text, *errno_name, *message;
  } bad[] = {
    { "", "/dev/sda", 0, 0, "", "EINVAL", "ext2, ext3, ext4, xfs, btrfs, vfat or ntfs" },
    { "../../bin/sh", "/dev/sda", 0, 0, "", "EINVAL", "use ext2" },
    { "-rf", "/dev/sda", 0, 0, "", "EINVAL", "use ext2" },
    { "ext4", "/dev/sdc", 0, 0, "", "ENOENT", "/dev/sdc" },
    { "ext4", "/dev/sda", BLOCKSIZE, 0, "", "EINVAL", "blocksize" },
    { "ext4", "/dev/sda", BLOCKSIZE, -4096, "", "EINVAL", "blocksize" },
    { "ext4", "/dev/sda", SECTORSIZE, 512, "", "EINVAL", "no sectorsize option" },
    { "ext4", "/dev/sda", LABEL, 0, "12345678901234567", "EINVAL", "at most 16" },
    { "xfs", "/dev/sda", LABEL, 0, "1234567890123", "EINVAL", "at most 12" },
    { "xfs", "/dev/sda", FEATURES, 0, "x", "EINVAL", "no features option" },
    { "vfat", "/dev/sda", INODE, 512, "", "EINVAL", "no inode option" },
    { "vfat", "/dev/sda", LABEL, 0, "123456789012", "EINVAL", "at most 11" },
    { "vfat", "/dev/sda", BLOCKSIZE, 700, "", "EINVAL", "sector size 512" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    mkfs (bad[i].type, bad[i].device, bad[i].mask, bad[i].number, bad[i].text, bad[i].number, bad[i].number,
          bad[i].text);
    client_reply (&c, MKFS);
    if (strcmp (c.errno_name, "ENOTSUP") == 0)
      continue;             /* the program is not here */
    if (strcmp (c.errno_name, bad[i].errno_name) != 0 || strstr (c.message, bad[i].message) == NULL)
      fail_msg ("case %zu: %s, '%s'", i, c.errno_name, c.message);
  }
  shows ("tr -d '\\0' < %s | wc -c", 0, "0\n");
  /* What the program itself refuses comes back in its words, with our name of the device. */
  mkfs ("ext4", "/dev/sda", FEATURES, 0, "nonsense", 0, 0, "");
  client_reply (&c, MKFS);
  assert_int_equal (c.header.status, ZF_ERROR);
  assert_null (strstr (c.message, c.files[0]));
}

/* Nothing that writes to a device gets at a drive that was added read-only, or is set so. */
static void
test_readonly (void **state)
{
  char name[64];
  const char *options[] = { "--device", name, NULL };
  struct client saved;

  (void) state;
  client_do (&c, PWRITE_DEVICE, "sbI", "/dev/sda", "data", (size_t) 4, INT64_C (0));
  client_do (&c, SETRO, "s", "/dev/sda");
  client_do (&c, GETRO, "s", "/dev/sda");
  assert_int_equal (get_int (&c), 1);
  snprintf (name, sizeof name, "%s,readonly", c.files[0]);
  for (int round = 0; round < 2; round++) {
    client_send_call (&c, PART_DISK, "ss", "/dev/sda", "mbr");
    client_error (&c, PART_DISK, "EROFS", "/dev/sda");
    mkfs ("ext4", "/dev/sda", 0, 0, "", 0, 0, "");
    client_error (&c, MKFS, "EROFS", "/dev/sda");
    client_send_call (&c, PWRITE_DEVICE, "sbI", "/dev/sda", "x", (size_t) 1, INT64_C (0));
    client_error (&c, PWRITE_DEVICE, "EROFS", "/dev/sda");
    if (round == 0) {
      client_do (&c, SETRW, "s", "/dev/sda");
      saved = c;
      client_start (&c, options);
    }
  }
  client_send_call (&c, SETRW, "s", "/dev/sda");
  client_error (&c, SETRW, "EROFS", "/dev/sda");
  assert_int_equal (client_end (&c), 0);
  c = saved;
  client_do (&c, PREAD_DEVICE, "siI", "/dev/sda", 4, INT64_C (0));
  assert_memory_equal (c.body, "\0\0\0\4data", 8);
}

#define TEST(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  TEST (test_part_disk), TEST (test_part_disk_refused), TEST (test_ext), TEST (test_over_old),
  TEST (test_xfs), TEST (test_mkfs_refused), TEST (test_readonly),
};

TEST_MAIN (tests, 180)
