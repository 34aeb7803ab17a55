/* The Python side of the binding: zerofish/_actions.py, a class with one documented method an action, and
 * the type stubs in zerofish/__init__.pyi.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "emit.h"

static void
put_python_head (FILE *out, const char *purpose)
{
  fprintf (out,
           "# %s\n"
           "# Generated from the action table in generator/; do not edit.\n"
           "#\n"
           "# SPDX-License-Identifier: LGPL-2.1-or-later\n"
           "# Copyright (C) 2026 The zerofish authors\n\n", purpose);
}

/* The types: as python3-guestfs annotates them, or (STUB) everything that is taken. */
static const char *
arg_type (const struct param *p, bool stub)
{
  switch (p->type) {
  case T_INT:
  case T_INT64: return "int";
  case T_BOOL: return "bool";
  case T_BUFFER: return stub ? "Buffer" : "bytes";
  case T_STRING_LIST:
  case T_DEVICE_LIST: return stub ? "Iterable[Text]" : "List[str]";
  default: return stub ? "Text" : "str";
  }
}

static const char *
result_type (const struct action *a)
{
  switch (a->ret) {
  case T_NONE: return "None";
  case T_BOOL: return "bool";
  case T_INT:
  case T_INT64: return "int";
  case T_STRING:
  case T_DEVICE: return "str";
  case T_BUFFER: return "bytearray";
  case T_HASH: return "Union[List[Tuple[str, str]], dict]";
  case T_STRUCT: return "dict";
  case T_STRUCT_LIST: return "List[dict]";
  default: return "List[str]";
  }
}

/* The forms of a method. */
enum form {
  PLAIN = 0,
  STUB = 1,                 /* in the stubs */
  ASYNC = 2,                /* of the class Aio: with a function for progress */
  INTO = 4,                 /* NAME_into, that fills a buffer */
};

/* How many optional arguments may be given without their name.  All of them, but where python3-guestfs has
 * others in between. */
static size_t
nr_positional (const struct action *a)
{
  static const char *const names[] = { "add_domain", "add_drive" };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (a->name, names[i]) == 0)
      return 2;
  return MAX_OPTARGS;
}

static void
put_optargs (FILE *out, const struct action *a, unsigned form)
{
  for (const struct param *p = a->optargs; p->name; p++) {
    if (p == a->optargs + nr_positional (a))
      fputs (", *", out);
    fprintf (out, ", %s: Optional[%s] = None", python_name (a, p), arg_type (p, form & STUB));
  }
  if (form & ASYNC)
    fprintf (out, "%s, progress: Optional[Progress] = None",
             nr_params (a->optargs) > nr_positional (a) ? "" : ", *");
}

static void
put_def (FILE *out, const struct action *a, unsigned form)
{
  const char *async = form & ASYNC ? "async " : "", *suffix = form & INTO ? "_into" : "";
  FILE *f = fold_begin ();

  fprintf (f, "    %sdef %s%s(self", async, a->name, suffix);
  if (form & INTO)
    fprintf (f, ", buffer: %s", form & STUB ? "WritableBuffer" : "bytearray");
  for (const struct param *p = a->args; p->name; p++)
    if (!(form & INTO) || !is_into_count (p))
      fprintf (f, python_none (a) ? ", %s: Optional[%s]" : ", %s: %s", python_name (a, p),
               arg_type (p, form & STUB));
  put_optargs (f, a, form);
  fprintf (f, ") -> %s:%s", form & INTO ? "int" : result_type (a), form & STUB ? " ..." : "");
  fold_end (out, (int) (strlen (a->name) + strlen (async) + strlen (suffix)) + 9);
  fputc ('\n', out);
}

/* The forms of A for the stubs, PLAIN or ASYNC. */
static void
put_stubs (FILE *out, const struct action *a, unsigned form)
{
  put_def (out, a, form | STUB);
  if (has_into (a))
    put_def (out, a, form | STUB | INTO);
}

/* --- the class --- */

/* What the flags mean for a caller. */
static void
put_flags (FILE *out, const struct action *a)
{
  static const char indent[] = "        ";

  if (a->flags & F_DESTRUCTIVE)
    put_plain (out, "B<This destroys data.>  On a drive that was added read-only it fails.", POD_API, indent,
               100);
  if (a->flags & F_CANCEL)
    put_plain (out, a->flags & F_PROGRESS ? "It reports progress and can be cancelled."
                                          : "It can be cancelled.", POD_API, indent, 100);
  if (a->group)
    fprintf (out, "%sIt needs the feature \"%s\".\n", indent, a->group);
}

/* "zero the whole of a device" as a sentence, then the long text. */
static void
put_docstring (FILE *out, const struct action *a)
{
  const char *s = a->shortdesc;

  fprintf (out, "        r\"\"\"%c%s.\n\n", *s >= 'a' && *s <= 'z' ? *s - 'a' + 'A' : *s, s + 1);
  put_plain (out, a->longdesc, POD_PYTHON, "        ", 100);
  if (a->group || (a->flags & (F_DESTRUCTIVE | F_CANCEL)))
    fputc ('\n', out);
  put_flags (out, a);
  fputs ("        \"\"\"\n", out);
}

/* "return self._o.mkfs(fstype, device, blocksize)" */
static void
put_return (FILE *out, const struct action *a, unsigned form)
{
  const char *suffix = form & INTO ? "_into" : "", *separator = "";
  FILE *f = fold_begin ();

  fprintf (f, "        return %sself._o.%s%s(", a->ret == T_HASH ? "self._hash(" : "", a->name, suffix);
  if (form & INTO) {
    fputs ("buffer", f);
    separator = ", ";
  }
  for (const struct param *p = a->args; p->name; p++)
    if (!(form & INTO) || !is_into_count (p)) {
      fprintf (f, "%s%s", separator, python_name (a, p));
      separator = ", ";
    }
  for (const struct param *p = a->optargs; p->name; p++) {
    fprintf (f, "%s%s", separator, python_name (a, p));
    separator = ", ";
  }
  fputs (a->ret == T_HASH ? "))" : ")", f);
  fold_end (out, (int) (strlen (a->name) + strlen (suffix)) + (a->ret == T_HASH ? 35 : 24));
  fputs ("\n\n", out);
}

static void
put_method (FILE *out, const struct action *a)
{
  put_def (out, a, PLAIN);
  put_docstring (out, a);
  put_return (out, a, PLAIN);
}

static void
put_into (FILE *out, const struct action *a)
{
  bool count = false;

  for (const struct param *p = a->args; p->name; p++)
    count = count || is_into_count (p);
  put_def (out, a, INTO);
  fprintf (out, "        \"\"\"Like %s, but the bytes go to buffer: anything writable and contiguous.\n\n"
           "        %sReturns how many bytes came.\n        \"\"\"\n",
           a->name, count ? "As many are asked for as it holds.  " : "It must have room for all.  ");
  put_return (out, a, INTO);
}

/* The names under which python3-guestfs has these calls too, because optional arguments came later. */
static bool
has_opts_name (const struct action *a)
{
  static const char *const names[] = {
    "add_drive", "btrfs_subvolume_create", "btrfs_subvolume_snapshot", "glob_expand", "grep", "is_blockdev",
    "is_chardev", "is_dir", "is_fifo", "is_file", "is_socket", "mkfs", "mkswap", "ntfsresize", "tar_in",
    "tar_out", "umount",
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp (a->name, names[i]) == 0)
      return true;
  return false;
}

void
emit_python_class (FILE *out, const struct table *t)
{
  put_python_head (out, "The methods that carry out an action.");
  fputs ("from typing import List, Optional, Tuple, Union\n\n\n"
         "class Actions:\n"
         "    \"\"\"The actions, for the class GuestFS, whose _o is the extension's handle.\"\"\"\n\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      put_method (out, &t->actions[i]);
      if (has_into (&t->actions[i]))
        put_into (out, &t->actions[i]);
      if (has_opts_name (&t->actions[i]))
        fprintf (out, "    %s_opts = %s\n\n", t->actions[i].name, t->actions[i].name);
    }
  fputs ("\n"
         "# Their names.\n"
         "ACTIONS = {\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i]))
      fprintf (out, has_into (&t->actions[i]) ? "    \"%s\", \"%s_into\",\n" : "    \"%s\",\n",
               t->actions[i].name, t->actions[i].name);
  fputs ("}\n", out);
}

/* --- the stubs --- */

static const char stub_head[] =
  "from array import array\n"
  "from mmap import mmap\n"
  "from os import PathLike\n"
  "from types import TracebackType\n"
  "from typing import Any, Callable, Iterable, List, Optional, Tuple, Type, TypeVar, Union\n"
  "\n"
  "# Names may be bytes: file names need not be UTF-8.\n"
  "Text = Union[str, bytes, \"PathLike[str]\", \"PathLike[bytes]\"]\n"
  "# Anything contiguous with the buffer protocol.\n"
  "Buffer = Union[bytes, bytearray, memoryview, \"array[Any]\", mmap]\n"
  "WritableBuffer = Union[bytearray, memoryview, \"array[Any]\", mmap]\n"
  "# Called with position and total.\n"
  "Progress = Callable[[int, int], object]\n"
  "# Called with event, event handle, text and numbers.\n"
  "EventCallback = Callable[[int, int, str, List[int]], object]\n"
  "_G = TypeVar(\"_G\", bound=\"GuestFS\")\n"
  "\n"
  "EVENT_CLOSE: int\n"
  "EVENT_SUBPROCESS_QUIT: int\n"
  "EVENT_LAUNCH_DONE: int\n"
  "EVENT_PROGRESS: int\n"
  "EVENT_APPLIANCE: int\n"
  "EVENT_LIBRARY: int\n"
  "EVENT_TRACE: int\n"
  "EVENT_ENTER: int\n"
  "EVENT_LIBVIRT_AUTH: int\n"
  "EVENT_WARNING: int\n"
  "EVENT_ALL: int\n"
  "\n"
  "def event_to_string(events: int) -> str: ...\n"
  "def open(*filenames: Text, readonly: bool = ..., **options: Any) -> GuestFS: ...\n"
  "\n"
  "class Error(RuntimeError):\n"
  "    errno: int\n"
  "\n"
  "class ClosedHandle(ValueError): ...\n"
  "\n"
  "class GuestFS:\n"
  "    def __init__(self, python_return_dict: bool = ..., environment: bool = ...,\n"
  "                 close_on_exit: bool = ...) -> None: ...\n"
  "    def __enter__(self: _G) -> _G: ...\n"
  "    def __exit__(self, exc_type: Optional[Type[BaseException]], exc: Optional[BaseException],\n"
  "                 traceback: Optional[TracebackType]) -> None: ...\n"
  "    @property\n"
  "    def aio(self) -> Aio: ...\n"
  "    def close(self) -> None: ...\n"
  "    def user_cancel(self) -> None: ...\n"
  "    def set_event_callback(self, cb: EventCallback, event_bitmask: int) -> int: ...\n"
  "    def delete_event_callback(self, event_handle: int) -> None: ...\n";

void
emit_python_stubs (FILE *out, const struct table *t)
{
  put_python_head (out, "Types of the package zerofish.");
  fputs (stub_head, out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i])) {
      put_stubs (out, &t->actions[i], PLAIN);
      if (has_opts_name (&t->actions[i]))
        fprintf (out, "    %s_opts = %s\n", t->actions[i].name, t->actions[i].name);
    }
  fputs ("\nclass Aio:\n"
         "    async def close(self) -> None: ...\n", out);
  for (size_t i = 0; i < t->nr_actions; i++)
    if (is_public (&t->actions[i]))
      put_stubs (out, &t->actions[i], ASYNC);
}
