/* The actions; included by zerofish.h.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ACTIONS_H
#define ZEROFISH_ACTIONS_H

/* Take a name of every kind.
 *
 * Take a name of every kind.
 *
 * Returns: 0, or -1 on error.
 * Since 0.2. */
extern int zf_all_names (zf_handle *h, const char *mountable, const char *path, const char *place,
                         const char *key);

/* Take a value of every type.
 *
 * Take one argument of every type that can be "optional", see zf_all_names and zf_only_in_c. This paragraph is
 * long enough to be wrapped in plain text.
 *
 * "otext"
 *
 *     A "text" with a \ in it.
 *
 *  an example
 *  of two lines
 *
 * OPTS may be NULL.
 * Returns: 1 for true, 0 for false, -1 on error.
 * Since 0.1. */
extern int zf_all_values (zf_handle *h, const char *text, int number, int64_t big, int flag,
                          const char *device, char *const *texts, char *const *devices, const void *content,
                          size_t content_size, const struct zf_all_values_opts *opts);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: A buffer to be freed with free, its size in bytes in *SIZE_R; or NULL on error.
 * Since 0.1. */
extern char *zf_get_buffer (zf_handle *h, int count, size_t *size_r);

/* The same into BUF, of BUF_SIZE bytes, without memory of its own: how many bytes came,
 * or -1 on error.  ERANGE: there are more than fit.  Since 0.1. */
extern int64_t zf_get_buffer_into (zf_handle *h, void *buf, size_t buf_size);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: A string to be freed with free, or NULL on error.
 * Since 0.1. */
extern char *zf_get_device (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: Strings with NULL at the end, to be freed with zf_free_string_list; or NULL on error.
 * Since 0.1. */
extern char **zf_get_devices (zf_handle *h, char *const *devices);

/* Return a value.
 *
 * Return a value.
 *
 * OPTS may be NULL.
 * Returns: 0, or -1 on error.
 * Since 0.1. */
extern int zf_get_file (zf_handle *h, const char *filename, const struct zf_get_file_opts *opts);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: Key, value, key, value, ..., NULL, to be freed with zf_free_string_list; or NULL on error.
 * Since 0.1. */
extern char **zf_get_hash (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int zf_get_int (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int64_t zf_get_int64 (zf_handle *h, const char *device);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int64_t zf_get_int64_hex (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int64_t zf_get_int64_human (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int64_t zf_get_int64_octal (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int zf_get_int_hex (zf_handle *h, const char *device);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: The number, or -1 on error.
 * Since 0.1. */
extern int zf_get_int_octal (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: A string to be freed with free, or NULL on error.
 * Since 0.1. */
extern char *zf_get_string (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: Strings with NULL at the end, to be freed with zf_free_string_list; or NULL on error.
 * Since 0.1. */
extern char **zf_get_strings (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: to be freed with zf_free_every; NULL on error.
 * Since 0.1. */
extern struct zf_every *zf_get_struct (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: to be freed with zf_free_every_list; NULL on error.
 * Since 0.1. */
extern struct zf_every_list *zf_get_structs (zf_handle *h, const char *path);

/* Work done by the library.
 *
 * Work done by the library.
 *
 * OPTS may be NULL.
 * Returns: to be freed with zf_free_small; NULL on error.
 * Since 0.1. */
extern struct zf_small *zf_local (zf_handle *h, const char *filename, char *const *texts,
                                  const struct zf_local_opts *opts);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: 0, or -1 on error.
 * Since 0.1. */
extern int zf_only_in_c (zf_handle *h);

/* Return a value.
 *
 * Return a value.
 *
 * Returns: 0, or -1 on error.
 * Since 0.1. */
extern int zf_send_file (zf_handle *h, const char *filename, const char *path);

/* Work done before the launch.
 *
 * Work done before the launch.
 *
 * Returns: 0, or -1 on error.
 * Since 0.1. */
extern int zf_set_up (zf_handle *h, const char *filename);

/* NULL is allowed. */
extern void zf_free_every (struct zf_every *s);
extern void zf_free_every_list (struct zf_every_list *list);
extern void zf_free_small (struct zf_small *s);

#endif /* ZEROFISH_ACTIONS_H */
