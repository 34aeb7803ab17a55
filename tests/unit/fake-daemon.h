/* A daemon of the tests' own, in a thread, that says whatever a test wants the library to hear.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_FAKE_DAEMON_H
#define ZEROFISH_FAKE_DAEMON_H

#include "test.h"

#include <pthread.h>

#include "internal.h"
#include "lib-error.h"
#include "protocol.h"

struct fake;
typedef void (*fake_script) (struct fake *f, void *opaque);

struct fake {
  zf_handle *h;
  char dir[32], path[64];
  int listen_fd;
  pthread_t thread;
  fake_script script;
  void *opaque;
  struct conn conn;
  bool gone;                /* the library closed the connection */

  struct wire_header call;  /* the last call */
  struct buf body;          /* its whole frame */
  unsigned quits;           /* subprocess-quit events */
};

/* What fake daemons say to internal_set_chunk; 0 (in all tests that do not set it): they do not know the call. */
extern int fake_chunk_size;
/* What zf_launch is to return on them. */
extern int fake_launch_result;

/* A handle that was launched on a fake daemon: the thread sends the launch flag, answers the library's
 * first calls, runs SCRIPT, and then answers every call with success until the connection ends. */
extern struct fake *fake_new (fake_script script, void *opaque);
/* Launch H again on the same daemon, with another script. */
extern void fake_again (struct fake *f, fake_script script, void *opaque);
/* Close the handle, end the thread. */
extern void fake_end (struct fake *f);

/* For scripts.  Everything gives up quietly once the library has closed the connection (f->gone). */
extern bool fake_read (struct fake *f, void *p, size_t n);
extern void fake_write (struct fake *f, const void *p, size_t n);
extern void fake_word (struct fake *f, uint32_t w);
/* Read the next call, passing over cancel flags; false: the library is gone. */
extern bool fake_read_call (struct fake *f);
/* Answer it.  BODY may be NULL. */
extern void fake_ok (struct fake *f, const void *body, size_t n);
extern void fake_ok_int (struct fake *f, uint32_t n);
extern void fake_error (struct fake *f, const char *errno_name, const char *message);
extern void fake_reply (struct fake *f, const struct wire_header *hdr, const void *body, size_t n);
/* A correct header for the reply to the last call. */
extern struct wire_header fake_header (struct fake *f);
extern void fake_progress (struct fake *f, uint64_t position, uint64_t total);
/* Read a word that must be the cancel flag. */
extern void fake_expect_cancel (struct fake *f);
/* FileIn: read a chunk into DATA, which has room for the largest (a cancel flag before it is passed over).  Bytes of data, 0 the end, -1 cancelled,
 * -2 the library is gone. */
extern int fake_read_chunk (struct fake *f, unsigned char *data);
/* FileOut. */
extern void fake_chunk (struct fake *f, bool cancelled, const void *p, size_t n);
extern void fake_hang_up (struct fake *f);

#endif /* ZEROFISH_FAKE_DAEMON_H */
