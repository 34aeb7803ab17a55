/* Reads keys and passphrases: from the terminal without echo, or from standard input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "fish.h"

/* One line from FD, a byte at a time so that nothing behind it is taken; malloced, NULL at the end or on
 * error. */
static char *
read_line (int fd)
{
  size_t n = 0, cap = 256;
  char *s = xmalloc (cap);
  ssize_t r;

  while ((r = read (fd, s + n, 1)) == 1 && s[n] != '\n')
    if (++n == cap)
      s = xrealloc (s, cap *= 2);
  if (r == -1 || (r == 0 && n == 0)) {
    free (s);
    return NULL;
  }
  s[n] = '\0';
  return s;
}

static char *
read_from_terminal (struct shell *sh, const char *name)
{
  int fd = open ("/dev/tty", O_RDWR | O_CLOEXEC);
  struct termios old, quiet;
  bool hide;
  char *s;

  if (fd == -1)
    return NULL;
  hide = !sh->echo_keys && tcgetattr (fd, &old) == 0;
  if (hide) {
    quiet = old;
    quiet.c_lflag &= ~ECHO;
    tcsetattr (fd, TCSAFLUSH, &quiet);
  }
  dprintf (fd, "Key or passphrase (%s): ", name);
  s = read_line (fd);
  if (hide) {
    tcsetattr (fd, TCSAFLUSH, &old);
    dprintf (fd, "\n");
  }
  close (fd);
  return s;
}

/* Take the line out of the script if that comes from standard input too. */
char *
key_read (struct shell *sh, const char *name)
{
  if (!sh->keys_from_stdin)
    return read_from_terminal (sh, name);
  if (sh->src != NULL && sh->src->fd == STDIN_FILENO)
    return shell_next_line (sh);
  return read_line (STDIN_FILENO);
}
