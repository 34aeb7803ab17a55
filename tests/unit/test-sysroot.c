/* Paths of a hostile filesystem: links that lead out, FIFOs, device nodes, names that look like options.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "handler.h"

static struct call *c;

static int
setup (void **state)
{
  (void) state;
  c = handler_begin ();
  handler_file ("outside", "secret");
  handler_file ("root/inside", "inside");
  handler_file ("root/etc/passwd", "guest");
  handler_link ("root/up", "../outside");
  handler_link ("root/etc/upup", "../../../../outside");
  handler_link ("root/absolute", "/etc/passwd");
  handler_link ("root/loop", "loop");
  handler_link ("root/dangling", "/new");
  handler_link ("root/magic", "/proc/self/root/etc/passwd");
  handler_link ("root/dir", "/etc");
  c->d->sysroot = handler_path ("root");
  assert_return_code (mkfifo (handler_path ("root/fifo"), 0666), errno);
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  handler_end ();
  return 0;
}

/* The file at PATH holds TEXT, however it is reached. */
static void
reads (const char *path, const char *text)
{
  char buf[32] = "";
  int fd = sysroot_open_regular (c, path, O_RDONLY, 0);

  if (fd == -1)
    fail_msg ("%s: %s", path, c->error);
  assert_int_equal (read (fd, buf, sizeof buf - 1), strlen (text));
  assert_string_equal (buf, text);
  close (fd);
}

static void
fails (const char *path, int flags, int err, const char *text)
{
  assert_int_equal (sysroot_open_regular (c, path, flags, 0666), -1);
  handler_error (err, text);
}

static void
test_links_stay_inside (void **state)
{
  (void) state;
  reads ("/inside", "inside");
  reads ("/../../inside", "inside");
  reads ("/absolute", "guest");
  reads ("/dir/passwd", "guest");
  reads ("/dir/../inside", "inside");
  fails ("/up", O_RDONLY, ENOENT, "/up");
  fails ("/etc/upup", O_RDONLY, ENOENT, "/etc/upup");
  fails ("/../outside", O_RDONLY, ENOENT, "/../outside");
  fails ("/loop", O_RDONLY, ELOOP, "/loop");
  fails ("/magic", O_RDONLY, ENOENT, "/magic");
  /* Writing through a link that leads nowhere makes the file inside, too. */
  close (sysroot_open_regular (c, "/up", O_WRONLY | O_CREAT, 0666));
  assert_int_equal (access (handler_path ("root/outside"), F_OK), 0);
  close (sysroot_open_regular (c, "/dangling", O_WRONLY | O_CREAT, 0666));
  assert_int_equal (access (handler_path ("root/new"), F_OK), 0);
}

/* A sysroot of / with a real /proc: no way through its links to other roots. */
static void
test_magic_links (void **state)
{
  (void) state;
  c->d->sysroot = "/";
  fails ("/proc/self/root/etc/passwd", O_RDONLY, ELOOP, "/proc/self/root");
  fails ("/proc/self/fd/0", O_RDONLY, ELOOP, "/proc/self/fd/0");
  fails ("/proc/self/exe", O_RDONLY, ELOOP, "/proc/self/exe");
}

static void
test_special_files (void **state)
{
  (void) state;
  fails ("/fifo", O_RDONLY, EINVAL, "not a regular file");
  fails ("/fifo", O_WRONLY, EINVAL, "not a regular file");
  fails ("/fifo", O_WRONLY | O_CREAT | O_TRUNC, EINVAL, "not a regular file");
  fails ("/etc", O_RDONLY, EISDIR, "/etc");
  fails ("/", O_RDONLY, EISDIR, "/");
  fails ("/missing", O_RDWR, ENOENT, "/missing");
  fails ("/inside/x", O_RDONLY, ENOTDIR, "/inside/x");
  fails ("/inside", O_WRONLY | O_CREAT | O_EXCL, EEXIST, "/inside");
}

/* A node that is /dev/zero and one that is a console, as a guest may make them. */
static void
test_device_nodes (void **state)
{
  (void) state;
  if (mknod (handler_path ("root/zero"), S_IFCHR | 0666, makedev (1, 5)) == -1 ||
      mknod (handler_path ("root/console"), S_IFCHR | 0666, makedev (5, 1)) == -1 ||
      mknod (handler_path ("root/block"), S_IFBLK | 0666, makedev (7, 0)) == -1)
    skip ();
  fails ("/zero", O_RDONLY, EINVAL, "not a regular file");
  fails ("/console", O_RDWR, EINVAL, "not a regular file");
  fails ("/block", O_RDWR, EINVAL, "not a regular file");
}

static void
test_parent (void **state)
{
  static const char *const bad[] = { "/", "//", "/etc/..", "/.", "/etc/../" };
  const char *name;
  int fd;

  (void) state;
  fd = sysroot_open_parent (c, "/dir/-rf", &name);
  assert_string_equal (name, "-rf");
  assert_int_equal (mkdirat (fd, name, 0777), 0);
  close (fd);
  assert_int_equal (access (handler_path ("root/etc/-rf"), F_OK), 0);
  fd = sysroot_open_parent (c, "/x///", &name);
  assert_string_equal (name, "x");
  close (fd);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal (sysroot_open_parent (c, bad[i], &name), -1);
    handler_error (EINVAL, "has to be a name");
  }
  assert_int_equal (sysroot_open_parent (c, "/up/x", &name), -1);
  handler_error (ENOENT, "/up");
}

static void
test_check (void **state)
{
  (void) state;
  assert_non_null (path_check (c, "/x"));
  assert_null (path_check (c, "x"));
  handler_error (EINVAL, "has to start with /");
  assert_null (path_check (c, ""));
  handler_error (EINVAL, "has to start with /");
  c->d->appliance = true;               /* a plain directory is not a mounted filesystem */
  assert_null (path_check (c, "/x"));
  handler_error (EINVAL, "no filesystem is mounted");
  c->d->sysroot = NULL;
  assert_null (path_check (c, "/x"));
  handler_error (EINVAL, "no filesystem is mounted");
  assert_int_equal (sysroot_open (c, "/x", O_PATH, 0), -1);
  handler_error (EINVAL, "no filesystem is mounted");
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_links_stay_inside, setup, teardown),
    cmocka_unit_test_setup_teardown (test_magic_links, setup, teardown),
    cmocka_unit_test_setup_teardown (test_special_files, setup, teardown),
    cmocka_unit_test_setup_teardown (test_device_nodes, setup, teardown),
    cmocka_unit_test_setup_teardown (test_parent, setup, teardown),
    cmocka_unit_test_setup_teardown (test_check, setup, teardown),
  };
  int before = test_open_fds (), r;

  alarm (60);
  r = cmocka_run_group_tests (tests, NULL, NULL);
  return r != 0 || test_open_fds () != before;
}
