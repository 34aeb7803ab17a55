/* Volume groups and logical volumes, with the programs of LVM.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "actions.h"
#include "run.h"

enum { LVM_TIMEOUT_S = 600 };

/* LVM in a machine without udev, which may look at the user's disks and at what lies on them, at nothing
 * else, and which leaves no copies of what it did. */
static const char *
configuration (struct call *c)
{
  const char *accept = "";

  for (size_t i = 0; i < c->d->nr_disks && accept != NULL; i++)
    if (c->d->disks[i].sysname != NULL)
      accept = call_printf (c, "%s\"a|^/dev/%sp?[0-9]*$|\", ", accept, c->d->disks[i].sysname);
  return accept == NULL ? NULL :
    call_printf (c, "devices { use_devicesfile=0 obtain_device_list_from_udev=0 "
                 "external_device_info_source=\"none\" "
                 "global_filter=[ %s\"a|^/dev/mapper/|\", \"a|^/dev/md|\", \"r|.*|\" ] } "
                 "activation { udev_sync=0 udev_rules=0 monitoring=0 } "
                 "global { event_activation=0 use_lvmpolld=0 } "
                 "backup { backup=0 archive=0 }", accept);
}

/* The start of a command line "lvm COMMAND --config ...".  0, or -1 with the error set. */
static int
begin (struct call *c, struct list *argv, const char *command)
{
  const char *program = run_find (c, "lvm"), *config = configuration (c);

  /* The kernel makes the control node only when the driver is there; a kernel may also have it built in. */
  if (c->d->appliance)
    init_load_module ("dm_mod");
  if (program == NULL || config == NULL || list_add (c, argv, program) == -1 ||
      list_add (c, argv, command) == -1 || list_add (c, argv, "--config") == -1)
    return -1;
  return list_add (c, argv, config);
}

static int
add_words (struct call *c, struct list *argv, const char *const *words)
{
  for (; *words != NULL; words++)
    if (list_add (c, argv, *words) == -1)
      return -1;
  return 0;
}

/* Run "lvm COMMAND WORD...", with caches written out before and dropped after. */
static int
lvm (struct call *c, char **out, const char *command, const char *const *words)
{
  struct list argv = { 0 };
  char **v;
  int r;

  if (begin (c, &argv, command) == -1 || add_words (c, &argv, words) == -1 ||
      (v = list_end (c, &argv)) == NULL || devices_flush_all (c) == -1)
    return -1;
  r = run_program (c, (const char *const *) v, out, LVM_TIMEOUT_S);
  return devices_flush_all (c) == -1 ? -1 : r;
}

/* A name of a group or volume that nobody can take for an option or a path. */
static int
check_name (struct call *c, const char *what, const char *name)
{
  if (name[0] == '\0' || name[0] == '-' || strchr (name, '/') != NULL)
    return call_refuse (c, EINVAL, "\"%s\" is not a name for a %s", name, what);
  return 0;
}

/* --- lists --- */

/* The lines that a reporting command prints, without the space around them. */
static char **
report (struct call *c, const char *command, const char *const *words)
{
  struct list l = { 0 };
  char *out = NULL, *save = NULL;

  if (lvm (c, &out, command, words) == -1)
    return NULL;
  for (char *line = strtok_r (out, "\n", &save); line != NULL; line = strtok_r (NULL, "\n", &save)) {
    line += strspn (line, " ");
    for (size_t n = strlen (line); n > 0 && line[n - 1] == ' '; )
      line[--n] = '\0';
    if (line[0] != '\0' && list_add (c, &l, line) == -1)
      return NULL;
  }
  return list_end (c, &l);
}

static char **
groups (struct call *c)
{
  return report (c, "vgs", (const char *[]) { "--noheadings", "-o", "vg_name", NULL });
}

char **
do_pvs (struct call *c)
{
  char **v = report (c, "pvs", (const char *[]) { "--noheadings", "-o", "pv_name", NULL });
  struct list l = { 0 };

  if (v == NULL)
    return NULL;
  for (; *v != NULL; v++) {
    const char *name = device_name_out (c, *v);

    if (name != NULL && list_add (c, &l, name) == -1)
      return NULL;
  }
  return list_end (c, &l);
}

char **
do_vgs (struct call *c)
{
  return groups (c);
}

char **
do_lvs (struct call *c)
{
  /* Parts of mirrors, snapshots' stores and thin pools are no volumes to use. */
  char **v = report (c, "lvs", (const char *[]) {
    "--noheadings", "--separator", "/", "-o", "vg_name,lv_name",
    "-S", "lv_role=public && lv_skip_activation!=1", NULL });

  for (size_t i = 0; v != NULL && v[i] != NULL; i++)
    if ((v[i] = call_printf (c, "/dev/%s", v[i])) == NULL)
      return NULL;
  return v;
}

/* --- making and removing --- */

int
do_pvcreate (struct call *c, struct device *dev)
{
  const struct run_how how = { .timeout_s = LVM_TIMEOUT_S };
  struct list argv = { 0 };

  if (begin (c, &argv, "pvcreate") == -1 ||
      add_words (c, &argv, (const char *[]) { "-y", "-ff", "--", dev->path, NULL }) == -1)
    return -1;
  return run_writing (c, dev, list_end (c, &argv), NULL, &how);
}

int
do_vgcreate (struct call *c, const char *volgroup, struct device *const *physvols)
{
  struct list words = { 0 };

  if (check_name (c, "volume group", volgroup) == -1)
    return -1;
  if (physvols[0] == NULL)
    return call_refuse (c, EINVAL, "a volume group needs at least one physical volume");
  if (add_words (c, &words, (const char *[]) { "-y", "--", volgroup, NULL }) == -1)
    return -1;
  for (; *physvols != NULL; physvols++)
    if (list_add (c, &words, (*physvols)->path) == -1)
      return -1;
  return lvm (c, NULL, "vgcreate", (const char *const *) list_end (c, &words));
}

int
do_lvcreate (struct call *c, const char *logvol, const char *volgroup, int mbytes)
{
  const char *size = call_printf (c, "%dM", mbytes);

  if (check_name (c, "volume", logvol) == -1 || check_name (c, "volume group", volgroup) == -1 ||
      size == NULL)
    return -1;
  if (mbytes <= 0)
    return call_refuse (c, EINVAL, "the size has to be 1 MiB or more, not %d", mbytes);
  /* -W n and -Z n: the start of the volume is not wiped here, or a hole would be written to. */
  return lvm (c, NULL, "lvcreate", (const char *[]) {
    "-y", "-W", "n", "-Z", "n", "-L", size, "-n", logvol, "--", volgroup, NULL });
}

int
do_vg_activate_all (struct call *c, bool activate)
{
  return lvm (c, NULL, "vgchange", (const char *[]) { "-a", activate ? "y" : "n", NULL });
}

int
do_lvm_clear_filter (struct call *c)
{
  /* There is no filter but the one that keeps LVM to the user's disks: only look again. */
  return lvm (c, NULL, "pvscan", (const char *[]) { NULL });
}

static int
remove_each (struct call *c, char **names, const char *command)
{
  if (names == NULL)
    return -1;
  for (; *names != NULL; names++)
    if (lvm (c, NULL, command, (const char *[]) { "-y", "-ff", "--", *names, NULL }) == -1)
      return -1;
  return 0;
}

int
do_lvm_remove_all (struct call *c)
{
  char **volumes;

  if (remove_each (c, groups (c), "vgremove") == -1)
    return -1;
  volumes = report (c, "pvs", (const char *[]) { "--noheadings", "-o", "pv_name", NULL });
  return remove_each (c, volumes, "pvremove");
}
