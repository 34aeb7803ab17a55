/* What adding drives and running qemu-img share: looking at local image files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_DRIVE_H
#define ZEROFISH_DRIVE_H

#include <sys/stat.h>

#include "internal.h"

/* Is this a format that images may have? */
extern bool zfi_known_format (const char *format);
#define ZFI_FORMATS "raw, qcow2, qcow, qed, vmdk, vdi, vpc, vhdx or parallels"

/* Does NAME begin like a URI?  A file whose name does can be given as ./NAME. */
extern bool zfi_is_uri (const char *name);

/* The absolute path of NAME (malloced), or NULL with the error set.  An absolute path is never taken for
 * an option, a protocol or JSON by qemu. */
extern char *zfi_absolute_path (zf_handle *h, const char *name);

/* Open the image file or host block device NAME read-only, without side effects on anything else:
 * directories, character devices, FIFOs and sockets are refused.  The descriptor and *ST, or -1 with the
 * error set. */
extern int zfi_open_image (zf_handle *h, const char *name, struct stat *st);

/* drive-file.c: fill in format, block_device, dev, ino of a drive whose path is set; FORMAT is what the
 * user said, or NULL. 0, or -1 with the error set. */
extern int zfi_drive_look (zf_handle *h, struct zf_drive *d, const char *format);

/* Is D the file that has these numbers? */
extern bool zfi_drive_is_file (const struct zf_drive *d, uint64_t dev, uint64_t ino);

#endif /* ZEROFISH_DRIVE_H */
