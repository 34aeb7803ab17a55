/* A library and a table of commands that need no appliance, so that the shell's own behaviour can be
 * tested: what it hands to calls, what it does with results, progress, ^C, streams and completion.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fish.h"

struct zf_handle {
  bool ready;
  atomic_bool cancel, running;
  char message[512];
  int err;
  zf_event_callback progress, warning;
};

static int
fail (zf_handle *h, int err, const char *msg)
{
  snprintf (h->message, sizeof h->message, "%s", msg);
  h->err = err;
  return -1;
}

/* --- the library --- */

zf_handle *
zf_create (void)
{
  return calloc (1, sizeof (zf_handle));
}

void
zf_close (zf_handle *h)
{
  free (h);
}

const char *
zf_last_error (zf_handle *h)
{
  return h->message;
}

int
zf_last_errno (zf_handle *h)
{
  return h->err;
}

void
zf_user_cancel (zf_handle *h)
{
  if (h->running)
    h->cancel = true;
}

int
zf_set_event_callback (zf_handle *h, zf_event_callback cb, uint64_t events, void *opaque)
{
  (void) opaque;
  if (events & ZF_EVENT_PROGRESS)
    h->progress = cb;
  if (events & ZF_EVENT_WARNING)
    h->warning = cb;
  return 0;
}

void
zf_free_string_list (char **list)
{
  list_free (list);
}

int
zf_add_domain (zf_handle *h, const char *name, const struct zf_add_domain_opts *o)
{
  (void) h;
  printf ("guest %s readonly:%d uri:%s\n", name, o->readonly,
          o->bitmask & ZF_ADD_DOMAIN_OPTS_LIBVIRTURI ? o->libvirturi : "none");
  return 1;
}

int
zf_add_drive (zf_handle *h, const char *filename, const struct zf_add_drive_opts *o)
{
  (void) h;
  printf ("drive %s", filename);
  if (o->bitmask & ZF_ADD_DRIVE_OPTS_READONLY)
    printf (" readonly:%d", o->readonly);
  if (o->bitmask & ZF_ADD_DRIVE_OPTS_FORMAT)
    printf (" format:%s", o->format);
  if (o->bitmask & ZF_ADD_DRIVE_OPTS_DISCARD)
    printf (" discard:%s", o->discard);
  if (o->bitmask & ZF_ADD_DRIVE_OPTS_BLOCKSIZE)
    printf (" blocksize:%d", o->blocksize);
  putchar ('\n');
  return 0;
}

int
zf_launch (zf_handle *h)
{
  h->ready = true;
  return 0;
}

int
zf_shutdown (zf_handle *h)
{
  h->ready = false;
  return getenv ("FAKE_SHUTDOWN_FAILS") ? fail (h, EIO, "shutdown: the disks could not be flushed") : 0;
}

int
zf_is_ready (zf_handle *h)
{
  return h->ready;
}

int
zf_is_config (zf_handle *h)
{
  return !h->ready;
}

int
zf_set_verbose (zf_handle *h, int verbose)
{
  (void) h;
  (void) verbose;
  return 0;
}

int
zf_set_trace (zf_handle *h, int trace)
{
  (void) h;
  (void) trace;
  return 0;
}

int
zf_set_autosync (zf_handle *h, int autosync)
{
  (void) h;
  printf ("autosync %d\n", autosync);
  return 0;
}

static char **
two (const char *a, const char *b)
{
  char **list = xcalloc (3, sizeof *list);

  list[0] = xstrdup (a);
  list[1] = xstrdup (b);
  return list;
}

char **
zf_list_devices (zf_handle *h)
{
  return h->ready ? two ("/dev/sda", "/dev/sdb")
    : (fail (h, EINVAL, "list_devices: call launch first (run)"), NULL);
}

char **
zf_list_partitions (zf_handle *h)
{
  (void) h;
  return two ("/dev/sda1", "/dev/sda2");
}

/* The files of the guest: /my file, /my other, /plain, /sub/, /sub/x1, /sub/x2, /q"uo\te. */
struct zf_dirent_list *
zf_readdir (zf_handle *h, const char *dir)
{
  static const struct zf_dirent root[] = {
    { 1, 'd', (char *) "." }, { 1, 'd', (char *) ".." }, { 2, 'r', (char *) "my file" },
    { 3, 'r', (char *) "my other" }, { 4, 'r', (char *) "plain" }, { 5, 'd', (char *) "sub" },
    { 8, 'r', (char *) "q\"uo\\te" }
  };
  static const struct zf_dirent sub[] = { { 6, 'r', (char *) "x1" }, { 7, 'r', (char *) "x2" } };
  struct zf_dirent_list *l;

  if (!h->ready) {
    fail (h, EINVAL, "readdir: call launch first (run)");
    return NULL;
  }
  if (strcmp (dir, "/") != 0 && strcmp (dir, "/sub") != 0) {
    fail (h, ENOENT, "readdir: no such directory");
    return NULL;
  }
  l = xmalloc (sizeof *l);
  l->len = dir[1] ? 2 : 7;
  l->val = (struct zf_dirent *) (dir[1] ? sub : root);
  return l;
}

void
zf_free_dirent_list (struct zf_dirent_list *l)
{
  free (l);
}

int
zf_exists (zf_handle *h, const char *path)
{
  (void) h;
  return strcmp (path, "/sub") == 0 || strcmp (path, "/plain") == 0;
}

/* --- the commands --- */

#define RUN(name) static int run_##name (zf_handle *h __attribute__ ((unused)), \
  const struct value *v __attribute__ ((unused)), const struct value *opt __attribute__ ((unused)), \
  uint64_t mask __attribute__ ((unused)), FILE *out __attribute__ ((unused)))

RUN (launch)
{
  return zf_launch (h);
}

RUN (list_devices)
{
  return print_list (out, zf_list_devices (h));
}

RUN (is_zero_device)
{
  return print_bool (out, strcmp (v[0].s, "/dev/sda") == 0);
}

/* Works for v[0] tenths of a second, and reports after each. */
RUN (work)
{
  h->running = true;
  h->cancel = false;
  for (int64_t i = 0; i < v[0].n && !h->cancel; i++) {
    uint64_t array[4] = { 1, 2, i, v[0].n };

    nanosleep (&(struct timespec) { 0, 100000000 }, NULL);
    if (h->progress)
      h->progress (h, NULL, ZF_EVENT_PROGRESS, 0, NULL, 0, array, 4);
  }
  h->running = false;
  return h->cancel ? fail (h, EINTR, "work: cancelled by the user: Interrupted system call") : 0;
}

RUN (fail_now)
{
  return fail (h, EIO, "fail_now: it failed");
}

RUN (warn)
{
  h->warning (h, NULL, ZF_EVENT_WARNING, 0, v[0].s, strlen (v[0].s), NULL, 0);
  return 0;
}

RUN (show_list)
{
  for (size_t i = 0; v[0].list[i] != NULL; i++)
    fprintf (out, "[%s]\n", v[0].list[i]);
  return 0;
}

RUN (show)
{
  fprintf (out, "%s %" PRIi64 " %" PRIi64 " %" PRIi64, v[0].s, v[1].n, v[2].n, v[3].n);
  if (mask & 1)
    fprintf (out, " label:%s", opt[0].s);
  if (mask & 2)
    fprintf (out, " force:%" PRIi64, opt[1].n);
  if (mask & 4)
    for (size_t i = 0; opt[2].list[i] != NULL; i++)
      fprintf (out, " item:%s", opt[2].list[i]);
  fputc ('\n', out);
  return 0;
}

RUN (rm)
{
  fprintf (out, "rm %s\n", v[0].s);
  return 0;
}

RUN (mount)
{
  fprintf (out, "mount %s %s\n", v[0].s, v[1].s);
  return strcmp (v[0].s, "/dev/nope") == 0 ? fail (h, ENOENT, "mount: /dev/nope: no such device") : 0;
}

RUN (mount_ro)
{
  fprintf (out, "mount-ro %s %s\n", v[0].s, v[1].s);
  return 0;
}

/* Prints the local file. */
RUN (upload)
{
  char buf[4096];
  ssize_t n;
  int fd = open (v[0].s, O_RDONLY);

  if (fd == -1)
    return fail (h, errno, "upload: cannot open the file");
  fprintf (out, "%s <- ", v[1].s);
  while ((n = read (fd, buf, sizeof buf)) > 0)
    fwrite (buf, 1, n, out);
  close (fd);
  return n == 0 ? 0 : fail (h, errno, "upload: cannot read the file");
}

RUN (download)
{
  int fd = open (v[1].s, O_WRONLY | O_CREAT | O_TRUNC, 0666);

  if (fd == -1)
    return fail (h, errno, "download: cannot open the file");
  if (dprintf (fd, "content of %s\n", v[0].s) < 0)
    return fail (h, errno, "download: cannot write");
  close (fd);
  return 0;
}

RUN (secret)
{
  fprintf (out, "key %s\n", v[0].s);
  return 0;
}

#define ARGS(...) .args = (const struct command_arg[]) { __VA_ARGS__ }, \
    .nr_args = sizeof ((const struct command_arg[]) { __VA_ARGS__ }) / sizeof (struct command_arg)
#define TEXT .shortdesc = "a test", .longdesc = "First line.\n\nSecond line.\n"

const struct command commands[] = {
  { "download", NULL, ARGS ({ "path", V_PATH }, { "filename", V_FILE_OUT }), TEXT, .run = run_download },
  { "fail-now", NULL, TEXT, .run = run_fail_now },
  { "is-zero-device", NULL, ARGS ({ "device", V_DEVICE }), TEXT, .run = run_is_zero_device },
  { "launch", (const char *[]) { "run", NULL }, TEXT, .run = run_launch },
  { "list-devices", NULL, TEXT, .run = run_list_devices },
  { "mount", NULL, ARGS ({ "device", V_MOUNTABLE }, { "path", V_STRING }), TEXT, .run = run_mount },
  { "mount-ro", NULL, ARGS ({ "device", V_MOUNTABLE }, { "path", V_STRING }), TEXT, .run = run_mount_ro },
  { "rm", NULL, ARGS ({ "path", V_PATH }), TEXT, .run = run_rm },
  { "secret", NULL, ARGS ({ "key", V_KEY }), TEXT, .run = run_secret },
  { "show", NULL, ARGS ({ "text", V_STRING }, { "small", V_INT }, { "large", V_INT64 }, { "flag", V_BOOL }),
    .optargs = (const struct command_arg[]) {
      { "label", V_STRING }, { "force", V_BOOL }, { "items", V_LIST }
    },
    .nr_optargs = 3, TEXT, .run = run_show },
  { "show-list", NULL, ARGS ({ "items", V_LIST }), TEXT, .run = run_show_list },
  { "upload", NULL, ARGS ({ "filename", V_FILE_IN }, { "path", V_PATH }), TEXT, .run = run_upload },
  { "warn", NULL, ARGS ({ "text", V_STRING }), TEXT, .run = run_warn },
  { "work", NULL, ARGS ({ "tenths", V_INT }), TEXT, .destructive = true, .run = run_work },
};
const size_t nr_commands = sizeof commands / sizeof commands[0];
