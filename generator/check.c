/* The rules of the table.  A violation is printed with the name of its entry, so that a slip in the table
 * never becomes a compiler error inside generated code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "emit.h"

enum { FIRST_PRIVATE = 10000, ALL_FLAGS = (F_HINTS << 1) - 1, MAX_NAME = 60 };

/* What is being checked, and how much was found. */
struct check {
  const struct table *t;
  FILE *err;
  int count;
};

static void __attribute__ ((format (printf, 3, 4)))
violation (struct check *k, const char *entry, const char *fs, ...)
{
  va_list args;

  fprintf (k->err, "generator: %s: ", entry);
  va_start (args, fs);
  vfprintf (k->err, fs, args);
  va_end (args);
  fputc ('\n', k->err);
  k->count++;
}

/* --- names --- */

/* Words of C, C++, XDR and Python, and usual macros. */
static const char *const reserved_words[] = {
  "alignas", "alignof", "and", "as", "asm", "assert", "async", "auto", "await", "bool", "break", "case",
  "catch", "char", "class", "const", "constexpr", "continue", "def", "default", "del", "delete", "do",
  "double", "elif", "else", "enum", "errno", "except", "explicit", "export", "extern", "false", "final",
  "finally", "float", "for", "friend", "from", "global", "goto", "hyper", "if", "import", "in", "inline",
  "int", "is", "lambda", "linux", "long", "main", "mutable", "namespace", "new", "none", "nonlocal", "not",
  "opaque", "operator", "or", "pass", "private", "procedure", "program", "protected", "public", "quadruple",
  "raise", "register", "restrict", "return", "self", "short", "signed", "sizeof", "static", "string",
  "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typename", "typeof", "union",
  "unix", "unsigned", "using", "virtual", "void", "volatile", "while", "with", "xor", "yield",
};
/* Names of arguments that generated functions, or rpcgen, need for themselves. */
static const char *const local_names[] = {
  "args", "bitmask", "buf", "buf_size", "c", "h", "in", "mask", "nr", "opt", "opts", "out", "r", "result",
  "result_size", "ret",
  "size_r", "v", "version",
};

static bool
in_list (const char *s, const char *const *list, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp (s, list[i]) == 0)
      return true;
  return false;
}
#define IN_LIST(s, list) in_list (s, list, sizeof (list) / sizeof (list)[0])

bool
good_identifier (const char *s)
{
  size_t n = strlen (s);

  if (n == 0 || n > MAX_NAME || !islower ((unsigned char) s[0]) || s[n - 1] == '_' || strstr (s, "__"))
    return false;
  for (size_t i = 0; i < n; i++)
    if (!islower ((unsigned char) s[i]) && !isdigit ((unsigned char) s[i]) && s[i] != '_')
      return false;
  return !IN_LIST (s, reserved_words);
}

static bool
good_alias (const char *s)
{
  size_t n = strlen (s);

  if (n == 0 || n > MAX_NAME || !islower ((unsigned char) s[0]) || s[n - 1] == '-')
    return false;
  for (size_t i = 0; i < n; i++)
    if (!islower ((unsigned char) s[i]) && !isdigit ((unsigned char) s[i]) && s[i] != '-')
      return false;
  return true;
}

/* Names of functions written by hand in zerofish.h. */
static const char *const taken_names[] = {
  "add_libvirt_dom", "close", "create", "create_flags", "delete_event_callback", "event_callback",
  "free_string_list", "handle", "last_errno", "last_error", "set_allocate_callback", "set_event_callback",
  "set_wait_callback", "user_cancel", "wait_callback",
};

static void
check_name (struct check *k, const struct action *a)
{
  if (!good_identifier (a->name))
    violation (k, a->name, "the name is not a lower-case identifier, or is a reserved word");
  else if (IN_LIST (a->name, taken_names) || strncmp (a->name, "free_", 5) == 0)
    violation (k, a->name, "the name belongs to a function of zerofish.h");
  else if (strlen (a->name) > 5 && strcmp (a->name + strlen (a->name) - 5, "_opts") == 0)
    violation (k, a->name, "the ending _opts is kept for the structs of optional arguments");
  else if (strlen (a->name) > 5 && strcmp (a->name + strlen (a->name) - 5, "_into") == 0)
    violation (k, a->name, "the ending _into is kept for functions that fill a buffer");
  if (strncmp (a->name, "internal_", 9) == 0 && is_public (a))
    violation (k, a->name, "names with internal_ are for private actions");
}

/* --- numbers --- */

static void
check_proc (struct check *k, const struct action *a)
{
  if (a->proc < 0)
    violation (k, a->name, "the procedure number %d is negative", a->proc);
  if (a->proc >= FIRST_PRIVATE && is_public (a))
    violation (k, a->name, "the procedure number %d is in the private range, but F_PRIVATE is not set",
               a->proc);
  if (a->proc == 0 && !is_public (a))
    violation (k, a->name, "an action of the library cannot be private: write a plain function instead");
  for (const int *p = k->t->retired; a->proc && *p; p++)
    if (*p == a->proc)
      violation (k, a->name, "the procedure number %d was used by an earlier action and is retired", a->proc);
}

/* Numbers and names that two entries share: reported at the second. */
static void
check_pair (struct check *k, const struct action *a, const struct action *b)
{
  if (b->proc && a->proc == b->proc)
    violation (k, b->name, "the procedure number %d is also that of %s", b->proc, a->name);
  if (strcmp (a->name, b->name) == 0)
    violation (k, b->name, "there are two entries of this name");
}

/* --- arguments --- */

static bool
arg_allowed (const struct action *a, enum type type)
{
  if (type <= T_NONE || type >= T_HASH)
    return false;
  if (is_daemon (a))
    return type != T_FILENAME;
  return type == T_STRING || type == T_INT || type == T_INT64 || type == T_BOOL || type == T_STRING_LIST ||
    type == T_BUFFER || type == T_FILENAME;
}

static bool
optarg_allowed (enum type type)
{
  return type == T_STRING || type == T_INT || type == T_INT64 || type == T_BOOL || type == T_STRING_LIST;
}

static bool
earlier (const struct param *first, const struct param *p, const char *name)
{
  for (; first->name && first != p; first++)
    if (strcmp (first->name, name) == 0)
      return true;
  return false;
}

static void
check_param_name (struct check *k, const struct action *a, const char *name)
{
  if (!good_identifier (name))
    violation (k, a->name, "argument \"%s\": not a lower-case identifier, or a reserved word", name);
  else if (IN_LIST (name, local_names))
    violation (k, a->name, "argument \"%s\": the name is used by generated functions", name);
}

static void
check_args (struct check *k, const struct action *a)
{
  int files = 0;

  if (nr_params (a->args) > MAX_ARGS)
    violation (k, a->name, "more than %d arguments", MAX_ARGS);
  for (const struct param *p = a->args; p->name; p++) {
    check_param_name (k, a, p->name);
    if (earlier (a->args, p, p->name))
      violation (k, a->name, "argument \"%s\": there are two of this name", p->name);
    if (!arg_allowed (a, p->type))
      violation (k, a->name, "argument \"%s\": its type is not allowed as an argument of %s", p->name,
                 is_daemon (a) ? "an action of the daemon" : "an action of the library");
    if (is_file (p->type) && ++files == 2)
      violation (k, a->name, "argument \"%s\": only one file can be streamed in a call", p->name);
  }
  if (files > 0 && a->ret != T_NONE)
    violation (k, a->name, "an action that streams a file cannot have a result");
}

static void
check_optargs (struct check *k, const struct action *a)
{
  if (nr_params (a->optargs) > MAX_OPTARGS)
    violation (k, a->name, "more than %d optional arguments", MAX_OPTARGS);
  for (const struct param *p = a->optargs; p->name; p++) {
    check_param_name (k, a, p->name);
    if (earlier (a->optargs, p, p->name) || earlier (a->args, NULL, p->name))
      violation (k, a->name, "argument \"%s\": there are two of this name", p->name);
    if (!optarg_allowed (p->type))
      violation (k, a->name, "argument \"%s\": its type is not allowed as an optional argument", p->name);
  }
}

/* --- result --- */

static void
check_result (struct check *k, const struct action *a)
{
  const struct structure *s;
  bool structure = a->ret == T_STRUCT || a->ret == T_STRUCT_LIST;

  if (a->ret < T_NONE || a->ret > T_STRUCT_LIST || (a->ret >= T_MOUNTABLE && a->ret <= T_FILENAME))
    violation (k, a->name, "its type is not allowed as a result");
  if (structure && a->ret_struct == NULL)
    violation (k, a->name, "the result is a struct, but ret_struct does not say which");
  if (!structure && a->ret_struct)
    violation (k, a->name, "ret_struct is set, but the result is no struct");
  if (structure && a->ret_struct) {
    s = find_struct (k->t, a->ret_struct);
    if (s == NULL)
      violation (k, a->name, "there is no struct \"%s\"", a->ret_struct);
    else if (s->wire_only && is_public (a))
      violation (k, a->name, "the struct \"%s\" is wire_only, but the action is public", a->ret_struct);
  }
  if ((unsigned) a->output > OUTPUT_HUMAN_SIZE ||
      (a->output != OUTPUT_DEFAULT && a->ret != T_INT && a->ret != T_INT64) ||
      (a->output == OUTPUT_HUMAN_SIZE && a->ret != T_INT64))
    violation (k, a->name, "the output form does not fit the result");
}

/* --- flags --- */

static bool
has_device_arg (const struct action *a)
{
  for (const struct param *p = a->args; p->name; p++)
    if (p->type == T_DEVICE || p->type == T_DEVICE_LIST || p->type == T_DEVICE_OR_PATH ||
        p->type == T_MOUNTABLE)
      return true;
  return false;
}

static void
check_flags (struct check *k, const struct action *a)
{
  unsigned f = a->flags;

  if (f & ~(unsigned) ALL_FLAGS)
    violation (k, a->name, "unknown flags %#x", f & ~(unsigned) ALL_FLAGS);
  if ((f & F_CONFIG) && (f & F_ANY_STATE))
    violation (k, a->name, "F_CONFIG and F_ANY_STATE exclude each other");
  if ((f & F_PRIVATE) && (f & F_NO_SHELL))
    violation (k, a->name, "F_NO_SHELL says nothing new beside F_PRIVATE");
  if (is_daemon (a) && (f & (F_CONFIG | F_ANY_STATE)))
    violation (k, a->name, "F_CONFIG and F_ANY_STATE are for actions of the library");
  if (!is_daemon (a) && !(f & (F_CONFIG | F_ANY_STATE)))
    violation (k, a->name, "an action of the library needs F_CONFIG or F_ANY_STATE");
  if (!is_daemon (a) && (f & (F_DESTRUCTIVE | F_TOOLS)))
    violation (k, a->name, "F_DESTRUCTIVE and F_TOOLS are for actions of the daemon");
  if ((f & F_DESTRUCTIVE) && is_daemon (a) && !has_device_arg (a))
    violation (k, a->name, "F_DESTRUCTIVE without a device argument");
  if ((f & F_HINTS) && (!is_daemon (a) || !is_public (a) || a->args[0].type != T_DEVICE))
    violation (k, a->name, "F_HINTS is for public actions of the daemon whose first argument is a device");
  if (!is_shell (a) && a->aliases[0])
    violation (k, a->name, "it is no shell command, but has aliases");
  if (a->group && !is_daemon (a))
    violation (k, a->name, "only actions of the daemon can need a feature group");
}

/* --- texts and tests --- */

struct reference {
  struct check *k;
  const struct action *a;
};

static void
check_reference (void *opaque, const char *name, size_t len)
{
  struct reference *ref = opaque;
  char buf[MAX_NAME + 1];
  const struct action *target = NULL;

  if (len <= MAX_NAME) {
    memcpy (buf, name, len);
    buf[len] = '\0';
    target = find_action (ref->k->t, buf);
  }
  if (target == NULL || !is_public (target))
    violation (ref->k, ref->a->name, "the text refers to an action \"%.*s\" that does not exist",
               (int) len, name);
}

static bool
good_version (const char *s)
{
  return s[0] && strspn (s, "0123456789.") == strlen (s) && strchr (s, '.') &&
    isdigit ((unsigned char) s[0]) && isdigit ((unsigned char) s[strlen (s) - 1]);
}

static void
check_texts (struct check *k, const struct action *a)
{
  struct reference ref = { k, a };
  const char *s = a->shortdesc;

  if (s == NULL || *s == '\0')
    violation (k, a->name, "no short text");
  else if (isupper ((unsigned char) s[0]) || s[strlen (s) - 1] == '.' || strpbrk (s, "\n<>") ||
           strstr (s, "*/"))
    violation (k, a->name, "the short text is one line, begins in lower case, has no marks and no full stop");
  if (a->longdesc == NULL || *a->longdesc == '\0') {
    if (is_public (a))
      violation (k, a->name, "no long text");
  }
  else {
    pod_references (a->longdesc, check_reference, &ref);
    if (strstr (a->longdesc, "*/"))
      violation (k, a->name, "the long text would end a C comment");
  }
  if (a->since == NULL || !good_version (a->since))
    violation (k, a->name, "\"since\" is not a version");
}

static void
check_tests (struct check *k, const struct action *a)
{
  const struct test *t = a->tests;

  if (is_daemon (a) && is_public (a) && t->commands == NULL)
    violation (k, a->name, "no test");
  for (int i = 1; t->commands; t++, i++)
    if (t->expect == NULL || *t->commands == '\0' || (unsigned) t->start > START_ANY)
      violation (k, a->name, "test %d is not complete", i);
}

/* --- shell names --- */

/* Does another entry's shell command, or an earlier alias, have the name ALIAS (number N of A)? */
static void
check_alias (struct check *k, const struct action *a, size_t n)
{
  const char *alias = a->aliases[n];

  if (!good_alias (alias))
    violation (k, a->name, "the alias \"%s\" is not a lower-case name with '-'", alias);
  for (size_t i = 0; i < k->t->nr_actions; i++) {
    const struct action *b = &k->t->actions[i];

    if (is_shell (b) && strcmp (dashed (b->name), alias) == 0)
      violation (k, a->name, "the alias \"%s\" is the name of a command", alias);
    for (size_t j = 0; b->aliases[j] && b <= a && (b < a || j < n); j++)
      if (strcmp (b->aliases[j], alias) == 0)
        violation (k, a->name, "the alias \"%s\" is also one of %s", alias, b->name);
  }
}

/* --- structs --- */

static void
check_struct (struct check *k, const struct structure *s)
{
  if (!good_identifier (s->name) || strcmp (s->name, "handle") == 0 || strcmp (s->name, "drive") == 0)
    violation (k, s->name, "struct: the name is not a lower-case identifier, or is taken");
  if (s->text == NULL && !s->wire_only)
    violation (k, s->name, "struct: no text");
  if (s->fields[0].name == NULL)
    violation (k, s->name, "struct: no fields");
  for (const struct structure *o = k->t->structs; o < s; o++)
    if (strcmp (o->name, s->name) == 0)
      violation (k, s->name, "struct: there are two of this name");
  for (const struct field *f = s->fields; f->name; f++) {
    if (!good_identifier (f->name))
      violation (k, s->name, "struct: field \"%s\" is not a lower-case identifier, or is a reserved word",
                 f->name);
    if (f->type <= FT_END || f->type > FT_STRING)
      violation (k, s->name, "struct: field \"%s\" has no type", f->name);
    if (f->text == NULL && !s->wire_only)
      violation (k, s->name, "struct: field \"%s\" has no text", f->name);
    for (const struct field *g = s->fields; g < f; g++)
      if (strcmp (f->name, g->name) == 0)
        violation (k, s->name, "struct: there are two fields \"%s\"", f->name);
  }
  if (!struct_used (k->t, s, T_STRUCT, false) && !struct_used (k->t, s, T_STRUCT_LIST, false))
    violation (k, s->name, "struct: no action returns it");
}

int
check_table (const struct table *t, FILE *err)
{
  struct check k = { .t = t, .err = err };

  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    check_name (&k, a);
    check_proc (&k, a);
    check_args (&k, a);
    check_optargs (&k, a);
    check_result (&k, a);
    check_flags (&k, a);
    check_texts (&k, a);
    check_tests (&k, a);
    for (size_t j = 0; j < i; j++)
      check_pair (&k, &t->actions[j], a);
    for (size_t j = 0; a->aliases[j]; j++)
      check_alias (&k, a, j);
  }
  for (size_t i = 0; i < t->nr_structs; i++)
    check_struct (&k, &t->structs[i]);
  return k.count;
}
