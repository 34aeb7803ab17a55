/* The command line of zerocp.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "side.h"
#include "zerocp.h"

enum {
  OPT_ALLOCATED = 256, OPT_FLUSH, OPT_JSON, OPT_MUST_BE, OPT_IS_ZERO, OPT_REQUEST_SIZE, OPT_SYNCHRONOUS,
  OPT_TIMEOUT, OPT_VERIFY, OPT_HELP,
};

static const struct {
  struct option o;
  const char *argument, *text;
} table[] = {
  { { "allocated", no_argument, NULL, OPT_ALLOCATED }, "", "give the target space for all of the disk" },
  { { "connections", required_argument, NULL, 'C' }, "=N", "connections to each server (4)" },
  { { "flush", no_argument, NULL, OPT_FLUSH }, "", "end only when the copy is on disk" },
  { { "source-format", required_argument, NULL, 'f' }, "=FORMAT", "format of SRC, if it is an image file" },
  { { "target-format", required_argument, NULL, 'O' }, "=FORMAT", "format of DST, if it is an image file" },
  { { "json", no_argument, NULL, OPT_JSON }, "", "a summary in JSON on standard output" },
  { { "progress", optional_argument, NULL, 'p' }, "[=FD]", "show a bar, or write lines to descriptor FD" },
  { { "requests", required_argument, NULL, 'R' }, "=N", "requests under way at a time, of each thread" },
  { { "request-size", required_argument, NULL, OPT_REQUEST_SIZE }, "=SIZE", "bytes of a request: 256K" },
  { { "synchronous", no_argument, NULL, OPT_SYNCHRONOUS }, "", "one request at a time" },
  { { "target-must-be", required_argument, NULL, OPT_MUST_BE }, "=zero|any", "zero: refuse one with data" },
  { { "threads", required_argument, NULL, 'T' }, "=N", "threads" },
  { { "timeout", required_argument, NULL, OPT_TIMEOUT }, "=SECONDS", "longest wait for an answer (120)" },
  { { "verify", no_argument, NULL, OPT_VERIFY }, "", "read both sides again and compare" },
  { { "verbose", no_argument, NULL, 'v' }, "", "say what was done" },
  { { "version", no_argument, NULL, 'V' }, "", "the version" },
  { { "help", no_argument, NULL, OPT_HELP }, "", "this text" },
  /* For those who come from nbdcopy; here it is looked at, not believed. */
  { { "target-is-zero", no_argument, NULL, OPT_IS_ZERO }, NULL, NULL },
  { { "destination-is-zero", no_argument, NULL, OPT_IS_ZERO }, NULL, NULL },
};
enum { NR_OPTIONS = sizeof table / sizeof table[0] };
static const char short_options[] = "C:f:O:pR:T:vV";

static _Noreturn void __attribute__ ((format (printf, 1, 2)))
mistake (const char *fs, ...)
{
  va_list args;

  fputs ("zerocp: ", stderr);
  va_start (args, fs);
  vfprintf (stderr, fs, args);
  va_end (args);
  fputs ("\nTry zerocp --help.\n", stderr);
  exit (EXIT_USAGE);
}

static _Noreturn void
help (void)
{
  puts ("usage: zerocp [OPTION]... SRC DST\n"
        "\n"
        "Copies a disk image, without reading holes or writing zeroes that are there already.  SRC and\n"
        "DST are image files, block devices, NBD URIs (nbd://HOST/EXPORT, nbd+unix:///EXPORT?socket=PATH),\n"
        "- (a pipe), or a server to start: [ qemu-nbd ... ] or [ nbdkit ... ].\n");
  for (size_t i = 0; i < NR_OPTIONS; i++) {
    const int c = table[i].o.val;
    char left[64];

    if (table[i].text == NULL)
      continue;
    snprintf (left, sizeof left, "%c%c%s --%s%s", c < 256 ? '-' : ' ', c < 256 ? c : ' ', c < 256 ? "," : " ",
              table[i].o.name, table[i].argument);
    printf ("  %-30s %s\n", left, table[i].text);
  }
  exit (fflush (stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* A number from 1 to MAX; with SUFFIX also as 64K, 1M. */
static unsigned
number (const char *name, const char *s, unsigned long max, bool suffix)
{
  unsigned long n;
  char *end;

  errno = 0;
  n = strtoul (s, &end, 10);
  if (suffix && end != s && (*end == 'K' || *end == 'k' || *end == 'M') && end[1] == '\0') {
    n = n <= max ? n * (*end == 'M' ? 1 << 20 : 1 << 10) : n;
    end++;
  }
  if (end == s || *end != '\0' || errno != 0 || s[0] == '-' || n < 1 || n > max)
    mistake ("--%s: \"%s\" is no number from 1 to %lu", name, s, max);
  return (unsigned) n;
}

static void
set_progress (struct options *o, const char *fd)
{
  o->progress = true;
  o->progress_fd = -1;
  if (fd == NULL)
    return;
  o->progress_fd = (int) number ("progress", fd, INT_MAX, false);
  if (fcntl (o->progress_fd, F_GETFD) == -1)
    mistake ("--progress: descriptor %s is not open", fd);
}

static void
set_must_be (struct options *o, const char *what)
{
  if (strcmp (what, "zero") != 0 && strcmp (what, "any") != 0)
    mistake ("--target-must-be: zero or any, not \"%s\"", what);
  o->copy.must_be_zero = strcmp (what, "zero") == 0;
}

static void
set_option (struct options *o, int c)
{
  switch (c) {
  case OPT_ALLOCATED: o->copy.allocated = true; break;
  case 'C': o->copy.connections = number ("connections", optarg, MAX_LANES, false); break;
  case OPT_FLUSH: o->copy.flush = true; break;
  case 'f': o->place[0].format = optarg; break;
  case 'O': o->place[1].format = optarg; break;
  case OPT_JSON: o->json = true; break;
  case 'p': set_progress (o, optarg); break;
  case 'R': o->copy.requests = number ("requests", optarg, MAX_REQUESTS, false); break;
  case OPT_REQUEST_SIZE: o->copy.request_size = number ("request-size", optarg, MAX_REQUEST, true); break;
  case OPT_SYNCHRONOUS: o->copy.synchronous = true; break;
  case OPT_MUST_BE: set_must_be (o, optarg); break;
  case OPT_IS_ZERO: o->copy.must_be_zero = true; break;
  case 'T': o->copy.threads = number ("threads", optarg, MAX_THREADS, false); break;
  case OPT_TIMEOUT: o->copy.timeout = number ("timeout", optarg, 1000000, false); break;
  case OPT_VERIFY: o->copy.verify = true; break;
  case 'v': o->verbose = true; break;
  case 'V': puts ("zerocp " PACKAGE_VERSION); exit (EXIT_SUCCESS);
  case OPT_HELP: help ();
  default: mistake ("unknown option or missing argument");
  }
}

/* --- servers in brackets --- */

/* Copy the command line to LEFT without the words from "[" to "]", so that their options are not taken for
 * ours; "[" stays and stands for them.  Returns the number of words left. */
static int
take_commands (int argc, char **argv, char **left, char ***commands, size_t *nr)
{
  int n = 0;

  for (int i = 0; i < argc; i++) {
    left[n++] = argv[i];
    if (i == 0 || strcmp (argv[i], "[") != 0)
      continue;
    if (*nr == 2)
      mistake ("more than two servers in brackets");
    commands[(*nr)++] = &argv[++i];
    while (i < argc && strcmp (argv[i], "]") != 0)
      i++;
    if (i == argc)
      mistake ("the \"]\" that ends the server's command is missing (it must be a word of its own)");
    if (&argv[i] == commands[*nr - 1])
      mistake ("there is no command between \"[\" and \"]\"");
  }
  return n;
}

/* The words up to "]" in a list of their own. */
static char **
command_list (char **words)
{
  size_t n = 0;
  char **list;

  while (strcmp (words[n], "]") != 0)
    n++;
  if ((list = calloc (n + 1, sizeof *list)) == NULL)
    mistake ("out of memory");
  memcpy (list, words, n * sizeof *list);
  return list;
}

static void
set_places (struct options *o, char **names, char ***commands)
{
  size_t next = 0;

  for (size_t i = 0; i < 2; i++) {
    o->place[i].name = names[i];
    if (strcmp (names[i], "[") == 0) {
      o->place[i].command = commands[next++];
      o->place[i].name = o->place[i].command[0];
    }
  }
}

void
options_parse (struct options *o, int argc, char **argv)
{
  struct option options[NR_OPTIONS + 1] = { { 0 } };
  char **words[2] = { NULL }, **commands[2] = { NULL };
  char **left = calloc (argc + 1, sizeof *left);
  size_t nr_commands = 0;
  int c;

  *o = (struct options) { .progress_fd = -1 };
  if (left == NULL)
    mistake ("out of memory");
  argc = take_commands (argc, argv, left, words, &nr_commands);
  for (size_t i = 0; i < NR_OPTIONS; i++)
    options[i] = table[i].o;
  while ((c = getopt_long (argc, left, short_options, options, NULL)) != -1)
    set_option (o, c);
  if (argc - optind != 2)
    mistake (argc - optind < 2 ? "SRC and DST are needed" : "there are more words than SRC and DST");
  for (size_t i = 0; i < nr_commands; i++)
    commands[i] = command_list (words[i]);
  set_places (o, left + optind, commands);
  free (left);
}

void
options_free (struct options *o)
{
  free ((void *) o->place[0].command);
  free ((void *) o->place[1].command);
}
