/* What the storage below a raw image can do with holes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/falloc.h>

#include "internal.h"

bool
zfi_drive_shows_holes (const struct zf_drive *d)
{
  int fd = open (d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat st;
  bool r = false;

  if (fd == -1)
    return false;
  if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode))
    r = st.st_blocks >= st.st_size / 512 || lseek (fd, 0, SEEK_HOLE) < st.st_size;
  close (fd);
  return r;
}

/* A partition has its disk's queue. */
static bool
device_punches (dev_t dev)
{
  static const char *const places[] = { "", "/.." };
  unsigned long long most = 0;
  char name[64];
  FILE *fp;

  for (size_t i = 0; i < 2; i++) {
    snprintf (name, sizeof name, "/sys/dev/block/%u:%u%s/queue/write_zeroes_max_bytes",
              major (dev), minor (dev), places[i]);
    if ((fp = fopen (name, "re")) == NULL)
      continue;
    if (fscanf (fp, "%llu", &most) != 1)
      most = 0;
    fclose (fp);
    break;
  }
  return most > 0;
}

bool
zfi_drive_discards (const struct zf_drive *d)
{
  return d->scratch || (!d->readonly && d->discard != DISCARD_DISABLE);
}

bool
zfi_drive_punches (const struct zf_drive *d)
{
  struct stat st;
  bool r = false;
  int fd;

  if (d->scratch)
    return true;
  if (!zfi_drive_discards (d) || d->nbd != NULL || strcmp (d->format, "raw") != 0)
    return false;
  if ((fd = open (d->path, O_RDWR | O_CLOEXEC | O_NONBLOCK)) == -1)
    return false;
  if (fstat (fd, &st) == 0) {
    if (S_ISBLK (st.st_mode))
      r = device_punches (st.st_rdev);
    else                        /* beyond the end, where there is nothing */
      r = fallocate (fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (st.st_size | 0xfffff) + 1, 4096) == 0;
  }
  close (fd);
  return r;
}
