/* The direct backend: qemu started by ourselves, under a supervising child, with QMP over an inherited
 * socket.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launch.h"

enum { GREETING_MS = 20000, QUIT_MS = 10000, FLUSH_MS = 60000 };

struct direct {
  struct zfi_child child;
  struct qmp qmp;
  char *hv;
  bool tools;               /* the tools root is attached */
  bool pausing;             /* it is we who stopped the machine */
  char *nbd;                /* socket of the NBD server, NULL: not started */
};

/* The wait hook of a handle, with a deadline of its own. */
static int
wait_for_qmp (void *opaque, int fd, short events, int64_t deadline_ms)
{
  zf_handle *h = opaque;
  int64_t saved = h->deadline_ms;
  int r;

  zfi_set_deadline (h, saved != 0 && saved < deadline_ms ? saved : deadline_ms);
  r = zfi_wait (h, fd, events);
  zfi_set_deadline (h, saved);
  return r;
}

/* For the end of the machine, which a cancelled call must not cut short. */
static int
wait_plainly (void *opaque, int fd, short events, int64_t deadline_ms)
{
  zf_handle *h = opaque;
  struct pollfd pfd = { .fd = fd, .events = events };

  for (;;) {
    int64_t left = deadline_ms - zfi_now_ms ();
    int r = poll (&pfd, 1, left < 0 ? 0 : left > 100 ? 100 : (int) left);

    zfi_pump_console (h);
    if (r == 1 || (r == -1 && errno != EINTR))
      return r == 1 ? 0 : -1;
    if (left <= 0) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
}

static void
free_direct (struct direct *d)
{
  zfi_child_stop (&d->child);
  qmp_close (&d->qmp);
  free (d->hv);
  free (d->nbd);
  free (d);
}

/* Pairs of sockets: OURS and THEIRS, for channel, QMP and console.  0, or -1 with errno and all closed. */
static int
make_sockets (int ours[QEMU_NR_FDS], int theirs[QEMU_NR_FDS])
{
  int i, sv[2];

  for (i = 0; i < QEMU_NR_FDS; ++i) {
    if (socketpair (AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, sv) == -1) {
      int err = errno;

      while (i-- > 0) {
        close (ours[i]);
        close (theirs[i]);
      }
      errno = err;
      return -1;
    }
    ours[i] = sv[0];
    theirs[i] = sv[1];
  }
  return 0;
}

/* What the user sees of the command line in verbose mode. */
static void
show_argv (zf_handle *h, char *const *argv)
{
  struct buf b = { 0 };
  size_t i;

  for (i = 0; h->verbose && argv[i] != NULL; ++i) {
    bool quote = argv[i][strcspn (argv[i], " '\"\\$")] != '\0';

    if (buf_append (&b, quote ? " '" : " ", quote ? 2 : 1) == -1
        || buf_append (&b, argv[i], strlen (argv[i])) == -1
        || (quote && buf_append (&b, "'", 1) == -1))
      break;
  }
  if (b.len > 0)
    zfi_verbose (h, "emulator:%.*s", (int) b.len, (char *) b.data);
  buf_free (&b);
}

/* Start qemu; our ends of the sockets go to OURS.  0, or -1 with the error set. */
static int
start_qemu (zf_handle *h, struct direct *d, const struct zfi_appliance *a, enum zfi_accel accel,
            int ours[QEMU_NR_FDS])
{
  int theirs[QEMU_NR_FDS + 1], i, r, err;
  size_t nr_fds = QEMU_NR_FDS;
  char **argv;

  if ((d->hv = zfi_find_hv (h)) == NULL)
    return -1;
  argv = zfi_qemu_argv (h, d->hv, a, accel);
  if (argv != NULL && h->restore_fd != -1)
    argv = zfi_qemu_argv_restore (argv);
  if (argv == NULL)
    return zfi_perror (h, errno, "command line of the emulator");
  show_argv (h, argv);
  if (make_sockets (ours, theirs) == -1) {
    zf_free_string_list (argv);
    return zfi_perror (h, errno, "socketpair");
  }
  /* qemu's own messages come out of the console, in their place. */
  if (h->restore_fd != -1)
    theirs[nr_fds++] = h->restore_fd;
  r = zfi_child_start (&d->child, argv, theirs[QEMU_FD_CONSOLE - 3], theirs, nr_fds, h->workdir);
  err = errno;
  for (i = 0; i < QEMU_NR_FDS; ++i) {
    close (theirs[i]);
    if (r == -1)
      close (ours[i]);
  }
  zf_free_string_list (argv);
  if (r == -1)
    return zfi_perror (h, err, "cannot run the emulator %s", d->hv);
  return 0;
}

/* The greeting was not as it should be: say what became of the program. */
static void
greeting_error (zf_handle *h, struct direct *d, const char *text)
{
  int err = errno;
  char how[64];

  if ((err == ECONNRESET || err == EPIPE) && zfi_child_wait (&d->child, zfi_now_ms () + 1000))
    zfi_error (h, EIO, "the emulator %s %s at once", d->hv, zfi_child_how (&d->child, how, sizeof how));
  else if (err == EINTR)
    zfi_perror (h, err, "the emulator %s was starting", d->hv);
  else
    zfi_error (h, err == ECONNRESET || err == EPIPE ? EIO : err, "the emulator %s does not work: %s", d->hv,
               text != NULL ? text : "out of memory");
}

/* All disks of an appliance of libguestfs, then let it run.  0, or -1 with the error set. */
static int
attach_static (zf_handle *h, struct direct *d, const struct zfi_appliance *a)
{
  char *why = NULL;
  int r = 0;

  zfi_drives_opened (h);
  for (size_t i = 0; r == 0 && i < h->nr_drives; i++)
    r = zfi_qemu_add_drive (h, &d->qmp, i);
  if (r == 0)
    r = zfi_qemu_add_stock_root (h, &d->qmp, a->root);
  if (r == 0 && (r = zfi_qemu_cont (&d->qmp, &why)) == -1)
    zfi_error (h, errno, "the machine does not start: %s", why != NULL ? why : "out of memory");
  free (why);
  return r;
}

static int
direct_start (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, void **data, int *channel_fd,
              int *console_fd)
{
  struct direct *d = calloc (1, sizeof *d);
  int ours[QEMU_NR_FDS];
  char *text = NULL;

  if (d == NULL)
    return zfi_perror (h, ENOMEM, "emulator");
  d->child.fd = d->qmp.fd = -1;
  if (start_qemu (h, d, a, accel, ours) == -1) {
    free_direct (d);
    return -1;
  }
  *console_fd = h->console_fd = ours[QEMU_FD_CONSOLE - 3];
  *channel_fd = ours[QEMU_FD_CHANNEL - 3];
  qmp_init (&d->qmp, ours[QEMU_FD_QMP - 3], wait_for_qmp, h);
  if (qmp_open (&d->qmp, zfi_now_ms () + GREETING_MS, &text) == -1) {
    greeting_error (h, d, text);
    free (text);
    zfi_pump_console (h);
    close (*channel_fd);
    *channel_fd = -1;
    free_direct (d);
    return -1;
  }
  *data = d;
  if (a->stock) {
    d->pausing = true;
    if (attach_static (h, d, a) == -1) {
      close (*channel_fd);
      *channel_fd = -1;
      return -1;
    }
    d->pausing = false;
  }
  return 0;
}

static int
direct_add_drive (zf_handle *h, void *data, size_t index)
{
  struct direct *d = data;

  return zfi_qemu_add_drive (h, &d->qmp, index);
}

static int
direct_add_tools (zf_handle *h, void *data, const char *root)
{
  struct direct *d = data;

  /* The daemon may not have been able to use it the first time. */
  if (!d->tools && zfi_qemu_add_tools (h, &d->qmp, root) == -1)
    return -1;
  d->tools = true;
  return 0;
}

static int
direct_save (zf_handle *h, void *data, int fd, bool *running, char **why)
{
  struct direct *d = data;

  int r;

  (void) h;
  d->pausing = true;
  r = zfi_qemu_save (&d->qmp, fd, running, why);
  d->pausing = false;
  return r;
}

static int
direct_resume (zf_handle *h, void *data, char **why)
{
  struct direct *d = data;

  int r;

  (void) h;
  d->pausing = true;
  r = zfi_qemu_resume (&d->qmp, why);
  d->pausing = false;
  return r;
}

static char *
direct_export_drive (zf_handle *h, void *data, size_t index, char name[32], bool *backed)
{
  struct direct *d = data;
  char *path;
  int r;

  if (d->nbd == NULL && (d->nbd = zfi_qemu_start_nbd (h, &d->qmp)) == NULL)
    return NULL;
  snprintf (name, 32, "drive%zu", index);
  if ((r = zfi_qemu_export (h, &d->qmp, name)) == -1)
    return NULL;
  *backed = r;
  if ((path = strdup (d->nbd)) == NULL)
    zfi_perror (h, ENOMEM, "NBD server");
  return path;
}

static int __attribute__ ((format (printf, 2, 3)))
set_why (char **why, const char *fs, ...)
{
  va_list ap;

  va_start (ap, fs);
  if (vasprintf (why, fs, ap) == -1)
    *why = NULL;
  va_end (ap);
  return -1;
}

static int
direct_check (zf_handle *h, void *data, char **why)
{
  struct direct *d = data;
  char how[64];

  (void) h;
  if (d == NULL)
    return 0;
  qmp_look (&d->qmp);
  if (d->qmp.panicked)
    return set_why (why, "the appliance's kernel panicked");
  if (zfi_child_ended (&d->child))
    return set_why (why, "the emulator %s %s%s", d->hv, zfi_child_how (&d->child, how, sizeof how),
                    d->qmp.shutdown ? " after the appliance had shut down or panicked" : "");
  if (d->qmp.stopped && !d->pausing)
    return set_why (why, "the emulator %s has stopped the machine (status: %s)", d->hv,
                    d->qmp.status[0] != '\0' ? d->qmp.status : "unknown");
  return 0;
}

static int
direct_stop (zf_handle *h, void *data, bool force)
{
  struct direct *d = data;
  char *text = NULL, how[64];
  int r = 0;

  if (!force && d->child.owner == getpid ()) {
    d->qmp.wait = wait_plainly;
    qmp_command (&d->qmp, "quit", NULL, NULL, zfi_now_ms () + QUIT_MS, &text);
    free (text);
    if (!zfi_child_wait (&d->child, zfi_now_ms () + FLUSH_MS))
      r = zfi_error (h, ETIMEDOUT, "the emulator did not end within %d seconds and was killed: "
                     "what was written last may be missing from the images", FLUSH_MS / 1000);
    else if (d->child.status != 0)
      r = zfi_error (h, EIO, "the emulator %s: what was written last may be missing from the images",
                     zfi_child_how (&d->child, how, sizeof how));
  }
  free_direct (d);
  return r;
}

static pid_t
direct_pid (void *data)
{
  struct direct *d = data;

  return d != NULL ? d->child.pid : 0;
}

const struct zf_backend zfi_backend_direct = {
  .name = "direct",
  .hotplug = true,
  .stock = true,
  .start = direct_start,
  .add_drive = direct_add_drive,
  .add_tools = direct_add_tools,
  .save = direct_save,
  .resume = direct_resume,
  .export_drive = direct_export_drive,
  .check = direct_check,
  .stop = direct_stop,
  .pid = direct_pid,
};
