/* The library's headers: the public functions, the private ones, and the list of exported symbols.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

/* What a caller must know about the result, as a sentence. */
static const char *
result_text (const struct action *a)
{
  switch (a->ret) {
  case T_NONE: return "0, or -1 on error.";
  case T_BOOL: return "1 for true, 0 for false, -1 on error.";
  case T_INT:
  case T_INT64: return "The number, or -1 on error.";
  case T_STRING:
  case T_DEVICE: return "A string to be freed with free, or NULL on error.";
  case T_BUFFER: return "A buffer to be freed with free, its size in bytes in *SIZE_R; or NULL on error.";
  case T_HASH:
    return "Key, value, key, value, ..., NULL, to be freed with zf_free_string_list; or NULL on error.";
  case T_STRUCT:
  case T_STRUCT_LIST: return NULL;
  default: return "Strings with NULL at the end, to be freed with zf_free_string_list; or NULL on error.";
  }
}

static void
put_declaration (FILE *out, const struct action *a, const char *prefix)
{
  FILE *f = fold_begin ();

  fprintf (f, "extern %s%s%s ", c_result (a), prefix, a->name);
  put_c_params (f, a);
  fputc (';', f);
  fold_end (out, (int) (strlen (c_result (a)) + strlen (prefix) + strlen (a->name)) + 9);
  fputc ('\n', out);
}

static void
put_prototype (FILE *out, const struct action *a)
{
  fputs ("/* ", out);
  for (const char *s = a->shortdesc; *s; s++)
    fputc (s == a->shortdesc && *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s, out);
  fputs (".\n *\n", out);
  put_plain (out, a->longdesc, POD_API, " * ", 112);
  fputs (" *\n", out);
  if (has_optargs (a))
    fputs (" * OPTS may be NULL.\n", out);
  if (result_text (a))
    fprintf (out, " * Returns: %s\n", result_text (a));
  else
    fprintf (out, " * Returns: to be freed with zf_free_%s%s; NULL on error.\n", a->ret_struct,
             a->ret == T_STRUCT ? "" : "_list");
  fprintf (out, " * Since %s. */\n", a->since);
  put_declaration (out, a, "zf_");
  fputc ('\n', out);
}

static void
put_into_prototype (FILE *out, const struct action *a)
{
  FILE *f = fold_begin ();

  fprintf (out, "/* The same into BUF, of BUF_SIZE bytes, without memory of its own: how many bytes came,\n"
           " * or -1 on error.  ERANGE: there are more than fit.  Since %s. */\n", a->since);
  fprintf (f, "extern int64_t zf_%s_into ", a->name);
  put_into_params (f, a);
  fputc (';', f);
  fold_end (out, (int) strlen (a->name) + 25);
  fputs ("\n\n", out);
}

void
emit_lib_h (FILE *out, const struct table *t)
{
  put_head (out, "The actions; included by zerofish.h.");
  fputs ("#ifndef ZEROFISH_ACTIONS_H\n#define ZEROFISH_ACTIONS_H\n\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      put_prototype (out, &t->actions[i]);
      if (has_into (&t->actions[i]))
        put_into_prototype (out, &t->actions[i]);
    }
  fputs ("/* NULL is allowed. */\n", out);
  for (size_t i = 0; i < t->nr_structs; i++) {
    const struct structure *s = &t->structs[i];

    if (s->wire_only)
      continue;
    if (struct_used (t, s, T_STRUCT, false))
      fprintf (out, "extern void zf_free_%s (struct zf_%s *s);\n", s->name, s->name);
    if (struct_used (t, s, T_STRUCT_LIST, false))
      fprintf (out, "extern void zf_free_%s_list (struct zf_%s_list *list);\n", s->name, s->name);
  }
  fputs ("\n#endif /* ZEROFISH_ACTIONS_H */\n", out);
}

void
emit_lib_private_h (FILE *out, const struct table *t)
{
  put_head (out, "Functions behind the actions: the library's own ones, and private calls to the daemon.");
  fputs ("#ifndef ZEROFISH_PRIVATE_ACTIONS_H\n#define ZEROFISH_PRIVATE_ACTIONS_H\n\n"
         "#include \"zerofish.h\"\n\n"
         "/* Actions that the library carries out itself, written by hand.  The handle is locked, arguments are\n"
         " * not NULL, OPTS may be; the bits in it are known and their pointers not NULL.  -1 or NULL with the\n"
         " * error set. */\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (!is_daemon (&t->actions[i]))
      put_declaration (out, &t->actions[i], "zfi_");
  fputs ("\n/* Calls to the daemon that only the library makes.  The handle is locked by the caller. */\n",
         out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]) && !is_public (&t->actions[i]))
      put_declaration (out, &t->actions[i], "zfi_");
  fputs ("\n#endif /* ZEROFISH_PRIVATE_ACTIONS_H */\n", out);
}

void
emit_lib_syms (FILE *out, const struct table *t)
{
  static const char *const by_hand[] = {
    "add_libvirt_dom", "close", "create", "create_flags", "delete_event_callback", "free_string_list",
    "last_errno", "last_error", "set_allocate_callback", "set_event_callback", "set_wait_callback",
    "user_cancel",
  };

  fputs ("# Exported symbols of libzerofish.  Generated from the action table in generator/; do not edit.\n"
         "ZEROFISH_0.1 {\nglobal:\n", out);
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++)
    fprintf (out, "  zf_%s;\n", by_hand[i]);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      fprintf (out, "  zf_%s;\n", t->actions[i].name);
      if (has_into (&t->actions[i]))
        fprintf (out, "  zf_%s_into;\n", t->actions[i].name);
    }
  for (size_t i = 0; i < t->nr_structs; i++) {
    if (t->structs[i].wire_only)
      continue;
    if (struct_used (t, &t->structs[i], T_STRUCT, false))
      fprintf (out, "  zf_free_%s;\n", t->structs[i].name);
    if (struct_used (t, &t->structs[i], T_STRUCT_LIST, false))
      fprintf (out, "  zf_free_%s_list;\n", t->structs[i].name);
  }
  fputs ("local:\n  *;\n};\n", out);
}
