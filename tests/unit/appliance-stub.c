/* An appliance of two files that need not exist, for tests of launching that never boot one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>

#include "internal.h"

static struct zfi_appliance stub = {
  .dir = (char *) "/", .kernel = (char *) "/dev/null", .initrd = (char *) "/dev/null",
};

struct zfi_appliance *
zfi_appliance_get (zf_handle *h)
{
  (void) h;
  return &stub;
}

int
zfi_appliance_tools (zf_handle *h, struct zfi_appliance *a)
{
  (void) a;
  return zfi_error (h, ENOENT, "there are no tools in this test");
}

void
zfi_appliance_free (struct zfi_appliance *a)
{
  (void) a;
}
