/* Commands of the shell.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <inttypes.h>

#include "fish.h"

#define UNUSED __attribute__ ((unused))

static int
print_int_hex (FILE *out, int r)
{
  if (r == -1)
    return -1;
  fprintf (out, "0x%" PRIx32 "\n", (unsigned) r);
  return 0;
}

static int
print_int64_hex (FILE *out, int64_t r)
{
  if (r == -1)
    return -1;
  fprintf (out, "0x%" PRIx64 "\n", (uint64_t) r);
  return 0;
}

static int
print_int_octal (FILE *out, int r)
{
  if (r == -1)
    return -1;
  fprintf (out, "0%" PRIo32 "\n", (unsigned) r);
  return 0;
}

static int
print_int64_octal (FILE *out, int64_t r)
{
  if (r == -1)
    return -1;
  fprintf (out, "0%" PRIo64 "\n", (uint64_t) r);
  return 0;
}

/* Bytes, with the largest unit that leaves a number of 1 or more. */
static int
print_int64_human (FILE *out, int64_t r)
{
  static const char units[] = "BKMGTPE";
  double n = r;
  int i = 0;

  if (r == -1)
    return -1;
  for (; n >= 1024; n /= 1024)
    i++;
  fprintf (out, i ? "%.1f%c\n" : "%.0f%c\n", n, units[i]);
  return 0;
}

/* struct every: "field: value" lines; frees R. */
static int
print_every (FILE *out, struct zf_every *r)
{
  if (r == NULL)
    return -1;
  print_field_int (out, "number", r->number);
  print_field_int (out, "big", r->big);
  fprintf (out, "letter: %c\n", r->letter);
  print_field_string (out, "text", r->text);
  zf_free_every (r);
  return 0;
}

/* struct every: "[0] = {", the fields, "}", and so on; frees R. */
static int
print_every_list (FILE *out, struct zf_every_list *r)
{
  if (r == NULL)
    return -1;
  for (uint32_t i = 0; i < r->len; i++) {
    fprintf (out, "[%" PRIu32 "] = {\n", i);
    print_field_int (out, "  number", r->val[i].number);
    print_field_int (out, "  big", r->val[i].big);
    fprintf (out, "  letter: %c\n", r->val[i].letter);
    print_field_string (out, "  text", r->val[i].text);
    fputs ("}\n", out);
  }
  zf_free_every_list (r);
  return 0;
}

/* struct small: "field: value" lines; frees R. */
static int
print_small (FILE *out, struct zf_small *r)
{
  if (r == NULL)
    return -1;
  print_field_int (out, "number", r->number);
  zf_free_small (r);
  return 0;
}

/* all_names: take a name of every kind. */
static int
run_all_names (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
               FILE *out UNUSED)
{
  return zf_all_names (h, v[0].s, v[1].s, v[2].s, v[3].s);
}

static const struct command_arg args_all_names[] = {
  { "mountable", V_MOUNTABLE },
  { "path", V_PATH },
  { "place", V_DEVICE_OR_PATH },
  { "key", V_KEY },
};
static const char text_all_names[] =
  "Take a name of every kind.\n";

/* all_values: take a value of every type. */
static int
run_all_values (zf_handle *h, const struct value *v, const struct value *opt, uint64_t mask, FILE *out)
{
  const struct zf_all_values_opts opts = {
    .bitmask = mask,
    .otext = opt[0].s,
    .onumber = (int) opt[1].n,
    .obig = opt[2].n,
    .oflag = (int) opt[3].n,
    .otexts = opt[4].list
  };

  return print_bool (out, zf_all_values (h, v[0].s, (int) v[1].n, v[2].n, (int) v[3].n, v[4].s, v[5].list, v[6].list, v[7].s, v[7].len, &opts));
}

static const struct command_arg args_all_values[] = {
  { "text", V_STRING },
  { "number", V_INT },
  { "big", V_INT64 },
  { "flag", V_BOOL },
  { "device", V_DEVICE },
  { "texts", V_LIST },
  { "devices", V_LIST },
  { "content", V_BUFFER },
};
static const struct command_arg optargs_all_values[] = {
  { "otext", V_STRING },
  { "onumber", V_INT },
  { "obig", V_INT64 },
  { "oflag", V_BOOL },
  { "otexts", V_LIST },
};
static const char text_all_values[] =
  "Take one argument of every type that can be \"optional\", see all-names and\n"
  "only-in-c. This paragraph is long enough to be wrapped in plain text.\n"
  "\n"
  "\"otext\"\n"
  "\n"
  "    A \"text\" with a \\ in it.\n"
  "\n"
  " an example\n"
  " of two lines\n";

/* get_buffer: return a value. */
static int
run_get_buffer (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
                FILE *out)
{
  size_t size = 0;
  char *r = zf_get_buffer (h, (int) v[0].n, &size);

  return print_buffer (out, r, size);
}

static const struct command_arg args_get_buffer[] = {
  { "count", V_INT },
};
static const char text_get_buffer[] =
  "Return a value.\n";

/* get_device: return a value. */
static int
run_get_device (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                uint64_t mask UNUSED, FILE *out)
{
  return print_string (out, zf_get_device (h));
}

static const char text_get_device[] =
  "Return a value.\n";

/* get_devices: return a value. */
static int
run_get_devices (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
                 FILE *out)
{
  return print_list (out, zf_get_devices (h, v[0].list));
}

static const struct command_arg args_get_devices[] = {
  { "devices", V_LIST },
};
static const char text_get_devices[] =
  "Return a value.\n";

/* get_file: return a value. */
static int
run_get_file (zf_handle *h, const struct value *v, const struct value *opt, uint64_t mask, FILE *out UNUSED)
{
  const struct zf_get_file_opts opts = {
    .bitmask = mask,
    .limit = opt[0].n
  };

  return zf_get_file (h, v[0].s, &opts);
}

static const struct command_arg args_get_file[] = {
  { "filename", V_FILE_OUT },
};
static const struct command_arg optargs_get_file[] = {
  { "limit", V_INT64 },
};
static const char text_get_file[] =
  "Return a value.\n";

/* get_hash: return a value. */
static int
run_get_hash (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
              uint64_t mask UNUSED, FILE *out)
{
  return print_hash (out, zf_get_hash (h));
}

static const char text_get_hash[] =
  "Return a value.\n";

/* get_int: return a value. */
static int
run_get_int (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED, uint64_t mask UNUSED,
             FILE *out)
{
  return print_int (out, zf_get_int (h));
}

static const char text_get_int[] =
  "Return a value.\n";

/* get_int64: return a value. */
static int
run_get_int64 (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
               FILE *out)
{
  return print_int64 (out, zf_get_int64 (h, v[0].s));
}

static const struct command_arg args_get_int64[] = {
  { "device", V_DEVICE },
};
static const char text_get_int64[] =
  "Return a value.\n";

/* get_int64_hex: return a value. */
static int
run_get_int64_hex (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                   uint64_t mask UNUSED, FILE *out)
{
  return print_int64_hex (out, zf_get_int64_hex (h));
}

static const char text_get_int64_hex[] =
  "Return a value.\n";

/* get_int64_human: return a value. */
static int
run_get_int64_human (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                     uint64_t mask UNUSED, FILE *out)
{
  return print_int64_human (out, zf_get_int64_human (h));
}

static const char text_get_int64_human[] =
  "Return a value.\n";

/* get_int64_octal: return a value. */
static int
run_get_int64_octal (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                     uint64_t mask UNUSED, FILE *out)
{
  return print_int64_octal (out, zf_get_int64_octal (h));
}

static const char text_get_int64_octal[] =
  "Return a value.\n";

/* get_int_hex: return a value. */
static int
run_get_int_hex (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
                 FILE *out)
{
  return print_int_hex (out, zf_get_int_hex (h, v[0].s));
}

static const struct command_arg args_get_int_hex[] = {
  { "device", V_DEVICE },
};
static const char text_get_int_hex[] =
  "Return a value.\n";

/* get_int_octal: return a value. */
static int
run_get_int_octal (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                   uint64_t mask UNUSED, FILE *out)
{
  return print_int_octal (out, zf_get_int_octal (h));
}

static const char text_get_int_octal[] =
  "Return a value.\n";

/* get_string: return a value. */
static int
run_get_string (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                uint64_t mask UNUSED, FILE *out)
{
  return print_string (out, zf_get_string (h));
}

static const char text_get_string[] =
  "Return a value.\n";

/* get_strings: return a value. */
static int
run_get_strings (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                 uint64_t mask UNUSED, FILE *out)
{
  return print_list (out, zf_get_strings (h));
}

static const char text_get_strings[] =
  "Return a value.\n";

/* get_struct: return a value. */
static int
run_get_struct (zf_handle *h, const struct value *v UNUSED, const struct value *opt UNUSED,
                uint64_t mask UNUSED, FILE *out)
{
  return print_every (out, zf_get_struct (h));
}

static const char text_get_struct[] =
  "Return a value.\n";

/* get_structs: return a value. */
static int
run_get_structs (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
                 FILE *out)
{
  return print_every_list (out, zf_get_structs (h, v[0].s));
}

static const struct command_arg args_get_structs[] = {
  { "path", V_PATH },
};
static const char text_get_structs[] =
  "Return a value.\n";

/* local: work done by the library. */
static int
run_local (zf_handle *h, const struct value *v, const struct value *opt, uint64_t mask, FILE *out)
{
  const struct zf_local_opts opts = {
    .bitmask = mask,
    .speed = (int) opt[0].n,
    .label = opt[1].s
  };

  return print_small (out, zf_local (h, v[0].s, v[1].list, &opts));
}

static const struct command_arg args_local[] = {
  { "filename", V_FILENAME },
  { "texts", V_LIST },
};
static const struct command_arg optargs_local[] = {
  { "speed", V_INT },
  { "label", V_STRING },
};
static const char text_local[] =
  "Work done by the library.\n";

/* send_file: return a value. */
static int
run_send_file (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
               FILE *out UNUSED)
{
  return zf_send_file (h, v[0].s, v[1].s);
}

static const struct command_arg args_send_file[] = {
  { "filename", V_FILE_IN },
  { "path", V_PATH },
};
static const char text_send_file[] =
  "Return a value.\n";

/* set_up: work done before the launch. */
static int
run_set_up (zf_handle *h, const struct value *v, const struct value *opt UNUSED, uint64_t mask UNUSED,
            FILE *out UNUSED)
{
  return zf_set_up (h, v[0].s);
}

static const struct command_arg args_set_up[] = {
  { "filename", V_FILENAME },
};
static const char text_set_up[] =
  "Work done before the launch.\n";

/* Sorted by name. */
const struct command commands[] = {
  {
    .name = "all-names", .aliases = (const char *const[]) { NULL },
    .args = args_all_names, .nr_args = 4,
    .shortdesc = "take a name of every kind",
    .longdesc = text_all_names, .destructive = false, .run = run_all_names,
  },
  {
    .name = "all-values", .aliases = (const char *const[]) { "all", "everything", NULL },
    .args = args_all_values, .nr_args = 8,
    .optargs = optargs_all_values, .nr_optargs = 5,
    .shortdesc = "take a value of every type",
    .longdesc = text_all_values, .destructive = true, .run = run_all_values,
  },
  {
    .name = "get-buffer", .aliases = (const char *const[]) { NULL },
    .args = args_get_buffer, .nr_args = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_buffer, .destructive = false, .run = run_get_buffer,
  },
  {
    .name = "get-device", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_device, .destructive = false, .run = run_get_device,
  },
  {
    .name = "get-devices", .aliases = (const char *const[]) { NULL },
    .args = args_get_devices, .nr_args = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_devices, .destructive = false, .run = run_get_devices,
  },
  {
    .name = "get-file", .aliases = (const char *const[]) { NULL },
    .args = args_get_file, .nr_args = 1,
    .optargs = optargs_get_file, .nr_optargs = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_file, .destructive = false, .run = run_get_file,
  },
  {
    .name = "get-hash", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_hash, .destructive = false, .run = run_get_hash,
  },
  {
    .name = "get-int", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_int, .destructive = false, .run = run_get_int,
  },
  {
    .name = "get-int-hex", .aliases = (const char *const[]) { NULL },
    .args = args_get_int_hex, .nr_args = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_int_hex, .destructive = false, .run = run_get_int_hex,
  },
  {
    .name = "get-int-octal", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_int_octal, .destructive = false, .run = run_get_int_octal,
  },
  {
    .name = "get-int64", .aliases = (const char *const[]) { NULL },
    .args = args_get_int64, .nr_args = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_int64, .destructive = false, .run = run_get_int64,
  },
  {
    .name = "get-int64-hex", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_int64_hex, .destructive = false, .run = run_get_int64_hex,
  },
  {
    .name = "get-int64-human", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_int64_human, .destructive = false, .run = run_get_int64_human,
  },
  {
    .name = "get-int64-octal", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_int64_octal, .destructive = false, .run = run_get_int64_octal,
  },
  {
    .name = "get-string", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_string, .destructive = false, .run = run_get_string,
  },
  {
    .name = "get-strings", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_strings, .destructive = false, .run = run_get_strings,
  },
  {
    .name = "get-struct", .aliases = (const char *const[]) { NULL },
    .shortdesc = "return a value",
    .longdesc = text_get_struct, .destructive = false, .run = run_get_struct,
  },
  {
    .name = "get-structs", .aliases = (const char *const[]) { NULL },
    .args = args_get_structs, .nr_args = 1,
    .shortdesc = "return a value",
    .longdesc = text_get_structs, .destructive = false, .run = run_get_structs,
  },
  {
    .name = "local", .aliases = (const char *const[]) { NULL },
    .args = args_local, .nr_args = 2,
    .optargs = optargs_local, .nr_optargs = 2,
    .shortdesc = "work done by the library",
    .longdesc = text_local, .destructive = false, .run = run_local,
  },
  {
    .name = "send-file", .aliases = (const char *const[]) { NULL },
    .args = args_send_file, .nr_args = 2,
    .shortdesc = "return a value",
    .longdesc = text_send_file, .destructive = false, .run = run_send_file,
  },
  {
    .name = "set-up", .aliases = (const char *const[]) { NULL },
    .args = args_set_up, .nr_args = 1,
    .shortdesc = "work done before the launch",
    .longdesc = text_set_up, .destructive = false, .run = run_set_up,
  },
};
const size_t nr_commands = sizeof commands / sizeof commands[0];
