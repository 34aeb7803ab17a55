/* Reading an archive and making its files, in a child that is rooted in the sysroot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tar.h"

struct unpack {
  struct call *c;
  const struct tar_job *job;
  struct archive *in, *out;
  struct dated *dated;
};

/* A directory that was there before, and its time in the archive: libarchive sets it, and then makes files in
 * it. */
struct dated {
  struct dated *next;
  struct timespec mtime;
  char name[];
};

/* Set the error that libarchive has.  NAME: of the file, or NULL. */
static int
archive_failed (struct unpack *u, struct archive *a, const char *name)
{
  const int err = archive_errno (a);
  const char *text = archive_error_string (a);

  return call_refuse (u->c, err > 0 && err < 4096 ? err : EINVAL, "%s%s%s", name ? name : "the archive", ": ",
                      text ? text : "failed without a message");
}

/* Names are relative to the directory, whatever they begin with. */
static const char *
relative (const char *name)
{
  name += strspn (name, "/");
  return name[0] != '\0' ? name : ".";
}

static int
clean_names (struct unpack *u, struct archive_entry *e)
{
  const char *name = archive_entry_pathname (e), *link = archive_entry_hardlink (e);

  if (name == NULL)
    return call_refuse (u->c, EILSEQ, "the archive holds a name that cannot be read");
  if (name[0] == '/' && (name = call_strdup (u->c, relative (name))) == NULL)
    return -1;
  archive_entry_copy_pathname (e, name);
  if (link != NULL && link[0] == '/') {
    if ((link = call_strdup (u->c, relative (link))) == NULL)
      return -1;
    archive_entry_copy_hardlink (e, link);
  }
  return 0;
}

/* Leave out what is not wanted. */
static void
filter_attributes (const struct tar_job *job, struct archive_entry *e)
{
  struct archive_entry *all;
  const char *name;
  const void *value;
  size_t size;

  if (!job->acls)
    archive_entry_acl_clear (e);
  if (archive_entry_xattr_count (e) == 0 || (all = archive_entry_clone (e)) == NULL)
    return;
  archive_entry_xattr_clear (e);
  archive_entry_xattr_reset (all);
  while (archive_entry_xattr_next (all, &name, &value, &size) == ARCHIVE_OK)
    if (tar_wants_xattr (job, name))
      archive_entry_xattr_add_entry (e, name, value, size);
  archive_entry_free (all);
}

static int
remember_time (struct unpack *u, struct archive_entry *e)
{
  const char *name = archive_entry_pathname (e);
  struct dated *d;
  struct stat st;

  if (archive_entry_filetype (e) != AE_IFDIR || !archive_entry_mtime_is_set (e)
      || lstat (name, &st) == -1 || !S_ISDIR (st.st_mode))
    return 0;
  if ((d = malloc (sizeof *d + strlen (name) + 1)) == NULL)
    return call_error (u->c, ENOMEM, "%s", name);
  strcpy (d->name, name);
  d->mtime = (struct timespec) { archive_entry_mtime (e), archive_entry_mtime_nsec (e) };
  d->next = u->dated;
  u->dated = d;
  return 0;
}

/* The last ones first: they may lie in others. */
static void
set_times (const struct unpack *u)
{
  for (const struct dated *d = u->dated; d != NULL; d = d->next)
    utimensat (AT_FDCWD, d->name, (const struct timespec[]) { { .tv_nsec = UTIME_OMIT }, d->mtime },
               AT_SYMLINK_NOFOLLOW);
}

/* What follows the header.  Gaps become holes. */
static int
copy_data (struct unpack *u, const char *name)
{
  const void *p;
  size_t n;
  la_int64_t offset;
  int r;

  while ((r = archive_read_data_block (u->in, &p, &n, &offset)) == ARCHIVE_OK) {
    if (call_poll (u->c) == -1)
      return -1;
    if (archive_write_data_block (u->out, p, n, offset) < ARCHIVE_OK)
      return archive_failed (u, u->out, name);
  }
  return r == ARCHIVE_EOF ? 0 : archive_failed (u, u->in, name);
}

/* Make one file. */
static int
extract (struct unpack *u, struct archive_entry *e)
{
  const char *name;
  int r;

  if (call_poll (u->c) == -1 || clean_names (u, e) == -1)
    return -1;
  filter_attributes (u->job, e);
  name = archive_entry_pathname (e);
  if (remember_time (u, e) == -1)
    return -1;
  r = archive_write_header (u->out, e);
  if (r < ARCHIVE_OK)
    return archive_failed (u, u->out, name);
  if (archive_entry_size (e) > 0 && copy_data (u, name) == -1)
    return -1;
  return archive_write_finish_entry (u->out) < ARCHIVE_OK ? archive_failed (u, u->out, name) : 0;
}

/* The sender is not to be stopped by the end of the archive: zeroes may follow it. */
static void
drain (int fd)
{
  char buf[4096];
  ssize_t n;

  do
    n = read (fd, buf, sizeof buf);
  while (n > 0 || (n == -1 && errno == EINTR));
}

static int
extract_all (struct unpack *u)
{
  struct archive_entry *e;
  int r;

  while ((r = archive_read_next_header (u->in, &e)) >= ARCHIVE_WARN && r != ARCHIVE_EOF)
    if (extract (u, e) == -1)
      return -1;
  if (r != ARCHIVE_EOF)
    return archive_failed (u, u->in, NULL);
  if (archive_write_close (u->out) < ARCHIVE_OK)
    return archive_failed (u, u->out, u->job->path);
  set_times (u);
  drain (u->job->pipe[0]);
  return syncfs (u->job->directory) == -1 ? call_error (u->c, errno, "cannot flush %s", u->job->path) : 0;
}

static int
open_archives (struct unpack *u)
{
  int flags = ARCHIVE_EXTRACT_OWNER | ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SPARSE |
    ARCHIVE_EXTRACT_SECURE_NODOTDOT;

  if (u->job->acls)
    flags |= ARCHIVE_EXTRACT_ACL;
  if (u->job->xattrs || u->job->selinux)
    flags |= ARCHIVE_EXTRACT_XATTR;
  u->in = archive_read_new ();
  u->out = archive_write_disk_new ();
  if (u->in == NULL || u->out == NULL)
    return call_error (u->c, ENOMEM, "cannot unpack into %s", u->job->path);
  archive_read_support_format_tar (u->in);
  archive_read_support_format_empty (u->in);
  if (u->job->filter != NULL && u->job->filter->unpack (u->in) < ARCHIVE_WARN)
    return archive_failed (u, u->in, NULL);
  if (archive_write_disk_set_options (u->out, flags) != ARCHIVE_OK)
    return archive_failed (u, u->out, NULL);
  if (archive_read_open_fd (u->in, u->job->pipe[0], 65536) != ARCHIVE_OK)
    return archive_failed (u, u->in, NULL);
  return 0;
}

/* The memory goes with the process. */
int
tar_unpack (struct call *c, void *opaque)
{
  struct unpack u = { .c = c, .job = opaque };

  close (u.job->pipe[1]);
  if (tar_enter (c, u.job) == -1 || open_archives (&u) == -1)
    return -1;
  return extract_all (&u);
}
