/* The long texts: a small part of POD, passed through to man pages or rendered as plain text.
 *
 * Known marks are B<> I<> C<> F<>, and A<name> for another action; paragraphs are separated by an empty
 * line; a paragraph that begins with a blank is printed as it is; =over, =item, =back make lists.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

void
pod_references (const char *text, void (*fn) (void *opaque, const char *name, size_t len), void *opaque)
{
  for (const char *p = text; (p = strstr (p, "A<")) != NULL; p += 2)
    fn (opaque, p + 2, strcspn (p + 2, ">"));
}

/* Copy the name of a reference, NUL-terminated and in the form that the style wants. */
static const char *
reference_name (const char *name, size_t len, enum pod_style style)
{
  static char buf[128];

  if (len >= sizeof buf)
    len = sizeof buf - 1;
  memcpy (buf, name, len);
  buf[len] = '\0';
  if (style == POD_SHELL)
    for (char *p = buf; *p; p++)
      if (*p == '_')
        *p = '-';
  return buf;
}

void
put_pod (FILE *out, const struct table *t, const char *text, enum pod_style style)
{
  for (const char *p = text; *p; p++)
    if (p[0] == 'A' && p[1] == '<') {
      size_t len = strcspn (p + 2, ">");
      const struct action *a = find_action (t, reference_name (p + 2, len, POD_API));
      const char *name = reference_name (p + 2, len, style);
      const char *prefix = style == POD_API ? "zf_" : "";

      if (style == POD_SHELL && a && !is_shell (a))
        fprintf (out, "C<%s>", name);
      else
        fprintf (out, "L<%s%s|/%s%s>", prefix, name, prefix, name);
      p += 2 + len;
    }
    else
      fputc (*p, out);
  fputc ('\n', out);
}

/* --- plain text --- */

/* State of the wrapping printer. */
struct wrap {
  FILE *out;
  const char *prefix;
  int width;                /* of the text with the prefix */
  int column;               /* 0: at the start of a line */
  int indent;               /* blanks in front of the lines of this paragraph */
  char word[512];
  size_t len;
};

static void
end_word (struct wrap *w)
{
  int left = (int) strlen (w->prefix) + w->indent;

  if (w->len == 0)
    return;
  if (w->column > 0 && w->column + 1 + (int) w->len > w->width) {
    fputc ('\n', w->out);
    w->column = 0;
  }
  if (w->column == 0) {
    fprintf (w->out, "%s%*s", w->prefix, w->indent, "");
    w->column = left;
  }
  else {
    fputc (' ', w->out);
    w->column++;
  }
  fwrite (w->word, 1, w->len, w->out);
  w->column += w->len;
  w->len = 0;
}

static void
end_paragraph (struct wrap *w)
{
  end_word (w);
  if (w->column > 0)
    fputc ('\n', w->out);
  w->column = 0;
}

static void
add_char (struct wrap *w, char c)
{
  if (w->len < sizeof w->word)
    w->word[w->len++] = c;
}

/* Text between marks; MARK is the letter of the mark it is in, or 0. Blanks inside C<> do not break lines. */
static void
add_text (struct wrap *w, const char *s, size_t len, char mark)
{
  bool quote = mark == 'C' || mark == 'F';

  if (quote)
    add_char (w, '"');
  for (size_t i = 0; i < len; i++)
    if ((s[i] == ' ' || s[i] == '\n') && !quote)
      end_word (w);
    else
      add_char (w, s[i]);
  if (quote)
    add_char (w, '"');
}

/* One paragraph of running text, LEN bytes. */
static void
put_paragraph (struct wrap *w, const char *s, size_t len, enum pod_style style)
{
  size_t start = 0;

  for (size_t i = 0; i + 1 < len; i++) {
    size_t mark_len;

    if (s[i + 1] != '<' || strchr ("ABCFI", s[i]) == NULL)
      continue;
    add_text (w, s + start, i - start, 0);
    mark_len = strcspn (s + i + 2, ">");
    if (s[i] == 'A') {
      const char *name = reference_name (s + i + 2, mark_len, style);

      add_text (w, style == POD_API ? "zf_" : "", style == POD_API ? 3 : 0, 0);
      add_text (w, name, strlen (name), 0);
    }
    else
      add_text (w, s + i + 2, mark_len, s[i]);
    i += 2 + mark_len;
    start = i + 1;
  }
  if (start < len)
    add_text (w, s + start, len - start, 0);
  end_paragraph (w);
}

/* An example: its lines as they are. */
static void
put_verbatim (struct wrap *w, const char *s, size_t len)
{
  fputs (w->prefix, w->out);
  for (size_t i = 0; i < len; i++) {
    fputc (s[i], w->out);
    if (s[i] == '\n')
      fputs (w->prefix, w->out);
  }
  fputc ('\n', w->out);
}

static void
put_blank (const struct wrap *w)
{
  size_t n = strlen (w->prefix);

  while (n > 0 && w->prefix[n - 1] == ' ')
    n--;
  fprintf (w->out, "%.*s\n", (int) n, w->prefix);
}

void
put_plain (FILE *out, const char *text, enum pod_style style, const char *prefix, int width)
{
  struct wrap w = { .out = out, .prefix = prefix, .width = width };
  bool first = true, in_list = false;

  for (const char *p = text; *p; ) {
    const char *end = strstr (p, "\n\n");
    size_t len = end ? (size_t) (end - p) : strlen (p);

    if (strncmp (p, "=over", 5) == 0)
      in_list = true;
    else if (strncmp (p, "=back", 5) == 0)
      in_list = false;
    else {
      if (!first)
        put_blank (&w);
      first = false;
      w.indent = in_list && strncmp (p, "=item ", 6) != 0 ? 4 : 0;
      if (*p == ' ')
        put_verbatim (&w, p, len);
      else if (strncmp (p, "=item ", 6) == 0)
        put_paragraph (&w, p + 6, len - 6, style);
      else
        put_paragraph (&w, p, len, style);
    }
    p += len;
    while (*p == '\n')
      p++;
  }
}
