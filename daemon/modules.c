/* Kernel modules of the appliance: loading one with what it depends on, also when the kernel asks for it.
 *
 * The build script wrote the files: /modules/order holds what to load at start, /modules/index lines "NAME
 * FILE...", /modules/alias lines "PATTERN NAME".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon.h"

#define MODULES "/modules/"

/* NAME as the kernel writes it, without ".ko", with '_' for '-', at most SIZE - 1 letters of it. */
static void
module_name (const char *name, char *out, size_t size)
{
  size_t n = strcspn (name, ".");

  if (n >= size)
    n = size - 1;
  for (size_t i = 0; i < n; i++)
    out[i] = name[i] == '-' ? '_' : name[i];
  out[n] = '\0';
}

/* The kernel hands "MODULE.x=y" of its command line only to what is built in: collect "x=y ..." for NAME. */
static void
module_parameters (const char *name, char *out, size_t size)
{
  char line[4096], *word, *state;
  size_t len = strlen (name), used = 0;
  FILE *fp = fopen ("/proc/cmdline", "re");
  bool ok = fp != NULL && fgets (line, sizeof line, fp) != NULL;

  if (fp != NULL)
    fclose (fp);
  out[0] = '\0';
  word = ok ? strtok_r (line, " \n", &state) : NULL;
  for (; word != NULL; word = strtok_r (NULL, " \n", &state)) {
    char prefix[64];

    module_name (word, prefix, sizeof prefix);
    if (strcmp (prefix, name) == 0 && word[len] == '.' && used + strlen (word + len) + 1 < size)
      used += (size_t) sprintf (out + used, "%s%s", used ? " " : "", word + len + 1);
  }
}

/* Load one file; being there already is success. */
static int
load_file (const char *file)
{
  char path[256], name[64], parameters[512];
  int fd, r, err;

  snprintf (path, sizeof path, MODULES "%s", file);
  module_name (file, name, sizeof name);
  module_parameters (name, parameters, sizeof parameters);
  fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd == -1)
    return -1;
  r = (int) syscall (SYS_finit_module, fd, parameters, 0);
  if (r == -1 && errno == EEXIST)
    r = 0;
  err = errno;
  close (fd);
  errno = err;
  return r;
}

int
init_load_boot_modules (void)
{
  char line[256];
  FILE *fp = fopen (MODULES "order", "re");
  int r = 0;

  if (fp == NULL) {
    fprintf (stderr, "zerofishd: " MODULES "order: %s\n", strerror (errno));
    return -1;
  }
  while (fgets (line, sizeof line, fp) != NULL) {
    line[strcspn (line, "\n")] = '\0';
    if (load_file (line) == -1) {
      fprintf (stderr, "zerofishd: cannot load the module %s: %s\n", line, strerror (errno));
      r = -1;
    }
  }
  fclose (fp);
  return r;
}

/* Load the files of the index line that begins with NAME: 1 if there is one and all is loaded, 0 if there
 * is none. */
static int
load_by_name (const char *wanted)
{
  char *line = NULL, *word, *state, name[64];
  size_t cap = 0;
  FILE *fp = fopen (MODULES "index", "re");
  int r = 0, err;

  if (fp == NULL)
    return -1;
  module_name (wanted, name, sizeof name);
  while (r == 0 && getline (&line, &cap, fp) != -1) {
    word = strtok_r (line, " \n", &state);
    if (word == NULL || strcmp (word, name) != 0)
      continue;
    r = 1;
    while (r == 1 && (word = strtok_r (NULL, " \n", &state)) != NULL)
      if (load_file (word) == -1)
        r = -1;
  }
  err = errno;
  free (line);
  fclose (fp);
  errno = err;
  return r;
}

/* The same for each line of the alias file whose pattern fits. */
static int
load_by_alias (const char *alias)
{
  char line[256], pattern[128], name[64];
  FILE *fp = fopen (MODULES "alias", "re");
  int r = 0;

  if (fp == NULL)
    return errno == ENOENT ? 0 : -1;
  while (r != -1 && fgets (line, sizeof line, fp) != NULL)
    if (sscanf (line, "%127s %63s", pattern, name) == 2 && fnmatch (pattern, alias, 0) == 0) {
      int loaded = load_by_name (name);

      r = loaded == 0 ? r : loaded;
    }
  fclose (fp);
  return r;
}

int
init_load_module (const char *name)
{
  int r = load_by_name (name);

  if (r == 0)
    r = load_by_alias (name);
  if (r == 0)
    errno = ENOENT;
  return r == 1 ? 0 : -1;
}

bool
init_is_modprobe (const char *argv0)
{
  return argv0 != NULL && strcmp (argv0, INIT_MODPROBE) == 0;
}

/* The kernel runs "modprobe -q -- NAME". */
int
init_modprobe (int argc, char **argv)
{
  int r = EXIT_SUCCESS;

  for (int i = 1; i < argc; i++)
    if (argv[i][0] != '-' && init_load_module (argv[i]) == -1)
      r = EXIT_FAILURE;
  return r;
}
