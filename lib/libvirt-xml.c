/* The XML of our domain, written by libxml2, so that no name can become markup.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "launch.h"
#include "libvirt.h"

#define QEMU_NS "http://libvirt.org/schemas/domain/qemu/1.0"

/* --- writing; after a failure it stays failed --- */

struct out {
  xmlBufferPtr buf;
  xmlTextWriterPtr w;
  bool failed;
};

static void
begin (struct out *o, const char *name)
{
  o->failed |= xmlTextWriterStartElement (o->w, (const xmlChar *) name) < 0;
}

static void
end (struct out *o)
{
  o->failed |= xmlTextWriterEndElement (o->w) < 0;
}

static void
attr (struct out *o, const char *name, const char *value)
{
  o->failed |= xmlTextWriterWriteAttribute (o->w, (const xmlChar *) name, (const xmlChar *) value) < 0;
}

static void
attr_number (struct out *o, const char *name, size_t value)
{
  o->failed |= xmlTextWriterWriteFormatAttribute (o->w, (const xmlChar *) name, "%zu", value) < 0;
}

/* An element that has only text. */
static void
text (struct out *o, const char *name, const char *value)
{
  o->failed |= xmlTextWriterWriteElement (o->w, (const xmlChar *) name, (const xmlChar *) value) < 0;
}

/* An element that has up to two attributes and nothing else. */
static void
leaf (struct out *o, const char *name, const char *a, const char *value, const char *b, const char *value2)
{
  begin (o, name);
  if (a != NULL)
    attr (o, a, value);
  if (b != NULL)
    attr (o, b, value2);
  end (o);
}

static int
open_out (zf_handle *h, struct out *o)
{
  *o = (struct out) { .buf = xmlBufferCreate () };
  if (o->buf != NULL)
    o->w = xmlNewTextWriterMemory (o->buf, 0);
  if (o->w != NULL)
    return 0;
  if (o->buf != NULL)
    xmlBufferFree (o->buf);
  return zfi_perror (h, ENOMEM, "XML of the domain");
}

/* What was written, malloced; NULL with the error set. */
static char *
close_out (zf_handle *h, struct out *o)
{
  char *s = NULL;

  o->failed |= xmlTextWriterEndDocument (o->w) < 0;
  xmlFreeTextWriter (o->w);
  if (!o->failed)
    s = strdup ((const char *) xmlBufferContent (o->buf));
  xmlBufferFree (o->buf);
  if (s == NULL)
    zfi_perror (h, ENOMEM, "XML of the domain");
  return s;
}

/* --- disks --- */

/* The emulator can use the file as it is: its owner need not change. */
static void
keep_owner (struct out *o, bool keep)
{
  if (!keep)
    return;
  begin (o, "seclabel");
  attr (o, "model", "dac");
  attr (o, "relabel", "no");
  end (o);
}

static void
nbd_source (struct out *o, const struct zfi_nbd *n)
{
  begin (o, "source");
  attr (o, "protocol", "nbd");
  if (n->export[0] != '\0')
    attr (o, "name", n->export);
  begin (o, "host");
  if (n->socket != NULL) {
    attr (o, "transport", "unix");
    attr (o, "socket", n->socket);
  }
  else {
    attr (o, "name", n->host);
    attr (o, "port", n->port);
  }
  end (o);
  end (o);
}

static const char *
source_type (const struct zf_drive *d)
{
  return d->nbd != NULL ? "network" : d->block_device ? "block" : "file";
}

/* Where the data of drive I are. */
static void
image_source (struct out *o, const struct zf_drive *d, const struct virt_files *f, size_t i)
{
  if (d->nbd != NULL) {
    nbd_source (o, d->nbd);
    return;
  }
  begin (o, "source");
  attr (o, d->block_device ? "dev" : "file", f->images[i].name);
  keep_owner (o, f->caps.dac && f->images[i].accessible);
  end (o);
}

/* An image whose format was detected names no other file: then libvirt must not look for one either. */
static void
end_of_chain (struct out *o, const struct zf_drive *d)
{
  if (d->detected || strcmp (d->format, "raw") == 0)
    leaf (o, "backingStore", NULL, NULL, NULL, NULL);
}

static void
driver (struct out *o, const char *format, bool unsafe, bool unmap, enum zf_detect_zeroes detect)
{
  begin (o, "driver");
  attr (o, "name", "qemu");
  attr (o, "type", format);
  attr (o, "cache", unsafe ? "unsafe" : "writeback");
  /* With qemu's default a full host would pause the machine for ever. */
  attr (o, "error_policy", "report");
  attr (o, "rerror_policy", "report");
  attr (o, "discard", unmap ? "unmap" : "ignore");
  attr (o, "detect_zeroes", zfi_detect_zeroes_name (detect));
  end (o);
}

/* "sda" ... "sdz", "sdaa" ...: libvirt wants a name for each; the guest's come from the address. */
static void
target (struct out *o, size_t i)
{
  char name[8];

  if (i < 26)
    snprintf (name, sizeof name, "sd%c", 'a' + (char) i);
  else
    snprintf (name, sizeof name, "sd%c%c", 'a' + (char) (i / 26 - 1), 'a' + (char) (i % 26));
  leaf (o, "target", "dev", name, "bus", "scsi");
}

static void
address (struct out *o, size_t i)
{
  begin (o, "address");
  attr (o, "type", "drive");
  attr (o, "controller", "0");
  attr (o, "bus", "0");
  attr_number (o, "target", i);
  attr (o, "unit", "0");
  end (o);
}

/* What follows the source: the disk as the guest sees it. */
static void
front (struct out *o, size_t i, int blocksize, const char *serial)
{
  char alias[32];

  target (o, i);
  begin (o, "blockio");
  attr_number (o, "logical_block_size", blocksize);
  attr_number (o, "physical_block_size", blocksize);
  end (o);
  text (o, "serial", serial);
  snprintf (alias, sizeof alias, "ua-disk%zu", i);
  leaf (o, "alias", "name", alias, NULL, NULL);
  address (o, i);
}

/* A drive that is only read: a throw-away overlay above it. */
static void
readonly_disk (struct out *o, const struct zf_drive *d, const struct virt_files *f, size_t i)
{
  attr (o, "type", "file");
  driver (o, "qcow2", true, false, DETECT_ZEROES_OFF);
  leaf (o, "source", "file", f->images[i].overlay, NULL, NULL);
  begin (o, "backingStore");
  attr (o, "type", source_type (d));
  leaf (o, "format", "type", d->format, NULL, NULL);
  image_source (o, d, f, i);
  end_of_chain (o, d);
  end (o);
}

static void
disk (struct out *o, zf_handle *h, const struct virt_files *f, size_t i)
{
  const struct zf_drive *d = h->drives[i];
  char serial[40];

  begin (o, "disk");
  if (d->scratch) {
    attr (o, "type", "file");
    driver (o, "raw", true, true, DETECT_ZEROES_OFF);
    leaf (o, "source", "file", f->images[i].overlay, NULL, NULL);
  }
  else if (d->readonly)
    readonly_disk (o, d, f, i);
  else {
    attr (o, "type", source_type (d));
    driver (o, d->format, strcmp (d->cachemode, "unsafe") == 0, d->discard != DISCARD_DISABLE,
            d->detect_zeroes);
    image_source (o, d, f, i);
    end_of_chain (o, d);
  }
  snprintf (serial, sizeof serial, "zf-%08x-%zu", (unsigned) (zfi_now_ms () & 0xffffffff), i);
  front (o, i, d->blocksize, d->label != NULL ? d->label : serial);
  end (o);
}

/* Drives that are only read may be in use by a running machine: share them, which libvirt itself offers for raw
 * images only. */
static void
share (struct out *o, zf_handle *h)
{
  char alias[32];
  size_t i;

  begin (o, "qemu:override");
  for (i = 0; i < h->nr_drives; ++i) {
    if (!h->drives[i]->readonly || h->drives[i]->scratch)
      continue;
    snprintf (alias, sizeof alias, "ua-disk%zu", i);
    begin (o, "qemu:device");
    attr (o, "alias", alias);
    begin (o, "qemu:frontend");
    begin (o, "qemu:property");
    attr (o, "name", "share-rw");
    attr (o, "type", "bool");
    attr (o, "value", "true");
    end (o);
    end (o);
    end (o);
  }
  end (o);
}

/* --- the machine --- */

static void
cpu (struct out *o, enum zfi_accel accel)
{
  begin (o, "cpu");
  if (accel == ACCEL_KVM)
    attr (o, "mode", "host-passthrough");
  else {
    attr (o, "mode", "maximum");
    /* String instructions are emulated byte by byte; without ERMS the guest clears by words. */
    leaf (o, "feature", "policy", "disable", "name", "erms");
  }
  end (o);
}

static int
os (struct out *o, zf_handle *h, enum zfi_accel accel, const struct virt_files *f)
{
  char *cmdline = zfi_kernel_cmdline (h, accel);
  struct utsname u;

  if (cmdline == NULL || uname (&u) == -1) {
    free (cmdline);
    return -1;
  }
  begin (o, "os");
  begin (o, "type");
  attr (o, "arch", u.machine);
  attr (o, "machine", strcmp (u.machine, "x86_64") == 0 ? "q35" : "virt");
  o->failed |= xmlTextWriterWriteString (o->w, (const xmlChar *) "hvm") < 0;
  end (o);
  text (o, "kernel", f->kernel);
  text (o, "initrd", f->initrd);
  text (o, "cmdline", cmdline);
  end (o);
  free (cmdline);
  begin (o, "features");
  leaf (o, "acpi", NULL, NULL, NULL, NULL);
  end (o);
  return 0;
}

static void
machine (struct out *o, zf_handle *h)
{
  begin (o, "memory");
  attr (o, "unit", "MiB");
  o->failed |= xmlTextWriterWriteFormatString (o->w, "%d", h->memsize > 0 ? h->memsize : 1280) < 0;
  end (o);
  begin (o, "vcpu");
  o->failed |= xmlTextWriterWriteFormatString (o->w, "%d", h->smp > 1 ? h->smp : 1) < 0;
  end (o);
  text (o, "on_poweroff", "destroy");
  text (o, "on_reboot", "destroy");
  text (o, "on_crash", "destroy");
}

/* The other ends are sockets that we listen on. */
static void
sockets (struct out *o, const struct virt_files *f)
{
  begin (o, "serial");
  attr (o, "type", "unix");
  leaf (o, "source", "mode", "connect", "path", f->console);
  leaf (o, "target", "port", "0", NULL, NULL);
  end (o);
  begin (o, "channel");
  attr (o, "type", "unix");
  leaf (o, "source", "mode", "connect", "path", f->channel);
  leaf (o, "target", "type", "virtio", "name", "org.libguestfs.channel.0");
  end (o);
}

static void
devices (struct out *o, zf_handle *h, const struct virt_files *f)
{
  size_t i;

  begin (o, "devices");
  if (h->hv != NULL && h->hv[0] != '\0')
    text (o, "emulator", h->hv);
  begin (o, "controller");
  attr (o, "type", "scsi");
  attr (o, "index", "0");
  attr (o, "model", "virtio-scsi");
  end (o);
  leaf (o, "controller", "type", "usb", "model", "none");
  for (i = 0; i < h->nr_drives; ++i)
    disk (o, h, f, i);
  sockets (o, f);
  leaf (o, "memballoon", "model", "none", NULL, NULL);
  end (o);
}

char *
virt_domain_xml (zf_handle *h, enum zfi_accel accel, const char *name, const struct virt_files *f)
{
  struct out o;

  if (open_out (h, &o) == -1)
    return NULL;
  begin (&o, "domain");
  attr (&o, "type", accel == ACCEL_KVM ? "kvm" : "qemu");
  attr (&o, "xmlns:qemu", QEMU_NS);
  text (&o, "name", name);
  machine (&o, h);
  o.failed |= os (&o, h, accel, f) == -1;
  cpu (&o, accel);
  devices (&o, h, f);
  share (&o, h);
  end (&o);
  return close_out (h, &o);
}

char *
virt_tools_xml (zf_handle *h, const char *root, bool relabel)
{
  struct out o;

  if (open_out (h, &o) == -1)
    return NULL;
  begin (&o, "disk");
  attr (&o, "type", "file");
  driver (&o, "raw", false, false, DETECT_ZEROES_OFF);
  begin (&o, "source");
  attr (&o, "file", root);
  keep_owner (&o, !relabel);
  end (&o);
  leaf (&o, "backingStore", NULL, NULL, NULL, NULL);
  target (&o, TOOLS_TARGET);
  leaf (&o, "readonly", NULL, NULL, NULL, NULL);
  text (&o, "serial", "zerofish-tools");
  address (&o, TOOLS_TARGET);
  end (&o);
  return close_out (h, &o);
}
