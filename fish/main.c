/* The shell zerofish: sets the session up, runs it, and ends it cleanly.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fish.h"

static int
add_drive (struct shell *sh, const struct options *o, const struct drive_option *d)
{
  struct zf_add_drive_opts opts = { 0 };

  if (o->readonly) {
    opts.bitmask |= ZF_ADD_DRIVE_OPTS_READONLY;
    opts.readonly = 1;
  }
  if (d->format != NULL) {
    opts.bitmask |= ZF_ADD_DRIVE_OPTS_FORMAT;
    opts.format = (char *) d->format;
  }
  if (d->blocksize != 0) {
    opts.bitmask |= ZF_ADD_DRIVE_OPTS_BLOCKSIZE;
    opts.blocksize = d->blocksize;
  }
  /* Nothing is given back on a drive that is not written. */
  if (d->discard != NULL && !(o->readonly && strcmp (d->discard, "besteffort") == 0)) {
    opts.bitmask |= ZF_ADD_DRIVE_OPTS_DISCARD;
    opts.discard = (char *) d->discard;
  }
  return zf_add_drive (sh->h, d->file, &opts) == 0 ? 0 : shell_lib_error (sh);
}

static int
add_guest (struct shell *sh, const struct options *o, const struct drive_option *d)
{
  struct zf_add_domain_opts opts = {
    .bitmask = ZF_ADD_DOMAIN_OPTS_READONLY | ZF_ADD_DOMAIN_OPTS_ALLOWUUID,
    .readonly = o->readonly, .allowuuid = 1,
  };

  if (o->connect != NULL) {
    opts.bitmask |= ZF_ADD_DOMAIN_OPTS_LIBVIRTURI;
    opts.libvirturi = (char *) o->connect;
  }
  if (d->discard != NULL) {
    opts.bitmask |= ZF_ADD_DOMAIN_OPTS_DISCARD;
    opts.discard = (char *) d->discard;
  }
  return zf_add_domain (sh->h, d->file, &opts) != -1 ? 0 : shell_lib_error (sh);
}

/* Run a command of the table by name, as if typed. */
static int
run_named (struct shell *sh, const char *name, const char *const *args)
{
  struct word w[5] = { { .s = (char *) name } };
  struct found f;
  size_t n = 1;

  if (!command_find (name, false, &f, NULL))
    return shell_error (sh, "-m with mount options or a filesystem type: not available yet in this version");
  for (; *args != NULL; args++)
    w[n++] = (struct word) { .s = (char *) *args, .quoted = true };
  return run_words (sh, w, n);
}

/* Cut the next field of *SPEC at ':'; "" at the end. */
static char *
cut_field (char **spec)
{
  char *field = *spec, *colon = strchr (field, ':');

  if (colon != NULL) {
    *colon = '\0';
    *spec = colon + 1;
  }
  else
    *spec = field + strlen (field);
  return field;
}

/* DEV[:MNT[:OPTS[:FSTYPE]]], where DEV may be btrfsvol:DEVICE/VOLUME. */
static int
mount_one (struct shell *sh, bool readonly, const char *text)
{
  char *copy = xstrdup (text), *spec = copy, *dev, *mnt, *opts, *fstype;
  int r;

  dev = cut_field (&spec);
  if (strcmp (dev, "btrfsvol") == 0 && *spec != '\0') {
    dev[strlen (dev)] = ':';
    cut_field (&spec);
  }
  mnt = cut_field (&spec);
  opts = cut_field (&spec);
  fstype = spec;
  if (*mnt == '\0')
    mnt = (char *) "/";
  if (*opts == '\0' && readonly)
    opts = (char *) "ro";
  if (*fstype != '\0')
    r = run_named (sh, "mount-vfs", (const char *[]) { opts, fstype, dev, mnt, NULL });
  else if (*opts == '\0' || strcmp (opts, "ro") == 0)
    r = run_named (sh, *opts ? "mount-ro" : "mount", (const char *[]) { dev, mnt, NULL });
  else
    r = run_named (sh, "mount-options", (const char *[]) { opts, dev, mnt, NULL });
  free (copy);
  return r;
}

/* A wrong device is the usual mistake: show which there are. */
static void
show_devices (struct shell *sh)
{
  char **list = guest_devices (sh->h);

  if (list != NULL && list[0] != NULL) {
    fputs ("zerofish: the devices are:", stderr);
    for (size_t i = 0; list[i] != NULL; i++)
      fprintf (stderr, " %s", list[i]);
    fputc ('\n', stderr);
  }
  list_free (list);
}

static int
launch_and_mount (struct shell *sh, const struct options *o)
{
  int r;

  progress_begin (sh);
  r = zf_launch (sh->h);
  progress_end ();
  if (r == -1)
    return shell_lib_error (sh);
  for (size_t i = 0; i < o->nr_mounts; i++)
    if (mount_one (sh, o->readonly, o->mounts[i]) == -1) {
      show_devices (sh);
      return -1;
    }
  return 0;
}

static int
run_file (struct shell *sh, const char *name)
{
  int fd, r;

  if (strcmp (name, "-") == 0)
    return run_script (sh, STDIN_FILENO, "stdin");
  if ((fd = open (name, O_RDONLY | O_CLOEXEC | O_NOCTTY)) == -1)
    return shell_error (sh, "%s: %s", name, strerror (errno));
  r = run_script (sh, fd, name);
  close (fd);
  return r;
}

static int
run_session (struct shell *sh, const struct options *o, char **argv, int argc, int ready_fd)
{
  for (size_t i = 0; i < o->nr_drives; i++)
    if ((o->drives[i].guest ? add_guest : add_drive) (sh, o, &o->drives[i]) == -1)
      return -1;
  if (o->nr_mounts > 0 && launch_and_mount (sh, o) == -1)
    return -1;
  if (o->listen)
    return run_listen (sh, ready_fd);
  if (argc > 0)
    return run_argv (sh, argv, argc);
  if (o->script != NULL)
    return run_file (sh, o->script);
  if (isatty (STDIN_FILENO))
    return run_prompt (sh);
  return run_script (sh, STDIN_FILENO, "stdin");
}

static int
set_up (struct shell *sh, const struct options *o)
{
  sh->h = zf_create ();
  if (sh->h == NULL)
    return shell_error (sh, "cannot create a handle: %s", strerror (errno));
  interrupt_init (sh);
  sh->trace = o->trace;
  if ((o->verbose && zf_set_verbose (sh->h, 1) == -1) || (o->trace && zf_set_trace (sh->h, 1) == -1)
      || (o->no_sync && zf_set_autosync (sh->h, 0) == -1))
    return shell_lib_error (sh);
  if (progress_init (sh, !o->listen && !o->no_bars && !o->verbose && !o->trace, o->bars) == -1)
    return shell_lib_error (sh);
  return 0;
}

/* A failure then is a failure of the session. */
int
shell_end (struct shell *sh)
{
  zf_handle *h = sh->h;
  int r = 0;

  if (h == NULL)
    return 0;
  if (zf_is_ready (h) == 1 && zf_shutdown (h) == -1)
    r = shell_lib_error (sh);
  sh->h = NULL;                 /* ^C must not reach a freed handle */
  zf_close (h);
  return r;
}

static int
show_help (struct shell *sh, const char *name)
{
  if (name != NULL)
    return help_command (sh, name, stdout);
  help_list (stdout);
  return 0;
}

/* What does not go together with remote mode, or -f with commands. */
static int
check_options (const struct options *o, int argc)
{
  if (o->script != NULL && o->first < argc)
    return shell_error (NULL, "commands come from -f %s or from the command line, not from both", o->script);
  if (o->listen && (o->remote || o->script != NULL || o->first < argc))
    return shell_error (NULL, "--listen takes no commands: give them afterwards, with zerofish --remote");
  if (o->remote && (o->nr_drives > 0 || o->nr_mounts > 0 || o->readonly))
    return shell_error (NULL, "--remote: disks and mounts belong to the zerofish that listens: give them with "
                        "--listen, or as commands");
  return 0;
}

int
main (int argc, char **argv)
{
  struct shell sh = { .stream.fd = -1 };
  struct options o = { 0 };
  int r, ready_fd = -1;

  setlocale (LC_CTYPE, "");
  r = options_parse (&o, &sh, argc, argv);
  if (r == 0)
    r = check_options (&o, argc);
  if (r == 0 && o.remote) {
    r = run_remote (o.remote_pid, argv + o.first, argc - o.first, o.script) == 0 ? 0 : -1;
    goto out;
  }
  if (r == 0 && o.listen)
    r = listen_fork (o.csh, &ready_fd);
  if (r == 0) {
    if (o.help_command)
      r = show_help (&sh, argv[o.first]);
    else if ((r = set_up (&sh, &o)) == 0)
      r = run_session (&sh, &o, argv + o.first, argc - o.first, ready_fd);
    if (shell_end (&sh) == -1)
      r = -1;
  }
 out:
  options_free (&o);
  if (fflush (stdout) != 0 && errno != EPIPE && r != -1)
    r = shell_error (&sh, "cannot write the output: %s", strerror (errno));
  return r == -1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
