/* The private directory of a launch: overlays and scratch disks, gone when the machine is.
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
#include <sys/syscall.h>
#include <unistd.h>

#include "launch.h"

char *
zfi_workdir_create (zf_handle *h)
{
  const char *parent = h->tmpdir;
  char *abs = NULL, *path = NULL;

  if (parent == NULL || parent[0] == '\0')
    parent = secure_getenv ("TMPDIR");
  if (parent == NULL || parent[0] == '\0')
    parent = "/tmp";
  /* Absolute, since qemu runs in another directory. */
  if ((abs = realpath (parent, NULL)) == NULL) {
    zfi_perror (h, errno, "the directory for temporary files, %s (see TMPDIR)", parent);
    goto error;
  }
  if (asprintf (&path, "%s/zerofish-XXXXXX", abs) == -1) {
    path = NULL;
    zfi_perror (h, ENOMEM, "temporary directory");
    goto error;
  }
  /* mkdtemp makes it new and follows no link; the mode must not depend on the umask. */
  if (mkdtemp (path) == NULL || chmod (path, 0700) == -1) {
    zfi_perror (h, errno, "cannot make a directory in %s (see TMPDIR)", abs);
    goto error;
  }
  free (abs);
  return path;

 error:
  free (abs);
  free (path);
  return NULL;
}

/* As the kernel's getdents64 gives it. */
struct dent {
  uint64_t ino;
  int64_t off;
  unsigned short reclen;
  unsigned char type;
  char name[];
};

/* opendir would call malloc, which is not allowed after fork in a program with threads. */
void
zfi_workdir_remove (const char *path)
{
  _Alignas (struct dent) char buf[4096];
  long n, i;
  int fd, tries;

  if (path == NULL)
    return;
  fd = open (path, O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);
  if (fd == -1)
    return;
  /* Removing while reading can skip entries: begin again until the directory itself can go. */
  for (tries = 0; tries < 10; ++tries) {
    lseek (fd, 0, SEEK_SET);
    while ((n = syscall (SYS_getdents64, fd, buf, sizeof buf)) > 0) {
      for (i = 0; i < n; i += ((struct dent *) (buf + i))->reclen) {
        const char *name = ((struct dent *) (buf + i))->name;

        if (strcmp (name, ".") != 0 && strcmp (name, "..") != 0)
          unlinkat (fd, name, 0);
      }
    }
    if (rmdir (path) == 0 || errno != ENOTEMPTY)
      break;
  }
  close (fd);
}
