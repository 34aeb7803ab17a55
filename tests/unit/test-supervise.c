/* The supervising child: the program that it runs has only what it was given, and never outlives who asked
 * for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "launch.h"

static struct zfi_child child;
static int output[2];       /* what the program writes comes out of the first */

/* Start a shell command. */
static int
start (const char *command, const char *workdir)
{
  char *argv[] = { (char *) "/bin/sh", (char *) "-c", (char *) command, NULL };
  const int fds[2] = { output[1], output[0] };

  return zfi_child_start (&child, argv, output[1], fds, 2, workdir);
}

static int
setup (void **state)
{
  (void) state;
  return pipe2 (output, O_CLOEXEC | O_NONBLOCK);
}

static int
teardown (void **state)
{
  (void) state;
  close (output[0]);
  close (output[1]);
  return 0;
}

/* The new directory has two files in it. */
static char *
make_dir (void)
{
  char *dir = strdup ("/tmp/zerofish-super-XXXXXX"), file[64];
  int i;

  assert_non_null (mkdtemp (dir));
  for (i = 0; i < 2; i++) {
    snprintf (file, sizeof file, "%s/file%d", dir, i);
    close (open (file, O_CREAT | O_WRONLY, 0600));
  }
  return dir;
}

static bool
exists (const char *path)
{
  struct stat st;

  return stat (path, &st) == 0;
}

/* Runs, and is no zombie. */
static bool
alive (pid_t pid)
{
  char path[64], line[256] = "";
  FILE *fp;

  snprintf (path, sizeof path, "/proc/%d/stat", (int) pid);
  if ((fp = fopen (path, "r")) == NULL)
    return false;
  if (fgets (line, sizeof line, fp) == NULL)
    line[0] = '\0';
  fclose (fp);
  return strstr (line, ") Z ") == NULL && line[0] != '\0';
}

static bool
gone_within (pid_t pid, const char *dir, int ms)
{
  int64_t until = zfi_now_ms () + ms;

  while (alive (pid) || (dir != NULL && exists (dir))) {
    if (zfi_now_ms () >= until)
      return false;
    poll (NULL, 0, 10);
  }
  return true;
}

static void
no_children_left (void)
{
  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);
  assert_int_equal (errno, ECHILD);
}

static void
test_ends_by_itself (void **state)
{
  char *dir = make_dir (), buf[256], how[64];
  ssize_t n;

  (void) state;
  assert_int_equal (start ("cd /proc/self/fd; echo *; echo e >&2; exit 3", dir), 0);
  assert_true (child.pid > 0);
  assert_true (zfi_child_wait (&child, zfi_now_ms () + 10000));
  assert_string_equal (zfi_child_how (&child, how, sizeof how), "exited with status 3");
  n = read (output[0], buf, sizeof buf - 1);
  assert_true (n > 0);
  buf[n] = '\0';
  /* The shell itself may hold one more, the directory that it lists. */
  if (strcmp (buf, "0 1 2 3 4\ne\n") != 0 && strcmp (buf, "0 1 2 3 4 5\ne\n") != 0)
    fail_msg ("descriptors: %s", buf);
  assert_true (exists (dir));
  zfi_child_stop (&child);
  assert_false (exists (dir));
  no_children_left ();
  free (dir);
}

static void
test_cannot_exec (void **state)
{
  char *argv[] = { (char *) "/nonexistent/program", NULL };

  (void) state;
  assert_int_equal (zfi_child_start (&child, argv, output[1], NULL, 0, NULL), -1);
  assert_int_equal (errno, ENOENT);
  argv[0] = (char *) "/etc";
  assert_int_equal (zfi_child_start (&child, argv, output[1], NULL, 0, NULL), -1);
  assert_int_equal (errno, EACCES);
  no_children_left ();
}

static void
test_stop (void **state)
{
  char *dir = make_dir ();
  int64_t begin = zfi_now_ms ();
  pid_t pid;

  (void) state;
  assert_int_equal (start ("trap '' TERM HUP INT; sleep 100 & wait", dir), 0);
  pid = child.pid;
  assert_false (zfi_child_ended (&child));
  /* Out of reach of the terminal's ^C. */
  assert_int_not_equal (getsid (pid), getsid (0));
  assert_int_not_equal (getpgid (pid), getpgid (0));
  zfi_child_stop (&child);
  assert_false (alive (pid));
  assert_false (exists (dir));
  assert_true (zfi_now_ms () - begin < 3000);
  no_children_left ();
  free (dir);
}

/* The program's whole life under a parent that is killed.  It leaves the pid in the pipe. */
static void
run_and_be_killed (const char *command, const char *dir)
{
  pid_t parent = fork (), pid;

  assert_int_not_equal (parent, -1);
  if (parent == 0) {
    if (start (command, dir) == -1 || write (output[1], &child.pid, sizeof pid) != sizeof pid)
      _exit (1);
    for (;;)
      pause ();
  }
  while (read (output[0], &pid, sizeof pid) != sizeof pid)
    poll (NULL, 0, 5);
  assert_true (alive (pid));
  kill (parent, SIGKILL);
  waitpid (parent, NULL, 0);
  assert_true (gone_within (pid, dir, 2000));
}

static void
test_parent_killed (void **state)
{
  char *dir = make_dir ();

  (void) state;
  run_and_be_killed ("exec sleep 100", dir);
  free (dir);
  dir = make_dir ();
  run_and_be_killed ("trap '' TERM; while :; do sleep 0.1; done", dir);
  free (dir);
}

/* A copy of the socket in a process that was forked later must not keep the program alive. */
static void
test_parent_killed_but_forked (void **state)
{
  char *dir = make_dir ();
  pid_t parent = fork (), pids[2];

  (void) state;
  if (parent == 0) {
    if (start ("exec sleep 100", dir) == -1)
      _exit (1);
    pids[0] = child.pid;
    if ((pids[1] = fork ()) == 0)
      for (;;)
        pause ();
    if (write (output[1], pids, sizeof pids) != sizeof pids)
      _exit (1);
    for (;;)
      pause ();
  }
  while (read (output[0], pids, sizeof pids) != sizeof pids)
    poll (NULL, 0, 5);
  kill (parent, SIGKILL);
  waitpid (parent, NULL, 0);
  assert_true (gone_within (pids[0], dir, 2500));
  kill (pids[1], SIGKILL);
  free (dir);
}

static void *
start_in_thread (void *opaque)
{
  (void) opaque;
  return start ("exec sleep 100", NULL) == 0 ? &child : NULL;
}

static void
test_thread_ends (void **state)
{
  pthread_t thread;
  void *r;

  (void) state;
  assert_int_equal (pthread_create (&thread, NULL, start_in_thread, NULL), 0);
  pthread_join (thread, &r);
  assert_non_null (r);
  poll (NULL, 0, 1200);
  assert_false (zfi_child_ended (&child));
  assert_true (alive (child.pid));
  zfi_child_stop (&child);
  no_children_left ();
}

static void
test_supervisor_killed (void **state)
{
  pid_t pid;

  (void) state;
  assert_int_equal (start ("exec sleep 100", NULL), 0);
  pid = child.pid;
  kill (child.supervisor, SIGKILL);
  assert_true (zfi_child_wait (&child, zfi_now_ms () + 5000));
  assert_true (gone_within (pid, NULL, 2000));
  zfi_child_stop (&child);
  no_children_left ();
}

/* Programs that handle, ignore or collect the end of children in their own way. */
static void
test_sigchld_ignored (void **state)
{
  pid_t pid;

  (void) state;
  signal (SIGCHLD, SIG_IGN);
  assert_int_equal (start ("exec sleep 100", NULL), 0);
  pid = child.pid;
  zfi_child_stop (&child);
  assert_false (alive (pid));
  assert_int_equal (start ("exit 0", NULL), 0);
  assert_true (zfi_child_wait (&child, zfi_now_ms () + 5000));
  assert_int_equal (child.status, 0);
  zfi_child_stop (&child);
  signal (SIGCHLD, SIG_DFL);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup_teardown (test_ends_by_itself, setup, teardown),
  cmocka_unit_test_setup_teardown (test_cannot_exec, setup, teardown),
  cmocka_unit_test_setup_teardown (test_stop, setup, teardown),
  cmocka_unit_test_setup_teardown (test_parent_killed, setup, teardown),
  cmocka_unit_test_setup_teardown (test_parent_killed_but_forked, setup, teardown),
  cmocka_unit_test_setup_teardown (test_thread_ends, setup, teardown),
  cmocka_unit_test_setup_teardown (test_supervisor_killed, setup, teardown),
  cmocka_unit_test_setup_teardown (test_sigchld_ignored, setup, teardown),
};

TEST_MAIN (tests, 60)
