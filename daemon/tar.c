/* Actions tar_in and tar_out: the stream between the library and a child that works on the files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <archive.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions.h"
#include "helper.h"
#include "tar.h"

enum { PIECE = 64 * 1024, TICK_MS = 100 };

static const struct tar_filter filters[] = {
  { "bzip2", archive_read_support_filter_bzip2, archive_write_add_filter_bzip2 },
  { "compress", archive_read_support_filter_compress, archive_write_add_filter_compress },
  { "gzip", archive_read_support_filter_gzip, archive_write_add_filter_gzip },
  { "lzma", archive_read_support_filter_lzma, archive_write_add_filter_lzma },
  { "xz", archive_read_support_filter_xz, archive_write_add_filter_xz },
  { "zstd", archive_read_support_filter_zstd, archive_write_add_filter_zstd },
};
enum { NR_FILTERS = sizeof filters / sizeof filters[0] };

static int
find_filter (struct call *c, const char *name, struct tar_job *job)
{
  for (size_t i = 0; i < NR_FILTERS; i++)
    if (strcmp (filters[i].name, name) == 0) {
      job->filter = &filters[i];
      return 0;
    }
  return call_refuse (c, EINVAL, "unknown compression \"%s\": use bzip2, compress, gzip, lzma, xz or zstd", name);
}

bool
tar_wants_xattr (const struct tar_job *job, const char *name)
{
  if (strcmp (name, "security.selinux") == 0)
    return job->selinux;
  if (strncmp (name, "system.posix_acl_", 17) == 0)
    return job->acls;
  return job->xattrs;
}

int
tar_enter (struct call *c, const struct tar_job *job)
{
  /* For names that are no ASCII; this one is built into the C library. */
  setlocale (LC_CTYPE, "C.UTF-8");
  if (chroot (c->d->sysroot) == -1 || fchdir (job->directory) == -1)
    return call_error (c, errno, "cannot enter the directory %s", job->path);
  return 0;
}

static int
open_directory (struct call *c, const char *path, struct tar_job *job)
{
  job->path = call_strdup (c, path);
  if (job->path == NULL || path_check (c, path) == NULL)
    return -1;
  job->directory = sysroot_open (c, path, O_RDONLY | O_DIRECTORY, 0);
  return job->directory == -1 ? -1 : 0;
}

static int
open_pipe (struct call *c, struct tar_job *job, int ours)
{
  if (pipe2 (job->pipe, O_CLOEXEC) == -1)
    return call_error (c, errno, "cannot make a pipe");
  fcntl (job->pipe[ours], F_SETFL, O_NONBLOCK);
  return 0;
}

/* --- in --- */

/* All N bytes to the child.  0, or -1 when it wants no more, or on cancel. */
static int
feed (struct helper *h, int fd, const char *p, size_t n)
{
  struct pollfd pfd = { .fd = fd, .events = POLLOUT };
  ssize_t r;

  while (n > 0) {
    r = write (fd, p, n);
    if (r > 0) {
      p += r;
      n -= (size_t) r;
    } else if (errno != EAGAIN && errno != EINTR)
      return -1;
    else
      poll (&pfd, 1, TICK_MS);
    if (helper_look (h) == -1)
      return -1;
  }
  return 0;
}

/* Until the end of the file, or of the child: that one has the error then. */
static int
take_archive (struct call *c, struct tar_job *job)
{
  struct helper *h = helper_start (c, tar_unpack, job);
  char *buf = call_alloc (c, PIECE);
  uint64_t done = 0;
  ssize_t n = -1;
  int r;

  close (job->pipe[0]);
  while (h != NULL && buf != NULL && (n = file_in_read (c, buf, PIECE)) > 0) {
    helper_progress (h, done += (uint64_t) n, c->progress_hint);
    if (feed (h, job->pipe[1], buf, (size_t) n) == -1)
      break;
  }
  close (job->pipe[1]);
  r = h != NULL ? helper_end (h) : -1;
  return n == -1 ? -1 : r;
}

int
do_tar_in (struct call *c, const char *directory, const struct zf_tar_in_opts *opts)
{
  struct tar_job job = {
    .xattrs = (opts->bitmask & ZF_TAR_IN_OPTS_XATTRS) && opts->xattrs,
    .selinux = (opts->bitmask & ZF_TAR_IN_OPTS_SELINUX) && opts->selinux,
    .acls = (opts->bitmask & ZF_TAR_IN_OPTS_ACLS) && opts->acls,
  };
  int r = -1;

  if ((opts->bitmask & ZF_TAR_IN_OPTS_COMPRESS) && find_filter (c, opts->compress, &job) == -1)
    return -1;
  if (open_directory (c, directory, &job) == -1)
    return -1;
  if (open_pipe (c, &job, 1) == 0)
    r = take_archive (c, &job);
  close (job.directory);
  return r;
}

/* --- out --- */

/* Pass on what the child writes, up to its end.  0, or -1. */
static int
pass_on (struct call *c, struct helper *h, int fd, char *buf)
{
  struct pollfd pfd = { .fd = fd, .events = POLLIN };
  uint64_t done = 0;
  ssize_t n;

  while ((n = read (fd, buf, PIECE)) != 0) {
    if (n > 0 && file_out_write (c, buf, (size_t) n) == -1)
      return -1;
    if (n == -1 && errno != EAGAIN && errno != EINTR)
      return call_error (c, errno, "cannot read from a pipe");
    if (n == -1)
      poll (&pfd, 1, TICK_MS);
    else
      done += (uint64_t) n;
    helper_progress (h, done, 0);
    helper_look (h);
    if (c->cancelled)
      return -1;
  }
  return 0;
}

/* Runs after the reply. */
static int
send_archive (struct call *c, void *opaque)
{
  struct tar_job *job = opaque;
  struct helper *h = helper_start (c, tar_pack, job);
  char *buf = call_alloc (c, PIECE);
  int r = -1, ended;

  close (job->pipe[1]);
  if (h != NULL && buf != NULL)
    r = pass_on (c, h, job->pipe[0], buf);
  close (job->pipe[0]);
  ended = h != NULL ? helper_end (h) : -1;
  close (job->directory);
  return r == 0 ? ended : -1;
}

/* The arguments are gone by the time when the file is sent. */
static char **
copy_list (struct call *c, char *const *from)
{
  struct list l = { 0 };

  for (; *from != NULL; from++)
    if (list_add (c, &l, *from) == -1)
      return NULL;
  return list_end (c, &l);
}

int
do_tar_out (struct call *c, const char *directory, const struct zf_tar_out_opts *opts)
{
  struct tar_job *job = call_alloc (c, sizeof *job);

  if (job == NULL)
    return -1;
  job->xattrs = (opts->bitmask & ZF_TAR_OUT_OPTS_XATTRS) && opts->xattrs;
  job->selinux = (opts->bitmask & ZF_TAR_OUT_OPTS_SELINUX) && opts->selinux;
  job->acls = (opts->bitmask & ZF_TAR_OUT_OPTS_ACLS) && opts->acls;
  if ((opts->bitmask & ZF_TAR_OUT_OPTS_EXCLUDES) && (job->excludes = copy_list (c, opts->excludes)) == NULL)
    return -1;
  if ((opts->bitmask & ZF_TAR_OUT_OPTS_COMPRESS) && find_filter (c, opts->compress, job) == -1)
    return -1;
  if (open_directory (c, directory, job) == -1)
    return -1;
  if (open_pipe (c, job, 0) == -1) {
    close (job->directory);
    return -1;
  }
  call_set_file_out (c, send_archive, job);
  return 0;
}
