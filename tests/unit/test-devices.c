/* Device names: letters and numbers both ways, what is refused, partitions and volumes by a made-up sysfs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handler.h"
#include "../../daemon/devices.h"
#include "../../daemon/disks.h"

static struct call *c;

/* A block device of the made-up sysfs. */
static void
add_block (const char *name, const char *parent, int partnum, const char *dev)
{
  char text[16];
  char *where = parent ? call_printf (c, "devices/block/%s/%s", parent, name)
                       : call_printf (c, "devices/block/%s", name);

  handler_file (call_printf (c, "%s/dev", where), dev);
  if (partnum > 0) {
    snprintf (text, sizeof text, "%d\n", partnum);
    handler_file (call_printf (c, "%s/partition", where), text);
  }
  handler_link (call_printf (c, "class/block/%s", name), call_printf (c, "../../%s", where));
}

static void
add_slave (const char *name, const char *slave)
{
  handler_link (call_printf (c, "class/block/%s/slaves/%s", name, slave), "..");
  handler_link (call_printf (c, "class/block/%s/holders/%s", slave, name), "..");
}

static void
add_disk (const char *sysname, bool readonly, bool discard)
{
  struct daemon *d = c->d;

  d->disks = realloc (d->disks, (d->nr_disks + 1) * sizeof *d->disks);
  d->disks[d->nr_disks++] = (struct disk) {
    .path = strdup (call_printf (c, "/dev/%s", sysname)), .sysname = strdup (sysname), .readonly = readonly,
    .discard = discard,
  };
}

/* The kernel calls the appliance's disk sda, and the user's disks sdb and sdc. */
static int
setup (void **state)
{
  (void) state;
  c = handler_begin ();
  c->d->sysfs = handler_dir ();
  add_block ("sda", NULL, 0, "8:0\n");
  add_block ("sdb", NULL, 0, "8:16\n");
  add_block ("sdb1", "sdb", 1, "8:17\n");
  add_block ("sdb12", "sdb", 12, "8:28\n");
  add_block ("sdc", NULL, 0, "8:32\n");
  add_block ("dm-0", NULL, 0, "253:0\n");
  add_block ("dm-1", NULL, 0, "253:1\n");
  add_block ("dm-2", NULL, 0, "253:2\n");
  add_slave ("dm-0", "sdb1");
  add_slave ("dm-0", "sdc");
  add_slave ("dm-1", "dm-0");
  add_slave ("dm-2", "sdc");
  add_slave ("dm-2", "sda");
  add_disk ("sdb", false, true);
  add_disk ("sdc", true, false);
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
test_letters (void **state)
{
  static const struct { size_t index; const char *letters; } table[] = {
    { 0, "a" }, { 25, "z" }, { 26, "aa" }, { 27, "ab" }, { 51, "az" }, { 52, "ba" }, { 254, "iu" },
    { 701, "zz" },    { 702, "aaa" }, { 18277, "zzz" }, { 18278, "aaaa" },
  };
  char letters[16], name[32];
  size_t index;
  int partnum;

  (void) state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    device_letters (table[i].index, letters);
    assert_string_equal (letters, table[i].letters);
    snprintf (name, sizeof name, "/dev/xvd%s7", letters);
    assert_int_equal (device_name_parse (name, &index, &partnum), strlen (name));
    assert_int_equal (index, table[i].index);
    assert_int_equal (partnum, 7);
  }
  for (size_t i = 0; i < 20000; i++) {
    device_letters (i, letters);
    snprintf (name, sizeof name, "/dev/sd%s", letters);
    assert_int_equal (device_name_parse (name, &index, &partnum), strlen (name));
    assert_int_equal (index, i);
  }
}

static void
test_parse_refuses (void **state)
{
  static const char *const names[] = {
    "", "/dev", "/dev/", "/dev/sd", "/dev/sd1", "/dev/sdA", "/dev/sda0", "/dev/sda01", "/dev/sda4097",
    "/dev/sda99999999999999999999", "/dev/sdaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "/dev/nvme0n1", "/dev/md0",
    "/dev/cdrom", "sda", "/devsda", "/dev//sda",
  };
  size_t index;
  int partnum;

  (void) state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    assert_int_equal (device_name_parse (names[i], &index, &partnum), 0);
}

static void
test_plain (void **state)
{
  (void) state;
  assert_true (device_name_is_plain ("/dev/sda"));
  assert_true (device_name_is_plain ("/dev/VG/LV"));
  assert_true (device_name_is_plain ("/dev/mapper/a..b"));
  assert_false (device_name_is_plain ("/dev/"));
  assert_false (device_name_is_plain ("/dev/../dev/sda"));
  assert_false (device_name_is_plain ("/dev/./sda"));
  assert_false (device_name_is_plain ("/dev//sda"));
  assert_false (device_name_is_plain ("/dev/sda/"));
  assert_false (device_name_is_plain ("/dev/sda/.."));
  assert_false (device_name_is_plain ("/etc/passwd"));
}

static void
check (const char *name, const char *out, const char *path, bool readonly)
{
  struct device *dev = device_resolve (c, name, 0);

  assert_non_null (dev);
  assert_string_equal (dev->name, out);
  assert_string_equal (dev->path, path);
  assert_int_equal (dev->readonly, readonly);
}

static void
test_resolve (void **state)
{
  (void) state;
  check ("/dev/sda", "/dev/sda", "/dev/sdb", false);
  check ("/dev/vda", "/dev/sda", "/dev/sdb", false);
  check ("/dev/hda1", "/dev/sda1", "/dev/sdb1", false);
  check ("/dev/xvda12", "/dev/sda12", "/dev/sdb12", false);
  check ("/dev/sdb", "/dev/sdb", "/dev/sdc", true);
  assert_int_equal (device_resolve (c, "/dev/sda12", 0)->partnum, 12);
  assert_true (device_resolve (c, "/dev/sda1", 0)->discard);
  assert_ptr_equal (device_resolve (c, "/dev/sda1", 0)->disk, &c->d->disks[0]);
}

static void
test_refused (void **state)
{
  static const struct { const char *name; int err; const char *text; } table[] = {
    { "", EINVAL, "empty" },
    { "sda", EINVAL, "not a device name" },
    { "/dev/sda\n", EINVAL, "/dev/sda\\n is not a device name" },
    { "/dev/sda\33[1m", EINVAL, "/dev/sda\\x1b[1m is not a device name" },
    { "/dev/../dev/sda", EINVAL, "not a device name" },
    { "/dev/sda/", EINVAL, "not a device name" },
    { "/dev/sdc", ENOENT, "the disks are /dev/sda to /dev/sdb" },   /* one past the last */
    { "/dev/sdzz", ENOENT, "there is no such device" },
    { "/dev/sda2", ENOENT, "/dev/sda has no partition 2" },
    { "/dev/sdb1", ENOENT, "/dev/sdb has no partition 1" },
    { "/dev/null", ENOTBLK, "not a block device" },
    { "/dev/zf-nothing", ENOENT, "/dev/zf-nothing" },
  };

  (void) state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    assert_null (device_resolve (c, table[i].name, 0));
    handler_error (table[i].err, table[i].text);
  }
  c->d->nr_disks = 0;
  assert_null (device_resolve (c, "/dev/sda", 0));
  c->d->nr_disks = 2;
  handler_error (ENOENT, "no drive was added");
}

static void
test_destructive (void **state)
{
  (void) state;
  assert_non_null (device_resolve (c, "/dev/sda", ROW_DESTRUCTIVE));
  assert_null (device_resolve (c, "/dev/sdb", ROW_DESTRUCTIVE));
  handler_error (EROFS, "/dev/sdb is on a drive that was added read-only");
}

static void
test_below (void **state)
{
  bool used[2] = { false, false };

  (void) state;
  assert_true (devices_below (c->d, "dm-1", used));
  assert_true (used[0] && used[1]);
  assert_false (devices_below (c->d, "dm-2", used));        /* part of it is on the appliance's disk */
  assert_false (devices_below (c->d, "sda", used));
  assert_false (devices_below (c->d, "nothing", used));
  used[1] = false;
  assert_true (devices_below (c->d, "sdb12", used));
  assert_false (used[1]);
}

static void
test_names_out (void **state)
{
  (void) state;
  assert_string_equal (device_name_out (c, "/dev/sdb"), "/dev/sda");
  assert_string_equal (device_name_out (c, "/dev/sdb12"), "/dev/sda12");
  assert_string_equal (device_name_out (c, "/dev/sdc"), "/dev/sdb");
  assert_null (device_name_out (c, "/dev/sda"));
  assert_null (device_name_out (c, "tmpfs"));
  assert_string_equal (device_text_out (c, "mkfs: /dev/sdb1: no, /dev/sdc (/dev/sda)"),
                       "mkfs: /dev/sda1: no, /dev/sdb (/dev/sda)");
  assert_string_equal (device_text_out (c, ""), "");
  assert_string_equal (device_text_out (c, "/dev/sdb12"), "/dev/sda12");
}

static void
test_mountable (void **state)
{
  struct mountable *m = mountable_resolve (c, "/dev/sda1", 0);

  (void) state;
  assert_null (m->volume);
  m = mountable_resolve (c, "btrfsvol:/dev/vda1/a/b c", 0);
  assert_string_equal (m->volume, "a/b c");
  assert_string_equal (m->dev->name, "/dev/sda1");
  assert_null (mountable_resolve (c, "btrfsvol:/dev/sda1", 0));
  handler_error (EINVAL, "btrfsvol:/dev/sda1/VOLUME");
  assert_null (mountable_resolve (c, "btrfsvol:", 0));
  handler_error (EINVAL, "btrfsvol:");
  assert_null (mountable_resolve (c, "btrfsvol:/dev/VG/LV/vol", 0));
  handler_error (ENOENT, "/dev/VG/LV");
}

static int
collect (void *opaque, const char *sysname)
{
  struct list *l = opaque;

  return list_add (c, l, sysname);
}

static void
test_walk (void **state)
{
  struct list l = { 0 };

  (void) state;
  assert_int_equal (sysfs_walk (c->d, "sdb", collect, &l), 0);
  assert_int_equal (l.n, 5);              /* sdb, sdb1, dm-0, dm-1, sdb12, in the order of the directory */
  assert_string_equal (l.v[0], "sdb");
  assert_false (sysfs_is_plain (c->d, "sdb"));
  assert_true (sysfs_is_plain (c->d, "sda") == false);      /* dm-2 holds it */
  assert_true (sysfs_is_plain (c->d, "dm-1"));
}

static void
test_scsi_order (void **state)
{
  static const char *const disks[][2] = {
    { "2:0:10:0", "sdc" }, { "2:0:9:0", "sdb" }, { "1:0:255:0", "sdd" }, { "2:0:0:0", "sda" },
  };
  struct scsi_disk *v, one;

  (void) state;
  for (size_t i = 0; i < 4; i++)
    handler_file (call_printf (c, "bus/scsi/devices/%s/block/%s/dev", disks[i][0], disks[i][1]), "8:0\n");
  handler_file ("bus/scsi/devices/3:0:1:0/type", "5\n");    /* nothing that has a block device */
  handler_file ("bus/scsi/devices/host2/x", "");
  handler_file ("bus/scsi/drivers/sd/bind", "");
  assert_int_equal (disks_list_scsi (c->d, &v), 4);
  assert_string_equal (v[0].sysname, "sdd");
  assert_string_equal (v[1].sysname, "sda");
  assert_string_equal (v[2].sysname, "sdb");
  assert_string_equal (v[3].sysname, "sdc");
  free (v);
  assert_true (disks_find_scsi (c->d, 9, 0, &one));
  assert_string_equal (one.sysname, "sdb");
  assert_int_equal (disks_wait_scsi (c, 77, 0, 20, &one), -1);
  handler_error (ETIMEDOUT, "target 77, lun 0");
}

static void
test_root_uuid (void **state)
{
  unsigned char uuid[16];

  (void) state;
  assert_true (disks_root_uuid ("quiet root=UUID=00112233-4455-6677-8899-aabbccddeeff selinux=0", uuid));
  assert_int_equal (uuid[0], 0);
  assert_int_equal (uuid[15], 0xff);
  assert_false (disks_root_uuid ("quiet", uuid));
  assert_false (disks_root_uuid ("xroot=UUID=00112233-4455-6677-8899-aabbccddeeff", uuid));
  assert_false (disks_root_uuid ("root=UUID=0011", uuid));
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test (test_letters),
    cmocka_unit_test (test_parse_refuses),
    cmocka_unit_test (test_plain),
    cmocka_unit_test_setup_teardown (test_resolve, setup, teardown),
    cmocka_unit_test_setup_teardown (test_refused, setup, teardown),
    cmocka_unit_test_setup_teardown (test_destructive, setup, teardown),
    cmocka_unit_test_setup_teardown (test_below, setup, teardown),
    cmocka_unit_test_setup_teardown (test_names_out, setup, teardown),
    cmocka_unit_test_setup_teardown (test_mountable, setup, teardown),
    cmocka_unit_test_setup_teardown (test_walk, setup, teardown),
    cmocka_unit_test_setup_teardown (test_scsi_order, setup, teardown),
    cmocka_unit_test (test_root_uuid),
  };

  alarm (60);
  return cmocka_run_group_tests (tests, NULL, NULL);
}
