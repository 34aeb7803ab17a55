/* The copy engine as its callers see it: zerocp and the library's copy_disk.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_COPY_H
#define ZEROFISH_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "internal.h"

/* A source or a target: NAME is a file, a block device, an NBD URI or "-"; or COMMAND (NULL at its end) is a
 * server that takes its socket as systemd would pass it, and NAME is only used in messages. */
struct copy_place {
  const char *name;
  char *const *command;
  const char *format;           /* of a local image; NULL: detect, or choose by the name of a new one */
};

/* Numbers that are 0 are chosen by the engine. */
struct copy_options {
  bool allocated;               /* no holes in the target */
  bool must_be_zero;            /* refuse a target that is not all zero */
  bool flush;                   /* data is on disk at the end */
  bool verify;                  /* read back and compare */
  bool synchronous;             /* one thread, one connection, one request */
  unsigned threads, connections, requests;
  unsigned request_size;        /* bytes, a power of two */
  unsigned timeout;             /* seconds without any answer from a server */

  /* Called several times a second by the thread that called zfi_copy.  May be NULL. */
  void (*progress) (void *opaque, uint64_t position, uint64_t total);
  bool (*cancelled) (void *opaque);
  void *opaque;
};

/* All in bytes.  After a whole copy written + zeroed + skipped is size. */
struct copy_stats {
  uint64_t size;                /* of the source; of a pipe: what came */
  uint64_t read;                /* from the source */
  uint64_t written, zeroed;     /* to the target */
  uint64_t skipped;             /* zero on both sides */
  uint64_t checked;             /* read from the target */
  int64_t ms;                   /* time that it took */
};

/* Copy SOURCE to TARGET.  *STATS is filled in also on failure.  0, or -1 with the error set on H. */
extern int zfi_copy (zf_handle *h, const struct copy_place *source, const struct copy_place *target,
                     const struct copy_options *o, struct copy_stats *stats);

#endif /* ZEROFISH_COPY_H */
