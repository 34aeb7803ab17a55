/* Functions behind the actions: the library's own ones, and private calls to the daemon.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_PRIVATE_ACTIONS_H
#define ZEROFISH_PRIVATE_ACTIONS_H

#include "zerofish.h"

/* Actions that the library carries out itself, written by hand.  The handle is locked, arguments are
 * not NULL, OPTS may be; the bits in it are known and their pointers not NULL.  -1 or NULL with the
 * error set. */
extern struct zf_small *zfi_local (zf_handle *h, const char *filename, char *const *texts,
                                   const struct zf_local_opts *opts);
extern int zfi_set_up (zf_handle *h, const char *filename);

/* Calls to the daemon that only the library makes.  The handle is locked by the caller. */
extern struct zf_hidden *zfi_internal_secret (zf_handle *h, const void *random, size_t random_size);

#endif /* ZEROFISH_PRIVATE_ACTIONS_H */
