/* The generator: checks the action table, then prints every file that is made from it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emit.h"

static const char usage[] =
  "Usage: generator [--output DIR]\n"
  "       generator --check | --list | --help\n"
  "\n"
  "Checks the action table and writes the files that are made from it below DIR (\".\" if not given).\n"
  "Files whose content would not change are left alone.  On any error the status is 1 and no file was\n"
  "changed.\n"
  "\n"
  "  -o, --output DIR   where to write; missing folders are made\n"
  "      --check        check the table, write nothing\n"
  "      --list         list the files\n"
  "\n"
  "To add an action:\n"
  "  1. Write an entry in the generator/actions-*.c file of its topic; generator/action.h explains each\n"
  "     field.  The procedure number comes from the protocol, or is the next free one from 10000 for an\n"
  "     action of our own.  A number is fixed for ever: that of an action which goes away moves to the list\n"
  "     in generator/structs.c.\n"
  "  2. A result with fields needs a struct in generator/structs.c.\n"
  "  3. Give it a short and a long text, the version that will have it first, and at least one test.\n"
  "  4. Write its do_NAME in daemon/ (the prototype appears in daemon/actions.h), or zfi_NAME in lib/ if its\n"
  "     number is 0 (prototype in lib/private-actions.h).\n"
  "  5. make.  Protocol, stubs, header, shell command, help, man pages and appliance test follow from the\n"
  "     entry.\n"
  "To add an output: write an emit function, and add it to the list in generator/outputs.c.\n";

/* mkdir -p of the folder that holds PATH. */
static int
make_folder_of (const char *path)
{
  char dir[PATH_MAX];

  if (snprintf (dir, sizeof dir, "%s", path) >= (int) sizeof dir) {
    errno = ENAMETOOLONG;
    return -1;
  }
  for (char *p = dir + 1; (p = strchr (p, '/')) != NULL; *p++ = '/') {
    *p = '\0';
    if (mkdir (dir, 0777) == -1 && errno != EEXIST)
      return -1;
  }
  return 0;
}

static void
output_name (char name[PATH_MAX], const char *dir, const struct emitter *e, const char *suffix)
{
  if (snprintf (name, PATH_MAX, "%s/%s%s", dir, e->path, suffix) >= PATH_MAX) {
    fprintf (stderr, "generator: %s: the name of the output directory is too long\n", dir);
    exit (EXIT_FAILURE);
  }
}

/* Print one output under its temporary name. */
static int
write_temporary (const char *dir, const struct emitter *e, const struct table *t)
{
  char tmp[PATH_MAX];
  FILE *out;
  bool bad;

  output_name (tmp, dir, e, ".tmp");
  if (make_folder_of (tmp) == -1 || (out = fopen (tmp, "w")) == NULL) {
    fprintf (stderr, "generator: %s: %s\n", tmp, strerror (errno));
    return -1;
  }
  errno = 0;
  e->emit (out, t);
  bad = fflush (out) != 0 || ferror (out);
  if (fclose (out) != 0 || bad) {
    fprintf (stderr, "generator: %s: %s\n", tmp, strerror (errno ? errno : EIO));
    return -1;
  }
  return 0;
}

static bool
same_content (const char *a, const char *b)
{
  FILE *x = fopen (a, "r"), *y = fopen (b, "r");
  bool same = x && y;

  while (same) {
    int c = getc (x);

    same = c == getc (y);
    if (c == EOF)
      break;
  }
  if (x)
    fclose (x);
  if (y)
    fclose (y);
  return same;
}

/* Give a finished output its name, unless what is there is the same: then its time stays too, and nothing
 * that depends on it is built again. */
static int
move_into_place (const char *dir, const struct emitter *e)
{
  char tmp[PATH_MAX], path[PATH_MAX];

  output_name (tmp, dir, e, ".tmp");
  output_name (path, dir, e, "");
  if (same_content (tmp, path))
    return remove (tmp);
  if (rename (tmp, path) == -1) {
    fprintf (stderr, "generator: %s: %s\n", path, strerror (errno));
    return -1;
  }
  return 0;
}

static void
remove_temporaries (const char *dir)
{
  char tmp[PATH_MAX];

  for (const struct emitter *e = emitters; e->path; e++) {
    output_name (tmp, dir, e, ".tmp");
    remove (tmp);
  }
}

/* All outputs, or none: every temporary file is complete before the first is renamed. */
static int
write_all (const char *dir, const struct table *t)
{
  const struct emitter *e;

  for (e = emitters; e->path; e++)
    if (write_temporary (dir, e, t) == -1)
      goto fail;
  for (e = emitters; e->path; e++)
    if (move_into_place (dir, e) == -1)
      goto fail;
  return 0;

 fail:
  remove_temporaries (dir);
  return -1;
}

static void
list_outputs (void)
{
  for (const struct emitter *e = emitters; e->path; e++)
    puts (e->path);
}

int
main (int argc, char *argv[])
{
  enum { OPT_CHECK = 256, OPT_LIST };
  static const struct option options[] = {
    { "help", no_argument, NULL, 'h' }, { "output", required_argument, NULL, 'o' },
    { "check", no_argument, NULL, OPT_CHECK }, { "list", no_argument, NULL, OPT_LIST }, { NULL, 0, NULL, 0 }
  };
  const char *dir = ".";
  bool check_only = false, list_only = false;
  static struct table t;    /* static: what it points to lives as long as the program */
  int c;

  while ((c = getopt_long (argc, argv, "ho:", options, NULL)) != -1)
    switch (c) {
    case 'h':
      fputs (usage, stdout);
      return fflush (stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    case 'o':
      dir = optarg;
      break;
    case OPT_CHECK:
      check_only = true;
      break;
    case OPT_LIST:
      list_only = true;
      break;
    default:
      fputs ("Try 'generator --help'.\n", stderr);
      return EXIT_FAILURE;
    }
  if (optind != argc) {
    fprintf (stderr, "generator: %s: no arguments are taken; try 'generator --help'\n", argv[optind]);
    return EXIT_FAILURE;
  }

  t = table_load ();
  if (check_table (&t, stderr) > 0)
    return EXIT_FAILURE;
  if (list_only)
    list_outputs ();
  if (list_only || check_only)
    return fflush (stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  return write_all (dir, &t) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
