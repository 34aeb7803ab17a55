/* A thread that makes libvirt's calls, which have no deadlines, so that a libvirtd that hangs cannot hang the caller.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <libvirt/virterror.h>

#include "libvirt.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void
ignore_error (void *opaque __attribute__ ((unused)), virErrorPtr err __attribute__ ((unused)))
{
}

/* By default libvirt prints each error; we report them.  Once, so that a program can still set its own handler. */
static void
prepare_libvirt (void)
{
  virInitialize ();
  virSetErrorFunc (NULL, ignore_error);
}

static void
destroy (struct virt *v)
{
  if (v->dom != NULL)
    virDomainFree (v->dom);
  if (v->conn != NULL)
    virConnectClose (v->conn);
  if (v->done_fd != -1)
    close (v->done_fd);
  pthread_mutex_destroy (&v->lock);
  pthread_cond_destroy (&v->wake);
  free (v->uri);
  free (v->name);
  free (v->xml);
  free (v->message);
  free (v);
}

static void
keep_error (struct virt *v)
{
  virErrorPtr e = virGetLastError ();

  free (v->message);
  v->code = e != NULL ? e->code : VIR_ERR_INTERNAL_ERROR;
  v->message = strdup (e != NULL && e->message != NULL ? e->message : "libvirt failed without a message");
}

/* The thread: waits for jobs until it is told to end. */
static void *
work (void *arg)
{
  struct virt *v = arg;
  const uint64_t one = 1;

  pthread_mutex_lock (&v->lock);
  while (!v->quit) {
    virt_job job = v->job;
    int r;

    if (job == NULL) {
      pthread_cond_wait (&v->wake, &v->lock);
      continue;
    }
    pthread_mutex_unlock (&v->lock);
    virResetLastError ();
    r = job (v);
    if (r == -1)
      keep_error (v);
    pthread_mutex_lock (&v->lock);
    v->r = r;
    v->job = NULL;
    if (write (v->done_fd, &one, sizeof one) != sizeof one)
      v->r = -1;
  }
  pthread_mutex_unlock (&v->lock);
  /* The caller has left.  Closing the connection ends the domain, and may wait for libvirtd. */
  destroy (v);
  return NULL;
}

/* The program's signals are none of this thread's business. */
static int
start_thread (struct virt *v)
{
  sigset_t all, saved;
  pthread_t thread;
  int err;

  sigfillset (&all);
  pthread_sigmask (SIG_BLOCK, &all, &saved);
  err = pthread_create (&thread, NULL, work, v);
  pthread_sigmask (SIG_SETMASK, &saved, NULL);
  if (err == 0)
    pthread_detach (thread);
  return err;
}

struct virt *
virt_new (zf_handle *h, const char *uri)
{
  struct virt *v = calloc (1, sizeof *v);
  int err = ENOMEM;

  pthread_once (&once, prepare_libvirt);
  if (v == NULL)
    goto error;
  v->owner = getpid ();
  pthread_mutex_init (&v->lock, NULL);
  pthread_cond_init (&v->wake, NULL);
  v->done_fd = eventfd (0, EFD_CLOEXEC|EFD_NONBLOCK);
  if (v->done_fd == -1 || (uri != NULL && (v->uri = strdup (uri)) == NULL) || (err = start_thread (v)) != 0) {
    err = v->done_fd == -1 ? errno : err;
    destroy (v);
    goto error;
  }
  return v;

 error:
  zfi_perror (h, err, "libvirt");
  return NULL;
}

void
virt_free (struct virt *v)
{
  if (v == NULL || v->owner != getpid ())
    return;
  pthread_mutex_lock (&v->lock);
  v->quit = true;
  pthread_cond_signal (&v->wake);
  pthread_mutex_unlock (&v->lock);
}

bool
virt_busy (struct virt *v)
{
  bool busy;

  pthread_mutex_lock (&v->lock);
  busy = v->job != NULL;
  pthread_mutex_unlock (&v->lock);
  return busy;
}

void
virt_give (struct virt *v, virt_job job)
{
  uint64_t n;

  while (read (v->done_fd, &n, sizeof n) == sizeof n)
    ;
  pthread_mutex_lock (&v->lock);
  v->job = job;
  v->since_ms = zfi_now_ms ();
  pthread_cond_signal (&v->wake);
  pthread_mutex_unlock (&v->lock);
}

/* Wait without looking for cancels. */
static int
wait_plainly (zf_handle *h, int fd, int64_t until_ms)
{
  struct pollfd pfd = { .fd = fd, .events = POLLIN };

  while (poll (&pfd, 1, 100) != 1) {
    zfi_pump_console (h);
    if (zfi_now_ms () >= until_ms) {
      errno = ETIMEDOUT;
      return -1;
    }
  }
  return 0;
}

static int
wait_done (zf_handle *h, struct virt *v, int64_t until_ms, bool plainly)
{
  int64_t saved = h->deadline_ms;
  int r = 0;

  while (r == 0 && virt_busy (v)) {
    if (plainly)
      r = wait_plainly (h, v->done_fd, until_ms);
    else {
      zfi_set_deadline (h, saved != 0 && saved < until_ms ? saved : until_ms);
      r = zfi_wait (h, v->done_fd, POLLIN);
    }
  }
  zfi_set_deadline (h, saved);
  return r;
}

/* What libvirt's number is as an errno value. */
static int
errno_of (int code)
{
  switch (code) {
  case VIR_ERR_NO_DOMAIN: case VIR_ERR_NO_STORAGE_POOL: case VIR_ERR_NO_STORAGE_VOL: return ENOENT;
  case VIR_ERR_ACCESS_DENIED: case VIR_ERR_AUTH_FAILED: case VIR_ERR_OPERATION_DENIED: return EACCES;
  case VIR_ERR_NO_CONNECT: case VIR_ERR_NO_SUPPORT: case VIR_ERR_CONFIG_UNSUPPORTED: return ENOTSUP;
  case VIR_ERR_INVALID_ARG: case VIR_ERR_XML_ERROR: case VIR_ERR_XML_DETAIL: return EINVAL;
  case VIR_ERR_NO_MEMORY: return ENOMEM;
  default: return EIO;
  }
}

int
virt_do (zf_handle *h, struct virt *v, virt_job job, int ms, bool plainly, const char *what)
{
  int64_t until = zfi_now_ms () + ms;

  /* One that was given without waiting comes first. */
  if (wait_done (h, v, until, plainly) == -1)
    goto waiting;
  virt_give (v, job);
  if (wait_done (h, v, until, plainly) == -1)
    goto waiting;
  if (v->r == 0)
    return 0;
  return zfi_error (h, v->message != NULL && strstr (v->message, "Failed to get") != NULL ? EBUSY
                    : errno_of (v->code), "%s: %s (libvirt error %d)", what,
                    v->message != NULL ? v->message : "out of memory", v->code);

 waiting:
  if (errno == EINTR)
    return zfi_error (h, EINTR, "cancelled");
  if (errno == ETIMEDOUT)
    return zfi_error (h, ETIMEDOUT, "%s: libvirt did not answer in time (does libvirtd hang?)", what);
  return zfi_perror (h, errno, "%s", what);
}

int
virt_job_open (struct virt *v)
{
  if (v->conn == NULL)
    v->conn = v->readonly ? virConnectOpenReadOnly (v->uri) : virConnectOpen (v->uri);
  return v->conn != NULL ? 0 : -1;
}
