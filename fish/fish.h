/* What the files of the shell share: values of arguments, the command table, and the session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_FISH_H
#define ZEROFISH_FISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "zerofish.h"

enum value_type { V_STRING, V_DEVICE, V_PATH, V_DEVICE_OR_PATH, V_MOUNTABLE, V_INT, V_INT64, V_BOOL, V_BUFFER, V_KEY,
                  V_LIST, V_FILE_IN, V_FILE_OUT, V_FILENAME };

/* A converted argument; owned by the caller of the command's function. */
struct value {
  char *s;                  /* strings, names, buffers */
  size_t len;               /* V_BUFFER */
  char **list;              /* V_LIST */
  int64_t n;                /* V_INT, V_INT64, V_BOOL */
};

struct command_arg {
  const char *name;         /* as in help: "device" */
  enum value_type type;
};

/* A command, generated into commands.c (and the built-ins in builtin.c).  RUN calls the API and prints the result to
 * OUT: 0, or -1 with the handle's error set.  Optional arguments are given as name:value; OPT has one value each and
 * bit i of MASK says that optional argument i was given. */
struct command {
  const char *name;         /* "zero-device" */
  const char *const *aliases;         /* NULL-terminated */
  const struct command_arg *args;
  size_t nr_args;
  const struct command_arg *optargs;
  size_t nr_optargs;
  const char *shortdesc;
  const char *longdesc;     /* plain text, wrapped at 76 columns */
  bool destructive;
  int (*run) (zf_handle *h, const struct value *v, const struct value *opt, uint64_t mask, FILE *out);
};
extern const struct command commands[];     /* sorted by name */
extern const size_t nr_commands;

/* print.c: one function for each form of result, used by generated code. */
extern int print_bool (FILE *out, int r);
extern int print_int (FILE *out, int r);
extern int print_int64 (FILE *out, int64_t r);
extern int print_string (FILE *out, char *r);               /* frees R */
extern int print_list (FILE *out, char **r);                /* one a line; frees R */
extern int print_hash (FILE *out, char **r);                /* "key: value" a line; frees R */
extern int print_buffer (FILE *out, char *r, size_t size);  /* raw; frees R */
extern int print_field_int (FILE *out, const char *name, int64_t v);       /* "name: v" */
extern int print_field_string (FILE *out, const char *name, const char *v);

#endif /* ZEROFISH_FISH_H */
