/* XDR routines of arguments and results.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "conn.h"
#include "protocol.h"
#include "wire.h"

/* A counted array of strings.  Each takes four bytes, which bounds what a false count can allocate. */
static bool_t
xdr_strings (XDR *xdrs, u_int *len, char ***val)
{
  return xdr_array (xdrs, (char **) val, len, ZF_MESSAGE_MAX / 4, sizeof (char *),
                    (xdrproc_t) xdr_wire_string);
}

/* Decoding, and all bytes of the message are used up?  A peer of another version may know fewer
 * optional arguments than we do.  (Messages are decoded from memory, where x_handy counts what is left.) */
static bool_t
at_end (const XDR *xdrs)
{
  return xdrs->x_op == XDR_DECODE && xdrs->x_handy == 0;
}

/* struct every */
bool_t
xdr_zf_every (XDR *xdrs, struct zf_every *p)
{
  if (!xdr_int32_t (xdrs, &p->number))
    return FALSE;
  if (!xdr_int64_t (xdrs, &p->big))
    return FALSE;
  if (!xdr_char (xdrs, &p->letter))
    return FALSE;
  if (!xdr_wire_string (xdrs, &p->text))
    return FALSE;
  return TRUE;
}

/* struct hidden */
bool_t
xdr_zf_hidden (XDR *xdrs, struct zf_hidden *p)
{
  if (!xdr_int32_t (xdrs, &p->number))
    return FALSE;
  return TRUE;
}

/* all_names: take a name of every kind. */
bool_t
xdr_zf_all_names_args (XDR *xdrs, struct zf_all_names_args *p)
{
  if (!xdr_wire_string (xdrs, &p->mountable))
    return FALSE;
  if (!xdr_wire_string (xdrs, &p->path))
    return FALSE;
  if (!xdr_wire_string (xdrs, &p->place))
    return FALSE;
  if (!xdr_wire_string (xdrs, &p->key))
    return FALSE;
  return TRUE;
}

/* all_values: take a value of every type. */
bool_t
xdr_zf_all_values_args (XDR *xdrs, struct zf_all_values_args *p)
{
  if (!xdr_wire_string (xdrs, &p->text))
    return FALSE;
  if (!xdr_int (xdrs, &p->number))
    return FALSE;
  if (!xdr_int64_t (xdrs, &p->big))
    return FALSE;
  if (!xdr_bool (xdrs, &p->flag))
    return FALSE;
  if (!xdr_wire_string (xdrs, &p->device))
    return FALSE;
  if (!xdr_strings (xdrs, &p->texts.texts_len, &p->texts.texts_val))
    return FALSE;
  if (!xdr_strings (xdrs, &p->devices.devices_len, &p->devices.devices_val))
    return FALSE;
  if (!xdr_bytes (xdrs, &p->content.content_val, &p->content.content_len, ZF_MESSAGE_MAX))
    return FALSE;
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_wire_string (xdrs, &p->otext))
    return FALSE;
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_int (xdrs, &p->onumber))
    return FALSE;
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_int64_t (xdrs, &p->obig))
    return FALSE;
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_bool (xdrs, &p->oflag))
    return FALSE;
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_strings (xdrs, &p->otexts.otexts_len, &p->otexts.otexts_val))
    return FALSE;
  return TRUE;
}

/* all_values: take a value of every type. */
bool_t
xdr_zf_all_values_ret (XDR *xdrs, struct zf_all_values_ret *p)
{
  if (!xdr_bool (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int: return a value. */
bool_t
xdr_zf_get_int_ret (XDR *xdrs, struct zf_get_int_ret *p)
{
  if (!xdr_int (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int_hex: return a value. */
bool_t
xdr_zf_get_int_hex_args (XDR *xdrs, struct zf_get_int_hex_args *p)
{
  if (!xdr_wire_string (xdrs, &p->device))
    return FALSE;
  return TRUE;
}

/* get_int_hex: return a value. */
bool_t
xdr_zf_get_int_hex_ret (XDR *xdrs, struct zf_get_int_hex_ret *p)
{
  if (!xdr_int (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int_octal: return a value. */
bool_t
xdr_zf_get_int_octal_ret (XDR *xdrs, struct zf_get_int_octal_ret *p)
{
  if (!xdr_int (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int64: return a value. */
bool_t
xdr_zf_get_int64_args (XDR *xdrs, struct zf_get_int64_args *p)
{
  if (!xdr_wire_string (xdrs, &p->device))
    return FALSE;
  return TRUE;
}

/* get_int64: return a value. */
bool_t
xdr_zf_get_int64_ret (XDR *xdrs, struct zf_get_int64_ret *p)
{
  if (!xdr_int64_t (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int64_hex: return a value. */
bool_t
xdr_zf_get_int64_hex_ret (XDR *xdrs, struct zf_get_int64_hex_ret *p)
{
  if (!xdr_int64_t (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int64_octal: return a value. */
bool_t
xdr_zf_get_int64_octal_ret (XDR *xdrs, struct zf_get_int64_octal_ret *p)
{
  if (!xdr_int64_t (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_int64_human: return a value. */
bool_t
xdr_zf_get_int64_human_ret (XDR *xdrs, struct zf_get_int64_human_ret *p)
{
  if (!xdr_int64_t (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_string: return a value. */
bool_t
xdr_zf_get_string_ret (XDR *xdrs, struct zf_get_string_ret *p)
{
  if (!xdr_wire_string (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_device: return a value. */
bool_t
xdr_zf_get_device_ret (XDR *xdrs, struct zf_get_device_ret *p)
{
  if (!xdr_wire_string (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_strings: return a value. */
bool_t
xdr_zf_get_strings_ret (XDR *xdrs, struct zf_get_strings_ret *p)
{
  if (!xdr_strings (xdrs, &p->r.r_len, &p->r.r_val))
    return FALSE;
  return TRUE;
}

/* get_devices: return a value. */
bool_t
xdr_zf_get_devices_args (XDR *xdrs, struct zf_get_devices_args *p)
{
  if (!xdr_strings (xdrs, &p->devices.devices_len, &p->devices.devices_val))
    return FALSE;
  return TRUE;
}

/* get_devices: return a value. */
bool_t
xdr_zf_get_devices_ret (XDR *xdrs, struct zf_get_devices_ret *p)
{
  if (!xdr_strings (xdrs, &p->r.r_len, &p->r.r_val))
    return FALSE;
  return TRUE;
}

/* get_buffer: return a value. */
bool_t
xdr_zf_get_buffer_args (XDR *xdrs, struct zf_get_buffer_args *p)
{
  if (!xdr_int (xdrs, &p->count))
    return FALSE;
  return TRUE;
}

/* get_buffer: return a value. */
bool_t
xdr_zf_get_buffer_ret (XDR *xdrs, struct zf_get_buffer_ret *p)
{
  if (!xdr_bytes (xdrs, &p->r.r_val, &p->r.r_len, ZF_MESSAGE_MAX))
    return FALSE;
  return TRUE;
}

/* get_hash: return a value. */
bool_t
xdr_zf_get_hash_ret (XDR *xdrs, struct zf_get_hash_ret *p)
{
  if (!xdr_strings (xdrs, &p->r.r_len, &p->r.r_val))
    return FALSE;
  return TRUE;
}

/* get_struct: return a value. */
bool_t
xdr_zf_get_struct_ret (XDR *xdrs, struct zf_get_struct_ret *p)
{
  if (!xdr_zf_every (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

/* get_structs: return a value. */
bool_t
xdr_zf_get_structs_args (XDR *xdrs, struct zf_get_structs_args *p)
{
  if (!xdr_wire_string (xdrs, &p->path))
    return FALSE;
  return TRUE;
}

/* get_structs: return a value. */
bool_t
xdr_zf_get_structs_ret (XDR *xdrs, struct zf_get_structs_ret *p)
{
  if (!xdr_array (xdrs, (char **) &p->r.val, &p->r.len, ZF_MESSAGE_MAX / 4,
                  sizeof (struct zf_every), (xdrproc_t) xdr_zf_every))
    return FALSE;
  return TRUE;
}

/* send_file: return a value. */
bool_t
xdr_zf_send_file_args (XDR *xdrs, struct zf_send_file_args *p)
{
  if (!xdr_wire_string (xdrs, &p->path))
    return FALSE;
  return TRUE;
}

/* get_file: return a value. */
bool_t
xdr_zf_get_file_args (XDR *xdrs, struct zf_get_file_args *p)
{
  if (at_end (xdrs))
    return TRUE;
  if (!xdr_int64_t (xdrs, &p->limit))
    return FALSE;
  return TRUE;
}

/* internal_secret: a private call. */
bool_t
xdr_zf_internal_secret_args (XDR *xdrs, struct zf_internal_secret_args *p)
{
  if (!xdr_bytes (xdrs, &p->random.random_val, &p->random.random_len, ZF_MESSAGE_MAX))
    return FALSE;
  return TRUE;
}

/* internal_secret: a private call. */
bool_t
xdr_zf_internal_secret_ret (XDR *xdrs, struct zf_internal_secret_ret *p)
{
  if (!xdr_zf_hidden (xdrs, &p->r))
    return FALSE;
  return TRUE;
}

