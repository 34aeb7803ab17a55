/* Every struct of the protocol with the same values for our XDR routines and for rpcgen's.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "protocol.h"
#include "rg_protocol.h"
#include "xdr-compare.h"

/* struct every */
static void
fill_every (void *ours, void *theirs)
{
  struct zf_every *a = ours;
  rg_every *b = theirs;

  a->number = b->number = next_int ();
  a->big = b->big = next_int64 ();
  a->letter = b->letter = next_char ();
  a->text = b->text = next_string ();
}

/* struct hidden */
static void
fill_hidden (void *ours, void *theirs)
{
  struct zf_hidden *a = ours;
  rg_hidden *b = theirs;

  a->number = b->number = next_int ();
}

/* all_names: take a name of every kind. */
static void
fill_all_names_args (void *ours, void *theirs)
{
  struct zf_all_names_args *a = ours;
  rg_all_names_args *b = theirs;

  a->mountable = b->mountable = next_string ();
  a->path = b->path = next_string ();
  a->place = b->place = next_string ();
  a->key = b->key = next_string ();
}

/* all_values: take a value of every type. */
static void
fill_all_values_args (void *ours, void *theirs)
{
  struct zf_all_values_args *a = ours;
  rg_all_values_args *b = theirs;

  a->text = b->text = next_string ();
  a->number = b->number = next_int ();
  a->big = b->big = next_int64 ();
  a->flag = b->flag = next_bool ();
  a->device = b->device = next_string ();
  b->texts.texts_val = a->texts.texts_val = next_list (&a->texts.texts_len);
  b->texts.texts_len = a->texts.texts_len;
  b->devices.devices_val = a->devices.devices_val = next_list (&a->devices.devices_len);
  b->devices.devices_len = a->devices.devices_len;
  b->content.content_val = a->content.content_val = next_bytes (&a->content.content_len);
  b->content.content_len = a->content.content_len;
  a->otext = b->otext = next_string ();
  a->onumber = b->onumber = next_int ();
  a->obig = b->obig = next_int64 ();
  a->oflag = b->oflag = next_bool ();
  b->otexts.otexts_val = a->otexts.otexts_val = next_list (&a->otexts.otexts_len);
  b->otexts.otexts_len = a->otexts.otexts_len;
}

/* all_values: take a value of every type. */
static void
fill_all_values_ret (void *ours, void *theirs)
{
  struct zf_all_values_ret *a = ours;
  rg_all_values_ret *b = theirs;

  a->r = b->r = next_bool ();
}

/* get_buffer: return a value. */
static void
fill_get_buffer_args (void *ours, void *theirs)
{
  struct zf_get_buffer_args *a = ours;
  rg_get_buffer_args *b = theirs;

  a->count = b->count = next_int ();
}

/* get_buffer: return a value. */
static void
fill_get_buffer_ret (void *ours, void *theirs)
{
  struct zf_get_buffer_ret *a = ours;
  rg_get_buffer_ret *b = theirs;

  b->r.r_val = a->r.r_val = next_bytes (&a->r.r_len);
  b->r.r_len = a->r.r_len;
}

/* get_device: return a value. */
static void
fill_get_device_ret (void *ours, void *theirs)
{
  struct zf_get_device_ret *a = ours;
  rg_get_device_ret *b = theirs;

  a->r = b->r = next_string ();
}

/* get_devices: return a value. */
static void
fill_get_devices_args (void *ours, void *theirs)
{
  struct zf_get_devices_args *a = ours;
  rg_get_devices_args *b = theirs;

  b->devices.devices_val = a->devices.devices_val = next_list (&a->devices.devices_len);
  b->devices.devices_len = a->devices.devices_len;
}

/* get_devices: return a value. */
static void
fill_get_devices_ret (void *ours, void *theirs)
{
  struct zf_get_devices_ret *a = ours;
  rg_get_devices_ret *b = theirs;

  b->r.r_val = a->r.r_val = next_list (&a->r.r_len);
  b->r.r_len = a->r.r_len;
}

/* get_file: return a value. */
static void
fill_get_file_args (void *ours, void *theirs)
{
  struct zf_get_file_args *a = ours;
  rg_get_file_args *b = theirs;

  a->limit = b->limit = next_int64 ();
}

/* get_hash: return a value. */
static void
fill_get_hash_ret (void *ours, void *theirs)
{
  struct zf_get_hash_ret *a = ours;
  rg_get_hash_ret *b = theirs;

  b->r.r_val = a->r.r_val = next_list (&a->r.r_len);
  b->r.r_len = a->r.r_len;
}

/* get_int: return a value. */
static void
fill_get_int_ret (void *ours, void *theirs)
{
  struct zf_get_int_ret *a = ours;
  rg_get_int_ret *b = theirs;

  a->r = b->r = next_int ();
}

/* get_int64: return a value. */
static void
fill_get_int64_args (void *ours, void *theirs)
{
  struct zf_get_int64_args *a = ours;
  rg_get_int64_args *b = theirs;

  a->device = b->device = next_string ();
}

/* get_int64: return a value. */
static void
fill_get_int64_ret (void *ours, void *theirs)
{
  struct zf_get_int64_ret *a = ours;
  rg_get_int64_ret *b = theirs;

  a->r = b->r = next_int64 ();
}

/* get_int64_hex: return a value. */
static void
fill_get_int64_hex_ret (void *ours, void *theirs)
{
  struct zf_get_int64_hex_ret *a = ours;
  rg_get_int64_hex_ret *b = theirs;

  a->r = b->r = next_int64 ();
}

/* get_int64_human: return a value. */
static void
fill_get_int64_human_ret (void *ours, void *theirs)
{
  struct zf_get_int64_human_ret *a = ours;
  rg_get_int64_human_ret *b = theirs;

  a->r = b->r = next_int64 ();
}

/* get_int64_octal: return a value. */
static void
fill_get_int64_octal_ret (void *ours, void *theirs)
{
  struct zf_get_int64_octal_ret *a = ours;
  rg_get_int64_octal_ret *b = theirs;

  a->r = b->r = next_int64 ();
}

/* get_int_hex: return a value. */
static void
fill_get_int_hex_args (void *ours, void *theirs)
{
  struct zf_get_int_hex_args *a = ours;
  rg_get_int_hex_args *b = theirs;

  a->device = b->device = next_string ();
}

/* get_int_hex: return a value. */
static void
fill_get_int_hex_ret (void *ours, void *theirs)
{
  struct zf_get_int_hex_ret *a = ours;
  rg_get_int_hex_ret *b = theirs;

  a->r = b->r = next_int ();
}

/* get_int_octal: return a value. */
static void
fill_get_int_octal_ret (void *ours, void *theirs)
{
  struct zf_get_int_octal_ret *a = ours;
  rg_get_int_octal_ret *b = theirs;

  a->r = b->r = next_int ();
}

/* get_string: return a value. */
static void
fill_get_string_ret (void *ours, void *theirs)
{
  struct zf_get_string_ret *a = ours;
  rg_get_string_ret *b = theirs;

  a->r = b->r = next_string ();
}

/* get_strings: return a value. */
static void
fill_get_strings_ret (void *ours, void *theirs)
{
  struct zf_get_strings_ret *a = ours;
  rg_get_strings_ret *b = theirs;

  b->r.r_val = a->r.r_val = next_list (&a->r.r_len);
  b->r.r_len = a->r.r_len;
}

/* get_struct: return a value. */
static void
fill_get_struct_ret (void *ours, void *theirs)
{
  struct zf_get_struct_ret *a = ours;
  rg_get_struct_ret *b = theirs;

  fill_every (&a->r, &b->r);
}

/* get_structs: return a value. */
static void
fill_get_structs_args (void *ours, void *theirs)
{
  struct zf_get_structs_args *a = ours;
  rg_get_structs_args *b = theirs;

  a->path = b->path = next_string ();
}

/* get_structs: return a value. */
static void
fill_get_structs_ret (void *ours, void *theirs)
{
  struct zf_get_structs_ret *a = ours;
  rg_get_structs_ret *b = theirs;

  b->r.r_len = a->r.len = next_count ();
  a->r.val = next_array (a->r.len, sizeof *a->r.val);
  b->r.r_val = next_array (a->r.len, sizeof *b->r.r_val);
  for (u_int i = 0; i < a->r.len; i++)
    fill_every (&a->r.val[i], &b->r.r_val[i]);
}

/* internal_secret: a private call. */
static void
fill_internal_secret_args (void *ours, void *theirs)
{
  struct zf_internal_secret_args *a = ours;
  rg_internal_secret_args *b = theirs;

  b->random.random_val = a->random.random_val = next_bytes (&a->random.random_len);
  b->random.random_len = a->random.random_len;
}

/* internal_secret: a private call. */
static void
fill_internal_secret_ret (void *ours, void *theirs)
{
  struct zf_internal_secret_ret *a = ours;
  rg_internal_secret_ret *b = theirs;

  fill_hidden (&a->r, &b->r);
}

/* send_file: return a value. */
static void
fill_send_file_args (void *ours, void *theirs)
{
  struct zf_send_file_args *a = ours;
  rg_send_file_args *b = theirs;

  a->path = b->path = next_string ();
}

const struct xdr_case xdr_cases[] = {
  { "every", 0, fill_every,
    sizeof (struct zf_every), (xdrproc_t) xdr_zf_every,
    sizeof (rg_every), (xdrproc_t) xdr_rg_every },
  { "hidden", 0, fill_hidden,
    sizeof (struct zf_hidden), (xdrproc_t) xdr_zf_hidden,
    sizeof (rg_hidden), (xdrproc_t) xdr_rg_hidden },
  { "all_names_args", 0, fill_all_names_args,
    sizeof (struct zf_all_names_args), (xdrproc_t) xdr_zf_all_names_args,
    sizeof (rg_all_names_args), (xdrproc_t) xdr_rg_all_names_args },
  { "all_values_args", 5, fill_all_values_args,
    sizeof (struct zf_all_values_args), (xdrproc_t) xdr_zf_all_values_args,
    sizeof (rg_all_values_args), (xdrproc_t) xdr_rg_all_values_args },
  { "all_values_ret", 0, fill_all_values_ret,
    sizeof (struct zf_all_values_ret), (xdrproc_t) xdr_zf_all_values_ret,
    sizeof (rg_all_values_ret), (xdrproc_t) xdr_rg_all_values_ret },
  { "get_buffer_args", 0, fill_get_buffer_args,
    sizeof (struct zf_get_buffer_args), (xdrproc_t) xdr_zf_get_buffer_args,
    sizeof (rg_get_buffer_args), (xdrproc_t) xdr_rg_get_buffer_args },
  { "get_buffer_ret", 0, fill_get_buffer_ret,
    sizeof (struct zf_get_buffer_ret), (xdrproc_t) xdr_zf_get_buffer_ret,
    sizeof (rg_get_buffer_ret), (xdrproc_t) xdr_rg_get_buffer_ret },
  { "get_device_ret", 0, fill_get_device_ret,
    sizeof (struct zf_get_device_ret), (xdrproc_t) xdr_zf_get_device_ret,
    sizeof (rg_get_device_ret), (xdrproc_t) xdr_rg_get_device_ret },
  { "get_devices_args", 0, fill_get_devices_args,
    sizeof (struct zf_get_devices_args), (xdrproc_t) xdr_zf_get_devices_args,
    sizeof (rg_get_devices_args), (xdrproc_t) xdr_rg_get_devices_args },
  { "get_devices_ret", 0, fill_get_devices_ret,
    sizeof (struct zf_get_devices_ret), (xdrproc_t) xdr_zf_get_devices_ret,
    sizeof (rg_get_devices_ret), (xdrproc_t) xdr_rg_get_devices_ret },
  { "get_file_args", 1, fill_get_file_args,
    sizeof (struct zf_get_file_args), (xdrproc_t) xdr_zf_get_file_args,
    sizeof (rg_get_file_args), (xdrproc_t) xdr_rg_get_file_args },
  { "get_hash_ret", 0, fill_get_hash_ret,
    sizeof (struct zf_get_hash_ret), (xdrproc_t) xdr_zf_get_hash_ret,
    sizeof (rg_get_hash_ret), (xdrproc_t) xdr_rg_get_hash_ret },
  { "get_int_ret", 0, fill_get_int_ret,
    sizeof (struct zf_get_int_ret), (xdrproc_t) xdr_zf_get_int_ret,
    sizeof (rg_get_int_ret), (xdrproc_t) xdr_rg_get_int_ret },
  { "get_int64_args", 0, fill_get_int64_args,
    sizeof (struct zf_get_int64_args), (xdrproc_t) xdr_zf_get_int64_args,
    sizeof (rg_get_int64_args), (xdrproc_t) xdr_rg_get_int64_args },
  { "get_int64_ret", 0, fill_get_int64_ret,
    sizeof (struct zf_get_int64_ret), (xdrproc_t) xdr_zf_get_int64_ret,
    sizeof (rg_get_int64_ret), (xdrproc_t) xdr_rg_get_int64_ret },
  { "get_int64_hex_ret", 0, fill_get_int64_hex_ret,
    sizeof (struct zf_get_int64_hex_ret), (xdrproc_t) xdr_zf_get_int64_hex_ret,
    sizeof (rg_get_int64_hex_ret), (xdrproc_t) xdr_rg_get_int64_hex_ret },
  { "get_int64_human_ret", 0, fill_get_int64_human_ret,
    sizeof (struct zf_get_int64_human_ret), (xdrproc_t) xdr_zf_get_int64_human_ret,
    sizeof (rg_get_int64_human_ret), (xdrproc_t) xdr_rg_get_int64_human_ret },
  { "get_int64_octal_ret", 0, fill_get_int64_octal_ret,
    sizeof (struct zf_get_int64_octal_ret), (xdrproc_t) xdr_zf_get_int64_octal_ret,
    sizeof (rg_get_int64_octal_ret), (xdrproc_t) xdr_rg_get_int64_octal_ret },
  { "get_int_hex_args", 0, fill_get_int_hex_args,
    sizeof (struct zf_get_int_hex_args), (xdrproc_t) xdr_zf_get_int_hex_args,
    sizeof (rg_get_int_hex_args), (xdrproc_t) xdr_rg_get_int_hex_args },
  { "get_int_hex_ret", 0, fill_get_int_hex_ret,
    sizeof (struct zf_get_int_hex_ret), (xdrproc_t) xdr_zf_get_int_hex_ret,
    sizeof (rg_get_int_hex_ret), (xdrproc_t) xdr_rg_get_int_hex_ret },
  { "get_int_octal_ret", 0, fill_get_int_octal_ret,
    sizeof (struct zf_get_int_octal_ret), (xdrproc_t) xdr_zf_get_int_octal_ret,
    sizeof (rg_get_int_octal_ret), (xdrproc_t) xdr_rg_get_int_octal_ret },
  { "get_string_ret", 0, fill_get_string_ret,
    sizeof (struct zf_get_string_ret), (xdrproc_t) xdr_zf_get_string_ret,
    sizeof (rg_get_string_ret), (xdrproc_t) xdr_rg_get_string_ret },
  { "get_strings_ret", 0, fill_get_strings_ret,
    sizeof (struct zf_get_strings_ret), (xdrproc_t) xdr_zf_get_strings_ret,
    sizeof (rg_get_strings_ret), (xdrproc_t) xdr_rg_get_strings_ret },
  { "get_struct_ret", 0, fill_get_struct_ret,
    sizeof (struct zf_get_struct_ret), (xdrproc_t) xdr_zf_get_struct_ret,
    sizeof (rg_get_struct_ret), (xdrproc_t) xdr_rg_get_struct_ret },
  { "get_structs_args", 0, fill_get_structs_args,
    sizeof (struct zf_get_structs_args), (xdrproc_t) xdr_zf_get_structs_args,
    sizeof (rg_get_structs_args), (xdrproc_t) xdr_rg_get_structs_args },
  { "get_structs_ret", 0, fill_get_structs_ret,
    sizeof (struct zf_get_structs_ret), (xdrproc_t) xdr_zf_get_structs_ret,
    sizeof (rg_get_structs_ret), (xdrproc_t) xdr_rg_get_structs_ret },
  { "internal_secret_args", 0, fill_internal_secret_args,
    sizeof (struct zf_internal_secret_args), (xdrproc_t) xdr_zf_internal_secret_args,
    sizeof (rg_internal_secret_args), (xdrproc_t) xdr_rg_internal_secret_args },
  { "internal_secret_ret", 0, fill_internal_secret_ret,
    sizeof (struct zf_internal_secret_ret), (xdrproc_t) xdr_zf_internal_secret_ret,
    sizeof (rg_internal_secret_ret), (xdrproc_t) xdr_rg_internal_secret_ret },
  { "send_file_args", 0, fill_send_file_args,
    sizeof (struct zf_send_file_args), (xdrproc_t) xdr_zf_send_file_args,
    sizeof (rg_send_file_args), (xdrproc_t) xdr_rg_send_file_args },
};
const size_t nr_xdr_cases = sizeof xdr_cases / sizeof xdr_cases[0];
