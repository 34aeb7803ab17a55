/* Checking, resizing and naming filesystems with the programs of the tools root.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "actions.h"
#include "run.h"

enum { FSCK_TIMEOUT_S = 24 * 3600, MKSWAP_TIMEOUT_S = 600 };

int
do_e2fsck (struct call *c, struct device *dev, const struct zf_e2fsck_opts *opts)
{
  const uint64_t given = opts ? opts->bitmask : 0;
  const bool correct = (given & ZF_E2FSCK_OPTS_CORRECT) && opts->correct;
  const bool all = (given & ZF_E2FSCK_OPTS_FORCEALL) && opts->forceall;
  /* 1: errors were corrected.  2 also wants a restart, which only a mounted root needs. */
  const struct run_how how = { .timeout_s = FSCK_TIMEOUT_S, .fine = 1U << 1 | 1U << 2 };

  if (correct && all)
    return call_refuse (c, EINVAL, "only one of correct and forceall can be given");
  return run_writing (c, dev, run_words (c, "e2fsck", "-f", correct ? "-p" : all ? "-y" : "-n", dev->path,
                                         NULL), NULL, &how);
}

int
do_resize2fs (struct call *c, struct device *dev)
{
  const struct run_how check = { .timeout_s = FSCK_TIMEOUT_S, .fine = 1U << 1 | 1U << 2 };
  const struct run_how how = { .timeout_s = FSCK_TIMEOUT_S };

  /* It refuses what was not checked since it was last mounted. */
  if (run_writing (c, dev, run_words (c, "e2fsck", "-f", "-p", dev->path, NULL), NULL, &check) == -1)
    return -1;
  return run_writing (c, dev, run_words (c, "resize2fs", "--", dev->path, NULL), NULL, &how);
}

int
do_mkswap (struct call *c, struct device *dev, const struct zf_mkswap_opts *opts)
{
  const uint64_t given = opts ? opts->bitmask : 0;
  const struct run_how how = { .timeout_s = MKSWAP_TIMEOUT_S };
  const char *program = run_find (c, "mkswap");
  struct list argv = { 0 };

  if (program == NULL || list_add (c, &argv, program) == -1 || list_add (c, &argv, "-f") == -1)
    return -1;
  if ((given & ZF_MKSWAP_OPTS_LABEL) &&
      (list_add (c, &argv, "-L") == -1 || list_add (c, &argv, opts->label) == -1))
    return -1;
  if ((given & ZF_MKSWAP_OPTS_UUID) &&
      (list_add (c, &argv, "-U") == -1 || list_add (c, &argv, opts->uuid) == -1))
    return -1;
  if (list_add (c, &argv, "--") == -1 || list_add (c, &argv, dev->path) == -1)
    return -1;
  return run_writing (c, dev, list_end (c, &argv), NULL, &how);
}
