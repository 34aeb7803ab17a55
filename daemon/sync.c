/* Getting what was written onto the disks, and caches out of the way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "actions.h"

/* Write back what the filesystems below the sysroot, and all other caches, hold. */
static int
sync_filesystems (struct call *c)
{
  int fd, r = 0;

  if (c->d->appliance)
    sync ();
  /* Tests have files below a directory: only these, not all that the machine does. */
  if (!sysroot_mounted (c->d))
    return 0;
  if ((fd = open (c->d->sysroot, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
    return call_error (c, errno, "cannot open the sysroot");
  if (syncfs (fd) == -1)
    r = call_error (c, errno, "cannot sync the filesystem");
  close (fd);
  return r;
}

/* Flush every disk of the user, down to the drive itself. */
static int
flush_disks (struct call *c)
{
  int r = 0;

  for (size_t i = 0; i < c->d->nr_disks; i++) {
    const char *name = device_index_name (c, i);
    int fd = open (c->d->disks[i].path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd == -1 || (fsync (fd) == -1 && errno != EINVAL && errno != EROFS))
      r = call_error (c, errno, "cannot flush %s", name ? name : "a disk");
    if (fd != -1)
      close (fd);
    if (r == 0)
      r = call_poll (c);
  }
  return r;
}

int
do_sync (struct call *c)
{
  int r = sync_filesystems (c);

  return flush_disks (c) == -1 ? -1 : r;
}

int
do_internal_autosync (struct call *c)
{
  int r = do_umount_all (c);

  /* Whatever went wrong with one step, the others still save what they can. */
  if (sync_filesystems (c) == -1 || flush_disks (c) == -1)
    r = -1;
  return r;
}

int
do_drop_caches (struct call *c, int whattodrop)
{
  FILE *fp;
  bool ok;

  if (whattodrop < 1 || whattodrop > 3)
    return call_refuse (c, EINVAL, "%d is not a set of caches: use 1, 2 or 3 (everything)", whattodrop);
  if (do_sync (c) == -1)
    return -1;
  if (!c->d->appliance)
    return 0;               /* the caches are the host's, and no business of ours */
  if ((fp = fopen ("/proc/sys/vm/drop_caches", "we")) == NULL)
    return call_error (c, errno, "cannot open /proc/sys/vm/drop_caches");
  ok = fprintf (fp, "%d\n", whattodrop) > 0;
  if (fclose (fp) == EOF || !ok)
    return call_error (c, errno, "cannot drop the caches");
  return 0;
}
