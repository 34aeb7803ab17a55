/* What the emitters share: the list of outputs, questions about the table, and small printers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_EMIT_H
#define ZEROFISH_EMIT_H

#include <stdio.h>

#include "action.h"

/* One output.  EMIT prints the whole file; errors of OUT are checked by main.c.  A further output (another
 * language, say) is one such function and one line in outputs.c. */
struct emitter {
  const char *path;         /* below the output directory */
  void (*emit) (FILE *out, const struct table *t);
};
extern const struct emitter emitters[];     /* ends with a NULL path */

/* --- table.c --- */

/* Collect the arrays of the actions-*.c files, sorted by name.  Exits on lack of memory. */
extern struct table table_load (void);

extern size_t nr_params (const struct param *p);
extern const struct action *find_action (const struct table *t, const char *name);
extern const struct structure *find_struct (const struct table *t, const char *name);

extern bool is_daemon (const struct action *a);     /* goes over the wire */
extern bool is_public (const struct action *a);     /* has a function in the public header */
extern bool is_shell (const struct action *a);      /* is a shell command */
extern bool is_file (enum type type);               /* FileIn, FileOut: streamed, not encoded */
extern bool is_list (enum type type);               /* char ** on the wire and in C */
extern bool is_text (enum type type);               /* char * on the wire and in C */
extern bool has_args (const struct action *a);      /* has a struct zf_NAME_args */
extern bool has_optargs (const struct action *a);
extern const struct param *file_param (const struct action *a);     /* FileIn or FileOut, or NULL */

/* Has it a second form, NAME_into, whose result goes to a buffer of the caller's?  There the size of the buffer stands for
 * an argument "count". */
extern bool has_into (const struct action *a);
extern bool is_into_count (const struct param *p);

extern bool uses_arg (const struct table *t, enum type type);       /* in a daemon action */
extern bool uses_result (const struct table *t, enum type type);    /* in a daemon action */
/* Is S the result TYPE of some action (of the daemon only, if DAEMON)? */
extern bool struct_used (const struct table *t, const struct structure *s, enum type type, bool daemon);
extern bool struct_on_wire (const struct table *t, const struct structure *s);
extern bool struct_has_strings (const struct structure *s);

/* Pointers to the daemon actions in order of procedure; the caller frees.  *N of them. */
extern const struct action **by_proc (const struct table *t, size_t *n);

/* --- print.c --- */

/* "This file is generated" in a C comment, with the purpose of the file. */
extern void put_head (FILE *out, const char *purpose);
/* The comment in front of every generated function: names the table entry. */
extern void put_entry (FILE *out, const struct action *a);

/* Upper case; with '-' for '_'.  In one of a few static buffers. */
extern const char *upper (const char *s);
extern const char *dashed (const char *s);
/* A C string literal, broken after each newline, with INDENT blanks in front of continuation lines. */
extern void put_literal (FILE *out, const char *s, int indent);

/* A long line: print it to the stream of fold_begin, without its newline; fold_end then prints it to OUT,
 * broken after commas if it is too long, and with INDENT blanks in front of what continues. */
extern FILE *fold_begin (void);
extern void fold_end (FILE *out, int indent);

/* The public C declaration of one argument, with its name: "const char *device". */
extern void put_c_param (FILE *out, const struct param *p);
/* Result type with the blank or star before the name: "char *", "int ". */
extern const char *c_result (const struct action *a);
/* The same for a line of its own, "char *" or "int". */
extern const char *c_result_line (const struct action *a);
/* "(zf_handle *h, const char *device, const struct zf_mkfs_opts *opts)". */
extern void put_c_params (FILE *out, const struct action *a);
/* The same for NAME_into: "(zf_handle *h, const char *device, void *buf, size_t buf_size, int64_t offset)". */
extern void put_into_params (FILE *out, const struct action *a);

/* --- pod.c: the long texts --- */

enum pod_style { POD_API, POD_SHELL, POD_PYTHON };

/* As POD, with A<action> replaced by a link in the given style. */
extern void put_pod (FILE *out, const struct table *t, const char *text, enum pod_style style);
/* As plain text, wrapped, every line with PREFIX in front. */
extern void put_plain (FILE *out, const char *text, enum pod_style style, const char *prefix, int width);
/* Call FN for each A<name> in TEXT. */
extern void pod_references (const char *text, void (*fn) (void *opaque, const char *name, size_t len),
                            void *opaque);

/* --- check.c --- */

/* Print each violation of the table's rules, with the name of its entry; how many there were. */
extern int check_table (const struct table *t, FILE *err);
/* Is S a lower-case identifier that means nothing to C, C++, XDR or Python? */
extern bool good_identifier (const char *s);

/* --- emit-*.c --- */

/* The C definition of a struct and of its list form. */
extern void put_struct (FILE *out, const struct structure *s);

extern void emit_protocol_x (FILE *out, const struct table *t);
extern void emit_protocol_h (FILE *out, const struct table *t);
extern void emit_protocol_c (FILE *out, const struct table *t);
extern void emit_structs_h (FILE *out, const struct table *t);
extern void emit_daemon_h (FILE *out, const struct table *t);
extern void emit_daemon_stubs (FILE *out, const struct table *t);
extern void emit_lib_h (FILE *out, const struct table *t);
extern void emit_lib_private_h (FILE *out, const struct table *t);
extern void emit_lib_syms (FILE *out, const struct table *t);
extern void put_lib_helpers (FILE *out, const struct table *t);     /* a part of the next */
extern void emit_lib_actions (FILE *out, const struct table *t);
extern void emit_fish (FILE *out, const struct table *t);
extern void emit_actions_pod (FILE *out, const struct table *t);
extern void emit_structs_pod (FILE *out, const struct table *t);
extern void emit_commands_pod (FILE *out, const struct table *t);
extern void emit_test_script (FILE *out, const struct table *t);
extern void emit_test_expect (FILE *out, const struct table *t);
/* Is None taken for its argument, as python3-guestfs does: back to the default? */
extern bool python_none (const struct action *a);
/* The name of an argument in Python, where it is that of python3-guestfs. */
extern const char *python_name (const struct action *a, const struct param *p);
extern void emit_python_c (FILE *out, const struct table *t);
extern void emit_python_class (FILE *out, const struct table *t);
extern void emit_python_stubs (FILE *out, const struct table *t);
extern void emit_xdr_compare (FILE *out, const struct table *t);

#endif /* ZEROFISH_EMIT_H */
