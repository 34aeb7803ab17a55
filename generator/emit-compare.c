/* tests/generator/xdr-compare.c: fills our structs and rpcgen's with the same values, field by field by name.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "emit.h"

/* The same value for one field of both structs. */
static void
put_field (FILE *out, enum type type, const char *structure, const char *name)
{
  if (is_text (type))
    fprintf (out, "  a->%s = b->%s = next_string ();\n", name, name);
  else if (is_list (type))
    fprintf (out, "  b->%s.%s_val = a->%s.%s_val = next_list (&a->%s.%s_len);\n"
             "  b->%s.%s_len = a->%s.%s_len;\n",
             name, name, name, name, name, name, name, name, name, name);
  else if (type == T_BUFFER)
    fprintf (out, "  b->%s.%s_val = a->%s.%s_val = next_bytes (&a->%s.%s_len);\n"
             "  b->%s.%s_len = a->%s.%s_len;\n",
             name, name, name, name, name, name, name, name, name, name);
  else if (type == T_STRUCT)
    fprintf (out, "  fill_%s (&a->%s, &b->%s);\n", structure, name, name);
  else if (type == T_STRUCT_LIST)
    fprintf (out, "  b->%s.%s_len = a->%s.len = next_count ();\n"
             "  a->%s.val = next_array (a->%s.len, sizeof *a->%s.val);\n"
             "  b->%s.%s_val = next_array (a->%s.len, sizeof *b->%s.%s_val);\n"
             "  for (u_int i = 0; i < a->%s.len; i++)\n    fill_%s (&a->%s.val[i], &b->%s.%s_val[i]);\n",
             name, name, name, name, name, name, name, name, name, name, name, name,
             structure, name, name, name);
  else
    fprintf (out, "  a->%s = b->%s = next_%s ();\n", name, name,
             type == T_INT64 ? "int64" : type == T_BOOL ? "bool" : "int");
}

static void
put_begin (FILE *out, const char *name, const char *suffix)
{
  fprintf (out, "static void\nfill_%s%s (void *ours, void *theirs)\n{\n"
           "  struct zf_%s%s *a = ours;\n  rg_%s%s *b = theirs;\n\n",
           name, suffix, name, suffix, name, suffix);
}

static void
put_fill_struct (FILE *out, const struct structure *s)
{
  static const char *const types[] = {
    [FT_INT32] = "int", [FT_INT64] = "int64", [FT_CHAR] = "char", [FT_STRING] = "string"
  };

  fprintf (out, "/* struct %s */\n", s->name);
  put_begin (out, s->name, "");
  for (const struct field *f = s->fields; f->name; f++)
    fprintf (out, "  a->%s = b->%s = next_%s ();\n", f->name, f->name, types[f->type]);
  fputs ("}\n\n", out);
}

static void
put_fill_action (FILE *out, const struct action *a)
{
  if (has_args (a)) {
    put_entry (out, a);
    put_begin (out, a->name, "_args");
    for (const struct param *p = a->args; p->name; p++)
      if (!is_file (p->type))
        put_field (out, p->type, NULL, p->name);
    for (const struct param *p = a->optargs; p->name; p++)
      put_field (out, p->type, NULL, p->name);
    fputs ("}\n\n", out);
  }
  if (a->ret != T_NONE) {
    put_entry (out, a);
    put_begin (out, a->name, "_ret");
    put_field (out, a->ret, a->ret_struct, "r");
    fputs ("}\n\n", out);
  }
}

static void
put_case (FILE *out, const char *name, const char *suffix, size_t nr_optargs)
{
  fprintf (out, "  { \"%s%s\", %zu, fill_%s%s,\n    sizeof (struct zf_%s%s), (xdrproc_t) xdr_zf_%s%s,\n"
           "    sizeof (rg_%s%s), (xdrproc_t) xdr_rg_%s%s },\n",
           name, suffix, nr_optargs, name, suffix, name, suffix, name, suffix, name, suffix, name, suffix);
}

void
emit_xdr_compare (FILE *out, const struct table *t)
{
  put_head (out, "Every struct of the protocol with the same values for our XDR routines and for rpcgen's.");
  fputs ("#include <config.h>\n\n"
         "#include \"protocol.h\"\n#include \"rg_protocol.h\"\n#include \"xdr-compare.h\"\n\n", out);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (struct_on_wire (t, &t->structs[i]))
      put_fill_struct (out, &t->structs[i]);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]))
      put_fill_action (out, &t->actions[i]);
  fputs ("const struct xdr_case xdr_cases[] = {\n", out);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (struct_on_wire (t, &t->structs[i]))
      put_case (out, t->structs[i].name, "", 0);
  for (size_t i = 0; i < t->nr_actions; i++) {
    if (is_daemon (&t->actions[i]) && has_args (&t->actions[i]))
      put_case (out, t->actions[i].name, "_args", nr_params (t->actions[i].optargs));
    if (is_daemon (&t->actions[i]) && t->actions[i].ret != T_NONE)
      put_case (out, t->actions[i].name, "_ret", 0);
  }
  fputs ("};\nconst size_t nr_xdr_cases = sizeof xdr_cases / sizeof xdr_cases[0];\n", out);
}
