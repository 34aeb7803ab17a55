/* The protocol: zerofish_protocol.x for people and rpcgen, and the same structs and XDR routines in C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdlib.h>

#include "emit.h"

/* --- zerofish_protocol.x --- */

static const char x_fixed[] =
  "/* Every message is a 4-byte big-endian length, a header, and a body.  Three lengths are flags instead:\n"
  " * launch (sent once by the daemon when it is ready), progress (a zf_progress follows) and cancel. */\n"
  "const ZF_WIRE_PROGRAM = 0x2000F5F5;\n"
  "const ZF_WIRE_VERSION = 4;\n"
  "const ZF_WIRE_LAUNCH_FLAG = 0xf5f55ff5;\n"
  "const ZF_WIRE_PROGRESS_FLAG = 0xffff5555;\n"
  "const ZF_WIRE_CANCEL_FLAG = 0xffffeeee;\n"
  "const ZF_WIRE_MESSAGE_MAX = 4194304;\n"
  "const ZF_WIRE_CHUNK_MAX = 8192;\n"
  "const ZF_WIRE_ERROR_MAX = 65536;\n"
  "const ZF_WIRE_ERRNO_MAX = 32;\n"
  "\n"
  "struct zf_message_header {\n"
  "  unsigned int prog;\n"
  "  unsigned int vers;\n"
  "  int proc;                     /* enum zf_procedure, or a number that only the peer knows */\n"
  "  int direction;                /* 0: call, 1: reply */\n"
  "  unsigned int serial;\n"
  "  unsigned hyper progress_hint; /* size of the file that follows a call, if it is known */\n"
  "  unsigned hyper optargs_bitmask;\n"
  "  int status;                   /* 0: ok, 1: the body is a zf_message_error */\n"
  "};\n"
  "\n"
  "struct zf_message_error {\n"
  "  string errno_name<ZF_WIRE_ERRNO_MAX>;\n"
  "  string message<ZF_WIRE_ERROR_MAX>;\n"
  "};\n"
  "\n"
  "struct zf_progress {\n"
  "  unsigned int proc;\n"
  "  unsigned int serial;\n"
  "  unsigned hyper position;\n"
  "  unsigned hyper total;\n"
  "};\n"
  "\n"
  "/* Files are streamed as chunks; an empty one is the end. */\n"
  "struct zf_chunk {\n"
  "  int cancel;\n"
  "  opaque data<ZF_WIRE_CHUNK_MAX>;\n"
  "};\n"
  "\n"
  "typedef string zf_string<>;\n";

static void
put_x_field (FILE *out, enum type type, const char *name, const char *structure)
{
  if (is_text (type))
    fprintf (out, "  string %s<>;\n", name);
  else if (is_list (type))
    fprintf (out, "  zf_string %s<>;\n", name);
  else if (type == T_BUFFER)
    fprintf (out, "  opaque %s<>;\n", name);
  else if (type == T_STRUCT)
    fprintf (out, "  zf_%s %s;\n", structure, name);
  else if (type == T_STRUCT_LIST)
    fprintf (out, "  zf_%s %s<>;\n", structure, name);
  else
    fprintf (out, "  %s %s;\n", type == T_INT64 ? "hyper" : type == T_BOOL ? "bool" : "int", name);
}

static void
put_x_struct (FILE *out, const struct structure *s)
{
  static const char *const types[] = { [FT_INT32] = "int", [FT_INT64] = "hyper", [FT_CHAR] = "char" };

  fprintf (out, "\n/* struct %s */\nstruct zf_%s {\n", s->name, s->name);
  for (const struct field *f = s->fields; f->name; f++)
    if (f->type == FT_STRING)
      fprintf (out, "  string %s<>;\n", f->name);
    else
      fprintf (out, "  %s %s;\n", types[f->type], f->name);
  fputs ("};\n", out);
}

static void
put_x_action (FILE *out, const struct action *a)
{
  if (has_args (a) || a->ret != T_NONE) {
    fputc ('\n', out);
    put_entry (out, a);
  }
  if (has_args (a)) {
    fprintf (out, "struct zf_%s_args {\n", a->name);
    for (const struct param *p = a->args; p->name; p++)
      if (!is_file (p->type))
        put_x_field (out, p->type, p->name, NULL);
    for (const struct param *p = a->optargs; p->name; p++)
      put_x_field (out, p->type, p->name, NULL);
    fputs ("};\n", out);
  }
  if (a->ret != T_NONE) {
    fprintf (out, "struct zf_%s_ret {\n", a->name);
    put_x_field (out, a->ret, "r", a->ret_struct);
    fputs ("};\n", out);
  }
}

static void
put_procedures (FILE *out, const struct table *t)
{
  size_t n;
  const struct action **v = by_proc (t, &n);

  fputs ("enum zf_procedure {\n", out);
  for (size_t i = 0; i < n; i++)
    fprintf (out, "  ZF_PROC_%s = %d%s\n", upper (v[i]->name), v[i]->proc, i + 1 < n ? "," : "");
  fputs ("};\n", out);
  free (v);
}

void
emit_protocol_x (FILE *out, const struct table *t)
{
  size_t n;
  const struct action **v = by_proc (t, &n);

  put_head (out, "The wire protocol, for people and for rpcgen.");
  fputs (x_fixed, out);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (struct_on_wire (t, &t->structs[i]))
      put_x_struct (out, &t->structs[i]);
  for (size_t i = 0; i < n; i++)
    put_x_action (out, v[i]);
  fputc ('\n', out);
  put_procedures (out, t);
  free (v);
}

/* --- protocol.h --- */

static void
put_h_field (FILE *out, enum type type, const char *name, const char *structure)
{
  if (is_text (type))
    fprintf (out, "  char *%s;\n", name);
  else if (is_list (type))
    fprintf (out, "  struct { u_int %s_len; char **%s_val; } %s;\n", name, name, name);
  else if (type == T_BUFFER)
    fprintf (out, "  struct { u_int %s_len; char *%s_val; } %s;\n", name, name, name);
  else if (type == T_STRUCT)
    fprintf (out, "  struct zf_%s %s;\n", structure, name);
  else if (type == T_STRUCT_LIST)
    fprintf (out, "  struct zf_%s_list %s;\n", structure, name);
  else
    fprintf (out, "  %s %s;\n", type == T_INT64 ? "int64_t" : type == T_BOOL ? "bool_t" : "int", name);
}

static void
put_h_action (FILE *out, const struct action *a)
{
  if (!has_args (a) && a->ret == T_NONE)
    return;
  fputc ('\n', out);
  put_entry (out, a);
  if (has_args (a)) {
    fprintf (out, "struct zf_%s_args {\n", a->name);
    for (const struct param *p = a->args; p->name; p++)
      if (!is_file (p->type))
        put_h_field (out, p->type, p->name, NULL);
    for (const struct param *p = a->optargs; p->name; p++)
      put_h_field (out, p->type, p->name, NULL);
    fputs ("};\n", out);
    fprintf (out, "extern bool_t xdr_zf_%s_args (XDR *xdrs, struct zf_%s_args *p);\n", a->name, a->name);
  }
  if (a->ret != T_NONE) {
    fprintf (out, "struct zf_%s_ret {\n", a->name);
    put_h_field (out, a->ret, "r", a->ret_struct);
    fputs ("};\n", out);
    fprintf (out, "extern bool_t xdr_zf_%s_ret (XDR *xdrs, struct zf_%s_ret *p);\n", a->name, a->name);
  }
}

void
emit_protocol_h (FILE *out, const struct table *t)
{
  size_t n;
  const struct action **v = by_proc (t, &n);

  put_head (out, "Arguments and results as they travel, and their XDR routines.");
  fputs ("#ifndef ZEROFISH_PROTOCOL_H\n#define ZEROFISH_PROTOCOL_H\n\n"
         "#include <stdint.h>\n\n"
         "#include <rpc/types.h>\n#include <rpc/xdr.h>\n\n"
         "#include \"zerofish-structs.h\"\n\n", out);
  put_procedures (out, t);
  for (size_t i = 0; i < t->nr_structs; i++) {
    const struct structure *s = &t->structs[i];

    if (!struct_on_wire (t, s))
      continue;
    fprintf (out, "\n/* struct %s */\n", s->name);
    if (s->wire_only)
      put_struct (out, s);
    fprintf (out, "extern bool_t xdr_zf_%s (XDR *xdrs, struct zf_%s *p);\n", s->name, s->name);
  }
  fputs ("\n/* A field R of the results is the value itself.  Optional arguments come last; a decoded body that\n"
         " * ends before them leaves them as they were, so zero the struct first, and look at a value only if its\n"
         " * bit is set. */\n", out);
  for (size_t i = 0; i < n; i++)
    put_h_action (out, v[i]);
  fputs ("\n#endif /* ZEROFISH_PROTOCOL_H */\n", out);
  free (v);
}

/* --- protocol.c --- */

static const char c_list[] =
  "/* A counted array of strings.  Each takes four bytes, which bounds what a false count can allocate. */\n"
  "static bool_t\n"
  "xdr_strings (XDR *xdrs, u_int *len, char ***val)\n"
  "{\n"
  "  return xdr_array (xdrs, (char **) val, len, ZF_MESSAGE_MAX / 4, sizeof (char *),\n"
  "                    (xdrproc_t) xdr_wire_string);\n"
  "}\n\n";

static const char c_at_end[] =
  "/* Decoding, and all bytes of the message are used up?  A peer of another version may know fewer\n"
  " * optional arguments than we do.  (Messages are decoded from memory, where x_handy counts what is left.) */\n"
  "static bool_t\n"
  "at_end (const XDR *xdrs)\n"
  "{\n"
  "  return xdrs->x_op == XDR_DECODE && xdrs->x_handy == 0;\n"
  "}\n\n";

static void
put_c_field (FILE *out, enum type type, const char *name, const char *structure)
{
  fputs ("  if (!", out);
  if (is_text (type))
    fprintf (out, "xdr_wire_string (xdrs, &p->%s)", name);
  else if (is_list (type))
    fprintf (out, "xdr_strings (xdrs, &p->%s.%s_len, &p->%s.%s_val)", name, name, name, name);
  else if (type == T_BUFFER)
    fprintf (out, "xdr_bytes (xdrs, &p->%s.%s_val, &p->%s.%s_len, ZF_MESSAGE_MAX)", name, name, name, name);
  else if (type == T_STRUCT)
    fprintf (out, "xdr_zf_%s (xdrs, &p->%s)", structure, name);
  else if (type == T_STRUCT_LIST)
    fprintf (out, "xdr_array (xdrs, (char **) &p->%s.val, &p->%s.len, ZF_MESSAGE_MAX / 4,\n"
             "                  sizeof (struct zf_%s), (xdrproc_t) xdr_zf_%s)",
             name, name, structure, structure);
  else
    fprintf (out, "xdr_%s (xdrs, &p->%s)",
             type == T_INT64 ? "int64_t" : type == T_BOOL ? "bool" : "int", name);
  fputs (")\n    return FALSE;\n", out);
}

static void
put_c_begin (FILE *out, const char *name, const char *suffix)
{
  fprintf (out, "bool_t\nxdr_zf_%s%s (XDR *xdrs, struct zf_%s%s *p)\n{\n", name, suffix, name, suffix);
}

static void
put_c_struct (FILE *out, const struct structure *s)
{
  static const char *const types[] = { [FT_INT32] = "int32_t", [FT_INT64] = "int64_t", [FT_CHAR] = "char" };

  fprintf (out, "/* struct %s */\n", s->name);
  put_c_begin (out, s->name, "");
  for (const struct field *f = s->fields; f->name; f++)
    if (f->type == FT_STRING)
      fprintf (out, "  if (!xdr_wire_string (xdrs, &p->%s))\n    return FALSE;\n", f->name);
    else
      fprintf (out, "  if (!xdr_%s (xdrs, &p->%s))\n    return FALSE;\n", types[f->type], f->name);
  fputs ("  return TRUE;\n}\n\n", out);
}

static void
put_c_action (FILE *out, const struct action *a)
{
  if (has_args (a)) {
    put_entry (out, a);
    put_c_begin (out, a->name, "_args");
    for (const struct param *p = a->args; p->name; p++)
      if (!is_file (p->type))
        put_c_field (out, p->type, p->name, NULL);
    for (const struct param *p = a->optargs; p->name; p++) {
      fputs ("  if (at_end (xdrs))\n    return TRUE;\n", out);
      put_c_field (out, p->type, p->name, NULL);
    }
    fputs ("  return TRUE;\n}\n\n", out);
  }
  if (a->ret != T_NONE) {
    put_entry (out, a);
    put_c_begin (out, a->name, "_ret");
    put_c_field (out, a->ret, "r", a->ret_struct);
    fputs ("  return TRUE;\n}\n\n", out);
  }
}

/* Does the function of some field call xdr_strings? */
static bool
has_lists (const struct table *t)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (!is_daemon (a))
      continue;
    if (is_list (a->ret))
      return true;
    for (const struct param *p = a->args; p->name; p++)
      if (is_list (p->type))
        return true;
    for (const struct param *p = a->optargs; p->name; p++)
      if (is_list (p->type))
        return true;
  }
  return false;
}

static bool
has_daemon_optargs (const struct table *t)
{
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]) && has_optargs (&t->actions[i]))
      return true;
  return false;
}

void
emit_protocol_c (FILE *out, const struct table *t)
{
  size_t n;
  const struct action **v = by_proc (t, &n);

  put_head (out, "XDR routines of arguments and results.");
  fputs ("#include <config.h>\n\n#include \"conn.h\"\n#include \"protocol.h\"\n#include \"wire.h\"\n\n", out);
  if (has_lists (t))
    fputs (c_list, out);
  if (has_daemon_optargs (t))
    fputs (c_at_end, out);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (struct_on_wire (t, &t->structs[i]))
      put_c_struct (out, &t->structs[i]);
  for (size_t i = 0; i < n; i++)
    put_c_action (out, v[i]);
  free (v);
}
