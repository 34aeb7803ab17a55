/* What filesystem a device holds: its type, label and UUID, and a list over all devices.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "run.h"

enum { BLKID_TIMEOUT_S = 120, BTRFS_TIMEOUT_S = 120, NOTHING_FOUND = 2 };

/* What blkid finds under TAG, "" if there is nothing; NULL with the error set. */
static char *
probe (struct call *c, const struct device *dev, const char *tag)
{
  const struct run_how how = { .timeout_s = BLKID_TIMEOUT_S, .fine = 1U << NOTHING_FOUND };
  char *out = NULL;

  if (run_reading (c, dev, run_words (c, "blkid", "-c", "/dev/null", "-p", "-o", "value", "-s", tag, "--",
                                      dev->path, NULL), &out, &how) == -1)
    return NULL;
  out[strcspn (out, "\n")] = '\0';
  return out;
}

char *
do_vfs_type (struct call *c, struct mountable *m)
{
  return probe (c, m->dev, "TYPE");
}

char *
do_vfs_label (struct call *c, struct mountable *m)
{
  return probe (c, m->dev, "LABEL");
}

char *
do_vfs_uuid (struct call *c, struct mountable *m)
{
  return probe (c, m->dev, "UUID");
}

/* --- all filesystems --- */

static bool
ends_with (const char *s, const char *end)
{
  size_t n = strlen (s), m = strlen (end);

  return n >= m && strcmp (s + n - m, end) == 0;
}

/* Does the type say that this is a part of something else, not a filesystem? */
static bool
is_member (const char *type)
{
  return ends_with (type, "_member") || strcmp (type, "crypto_LUKS") == 0 ||
         strcmp (type, "BitLocker") == 0 || strcmp (type, "DM_snapshot_cow") == 0;
}

static int
add_pair (struct call *c, struct list *l, const char *name, const char *type)
{
  return list_add (c, l, name) == -1 ? -1 : list_add (c, l, type);
}

static int
add_filesystem (struct call *c, struct list *l, const char *name)
{
  struct device *dev = device_resolve (c, name, 0);
  const char *type;

  if (dev == NULL || (type = probe (c, dev, "TYPE")) == NULL) {
    /* One that cannot be read must not hide the others. */
    if (c->error_errno == EINTR)
      return -1;
    call_forget_error (c);
    type = "unknown";
  }
  if (is_member (type))
    return 0;
  return add_pair (c, l, name, type[0] ? type : "unknown");
}

/* Is NAME a disk that has partitions? */
static bool
is_partitioned (const char *name, char *const *partitions)
{
  size_t n = strlen (name);

  for (; *partitions != NULL; partitions++)
    if (strncmp (*partitions, name, n) == 0 && (*partitions)[n] >= '0' && (*partitions)[n] <= '9')
      return true;
  return false;
}

/* Volumes that are not active, or an appliance without LVM, are no error. */
static int
add_volumes (struct call *c, struct list *l)
{
  char **volumes = run_has (c->d, "lvm") ? do_lvs (c) : NULL;

  if (volumes == NULL && c->error_errno == EINTR)
    return -1;
  call_forget_error (c);
  for (; volumes != NULL && *volumes != NULL; volumes++)
    if (access (*volumes, F_OK) == 0 && add_filesystem (c, l, *volumes) == -1)
      return -1;
  return 0;
}

char **
do_list_filesystems (struct call *c)
{
  char **disks = do_list_devices (c), **partitions = disks ? do_list_partitions (c) : NULL;
  struct list l = { 0 };

  if (partitions == NULL)
    return NULL;
  for (char **p = disks; *p != NULL; p++)
    if (!is_partitioned (*p, partitions) && add_filesystem (c, &l, *p) == -1)
      return NULL;
  for (char **p = partitions; *p != NULL; p++)
    if (add_filesystem (c, &l, *p) == -1)
      return NULL;
  if (add_volumes (c, &l) == -1)
    return NULL;
  return list_end (c, &l);
}

struct zf_internal_mountable *
do_internal_parse_mountable (struct call *c, struct mountable *m)
{
  struct zf_internal_mountable *r = call_alloc (c, sizeof *r);

  if (r == NULL)
    return NULL;
  r->im_type = m->volume != NULL;
  r->im_device = (char *) m->dev->name;
  r->im_volume = m->volume ? (char *) m->volume : call_strdup (c, "");
  return r->im_volume ? r : NULL;
}
