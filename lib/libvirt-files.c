/* The files of a launch under libvirt: sockets, copies of the kernel and initramfs, overlays, and who may use them.
 *
 * The emulator may run as another user than we.  That user gets what it needs and nobody else anything.
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

#include "libvirt.h"

enum { SCRATCH_SIZE = 4096, COPY_MAX = 1 << 30 };

/* --- who may use them --- */

/* Give user UID the permissions PERM (4 read, 2 write, 1 search) on PATH, which is ours, by an access control list. */
static int
grant_acl (const char *path, uid_t uid, unsigned perm)
{
  struct {
    struct posix_acl_xattr_header head;
    struct posix_acl_xattr_entry e[5];
  } acl = {
    { POSIX_ACL_XATTR_VERSION },
    { { ACL_USER_OBJ, 7, ACL_UNDEFINED_ID }, { ACL_USER, perm, uid }, { ACL_GROUP_OBJ, 0, ACL_UNDEFINED_ID },
      { ACL_MASK, perm, ACL_UNDEFINED_ID }, { ACL_OTHER, 0, ACL_UNDEFINED_ID } }
  };

  return setxattr (path, "system.posix_acl_access", &acl, sizeof acl, 0);
}

/* The emulator may use PATH as PERM says.  Root hands it over, which all filesystems can do. */
static int
grant (zf_handle *h, const struct virt_files *f, const char *path, unsigned perm)
{
  if (!f->foreign)
    return 0;
  if (geteuid () == 0 ? chown (path, f->caps.uid, -1) == -1 : grant_acl (path, f->caps.uid, perm) == -1)
    return zfi_perror (h, errno, "%s: cannot let the emulator's user (uid %u) use it", path,
                       (unsigned) f->caps.uid);
  return 0;
}

/* May the emulator's user read (and write) the file ST?  Its further groups are not known: then the answer is no. */
static bool
may_use (const struct virt_files *f, const struct stat *st, bool write)
{
  unsigned want = write ? 6 : 4, have;

  if (!f->foreign || f->caps.uid == 0)
    return true;
  have = st->st_uid == f->caps.uid ? st->st_mode >> 6 : st->st_gid == f->caps.gid ? st->st_mode >> 3 : st->st_mode;
  return (have & want) == want;
}

/* --- files --- */

/* WORKDIR/NAME, or NULL with the error set. */
static char *
in_workdir (zf_handle *h, const char *name)
{
  char *path;

  if (asprintf (&path, "%s/%s", h->workdir, name) != -1)
    return path;
  zfi_perror (h, ENOMEM, "%s", name);
  return NULL;
}

static int
copy_data (int in, int out, off_t size)
{
  off_t pos = 0, stop;
  ssize_t n;

  if (ftruncate (out, size) == -1)
    return -1;
  while (pos < size) {
    if ((pos = lseek (in, pos, SEEK_DATA)) == -1)
      return errno == ENXIO ? 0 : -1;
    if ((stop = lseek (in, pos, SEEK_HOLE)) == -1)
      return -1;
    while (pos < stop) {
      off_t to = pos;

      n = copy_file_range (in, &pos, out, &to, stop - pos > COPY_MAX ? COPY_MAX : stop - pos, 0);
      if (n <= 0)
        return -1;
    }
  }
  return 0;
}

char *
virt_files_copy (zf_handle *h, const char *from, const char *name)
{
  char *path = in_workdir (h, name);
  int in = -1, out = -1;
  struct stat st;
  bool ok;

  if (path == NULL)
    return NULL;
  ok = (in = open (from, O_RDONLY|O_CLOEXEC)) != -1 && fstat (in, &st) == 0
    && (out = open (path, O_WRONLY|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600)) != -1
    && copy_data (in, out, st.st_size) == 0;
  if (!ok)
    zfi_perror (h, errno, "copying %s to %s", from, path);
  if (in != -1)
    close (in);
  if (out != -1 && close (out) == -1 && ok) {
    ok = false;
    zfi_perror (h, errno, "%s", path);
  }
  if (ok)
    return path;
  free (path);
  return NULL;
}

/* Listen on the new socket NAME in the workdir; *PATH is its path.  The descriptor, or -1 with the error set. */
static int
listen_on (zf_handle *h, const struct virt_files *f, const char *name, char **path)
{
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  int fd;

  if ((*path = in_workdir (h, name)) == NULL)
    return -1;
  if (strlen (*path) >= sizeof addr.sun_path)
    return zfi_error (h, ENAMETOOLONG, "%s is too long for a socket: use a shorter directory for temporary files "
                      "(set-tmpdir, TMPDIR)", *path);
  strcpy (addr.sun_path, *path);
  fd = socket (AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK, 0);
  if (fd == -1 || bind (fd, (struct sockaddr *) &addr, sizeof addr) == -1 || chmod (*path, 0600) == -1
      || listen (fd, 1) == -1)
    zfi_perror (h, errno, "%s", *path);
  else if (grant (h, f, *path, 6) == 0)
    return fd;
  if (fd != -1)
    close (fd);
  return -1;
}

/* --- drives --- */

static int
make_scratch (zf_handle *h, const char *path)
{
  int fd = open (path, O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600), r = 0;

  if (fd == -1 || ftruncate (fd, SCRATCH_SIZE) == -1)
    r = zfi_perror (h, errno, "%s", path);
  if (fd != -1)
    close (fd);
  return r;
}

/* What the guest writes to a drive that is only read goes there.  That PATH names the image in its header is only how
 * it gets its size: the domain names it too. */
static int
make_overlay (zf_handle *h, const struct zf_drive *d, const char *image, const char *path)
{
  const char *argv[] = { "create", "-q", "-f", "qcow2", "-F", d->format, "-b", image, path, NULL };
  char *out = NULL;
  int r = zfi_qemu_img (h, argv, &out);

  free (out);
  return r;
}

static int
prepare_drive (zf_handle *h, struct virt_files *f, size_t i)
{
  const struct zf_drive *d = h->drives[i];
  struct virt_image *image = &f->images[i];
  struct stat st;
  char name[32];

  if (!d->scratch && d->nbd == NULL) {
    if ((image->name = zfi_drive_filename (h, i)) == NULL)
      return -1;
    if (stat (image->name, &st) == -1)
      return zfi_perror (h, errno, "%s", d->path);
    image->uid = st.st_uid;
    image->gid = st.st_gid;
    image->accessible = may_use (f, &st, !d->readonly);
  }
  if (!d->scratch && !d->readonly)
    return 0;
  snprintf (name, sizeof name, d->scratch ? "scratch%zu" : "overlay%zu", i);
  if ((image->overlay = in_workdir (h, name)) == NULL)
    return -1;
  return d->scratch ? make_scratch (h, image->overlay)
    : make_overlay (h, d, d->nbd != NULL ? d->uri : image->name, image->overlay);
}

int
virt_files_prepare (zf_handle *h, const struct zfi_appliance *a, struct virt_files *f)
{
  size_t i;

  f->channel_fd = f->console_fd = -1;
  f->foreign = f->caps.dac && f->caps.uid != geteuid ();
  if ((f->images = calloc (h->nr_drives + 1, sizeof *f->images)) == NULL)
    return zfi_perror (h, ENOMEM, "drives");
  f->nr_images = h->nr_drives;
  if (grant (h, f, h->workdir, 1) == -1
      || (f->channel_fd = listen_on (h, f, "channel", &f->channel)) == -1
      || (f->console_fd = listen_on (h, f, "console", &f->console)) == -1
      || (f->kernel = virt_files_copy (h, a->kernel, "kernel")) == NULL
      || (f->initrd = virt_files_copy (h, a->initrd, "initrd")) == NULL)
    return -1;
  for (i = 0; i < h->nr_drives; ++i)
    if (prepare_drive (h, f, i) == -1)
      return -1;
  return 0;
}

/* libvirt remembers owners only where the filesystem has attributes for that; elsewhere files become root's. */
void
virt_files_restore (zf_handle *h, struct virt_files *f)
{
  size_t i;

  for (i = 0; geteuid () == 0 && i < f->nr_images; ++i) {
    const struct virt_image *image = &f->images[i];
    struct stat st;

    if (image->name == NULL || image->accessible || stat (image->name, &st) == -1
        || (st.st_uid == image->uid && st.st_gid == image->gid))
      continue;
    if (chown (image->name, image->uid, image->gid) == -1)
      zfi_warning (h, "%s: its owner could not be put back to %u:%u: %s", image->name, (unsigned) image->uid,
                   (unsigned) image->gid, strerror (errno));
  }
}

void
virt_files_free (struct virt_files *f)
{
  size_t i;

  if (f->channel_fd > 0)
    close (f->channel_fd);
  if (f->console_fd > 0)
    close (f->console_fd);
  for (i = 0; i < f->nr_images; ++i) {
    free (f->images[i].name);
    free (f->images[i].overlay);
  }
  free (f->images);
  free (f->channel);
  free (f->console);
  free (f->kernel);
  free (f->initrd);
  *f = (struct virt_files) { .channel_fd = -1, .console_fd = -1 };
}
