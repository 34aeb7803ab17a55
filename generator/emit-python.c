/* python/actions.c: the methods of the extension's handle, one an action, between Python objects and the C
 * API.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

const char *
python_name (const struct action *a, const struct param *p)
{
  static const struct { const char *action, *name, *python; } names[] = {
    { "add_domain", "name", "dom" },
    { "filesize", "path", "file" },
    { "fill", "byte", "c" },
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (a->name, names[i].action) == 0 && strcmp (p->name, names[i].name) == 0)
      return names[i].python;
  return p->name;
}

bool
python_none (const struct action *a)
{
  return strcmp (a->name, "set_cachedir") == 0 || strcmp (a->name, "set_tmpdir") == 0;
}

/* "arg_int (&c, "count")", for every type but buffers. */
static void
put_take (FILE *out, const struct action *a, const struct param *p)
{
  const char *function;

  switch (p->type) {
  case T_INT: function = "int"; break;
  case T_INT64: function = "int64"; break;
  case T_BOOL: function = "bool"; break;
  case T_STRING_LIST:
  case T_DEVICE_LIST: function = "list"; break;
  case T_FILE_IN:
  case T_FILE_OUT:
  case T_FILENAME: function = "filename"; break;
  default: function = "text";
  }
  fprintf (out, "arg_%s (&c, \"%s\")", function, python_name (a, p));
}

static void
put_arg (FILE *out, const struct action *a, const struct param *p)
{
  if (p->type == T_BUFFER) {
    fprintf (out, "  %s = arg_buffer (&c, \"%s\", &%s_size);\n", p->name, python_name (a, p), p->name);
    return;
  }
  fprintf (out, "  %s = %s", p->name, python_none (a) ? "!arg_given (&c) ? \"\" : " : "");
  put_take (out, a, p);
  fputs (";\n", out);
}

static void
put_opt (FILE *out, const struct action *a, const struct param *p)
{
  fprintf (out, "  if (arg_given (&c)) {\n    opts.%s = ", p->name);
  if (is_list (p->type))
    fputs ("(char **) ", out);
  put_take (out, a, p);
  fprintf (out, ";\n    opts.bitmask |= ZF_%s_OPTS_%s;\n  }\n", upper (a->name), upper (p->name));
}

/* INTO: of the method NAME_into. */
static void
put_locals (FILE *out, const struct action *a, bool into)
{
  fputs ("  struct call c;\n", out);
  for (const struct param *p = a->args; p->name; p++) {
    if (into && is_into_count (p))
      continue;
    fputs ("  ", out);
    if (p->type == T_BUFFER)
      fprintf (out, "const void *%s;\n  size_t %s_size", p->name, p->name);
    else
      put_c_param (out, p);
    fputs (";\n", out);
  }
  if (has_optargs (a))
    fprintf (out, "  struct zf_%s_opts opts = { 0 };\n", a->name);
  if (a->ret == T_BUFFER)
    fputs (into ? "  void *buf;\n  size_t buf_size;\n" : "  size_t size_r = 0;\n", out);
  fprintf (out, "  %sr;\n\n", into ? "int64_t " : c_result (a));
}

/* The call of the library. */
static void
put_call (FILE *out, const struct action *a, bool into)
{
  FILE *f = fold_begin ();
  bool placed = !into;

  fprintf (f, "  r = zf_%s%s (c.h", a->name, into ? "_into" : "");
  for (const struct param *p = a->args; p->name; p++)
    if (into && is_into_count (p)) {
      fputs (", buf, buf_size", f);
      placed = true;
    }
    else if (p->type == T_BUFFER)
      fprintf (f, ", %s, %s_size", p->name, p->name);
    else
      fprintf (f, ", %s", p->name);
  if (!placed)
    fputs (", buf, buf_size", f);
  if (has_optargs (a))
    fputs (", &opts", f);
  fputs (a->ret == T_BUFFER && !into ? ", &size_r);" : ");", f);
  fold_end (out, (int) strlen (a->name) + 11);
  fputc ('\n', out);
}

static bool
returns_number (const struct action *a)
{
  return a->ret == T_NONE || a->ret == T_BOOL || a->ret == T_INT || a->ret == T_INT64;
}

static void
put_result (FILE *out, const struct action *a)
{
  fprintf (out, "  return call_end (&c, %s ? ", returns_number (a) ? "r != -1" : "r");
  switch (a->ret) {
  case T_NONE: fputs ("result_none ()", out); break;
  case T_BOOL: fputs ("PyBool_FromLong (r)", out); break;
  case T_INT: fputs ("PyLong_FromLong (r)", out); break;
  case T_INT64: fputs ("PyLong_FromLongLong (r)", out); break;
  case T_STRING:
  case T_DEVICE: fputs ("result_text (r)", out); break;
  case T_HASH: fputs ("result_hash (r)", out); break;
  case T_BUFFER: fputs ("result_buffer (&c, r, size_r)", out); break;
  case T_STRUCT: fprintf (out, "result_%s (r)", a->ret_struct); break;
  case T_STRUCT_LIST: fprintf (out, "result_%s_list (r)", a->ret_struct); break;
  default: fputs ("result_list (r)", out);
  }
  fputs (" : NULL);\n}\n\n", out);
}

static void
put_method (FILE *out, const struct action *a, bool into)
{
  const char *suffix = into ? "_into" : "";

  put_entry (out, a);
  fprintf (out, "static PyObject *\npy_%s%s (PyObject *self, PyObject *const *args, Py_ssize_t nr)\n{\n",
           a->name, suffix);
  put_locals (out, a, into);
  fprintf (out, "  call_init (&c, \"%s%s\", self, args, nr);\n", a->name, suffix);
  if (into)
    fputs ("  buf = arg_writable (&c, \"buffer\", &buf_size);\n", out);
  for (const struct param *p = a->args; p->name; p++)
    if (!into || !is_into_count (p))
      put_arg (out, a, p);
  for (const struct param *p = a->optargs; p->name; p++)
    put_opt (out, a, p);
  fputs ("  if (!call_enter (&c))\n    return call_end (&c, NULL);\n", out);
  put_call (out, a, into);
  fprintf (out, "  call_leave (&c, r != %s);\n", returns_number (a) || into ? "-1" : "NULL");
  if (into)
    fputs ("  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);\n}\n\n", out);
  else
    put_result (out, a);
}

/* --- structs --- */

/* A struct as a dict. */
static void
put_struct_object (FILE *out, const struct structure *s)
{
  static const char *const formats[] = {
    [FT_INT32] = "i", [FT_INT64] = "L", [FT_CHAR] = "N", [FT_STRING] = "N"
  };
  FILE *f = fold_begin ();

  fprintf (out, "/* struct %s */\nstatic PyObject *\n%s_object (const struct zf_%s *s)\n{\n", s->name,
           s->name, s->name);
  fputs ("  return Py_BuildValue (\"{", f);
  for (const struct field *p = s->fields; p->name; p++)
    fprintf (f, "%ss:%s", p == s->fields ? "" : ",", formats[p->type]);
  fputs ("}\"", f);
  for (const struct field *p = s->fields; p->name; p++)
    switch (p->type) {
    case FT_INT64: fprintf (f, ", \"%s\", (long long) s->%s", p->name, p->name); break;
    case FT_CHAR: fprintf (f, ", \"%s\", char_object (s->%s)", p->name, p->name); break;
    case FT_STRING: fprintf (f, ", \"%s\", text_object (s->%s)", p->name, p->name); break;
    default: fprintf (f, ", \"%s\", s->%s", p->name, p->name);
    }
  fputs (");", f);
  fold_end (out, 24);
  fputs ("\n}\n\n", out);
}

static void
put_struct_result (FILE *out, const struct structure *s)
{
  fprintf (out, "static PyObject *\nresult_%s (struct zf_%s *s)\n{\n  PyObject *r = %s_object (s);\n\n"
           "  zf_free_%s (s);\n  return r;\n}\n\n", s->name, s->name, s->name, s->name);
}

static void
put_struct_list_result (FILE *out, const struct structure *s)
{
  fprintf (out, "static PyObject *\nresult_%s_list (struct zf_%s_list *list)\n{\n"
           "  PyObject *r = PyList_New (list->len);\n\n"
           "  for (uint32_t i = 0; r && i < list->len; i++) {\n"
           "    PyObject *o = %s_object (&list->val[i]);\n\n"
           "    if (o == NULL || PyList_SetItem (r, i, o) == -1)\n      Py_CLEAR (r);\n  }\n"
           "  zf_free_%s_list (list);\n  return r;\n}\n\n", s->name, s->name, s->name, s->name);
}

/* Is S the result TYPE of an action that programs can call? */
static bool
has_result (const struct table *t, const struct structure *s, enum type type)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (is_public (a) && a->ret == type && strcmp (a->ret_struct, s->name) == 0)
      return true;
  }
  return false;
}

static void
put_structs (FILE *out, const struct table *t)
{
  for (size_t i = 0; i < t->nr_structs; i++) {
    const struct structure *s = &t->structs[i];
    bool one = has_result (t, s, T_STRUCT), list = has_result (t, s, T_STRUCT_LIST);

    if (!one && !list)
      continue;
    put_struct_object (out, s);
    if (one)
      put_struct_result (out, s);
    if (list)
      put_struct_list_result (out, s);
  }
}

void
emit_python_c (FILE *out, const struct table *t)
{
  put_head (out, "Methods of the Python extension's handle, one an action.");
  fputs ("#include \"binding.h\"\n\n", out);
  put_structs (out, t);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      put_method (out, &t->actions[i], false);
      if (has_into (&t->actions[i]))
        put_method (out, &t->actions[i], true);
    }
  fputs ("PyMethodDef handle_methods[] = {\n  METHODS_BY_HAND,\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      fprintf (out, "  METHOD_ROW (%s),\n", t->actions[i].name);
      if (has_into (&t->actions[i]))
        fprintf (out, "  METHOD_ROW (%s_into),\n", t->actions[i].name);
    }
  fputs ("  { NULL, NULL, 0, NULL }\n};\n", out);
}
