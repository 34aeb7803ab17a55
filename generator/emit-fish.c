/* fish/commands.c: the shell's command table and the function behind each command.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdlib.h>
#include <string.h>

#include "emit.h"

static const char *
value_type (enum type type)
{
  switch (type) {
  case T_INT: return "V_INT";
  case T_INT64: return "V_INT64";
  case T_BOOL: return "V_BOOL";
  case T_DEVICE: return "V_DEVICE";
  case T_PATH: return "V_PATH";
  case T_DEVICE_OR_PATH: return "V_DEVICE_OR_PATH";
  case T_MOUNTABLE: return "V_MOUNTABLE";
  case T_BUFFER: return "V_BUFFER";
  case T_KEY: return "V_KEY";
  case T_STRING_LIST:
  case T_DEVICE_LIST: return "V_LIST";
  case T_FILE_IN: return "V_FILE_IN";
  case T_FILE_OUT: return "V_FILE_OUT";
  case T_FILENAME: return "V_FILENAME";
  default: return "V_STRING";
  }
}

/* How an action's C function takes element I of the array of values. */
static void
put_value (FILE *out, const char *array, size_t i, enum type type)
{
  switch (type) {
  case T_INT:
  case T_BOOL:
    fprintf (out, "(int) %s[%zu].n", array, i);
    break;
  case T_INT64:
    fprintf (out, "%s[%zu].n", array, i);
    break;
  case T_BUFFER:
    fprintf (out, "%s[%zu].s, %s[%zu].len", array, i, array, i);
    break;
  default:
    fprintf (out, "%s[%zu].%s", array, i, is_list (type) ? "list" : "s");
  }
}

static void
put_api_call (FILE *out, const struct action *a)
{
  size_t i = 0;

  fprintf (out, "zf_%s (h", a->name);
  for (const struct param *p = a->args; p->name; p++, i++) {
    fputs (", ", out);
    put_value (out, "v", i, p->type);
  }
  if (has_optargs (a))
    fputs (", &opts", out);
  if (a->ret == T_BUFFER)
    fputs (", &size", out);
  fputc (')', out);
}

/* The function of print.c, or of this file, that prints the result. */
static void
put_printer (FILE *out, const struct action *a)
{
  switch (a->ret) {
  case T_BOOL:
    fputs ("print_bool", out);
    break;
  case T_INT:
  case T_INT64: {
    static const char *const forms[] = { "", "_hex", "_octal", "_human" };

    fprintf (out, "print_%s%s", a->ret == T_INT ? "int" : "int64", forms[a->output]);
    break;
  }
  case T_STRING:
  case T_DEVICE:
    fputs ("print_string", out);
    break;
  case T_HASH:
    fputs ("print_hash", out);
    break;
  case T_BUFFER:
    fputs ("print_buffer", out);
    break;
  case T_STRUCT:
  case T_STRUCT_LIST:
    fprintf (out, "print_%s%s", a->ret_struct, a->ret == T_STRUCT ? "" : "_list");
    break;
  default:
    fputs ("print_list", out);
  }
}

static void
put_run (FILE *out, const struct action *a)
{
  static const char unused[] = " UNUSED";
  const char *no_opts = has_optargs (a) ? "" : unused;
  FILE *f;

  put_entry (out, a);
  fputs ("static int\n", out);
  f = fold_begin ();
  fprintf (f, "run_%s (zf_handle *h, const struct value *v%s, const struct value *opt%s, uint64_t mask%s, "
           "FILE *out%s)", a->name, a->args[0].name ? "" : unused, no_opts, no_opts, a->ret == T_NONE ? unused : "");
  fold_end (out, (int) strlen (a->name) + 6);
  fputs ("\n{\n", out);
  if (has_optargs (a)) {
    size_t i = 0;

    fprintf (out, "  const struct zf_%s_opts opts = {\n    .bitmask = mask", a->name);
    for (const struct param *p = a->optargs; p->name; p++) {
      fprintf (out, ",\n    .%s = ", p->name);
      put_value (out, "opt", i++, p->type);
    }
    fputs ("\n  };\n", out);
  }
  if (a->ret == T_BUFFER)
    fputs ("  size_t size = 0;\n  char *r = ", out);
  else if (has_optargs (a))
    fputs ("\n  return ", out);
  else
    fputs ("  return ", out);
  if (a->ret == T_BUFFER) {
    put_api_call (out, a);
    fputs (";\n\n  return print_buffer (out, r, size);\n}\n\n", out);
    return;
  }
  if (a->ret != T_NONE) {
    put_printer (out, a);
    fputs (" (out, ", out);
  }
  put_api_call (out, a);
  fputs (a->ret != T_NONE ? ");\n}\n\n" : ";\n}\n\n", out);
}

/* "  print_field_int (out, "bsize", r->bsize);" with the name indented by INDENT. */
static void
put_fields (FILE *out, const struct structure *s, const char *value, const char *indent)
{
  for (const struct field *f = s->fields; f->name; f++)
    if (f->type == FT_CHAR)
      fprintf (out, "%sfprintf (out, \"%s%s: %%c\\n\", %s%s);\n",
               indent, indent + 2, f->name, value, f->name);
    else
      fprintf (out, "%sprint_field_%s (out, \"%s%s\", %s%s);\n",
               indent, f->type == FT_STRING ? "string" : "int", indent + 2, f->name, value, f->name);
}

static bool
struct_in_shell (const struct table *t, const struct structure *s, enum type type)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (is_shell (a) && a->ret == type && strcmp (a->ret_struct, s->name) == 0)
      return true;
  }
  return false;
}

static void
put_struct_printers (FILE *out, const struct table *t, const struct structure *s)
{
  if (struct_in_shell (t, s, T_STRUCT)) {
    fprintf (out, "/* struct %s: \"field: value\" lines; frees R. */\nstatic int\n"
             "print_%s (FILE *out, struct zf_%s *r)\n{\n  if (r == NULL)\n    return -1;\n",
             s->name, s->name, s->name);
    put_fields (out, s, "r->", "  ");
    fprintf (out, "  zf_free_%s (r);\n  return 0;\n}\n\n", s->name);
  }
  if (struct_in_shell (t, s, T_STRUCT_LIST)) {
    fprintf (out, "/* struct %s: \"[0] = {\", the fields, \"}\", and so on; frees R. */\nstatic int\n"
             "print_%s_list (FILE *out, struct zf_%s_list *r)\n{\n  if (r == NULL)\n    return -1;\n"
             "  for (uint32_t i = 0; i < r->len; i++) {\n"
             "    fprintf (out, \"[%%\" PRIu32 \"] = {\\n\", i);\n",
             s->name, s->name, s->name);
    put_fields (out, s, "r->val[i].", "    ");
    fprintf (out, "    fputs (\"}\\n\", out);\n  }\n  zf_free_%s_list (r);\n  return 0;\n}\n\n", s->name);
  }
}

static const char hex_function[] =
  "static int\n"
  "print_%1$s_hex (FILE *out, %2$s r)\n"
  "{\n"
  "  if (r == -1)\n"
  "    return -1;\n"
  "  fprintf (out, \"0x%%\" PRI%4$s \"\\n\", %3$s r);\n"
  "  return 0;\n"
  "}\n\n";

static const char octal_function[] =
  "static int\n"
  "print_%1$s_octal (FILE *out, %2$s r)\n"
  "{\n"
  "  if (r == -1)\n"
  "    return -1;\n"
  "  fprintf (out, \"0%%\" PRI%4$s \"\\n\", %3$s r);\n"
  "  return 0;\n"
  "}\n\n";

static const char human_function[] =
  "/* Bytes, with the largest unit that leaves a number of 1 or more. */\n"
  "static int\n"
  "print_int64_human (FILE *out, int64_t r)\n"
  "{\n"
  "  static const char units[] = \"BKMGTPE\";\n"
  "  double n = r;\n"
  "  int i = 0;\n"
  "\n"
  "  if (r == -1)\n"
  "    return -1;\n"
  "  for (; n >= 1024; n /= 1024)\n"
  "    i++;\n"
  "  fprintf (out, i ? \"%.1f%c\\n\" : \"%.0f%c\\n\", n, units[i]);\n"
  "  return 0;\n"
  "}\n\n";

static bool
uses_output (const struct table *t, enum output form, enum type type)
{
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_shell (&t->actions[i]) && t->actions[i].output == form && t->actions[i].ret == type)
      return true;
  return false;
}

/* Printers of this file that the commands of this table call, and no others. */
static void
put_printers (FILE *out, const struct table *t)
{
  if (uses_output (t, OUTPUT_HEX, T_INT))
    fprintf (out, hex_function, "int", "int", "(unsigned)", "x32");
  if (uses_output (t, OUTPUT_HEX, T_INT64))
    fprintf (out, hex_function, "int64", "int64_t", "(uint64_t)", "x64");
  if (uses_output (t, OUTPUT_OCTAL, T_INT))
    fprintf (out, octal_function, "int", "int", "(unsigned)", "o32");
  if (uses_output (t, OUTPUT_OCTAL, T_INT64))
    fprintf (out, octal_function, "int64", "int64_t", "(uint64_t)", "o64");
  if (uses_output (t, OUTPUT_HUMAN_SIZE, T_INT64))
    fputs (human_function, out);
  for (size_t i = 0; i < t->nr_structs; i++)
    put_struct_printers (out, t, &t->structs[i]);
}

static void
put_arg_array (FILE *out, const struct action *a, const struct param *params, const char *what)
{
  if (params[0].name == NULL)
    return;
  fprintf (out, "static const struct command_arg %s_%s[] = {\n", what, a->name);
  for (const struct param *p = params; p->name; p++)
    fprintf (out, "  { \"%s\", %s },\n", p->name, value_type (p->type));
  fputs ("};\n", out);
}

/* "1", with the name of the array in front: ", args_mkfs, 2". */
static void
put_arg_fields (FILE *out, const struct action *a, const struct param *params, const char *what,
                const char *field)
{
  if (params[0].name)
    fprintf (out, "    .%s = %s_%s, .nr_%s = %zu,\n", field, what, a->name, field, nr_params (params));
}

static void
put_command (FILE *out, const struct action *a)
{
  fprintf (out, "  {\n    .name = \"%s\", .aliases = (const char *const[]) { ", dashed (a->name));
  for (size_t i = 0; a->aliases[i]; i++)
    fprintf (out, "\"%s\", ", a->aliases[i]);
  fputs ("NULL },\n", out);
  put_arg_fields (out, a, a->args, "args", "args");
  put_arg_fields (out, a, a->optargs, "optargs", "optargs");
  fputs ("    .shortdesc = ", out);
  put_literal (out, a->shortdesc, 0);
  fprintf (out, ",\n    .longdesc = text_%s, .destructive = %s, .run = run_%s,\n  },\n", a->name,
           a->flags & F_DESTRUCTIVE ? "true" : "false", a->name);
}

/* The long text, rendered now, as a string. */
static void
put_text (FILE *out, const struct action *a)
{
  char *text = NULL;
  size_t size;
  FILE *mem = open_memstream (&text, &size);

  if (mem == NULL) {
    perror ("generator");
    exit (EXIT_FAILURE);
  }
  put_plain (mem, a->longdesc, POD_SHELL, "", 76);
  fclose (mem);
  fprintf (out, "static const char text_%s[] =\n  ", a->name);
  put_literal (out, text, 2);
  fputs (";\n\n", out);
  free (text);
}

static int
compare_dashed (const void *a, const void *b)
{
  const struct action *x = *(const struct action *const *) a, *y = *(const struct action *const *) b;

  return strcmp (dashed (x->name), dashed (y->name));
}

/* The table is sorted by C names; '_' and '-' sort differently beside digits. */
static void
put_commands (FILE *out, const struct table *t)
{
  const struct action **v = calloc (t->nr_actions + 1, sizeof *v);
  size_t n = 0;

  if (v == NULL) {
    perror ("generator");
    exit (EXIT_FAILURE);
  }
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_shell (&t->actions[i]))
      v[n++] = &t->actions[i];
  qsort (v, n, sizeof *v, compare_dashed);
  for (size_t i = 0; i < n; i++)
    put_command (out, v[i]);
  free (v);
}

void
emit_fish (FILE *out, const struct table *t)
{
  put_head (out, "Commands of the shell.");
  fputs ("#include <config.h>\n\n#include <inttypes.h>\n\n#include \"fish.h\"\n\n"
         "#define UNUSED __attribute__ ((unused))\n\n", out);
  put_printers (out, t);
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (!is_shell (a))
      continue;
    put_run (out, a);
    put_arg_array (out, a, a->args, "args");
    put_arg_array (out, a, a->optargs, "optargs");
    put_text (out, a);
  }
  fputs ("/* Sorted by name. */\nconst struct command commands[] = {\n", out);
  put_commands (out, t);
  fputs ("};\nconst size_t nr_commands = sizeof commands / sizeof commands[0];\n", out);
}
