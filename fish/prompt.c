/* The prompt: reads lines with readline, keeps the history, obeys ^C.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "fish.h"

enum { HISTORY_LINES = 2000 };
#define DEFAULT_PROMPT "><zf> "

static bool inside_document;      /* ^C gives up a here-document */

/* ^C at the prompt: a fresh line. */
static void
start_again (void)
{
  interrupt_clear ();
  rl_crlf ();
  rl_replace_line ("", 1);
  rl_on_new_line ();
  rl_redisplay ();
}

/* Readline's getc.  ^C is looked for before each key and ten times a second: readline itself does not tell
 * of a signal between two reads, and what is typed after ^C belongs to the new line. */
static int
get_key (FILE *stream)
{
  struct pollfd p = { .fd = fileno (stream), .events = POLLIN };
  int r;

  do {
    r = poll (&p, 1, 100);
    rl_check_signals ();
    if (interrupted ()) {
      if (inside_document)
        return '\n';
      if (RL_ISSTATE (RL_STATE_ISEARCH | RL_STATE_NSEARCH))
        return ABORT_CHAR;      /* leave the search; the next call starts again */
      start_again ();
    }
  } while (r == 0 || (r == -1 && errno == EINTR));
  return rl_getc (stream);
}

char *
prompt_line (const char *prompt)
{
  char *line;

  inside_document = strcmp (prompt, "> ") == 0;
  line = readline (prompt);
  if (line != NULL && inside_document && interrupted ()) {
    free (line);
    line = NULL;
  }
  inside_document = false;
  return line;
}

/* The byte of an escape at P ("\e" without the backslash) and its length; -1: none. */
static int
decode_escape (const char *p, size_t *len)
{
  static const char letters[] = "\\aenr", bytes[] = "\\\a\033\n\r";
  const char *found;
  char digits[4] = "";
  int base = *p == 'x' ? 16 : 8;

  *len = 1;
  if (*p != '\0' && (found = strchr (letters, *p)) != NULL)
    return bytes[found - letters];
  strncpy (digits, base == 16 ? p + 1 : p, base == 16 ? 2 : 3);
  if (strspn (digits, base == 16 ? "0123456789abcdefABCDEF" : "01234567") != (base == 16 ? 2 : 3))
    return -1;
  *len = 3;
  return strtol (digits, NULL, base) & 255;
}

char *
prompt_decode (const char *s, bool ignored)
{
  char *out = xmalloc (strlen (s) + 1), *p = out;
  size_t len;
  int c;

  while (*s != '\0') {
    if (*s != '\\')
      *p++ = *s++;
    else if (s[1] == '[' || s[1] == ']') {
      if (ignored)
        *p++ = s[1] == '[' ? RL_PROMPT_START_IGNORE : RL_PROMPT_END_IGNORE;
      s += 2;
    }
    else if ((c = decode_escape (s + 1, &len)) > 0) {
      *p++ = c;
      s += 1 + len;
    }
    else
      *p++ = *s++;
  }
  *p = '\0';
  return out;
}

/* Print the text that the environment variable NAME asks for. */
static void
print_setting (const char *name)
{
  const char *value = getenv (name);
  char *text;

  if (value == NULL)
    return;
  text = prompt_decode (value, false);
  fputs (text, stdout);
  fflush (stdout);
  free (text);
}

/* History is kept for the user alone.  The file's name, malloced, or NULL if there can be none. */
static char *
history_open (void)
{
  const char *home = getenv ("HOME");
  char *file;
  int fd;

  using_history ();
  stifle_history (HISTORY_LINES);
  if (home == NULL || *home == '\0')
    return NULL;
  file = xasprintf ("%s/.zerofish-history", home);
  fd = open (file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
  if (fd == -1) {
    free (file);
    return NULL;
  }
  close (fd);
  read_history (file);
  return file;
}

/* Each line is saved at once, so that several sessions, and a killed one, keep theirs. */
static void
history_add (const char *file, const char *line)
{
  HIST_ENTRY *last = history_get (history_base + history_length - 1);

  if (line[strspn (line, " \t")] == '\0' || (last != NULL && strcmp (last->line, line) == 0))
    return;
  add_history (line);
  if (file != NULL)
    append_history (1, file);
}

static void
print_welcome (void)
{
  print_setting ("ZEROFISH_INIT");
  printf ("\nThis is zerofish %s, the shell for zeroing and checking disk images.\n\n"
          "Type: 'help' for how to begin, 'help --list' for the commands,\n"
          "      'man' to read the manual, 'quit' to end.\n\n", PACKAGE_VERSION);
  fflush (stdout);
}

int
run_prompt (struct shell *sh)
{
  const char *ps1 = getenv ("ZEROFISH_PS1");
  char *prompt = prompt_decode (ps1 != NULL ? ps1 : DEFAULT_PROMPT, true);
  char *file = history_open ();
  char *line;

  sh->prompt = true;
  readline_init (sh);
  rl_getc_function = get_key;
  print_welcome ();
  while (!sh->quit && (line = prompt_line (prompt)) != NULL) {
    history_add (file, line);
    print_setting ("ZEROFISH_OUTPUT");
    run_line (sh, line);        /* a failure has been told; the next line follows */
    interrupt_clear ();
    free (line);
  }
  if (!sh->quit)
    putchar ('\n');
  print_setting ("ZEROFISH_RESTORE");
  if (file != NULL)
    history_truncate_file (file, HISTORY_LINES);
  free (file);
  free (prompt);
  return 0;
}
