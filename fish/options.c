/* The command line: one table of options, from which parsing and --help are made.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "fish.h"

enum { O_BARS = 256, O_NO_BARS, O_FORMAT, O_BLOCKSIZE, O_DISCARD, O_HELP, O_NO_DEST_PATHS, O_PIPE_ERROR,
       O_KEYS_STDIN, O_ECHO_KEYS, O_SELINUX, O_LIST, O_LISTEN, O_REMOTE, O_CSH, O_LATER };

struct row {
  const char *name;
  int key;                  /* a letter, or O_... */
  int has_arg;
  const char *arg;          /* as help shows it */
  const char *help;         /* NULL: not shown */
};

static const struct row rows[] = {
  { "add", 'a', required_argument, "FILE|URI", "add a disk image, a block device or nbd://..." },
  { "format", O_FORMAT, optional_argument, "[=FORMAT]",
    "format of the -a that follow; alone: detect it again" },
  { "blocksize", O_BLOCKSIZE, optional_argument, "[=512|4096]",
    "sector size of the -a that follow; alone: the usual one" },
  { "discard", O_DISCARD, optional_argument, "[=MODE]",
    "zeroing gives space back for the -a that follow: besteffort (alone), enable, disable" },
  { "domain", 'd', required_argument, "GUEST", "add the disks of a libvirt guest (name or UUID)" },
  { "connect", 'c', required_argument, "URI", "where libvirt guests are (for -d)" },
  { "ro", 'r', no_argument, NULL, "add and mount read-only: the images are never written" },
  { "rw", 'w', no_argument, NULL, "add and mount for writing (the default)" },
  { "mount", 'm', required_argument, "DEV[:MNT[:OPTS[:FSTYPE]]]",
    "launch, and mount DEV on MNT (on / if not given)" },
  { "file", 'f', required_argument, "FILE", "read commands from FILE" },
  { "no-sync", 'n', no_argument, NULL, "do not flush the disks at the end" },
  { "cmd-help", 'h', no_argument, "[CMD]", "list the commands, or explain one" },
  { "progress-bars", O_BARS, no_argument, NULL,
    "show bars on the terminal even if standard error is elsewhere" },
  { "no-progress-bars", O_NO_BARS, no_argument, NULL, "never show progress bars" },
  { "no-dest-paths", O_NO_DEST_PATHS, no_argument, NULL, "do not complete file names of the appliance" },
  { "pipe-error", O_PIPE_ERROR, no_argument, NULL, "a command fails if its pipe cannot take the output" },
  { "keys-from-stdin", O_KEYS_STDIN, no_argument, NULL, "read keys from standard input" },
  { "echo-keys", O_ECHO_KEYS, no_argument, NULL, "show keys while they are typed" },
  { "listen", O_LISTEN, no_argument, NULL, "go on in the background, for commands given with --remote" },
  { "remote", O_REMOTE, optional_argument, "[=PID]", "run the commands in a zerofish that listens" },
  { "csh", O_CSH, no_argument, NULL, "--listen prints its number for a C shell" },
  { NULL, 'x', no_argument, NULL, "print each command, and trace the calls of the library" },
  { "verbose", 'v', no_argument, NULL, "print what the library and the appliance do" },
  { "version", 'V', no_argument, NULL, "print the version" },
  { "help", O_HELP, no_argument, NULL, "print this text" },
  { "list", O_LIST, no_argument, NULL, NULL },        /* as in "help --list" */
  /* Options of guestfish that mean something there; they are refused, not unknown. */
  { "selinux", O_SELINUX, no_argument, NULL, NULL },
  { "inspector", 'i', no_argument, NULL, NULL },
  { "new", 'N', required_argument, NULL, NULL },
  { "key", O_LATER, required_argument, NULL, NULL },
  { "network", O_LATER, no_argument, NULL, NULL },
};
enum { NR_ROWS = sizeof rows / sizeof rows[0] };

static void
print_usage (void)
{
  char left[64];

  printf ("Usage: zerofish [OPTION...] [COMMAND [ARGUMENT...] [: COMMAND...]]\n"
          "Zero, check and edit disk images in a small appliance.  Without commands, they come\n"
          "from a script (-f), from standard input, or from a prompt.\n\n");
  for (size_t i = 0; i < NR_ROWS; i++) {
    const struct row *r = &rows[i];

    if (r->help == NULL)
      continue;
    snprintf (left, sizeof left, "%c%c%s%s%s%s%s", r->key < 256 ? '-' : ' ', r->key < 256 ? r->key : ' ',
              r->name == NULL ? "" : r->key < 256 ? ", --" : "  --", r->name ? r->name : "",
              r->arg && r->arg[0] != '[' ? " " : "", r->key == 'h' ? " " : "", r->arg ? r->arg : "");
    if (strlen (left) > 26)
      printf ("  %s\n  %26s  %s\n", left, "", r->help);
    else
      printf ("  %-26s  %s\n", left, r->help);
  }
  printf ("\nExamples:\n"
          "  zerofish -a disk.img run : zero-device /dev/sda\n"
          "  zerofish --ro -a disk.qcow2 -m /dev/sda1 is-zero /var/big.file\n"
          "\nzerofish(1) describes all of it.\n");
}

/* Fill in what getopt wants. */
static void
make_tables (char *shorts, struct option *longs)
{
  for (size_t i = 0; i < NR_ROWS; i++) {
    if (rows[i].key < 256) {
      *shorts++ = rows[i].key;
      if (rows[i].has_arg == required_argument)
        *shorts++ = ':';
    }
    if (rows[i].name != NULL)
      *longs++ = (struct option) { rows[i].name, rows[i].has_arg, NULL, rows[i].key };
  }
  *shorts = '\0';
  *longs = (struct option) { 0 };
}

static int
not_yet (const char *option, const char *hint)
{
  return shell_error (NULL, "%s: not available yet in this version%s", option, hint);
}

static int
later (int key, const char *name)
{
  switch (key) {
  case 'i': return not_yet ("-i", "; mount the filesystem with -m DEVICE");
  case 'N': return not_yet ("-N", "; create an image with the commands 'sparse', 'part-disk' and 'mkfs'");
  }
  shell_error (NULL, "--%s: not available yet in this version", name);
  return -1;
}

static int
set_blocksize (int *blocksize, const char *arg)
{
  *blocksize = 0;
  if (arg == NULL)
    return 0;
  if (strcmp (arg, "512") != 0 && strcmp (arg, "4096") != 0)
    return shell_error (NULL, "--blocksize=%s: expected 512 or 4096", arg);
  *blocksize = atoi (arg);
  return 0;
}

static int
set_discard (const char **discard, const char *arg)
{
  *discard = arg != NULL ? arg : "besteffort";
  if (strcmp (*discard, "enable") != 0 && strcmp (*discard, "disable") != 0
      && strcmp (*discard, "besteffort") != 0)
    return shell_error (NULL, "--discard=%s: expected enable, disable or besteffort", arg);
  return 0;
}

static void
append_drive (struct options *o, const struct drive_option *d, const char *file, bool guest)
{
  o->drives = xrealloc (o->drives, (o->nr_drives + 1) * sizeof *o->drives);
  o->drives[o->nr_drives] = *d;
  o->drives[o->nr_drives].guest = guest;
  o->drives[o->nr_drives++].file = file;
}

static void
append_mount (struct options *o, const char *mount)
{
  o->mounts = xrealloc (o->mounts, (o->nr_mounts + 1) * sizeof *o->mounts);
  o->mounts[o->nr_mounts++] = mount;
}

/* An option with a value; NEXT is what the next -a gets. */
static int
set_value (struct options *o, struct drive_option *next, int key, const char *arg)
{
  switch (key) {
  case 'a': append_drive (o, next, arg, false); return 0;
  case 'd': append_drive (o, next, arg, true); return 0;
  case 'c': o->connect = arg; return 0;
  case 'm': append_mount (o, arg); return 0;
  case 'f': o->script = arg; return 0;
  case O_FORMAT: next->format = arg; return 0;
  case O_REMOTE: o->remote = true; o->remote_pid = arg; return 0;
  case O_BLOCKSIZE: return set_blocksize (&next->blocksize, arg);
  default: return set_discard (&next->discard, arg);
  }
}

/* An option that is on or off; 1: it ends the program. */
static int
set_flag (struct options *o, struct shell *sh, int key)
{
  switch (key) {
  case 'r': o->readonly = true; break;
  case 'w': o->readonly = false; break;
  case 'n': o->no_sync = true; break;
  case 'h': o->help_command = true; break;
  case 'x': o->trace = true; break;
  case 'v': o->verbose = true; break;
  case O_BARS: o->bars = true; o->no_bars = false; break;
  case O_NO_BARS: o->bars = false; o->no_bars = true; break;
  case O_NO_DEST_PATHS: sh->no_dest_paths = true; break;
  case O_PIPE_ERROR: sh->pipe_error = true; break;
  case O_KEYS_STDIN: sh->keys_from_stdin = true; break;
  case O_ECHO_KEYS: sh->echo_keys = true; break;
  case O_LISTEN: o->listen = true; break;
  case O_CSH: o->csh = true; break;
  case O_HELP: print_usage (); return 1;
  case O_LIST: help_list (stdout); return 1;
  case 'V': printf ("zerofish %s\n", PACKAGE_VERSION); return 1;
  }
  return 0;
}

static bool
is_one_of (int key, const char *letters)
{
  return key < 256 && strchr (letters, key) != NULL;
}

int
options_parse (struct options *o, struct shell *sh, int argc, char **argv)
{
  struct option longs[NR_ROWS + 1];
  struct drive_option next = { 0 };
  char shorts[2 * NR_ROWS + 1];
  int key, index = 0, r = 0;

  make_tables (shorts, longs);
  argv[0] = (char *) "zerofish";        /* in getopt's messages, however we were called */
  while (r == 0 && (key = getopt_long (argc, argv, shorts, longs, &index)) != -1) {
    if (key == '?') {
      fputs ("Try 'zerofish --help' for more information.  "
             "Before commands with words that begin with '-' put '--'.\n", stderr);
      return -1;
    }
    if (is_one_of (key, "iN") || key == O_LATER)
      return later (key, longs[index].name);
    r = is_one_of (key, "amfdc") || key == O_FORMAT || key == O_BLOCKSIZE || key == O_DISCARD || key == O_REMOTE
      ? set_value (o, &next, key, optarg) : set_flag (o, sh, key);
  }
  o->first = optind;
  return r;
}

void
options_free (struct options *o)
{
  free (o->drives);
  free (o->mounts);
}
