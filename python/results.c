/* Results of the library as Python objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <stdlib.h>
#include <string.h>

#include "binding.h"

PyObject *
result_none (void)
{
  Py_RETURN_NONE;
}

/* Names need not be UTF-8; what is not becomes surrogates, as in names from the os module. */
PyObject *
text_object (const char *s)
{
  return PyUnicode_DecodeUTF8 (s, strlen (s), "surrogateescape");
}

PyObject *
char_object (char c)
{
  return PyUnicode_DecodeUTF8 (&c, 1, "surrogateescape");
}

PyObject *
result_text (char *s)
{
  PyObject *r = text_object (s);

  free (s);
  return r;
}

/* Append O, a new reference or NULL, to LIST.  -1 with an exception set. */
static int
append (PyObject *list, PyObject *o)
{
  int r = o ? PyList_Append (list, o) : -1;

  Py_XDECREF (o);
  return r;
}

PyObject *
result_list (char **list)
{
  PyObject *r = PyList_New (0);

  for (size_t i = 0; r && list[i]; i++)
    if (append (r, text_object (list[i])) == -1)
      Py_CLEAR (r);
  zf_free_string_list (list);
  return r;
}

PyObject *
result_hash (char **list)
{
  PyObject *r = PyList_New (0);

  for (size_t i = 0; r && list[i]; i += 2) {
    PyObject *key = text_object (list[i]), *value = text_object (list[i + 1]);

    if (append (r, key && value ? PyTuple_Pack (2, key, value) : NULL) == -1)
      Py_CLEAR (r);
    Py_XDECREF (key);
    Py_XDECREF (value);
  }
  zf_free_string_list (list);
  return r;
}

PyObject *
result_buffer (struct call *c, char *p, size_t size)
{
  PyObject *r = c->data;

  if (r && PyByteArray_AsString (r) == p) {
    c->data = NULL;
    return r;
  }
  /* An action that the library carries out itself used malloc. */
  r = PyByteArray_FromStringAndSize (p, size);
  free (p);
  return r;
}
