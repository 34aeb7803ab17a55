/* Which backend runs the appliance, and the backend settings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <string.h>

#include "launch.h"

static const struct zf_backend *const backends[] = {
  &zfi_backend_direct, &zfi_backend_unix,
#ifdef HAVE_LIBVIRT
  &zfi_backend_libvirt,
#endif
};

bool
zfi_backend_setting (zf_handle *h, const char *name)
{
  char **s;

  for (s = h->backend_settings; s != NULL && *s != NULL; ++s) {
    size_t n = strlen (name);

    /* As users write them: NAME or NAME=1. */
    if (strncmp (*s, name, n) == 0 && ((*s)[n] == '\0' || strcmp (*s + n, "=1") == 0))
      return true;
  }
  return false;
}

bool
zfi_backend_setting_is (zf_handle *h, const char *name, const char *value)
{
  size_t n = strlen (name);
  char **s;

  for (s = h->backend_settings; s != NULL && *s != NULL; ++s)
    if (strncmp (*s, name, n) == 0 && (*s)[n] == '=' && strcmp (*s + n + 1, value) == 0)
      return true;
  return false;
}

/* A name may carry the backend's own argument after a colon ("libvirt:URI"): *ARG, or NULL. */
const struct zf_backend *
zfi_backend_find (zf_handle *h, const char *name, const char **arg)
{
  size_t i, n;

  if (arg != NULL)
    *arg = NULL;
  if (name == NULL || name[0] == '\0')
    return &zfi_backend_direct;
  n = strcspn (name, ":");
  for (i = 0; i < sizeof backends / sizeof backends[0]; ++i)
    if (strlen (backends[i]->name) == n && strncmp (backends[i]->name, name, n) == 0) {
      if (arg != NULL && name[n] == ':')
        *arg = name + n + 1;
      return backends[i];
    }
  zfi_error (h, EINVAL, "there is no backend called '%s': use 'direct', "
#ifdef HAVE_LIBVIRT
             "'libvirt', 'libvirt:URI' "
#endif
             "or 'unix:PATH'", name);
  return NULL;
}
