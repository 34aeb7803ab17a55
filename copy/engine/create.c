/* New images: made beside their final name, and given it when they are whole.
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
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "side.h"

const char *
target_format (const char *name)
{
  static const char *const formats[] = { "qcow2", "vmdk", "vdi", "vhdx", "qed" };
  const char *dot = strrchr (name, '.');

  for (size_t i = 0; dot != NULL && i < sizeof formats / sizeof formats[0]; i++)
    if (strcasecmp (dot + 1, formats[i]) == 0)
      return formats[i];
  return "raw";
}

/* A file that did not exist: s->temporary. */
static int
make_temporary (struct side *s)
{
  uint32_t number;
  struct stat st;
  int fd;

  if (lstat (s->path, &st) == 0)
    return zfi_error (s->h, ENOENT, "%s is a symbolic link to nothing", s->name);
  if (getrandom (&number, sizeof number, 0) != sizeof number)
    number = (uint32_t) getpid ();
  if (asprintf (&s->temporary, "%s.partial-%08x", s->path, number) == -1) {
    s->temporary = NULL;
    return zfi_perror (s->h, ENOMEM, "out of memory");
  }
  fd = open (s->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd == -1) {
    zfi_perror (s->h, errno, "%s: making the file %s", s->name, s->temporary);
    free (s->temporary);
    s->temporary = NULL;
    return -1;
  }
  close (fd);
  s->created = true;
  return 0;
}

/* Sizes that are no multiple of 512 are rounded up by every format but raw. */
static int
format_image (struct side *s, const char *format, uint64_t size)
{
  const char *path = s->temporary ? s->temporary : s->path;
  char text[32];
  const char *const plain[] = { "create", "-q", "-f", format, "--", path, text, NULL };
  const char *const vpc[] = { "create", "-q", "-f", format, "-o", "force_size=on", "--", path, text, NULL };

  snprintf (text, sizeof text, "%llu", (unsigned long long) size);
  if (zfi_qemu_img (s->h, strcmp (format, "vpc") == 0 ? vpc : plain, NULL) == 0)
    return 0;
  if (s->temporary != NULL)
    unlink (s->temporary);
  return -1;
}

int
target_create (struct side *s, const char *path, const char *format, uint64_t size)
{
  if ((s->path = strdup (path)) == NULL)
    return zfi_perror (s->h, errno, "out of memory");
  if (access (path, F_OK) == -1 && make_temporary (s) == -1)
    return -1;
  return strcmp (format, "raw") == 0 ? 0 : format_image (s, format, size);
}
