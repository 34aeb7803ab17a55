/* From a configured handle to a ready appliance and back: launch, shutdown, and a machine that is lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "launch.h"
#include "private-actions.h"

enum {
  READY_MS = 120000,        /* from starting the emulator to the daemon's first word, software emulation */
  READY_KVM_MS = 60000,
  HELLO_MS = 60000,
  RESTORED_MS = 15000,      /* for the first answer of a restored machine; then it is booted instead */
  DISK_MS = 60000,          /* for a disk to appear; what the daemon waits for is a little less */
  AUTOSYNC_MS = 300000,
  CONSOLE_LINES = 12
};

/* Steps for the launch progress event; the shell may draw a bar. */
enum { STEP_BEGIN, STEP_APPLIANCE, STEP_STARTED, STEP_READY = 9, STEP_DISKS = 11, STEP_DONE = 12 };

static void
progress (zf_handle *h, unsigned step)
{
  const uint64_t array[4] = { 0, 0, step, STEP_DONE };

  zfi_event (h, ZF_EVENT_PROGRESS, NULL, 0, array, 4);
}

static void
set_state (zf_handle *h, enum zf_state state)
{
  pthread_mutex_lock (&h->state_lock);
  h->state = state;
  pthread_mutex_unlock (&h->state_lock);
}

/* --- taking a machine down --- */

/* End the machine, if there is one, and forget everything about it but the end of its console. */
static int
take_down (zf_handle *h, bool force)
{
  int r = 0;

  zfi_set_deadline (h, 0);
  if (h->backend != NULL && h->backend_data != NULL)
    r = h->backend->stop (h, h->backend_data, force);
  h->backend_data = NULL;
  h->backend = NULL;
  if (h->conn != NULL) {
    close (h->conn->fd);
    free (h->conn);
    h->conn = NULL;
  }
  zfi_pump_console (h);
  if (h->console_fd != -1)
    close (h->console_fd);
  h->console_fd = -1;
  if (h->launcher == getpid ()) {
    zfi_drives_closed (h);
    zfi_workdir_remove (h->workdir);
  }
  free (h->workdir);
  h->workdir = NULL;
  zfi_appliance_free (h->appliance);
  h->appliance = NULL;
  h->tools_attached = false;
  h->daemon_version = 0;
  zfi_extents_free (h->extents);
  h->extents = NULL;
  return r;
}

void
zfi_machine_lost (zf_handle *h)
{
  enum zf_state state = h->state;
  struct zfi_saved_error saved;

  if (state == ZF_STATE_CONFIG)
    return;
  /* The message about what happened is worth more than one about cleaning up. */
  saved = zfi_take_error (h);
  take_down (h, true);
  zfi_put_error (h, saved);
  set_state (h, ZF_STATE_CONFIG);
  /* A launch that failed can be tried again with the same drives. */
  if (state != ZF_STATE_READY)
    return;
  zfi_drives_forget (h);
  zfi_event (h, ZF_EVENT_SUBPROCESS_QUIT, NULL, 0, NULL, 0);
}

/* --- launching --- */

/* The connection failed while the appliance was starting: errno says how. */
static int
starting_error (zf_handle *h, int limit_ms)
{
  int err = errno;

  if (err == ECONNRESET || err == EPIPE) {
    char *why = NULL;

    /* The emulator may take a moment to be seen as ended. */
    if (h->lost_why == NULL && h->backend->check != NULL) {
      int64_t until = zfi_now_ms () + 500;

      while (h->backend->check (h, h->backend_data, &why) == 0 && zfi_now_ms () < until)
        usleep (10000);
    }
    zfi_error (h, EIO, "the appliance ended before it was ready: %s",
               h->lost_why != NULL ? h->lost_why : why != NULL ? why : "its connection was closed");
    free (why);
  }
  else if (err == ETIMEDOUT)
    zfi_error (h, err, "the appliance was not ready within %d seconds", limit_ms / 1000);
  else if (err == EINTR)
    zfi_error (h, err, "cancelled");
  else
    zfi_perror (h, err, "the appliance was starting");
  return -1;
}

/* Wait for the launch flag; only progress may come before it. */
static int
wait_ready (zf_handle *h, int limit_ms)
{
  unsigned char skip[ZF_PROGRESS_SIZE];
  uint32_t word;

  zfi_set_deadline (h, zfi_now_ms () + limit_ms);
  for (;;) {
    if (conn_read_word (h->conn, &word) == -1)
      return starting_error (h, limit_ms);
    if (word == ZF_LAUNCH_FLAG)
      return 0;
    if (word != ZF_PROGRESS_FLAG)
      return zfi_error (h, EPROTO, "protocol error: the appliance began with 0x%08x", (unsigned) word);
    if (conn_read (h->conn, skip, sizeof skip) == -1)
      return starting_error (h, limit_ms);
  }
}

/* Larger chunks of files are faster.  A daemon that does not know the call keeps to the usual size. */
static int
agree_on_chunks (zf_handle *h)
{
  int size = zfi_internal_set_chunk (h, ZF_CHUNK_AGREED_MAX);

  if (size == -1 && (zf_last_errno (h) != ENOTSUP || h->conn == NULL))
    return -1;
  if (size == -1) {
    zfi_clear_error (h);
    return 0;
  }
  if (size < ZF_CHUNK_MAX || size > ZF_CHUNK_AGREED_MAX || size % 4 != 0)
    return zfi_error (h, EPROTO, "protocol error: the appliance wants chunks of %d bytes", size);
  h->chunk_max = size;
  return 0;
}

/* Give the guest the time and randomness: a restored guest has stale ones, a fresh one hardly any. */
static int
hello (zf_handle *h, int limit_ms)
{
  struct timespec now;
  char seed[64];
  int version;

  h->chunk_max = 0;
  clock_gettime (CLOCK_REALTIME, &now);
  if (getrandom (seed, sizeof seed, 0) != sizeof seed)
    return zfi_perror (h, errno, "getrandom");
  zfi_set_deadline (h, zfi_now_ms () + limit_ms);
  version = zfi_internal_hello (h, now.tv_sec, now.tv_nsec, seed, sizeof seed);
  explicit_bzero (seed, sizeof seed);
  if (version == -1)
    return -1;
  h->daemon_version = version;
  return agree_on_chunks (h);
}

/* One disk after the other: only so do they keep their order.  *BOOTED is false if the emulator refused a
 * drive: that has nothing to do with the guest. */
static int
add_drives (zf_handle *h, bool *booted)
{
  size_t i;

  zfi_drives_opened (h);
  for (i = 0; i < h->nr_drives; ++i) {
    const struct zf_drive *d = h->drives[i];
    char *name;

    zfi_set_deadline (h, zfi_now_ms () + DISK_MS);
    if (h->backend->add_drive != NULL && h->backend->add_drive (h, h->backend_data, i) == -1) {
      *booted = false;
      return -1;
    }
    zfi_set_deadline (h, zfi_now_ms () + DISK_MS);
    name = zfi_internal_add_disk (h, (int) i, 0, DISK_MS - 10000, d->readonly, zfi_drive_discards (d),
                                  zfi_drive_punches (d), d->cluster);
    if (name == NULL)
      return -1;
    zfi_verbose (h, "drive %zu is %s: %s", i, name, d->uri != NULL ? d->uri : d->path);
    free (name);
  }
  return 0;
}

/* Let the machine go on from its state, while its contents are being read again: nothing runs before they are
 * known to be good. */
static int
go_on (zf_handle *h, const struct zfi_template *t)
{
  char *why = NULL;
  int r;

  if (!zfi_template_intact (t))
    return zfi_error (h, EIO, "%s is damaged", t->entry);
  if ((r = h->backend->resume (h, h->backend_data, &why)) == -1 && errno == EINTR)
    zfi_error (h, EINTR, "cancelled");
  else if (r == -1)
    zfi_error (h, errno, "the template could not be loaded: %s", why != NULL ? why : "no memory");
  free (why);
  return r;
}

/* Start the machine and wait until its daemon answers.  T (or NULL): what it goes on from, if that is open, or
 * else what is made of it once it has come up.  *BOOTED: the emulator was started at least. */
static int
start_machine (zf_handle *h, enum zfi_accel accel, struct zfi_template *t, bool *booted)
{
  int limit = accel == ACCEL_KVM ? READY_KVM_MS : READY_MS;
  bool restore = t != NULL && t->fd != -1;
  int channel = -1, console = -1, r;

  h->restore_fd = restore ? t->fd : -1;
  r = h->backend->start (h, h->appliance, accel, &h->backend_data, &channel, &console);
  h->restore_fd = -1;
  *booted = r == 0 || console != -1;
  if (r == -1)
    return -1;
  progress (h, STEP_STARTED);
  if ((h->conn = zfi_conn_new (h, channel)) == NULL) {
    close (channel);
    return -1;
  }
  if ((restore ? go_on (h, t) : wait_ready (h, limit)) == -1)
    return -1;
  if (!restore && t != NULL && zfi_template_make (h, t) == -1)
    return -1;
  progress (h, STEP_READY);
  if (h->appliance != NULL && h->appliance->stock) {    /* it does not know this call */
    h->chunk_max = 0;
    h->tools_attached = true;
    return 0;
  }
  if (hello (h, restore ? RESTORED_MS : HELLO_MS) == -1) {
    /* Somebody else's daemon does not know this call, and needs nothing of it. */
    if (!h->backend->external || zf_last_errno (h) == ECONNRESET || zf_last_errno (h) == EPROTO)
      return -1;
    zfi_clear_error (h);
  }
  return 0;
}

/* Which accelerator; a verbose line says why it is not KVM.  -1: KVM was demanded and cannot be had. */
static int
pick_accel (zf_handle *h, enum zfi_accel *accel)
{
  bool forced = zfi_backend_setting (h, "force_kvm");
  char *reason = NULL;
  int r = 0;

  if (forced && zfi_backend_setting (h, "force_tcg"))
    return zfi_error (h, EINVAL, "the backend settings force_kvm and force_tcg exclude each other");
  *accel = zfi_probe_accel (h, &reason);
  if (*accel == ACCEL_TCG && forced)
    r = zfi_error (h, ENODEV, "KVM was demanded (backend setting force_kvm) but cannot be used: %s", reason);
  else if (reason != NULL)
    zfi_notice (h, "KVM is not used: %s (the backend setting force_tcg skips this test)", reason);
  zfi_verbose (h, "backend: %s, accelerator: %s", h->backend->name, *accel == ACCEL_KVM ? "kvm" : "tcg");
  free (reason);
  return r;
}

/* The machine did not start: clear up for another attempt with BACKEND.  0, or -1 with the error set. */
static int
start_over (zf_handle *h, const struct zf_backend *backend)
{
  take_down (h, true);
  free (h->lost_why);
  h->lost_why = NULL;
  h->backend = backend;
  return (h->appliance = zfi_appliance_get (h)) == NULL ? -1 : 0;
}

/* The machine, and its drives where they are attached to a running one. */
static int
start_complete (zf_handle *h, enum zfi_accel accel, struct zfi_template *t, bool *booted)
{
  if ((h->workdir = zfi_workdir_create (h)) == NULL || start_machine (h, accel, t, booted) == -1)
    return -1;
  return h->backend->hotplug && !h->appliance->stock ? add_drives (h, booted) : 0;
}

/* From the template T if there is one, else by booting; then T may be made. */
static int
start_from (zf_handle *h, enum zfi_accel accel, struct zfi_template *t, bool *booted)
{
  const struct zf_backend *backend = h->backend;
  char *cause;

  if (t->fd != -1)
    zfi_verbose (h, "going on from the template %s", t->entry);
  if (start_complete (h, accel, t, booted) == 0) {
    if (t->fd != -1)
      zfi_template_used (t);
    return 0;
  }
  /* Not where it was cancelled, a drive was refused, or the template had nothing to do with it. */
  if (zf_last_errno (h) == EINTR || !*booted || (t->fd == -1 && !t->spoilt))
    return -1;
  cause = zfi_take_error (h).msg;
  zfi_verbose (h, "the template is of no use: %s; booting instead", cause != NULL ? cause : "it failed");
  free (cause);
  zfi_template_discard (t);
  if (t->fd != -1)
    close (t->fd);
  t->fd = -1;
  return start_over (h, backend) == -1 ? -1 : start_complete (h, accel, t->spoilt ? NULL : t, booted);
}

static int
start_with (zf_handle *h, enum zfi_accel accel, bool *booted)
{
  struct zfi_template t;
  int r;

  if (h->backend->save == NULL || h->appliance->stock || zfi_backend_setting_is (h, "template", "off"))
    return start_complete (h, accel, NULL, booted);
  zfi_template_open (h, h->appliance, accel, &t);
  r = start_from (h, accel, &t, booted);
  zfi_template_close (&t);
  return r;
}

/* The whole of it for a machine of ours. */
static int
launch_own (zf_handle *h, bool *booted)
{
  const struct zf_backend *backend = h->backend;
  enum zfi_accel accel = ACCEL_TCG;
  char *cause;

  if (pick_accel (h, &accel) == -1 || (h->appliance = zfi_appliance_get (h)) == NULL)
    return -1;
  if (h->appliance->stock && !h->backend->stock)
    return zfi_error (h, ENOTSUP, "an appliance of libguestfs (%s) needs the backend 'direct'",
                      h->appliance->dir);
  progress (h, STEP_APPLIANCE);
  if (start_with (h, accel, booted) == -1) {
    if (accel != ACCEL_KVM || !*booted || zfi_backend_setting (h, "force_kvm") || zf_last_errno (h) == EINTR)
      return -1;
    cause = zfi_take_error (h).msg;
    zfi_warning (h, "%s; trying again with software emulation instead of KVM",
                 cause != NULL ? cause : "it failed");
    free (cause);
    if (start_over (h, backend) == -1 || start_with (h, ACCEL_TCG, booted) == -1)
      return -1;
  }
  return 0;
}

/* Add to the error what a user needs to go on: the end of the console, and what to do. */
static void
explain_failure (zf_handle *h)
{
  static const char more[] = "\nto see more, use verbose mode (-v in the shell, zf_set_verbose)";
  struct zfi_saved_error e = zfi_take_error (h);
  char *lines = zfi_console_lines (h, CONSOLE_LINES), *msg;
  bool any = lines != NULL && lines[0] != '\0';

  if (e.msg != NULL && e.err != EINTR
      && asprintf (&msg, "%s%s%s%s", e.msg, any ? "\nthe last lines of the appliance's console were:\n" : "",
                   any ? lines : "",
                   h->verbose ? "" : more) != -1) {
    free (e.msg);
    e.msg = msg;
  }
  free (lines);
  zfi_put_error (h, e);
}

static int
check_drives (zf_handle *h)
{
  if (h->backend->external && h->nr_drives > 0)
    return zfi_error (h, ENOTSUP, "drives cannot be added to a daemon that already runs (backend %s)",
                      h->backend_name);
  if (h->backend->external)
    return 0;
  if (h->nr_drives == 0)
    return zfi_error (h, EINVAL, "there is no drive: add one first (/dev/null gives a small scratch disk)");
  if (h->nr_drives > MAX_USER_DRIVES)
    return zfi_error (h, EINVAL, "%zu drives are too many: at most %d can be attached", h->nr_drives,
                      MAX_USER_DRIVES);
  return 0;
}

int
zfi_launch (zf_handle *h)
{
  bool booted = false;
  int r;

  if ((h->backend = zfi_backend_find (h, h->backend_name, NULL)) == NULL)
    return -1;
  if (check_drives (h) == -1) {
    h->backend = NULL;
    return -1;
  }
  h->console_tail.len = 0;
  free (h->lost_why);
  h->lost_why = NULL;
  h->launcher = getpid ();
  set_state (h, ZF_STATE_LAUNCHING);
  progress (h, STEP_BEGIN);
  r = h->backend->external ? start_machine (h, ACCEL_TCG, NULL, &booted) : launch_own (h, &booted);
  zfi_set_deadline (h, 0);
  if (r == -1) {
    zfi_machine_lost (h);
    if (booted)
      explain_failure (h);
    return -1;
  }
  progress (h, STEP_DISKS);
  set_state (h, ZF_STATE_READY);
  progress (h, STEP_DONE);
  zfi_event (h, ZF_EVENT_LAUNCH_DONE, NULL, 0, NULL, 0);
  return 0;
}

/* --- shutting down --- */

static const struct zfi_action action_autosync = { "internal_autosync", 282, 0, "", NULL };

int
zfi_shutdown (zf_handle *h)
{
  struct zfi_saved_error saved = { 0 };
  int r = 0, stop;

  if (h->state != ZF_STATE_READY)
    return 0;
  /* What the guest still holds goes to the disks first; then qemu's own caches. */
  zfi_set_deadline (h, zfi_now_ms () + AUTOSYNC_MS);
  if (!h->no_autosync && h->launcher == getpid ()
      && zfi_call (h, &action_autosync, 0, NULL, NULL, NULL, NULL) == -1) {
    r = -1;
    saved = zfi_take_error (h);
  }
  if (h->state != ZF_STATE_READY) {     /* the call lost the machine */
    zfi_put_error (h, saved);
    return -1;
  }
  stop = take_down (h, false);
  zfi_drives_forget (h);
  set_state (h, ZF_STATE_CONFIG);
  if (r == -1)
    zfi_put_error (h, saved);
  return r == -1 || stop == -1 ? -1 : 0;
}
