/* Pieces that work on bytes and text alone: partition tables, the sum of cksum, the list of mounts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "handler.h"
#include "../../daemon/crc.h"
#include "../../daemon/mounts.h"
#include "../../daemon/part.h"

static struct call *c;

static int
setup (void **state)
{
  (void) state;
  c = handler_begin ();
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  handler_end ();
  return 0;
}

static void
test_cksum (void **state)
{
  static const struct { const char *text; uint32_t sum; } table[] = {     /* as cksum prints them */
    { "", 4294967295 }, { "a", 1220704766 }, { "abc", 1219131554 }, { "123456789", 930766865 },
    { "The quick brown fox jumps over the lazy dog", 2074844392 },
  };
  struct cksum s, pieces;

  (void) state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const uint8_t *p = (const uint8_t *) table[i].text;
    size_t n = strlen (table[i].text);

    cksum_init (&s);
    cksum_update (&s, n, p);
    assert_int_equal (cksum_end (&s), table[i].sum);
    cksum_init (&pieces);
    for (size_t k = 0; k < n; k++)
      cksum_update (&pieces, 1, p + k);
    assert_int_equal (cksum_end (&pieces), table[i].sum);
  }
}

/* Write the table to a file and have sfdisk, where there is one, print it; NULL if there is none. */
static char *
dump (const struct part_layout *l)
{
  unsigned char *head = calloc (PART_START, l->sector), *tail = calloc (PART_TAIL, l->sector);
  const char *path = handler_path ("disk");
  static char text[4096];
  FILE *fp;
  size_t n;

  part_build (l, head, tail);
  fp = fopen (path, "w");
  assert_non_null (fp);
  fwrite (head, l->sector, PART_START, fp);
  fseeko (fp, (off_t) (l->total - PART_TAIL) * l->sector, SEEK_SET);
  fwrite (tail, l->sector, PART_TAIL, fp);
  assert_int_equal (fclose (fp), 0);
  free (head);
  free (tail);
  fp = popen (call_printf (c, "exec 2>&1; PATH=$PATH:/usr/sbin:/sbin; sfdisk --verify %s && sfdisk -d %s",
                           path, path), "r");
  assert_non_null (fp);
  n = fread (text, 1, sizeof text - 1, fp);
  text[n] = '\0';
  pclose (fp);
  return strstr (text, "not found") ? NULL : text;
}

static void
contains (const char *text, const char *part)
{
  if (strstr (text, part) == NULL)
    fail_msg ("\"%s\" is not in: %s", part, text);
}

static void
test_mbr (void **state)
{
  const struct part_layout l = { .sector = 512, .total = 131072, .disk_id = { 0x78, 0x56, 0x34, 0x12 } };
  const char *text = dump (&l);

  (void) state;
  if (text == NULL)
    skip ();
  contains (text, "No errors");
  contains (text, "label: dos");
  contains (text, "label-id: 0x12345678");
  contains (text, "start=         128, size=      130817, type=83");
}

static void
test_gpt (void **state)
{
  const struct part_layout l = {
    .gpt = true, .sector = 512, .total = 131072, .disk_id = { 1, 2, 3, 4, 5, 6, 7, 0x48, 0x89 },
    .partition_id = { 0xff },
  };
  const char *text = dump (&l);

  (void) state;
  if (text == NULL)
    skip ();
  contains (text, "No errors");
  contains (text, "label-id: 04030201-0605-4807-8900-000000000000");
  contains (text, "first-lba: 34");
  contains (text, "last-lba: 131038");
  contains (text, "start=         128, size=      130817, type=0FC63DAF-8483-4772-8E79-3D69D8477DE4");
  contains (text, "name=\"p1\"");
}

/* The smallest disk, and sectors of 4096 bytes, keep all structures apart. */
static void
test_gpt_bounds (void **state)
{
  const struct part_layout l = {
    .gpt = true, .sector = 4096, .total = PART_START + PART_TAIL + 1, .disk_id = { 1 },
  };
  unsigned char *head = calloc (PART_START, l.sector), *tail = calloc (PART_TAIL, l.sector);

  (void) state;
  part_build (&l, head, tail);
  assert_memory_equal (head + 4096, "EFI PART", 8);
  assert_int_equal (head[4096 + 40], 6);                              /* first usable sector */
  assert_int_equal (head[2 * 4096 + 32], PART_START);                 /* first and last of the partition */
  assert_int_equal (head[2 * 4096 + 40], PART_START);
  assert_memory_equal (tail + 126 * 4096, "EFI PART", 8);
  assert_memory_equal (tail + 122 * 4096, head + 2 * 4096, 16384);
  free (head);
  free (tail);
}

static void
test_mounts (void **state)
{
  char text[] =
    "22 1 0:21 / /proc rw,nosuid - proc proc rw\n"
    "30 1 8:17 / /sysroot rw,relatime - ext4 /dev/sdb1 rw\n"
    "31 30 8:32 / /sysroot/a\\040b rw,relatime shared:1 master:2 - vfat /dev/sdc rw\n"
    "32 1 8:48 / /sysrootx rw - ext4 /dev/sdd rw\n"
    "33 30 0:50 /vol /sysroot/b rw - btrfs /dev/mapper/x rw\n"
    "garbage\n"
    "34 30 8:99 / /sysroot/c\n";
  const struct mount_entry *m = mounts_parse (c, text, "/sysroot");

  (void) state;
  assert_string_equal (m->inside, "/");
  assert_string_equal (m->source, "/dev/sdb1");
  assert_int_equal (m->dev, makedev (8, 17));
  assert_string_equal (m->next->inside, "/a b");
  assert_string_equal (m->next->source, "/dev/sdc");
  assert_string_equal (m->next->next->where, "/sysroot/b");
  assert_null (m->next->next->next);
  assert_ptr_equal (mounts_find (m, makedev (8, 32), NULL), m->next);
  assert_ptr_equal (mounts_find (m, 0, "/dev/mapper/x"), m->next->next);
  assert_null (mounts_find (m, makedev (8, 48), "/dev/sdd"));
  /* A plain process sees the machine's own mounts, which are no business of its user. */
  c->d->sysroot = "/";
  assert_null (mounts_read (c));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_cksum),
    cmocka_unit_test_setup_teardown (test_mbr, setup, teardown),
    cmocka_unit_test_setup_teardown (test_gpt, setup, teardown),
    cmocka_unit_test (test_gpt_bounds),
    cmocka_unit_test_setup_teardown (test_mounts, setup, teardown),
  };

  alarm (60);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
