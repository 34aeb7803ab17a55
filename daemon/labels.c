/* Labels of disks: the serial numbers that their drives were given.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <string.h>

#include "actions.h"
#include "devices.h"

enum { LABEL_MAX = 20, PAGE_HEADER = 4 };

/* The serial number of a disk, if it is a label: letters only.  Others were made up, to tell disks apart. */
static bool
read_label (const struct daemon *d, const struct disk *disk, char label[LABEL_MAX + 1])
{
  unsigned char page[PAGE_HEADER + 256];
  ssize_t n = disk->sysname ? sysfs_read_bytes (d, page, sizeof page, "block/%s/device/vpd_pg80",
                                                disk->sysname) : -1;
  size_t len = 0;

  if (n <= PAGE_HEADER)
    return false;
  for (const unsigned char *p = page + PAGE_HEADER; p < page + n; p++) {
    if (*p == ' ' || *p == '\0')         /* filled up at either end */
      continue;
    if (len == LABEL_MAX || !((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')))
      return false;
    label[len++] = (char) *p;
  }
  label[len] = '\0';
  return len > 0;
}

static int
add_pair (struct call *c, struct list *l, const char *label, const char *name)
{
  return label == NULL || list_add (c, l, label) == -1 ? -1 : list_add (c, l, name);
}

/* A disk and its partitions: "data" and "data1", "data2", ... */
static int
add_labels (struct call *c, struct list *l, const char *label, const char *disk, char *const *partitions)
{
  size_t n = strlen (disk);

  if (add_pair (c, l, label, disk) == -1)
    return -1;
  for (; *partitions != NULL; partitions++)
    if (strncmp (*partitions, disk, n) == 0 && (*partitions)[n] >= '0' && (*partitions)[n] <= '9' &&
        add_pair (c, l, call_printf (c, "%s%s", label, *partitions + n), *partitions) == -1)
      return -1;
  return 0;
}

char **
do_list_disk_labels (struct call *c)
{
  char **partitions = do_list_partitions (c), label[LABEL_MAX + 1];
  struct list l = { 0 };

  if (partitions == NULL)
    return NULL;
  for (size_t i = 0; i < c->d->nr_disks; i++) {
    const char *name = device_index_name (c, i);

    if (name == NULL || (read_label (c->d, &c->d->disks[i], label) &&
                         add_labels (c, &l, label, name, partitions) == -1))
      return NULL;
  }
  return list_end (c, &l);
}
