/* Parsing NBD URIs, strictly: what is not understood is refused, and no message shows a password.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

#define EXPORT_MAX    4096      /* bytes, by the protocol */
#define DEFAULT_PORT  "10809"

/* Where the parts of a URI begin and how long they are; absent: NULL. */
struct part { const char *s; size_t n; };
struct parts { struct part scheme, user, host, port, path, query; bool has_authority; };

void
zfi_nbd_free (struct zfi_nbd *n)
{
  if (n == NULL)
    return;
  free (n->host);
  free (n->port);
  free (n->socket);
  free (n->export);
  free (n->user);
  free (n);
}

static int
refuse (zf_handle *h, const char *what)
{
  return zfi_error (h, EINVAL, "NBD URI: %s", what);
}

static int
hex (char c)
{
  static const char digits[] = "0123456789abcdef";
  const char *p = c ? strchr (digits, tolower ((unsigned char) c)) : NULL;

  return p ? (int) (p - digits) : -1;
}

/* Undo percent-encoding; NULL with the error set. */
static char *
decode (zf_handle *h, struct part p)
{
  char *r = malloc (p.n + 1), *q = r;

  if (r == NULL) {
    zfi_perror (h, errno, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < p.n; i++) {
    int c = (unsigned char) p.s[i];

    if (c == '%') {
      if (i + 2 >= p.n || hex (p.s[i + 1]) < 0 || hex (p.s[i + 2]) < 0
          || (p.s[i + 1] == '0' && p.s[i + 2] == '0')) {
        refuse (h, "\"%\" must be followed by two hexadecimal digits (not 00)");
        free (r);
        return NULL;
      }
      c = hex (p.s[i + 1]) * 16 + hex (p.s[i + 2]);
      i += 2;
    }
    *q++ = c;
  }
  *q = '\0';
  return r;
}

static bool
part_is (struct part p, const char *s)
{
  return p.s != NULL && p.n == strlen (s) && strncmp (p.s, s, p.n) == 0;
}

/* Cut "[user[:password]@]host[:port]". */
static int
split_authority (zf_handle *h, struct part a, struct parts *u)
{
  const char *end = a.s + a.n, *at = memrchr (a.s, '@', a.n), *colon;

  if (at != NULL) {
    u->user = (struct part) { a.s, at - a.s };
    if (memchr (a.s, ':', at - a.s) != NULL)
      return refuse (h, "a password cannot be given in the URI");
    a = (struct part) { at + 1, end - (at + 1) };
  }
  if (a.n > 0 && a.s[0] == '[') {
    const char *close = memchr (a.s, ']', a.n);

    if (close == NULL)
      return refuse (h, "\"[\" without \"]\"");
    u->host = (struct part) { a.s + 1, close - (a.s + 1) };
    colon = close + 1;
    if (colon < end && *colon != ':')
      return refuse (h, "only \":PORT\" may follow \"]\"");
  }
  else {
    colon = memchr (a.s, ':', a.n);
    if (colon == NULL)
      colon = end;
    u->host = (struct part) { a.s, colon - a.s };
  }
  if (colon < end)
    u->port = (struct part) { colon + 1, end - (colon + 1) };
  return 0;
}

static int
split_uri (zf_handle *h, const char *uri, struct parts *u)
{
  const char *s = strstr (uri, "://");
  size_t n;

  if (s == NULL)
    return refuse (h, "\"://\" is missing");
  if (strchr (uri, '#') != NULL)
    return refuse (h, "\"#\" is not allowed; write %23 where it is part of a name");
  u->scheme = (struct part) { uri, s - uri };
  s += 3;
  n = strcspn (s, "/?");
  u->has_authority = n > 0;
  if (split_authority (h, (struct part) { s, n }, u) == -1)
    return -1;
  s += n;
  n = strcspn (s, "?");
  u->path = (struct part) { s, n };
  s += n;
  if (*s == '?')
    u->query = (struct part) { s + 1, strlen (s + 1) };
  return 0;
}

static int
set_scheme (zf_handle *h, const struct parts *u, struct zfi_nbd *nbd, bool *needs_socket)
{
  *needs_socket = part_is (u->scheme, "nbd+unix") || part_is (u->scheme, "nbds+unix");
  nbd->tls = part_is (u->scheme, "nbds") || part_is (u->scheme, "nbds+unix");
  if (*needs_socket || nbd->tls || part_is (u->scheme, "nbd"))
    return 0;
  return refuse (h, "the scheme must be nbd, nbds, nbd+unix or nbds+unix");
}

/* Make the socket's path absolute, since the emulator may run in another directory. */
static int
set_socket (zf_handle *h, struct zfi_nbd *nbd, struct part value)
{
  char *path, *dir;

  if (nbd->socket != NULL)
    return refuse (h, "\"socket\" is given twice");
  if (value.n == 0)
    return refuse (h, "\"socket\" is empty");
  path = decode (h, value);
  if (path == NULL)
    return -1;
  if (path[0] != '/') {
    dir = getcwd (NULL, 0);
    if (dir == NULL || asprintf (&nbd->socket, "%s/%s", dir, path) == -1)
      nbd->socket = NULL;
    free (path);
    free (dir);
  }
  else
    nbd->socket = path;
  return nbd->socket ? 0 : zfi_perror (h, errno, "NBD URI: making the socket's path absolute");
}

static int
set_query (zf_handle *h, struct zfi_nbd *nbd, struct part query)
{
  const char *s = query.s, *end = query.s + query.n;

  while (s != NULL && s < end) {
    size_t n = strcspn (s, "&;");
    const char *equals = memchr (s, '=', n);

    if (equals == NULL || !part_is ((struct part) { s, equals - s }, "socket"))
      return zfi_error (h, EINVAL, "NBD URI: unknown parameter \"%.*s\"; only \"socket\" is known",
                        (int) (equals ? equals - s : (ptrdiff_t) n), s);
    if (set_socket (h, nbd, (struct part) { equals + 1, s + n - (equals + 1) }) == -1)
      return -1;
    s += n + (s + n < end);
  }
  return 0;
}

static int
set_port (zf_handle *h, struct zfi_nbd *nbd, struct part port)
{
  char *end;
  long n;

  if (port.s == NULL)
    nbd->port = strdup (DEFAULT_PORT);
  else
    nbd->port = strndup (port.s, port.n);
  if (nbd->port == NULL)
    return zfi_perror (h, errno, "out of memory");
  n = strtol (nbd->port, &end, 10);
  if (!isdigit ((unsigned char) nbd->port[0]) || *end != '\0' || n < 1 || n > 65535)
    return refuse (h, "the port must be a number from 1 to 65535");
  return 0;
}

/* Host and port, or socket: exactly one of the two. */
static int
set_server (zf_handle *h, const struct parts *u, struct zfi_nbd *nbd, bool needs_socket)
{
  if (nbd->socket != NULL)
    return u->has_authority ? refuse (h, "either a host or a socket can be given, not both") : 0;
  if (needs_socket)
    return refuse (h, "nbd+unix needs ?socket=PATH");
  if (u->host.n == 0)
    return refuse (h, "there is no host and no socket");
  if ((nbd->host = decode (h, u->host)) == NULL)
    return -1;
  return set_port (h, nbd, u->port);
}

/* The slash that ends the authority is no part of the export's name. */
static int
set_export (zf_handle *h, struct zfi_nbd *nbd, struct part path)
{
  if (path.n > 0) {
    path.s++;
    path.n--;
  }
  if ((nbd->export = decode (h, path)) == NULL)
    return -1;
  if (strlen (nbd->export) > EXPORT_MAX)
    return zfi_error (h, EINVAL, "NBD URI: the export's name has %zu bytes; %d are allowed",
                      strlen (nbd->export), EXPORT_MAX);
  return 0;
}

static int
set_user (zf_handle *h, const struct parts *u, struct zfi_nbd *nbd)
{
  if (u->user.s == NULL)
    return 0;
  if (!nbd->tls)
    return refuse (h, "a user name is only used with TLS (nbds)");
  nbd->user = decode (h, u->user);
  return nbd->user ? 0 : -1;
}

struct zfi_nbd *
zfi_nbd_parse (zf_handle *h, const char *uri)
{
  struct zfi_nbd *nbd = calloc (1, sizeof *nbd);
  struct parts u = { 0 };
  bool needs_socket;

  if (nbd == NULL)
    zfi_perror (h, errno, "out of memory");
  else if (split_uri (h, uri, &u) == 0
           && set_scheme (h, &u, nbd, &needs_socket) == 0
           && set_query (h, nbd, u.query) == 0
           && set_server (h, &u, nbd, needs_socket) == 0
           && set_user (h, &u, nbd) == 0
           && set_export (h, nbd, u.path) == 0)
    return nbd;
  zfi_nbd_free (nbd);
  return NULL;
}
