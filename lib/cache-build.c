/* Running the appliance's build script, and the lock that keeps it to one at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cache.h"

extern char **environ;

enum { TICK_MS = 100, LOCK_TICK_MS = 20, PATIENCE_MS = 2000, TEXT_MAX = 16384 };

/* --- the lock --- */

static int
set_lock (int fd, short type)
{
  struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

  /* An open-file-description lock: each thread opens the file, so it holds off threads too. */
  return fcntl (fd, F_OFD_SETLK, &lock);
}

/* The lock file: made new and without following links.  It stays, since removing it would let two in. */
static int
open_lock (zf_handle *h, const char *path)
{
  int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

  if (fd == -1)
    zfi_perror (h, errno, "the lock of the appliance's cache, %s", path);
  else
    fchmod (fd, 0600);          /* whatever the umask was */
  return fd;
}

static int
wait_lock (zf_handle *h, int fd, const struct cache_kind *kind, const char *path)
{
  int64_t now = zfi_now_ms (), say = now + PATIENCE_MS;
  int64_t deadline = now + (kind->timeout_s + 30) * INT64_C (1000);
  const struct timespec tick = { .tv_nsec = LOCK_TICK_MS * 1000000L };

  while (set_lock (fd, F_WRLCK) == -1) {
    if (errno != EAGAIN && errno != EACCES && errno != EINTR)
      return zfi_perror (h, errno, "cannot lock %s", path);
    if (zfi_cancelled (h))
      return zfi_error (h, EINTR, "cancelled while another process builds %s", kind->what);
    if ((now = zfi_now_ms ()) > deadline)
      return zfi_error (h, ETIMEDOUT, "%s is being built by another process, which does not end "
                        "(see the holder of %s)", kind->what, path);
    if (say != 0 && now > say) {
      zfi_verbose (h, "waiting for another process that builds %s", kind->what);
      say = 0;
    }
    nanosleep (&tick, NULL);
  }
  return 0;
}

int
zfi_cache_lock (zf_handle *h, const char *dir, const struct cache_kind *kind)
{
  char *path = NULL;
  int fd;

  if (asprintf (&path, "%s/%s.lock", dir, kind->name) == -1)
    return zfi_perror (h, ENOMEM, "the appliance's cache");
  fd = open_lock (h, path);
  if (fd != -1 && wait_lock (h, fd, kind, path) == -1) {
    close (fd);
    fd = -1;
  }
  free (path);
  return fd;
}

int
zfi_cache_try_lock (const char *dir, const struct cache_kind *kind)
{
  char *path = NULL;
  int fd;

  if (asprintf (&path, "%s/%s.lock", dir, kind->name) == -1)
    return -1;
  fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  free (path);
  if (fd != -1 && set_lock (fd, F_WRLCK) == -1) {
    int err = errno;

    close (fd);
    errno = err;
    fd = -1;
  }
  return fd;
}

void
zfi_cache_unlock (int fd)
{
  /* Not only by close: a child of another thread may have inherited the descriptor. */
  set_lock (fd, F_UNLCK);
  close (fd);
}

/* --- the script --- */

/* The script's environment is ours: it looks at ZEROFISH_KERNEL and the like.  0 or an errno value. */
static int
spawn (const char *script, const char *command, const char *outdir, int output, pid_t *pid)
{
  char *const argv[] = { (char *) script, (char *) command, (char *) outdir, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attr;
  sigset_t none, def;
  int err;

  sigemptyset (&none);
  sigemptyset (&def);
  sigaddset (&def, SIGPIPE);
  sigaddset (&def, SIGCHLD);
  if ((err = posix_spawn_file_actions_init (&actions)) != 0)
    return err;
  if ((err = posix_spawnattr_init (&attr)) != 0)
    goto out;
  posix_spawnattr_setsigmask (&attr, &none);
  posix_spawnattr_setsigdefault (&attr, &def);
  posix_spawnattr_setpgroup (&attr, 0);
  posix_spawnattr_setflags (&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if ((err = posix_spawn_file_actions_addopen (&actions, 0, "/dev/null", O_RDONLY, 0)) == 0
      && (err = posix_spawn_file_actions_adddup2 (&actions, output, 1)) == 0
      && (err = posix_spawn_file_actions_adddup2 (&actions, output, 2)) == 0)
    err = posix_spawn (pid, script, &actions, &attr, argv, environ);
  posix_spawnattr_destroy (&attr);
 out:
  posix_spawn_file_actions_destroy (&actions);
  return err;
}

/* Take what there is to read from FD; false at its end. */
static bool
take_output (zf_handle *h, int fd, struct buf *text)
{
  unsigned char piece[2048];
  ssize_t n;

  while ((n = read (fd, piece, sizeof piece)) > 0) {
    if (h->verbose)
      zfi_verbose (h, "%.*s", (int) n, (const char *) piece);
    if (text->len + (size_t) n <= TEXT_MAX)
      buf_append (text, piece, (size_t) n);
  }
  return n == -1 && (errno == EAGAIN || errno == EINTR);
}

/* Wait for the end of the script.  Its wait status, or -1 with the error set (and the script killed). */
static int
watch (zf_handle *h, const struct cache_kind *kind, pid_t pid, int fd, struct buf *text)
{
  int64_t start = zfi_now_ms (), now;
  bool open = true, said = false;
  int status, r;

  for (;;) {
    struct pollfd p = { .fd = open ? fd : -1, .events = POLLIN };

    poll (&p, 1, open ? TICK_MS : LOCK_TICK_MS);
    if (open)
      open = take_output (h, fd, text);
    r = waitpid (pid, &status, WNOHANG);
    if (r == pid) {
      take_output (h, fd, text);
      return status;
    }
    now = zfi_now_ms ();
    if (r == -1 && errno != EINTR)
      return zfi_perror (h, errno, "cannot wait for the build script of %s", kind->what);
    if (!said && now - start > PATIENCE_MS) {
      zfi_warning (h, "building %s: this takes a while, but is done only once", kind->what);
      said = true;
    }
    if (!zfi_cancelled (h) && now - start < kind->timeout_s * INT64_C (1000))
      continue;
    kill (-pid, SIGKILL);
    waitpid (pid, &status, 0);
    if (zfi_cancelled (h))
      return zfi_error (h, EINTR, "cancelled while building %s", kind->what);
    return zfi_error (h, ETIMEDOUT, "building %s was not done within %d seconds", kind->what,
                      kind->timeout_s);
  }
}

/* The script has ended: 0, or -1 with what it said as the error. */
static int
judge (zf_handle *h, const struct cache_kind *kind, int status, const struct buf *text)
{
  static const char prefix[] = "zerofish-build-appliance: ";
  const char *s = text->len > 0 ? (const char *) text->data : "";
  size_t len = text->len;

  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return 0;
  if (WIFSIGNALED (status))
    return zfi_error (h, EIO, "building %s failed: the build script was killed by signal %d", kind->what,
                      WTERMSIG (status));
  if (len >= sizeof prefix - 1 && memcmp (s, prefix, sizeof prefix - 1) == 0) {
    s += sizeof prefix - 1;
    len -= sizeof prefix - 1;
  }
  while (len > 0 && s[len - 1] == '\n')
    len--;
  return zfi_error_lines (h, ENOENT, "building %s failed: %.*s", kind->what, (int) len, len ? s : "");
}

int
zfi_cache_run_script (zf_handle *h, const char *script, const struct cache_kind *kind, const char *outdir)
{
  struct buf text = { 0 };
  int fds[2], err, status, r = -1;
  pid_t pid;

  if (pipe2 (fds, O_CLOEXEC | O_NONBLOCK) == -1)
    return zfi_perror (h, errno, "cannot make a pipe");
  fcntl (fds[1], F_SETFL, 0);
  err = spawn (script, kind->name, outdir, fds[1], &pid);
  close (fds[1]);
  if (err != 0)
    zfi_perror (h, err, "cannot run %s", script);
  else if ((status = watch (h, kind, pid, fds[0], &text)) != -1)
    r = judge (h, kind, status, &text);
  close (fds[0]);
  buf_free (&text);
  return r;
}
