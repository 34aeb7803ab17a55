/* How fast a program on the host scans a file for zeroes: what the scan in the appliance is compared with.
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
#include <time.h>
#include <unistd.h>

#include "zero-scan.h"

/* As much at a time as the appliance reads. */
#define WINDOW (4 << 20)

static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

/* Bytes read up to the end or the first window that is not all zero; -1: error with errno set. */
static long long
scan (int fd, char *window)
{
  long long total = 0;
  ssize_t n;

  while ((n = read (fd, window, WINDOW)) > 0) {
    total += n;
    if (!zero_scan_is_zero (window, n))
      return total;
  }
  return n == -1 ? -1 : total;
}

int
main (int argc, char *argv[])
{
  long long bytes;
  double start, seconds;
  char *window;
  int fd;

  if (argc != 2) {
    fprintf (stderr, "usage: scan-host FILE\nPrints bytes read, seconds, and the scanner in use.\n");
    return 1;
  }
  zero_scan_calibrate ();
  if ((window = aligned_alloc (4096, WINDOW)) == NULL) {
    fprintf (stderr, "scan-host: out of memory\n");
    return 1;
  }
  /* Touch it, so that the time below is that of reading and scanning. */
  memset (window, 1, WINDOW);
  start = now ();
  if ((fd = open (argv[1], O_RDONLY|O_CLOEXEC)) == -1 || (bytes = scan (fd, window)) == -1) {
    fprintf (stderr, "scan-host: %s: %s\n", argv[1], strerror (errno));
    return 1;
  }
  seconds = now () - start;
  printf ("%lld %.6f %s\n", bytes, seconds, zero_scan_name ());
  close (fd);
  free (window);
  return 0;
}
