/* The appliance's cache: built once by many at a time, built again when damaged, refused where it is not
 * safe.  The build script is made up.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "cache.h"

enum { PROCESSES = 8, THREADS = 4 };

/* Each test has a folder: build/appliance has the script, cache is the cache, "count" gets a line from each
 * build. */
static char *top;

static const char script[] =
  "#!/bin/sh\n"
  "umask 022\n"
  "echo $$ >> \"$TEST_TOP/count\"\n"
  "if test -e \"$TEST_TOP/fail\"; then\n"
  "  touch \"$2/part\"; echo 'zerofish-build-appliance: no luck today' >&2; exit 1\n"
  "fi\n"
  "mkdir \"$2/work\"\n"
  "test ! -e \"$TEST_TOP/slow\" || sleep 30\n"
  "for f in kernel initrd root; do echo contents of $f > \"$2/$f\"; done\n"
  "rmdir \"$2/work\"\n";

/* Path under the test's folder; valid until the fourth next call. */
static const char *
at (const char *fs, ...)
{
  static char paths[4][512];
  static int next;
  char *p = paths[next++ % 4];
  va_list args;
  int n = snprintf (p, 512, "%s/", top);

  va_start (args, fs);
  vsnprintf (p + n, 512 - n, fs, args);
  va_end (args);
  return p;
}

static void
write_file (const char *path, const char *text)
{
  FILE *fp = fopen (path, "w");

  assert_non_null (fp);
  fputs (text, fp);
  assert_int_equal (fclose (fp), 0);
}

static int
setup (void **state)
{
  (void) state;
  top = strdup ("/tmp/zerofish-cache-XXXXXX");
  if (mkdtemp (top) == NULL || mkdir (at ("build"), 0700) == -1 || mkdir (at ("build/appliance"), 0700) == -1)
    return -1;
  write_file (at ("build/appliance/zerofish-build-appliance"), script);
  chmod (at ("build/appliance/zerofish-build-appliance"), 0755);
  setenv ("TEST_TOP", top, 1);
  setenv ("ZEROFISH_BUILDDIR", at ("build"), 1);
  setenv ("ZEROFISH_CACHEDIR", at ("cache"), 1);
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  zfi_remove_tree (top);
  free (top);
  return 0;
}

/* How often was the script run? */
static int
builds (void)
{
  FILE *fp = fopen (at ("count"), "r");
  int c, n = 0;

  while (fp != NULL && (c = getc (fp)) != EOF)
    n += c == '\n';
  if (fp != NULL)
    fclose (fp);
  return n;
}

/* Entries of the cache whose names begin with PREFIX; the last one's name in NAME. */
static int
entries (const char *prefix, char name[256])
{
  DIR *dir = opendir (at ("cache"));
  struct dirent *d;
  int n = 0;

  while (dir != NULL && (d = readdir (dir)) != NULL)
    if (strncmp (d->d_name, prefix, strlen (prefix)) == 0) {
      snprintf (name, 256, "%s", d->d_name);
      n++;
    }
  if (dir != NULL)
    closedir (dir);
  return n;
}

/* Get the appliance with a new handle: 0, or -1 with the message in ERROR. */
static int
get (char error[1024])
{
  zf_handle *h = zf_create ();
  struct zfi_appliance *a;
  int r = 0;

  error[0] = '\0';
  a = zfi_appliance_get (h);
  if (a == NULL) {
    snprintf (error, 1024, "%s", zf_last_error (h));
    r = -1;
  } else if (access (a->kernel, R_OK) == -1 || access (a->initrd, R_OK) == -1)
    r = -1;
  zfi_appliance_free (a);
  zf_close (h);
  return r;
}

static void
expect_good (int nr_builds)
{
  char error[1024], name[256];

  if (get (error) == -1)
    fail_msg ("%s", error);
  assert_int_equal (builds (), nr_builds);
  assert_int_equal (entries ("tmp-", name), 0);
}

static void
expect_refused (const char *text)
{
  char error[1024];

  assert_int_equal (get (error), -1);
  if (strstr (error, text) == NULL)
    fail_msg ("no '%s' in: %s", text, error);
}

static void
test_crc (void **state)
{
  (void) state;
  assert_int_equal (zfi_crc32 (0, "123456789", 9), 0xcbf43926);
  assert_int_equal (zfi_crc32 (zfi_crc32 (0, "1234", 4), "56789", 5), 0xcbf43926);
  assert_int_equal (zfi_crc32 (0, "", 0), 0);
}

static void
test_once (void **state)
{
  char name[256];
  struct stat st;

  (void) state;
  expect_good (1);
  expect_good (1);
  assert_int_equal (entries ("kernel-", name), 1);
  assert_int_equal (lstat (at ("cache"), &st), 0);
  assert_int_equal (st.st_mode & 07777, 0700);
  /* Another key. */
  write_file (at ("build/appliance/modules.list"), "boot x\n");
  expect_good (2);
  assert_int_equal (entries ("kernel-", name), 2);
}

/* The script itself and the library agree on what a result depends on. */
static void
check_key (const struct cache_kind *kind, const char *command)
{
  char *key = zfi_cache_key (TOP_BUILDDIR "/appliance/zerofish-build-appliance", kind), line[1024];
  size_t len = 0;
  FILE *fp = popen (command, "r");

  assert_non_null (key);
  assert_non_null (fp);
  while (fgets (line, sizeof line, fp) != NULL) {
    assert_memory_equal (key + len, line, strlen (line));
    len += strlen (line);
  }
  assert_int_equal (pclose (fp), 0);
  assert_int_equal (strlen (key), len);
  assert_true (len > 0);
  free (key);
}

static void
test_key (void **state)
{
  (void) state;
  check_key (&cache_kernel, "'" TOP_BUILDDIR "/appliance/zerofish-build-appliance' key");
  check_key (&cache_tools, "'" TOP_BUILDDIR "/appliance/zerofish-build-appliance' key tools");
}

static void
flip_byte (const char *path)
{
  struct stat st;
  struct timespec times[2];
  int fd = open (path, O_RDWR);

  assert_int_equal (fstat (fd, &st), 0);
  assert_int_equal (pwrite (fd, "X", 1, 3), 1);
  times[0] = st.st_atim;
  times[1] = st.st_mtim;
  assert_int_equal (futimens (fd, times), 0);
  close (fd);
}

static void
test_damage (void **state)
{
  char name[256], entry[512], file[1024];

  (void) state;
  expect_good (1);
  assert_int_equal (entries ("kernel-", name), 1);
  snprintf (entry, sizeof entry, "%s", at ("cache/%s", name));
  snprintf (file, sizeof file, "%s/kernel", entry);
  assert_int_equal (truncate (file, 3), 0);
  expect_good (2);
  flip_byte (file);
  expect_good (3);
  assert_int_equal (unlink (file), 0);
  expect_good (4);
  assert_int_equal (chmod (file, 0666), 0);
  expect_good (5);
  assert_int_equal (unlink (file), 0);
  assert_int_equal (symlink ("initrd", file), 0);
  expect_good (6);
  snprintf (file, sizeof file, "%s/manifest", entry);
  assert_int_equal (truncate (file, 30), 0);
  expect_good (7);
  assert_int_equal (unlink (file), 0);
  expect_good (8);
  snprintf (file, sizeof file, "%s/initrd", entry);
  assert_int_equal (unlink (file), 0);
  assert_int_equal (mkdir (file, 0), 0);
  expect_good (9);
  /* Something that is not a directory where the entry should be. */
  zfi_remove_tree (entry);
  write_file (entry, "planted");
  expect_good (10);
  expect_good (10);
}

/* A cache that was copied with its times is as good, though every ctime and inode is new. */
static void
test_copied (void **state)
{
  char command[2048];

  (void) state;
  expect_good (1);
  snprintf (command, sizeof command, "cd '%s' && cp -a cache copy && rm -rf cache && mv copy cache", top);
  assert_int_equal (system (command), 0);
  expect_good (1);
}

static void
test_unsafe (void **state)
{
  (void) state;
  assert_int_equal (mkdir (at ("real"), 0700), 0);
  assert_int_equal (symlink ("real", at ("cache")), 0);
  expect_refused ("is a symbolic link");
  assert_int_equal (unlink (at ("cache")), 0);
  write_file (at ("cache"), "");
  expect_refused ("is not a directory");
  assert_int_equal (unlink (at ("cache")), 0);
  assert_int_equal (mkdir (at ("cache"), 0700), 0);
  assert_int_equal (chmod (at ("cache"), 0777), 0);
  expect_refused ("can be written by others (mode 0777)");
  assert_int_equal (chmod (at ("cache"), 0700), 0);
  if (geteuid () == 0) {
    assert_int_equal (chown (at ("cache"), 12345, 0), 0);
    expect_refused ("belongs to user 12345");
    assert_int_equal (chown (at ("cache"), 0, 0), 0);
  }
  assert_int_equal (builds (), 0);
  expect_good (1);
}

static void
test_umask (void **state)
{
  static const mode_t masks[] = { 077, 0, 0777 };
  char name[256];
  struct stat st;

  (void) state;
  for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
    mode_t old = umask (masks[i]);
    char error[1024];
    int r = get (error);

    umask (old);
    assert_int_equal (r, 0);
    assert_int_equal (entries ("kernel-", name), 1);
    assert_int_equal (stat (at ("cache/%s/initrd", name), &st), 0);
    assert_int_equal (st.st_mode & 07777, 0644);
    assert_int_equal (stat (at ("cache"), &st), 0);
    assert_int_equal (st.st_mode & 07777, 0700);
    zfi_remove_tree (at ("cache"));
  }
}

static void
test_failure (void **state)
{
  char name[256];

  (void) state;
  write_file (at ("fail"), "");
  expect_refused ("building the appliance failed: no luck today");
  assert_int_equal (entries ("tmp-", name), 0);
  assert_int_equal (entries ("kernel-", name), 0);
  assert_int_equal (unlink (at ("fail")), 0);
  expect_good (2);
}

static void *
get_in_thread (void *opaque)
{
  char error[1024];

  (void) opaque;
  if (get (error) == 0)
    return NULL;
  fprintf (stderr, "%s\n", error);
  return &top;
}

/* A process of the crowd: all its threads at once; its exit status. */
static int
crowd (void)
{
  pthread_t t[THREADS];
  int status = 0;
  void *r;

  alarm (50);
  for (int i = 0; i < THREADS; i++)
    if (pthread_create (&t[i], NULL, get_in_thread, NULL) != 0)
      return 2;
  for (int i = 0; i < THREADS; i++)
    if (pthread_join (t[i], &r) != 0 || r != NULL)
      status = 1;
  return status;
}

static void
run_crowd (void)
{
  pid_t pids[PROCESSES];
  int status;

  for (int i = 0; i < PROCESSES; i++)
    if ((pids[i] = fork ()) == 0)
      _exit (crowd ());
  for (int i = 0; i < PROCESSES; i++) {
    assert_int_equal (waitpid (pids[i], &status, 0), pids[i]);
    assert_int_equal (status, 0);
  }
}

static void
test_crowd (void **state)
{
  char name[256];

  (void) state;
  run_crowd ();
  assert_int_equal (builds (), 1);
  /* And when it is damaged. */
  assert_int_equal (entries ("kernel-", name), 1);
  assert_int_equal (truncate (at ("cache/%s/initrd", name), 0), 0);
  run_crowd ();
  assert_int_equal (builds (), 2);
  assert_int_equal (entries ("tmp-", name), 0);
}

/* A builder that is killed leaves a directory, and a script that goes on for a while; neither is in the
 * way. */
static void
test_killed (void **state)
{
  const struct timespec tick = { .tv_nsec = 5000000 };
  char error[1024], name[256];
  int status;
  pid_t pid, orphan = 0;
  FILE *fp;

  (void) state;
  write_file (at ("slow"), "");
  if ((pid = fork ()) == 0)
    _exit (get (error) != 0);
  while (builds () == 0)
    nanosleep (&tick, NULL);
  assert_int_equal (kill (pid, SIGKILL), 0);
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (entries ("tmp-", name), 1);
  assert_int_equal (unlink (at ("slow")), 0);
  expect_good (2);
  expect_good (2);
  fp = fopen (at ("count"), "r");
  assert_non_null (fp);
  assert_int_equal (fscanf (fp, "%d", &orphan), 1);
  fclose (fp);
  kill (-orphan, SIGKILL);
}

static void
test_prune (void **state)
{
  char name[256], text[32];

  (void) state;
  for (int i = 1; i <= 9; i++) {
    snprintf (text, sizeof text, "%0*d\n", i, i);
    write_file (at ("build/appliance/modules.list"), text);
    expect_good (i);
  }
  assert_in_range (entries ("kernel-", name), 2, 5);
}

/* No time limit on purpose: only that nothing is started, which is what would make it slow. */
static void
test_warm (void **state)
{
  struct timespec a, b;

  (void) state;
  expect_good (1);
  clock_gettime (CLOCK_MONOTONIC, &a);
  expect_good (1);
  clock_gettime (CLOCK_MONOTONIC, &b);
  print_message ("a warm look-up took %ld us\n",
                 (long) ((b.tv_sec - a.tv_sec) * 1000000 + (b.tv_nsec - a.tv_nsec) / 1000));
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_crc),
  cmocka_unit_test (test_key),
  cmocka_unit_test_setup_teardown (test_once, setup, teardown),
  cmocka_unit_test_setup_teardown (test_damage, setup, teardown),
  cmocka_unit_test_setup_teardown (test_copied, setup, teardown),
  cmocka_unit_test_setup_teardown (test_unsafe, setup, teardown),
  cmocka_unit_test_setup_teardown (test_umask, setup, teardown),
  cmocka_unit_test_setup_teardown (test_failure, setup, teardown),
  cmocka_unit_test_setup_teardown (test_crowd, setup, teardown),
  cmocka_unit_test_setup_teardown (test_killed, setup, teardown),
  cmocka_unit_test_setup_teardown (test_prune, setup, teardown),
  cmocka_unit_test_setup_teardown (test_warm, setup, teardown),
};

TEST_MAIN (tests, 120)
