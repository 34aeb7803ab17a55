/* Text for people: control characters of names and of what others wrote, made visible.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "visible.h"

char *
text_visible (const char *s, bool lines)
{
  char *r = malloc (4 * strlen (s) + 1), *p = r;

  for (; r != NULL && *s != '\0'; s++) {
    unsigned char c = *s;

    if ((c >= ' ' && c != 0x7f) || (lines && (c == '\n' || c == '\t')))
      *p++ = *s;
    else if (c == '\n' || c == '\t' || c == '\r')
      p += sprintf (p, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    else
      p += sprintf (p, "\\x%02x", c);
  }
  if (r != NULL)
    *p = '\0';
  return r;
}
