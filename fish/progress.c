/* Progress bars: shown on a terminal once a call takes more than a second, taken away when it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "fish.h"

enum { DELAY_MS = 1000, INTERVAL_MS = 100 };

static int terminal = -1;         /* where bars are drawn, -1: nowhere */
static bool active;               /* a command runs whose progress is to be shown */
static bool drawn;
static unsigned tick;
static int64_t begun, last_draw;  /* milliseconds */
static int64_t first_ms;          /* first report of this phase, and what was done by then */
static uint64_t first_position, last_position, last_total;

static int64_t
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int
columns (void)
{
  struct winsize ws;

  if (ioctl (terminal, TIOCGWINSZ, &ws) == -1 || ws.ws_col == 0)
    return 80;
  return ws.ws_col > 200 ? 200 : ws.ws_col;
}

/* "mm:ss", or "h:mm:ss", always at least five characters. */
static void
eta_text (char *out, size_t size, int64_t eta)
{
  if (eta < 0 || eta > 99 * 3600)
    snprintf (out, size, "--:--");
  else if (eta >= 3600)
    snprintf (out, size, "%" PRIi64 ":%02d:%02d", eta / 3600, (int) (eta / 60 % 60), (int) (eta % 60));
  else
    snprintf (out, size, "%02d:%02d", (int) (eta / 60), (int) (eta % 60));
}

/* Unknown shares get a block that moves to and fro. */
void
progress_text (char *out, size_t size, int width, unsigned ticks, int permille, int64_t eta)
{
  char bar[256], percent[16] = " ---%", left[16];
  int cells = width - 20, filled, at;

  eta_text (left, sizeof left, eta);
  if (permille >= 0)
    snprintf (percent, sizeof percent, "%4d%%", permille / 10);
  if (cells > (int) sizeof bar - 1)
    cells = sizeof bar - 1;
  if (cells < 8) {
    snprintf (out, size, "%c%s %s", "|/-\\"[ticks % 4], percent, left);
    return;
  }
  memset (bar, ' ', cells);
  bar[cells] = '\0';
  if (permille >= 0) {
    filled = (int64_t) cells * permille / 1000;
    memset (bar, '#', filled);
  }
  else {
    at = ticks % (2 * (cells - 4));
    memset (bar + (at < cells - 4 ? at : 2 * (cells - 4) - at), '#', 4);
  }
  snprintf (out, size, "%c%s [%s] %s", "|/-\\"[ticks % 4], percent, bar, left);
}

static void
put (const char *s)
{
  if (write (terminal, s, strlen (s)) == -1)
    terminal = -1;              /* the terminal has gone: no more bars */
}

static void
clear_bar (void)
{
  if (drawn)
    put ("\r\033[K");
  drawn = false;
}

static int64_t
seconds_left (int64_t now, uint64_t position, uint64_t total)
{
  double rate;

  if (now - first_ms < 500 || position <= first_position)
    return -1;
  rate = (double) (position - first_position) / (now - first_ms);
  return (int64_t) ((total - position) / rate / 1000 + 0.5);
}

static void
draw (int64_t now, uint64_t position, uint64_t total)
{
  bool pulse = total == 0 || (position == 0 && total == 1);
  char text[320], line[340];

  progress_text (text, sizeof text, columns (), tick, pulse ? -1 : (int) ((double) position / total * 1000),
                 pulse ? -1 : seconds_left (now, position, total));
  snprintf (line, sizeof line, "\r%s\033[K", text);
  put (line);
  drawn = true;
  last_draw = now;
}

static void
at_progress (zf_handle *h, void *opaque, uint64_t event, int event_handle, const char *buf, size_t buf_len,
             const uint64_t *array, size_t array_len)
{
  uint64_t position, total;
  int64_t now = now_ms ();

  (void) h, (void) opaque, (void) event, (void) event_handle, (void) buf, (void) buf_len;
  if (!active || terminal == -1 || array_len < 4)
    return;
  total = array[3];
  position = array[2] < total ? array[2] : total;
  tick++;
  if (total != last_total || position < last_position || first_ms == 0) {      /* a new phase */
    first_ms = now;
    first_position = position;
  }
  last_total = total;
  last_position = position;
  if (now - begun >= DELAY_MS && now - last_draw >= INTERVAL_MS)
    draw (now, position, total);
}

/* Warnings must not be written into a bar. */
static void
at_warning (zf_handle *h, void *opaque, uint64_t event, int event_handle, const char *buf, size_t buf_len,
            const uint64_t *array, size_t array_len)
{
  (void) h, (void) opaque, (void) event, (void) event_handle, (void) array, (void) array_len;
  while (buf_len > 0 && buf[buf_len - 1] == '\n')
    buf_len--;
  clear_bar ();
  fflush (stdout);
  fprintf (stderr, "zerofish: warning: %.*s\n", (int) buf_len, buf);
}

int
progress_init (struct shell *sh, bool wanted, bool force)
{
  if (zf_set_event_callback (sh->h, at_warning, ZF_EVENT_WARNING, NULL) == -1)
    return -1;
  if (!wanted)
    return 0;
  if (isatty (STDERR_FILENO))
    terminal = STDERR_FILENO;
  else if (force)
    terminal = open ("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY);
  return terminal == -1 ? 0 : zf_set_event_callback (sh->h, at_progress, ZF_EVENT_PROGRESS, NULL);
}

void
progress_begin (struct shell *sh)
{
  active = !sh->in_pipe;        /* the other program may be using the terminal */
  begun = now_ms ();
  first_ms = last_draw = 0;
  last_total = last_position = 0;
  tick = 0;
}

void
progress_end (void)
{
  active = false;
  if (terminal != -1)
    clear_bar ();
}
