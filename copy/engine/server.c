/* Servers of our own: a private qemu-nbd for an image, or the command in brackets.
 *
 * Both get a listening socket in a private directory, as systemd would pass it, so that nobody else can
 * connect and nothing has to be waited for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "side.h"

/* How long a server may take to write everything and end, and how long one that was told to end. */
enum { END_MS = 600000, TERM_MS = 10000 };

/* Goes back to the caller's folder, which the supervisor leaves, and takes the number that systemd would
 * set. */
static const char start_script[] = "cd -- \"$0\" && LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"";

static const char *
qemu_nbd (void)
{
  const char *s = secure_getenv ("ZEROFISH_QEMU_NBD");

  return s && *s ? s : QEMU_NBD;
}

/* A listening socket in a fresh private directory; its path is s->nbd->socket. */
static int
listen_privately (struct side *s)
{
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  struct zfi_nbd *n = calloc (1, sizeof *n);
  int fd;

  if ((s->nbd = n) == NULL || (n->export = strdup ("")) == NULL)
    return zfi_perror (s->h, errno, "out of memory");
  if ((s->workdir = zfi_workdir_create (s->h)) == NULL)
    return -1;
  if (asprintf (&n->socket, "%s/nbd", s->workdir) == -1) {
    n->socket = NULL;
    return zfi_perror (s->h, ENOMEM, "out of memory");
  }
  if (strlen (n->socket) >= sizeof addr.sun_path)
    return zfi_error (s->h, ENAMETOOLONG, "%s is too long for a socket: set TMPDIR to a shorter one",
                      s->workdir);
  strcpy (addr.sun_path, n->socket);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd == -1 || bind (fd, (struct sockaddr *) &addr, sizeof addr) == -1 || listen (fd, MAX_LANES) == -1) {
    zfi_perror (s->h, errno, "%s", n->socket);
    if (fd != -1)
      close (fd);
    return -1;
  }
  return fd;
}

static char **
whole_argv (const char *folder, char *const *command)
{
  const char *const first[] = { "/bin/sh", "-c", start_script, folder };
  const size_t nr_first = sizeof first / sizeof first[0];
  size_t n = 0;
  char **argv;

  while (command[n] != NULL)
    n++;
  if ((argv = calloc (nr_first + n + 1, sizeof *argv)) == NULL)
    return NULL;
  memcpy (argv, first, sizeof first);
  memcpy (argv + nr_first, command, n * sizeof *argv);
  return argv;
}

int
side_serve_command (struct side *s, char *const *command)
{
  char *folder = getcwd (NULL, 0), **argv = folder ? whole_argv (folder, command) : NULL;
  int fd = -1, r = -1;

  if (argv == NULL)
    zfi_perror (s->h, errno, "%s", s->name);
  else if ((fd = listen_privately (s)) != -1) {
    if (zfi_child_start (&s->child, argv, STDERR_FILENO, &fd, 1, s->workdir) == 0) {
      s->has_child = true;
      r = 0;
    }
    else
      zfi_perror (s->h, errno, "%s: starting the server", s->name);
    close (fd);
  }
  free (argv);
  free (folder);
  return r;
}

/* No protocol prefix, option or other format can hide in an absolute path with a stated format.  Data that
 * the target's own cache holds is written out by the flush at the end; whether it is on disk is our own
 * business. */
int
side_serve_image (struct side *s, const char *path, const char *format, unsigned connections)
{
  char shared[16];
  const char *argv[16], **p = argv;

  snprintf (shared, sizeof shared, "%u", connections);
  *p++ = qemu_nbd ();
  *p++ = "-f";
  *p++ = format;
  *p++ = "-e";
  *p++ = shared;
  if (s->target) {
    *p++ = "--cache=unsafe";
    *p++ = "--discard=unmap";
  }
  else
    *p++ = "-r";
  *p++ = "--";
  *p++ = path;
  *p = NULL;
  s->ends_by_itself = true;
  return side_serve_command (s, (char *const *) argv);
}

bool
side_server_holds (const struct side *s, uint64_t dev, uint64_t ino, bool writing)
{
  char name[64];
  struct stat st, link;
  struct dirent *e;
  bool found = false;
  DIR *dir;

  if (!s->has_child || ino == 0)
    return false;
  snprintf (name, sizeof name, "/proc/%d/fd", (int) s->child.pid);
  if ((dir = opendir (name)) == NULL)
    return false;
  while (!found && (e = readdir (dir)) != NULL) {
    /* Not its standard descriptors, which are ours. */
    if (atoi (e->d_name) < 3 || fstatat (dirfd (dir), e->d_name, &st, 0) == -1
        || fstatat (dirfd (dir), e->d_name, &link, AT_SYMLINK_NOFOLLOW) == -1)
      continue;
    /* The link's mode says how it was opened. */
    if (writing && !(link.st_mode & S_IWUSR))
      continue;
    found = S_ISBLK (st.st_mode) ? dev == 0 && st.st_rdev == ino : st.st_dev == dev && st.st_ino == ino;
  }
  closedir (dir);
  return found;
}

static int
ended_badly (struct side *s)
{
  char how[80];

  if (WIFEXITED (s->child.status) && WEXITSTATUS (s->child.status) == 0)
    return 0;
  return zfi_error (s->h, EIO, "%s: the server %s", s->name, zfi_child_how (&s->child, how, sizeof how));
}

int
side_server_end (struct side *s, bool ok)
{
  int r = 0;

  if (s->has_child) {
    if (!(ok && s->ends_by_itself) && !zfi_child_ended (&s->child))
      kill (s->child.pid, SIGTERM);
    if (zfi_child_wait (&s->child, zfi_now_ms () + (ok && s->ends_by_itself ? END_MS : TERM_MS))
        && ok && s->ends_by_itself)
      r = ended_badly (s);
    zfi_child_stop (&s->child);
    s->has_child = false;
  }
  zfi_workdir_remove (s->workdir);
  free (s->workdir);
  s->workdir = NULL;
  return r;
}
