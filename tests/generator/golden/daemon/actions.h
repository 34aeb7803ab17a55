/* The handlers of the daemon, one for each action.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_DAEMON_ACTIONS_H
#define ZEROFISH_DAEMON_ACTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "zerofish-structs.h"
#include "protocol.h"
#include "daemon.h"

/* Each returns -1 or NULL after call_error; results are in the call's memory. */

/* all_names: take a name of every kind. */
extern int do_all_names (struct call *c, struct mountable *mountable, const char *path,
                         struct device_or_path *place, const char *key);

/* all_values: take a value of every type. */
extern int do_all_values (struct call *c, const char *text, int number, int64_t big, bool flag,
                          struct device *device, char *const *texts, struct device *const *devices,
                          const char *content, size_t content_size, const struct zf_all_values_opts *opts);

/* get_buffer: return a value. */
extern char *do_get_buffer (struct call *c, int count, size_t *size_r);

/* get_device: return a value. */
extern char *do_get_device (struct call *c);

/* get_devices: return a value. */
extern char **do_get_devices (struct call *c, struct device *const *devices);

/* get_file: return a value. */
extern int do_get_file (struct call *c, const struct zf_get_file_opts *opts);

/* get_hash: return a value. */
extern char **do_get_hash (struct call *c);

/* get_int: return a value. */
extern int do_get_int (struct call *c);

/* get_int64: return a value. */
extern int64_t do_get_int64 (struct call *c, struct device *device);

/* get_int64_hex: return a value. */
extern int64_t do_get_int64_hex (struct call *c);

/* get_int64_human: return a value. */
extern int64_t do_get_int64_human (struct call *c);

/* get_int64_octal: return a value. */
extern int64_t do_get_int64_octal (struct call *c);

/* get_int_hex: return a value. */
extern int do_get_int_hex (struct call *c, struct device *device);

/* get_int_octal: return a value. */
extern int do_get_int_octal (struct call *c);

/* get_string: return a value. */
extern char *do_get_string (struct call *c);

/* get_strings: return a value. */
extern char **do_get_strings (struct call *c);

/* get_struct: return a value. */
extern struct zf_every *do_get_struct (struct call *c);

/* get_structs: return a value. */
extern struct zf_every_list *do_get_structs (struct call *c, const char *path);

/* internal_secret: a private call. */
extern struct zf_hidden *do_internal_secret (struct call *c, const char *random, size_t random_size);

/* only_in_c: return a value. */
extern int do_only_in_c (struct call *c);

/* send_file: return a value. */
extern int do_send_file (struct call *c, const char *path);

#endif /* ZEROFISH_DAEMON_ACTIONS_H */
