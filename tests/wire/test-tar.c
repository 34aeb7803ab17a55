/* Archives end to end: what goes in comes out, hostile ones stay below the sysroot, and streams that fail early or are
 * cut off.
 *
 * The child of the daemon makes the sysroot its root, which only the superuser can do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../unit/test.h"
#include "client.h"
#include "procs.h"

static struct client c;
static char work[] = "sysroot-tar-XXXXXX";

/* A shell command in the sysroot, or (with OUTSIDE) beside it, where $S is the sysroot. */
static void
shell (const char *command)
{
  char *all = NULL;

  assert_int_not_equal (asprintf (&all, "set -e; S=$PWD/%s; cd %s; %s", c.sysroot, work, command), -1);
  if (system (all) != 0)
    fail_msg ("failed: %s", command);
  free (all);
}

static int
setup (void **state)
{
  (void) state;
  if (geteuid () != 0)
    skip ();
  client_start_disks (&c, (const off_t[]) { 65536, 0 });
  assert_int_equal (mkdir (work, 0700), 0);
  return 0;
}

static int
teardown (void **state)
{
  (void) state;
  shell ("rm -rf ../$(basename $PWD)");
  client_do (&c, PING_DAEMON, "");
  assert_int_equal (client_end (&c), 0);
  return 0;
}

static void
send_call (int proc, const char *compress)
{
  struct buf b = { 0 };

  put_string (&b, "/");
  put_string (&b, compress);
  for (int i = 0; i < 5; i++)           /* enough for both: false, and an empty list */
    put_int (&b, 0);
  client_call (&c, proc, compress[0] ? 1 : 0, &b);
}

/* Send a file of the work directory as the library does: if the daemon says that it wants no more, a cancelled
 * chunk ends it. */
static void
send_file (const char *name)
{
  struct pollfd pfd = { .fd = c.conn.fd, .events = POLLIN };
  char path[256], buf[8192];
  ssize_t n;
  int fd;

  snprintf (path, sizeof path, "%s/%s", work, name);
  fd = open (path, O_RDONLY);
  assert_int_not_equal (fd, -1);
  while ((n = read (fd, buf, sizeof buf)) > 0) {
    if (poll (&pfd, 1, 0) == 1) {
      client_send_chunk (&c, "", 0, 1);
      close (fd);
      return;
    }
    client_send_chunk (&c, buf, n, 0);
  }
  close (fd);
  client_send_chunk (&c, "", 0, 0);
}

static void
tar_in (const char *name, const char *compress)
{
  send_call (TAR_IN, compress);
  send_file (name);
  client_ok (&c, TAR_IN);
}

/* At most one flag, then one error that holds TEXT. */
static void
expect_failure (const char *text)
{
  int flags = 0;

  while (client_next (&c), c.got == GOT_CANCEL || c.got == GOT_PROGRESS)
    flags += c.got == GOT_CANCEL;
  assert_in_range (flags, 0, 1);
  assert_int_equal (c.got, GOT_FRAME);
  assert_int_equal (c.header.proc, TAR_IN);
  assert_int_equal (c.header.status, ZF_ERROR);
  if (strstr (c.message, text) == NULL)
    fail_msg ("the message '%s' does not contain '%s'", c.message, text);
}

static void
tar_in_fails (const char *name, const char *compress, const char *text)
{
  send_call (TAR_IN, compress);
  send_file (name);
  expect_failure (text);
}

static void
tar_out (const char *name, const char *compress)
{
  struct buf b = { 0 };
  char path[256];
  FILE *fp;

  send_call (TAR_OUT, compress);
  client_ok (&c, TAR_OUT);
  assert_int_equal (client_read_file (&c, &b), 0);
  snprintf (path, sizeof path, "%s/%s", work, name);
  fp = fopen (path, "w");
  assert_non_null (fp);
  assert_int_equal (fwrite (b.data, 1, b.len, fp), b.len);
  assert_int_equal (fclose (fp), 0);
  buf_free (&b);
}

/* A tree with everything that a filesystem can have. */
static void
make_tree (void)
{
  shell ("mkdir -p tree/deep/er; cd tree;"
         "seq 100000 >deep/numbers; ln deep/numbers hard; ln -s deep/er/../numbers soft; ln -s /nowhere dangling;"
         "chmod 751 deep; chown 12:34 hard; chmod u+s hard; mkfifo fifo; mknod null c 1 3; touch -d 2001-02-03 deep/er;"
         "truncate -s 20M sparse; printf end >>sparse; : >empty;"
         "printf x >'a b'; printf x >-rf; printf x >\"$(printf '\\303\\251\\n\\377')\";"
         "n=$(printf %0200d 7); printf x >$n; mkdir $n$n 2>/dev/null || mkdir -p d$n/$n; printf x >d$n/$n/f");
}

static void
check_tree (const char *where)
{
  char command[1000];

  /* Kind, mode, owner, links, and time of what is no directory that was written to. */
  snprintf (command, sizeof command,
            "(cd tree && find . -printf '%%p %%y %%m %%U %%G %%n %%l %%Ts\\n' | LC_ALL=C sort) >want;"
            "(cd %s && find . -printf '%%p %%y %%m %%U %%G %%n %%l %%Ts\\n' | LC_ALL=C sort) >got;"
            "cmp want got || { diff want got >&2; exit 1; };"
            "for f in deep/numbers sparse 'a b' -rf empty; do cmp \"tree/$f\" \"%s/$f\"; done;"
            "test $(du -k %s/sparse | cut -f1) -lt 1000", where, where, where);
  shell (command);
}

static void
test_there_and_back (void **state)
{
  static const char *const compress[] = { "", "gzip", "bzip2", "xz", "lzma", "zstd" };

  (void) state;
  make_tree ();
  for (size_t i = 0; i < sizeof compress / sizeof compress[0]; i++) {
    char command[200];

    shell ("find $S -mindepth 1 -delete; tar -C tree -cf in.tar .");
    if (compress[i][0]) {
      snprintf (command, sizeof command, "%s <in.tar >in.z", compress[i]);
      shell (command);
    }
    tar_in (compress[i][0] ? "in.z" : "in.tar", compress[i]);
    check_tree ("$S");
    tar_out ("out.tar", compress[i]);
    snprintf (command, sizeof command, "rm -rf out; mkdir out; %s%s out.tar | tar -C out -xpf -",
              compress[i][0] ? compress[i] : "cat", compress[i][0] ? " -dc <" : "");
    shell (command);
    check_tree ("out");
  }
  shell ("find $S -mindepth 1 -delete; tar -C tree -cf in.tar .; : >none");
  tar_out ("out.tar", "compress");
  tar_in ("out.tar", "compress");
  tar_in ("none", "");
}

/* Nothing of an archive, and nothing that lies in the sysroot, leads out of it. */
static void
test_hostile (void **state)
{
  (void) state;
  shell ("mkdir outside; echo precious >outside/f; mkdir t; cd t; echo evil >f; mkdir d; echo evil >d/f;"
         "tar -cPf ../up.tar --transform 's,^f$,../outside/f,' f;"
         "tar -cPf ../deep.tar --transform 's,^f$,a/../../outside/f,' f;"
         "tar -cPf ../absolute.tar --transform \"s,^f\\$,$(dirname $S)/$(basename $OLDPWD)/outside/f,\" f;"
         "ln -s $(dirname $PWD)/outside link; tar -cf ../link.tar link;"
         "rm link; mkdir link; cp f link/f; tar -rf ../link.tar link/f;"
         "ln f hard; tar -cPf ../hard.tar --transform \"s,^f\\$,$(dirname $PWD)/outside/f,\" f hard");
  tar_in_fails ("up.tar", "", "..");
  tar_in_fails ("deep.tar", "", "..");
  tar_in ("absolute.tar", "");
  shell ("test \"$(cat $S/$PWD/outside/f)\" = evil");
  send_call (TAR_IN, "");
  send_file ("link.tar");
  client_reply (&c, TAR_IN);            /* made below the sysroot, or refused */
  send_call (TAR_IN, "");
  send_file ("hard.tar");
  client_reply (&c, TAR_IN);

  /* Links that were there before, and a FIFO and a device in the way. */
  shell ("find $S -mindepth 1 -delete; ln -s ../../../../../../../../../$PWD/outside $S/d; mkfifo $S/f; cd t;"
         "tar -cf ../in.tar d/f f");
  send_call (TAR_IN, "");
  send_file ("in.tar");
  client_reply (&c, TAR_IN);
  shell ("test \"$(cat outside/f)\" = precious; test $(ls outside | wc -l) = 1; ! test -e t/../../outside");
}

static void
test_refused (void **state)
{
  (void) state;
  shell ("head -c 50000000 /dev/urandom >random; : >$S/file; mkdir t; head -c 20000000 /dev/zero >t/z;"
         "tar -cf big.tar t/z; head -c 10000000 big.tar >cut.tar; gzip -c big.tar >big.gz; cat random >>big.gz");
  tar_in_fails ("random", "", "archive");
  tar_in_fails ("random", "nonsense", "nonsense");
  tar_in_fails ("random", "gzip", "");
  tar_in_fails ("cut.tar", "", "runcated");
  tar_in_fails ("big.gz", "", "archive");
  send_call (TAR_OUT, "nonsense");
  client_error (&c, TAR_OUT, "EINVAL", "nonsense");
  /* The library's own file breaks. */
  send_call (TAR_IN, "");
  client_send_chunk (&c, "half", 4, 0);
  client_send_chunk (&c, "", 0, 1);
  expect_failure ("cancelled");
}

/* The library has had enough of an archive that has no end. */
static void
test_cancel_out (void **state)
{
  int64_t start;

  (void) state;
  shell ("yes | head -c 30000000 >$S/f; cp $S/f $S/g; for i in 1 2 3 4 5 6 7 8 9; do ln $S/f $S/f$i; done");
  send_call (TAR_OUT, "xz");
  client_ok (&c, TAR_OUT);
  assert_int_not_equal (client_read_chunk (&c), -1);
  start = client_now_ms ();
  client_send_word (&c, ZF_CANCEL_FLAG);
  client_read_file (&c, NULL);
  assert_true (client_now_ms () - start < 10000);
}

static void
test_excludes (void **state)
{
  struct buf b = { 0 };

  (void) state;
  shell ("mkdir -p $S/keep/skip $S/skipped; : >$S/keep/skip/f; : >$S/keep/f; : >$S/skip");
  put_string (&b, "/");
  put_string (&b, "");
  put_int (&b, 1);
  put_int (&b, 2);
  put_string (&b, "sk*");
  put_string (&b, "nothing");
  for (int i = 0; i < 3; i++)
    put_int (&b, 1);
  client_call (&c, TAR_OUT, 4, &b);
  client_ok (&c, TAR_OUT);
  assert_int_equal (client_read_file (&c, &b), 0);
  for (size_t i = 0; i + 4 < b.len; i++)
    assert_memory_not_equal (b.data + i, "skip", 4);
  assert_true (b.len > 1024);
  buf_free (&b);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test_setup_teardown (test_there_and_back, setup, teardown),
  cmocka_unit_test_setup_teardown (test_hostile, setup, teardown),
  cmocka_unit_test_setup_teardown (test_refused, setup, teardown),
  cmocka_unit_test_setup_teardown (test_excludes, setup, teardown),
  cmocka_unit_test_setup_teardown (test_cancel_out, setup, teardown),
};

int
main (void)
{
  alarm (300);
  if (geteuid () != 0) {
    fputs ("SKIP: only the superuser can change the root directory\n", stderr);
    return 77;
  }
  if (mkdtemp (work) == NULL || rmdir (work) == -1)
    return 1;
  return cmocka_run_group_tests (tests, NULL, NULL) != 0;
}
