/* Whole reads and writes at an offset, with errors that name object and offset.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_IO_H
#define ZEROFISH_IO_H

#include "daemon.h"

/* Largest buffer that fits into one reply. */
enum { REPLY_BUFFER_MAX = ZF_MESSAGE_MAX - ZF_HEADER_SIZE - 4 };

/* Read N bytes at OFFSET, fewer only at the end: bytes, or -1 with the error set.  Both put an end to
 * O_DIRECT where it does not work. */
extern ssize_t io_read (struct call *c, const char *name, int fd, void *p, size_t n, uint64_t offset);
/* Write all N bytes; 0, or -1 with the error set. */
extern int io_write (struct call *c, const char *name, int fd, const void *p, size_t n, uint64_t offset);
/* fsync; 0, or -1 with the error set. */
extern int io_sync (struct call *c, const char *name, int fd);

/* The body of pread: COUNT and OFFSET as the user gave them.  FD is read in units of BLOCK bytes, as O_DIRECT
 * needs it.  Buffer in the call's memory, or NULL. */
extern char *io_pread (struct call *c, const char *name, int fd, unsigned block, int count, int64_t offset,
                       size_t *size_r);
/* Is OFFSET one that can be read or written at?  0, or -1 with the error set. */
extern int io_check_offset (struct call *c, int64_t offset);

#endif /* ZEROFISH_IO_H */
