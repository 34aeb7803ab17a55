/* Partition tables with parted: making one, adding and removing partitions, and listing them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "actions.h"
#include "run.h"

enum { PARTED_TIMEOUT_S = 120 };

static const struct run_how how = { .timeout_s = PARTED_TIMEOUT_S };

static int
whole_disk (struct call *c, const struct device *dev)
{
  if (dev->partnum > 0)
    return call_refuse (c, EINVAL, "%s is a partition: name the whole disk", dev->name);
  return 0;
}

/* The name that parted has for a type of table; NULL with the error set. */
static const char *
table_name (struct call *c, const char *parttype)
{
  static const char *const names[][2] = {
    { "mbr", "msdos" }, { "msdos", "msdos" }, { "gpt", "gpt" }, { "efi", "gpt" }, { "aix", "aix" },
    { "amiga", "amiga" }, { "rdb", "amiga" }, { "bsd", "bsd" }, { "dasd", "dasd" }, { "dvh", "dvh" },
    { "mac", "mac" }, { "pc98", "pc98" }, { "sun", "sun" },
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (names[i][0], parttype) == 0)
      return names[i][1];
  call_refuse (c, EINVAL, "unknown type of partition table \"%s\": use mbr or gpt", parttype);
  return NULL;
}

int
do_part_init (struct call *c, struct device *dev, const char *parttype)
{
  const char *name = table_name (c, parttype);

  if (name == NULL || whole_disk (c, dev) == -1)
    return -1;
  return run_writing (c, dev, run_words (c, "parted", "-s", "--", dev->path, "mklabel", name, NULL), NULL,
                      &how);
}

/* Primary, logical and extended, as people shorten them. */
static const char *
kind_name (struct call *c, const char *prlogex)
{
  static const char *const kinds[] = { "primary", "logical", "extended" };

  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    if (strcmp (prlogex, kinds[i]) == 0 || (prlogex[0] == kinds[i][0] && prlogex[1] == '\0'))
      return kinds[i];
  call_refuse (c, EINVAL, "unknown kind of partition \"%s\": use primary, logical or extended", prlogex);
  return NULL;
}

int
do_part_add (struct call *c, struct device *dev, const char *prlogex, int64_t startsect, int64_t endsect)
{
  const char *kind = kind_name (c, prlogex), *start, *end;

  if (kind == NULL || whole_disk (c, dev) == -1)
    return -1;
  if (startsect < 0)
    return call_refuse (c, EINVAL, "a partition cannot start at sector %" PRIi64, startsect);
  start = call_printf (c, "%" PRIi64 "s", startsect);
  end = call_printf (c, "%" PRIi64 "s", endsect);
  if (start == NULL || end == NULL)
    return -1;
  return run_writing (c, dev, run_words (c, "parted", "-s", "--", dev->path, "mkpart", kind, start, end,
                                         NULL), NULL, &how);
}

int
do_part_del (struct call *c, struct device *dev, int partnum)
{
  const char *number = call_printf (c, "%d", partnum);

  if (number == NULL || whole_disk (c, dev) == -1)
    return -1;
  if (partnum <= 0)
    return call_refuse (c, EINVAL, "%d is no number of a partition: they begin with 1", partnum);
  return run_writing (c, dev, run_words (c, "parted", "-s", "--", dev->path, "rm", number, NULL), NULL, &how);
}

/* What parted says of the disk: a line for the disk and one for each partition, fields with colons between.
 * The first of them; *REST is what follows. */
static char *
print_table (struct call *c, struct device *dev, char **rest)
{
  char *out = NULL, *line;

  if (whole_disk (c, dev) == -1)
    return NULL;
  if (run_reading (c, dev, run_words (c, "parted", "-m", "-s", "--", dev->path, "unit", "b", "print", NULL),
                   &out, &how) == -1) {
    /* Programs of libguestfs look at this errno to tell a disk without a table. */
    if (c->error != NULL && strstr (c->error, "unrecognised disk label") != NULL) {
      call_forget_error (c);
      call_refuse (c, EINVAL, "%s holds no partition table that parted knows (unrecognised disk label)",
                   dev->name);
    }
    return NULL;
  }
  if (strncmp (out, "BYT;\n", 5) != 0 || (line = strtok_r (out + 5, "\n", rest)) == NULL) {
    call_refuse (c, EIO, "%s: parted's answer cannot be understood", dev->name);
    return NULL;
  }
  return line;
}

char *
do_part_get_parttype (struct call *c, struct device *dev)
{
  char *rest, *line = print_table (c, dev, &rest), *field = NULL;

  if (line == NULL)
    return NULL;
  /* Path, size, transport, two sector sizes, type.  The path holds no colon. */
  for (int i = 0; i < 6 && line != NULL; i++)
    field = strsep (&line, ":");
  if (line == NULL) {
    call_refuse (c, EIO, "%s: parted names no type of partition table", dev->name);
    return NULL;
  }
  return call_strdup (c, field);
}

static bool
parse_partition (const char *line, struct zf_partition *p)
{
  int n = 0;

  return sscanf (line, "%" SCNd32 ":%" SCNd64 "B:%" SCNd64 "B:%" SCNd64 "B%n", &p->part_num, &p->part_start,
                 &p->part_end, &p->part_size, &n) == 4 && n > 0;
}

struct zf_partition_list *
do_part_list (struct call *c, struct device *dev)
{
  char *rest = NULL, *line = print_table (c, dev, &rest);
  struct zf_partition_list *r = call_alloc (c, sizeof *r);
  size_t lines = 0;

  if (line == NULL || r == NULL)
    return NULL;
  for (const char *p = rest; *p != '\0'; p++)
    lines += *p == '\n';
  if ((r->val = call_alloc (c, (lines + 1) * sizeof *r->val)) == NULL)
    return NULL;
  while ((line = strtok_r (NULL, "\n", &rest)) != NULL && r->len <= lines)
    if (parse_partition (line, &r->val[r->len]))
      r->len++;
    else {
      call_refuse (c, EIO, "%s: parted's answer cannot be understood: %s", dev->name, line);
      return NULL;
    }
  return r;
}
