/* Partitioning a disk: one partition over all of it, without a program from the tools root.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "actions.h"
#include "io.h"
#include "part.h"

/* Make the random numbers of a table, as version 4 UUIDs. */
static int
make_ids (struct call *c, struct part_layout *l)
{
  unsigned char *ids[2] = { l->disk_id, l->partition_id };

  for (size_t i = 0; i < 2; i++) {
    if (getrandom (ids[i], 16, 0) != 16)
      return call_error (c, errno, "cannot get random numbers");
    ids[i][7] = (unsigned char) ((ids[i][7] & 0x0f) | 0x40);    /* the third group is stored low byte first */
    ids[i][8] = (unsigned char) ((ids[i][8] & 0x3f) | 0x80);
  }
  return 0;
}

static int
check_layout (struct call *c, const struct device *dev, const struct part_layout *l)
{
  if (l->total < PART_START + PART_TAIL + 1)
    return call_refuse (c, EINVAL, "%s is too small to be partitioned: it has %" PRIu64 " sectors, and %d "
                        "are needed", dev->name, l->total, PART_START + PART_TAIL + 1);
  if (!l->gpt && l->total - PART_TAIL > UINT64_C (1) << 32)
    return call_refuse (c, EINVAL, "%s is too large for an mbr table: use gpt", dev->name);
  return 0;
}

/* Write those sectors of P that differ from what is there: what reads as zero already is not written. */
static int
write_changes (struct call *c, const struct device *dev, int fd, const struct part_layout *l,
               const unsigned char *p, size_t sectors, uint64_t first)
{
  unsigned char *old = call_alloc (c, sectors * l->sector);

  if (old == NULL || io_read (c, dev->name, fd, old, sectors * l->sector, first * l->sector) == -1)
    return -1;
  for (size_t i = 0; i < sectors; i++) {
    size_t at = i * l->sector;

    if (memcmp (p + at, old + at, l->sector) != 0 &&
        io_write (c, dev->name, fd, p + at, l->sector, (first + i) * l->sector) == -1)
      return -1;
  }
  return 0;
}

static int
write_table (struct call *c, const struct device *dev, int fd, struct part_layout *l)
{
  unsigned char *head, *tail;
  uint64_t size;

  if (device_geometry (c, dev, fd, &size, &l->sector) == -1)
    return -1;
  l->total = size / l->sector;
  if (check_layout (c, dev, l) == -1 || make_ids (c, l) == -1)
    return -1;
  head = call_alloc (c, (size_t) PART_START * l->sector);
  tail = call_alloc (c, (size_t) PART_TAIL * l->sector);
  if (head == NULL || tail == NULL)
    return -1;
  part_build (l, head, tail);
  if (write_changes (c, dev, fd, l, tail, PART_TAIL, l->total - PART_TAIL) == -1 ||
      write_changes (c, dev, fd, l, head, PART_START, 0) == -1)
    return -1;
  return io_sync (c, dev->name, fd);
}

int
do_part_disk (struct call *c, struct device *dev, const char *parttype)
{
  struct part_layout l = { .gpt = strcmp (parttype, "gpt") == 0 || strcmp (parttype, "efi") == 0 };
  int fd, r;

  if (!l.gpt && strcmp (parttype, "mbr") != 0 && strcmp (parttype, "msdos") != 0)
    return call_refuse (c, EINVAL, "unknown type of partition table \"%s\": use mbr or gpt", parttype);
  if (dev->partnum > 0)
    return call_refuse (c, EINVAL, "%s is a partition: name the whole disk", dev->name);
  if (device_flush_caches (c, dev) == -1 || (fd = device_open (c, dev, O_RDWR | O_EXCL)) == -1)
    return -1;
  r = write_table (c, dev, fd, &l);
  close (fd);
  if (r == 0)
    r = device_flush_caches (c, dev);
  return r == 0 ? device_reread (c, dev) : r;
}
