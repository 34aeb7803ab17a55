/* An NBD server that does what real ones must not: wrong extents, answers in odd pieces, hostile numbers.
 *
 * fake-nbd MODE serves a read-only disk of 4 MiB on the socket that it gets as descriptor 3, as systemd
 * would pass it; fake-nbd --content MODE writes the disk to standard output.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE            (UINT64_C (4) << 20)
#define REQUEST_MAGIC   0x25609513
#define OPTION_MAGIC    UINT64_C (0x3e889045565a9)
#define STRUCTURED      0x668e33ef
enum { FD_LISTEN = 3 };
enum { GO = 7, STRUCTURED_REPLY = 8, SET_META = 10 };
enum { READ, WRITE, DISC, FLUSH, TRIM, CACHE, ZEROES, STATUS };
enum { CHUNK_NONE, CHUNK_DATA, CHUNK_HOLE, CHUNK_STATUS = 5, CHUNK_ERROR = 32769, CHUNK_DONE = 1 };
enum { HOLE = 1, ZERO = 2 };

static const char *mode;
static unsigned long questions;         /* for extents, on this connection */

/* Extents: the unit of the pattern, and what each unit is. */
static struct pattern {
  const char *mode;
  uint64_t unit;
} const patterns[] = {
  { "alternate", 512 }, { "pairs", 65536 }, { "empty-extents", 65536 }, { "past-end", 65536 },
  { "changing", 65536 }, { "no-extents", 65536 }, { "one-at-a-time", 4096 }, { "bytes", 1 },
};

static bool
is (const char *s)
{
  return strcmp (mode, s) == 0;
}

static uint64_t
unit (void)
{
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
    if (is (patterns[i].mode))
      return patterns[i].unit;
  return 65536;
}

/* Flags of the unit at OFFSET. "pairs" has all four; the hole that is not zero holds data. */
static uint32_t
flags_at (uint64_t offset)
{
  const uint64_t n = offset / unit ();

  if (is ("pairs"))
    return n % 4 == 0 ? 0 : n % 4 == 1 ? HOLE | ZERO : n % 4 == 2 ? ZERO : HOLE;
  return n % 2 == 0 ? 0 : HOLE | ZERO;
}

static unsigned char
byte_at (uint64_t offset)
{
  return flags_at (offset) & ZERO ? 0 : 1 + (offset * 7 + offset / 512) % 255;
}

/* --- the wire --- */

static void
get (int fd, void *p, size_t n)
{
  for (size_t done = 0; done < n;) {
    ssize_t r = read (fd, (char *) p + done, n - done);

    if (r <= 0)
      _exit (0);
    done += r;
  }
}

static void
put (int fd, const void *p, size_t n)
{
  for (size_t done = 0; done < n;) {
    ssize_t r = write (fd, (const char *) p + done, n - done);

    if (r <= 0)
      _exit (0);
    done += r;
  }
}

static void
put16 (int fd, uint16_t n)
{
  n = htobe16 (n);
  put (fd, &n, 2);
}

static void
put32 (int fd, uint32_t n)
{
  n = htobe32 (n);
  put (fd, &n, 4);
}

static void
put64 (int fd, uint64_t n)
{
  n = htobe64 (n);
  put (fd, &n, 8);
}

static uint32_t
get32 (int fd)
{
  uint32_t n;

  get (fd, &n, 4);
  return be32toh (n);
}

static uint64_t
get64 (int fd)
{
  uint64_t n;

  get (fd, &n, 8);
  return be64toh (n);
}

/* Until the client has had enough. */
static _Noreturn void
never_answer (int fd)
{
  char rest;

  for (;;)
    get (fd, &rest, 1);
}

/* --- the handshake --- */

/* "close-N" hangs up before step N of it. */
static void
at_step (int n)
{
  if (strncmp (mode, "close-", 6) == 0 && atoi (mode + 6) == n)
    _exit (0);
}

static void
option_reply (int fd, uint32_t option, uint32_t type, uint32_t length)
{
  put64 (fd, OPTION_MAGIC);
  put32 (fd, option);
  put32 (fd, type);
  put32 (fd, is ("huge-option") ? UINT32_MAX : length);
}

static uint64_t
size (void)
{
  return is ("size-2^63") ? UINT64_C (1) << 63 : is ("size-2^64-1") ? UINT64_MAX : is ("size-0") ? 0 : SIZE;
}

static void
send_info (int fd, uint32_t option)
{
  option_reply (fd, option, 3, 12);
  put16 (fd, 0);
  put64 (fd, size ());
  put16 (fd, 1 | 2 | 1 << 7);           /* flags, read-only, structured DF */
  option_reply (fd, option, 1, 0);
}

static void
send_context (int fd, uint32_t option)
{
  const char *name = is ("wrong-context") ? "qemu:dirty-bitmap:x" : "base:allocation";

  option_reply (fd, option, 4, 4 + strlen (name));
  put32 (fd, 1);
  put (fd, name, strlen (name));
  option_reply (fd, option, 1, 0);
}

static void
handshake (int fd)
{
  uint32_t option = 0, length;
  char data[65536];

  at_step (1);
  put (fd, "NBDMAGIC", 8);
  at_step (2);
  put (fd, "IHAVEOPT", 8);
  put16 (fd, 1 | 2);
  get32 (fd);
  at_step (3);
  while (option != GO) {
    if (get64 (fd) != UINT64_C (0x49484156454F5054))
      _exit (1);
    option = get32 (fd);
    length = get32 (fd);
    if (length > sizeof data)
      _exit (1);
    get (fd, data, length);
    at_step (3 + (int) option);
    if (is ("mute"))
      never_answer (fd);
    if (option == GO)
      send_info (fd, option);
    else if (option == SET_META)
      send_context (fd, option);
    else if (option == STRUCTURED_REPLY)
      option_reply (fd, option, 1, 0);
    else
      option_reply (fd, option, UINT32_C (1) << 31 | 1, 0);     /* not known */
  }
}

/* --- replies --- */

static void
chunk (int fd, uint16_t flags, uint16_t type, uint64_t cookie, uint32_t length)
{
  put32 (fd, STRUCTURED);
  put16 (fd, flags);
  put16 (fd, type);
  put64 (fd, is ("wrong-cookie") ? cookie + 77 : cookie);
  put32 (fd, is ("huge-reply") ? UINT32_MAX : length);
}

static void
send_data (int fd, uint16_t flags, uint64_t cookie, uint64_t offset, uint32_t count)
{
  unsigned char *p = malloc (count);

  for (uint32_t i = 0; i < count; i++)
    p[i] = byte_at (offset + i);
  chunk (fd, flags, CHUNK_DATA, cookie, 8 + count);
  put64 (fd, offset);
  put (fd, p, count);
  free (p);
}

static void
send_error (int fd, uint64_t cookie)
{
  chunk (fd, CHUNK_DONE, CHUNK_ERROR, cookie, 6);
  put32 (fd, 5);
  put16 (fd, 0);
}

static void
reply_read (int fd, uint64_t cookie, uint64_t offset, uint32_t count)
{
  const uint32_t half = count / 2;

  if (is ("silent"))
    never_answer (fd);
  if (is ("hang-up") && offset >= SIZE / 2)
    _exit (0);
  if (is ("short"))                     /* the second half is missing */
    send_data (fd, CHUNK_DONE, cookie, offset, half);
  else if (is ("twice")) {              /* and here the first half comes twice */
    send_data (fd, 0, cookie, offset, half);
    send_data (fd, CHUNK_DONE, cookie, offset, half);
  }
  else if (is ("backwards")) {          /* allowed */
    send_data (fd, 0, cookie, offset + half, count - half);
    send_data (fd, CHUNK_DONE, cookie, offset, half);
  }
  else if (is ("half-error")) {
    send_data (fd, 0, cookie, offset, half);
    send_error (fd, cookie);
  }
  else if (is ("outside"))
    send_data (fd, CHUNK_DONE, cookie, offset + SIZE, count);
  else
    send_data (fd, CHUNK_DONE, cookie, offset, count);
}

/* Put the extents of [OFFSET, OFFSET + COUNT) at E; returns how many numbers. */
static size_t
list_extents (uint32_t *e, uint64_t offset, uint32_t count)
{
  const uint64_t end = offset + count;
  size_t n = 0;

  while (offset < end) {
    uint64_t next = (offset / unit () + 1) * unit ();

    if (is ("empty-extents") && n % 6 == 0) {
      e[n++] = 0;
      e[n++] = htobe32 (ZERO);
    }
    next = next < end ? next : end;
    e[n++] = htobe32 (is ("past-end") && next == end ? UINT32_MAX - 511 : next - offset);
    e[n++] = htobe32 (flags_at (offset));
    offset = next;
    if (is ("one-at-a-time"))
      break;
  }
  return n;
}

static void
reply_extents (int fd, uint64_t cookie, uint64_t offset, uint32_t count)
{
  uint32_t *e = malloc ((4 * (size_t) count / unit () + 16) * sizeof *e);
  size_t n = list_extents (e, offset, count);

  questions++;
  if (is ("mute-extents"))
    never_answer (fd);
  if (is ("refused-extents")) {
    send_error (fd, cookie);
    return;
  }
  if (is ("changing") && questions > 1) {
    e[0] = htobe32 (count);
    e[1] = 0;
    n = 2;
  }
  if (is ("changing") && questions == 1)
    n = 4;                              /* so that there is a second question */
  if (is ("no-extents"))
    n = 0;
  if (is ("all-empty")) {
    e[0] = e[1] = 0;
    n = 2;
  }
  chunk (fd, CHUNK_DONE, CHUNK_STATUS, cookie, 4 + 4 * n);
  put32 (fd, is ("wrong-id") ? 99 : 1);
  put (fd, e, 4 * n);
  free (e);
}

static void
serve (int fd)
{
  handshake (fd);
  for (;;) {
    uint16_t words[2];
    uint64_t cookie, offset;
    uint32_t count;

    if (get32 (fd) != REQUEST_MAGIC)
      _exit (1);
    get (fd, words, sizeof words);
    cookie = get64 (fd);
    offset = get64 (fd);
    count = get32 (fd);
    switch (be16toh (words[1])) {
    case READ: reply_read (fd, cookie, offset, count); break;
    case STATUS: reply_extents (fd, cookie, offset, count); break;
    case DISC: _exit (0);
    default: send_error (fd, cookie);
    }
  }
}

int
main (int argc, char **argv)
{
  const bool content = argc == 3 && strcmp (argv[1], "--content") == 0;
  int fd;

  mode = argv[argc - 1];
  for (uint64_t i = 0; content && i < size (); i++)
    putchar (byte_at (i));
  if (content)
    return fflush (stdout) == 0 ? 0 : 1;
  signal (SIGCHLD, SIG_IGN);
  while ((fd = accept (FD_LISTEN, NULL, NULL)) != -1) {
    if (fork () == 0)
      serve (fd);
    close (fd);
  }
  return 1;
}
