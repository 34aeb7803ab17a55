/* Prints results, one function for each form.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <inttypes.h>
#include <stdlib.h>

#include "fish.h"

/* All return -1 if the call that gave the value failed, else 0.  Whether the output could be written is
 * looked at once, after the command. */

int
print_bool (FILE *out, int r)
{
  if (r == -1)
    return -1;
  fputs (r ? "true\n" : "false\n", out);
  return 0;
}

int
print_int (FILE *out, int r)
{
  return print_int64 (out, r);
}

int
print_int64 (FILE *out, int64_t r)
{
  if (r == -1)
    return -1;
  fprintf (out, "%" PRIi64 "\n", r);
  return 0;
}

int
print_string (FILE *out, char *r)
{
  if (r == NULL)
    return -1;
  fprintf (out, "%s\n", r);
  free (r);
  return 0;
}

int
print_list (FILE *out, char **r)
{
  if (r == NULL)
    return -1;
  for (size_t i = 0; r[i] != NULL; i++)
    fprintf (out, "%s\n", r[i]);
  zf_free_string_list (r);
  return 0;
}

int
print_hash (FILE *out, char **r)
{
  if (r == NULL)
    return -1;
  for (size_t i = 0; r[i] != NULL && r[i + 1] != NULL; i += 2)
    fprintf (out, "%s: %s\n", r[i], r[i + 1]);
  zf_free_string_list (r);
  return 0;
}

int
print_buffer (FILE *out, char *r, size_t size)
{
  if (r == NULL)
    return -1;
  fwrite (r, 1, size, out);
  free (r);
  return 0;
}

int
print_field_int (FILE *out, const char *name, int64_t v)
{
  fprintf (out, "%s: %" PRIi64 "\n", name, v);
  return 0;
}

int
print_field_string (FILE *out, const char *name, const char *v)
{
  fprintf (out, "%s: %s\n", name, v != NULL ? v : "");
  return 0;
}
