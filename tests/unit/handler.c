/* What handler.h promises.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "handler.h"
#include "../../daemon/serve.h"

int verbose;
const struct row rows[1] = { { .name = "test", .flags = ROW_CANCEL } };
const size_t nr_rows = 1;

static struct conn conn;
static struct daemon d;
static struct call c;
static int peer = -1;
static char dir[64];

struct call *
handler_again (void)
{
  call_free (&c);
  c = (struct call) { .d = &d, .row = rows };
  return &c;
}

struct call *
handler_begin (void)
{
  int fds[2];

  assert_return_code (socketpair (AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), errno);
  conn_init (&conn, fds[0]);
  peer = fds[1];
  d = (struct daemon) { .conn = &conn };
  strcpy (dir, "/tmp/zf-unit-XXXXXX");
  assert_non_null (mkdtemp (dir));
  return handler_again ();
}

static int
remove_one (const char *path, const struct stat *st, int type, struct FTW *ftw)
{
  (void) st;
  (void) type;
  (void) ftw;
  return remove (path);
}

void
handler_end (void)
{
  handler_again ();
  for (size_t i = 0; i < d.nr_disks; i++) {
    free (d.disks[i].path);
    free (d.disks[i].sysname);
  }
  free (d.disks);
  free (d.root_disk);
  close (conn.fd);
  close (peer);
  nftw (dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *
handler_dir (void)
{
  return dir;
}

char *
handler_path (const char *name)
{
  char *path = call_printf (&c, "%s/%s", dir, name);

  for (char *p = path + strlen (dir) + 1; (p = strchr (p, '/')) != NULL; p++) {
    *p = '\0';
    assert_true (mkdir (path, 0777) == 0 || errno == EEXIST);
    *p = '/';
  }
  return path;
}

void
handler_file (const char *name, const char *text)
{
  FILE *fp = fopen (handler_path (name), "w");

  assert_non_null (fp);
  fputs (text, fp);
  assert_int_equal (fclose (fp), 0);
}

void
handler_link (const char *name, const char *target)
{
  assert_return_code (symlink (target, handler_path (name)), errno);
}

void
handler_error (int err, const char *text)
{
  assert_non_null (c.error);
  if (c.error_errno != err || strstr (c.error, text) == NULL)
    fail_msg ("the error is %d \"%s\", expected %d \"%s\"", c.error_errno, c.error, err, text);
  call_forget_error (&c);
}
