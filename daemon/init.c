/* Being process 1 of the appliance: mounts, modules, the port to the library, and the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "daemon.h"

#define PORT_NAME "org.libguestfs.channel.0"
#define PORTS "/sys/class/virtio-ports"
enum { PORT_TIMEOUT_MS = 15000, PORT_RETRY_MS = 2 };

static int64_t
now_ms (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (int64_t) t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int
mount_basics (void)
{
  static const struct { const char *type, *dir, *options; unsigned long flags; } mounts[] = {
    { "proc", "/proc", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
    { "sysfs", "/sys", NULL, MS_NOSUID | MS_NODEV | MS_NOEXEC },
    { "devtmpfs", "/dev", "mode=0755", MS_NOSUID | MS_NOEXEC },
  };
  int r = 0;

  for (size_t i = 0; i < sizeof mounts / sizeof mounts[0]; i++)
    /* The kernel may have mounted /dev itself. */
    if (mount (mounts[i].type, mounts[i].dir, mounts[i].type, mounts[i].flags, mounts[i].options) == -1 &&
        errno != EBUSY) {
      fprintf (stderr, "zerofishd: cannot mount %s: %s\n", mounts[i].dir, strerror (errno));
      r = -1;
    }
  return r;
}

static void
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);

  if (fd == -1 || write (fd, text, strlen (text)) == -1)
    fprintf (stderr, "zerofishd: %s: %s\n", path, strerror (errno));
  if (fd != -1)
    close (fd);
}

/* Open the port if its name is right: its fd; -1 with errno ENOENT if it has another name or none yet. */
static int
open_port (const char *sysname)
{
  char path[PATH_MAX], name[64] = "";
  FILE *fp;

  snprintf (path, sizeof path, PORTS "/%s/name", sysname);
  fp = fopen (path, "re");
  if (fp != NULL) {
    if (fgets (name, sizeof name, fp) == NULL)
      name[0] = '\0';
    fclose (fp);
  }
  name[strcspn (name, "\n")] = '\0';
  if (strcmp (name, PORT_NAME) != 0) {
    errno = ENOENT;
    return -1;
  }
  snprintf (path, sizeof path, "/dev/%s", sysname);
  return open (path, O_RDWR | O_CLOEXEC);
}

/* One look at all ports; -1 with the errno that says most. */
static int
try_ports (void)
{
  DIR *dir = opendir (PORTS);
  struct dirent *d;
  int fd = -1, err = ENOENT;

  while (dir != NULL && fd == -1 && (d = readdir (dir)) != NULL)
    if (d->d_name[0] != '.' && (fd = open_port (d->d_name)) == -1 && errno != ENOENT)
      err = errno;
  if (dir != NULL)
    closedir (dir);
  errno = err;
  return fd;
}

/* The port comes a moment after its driver, and can answer ENXIO a moment longer. */
static int
wait_port (void)
{
  const struct timespec pause = { .tv_nsec = PORT_RETRY_MS * 1000000 };
  int64_t deadline = now_ms () + PORT_TIMEOUT_MS;
  int fd;

  while ((fd = try_ports ()) == -1 && now_ms () < deadline)
    nanosleep (&pause, NULL);
  if (fd == -1)
    fprintf (stderr, "zerofishd: no virtio-serial port named " PORT_NAME " within %d seconds: %s\n",
             PORT_TIMEOUT_MS / 1000, strerror (errno));
  return fd;
}

/* Without an adapter no disk can ever come: better to say so now than to let each wait for one end in a
 * timeout. */
static bool
have_adapter (void)
{
  DIR *dir = opendir ("/sys/class/scsi_host");
  struct dirent *d;
  bool found = false;

  while (dir != NULL && !found && (d = readdir (dir)) != NULL)
    found = d->d_name[0] != '.';
  if (dir != NULL)
    closedir (dir);
  if (!found)
    fputs ("zerofishd: no disk can be attached: there is no SCSI adapter, "
           "or its driver (virtio_scsi) is missing\n", stderr);
  return found;
}

int
init_appliance (struct daemon *d)
{
  (void) d;
  if (mount_basics () == -1)
    return -1;
  write_file ("/proc/sys/kernel/modprobe", INIT_MODPROBE);
  /* What failed is on the console.  Go on: another driver may do. */
  init_load_boot_modules ();
  return have_adapter () ? wait_port () : -1;
}

/* Unmount what is under the sysroot, the last first. */
static void
unmount_all (const char *sysroot)
{
  char line[4096], dir[4096], *dirs[256];
  size_t n = 0, len = strlen (sysroot);
  FILE *fp = fopen ("/proc/self/mounts", "re");

  while (fp != NULL && n < sizeof dirs / sizeof dirs[0] && fgets (line, sizeof line, fp) != NULL)
    if (sscanf (line, "%*s %4095s", dir) == 1 && strncmp (dir, sysroot, len) == 0 &&
        (dir[len] == '/' || dir[len] == '\0') && (dirs[n] = strdup (dir)) != NULL)
      n++;
  if (fp != NULL)
    fclose (fp);
  while (n-- > 0) {
    if (umount2 (dirs[n], 0) == -1)
      fprintf (stderr, "zerofishd: %s could not be unmounted: %s\n", dirs[n], strerror (errno));
    free (dirs[n]);
  }
}

void
init_power_off (struct daemon *d)
{
  if (d->sysroot != NULL)
    unmount_all (d->sysroot);
  sync ();
  /* Without ACPI the machine cannot switch itself off; a reboot ends the emulator (-no-reboot). */
  reboot (access ("/sys/firmware/acpi", F_OK) == 0 ? RB_POWER_OFF : RB_AUTOBOOT);
  for (;;)
    pause ();
}
