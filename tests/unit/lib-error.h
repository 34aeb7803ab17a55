/* Looking at the last error of a handle.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_LIB_ERROR_H
#define ZEROFISH_LIB_ERROR_H

#include <string.h>

#include "test.h"
#include "zerofish.h"

/* Its text holds TEXT, and its errno is ERR. */
static inline void
assert_error (zf_handle *h, int err, const char *text)
{
  const char *msg = zf_last_error (h);

  assert_non_null (msg);
  if (strstr (msg, text) == NULL)
    fail_msg ("the error is \"%s\" and does not hold \"%s\"", msg, text);
  assert_int_equal (zf_last_errno (h), err);
}

#endif /* ZEROFISH_LIB_ERROR_H */
