/* Small printers that several emitters use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "emit.h"

void
put_head (FILE *out, const char *purpose)
{
  fprintf (out,
           "/* %s\n"
           " * Generated from the action table in generator/; do not edit.\n"
           " *\n"
           " * SPDX-License-Identifier: LGPL-2.1-or-later\n"
           " * Copyright (C) 2026 The zerofish authors\n"
           " */\n\n", purpose);
}

void
put_entry (FILE *out, const struct action *a)
{
  fprintf (out, "/* %s: %s. */\n", a->name, a->shortdesc);
}

/* The next of a few buffers, so that one fprintf can use several. */
static char *
next_buffer (void)
{
  static char buffers[8][128];
  static unsigned n;

  return buffers[n++ % 8];
}

const char *
upper (const char *s)
{
  char *b = next_buffer ();
  size_t i;

  for (i = 0; s[i] && i < 127; i++)
    b[i] = toupper ((unsigned char) s[i]);
  b[i] = '\0';
  return b;
}

const char *
dashed (const char *s)
{
  char *b = next_buffer ();
  size_t i;

  for (i = 0; s[i] && i < 127; i++)
    b[i] = s[i] == '_' ? '-' : s[i];
  b[i] = '\0';
  return b;
}

void
put_literal (FILE *out, const char *s, int indent)
{
  fputc ('"', out);
  for (; *s; s++) {
    if (*s == '\n') {
      fputs ("\\n", out);
      if (s[1])
        fprintf (out, "\"\n%*s\"", indent, "");
    }
    else if (*s == '"' || *s == '\\')
      fprintf (out, "\\%c", *s);
    else
      fputc (*s, out);
  }
  fputc ('"', out);
}

/* The text of fold_begin. */
static struct { FILE *f; char *text; size_t size; } fold;

FILE *
fold_begin (void)
{
  fold.f = open_memstream (&fold.text, &fold.size);
  if (fold.f == NULL) {
    perror ("generator");
    exit (EXIT_FAILURE);
  }
  return fold.f;
}

/* The last blank of S, before WIDTH, where a line may be broken; NULL if there is none. */
static const char *
last_break (const char *s, int width)
{
  for (int i = width; i > 1; i--)
    if (s[i] == ' ' && (s[i - 1] == ',' || s[i - 1] == '|'))
      return s + i;
  return NULL;
}

void
fold_end (FILE *out, int indent)
{
  enum { WIDTH = 110 };
  const char *p, *cut;
  int column = 0;

  if (fclose (fold.f) != 0) {
    perror ("generator");
    exit (EXIT_FAILURE);
  }
  for (p = fold.text; column + strlen (p) > WIDTH && (cut = last_break (p, WIDTH - column)); p = cut + 1) {
    fprintf (out, "%.*s\n%*s", (int) (cut - p), p, indent, "");
    column = indent;
  }
  fputs (p, out);
  free (fold.text);
}

void
put_c_param (FILE *out, const struct param *p)
{
  switch (p->type) {
  case T_INT:
  case T_BOOL:
    fprintf (out, "int %s", p->name);
    break;
  case T_INT64:
    fprintf (out, "int64_t %s", p->name);
    break;
  case T_BUFFER:
    fprintf (out, "const void *%s, size_t %s_size", p->name, p->name);
    break;
  default:
    fprintf (out, is_list (p->type) ? "char *const *%s" : "const char *%s", p->name);
  }
}

const char *
c_result (const struct action *a)
{
  char *b;

  switch (a->ret) {
  case T_INT64:
    return "int64_t ";
  case T_STRING:
  case T_DEVICE:
  case T_BUFFER:
    return "char *";
  case T_STRING_LIST:
  case T_DEVICE_LIST:
  case T_HASH:
    return "char **";
  case T_STRUCT:
  case T_STRUCT_LIST:
    b = next_buffer ();
    snprintf (b, 128, "struct zf_%s%s *", a->ret_struct, a->ret == T_STRUCT ? "" : "_list");
    return b;
  default:
    return "int ";
  }
}

const char *
c_result_line (const struct action *a)
{
  char *b = next_buffer ();
  size_t n;

  snprintf (b, 128, "%s", c_result (a));
  n = strlen (b);
  if (b[n - 1] == ' ')
    b[n - 1] = '\0';
  return b;
}

void
put_into_params (FILE *out, const struct action *a)
{
  static const char buffer[] = ", void *buf, size_t buf_size";
  bool done = false;

  fputs ("(zf_handle *h", out);
  for (const struct param *p = a->args; p->name; p++)
    if (is_into_count (p)) {
      fputs (buffer, out);
      done = true;
    }
    else {
      fputs (", ", out);
      put_c_param (out, p);
    }
  if (!done)
    fputs (buffer, out);
  if (has_optargs (a))
    fprintf (out, ", const struct zf_%s_opts *opts", a->name);
  fputc (')', out);
}

void
put_c_params (FILE *out, const struct action *a)
{
  fputs ("(zf_handle *h", out);
  for (const struct param *p = a->args; p->name; p++) {
    fputs (", ", out);
    put_c_param (out, p);
  }
  if (has_optargs (a))
    fprintf (out, ", const struct zf_%s_opts *opts", a->name);
  if (a->ret == T_BUFFER)
    fputs (", size_t *size_r", out);
  fputc (')', out);
}
