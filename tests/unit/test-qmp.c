/* The QMP client against a server that behaves, and against ones that do not.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include "test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "internal.h"
#include "qmp.h"

#define GREETING "{\"QMP\": {\"version\": {}, \"capabilities\": []}}\r\n"

/* The server: a thread that sends a text, then answers each line that it gets with the next one of the
 * script. */
struct server {
  int fd;
  pthread_t thread;
  const char *const *script;
  char got[8][512];         /* lines received */
  int nr_got;
  size_t flood;             /* send so many bytes without a newline first */
  bool keep_open;           /* wait for the client to hang up */
};

static void
put (int fd, const char *s, size_t n)
{
  while (n > 0) {
    ssize_t r = send (fd, s, n, MSG_NOSIGNAL);

    if (r <= 0)
      return;
    s += r;
    n -= r;
  }
}

static bool
get_line (struct server *s)
{
  char line[512];
  size_t n = 0;

  while (n < sizeof line - 1 && read (s->fd, line + n, 1) == 1)
    if (line[n++] == '\n') {
      line[n] = '\0';
      if (s->nr_got < 8)
        strcpy (s->got[s->nr_got++], line);
      return true;
    }
  return false;
}

static void *
serve (void *opaque)
{
  struct server *s = opaque;
  static char filler[65536];
  size_t i;
  char c;

  memset (filler, 'x', sizeof filler);
  for (i = 0; i < s->flood; i += sizeof filler)
    put (s->fd, filler, sizeof filler);
  for (i = 0; s->script[i] != NULL; i++) {
    if (i > 0 && !get_line (s))
      break;
    put (s->fd, s->script[i], strlen (s->script[i]));
  }
  while (s->keep_open && read (s->fd, &c, 1) > 0)
    ;
  shutdown (s->fd, SHUT_RDWR);
  return NULL;
}

static int
plain_wait (void *opaque, int fd, short events, int64_t deadline_ms)
{
  struct pollfd pfd = { .fd = fd, .events = events };
  int64_t left = deadline_ms - zfi_now_ms ();
  int r = poll (&pfd, 1, left > 0 ? (int) left : 0);

  (void) opaque;
  if (r == 0)
    errno = ETIMEDOUT;
  return r == 1 ? 0 : -1;
}

static void
begin (struct server *s, struct qmp *q, const char *const *script, bool keep_open)
{
  int sv[2];

  s->nr_got = 0;
  s->script = script;
  s->keep_open = keep_open;
  assert_int_equal (socketpair (AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, sv), 0);
  s->fd = sv[1];
  qmp_init (q, sv[0], plain_wait, NULL);
  assert_int_equal (pthread_create (&s->thread, NULL, serve, s), 0);
}

static void
end (struct server *s, struct qmp *q)
{
  qmp_close (q);
  pthread_join (s->thread, NULL);
  close (s->fd);
}

/* qmp_open fails with ERR in less than LIMIT ms. */
static void
open_fails (const char *text, bool keep_open, size_t flood, int err, int limit)
{
  const char *const script[] = { text, NULL };
  struct server s = { .flood = flood };
  struct qmp q;
  char *error;
  int64_t start = zfi_now_ms ();

  begin (&s, &q, script, keep_open);
  assert_int_equal (qmp_open (&q, start + (flood > 0 ? 60000 : 300), &error), -1);
  assert_int_equal (errno, err);
  assert_non_null (error);
  assert_true (zfi_now_ms () - start < limit);
  free (error);
  end (&s, &q);
}

static void
test_bad_greeting (void **state)
{
  (void) state;
  open_fails ("hello\n", true, 0, EPROTO, 2000);
  open_fails ("[1, 2]\n", true, 0, EPROTO, 2000);
  open_fails ("\n", true, 0, EPROTO, 2000);
  open_fails ("{\"return\": {}}\n", true, 0, EPROTO, 2000);
  open_fails ("\xff\xfe\n", true, 0, EPROTO, 2000);
  open_fails ("", true, 0, ETIMEDOUT, 3000);
  open_fails ("{\"QMP\": {", true, 0, ETIMEDOUT, 3000);
  open_fails ("", false, 0, ECONNRESET, 2000);
  open_fails ("{\"QMP\"", false, 0, ECONNRESET, 2000);
}

/* A line that never ends costs bounded memory. */
static void
test_endless_line (void **state)
{
  (void) state;
  open_fails ("", true, QMP_LINE_MAX + 1024 * 1024, EMSGSIZE, 60000);
}

static void
test_deep_nesting (void **state)
{
  char *text = malloc (200002);

  (void) state;
  memset (text, '[', 200000);
  strcpy (text + 200000, "\n");
  open_fails (text, true, 0, EPROTO, 3000);
  free (text);
}

static void
test_command (void **state)
{
  static const char *const script[] = {
    GREETING,
    "{\"return\": {}, \"id\": 1}\n",
    "{\"event\": \"RESUME\", \"timestamp\": {}}\n"
    "{\"return\": 7, \"id\": 99}\n{\"return\": {\"a\": 5}, \"id\": 2}\n",
    "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no such thing\"}, \"id\": 3}\n",
    "{\"error\": 5, \"id\": 4}\n",
    NULL
  };
  struct server s = { 0 };
  struct qmp q;
  json_t *ret;
  char *error;

  (void) state;
  begin (&s, &q, script, true);
  assert_int_equal (qmp_open (&q, zfi_now_ms () + 5000, &error), 0);
  assert_int_equal (qmp_command (&q, "one", json_pack ("{s:s}", "x", "a\"b\n"), &ret, zfi_now_ms () + 5000,
                                 &error), 0);
  assert_int_equal (json_integer_value (json_object_get (ret, "a")), 5);
  json_decref (ret);
  assert_non_null (strstr (s.got[1], "\"x\":\"a\\\"b\\n\""));

  assert_int_equal (qmp_command (&q, "two", NULL, NULL, zfi_now_ms () + 5000, &error), -1);
  assert_int_equal (errno, EIO);
  assert_string_equal (error, "no such thing");
  free (error);
  assert_int_equal (qmp_command (&q, "three", NULL, NULL, zfi_now_ms () + 5000, &error), -1);
  assert_int_equal (errno, EIO);
  free (error);
  assert_false (q.broken);
  end (&s, &q);
}

/* A name that is no text never reaches qemu, and the connection stays good. */
static void
test_invalid_text (void **state)
{
  static const char *const script[] = {
    GREETING, "{\"return\": {}, \"id\": 1}\n", "{\"return\": {}, \"id\": 3}\n", NULL
  };
  struct server s = { 0 };
  struct qmp q;
  json_t *args = json_object ();
  char *error;

  (void) state;
  begin (&s, &q, script, true);
  assert_int_equal (qmp_open (&q, zfi_now_ms () + 5000, &error), 0);
  json_object_set_new_nocheck (args, "filename", json_string_nocheck ("a\xff"));
  assert_int_equal (qmp_command (&q, "bad", args, NULL, zfi_now_ms () + 5000, &error), -1);
  assert_int_equal (errno, EILSEQ);
  free (error);
  assert_int_equal (qmp_command (&q, "good", NULL, NULL, zfi_now_ms () + 5000, &error), 0);
  assert_int_equal (s.nr_got, 2);
  end (&s, &q);
}

/* The client looks between commands, and learns that the machine does not run. */
static void
test_events (void **state)
{
  static const char *const script[] = {
    GREETING, "{\"return\": {}, \"id\": 1}\n",
    "{\"event\": \"STOP\"}\n{\"event\": \"GUEST_PANICKED\"}\n{\"event\": \"SHUTDOWN\"}\n"
    "{\"event\": \"NEW_ONE\", \"data\": []}\n"
    "{\"return\": {\"status\": \"internal-error\", \"running\": false}, \"id\": 2}\n",
    "{\"return\": {\"status\": \"running\"}, \"id\": 3}\n",
    NULL
  };
  struct server s = { 0 };
  struct qmp q;
  char *error;
  int i;

  (void) state;
  begin (&s, &q, script, true);
  assert_int_equal (qmp_open (&q, zfi_now_ms () + 5000, &error), 0);
  for (i = 0; i < 500 && q.status[0] == '\0'; i++) {
    assert_int_equal (qmp_look (&q), 0);
    poll (NULL, 0, 10);
  }
  assert_true (q.stopped);
  assert_true (q.panicked);
  assert_true (q.shutdown);
  assert_string_equal (q.status, "internal-error");
  for (i = 0; i < 500 && q.stopped; i++) {
    assert_int_equal (qmp_look (&q), 0);
    poll (NULL, 0, 10);
  }
  assert_false (q.stopped);
  end (&s, &q);
}

/* The far end goes away: found when looking, and every later command fails at once. */
static void
test_hang_up (void **state)
{
  static const char *const script[] = {
    GREETING, "{\"return\": {}, \"id\": 1}\n", "{\"event\": \"SHUTDOWN\"}\n", NULL
  };
  struct server s = { 0 };
  struct qmp q;
  char *error;
  int i, r = 0;

  (void) state;
  begin (&s, &q, script, false);
  assert_int_equal (qmp_open (&q, zfi_now_ms () + 5000, &error), 0);
  for (i = 0; i < 500 && r == 0; i++) {
    r = qmp_look (&q);
    poll (NULL, 0, 10);
  }
  assert_int_equal (r, -1);
  assert_true (q.shutdown);
  assert_int_equal (qmp_command (&q, "quit", NULL, NULL, zfi_now_ms () + 5000, &error), -1);
  assert_int_equal (errno, EPIPE);
  free (error);
  end (&s, &q);
}

static void
test_job (void **state)
{
  static const char *const script[] = {
    GREETING, "{\"return\": {}, \"id\": 1}\n",
    "{\"return\": [{\"id\": \"j\", \"status\": \"running\"}], \"id\": 2}\n"
    "{\"event\": \"JOB_STATUS_CHANGE\"}\n",
    "{\"return\": [{\"id\": \"i\", \"status\": \"running\"}, "
    "{\"id\": \"j\", \"status\": \"concluded\"}], \"id\": 3}\n",
    "{\"return\": {}, \"id\": 4}\n",
    "{\"return\": [{\"id\": \"j\", \"status\": \"concluded\", \"error\": \"disk full\"}], \"id\": 5}\n",
    "{\"return\": {}, \"id\": 6}\n",
    "{\"return\": [], \"id\": 7}\n",
    NULL
  };
  struct server s = { 0 };
  struct qmp q;
  char *error;

  (void) state;
  begin (&s, &q, script, true);
  assert_int_equal (qmp_open (&q, zfi_now_ms () + 5000, &error), 0);
  assert_int_equal (qmp_finish_job (&q, "j", zfi_now_ms () + 5000, &error), 0);
  assert_int_equal (qmp_finish_job (&q, "j", zfi_now_ms () + 5000, &error), -1);
  assert_string_equal (error, "disk full");
  free (error);
  assert_int_equal (qmp_finish_job (&q, "j", zfi_now_ms () + 5000, &error), -1);
  assert_int_equal (errno, EPROTO);
  free (error);
  end (&s, &q);
}

static const struct CMUnitTest tests[] = {
  cmocka_unit_test (test_bad_greeting),
  cmocka_unit_test (test_endless_line),
  cmocka_unit_test (test_deep_nesting),
  cmocka_unit_test (test_command),
  cmocka_unit_test (test_invalid_text),
  cmocka_unit_test (test_events),
  cmocka_unit_test (test_hang_up),
  cmocka_unit_test (test_job),
};

TEST_MAIN (tests, 120)
