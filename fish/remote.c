/* The client of remote mode: hands commands to a zerofish that listens, and ends as they ended there.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "remote.h"

/* --- the socket's place --- */

/* Only a directory that nobody else can touch will do: whoever connects gives us his files, and we him our
 * disks. */
static int
check_directory (const char *dir)
{
  struct stat st;

  if (lstat (dir, &st) == -1)
    return shell_error (NULL, "%s: %s", dir, strerror (errno));
  if (!S_ISDIR (st.st_mode) || st.st_uid != geteuid () || (st.st_mode & 07777) != 0700)
    return shell_error (NULL, "%s is not a private directory of yours (owner, mode 0700): it is not used; "
                        "remove it", dir);
  return 0;
}

int
remote_address (struct sockaddr_un *addr, long pid, bool create)
{
  char dir[64];

  snprintf (dir, sizeof dir, "/tmp/.zerofish-%lu", (unsigned long) geteuid ());
  if (create && mkdir (dir, 0700) == -1 && errno != EEXIST)
    return shell_error (NULL, "%s: %s", dir, strerror (errno));
  *addr = (struct sockaddr_un) { .sun_family = AF_UNIX };
  snprintf (addr->sun_path, sizeof addr->sun_path, "%s/socket-%ld", dir, pid);
  if (!create && access (dir, F_OK) == -1 && errno == ENOENT)
    return shell_error (NULL, "there is no zerofish with process id %ld that listens", pid);
  return check_directory (dir);
}

bool
remote_peer_is_us (int fd)
{
  struct ucred cred;
  socklen_t len = sizeof cred;

  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && len == sizeof cred
    && cred.uid == geteuid ();
}

/* --- the client --- */

static int
connect_to (long pid)
{
  struct sockaddr_un addr;
  int fd;

  if (remote_address (&addr, pid, false) == -1)
    return -1;
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd == -1 || connect (fd, (struct sockaddr *) &addr, sizeof addr) == -1)
    shell_error (NULL, "there is no zerofish with process id %ld that listens: %s", pid, strerror (errno));
  else if (!remote_peer_is_us (fd))
    shell_error (NULL, "process %ld is not of this user", pid);
  else
    return fd;
  if (fd != -1)
    close (fd);
  return -1;
}

/* The header, with what the server needs of our process. */
static int
send_header (int fd, uint32_t kind, size_t size)
{
  struct remote_header header = { REMOTE_MAGIC, kind, size };
  struct iovec iov = { &header, sizeof header };
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC), cwd = open (".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  union {
    struct cmsghdr align;
    char space[CMSG_SPACE (REMOTE_FDS * sizeof (int))];
  } control = { 0 };
  struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.space,
                        .msg_controllen = sizeof control.space };
  struct cmsghdr *c = CMSG_FIRSTHDR (&msg);
  int fds[REMOTE_FDS] = { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, cwd }, r = -1;

  for (int i = 0; i < 3; i++)
    if (fcntl (fds[i], F_GETFD) == -1)  /* it was closed */
      fds[i] = null;
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN (sizeof fds);
  memcpy (CMSG_DATA (c), fds, sizeof fds);
  if (cwd != -1 && null != -1 && sendmsg (fd, &msg, 0) == (ssize_t) sizeof header)
    r = 0;
  close (cwd);
  close (null);
  return r;
}

static int
send_all (int fd, const char *p, size_t n)
{
  while (n > 0) {
    ssize_t r = send (fd, p, n, MSG_NOSIGNAL);

    if (r == -1 && errno != EINTR)
      return -1;
    if (r > 0) {
      p += r;
      n -= r;
    }
  }
  return 0;
}

static int server_fd;
static volatile sig_atomic_t interrupts;

/* The first ^C is passed on; with the second we end, in case the first is not obeyed. */
static void
pass_interrupt (int sig)
{
  static const char byte = REMOTE_INTERRUPT;

  if (interrupts++ > 0 || send (server_fd, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT) == -1) {
    signal (sig, SIG_DFL);
    raise (sig);
  }
}

static int
wait_answer (int fd, long pid)
{
  struct sigaction sa = { .sa_handler = pass_interrupt }, old;
  unsigned char status;
  ssize_t n;

  server_fd = fd;
  if (sigaction (SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
    sigaction (SIGINT, &sa, NULL);
  while ((n = recv (fd, &status, 1, 0)) == -1 && errno == EINTR)
    ;
  if (n == 1)
    return status;
  shell_error (NULL, "the zerofish with process id %ld has ended", pid);
  return EXIT_FAILURE;
}

static void
append (char **text, size_t *len, const char *p, size_t n)
{
  *text = xrealloc (*text, *len + n);
  memcpy (*text + *len, p, n);
  *len += n;
}

/* All of the script on FD: the server must not wait for what somebody types here. */
static int
read_script (int fd, const char *name, char **text, size_t *len)
{
  char buf[65536];
  ssize_t n;

  while ((n = read (fd, buf, sizeof buf)) != 0) {
    if (n == -1)
      return shell_error (NULL, "%s: %s", name, strerror (errno));
    append (text, len, buf, n);
    if (*len > REMOTE_MAX)
      return shell_error (NULL, "%s: the script is too long", name);
  }
  return 0;
}

/* What is to be run: the arguments, or else the script NAME, or standard input.  Its kind, or -1 after a
 * message. */
static int
collect (char **argv, size_t argc, const char *script, char **text, size_t *len)
{
  int fd = STDIN_FILENO, r;

  for (size_t i = 0; i < argc; i++)
    append (text, len, argv[i], strlen (argv[i]) + 1);
  if (*len > REMOTE_MAX)
    return shell_error (NULL, "the command is too long");
  if (argc > 0)
    return REMOTE_ARGUMENTS;
  if (script != NULL && strcmp (script, "-") != 0
      && (fd = open (script, O_RDONLY | O_CLOEXEC | O_NOCTTY)) == -1)
    return shell_error (NULL, "%s: %s", script, strerror (errno));
  r = read_script (fd, script != NULL ? script : "standard input", text, len);
  if (fd != STDIN_FILENO)
    close (fd);
  return r == -1 ? -1 : REMOTE_SCRIPT;
}

int
run_remote (const char *pid_text, char **argv, size_t argc, const char *script)
{
  char *text = NULL, *end;
  size_t len = 0;
  long pid;
  int kind, fd, status = EXIT_FAILURE;

  if (pid_text == NULL && ((pid_text = getenv ("ZEROFISH_PID")) == NULL || *pid_text == '\0'))
    return shell_error (NULL, "--remote: there is no process id: give --remote=PID, or set $ZEROFISH_PID "
                        "with\n  eval \"$(zerofish --listen)\""), EXIT_FAILURE;
  errno = 0;
  pid = strtol (pid_text, &end, 10);
  if (errno != 0 || *pid_text < '1' || *pid_text > '9' || *end != '\0')
    return shell_error (NULL, "--remote: '%s' is no process id", pid_text), EXIT_FAILURE;
  if ((kind = collect (argv, argc, script, &text, &len)) == -1 || (fd = connect_to (pid)) == -1) {
    free (text);
    return EXIT_FAILURE;
  }
  if (send_header (fd, kind, len) == -1 || send_all (fd, text, len) == -1)
    shell_error (NULL, "cannot send the command to process %ld: %s", pid, strerror (errno));
  else
    status = wait_answer (fd, pid);
  close (fd);
  free (text);
  return status;
}
