/* The request loop in a child process, for the tests of serve.c and stream.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_SERVE_PEER_H
#define ZEROFISH_SERVE_PEER_H

#include "../wire/client.h"
#include "../../daemon/daemon.h"

/* Of the address sanitizer, where the build has it. */
extern int __lsan_do_recoverable_leak_check (void) __attribute__ ((weak));

/* The child's exit status: 0 the peer went away, 1 the stream broke, 2 memory was lost. */
static inline int
serve_peer (int fd)
{
  static struct conn conn;
  struct daemon d = { .conn = &conn };
  int r;

  conn_init (&conn, fd);
  r = serve (&d, true);
  close (fd);
  if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check ())
    return 2;
  return r == 0 ? 0 : 1;
}

static inline void
serve_peer_start (struct client *c)
{
  uint32_t w;

  client_start_function (c, serve_peer);
  assert_int_equal (conn_read_word (&c->conn, &w), 0);
  assert_int_equal (w, ZF_LAUNCH_FLAG);
}

#endif /* ZEROFISH_SERVE_PEER_H */
