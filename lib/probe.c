/* The format of a disk image, told from its first bytes without opening anything that they name.
 *
 * Only the magic numbers are looked at, and those header fields that would make the emulator open another
 * file: a guest can write all of them into a raw disk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define HEADER_SIZE   4096
#define DESCRIPTOR_MIN (20 * 512)   /* read at least, whatever size the header states: others do so too */
#define DESCRIPTOR_MAX 65536

#define BACKING_FILE  "a backing file"
#define DATA_FILE     "an external data file"
#define EXTENT_FILES  "files that hold its data"

struct header {
  int fd;
  unsigned char b[HEADER_SIZE];
  size_t n;
};

static uint32_t
be32_at (const struct header *h, size_t offset)
{
  uint32_t v;

  memcpy (&v, h->b + offset, sizeof v);
  return be32toh (v);
}

static uint64_t
be64_at (const struct header *h, size_t offset)
{
  uint64_t v;

  memcpy (&v, h->b + offset, sizeof v);
  return be64toh (v);
}

static uint64_t
le64_at (const struct header *h, size_t offset)
{
  uint64_t v;

  memcpy (&v, h->b + offset, sizeof v);
  return le64toh (v);
}

static const char *
names_nothing (const struct header *h __attribute__ ((unused)))
{
  return NULL;
}

/* Offset of the backing file's name at 8; version 3: incompatible feature 2 is the external data file. */
static const char *
qcow2_names (const struct header *h)
{
  if (be64_at (h, 8) != 0)
    return BACKING_FILE;
  if (be32_at (h, 4) >= 3 && (be64_at (h, 72) & 4))
    return DATA_FILE;
  return NULL;
}

static const char *
qcow_names (const struct header *h)
{
  return be64_at (h, 8) != 0 ? BACKING_FILE : NULL;
}

/* Feature 1 says that there is a backing file. */
static const char *
qed_names (const struct header *h)
{
  return le64_at (h, 16) & 1 ? BACKING_FILE : NULL;
}

/* A sparse extent may hold a descriptor, and that a parent; capacity 0 means that the descriptor alone
 * counts. */
static const char *
vmdk_names (const struct header *h)
{
  char text[DESCRIPTOR_MAX + 1];
  uint64_t start = le64_at (h, 28) * 512, size = le64_at (h, 36) * 512;
  ssize_t n;

  if (le64_at (h, 12) == 0)
    return EXTENT_FILES;
  if (start == 0)
    return NULL;
  if (size < DESCRIPTOR_MIN)
    size = DESCRIPTOR_MIN;
  if (start > INT64_MAX / 2 || size > DESCRIPTOR_MAX)
    return EXTENT_FILES;
  n = pread (h->fd, text, size, start);
  if (n < 0)
    return EXTENT_FILES;
  text[n] = '\0';
  return memmem (text, n, "parentFileNameHint", 18) ? BACKING_FILE : NULL;
}

/* A text that only says where the data is. */
static const char *
vmdk_text_names (const struct header *h __attribute__ ((unused)))
{
  return EXTENT_FILES;
}

static const struct format {
  const char *name;
  size_t offset;
  const char *magic;
  size_t magic_size;
  const char *(*names) (const struct header *h);
} formats[] = {
  { "qcow2", 0, "QFI\xfb\0\0\0\2", 8, qcow2_names },
  { "qcow2", 0, "QFI\xfb\0\0\0\3", 8, qcow2_names },
  { "qcow", 0, "QFI\xfb\0\0\0\1", 8, qcow_names },
  { "qed", 0, "QED\0", 4, qed_names },
  { "vmdk", 0, "KDMV", 4, vmdk_names },
  { "vmdk", 0, "COWD", 4, vmdk_text_names },
  { "vmdk", 0, "# Disk DescriptorFile", 21, vmdk_text_names },
  { "vdi", 0x40, "\x7f\x10\xda\xbe", 4, names_nothing },
  { "vhdx", 0, "vhdxfile", 8, names_nothing },
  { "vpc", 0, "conectix", 8, names_nothing },
  { "parallels", 0, "WithoutFreeSpace", 16, names_nothing },
  { "parallels", 0, "WithouFreSpacExt", 16, names_nothing },
};

static int
read_header (int fd, struct header *h)
{
  ssize_t r;

  memset (h, 0, sizeof *h);
  h->fd = fd;
  while (h->n < sizeof h->b) {
    r = pread (fd, h->b + h->n, sizeof h->b - h->n, h->n);
    if (r == -1 && errno == EINTR)
      continue;
    if (r == -1)
      return -1;
    if (r == 0)
      break;
    h->n += r;
  }
  return 0;
}

/* The exponent of the cluster size is at 20; only version 3 has the mark.  With the data in a file of their own
 * (bit 2 of the word at 76) it may need space there. */
int
zfi_probe_cluster (int fd)
{
  struct header h;
  uint32_t bits;

  if (read_header (fd, &h) == -1 || h.n < 24 || memcmp (h.b, "QFI\xfb", 4) != 0 || be32_at (&h, 4) < 3
      || (h.n >= 80 && (be32_at (&h, 76) & 4)))
    return 0;
  bits = be32_at (&h, 20);
  return bits >= 9 && bits <= 21 ? 1 << bits : 0;
}

const char *
zfi_probe_format (int fd, const char **names, int64_t *size)
{
  struct header h;

  *names = NULL;
  *size = -1;
  if (read_header (fd, &h) == -1)
    return NULL;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    const struct format *f = &formats[i];

    if (f->offset + f->magic_size > h.n || memcmp (h.b + f->offset, f->magic, f->magic_size) != 0)
      continue;
    *names = f->names (&h);
    if (f->names == qcow2_names)
      *size = be64_at (&h, 24) <= INT64_MAX ? (int64_t) be64_at (&h, 24) : -1;
    return f->name;
  }
  *size = lseek (fd, 0, SEEK_END);
  return "raw";
}
