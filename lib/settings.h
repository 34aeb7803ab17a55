/* Settings of a new handle.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_SETTINGS_H
#define ZEROFISH_SETTINGS_H

#include "internal.h"

/* Set the defaults, then what the environment says.  0 or an errno value. */
extern int zfi_default_settings (zf_handle *h);

#endif /* ZEROFISH_SETTINGS_H */
