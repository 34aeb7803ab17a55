/* What a build without libvirt says when it is asked for a libvirt guest.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>

#include "internal.h"
#include "private-actions.h"

int
zfi_add_domain (zf_handle *h, const char *name, const struct zf_add_domain_opts *opts __attribute__ ((unused)))
{
  return zfi_error (h, ENOTSUP, "%s: this zerofish was built without libvirt", name);
}

static const struct zfi_action action_add_dom = { .name = "add_libvirt_dom", .flags = ZFI_CONFIG, .types = "" };

int
zf_add_libvirt_dom (zf_handle *h, void *dom __attribute__ ((unused)),
                    const struct zf_add_domain_opts *opts __attribute__ ((unused)))
{
  if (zfi_enter (h, &action_add_dom) == -1)
    return -1;
  zfi_error (h, ENOTSUP, "this zerofish was built without libvirt");
  zfi_leave (h, false);
  return -1;
}
