/* What the tests of the zero engine share: a file as the device, system calls that can fail, a call
 * that records.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZERO_FIXTURE_H
#define ZERO_FIXTURE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "daemon.h"
#include "zero-engine.h"

/* What goes wrong; all zero: nothing. */
struct faults {
  struct range unreadable, unwritable;  /* EIO */
  bool remapped;                        /* ... and what was written can be read again */
  size_t short_reads;                   /* a read returns at most so much */
  int fallocate_errno;
  bool request_lies, unmap_lies;        /* success, and nothing happens */
  unsigned cancel_at;                   /* look number */
};
extern struct faults faults;

/* What was seen. */
struct seen {
  unsigned looks, requests, unmaps, writes;
  uint64_t requested, written, read;    /* bytes: by requests for zeroes, by plain writes, by reads */
  uint64_t position;
  int error;
  char message[256];
};
extern struct seen seen;

/* The real system calls with the faults put in, one after the other; and many in flight, without faults. */
extern const struct zero_io faulty_io;

enum pattern { SPARSE, ALLOCATED, WRITTEN_ZERO, RANDOM, STRIPES, FIRST_BYTE, LAST_BYTE, NR_PATTERNS };
extern const char *const pattern_names[NR_PATTERNS];

/* A file of SIZE bytes with that in it, open as a target with 512-byte blocks: O_DIRECT where it works. */
extern struct zero_target fixture_open (enum pattern pattern, uint64_t size);
extern void fixture_close (struct zero_target *t);

/* Bytes on the disk, as du counts them. */
extern uint64_t fixture_allocated (const struct zero_target *t);
/* Offset of the first byte that is not C in [START, END); END if there is none. */
extern uint64_t fixture_first_not (const struct zero_target *t, unsigned char c,
                                   uint64_t start, uint64_t end);
extern void fixture_fill (const struct zero_target *t, unsigned char c, uint64_t start, uint64_t end);

/* Run the engine once, on all of the target.  0 or 1, or -1 with seen.error. */
extern int run_zero (struct zero_target *t, const struct zero_io *io, enum zero_method method,
                     struct ranges *punched);
extern int run_is_zero (struct zero_target *t, const struct zero_io *io);
extern int run_bytes (struct zero_target *t, const struct zero_io *io, uint64_t offset, uint64_t len);

#endif /* ZERO_FIXTURE_H */
