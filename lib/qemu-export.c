/* The drives of a running qemu as NBD exports, on a socket that only this user can reach: for asking about
 * them, not for reading them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "launch.h"

enum { QMP_MS = 3000 };

static int
run (zf_handle *h, struct qmp *q, const char *command, json_t *args, json_t **ret)
{
  char *text;

  if (qmp_command (q, command, args, ret, zfi_now_ms () + QMP_MS, &text) == 0)
    return 0;
  zfi_error (h, errno, "%s: %s", command, text != NULL ? text : "out of memory");
  free (text);
  return -1;
}

char *
zfi_qemu_start_nbd (zf_handle *h, struct qmp *q)
{
  char *path;
  json_t *args;

  if (asprintf (&path, "%s/nbd", h->workdir) == -1) {
    zfi_perror (h, ENOMEM, "NBD server");
    return NULL;
  }
  if (strlen (path) >= sizeof ((struct sockaddr_un *) NULL)->sun_path) {
    zfi_error (h, ENAMETOOLONG, "%s: this name is too long for a socket (see TMPDIR)", path);
    goto error;
  }
  args = json_pack ("{s:{s:s, s:{s:s}}, s:i}", "addr", "type", "unix", "data", "path", path,
                    "max-connections", 0);
  if (args == NULL) {
    zfi_error (h, EILSEQ, "%s: the name is not valid UTF-8", path);
    goto error;
  }
  if (run (h, q, "nbd-server-start", args, NULL) == 0)
    return path;
 error:
  free (path);
  return NULL;
}

/* Has the node called NAME another image below it?  -1 with the error set. */
static int
is_backed (zf_handle *h, struct qmp *q, const char *name)
{
  json_t *nodes, *node;
  size_t i;
  int r = -1;

  if (run (h, q, "query-named-block-nodes", json_pack ("{s:b}", "flat", 1), &nodes) == -1)
    return -1;
  json_array_foreach (nodes, i, node) {
    const char *s = json_string_value (json_object_get (node, "node-name"));
    const json_t *depth = json_object_get (node, "backing_file_depth");

    /* A flat answer may not count the depth, but names the file. */
    if (s != NULL && strcmp (s, name) == 0 && json_is_integer (depth))
      r = json_integer_value (depth) > 0 || json_string_length (json_object_get (node, "backing_file")) > 0;
  }
  json_decref (nodes);
  return r != -1 ? r : zfi_error (h, EPROTO, "qemu does not describe the node %s", name);
}

int
zfi_qemu_export (zf_handle *h, struct qmp *q, const char *node)
{
  int backed = is_backed (h, q, node);
  json_t *args;

  if (backed == -1)
    return -1;
  args = json_pack ("{s:s, s:s, s:s, s:s, s:b}", "type", "nbd", "id", node, "node-name", node, "name", node,
                    "writable", 0);
  return run (h, q, "block-export-add", args, NULL) == -1 ? -1 : backed;
}
