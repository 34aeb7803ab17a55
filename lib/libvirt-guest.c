/* Reading a guest's XML: its disks, and what of their settings is kept.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libvirt.h"
#include "libvirt-guest.h"

#define SERIAL_MAX 36       /* bytes that the emulator can show */

void
guest_disks_free (struct guest_disks *d)
{
  size_t i;

  for (i = 0; i < d->n; ++i) {
    free (d->v[i].target);
    free (d->v[i].path);
    free (d->v[i].pool);
    free (d->v[i].volume);
    free (d->v[i].format);
    free (d->v[i].serial);
  }
  free (d->v);
  *d = (struct guest_disks) { 0 };
}

/* What is being read: for messages. */
struct reading {
  zf_handle *h;
  const char *guest;
  struct guest_disk *disk;
};

static int __attribute__ ((format (printf, 2, 3)))
refuse (struct reading *r, const char *fs, ...)
{
  va_list ap;
  char *text;

  va_start (ap, fs);
  if (vasprintf (&text, fs, ap) == -1)
    text = NULL;
  va_end (ap);
  zfi_error (r->h, ENOTSUP, "disk %s of the guest %s cannot be used: %s", r->disk->target, r->guest,
             text != NULL ? text : "out of memory");
  free (text);
  return -1;
}

/* --- NBD --- */

/* Append S to B with everything encoded that could mean something in a URI. */
static int
append_encoded (struct buf *b, const char *s)
{
  char code[4];

  for (; *s != '\0'; s++) {
    if (isalnum ((unsigned char) *s) || strchr ("-._~", *s) != NULL)
      snprintf (code, sizeof code, "%c", *s);
    else
      snprintf (code, sizeof code, "%%%02x", (unsigned char) *s);
    if (buf_append (b, code, strlen (code)) == -1)
      return -1;
  }
  return 0;
}

/* The parts as one of our URIs; NULL: no memory. */
static char *
nbd_uri (const char *host, const char *port, const char *socket, const char *export)
{
  struct buf e = { 0 }, s = { 0 }, p = { 0 };
  bool v6 = socket == NULL && strchr (host, ':') != NULL;
  char *uri = NULL;
  int r = -1;

  if (append_encoded (&e, export) == 0 && append_encoded (&s, socket != NULL ? socket : host) == 0
      && append_encoded (&p, port) == 0)
    r = socket != NULL
      ? asprintf (&uri, "nbd+unix:///%.*s?socket=%.*s", (int) e.len, (char *) e.data, (int) s.len, (char *) s.data)
      : asprintf (&uri, "nbd://%s%.*s%s:%.*s/%.*s", v6 ? "[" : "", (int) s.len, (char *) s.data, v6 ? "]" : "",
                  (int) p.len, (char *) p.data, (int) e.len, (char *) e.data);
  buf_free (&e);
  buf_free (&s);
  buf_free (&p);
  return r == -1 ? NULL : uri;
}

static int
read_nbd (struct reading *r, xmlNodePtr source)
{
  xmlNodePtr node = virt_xml_child (source, "host");
  char *host = virt_xml_attr (node, "name"), *port = virt_xml_attr (node, "port");
  char *socket = virt_xml_attr (node, "socket"), *export = virt_xml_attr (source, "name");
  bool is_unix = virt_xml_attr_is (node, "transport", "unix");
  int result = -1;

  if (node != NULL && virt_xml_next (node, "host") != NULL)
    refuse (r, "it has several NBD servers");
  else if (virt_xml_attr_is (source, "tls", "yes"))
    refuse (r, "NBD over TLS is not supported");
  else if (is_unix ? socket == NULL : host == NULL)
    refuse (r, "its NBD server is not named");
  else if ((r->disk->path = nbd_uri (host, port != NULL ? port : "10809", is_unix ? socket : NULL,
                                     export != NULL ? export : "")) == NULL)
    zfi_perror (r->h, ENOMEM, "disk %s", r->disk->target);
  else
    result = 0;
  free (host);
  free (port);
  free (socket);
  free (export);
  return result;
}

/* --- sources --- */

static int
read_network (struct reading *r, xmlNodePtr source)
{
  char *protocol = virt_xml_attr (source, "protocol");
  int result;

  if (protocol != NULL && strcmp (protocol, "nbd") == 0)
    result = read_nbd (r, source);
  else
    result = refuse (r, "of the network protocols only nbd is supported, and this is %s",
                     protocol != NULL ? protocol : "none");
  free (protocol);
  return result;
}

static int
read_path (struct reading *r, xmlNodePtr source, const char *attr)
{
  r->disk->path = virt_xml_attr (source, attr);
  if (r->disk->path == NULL)
    return refuse (r, "it has no source");
  if (r->disk->path[0] != '/')
    return refuse (r, "the path of its source, '%s', is not absolute", r->disk->path);
  return 0;
}

static int
read_volume (struct reading *r, xmlNodePtr source)
{
  r->disk->pool = virt_xml_attr (source, "pool");
  r->disk->volume = virt_xml_attr (source, "volume");
  return r->disk->pool != NULL && r->disk->volume != NULL ? 0 : refuse (r, "its volume is not named");
}

static int
read_source (struct reading *r, xmlNodePtr node)
{
  char *type = virt_xml_attr (node, "type");
  xmlNodePtr source = virt_xml_child (node, "source");
  int result;

  if (virt_xml_child (node, "encryption") != NULL || virt_xml_child (source, "encryption") != NULL)
    result = refuse (r, "it is encrypted by libvirt");
  else if (virt_xml_child (source, "slices") != NULL)
    result = refuse (r, "it is a slice of its source");
  else if (type == NULL || strcmp (type, "file") == 0)
    result = read_path (r, source, "file");
  else if (strcmp (type, "block") == 0)
    result = read_path (r, source, "dev");
  else if (strcmp (type, "network") == 0)
    result = read_network (r, source);
  else if (strcmp (type, "volume") == 0)
    result = read_volume (r, source);
  else
    result = refuse (r, "its type is %s; file, block, network (nbd) and volume are supported", type);
  free (type);
  return result;
}

/* --- settings --- */

/* Without a format libvirt takes images for raw, and looks no further. */
static int
read_driver (struct reading *r, xmlNodePtr driver)
{
  r->disk->format = virt_xml_attr (driver, "type");
  if (r->disk->format == NULL && (r->disk->format = strdup ("raw")) == NULL)
    return zfi_perror (r->h, ENOMEM, "disk %s", r->disk->target);
  r->disk->unmap = virt_xml_attr_is (driver, "discard", "unmap");
  r->disk->detect_zeroes = virt_xml_attr_is (driver, "detect_zeroes", "unmap") ? DETECT_ZEROES_UNMAP
    : virt_xml_attr_is (driver, "detect_zeroes", "on") ? DETECT_ZEROES_ON : DETECT_ZEROES_OFF;
  return 0;
}

static int
read_blocksize (struct reading *r, xmlNodePtr blockio)
{
  char *s = virt_xml_attr (blockio, "logical_block_size");
  int result = 0;

  if (s != NULL && strcmp (s, "512") != 0 && strcmp (s, "4096") != 0)
    result = refuse (r, "its logical block size is %s; 512 and 4096 are supported", s);
  else if (s != NULL)
    r->disk->blocksize = atoi (s);
  free (s);
  return result;
}

static void
read_serial (struct reading *r, xmlNodePtr serial)
{
  char *s = serial != NULL ? (char *) xmlNodeGetContent (serial) : NULL;
  size_t i;

  for (i = 0; s != NULL && s[i] != '\0' && isprint ((unsigned char) s[i]); ++i)
    ;
  if (i > 0 && i <= SERIAL_MAX && s[i] == '\0') {
    r->disk->serial = s;
    return;
  }
  if (s != NULL && s[0] != '\0')
    zfi_warning (r->h, "disk %s of the guest %s: its serial cannot be used", r->disk->target, r->guest);
  free (s);
}

static int
read_disk (struct reading *r, xmlNodePtr node)
{
  struct guest_disk *d = r->disk;

  d->readonly = virt_xml_child (node, "readonly") != NULL;
  if (read_source (r, node) == -1 || read_driver (r, virt_xml_child (node, "driver")) == -1
      || read_blocksize (r, virt_xml_child (node, "blockio")) == -1)
    return -1;
  read_serial (r, virt_xml_child (node, "serial"));
  return 0;
}

/* CD-ROMs and floppies are not disks of the guest's data. */
static bool
is_disk (xmlNodePtr node)
{
  return !virt_xml_attr_is (node, "device", "cdrom") && !virt_xml_attr_is (node, "device", "floppy");
}

static int
read_disks (zf_handle *h, const char *name, xmlNodePtr devices, struct guest_disks *d)
{
  struct reading r = { .h = h, .guest = name };
  xmlNodePtr n;

  for (n = virt_xml_child (devices, "disk"); n != NULL; n = virt_xml_next (n, "disk")) {
    struct guest_disk *v;
    char *target = virt_xml_attr (virt_xml_child (n, "target"), "dev");

    if (target == NULL)
      target = strdup ("?");
    if (!is_disk (n)) {
      zfi_verbose (h, "disk %s of the guest %s is a CD-ROM or floppy: left out", target, name);
      free (target);
      continue;
    }
    if (target == NULL || (v = realloc (d->v, (d->n + 1) * sizeof *v)) == NULL) {
      free (target);
      return zfi_perror (h, ENOMEM, "disks of the guest %s", name);
    }
    d->v = v;
    r.disk = &v[d->n++];
    *r.disk = (struct guest_disk) { .target = target };
    if (read_disk (&r, n) == -1)
      return -1;
  }
  return 0;
}

int
guest_disks_parse (zf_handle *h, const char *xml, const char *name, struct guest_disks *d)
{
  xmlDocPtr doc = virt_xml_parse (h, xml, name);
  int r;

  *d = (struct guest_disks) { 0 };
  if (doc == NULL)
    return -1;
  r = read_disks (h, name, virt_xml_child (xmlDocGetRootElement (doc), "devices"), d);
  xmlFreeDoc (doc);
  return r;
}
