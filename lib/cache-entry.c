/* An entry of the appliance's cache: sealing it when it is made, and telling whether it is still the same.
 *
 * The manifest has a line for each file: "NAME SIZE MTIME CTIME INODE CRC32 SHA256", times in nanoseconds.
 * As long as ctime and inode are those of the seal nothing can have written to the file, and its contents
 * are not read again.  Else (a copied cache, a file put back with its old times) the CRC decides.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nettle/sha2.h>

#include "cache.h"

#define MAGIC "zerofish cache 1"

/* One line of the manifest. */
struct seal {
  char name[16];
  int64_t size, mtime, ctime;
  uint64_t inode;
  uint32_t crc;
  char sha256[2 * SHA256_DIGEST_SIZE + 1];
};

static char * __attribute__ ((format (printf, 1, 2)))
why (const char *fs, ...)
{
  va_list args;
  char *s;

  va_start (args, fs);
  if (vasprintf (&s, fs, args) == -1)
    s = strdup ("no memory");
  va_end (args);
  return s;
}

static int64_t
nanoseconds (const struct timespec *t)
{
  return (int64_t) t->tv_sec * 1000000000 + t->tv_nsec;
}

/* Open a file of the entry for reading, if it is what it should be.  Its fd, or -1 with *REASON. */
static int
open_file (const char *entry, const char *name, struct stat *st, char **reason)
{
  char *path = NULL;
  int fd;

  *reason = NULL;
  if (asprintf (&path, "%s/%s", entry, name) == -1) {
    *reason = why ("no memory");
    return -1;
  }
  fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (fd == -1 || fstat (fd, st) == -1)
    *reason = why ("%s: %s", path, errno == ELOOP ? "is a symbolic link" : strerror (errno));
  else if (!S_ISREG (st->st_mode))
    *reason = why ("%s is not a regular file", path);
  else if (st->st_uid != geteuid ())
    *reason = why ("%s belongs to user %lu", path, (unsigned long) st->st_uid);
  else if (st->st_mode & 022)
    *reason = why ("%s can be written by others (mode %04o)", path, (unsigned) st->st_mode & 07777);
  free (path);
  if (*reason == NULL)
    return fd;
  if (fd != -1)
    close (fd);
  return -1;
}

/* CRC, and if SHA256 is not NULL that too, of all that FD holds; -1 with errno. */
static int
read_sums (int fd, uint32_t *crc, char *sha256)
{
  enum { SIZE = 256 * 1024 };
  unsigned char *buf = malloc (SIZE);
  uint8_t digest[SHA256_DIGEST_SIZE];
  struct sha256_ctx ctx;
  ssize_t n;

  if (buf == NULL)
    return -1;
  *crc = 0;
  sha256_init (&ctx);
  while ((n = read (fd, buf, SIZE)) > 0 || (n == -1 && errno == EINTR)) {
    if (n == -1)
      continue;
    *crc = zfi_crc32 (*crc, buf, (size_t) n);
    if (sha256 != NULL)
      sha256_update (&ctx, (size_t) n, buf);
  }
  free (buf);
  if (sha256 != NULL) {
    sha256_digest (&ctx, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
      sprintf (sha256 + 2 * i, "%02x", digest[i]);
  }
  return n == -1 ? -1 : 0;
}

/* --- checking --- */

static char *
check_file (const char *entry, const struct seal *seal)
{
  struct stat st;
  uint32_t crc;
  char *reason;
  int fd = open_file (entry, seal->name, &st, &reason);

  if (fd == -1)
    return reason;
  if (st.st_size != seal->size)
    reason = why ("%s/%s has %lld bytes and not %" PRId64, entry, seal->name, (long long) st.st_size,
                  seal->size);
  else if (nanoseconds (&st.st_mtim) != seal->mtime)
    reason = why ("%s/%s was modified", entry, seal->name);
  else if (nanoseconds (&st.st_ctim) != seal->ctime || st.st_ino != seal->inode) {
    if (read_sums (fd, &crc, NULL) == -1)
      reason = why ("%s/%s: %s", entry, seal->name, strerror (errno));
    else if (crc != seal->crc)
      reason = why ("%s/%s has other contents than when it was made", entry, seal->name);
  }
  close (fd);
  return reason;
}

static bool
parse_seal (const char *line, struct seal *seal)
{
  return sscanf (line, "%15s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNu64 " %" SCNx32 " %64s", seal->name,
                 &seal->size, &seal->mtime, &seal->ctime, &seal->inode, &seal->crc, seal->sha256) == 7;
}

static char *
check_lines (const char *entry, const struct cache_kind *kind, FILE *fp)
{
  struct seal seal;
  char line[256], *reason;

  if (fgets (line, sizeof line, fp) == NULL || strcmp (line, MAGIC "\n") != 0)
    return why ("%s/manifest is damaged", entry);
  for (size_t i = 0; kind->files[i] != NULL; i++) {
    if (fgets (line, sizeof line, fp) == NULL || !parse_seal (line, &seal)
        || strcmp (seal.name, kind->files[i]) != 0)
      return why ("%s/manifest is damaged", entry);
    if ((reason = check_file (entry, &seal)) != NULL)
      return reason;
  }
  return NULL;
}

char *
zfi_cache_check (const char *entry, const struct cache_kind *kind, bool *missing)
{
  struct stat st;
  char *reason;
  FILE *fp;
  int fd;

  *missing = lstat (entry, &st) == -1 && errno == ENOENT;
  if (*missing)
    return why ("there is none yet");
  if ((fd = open_file (entry, "manifest", &st, &reason)) == -1)
    return reason;
  if ((fp = fdopen (fd, "r")) == NULL) {
    close (fd);
    return why ("no memory");
  }
  reason = check_lines (entry, kind, fp);
  fclose (fp);
  return reason;
}

void
zfi_cache_touch (const char *entry)
{
  utimensat (AT_FDCWD, entry, NULL, AT_SYMLINK_NOFOLLOW);
}

/* --- sealing --- */

/* What the script made, to the disk, with a mode that no umask changed, and into the manifest. */
static char *
seal_file (const char *entry, const char *name, FILE *fp)
{
  struct seal seal = { .size = 0 };
  struct stat st;
  char *reason;
  int fd = open_file (entry, name, &st, &reason);

  if (fd == -1)
    return reason;
  if (st.st_size == 0)
    reason = why ("%s/%s is empty", entry, name);
  else if (fchmod (fd, 0644) == -1 || fsync (fd) == -1 || fstat (fd, &st) == -1
           || read_sums (fd, &seal.crc, seal.sha256) == -1)
    reason = why ("%s/%s: %s", entry, name, strerror (errno));
  else
    fprintf (fp, "%s %lld %" PRId64 " %" PRId64 " %llu %08" PRIx32 " %s\n", name, (long long) st.st_size,
             nanoseconds (&st.st_mtim), nanoseconds (&st.st_ctim), (unsigned long long) st.st_ino, seal.crc,
             seal.sha256);
  close (fd);
  return reason;
}

/* A new file for writing; NULL with errno. */
static FILE *
create_manifest (const char *entry)
{
  char *path = NULL;
  FILE *fp = NULL;
  int fd;

  if (asprintf (&path, "%s/manifest", entry) == -1)
    return NULL;
  fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  free (path);
  if (fd == -1)
    return NULL;
  fchmod (fd, 0644);            /* whatever the umask is */
  if ((fp = fdopen (fd, "w")) == NULL)
    close (fd);
  return fp;
}

char *
zfi_cache_seal (const char *entry, const struct cache_kind *kind)
{
  FILE *fp = create_manifest (entry);
  char *reason = NULL;
  int dir;

  if (fp == NULL)
    return why ("cannot make %s/manifest: %s", entry, strerror (errno));
  fputs (MAGIC "\n", fp);
  for (size_t i = 0; reason == NULL && kind->files[i] != NULL; i++)
    reason = seal_file (entry, kind->files[i], fp);
  if ((ferror (fp) || fflush (fp) == EOF || fsync (fileno (fp)) == -1) && reason == NULL)
    reason = why ("cannot write %s/manifest: %s", entry, strerror (errno));
  fclose (fp);
  dir = open (entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir != -1) {
    fsync (dir);
    close (dir);
  }
  return reason;
}
