/* From a request's body to the handler and back: decode, check by type, run, encode.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>

#include "actions.h"

/* A list of the message with the NULL at its end that handlers expect; NULL with the error set. */
static char *const *
copy_list (struct call *c, char **val, u_int len)
{
  char **list = call_alloc (c, ((size_t) len + 1) * sizeof *list);

  for (u_int i = 0; list && i < len; i++)
    list[i] = val[i];
  return list;
}

/* Each name of the message as a device; NULL with the error set. */
static struct device *const *
resolve_list (struct call *c, char **val, u_int len)
{
  struct device **list = call_alloc (c, ((size_t) len + 1) * sizeof *list);

  for (u_int i = 0; list && i < len; i++)
    if ((list[i] = device_resolve (c, val[i], c->row->flags)) == NULL)
      return NULL;
  return list;
}

static u_int
count_list (char *const *list)
{
  u_int n = 0;

  while (list[n])
    n++;
  return n;
}

/* The header says that an optional argument was given: is it there, or did the body end before it? */
static int
check_given (struct call *c, uint64_t bit, const void *value, const char *name)
{
  if ((c->optargs_bitmask & bit) && value == NULL)
    return call_refuse (c, EINVAL, "the optional argument %s is missing from the message", name);
  return 0;
}

/* all_names: take a name of every kind. */
static int
stub_all_names (struct call *c, XDR *in)
{
  struct zf_all_names_args args = { 0 };
  struct mountable *mountable;
  const char *path;
  struct device_or_path *place;
  int r = -1;

  if (!xdr_zf_all_names_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((mountable = mountable_resolve (c, args.mountable, c->row->flags)) == NULL)
    goto out;
  if ((path = path_check (c, args.path)) == NULL)
    goto out;
  if ((place = device_or_path_resolve (c, args.place, c->row->flags)) == NULL)
    goto out;
  r = do_all_names (c, mountable, path, place, args.key);
 out:
  xdr_free ((xdrproc_t) xdr_zf_all_names_args, (char *) &args);
  return r;
}

/* all_values: take a value of every type. */
static int
stub_all_values (struct call *c, XDR *in)
{
  struct zf_all_values_args args = { 0 };
  struct zf_all_values_opts opts = { .bitmask = c->optargs_bitmask };
  struct device *device;
  char *const *texts;
  struct device *const *devices;
  struct zf_all_values_ret ret = { 0 };
  int r = -1;

  if (!xdr_zf_all_values_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((device = device_resolve (c, args.device, c->row->flags)) == NULL)
    goto out;
  if ((texts = copy_list (c, args.texts.texts_val, args.texts.texts_len)) == NULL)
    goto out;
  if ((devices = resolve_list (c, args.devices.devices_val, args.devices.devices_len)) == NULL)
    goto out;
  if (check_given (c, ZF_ALL_VALUES_OPTS_OTEXT, args.otext, "otext") == -1)
    goto out;
  if ((opts.otexts = copy_list (c, args.otexts.otexts_val, args.otexts.otexts_len)) == NULL)
    goto out;
  opts.otext = args.otext;
  opts.onumber = args.onumber;
  opts.obig = args.obig;
  opts.oflag = args.oflag != 0;
  if ((ret.r = do_all_values (c, args.text, args.number, args.big, args.flag != 0, device, texts, devices,
                              args.content.content_val, args.content.content_len, &opts)) == -1)
    goto out;
  r = call_result (c, (xdrproc_t) xdr_zf_all_values_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_all_values_args, (char *) &args);
  return r;
}

/* get_int: return a value. */
static int
stub_get_int (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_int_ret ret = { 0 };

  if ((ret.r = do_get_int (c)) == -1)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_int_ret, &ret);
}

/* get_int_hex: return a value. */
static int
stub_get_int_hex (struct call *c, XDR *in)
{
  struct zf_get_int_hex_args args = { 0 };
  struct device *device;
  struct zf_get_int_hex_ret ret = { 0 };
  int r = -1;

  if (!xdr_zf_get_int_hex_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((device = device_resolve (c, args.device, c->row->flags)) == NULL)
    goto out;
  if ((ret.r = do_get_int_hex (c, device)) == -1)
    goto out;
  r = call_result (c, (xdrproc_t) xdr_zf_get_int_hex_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_int_hex_args, (char *) &args);
  return r;
}

/* get_int_octal: return a value. */
static int
stub_get_int_octal (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_int_octal_ret ret = { 0 };

  if ((ret.r = do_get_int_octal (c)) == -1)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_int_octal_ret, &ret);
}

/* get_int64: return a value. */
static int
stub_get_int64 (struct call *c, XDR *in)
{
  struct zf_get_int64_args args = { 0 };
  struct device *device;
  struct zf_get_int64_ret ret = { 0 };
  int r = -1;

  if (!xdr_zf_get_int64_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((device = device_resolve (c, args.device, c->row->flags)) == NULL)
    goto out;
  if ((ret.r = do_get_int64 (c, device)) == -1)
    goto out;
  r = call_result (c, (xdrproc_t) xdr_zf_get_int64_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_int64_args, (char *) &args);
  return r;
}

/* get_int64_hex: return a value. */
static int
stub_get_int64_hex (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_int64_hex_ret ret = { 0 };

  if ((ret.r = do_get_int64_hex (c)) == -1)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_int64_hex_ret, &ret);
}

/* get_int64_octal: return a value. */
static int
stub_get_int64_octal (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_int64_octal_ret ret = { 0 };

  if ((ret.r = do_get_int64_octal (c)) == -1)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_int64_octal_ret, &ret);
}

/* get_int64_human: return a value. */
static int
stub_get_int64_human (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_int64_human_ret ret = { 0 };

  if ((ret.r = do_get_int64_human (c)) == -1)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_int64_human_ret, &ret);
}

/* get_string: return a value. */
static int
stub_get_string (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_string_ret ret = { 0 };

  if ((ret.r = do_get_string (c)) == NULL)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_string_ret, &ret);
}

/* get_device: return a value. */
static int
stub_get_device (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_device_ret ret = { 0 };

  if ((ret.r = do_get_device (c)) == NULL)
    return -1;
  return call_result (c, (xdrproc_t) xdr_zf_get_device_ret, &ret);
}

/* get_strings: return a value. */
static int
stub_get_strings (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_strings_ret ret = { 0 };

  if ((ret.r.r_val = do_get_strings (c)) == NULL)
    return -1;
  ret.r.r_len = count_list (ret.r.r_val);
  return call_result (c, (xdrproc_t) xdr_zf_get_strings_ret, &ret);
}

/* get_devices: return a value. */
static int
stub_get_devices (struct call *c, XDR *in)
{
  struct zf_get_devices_args args = { 0 };
  struct device *const *devices;
  struct zf_get_devices_ret ret = { 0 };
  int r = -1;

  if (!xdr_zf_get_devices_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((devices = resolve_list (c, args.devices.devices_val, args.devices.devices_len)) == NULL)
    goto out;
  if ((ret.r.r_val = do_get_devices (c, devices)) == NULL)
    goto out;
  ret.r.r_len = count_list (ret.r.r_val);
  r = call_result (c, (xdrproc_t) xdr_zf_get_devices_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_devices_args, (char *) &args);
  return r;
}

/* get_buffer: return a value. */
static int
stub_get_buffer (struct call *c, XDR *in)
{
  struct zf_get_buffer_args args = { 0 };
  char *result;
  size_t result_size = 0;
  int r = -1;

  if (!xdr_zf_get_buffer_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((result = do_get_buffer (c, args.count, &result_size)) == NULL)
    goto out;
  r = call_result_buffer (c, result, result_size);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_buffer_args, (char *) &args);
  return r;
}

/* get_hash: return a value. */
static int
stub_get_hash (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_hash_ret ret = { 0 };

  if ((ret.r.r_val = do_get_hash (c)) == NULL)
    return -1;
  ret.r.r_len = count_list (ret.r.r_val);
  return call_result (c, (xdrproc_t) xdr_zf_get_hash_ret, &ret);
}

/* get_struct: return a value. */
static int
stub_get_struct (struct call *c, XDR *in __attribute__ ((unused)))
{
  struct zf_get_struct_ret ret = { 0 };
  struct zf_every *result;

  if ((result = do_get_struct (c)) == NULL)
    return -1;
  ret.r = *result;
  return call_result (c, (xdrproc_t) xdr_zf_get_struct_ret, &ret);
}

/* get_structs: return a value. */
static int
stub_get_structs (struct call *c, XDR *in)
{
  struct zf_get_structs_args args = { 0 };
  const char *path;
  struct zf_get_structs_ret ret = { 0 };
  struct zf_every_list *result;
  int r = -1;

  if (!xdr_zf_get_structs_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((path = path_check (c, args.path)) == NULL)
    goto out;
  if ((result = do_get_structs (c, path)) == NULL)
    goto out;
  ret.r = *result;
  r = call_result (c, (xdrproc_t) xdr_zf_get_structs_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_structs_args, (char *) &args);
  return r;
}

/* send_file: return a value. */
static int
stub_send_file (struct call *c, XDR *in)
{
  struct zf_send_file_args args = { 0 };
  const char *path;
  int r = -1;

  if (!xdr_zf_send_file_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((path = path_check (c, args.path)) == NULL)
    goto out;
  r = do_send_file (c, path);
 out:
  xdr_free ((xdrproc_t) xdr_zf_send_file_args, (char *) &args);
  return r;
}

/* get_file: return a value. */
static int
stub_get_file (struct call *c, XDR *in)
{
  struct zf_get_file_args args = { 0 };
  struct zf_get_file_opts opts = { .bitmask = c->optargs_bitmask };
  int r = -1;

  if (!xdr_zf_get_file_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  opts.limit = args.limit;
  r = do_get_file (c, &opts);
 out:
  xdr_free ((xdrproc_t) xdr_zf_get_file_args, (char *) &args);
  return r;
}

/* only_in_c: return a value. */
static int
stub_only_in_c (struct call *c, XDR *in __attribute__ ((unused)))
{
  return do_only_in_c (c);
}

/* internal_secret: a private call. */
static int
stub_internal_secret (struct call *c, XDR *in)
{
  struct zf_internal_secret_args args = { 0 };
  struct zf_internal_secret_ret ret = { 0 };
  struct zf_hidden *result;
  int r = -1;

  if (!xdr_zf_internal_secret_args (in, &args)) {
    call_refuse (c, EINVAL, "cannot decode the arguments");
    goto out;
  }
  if ((result = do_internal_secret (c, args.random.random_val, args.random.random_len)) == NULL)
    goto out;
  ret.r = *result;
  r = call_result (c, (xdrproc_t) xdr_zf_internal_secret_ret, &ret);
 out:
  xdr_free ((xdrproc_t) xdr_zf_internal_secret_args, (char *) &args);
  return r;
}

/* Sorted by procedure. */
const struct row rows[] = {
  { ZF_PROC_ALL_NAMES, "all_names", 0, 0, stub_all_names },
  { ZF_PROC_ALL_VALUES, "all_values", ROW_DESTRUCTIVE | ROW_PROGRESS | ROW_CANCEL, 5, stub_all_values },
  { ZF_PROC_GET_INT, "get_int", 0, 0, stub_get_int },
  { ZF_PROC_GET_INT_HEX, "get_int_hex", 0, 0, stub_get_int_hex },
  { ZF_PROC_GET_INT_OCTAL, "get_int_octal", 0, 0, stub_get_int_octal },
  { ZF_PROC_GET_INT64, "get_int64", 0, 0, stub_get_int64 },
  { ZF_PROC_GET_INT64_HEX, "get_int64_hex", 0, 0, stub_get_int64_hex },
  { ZF_PROC_GET_INT64_OCTAL, "get_int64_octal", 0, 0, stub_get_int64_octal },
  { ZF_PROC_GET_INT64_HUMAN, "get_int64_human", 0, 0, stub_get_int64_human },
  { ZF_PROC_GET_STRING, "get_string", 0, 0, stub_get_string },
  { ZF_PROC_GET_DEVICE, "get_device", 0, 0, stub_get_device },
  { ZF_PROC_GET_STRINGS, "get_strings", 0, 0, stub_get_strings },
  { ZF_PROC_GET_DEVICES, "get_devices", 0, 0, stub_get_devices },
  { ZF_PROC_GET_BUFFER, "get_buffer", 0, 0, stub_get_buffer },
  { ZF_PROC_GET_HASH, "get_hash", 0, 0, stub_get_hash },
  { ZF_PROC_GET_STRUCT, "get_struct", 0, 0, stub_get_struct },
  { ZF_PROC_GET_STRUCTS, "get_structs", 0, 0, stub_get_structs },
  { ZF_PROC_SEND_FILE, "send_file", ROW_CANCEL | ROW_FILE_IN, 0, stub_send_file },
  { ZF_PROC_GET_FILE, "get_file", ROW_FILE_OUT, 1, stub_get_file },
  { ZF_PROC_ONLY_IN_C, "only_in_c", 0, 0, stub_only_in_c },
  { ZF_PROC_INTERNAL_SECRET, "internal_secret", 0, 0, stub_internal_secret },
};
const size_t nr_rows = sizeof rows / sizeof rows[0];
