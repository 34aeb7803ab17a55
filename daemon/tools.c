/* The tools root: a disk with programs, mounted read-only when one of them is first needed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run.h"

#define TOOLS "/tools"

/* Mount DISK on TOOLS with the first type that fits; 0, or the errno value of the attempt that says most. */
static int
mount_root (const char *disk)
{
  static const char *const types[] = { "ext4", "ext2", "squashfs", "erofs" };
  int err = ENODEV;

  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (mount (disk, TOOLS, types[i], MS_RDONLY | MS_NOSUID | MS_NOATIME, "") == 0)
      return 0;
    if (errno != ENODEV)    /* ENODEV: a kernel without this type */
      err = errno;
  }
  return err;
}

static int
prepare (struct call *c)
{
  static const char *const binds[] = { "/dev", "/proc", "/sys" };
  static const char *const fresh[] = { "/run", "/tmp" };
  char to[64];

  for (size_t i = 0; i < sizeof binds / sizeof binds[0]; i++) {
    snprintf (to, sizeof to, "%s%s", TOOLS, binds[i]);
    if (mount (binds[i], to, NULL, MS_BIND | MS_REC, NULL) == -1)
      return call_error (c, errno, "cannot bind %s into the tools root", binds[i]);
  }
  for (size_t i = 0; i < sizeof fresh / sizeof fresh[0]; i++) {
    snprintf (to, sizeof to, "%s%s", TOOLS, fresh[i]);
    if (mount ("tmpfs", to, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") == -1)
      return call_error (c, errno, "cannot mount a tmpfs on %s of the tools root", fresh[i]);
  }
  return 0;
}

int
tools_attach (struct call *c, const char *disk)
{
  int err;

  if (c->d->tools != NULL)
    return 0;
  if (mkdir (TOOLS, 0755) == -1 && errno != EEXIST)
    return call_error (c, errno, "cannot make %s", TOOLS);
  if ((err = mount_root (disk)) != 0)
    return call_error (c, err, "cannot mount the tools root: the appliance is damaged; remove its cache");
  if (prepare (c) == -1) {
    umount2 (TOOLS, MNT_DETACH);
    return -1;
  }
  c->d->tools = TOOLS;
  return 0;
}

int
tools_need (struct call *c)
{
  if (!c->d->appliance || c->d->tools != NULL)
    return 0;
  if (c->d->root_disk == NULL)
    return call_refuse (c, ENOTSUP, "this call needs programs that the appliance was started without");
  return tools_attach (c, c->d->root_disk);
}

/* Bind the user's filesystems into the tools root, where it has a place for them. */
static int
bind_sysroot (const char *sysroot)
{
  static const char *const places[] = { TOOLS "/sysroot", TOOLS "/mnt" };

  if (sysroot == NULL)
    return 0;
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
    if (mount (sysroot, places[i], NULL, MS_BIND | MS_REC, NULL) == 0)
      return 0;
  return -1;
}

int
tools_enter (const struct daemon *d, const char **what)
{
  if (d->tools == NULL)
    return 0;
  *what = "cannot enter the tools root";
  /* Its own mounts: what it, or a program that it leaves behind, does to them cannot be seen outside. */
  if (unshare (CLONE_NEWNS) == -1 || mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
      bind_sysroot (d->sysroot) == -1 || chdir (d->tools) == -1 || chroot (".") == -1)
    return -1;
  *what = "cannot start the program";
  return 0;
}
