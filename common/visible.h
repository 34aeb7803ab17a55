/* Text for people: control characters of names and of what others wrote, made visible.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_VISIBLE_H
#define ZEROFISH_VISIBLE_H

#include <stdbool.h>

/* S with each control character as an escape (\n, \t, \r or \xNN), so that it is one line and no terminal
 * obeys it; with LINES, newlines and tabs stay.  Other bytes, UTF-8 too, stay.  Malloced, or NULL. */
extern char *text_visible (const char *s, bool lines);

#endif /* ZEROFISH_VISIBLE_H */
