/* What the files of zerocp share: what the command line said, progress, the summary.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_ZEROCP_H
#define ZEROFISH_ZEROCP_H

#include "copy.h"

struct options {
  struct copy_options copy;
  struct copy_place place[2];   /* source, target */
  bool progress;
  int progress_fd;              /* -1: a bar on the terminal */
  bool json, verbose;
};

enum { EXIT_USAGE = 2 };

/* Fill in *O from the command line; ends the program for --help, --version and mistakes. */
extern void options_parse (struct options *o, int argc, char **argv);
extern void options_free (struct options *o);

/* --- progress.c --- */
extern void progress_begin (const struct options *o);
/* As copy_options wants it. */
extern void progress_show (void *opaque, uint64_t position, uint64_t total);
extern void progress_end (bool ok);

/* --- summary.c --- */
/* The --json line; ERROR is NULL after success.  0, or -1 if it could not be written. */
extern int summary_json (const struct options *o, const struct copy_stats *s, const char *error, int err);
/* The same for people, with --verbose. */
extern void summary_text (const struct copy_stats *s);

#endif /* ZEROFISH_ZEROCP_H */
