/* Our XDR routines and those that rpcgen makes of the .x file encode the same values to the same bytes, and decode each
 * other's.  Ours also take a message that ends before its optional arguments, and refuse every other short one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xdr-compare.h"

enum { ROUNDS = 24, BUFFER = 1 << 20, MAX_ALLOCATED = 4096 };

static unsigned round_nr, counter;
static void *allocated[MAX_ALLOCATED];
static size_t nr_allocated;
static int failures;

/* --- values --- */

#define PICK(list) list[(round_nr + counter++) % (sizeof list / sizeof list[0])]

int
next_int (void)
{
  static const int values[] = { 0, 1, -1, INT_MAX, INT_MIN, 0x01020304 };

  return PICK (values);
}

int64_t
next_int64 (void)
{
  static const int64_t values[] = { 0, 1, -1, INT64_MAX, INT64_MIN, 0x0102030405060708, UINT32_MAX, INT32_MIN };

  return PICK (values);
}

bool_t
next_bool (void)
{
  static const bool_t values[] = { TRUE, FALSE };

  return PICK (values);
}

char
next_char (void)
{
  static const char values[] = { 'd', '\0', '\x7f', '\xff', '?' };

  return PICK (values);
}

void *
next_array (size_t n, size_t size)
{
  void *p = calloc (n + 1, size);

  if (p == NULL || nr_allocated == MAX_ALLOCATED) {
    fputs ("out of memory\n", stderr);
    exit (EXIT_FAILURE);
  }
  allocated[nr_allocated++] = p;
  return p;
}

/* Bytes of every padding, with zero bytes first, last and inside; and a long one. */
char *
next_bytes (u_int *len)
{
  static const struct { const char *p; u_int len; } values[] = {
    { "", 0 }, { "\0", 1 }, { "a\0", 2 }, { "\0\0b", 3 }, { "\xff\xfe\0\x01", 4 }, { "abcde", 5 }, { NULL, 9999 },
  };
  unsigned i = (round_nr + counter++) % (sizeof values / sizeof values[0]);
  char *p = next_array (values[i].len, 1);

  *len = values[i].len;
  for (u_int j = 0; j < *len; j++)
    p[j] = values[i].p ? values[i].p[j] : (char) (j * 7);
  return p;
}

char *
next_string (void)
{
  static const char *const values[] = {
    "", "a", "ab", "abc", "abcd", "/dev/sda1", "\xc3\xa9\xff line\nline", NULL
  };
  const char *s = PICK (values);
  char *p = next_array (s ? strlen (s) : 4001, 1);

  if (s)
    strcpy (p, s);
  else
    memset (p, 'x', 4001);
  return p;
}

u_int
next_count (void)
{
  static const u_int values[] = { 0, 1, 2, 7 };

  return PICK (values);
}

char **
next_list (u_int *len)
{
  char **list;

  *len = next_count ();
  list = next_array (*len, sizeof *list);
  for (u_int i = 0; i < *len; i++)
    list[i] = next_string ();
  return list;
}

static void
free_values (void)
{
  while (nr_allocated > 0)
    free (allocated[--nr_allocated]);
}

/* --- comparing --- */

static void
fail (const struct xdr_case *x, const char *what)
{
  fprintf (stderr, "FAIL: %s, round %u: %s\n", x->name, round_nr, what);
  failures++;
}

/* Bytes that PROC makes of VALUE, or 0 after a failure. */
static u_int
encode (const struct xdr_case *x, xdrproc_t proc, void *value, char *buf, const char *who)
{
  XDR xdrs;
  u_int n = 0;

  xdrmem_create (&xdrs, buf, BUFFER, XDR_ENCODE);
  if (proc (&xdrs, value))
    n = xdr_getpos (&xdrs);
  else
    fail (x, who);
  xdr_destroy (&xdrs);
  return n;
}

/* Decode the N bytes at BUF into a fresh value and encode that again: must be the same bytes. */
static void
round_trip (const struct xdr_case *x, xdrproc_t proc, size_t size, char *buf, u_int n, const char *who)
{
  char *again = malloc (BUFFER);
  void *value = calloc (1, size);
  XDR xdrs;

  if (again == NULL || value == NULL)
    exit (EXIT_FAILURE);
  xdrmem_create (&xdrs, buf, n, XDR_DECODE);
  if (!proc (&xdrs, value) || xdr_getpos (&xdrs) != n)
    fail (x, who);
  else if (encode (x, proc, value, again, who) != n || memcmp (buf, again, n) != 0)
    fail (x, who);
  xdr_destroy (&xdrs);
  xdr_free (proc, value);
  free (value);
  free (again);
}

/* Decode every proper beginning of the N bytes: only those that end just before an optional argument are taken. */
static void
check_short (const struct xdr_case *x, char *buf, u_int n)
{
  unsigned accepted = 0;

  for (u_int len = 0; len < n; len += 4) {
    char *copy = malloc (len + 1);      /* exactly the bytes, so that a checker of memory sees a read beyond them */
    void *value = calloc (1, x->our_size);
    XDR xdrs;

    if (copy == NULL || value == NULL)
      exit (EXIT_FAILURE);
    memcpy (copy, buf, len);
    xdrmem_create (&xdrs, copy, len, XDR_DECODE);
    accepted += x->our_proc (&xdrs, value) ? 1 : 0;
    xdr_destroy (&xdrs);
    xdr_free (x->our_proc, value);
    free (value);
    free (copy);
  }
  if (accepted != x->nr_optargs)
    fail (x, "a short message was taken, or one without optional arguments was not");
}

static void
compare (const struct xdr_case *x, char *ours, char *theirs)
{
  void *a = calloc (1, x->our_size), *b = calloc (1, x->their_size);
  u_int n, m;

  if (a == NULL || b == NULL)
    exit (EXIT_FAILURE);
  x->fill (a, b);
  n = encode (x, x->our_proc, a, ours, "our routine cannot encode");
  m = encode (x, x->their_proc, b, theirs, "rpcgen's routine cannot encode");
  if (n != m || memcmp (ours, theirs, n) != 0)
    fail (x, "the encodings differ");
  else {
    round_trip (x, x->our_proc, x->our_size, theirs, m, "our routine, on rpcgen's bytes");
    round_trip (x, x->their_proc, x->their_size, ours, n, "rpcgen's routine, on our bytes");
    check_short (x, ours, n);
  }
  free (a);
  free (b);
  free_values ();
}

int
main (void)
{
  char *ours = malloc (BUFFER), *theirs = malloc (BUFFER);

  alarm (120);
  if (ours == NULL || theirs == NULL || nr_xdr_cases == 0)
    return EXIT_FAILURE;
  for (round_nr = 0; round_nr < ROUNDS; round_nr++)
    for (size_t i = 0; i < nr_xdr_cases; i++) {
      counter = 0;
      compare (&xdr_cases[i], ours, theirs);
    }
  free (ours);
  free (theirs);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
