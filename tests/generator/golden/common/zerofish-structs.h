/* Structs that actions return, and structs of optional arguments.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_STRUCTS_H
#define ZEROFISH_STRUCTS_H

#include <stdint.h>

/* One field of every type. */
struct zf_every {
  int32_t number;           /* a number */
  int64_t big;              /* a big number */
  char letter;              /* a letter */
  char *text;               /* a text */
};
struct zf_every_list {
  uint32_t len;
  struct zf_every *val;
};

/* A small struct. */
struct zf_small {
  int64_t number;           /* a number */
};
struct zf_small_list {
  uint32_t len;
  struct zf_small *val;
};

/* Optional arguments: set the value, and its bit in BITMASK; other values are not looked at. */

/* all_values: take a value of every type. */
struct zf_all_values_opts {
  uint64_t bitmask;          /* of the values that are given */
  const char *otext;
  int onumber;
  int64_t obig;
  int oflag;
  char *const *otexts;
};
#define ZF_ALL_VALUES_OPTS_OTEXT (UINT64_C (1) << 0)
#define ZF_ALL_VALUES_OPTS_ONUMBER (UINT64_C (1) << 1)
#define ZF_ALL_VALUES_OPTS_OBIG (UINT64_C (1) << 2)
#define ZF_ALL_VALUES_OPTS_OFLAG (UINT64_C (1) << 3)
#define ZF_ALL_VALUES_OPTS_OTEXTS (UINT64_C (1) << 4)

/* get_file: return a value. */
struct zf_get_file_opts {
  uint64_t bitmask;          /* of the values that are given */
  int64_t limit;
};
#define ZF_GET_FILE_OPTS_LIMIT (UINT64_C (1) << 0)

/* local: work done by the library. */
struct zf_local_opts {
  uint64_t bitmask;          /* of the values that are given */
  int speed;
  const char *label;
};
#define ZF_LOCAL_OPTS_SPEED (UINT64_C (1) << 0)
#define ZF_LOCAL_OPTS_LABEL (UINT64_C (1) << 1)

#endif /* ZEROFISH_STRUCTS_H */
