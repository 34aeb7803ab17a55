/* Reads a script line by line, lines of any length, from a descriptor that other readers may take over.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fish.h"

enum { READ_SIZE = 16384 };

void
source_open (struct source *src, int fd, const char *name)
{
  *src = (struct source) { .fd = fd, .name = name };
}

void
source_close (struct source *src)
{
  free (src->buf);
  src->buf = NULL;
}

/* Read more behind what is there.  0, or -1 with errno. */
static int
fill (struct source *src)
{
  ssize_t n;

  if (src->start > 0) {
    memmove (src->buf, src->buf + src->start, src->end - src->start);
    src->end -= src->start;
    src->start = 0;
  }
  if (src->cap - src->end < READ_SIZE + 1) {       /* one more for the final NUL */
    src->cap = 2 * src->cap + READ_SIZE + 1;
    src->buf = xrealloc (src->buf, src->cap);
  }
  n = read (src->fd, src->buf + src->end, READ_SIZE);
  if (n == -1)
    return -1;
  src->eof = n == 0;
  src->end += n;
  return 0;
}

/* Take the line of LEN bytes (and SKIP bytes with its end) out of the buffer. */
static int
take (struct source *src, size_t len, size_t skip, char **line)
{
  char *p = src->buf + src->start;

  src->start += skip;
  src->lineno++;
  /* Some editors begin a file with a byte order mark. */
  if (src->lineno == 1 && len >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0) {
    p += 3;
    len -= 3;
  }
  if (len > 0 && p[len - 1] == '\r')
    len--;
  p[len] = '\0';
  *line = p;
  if (strlen (p) != len) {
    errno = EILSEQ;
    return -1;
  }
  return 1;
}

int
source_line (struct source *src, char **line)
{
  size_t seen = 0;
  char *nl;

  for (;;) {
    size_t have = src->end - src->start;

    if (have > seen && (nl = memchr (src->buf + src->start + seen, '\n', have - seen)) != NULL) {
      size_t len = nl - (src->buf + src->start);

      return take (src, len, len + 1, line);
    }
    seen = have;
    if (src->eof)
      return have == 0 ? 0 : take (src, have, have, line);
    if (fill (src) == -1)
      return -1;
  }
}
