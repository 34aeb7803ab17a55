/* Making an archive of a directory, in a child that is rooted in the sysroot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "tar.h"
#include "zero-target.h"

enum { BUFFER = 256 * 1024 };

struct pack {
  struct call *c;
  const struct tar_job *job;
  struct archive *in, *out, *match;
  struct archive_entry_linkresolver *links;
  char *buf;
};

/* libarchive's own definition stands beside a list of all formats that it writes, by which the static daemon
 * would get each of them, and an XML library. */
extern void __archive_write_entry_filetype_unsupported (struct archive *a, struct archive_entry *e,
                                                        const char *format);
void
__archive_write_entry_filetype_unsupported (struct archive *a, struct archive_entry *e, const char *format)
{
  archive_set_error (a, EINVAL, "%s archives cannot hold a file like %s", format, archive_entry_pathname (e));
}

static int
archive_failed (struct pack *p, struct archive *a)
{
  const int err = archive_errno (a);
  const char *text = archive_error_string (a);

  return call_refuse (p->c, err > 0 && err < 4096 ? err : EIO, "%s: %s", p->job->path,
                      text ? text : "failed without a message");
}

/* Leave out what is not wanted. */
static void
filter_attributes (const struct tar_job *job, struct archive_entry *e)
{
  struct archive_entry *all;
  const char *name;
  const void *value;
  size_t size;

  archive_entry_set_fflags (e, 0, 0);
  if (archive_entry_xattr_count (e) == 0 || (all = archive_entry_clone (e)) == NULL)
    return;
  archive_entry_xattr_clear (e);
  archive_entry_xattr_reset (all);
  while (archive_entry_xattr_next (all, &name, &value, &size) == ARCHIVE_OK)
    if (tar_wants_xattr (job, name))
      archive_entry_xattr_add_entry (e, name, value, size);
  archive_entry_free (all);
}

/* N bytes of the file, or of a hole if DATA is NULL: the writer leaves out those that it has listed as such. */
static int
put_data (struct pack *p, const char *data, uint64_t n)
{
  static const char zeroes[65536];
  size_t piece;

  for (; n > 0; n -= piece) {
    piece = data == NULL && n > sizeof zeroes ? sizeof zeroes : (size_t) n;
    if (call_poll (p->c) == -1)
      return -1;
    if (archive_write_data (p->out, data ? data : zeroes, piece) < 0)
      return archive_failed (p, p->out);
  }
  return 0;
}

/* SIZE bytes of the file FD; one that has become shorter is filled up with zeroes. */
static int
copy_data (struct pack *p, const char *name, int fd, uint64_t size)
{
  uint64_t done = 0;
  struct range r;
  ssize_t n;

  while (target_next_data (&fd, done, size, &r) == 1) {
    if (put_data (p, NULL, r.start - done) == -1)
      return -1;
    for (done = r.start; done < r.end; done += (uint64_t) n) {
      n = io_read (p->c, name, fd, p->buf, r.end - done < BUFFER ? (size_t) (r.end - done) : BUFFER, done);
      if (n == -1 || put_data (p, p->buf, (uint64_t) n) == -1)
        return -1;
      if (n == 0)
        return put_data (p, NULL, size - done);
    }
  }
  return put_data (p, NULL, size - done);
}

/* Add what F stands for; FD is open on a regular file, else -1. */
static int
add_entry (struct pack *p, const FTSENT *f, struct archive_entry *e, int fd)
{
  struct archive_entry *spare = NULL;

  archive_entry_copy_sourcepath (e, f->fts_accpath);
  if (archive_read_disk_entry_from_file (p->in, e, fd, f->fts_statp) < ARCHIVE_WARN)
    return archive_failed (p, p->in);
  filter_attributes (p->job, e);
  archive_entry_linkify (p->links, &e, &spare);
  if (archive_write_header (p->out, e) < ARCHIVE_WARN)
    return archive_failed (p, p->out);
  return archive_entry_size (e) > 0 ? copy_data (p, f->fts_path, fd, (uint64_t) archive_entry_size (e)) : 0;
}

static int
add_file (struct pack *p, FTS *tree, FTSENT *f, struct archive_entry *e)
{
  int fd = -1, r;

  archive_entry_clear (e);
  archive_entry_copy_pathname (e, f->fts_path);
  if (archive_match_path_excluded (p->match, e) == 1) {
    fts_set (tree, f, FTS_SKIP);
    return 0;
  }
  if (f->fts_info == FTS_F &&
      (fd = open (f->fts_accpath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) == -1)
    return call_error (p->c, errno, "%s", f->fts_path);
  r = add_entry (p, f, e, fd);
  if (fd != -1)
    close (fd);
  return r;
}

static int
by_name (const FTSENT **a, const FTSENT **b)
{
  return strcmp ((*a)->fts_name, (*b)->fts_name);
}

/* A directory's content follows it at once: else what unpacks the archive could not set the directory's time. */
static int
add_all (struct pack *p)
{
  char *const start[] = { (char *) ".", NULL };
  FTS *tree = fts_open (start, FTS_PHYSICAL, by_name);
  struct archive_entry *e = archive_entry_new ();
  FTSENT *f;

  if (tree == NULL || e == NULL)
    return call_error (p->c, errno, "cannot read %s", p->job->path);
  while ((f = fts_read (tree)) != NULL) {
    if (call_poll (p->c) == -1)
      return -1;
    if (f->fts_info == FTS_DNR || f->fts_info == FTS_ERR || f->fts_info == FTS_NS)
      return call_error (p->c, f->fts_errno, "%s", f->fts_path);
    if (f->fts_info == FTS_DP || S_ISSOCK (f->fts_statp->st_mode))
      continue;
    if (add_file (p, tree, f, e) == -1)
      return -1;
  }
  if (errno != 0)
    return call_error (p->c, errno, "cannot read %s", p->job->path);
  return archive_write_close (p->out) == ARCHIVE_OK ? 0 : archive_failed (p, p->out);
}

/* What is read of the files. */
static int
open_disk (struct pack *p)
{
  int flags = ARCHIVE_READDISK_NO_FFLAGS;

  if ((p->in = archive_read_disk_new ()) == NULL || (p->match = archive_match_new ()) == NULL
      || (p->buf = call_alloc (p->c, BUFFER)) == NULL)
    return call_error (p->c, ENOMEM, "cannot read %s", p->job->path);
  if (!p->job->xattrs && !p->job->selinux)
    flags |= ARCHIVE_READDISK_NO_XATTR;
  if (!p->job->acls)
    flags |= ARCHIVE_READDISK_NO_ACL;
  archive_read_disk_set_symlink_physical (p->in);
  archive_read_disk_set_behavior (p->in, flags);
  for (char *const *x = p->job->excludes; x != NULL && *x != NULL; x++)
    if (archive_match_exclude_pattern (p->match, *x) != ARCHIVE_OK)
      return archive_failed (p, p->match);
  return 0;
}

static int
open_archive (struct pack *p)
{
  if ((p->out = archive_write_new ()) == NULL || (p->links = archive_entry_linkresolver_new ()) == NULL)
    return call_error (p->c, ENOMEM, "cannot make an archive of %s", p->job->path);
  archive_write_set_format_pax_restricted (p->out);
  if (p->job->filter != NULL)           /* no zeroes behind what is compressed */
    archive_write_set_bytes_in_last_block (p->out, 1);
  archive_entry_linkresolver_set_strategy (p->links, archive_format (p->out));
  if ((p->job->filter != NULL && p->job->filter->pack (p->out) != ARCHIVE_OK) ||
      archive_write_open_fd (p->out, p->job->pipe[1]) != ARCHIVE_OK)
    return archive_failed (p, p->out);
  return 0;
}

/* The memory goes with the process. */
int
tar_pack (struct call *c, void *opaque)
{
  struct pack p = { .c = c, .job = opaque };

  close (p.job->pipe[0]);
  if (tar_enter (c, p.job) == -1 || open_disk (&p) == -1 || open_archive (&p) == -1)
    return -1;
  return add_all (&p);
}
