/* A machine ends with its program, whatever ends that, and a machine that hangs ends with the cancelled
 * call; no process and no file is left.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "rig.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

/* The program itself is killed: teardown finds whatever is left of the machine. */
static void
test_program_killed (void **state)
{
  char *image = make_image ("image", 1048576, "text");
  int pipefd[2];
  pid_t program, pid;

  (void) state;
  assert_int_equal (pipe2 (pipefd, O_CLOEXEC), 0);
  if ((program = fork ()) == 0) {
    add_image (h, image, true);
    launch (h);
    pid = emulator (h);
    if (write (pipefd[1], &pid, sizeof pid) != sizeof pid)
      _exit (1);
    for (;;)
      pause ();
  }
  close (pipefd[1]);
  assert_int_equal (read (pipefd[0], &pid, sizeof pid), sizeof pid);
  close (pipefd[0]);
  assert_true (alive (pid));
  kill (program, SIGKILL);
  waitpid (program, NULL, 0);
  assert_true (gone_within (pid, 2000));
  /* The supervisor removes the overlay a moment later. */
  poll (NULL, 0, 300);
  free (image);
}

/* A copy of the program that was forked and closes its copy of the handle does not take the machine down. */
static void
test_forked_copy (void **state)
{
  char *image = make_image ("image", 1048576, "text");
  int status;
  pid_t pid;

  (void) state;
  add_image (h, image, true);
  launch (h);
  if ((pid = fork ()) == 0) {
    zf_close (h);
    _exit (0);
  }
  assert_int_equal (waitpid (pid, &status, 0), pid);
  assert_int_equal (status, 0);
  assert_true (alive (emulator (h)));
  expect_text (h, "/dev/sda", "text");
  assert_int_equal (access (h->workdir, F_OK), 0);
  free (image);
}

static void *
cancel_soon (void *opaque)
{
  (void) opaque;
  poll (NULL, 0, 600);
  zf_user_cancel (h);
  return NULL;
}

/* An emulator that hangs ends with the cancelled call. */
static void
test_emulator_hangs (void **state)
{
  char *image = make_image ("image", 1048576, "text");
  pthread_t thread;
  int64_t begin;
  pid_t pid;

  (void) state;
  add_image (h, image, false);
  launch (h);
  pid = emulator (h);
  kill (pid, SIGSTOP);
  h->cancel_patience_ms = 1000;
  begin = zfi_now_ms ();
  pthread_create (&thread, NULL, cancel_soon, NULL);
  assert_int_equal (zf_ping_daemon (h), -1);
  pthread_join (thread, NULL);
  assert_true (zfi_now_ms () - begin < 10000);
  assert_true (gone_within (pid, 2000));
  assert_int_equal (zf_is_config (h), 1);
  free (image);
}

#define T(f) cmocka_unit_test_setup_teardown (f, rig_setup, rig_teardown)
static const struct CMUnitTest tests[] = {
  T (test_program_killed), T (test_forked_copy), T (test_emulator_hangs),
};

TEST_MAIN (tests, 600)
