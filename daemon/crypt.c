/* Encrypted devices, with cryptsetup; keys reach it through a pipe and are on no command line.
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

enum { CRYPT_TIMEOUT_S = 1800 };

/* cryptsetup finds out by itself which ciphers there are; the kernel loads them when asked by name. */
static void
load_driver (const struct call *c)
{
  if (c->d->appliance)
    init_load_module ("dm_crypt");
}

static int
check_map_name (struct call *c, const char *name)
{
  if (name[0] == '\0' || name[0] == '-' || strchr (name, '/') != NULL || strcmp (name, ".") == 0 ||
      strcmp (name, "..") == 0 || strcmp (name, "control") == 0)
    return call_refuse (c, EINVAL, "\"%s\" is not a name for a mapping below /dev/mapper", name);
  return 0;
}

int
do_luks_format (struct call *c, struct device *dev, const char *key, int keyslot)
{
  const struct run_how how = { .timeout_s = CRYPT_TIMEOUT_S, .input = key, .input_size = strlen (key) };
  const char *slot = call_printf (c, "%d", keyslot);

  if (slot == NULL)
    return -1;
  if (keyslot < 0 || keyslot > 31)
    return call_refuse (c, EINVAL, "%d is not a key slot: they are 0 to 7, in the newer format to 31",
                        keyslot);
  load_driver (c);
  return run_writing (c, dev, run_words (c, "cryptsetup", "-q", "luksFormat", "--key-slot", slot,
                                         "--key-file", "-", "--", dev->path, NULL), NULL, &how);
}

/* Open DEV under /dev/mapper/MAPNAME as a device of TYPE (NULL: whatever LUKS it is). */
static int
open_mapping (struct call *c, const struct device *dev, const char *key, const char *mapname, bool readonly,
              const char *type, const char *cipher)
{
  const struct run_how how = { .timeout_s = CRYPT_TIMEOUT_S, .input = key, .input_size = strlen (key) };
  const char *program = run_find (c, "cryptsetup"), *path = call_printf (c, "/dev/mapper/%s", mapname);
  const char *words[] = { program, "-q", "open", "--type", type ? type : "luks", "--key-file", "-", NULL };
  struct list argv = { 0 };

  if (program == NULL || path == NULL || check_map_name (c, mapname) == -1)
    return -1;
  if (access (path, F_OK) == 0)
    return call_refuse (c, EEXIST, "%s exists already: use another name, or close it first", path);
  for (size_t i = 0; words[i] != NULL; i++)
    if (list_add (c, &argv, words[i]) == -1)
      return -1;
  if ((readonly && list_add (c, &argv, "--readonly") == -1) ||
      (cipher && (list_add (c, &argv, "--cipher") == -1 || list_add (c, &argv, cipher) == -1)) ||
      list_add (c, &argv, "--") == -1 || list_add (c, &argv, dev->path) == -1 ||
      list_add (c, &argv, mapname) == -1)
    return -1;
  load_driver (c);
  return run_reading (c, dev, list_end (c, &argv), NULL, &how);
}

int
do_luks_open (struct call *c, struct device *dev, const char *key, const char *mapname)
{
  return open_mapping (c, dev, key, mapname, false, NULL, NULL);
}

int
do_cryptsetup_open (struct call *c, struct device *dev, const char *key, const char *mapname,
                    const struct zf_cryptsetup_open_opts *opts)
{
  const uint64_t given = opts ? opts->bitmask : 0;

  return open_mapping (c, dev, key, mapname, (given & ZF_CRYPTSETUP_OPEN_OPTS_READONLY) && opts->readonly,
                       given & ZF_CRYPTSETUP_OPEN_OPTS_CRYPTTYPE ? opts->crypttype : NULL,
                       given & ZF_CRYPTSETUP_OPEN_OPTS_CIPHER ? opts->cipher : NULL);
}

/* Close the mapping that DEV is. */
static int
close_mapping (struct call *c, const struct device *dev)
{
  static const char prefix[] = "/dev/mapper/";
  const struct run_how how = { .timeout_s = CRYPT_TIMEOUT_S };

  if (strncmp (dev->name, prefix, strlen (prefix)) != 0)
    return call_refuse (c, EINVAL, "%s is not a mapping: name it as /dev/mapper/NAME", dev->name);
  return run_reading (c, dev, run_words (c, "cryptsetup", "close", "--", dev->name + strlen (prefix), NULL),
                      NULL, &how);
}

int
do_luks_close (struct call *c, struct device *dev)
{
  return close_mapping (c, dev);
}

int
do_cryptsetup_close (struct call *c, struct device *dev)
{
  return close_mapping (c, dev);
}
