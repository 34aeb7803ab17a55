/* A libvirt guest's disks, as its XML describes them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_LIBVIRT_GUEST_H
#define ZEROFISH_LIBVIRT_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "internal.h"

struct guest_disk {
  char *target;             /* as the guest calls it ("vda"), for messages; never NULL */
  char *path;               /* file, block device or nbd URI; NULL until a volume's path is known */
  char *pool, *volume;      /* or NULL */
  char *format;             /* never NULL */
  char *serial;             /* or NULL */
  bool readonly, unmap;
  enum zf_detect_zeroes detect_zeroes;
  int blocksize;            /* 0: not said */
};

struct guest_disks {
  struct guest_disk *v;
  size_t n;
};

/* Read the disks of the guest described by XML, called NAME in messages: floppies and CD-ROMs are left out.  0, or -1
 * with the error set, which names a disk that cannot be used; free D in any case. */
extern int guest_disks_parse (zf_handle *h, const char *xml, const char *name, struct guest_disks *d);
extern void guest_disks_free (struct guest_disks *d);

#endif /* ZEROFISH_LIBVIRT_GUEST_H */
