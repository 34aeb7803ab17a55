/* Copying between devices and files: what is zero is neither read, where that is known, nor written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_COPY_H
#define ZEROFISH_COPY_H

#include "zero-engine.h"

enum { COPY_WRITES = 32 };      /* in flight */

/* One copy: the caller fills the first part.  Offsets are in bytes. */
struct copy {
  struct call *call;
  struct zero_target source, target;
  struct zero_source parts;     /* of the source: all else is known to be zero */
  uint64_t from, size, to;      /* bytes [from, from+size) of the source to the target's offset TO */
  bool fresh;                   /* the target reads as zero beforehand and need not be asked */
  bool skip_zeroes;             /* also zeroes that the source has written are left out */
  bool unmap;                   /* space of what becomes zero is given back */
  struct zero_pool *pool;       /* for reading the source */

  struct engine in, out;        /* OUT makes zeroes in the target */
  struct zero_pool out_pool;
  uint64_t at;                  /* of the source: all before it is done, but for the next */
  struct ranges zeroes;         /* of the target: to be made zero where something else is */
  uint64_t nr_zeroes;           /* bytes */
  unsigned char *block;         /* room for a block of the target */
  struct op writes[COPY_WRITES];
  size_t nr_writes;
};

/* Do it.  All is written on return, but not yet flushed, and a file is not yet extended over what was left
 * out at its end.  0, or -1 with the call's error. */
extern int copy_run (struct copy *k);

#endif /* ZEROFISH_COPY_H */
