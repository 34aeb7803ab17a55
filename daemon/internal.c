/* What the library asks for itself: greeting, disks as they come, and the tools root.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "actions.h"
#include "disks.h"
#include "run.h"

enum { PRIVATE_VERSION = 1, MAX_DISKS = 255, MAX_RANDOM = 512 };

int
do_ping_daemon (struct call *c)
{
  (void) c;
  return 0;
}

/* Give the kernel random bytes that count, and make it use them at once: two machines that were restored from
 * one state must not draw the same numbers. */
static int
credit_random (struct call *c, const char *bytes, size_t n)
{
  union {
    struct rand_pool_info info;
    char space[sizeof (struct rand_pool_info) + MAX_RANDOM];
  } pool;
  int fd = open ("/dev/urandom", O_RDWR | O_CLOEXEC), r = 0;

  if (n > MAX_RANDOM)
    n = MAX_RANDOM;
  pool.info.entropy_count = (int) n * 8;
  pool.info.buf_size = (int) n;
  memcpy (pool.info.buf, bytes, n);
  if (fd == -1 || ioctl (fd, RNDADDENTROPY, &pool) == -1 || ioctl (fd, RNDRESEEDCRNG) == -1)
    r = call_error (c, errno, "cannot add random bytes");
  if (fd != -1)
    close (fd);
  explicit_bzero (&pool, sizeof pool);
  return r;
}

int
do_internal_hello (struct call *c, int64_t seconds, int64_t nanoseconds, const char *random,
                   size_t random_size)
{
  const struct timespec now = { .tv_sec = seconds, .tv_nsec = nanoseconds };

  if (c->d->appliance) {
    if (clock_settime (CLOCK_REALTIME, &now) == -1)
      return call_error (c, errno, "cannot set the clock");
    if (random_size > 0 && credit_random (c, random, random_size) == -1)
      return -1;
  }
  c->d->hello = true;
  c->d->chunk_max = 0;
  return PRIVATE_VERSION;
}

int
do_internal_set_chunk (struct call *c, int size)
{
  if (size < ZF_CHUNK_MAX || size % 4 != 0)
    return call_refuse (c, EINVAL, "%d bytes cannot be the size of a chunk", size);
  c->d->chunk_max = size < ZF_CHUNK_AGREED_MAX ? size : ZF_CHUNK_AGREED_MAX;
  return (int) c->d->chunk_max;
}

/* A disk with discard is to release what is zeroed; the kernel does so only if told. */
static void
set_zeroing_mode (const struct daemon *d, const struct scsi_disk *s)
{
  if (sysfs_write (d, "writesame_16_unmap", "class/scsi_disk/%d:%d:%d:%d/zeroing_mode",
                   s->host, s->channel, s->target, s->lun) == -1 && verbose)
    dprintf (2, "zerofishd: %s: cannot set its zeroing mode: %s\n", s->sysname, strerror (errno));
}

char *
do_internal_add_disk (struct call *c, int target, int lun, int timeoutms, bool readonly, bool discard,
                      bool raw, int cluster)
{
  struct daemon *d = c->d;
  struct scsi_disk s;
  struct disk *disk;

  if (d->nr_disks >= MAX_DISKS) {
    call_refuse (c, E2BIG, "there are %d disks already", MAX_DISKS);
    return NULL;
  }
  for (size_t i = 0; i < d->nr_disks; i++)
    if (d->disks[i].sysname != NULL && d->disks[i].target == target && d->disks[i].lun == lun) {
      call_refuse (c, EEXIST, "the disk at target %d, lun %d was added before", target, lun);
      return NULL;
    }
  if (disks_wait_scsi (c, target, lun, timeoutms, &s) == -1)
    return NULL;
  if ((disk = disks_add_scsi (d, &s)) == NULL) {
    call_error (c, errno, "cannot add the disk at target %d, lun %d", target, lun);
    return NULL;
  }
  disk->readonly |= readonly;
  disk->discard = discard;
  disk->raw = raw;
  /* What makes no sense is as good as unknown. */
  if (cluster >= 512 && cluster <= MAX_CLUSTER && (cluster & (cluster - 1)) == 0)
    disk->cluster = cluster;
  if (discard)
    set_zeroing_mode (d, &s);
  return device_index_name (c, d->nr_disks - 1);
}

int
do_internal_add_tools (struct call *c, int target, int lun, int timeoutms)
{
  const char *sysname, *path;

  if (c->d->tools != NULL)
    return 0;
  if (!c->d->appliance)
    return call_refuse (c, ENOTSUP, "this daemon does not run in an appliance, which alone has a tools root");
  if ((sysname = devices_wait (c, target, lun, timeoutms)) == NULL ||
      (path = call_printf (c, "/dev/%s", sysname)) == NULL)
    return -1;
  return tools_attach (c, path);
}
