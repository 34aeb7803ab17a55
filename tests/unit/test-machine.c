/* What the emulator is told: its command line, and the JSON that attaches drives.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "launch.h"

/* --- a QMP server that agrees to everything and remembers it --- */

static int server_fd;
static json_t *commands;    /* array of what was asked for */
static const char *refuse;  /* the command that fails, with "Failed to get "write" lock" */

static json_t *
answer (json_t *msg)
{
  const char *name = json_string_value (json_object_get (msg, "execute"));
  json_t *args = json_object_get (msg, "arguments");

  if (refuse != NULL && strcmp (name, refuse) == 0)
    return NULL;
  if (strcmp (name, "query-named-block-nodes") == 0)
    return json_pack ("[{s:s, s:{s:i}}, {s:s, s:{s:i}}, {s:s, s:{s:i}}, {s:s, s:{s:i}}]",
                      "node-name", "drive0", "image", "virtual-size", 1048576,
                      "node-name", "drive1", "image", "virtual-size", 1048576,
                      "node-name", "base0", "image", "virtual-size", 1048576,
                      "node-name", "base1", "image", "virtual-size", 0);
  if (strcmp (name, "query-jobs") == 0)
    return json_pack ("[{s:s, s:s}]", "id", "overlay0-create", "status", "concluded");
  json_array_append_new (commands, json_pack ("{s:s, s:O?}", "execute", name, "arguments", args));
  return json_object ();
}

static void *
serve (void *opaque)
{
  FILE *fp = fdopen (server_fd, "r+");
  char *line = NULL;
  size_t cap = 0;

  (void) opaque;
  while (getline (&line, &cap, fp) > 0) {
    json_t *msg = json_loads (line, 0, NULL), *ret = answer (msg), *reply;
    char *text;

    if (ret != NULL)
      reply = json_pack ("{s:o, s:O}", "return", ret, "id", json_object_get (msg, "id"));
    else
      reply = json_pack ("{s:{s:s}, s:O}", "error", "desc", "Failed to get \"write\" lock",
                         "id", json_object_get (msg, "id"));
    text = json_dumps (reply, JSON_COMPACT);
    fprintf (fp, "%s\n", text);
    fflush (fp);
    free (text);
    json_decref (reply);
    json_decref (msg);
  }
  free (line);
  fclose (fp);
  return NULL;
}

static int
plain_wait (void *opaque, int fd, short events, int64_t deadline_ms)
{
  struct pollfd pfd = { .fd = fd, .events = events };

  (void) opaque;
  (void) deadline_ms;
  return poll (&pfd, 1, 10000) == 1 ? 0 : -1;
}

/* Attach the drives of H; the commands are in COMMANDS afterwards. */
static int
attach (zf_handle *h)
{
  struct qmp q;
  pthread_t thread;
  int sv[2], r = 0;
  size_t i;

  json_decref (commands);
  commands = json_array ();
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, sv), 0);
  server_fd = sv[1];
  qmp_init (&q, sv[0], plain_wait, NULL);
  assert_int_equal (pthread_create (&thread, NULL, serve, NULL), 0);
  for (i = 0; i < h->nr_drives && r == 0; i++)
    r = zfi_qemu_add_drive (h, &q, i);
  qmp_close (&q);
  pthread_join (thread, NULL);
  return r;
}

/* Argument KEY of command NR. */
static json_t *
arg (size_t nr, const char *key)
{
  return json_object_get (json_object_get (json_array_get (commands, nr), "arguments"), key);
}

static void
expect (size_t nr, const char *key, const char *value)
{
  const char *s = json_string_value (arg (nr, key));

  if (s == NULL || strcmp (s, value) != 0)
    fail_msg ("command %zu: %s is %s, expected %s", nr, key, s != NULL ? s : "missing", value);
}

/* Every node that was added says everything that must never be left to qemu. */
static void
check_nodes (void)
{
  json_t *c;
  size_t i;

  json_array_foreach (commands, i, c) {
    if (strcmp (json_string_value (json_object_get (c, "execute")), "blockdev-add") != 0)
      continue;
    assert_non_null (json_string_value (arg (i, "driver")));
    assert_non_null (json_string_value (arg (i, "node-name")));
    assert_true (strlen (json_string_value (arg (i, "node-name"))) < 32);
    assert_non_null (json_string_value (arg (i, "discard")));
    assert_true (json_is_boolean (arg (i, "read-only")));
    assert_true (json_is_false (arg (i, "auto-read-only")));
    assert_true (json_is_false (json_object_get (arg (i, "cache"), "direct")));
  }
}

/* --- fixture: a handle with a work directory and image files --- */

static zf_handle *h;
static char dir[64];

static int
setup (void **state)
{
  (void) state;
  strcpy (dir, "/tmp/zerofish-machine-XXXXXX");
  if (mkdtemp (dir) == NULL || (h = zf_create ()) == NULL)
    return -1;
  h->workdir = strdup (dir);
  refuse = NULL;
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  zfi_workdir_remove (dir);
  zf_close (h);
  json_decref (commands);
  commands = NULL;
  return access (dir, F_OK) == 0;
}

static char *
make_image (const char *name)
{
  char *path;
  int fd;

  assert_true (asprintf (&path, "%s/%s", dir, name) > 0);
  fd = open (path, O_CREAT|O_RDWR, 0600);
  assert_int_not_equal (fd, -1);
  assert_int_equal (ftruncate (fd, 1048576), 0);
  close (fd);
  return path;
}

static void
add (const char *path, bool readonly, const char *discard)
{
  struct zf_add_drive_opts o = {
    .bitmask = ZF_ADD_DRIVE_OPTS_READONLY | ZF_ADD_DRIVE_OPTS_FORMAT | ZF_ADD_DRIVE_OPTS_DISCARD,
    .readonly = readonly, .format = "raw", .discard = discard,
  };

  if (zf_add_drive (h, path, &o) == -1)
    fail_msg ("%s", zf_last_error (h));
}

/* --- the command line --- */

static char **argv;

static bool
has (const char *option, const char *value)
{
  size_t i;

  for (i = 0; argv[i] != NULL; i++)
    if (strcmp (argv[i], option) == 0 && (value == NULL || strcmp (argv[i + 1], value) == 0))
      return true;
  return false;
}

static void
test_command_line (void **state)
{
  struct zfi_appliance a = { .kernel = (char *) "/cache/kernel", .initrd = (char *) "/cache/initrd" };
  size_t i;

  (void) state;
  argv = zfi_qemu_argv (h, "/usr/bin/hv", &a, ACCEL_TCG);
  assert_non_null (argv);
  assert_string_equal (argv[0], "/usr/bin/hv");
  assert_true (has ("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny"));
  assert_true (has ("-nodefaults", NULL));
  assert_true (has ("-no-user-config", NULL));
  assert_true (has ("-no-reboot", NULL));
  assert_true (has ("-m", "1280"));
  assert_true (has ("-cpu", "max,-erms"));
  assert_true (has ("-kernel", "/cache/kernel"));
  assert_false (has ("-drive", NULL));
  assert_false (has ("-netdev", NULL));
  assert_false (has ("-nic", NULL));
  assert_false (has ("-smp", NULL));
  for (i = 0; argv[i] != NULL; i++)
    assert_true (strstr (argv[i], "net") == NULL && strstr (argv[i], "scsi-generic") == NULL
                 && strstr (argv[i], "scsi-block") == NULL && strstr (argv[i], "vfio") == NULL);
  zf_free_string_list (argv);

  zf_set_memsize (h, 700);
  zf_set_smp (h, 3);
  argv = zfi_qemu_argv (h, "/usr/bin/hv", &a, ACCEL_KVM);
  assert_true (has ("-m", "700"));
  assert_true (has ("-smp", "3"));
  assert_true (has ("-cpu", "host"));
  zf_free_string_list (argv);
}

static void
test_kernel_command_line (void **state)
{
  char *quiet, *loud;

  (void) state;
  quiet = zfi_kernel_cmdline (h, ACCEL_TCG);
  zf_set_verbose (h, 1);
  loud = zfi_kernel_cmdline (h, ACCEL_TCG);
  assert_non_null (strstr (quiet, "zerofish_hotplug=1"));
  assert_non_null (strstr (quiet, "panic=1"));
  assert_non_null (strstr (quiet, " quiet"));
  assert_null (strstr (quiet, "verbose"));
  assert_non_null (strstr (quiet, "console="));
  assert_true (strlen (loud) < 2048);             /* where older kernels cut the line */
  assert_non_null (strstr (loud, "zerofish_verbose=1"));
  assert_null (strstr (loud, " quiet"));
  free (quiet);
  free (loud);
}

static void
test_find_hv (void **state)
{
  char *hv, *file;

  (void) state;
  zf_set_hv (h, "/nonexistent/hv");
  assert_null (zfi_find_hv (h));
  assert_int_equal (zf_last_errno (h), ENOENT);
  assert_non_null (strstr (zf_last_error (h), "/nonexistent/hv"));

  file = make_image ("not-executable");
  zf_set_hv (h, file);
  assert_null (zfi_find_hv (h));
  assert_int_equal (zf_last_errno (h), EACCES);
  chmod (file, 0755);
  hv = zfi_find_hv (h);
  assert_string_equal (hv, file);
  free (hv);
  free (file);

  zf_set_hv (h, "sh");
  hv = zfi_find_hv (h);
  assert_non_null (hv);
  assert_int_equal (hv[0], '/');
  free (hv);

  zf_set_hv (h, "");
  setenv ("ZEROFISH_HV", "/nonexistent/other", 1);
  assert_null (zfi_find_hv (h));
  assert_non_null (strstr (zf_last_error (h), "ZEROFISH_HV"));
  unsetenv ("ZEROFISH_HV");
}

/* --- drives --- */

static void
test_writable (void **state)
{
  char *image = make_image ("disk.img");

  (void) state;
  add (image, false, "disable");
  assert_int_equal (attach (h), 0);
  assert_int_equal (json_array_size (commands), 3);
  check_nodes ();
  expect (0, "driver", "file");
  expect (0, "filename", image);
  expect (0, "discard", "ignore");
  expect (1, "driver", "raw");
  expect (1, "discard", "ignore");
  assert_true (json_is_false (arg (1, "read-only")));
  assert_null (arg (0, "force-share"));
  expect (2, "driver", "scsi-hd");
  expect (2, "werror", "report");
  expect (2, "rerror", "report");
  assert_int_equal (json_integer_value (arg (2, "scsi-id")), 0);
  free (image);
}

static void
test_discard (void **state)
{
  char *image = make_image ("disk.img");

  (void) state;
  add (image, false, "enable");
  assert_int_equal (attach (h), 0);
  check_nodes ();
  expect (0, "discard", "unmap");
  expect (1, "discard", "unmap");
  free (image);
}

/* The image itself is opened read-only and without a lock, under a throw-away overlay. */
static void
test_readonly (void **state)
{
  char *image = make_image ("disk.img"), overlay[80];
  struct stat st;
  size_t i, n = json_array_size (commands);

  (void) state;
  add (image, true, "disable");
  assert_int_equal (attach (h), 0);
  check_nodes ();
  n = json_array_size (commands);
  for (i = 0; i < 2; i++) {
    assert_true (json_is_true (arg (i, "read-only")));
    assert_true (json_is_true (arg (i, "force-share")));
    expect (i, "discard", "ignore");
  }
  expect (0, "filename", image);
  snprintf (overlay, sizeof overlay, "%s/overlay0", dir);
  expect (2, "filename", overlay);
  assert_int_equal (stat (overlay, &st), 0);
  assert_int_equal (st.st_mode & 07777, 0600);
  expect (n - 2, "driver", "qcow2");
  expect (n - 2, "backing", "base0");
  expect (n - 1, "drive", "drive0");
  free (image);
}

static void
test_in_use (void **state)
{
  char *image = make_image ("disk.img");

  (void) state;
  add (image, false, "disable");
  refuse = "blockdev-add";
  assert_int_equal (attach (h), -1);
  assert_int_equal (zf_last_errno (h), EBUSY);
  assert_non_null (strstr (zf_last_error (h), "in use"));
  assert_non_null (strstr (zf_last_error (h), image));
  free (image);
}

/* A name is a name, whatever is in it. */
static void
test_names (void **state)
{
  static const char *const names[] = {
    " ", ",", "a,readonly=on", "=", ":", "nbd:x", "json:{}", "fat:rw:x", "-hda", "-", "a&b<c>'\"",
    "%s", "gr\xc3\xbc\xc3\x9f" "e", "\\", "{\"driver\":\"null-co\"}",
  };
  size_t i, n = sizeof names / sizeof names[0];

  (void) state;
  for (i = 0; i < n; i++) {
    char *image = make_image (names[i]);

    add (image, false, "disable");
    free (image);
  }
  assert_int_equal (attach (h), 0);
  check_nodes ();
  for (i = 0; i < n; i++) {
    char *image = make_image (names[i]);

    expect (3 * i, "driver", "file");
    expect (3 * i, "filename", image);
    expect (3 * i + 1, "driver", "raw");
    expect (3 * i + 2, "driver", "scsi-hd");
    free (image);
  }
}

/* JSON cannot carry this name, so a link does. */
static void
test_name_not_utf8 (void **state)
{
  char *image = make_image ("a\xff" "b"), target[256];
  const char *link;
  ssize_t len;

  (void) state;
  add (image, false, "disable");
  assert_int_equal (attach (h), 0);
  link = json_string_value (arg (0, "filename"));
  assert_non_null (link);
  assert_int_equal (strncmp (link, dir, strlen (dir)), 0);
  len = readlink (link, target, sizeof target - 1);
  assert_true (len > 0);
  target[len] = '\0';
  assert_string_equal (target, image);
  free (image);
}

static void
test_scratch (void **state)
{
  char path[80];
  struct stat st;

  (void) state;
  assert_int_equal (zf_add_drive (h, "/dev/null", NULL), 0);
  assert_int_equal (attach (h), 0);
  check_nodes ();
  snprintf (path, sizeof path, "%s/scratch0", dir);
  expect (0, "filename", path);
  assert_int_equal (stat (path, &st), 0);
  assert_true (st.st_size > 0 && st.st_size % 4096 == 0);
}

/* Addresses of NBD servers are taken apart, never passed as text. */
static void
test_nbd (void **state)
{
  const struct zf_add_drive_opts o = { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = "raw" };
  char uri[128], path[80];

  (void) state;
  snprintf (path, sizeof path, "%s/a,b.sock", dir);
  snprintf (uri, sizeof uri, "nbd+unix:///disk%%20one?socket=%s/a%%2Cb.sock", dir);
  if (zf_add_drive (h, uri, &o) == -1 || zf_add_drive (h, "nbd://[::1]:10810/", &o) == -1)
    fail_msg ("%s", zf_last_error (h));
  assert_int_equal (attach (h), 0);
  check_nodes ();
  expect (0, "driver", "nbd");
  expect (0, "export", "disk one");
  assert_string_equal (json_string_value (json_object_get (arg (0, "server"), "path")), path);
  expect (1, "driver", "raw");
  expect (3, "driver", "nbd");
  expect (3, "export", "");
  assert_string_equal (json_string_value (json_object_get (arg (3, "server"), "host")), "::1");
  assert_string_equal (json_string_value (json_object_get (arg (3, "server"), "port")), "10810");
}

static void
test_backends (void **state)
{
  (void) state;
  assert_ptr_equal (zfi_backend_find (h, "direct", NULL), &zfi_backend_direct);
  assert_ptr_equal (zfi_backend_find (h, "", NULL), &zfi_backend_direct);
  assert_ptr_equal (zfi_backend_find (h, "unix:/x", NULL), &zfi_backend_unix);
  assert_null (zfi_backend_find (h, "directly", NULL));
  assert_int_equal (zf_last_errno (h), EINVAL);
}

#define T(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  T (test_command_line), T (test_kernel_command_line), T (test_find_hv),
  T (test_writable), T (test_discard), T (test_readonly), T (test_in_use), T (test_names),
  T (test_name_not_utf8), T (test_scratch), T (test_nbd), T (test_backends),
};

TEST_MAIN (tests, 60)
