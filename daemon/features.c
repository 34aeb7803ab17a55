/* Feature groups: which parts of the interface have what they need.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <string.h>

#include "actions.h"
#include "run.h"

#define BUILTIN ""

/* Names that programs ask for.  No program: a group that this daemon does not have. */
static const struct group {
  const char *name;
  const char *program;
} groups[] = {
  { "acl", NULL }, { "augeas", NULL }, { "blkdiscard", BUILTIN }, { "blkdiscardzeroes", BUILTIN },
  { "btrfs", NULL }, { "extlinux", NULL }, { "f2fs", NULL }, { "fstrim", BUILTIN }, { "gdisk", NULL },
  { "grub", NULL }, { "hivex", NULL }, { "inotify", NULL }, { "journal", NULL }, { "ldm", NULL },
  { "libtsk", NULL }, { "libyara", NULL }, { "linuxcaps", NULL }, { "linuxfsuuid", NULL },
  { "linuxmodules", NULL }, { "linuxxattrs", NULL }, { "luks", "cryptsetup" }, { "lvm2", "lvm" }, { "mdadm", NULL },
  { "mknod", NULL }, { "ntfs3g", NULL }, { "ntfsprogs", NULL }, { "realpath", NULL }, { "rsync", NULL },
  { "scrub", BUILTIN }, { "selinux", NULL }, { "selinuxrelabel", NULL }, { "sleuthkit", NULL },
  { "squashfs", NULL }, { "syslinux", NULL }, { "wipefs", "wipefs" }, { "xfs", "mkfs.xfs" }, { "xz", NULL },
  { "zerofree", "zerofree" },
};
enum { NR_GROUPS = sizeof groups / sizeof groups[0] };
enum { AVAILABLE = 0, NOT_AVAILABLE = 1, UNKNOWN = 2 };

int
do_internal_feature_available (struct call *c, const char *group)
{
  for (size_t i = 0; i < NR_GROUPS; i++) {
    if (strcmp (groups[i].name, group) != 0)
      continue;
    if (groups[i].program == NULL)
      return NOT_AVAILABLE;
    if (groups[i].program[0] == '\0')
      return AVAILABLE;
    if (tools_need (c) == -1) {
      call_forget_error (c);
      return NOT_AVAILABLE;
    }
    return run_has (c->d, groups[i].program) ? AVAILABLE : NOT_AVAILABLE;
  }
  return UNKNOWN;
}

char **
do_available_all_groups (struct call *c)
{
  struct list l = { 0 };

  for (size_t i = 0; i < NR_GROUPS; i++)
    if (list_add (c, &l, groups[i].name) == -1)
      return NULL;
  return list_end (c, &l);
}
