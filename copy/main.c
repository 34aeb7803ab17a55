/* zerocp: copies disk images without reading a hole or writing a zero twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zerocp.h"

static volatile sig_atomic_t interrupted;

static void
on_signal (int sig)
{
  interrupted = sig;
}

static bool
cancelled (void *opaque)
{
  (void) opaque;
  return interrupted != 0;
}

/* The first signal ends the copy in an orderly way, a second one at once. */
static void
catch_signals (void)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_RESETHAND }, old;

  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (sigaction (signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction (signals[i], &sa, NULL);
  signal (SIGPIPE, SIG_IGN);
}

/* Descriptors 0 to 2 must not become images. */
static void
open_standard (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDWR);
  while (fd >= 0 && fd <= 2);
  if (fd > 2)
    close (fd);
}

/* End as the signal would have ended us, so that a shell knows. */
static void
end_by_signal (void)
{
  signal (interrupted, SIG_DFL);
  raise (interrupted);
}

static int
copy (zf_handle *h, struct options *o)
{
  struct copy_stats stats;
  int r, err;

  progress_begin (o);
  r = zfi_copy (h, &o->place[0], &o->place[1], &o->copy, &stats);
  err = zf_last_errno (h);
  progress_end (r == 0);
  if (r == -1)
    fprintf (stderr, "zerocp: %s\n", zf_last_error (h));
  if (o->json && summary_json (o, &stats, r == -1 ? zf_last_error (h) : NULL, err) == -1)
    r = -1;
  if (o->verbose && r == 0)
    summary_text (&stats);
  return r;
}

int
main (int argc, char **argv)
{
  struct options o;
  zf_handle *h;
  int r;

  open_standard ();
  options_parse (&o, argc, argv);
  catch_signals ();
  o.copy.progress = progress_show;
  o.copy.cancelled = cancelled;
  if ((h = zf_create ()) == NULL) {
    fprintf (stderr, "zerocp: %s\n", strerror (errno));
    return EXIT_FAILURE;
  }
  zf_set_verbose (h, o.verbose);
  r = copy (h, &o);
  zf_close (h);
  options_free (&o);
  if (r == -1 && interrupted)
    end_by_signal ();
  return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
