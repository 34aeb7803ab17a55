/* Public functions of the library, and the library's own calls to the daemon.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "private-actions.h"
#include "protocol.h"

/* Refuse bits of optional arguments that are unknown. */
static int
check_opts (zf_handle *h, uint64_t mask, unsigned known)
{
  if (known < 64 && mask >> known != 0)
    return zfi_error (h, EINVAL, "unknown bits of optional arguments: %#" PRIx64, mask);
  return 0;
}

/* Refuse an optional argument that is given as NULL. */
static int
check_opt (zf_handle *h, const void *value, const char *name)
{
  if (value == NULL)
    return zfi_error (h, EINVAL, "the optional argument %s is NULL", name);
  return 0;
}

/* Refuse a buffer that no message can hold. */
static int
check_size (zf_handle *h, size_t size, const char *name)
{
  if (size >= ZF_MESSAGE_MAX)
    return zfi_error (h, EMSGSIZE, "%s: %zu bytes do not fit in a message (of %d): use smaller pieces",
                      name, size, ZF_MESSAGE_MAX);
  return 0;
}

static u_int
count_list (char *const *list)
{
  u_int n = 0;

  while (list[n])
    n++;
  return n;
}

/* The caller's list: the reply's strings with NULL at the end.  The reply keeps nothing. */
static char **
take_list (zf_handle *h, char ***val, u_int *len)
{
  char **list = realloc (*val, ((size_t) *len + 1) * sizeof *list);

  if (list == NULL) {
    zfi_perror (h, errno, "list of %u strings", *len);
    return NULL;
  }
  list[*len] = NULL;
  *val = NULL;
  *len = 0;
  return list;
}

/* The same for keys and values. */
static char **
take_hash (zf_handle *h, char ***val, u_int *len)
{
  if (*len % 2 != 0) {
    zfi_error (h, EPROTO, "the daemon sent a key without its value");
    return NULL;
  }
  return take_list (h, val, len);
}

/* Memory of the caller's own for a fixed part of the reply. */
static void *
take_copy (zf_handle *h, const void *p, size_t size)
{
  void *copy = malloc (size);

  if (copy == NULL)
    zfi_perror (h, errno, "result of %zu bytes", size);
  else
    memcpy (copy, p, size);
  return copy;
}

/* struct every */
void
zf_free_every (struct zf_every *s)
{
  if (s == NULL)
    return;
  free (s->text);
  free (s);
}

/* struct every */
void
zf_free_every_list (struct zf_every_list *list)
{
  if (list == NULL)
    return;
  for (uint32_t i = 0; i < list->len; i++) {
    free (list->val[i].text);
  }
  free (list->val);
  free (list);
}

/* struct small */
void
zf_free_small (struct zf_small *s)
{
  free (s);
}

/* all_names: take a name of every kind. */
static const struct zfi_action action_all_names = {
  "all_names", ZF_PROC_ALL_NAMES, 0, "dpdk", NULL
};

int
zf_all_names (zf_handle *h, const char *mountable, const char *path, const char *place, const char *key)
{
  struct zf_all_names_args args = { .mountable = (char *) mountable, .path = (char *) path,
                                     .place = (char *) place, .key = (char *) key };
  int r = -1;

  if (zfi_enter (h, &action_all_names, mountable, path, place, key) == -1)
    return -1;
  r = zfi_call (h, &action_all_names, 0, (xdrproc_t) xdr_zf_all_names_args, &args, NULL, NULL);
  zfi_leave (h, r != -1);
  return r;
}

/* all_values: take a value of every type. */
static const struct zfi_optarg optargs_all_values[] = {
  { "otext", 's', offsetof (struct zf_all_values_opts, otext) },
  { "onumber", 'i', offsetof (struct zf_all_values_opts, onumber) },
  { "obig", 'I', offsetof (struct zf_all_values_opts, obig) },
  { "oflag", 'b', offsetof (struct zf_all_values_opts, oflag) },
  { "otexts", 'S', offsetof (struct zf_all_values_opts, otexts) },
  { NULL, 0, 0 }
};

static const struct zfi_action action_all_values = {
  "all_values", ZF_PROC_ALL_VALUES, ZFI_PROGRESS | ZFI_CANCEL | ZFI_TOOLS, "siIbdSSBo", optargs_all_values
};

int
zf_all_values (zf_handle *h, const char *text, int number, int64_t big, int flag, const char *device,
               char *const *texts, char *const *devices, const void *content, size_t content_size,
               const struct zf_all_values_opts *opts)
{
  struct zf_all_values_args args = { .text = (char *) text, .number = number, .big = big, .flag = flag,
                                      .device = (char *) device, .otext = (char *) "" };
  struct zf_all_values_ret ret = { 0 };
  uint64_t mask = opts ? opts->bitmask : 0;
  int r = -1;

  if (zfi_enter (h, &action_all_values, text, number, big, flag, device, texts, devices, content, content_size, opts) == -1)
    return -1;
  args.texts.texts_len = count_list (texts);
  args.texts.texts_val = (char **) texts;
  args.devices.devices_len = count_list (devices);
  args.devices.devices_val = (char **) devices;
  if (check_size (h, content_size, "content") == -1)
    goto out;
  args.content.content_len = content_size;
  args.content.content_val = (char *) content;
  if (check_opts (h, mask, 5) == -1)
    goto out;
  if ((mask & ZF_ALL_VALUES_OPTS_OTEXT) && check_opt (h, opts->otext, "otext") == -1)
    goto out;
  if (mask & ZF_ALL_VALUES_OPTS_OTEXT)
    args.otext = (char *) opts->otext;
  if (mask & ZF_ALL_VALUES_OPTS_ONUMBER)
    args.onumber = opts->onumber;
  if (mask & ZF_ALL_VALUES_OPTS_OBIG)
    args.obig = opts->obig;
  if (mask & ZF_ALL_VALUES_OPTS_OFLAG)
    args.oflag = opts->oflag;
  if ((mask & ZF_ALL_VALUES_OPTS_OTEXTS) && check_opt (h, opts->otexts, "otexts") == -1)
    goto out;
  if (mask & ZF_ALL_VALUES_OPTS_OTEXTS) {
    args.otexts.otexts_len = count_list (opts->otexts);
    args.otexts.otexts_val = (char **) opts->otexts;
  }
  if (zfi_call (h, &action_all_values, mask, (xdrproc_t) xdr_zf_all_values_args, &args,
                (xdrproc_t) xdr_zf_all_values_ret, &ret) == 0)
    r = ret.r != 0;
 out:
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_buffer: return a value. */
static const struct zfi_action action_get_buffer = {
  "get_buffer", ZF_PROC_GET_BUFFER, 0, "i", NULL
};

char *
zf_get_buffer (zf_handle *h, int count, size_t *size_r)
{
  struct zf_get_buffer_args args = { .count = count };
  char *r = NULL;

  if (zfi_enter (h, &action_get_buffer, count) == -1)
    return NULL;
  r = zfi_call_buffer (h, &action_get_buffer, 0, (xdrproc_t) xdr_zf_get_buffer_args, &args, size_r);
  zfi_trace_buffer (h, r, r ? *size_r : 0);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_buffer, into the caller's buffer. */
static const struct zfi_action action_get_buffer_into = {
  "get_buffer_into", ZF_PROC_GET_BUFFER, 0, "", NULL
};

int64_t
zf_get_buffer_into (zf_handle *h, void *buf, size_t buf_size)
{
  struct zf_get_buffer_args args = { .count = zfi_into_count (buf_size) };
  int64_t r = -1;

  if (zfi_enter (h, &action_get_buffer_into) == -1)
    return -1;
  r = zfi_call_into (h, &action_get_buffer_into, 0, (xdrproc_t) xdr_zf_get_buffer_args, &args, buf, buf_size);
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_device: return a value. */
static const struct zfi_action action_get_device = {
  "get_device", ZF_PROC_GET_DEVICE, 0, "", NULL
};

char *
zf_get_device (zf_handle *h)
{
  struct zf_get_device_ret ret = { 0 };
  char *r = NULL;

  if (zfi_enter (h, &action_get_device) == -1)
    return NULL;
  if (zfi_call (h, &action_get_device, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_device_ret, &ret) == 0)
    r = ret.r;
  if (r)
    ret.r = NULL;
  xdr_free ((xdrproc_t) xdr_zf_get_device_ret, (char *) &ret);
  zfi_trace_string (h, r);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_devices: return a value. */
static const struct zfi_action action_get_devices = {
  "get_devices", ZF_PROC_GET_DEVICES, 0, "S", NULL
};

char **
zf_get_devices (zf_handle *h, char *const *devices)
{
  struct zf_get_devices_args args = { 0 };
  struct zf_get_devices_ret ret = { 0 };
  char **r = NULL;

  if (zfi_enter (h, &action_get_devices, devices) == -1)
    return NULL;
  args.devices.devices_len = count_list (devices);
  args.devices.devices_val = (char **) devices;
  if (zfi_call (h, &action_get_devices, 0, (xdrproc_t) xdr_zf_get_devices_args, &args,
                (xdrproc_t) xdr_zf_get_devices_ret, &ret) == 0)
    r = take_list (h, &ret.r.r_val, &ret.r.r_len);
  xdr_free ((xdrproc_t) xdr_zf_get_devices_ret, (char *) &ret);
  zfi_trace_list (h, r);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_file: return a value. */
static const struct zfi_optarg optargs_get_file[] = {
  { "limit", 'I', offsetof (struct zf_get_file_opts, limit) },
  { NULL, 0, 0 }
};

static const struct zfi_action action_get_file = {
  "get_file", ZF_PROC_GET_FILE, ZFI_FILE_OUT, "fo", optargs_get_file
};

int
zf_get_file (zf_handle *h, const char *filename, const struct zf_get_file_opts *opts)
{
  struct zf_get_file_args args = { 0 };
  uint64_t mask = opts ? opts->bitmask : 0;
  int r = -1;

  if (zfi_enter (h, &action_get_file, filename, opts) == -1)
    return -1;
  if (check_opts (h, mask, 1) == -1)
    goto out;
  if (mask & ZF_GET_FILE_OPTS_LIMIT)
    args.limit = opts->limit;
  r = zfi_call_file (h, &action_get_file, mask, (xdrproc_t) xdr_zf_get_file_args, &args, filename);
 out:
  zfi_leave (h, r != -1);
  return r;
}

/* get_hash: return a value. */
static const struct zfi_action action_get_hash = {
  "get_hash", ZF_PROC_GET_HASH, 0, "", NULL
};

char **
zf_get_hash (zf_handle *h)
{
  struct zf_get_hash_ret ret = { 0 };
  char **r = NULL;

  if (zfi_enter (h, &action_get_hash) == -1)
    return NULL;
  if (zfi_call (h, &action_get_hash, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_hash_ret, &ret) == 0)
    r = take_hash (h, &ret.r.r_val, &ret.r.r_len);
  xdr_free ((xdrproc_t) xdr_zf_get_hash_ret, (char *) &ret);
  zfi_trace_list (h, r);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_int: return a value. */
static const struct zfi_action action_get_int = {
  "get_int", ZF_PROC_GET_INT, 0, "", NULL
};

int
zf_get_int (zf_handle *h)
{
  struct zf_get_int_ret ret = { 0 };
  int r = -1;

  if (zfi_enter (h, &action_get_int) == -1)
    return -1;
  if (zfi_call (h, &action_get_int, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_int_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int64: return a value. */
static const struct zfi_action action_get_int64 = {
  "get_int64", ZF_PROC_GET_INT64, 0, "d", NULL
};

int64_t
zf_get_int64 (zf_handle *h, const char *device)
{
  struct zf_get_int64_args args = { .device = (char *) device };
  struct zf_get_int64_ret ret = { 0 };
  int64_t r = -1;

  if (zfi_enter (h, &action_get_int64, device) == -1)
    return -1;
  if (zfi_send_hints (h, device) == -1)
    goto out;
  if (zfi_call (h, &action_get_int64, 0, (xdrproc_t) xdr_zf_get_int64_args, &args,
                (xdrproc_t) xdr_zf_get_int64_ret, &ret) == 0)
    r = ret.r;
 out:
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int64_hex: return a value. */
static const struct zfi_action action_get_int64_hex = {
  "get_int64_hex", ZF_PROC_GET_INT64_HEX, 0, "", NULL
};

int64_t
zf_get_int64_hex (zf_handle *h)
{
  struct zf_get_int64_hex_ret ret = { 0 };
  int64_t r = -1;

  if (zfi_enter (h, &action_get_int64_hex) == -1)
    return -1;
  if (zfi_call (h, &action_get_int64_hex, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_int64_hex_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int64_human: return a value. */
static const struct zfi_action action_get_int64_human = {
  "get_int64_human", ZF_PROC_GET_INT64_HUMAN, 0, "", NULL
};

int64_t
zf_get_int64_human (zf_handle *h)
{
  struct zf_get_int64_human_ret ret = { 0 };
  int64_t r = -1;

  if (zfi_enter (h, &action_get_int64_human) == -1)
    return -1;
  if (zfi_call (h, &action_get_int64_human, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_int64_human_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int64_octal: return a value. */
static const struct zfi_action action_get_int64_octal = {
  "get_int64_octal", ZF_PROC_GET_INT64_OCTAL, 0, "", NULL
};

int64_t
zf_get_int64_octal (zf_handle *h)
{
  struct zf_get_int64_octal_ret ret = { 0 };
  int64_t r = -1;

  if (zfi_enter (h, &action_get_int64_octal) == -1)
    return -1;
  if (zfi_call (h, &action_get_int64_octal, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_int64_octal_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int_hex: return a value. */
static const struct zfi_action action_get_int_hex = {
  "get_int_hex", ZF_PROC_GET_INT_HEX, 0, "d", NULL
};

int
zf_get_int_hex (zf_handle *h, const char *device)
{
  struct zf_get_int_hex_args args = { .device = (char *) device };
  struct zf_get_int_hex_ret ret = { 0 };
  int r = -1;

  if (zfi_enter (h, &action_get_int_hex, device) == -1)
    return -1;
  if (zfi_call (h, &action_get_int_hex, 0, (xdrproc_t) xdr_zf_get_int_hex_args, &args,
                (xdrproc_t) xdr_zf_get_int_hex_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_int_octal: return a value. */
static const struct zfi_action action_get_int_octal = {
  "get_int_octal", ZF_PROC_GET_INT_OCTAL, 0, "", NULL
};

int
zf_get_int_octal (zf_handle *h)
{
  struct zf_get_int_octal_ret ret = { 0 };
  int r = -1;

  if (zfi_enter (h, &action_get_int_octal) == -1)
    return -1;
  if (zfi_call (h, &action_get_int_octal, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_int_octal_ret, &ret) == 0)
    r = ret.r;
  zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}

/* get_string: return a value. */
static const struct zfi_action action_get_string = {
  "get_string", ZF_PROC_GET_STRING, 0, "", NULL
};

char *
zf_get_string (zf_handle *h)
{
  struct zf_get_string_ret ret = { 0 };
  char *r = NULL;

  if (zfi_enter (h, &action_get_string) == -1)
    return NULL;
  if (zfi_call (h, &action_get_string, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_string_ret, &ret) == 0)
    r = ret.r;
  if (r)
    ret.r = NULL;
  xdr_free ((xdrproc_t) xdr_zf_get_string_ret, (char *) &ret);
  zfi_trace_string (h, r);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_strings: return a value. */
static const struct zfi_action action_get_strings = {
  "get_strings", ZF_PROC_GET_STRINGS, 0, "", NULL
};

char **
zf_get_strings (zf_handle *h)
{
  struct zf_get_strings_ret ret = { 0 };
  char **r = NULL;

  if (zfi_enter (h, &action_get_strings) == -1)
    return NULL;
  if (zfi_call (h, &action_get_strings, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_strings_ret, &ret) == 0)
    r = take_list (h, &ret.r.r_val, &ret.r.r_len);
  xdr_free ((xdrproc_t) xdr_zf_get_strings_ret, (char *) &ret);
  zfi_trace_list (h, r);
  zfi_leave (h, r != NULL);
  return r;
}

/* get_struct: return a value. */
static const struct zfi_action action_get_struct = {
  "get_struct", ZF_PROC_GET_STRUCT, 0, "", NULL
};

struct zf_every *
zf_get_struct (zf_handle *h)
{
  struct zf_get_struct_ret ret = { 0 };
  struct zf_every *r = NULL;

  if (zfi_enter (h, &action_get_struct) == -1)
    return NULL;
  if (zfi_call (h, &action_get_struct, 0, NULL, NULL, (xdrproc_t) xdr_zf_get_struct_ret, &ret) == 0)
    r = take_copy (h, &ret.r, sizeof ret.r);
  if (r)
    memset (&ret, 0, sizeof ret);
  xdr_free ((xdrproc_t) xdr_zf_get_struct_ret, (char *) &ret);
  zfi_trace_result (h, "<every>");
  zfi_leave (h, r != NULL);
  return r;
}

/* get_structs: return a value. */
static const struct zfi_action action_get_structs = {
  "get_structs", ZF_PROC_GET_STRUCTS, 0, "p", NULL
};

struct zf_every_list *
zf_get_structs (zf_handle *h, const char *path)
{
  struct zf_get_structs_args args = { .path = (char *) path };
  struct zf_get_structs_ret ret = { 0 };
  struct zf_every_list *r = NULL;

  if (zfi_enter (h, &action_get_structs, path) == -1)
    return NULL;
  if (zfi_call (h, &action_get_structs, 0, (xdrproc_t) xdr_zf_get_structs_args, &args,
                (xdrproc_t) xdr_zf_get_structs_ret, &ret) == 0)
    r = take_copy (h, &ret.r, sizeof ret.r);
  if (r)
    memset (&ret, 0, sizeof ret);
  xdr_free ((xdrproc_t) xdr_zf_get_structs_ret, (char *) &ret);
  zfi_trace_result (h, "<every>");
  zfi_leave (h, r != NULL);
  return r;
}

/* internal_secret: a private call. */
static const struct zfi_action action_internal_secret = {
  "internal_secret", ZF_PROC_INTERNAL_SECRET, ZFI_PRIVATE, "B", NULL
};

struct zf_hidden *
zfi_internal_secret (zf_handle *h, const void *random, size_t random_size)
{
  struct zf_internal_secret_args args = { 0 };
  struct zf_internal_secret_ret ret = { 0 };
  struct zf_hidden *r = NULL;

  if (check_size (h, random_size, "random") == -1)
    goto out;
  args.random.random_len = random_size;
  args.random.random_val = (char *) random;
  if (zfi_call (h, &action_internal_secret, 0, (xdrproc_t) xdr_zf_internal_secret_args, &args,
                (xdrproc_t) xdr_zf_internal_secret_ret, &ret) == 0)
    r = take_copy (h, &ret.r, sizeof ret.r);
  if (r)
    memset (&ret, 0, sizeof ret);
  xdr_free ((xdrproc_t) xdr_zf_internal_secret_ret, (char *) &ret);
 out:
  return r;
}

/* local: work done by the library. */
static const struct zfi_optarg optargs_local[] = {
  { "speed", 'i', offsetof (struct zf_local_opts, speed) },
  { "label", 's', offsetof (struct zf_local_opts, label) },
  { NULL, 0, 0 }
};

static const struct zfi_action action_local = {
  "local", 0, ZFI_ANY_STATE, "fSo", optargs_local
};

struct zf_small *
zf_local (zf_handle *h, const char *filename, char *const *texts, const struct zf_local_opts *opts)
{
  uint64_t mask = opts ? opts->bitmask : 0;
  struct zf_small *r = NULL;

  if (zfi_enter (h, &action_local, filename, texts, opts) == -1)
    return NULL;
  if (check_opts (h, mask, 2) == -1)
    goto out;
  if ((mask & ZF_LOCAL_OPTS_LABEL) && check_opt (h, opts->label, "label") == -1)
    goto out;
  r = zfi_local (h, filename, texts, opts);
 out:
  zfi_trace_result (h, "<small>");
  zfi_leave (h, r != NULL);
  return r;
}

/* only_in_c: return a value. */
static const struct zfi_action action_only_in_c = {
  "only_in_c", ZF_PROC_ONLY_IN_C, 0, "", NULL
};

int
zf_only_in_c (zf_handle *h)
{
  int r = -1;

  if (zfi_enter (h, &action_only_in_c) == -1)
    return -1;
  r = zfi_call (h, &action_only_in_c, 0, NULL, NULL, NULL, NULL);
  zfi_leave (h, r != -1);
  return r;
}

/* send_file: return a value. */
static const struct zfi_action action_send_file = {
  "send_file", ZF_PROC_SEND_FILE, ZFI_CANCEL | ZFI_FILE_IN, "fp", NULL
};

int
zf_send_file (zf_handle *h, const char *filename, const char *path)
{
  struct zf_send_file_args args = { .path = (char *) path };
  int r = -1;

  if (zfi_enter (h, &action_send_file, filename, path) == -1)
    return -1;
  r = zfi_call_file (h, &action_send_file, 0, (xdrproc_t) xdr_zf_send_file_args, &args, filename);
  zfi_leave (h, r != -1);
  return r;
}

/* set_up: work done before the launch. */
static const struct zfi_action action_set_up = {
  "set_up", 0, ZFI_CONFIG, "f", NULL
};

int
zf_set_up (zf_handle *h, const char *filename)
{
  int r = -1;

  if (zfi_enter (h, &action_set_up, filename) == -1)
    return -1;
  r = zfi_set_up (h, filename);
  zfi_leave (h, r != -1);
  return r;
}

