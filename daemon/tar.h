/* Archives of directories: what the parent and the child of tar_in and tar_out share.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_TAR_H
#define ZEROFISH_TAR_H

#include "daemon.h"

struct archive;

/* A compression by its name as users give it. */
struct tar_filter {
  const char *name;
  int (*unpack) (struct archive *a);
  int (*pack) (struct archive *a);
};

/* What was asked for. */
struct tar_job {
  const char *path;             /* the directory, for messages */
  int directory;                /* open */
  int pipe[2];                  /* the archive: read from [0], written to [1] */
  const struct tar_filter *filter;      /* NULL: not compressed */
  char *const *excludes;        /* patterns, or NULL */
  bool xattrs, selinux, acls;
};

/* Should the extended attribute NAME be kept? */
extern bool tar_wants_xattr (const struct tar_job *job, const char *name);
/* In the child: the sysroot becomes the root, and the directory the current one, so that no name and no link
 * leads out.  0, or -1 with the error. */
extern int tar_enter (struct call *c, const struct tar_job *job);

/* The child's work: read the archive from the pipe and make its files; or the other way round. */
extern int tar_unpack (struct call *c, void *job);
extern int tar_pack (struct call *c, void *job);

#endif /* ZEROFISH_TAR_H */
