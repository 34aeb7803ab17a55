/* Adding the disks of a libvirt guest: finding the guest, looking whether it runs, and all of its disks or none.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libvirt/virterror.h>

#include "libvirt.h"
#include "libvirt-guest.h"
#include "private-actions.h"

enum { ASK_MS = 40000 };

#define HAS(opts, bit) ((opts) != NULL && ((opts)->bitmask & ZF_ADD_DOMAIN_OPTS_ ## bit))

/* --- jobs, in the worker's thread --- */

/* By name, or by uuid.  A text that is the name of one guest and the uuid of another means neither: v->state is 1. */
static int
job_find (struct virt *v)
{
  virDomainPtr other;

  if (virt_job_open (v) == -1)
    return -1;
  v->dom = virDomainLookupByName (v->conn, v->name);
  if (!v->by_uuid || (v->dom == NULL && virGetLastErrorCode () != VIR_ERR_NO_DOMAIN))
    return v->dom != NULL ? 0 : -1;
  other = virDomainLookupByUUIDString (v->conn, v->name);
  if (v->dom == NULL) {
    v->dom = other;
    if (other == NULL)
      virDomainFree (virDomainLookupByName (v->conn, v->name));   /* its message is the better one */
    return other != NULL ? 0 : -1;
  }
  if (other != NULL) {
    unsigned char a[VIR_UUID_BUFLEN], b[VIR_UUID_BUFLEN];

    v->state = virDomainGetUUID (v->dom, a) == 0 && virDomainGetUUID (other, b) == 0 && memcmp (a, b, sizeof a) != 0;
    virDomainFree (other);
  }
  return 0;
}

/* Does it run, and what is it made of? */
static int
job_describe (struct virt *v)
{
  const char *name = virDomainGetName (v->dom);

  free (v->name);
  v->name = strdup (name != NULL ? name : "?");
  if (virDomainGetState (v->dom, &v->state, &v->reason, 0) == -1)
    return -1;
  free (v->xml);
  return (v->xml = virDomainGetXMLDesc (v->dom, 0)) != NULL ? 0 : -1;
}

/* The path of the volume v->name in the pool v->xml, to v->xml. */
static int
job_volume (struct virt *v)
{
  virStoragePoolPtr pool = virStoragePoolLookupByName (v->conn, v->xml);
  virStorageVolPtr vol = pool != NULL ? virStorageVolLookupByName (pool, v->name) : NULL;

  free (v->xml);
  v->xml = vol != NULL ? virStorageVolGetPath (vol) : NULL;
  if (vol != NULL)
    virStorageVolFree (vol);
  if (pool != NULL)
    virStoragePoolFree (pool);
  return v->xml != NULL ? 0 : -1;
}

/* --- the guest --- */

static bool
runs (int state)
{
  return state != VIR_DOMAIN_SHUTOFF && state != VIR_DOMAIN_CRASHED;
}

/* Writing to a disk that a running guest uses destroys it. */
static int
check_running (zf_handle *h, const struct virt *v, const struct zf_add_domain_opts *opts)
{
  if (HAS (opts, LIVE) && opts->live)
    return zfi_error (h, ENOTSUP, "live access through the guest's own agent is not supported");
  if (!runs (v->state))
    return 0;
  if (!HAS (opts, READONLY) || !opts->readonly)
    return zfi_error (h, EBUSY, "the guest %s is running: shut it down first, or add its disks read-only", v->name);
  zfi_warning (h, "the guest %s is running: what is read from its disks may be inconsistent", v->name);
  return 0;
}

static int
find_volume (zf_handle *h, struct virt *v, struct guest_disk *d)
{
  char what[300];

  free (v->xml);
  free (v->name);
  v->xml = strdup (d->pool);
  v->name = strdup (d->volume);
  if (v->xml == NULL || v->name == NULL)
    return zfi_perror (h, ENOMEM, "volume");
  snprintf (what, sizeof what, "disk %s: the volume %s in the pool %s", d->target, d->volume, d->pool);
  if (virt_do (h, v, job_volume, ASK_MS, false, what) == -1)
    return -1;
  d->path = v->xml;
  v->xml = NULL;
  return 0;
}

/* --- drives --- */

/* What is done with a disk that the guest may only read.  "ignore": *SKIP. */
static int
read_only_mark (zf_handle *h, const struct guest_disk *d, const struct zf_add_domain_opts *opts, bool *readonly,
                bool *skip)
{
  const char *what = HAS (opts, READONLYDISK) ? opts->readonlydisk : "read";

  *skip = false;
  *readonly = HAS (opts, READONLY) && opts->readonly;
  if (strcmp (what, "error") != 0 && strcmp (what, "read") != 0 && strcmp (what, "write") != 0
      && strcmp (what, "ignore") != 0)
    return zfi_error (h, EINVAL, "readonlydisk must be error, read, write or ignore");
  if (!d->readonly)
    return 0;
  if (strcmp (what, "error") == 0 && !*readonly)
    return zfi_error (h, EROFS, "disk %s is marked read-only in the guest", d->target);
  *skip = strcmp (what, "ignore") == 0;
  *readonly |= strcmp (what, "read") == 0;
  return 0;
}

static void
fill_options (const struct guest_disk *d, const struct zf_add_domain_opts *opts, bool readonly,
              struct zf_add_drive_opts *o)
{
  *o = (struct zf_add_drive_opts) {
    .bitmask = ZF_ADD_DRIVE_OPTS_FORMAT | ZF_ADD_DRIVE_OPTS_READONLY | ZF_ADD_DRIVE_OPTS_DISCARD,
    .format = d->format, .readonly = readonly, .discard = (char *) (d->unmap ? "besteffort" : "disable"),
  };
  /* Nothing is given back on a drive that is not written. */
  if (HAS (opts, DISCARD) && !(readonly && strcmp (opts->discard, "besteffort") == 0))
    o->discard = opts->discard;
  if (HAS (opts, CACHEMODE)) {
    o->bitmask |= ZF_ADD_DRIVE_OPTS_CACHEMODE;
    o->cachemode = opts->cachemode;
  }
  if (d->blocksize != 0) {
    o->bitmask |= ZF_ADD_DRIVE_OPTS_BLOCKSIZE;
    o->blocksize = d->blocksize;
  }
}

/* 1: added, 0: left out, -1 with the error set. */
static int
add_disk (zf_handle *h, struct guest_disk *d, const struct zf_add_domain_opts *opts)
{
  struct zf_add_drive_opts o;
  struct zf_drive *drive;
  bool readonly, skip;

  if (read_only_mark (h, d, opts, &readonly, &skip) == -1)
    return -1;
  if (skip)
    return 0;
  fill_options (d, opts, readonly, &o);
  if (zfi_add_drive (h, d->path, &o) == -1)
    return -1;
  drive = h->drives[h->nr_drives - 1];
  drive->label = d->serial;
  d->serial = NULL;
  drive->detect_zeroes = d->detect_zeroes == DETECT_ZEROES_UNMAP && drive->discard == DISCARD_DISABLE
    ? DETECT_ZEROES_ON : d->detect_zeroes;
  return 1;
}

/* All disks, or none.  Their number. */
static int
add_disks (zf_handle *h, struct virt *v, struct guest_disks *disks, const char *guest,
           const struct zf_add_domain_opts *opts)
{
  size_t before = h->nr_drives, i;
  int n = 0, r = 0;

  for (i = 0; r != -1 && i < disks->n; ++i) {
    struct guest_disk *d = &disks->v[i];

    r = d->path == NULL ? find_volume (h, v, d) : 0;
    if (r == 0)
      r = add_disk (h, d, opts);
    n += r == 1;
  }
  if (r != -1 && n == 0)
    r = zfi_error (h, ENOENT, "the guest %s has no disks that can be added", guest);
  if (r != -1)
    return n;
  while (h->nr_drives > before)
    zfi_drive_free (h->drives[--h->nr_drives]);
  return -1;
}

/* With the domain found. */
static int
add_guest (zf_handle *h, struct virt *v, const struct zf_add_domain_opts *opts)
{
  struct guest_disks disks = { 0 };
  char *name = NULL;
  int r = -1;

  if (virt_do (h, v, job_describe, ASK_MS, false, "the guest") == -1 || check_running (h, v, opts) == -1)
    return -1;
  if ((name = strdup (v->name)) == NULL)
    zfi_perror (h, ENOMEM, "guest");
  else if (guest_disks_parse (h, v->xml, name, &disks) == 0)
    r = add_disks (h, v, &disks, name, opts);
  guest_disks_free (&disks);
  free (name);
  return r;
}

int
zfi_add_domain (zf_handle *h, const char *name, const struct zf_add_domain_opts *opts)
{
  struct virt *v = virt_new (h, HAS (opts, LIBVIRTURI) ? opts->libvirturi : NULL);
  char what[300];
  int r = -1;

  if (v == NULL)
    return -1;
  v->readonly = true;
  v->by_uuid = HAS (opts, ALLOWUUID) && opts->allowuuid;
  snprintf (what, sizeof what, "the guest '%s' (%s)", name, v->uri != NULL ? v->uri : "libvirt's default URI");
  if ((v->name = strdup (name)) == NULL)
    zfi_perror (h, ENOMEM, "guest");
  else if (virt_do (h, v, job_find, ASK_MS, false, what) == 0)
    r = v->state == 1
      ? zfi_error (h, EINVAL, "'%s' is the name of one guest and the uuid of another: rename the one", name)
      : add_guest (h, v, opts);
  virt_free (v);
  return r;
}

/* --- for programs that have a virDomainPtr --- */

static const struct zfi_action action_add_dom = { .name = "add_libvirt_dom", .flags = ZFI_CONFIG, .types = "" };

static int
add_dom (zf_handle *h, virDomainPtr dom, const struct zf_add_domain_opts *opts)
{
  struct virt *v;
  int r;

  if (dom == NULL)
    return zfi_error (h, EINVAL, "the domain is NULL");
  if (opts != NULL && (opts->bitmask & (ZF_ADD_DOMAIN_OPTS_LIBVIRTURI | ZF_ADD_DOMAIN_OPTS_ALLOWUUID)))
    return zfi_error (h, EINVAL, "libvirturi and allowuuid are only for finding a domain");
  if ((v = virt_new (h, NULL)) == NULL)
    return -1;
  /* References of our own: the worker gives them back, however late. */
  if (virDomainRef (dom) == 0) {
    v->dom = dom;
    if (virConnectRef (virDomainGetConnect (dom)) == 0)
      v->conn = virDomainGetConnect (dom);
  }
  r = v->conn != NULL ? add_guest (h, v, opts) : zfi_error (h, EINVAL, "this is no domain of libvirt's");
  virt_free (v);
  return r;
}

int
zf_add_libvirt_dom (zf_handle *h, void *dom, const struct zf_add_domain_opts *opts)
{
  int r;

  if (zfi_enter (h, &action_add_dom) == -1)
    return -1;
  r = add_dom (h, dom, opts);
  if (r != -1)
    zfi_trace_int (h, r);
  zfi_leave (h, r != -1);
  return r;
}
