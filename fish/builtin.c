/* Commands that the shell carries out itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fish.h"

enum { ANY = 1 << 30 };

static int
do_help (struct shell *sh, const struct word *w, size_t n)
{
  if (n == 0)
    help_general (stdout);
  else if (strcmp (w[0].s, "-l") == 0 || strcmp (w[0].s, "--list") == 0)
    help_list (stdout);
  else
    return help_command (sh, w[0].s, stdout);
  return 0;
}

static int
do_quit (struct shell *sh, const struct word *w, size_t n)
{
  (void) w;
  (void) n;
  sh->quit = true;
  return 0;
}

static int
do_echo (struct shell *sh, const struct word *w, size_t n)
{
  (void) sh;
  for (size_t i = 0; i < n; i++)
    printf ("%s%s", i > 0 ? " " : "", w[i].s);
  putchar ('\n');
  return 0;
}

static int
do_time (struct shell *sh, const struct word *w, size_t n)
{
  struct timespec a, b;
  int r;

  clock_gettime (CLOCK_MONOTONIC, &a);
  r = run_words (sh, w, n);
  clock_gettime (CLOCK_MONOTONIC, &b);
  if (r == 0)
    printf ("elapsed time: %.2f seconds\n", (double) (b.tv_sec - a.tv_sec) + (b.tv_nsec - a.tv_nsec) / 1e9);
  return r;
}

static int
do_setenv (struct shell *sh, const struct word *w, size_t n)
{
  (void) n;
  if (setenv (w[0].s, w[1].s, 1) == -1)
    return shell_error (sh, "setenv: '%s': %s", w[0].s, strerror (errno));
  return 0;
}

static int
do_unsetenv (struct shell *sh, const struct word *w, size_t n)
{
  (void) n;
  if (unsetenv (w[0].s) == -1)
    return shell_error (sh, "unsetenv: '%s': %s", w[0].s, strerror (errno));
  return 0;
}

static int
do_lcd (struct shell *sh, const struct word *w, size_t n)
{
  (void) n;
  if (chdir (w[0].s) == -1)
    return shell_error (sh, "lcd: %s: %s", w[0].s, strerror (errno));
  return 0;
}

static int
do_man (struct shell *sh, const struct word *w, size_t n)
{
  (void) w;
  (void) n;
  return shell_command (sh, "man 1 zerofish") == 0 ? 0 : -1;
}

/* Give the new file FD its SIZE; posix_fallocate returns the error. */
static int
give_size (int fd, int64_t size, bool full)
{
  struct stat st;

  if (fstat (fd, &st) == -1)
    return errno;
  if (!S_ISREG (st.st_mode))
    return EINVAL;
  if (ftruncate (fd, 0) == -1 || (!full && ftruncate (fd, size) == -1))
    return errno;
  return full ? posix_fallocate (fd, 0, size) : 0;
}

static int
create_file (struct shell *sh, const char *cmd, const char *filename, int64_t size, bool full)
{
  struct stat st;
  bool is_new = lstat (filename, &st) == -1;
  /* O_NONBLOCK: a FIFO must not make us wait. */
  int fd = open (filename, O_WRONLY | O_CREAT | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0666);
  int err;

  if (fd == -1)
    return shell_error (sh, "%s: %s: %s", cmd, filename, strerror (errno));
  err = give_size (fd, size, full);
  if (close (fd) == -1 && err == 0)
    err = errno;
  if (err == 0)
    return 0;
  if (is_new)
    unlink (filename);
  return shell_error (sh, "%s: %s: cannot make a file of %lld bytes: %s", cmd, filename, (long long) size,
                      strerror (err));
}

static int
create_and_add (struct shell *sh, const char *cmd, const struct word *w, bool full)
{
  struct zf_add_drive_opts opts = { .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT, .format = (char *) "raw" };
  const char *why;
  int64_t size;

  if (parse_number (w[1].s, &size, &why) == -1)
    return shell_error (sh, "%s: size: '%s': %s", cmd, w[1].s, why);
  if (size <= 0)
    return shell_error (sh, "%s: size: '%s': expected a size above 0", cmd, w[1].s);
  if (!zf_is_config (sh->h))
    return shell_error (sh, "%s: drives can only be added before launch (run)", cmd);
  if (create_file (sh, cmd, w[0].s, size, full) == -1)
    return -1;
  return zf_add_drive (sh->h, w[0].s, &opts) == 0 ? 0 : shell_lib_error (sh);
}

static int
do_alloc (struct shell *sh, const struct word *w, size_t n)
{
  (void) n;
  return create_and_add (sh, "alloc", w, true);
}

static int
do_sparse (struct shell *sh, const struct word *w, size_t n)
{
  (void) n;
  return create_and_add (sh, "sparse", w, false);
}

static bool
has_wildcard (const struct word *w)
{
  return w->s[0] == '/' && strpbrk (w->s, "*?[") != NULL;
}

/* Run the N words of ALL with word I and those after it expanded: one run for each combination. */
static int
glob_from (struct shell *sh, struct word *all, size_t i, size_t n)
{
  struct word pattern;
  char **list;
  int r = 0;

  while (i < n && !has_wildcard (&all[i]))
    i++;
  if (i == n)
    return interrupted () ? shell_error (sh, "glob: stopped by ^C") : run_words (sh, all, n);
  pattern = all[i];
  if ((list = guest_glob (sh->h, pattern.s)) == NULL)
    return shell_lib_error (sh);
  if (list[0] == NULL)
    r = shell_error (sh, "glob: %s: no file or device matches", pattern.s);
  for (size_t j = 0; list[j] != NULL && r == 0; j++) {
    all[i] = (struct word) { .s = list[j], .quoted = true };
    r = glob_from (sh, all, i + 1, n);
  }
  all[i] = pattern;
  list_free (list);
  return r;
}

static int
do_glob (struct shell *sh, const struct word *w, size_t n)
{
  struct word *all = xmalloc (n * sizeof *all);
  int r;

  memcpy (all, w, n * sizeof *all);
  r = glob_from (sh, all, 1, n);
  free (all);
  return r;
}

const struct builtin builtins[] = {
  { "alloc", "allocate", "filename size", B_LOCAL_FILE, 2, 2,
    "create a full image file and add it",
    "Creates the raw image FILENAME with SIZE bytes, all zero and all allocated\n"
    "on the host, and adds it as a drive.  A file of that name is overwritten.\n\n"
    "SIZE takes suffixes, such as 10M or 1G.  For an image that uses no space\n"
    "until it is written see 'sparse'; for other formats see 'disk-create'.", do_alloc },
  { "echo", NULL, "[word ...]", B_NOTHING, 0, ANY,
    "print its arguments",
    "Prints its arguments with a space between them and a newline at the end.", do_echo },
  { "glob", NULL, "command [argument ...]", B_COMMAND, 1, ANY,
    "run a command for each matching path",
    "Expands * ? and [...] in arguments that begin with / and runs the command\n"
    "once for each match; with wildcards in several arguments, once for each\n"
    "combination. Patterns match files of the mounted filesystems, and devices\n"
    "(/dev/sd*). No match at all is an error.\n\n"
    "    glob rm /var/tmp/*.img\n"
    "    glob is-zero-device /dev/sd*", do_glob },
  { "help", NULL, "[command | -l | --list]", B_COMMAND, 0, 1,
    "list the commands, or explain one",
    "Without an argument: how to begin.  With the name of a command: what it does.\n"
    "With -l or --list: all commands, one a line.", do_help },
  { "lcd", NULL, "directory", B_LOCAL_FILE, 1, 1,
    "change the local directory",
    "Changes the directory in which the shell itself works, on the host.  ('!cd'\n"
    "would only change that of a subprocess.)", do_lcd },
  { "man", "manual", "", B_NOTHING, 0, 0,
    "show the manual page",
    "Runs 'man 1 zerofish'.", do_man },
  { "quit", "exit", "", B_NOTHING, 0, ANY,
    "end the shell",
    "Ends the session: what was written is flushed to the images and the\n"
    "appliance is shut down.  The end of the input (^D at the prompt) does the\n"
    "same.", do_quit },
  { "setenv", NULL, "variable value", B_NOTHING, 2, 2,
    "set an environment variable",
    "Sets an environment variable of the shell, for local commands and for\n"
    "settings that are read at launch.  To see one: !echo $VARIABLE", do_setenv },
  { "sparse", NULL, "filename size", B_LOCAL_FILE, 2, 2,
    "create a sparse image file and add it",
    "Creates the raw image FILENAME with SIZE bytes, all zero, and adds it as a\n"
    "drive. The file uses no space on the host until it is written.  A file of\n"
    "that name is overwritten.\n\n"
    "SIZE takes suffixes, such as 10M or 1G.  See also 'alloc' and 'disk-create'.", do_sparse },
  { "time", NULL, "command [argument ...]", B_COMMAND, 1, ANY,
    "run a command and print how long it took",
    "Runs the command and, if it succeeds, prints a line such as \"elapsed time:\n"
    "1.23 seconds\" after its output.", do_time },
  { "unsetenv", NULL, "variable", B_NOTHING, 1, 1,
    "remove an environment variable",
    "Removes an environment variable of the shell.", do_unsetenv },
};
const size_t nr_builtins = sizeof builtins / sizeof builtins[0];
