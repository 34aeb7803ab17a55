/* The daemon's side: prototypes of the handlers, the stubs in front of them, and the dispatch rows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdlib.h>
#include <string.h>

#include "emit.h"

/* Handlers that resolve an argument to an object: type of the object, and the function. */
static const struct resolver {
  enum type type;
  const char *object;
  const char *function;
} resolvers[] = {
  { T_DEVICE, "struct device *", "device_resolve" },
  { T_MOUNTABLE, "struct mountable *", "mountable_resolve" },
  { T_DEVICE_OR_PATH, "struct device_or_path *", "device_or_path_resolve" },
  { T_PATH, "const char *", "path_check" },
  { T_DEVICE_LIST, "struct device *const *", "resolve_list" },
  { T_STRING_LIST, "char *const *", "copy_list" },
  { T_NONE, NULL, NULL }
};

static const struct resolver *
resolver_of (enum type type)
{
  for (const struct resolver *r = resolvers; r->object; r++)
    if (r->type == type)
      return r;
  return NULL;
}

/* --- actions.h --- */

static void
put_do_param (FILE *out, const struct param *p)
{
  const struct resolver *r = resolver_of (p->type);

  if (is_file (p->type))
    return;
  fputs (", ", out);
  if (r)
    fprintf (out, "%s%s", r->object, p->name);
  else if (p->type == T_BUFFER)
    fprintf (out, "const char *%s, size_t %s_size", p->name, p->name);
  else if (p->type == T_BOOL)
    fprintf (out, "bool %s", p->name);
  else
    put_c_param (out, p);
}

static void
put_do_prototype (FILE *out, const struct action *a)
{
  FILE *f;

  fputc ('\n', out);
  put_entry (out, a);
  f = fold_begin ();
  fprintf (f, "extern %sdo_%s (struct call *c", c_result (a), a->name);
  for (const struct param *p = a->args; p->name; p++)
    put_do_param (f, p);
  if (has_optargs (a))
    fprintf (f, ", const struct zf_%s_opts *opts", a->name);
  fputs (a->ret == T_BUFFER ? ", size_t *size_r);" : ");", f);
  fold_end (out, (int) (strlen (c_result (a)) + strlen (a->name)) + 12);
  fputc ('\n', out);
}

void
emit_daemon_h (FILE *out, const struct table *t)
{
  put_head (out, "The handlers of the daemon, one for each action.");
  fputs ("#ifndef ZEROFISH_DAEMON_ACTIONS_H\n#define ZEROFISH_DAEMON_ACTIONS_H\n\n"
         "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
         "#include \"zerofish-structs.h\"\n#include \"protocol.h\"\n#include \"daemon.h\"\n\n"
         "/* Each returns -1 or NULL after call_error; results are in the call's memory. */\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]))
      put_do_prototype (out, &t->actions[i]);
  fputs ("\n#endif /* ZEROFISH_DAEMON_ACTIONS_H */\n", out);
}

/* --- stubs.c --- */

static const char copy_list_function[] =
  "/* A list of the message with the NULL at its end that handlers expect; NULL with the error set. */\n"
  "static char *const *\n"
  "copy_list (struct call *c, char **val, u_int len)\n"
  "{\n"
  "  char **list = call_alloc (c, ((size_t) len + 1) * sizeof *list);\n"
  "\n"
  "  for (u_int i = 0; list && i < len; i++)\n"
  "    list[i] = val[i];\n"
  "  return list;\n"
  "}\n\n";

static const char resolve_list_function[] =
  "/* Each name of the message as a device; NULL with the error set. */\n"
  "static struct device *const *\n"
  "resolve_list (struct call *c, char **val, u_int len)\n"
  "{\n"
  "  struct device **list = call_alloc (c, ((size_t) len + 1) * sizeof *list);\n"
  "\n"
  "  for (u_int i = 0; list && i < len; i++)\n"
  "    if ((list[i] = device_resolve (c, val[i], c->row->flags)) == NULL)\n"
  "      return NULL;\n"
  "  return list;\n"
  "}\n\n";

static const char count_list_function[] =
  "static u_int\n"
  "count_list (char *const *list)\n"
  "{\n"
  "  u_int n = 0;\n"
  "\n"
  "  while (list[n])\n"
  "    n++;\n"
  "  return n;\n"
  "}\n\n";

static const char check_given_function[] =
  "/* The header says that an optional argument was given: is it there, or did the body end before it? */\n"
  "static int\n"
  "check_given (struct call *c, uint64_t bit, const void *value, const char *name)\n"
  "{\n"
  "  if ((c->optargs_bitmask & bit) && value == NULL)\n"
  "    return call_refuse (c, EINVAL, \"the optional argument %s is missing from the message\", name);\n"
  "  return 0;\n"
  "}\n\n";

static void
put_resolve (FILE *out, const struct param *p)
{
  const struct resolver *r = resolver_of (p->type);

  if (r == NULL)
    return;
  fprintf (out, "  if ((%s = %s (c, args.%s", p->name, r->function, p->name);
  if (is_list (p->type))
    fprintf (out, ".%s_val, args.%s.%s_len)) == NULL)\n", p->name, p->name, p->name);
  else
    fprintf (out, "%s)) == NULL)\n", p->type == T_PATH ? "" : ", c->row->flags");
  fputs ("    goto out;\n", out);
}

static void
put_opts (FILE *out, const struct action *a)
{
  for (const struct param *p = a->optargs; p->name; p++)
    if (is_text (p->type))
      fprintf (out, "  if (check_given (c, ZF_%s_OPTS_%s, args.%s, \"%s\") == -1)\n    goto out;\n",
               upper (a->name), upper (p->name), p->name, p->name);
    else if (is_list (p->type))
      fprintf (out, "  if ((opts.%s = copy_list (c, args.%s.%s_val, args.%s.%s_len)) == NULL)\n"
               "    goto out;\n", p->name, p->name, p->name, p->name, p->name);
  for (const struct param *p = a->optargs; p->name; p++)
    if (!is_list (p->type))
      fprintf (out, "  opts.%s = args.%s%s;\n", p->name, p->name, p->type == T_BOOL ? " != 0" : "");
}

/* "do_mkfs (c, args.fstype, device, &opts)" */
static void
put_do_call (FILE *out, const struct action *a)
{
  fprintf (out, "do_%s (c", a->name);
  for (const struct param *p = a->args; p->name; p++)
    if (is_file (p->type))
      continue;
    else if (resolver_of (p->type))
      fprintf (out, ", %s", p->name);
    else if (p->type == T_BUFFER)
      fprintf (out, ", args.%s.%s_val, args.%s.%s_len", p->name, p->name, p->name, p->name);
    else
      fprintf (out, ", args.%s%s", p->name, p->type == T_BOOL ? " != 0" : "");
  if (has_optargs (a))
    fputs (", &opts", out);
  if (a->ret == T_BUFFER)
    fputs (", &result_size", out);
  fputc (')', out);
}

static void
put_locals (FILE *out, const struct action *a)
{
  if (has_args (a))
    fprintf (out, "  struct zf_%s_args args = { 0 };\n", a->name);
  if (has_optargs (a))
    fprintf (out, "  struct zf_%s_opts opts = { .bitmask = c->optargs_bitmask };\n", a->name);
  for (const struct param *p = a->args; p->name; p++)
    if (resolver_of (p->type))
      fprintf (out, "  %s%s;\n", resolver_of (p->type)->object, p->name);
  if (a->ret != T_NONE && a->ret != T_BUFFER)
    fprintf (out, "  struct zf_%s_ret ret = { 0 };\n", a->name);
  if (a->ret == T_STRUCT || a->ret == T_STRUCT_LIST)
    fprintf (out, "  %sresult;\n", c_result (a));
  if (a->ret == T_BUFFER)
    fputs ("  char *result;\n  size_t result_size = 0;\n", out);
  if (has_args (a))
    fputs ("  int r = -1;\n", out);
  fputc ('\n', out);
}

/* Where the handler's value goes, and what it is when the handler failed. */
static const char *
result_place (enum type ret)
{
  switch (ret) {
  case T_STRUCT:
  case T_STRUCT_LIST:
  case T_BUFFER:
    return "result";
  case T_STRING_LIST:
  case T_DEVICE_LIST:
  case T_HASH:
    return "ret.r.r_val";
  default:
    return "ret.r";
  }
}

static void
put_run (FILE *out, const struct action *a)
{
  const char *finish = has_args (a) ? "  r = " : "  return ";
  FILE *f;

  if (a->ret == T_NONE) {
    fputs (finish, out);
    put_do_call (out, a);
    fputs (";\n", out);
    return;
  }
  f = fold_begin ();
  fprintf (f, "  if ((%s = ", result_place (a->ret));
  put_do_call (f, a);
  fprintf (f, ") == %s)", a->ret == T_INT || a->ret == T_INT64 || a->ret == T_BOOL ? "-1" : "NULL");
  fold_end (out, (int) (strlen (result_place (a->ret)) + strlen (a->name)) + 15);
  fprintf (out, "\n    %s;\n", has_args (a) ? "goto out" : "return -1");
  if (is_list (a->ret))
    fputs ("  ret.r.r_len = count_list (ret.r.r_val);\n", out);
  else if (a->ret == T_STRUCT || a->ret == T_STRUCT_LIST)
    fputs ("  ret.r = *result;\n", out);
  if (a->ret == T_BUFFER)
    fprintf (out, "%scall_result_buffer (c, result, result_size);\n", finish);
  else
    fprintf (out, "%scall_result (c, (xdrproc_t) xdr_zf_%s_ret, &ret);\n", finish, a->name);
}

static void
put_stub (FILE *out, const struct action *a)
{
  put_entry (out, a);
  if (!has_args (a)) {
    fprintf (out, "static int\nstub_%s (struct call *c, XDR *in __attribute__ ((unused)))\n{\n", a->name);
    if (a->ret != T_NONE)
      put_locals (out, a);
    put_run (out, a);
    fputs ("}\n\n", out);
    return;
  }
  fprintf (out, "static int\nstub_%s (struct call *c, XDR *in)\n{\n", a->name);
  put_locals (out, a);
  fprintf (out, "  if (!xdr_zf_%s_args (in, &args)) {\n"
           "    call_refuse (c, EINVAL, \"cannot decode the arguments\");\n"
           "    goto out;\n"
           "  }\n", a->name);
  for (const struct param *p = a->args; p->name; p++)
    put_resolve (out, p);
  put_opts (out, a);
  put_run (out, a);
  fprintf (out, " out:\n  xdr_free ((xdrproc_t) xdr_zf_%s_args, (char *) &args);\n  return r;\n}\n\n",
           a->name);
}

static void
put_row (FILE *out, const struct action *a)
{
  static const struct { unsigned flag; const char *name; } names[] = {
    { F_DESTRUCTIVE, "ROW_DESTRUCTIVE" }, { F_PROGRESS, "ROW_PROGRESS" }, { F_CANCEL, "ROW_CANCEL" },
  };
  const struct param *file = file_param (a);
  const char *separator = "";

  fprintf (out, "  { ZF_PROC_%s, \"%s\", ", upper (a->name), a->name);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (a->flags & names[i].flag) {
      fprintf (out, "%s%s", separator, names[i].name);
      separator = " | ";
    }
  if (file) {
    fprintf (out, "%s%s", separator, file->type == T_FILE_IN ? "ROW_FILE_IN" : "ROW_FILE_OUT");
    separator = " | ";
  }
  fprintf (out, "%s, %zu, stub_%s },\n", *separator ? "" : "0", nr_params (a->optargs), a->name);
}

/* Helpers that no stub of this table would call must not be printed: the compiler would complain. */
static void
put_helpers (FILE *out, const struct table *t)
{
  bool lists = uses_arg (t, T_STRING_LIST), given = false;

  for (size_t i = 0; i < t->nr_actions; i++)
    for (const struct param *p = t->actions[i].optargs; p->name && is_daemon (&t->actions[i]); p++) {
      lists = lists || is_list (p->type);
      given = given || is_text (p->type);
    }
  if (lists)
    fputs (copy_list_function, out);
  if (uses_arg (t, T_DEVICE_LIST))
    fputs (resolve_list_function, out);
  if (uses_result (t, T_STRING_LIST) || uses_result (t, T_DEVICE_LIST) || uses_result (t, T_HASH))
    fputs (count_list_function, out);
  if (given)
    fputs (check_given_function, out);
}

void
emit_daemon_stubs (FILE *out, const struct table *t)
{
  size_t n;
  const struct action **v = by_proc (t, &n);

  put_head (out, "From a request's body to the handler and back: decode, check by type, run, encode.");
  fputs ("#include <config.h>\n\n#include <errno.h>\n\n#include \"actions.h\"\n\n", out);
  put_helpers (out, t);
  for (size_t i = 0; i < n; i++)
    put_stub (out, v[i]);
  fputs ("/* Sorted by procedure. */\nconst struct row rows[] = {\n", out);
  for (size_t i = 0; i < n; i++)
    put_row (out, v[i]);
  fputs ("};\nconst size_t nr_rows = sizeof rows / sizeof rows[0];\n", out);
  free (v);
}
