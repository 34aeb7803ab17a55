/* Splits a line into words, and a list argument into its elements; quotes a word again for completion.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fish.h"

static bool
is_blank (char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static int
fail (char err[WORDS_ERROR_SIZE], const char *what, size_t offset)
{
  snprintf (err, WORDS_ERROR_SIZE, "%s (column %zu)", what, offset + 1);
  return -1;
}

/* Room for one more word; the array doubles, so that long lines stay cheap. */
static struct word *
new_word (struct line *line)
{
  size_t n = line->nr_words;

  if ((n & (n - 1)) == 0)
    line->words = xrealloc (line->words, (n == 0 ? 1 : 2 * n) * sizeof *line->words);
  line->words[n] = (struct word) { 0 };
  line->nr_words++;
  return &line->words[n];
}

/* The value of LEN digits of BASE at P, or -1. */
static int
digits (const char *p, size_t len, int base)
{
  int v = 0;

  for (size_t i = 0; i < len; i++) {
    int c = tolower ((unsigned char) p[i]);
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

    if (d >= base)
      return -1;
    v = v * base + d;
  }
  return v;
}

/* The byte that the escape at P (after the backslash) stands for, and how many characters it has.
 * -1: no such escape.  0 is returned as such: the caller refuses it. */
static int
escape (const char *p, size_t *len)
{
  static const char letters[] = "abfnrtv\"\\'";
  static const char bytes[] = "\a\b\f\n\r\t\v\"\\'";
  const char *found;
  int v;

  *len = 1;
  if (*p != '\0' && (found = strchr (letters, *p)) != NULL)
    return bytes[found - letters];
  if (*p == 'x') {
    *len = 3;
    return p[1] == '\0' ? -1 : digits (p + 1, 2, 16);
  }
  if (*p >= '0' && *p <= '7') {
    *len = 3;
    v = p[1] == '\0' ? -1 : digits (p, 3, 8);
    return v > 255 ? -1 : v;
  }
  return -1;
}

/* Length of what stands before the next END (white space if 0) that no backslash escapes. */
static size_t
span (const char *p, char end)
{
  size_t n;

  for (n = 0; p[n] != '\0' && (end ? p[n] != end : !is_blank (p[n])); n++)
    if (p[n] == '\\' && p[n + 1] != '\0')
      n++;
  return n;
}

/* A word in double quotes; *P is after the opening quote, and after the closing one on return. */
static int
double_quoted (const char *text, const char **p, struct word *w, char err[WORDS_ERROR_SIZE])
{
  size_t open = *p - text - 1, max = span (*p, '"'), n = 0, nl = 0, len;
  bool quotes = false;
  int c;

  w->s = xmalloc (max + 1);
  w->list = xmalloc (max + 1);
  for (; **p != '"'; w->s[n++] = c, w->list[nl++] = c) {
    if (**p == '\0')
      return fail (err, "the double quote has no end", open);
    c = *(*p)++;
    if (c != '\\')
      continue;
    c = escape (*p, &len);
    if (c == -1)
      return fail (err, **p ? "unknown escape in double quotes" : "the double quote has no end",
                   *p - text - 1);
    if (c == 0)
      return fail (err, "a zero byte cannot be part of an argument", *p - text - 1);
    if (**p == '\'') {
      quotes = true;
      w->list[nl++] = '\\';
    }
    *p += len;
  }
  (*p)++;
  w->s[n] = w->list[nl] = '\0';
  if (!quotes) {
    free (w->list);
    w->list = NULL;
  }
  return 0;
}

static int
single_quoted (const char *text, const char **p, struct word *w, char err[WORDS_ERROR_SIZE])
{
  const char *end = strchr (*p, '\'');

  if (end == NULL)
    return fail (err, "the single quote has no end", *p - text - 1);
  w->s = xstrndup (*p, end - *p);
  *p = end + 1;
  return 0;
}

/* "~" and "~/dir" with $HOME, "~user/dir" with that user's home; as it is if there is none.  Takes over S. */
static char *
expand_home (char *s)
{
  size_t len = strcspn (s + 1, "/");
  char *user = xstrndup (s + 1, len), *t = NULL;
  const char *home = len == 0 ? getenv ("HOME") : NULL;
  struct passwd *pw = len > 0 ? getpwnam (user) : home == NULL ? getpwuid (getuid ()) : NULL;

  if (home == NULL && pw != NULL)
    home = pw->pw_dir;
  free (user);
  if (home == NULL)
    return s;
  t = xasprintf ("%s%s", home, s + 1 + len);
  free (s);
  return t;
}

static void
bare (const char **p, struct word *w)
{
  const char *begin = *p;

  while (**p != '\0' && !is_blank (**p))
    (*p)++;
  w->s = xstrndup (begin, *p - begin);
  if (w->s[0] == '~')
    w->s = expand_home (w->s);
}

static int
one_word (const char *text, const char **p, struct word *w, char err[WORDS_ERROR_SIZE])
{
  if (**p != '"' && **p != '\'') {
    bare (p, w);
    return 0;
  }
  w->quoted = true;
  if (*(*p)++ == '"' ? double_quoted (text, p, w, err) : single_quoted (text, p, w, err))
    return -1;
  if (**p != '\0' && !is_blank (**p))
    return fail (err, "text follows the closing quote without a space between", *p - text);
  return 0;
}

int
line_split (const char *text, struct line *line, char err[WORDS_ERROR_SIZE])
{
  const char *p = text;

  *line = (struct line) { 0 };
  for (;;) {
    while (is_blank (*p))
      p++;
    if (*p == '\0')
      return 0;
    if (*p == '|' && line->nr_words > 0) {
      for (p++; is_blank (*p); p++)
        ;
      line->pipe = xstrdup (p);
      return 0;
    }
    if (one_word (text, &p, new_word (line), err) == -1)
      return -1;
  }
}

void
line_free (struct line *line)
{
  for (size_t i = 0; i < line->nr_words; i++) {
    free (line->words[i].s);
    free (line->words[i].list);
  }
  free (line->words);
  free (line->pipe);
  *line = (struct line) { 0 };
}

/* One element of a list at *P (not blank); NULL with a message. */
static char *
list_element (const char *text, const char **p, char err[WORDS_ERROR_SIZE])
{
  bool quoted = **p == '\'';
  const char *begin = *p;
  char *s = xmalloc (span (*p + quoted, quoted ? '\'' : 0) + 1);
  size_t n = 0;

  if (quoted)
    (*p)++;
  while (quoted ? **p != '\'' : **p != '\0' && !is_blank (**p)) {
    if (**p == '\0') {
      fail (err, "the single quote in the list has no end", begin - text);
      goto error;
    }
    if (**p == '\\' && (*p)[1] == '\'')
      (*p)++;
    s[n++] = *(*p)++;
  }
  if (quoted && *++(*p) != '\0' && !is_blank (**p)) {
    fail (err, "in the list, text follows the closing quote without a space between", *p - text);
    goto error;
  }
  s[n] = '\0';
  return s;

 error:
  free (s);
  return NULL;
}

char **
list_split (const char *text, char err[WORDS_ERROR_SIZE])
{
  char **list = xmalloc (sizeof *list);
  const char *p = text;
  size_t n = 0;

  for (;; n++) {
    while (is_blank (*p))
      p++;
    list[n] = NULL;
    if (*p == '\0')
      return list;
    if ((n & (n + 1)) == 0)
      list = xrealloc (list, 2 * (n + 1) * sizeof *list);
    if ((list[n] = list_element (text, &p, err)) == NULL) {
      list_free (list);
      return NULL;
    }
  }
}

void
list_free (char **list)
{
  for (size_t i = 0; list != NULL && list[i] != NULL; i++)
    free (list[i]);
  free (list);
}

static bool
needs_quotes (const char *s)
{
  if (*s == '\0' || strchr ("'\"|~", *s) != NULL)
    return true;
  for (; *s; s++)
    if (is_blank (*s) || (unsigned char) *s < ' ' || *s == 127)
      return true;
  return false;
}

char *
word_quote (const char *s, bool force, bool open)
{
  char *q, *p;

  if (!force && !needs_quotes (s))
    return xstrdup (s);
  p = q = xmalloc (4 * strlen (s) + 3);
  *p++ = '"';
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      p += sprintf (p, "\\%c", *s);
    else if ((unsigned char) *s < ' ' || *s == 127)
      p += sprintf (p, "\\x%02x", (unsigned char) *s);
    else
      *p++ = *s;
  }
  if (!open)
    *p++ = '"';
  *p = '\0';
  return q;
}
