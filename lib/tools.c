/* The tools root: built and attached when the first call needs a program from it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "launch.h"
#include "private-actions.h"

enum { DISK_MS = 60000 };   /* for the disk to appear; what the daemon waits for is a little less */

int
zfi_need_tools (zf_handle *h)
{
  int r;

  if (h->tools_attached || h->backend == NULL || h->backend->add_tools == NULL || h->appliance == NULL)
    return 0;
  if (zfi_appliance_tools (h, h->appliance) == -1)
    return -1;
  if (h->backend->add_tools (h, h->backend_data, h->appliance->root) == -1)
    return -1;
  zfi_set_deadline (h, zfi_now_ms () + DISK_MS);
  r = zfi_internal_add_tools (h, TOOLS_TARGET, 0, DISK_MS - 10000);
  zfi_set_deadline (h, 0);
  if (r == -1)
    return -1;
  h->tools_attached = true;
  return 0;
}
