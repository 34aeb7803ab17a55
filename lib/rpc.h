/* What the two halves of the call path share: rpc.c (frames, replies, failures) and stream.c (files).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_RPC_H
#define ZEROFISH_RPC_H

#include <sys/uio.h>

#include "internal.h"

/* One call on the wire. */
struct rpc {
  zf_handle *h;
  const struct zfi_action *a;
  uint32_t serial;
  struct buf frame;             /* the call, then its reply */

  bool daemon_cancelled;        /* its cancel flag was seen: FileIn only, and only once */
  bool sent_cancelled_chunk;    /* ours */
  bool ok;                      /* the reply said so */

  /* Progress as it was last passed on; total 0: none yet. */
  uint64_t position, total;
};

/* Errors that end the machine; all return -1.  rpc_lost: errno says why reading or writing failed.
 * rpc_violation: the daemon broke the protocol. */
extern int rpc_lost (struct rpc *c);
extern int rpc_violation (struct rpc *c, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));

/* Read the next word that is no progress message; those are passed on.  A daemon's cancel flag is taken
 * once in a FileIn call (c->daemon_cancelled) and skipped.  0, or -1 with the error set. */
extern int rpc_read_length (struct rpc *c, uint32_t *len);
/* Take whatever flags have arrived, without waiting; any other word is a violation. */
extern int rpc_poll_flags (struct rpc *c);
/* Encode and send.  0; -1 with the error set: nothing was sent, or the machine is lost. */
extern int rpc_send (struct rpc *c, uint64_t mask, uint64_t hint, xdrproc_t args_proc, void *args);
/* Read the length word and the header of the reply, and check both: *LEN bytes of the body follow.  0:
 * c->ok says whether that is an error, which rpc_read_error then reads and sets. */
extern int rpc_read_head (struct rpc *c, unsigned char header[ZF_HEADER_SIZE], uint32_t *len);
extern int rpc_read_error (struct rpc *c, uint32_t len);
/* What comes before every call: a machine that can carry it out.  And what comes after, whatever became of
 * it: R. */
extern int rpc_prepare (zf_handle *h, const struct zfi_action *a);
extern int rpc_finish (struct rpc *c, int r);
/* Read the reply into c->frame and check its header.  0: c->ok says whether it is an error, which then is
 * set. */
extern int rpc_read_reply (struct rpc *c);

/* Tell the daemon to end the call, once: the flag if nothing is half sent.  From now on the call has a
 * deadline.  0, or -1 with errno. */
extern int zfi_send_cancel (zf_handle *h);

/* Wait for a local file; a cancel ends the wait with EINTR.  OR_DAEMON: something from the daemon ends it
 * as well. */
extern int zfi_wait_local (zf_handle *h, int fd, short events, bool or_daemon);

/* --- local-file.c: the local end of a transfer --- */

struct local_file {
  const char *name;             /* as given, for messages */
  int fd;
  bool ours;                    /* close it */
  bool regular;                 /* never makes anyone wait */
  bool sparse;                  /* FileOut: zero blocks become holes */
  int64_t size;                 /* FileIn: bytes to come, if regular; else 0 */
  uint64_t position;            /* FileOut: bytes written */
  struct buf pending;           /* FileOut: not yet written */
};

/* Open for reading: 0, or -1 with the error set.  "-" is standard input. */
extern int file_open_in (zf_handle *h, struct local_file *f, const char *name);
extern void file_close_in (struct local_file *f);
/* Fill the N pieces at most: the number of bytes, 0 at the end, -1 with errno (EINTR: cancelled), or -2:
 * nothing yet, but something came from the daemon. */
extern ssize_t file_read (zf_handle *h, struct local_file *f, const struct iovec *pieces, int n);

/* Create for writing; "-" is standard output.  These return 0, or -1 with errno. */
extern int file_open_out (zf_handle *h, struct local_file *f, const char *name);
extern int file_write (zf_handle *h, struct local_file *f, const void *p, size_t n);
/* Write out and close. */
extern int file_finish (zf_handle *h, struct local_file *f);
/* Close after an error. */
extern void file_abandon (struct local_file *f);

/* --- stream.c: the wire end of a transfer --- */

/* Stream the file after the call was sent, then read the reply: 0, or -1 with the error set. */
extern int file_send (struct rpc *c, struct local_file *f);
/* After an ok reply: receive the file NAME. */
extern int file_receive (struct rpc *c, const char *name);

#endif /* ZEROFISH_RPC_H */
