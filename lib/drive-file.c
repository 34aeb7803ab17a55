/* Local image files and host block devices: what they are, whether they can be used, their names and their
 * lengths.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "drive.h"

bool
zfi_known_format (const char *format)
{
  static const char *const formats[] = { "raw", "qcow2", "qcow", "qed", "vmdk", "vdi", "vpc", "vhdx",
                                         "parallels" };

  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp (format, formats[i]) == 0)
      return true;
  return false;
}

char *
zfi_absolute_path (zf_handle *h, const char *name)
{
  char *dir = NULL, *path = NULL;

  if (name[0] == '/')
    path = strdup (name);
  else if ((dir = getcwd (NULL, 0)) != NULL && asprintf (&path, "%s/%s", dir, name) == -1)
    path = NULL;
  if (path == NULL)
    zfi_perror (h, errno, "%s", name);
  free (dir);
  return path;
}

int
zfi_open_image (zf_handle *h, const char *name, struct stat *st)
{
  int fd;

  if (name[0] == '\0')
    return zfi_error (h, EINVAL, "the file name is empty");
  /* Opening a FIFO or a character device can block or do something, so look first. */
  if (stat (name, st) == -1)
    return zfi_perror (h, errno, "%s", name);
  if (S_ISDIR (st->st_mode))
    return zfi_error (h, EISDIR, "%s: this is a directory; an image file or block device is meant", name);
  if (!S_ISREG (st->st_mode) && !S_ISBLK (st->st_mode))
    return zfi_error (h, EINVAL, "%s: this is neither a regular file nor a block device", name);
  fd = open (name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd == -1)
    return zfi_perror (h, errno, "%s", name);
  if (fstat (fd, st) == -1 || (!S_ISREG (st->st_mode) && !S_ISBLK (st->st_mode))) {
    close (fd);
    return zfi_error (h, EINVAL, "%s: the file changed while it was opened", name);
  }
  return fd;
}

bool
zfi_drive_is_file (const struct zf_drive *d, uint64_t dev, uint64_t ino)
{
  struct stat st;

  /* The number of a file that was removed may be in use again, so the name counts too. */
  return !d->scratch && d->nbd == NULL && d->dev == dev && d->ino == ino
    && stat (d->path, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

/* --- is it in use? --- */

/* qemu and its tools lock single bytes of an image that they use: at 100 + N for a permission that they
 * have, at 200 + N for one that they do not let others have.  Permission 1 is writing, 3 is resizing. */
enum { LOCK_HAS_WRITE = 101, LOCK_HAS_RESIZE = 103, LOCK_NO_WRITE = 201 };

static bool
is_locked (int fd, off_t byte)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1 };

  return fcntl (fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int
check_file_use (zf_handle *h, const struct zf_drive *d, int fd)
{
  bool written = is_locked (fd, LOCK_HAS_WRITE) || is_locked (fd, LOCK_HAS_RESIZE);

  if (d->readonly) {
    if (written)
      zfi_warning (h, "%s is in use by another program, which may write to it: what is read may be "
                   "inconsistent", d->path);
    return 0;
  }
  if (written || is_locked (fd, LOCK_NO_WRITE))
    return zfi_error (h, EBUSY, "%s is in use by another program (a running virtual machine?): "
                      "stop that first, or add the image read-only", d->path);
  return 0;
}

/* A host block device that is mounted, or part of a volume group or array, cannot be opened exclusively. */
static int
check_device_use (zf_handle *h, const struct zf_drive *d)
{
  int fd;

  if (d->readonly)
    return 0;
  fd = open (d->path, O_RDONLY | O_EXCL | O_CLOEXEC | O_NONBLOCK);
  if (fd == -1)
    return zfi_perror (h, errno, errno == EBUSY ? "%s is in use by this machine (mounted, or part of a "
                       "volume group)" : "%s", d->path);
  close (fd);
  return 0;
}

static int
check_use (zf_handle *h, const struct zf_drive *d, int fd)
{
  if (!d->readonly && faccessat (AT_FDCWD, d->path, W_OK, AT_EACCESS) == -1)
    return zfi_perror (h, errno, "%s cannot be written to (add it read-only?)", d->path);
  for (size_t i = 0; i < h->nr_drives; i++) {
    const struct zf_drive *o = h->drives[i];

    if (!o->readonly && !d->readonly && zfi_drive_is_file (o, d->dev, d->ino))
      return zfi_error (h, EBUSY, "%s was already added (as %s)", d->path, o->path);
  }
  return d->block_device ? check_device_use (h, d) : check_file_use (h, d, fd);
}

/* --- what is it? --- */

static int
choose_format (zf_handle *h, struct zf_drive *d, int fd, const char *format)
{
  const char *names, *found;
  int64_t size;

  found = zfi_probe_format (fd, &names, &size);
  if (found == NULL)
    return zfi_perror (h, errno, "%s", d->path);
  if (format == NULL && names != NULL)
    return zfi_error (h, EPERM, "%s looks like a %s image that names %s, which a guest may have written "
                      "there; if you trust it, state the format \"%s\"; if this is a raw disk, state \"raw\"",
                      d->path, found, names, found);
  if (format == NULL)
    zfi_verbose (h, "%s: format %s", d->path, found);
  else if (strcmp (format, "raw") == 0)
    size = lseek (fd, 0, SEEK_END);
  else if (strcmp (format, found) != 0 && strcmp (format, "vpc") != 0)
    return zfi_error (h, EINVAL, "%s is not a %s image (it looks like %s)", d->path, format, found);
  d->format = strdup (format ? format : found);
  if (d->format == NULL)
    return zfi_perror (h, errno, "out of memory");
  d->detected = format == NULL;
  if (size >= 0 && size % d->blocksize != 0 && d->blocksize > 512)
    return zfi_error (h, EINVAL, "%s: its size of %lld bytes is no multiple of the block size %d", d->path,
                      (long long) size, d->blocksize);
  return 0;
}

int
zfi_drive_look (zf_handle *h, struct zf_drive *d, const char *format)
{
  struct stat st;
  int fd = zfi_open_image (h, d->path, &st), r = -1;

  if (fd == -1)
    return -1;
  d->block_device = S_ISBLK (st.st_mode);
  d->dev = st.st_dev;
  d->ino = st.st_ino;
  if (lseek (fd, 0, SEEK_END) == 0)
    zfi_error (h, EINVAL, "%s is empty: an image of 0 bytes cannot be a disk (give it a size first)",
               d->path);
  else if (choose_format (h, d, fd, format) == 0) {
    d->cluster = strcmp (d->format, "qcow2") == 0 ? zfi_probe_cluster (fd) : 0;
    r = check_use (h, d, fd);
  }
  close (fd);
  return r;
}

/* --- names for the emulator --- */

/* Length of the UTF-8 sequence at S, or 0 if it is not valid. */
static size_t
utf8_length (const unsigned char *s)
{
  size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3
    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80)
      return 0;
  /* Too long for what it says, a surrogate, or past the last character. */
  if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90)
      || (s[0] == 0xf4 && s[1] > 0x8f))
    return 0;
  return n;
}

static bool
is_utf8 (const char *text)
{
  const unsigned char *s = (const unsigned char *) text;
  size_t n;

  for (; *s != '\0'; s += n)
    if ((n = utf8_length (s)) == 0)
      return false;
  return true;
}

/* Characters that XML cannot carry. */
static bool
has_controls (const char *s)
{
  for (; *s != '\0'; s++)
    if ((unsigned char) *s < ' ' || *s == 0x7f)
      return true;
  return false;
}

/* A detected format was found safe when the drive was added; a guest that runs on the image may have
 * changed the header since. */
static int
check_unchanged (zf_handle *h, const struct zf_drive *d)
{
  const char *names, *format;
  struct stat st;
  int64_t size;
  int fd;

  if (!d->detected)
    return 0;
  if ((fd = zfi_open_image (h, d->path, &st)) == -1)
    return -1;
  format = zfi_probe_format (fd, &names, &size);
  close (fd);
  if (format == NULL)
    return zfi_perror (h, errno, "%s", d->path);
  if (names != NULL || strcmp (format, d->format) != 0)
    return zfi_error (h, EPERM, "%s was a %s image when it was added, and has changed: state its format",
                      d->path, d->format);
  return 0;
}

char *
zfi_drive_filename (zf_handle *h, size_t index)
{
  const struct zf_drive *d = h->drives[index];
  char *name;

  if (check_unchanged (h, d) == -1)
    return NULL;
  if (is_utf8 (d->path) && !has_controls (d->path)) {
    name = strdup (d->path);
    if (name == NULL)
      zfi_perror (h, errno, "out of memory");
    return name;
  }
  if (asprintf (&name, "%s/drive%zu", h->workdir, index) == -1) {
    zfi_perror (h, ENOMEM, "out of memory");
    return NULL;
  }
  /* The machine may be started twice in one launch (a second accelerator). */
  unlink (name);
  if (symlink (d->path, name) == -1) {
    zfi_perror (h, errno, "%s", name);
    free (name);
    return NULL;
  }
  return name;
}

/* --- lengths --- */

/* Raw files that the emulator rounds up to 512 bytes as soon as their last sector is written. */
static bool
may_be_odd (const struct zf_drive *d)
{
  return !d->readonly && !d->scratch && d->nbd == NULL && !d->block_device && strcmp (d->format, "raw") == 0;
}

void
zfi_drives_opened (zf_handle *h)
{
  struct stat st;

  for (size_t i = 0; i < h->nr_drives; i++) {
    struct zf_drive *d = h->drives[i];

    d->odd_size = may_be_odd (d) && stat (d->path, &st) == 0 && st.st_size % 512 != 0 ? st.st_size : 0;
  }
}

static bool
is_padding (int fd, off_t start, size_t n)
{
  char tail[512];

  if (pread (fd, tail, n, start) != (ssize_t) n)
    return false;
  for (size_t i = 0; i < n; i++)
    if (tail[i] != 0)
      return false;
  return true;
}

static void
put_length_back (zf_handle *h, const struct zf_drive *d)
{
  int fd = open (d->path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  off_t padded = (d->odd_size + 511) / 512 * 512;
  struct stat st;

  if (fd == -1 || fstat (fd, &st) == -1)
    zfi_warning (h, "%s: its length could not be put back to %lld bytes: %s", d->path,
                 (long long) d->odd_size, strerror (errno));
  else if (S_ISREG (st.st_mode) && st.st_dev == d->dev && st.st_ino == d->ino && st.st_size == padded) {
    if (!is_padding (fd, d->odd_size, padded - d->odd_size))
      zfi_warning (h, "%s is now %lld bytes long: data was written past its former end at %lld", d->path,
                   (long long) padded, (long long) d->odd_size);
    else if (ftruncate (fd, d->odd_size) == -1)
      zfi_warning (h, "%s: its length could not be put back to %lld bytes: %s", d->path,
                   (long long) d->odd_size, strerror (errno));
  }
  if (fd != -1)
    close (fd);
}

void
zfi_drives_closed (zf_handle *h)
{
  for (size_t i = 0; i < h->nr_drives; i++)
    if (h->drives[i]->odd_size != 0) {
      put_length_back (h, h->drives[i]);
      h->drives[i]->odd_size = 0;
    }
}
