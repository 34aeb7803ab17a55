/* Converts words to the values that a command wants: numbers with sizes, booleans, lists, optional arguments.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <config.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "fish.h"

/* The multiplier of a size suffix.  "K" and "KiB" are powers of 1024, "KB" powers of 1000.  0: no such
 * suffix; UINT64_MAX: larger than any number (zetta and yotta). */
static uint64_t
multiplier (const char *suffix)
{
  static const char letters[] = "KMGTPEZY";
  const char *l;
  uint64_t base, m = 1;

  if (*suffix == '\0')
    return 1;
  l = strchr (letters, *suffix == 'k' ? 'K' : *suffix);
  if (l == NULL)
    return 0;
  if (suffix[1] == '\0' || strcmp (suffix + 1, "iB") == 0)
    base = 1024;
  else if (strcmp (suffix + 1, "B") == 0)
    base = 1000;
  else
    return 0;
  if (*l == 'Z' || *l == 'Y')
    return UINT64_MAX;
  for (; l >= letters; l--)
    m *= base;
  return m;
}

int
parse_number (const char *s, int64_t *n, const char **why)
{
  bool negative = *s == '-';
  const char *digits = s + (*s == '-' || *s == '+');
  unsigned __int128 v;
  uint64_t m;
  char *end;

  *why = "not a number (expected digits, perhaps with a size such as 64K, 1M or 10G)";
  if (!isdigit ((unsigned char) *digits))
    return -1;
  errno = 0;
  v = strtoull (digits, &end, 0);
  if ((m = multiplier (end)) == 0)
    return -1;
  *why = "number too large";
  if (errno != 0 || (m == UINT64_MAX && v != 0))
    return -1;
  v *= m;
  if (v > (uint64_t) INT64_MAX + negative)
    return -1;
  *n = negative ? (int64_t) (0 - (uint64_t) v) : (int64_t) v;
  return 0;
}

int
parse_bool (const char *s, int64_t *n)
{
  static const char *const names[] = {
    "false", "true", "0", "1", "no", "yes", "n", "y", "off", "on", "f", "t"
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcasecmp (s, names[i]) == 0) {
      *n = i & 1;
      return 0;
    }
  return -1;
}

static int
convert_number (struct shell *sh, const char *cmd, const struct command_arg *arg, const char *s, int64_t *n)
{
  const char *why;

  if (parse_number (s, n, &why) == -1)
    return shell_error (sh, "%s: %s: '%s': %s", cmd, arg->name, s, why);
  if (arg->type == V_INT && (*n > INT32_MAX || *n < INT32_MIN))
    return shell_error (sh, "%s: %s: '%s': number too large (the limit is %d)", cmd, arg->name, s, INT32_MAX);
  return 0;
}

static int
convert_list (struct shell *sh, const char *cmd, const struct command_arg *arg, const char *s, char ***list)
{
  char err[WORDS_ERROR_SIZE];

  *list = list_split (s, err);
  return *list != NULL ? 0 : shell_error (sh, "%s: %s: %s", cmd, arg->name, err);
}

/* One argument.  W is only read. */
static int
convert (struct shell *sh, const char *cmd, const struct command_arg *arg, const struct word *w,
         struct value *v)
{
  switch (arg->type) {
  case V_INT:
  case V_INT64:
    return convert_number (sh, cmd, arg, w->s, &v->n);
  case V_BOOL:
    if (parse_bool (w->s, &v->n) == 0)
      return 0;
    return shell_error (sh, "%s: %s: '%s': expected true or false", cmd, arg->name, w->s);
  case V_LIST:
    return convert_list (sh, cmd, arg, w->list != NULL ? w->list : w->s, &v->list);
  case V_FILE_IN:
    return (v->s = stream_in (sh, w)) != NULL ? 0 : -1;
  case V_FILE_OUT:
    return (v->s = stream_out (sh, w)) != NULL ? 0 : -1;
  default:
    v->s = xstrdup (w->s);
    v->len = strlen (v->s);
    return 0;
  }
}

/* Does W give the optional argument ARG ("name:value")?  The value, or NULL. */
static const char *
optarg_value (const struct command_arg *arg, const char *w)
{
  const char *colon = strchr (w, ':');
  size_t len = strlen (arg->name);

  if (colon == NULL || (size_t) (colon - w) != len)
    return NULL;
  return strncasecmp (w, arg->name, len) == 0 ? colon + 1 : NULL;
}

static int
convert_optional (struct shell *sh, const struct command *cmd, const struct word *w, struct value *opt,
                  uint64_t *mask)
{
  for (size_t i = 0; i < cmd->nr_optargs; i++) {
    const char *value = optarg_value (&cmd->optargs[i], w->s);
    struct word rest = { .quoted = w->quoted };

    if (value == NULL)
      continue;
    if (*mask & (UINT64_C (1) << i))
      return shell_error (sh, "%s: optional argument '%s' is given more than once", cmd->name,
                          cmd->optargs[i].name);
    rest.s = w->s + (value - w->s);
    /* No escape can stand in "name:", so that it is as long in both forms. */
    rest.list = w->list != NULL ? w->list + (value - w->s) : NULL;
    *mask |= UINT64_C (1) << i;
    return convert (sh, cmd->name, &cmd->optargs[i], &rest, &opt[i]);
  }
  return shell_error (sh, "%s: unknown optional argument '%s' (see 'help %s')", cmd->name, w->s, cmd->name);
}

static size_t
nr_typed_args (const struct command *cmd)
{
  size_t n = 0;

  for (size_t i = 0; i < cmd->nr_args; i++)
    n += cmd->args[i].type != V_KEY;
  return n;
}

static int
wrong_number (struct shell *sh, const struct command *cmd, size_t want, size_t got)
{
  char *usage = command_usage (&(struct found) { .cmd = cmd });

  shell_error (sh, "%s: expected %s%zu argument%s, got %zu\nusage: %s\nType 'help %s' for more.", cmd->name,
               got > want ? "" : cmd->nr_optargs ? "at least " : "", want, want == 1 ? "" : "s", got, usage,
               cmd->name);
  free (usage);
  return -1;
}

/* Keys are not on the line; they are asked for. */
static int
convert_key (struct shell *sh, const struct command *cmd, const struct command_arg *arg, struct value *v)
{
  if ((v->s = key_read (sh, arg->name)) == NULL)
    return shell_error (sh, "%s: %s: cannot read the key", cmd->name, arg->name);
  return 0;
}

int
values_convert (struct shell *sh, const struct command *cmd, const struct word *w, size_t n,
                struct value *v, struct value *opt, uint64_t *mask)
{
  size_t want = nr_typed_args (cmd), used = 0;

  *mask = 0;
  if (n < want || (n > want && cmd->nr_optargs == 0))
    return wrong_number (sh, cmd, want, n);
  /* What can be judged at once comes first, so that no stream is opened and no key asked for in vain. */
  for (size_t i = want; i < n; i++)
    if (convert_optional (sh, cmd, &w[i], opt, mask) == -1)
      return -1;
  for (size_t i = 0; i < cmd->nr_args; i++)
    if ((cmd->args[i].type == V_KEY ? convert_key (sh, cmd, &cmd->args[i], &v[i])
         : convert (sh, cmd->name, &cmd->args[i], &w[used++], &v[i])) == -1)
      return -1;
  return 0;
}

static void
value_free (struct value *v)
{
  free (v->s);
  list_free (v->list);
}

void
values_free (const struct command *cmd, struct value *v, struct value *opt)
{
  for (size_t i = 0; i < cmd->nr_args; i++)
    value_free (&v[i]);
  for (size_t i = 0; i < cmd->nr_optargs; i++)
    value_free (&opt[i]);
}
