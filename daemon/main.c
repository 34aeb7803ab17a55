/* The daemon's main program: /init of the appliance, or a plain process that takes files for disks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon.h"
#include "zero-scan.h"

int verbose;

static struct conn conn;
static struct daemon self = { .conn = &conn };

static const char usage[] =
  "Usage: zerofishd --fd N | --socket PATH [OPTION]...\n"
  "Answer requests of the zerofish library, with files taken for its disks.\n"
  "(Started as process 1 it is the /init of the appliance, and takes no options.)\n"
  "\n"
  "  --fd N                use the open socket N\n"
  "  --socket PATH         connect to the unix socket PATH\n"
  "  --device FILE[,readonly][,discard][,blocksize=N]\n"
  "                        FILE is the next disk: /dev/sda, /dev/sdb, ...\n"
  "  --sysroot DIR         DIR is what paths are looked up in, as if mounted on /\n"
  "  --verbose             say on standard error what goes wrong\n"
  "  --help, --version\n";

static void __attribute__ ((noreturn, format (printf, 1, 2)))
fail (const char *fs, ...)
{
  va_list args;

  fputs ("zerofishd: ", stderr);
  va_start (args, fs);
  vfprintf (stderr, fs, args);
  va_end (args);
  fputc ('\n', stderr);
  exit (EXIT_FAILURE);
}

static int
connect_to (const char *path)
{
  struct sockaddr_un addr = { .sun_family = AF_UNIX };
  int fd;

  if (strlen (path) >= sizeof addr.sun_path)
    fail ("%s: a socket's path has at most %zu characters", path, sizeof addr.sun_path - 1);
  strcpy (addr.sun_path, path);
  fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd == -1 || connect (fd, (struct sockaddr *) &addr, sizeof addr) == -1)
    fail ("%s: %s", path, strerror (errno));
  return fd;
}

static unsigned long
number (const char *option, const char *s, unsigned long max)
{
  char *end;
  unsigned long n;

  errno = 0;
  n = strtoul (s, &end, 10);
  if (*s < '0' || *s > '9' || *end != '\0' || errno || n > max)
    fail ("%s: '%s' is not a number from 0 to %lu", option, s, max);
  return n;
}

/* Take the file's options off the end of SPEC, so that the name itself may hold commas. */
static void
add_device (char *spec)
{
  bool readonly = false, discard = false;
  unsigned block = 512;
  char *comma;

  while ((comma = strrchr (spec, ',')) != NULL) {
    if (strcmp (comma, ",readonly") == 0)
      readonly = true;
    else if (strcmp (comma, ",discard") == 0)
      discard = true;
    else if (strncmp (comma, ",blocksize=", 11) == 0)
      block = number ("blocksize", comma + 11, 4096);
    else
      break;
    *comma = '\0';
  }
  if (block != 512 && block != 4096)
    fail ("blocksize: 512 and 4096 are possible, not %u", block);
  if (devices_add_file (&self, spec, readonly, discard, block) == -1)
    fail ("%s: %s", spec, strerror (errno));
}

/* What the library does to end an emulator, in whose place this process may stand. */
static void __attribute__ ((noreturn))
terminate (int sig)
{
  (void) sig;
  _exit (EXIT_SUCCESS);
}

static int
parse_options (int argc, char **argv)
{
  static const struct option options[] = {
    { "fd", required_argument, NULL, 'f' },
    { "socket", required_argument, NULL, 's' },
    { "device", required_argument, NULL, 'd' },
    { "sysroot", required_argument, NULL, 'r' },
    { "verbose", no_argument, NULL, 'v' },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
  };
  int opt, fd = -1;

  while ((opt = getopt_long (argc, argv, "", options, NULL)) != -1) {
    switch (opt) {
    case 'f': fd = number ("--fd", optarg, 65535); break;
    case 's': fd = connect_to (optarg); break;
    case 'd': add_device (optarg); break;
    case 'r': self.sysroot = optarg; break;
    case 'v': verbose = 1; break;
    case 'h': fputs (usage, stdout); exit (EXIT_SUCCESS);
    case 'V': puts ("zerofishd " PACKAGE_VERSION); exit (EXIT_SUCCESS);
    default: fail ("see zerofishd --help");
    }
  }
  if (optind < argc)
    fail ("unexpected argument '%s', see zerofishd --help", argv[optind]);
  if (fd == -1)
    fail ("either --fd or --socket is needed, see zerofishd --help");
  return fd;
}

/* Serve the peer on FD until it goes away. */
static int
serve_fd (int fd)
{
  int flags = fcntl (fd, F_GETFL);

  if (flags == -1 || fcntl (fd, F_SETFL, flags | O_NONBLOCK) == -1) {
    fprintf (stderr, "zerofishd: descriptor %d: %s\n", fd, strerror (errno));
    return -1;
  }
  fcntl (fd, F_SETFD, FD_CLOEXEC);
  conn_init (&conn, fd);
  if (serve (&self, true) == -1) {
    fprintf (stderr, "zerofishd: connection to the library lost: %s\n", strerror (errno));
    return -1;
  }
  return 0;
}

/* Is WORD on the kernel's command line? */
static bool
kernel_option (const char *word)
{
  char line[4096] = " ", pattern[64];
  int fd = open ("/proc/cmdline", O_RDONLY | O_CLOEXEC);
  ssize_t n = fd == -1 ? 0 : read (fd, line + 1, sizeof line - 3);

  if (fd != -1)
    close (fd);
  if (n <= 0)
    return false;
  if (line[n] == '\n')
    n--;
  strcpy (line + n + 1, " ");
  snprintf (pattern, sizeof pattern, " %s ", word);
  return strstr (line, pattern) != NULL;
}

/* What our own library does after the start, a stock one has done by now: it has attached the disks, and a
 * source of random numbers, for which there is no seed. */
static void
prepare_for_stock (void)
{
  if (init_load_module ("virtio_rng") == -1 && errno != ENOENT)
    fprintf (stderr, "zerofishd: cannot load the module virtio_rng: %s\n", strerror (errno));
  if (devices_scan (&self) == -1)
    fprintf (stderr, "zerofishd: cannot find the disks: %s\n", strerror (errno));
}

static void __attribute__ ((noreturn))
appliance_main (void)
{
  int fd;

  self.appliance = true;
  self.sysroot = "/sysroot";
  fd = init_appliance (&self);
  if (kernel_option ("zerofish_verbose=1") || kernel_option ("guestfs_verbose=1"))
    verbose = 1;
  zero_scan_calibrate ();
  zero_prepare (&self);
  if (fd != -1 && !kernel_option ("zerofish_hotplug=1"))
    prepare_for_stock ();
  if (fd != -1)
    serve_fd (fd);
  init_power_off (&self);
}

int
main (int argc, char **argv)
{
  int fd;

  if (init_is_modprobe (argv[0]))
    return init_modprobe (argc, argv);
  signal (SIGPIPE, SIG_IGN);
  umask (022);
  /* The kernel hands words of its command line that it does not know to its /init: they are not our
   * options. */
  if (getpid () == 1 && strcmp (argv[0], "/init") == 0)
    appliance_main ();

  signal (SIGTERM, terminate);
  fd = parse_options (argc, argv);
  zero_scan_calibrate ();
  return serve_fd (fd) == -1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
