/* What a copy did, for programs and for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "zerocp.h"

static json_t *
stats_json (const struct copy_stats *s)
{
  return json_pack ("{s:I, s:I, s:I, s:I, s:I, s:I, s:f}",
                    "size", (json_int_t) s->size, "read", (json_int_t) s->read,
                    "written", (json_int_t) s->written, "zeroed", (json_int_t) s->zeroed,
                    "skipped", (json_int_t) s->skipped, "checked", (json_int_t) s->checked,
                    "seconds", s->ms / 1000.0);
}

int
summary_json (const struct options *o, const struct copy_stats *s, const char *error, int err)
{
  /* Standard output may be the copy itself. */
  FILE *f = strcmp (o->place[1].name, "-") == 0 && o->place[1].command == NULL ? stderr : stdout;
  json_t *j = stats_json (s), *text;
  int r;

  json_object_set_new (j, "ok", json_boolean (error == NULL));
  if (error != NULL) {
    /* A message with a file name in it may be no UTF-8. */
    text = json_string (error);
    json_object_set_new (j, "error", text ? text : json_string (strerror (err)));
    json_object_set_new (j, "errno", json_integer (err));
  }
  r = j == NULL || json_dumpf (j, f, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION (6)) == -1
    || fputc ('\n', f) == EOF || fflush (f) == EOF ? -1 : 0;
  json_decref (j);
  if (r == -1)
    fprintf (stderr, "zerocp: writing the summary failed\n");
  return r;
}

void
summary_text (const struct copy_stats *s)
{
  fprintf (stderr, "zerocp: %llu bytes: %llu read, %llu written, %llu zeroed, %llu left alone, %.2f s\n",
           (unsigned long long) s->size, (unsigned long long) s->read, (unsigned long long) s->written,
           (unsigned long long) s->zeroed, (unsigned long long) s->skipped, s->ms / 1000.0);
}
