/* A machine's state in a file: writing it from a running qemu, and going on from it in another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

enum { COMMAND_MS = 10000, SAVE_MS = 30000, LOAD_MS = 20000, LOOK_MS = 3 };

/* By default qemu holds back, as for a network. */
static const json_int_t bandwidth = (json_int_t) 16 << 30;

static int
command (struct qmp *q, const char *name, json_t *args, json_t **ret, char **why)
{
  return qmp_command (q, name, args, ret, zfi_now_ms () + COMMAND_MS, why);
}

/* The string that KEY has in the answer of query NAME, into BUF; 0, or -1. */
static int
query (struct qmp *q, const char *name, const char *key, char *buf, size_t size, char **why)
{
  json_t *ret = NULL;
  const char *s;

  if (command (q, name, NULL, &ret, why) == -1)
    return -1;
  s = json_string_value (json_object_get (ret, key));
  snprintf (buf, size, "%s", s != NULL ? s : "");
  json_decref (ret);
  return 0;
}

/* Ask again and again until the answer is none of the passing ones. */
static int
wait_status (struct qmp *q, const char *name, const char *const *passing, int limit_ms, char *buf,
             size_t size, char **why)
{
  int64_t deadline = zfi_now_ms () + limit_ms;
  size_t i;

  for (;;) {
    if (query (q, name, "status", buf, size, why) == -1)
      return -1;
    for (i = 0; passing[i] != NULL && strcmp (passing[i], buf) != 0; i++)
      ;
    if (passing[i] == NULL)
      return 0;
    if (zfi_now_ms () >= deadline) {
      errno = ETIMEDOUT;
      *why = strdup ("it took too long");
      return -1;
    }
    /* What it says meanwhile (events) ends this wait early, which does no harm. */
    q->wait (q->opaque, -1, 0, zfi_now_ms () + LOOK_MS);
  }
}

/* Write the state of the stopped machine to FD. */
static int
write_state (struct qmp *q, int fd, char **why)
{
  static const char *const passing[] = { "", "setup", "active", "device", "wait-unplug", "pre-switchover",
                                         NULL };
  char status[32];

  if (command (q, "migrate-set-parameters", json_pack ("{s:I}", "max-bandwidth", bandwidth), NULL, why) == -1
      || qmp_pass_fd (q, "state", fd, zfi_now_ms () + COMMAND_MS, why) == -1
      || command (q, "migrate", json_pack ("{s:s}", "uri", "fd:state"), NULL, why) == -1
      || wait_status (q, "query-migrate", passing, SAVE_MS, status, sizeof status, why) == -1)
    return -1;
  if (strcmp (status, "completed") == 0)
    return 0;
  errno = EIO;
  *why = strdup ("qemu could not write it");
  return -1;
}

/* Let the machine run again.  The state is written a moment before the machine is done with it. */
static int
go_on (struct qmp *q, char **why)
{
  static const char *const passing[] = { "finish-migrate", NULL };
  char status[32];

  if (wait_status (q, "query-status", passing, SAVE_MS, status, sizeof status, why) == -1)
    return -1;
  return command (q, "cont", NULL, NULL, why);
}

int
zfi_qemu_cont (struct qmp *q, char **why)
{
  return command (q, "cont", NULL, NULL, why);
}

int
zfi_qemu_save (struct qmp *q, int fd, bool *running, char **why)
{
  char *why_not = NULL;
  int r;

  *why = NULL;
  *running = true;
  if (command (q, "stop", NULL, NULL, why) == -1)
    return -1;
  r = write_state (q, fd, why);
  *running = go_on (q, &why_not) == 0;
  if (*running)
    return r;
  free (*why);
  *why = why_not;
  return -1;
}

int
zfi_qemu_resume (struct qmp *q, char **why)
{
  static const char *const passing[] = { "inmigrate", NULL };
  char status[32];

  *why = NULL;
  if (wait_status (q, "query-status", passing, LOAD_MS, status, sizeof status, why) == -1)
    return -1;
  return command (q, "cont", NULL, NULL, why);
}
