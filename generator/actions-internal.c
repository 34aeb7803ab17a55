/* The action table: the appliance itself, and calls that only the library makes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "action.h"

const struct action actions_internal[] = {
  { .name = "ping_daemon", .proc = 92,
    .since = "0.1",
    .shortdesc = "test whether the appliance answers",
    .longdesc =
      "Send the daemon in the appliance an empty request.  If this call fails, the appliance is gone.",
    .tests = { { START_ANY, "ping-daemon\n", "" } } },

  { .name = "available_all_groups", .proc = 251,
    .ret = T_STRING_LIST,
    .since = "0.1",
    .shortdesc = "list the feature groups",
    .longdesc =
      "List the names of all groups of features that this appliance may have, sorted, whether or not the "
      "programs that they need are there.",
    .tests = { { START_ANY, "available-all-groups | sed d\n", "" } } },

  { .name = "internal_autosync", .proc = 282,
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "unmount, sync and flush all disks before the appliance is ended" },

  { .name = "internal_parse_mountable", .proc = 396,
    .ret = T_STRUCT, .ret_struct = "internal_mountable",
    .args = { { "mountable", T_MOUNTABLE } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "take the name of a mountable apart" },

  { .name = "internal_write", .proc = 246,
    .args = { { "path", T_PATH }, { "content", T_BUFFER } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "make or overwrite a file" },

  { .name = "internal_write_append", .proc = 290,
    .args = { { "path", T_PATH }, { "content", T_BUFFER } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "add to the end of a file" },

  { .name = "debug", .proc = 76,
    .ret = T_STRING,
    .args = { { "subcmd", T_STRING }, { "extraargs", T_STRING_LIST } },
    .flags = F_PROGRESS | F_CANCEL | F_TOOLS,
    .since = "0.1",
    .shortdesc = "look into the appliance, for tests",
    .longdesc =
      "Look into the running appliance.  This is for the tests of this project and may change: C<subcmd> C<help> "
      "lists what there is.",
    .tests = {
      { START_ANY, "debug help \"\" | grep -c progress\n", "1\n" },
      { START_ANY, "debug nonsense \"\"\n", "", .error = "nonsense" },
    } },

  { .name = "internal_feature_available", .proc = 458,
    .ret = T_INT,                               /* 0: available, 1: not available, 2: unknown group */
    .args = { { "group", T_STRING } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "is a feature group available" },

  { .name = "internal_hello", .proc = 10000,
    .ret = T_INT,                               /* version of the private protocol: 1 */
    .args = { { "seconds", T_INT64 }, { "nanoseconds", T_INT64 }, { "random", T_BUFFER } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "introduce the library, with the time and 64 random bytes" },

  { .name = "internal_add_disk", .proc = 10001,
    .ret = T_DEVICE,
    .args = {
      { "target", T_INT }, { "lun", T_INT }, { "timeoutms", T_INT },
      { "readonly", T_BOOL }, { "discard", T_BOOL },
      { "raw", T_BOOL },        /* a raw image with discard: punching holes never takes space, wherever it is */
      { "cluster", T_INT },     /* of an image whose clusters can be marked zero, in bytes; 0: other */
    },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "wait for a SCSI disk and make it the next user disk" },

  { .name = "internal_add_tools", .proc = 10002,
    .args = { { "target", T_INT }, { "lun", T_INT }, { "timeoutms", T_INT } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "wait for the SCSI disk with the tools root and mount it" },

  { .name = "internal_hints_begin", .proc = 10003,
    .ret = T_STRUCT, .ret_struct = "hint_place",
    .args = { { "device", T_DEVICE } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "flush all caches of a device, and say where on which disk it lies" },

  { .name = "internal_hints_add", .proc = 10004,
    .args = { { "extents", T_BUFFER } },        /* as common/wire.h has them; directly after begin or add */
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "say for the next call where the device is zero or allocated" },

  { .name = "internal_set_chunk", .proc = 10010,
    .ret = T_INT,                               /* what the daemon takes: at most that, at least 8192 */
    .args = { { "size", T_INT } },
    .flags = F_PRIVATE,
    .since = "0.1",
    .shortdesc = "agree on the largest chunk of a file, in bytes" },

  { .name = NULL }
};
