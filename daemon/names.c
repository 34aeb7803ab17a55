/* Names of disks as users write them: letters to indexes and back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <string.h>

#include "devices.h"

/* Length of the prefix that means "a disk", or 0. */
static size_t
disk_prefix (const char *name)
{
  static const char *const prefixes[] = { "/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd" };

  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp (name, prefixes[i], strlen (prefixes[i])) == 0)
      return strlen (prefixes[i]);
  return 0;
}

static bool
is_letter (char ch)
{
  return ch >= 'a' && ch <= 'z';
}

static bool
is_digit (char ch)
{
  return ch >= '0' && ch <= '9';
}

size_t
device_name_parse (const char *name, size_t *index, int *partnum)
{
  size_t n = disk_prefix (name), count = 0;

  *partnum = 0;
  if (n == 0 || !is_letter (name[n]))
    return 0;
  for (; is_letter (name[n]); n++) {
    if (count > 1000000)                /* far above any number of disks: no overflow */
      return 0;
    count = count * 26 + (size_t) (name[n] - 'a') + 1;
  }
  *index = count - 1;
  if (name[n] == '0')
    return 0;
  for (; is_digit (name[n]); n++) {
    *partnum = *partnum * 10 + (name[n] - '0');
    if (*partnum > MAX_PARTNUM)
      return 0;
  }
  return n;
}

void
device_letters (size_t index, char out[16])
{
  char reversed[16];
  size_t n = 0;

  do {
    reversed[n++] = (char) ('a' + index % 26);
    index /= 26;
  } while (index-- > 0 && n < sizeof reversed - 1);
  for (size_t i = 0; i < n; i++)
    out[i] = reversed[n - 1 - i];
  out[n] = '\0';
}

bool
device_name_is_plain (const char *name)
{
  if (strncmp (name, "/dev/", 5) != 0)
    return false;
  for (const unsigned char *p = (const unsigned char *) name; *p != '\0'; p++)
    if (*p < ' ' || *p == 0x7f)
      return false;
  for (const char *p = name; p != NULL; p = strchr (p, '/')) {
    size_t len = strcspn (++p, "/");

    if (len == 0 || (len == 1 && p[0] == '.') || (len == 2 && p[0] == '.' && p[1] == '.'))
      return false;
  }
  return true;
}
