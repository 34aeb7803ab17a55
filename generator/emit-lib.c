/* lib/actions.c: the public functions and the private calls, each a thin wrapper around zfi_call or zfi_NAME.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

static char
type_letter (enum type type)
{
  switch (type) {
  case T_INT: return 'i';
  case T_INT64: return 'I';
  case T_BOOL: return 'b';
  case T_BUFFER: return 'B';
  case T_STRING_LIST:
  case T_DEVICE_LIST: return 'S';
  case T_DEVICE:
  case T_MOUNTABLE:
  case T_DEVICE_OR_PATH: return 'd';
  case T_PATH: return 'p';
  case T_KEY: return 'k';
  case T_FILE_IN:
  case T_FILE_OUT:
  case T_FILENAME: return 'f';
  default: return 's';
  }
}

/* The optional arguments, for trace lines. */
static void
put_optargs (FILE *out, const struct action *a)
{
  fprintf (out, "static const struct zfi_optarg optargs_%s[] = {\n", a->name);
  for (const struct param *p = a->optargs; p->name; p++)
    fprintf (out, "  { \"%s\", '%c', offsetof (struct zf_%s_opts, %s) },\n", p->name, type_letter (p->type),
             a->name, p->name);
  fputs ("  { NULL, 0, 0 }\n};\n\n", out);
}

/* static const struct zfi_action action_mkfs = { "mkfs", 278, ZFI_TOOLS, "sdo", optargs_mkfs };
 * INTO: of zf_NAME_into, which follows. */
static void
put_description (FILE *out, const struct action *a, bool into)
{
  static const struct { unsigned flag; const char *name; } names[] = {
    { F_PROGRESS, "ZFI_PROGRESS" }, { F_CANCEL, "ZFI_CANCEL" }, { F_TOOLS, "ZFI_TOOLS" },
    { F_CONFIG, "ZFI_CONFIG" }, { F_ANY_STATE, "ZFI_ANY_STATE" }, { F_PRIVATE, "ZFI_PRIVATE" },
  };
  const struct param *file = file_param (a);
  const char *separator = "";

  if (has_optargs (a) && !into)
    put_optargs (out, a);
  fprintf (out, "static const struct zfi_action action_%s%s = {\n  \"%s%s\", ", a->name, into ? "_into" : "",
           a->name, into ? "_into" : "");
  if (is_daemon (a))
    fprintf (out, "ZF_PROC_%s, ", upper (a->name));
  else
    fputs ("0, ", out);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (a->flags & names[i].flag) {
      fprintf (out, "%s%s", separator, names[i].name);
      separator = " | ";
    }
  if (file) {
    fprintf (out, "%s%s", separator, file->type == T_FILE_IN ? "ZFI_FILE_IN" : "ZFI_FILE_OUT");
    separator = " | ";
  }
  fputs (*separator ? ", \"" : "0, \"", out);
  for (const struct param *p = a->args; p->name; p++)
    if (!into || !is_into_count (p))
      fputc (type_letter (p->type), out);
  if (has_optargs (a))
    fprintf (out, "o\", optargs_%s\n};\n\n", a->name);
  else
    fputs ("\", NULL\n};\n\n", out);
}

static bool
returns_pointer (const struct action *a)
{
  const char *c = c_result (a);

  return c[strlen (c) - 1] == '*';
}

/* Names of the arguments as a call passes them on; INTO: without a count that is the size of the buffer. */
static void
put_pass (FILE *out, const struct action *a, bool into)
{
  for (const struct param *p = a->args; p->name; p++)
    if (p->type == T_BUFFER)
      fprintf (out, ", %s, %s_size", p->name, p->name);
    else if (!into || !is_into_count (p))
      fprintf (out, ", %s", p->name);
  if (has_optargs (a))
    fputs (", opts", out);
}

static void
put_args_initialiser (FILE *out, const struct action *a, bool into)
{
  FILE *f = fold_begin ();
  const char *separator = "";

  fprintf (f, "  struct zf_%s_args args = {", a->name);
  for (const struct param *p = a->args; p->name; p++)
    if (is_text (p->type) || p->type == T_INT || p->type == T_INT64 || p->type == T_BOOL) {
      if (into && is_into_count (p))
        fprintf (f, "%s .%s = zfi_into_count (buf_size)", separator, p->name);
      else
        fprintf (f, "%s .%s = %s%s", separator, p->name, is_text (p->type) ? "(char *) " : "", p->name);
      separator = ",";
    }
  for (const struct param *p = a->optargs; p->name; p++)
    if (is_text (p->type)) {
      fprintf (f, "%s .%s = (char *) \"\"", separator, p->name);
      separator = ",";
    }
  fputs (*separator ? " };" : " 0 };", f);
  fold_end (out, (int) strlen (a->name) + 28);
  fputc ('\n', out);
}

/* Arguments whose place in the struct is more than one value. */
static void
put_args_rest (FILE *out, const struct action *a)
{
  for (const struct param *p = a->args; p->name; p++)
    if (p->type == T_BUFFER)
      fprintf (out, "  if (check_size (h, %s_size, \"%s\") == -1)\n    goto out;\n"
               "  args.%s.%s_len = %s_size;\n  args.%s.%s_val = (char *) %s;\n",
               p->name, p->name, p->name, p->name, p->name, p->name, p->name, p->name);
    else if (is_list (p->type))
      fprintf (out, "  args.%s.%s_len = count_list (%s);\n  args.%s.%s_val = (char **) %s;\n",
               p->name, p->name, p->name, p->name, p->name, p->name);
}

/* One optional argument into the args struct (TO_ARGS), after its check. */
static void
put_opt (FILE *out, const struct action *a, const struct param *p, bool to_args)
{
  bool pointer = is_text (p->type) || is_list (p->type);

  if (!pointer) {
    if (to_args)
      fprintf (out, "  if (mask & ZF_%s_OPTS_%s)\n    args.%s = opts->%s;\n",
               upper (a->name), upper (p->name), p->name, p->name);
    return;
  }
  fprintf (out, "  if ((mask & ZF_%s_OPTS_%s) && check_opt (h, opts->%s, \"%s\") == -1)\n    goto out;\n",
           upper (a->name), upper (p->name), p->name, p->name);
  if (to_args && is_list (p->type))
    fprintf (out, "  if (mask & ZF_%s_OPTS_%s) {\n    args.%s.%s_len = count_list (opts->%s);\n"
             "    args.%s.%s_val = (char **) opts->%s;\n  }\n", upper (a->name), upper (p->name),
             p->name, p->name, p->name, p->name, p->name, p->name);
  else if (to_args)
    fprintf (out, "  if (mask & ZF_%s_OPTS_%s)\n    args.%s = (char *) opts->%s;\n",
             upper (a->name), upper (p->name), p->name, p->name);
}

static void
put_opts (FILE *out, const struct action *a, bool to_args)
{
  fprintf (out, "  if (check_opts (h, mask, %zu) == -1)\n    goto out;\n", nr_params (a->optargs));
  for (const struct param *p = a->optargs; p->name; p++)
    put_opt (out, a, p, to_args);
}

/* Is there a way to "goto out" in the function? */
static bool
needs_out (const struct action *a)
{
  for (const struct param *p = a->args; p->name; p++)
    if (p->type == T_BUFFER)
      return true;
  return has_optargs (a) || (a->flags & F_HINTS);
}

static void
put_zfi_call (FILE *out, const struct action *a)
{
  const struct param *file = file_param (a);
  const char *kind = file ? "_file" : a->ret == T_BUFFER ? "_buffer" : "";

  fprintf (out, "zfi_call%s (h, &action_%s, %s, ", kind, a->name, has_optargs (a) ? "mask" : "0");
  if (has_args (a))
    fprintf (out, "(xdrproc_t) xdr_zf_%s_args, &args, ", a->name);
  else
    fputs ("NULL, NULL, ", out);
  if (file)
    fprintf (out, "%s)", file->name);
  else if (a->ret == T_BUFFER)
    fputs ("size_r)", out);
  else if (a->ret != T_NONE)
    fprintf (out, "(xdrproc_t) xdr_zf_%s_ret, &ret)", a->name);
  else
    fputs ("NULL, NULL)", out);
}

static void
put_result (FILE *out, const struct action *a)
{
  FILE *f = fold_begin ();
  bool whole = a->ret == T_NONE || a->ret == T_BUFFER;      /* the call gives the result itself */

  fputs (whole ? "  r = " : "  if (", f);
  put_zfi_call (f, a);
  fputs (whole ? ";" : " == 0)", f);
  fold_end (out, file_param (a) ? 21 : a->ret == T_BUFFER ? 23 : 16);
  fputs (whole ? "\n" : "\n    ", out);
  if (whole)
    return;
  switch (a->ret) {
  case T_BOOL:
    fputs ("r = ret.r != 0;\n", out);
    break;
  case T_INT:
  case T_INT64:
    fputs ("r = ret.r;\n", out);
    break;
  case T_STRUCT:
  case T_STRUCT_LIST:
    fputs ("r = take_copy (h, &ret.r, sizeof ret.r);\n"
           "  if (r)\n    memset (&ret, 0, sizeof ret);\n", out);
    break;
  case T_STRING:
  case T_DEVICE:
    fputs ("r = ret.r;\n  if (r)\n    ret.r = NULL;\n", out);
    break;
  default:
    fprintf (out, "r = take_%s (h, &ret.r.r_val, &ret.r.r_len);\n", a->ret == T_HASH ? "hash" : "list");
  }
  if (returns_pointer (a) || is_list (a->ret))
    fprintf (out, "  xdr_free ((xdrproc_t) xdr_zf_%s_ret, (char *) &ret);\n", a->name);
}

static void
put_function_head (FILE *out, const struct action *a, const char *prefix)
{
  FILE *f;

  put_entry (out, a);
  put_description (out, a, false);
  fprintf (out, "%s\n", c_result_line (a));
  f = fold_begin ();
  fprintf (f, "%s%s ", prefix, a->name);
  put_c_params (f, a);
  fold_end (out, (int) (strlen (prefix) + strlen (a->name)) + 2);
  fputs ("\n{\n", out);
}

static void
put_locals (FILE *out, const struct action *a)
{
  if (is_daemon (a) && has_args (a))
    put_args_initialiser (out, a, false);
  if (is_daemon (a) && a->ret != T_NONE && a->ret != T_BUFFER)
    fprintf (out, "  struct zf_%s_ret ret = { 0 };\n", a->name);
  if (has_optargs (a))
    fputs ("  uint64_t mask = opts ? opts->bitmask : 0;\n", out);
  fprintf (out, "  %sr = %s;\n\n", c_result (a), returns_pointer (a) ? "NULL" : "-1");
}

/* The part of a function between the locals and the end that calls the daemon. */
static void
put_daemon_body (FILE *out, const struct action *a)
{
  put_args_rest (out, a);
  if (has_optargs (a))
    put_opts (out, a, true);
  if (a->flags & F_HINTS)
    fprintf (out, "  if (zfi_send_hints (h, %s) == -1)\n    goto out;\n", a->args[0].name);
  put_result (out, a);
  if (needs_out (a))
    fputs (" out:\n", out);
}

static void
put_private (FILE *out, const struct action *a)
{
  put_function_head (out, a, "zfi_");
  put_locals (out, a);
  put_daemon_body (out, a);
  fputs ("  return r;\n}\n\n", out);
}

/* What the trace line at the end of the call says. */
static void
put_trace_result (FILE *out, const struct action *a)
{
  switch (a->ret) {
  case T_NONE:
    break;
  case T_BOOL:
  case T_INT:
  case T_INT64:
    fputs ("  zfi_trace_int (h, r);\n", out);
    break;
  case T_STRING:
  case T_DEVICE:
    fputs ("  zfi_trace_string (h, r);\n", out);
    break;
  case T_BUFFER:
    fputs ("  zfi_trace_buffer (h, r, r ? *size_r : 0);\n", out);
    break;
  case T_STRUCT:
  case T_STRUCT_LIST:
    fprintf (out, "  zfi_trace_result (h, \"<%s>\");\n", a->ret_struct);
    break;
  default:
    fputs ("  zfi_trace_list (h, r);\n", out);
  }
}

static void
put_public (FILE *out, const struct action *a)
{
  const char *failed = returns_pointer (a) ? "NULL" : "-1";

  put_function_head (out, a, "zf_");
  put_locals (out, a);
  fprintf (out, "  if (zfi_enter (h, &action_%s", a->name);
  put_pass (out, a, false);
  fprintf (out, ") == -1)\n    return %s;\n", failed);
  if (is_daemon (a))
    put_daemon_body (out, a);
  else {
    if (has_optargs (a))
      put_opts (out, a, false);
    fprintf (out, "  r = zfi_%s (h", a->name);
    put_pass (out, a, false);
    fputs (");\n", out);
    if (has_optargs (a))
      fputs (" out:\n", out);
  }
  put_trace_result (out, a);
  fprintf (out, "  zfi_leave (h, r != %s);\n  return r;\n}\n\n", failed);
}

/* zf_NAME_into: the result goes to the caller's buffer. */
static void
put_into (FILE *out, const struct action *a)
{
  FILE *f;

  fprintf (out, "/* %s, into the caller's buffer. */\n", a->name);
  put_description (out, a, true);
  f = fold_begin ();
  fprintf (f, "zf_%s_into ", a->name);
  put_into_params (f, a);
  fputs ("int64_t\n", out);
  fold_end (out, (int) strlen (a->name) + 10);
  fputs ("\n{\n", out);
  if (has_args (a))
    put_args_initialiser (out, a, true);
  if (has_optargs (a))
    fputs ("  uint64_t mask = opts ? opts->bitmask : 0;\n", out);
  fprintf (out, "  int64_t r = -1;\n\n  if (zfi_enter (h, &action_%s_into", a->name);
  put_pass (out, a, true);
  fputs (") == -1)\n    return -1;\n", out);
  put_args_rest (out, a);
  if (has_optargs (a))
    put_opts (out, a, true);
  f = fold_begin ();
  fprintf (f, "  r = zfi_call_into (h, &action_%s_into, %s, ", a->name, has_optargs (a) ? "mask" : "0");
  if (has_args (a))
    fprintf (f, "(xdrproc_t) xdr_zf_%s_args, &args, buf, buf_size);", a->name);
  else
    fputs ("NULL, NULL, buf, buf_size);", f);
  fold_end (out, 21);
  fprintf (out, "\n%s  zfi_trace_int (h, r);\n  zfi_leave (h, r != -1);\n  return r;\n}\n\n",
           needs_out (a) ? " out:\n" : "");
}

static void
put_free (FILE *out, const struct table *t, const struct structure *s)
{
  if (struct_used (t, s, T_STRUCT, false)) {
    fprintf (out, "/* struct %s */\nvoid\nzf_free_%s (struct zf_%s *s)\n{\n", s->name, s->name, s->name);
    if (struct_has_strings (s)) {
      fputs ("  if (s == NULL)\n    return;\n", out);
      for (const struct field *f = s->fields; f->name; f++)
        if (f->type == FT_STRING)
          fprintf (out, "  free (s->%s);\n", f->name);
    }
    fputs ("  free (s);\n}\n\n", out);
  }
  if (struct_used (t, s, T_STRUCT_LIST, false)) {
    fprintf (out, "/* struct %s */\nvoid\nzf_free_%s_list (struct zf_%s_list *list)\n{\n"
             "  if (list == NULL)\n    return;\n", s->name, s->name, s->name);
    if (struct_has_strings (s)) {
      fputs ("  for (uint32_t i = 0; i < list->len; i++) {\n", out);
      for (const struct field *f = s->fields; f->name; f++)
        if (f->type == FT_STRING)
          fprintf (out, "    free (list->val[i].%s);\n", f->name);
      fputs ("  }\n", out);
    }
    fputs ("  free (list->val);\n  free (list);\n}\n\n", out);
  }
}

void
emit_lib_actions (FILE *out, const struct table *t)
{
  put_head (out, "Public functions of the library, and the library's own calls to the daemon.");
  fputs ("#include <config.h>\n\n"
         "#include <errno.h>\n#include <inttypes.h>\n#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\n"
         "#include \"internal.h\"\n#include \"private-actions.h\"\n#include \"protocol.h\"\n\n", out);
  put_lib_helpers (out, t);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (!t->structs[i].wire_only)
      put_free (out, t, &t->structs[i]);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      put_public (out, &t->actions[i]);
      if (has_into (&t->actions[i]))
        put_into (out, &t->actions[i]);
    }
    else if (is_daemon (&t->actions[i]))
      put_private (out, &t->actions[i]);
}
