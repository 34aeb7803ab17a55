/* Running programs: arguments arrive as they are, output has bounds, crashes and endless programs are errors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "handler.h"
#include "../../daemon/run.h"
#include "../../daemon/serve.h"

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
  assert_int_equal (waitpid (-1, NULL, WNOHANG), -1);       /* no child is left */
  handler_end ();
  return 0;
}

static int
shell (const char *script, char **out, int timeout_s)
{
  const char *argv[] = { "/bin/sh", "-c", script, NULL };

  return run_program (c, argv, out, timeout_s);
}

static void
test_arguments (void **state)
{
  const char *argv[] = {
    "/bin/sh", "-c", "printf '<%s>' \"$@\"", "sh", "-rf", "$(touch /tmp/x)", "a b", "", "`id`", "--",
    "\n;", "*", NULL,
  };
  char *out;

  (void) state;
  assert_int_equal (run_program (c, argv, &out, 10), 0);
  assert_string_equal (out, "<-rf><$(touch /tmp/x)><a b><><`id`><--><\n;><*>");
}

static void
test_environment (void **state)
{
  char *out;

  (void) state;
  assert_int_equal (shell ("echo $LC_ALL; pwd; cat; ls /proc/self/fd | wc -l", &out, 10), 0);
  assert_string_equal (out, "C\n/\n4\n");     /* standard input is empty, and no other descriptor is there */
}

static void
test_failure (void **state)
{
  (void) state;
  assert_int_equal (shell ("echo out; printf 'bad \\033[31mthing\\n' >&2; exit 3", NULL, 10), -1);
  handler_error (EIO, "sh: bad ?[31mthing");
  assert_int_equal (shell ("exit 3", NULL, 10), -1);
  handler_error (EIO, "sh: exit status 3");
  assert_int_equal (shell ("kill -SEGV $$", NULL, 10), -1);
  handler_error (EIO, "killed by signal 11");
  assert_int_equal (run_program (c, (const char *[]) { "/nonexistent/program", NULL }, NULL, 10), -1);
  handler_error (EIO, "program: cannot start");
}

static void
test_bounds (void **state)
{
  char *out;

  (void) state;
  assert_int_equal (shell ("head -c 1048576 /dev/zero | tr '\\0' x", &out, 20), 0);
  assert_int_equal (strlen (out), RUN_OUTPUT_MAX);
  assert_int_equal (shell ("head -c 1048577 /dev/zero | tr '\\0' x", &out, 20), -1);
  handler_error (EOVERFLOW, "wrote more than");
  assert_int_equal (shell ("head -c 9999999 /dev/zero | tr '\\0' e >&2; exit 1", NULL, 20), -1);
  assert_in_range (strlen (c->error), RUN_ERRORS_MAX, RUN_ERRORS_MAX + 64);
  call_forget_error (c);
}

static void
test_time_limit (void **state)
{
  int64_t start = serve_now_ms ();

  (void) state;
  assert_int_equal (shell ("sleep 60 & sleep 60", NULL, 1), -1);
  handler_error (ETIMEDOUT, "did not end in time");
  /* A program that leaves another one with its output open is over when it ends. */
  assert_int_equal (shell ("sleep 60 & echo done", NULL, 10), 0);
  assert_int_equal (shell ("exec >&- 2>&-; sleep 0.3", NULL, 10), 0);
  assert_in_range (serve_now_ms () - start, 1000, 8000);
}

static void
test_cancel (void **state)
{
  int64_t start = serve_now_ms ();

  (void) state;
  c->cancelled = true;
  assert_int_equal (shell ("yes; sleep 60", NULL, 0), -1);
  handler_error (EINTR, "cancelled");
  assert_in_range (serve_now_ms () - start, 0, 5000);
}

static void
test_find (void **state)
{
  (void) state;
  assert_non_null (run_find (c, "sh"));
  assert_null (run_find (c, "no-such-program"));
  handler_error (ENOTSUP, "no-such-program is not in the appliance");
  assert_false (run_has (c->d, "../../etc/passwd"));
  c->d->appliance = true;
  assert_null (run_find (c, "sh"));
  handler_error (ENOTSUP, "started without");
  c->d->appliance = false;
}

int
main (void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown (test_arguments, setup, teardown),
    cmocka_unit_test_setup_teardown (test_environment, setup, teardown),
    cmocka_unit_test_setup_teardown (test_failure, setup, teardown),
    cmocka_unit_test_setup_teardown (test_bounds, setup, teardown),
    cmocka_unit_test_setup_teardown (test_time_limit, setup, teardown),
    cmocka_unit_test_setup_teardown (test_cancel, setup, teardown),
    cmocka_unit_test_setup_teardown (test_find, setup, teardown),
  };
  int before = test_open_fds (), r;

  alarm (120);
  signal (SIGPIPE, SIG_IGN);
  r = cmocka_run_group_tests (tests, NULL, NULL);
  return r != 0 || test_open_fds () != before;
}
