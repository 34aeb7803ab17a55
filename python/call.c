/* One call of the library: giving up the interpreter's lock around it, and turning its errors into
 * exceptions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <string.h>

#include "binding.h"

void
call_init (struct call *c, const char *name, PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  memset (c, 0, sizeof *c);
  c->name = name;
  c->self = (struct handle *) self;
  c->args = args;
  c->nr_args = nr;
}

bool
call_enter (struct call *c)
{
  struct handle *self = c->self;

  if (!c->failed && c->next != c->nr_args)
    PyErr_Format (PyExc_TypeError, "%s() takes %zd arguments, not %zd", c->name, c->next, c->nr_args);
  if (c->failed || c->next != c->nr_args || !handle_lock (self))
    return false;
  /* Only now: converting arguments and waiting for the lock let other code run. */
  if (self->h == NULL) {
    handle_unlock (self);
    PyErr_Format (self->state->closed, "%s: the handle is closed", c->name);
    return false;
  }
  c->h = self->h;
  c->outer = self->call;
  self->call = c;
  c->thread = PyEval_SaveThread ();
  return true;
}

/* The library's error belongs to this thread and this handle, so it is copied before anyone can close
 * that. */
static void
keep_error (struct call *c)
{
  const char *s = zf_last_error (c->h);

  if (s == NULL)
    s = "failed, and the library did not say why";
  c->err = zf_last_errno (c->h);
  c->message = PyMem_Malloc (strlen (s) + 1);
  if (c->message)
    strcpy (c->message, s);
}

void
call_leave (struct call *c, bool ok)
{
  PyEval_RestoreThread (c->thread);
  c->self->call = c->outer;
  if (!ok)
    keep_error (c);
  handle_unlock (c->self);
}

void
call_interrupt (struct call *c)
{
  if (c->raised[0])
    PyErr_WriteUnraisable (NULL);
  else
    PyErr_Fetch (&c->raised[0], &c->raised[1], &c->raised[2]);
  zf_user_cancel (c->h);
}

/* Set zerofish.Error with the library's message and errno.  The message may hold names that are not UTF-8,
 * and it is for people. */
static void
raise_error (struct call *c)
{
  PyObject *type = c->self->state->error, *text, *e, *number;

  if (c->message == NULL) {
    PyErr_NoMemory ();
    return;
  }
  text = PyUnicode_DecodeUTF8 (c->message, strlen (c->message), "backslashreplace");
  e = text ? PyObject_CallFunctionObjArgs (type, text, NULL) : NULL;
  number = e ? PyLong_FromLong (c->err) : NULL;
  if (number && PyObject_SetAttrString (e, "errno", number) == 0)
    PyErr_SetObject (type, e);
  Py_XDECREF (number);
  Py_XDECREF (e);
  Py_XDECREF (text);
}

PyObject *
call_end (struct call *c, PyObject *result)
{
  if (c->raised[0]) {
    Py_CLEAR (result);
    PyErr_Restore (c->raised[0], c->raised[1], c->raised[2]);
  }
  else if (result == NULL && !PyErr_Occurred ())
    raise_error (c);
  PyMem_Free (c->message);
  /* These may run code of the program, which must not see our exception. */
  if (c->view.obj || c->kept || c->data) {
    PyObject *type, *value, *traceback;

    PyErr_Fetch (&type, &value, &traceback);
    if (c->view.obj)
      PyBuffer_Release (&c->view);
    Py_CLEAR (c->kept);
    Py_CLEAR (c->data);
    PyErr_Restore (type, value, traceback);
  }
  return result;
}
