/* Python arguments as C values, with an exception that names the argument if they are not what they should
 * be.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <limits.h>
#include <string.h>

#include "binding.h"

/* The next argument, or NULL after a failure. */
static PyObject *
next_arg (struct call *c)
{
  if (c->failed)
    return NULL;
  if (c->next < c->nr_args)
    return c->args[c->next++];
  PyErr_Format (PyExc_TypeError, "%s() takes more than %zd arguments", c->name, c->nr_args);
  c->failed = true;
  return NULL;
}

/* "pread() argument 'path' must be a str, not int". */
static void
bad_type (struct call *c, const char *name, const char *wanted, PyObject *o)
{
  PyObject *type = PyObject_GetAttrString ((PyObject *) Py_TYPE (o), "__name__");

  if (type)
    PyErr_Format (PyExc_TypeError, "%s() argument '%s' must be %s, not %U", c->name, name, wanted, type);
  Py_XDECREF (type);
  c->failed = true;
}

bool
arg_given (struct call *c)
{
  if (c->failed || c->next >= c->nr_args || c->args[c->next] != Py_None)
    return !c->failed;
  c->next++;
  return false;
}

/* --- text --- */

/* Keep O, a new reference or NULL, until call_end.  -1 with an exception set. */
static int
keep (struct call *c, PyObject *o)
{
  int r = -1;

  if (o && c->kept == NULL)
    c->kept = PyList_New (0);
  if (o && c->kept)
    r = PyList_Append (c->kept, o);
  Py_XDECREF (o);
  return r;
}

/* The bytes of O, str or bytes or a path, kept; NULL with an exception set. */
static const char *
text_of (struct call *c, const char *name, PyObject *o, bool local)
{
  PyObject *path = PyOS_FSPath (o), *bytes;
  char *s;
  Py_ssize_t size;

  if (path == NULL) {
    if (PyErr_ExceptionMatches (PyExc_TypeError)) {
      PyErr_Clear ();
      bad_type (c, name, "str, bytes or a path", o);
    }
    c->failed = true;
    return NULL;
  }
  if (PyBytes_Check (path))
    bytes = path;
  else {
    bytes = local ? PyUnicode_EncodeFSDefault (path)
                  : PyUnicode_AsEncodedString (path, "utf-8", "surrogateescape");
    Py_DECREF (path);
  }
  if (keep (c, bytes) == -1 || PyBytes_AsStringAndSize (bytes, &s, &size) == -1) {
    c->failed = true;
    return NULL;
  }
  if (strlen (s) == (size_t) size)
    return s;
  PyErr_Format (PyExc_ValueError, "%s() argument '%s' has a zero byte in it", c->name, name);
  c->failed = true;
  return NULL;
}

const char *
arg_text (struct call *c, const char *name)
{
  PyObject *o = next_arg (c);

  return o ? text_of (c, name, o, false) : NULL;
}

const char *
arg_filename (struct call *c, const char *name)
{
  PyObject *o = next_arg (c);

  return o ? text_of (c, name, o, true) : NULL;
}

char *const *
arg_list (struct call *c, const char *name)
{
  PyObject *o = next_arg (c), *items, *memory;
  Py_ssize_t n;
  char **list;

  if (o == NULL)
    return NULL;
  /* The characters of one string are hardly ever meant. */
  items = PyUnicode_Check (o) || PyBytes_Check (o) ? NULL : PySequence_Tuple (o);
  if (items == NULL) {
    if (!PyErr_Occurred () || PyErr_ExceptionMatches (PyExc_TypeError)) {
      PyErr_Clear ();
      bad_type (c, name, "a list of str", o);
    }
    c->failed = true;
    return NULL;
  }
  n = PyTuple_Size (items);
  /* A bytes object is memory that goes with the others that are kept; what it holds is aligned well
   * enough. */
  memory = PyBytes_FromStringAndSize (NULL, (n + 1) * sizeof *list);
  list = memory ? (char **) PyBytes_AsString (memory) : NULL;
  c->failed = keep (c, memory) == -1;
  for (Py_ssize_t i = 0; i < n && !c->failed; i++)
    list[i] = (char *) text_of (c, name, PyTuple_GetItem (items, i), false);
  if (!c->failed)
    list[n] = NULL;
  Py_DECREF (items);
  return c->failed ? NULL : list;
}

/* --- numbers --- */

static int64_t
number (struct call *c, const char *name, int64_t min, int64_t max)
{
  PyObject *o = next_arg (c), *index;
  int overflow;
  long long r;

  if (o == NULL)
    return 0;
  index = PyNumber_Index (o);
  if (index == NULL) {
    if (PyErr_ExceptionMatches (PyExc_TypeError)) {
      PyErr_Clear ();
      bad_type (c, name, "int", o);
    }
    c->failed = true;
    return 0;
  }
  r = PyLong_AsLongLongAndOverflow (index, &overflow);
  Py_DECREF (index);
  if (overflow == 0 && r >= min && r <= max)
    return r;
  PyErr_Format (PyExc_OverflowError, "%s() argument '%s' does not fit in %d bits", c->name, name,
                max == INT_MAX ? 32 : 64);
  c->failed = true;
  return 0;
}

int
arg_int (struct call *c, const char *name)
{
  return number (c, name, INT_MIN, INT_MAX);
}

int64_t
arg_int64 (struct call *c, const char *name)
{
  return number (c, name, INT64_MIN, INT64_MAX);
}

int
arg_bool (struct call *c, const char *name)
{
  return number (c, name, INT64_MIN, INT64_MAX) != 0;
}

/* --- buffers --- */

static void *
view (struct call *c, const char *name, size_t *size, int flags)
{
  PyObject *o = next_arg (c);

  *size = 0;
  if (o == NULL)
    return NULL;
  if (!PyObject_CheckBuffer (o)) {
    bad_type (c, name, "bytes or another buffer", o);
    return NULL;
  }
  if (PyObject_GetBuffer (o, &c->view, flags) == -1) {
    c->failed = true;
    return NULL;
  }
  *size = c->view.len;
  return c->view.len > 0 ? c->view.buf : "";
}

const void *
arg_buffer (struct call *c, const char *name, size_t *size)
{
  return view (c, name, size, PyBUF_SIMPLE);
}

void *
arg_writable (struct call *c, const char *name, size_t *size)
{
  return view (c, name, size, PyBUF_WRITABLE);
}
