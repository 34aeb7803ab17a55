/* What the files of the shell share: values of arguments, the command table, and the session.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_FISH_H
#define ZEROFISH_FISH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "zerofish.h"

enum value_type {
  V_STRING, V_DEVICE, V_PATH, V_DEVICE_OR_PATH, V_MOUNTABLE, V_INT, V_INT64, V_BOOL, V_BUFFER, V_KEY,
  V_LIST, V_FILE_IN, V_FILE_OUT, V_FILENAME
};

/* A converted argument; owned by the caller of the command's function. */
struct value {
  char *s;                  /* strings, names, buffers */
  size_t len;               /* V_BUFFER */
  char **list;              /* V_LIST */
  int64_t n;                /* V_INT, V_INT64, V_BOOL */
};

struct command_arg {
  const char *name;         /* as in help: "device" */
  enum value_type type;
};

/* A command, generated into commands.c.  RUN calls the API and prints the result to OUT: 0, or -1 with the
 * handle's error set.  Optional arguments are given as name:value; OPT has one value each and bit i of
 * MASK says that optional argument i was given. */
struct command {
  const char *name;         /* "zero-device" */
  const char *const *aliases;         /* NULL-terminated */
  const struct command_arg *args;
  size_t nr_args;
  const struct command_arg *optargs;
  size_t nr_optargs;
  const char *shortdesc;
  const char *longdesc;     /* plain text, wrapped at 76 columns */
  bool destructive;
  int (*run) (zf_handle *h, const struct value *v, const struct value *opt, uint64_t mask, FILE *out);
};
extern const struct command commands[];     /* sorted by name */
extern const size_t nr_commands;

/* print.c: one function for each form of result, used by generated code. */
extern int print_bool (FILE *out, int r);
extern int print_int (FILE *out, int r);
extern int print_int64 (FILE *out, int64_t r);
extern int print_string (FILE *out, char *r);               /* frees R */
extern int print_list (FILE *out, char **r);                /* one a line; frees R */
extern int print_hash (FILE *out, char **r);                /* "key: value" a line; frees R */
extern int print_buffer (FILE *out, char *r, size_t size);  /* raw; frees R */
extern int print_field_int (FILE *out, const char *name, int64_t v);       /* "name: v" */
extern int print_field_string (FILE *out, const char *name, const char *v);

/* --- the session --- */

/* A script being read, line by line. */
struct source {
  int fd;
  const char *name;         /* for messages: "script.zf", "stdin" */
  size_t lineno;            /* of the line read last */
  char *buf;                /* bytes read ahead: start to end */
  size_t start, end, cap;
  bool eof;
};

/* A local file named "-" or "-<<END", as a descriptor that the library can open. */
struct stream {
  int fd;                   /* -1: none */
  pid_t child;              /* copies to or from it; 0: none */
};

struct shell {
  zf_handle *h;
  bool prompt;              /* at a prompt: prefixes work, errors do not end the session */
  bool trace;               /* -x */
  bool no_dest_paths;       /* do not complete files of the appliance */
  bool pipe_error;          /* a pipe that cannot be written is an error of the command */
  bool keys_from_stdin, echo_keys;
  bool quit;                /* the quit command, or the end */
  bool in_pipe;             /* standard output is a pipe to a command of the user's */
  struct source *src;       /* the script being read, NULL: prompt or command line */
  struct stream stream;     /* of the command that runs */
};

/* Print "zerofish: FILE:LINE: MESSAGE" (or without the place) on standard error; returns -1. */
extern int shell_error (struct shell *sh, const char *fs, ...) __attribute__ ((format (printf, 2, 3)));
/* The handle's last error in the same form. */
extern int shell_lib_error (struct shell *sh);

/* Memory that must be there: they end the program with a message if it is not. */
extern void *xmalloc (size_t n);
extern void *xcalloc (size_t n, size_t size);
extern void *xrealloc (void *p, size_t n);
extern char *xstrdup (const char *s);
extern char *xstrndup (const char *s, size_t n);
extern char *xasprintf (const char *fs, ...) __attribute__ ((format (printf, 1, 2)));

/* --- words.c: lines to words --- */

struct word {
  char *s;                  /* quotes and escapes done */
  char *list;               /* the same for a list: \' kept; NULL: as s */
  bool quoted;              /* in quotes: never special */
};

struct line {
  struct word *words;
  size_t nr_words;
  char *pipe;               /* what follows " |", or NULL */
};

enum { WORDS_ERROR_SIZE = 128 };

/* Split LINE into words.  0, or -1 with a message in ERR.  line_free in both cases. */
extern int line_split (const char *text, struct line *line, char err[WORDS_ERROR_SIZE]);
extern void line_free (struct line *line);
/* Split a list argument at white space, with '...' and \'.  NULL-terminated, or NULL with a message in
 * ERR. */
extern char **list_split (const char *text, char err[WORDS_ERROR_SIZE]);
extern void list_free (char **list);
/* S as one word that line_split gives back; in quotes only if need be, or with FORCE; OPEN leaves out the
 * closing one. */
extern char *word_quote (const char *s, bool force, bool open);

/* --- values.c: words to values --- */

/* Numbers with base prefixes and size suffixes.  0, or -1 and *WHY says what is wrong (static). */
extern int parse_number (const char *s, int64_t *n, const char **why);
extern int parse_bool (const char *s, int64_t *n);
/* Convert the N words at W to V (and OPT, *MASK) as CMD wants them; -1 after a message.  Call values_free
 * in both cases. */
extern int values_convert (struct shell *sh, const struct command *cmd, const struct word *w, size_t n,
                           struct value *v, struct value *opt, uint64_t *mask);
extern void values_free (const struct command *cmd, struct value *v, struct value *opt);

/* --- key.c --- */

/* A key or passphrase from the terminal, or standard input; malloced, NULL if there is none. */
extern char *key_read (struct shell *sh, const char *name);

/* --- lines.c: lines of any length --- */

extern void source_open (struct source *src, int fd, const char *name);
/* The next line, without its end, NUL-terminated; valid until the next call.  1, 0 at the end, -1 with
 * errno (EINTR; EILSEQ: the line holds a zero byte). */
extern int source_line (struct source *src, char **line);
extern void source_close (struct source *src);

/* --- script.c: where lines come from --- */

extern int run_script (struct shell *sh, int fd, const char *name);
extern int run_inline (struct shell *sh, const char *shell_command);
/* Commands of the command line, separated by ":" arguments. */
extern int run_argv (struct shell *sh, char **argv, size_t argc);
/* The next line of the session, for a here-document; malloced, or NULL at the end. */
extern char *shell_next_line (struct shell *sh);

/* --- prompt.c --- */

extern int run_prompt (struct shell *sh);
/* Text of a prompt setting with its escapes done; IGNORED: keep \[ and \] as readline's marks.  Malloced. */
extern char *prompt_decode (const char *s, bool ignored);
/* A line of text typed after PROMPT, malloced; NULL at the end of the input. */
extern char *prompt_line (const char *prompt);

/* --- command.c: find and run --- */

struct builtin {
  const char *name;
  const char *alias;        /* a second name, or NULL */
  const char *usage;        /* arguments, as help shows them */
  enum { B_NOTHING, B_LOCAL_FILE, B_COMMAND } complete;   /* what its arguments are */
  size_t min, max;          /* number of arguments */
  const char *shortdesc;
  const char *longdesc;
  int (*run) (struct shell *sh, const struct word *w, size_t n);   /* 0, or -1 after a message */
};
extern const struct builtin builtins[];     /* builtin.c */
extern const size_t nr_builtins;

struct found {
  const struct command *cmd;
  const struct builtin *builtin;
};

/* Names compare without case, "_" as "-". */
extern bool name_equal (const char *a, const char *b);
extern bool name_has_prefix (const char *name, const char *prefix);
/* The command called NAME, or with PREFIXES the only one that begins so.  False: no such, or several,
 * which are then in *CANDIDATES ("a, b, c"; malloced, or NULL); CANDIDATES may be NULL. */
extern bool command_find (const char *name, bool prefixes, struct found *found, char **candidates);
/* The name of the command that is most like NAME, or NULL. */
extern const char *command_like (const char *name);
extern char *command_usage (const struct found *f);
extern const char *value_type_hint (enum value_type type);

/* Run a line as typed; 0, or -1 after a message. "-cmd" gives 0 in any case. */
extern int run_line (struct shell *sh, const char *text);
extern int run_words (struct shell *sh, const struct word *w, size_t n);

/* --- help.c --- */

extern int help_command (struct shell *sh, const char *name, FILE *out);
extern void help_list (FILE *out);
extern void help_general (FILE *out);

/* --- pipe.c: other processes --- */

/* Run CMD with /bin/sh; its exit status (128 + signal), or -1. */
extern int shell_command (struct shell *sh, const char *cmd);
/* Run the words with standard output sent to the shell command CMD. */
extern int run_pipe (struct shell *sh, const struct word *w, size_t n, const char *cmd);
/* Start CMD with its standard input (or output, with OUTPUT) connected to *FD.  The process, or -1. */
extern pid_t start_command (const char *cmd, bool output, int *fd);
/* Wait for it; exit status (128 + signal). */
extern int wait_command (pid_t pid);

/* --- stream.c --- */

/* A name that the library can open for the local file W: "-" and "-<<END" get a stream.  NULL after a
 * message. */
extern char *stream_in (struct shell *sh, const struct word *w);
extern char *stream_out (struct shell *sh, const struct word *w);
/* After the command: 0, or -1 after a message if the copy went wrong. */
extern int stream_end (struct shell *sh, bool failed);

/* --- interrupt.c: ^C --- */

/* ^C cancels the call that runs.  Where commands do not come from a prompt, a second ^C ends the program. */
extern void interrupt_init (struct shell *sh);
extern bool interrupted (void);
/* The same as ^C, for a client elsewhere; any thread may call it. */
extern void interrupt_remote (void);
extern void interrupt_clear (void);

/* --- progress.c --- */

/* Receive warnings and, if WANTED, progress: bars are drawn on standard error, else (FORCE) on /dev/tty,
 * and never on anything but a terminal. */
extern int progress_init (struct shell *sh, bool wanted, bool force);
/* A command begins, or ends (the bar is taken away). */
extern void progress_begin (struct shell *sh);
extern void progress_end (void);
/* Text of a bar of WIDTH columns for a share of PERMILLE (-1: unknown) and ETA seconds left (-1: unknown). */
extern void progress_text (char *out, size_t size, int width, unsigned tick, int permille, int64_t eta);

/* --- complete.c --- */

/* Where the candidates come from that are not in a table (a unit test has its own). */
struct completer {
  char **(*devices) (void *opaque);                    /* malloced list, or NULL */
  char **(*directory) (void *opaque, const char *dir); /* names in DIR of the appliance, directories with
                                                            "/"; NULL: none */
  void *opaque;
};
enum completion { COMPLETE_NONE, COMPLETE_LIST, COMPLETE_LOCAL };
/* Candidates for the word TEXT (without quotes) that follows BEFORE in a line: malloced list in *LIST, or
 * local files. */
extern enum completion complete_word (const struct completer *c, const char *before, const char *text,
                                      char ***list);
/* readline.c: set readline up for the session. */
extern void readline_init (struct shell *sh);

/* --- options.c and main.c --- */

struct drive_option {
  const char *file, *format, *discard;
  bool guest;               /* FILE is the name of a libvirt guest */
  int blocksize;            /* 0: not given */
};

struct options {
  struct drive_option *drives;
  size_t nr_drives;
  const char **mounts;
  size_t nr_mounts;
  const char *script;       /* -f */
  const char *connect;      /* -c, or NULL */
  bool readonly, no_sync, verbose, trace, help_command;
  bool bars, no_bars;
  bool listen, csh, remote;
  const char *remote_pid;   /* NULL: $ZEROFISH_PID */
  int first;                /* index of the first argument that is not an option */
};

/* Parse the command line.  0: go on; 1: all done (--help); -1 after a message. */
extern int options_parse (struct options *o, struct shell *sh, int argc, char **argv);
extern void options_free (struct options *o);

/* Flush the disks and end the appliance; 0, or -1 after a message.  Then there is no handle any more. */
extern int shell_end (struct shell *sh);

/* --- listen.c and remote.c: --listen and --remote --- */

/* Go on in a child (0, with *READY_FD) while this process waits for that to listen, and prints its number: 1,
 * or -1. */
extern int listen_fork (bool csh, int *ready_fd);
/* Listen, say so to READY_FD, and serve clients until one of them runs quit.  0, or -1 after a message. */
extern int run_listen (struct shell *sh, int ready_fd);
/* Hand commands, or else a script, to the process that listens; the exit status. */
extern int run_remote (const char *pid, char **argv, size_t argc, const char *script);

/* --- guest.c: what completion and glob ask of the appliance --- */

extern char **guest_devices (void *h);
extern char **guest_directory (void *h, const char *dir);
/* Paths and devices that match PATTERN, sorted; NULL after an error of the library, an empty list if there
 * is none. */
extern char **guest_glob (zf_handle *h, const char *pattern);

#endif /* ZEROFISH_FISH_H */
