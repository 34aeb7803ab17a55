/* The libvirt backend: the appliance as a transient domain that ends with our connection.
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
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <libvirt/virterror.h>

#include "launch.h"
#include "libvirt.h"

enum { OPEN_MS = 40000, CREATE_MS = 120000, ACCEPT_MS = 10000, ATTACH_MS = 30000, STATE_MS = 30000,
       DESTROY_MS = 60000, FORCE_MS = 20000 };

struct domain {
  struct virt *v;
  struct virt_files files;
  pid_t owner;
  bool asked;               /* for the state: the answer may be there */
  bool tools;
};

/* --- jobs, in the worker's thread --- */

static int
job_capabilities (struct virt *v)
{
  if (virt_job_open (v) == -1)
    return -1;
  free (v->xml);
  return (v->xml = virConnectGetCapabilities (v->conn)) != NULL ? 0 : -1;
}

static int
job_create (struct virt *v)
{
  v->dom = virDomainCreateXML (v->conn, v->xml, VIR_DOMAIN_START_AUTODESTROY);
  if (v->dom == NULL)
    return -1;
  v->created = true;
  return virDomainGetUUID (v->dom, v->uuid);
}

static int
job_attach (struct virt *v)
{
  return virDomainAttachDeviceFlags (v->dom, v->xml, VIR_DOMAIN_AFFECT_LIVE);
}

static int
job_state (struct virt *v)
{
  return virDomainGetState (v->dom, &v->state, &v->reason, 0);
}

/* Has the domain gone, as the last error says? */
static bool
is_gone (void)
{
  int code = virGetLastErrorCode ();

  return code == VIR_ERR_NO_DOMAIN || code == VIR_ERR_OPERATION_INVALID;
}

/* The connection broke, with libvirtd: a new one may still have the domain. */
static int
find_again (struct virt *v)
{
  virConnectPtr conn = virConnectOpen (v->uri);

  if (conn == NULL)
    return -1;
  virDomainFree (v->dom);
  virConnectClose (v->conn);
  v->conn = conn;
  v->dom = virDomainLookupByUUID (conn, v->uuid);
  return v->dom != NULL ? 0 : -1;
}

/* End the domain; one that has gone is fine. */
static int
job_destroy (struct virt *v)
{
  if (v->dom == NULL)
    return 0;
  if (v->graceful && virDomainDestroyFlags (v->dom, VIR_DOMAIN_DESTROY_GRACEFUL) == 0)
    return 0;
  if (is_gone () || virDomainDestroy (v->dom) == 0 || is_gone ())
    return 0;
  if (virConnectIsAlive (v->conn) == 1)
    return -1;
  if (find_again (v) == -1)
    return v->dom == NULL && is_gone () ? 0 : -1;
  return virDomainDestroy (v->dom) == 0 || is_gone () ? 0 : -1;
}

/* --- starting --- */

/* Is the libvirtd of URI in this machine?  Then there is no host name in it. */
static bool
is_local (const char *uri)
{
  const char *s = strstr (uri, "://");

  return s != NULL && (s[3] == '/' || s[3] == '\0' || s[3] == '?');
}

/* What the user said after "libvirt:"; else what fits this user.  libvirt's own default may lead anywhere. */
static const char *
choose_uri (zf_handle *h)
{
  const char *arg;

  zfi_backend_find (h, h->backend_name, &arg);
  if (arg != NULL && arg[0] != '\0')
    return arg;
  return geteuid () == 0 ? "qemu:///system" : "qemu:///session";
}

/* Connect, and learn what the host offers. */
static int
open_host (zf_handle *h, struct domain *d, const char *uri)
{
  char what[256];

  snprintf (what, sizeof what, "cannot connect to libvirt (%s)", uri);
  if ((d->v = virt_new (h, uri)) == NULL
      || virt_do (h, d->v, job_capabilities, OPEN_MS, false, what) == -1)
    return -1;
  return virt_caps_parse (h, d->v->xml, &d->files.caps);
}

/* A local host is judged by our own test; of others only the capabilities are known. */
static enum zfi_accel
domain_accel (zf_handle *h, const struct domain *d, enum zfi_accel accel)
{
  if (accel == ACCEL_TCG && !is_local (d->v->uri) && !zfi_backend_setting (h, "force_tcg"))
    accel = ACCEL_KVM;
  return d->files.caps.kvm ? accel : ACCEL_TCG;
}

/* The domain could not be made: if a file may be the reason, say who must be able to use it. */
static void
explain (zf_handle *h, const struct domain *d)
{
  struct zfi_saved_error e;

  if (!d->files.foreign || d->v->message == NULL || strstr (d->v->message, "Permission denied") == NULL)
    return;
  e = zfi_take_error (h);
  zfi_error (h, EACCES, "%s; the emulator runs as uid %u, which must be able to reach the images: let it search "
             "their directories, or use the direct backend", e.msg != NULL ? e.msg : "permission denied",
             (unsigned) d->files.caps.uid);
  free (e.msg);
}

static int
create_domain (zf_handle *h, struct domain *d, enum zfi_accel accel)
{
  char name[40];
  uint64_t number;

  if (getrandom (&number, sizeof number, 0) != sizeof number)
    return zfi_perror (h, errno, "getrandom");
  snprintf (name, sizeof name, "zerofish-%016llx", (unsigned long long) number);
  free (d->v->xml);
  d->v->xml = virt_domain_xml (h, domain_accel (h, d, accel), name, &d->files);
  if (d->v->xml == NULL)
    return -1;
  zfi_verbose (h, "libvirt %s, domain %s:\n%s", d->v->uri, name, d->v->xml);
  if (virt_do (h, d->v, job_create, CREATE_MS, false, "libvirt cannot start the appliance") == 0)
    return 0;
  explain (h, d);
  return -1;
}

/* The emulator's connection to the socket *LISTENER, which is closed then.  -1 with the error set. */
static int
accept_from (zf_handle *h, int *listener, const char *what)
{
  int fd;

  zfi_set_deadline (h, zfi_now_ms () + ACCEPT_MS);
  if (zfi_wait (h, *listener, POLLIN) == -1 || (fd = accept4 (*listener, NULL, NULL, SOCK_CLOEXEC)) == -1)
    return zfi_perror (h, errno, "the emulator did not connect to its %s", what);
  close (*listener);
  *listener = -1;
  return fd;
}

/* --- what launch.c calls --- */

static int
libvirt_stop (zf_handle *h, void *data, bool force)
{
  struct domain *d = data;
  struct zfi_saved_error saved;
  int r = 0;

  if (d->owner != getpid ()) {
    virt_files_free (&d->files);
    free (d);
    return 0;
  }
  if (d->v != NULL && (d->v->created || virt_busy (d->v))) {
    saved = zfi_take_error (h);
    d->v->graceful = !force;
    r = virt_do (h, d->v, job_destroy, force ? FORCE_MS : DESTROY_MS, true, "the domain could not be ended");
    if (r == 0 || force)
      zfi_put_error (h, saved);
    else
      free (saved.msg);
    virt_files_restore (h, &d->files);
  }
  virt_free (d->v);
  virt_files_free (&d->files);
  free (d);
  return r;
}

static int
start (zf_handle *h, struct domain *d, const struct zfi_appliance *a, enum zfi_accel accel, int *channel_fd,
       int *console_fd)
{
  if (open_host (h, d, choose_uri (h)) == -1
      || virt_files_prepare (h, a, &d->files) == -1
      || create_domain (h, d, accel) == -1)
    return -1;
  if ((*console_fd = h->console_fd = accept_from (h, &d->files.console_fd, "console")) == -1
      || (*channel_fd = accept_from (h, &d->files.channel_fd, "channel")) == -1)
    return -1;
  return 0;
}

static int
libvirt_start (zf_handle *h, const struct zfi_appliance *a, enum zfi_accel accel, void **data, int *channel_fd,
               int *console_fd)
{
  struct domain *d = calloc (1, sizeof *d);

  if (d == NULL)
    return zfi_perror (h, ENOMEM, "domain");
  d->owner = getpid ();
  if (start (h, d, a, accel, channel_fd, console_fd) == -1) {
    libvirt_stop (h, d, true);
    return -1;
  }
  *data = d;
  return 0;
}

/* Attached when it is first needed.  An emulator of another user gets a copy: the cache is ours alone. */
static int
libvirt_add_tools (zf_handle *h, void *data, const char *root)
{
  struct domain *d = data;
  char *copy = NULL;
  int r = -1;

  if (d->tools)
    return 0;
  if (d->files.foreign && (copy = virt_files_copy (h, root, "root")) == NULL)
    return -1;
  /* The state may be asked for meanwhile. */
  while (virt_busy (d->v) && zfi_now_ms () < d->v->since_ms + STATE_MS)
    usleep (1000);
  if (virt_busy (d->v)) {
    zfi_error (h, ETIMEDOUT, "libvirt does not answer (does libvirtd hang?)");
    goto out;
  }
  free (d->v->xml);
  if ((d->v->xml = virt_tools_xml (h, copy != NULL ? copy : root,
                                 copy != NULL || !d->files.caps.dac)) == NULL)
    goto out;
  r = virt_do (h, d->v, job_attach, ATTACH_MS, false, "libvirt cannot attach the tools' disk");
  d->asked = false;
  d->tools = r == 0;
 out:
  if (r == -1 && copy != NULL)
    unlink (copy);
  free (copy);
  return r;
}

static const char *
state_name (int state)
{
  switch (state) {
  case VIR_DOMAIN_BLOCKED: return "blocked";
  case VIR_DOMAIN_PAUSED: return "paused";
  case VIR_DOMAIN_SHUTDOWN: return "being shut down";
  case VIR_DOMAIN_SHUTOFF: return "shut off";
  case VIR_DOMAIN_CRASHED: return "crashed";
  case VIR_DOMAIN_PMSUSPENDED: return "suspended";
  default: return "in an unknown state";
  }
}

/* The answer to the last question, asked a second ago. */
static int
look_at_state (struct virt *v, char **why)
{
  int r;

  if (v->r == 0 && (v->state == VIR_DOMAIN_RUNNING || v->state == VIR_DOMAIN_NOSTATE))
    return 0;
  if (v->r == 0)
    r = asprintf (why, "the domain is %s (libvirt reason %d)", state_name (v->state), v->reason);
  else if (v->code == VIR_ERR_NO_DOMAIN)
    r = asprintf (why, "the domain has ended");
  else
    r = asprintf (why, "libvirt does not know how the domain is: %s (libvirt error %d)",
                  v->message != NULL ? v->message : "out of memory", v->code);
  if (r == -1)
    *why = NULL;
  return -1;
}

/* Never waits for libvirt: looks at the last answer and asks again. */
static int
libvirt_check (zf_handle *h __attribute__ ((unused)), void *data, char **why)
{
  struct domain *d = data;

  if (d == NULL || d->owner != getpid ())
    return 0;
  if (virt_busy (d->v)) {
    if (zfi_now_ms () - d->v->since_ms < STATE_MS)
      return 0;
    if (asprintf (why, "libvirt has not answered for %d seconds (does libvirtd hang?)", STATE_MS / 1000) == -1)
      *why = NULL;
    return -1;
  }
  if (d->asked && look_at_state (d->v, why) == -1)
    return -1;
  virt_give (d->v, job_state);
  d->asked = true;
  return 0;
}

/* The emulator is libvirt's. */
static pid_t
libvirt_pid (void *data __attribute__ ((unused)))
{
  return 0;
}

const struct zf_backend zfi_backend_libvirt = {
  .name = "libvirt",
  .hotplug = true,
  .start = libvirt_start,
  .add_tools = libvirt_add_tools,
  .check = libvirt_check,
  .stop = libvirt_stop,
  .pid = libvirt_pid,
};
