/* Action debug: what tests want to see of a running appliance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "actions.h"
#include "devices.h"
#include "run.h"
#include "serve.h"

enum { LS_TIMEOUT_S = 60, SH_TIMEOUT_S = 3600 };

static char *debug_help (struct call *c, char *const *args);

/* The descriptors that are open, one a line with what each leads to. */
static char *
debug_fds (struct call *c, char *const *args)
{
  DIR *dir = opendir ("/proc/self/fd");
  char *text = call_strdup (c, ""), link[512];
  const char *name;
  ssize_t n;

  (void) args;
  while (dir != NULL && text != NULL && (name = sysfs_next (dir)) != NULL) {
    n = readlinkat (dirfd (dir), name, link, sizeof link - 1);
    if (n >= 0 && atoi (name) != dirfd (dir))
      text = call_printf (c, "%s%s %.*s\n", text, name, (int) n, link);
  }
  if (dir != NULL)
    closedir (dir);
  return text;
}

/* Report progress for so many seconds. */
static char *
debug_progress (struct call *c, char *const *args)
{
  const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
  int64_t begin = serve_now_ms (), total = args[0] ? atol (args[0]) * INT64_C (1000) : 0, done = 0;

  if (total <= 0) {
    call_refuse (c, EINVAL, "debug progress needs a number of seconds, 1 or more");
    return NULL;
  }
  while (done < total) {
    nanosleep (&pause, NULL);
    done = serve_now_ms () - begin;
    if (call_progress (c, (uint64_t) (done < total ? done : total), (uint64_t) total) == -1)
      return NULL;
  }
  return call_strdup (c, "ok");
}

static char *
run_shell (struct call *c, const char *command, int timeout_s)
{
  char *out = NULL;
  char **argv = run_words (c, "bash", "-c", command, NULL);

  if (argv == NULL || run_program (c, (const char *const *) argv, &out, timeout_s) == -1)
    return NULL;
  return out;
}

/* A command for the shell of the tools root, where the mounted filesystems are in /sysroot. */
static char *
debug_sh (struct call *c, char *const *args)
{
  char *command = call_strdup (c, "");

  for (; *args != NULL && command != NULL; args++)
    command = call_printf (c, "%s %s", command, *args);
  return command ? run_shell (c, command, SH_TIMEOUT_S) : NULL;
}

/* Files of the tools root. */
static char *
debug_ls (struct call *c, char *const *args)
{
  struct list l = { 0 };
  const char *program = run_find (c, "ls");
  char *out = NULL;

  if (program == NULL || list_add (c, &l, program) == -1 || list_add (c, &l, "-a") == -1)
    return NULL;
  for (; *args != NULL; args++)
    if (list_add (c, &l, *args) == -1)
      return NULL;
  if (run_program (c, (const char *const *) list_end (c, &l), &out, LS_TIMEOUT_S) == -1)
    return NULL;
  return out;
}

/* End with a crash, as a defect would. */
static char *
debug_segv (struct call *c, char *const *args)
{
  (void) c;
  (void) args;
  raise (SIGSEGV);
  return NULL;
}

static const struct {
  const char *name, *text;
  char *(*fn) (struct call *c, char *const *args);
} commands[] = {
  { "help", "this list", debug_help },
  { "fds", "descriptors that the daemon has open", debug_fds },
  { "ls", "FILE...: files of the tools root", debug_ls },
  { "progress", "SECONDS: report progress for so long", debug_progress },
  { "segv", "crash the daemon", debug_segv },
  { "sh", "COMMAND...: run a command with the tools root's shell", debug_sh },
};
enum { NR_COMMANDS = sizeof commands / sizeof commands[0] };

static char *
debug_help (struct call *c, char *const *args)
{
  char *text = call_strdup (c, "");

  (void) args;
  for (size_t i = 0; i < NR_COMMANDS && text != NULL; i++)
    text = call_printf (c, "%s%s - %s\n", text, commands[i].name, commands[i].text);
  return text;
}

char *
do_debug (struct call *c, const char *subcmd, char *const *extraargs)
{
  for (size_t i = 0; i < NR_COMMANDS; i++)
    if (strcmp (commands[i].name, subcmd) == 0)
      return commands[i].fn (c, extraargs);
  call_refuse (c, EINVAL, "there is no debug command \"%s\": see debug help", subcmd);
  return NULL;
}
