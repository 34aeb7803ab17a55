/* Backend unix:PATH: use a daemon that already runs and listens on a Unix domain socket.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "internal.h"

static int
unix_start (zf_handle *h, const struct zfi_appliance *a __attribute__ ((unused)),
            enum zfi_accel accel __attribute__ ((unused)), void **data, int *channel_fd, int *console_fd)
{
  const char *path = strchr (h->backend_name, ':');
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  int fd;

  path = path ? path + 1 : "";
  if (path[0] != '/')
    return zfi_error (h, EINVAL, "backend unix: the socket's absolute path must follow, as in "
                      "unix:/run/zerofishd.sock");
  if (strlen (path) >= sizeof addr.sun_path)
    return zfi_error (h, ENAMETOOLONG, "%s: the path of a socket may have at most %zu bytes", path,
                      sizeof addr.sun_path - 1);
  strcpy (addr.sun_path, path);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd == -1 || connect (fd, (struct sockaddr *) &addr, sizeof addr) == -1) {
    zfi_perror (h, errno, "%s", path);
    if (fd != -1)
      close (fd);
    return -1;
  }
  *data = NULL;
  *channel_fd = fd;
  *console_fd = -1;
  return 0;
}

/* The connection itself says when the daemon is gone. */
static int
unix_check (zf_handle *h __attribute__ ((unused)), void *data __attribute__ ((unused)),
            char **why __attribute__ ((unused)))
{
  return 0;
}

static int
unix_stop (zf_handle *h __attribute__ ((unused)), void *data __attribute__ ((unused)),
           bool force __attribute__ ((unused)))
{
  return 0;
}

static pid_t
unix_pid (void *data __attribute__ ((unused)))
{
  return 0;
}

static int
unix_add_drive (zf_handle *h, void *data __attribute__ ((unused)), size_t index __attribute__ ((unused)))
{
  return zfi_error (h, ENOTSUP, "drives cannot be added to a daemon that already runs");
}

static int
unix_add_tools (zf_handle *h, void *data __attribute__ ((unused)), const char *root __attribute__ ((unused)))
{
  return zfi_error (h, ENOTSUP, "a daemon that already runs must bring its own tools");
}

const struct zf_backend zfi_backend_unix = {
  .name = "unix",
  .hotplug = true,
  .external = true,
  .start = unix_start,
  .add_drive = unix_add_drive,
  .add_tools = unix_add_tools,
  .check = unix_check,
  .stop = unix_stop,
  .pid = unix_pid,
};
