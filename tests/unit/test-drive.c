/* Adding drives: names of any form, options, formats, images in use, lengths.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "internal.h"
#include "lib-error.h"

static char dir[] = "/tmp/zf-drive-XXXXXX";

static int
make_dir (void **state)
{
  (void) state;
  return mkdtemp (dir) && chdir (dir) == 0 ? 0 : -1;
}

static int
remove_dir (void **state)
{
  (void) state;
  return chdir ("/") == 0 && rmdir (dir) == 0 ? 0 : -1;
}

/* A file of SIZE zero bytes that begins with the N bytes at P. */
static void
make_file (const char *name, off_t size, const void *p, size_t n)
{
  int fd = open (name, O_RDWR | O_CREAT | O_TRUNC, 0600);

  assert_int_not_equal (fd, -1);
  assert_int_equal (write (fd, p, n), n);
  assert_int_equal (ftruncate (fd, size), 0);
  close (fd);
}

static int
add_with_format (zf_handle *h, const char *name, const char *format)
{
  const struct zf_add_drive_opts o = { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = format };

  return zf_add_drive (h, name, &o);
}

/* --- names --- */

static void
test_names (void **state)
{
  static const char *const names[] = {
    " ", ",", "a,readonly=on", "=", ":", "nbd:x", "json:{}", "fat:rw:x", "-hda", "-", "a&b<c>'\"",
    "new\nline", "tab\t",
    "%s%n", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9f", "inv\xff" "alid", "\xc0\xaf", "\xed\xa0\x80",
    "trunc\xe2\x82",
  };
  zf_handle *h = zf_create ();
  struct stat want, got;

  (void) state;
  h->workdir = strdup (dir);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char link[32], *name;

    make_file (names[i], 1024, "x", 1);
    if (zf_add_drive (h, names[i], NULL) != 0)
      fail_msg ("\"%s\": %s", names[i], zf_last_error (h));
    assert_string_equal (h->drives[i]->format, "raw");
    name = zfi_drive_filename (h, i);
    assert_non_null (name);
    assert_int_equal (name[0], '/');
    assert_int_equal (stat (names[i], &want), 0);
    assert_int_equal (stat (name, &got), 0);
    assert_int_equal (want.st_ino, got.st_ino);
    /* What is not UTF-8, or has control characters, which XML cannot carry, goes through a link. */
    snprintf (link, sizeof link, "drive%zu", i);
    assert_int_equal (access (link, F_OK) == 0, i == 11 || i == 12 || i >= 15);
    unlink (link);
    free (name);
    unlink (names[i]);
  }
  free (h->workdir);
  h->workdir = NULL;
  zf_close (h);
}

static void
test_bad_names (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  make_file ("empty", 0, "", 0);
  assert_int_equal (mkfifo ("fifo", 0600), 0);
  assert_int_equal (zf_add_drive (h, "missing", NULL), -1);
  assert_error (h, ENOENT, "/missing: No such file");
  assert_int_equal (zf_add_drive (h, "", NULL), -1);
  assert_error (h, EINVAL, "add_drive: the file name is empty");
  assert_int_equal (zf_add_drive (h, ".", NULL), -1);
  assert_error (h, EISDIR, "directory");
  assert_int_equal (zf_add_drive (h, "empty", NULL), -1);
  assert_error (h, EINVAL, "/empty is empty");
  assert_int_equal (zf_add_drive (h, "fifo", NULL), -1);
  assert_error (h, EINVAL, "neither a regular file nor a block device");
  assert_int_equal (zf_add_drive (h, "/dev/zero", NULL), -1);
  assert_error (h, EINVAL, "neither a regular file nor a block device");
  assert_int_equal (zf_add_drive (h, "http://example.com/x", NULL), -1);
  assert_error (h, EINVAL, "this kind of URI is unknown");
  assert_int_equal (zf_add_drive (h, "nbds://example.com/x", NULL), -1);
  assert_error (h, ENOTSUP, "TLS");
  assert_int_equal (h->nr_drives, 0);

  assert_int_equal (zf_add_drive (h, "/dev/null", NULL), 0);
  assert_true (h->drives[0]->scratch);
  assert_int_equal (zf_add_drive (h, "nbd://localhost/x", NULL), 0);
  assert_string_equal (h->drives[1]->nbd->export, "x");
  assert_string_equal (h->drives[1]->format, "raw");
  unlink ("empty");
  unlink ("fifo");
  zf_close (h);
}

static void
test_unreadable (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  make_file ("secret", 512, "", 0);
  chmod ("secret", 0);
  if (access ("secret", R_OK) == 0) {   /* root may read everything */
    unlink ("secret");
    zf_close (h);
    skip ();
  }
  assert_int_equal (zf_add_drive (h, "secret", NULL), -1);
  assert_error (h, EACCES, "/secret: Permission denied");
  chmod ("secret", 0400);
  assert_int_equal (zf_add_drive (h, "secret", NULL), -1);
  assert_error (h, EACCES, "cannot be written to (add it read-only?)");
  assert_int_equal (zf_add_drive_ro (h, "secret"), 0);
  unlink ("secret");
  zf_close (h);
}

/* --- options --- */

static void
test_options (void **state)
{
  static const struct { struct zf_add_drive_opts o; int err; const char *text; } bad[] = {
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = "" }, EINVAL, "1 to 20 letters" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = "abcdefghijklmnopqrstu" }, EINVAL, "1 to 20 letters" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = "a1" }, EINVAL, "letters" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = "a,b" }, EINVAL, "letters" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = "first" }, EEXIST, "another drive has the label" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_LABEL, .label = NULL }, EINVAL, "label is NULL" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_DISCARD, .discard = "yes" }, EINVAL, "disable, enable or besteffort" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_DISCARD | ZF_ADD_DRIVE_OPTS_READONLY, .discard = "enable",
        .readonly = 1 },
      ENOTSUP, "discard cannot be enabled: the drive is read-only" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_BLOCKSIZE, .blocksize = 1024 }, EINVAL, "512 or 4096" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_BLOCKSIZE, .blocksize = 4096 }, EINVAL,
      "no multiple of the block size 4096" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_CACHEMODE, .cachemode = "none" }, EINVAL, "writeback or unsafe" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = "nbd" }, EINVAL, "format \"nbd\" is unknown" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = "raw,x=y" }, EINVAL, "is unknown" },
    { { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = "qcow2" }, EINVAL, "is not a qcow2 image" },
    { { .bitmask = UINT64_C (1) << 60 }, EINVAL, "unknown bits" },
  };
  const struct zf_add_drive_opts all = {
    .bitmask = ZF_ADD_DRIVE_OPTS_LABEL | ZF_ADD_DRIVE_OPTS_DISCARD | ZF_ADD_DRIVE_OPTS_BLOCKSIZE
      | ZF_ADD_DRIVE_OPTS_CACHEMODE | ZF_ADD_DRIVE_OPTS_FORMAT,
    .label = "first", .discard = "enable", .blocksize = 512, .cachemode = "unsafe", .format = "raw",
  };
  const struct zf_add_drive_opts effort = {
    .bitmask = ZF_ADD_DRIVE_OPTS_DISCARD | ZF_ADD_DRIVE_OPTS_READONLY, .discard = "besteffort", .readonly = 1,
  };
  zf_handle *h = zf_create ();

  (void) state;
  make_file ("a", 4096 + 512, "", 0);
  make_file ("b", 4096 + 512, "", 0);
  assert_int_equal (zf_add_drive (h, "a", &all), 0);
  assert_string_equal (h->drives[0]->label, "first");
  assert_int_equal (h->drives[0]->discard, DISCARD_ENABLE);
  assert_string_equal (h->drives[0]->cachemode, "unsafe");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal (zf_add_drive (h, "b", &bad[i].o), -1);
    assert_error (h, bad[i].err, bad[i].text);
  }
  assert_int_equal (zf_add_drive (h, "b", &effort), 0);
  assert_int_equal (h->drives[1]->discard, DISCARD_DISABLE);
  assert_int_equal (zf_add_drive (h, "./a", NULL), -1);
  assert_error (h, EBUSY, "was already added");
  assert_int_equal (h->nr_drives, 2);
  unlink ("a");
  unlink ("b");
  zf_close (h);
}

static void
test_many (void **state)
{
  zf_handle *h = zf_create ();

  (void) state;
  for (int i = 0; i < 255; i++)
    assert_int_equal (zf_add_drive (h, "/dev/null", NULL), 0);
  assert_int_equal (zf_add_drive (h, "/dev/null", NULL), -1);
  assert_error (h, EINVAL, "255 drives");
  zf_close (h);
}

/* --- formats --- */

/* A qcow2 header with these fields; the rest does not matter here. */
static void
make_qcow2 (const char *name, uint32_t version, uint64_t backing, uint64_t features)
{
  unsigned char b[112] = "QFI\xfb";

  b[7] = version;
  b[15] = backing;
  b[27] = 1;                    /* size: 16 MiB + 512 */
  b[28] = 1;
  b[30] = 2;
  b[79] = features;
  make_file (name, 65536, b, sizeof b);
}

static void
test_formats (void **state)
{
  static const struct { size_t offset, n; const char *magic, *format; } cases[] = {
    { 0, 0, "", "raw" },
    { 0, 4, "QFI\xfb", "raw" },         /* of a version that nobody knows */
    { 0, 4, "QED\0", "qed" },
    { 0x40, 4, "\x7f\x10\xda\xbe", "vdi" },
    { 0, 8, "vhdxfile", "vhdx" },
    { 0, 8, "conectix", "vpc" },
    { 0, 16, "WithoutFreeSpace", "parallels" },
    { 0, 6, "LUKS\xba\xbe", "raw" },    /* an encrypted disk is a guest's affair */
  };
  unsigned char b[512];
  char *format;
  zf_handle *h = zf_create ();

  (void) state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    memset (b, 0, sizeof b);
    memcpy (b + cases[i].offset, cases[i].magic, cases[i].n);
    make_file ("x", 4096, b, sizeof b);
    format = zf_disk_format (h, "x");
    assert_non_null (format);
    assert_string_equal (format, cases[i].format);
    free (format);
  }
  make_qcow2 ("x", 3, 0, 0);
  assert_int_equal (zf_add_drive (h, "x", NULL), 0);
  assert_string_equal (h->drives[0]->format, "qcow2");
  assert_true (h->drives[0]->detected);

  /* A guest may change the header between the look at it and the launch. */
  format = zfi_drive_filename (h, 0);
  assert_non_null (format);
  free (format);
  make_qcow2 ("x", 3, 200, 0);
  assert_null (zfi_drive_filename (h, 0));
  assert_error (h, EPERM, "has changed: state its format");
  unlink ("x");
  zf_close (h);
}

/* F57: headers that a guest could have written to get at another file of the host. */
static void
test_naming_images (void **state)
{
  static const char *const names[] = { "backing", "data", "text", "sparse", "parent", NULL };
  static const char descriptor[] = "# Disk DescriptorFile\nversion=1\nRW 1 FLAT \"/etc/shadow\" 0\n";
  unsigned char sparse[1024] = "KDMV\1";
  zf_handle *h = zf_create ();

  (void) state;
  make_qcow2 ("backing", 2, 200, 0);
  make_qcow2 ("data", 3, 0, 4);
  make_file ("text", 4096, descriptor, sizeof descriptor);
  make_file ("sparse", 4096, sparse, sizeof sparse);
  sparse[12] = 8;               /* capacity */
  sparse[28] = 1;               /* the descriptor is in sector 1 */
  strcpy ((char *) sparse + 512, "parentFileNameHint=\"x\"");
  make_file ("parent", 4096, sparse, sizeof sparse);

  for (const char *const *n = names; *n != NULL; n++) {
    assert_int_equal (zf_add_drive (h, *n, NULL), -1);
    assert_error (h, EPERM, "state the format");
    assert_int_equal (zf_add_drive_ro (h, *n), -1);
    assert_int_equal (add_with_format (h, *n, "raw"), 0);
    assert_string_equal (h->drives[h->nr_drives - 1]->format, "raw");
    zfi_drives_forget (h);
    assert_int_equal (add_with_format (h, *n, **n == 'b' || **n == 'd' ? "qcow2" : "vmdk"), 0);
    zfi_drives_forget (h);
    if (**n != 'b' && **n != 'd')
      assert_int_equal (zf_disk_virtual_size (h, *n), -1);
    unlink (*n);
  }
  zf_close (h);
}

/* --- images in use --- */

/* As qemu does: lock the byte for "I write", or "nobody else may write". */
static int
hold_lock (const char *name, off_t byte)
{
  struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };
  int fd = open (name, O_RDWR | O_CLOEXEC);

  assert_int_equal (fcntl (fd, F_OFD_SETLK, &lock), 0);
  return fd;
}

static void
count_warning (zf_handle *h, void *opaque, uint64_t event, int handle, const char *buf, size_t len,
               const uint64_t *array, size_t array_len)
{
  (void) h; (void) event; (void) handle; (void) buf; (void) len; (void) array; (void) array_len;
  ++*(int *) opaque;
}

static void
test_locked (void **state)
{
  zf_handle *h = zf_create ();
  int warnings = 0, fd;

  (void) state;
  zf_set_event_callback (h, count_warning, ZF_EVENT_WARNING, &warnings);
  make_file ("x", 4096, "", 0);
  fd = hold_lock ("x", 101);
  assert_int_equal (zf_add_drive (h, "x", NULL), -1);
  assert_error (h, EBUSY, "/x is in use by another program");
  assert_int_equal (zf_add_drive_ro (h, "x"), 0);
  assert_int_equal (warnings, 1);
  close (fd);
  fd = hold_lock ("x", 201);
  assert_int_equal (zf_add_drive (h, "x", NULL), -1);
  assert_error (h, EBUSY, "in use");
  close (fd);
  assert_int_equal (zf_add_drive (h, "x", NULL), 0);
  unlink ("x");
  zf_close (h);
}

/* --- lengths --- */

static void
test_odd_length (void **state)
{
  static const struct { off_t before, during; size_t n; off_t after; } cases[] = {
    { 1000, 1024, 0, 1000 },            /* padding goes */
    { 1000, 1024, 1010, 1024 },         /* data does not */
    { 1000, 1000, 0, 1000 },
    { 1000, 2048, 0, 2048 },            /* somebody else changed it */
    { 1024, 1536, 0, 1536 },
  };
  char data[1010];
  struct stat st;
  int warnings = 0;

  (void) state;
  memset (data, 1, sizeof data);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    zf_handle *h = zf_create ();
    int fd;

    zf_set_event_callback (h, count_warning, ZF_EVENT_WARNING, &warnings);
    make_file ("x", cases[i].before, "", 0);
    assert_int_equal (zf_add_drive (h, "x", NULL), 0);
    zfi_drives_opened (h);
    fd = open ("x", O_RDWR);
    assert_int_equal (ftruncate (fd, cases[i].during), 0);
    assert_int_equal (pwrite (fd, data, cases[i].n, 0), cases[i].n);
    zfi_drives_closed (h);
    assert_int_equal (fstat (fd, &st), 0);
    assert_int_equal (st.st_size, cases[i].after);
    close (fd);
    zf_close (h);
  }
  assert_int_equal (warnings, 1);
  unlink ("x");
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_names),
  cmocka_unit_test (test_bad_names),
  cmocka_unit_test (test_unreadable),
  cmocka_unit_test (test_options),
  cmocka_unit_test (test_many),
  cmocka_unit_test (test_formats),
  cmocka_unit_test (test_naming_images),
  cmocka_unit_test (test_locked),
  cmocka_unit_test (test_odd_length),
};

int
main (void)
{
  const int before = test_open_fds ();
  int r;

  alarm (60);
  r = cmocka_run_group_tests (tests, make_dir, remove_dir);
  if (test_open_fds () != before) {
    fprintf (stderr, "descriptors are left open\n");
    r = 1;
  }
  return r != 0;
}
