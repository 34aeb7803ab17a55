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
#include <sys/mman.h>
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

/* Open a file of the entry for reading, if it is what it should be: nobody else has any of the rights in
 * FORBIDDEN.  Its fd, or -1 with *REASON. */
static int
open_file (const char *entry, const char *name, mode_t forbidden, struct stat *st, char **reason)
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
  else if (st->st_mode & forbidden)
    *reason = why ("%s can be %s by others (mode %04o)", path, forbidden & 044 ? "read" : "written",
                   (unsigned) st->st_mode & 07777);
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

int
zfi_cache_sum (int fd, uint32_t *crc)
{
  struct stat st;
  void *p;

  if (fstat (fd, &st) == -1)
    return -1;
  /* Mapped: a large file is not copied, and the offset is left to who reads it meanwhile. */
  if ((p = mmap (NULL, (size_t) st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED)
    return -1;
  madvise (p, (size_t) st.st_size, MADV_WILLNEED);
  *crc = zfi_crc32 (0, p, (size_t) st.st_size);
  munmap (p, (size_t) st.st_size);
  return 0;
}

/* --- checking --- */

static mode_t
forbidden_mode (const struct cache_kind *kind)
{
  return kind->private ? 077 : 022;
}

/* Does the file look as it was sealed?  NULL, or why not. */
static char *
check_stat (const char *entry, const struct seal *seal, const struct stat *st)
{
  if (st->st_size != seal->size)
    return why ("%s/%s has %lld bytes and not %" PRId64, entry, seal->name, (long long) st->st_size,
                seal->size);
  if (nanoseconds (&st->st_mtim) != seal->mtime)
    return why ("%s/%s was modified", entry, seal->name);
  return NULL;
}

static char *
check_file (const char *entry, const struct cache_kind *kind, const struct seal *seal)
{
  struct stat st;
  uint32_t crc;
  char *reason;
  int fd = open_file (entry, seal->name, forbidden_mode (kind), &st, &reason);

  if (fd == -1)
    return reason;
  if ((reason = check_stat (entry, seal, &st)) == NULL
      && (nanoseconds (&st.st_ctim) != seal->ctime || st.st_ino != seal->inode)) {
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

/* The manifest's line for the file NAME, which is the next. */
static bool
read_seal (FILE *fp, const char *name, struct seal *seal)
{
  char line[256];

  return fgets (line, sizeof line, fp) != NULL && parse_seal (line, seal) && strcmp (seal->name, name) == 0;
}

/* The entry's manifest, behind its first line; NULL with *REASON and *MISSING. */
static FILE *
open_manifest (const char *entry, const struct cache_kind *kind, bool *missing, char **reason)
{
  char line[256];
  struct stat st;
  FILE *fp;
  int fd;

  *missing = lstat (entry, &st) == -1 && errno == ENOENT;
  if (*missing) {
    *reason = why ("there is none yet");
    return NULL;
  }
  if ((fd = open_file (entry, "manifest", forbidden_mode (kind), &st, reason)) == -1)
    return NULL;
  if ((fp = fdopen (fd, "r")) == NULL) {
    close (fd);
    *reason = why ("no memory");
  } else if (fgets (line, sizeof line, fp) == NULL || strcmp (line, MAGIC "\n") != 0) {
    fclose (fp);
    fp = NULL;
    *reason = why ("%s/manifest is damaged", entry);
  }
  return fp;
}

char *
zfi_cache_check (const char *entry, const struct cache_kind *kind, bool *missing)
{
  struct seal seal;
  char *reason = NULL;
  FILE *fp = open_manifest (entry, kind, missing, &reason);

  if (fp == NULL)
    return reason;
  for (size_t i = 0; kind->files[i] != NULL && reason == NULL; i++)
    reason = read_seal (fp, kind->files[i], &seal) ? check_file (entry, kind, &seal)
                                                   : why ("%s/manifest is damaged", entry);
  fclose (fp);
  return reason;
}

int
zfi_cache_open (const char *entry, const struct cache_kind *kind, uint32_t *crc, bool *missing, char **reason)
{
  FILE *fp = open_manifest (entry, kind, missing, reason);
  struct seal seal;
  struct stat st;
  int fd = -1;

  if (fp == NULL)
    return -1;
  if (!read_seal (fp, kind->files[0], &seal))
    *reason = why ("%s/manifest is damaged", entry);
  else if ((fd = open_file (entry, seal.name, forbidden_mode (kind), &st, reason)) != -1
           && (*reason = check_stat (entry, &seal, &st)) != NULL) {
    close (fd);
    fd = -1;
  }
  fclose (fp);
  *crc = fd != -1 ? seal.crc : 0;
  return fd;
}

void
zfi_cache_touch (const char *entry)
{
  utimensat (AT_FDCWD, entry, NULL, AT_SYMLINK_NOFOLLOW);
}

/* --- sealing --- */

/* What the script made, to the disk, with a mode that no umask changed, and into the manifest. */
static char *
seal_file (const char *entry, const struct cache_kind *kind, const char *name, FILE *fp)
{
  struct seal seal = { .sha256 = "-" };
  struct stat st;
  char *reason;
  int fd = open_file (entry, name, forbidden_mode (kind), &st, &reason);

  if (fd == -1)
    return reason;
  if (st.st_size == 0)
    reason = why ("%s/%s is empty", entry, name);
  else if (fchmod (fd, kind->private ? 0600 : 0644) == -1 || (!kind->private && fsync (fd) == -1)
           || fstat (fd, &st) == -1
           || read_sums (fd, &seal.crc, kind->private ? NULL : seal.sha256) == -1)
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
create_manifest (const char *entry, const struct cache_kind *kind)
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
  fchmod (fd, kind->private ? 0600 : 0644);     /* whatever the umask is */
  if ((fp = fdopen (fd, "w")) == NULL)
    close (fd);
  return fp;
}

char *
zfi_cache_seal (const char *entry, const struct cache_kind *kind)
{
  FILE *fp = create_manifest (entry, kind);
  char *reason = NULL;
  int dir;

  if (fp == NULL)
    return why ("cannot make %s/manifest: %s", entry, strerror (errno));
  fputs (MAGIC "\n", fp);
  for (size_t i = 0; reason == NULL && kind->files[i] != NULL; i++)
    reason = seal_file (entry, kind, kind->files[i], fp);
  if ((ferror (fp) || fflush (fp) == EOF || (!kind->private && fsync (fileno (fp)) == -1)) && reason == NULL)
    reason = why ("cannot write %s/manifest: %s", entry, strerror (errno));
  fclose (fp);
  if (kind->private)
    return reason;
  dir = open (entry, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir != -1) {
    fsync (dir);
    close (dir);
  }
  return reason;
}
