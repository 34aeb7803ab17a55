/* Trace lines of actions, and the check that no argument is NULL.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_TRACE_H
#define ZEROFISH_TRACE_H

#include "internal.h"

/* Trace the call with its arguments if tracing is on; -1 with the error set if one is NULL. */
extern int zfi_trace_enter (zf_handle *h, const struct zfi_action *a, va_list args);
/* Trace its end. */
extern void zfi_trace_leave (zf_handle *h, const struct zfi_action *a, bool ok);

#endif /* ZEROFISH_TRACE_H */
