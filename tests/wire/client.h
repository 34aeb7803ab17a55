/* A peer for the daemon that speaks in raw frames, so that tests can also send what no library would.
 *
 * Every wait has a time limit: a test fails, it never hangs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_CLIENT_H
#define ZEROFISH_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "buf.h"
#include "conn.h"
#include "wire.h"

struct client {
  struct conn conn;
  pid_t pid;                /* of the daemon */
  uint32_t serial;          /* of the last call */
  size_t chunk_max;         /* agreed by internal_set_chunk, or 0 */
  char *files[4];           /* devices made by client_start_disks; removed by client_end */
  char *sysroot;

  /* What client_next or client_reply read last. */
  enum { GOT_END, GOT_FRAME, GOT_CANCEL, GOT_PROGRESS } got;
  struct buf frame;
  struct wire_header header;
  const unsigned char *body;
  size_t body_len;
  char errno_name[33];      /* of an error reply, else "" */
  char message[1024];       /* cut off where longer */
  struct wire_progress progress;
  unsigned nr_progress;     /* progress messages passed over by client_reply */
};

/* Run SERVE in a child with one end of a socket pair.  Its return value is the exit status. */
extern void client_start_function (struct client *c, int (*serve) (int fd));
/* Run the real daemon with these options (NULL at the end), and read the launch flag. */
extern void client_start (struct client *c, const char *const *options);
/* The same with one new file per size (0 at the end; bytes) as its disks, and a fresh sysroot. */
extern void client_start_disks (struct client *c, const off_t *sizes);
/* Close, wait for the daemon and free all.  The daemon's exit status; a test fails if it was killed by a
 * signal. */
extern int client_end (struct client *c);

/* The most memory that the daemon has used (KiB), 0 if that cannot be said (sanitizers, valgrind). */
extern size_t client_peak_memory (struct client *c);

/* Milliseconds on the monotonic clock. */
extern int64_t client_now_ms (void);

/* Send these bytes; a daemon that has closed is no failure of the test (false is returned). */
extern bool client_send (struct client *c, const void *p, size_t n);
extern bool client_send_word (struct client *c, uint32_t w);
/* A header for PROC with the next serial. */
extern struct wire_header client_header (struct client *c, int proc, uint64_t mask);
/* Send header and body as one frame. */
extern bool client_send_frame (struct client *c, const struct wire_header *h, const void *body, size_t len);
/* A whole call; BODY may be NULL, else it is freed. */
extern void client_call (struct client *c, int proc, uint64_t mask, struct buf *body);
/* A call without optional arguments whose body TYPES describes: s string, i int, I int64_t, b two values:
 * a buffer (const void *, size_t).  client_do also reads the reply, which must be ok. */
extern void client_send_call (struct client *c, int proc, const char *types, ...);
extern void client_do (struct client *c, int proc, const char *types, ...);

/* Pieces of a body. */
extern void put_int (struct buf *b, uint32_t v);
extern void put_int64 (struct buf *b, uint64_t v);
extern void put_buffer (struct buf *b, const void *p, size_t n);
extern void put_string (struct buf *b, const char *s);

/* Read the next thing, whatever it is (GOT_END: the daemon closed). */
extern void client_next (struct client *c);
/* Read up to the reply to the last call of PROC, passing over progress; fails the test if it is anything
 * else. */
extern void client_reply (struct client *c, int proc);
extern void client_ok (struct client *c, int proc);
/* The reply must be an error with this errno name ("" any) and TEXT in its message. */
extern void client_error (struct client *c, int proc, const char *errno_name, const char *text);
/* The daemon must close the connection, whatever it sends before. */
extern void client_closed (struct client *c);

/* Values of a body, in order; they move c->body on. */
extern uint32_t get_int (struct client *c);
extern uint64_t get_int64 (struct client *c);
extern const char *get_string (struct client *c);            /* valid until the next call of it */
extern const void *get_buffer (struct client *c, size_t *len);

/* Is PROC one of the protocol's calls that a file follows, whether the daemon has it or not? */
extern bool client_takes_file (int proc);

/* FileIn: one chunk with its length word. */
extern bool client_send_chunk (struct client *c, const void *p, size_t n, uint32_t cancel);
/* FileOut: read one chunk into c->body; its length; -1: cancelled. */
extern ssize_t client_read_chunk (struct client *c);
/* Read chunks to the end into OUT (may be NULL).  0, or -1 if cancelled. */
extern int client_read_file (struct client *c, struct buf *out);

#endif /* ZEROFISH_CLIENT_H */
