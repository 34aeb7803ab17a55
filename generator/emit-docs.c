/* Sections for the man pages: functions, structs and shell commands.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

/* Does it depend on the caller whether a device is written to at all? */
static bool
only_device_or_path (const struct action *a)
{
  for (const struct param *p = a->args; p->name; p++)
    if (p->type == T_DEVICE || p->type == T_DEVICE_LIST)
      return false;
  return true;
}

/* The sentences that follow from flags. */
static void
put_flags (FILE *out, const struct action *a)
{
  if ((a->flags & F_DESTRUCTIVE) && only_device_or_path (a))
    fputs ("If it writes to a device, B<this destroys data>; on a drive that was added read-only that fails "
           "with C<EROFS>.\n\n", out);
  else if (a->flags & F_DESTRUCTIVE)
    fputs ("B<This destroys data.>  On a drive that was added read-only it fails with C<EROFS> and writes "
           "nothing.\n\n", out);
  if (a->flags & F_PROGRESS)
    fputs ("Progress is reported while it runs.\n\n", out);
  if (a->flags & F_CANCEL)
    fputs ("It can be cancelled, and then fails with C<EINTR>.\n\n", out);
  if (a->flags & F_TOOLS)
    fputs ("The programs that it needs are attached to the appliance when they are first used, which takes "
           "a moment longer.\n\n", out);
  if (a->flags & F_CONFIG)
    fputs ("It must come before the launch.\n\n", out);
  if (a->group)
    fprintf (out, "It needs the feature C<%s>.\n\n", a->group);
}

static void
put_result (FILE *out, const struct action *a)
{
  switch (a->ret) {
  case T_NONE:
    fputs ("Returns 0, or -1 on error.\n\n", out);
    break;
  case T_BOOL:
    fputs ("Returns 1 for true, 0 for false, or -1 on error.\n\n", out);
    break;
  case T_INT:
  case T_INT64:
    fputs ("Returns the number, or -1 on error.\n\n", out);
    break;
  case T_STRING:
  case T_DEVICE:
    fputs ("Returns a string, or C<NULL> on error.  The caller frees it with L<free(3)>.\n\n", out);
    break;
  case T_BUFFER:
    fputs ("Returns a buffer and puts its size in C<*size_r>, or returns C<NULL> on error.  The caller frees "
           "it with L<free(3)>.\n\n", out);
    break;
  case T_HASH:
    fputs ("Returns a list of keys and values in turn, with C<NULL> at the end, or C<NULL> on error.  The "
           "caller frees it with C<zf_free_string_list>.\n\n", out);
    break;
  case T_STRUCT:
  case T_STRUCT_LIST:
    fprintf (out, "Returns a C<struct zf_%s%s> (see L</STRUCTS>), or C<NULL> on error.  The caller frees "
             "it with C<zf_free_%s%s>.\n\n", a->ret_struct, a->ret == T_STRUCT ? "" : "_list",
             a->ret_struct, a->ret == T_STRUCT ? "" : "_list");
    break;
  default:
    fputs ("Returns strings with C<NULL> at the end, or C<NULL> on error.  The caller frees them with "
           "C<zf_free_string_list>.\n\n", out);
  }
}

/* As a verbatim paragraph, one argument a line. */
static void
put_prototype (FILE *out, const struct action *a)
{
  int indent = (int) strlen (a->name) + 6;

  fprintf (out, " %s\n zf_%s (zf_handle *h", c_result_line (a), a->name);
  for (const struct param *p = a->args; p->name; p++) {
    fprintf (out, ",\n%*s", indent, "");
    put_c_param (out, p);
  }
  if (has_optargs (a))
    fprintf (out, ",\n%*sconst struct zf_%s_opts *opts", indent, "", a->name);
  if (a->ret == T_BUFFER)
    fprintf (out, ",\n%*ssize_t *size_r", indent, "");
  fputs (");\n\n", out);
}

/* The form whose result goes to a buffer of the caller's. */
static void
put_into (FILE *out, const struct action *a)
{
  int indent = (int) strlen (a->name) + 11;
  bool done = false;

  fprintf (out, "=head2 zf_%s_into\n\n int64_t\n zf_%s_into (zf_handle *h", a->name, a->name);
  for (const struct param *p = a->args; p->name; p++) {
    fprintf (out, ",\n%*s", indent, "");
    if (is_into_count (p))
      fputs ("void *buf, size_t buf_size", out);
    else
      put_c_param (out, p);
    done = done || is_into_count (p);
  }
  if (!done)
    fprintf (out, ",\n%*svoid *buf, size_t buf_size", indent, "");
  if (has_optargs (a))
    fprintf (out, ",\n%*sconst struct zf_%s_opts *opts", indent, "", a->name);
  fprintf (out, ");\n\nLike L</zf_%s>, but the bytes are read straight into C<buf>, which has room for "
           "C<buf_size>.%s\n\n"
           "Returns how many bytes came, or -1 on error; C<ERANGE> if they do not fit.\n\n(Since %s)\n\n",
           a->name, done ? "  That is also how many are asked for." : "", a->since);
}

/* "   int blocksize;           ZF_MKFS_OPTS_BLOCKSIZE" */
static void
put_opt (FILE *out, const struct action *a, const struct param *p)
{
  FILE *f = fold_begin ();
  int n;

  put_c_param (f, p);
  fputs (";", f);
  n = (int) ftell (f);
  fprintf (f, "%*sZF_%s_OPTS_%s", n < 30 ? 30 - n : 1, "", upper (a->name), upper (p->name));
  fputs ("   ", out);
  fold_end (out, 0);
  fputc ('\n', out);
}

void
emit_actions_pod (FILE *out, const struct table *t)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (!is_public (a))
      continue;
    fprintf (out, "=head2 zf_%s\n\n", a->name);
    put_prototype (out, a);
    fprintf (out, "I<%s>\n\n", a->shortdesc);
    put_pod (out, t, a->longdesc, POD_API);
    fputc ('\n', out);
    if (has_optargs (a)) {
      fputs ("C<opts> may be C<NULL>.  Its fields, and the bit of each in C<opts-E<gt>bitmask>:\n\n", out);
      for (const struct param *p = a->optargs; p->name; p++) {
        put_opt (out, a, p);
      }
      fputc ('\n', out);
    }
    put_flags (out, a);
    put_result (out, a);
    fprintf (out, "(Since %s)\n\n", a->since);
    if (has_into (a))
      put_into (out, a);
  }
}

void
emit_structs_pod (FILE *out, const struct table *t)
{
  static const char *const types[] = {
    [FT_INT32] = "int32_t ", [FT_INT64] = "int64_t ", [FT_CHAR] = "char ", [FT_STRING] = "char *"
  };

  for (size_t i = 0; i < t->nr_structs; i++) {
    const struct structure *s = &t->structs[i];

    if (s->wire_only)
      continue;
    fprintf (out, "=head2 struct zf_%s\n\n%s.\n\n struct zf_%s {\n", s->name, s->text, s->name);
    for (const struct field *f = s->fields; f->name; f++) {
      int n = fprintf (out, "   %s%s;", types[f->type], f->name);

      fprintf (out, "%*s/* %s */\n", n < 28 ? 28 - n : 1, "", f->text);
    }
    fputs (" };\n\n", out);
    if (struct_used (t, s, T_STRUCT_LIST, false))
      fprintf (out, " struct zf_%s_list {\n   uint32_t len;\n   struct zf_%s *val;\n };\n\n",
               s->name, s->name);
  }
}

/* " mkfs fstype device [blocksize:N] [label:TEXT]" */
static void
put_synopsis (FILE *out, const struct action *a)
{
  fprintf (out, " %s", dashed (a->name));
  for (const struct param *p = a->args; p->name; p++)
    fprintf (out, is_list (p->type) ? " '%s ...'" : " %s", p->name);
  for (const struct param *p = a->optargs; p->name; p++) {
    static const char *const values[] = {
      [T_STRING] = "TEXT", [T_INT] = "N", [T_INT64] = "N", [T_BOOL] = "true|false",
      [T_STRING_LIST] = "'A B ...'"
    };

    fprintf (out, " [%s:%s]", p->name, values[p->type]);
  }
  fputs ("\n\n", out);
}

void
emit_commands_pod (FILE *out, const struct table *t)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (!is_shell (a))
      continue;
    fprintf (out, "=head2 %s\n\n", dashed (a->name));
    put_synopsis (out, a);
    for (size_t j = 0; a->aliases[j]; j++)
      fprintf (out, "%s C<%s>%s", j ? "," : "Also called", a->aliases[j], a->aliases[j + 1] ? "" : ".\n\n");
    fprintf (out, "I<%s>\n\n", a->shortdesc);
    put_pod (out, t, a->longdesc, POD_SHELL);
    fputc ('\n', out);
    put_flags (out, a);
    fprintf (out, "(Since %s)\n\n", a->since);
  }
}
