/* Trace lines of actions, and the check that no argument is NULL.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace.h"

#define BUFFER_SHOWN 64   /* bytes of a buffer argument that a trace line shows */

static void
put_bytes (FILE *out, const char *s, size_t n)
{
  putc ('"', out);
  for (size_t i = 0; i < n; i++) {
    unsigned char c = s[i];

    if (c == '"' || c == '\\')
      fprintf (out, "\\%c", c);
    else if (c == '\n')
      fputs ("\\n", out);
    else if (c < ' ' || c == 0x7f)
      fprintf (out, "\\x%02x", c);
    else
      putc (c, out);
  }
  putc ('"', out);
}

/* A string; if it looks like a URI with a password, the password is left out. */
static void
put_string (FILE *out, const char *s)
{
  const char *start = strstr (s, "://");
  const char *end = start ? start + 3 + strcspn (start + 3, "/?#") : NULL;
  const char *at = start ? memrchr (start + 3, '@', end - (start + 3)) : NULL;
  const char *colon = at ? memchr (start + 3, ':', at - (start + 3)) : NULL;
  char *masked;

  if (colon == NULL) {
    put_bytes (out, s, strlen (s));
    return;
  }
  if (asprintf (&masked, "%.*s:***%s", (int) (colon - s), s, at) == -1)
    return;
  put_bytes (out, masked, strlen (masked));
  free (masked);
}

static void
put_list (FILE *out, char *const *list)
{
  fputs ("[", out);
  for (size_t i = 0; list[i] != NULL; i++) {
    if (i > 0)
      putc (' ', out);
    put_string (out, list[i]);
  }
  fputs ("]", out);
}

static int
null_argument (zf_handle *h, unsigned nr)
{
  return zfi_error (h, EINVAL, "argument %u is NULL", nr);
}

/* Print one string-like argument of type T; -1 if it is NULL. */
static int
put_pointer (FILE *out, char t, const void *p)
{
  if (p == NULL) {
    fputs (" NULL", out);
    return -1;
  }
  putc (' ', out);
  if (t == 'S')
    put_list (out, p);
  else if (t == 'k')
    fputs ("***", out);
  else
    put_string (out, p);
  return 0;
}

/* As much of a buffer as a trace line shows. */
static void
put_start (FILE *out, const char *p, size_t n)
{
  put_bytes (out, p, n < BUFFER_SHOWN ? n : BUFFER_SHOWN);
  if (n > BUFFER_SHOWN)
    fprintf (out, "<of %zu bytes>", n);
}

/* A buffer argument: pointer and size. */
static int
put_buffer (FILE *out, const char *p, size_t n)
{
  if (p == NULL && n > 0) {
    fputs (" NULL", out);
    return -1;
  }
  putc (' ', out);
  put_start (out, p, n);
  return 0;
}

/* The optional arguments that are given, as name:value. */
static void
put_optional (FILE *out, const struct zfi_optarg *o, const void *opts)
{
  uint64_t mask;

  if (o == NULL || opts == NULL)
    return;
  memcpy (&mask, opts, sizeof mask);    /* it comes first in all these structs */
  for (; o->name != NULL; o++, mask >>= 1) {
    const char *value = (const char *) opts + o->offset;

    if (!(mask & 1))
      continue;
    fprintf (out, " %s:", o->name);
    if (o->type == 'i')
      fprintf (out, "%d", *(const int *) value);
    else if (o->type == 'b')
      fputs (*(const int *) value ? "true" : "false", out);
    else if (o->type == 'I')
      fprintf (out, "%" PRIi64, *(const int64_t *) value);
    else if (*(const void *const *) value == NULL)
      fputs ("NULL", out);
    else if (o->type == 'S')
      put_list (out, *(char *const *const *) value);
    else
      put_string (out, *(const char *const *) value);
  }
}

/* Print all arguments; the number of the first that is NULL and must not be, or 0. */
static unsigned
put_arguments (FILE *out, const struct zfi_action *a, va_list args)
{
  const char *types = a->types;
  unsigned bad = 0;

  for (unsigned i = 0; types[i] != '\0'; i++) {
    int r = 0;

    switch (types[i]) {
    case 'i':
      fprintf (out, " %d", va_arg (args, int));
      break;
    case 'b':
      fprintf (out, " %s", va_arg (args, int) ? "true" : "false");
      break;
    case 'I':
      fprintf (out, " %" PRIi64, va_arg (args, int64_t));
      break;
    case 'B': {
      const char *p = va_arg (args, const char *);

      r = put_buffer (out, p, va_arg (args, size_t));
      break;
    }
    case 'o':
      put_optional (out, a->optargs, va_arg (args, const void *));
      break;
    default:
      r = put_pointer (out, types[i], va_arg (args, const void *));
    }
    if (r == -1 && bad == 0)
      bad = i + 1;
  }
  return bad;
}

static void
trace_line (zf_handle *h, const char *text, size_t len)
{
  if (zfi_has_event (h, ZF_EVENT_TRACE))
    zfi_event (h, ZF_EVENT_TRACE, text, len, NULL, 0);
  else
    fprintf (stderr, "zerofish: trace: %s\n", text);
}

int
zfi_trace_enter (zf_handle *h, const struct zfi_action *a, va_list args)
{
  char *text = NULL;
  size_t len = 0;
  unsigned bad;
  FILE *out = open_memstream (&text, &len);

  if (out == NULL)
    return zfi_perror (h, errno, "trace");
  fputs (a->name, out);
  bad = put_arguments (out, a, args);
  if (fclose (out) == 0 && h->trace && !(a->flags & ZFI_PRIVATE))
    trace_line (h, text, len);
  free (text);
  return bad ? null_argument (h, bad) : 0;
}

void
zfi_trace_leave (zf_handle *h, const struct zfi_action *a, bool ok)
{
  char *text;
  int len;

  if (h->trace) {
    len = asprintf (&text, "%s = %s", a->name, !ok ? "-1 (error)" : h->trace_result ? h->trace_result : "0");
    if (len >= 0) {
      trace_line (h, text, len);
      free (text);
    }
  }
  free (h->trace_result);
  h->trace_result = NULL;
}

void
zfi_trace_result (zf_handle *h, const char *fs, ...)
{
  va_list args;

  if (!h->trace || h->depth != 1)
    return;
  free (h->trace_result);
  va_start (args, fs);
  if (vasprintf (&h->trace_result, fs, args) == -1)
    h->trace_result = NULL;
  va_end (args);
}

void
zfi_trace_int (zf_handle *h, int64_t r)
{
  zfi_trace_result (h, "%" PRIi64, r);
}

/* The last step of the three below: OUT writes to *TEXT. */
static void
set_result (zf_handle *h, FILE *out, char **text)
{
  if (fclose (out) == 0)
    zfi_trace_result (h, "%s", *text);
  free (*text);
}

void
zfi_trace_string (zf_handle *h, const char *s)
{
  char *text = NULL;
  size_t len;
  FILE *out = h->trace && s ? open_memstream (&text, &len) : NULL;

  if (out == NULL)
    return;
  put_bytes (out, s, strlen (s));
  set_result (h, out, &text);
}

void
zfi_trace_list (zf_handle *h, char *const *list)
{
  char *text = NULL;
  size_t len;
  FILE *out = h->trace && list ? open_memstream (&text, &len) : NULL;

  if (out == NULL)
    return;
  put_list (out, list);
  set_result (h, out, &text);
}

void
zfi_trace_buffer (zf_handle *h, const char *p, size_t n)
{
  char *text = NULL;
  size_t len;
  FILE *out = h->trace && p ? open_memstream (&text, &len) : NULL;

  if (out == NULL)
    return;
  put_start (out, p, n);
  set_result (h, out, &text);
}
