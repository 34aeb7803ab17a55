/* Starting and ending the daemon that a test talks to, and the files that it is given for disks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

enum { LIMIT_MS = 60000 };

int64_t
client_now_ms (void)
{
  struct timespec ts;

  clock_gettime (CLOCK_MONOTONIC, &ts);
  return (int64_t) ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Wait hook: a daemon that neither reads nor writes for a minute hangs. */
static int
wait_limited (void *opaque, int fd, short events)
{
  struct pollfd pfd = { .fd = fd, .events = events };
  int r;

  (void) opaque;
  do
    r = poll (&pfd, 1, LIMIT_MS);
  while (r == -1 && errno == EINTR);
  if (r == 0)
    fail_msg ("the daemon did nothing for %d seconds", LIMIT_MS / 1000);
  return r == -1 ? -1 : 0;
}

/* A socket pair and a child; in the child *FD is its end and 0 is returned, as fork does. */
static pid_t
fork_peer (struct client *c, int *fd)
{
  int pair[2];
  pid_t pid;

  memset (c, 0, sizeof *c);
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM, 0, pair), 0);
  fflush (NULL);
  pid = fork ();
  assert_int_not_equal (pid, -1);
  if (pid == 0) {
    close (pair[0]);
    *fd = pair[1];
    return 0;
  }
  close (pair[1]);
  fcntl (pair[0], F_SETFL, O_NONBLOCK);
  fcntl (pair[0], F_SETFD, FD_CLOEXEC);
  conn_init (&c->conn, pair[0]);
  c->conn.wait = wait_limited;
  c->pid = pid;
  c->serial = 0x123400;
  return pid;
}

void
client_start_function (struct client *c, int (*serve) (int fd))
{
  int fd = -1;

  if (fork_peer (c, &fd) == 0) {
    alarm (LIMIT_MS / 1000 * 2);
    fcntl (fd, F_SETFL, O_NONBLOCK);
    _exit (serve (fd));
  }
}

/* Run the daemon, under the program named in the environment (valgrind) if there is one. */
static void __attribute__ ((noreturn))
exec_daemon (int fd, const char *const *options)
{
  const char *wrapper = getenv ("ZEROFISH_TEST_VALGRIND"), *daemon = getenv ("ZEROFISHD");
  const char *argv[64];
  char number[16], *words = strdup (wrapper ? wrapper : ""), *word, *save;
  size_t n = 0;

  for (word = strtok_r (words, " ", &save); word && n < 20; word = strtok_r (NULL, " ", &save))
    argv[n++] = word;
  snprintf (number, sizeof number, "%d", fd);
  argv[n++] = daemon;
  argv[n++] = "--fd";
  argv[n++] = number;
  while (*options && n < 63)
    argv[n++] = *options++;
  argv[n] = NULL;
  execvp (argv[0], (char **) argv);
  perror (argv[0]);
  _exit (127);
}

void
client_start (struct client *c, const char *const *options)
{
  uint32_t w;
  int fd = -1;

  if (getenv ("ZEROFISHD") == NULL)
    fail_msg ("the environment variable ZEROFISHD must name the daemon");
  if (fork_peer (c, &fd) == 0)
    exec_daemon (fd, options);
  assert_int_equal (conn_read_word (&c->conn, &w), 0);
  assert_int_equal (w, ZF_LAUNCH_FLAG);
}

/* Files and folders that exist, so that those of a test that failed go when the program ends. */
static char made[64][16];

static void
remove_one (const char *name)
{
  char command[64];
  size_t i;

  snprintf (command, sizeof command, "rm -rf ./%s", name);
  if (unlink (name) == -1 && system (command) != 0)
    fprintf (stderr, "cannot remove %s\n", name);
  for (i = 0; i < sizeof made / sizeof made[0]; i++) {
    if (strcmp (made[i], name) == 0)
      made[i][0] = '\0';
  }
}

static void
remove_made (void)
{
  char name[sizeof made[0]];
  size_t i;

  for (i = 0; i < sizeof made / sizeof made[0]; i++) {
    memcpy (name, made[i], sizeof name);
    if (name[0])
      remove_one (name);
  }
}

/* Remember NAME for the end of the program. */
static void
note (const char *name)
{
  static bool registered;
  size_t i;

  if (!registered)
    atexit (remove_made);
  registered = true;
  for (i = 0; i < sizeof made / sizeof made[0] && made[i][0]; i++)
    ;
  if (i < sizeof made / sizeof made[0])
    snprintf (made[i], sizeof made[i], "%s", name);
}

static char *
make_file (off_t size)
{
  char name[] = "disk-XXXXXX";
  int fd = mkstemp (name);

  assert_int_not_equal (fd, -1);
  assert_int_equal (ftruncate (fd, size), 0);
  close (fd);
  note (name);
  return strdup (name);
}

void
client_start_disks (struct client *c, const off_t *sizes)
{
  const char *options[16];
  char *files[4] = { NULL }, sysroot[] = "sysroot-XXXXXX";
  size_t i, n = 0;

  assert_non_null (mkdtemp (sysroot));
  note (sysroot);
  options[n++] = "--sysroot";
  options[n++] = sysroot;
  for (i = 0; i < 4 && sizes[i] > 0; i++) {
    files[i] = make_file (sizes[i]);
    options[n++] = "--device";
    options[n++] = files[i];
  }
  options[n] = NULL;
  client_start (c, options);
  memcpy (c->files, files, sizeof files);
  c->sysroot = strdup (sysroot);
}

static void
remove_files (struct client *c)
{
  size_t i;

  for (i = 0; i < 4 && c->files[i]; i++) {
    remove_one (c->files[i]);
    free (c->files[i]);
  }
  if (c->sysroot)
    remove_one (c->sysroot);
  free (c->sysroot);
}

int
client_end (struct client *c)
{
  int64_t limit = client_now_ms () + LIMIT_MS;
  int status = 0;
  pid_t r;

  close (c->conn.fd);
  while ((r = waitpid (c->pid, &status, WNOHANG)) == 0 && client_now_ms () < limit)
    usleep (2000);
  if (r == 0) {
    kill (c->pid, SIGKILL);
    waitpid (c->pid, &status, 0);
  }
  remove_files (c);
  buf_free (&c->frame);
  if (r == 0)
    fail_msg ("the daemon does not end when its peer closes");
  if (WIFSIGNALED (status))
    fail_msg ("the daemon was killed by signal %d", WTERMSIG (status));
  return WEXITSTATUS (status);
}

size_t
client_peak_memory (struct client *c)
{
  char name[64], line[256];
  size_t peak = 0;
  FILE *fp;

#ifdef __SANITIZE_ADDRESS__
  return 0;
#endif
  snprintf (name, sizeof name, "/proc/%d/status", (int) c->pid);
  fp = getenv ("ZEROFISH_TEST_VALGRIND") && *getenv ("ZEROFISH_TEST_VALGRIND") ? NULL : fopen (name, "r");
  if (fp == NULL)
    return 0;
  while (fgets (line, sizeof line, fp) && sscanf (line, "VmHWM: %zu", &peak) != 1)
    ;
  fclose (fp);
  return peak;
}
