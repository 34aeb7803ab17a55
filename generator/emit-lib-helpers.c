/* Functions at the top of lib/actions.c that the others call: checks of arguments, and taking results out of replies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "emit.h"

static const char check_opts_function[] =
  "/* Refuse bits of optional arguments that are unknown. */\n"
  "static int\n"
  "check_opts (zf_handle *h, uint64_t mask, unsigned known)\n"
  "{\n"
  "  if (known < 64 && mask >> known != 0)\n"
  "    return zfi_error (h, EINVAL, \"unknown bits of optional arguments: %#\" PRIx64, mask);\n"
  "  return 0;\n"
  "}\n\n";

static const char check_opt_function[] =
  "/* Refuse an optional argument that is given as NULL. */\n"
  "static int\n"
  "check_opt (zf_handle *h, const void *value, const char *name)\n"
  "{\n"
  "  if (value == NULL)\n"
  "    return zfi_error (h, EINVAL, \"the optional argument %s is NULL\", name);\n"
  "  return 0;\n"
  "}\n\n";

static const char check_size_function[] =
  "/* Refuse a buffer that no message can hold. */\n"
  "static int\n"
  "check_size (zf_handle *h, size_t size, const char *name)\n"
  "{\n"
  "  if (size >= ZF_MESSAGE_MAX)\n"
  "    return zfi_error (h, EMSGSIZE, \"%s: %zu bytes do not fit in a message (of %d): use smaller pieces\",\n"
  "                      name, size, ZF_MESSAGE_MAX);\n"
  "  return 0;\n"
  "}\n\n";

static const char count_list_function[] =
  "static u_int\n"
  "count_list (char *const *list)\n"
  "{\n"
  "  u_int n = 0;\n"
  "\n"
  "  while (list[n])\n"
  "    n++;\n"
  "  return n;\n"
  "}\n\n";

static const char take_list_function[] =
  "/* The caller's list: the reply's strings with NULL at the end.  The reply keeps nothing. */\n"
  "static char **\n"
  "take_list (zf_handle *h, char ***val, u_int *len)\n"
  "{\n"
  "  char **list = realloc (*val, ((size_t) *len + 1) * sizeof *list);\n"
  "\n"
  "  if (list == NULL) {\n"
  "    zfi_perror (h, errno, \"list of %u strings\", *len);\n"
  "    return NULL;\n"
  "  }\n"
  "  list[*len] = NULL;\n"
  "  *val = NULL;\n"
  "  *len = 0;\n"
  "  return list;\n"
  "}\n\n";

static const char take_hash_function[] =
  "/* The same for keys and values. */\n"
  "static char **\n"
  "take_hash (zf_handle *h, char ***val, u_int *len)\n"
  "{\n"
  "  if (*len % 2 != 0) {\n"
  "    zfi_error (h, EPROTO, \"the daemon sent a key without its value\");\n"
  "    return NULL;\n"
  "  }\n"
  "  return take_list (h, val, len);\n"
  "}\n\n";

static const char take_copy_function[] =
  "/* Memory of the caller's own for a fixed part of the reply. */\n"
  "static void *\n"
  "take_copy (zf_handle *h, const void *p, size_t size)\n"
  "{\n"
  "  void *copy = malloc (size);\n"
  "\n"
  "  if (copy == NULL)\n"
  "    zfi_perror (h, errno, \"result of %zu bytes\", size);\n"
  "  else\n"
  "    memcpy (copy, p, size);\n"
  "  return copy;\n"
  "}\n\n";

/* Those that the functions of this table call, and no others. */
void
put_lib_helpers (FILE *out, const struct table *t)
{
  bool opts = false, pointers = false, counts = uses_arg (t, T_STRING_LIST) || uses_arg (t, T_DEVICE_LIST);
  bool lists = uses_result (t, T_STRING_LIST) || uses_result (t, T_DEVICE_LIST);

  for (size_t i = 0; i < t->nr_actions; i++)
    for (const struct param *p = t->actions[i].optargs; p->name; p++) {
      opts = true;
      pointers = pointers || is_text (p->type) || is_list (p->type);
      counts = counts || (is_list (p->type) && is_daemon (&t->actions[i]));
    }
  if (opts)
    fputs (check_opts_function, out);
  if (pointers)
    fputs (check_opt_function, out);
  if (uses_arg (t, T_BUFFER))
    fputs (check_size_function, out);
  if (counts)
    fputs (count_list_function, out);
  if (lists || uses_result (t, T_HASH))
    fputs (take_list_function, out);
  if (uses_result (t, T_HASH))
    fputs (take_hash_function, out);
  if (uses_result (t, T_STRUCT) || uses_result (t, T_STRUCT_LIST))
    fputs (take_copy_function, out);
}
