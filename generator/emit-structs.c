/* zerofish-structs.h: the public structs, and the structs of optional arguments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "emit.h"

/* The struct itself and its list form; also for protocol.h. */
void
put_struct (FILE *out, const struct structure *s)
{
  static const char *const types[] = {
    [FT_INT32] = "int32_t ", [FT_INT64] = "int64_t ", [FT_CHAR] = "char ", [FT_STRING] = "char *"
  };

  fprintf (out, "struct zf_%s {\n", s->name);
  for (const struct field *f = s->fields; f->name; f++) {
    int n = fprintf (out, "  %s%s;", types[f->type], f->name);

    if (f->text)
      fprintf (out, "%*s/* %s */", n < 28 ? 28 - n : 1, "", f->text);
    fputc ('\n', out);
  }
  fprintf (out, "};\nstruct zf_%s_list {\n  uint32_t len;\n  struct zf_%s *val;\n};\n", s->name, s->name);
}

static void
put_opts (FILE *out, const struct action *a)
{
  int bit = 0;

  fputc ('\n', out);
  put_entry (out, a);
  fprintf (out, "struct zf_%s_opts {\n  uint64_t bitmask;          /* of the values that are given */\n",
           a->name);
  for (const struct param *p = a->optargs; p->name; p++) {
    fputs ("  ", out);
    put_c_param (out, p);
    fputs (";\n", out);
  }
  fputs ("};\n", out);
  for (const struct param *p = a->optargs; p->name; p++)
    fprintf (out, "#define ZF_%s_OPTS_%s (UINT64_C (1) << %d)\n", upper (a->name), upper (p->name), bit++);
}

void
emit_structs_h (FILE *out, const struct table *t)
{
  put_head (out, "Structs that actions return, and structs of optional arguments.");
  fputs ("#ifndef ZEROFISH_STRUCTS_H\n#define ZEROFISH_STRUCTS_H\n\n#include <stdint.h>\n", out);
  for (size_t i = 0; i < t->nr_structs; i++)
    if (!t->structs[i].wire_only) {
      fprintf (out, "\n/* %s. */\n", t->structs[i].text);
      put_struct (out, &t->structs[i]);
    }
  fputs ("\n/* Optional arguments: set the value, and its bit in BITMASK; other values are not looked at. */\n",
         out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (has_optargs (&t->actions[i]))
      put_opts (out, &t->actions[i]);
  fputs ("\n#endif /* ZEROFISH_STRUCTS_H */\n", out);
}
