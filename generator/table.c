/* The table as a whole: collecting its files, and questions that several emitters ask.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdlib.h>
#include <string.h>

#include "emit.h"

static const struct action *const files[] = {
  actions_zero, actions_block, actions_copy, actions_file, actions_fs, actions_tree, actions_part, actions_volume,
  actions_internal, actions_library,
};
enum { NR_FILES = sizeof files / sizeof files[0] };

static int
compare_names (const void *a, const void *b)
{
  return strcmp (((const struct action *) a)->name, ((const struct action *) b)->name);
}

static int
compare_procs (const void *a, const void *b)
{
  const struct action *x = *(const struct action *const *) a, *y = *(const struct action *const *) b;

  return (x->proc > y->proc) - (x->proc < y->proc);
}

static void *
allocate (size_t n, size_t size)
{
  void *p = calloc (n + 1, size);

  if (p == NULL) {
    perror ("generator");
    exit (EXIT_FAILURE);
  }
  return p;
}

struct table
table_load (void)
{
  struct table t = { .structs = structures, .retired = retired };
  struct action *all;
  size_t n = 0;

  for (size_t f = 0; f < NR_FILES; f++)
    for (const struct action *a = files[f]; a->name; a++)
      n++;
  all = allocate (n, sizeof *all);
  for (size_t f = 0; f < NR_FILES; f++)
    for (const struct action *a = files[f]; a->name; a++)
      all[t.nr_actions++] = *a;
  qsort (all, n, sizeof *all, compare_names);
  t.actions = all;
  while (structures[t.nr_structs].name)
    t.nr_structs++;
  return t;
}

size_t
nr_params (const struct param *p)
{
  size_t n = 0;

  while (p[n].name)
    n++;
  return n;
}

const struct action *
find_action (const struct table *t, const char *name)
{
  for (size_t i = 0; i < t->nr_actions; i++)
    if (strcmp (t->actions[i].name, name) == 0)
      return &t->actions[i];
  return NULL;
}

const struct structure *
find_struct (const struct table *t, const char *name)
{
  for (size_t i = 0; i < t->nr_structs; i++)
    if (strcmp (t->structs[i].name, name) == 0)
      return &t->structs[i];
  return NULL;
}

bool
is_daemon (const struct action *a)
{
  return a->proc != 0;
}

bool
is_public (const struct action *a)
{
  return !(a->flags & F_PRIVATE);
}

bool
is_shell (const struct action *a)
{
  return !(a->flags & (F_PRIVATE | F_NO_SHELL));
}

bool
is_file (enum type type)
{
  return type == T_FILE_IN || type == T_FILE_OUT;
}

bool
is_list (enum type type)
{
  return type == T_STRING_LIST || type == T_DEVICE_LIST || type == T_HASH;
}

bool
is_text (enum type type)
{
  return type == T_STRING || type == T_DEVICE || type == T_MOUNTABLE || type == T_PATH ||
    type == T_DEVICE_OR_PATH || type == T_KEY;
}

bool
has_optargs (const struct action *a)
{
  return a->optargs[0].name != NULL;
}

bool
has_args (const struct action *a)
{
  return nr_params (a->args) > (file_param (a) ? 1 : 0) || has_optargs (a);
}

const struct param *
file_param (const struct action *a)
{
  for (const struct param *p = a->args; p->name; p++)
    if (is_file (p->type))
      return p;
  return NULL;
}

bool
has_into (const struct action *a)
{
  return a->ret == T_BUFFER && is_public (a) && is_daemon (a);
}

bool
is_into_count (const struct param *p)
{
  return p->type == T_INT && strcmp (p->name, "count") == 0;
}

bool
uses_arg (const struct table *t, enum type type)
{
  for (size_t i = 0; i < t->nr_actions; i++)
    for (const struct param *p = t->actions[i].args; p->name; p++)
      if (is_daemon (&t->actions[i]) && p->type == type)
        return true;
  return false;
}

bool
uses_result (const struct table *t, enum type type)
{
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]) && t->actions[i].ret == type)
      return true;
  return false;
}

bool
struct_used (const struct table *t, const struct structure *s, enum type type, bool daemon)
{
  for (size_t i = 0; i < t->nr_actions; i++) {
    const struct action *a = &t->actions[i];

    if (a->ret == type && a->ret_struct && strcmp (a->ret_struct, s->name) == 0 && (is_daemon (a) || !daemon))
      return true;
  }
  return false;
}

bool
struct_on_wire (const struct table *t, const struct structure *s)
{
  return struct_used (t, s, T_STRUCT, true) || struct_used (t, s, T_STRUCT_LIST, true);
}

bool
struct_has_strings (const struct structure *s)
{
  for (const struct field *f = s->fields; f->name; f++)
    if (f->type == FT_STRING)
      return true;
  return false;
}

const struct action **
by_proc (const struct table *t, size_t *n)
{
  const struct action **v = allocate (t->nr_actions, sizeof *v);

  *n = 0;
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_daemon (&t->actions[i]))
      v[(*n)++] = &t->actions[i];
  qsort (v, *n, sizeof *v, compare_procs);
  return v;
}
