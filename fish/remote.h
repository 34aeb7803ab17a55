/* What the two sides of remote mode share: the socket's name and what goes over it.
 *
 * A client sends, in one message, a header with its standard input, output, error and its working directory
 * as descriptors; then SIZE bytes: arguments, each with a NUL at its end, or the text of a script.  While the
 * commands run it may send REMOTE_INTERRUPT bytes.  The answer is one byte, the exit status; then both close.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_REMOTE_H
#define ZEROFISH_REMOTE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "fish.h"

#define REMOTE_MAGIC 0x7a663031u        /* "zf01" */
enum { REMOTE_FDS = 4, REMOTE_MAX = 16 * 1024 * 1024 };
enum { REMOTE_ARGUMENTS = 1, REMOTE_SCRIPT = 2 };
#define REMOTE_INTERRUPT 'c'

struct remote_header {
  uint32_t magic, kind, size;
};

/* The address of the server PID of this user in *ADDR.  CREATE makes the private directory if need be.  0, or
 * -1 after a message, if the directory is not safe. */
extern int remote_address (struct sockaddr_un *addr, long pid, bool create);
/* Is the process at the other end of socket FD one of this user? */
extern bool remote_peer_is_us (int fd);

#endif /* ZEROFISH_REMOTE_H */
