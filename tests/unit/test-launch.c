/* Launching with emulators that do not do their job: an error in seconds that names it, and nothing left
 * behind.
 *
 * The fake emulators are shell scripts.  As descriptors 3, 4 and 5 they have the daemon's channel, QMP and
 * the console.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "launch.h"

/* Speaks QMP until it is ready: greeting, capabilities. */
#define QMP_START \
  "printf '{\"QMP\": {}}\\n' >&4; read line <&4; printf '{\"return\": {}, \"id\": 1}\\n' >&4\n"

static zf_handle *h;
static char dir[64], script[80], tmp[80];
static char message[8192];  /* of the last failed launch */
static int message_errno;

static void
write_script (const char *text)
{
  FILE *fp = fopen (script, "w");

  assert_non_null (fp);
  fprintf (fp, "#!/bin/sh\n%s\n", text);
  fclose (fp);
  chmod (script, 0755);
}

static int
setup (void **state)
{
  char *settings[] = { (char *) "force_tcg", NULL };

  (void) state;
  strcpy (dir, "/tmp/zerofish-hv-XXXXXX");
  if (mkdtemp (dir) == NULL || (h = zf_create ()) == NULL)
    return -1;
  snprintf (script, sizeof script, "%s/fake-hv", dir);
  snprintf (tmp, sizeof tmp, "%s/tmp", dir);
  mkdir (tmp, 0700);
  zf_set_tmpdir (h, tmp);
  zf_set_hv (h, script);
  zf_set_backend (h, "direct");
  zf_set_backend_settings (h, settings);
  write_script ("exit 1");
  return zf_add_drive (h, "/dev/null", NULL);
}

static int
teardown (void **state)
{
  (void) state;
  zf_close (h);
  unlink (script);
  /* rmdir works only if nothing was left in there. */
  return rmdir (tmp) == 0 && rmdir (dir) == 0 ? 0 : -1;
}

/* No process and no file of the launch is left, and the handle can be used. */
static void
check_clean (void)
{
  struct dirent *e;
  DIR *d = opendir (tmp);

  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
  while ((e = readdir (d)) != NULL)
    if (e->d_name[0] != '.')
      fail_msg ("%s was left behind", e->d_name);
  closedir (d);
  assert_int_equal (zf_is_config (h), 1);
  assert_int_equal (zf_is_ready (h), 0);
  assert_null (h->workdir);
  assert_int_equal (h->console_fd, -1);
}

/* zf_launch fails within LIMIT ms with TEXT in its message. */
static void
launch_fails (const char *text, int limit)
{
  int64_t begin = zfi_now_ms ();

  assert_int_equal (zf_launch (h), -1);
  assert_non_null (zf_last_error (h));
  message_errno = zf_last_errno (h);
  snprintf (message, sizeof message, "%s", zf_last_error (h));
  if (strstr (message, text) == NULL)
    fail_msg ("'%s' is not in '%s'", text, message);
  assert_int_equal (strncmp (message, "launch: ", 8), 0);
  assert_int_not_equal (strncmp (message, "launch: launch: ", 16), 0);
  if (zfi_now_ms () - begin > limit)
    fail_msg ("it took %d ms", (int) (zfi_now_ms () - begin));
  check_clean ();
}

static void
test_exits (void **state)
{
  (void) state;
  write_script ("echo this machine is broken >&2; exit 1");
  launch_fails ("exited with status 1", 5000);
  assert_non_null (strstr (message, script));
  /* What it said, and what to do next. */
  assert_non_null (strstr (message, "this machine is broken"));
  assert_non_null (strstr (message, "-v"));
  /* Nothing is remembered: the same again. */
  launch_fails ("exited with status 1", 5000);
}

static void
test_killed (void **state)
{
  (void) state;
  write_script ("kill -SEGV $$");
  launch_fails ("killed by signal 11", 5000);
}

static void
test_garbage (void **state)
{
  (void) state;
  write_script ("echo garbage >&4; exec sleep 100");
  launch_fails ("QMP", 5000);
  write_script ("head -c 100000 /dev/zero >&4; echo >&4; exec sleep 100");
  launch_fails ("QMP", 5000);
}

static void
test_no_program (void **state)
{
  (void) state;
  unlink (script);
  launch_fails ("does not exist", 1000);
  assert_non_null (strstr (message, script));
  write_script ("");
  assert_int_equal (truncate (script, 0), 0);
  launch_fails (script, 5000);
}

static void
test_closes_channel (void **state)
{
  (void) state;
  write_script (QMP_START "exec 3>&-; exec sleep 100");
  launch_fails ("ended before it was ready", 5000);
}

static void
test_wrong_first_word (void **state)
{
  (void) state;
  write_script (QMP_START "printf 'HTTP' >&3; exec sleep 100");
  launch_fails ("protocol error", 5000);
}

static void
test_ends_while_booting (void **state)
{
  (void) state;
  write_script (QMP_START "echo Kernel panic - not syncing >&5; sleep 0.3; exit 0");
  launch_fails ("exited with status 0", 5000);
  assert_non_null (strstr (message, "Kernel panic"));
}

/* A machine that is stopped never ends by itself. */
static void
test_stopped (void **state)
{
  (void) state;
  write_script (QMP_START "printf '{\"event\": \"STOP\"}\\n' >&4; exec sleep 100");
  launch_fails ("stopped the machine", 5000);
  write_script (QMP_START "while read line <&4; do id=${line##*\\\"id\\\":}; "
                "printf '{\"return\": {\"status\": \"internal-error\"}, \"id\": %s\\n' \"$id\" >&4; done");
  launch_fails ("internal-error", 8000);
  write_script (QMP_START "printf '{\"event\": \"GUEST_PANICKED\"}\\n' >&4; exec sleep 100");
  launch_fails ("panicked", 5000);
}

/* Ready, but then it has nothing to say to the first call. */
static void
test_dies_after_ready (void **state)
{
  (void) state;
  write_script (QMP_START "printf '\\365\\365\\137\\365' >&3; sleep 0.2; exit 7");
  launch_fails ("ended", 5000);
}

/* --- cancelling, and a program that goes away --- */

static void *
cancel_soon (void *opaque)
{
  (void) opaque;
  poll (NULL, 0, 500);
  zf_user_cancel (h);
  return NULL;
}

static void
test_cancel (void **state)
{
  pthread_t thread;

  (void) state;
  write_script (QMP_START "exec sleep 100");
  pthread_create (&thread, NULL, cancel_soon, NULL);
  launch_fails ("", 5000);
  assert_int_equal (message_errno, EINTR);
  pthread_join (thread, NULL);

  write_script ("exec sleep 100");
  pthread_create (&thread, NULL, cancel_soon, NULL);
  launch_fails ("", 5000);
  assert_int_equal (message_errno, EINTR);
  pthread_join (thread, NULL);
}

/* Is there anything in the directory for temporary files? */
static bool
tmp_is_empty (void)
{
  struct dirent *e;
  DIR *d = opendir (tmp);
  bool empty = true;

  while ((e = readdir (d)) != NULL)
    empty = empty && e->d_name[0] == '.';
  closedir (d);
  return empty;
}

static void
test_program_killed (void **state)
{
  char file[96], line[32] = "";
  int64_t until;
  pid_t pid, hv;
  FILE *fp;

  (void) state;
  snprintf (file, sizeof file, "%s/pid", dir);
  snprintf (line, sizeof line, "%s", "");
  {
    char text[512];

    snprintf (text, sizeof text, QMP_START "echo $$ >%s.new; mv %s.new %s; exec sleep 100", file, file, file);
    write_script (text);
  }
  if ((pid = fork ()) == 0) {
    zf_launch (h);
    _exit (0);
  }
  for (until = zfi_now_ms () + 10000; (fp = fopen (file, "r")) == NULL && zfi_now_ms () < until;)
    poll (NULL, 0, 10);
  assert_non_null (fp);
  assert_non_null (fgets (line, sizeof line, fp));
  fclose (fp);
  unlink (file);
  hv = atoi (line);
  assert_int_equal (kill (hv, 0), 0);
  assert_false (tmp_is_empty ());
  kill (pid, SIGKILL);
  waitpid (pid, NULL, 0);
  for (until = zfi_now_ms () + 2000; (kill (hv, 0) == 0 || !tmp_is_empty ()) && zfi_now_ms () < until;)
    poll (NULL, 0, 10);
  assert_true (tmp_is_empty ());
  assert_int_equal (kill (hv, 0), -1);
}

/* --- settings --- */

static void
test_force (void **state)
{
  char *both[] = { (char *) "force_tcg", (char *) "force_kvm", NULL };
  char *kvm[] = { (char *) "force_kvm", NULL };
  char *reason;

  (void) state;
  zf_set_backend_settings (h, both);
  launch_fails ("exclude each other", 1000);
  zf_set_backend_settings (h, kvm);
  if (zfi_probe_kvm ("/dev/kvm", &reason) == ACCEL_TCG) {
    launch_fails ("force_kvm", 5000);
    assert_non_null (strstr (message, reason));
    free (reason);
  }
}

static void
test_drives (void **state)
{
  zf_handle *h2 = zf_create ();
  int i;

  (void) state;
  zf_set_backend (h2, "direct");
  assert_int_equal (zf_launch (h2), -1);
  assert_non_null (strstr (zf_last_error (h2), "no drive"));
  for (i = 0; i < 256; i++)
    if (zf_add_drive (h2, "/dev/null", NULL) == -1)
      break;
  if (i == 256)
    assert_int_equal (zf_launch (h2), -1);
  assert_int_equal (zf_last_errno (h2), EINVAL);
  zf_set_backend (h2, "rubbish");
  assert_int_equal (zf_launch (h2), -1);
  zf_close (h2);
}

static void
test_tmpdir (void **state)
{
  (void) state;
  zf_set_tmpdir (h, "/nonexistent/tmp");
  assert_int_equal (zf_launch (h), -1);
  assert_int_equal (zf_last_errno (h), ENOENT);
  assert_non_null (strstr (zf_last_error (h), "/nonexistent/tmp"));
  zf_set_tmpdir (h, tmp);
}

#define T(f) cmocka_unit_test_setup_teardown (f, setup, teardown)
static const struct CMUnitTest tests[] = {
  T (test_exits), T (test_killed), T (test_garbage), T (test_no_program), T (test_closes_channel),
  T (test_wrong_first_word), T (test_ends_while_booting), T (test_stopped), T (test_dies_after_ready),
  T (test_cancel), T (test_program_killed), T (test_force), T (test_drives), T (test_tmpdir),
};

TEST_MAIN (tests, 150)
