/* Reading the list of mounts below the sysroot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "devices.h"
#include "mounts.h"

/* Undo the octal escapes of a field ("\040" is a space), in place. */
static void
unescape (char *s)
{
  char *out = s;

  for (; *s != '\0'; out++) {
    if (s[0] == '\\' && strspn (s + 1, "01234567") >= 3) {
      *out = (char) ((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
      s += 4;
    } else
      *out = *s++;
  }
  *out = '\0';
}

/* WHERE as seen from inside SYSROOT, or NULL if it is not in there. */
static const char *
seen_inside (const char *where, const char *sysroot)
{
  size_t n = strlen (sysroot);

  while (n > 0 && sysroot[n - 1] == '/')
    n--;
  if (strncmp (where, sysroot, n) != 0)
    return NULL;
  if (where[n] == '\0')
    return "/";
  return where[n] == '/' ? where + n : NULL;
}

/* One line: id parent major:minor root where options [more] - type source options.  NULL: not for us. */
static struct mount_entry *
parse_line (struct call *c, char *line, const char *sysroot)
{
  struct mount_entry *m;
  unsigned maj, min;
  char *where, *source, *save = NULL;

  if (sscanf (line, "%*d %*d %u:%u", &maj, &min) != 2 || (source = strstr (line, " - ")) == NULL)
    return NULL;
  *source = '\0';
  where = strtok_r (line, " ", &save);
  for (int i = 0; i < 4 && where != NULL; i++)
    where = strtok_r (NULL, " ", &save);
  strtok_r (source + 3, " ", &save);
  source = strtok_r (NULL, " ", &save);
  if (where == NULL || source == NULL)
    return NULL;
  unescape (where);
  unescape (source);
  if (seen_inside (where, sysroot) == NULL || (m = call_alloc (c, sizeof *m)) == NULL)
    return NULL;
  m->dev = makedev (maj, min);
  m->where = call_strdup (c, where);
  m->source = call_strdup (c, source);
  m->inside = m->where ? seen_inside (m->where, sysroot) : NULL;
  return m->inside && m->source ? m : NULL;
}

const struct mount_entry *
mounts_parse (struct call *c, char *text, const char *sysroot)
{
  struct mount_entry *first = NULL, **end = &first;
  char *save = NULL;

  for (char *line = strtok_r (text, "\n", &save); line != NULL; line = strtok_r (NULL, "\n", &save))
    if ((*end = parse_line (c, line, sysroot)) != NULL)
      end = &(*end)->next;
  return first;
}

const struct mount_entry *
mounts_read (struct call *c)
{
  const struct mount_entry *m = NULL;
  char *text = NULL;
  size_t size = 0;
  FILE *fp;

  if (!c->d->appliance || c->d->sysroot == NULL || (fp = fopen ("/proc/self/mountinfo", "re")) == NULL)
    return NULL;
  if (getdelim (&text, &size, '\0', fp) > 0)
    m = mounts_parse (c, text, c->d->sysroot);
  free (text);
  fclose (fp);
  return m;
}

const struct mount_entry *
mounts_find (const struct mount_entry *m, dev_t dev, const char *source)
{
  const struct mount_entry *found = NULL;

  for (; m != NULL; m = m->next)
    if ((dev != 0 && m->dev == dev) || (source != NULL && strcmp (m->source, source) == 0))
      found = m;
  return found;
}

const struct mount_entry *
mounts_find_block (struct call *c, const struct mount_entry *m, const char *sysname)
{
  char text[32], path[SYSNAME_MAX + 8];
  unsigned maj, min;

  if (sysfs_read (c->d, text, sizeof text, "class/block/%s/dev", sysname) == -1 ||
      sscanf (text, "%u:%u", &maj, &min) != 2)
    return NULL;
  snprintf (path, sizeof path, "/dev/%s", sysname);
  return mounts_find (m, makedev (maj, min), path);
}
