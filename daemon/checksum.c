/* Checksums of files and devices.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>

#include "actions.h"
#include "crc.h"
#include "io.h"

enum { BLOCK = 1024 * 1024, ALIGNMENT = 4096 };

/* NULL with the error set: unknown.  *CRC is set for the one that is not a hash. */
static const struct nettle_hash *
find_hash (struct call *c, const char *type, bool *crc)
{
  static const struct nettle_hash *const hashes[] = {
    &nettle_md5, &nettle_sha1, &nettle_sha224, &nettle_sha256, &nettle_sha384, &nettle_sha512,
  };

  *crc = strcmp (type, "crc") == 0;
  for (size_t i = 0; i < sizeof hashes / sizeof hashes[0] && !*crc; i++)
    if (strcmp (hashes[i]->name, type) == 0)
      return hashes[i];
  if (!*crc)
    call_refuse (c, EINVAL, "unknown type of checksum \"%s\": use crc, md5, sha1, sha224, sha256, sha384 or "
                 "sha512", type);
  return NULL;
}

/* Read all of FD and pass it to the hash, or to the CRC if HASH is NULL. */
static int
feed (struct call *c, const char *name, int fd, uint64_t size, const struct nettle_hash *hash, void *state)
{
  char *buf = aligned_alloc (ALIGNMENT, BLOCK);
  uint64_t offset = 0;
  ssize_t n = 0;
  int r = 0;

  if (buf == NULL)
    return call_error (c, ENOMEM, "cannot get memory to read %s", name);
  while (r == 0 && (n = io_read (c, name, fd, buf, BLOCK, offset)) > 0) {
    if (hash)
      hash->update (state, (size_t) n, (const uint8_t *) buf);
    else
      cksum_update (state, (size_t) n, (const uint8_t *) buf);
    offset += (uint64_t) n;
    r = call_progress (c, offset, size > offset ? size : offset);
    if (n < BLOCK)
      break;
  }
  free (buf);
  return n == -1 ? -1 : r;
}

static char *
hex (struct call *c, const uint8_t *digest, size_t n)
{
  char *text = call_alloc (c, n * 2 + 1);

  for (size_t i = 0; text != NULL && i < n; i++) {
    text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

static char *
checksum_fd (struct call *c, const char *name, int fd, uint64_t size, const struct nettle_hash *hash)
{
  void *state = call_alloc (c, hash ? hash->context_size : sizeof (struct cksum));
  uint8_t digest[SHA512_DIGEST_SIZE];

  if (state == NULL)
    return NULL;
  if (hash)
    hash->init (state);
  else
    cksum_init (state);
  if (feed (c, name, fd, size, hash, state) == -1)
    return NULL;
  if (!hash)
    return call_printf (c, "%" PRIu32, cksum_end (state));
  hash->digest (state, hash->digest_size, digest);
  return hex (c, digest, hash->digest_size);
}

char *
do_checksum (struct call *c, const char *csumtype, const char *path)
{
  bool crc;
  const struct nettle_hash *hash = find_hash (c, csumtype, &crc);
  struct stat st;
  char *r = NULL;
  int fd;

  if ((hash == NULL && !crc) || (fd = sysroot_open_regular (c, path, O_RDONLY, 0)) == -1)
    return NULL;
  if (fstat (fd, &st) == -1)
    call_error (c, errno, "%s", path);
  else
    r = checksum_fd (c, path, fd, (uint64_t) st.st_size, hash);
  close (fd);
  return r;
}

char *
do_checksum_device (struct call *c, const char *csumtype, struct device *dev)
{
  bool crc;
  const struct nettle_hash *hash = find_hash (c, csumtype, &crc);
  uint64_t size;
  unsigned block;
  char *r = NULL;
  int fd;

  if ((hash == NULL && !crc) || device_flush_caches (c, dev) == -1 ||
      (fd = device_open (c, dev, O_RDONLY | O_DIRECT)) == -1)
    return NULL;
  if (device_geometry (c, dev, fd, &size, &block) == 0)
    r = checksum_fd (c, dev->name, fd, size, hash);
  close (fd);
  return r;
}
