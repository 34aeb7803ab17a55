/* ^C: cancels the call that runs, and ends a script.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <signal.h>

#include "fish.h"

static volatile sig_atomic_t count;
static struct shell *session;

/* At a prompt any number of ^C only cancels; elsewhere the second one ends the program in the usual way (the
 * machine ends with it), in case the first could not be obeyed. */
static void
at_interrupt (int sig)
{
  count++;
  if (count > 1 && !session->prompt) {
    signal (sig, SIG_DFL);
    raise (sig);
  }
  if (session->h != NULL)
    zf_user_cancel (session->h);
}

void
interrupt_init (struct shell *sh)
{
  struct sigaction sa = { .sa_handler = at_interrupt }, old;

  session = sh;
  /* No SA_RESTART: a wait for input ends too.  A program started in the background by a shell keeps
   * ignoring it. */
  if (sigaction (SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction (SIGINT, &sa, NULL);
  signal (SIGPIPE, SIG_IGN);
}

void
interrupt_remote (void)
{
  count++;
  if (session->h != NULL)
    zf_user_cancel (session->h);
}

bool
interrupted (void)
{
  return count > 0;
}

void
interrupt_clear (void)
{
  count = 0;
}
