/* Arguments and results as they travel, and their XDR routines.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_PROTOCOL_H
#define ZEROFISH_PROTOCOL_H

#include <stdint.h>

#include <rpc/types.h>
#include <rpc/xdr.h>

#include "zerofish-structs.h"

enum zf_procedure {
  ZF_PROC_ALL_NAMES = 7,
  ZF_PROC_ALL_VALUES = 11,
  ZF_PROC_GET_INT = 20,
  ZF_PROC_GET_INT_HEX = 21,
  ZF_PROC_GET_INT_OCTAL = 22,
  ZF_PROC_GET_INT64 = 23,
  ZF_PROC_GET_INT64_HEX = 24,
  ZF_PROC_GET_INT64_OCTAL = 25,
  ZF_PROC_GET_INT64_HUMAN = 26,
  ZF_PROC_GET_STRING = 27,
  ZF_PROC_GET_DEVICE = 28,
  ZF_PROC_GET_STRINGS = 29,
  ZF_PROC_GET_DEVICES = 30,
  ZF_PROC_GET_BUFFER = 31,
  ZF_PROC_GET_HASH = 32,
  ZF_PROC_GET_STRUCT = 33,
  ZF_PROC_GET_STRUCTS = 34,
  ZF_PROC_SEND_FILE = 40,
  ZF_PROC_GET_FILE = 41,
  ZF_PROC_ONLY_IN_C = 50,
  ZF_PROC_INTERNAL_SECRET = 10000
};

/* struct every */
extern bool_t xdr_zf_every (XDR *xdrs, struct zf_every *p);

/* struct hidden */
struct zf_hidden {
  int32_t number;
};
struct zf_hidden_list {
  uint32_t len;
  struct zf_hidden *val;
};
extern bool_t xdr_zf_hidden (XDR *xdrs, struct zf_hidden *p);

/* A field R of the results is the value itself.  Optional arguments come last; a decoded body that
 * ends before them leaves them as they were, so zero the struct first, and look at a value only if its
 * bit is set. */

/* all_names: take a name of every kind. */
struct zf_all_names_args {
  char *mountable;
  char *path;
  char *place;
  char *key;
};
extern bool_t xdr_zf_all_names_args (XDR *xdrs, struct zf_all_names_args *p);

/* all_values: take a value of every type. */
struct zf_all_values_args {
  char *text;
  int number;
  int64_t big;
  bool_t flag;
  char *device;
  struct { u_int texts_len; char **texts_val; } texts;
  struct { u_int devices_len; char **devices_val; } devices;
  struct { u_int content_len; char *content_val; } content;
  char *otext;
  int onumber;
  int64_t obig;
  bool_t oflag;
  struct { u_int otexts_len; char **otexts_val; } otexts;
};
extern bool_t xdr_zf_all_values_args (XDR *xdrs, struct zf_all_values_args *p);
struct zf_all_values_ret {
  bool_t r;
};
extern bool_t xdr_zf_all_values_ret (XDR *xdrs, struct zf_all_values_ret *p);

/* get_int: return a value. */
struct zf_get_int_ret {
  int r;
};
extern bool_t xdr_zf_get_int_ret (XDR *xdrs, struct zf_get_int_ret *p);

/* get_int_hex: return a value. */
struct zf_get_int_hex_args {
  char *device;
};
extern bool_t xdr_zf_get_int_hex_args (XDR *xdrs, struct zf_get_int_hex_args *p);
struct zf_get_int_hex_ret {
  int r;
};
extern bool_t xdr_zf_get_int_hex_ret (XDR *xdrs, struct zf_get_int_hex_ret *p);

/* get_int_octal: return a value. */
struct zf_get_int_octal_ret {
  int r;
};
extern bool_t xdr_zf_get_int_octal_ret (XDR *xdrs, struct zf_get_int_octal_ret *p);

/* get_int64: return a value. */
struct zf_get_int64_args {
  char *device;
};
extern bool_t xdr_zf_get_int64_args (XDR *xdrs, struct zf_get_int64_args *p);
struct zf_get_int64_ret {
  int64_t r;
};
extern bool_t xdr_zf_get_int64_ret (XDR *xdrs, struct zf_get_int64_ret *p);

/* get_int64_hex: return a value. */
struct zf_get_int64_hex_ret {
  int64_t r;
};
extern bool_t xdr_zf_get_int64_hex_ret (XDR *xdrs, struct zf_get_int64_hex_ret *p);

/* get_int64_octal: return a value. */
struct zf_get_int64_octal_ret {
  int64_t r;
};
extern bool_t xdr_zf_get_int64_octal_ret (XDR *xdrs, struct zf_get_int64_octal_ret *p);

/* get_int64_human: return a value. */
struct zf_get_int64_human_ret {
  int64_t r;
};
extern bool_t xdr_zf_get_int64_human_ret (XDR *xdrs, struct zf_get_int64_human_ret *p);

/* get_string: return a value. */
struct zf_get_string_ret {
  char *r;
};
extern bool_t xdr_zf_get_string_ret (XDR *xdrs, struct zf_get_string_ret *p);

/* get_device: return a value. */
struct zf_get_device_ret {
  char *r;
};
extern bool_t xdr_zf_get_device_ret (XDR *xdrs, struct zf_get_device_ret *p);

/* get_strings: return a value. */
struct zf_get_strings_ret {
  struct { u_int r_len; char **r_val; } r;
};
extern bool_t xdr_zf_get_strings_ret (XDR *xdrs, struct zf_get_strings_ret *p);

/* get_devices: return a value. */
struct zf_get_devices_args {
  struct { u_int devices_len; char **devices_val; } devices;
};
extern bool_t xdr_zf_get_devices_args (XDR *xdrs, struct zf_get_devices_args *p);
struct zf_get_devices_ret {
  struct { u_int r_len; char **r_val; } r;
};
extern bool_t xdr_zf_get_devices_ret (XDR *xdrs, struct zf_get_devices_ret *p);

/* get_buffer: return a value. */
struct zf_get_buffer_args {
  int count;
};
extern bool_t xdr_zf_get_buffer_args (XDR *xdrs, struct zf_get_buffer_args *p);
struct zf_get_buffer_ret {
  struct { u_int r_len; char *r_val; } r;
};
extern bool_t xdr_zf_get_buffer_ret (XDR *xdrs, struct zf_get_buffer_ret *p);

/* get_hash: return a value. */
struct zf_get_hash_ret {
  struct { u_int r_len; char **r_val; } r;
};
extern bool_t xdr_zf_get_hash_ret (XDR *xdrs, struct zf_get_hash_ret *p);

/* get_struct: return a value. */
struct zf_get_struct_ret {
  struct zf_every r;
};
extern bool_t xdr_zf_get_struct_ret (XDR *xdrs, struct zf_get_struct_ret *p);

/* get_structs: return a value. */
struct zf_get_structs_args {
  char *path;
};
extern bool_t xdr_zf_get_structs_args (XDR *xdrs, struct zf_get_structs_args *p);
struct zf_get_structs_ret {
  struct zf_every_list r;
};
extern bool_t xdr_zf_get_structs_ret (XDR *xdrs, struct zf_get_structs_ret *p);

/* send_file: return a value. */
struct zf_send_file_args {
  char *path;
};
extern bool_t xdr_zf_send_file_args (XDR *xdrs, struct zf_send_file_args *p);

/* get_file: return a value. */
struct zf_get_file_args {
  int64_t limit;
};
extern bool_t xdr_zf_get_file_args (XDR *xdrs, struct zf_get_file_args *p);

/* internal_secret: a private call. */
struct zf_internal_secret_args {
  struct { u_int random_len; char *random_val; } random;
};
extern bool_t xdr_zf_internal_secret_args (XDR *xdrs, struct zf_internal_secret_args *p);
struct zf_internal_secret_ret {
  struct zf_hidden r;
};
extern bool_t xdr_zf_internal_secret_ret (XDR *xdrs, struct zf_internal_secret_ret *p);

#endif /* ZEROFISH_PROTOCOL_H */
