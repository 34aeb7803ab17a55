/* An NBD server of the tests' own, in a thread: it knows block status and nothing else, and can be as bad
 * as a test wants.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "fake-nbd.h"

#define MAGIC          UINT64_C (0x4e42444d41474943)
#define OPTION_MAGIC   UINT64_C (0x49484156454f5054)
#define REPLY_MAGIC    UINT64_C (0x3e889045565a9)
enum { REQUEST_MAGIC = 0x25609513, ANSWER_MAGIC = 0x668e33ef };
enum { OPT_GO = 7, OPT_STRUCTURED = 8, OPT_SET_META = 10 };
enum { REP_ACK = 1, REP_INFO = 3, REP_META = 4 };
#define REP_UNSUP UINT32_C (0x80000001)
#define REP_UNKNOWN UINT32_C (0x80000006)
enum { CMD_DISCONNECT = 2, CMD_BLOCK_STATUS = 7, CONTEXT_ID = 77 };

/* --- bytes --- */

static void
put16 (struct buf *b, uint16_t v)
{
  v = htobe16 (v);
  assert_int_equal (buf_append (b, &v, sizeof v), 0);
}

static void
put32 (struct buf *b, uint32_t v)
{
  v = htobe32 (v);
  assert_int_equal (buf_append (b, &v, sizeof v), 0);
}

static void
put64 (struct buf *b, uint64_t v)
{
  v = htobe64 (v);
  assert_int_equal (buf_append (b, &v, sizeof v), 0);
}

void
put_extent (struct fake_nbd *n, uint32_t length, uint32_t flags)
{
  put32 (&n->extents, length);
  put32 (&n->extents, flags);
}

/* Send and empty. */
static void
flush (struct fake_nbd *n, struct buf *b)
{
  size_t done = 0;
  ssize_t r = 0;

  while (done < b->len && (r = send (n->fd, b->data + done, b->len - done, MSG_NOSIGNAL)) > 0)
    done += r;
  b->len = 0;
}

static bool
get (struct fake_nbd *n, void *p, size_t len)
{
  return len == 0 || recv (n->fd, p, len, MSG_WAITALL) == (ssize_t) len;
}

/* Until the client has had enough. */
static void
hang (struct fake_nbd *n)
{
  char c;

  while (recv (n->fd, &c, 1, 0) > 0)
    ;
}

/* --- the handshake --- */

static void
reply_option (struct buf *b, uint32_t option, uint32_t type, uint32_t len)
{
  put64 (b, REPLY_MAGIC);
  put32 (b, option);
  put32 (b, type);
  put32 (b, len);
}

/* Answer one option.  True: the questions begin. */
static bool
answer_option (struct fake_nbd *n, uint32_t option)
{
  struct buf b = { 0 };

  if ((option == OPT_STRUCTURED && n->fault != NBD_NO_STRUCTURED))
    reply_option (&b, option, REP_ACK, 0);
  else if (option == OPT_SET_META && n->fault != NBD_NO_META) {
    reply_option (&b, option, REP_META, 4 + 15);
    put32 (&b, CONTEXT_ID);
    buf_append (&b, "base:allocation", 15);
    reply_option (&b, option, REP_ACK, 0);
  }
  else if (option == OPT_SET_META)
    reply_option (&b, option, REP_ACK, 0);
  else if (option == OPT_GO && n->fault == NBD_NO_EXPORT)
    reply_option (&b, option, REP_UNKNOWN, 0);
  else if (option == OPT_GO) {
    reply_option (&b, option, REP_INFO, 12);
    put16 (&b, 0);
    put64 (&b, n->size);
    put16 (&b, 3);              /* has flags, read-only */
    reply_option (&b, option, REP_ACK, 0);
  }
  else
    reply_option (&b, option, REP_UNSUP, 0);
  flush (n, &b);
  buf_free (&b);
  return option == OPT_GO && n->fault != NBD_NO_EXPORT;
}

static bool
greet (struct fake_nbd *n)
{
  struct buf b = { 0 };
  uint32_t flags;

  if (n->fault == NBD_CLOSE_FIRST)
    return false;
  if (n->fault == NBD_HANG_FIRST) {
    hang (n);
    return false;
  }
  put64 (&b, n->fault == NBD_GARBAGE ? OPTION_MAGIC : MAGIC);
  put64 (&b, OPTION_MAGIC);
  put16 (&b, 3);
  flush (n, &b);
  buf_free (&b);
  return get (n, &flags, sizeof flags);
}

static bool
shake_hands (struct fake_nbd *n)
{
  unsigned char head[16], data[4096];
  uint32_t option, len;

  if (!greet (n))
    return false;
  while (get (n, head, sizeof head)) {
    memcpy (&option, head + 8, 4);
    memcpy (&len, head + 12, 4);
    len = be32toh (len);
    if (len > sizeof data || !get (n, data, len) || n->fault == NBD_CLOSE_OPTION)
      return false;
    if (n->fault == NBD_HANG_OPTION)
      hang (n);
    else if (answer_option (n, be32toh (option)))
      return true;
  }
  return false;
}

/* --- questions --- */

static void
answer_question (struct fake_nbd *n, uint64_t cookie, uint64_t offset, uint32_t count)
{
  struct buf b = { 0 };

  n->extents.len = 0;
  if (n->fault != NBD_EMPTY)
    n->answer (n, offset, count);
  put32 (&b, ANSWER_MAGIC);
  put16 (&b, 1);
  put16 (&b, n->fault == NBD_ERROR ? 0x8001 : 5);
  put64 (&b, n->fault == NBD_BAD_COOKIE ? ~cookie : cookie);
  put32 (&b, n->fault == NBD_ERROR ? 6 : n->fault == NBD_HUGE_REPLY ? UINT32_MAX - 3 : 4 + n->extents.len);
  if (n->fault == NBD_ERROR) {
    put32 (&b, 5);
    put16 (&b, 0);
  }
  else {
    put32 (&b, n->fault == NBD_OTHER_CONTEXT ? CONTEXT_ID + 1 : CONTEXT_ID);
    if (n->extents.len > 0)
      buf_append (&b, n->extents.data, n->extents.len);
  }
  if (n->fault == NBD_HALF)
    b.len /= 2;
  flush (n, &b);
  buf_free (&b);
}

static void
answer_questions (struct fake_nbd *n)
{
  unsigned char request[28];
  uint64_t cookie, offset;
  uint32_t count;
  uint16_t type;

  while (get (n, request, sizeof request)) {
    memcpy (&type, request + 6, 2);
    memcpy (&cookie, request + 8, 8);
    memcpy (&offset, request + 16, 8);
    memcpy (&count, request + 24, 4);
    count = be32toh (count);
    if (be16toh (type) != CMD_BLOCK_STATUS || n->fault == NBD_CLOSE)
      return;
    n->questions++;
    if (count > n->largest)
      n->largest = count;
    if (n->fault != NBD_HANG)
      answer_question (n, be64toh (cookie), be64toh (offset), count);
  }
}

static void *
serve (void *opaque)
{
  struct fake_nbd *n = opaque;

  while ((n->fd = accept4 (n->listen_fd, NULL, NULL, SOCK_CLOEXEC)) != -1) {
    n->connections++;
    if (shake_hands (n))
      answer_questions (n);
    close (n->fd);
  }
  return NULL;
}

struct fake_nbd *
fake_nbd_new (uint64_t size, void (*answer) (struct fake_nbd *n, uint64_t offset, uint32_t count))
{
  struct fake_nbd *n = calloc (1, sizeof *n);
  struct sockaddr_un addr = { .sun_family = AF_UNIX };

  assert_non_null (n);
  n->size = size;
  n->answer = answer;
  strcpy (n->dir, "/tmp/zf-test-XXXXXX");
  assert_non_null (mkdtemp (n->dir));
  snprintf (n->path, sizeof n->path, "%s/nbd", n->dir);
  strcpy (addr.sun_path, n->path);
  n->listen_fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_int_equal (bind (n->listen_fd, (struct sockaddr *) &addr, sizeof addr), 0);
  assert_int_equal (listen (n->listen_fd, 5), 0);
  assert_int_equal (pthread_create (&n->thread, NULL, serve, n), 0);
  return n;
}

void
fake_nbd_end (struct fake_nbd *n)
{
  shutdown (n->listen_fd, SHUT_RDWR);
  pthread_join (n->thread, NULL);
  close (n->listen_fd);
  unlink (n->path);
  rmdir (n->dir);
  buf_free (&n->extents);
  free (n);
}
