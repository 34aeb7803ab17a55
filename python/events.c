/* Events: functions of the program that are called while a call runs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "binding.h"

/* Bits that python3-guestfs has and this library never sends: accepted, so that EVENT_ALL means the same. */
#define OTHER_EVENTS UINT64_C (0x0180)

/* The arguments of a callback, as a tuple: event, event_handle, buf, array. */
static PyObject *
event_args (uint64_t event, int event_handle, const char *buf, size_t buf_len, const uint64_t *array,
            size_t array_len)
{
  PyObject *list = PyList_New (array_len);
  PyObject *text = PyUnicode_DecodeUTF8 (buf, buf_len, "surrogateescape");

  for (size_t i = 0; list && i < array_len; i++) {
    PyObject *number = PyLong_FromUnsignedLongLong (array[i]);

    if (number == NULL || PyList_SetItem (list, i, number) == -1)
      Py_CLEAR (list);
  }
  if (list && text)
    return Py_BuildValue ("(KiNN)", (unsigned long long) event, event_handle, text, list);
  Py_XDECREF (list);
  Py_XDECREF (text);
  return NULL;
}

/* Call FUNCTION.  An ordinary exception is reported and the call goes on; what is meant to end a program
 * (KeyboardInterrupt, SystemExit) ends the call, which then raises it. */
static void
run_callback (struct call *c, PyObject *function, PyObject *args)
{
  PyObject *r = args ? PyObject_CallObject (function, args) : NULL;

  if (r == NULL) {
    if (PyErr_ExceptionMatches (PyExc_Exception))
      PyErr_WriteUnraisable (function);
    else
      call_interrupt (c);
  }
  Py_XDECREF (r);
}

/* The (function, events) of a registration, or NULL; a new reference. */
static PyObject *
find_callback (struct handle *self, int event_handle)
{
  PyObject *key = PyLong_FromLong (event_handle);
  PyObject *entry = key ? PyDict_GetItemWithError (self->callbacks, key) : NULL;

  Py_XINCREF (entry);
  Py_XDECREF (key);
  PyErr_Clear ();
  return entry;
}

/* The library calls this in the thread of the call that runs. */
static void
on_event (zf_handle *h, void *opaque, uint64_t event, int event_handle, const char *buf, size_t buf_len,
          const uint64_t *array, size_t array_len)
{
  struct handle *self = opaque;
  struct call *c = self->call;
  PyObject *entry, *args;

  (void) h;
  PyEval_RestoreThread (c->thread);
  entry = find_callback (self, event_handle);
  if (entry && (PyLong_AsUnsignedLongLong (PyTuple_GetItem (entry, 1)) & event)) {
    args = event_args (event, event_handle, buf, buf_len, array, array_len);
    run_callback (c, PyTuple_GetItem (entry, 0), args);
    Py_XDECREF (args);
  }
  Py_XDECREF (entry);
  c->thread = PyEval_SaveThread ();
}

/* Remember FUNCTION under the number that the library gave. */
static int
add_callback (struct handle *self, int event_handle, PyObject *function, int64_t events)
{
  PyObject *key = PyLong_FromLong (event_handle);
  PyObject *entry = key ? Py_BuildValue ("(OL)", function, (long long) events) : NULL;
  int r = entry ? PyDict_SetItem (self->callbacks, key, entry) : -1;

  Py_XDECREF (entry);
  Py_XDECREF (key);
  return r;
}

/* set_event_callback (cb, event_bitmask): the number of the registration. */
PyObject *
py_set_event_callback (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  PyObject *function = nr > 0 ? args[0] : Py_None;
  int64_t events;
  int r;

  call_init (&c, "set_event_callback", object, args, nr);
  c.next = 1;
  events = arg_int64 (&c, "event_bitmask");
  if (!c.failed && !PyCallable_Check (function)) {
    PyErr_Format (PyExc_TypeError, "set_event_callback() argument 'cb' must be callable");
    c.failed = true;
  }
  if (!c.failed && ((events & ~(ZF_EVENT_ALL | OTHER_EVENTS)) != 0 || events == 0)) {
    PyErr_Format (PyExc_ValueError,
                  "set_event_callback() argument 'event_bitmask' must be made of EVENT_ constants");
    c.failed = true;
  }
  if (!call_enter (&c))
    return call_end (&c, NULL);
  /* Only bits that never come would be refused as an empty set. */
  r = zf_set_event_callback (c.h, on_event, (events & ZF_EVENT_ALL) | ZF_EVENT_CLOSE, c.self);
  PyEval_RestoreThread (c.thread);
  if (r != -1 && add_callback (c.self, r, function, events) == -1)
    zf_delete_event_callback (c.h, r);
  c.thread = PyEval_SaveThread ();
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 && !PyErr_Occurred () ? PyLong_FromLong (r) : NULL);
}

/* delete_event_callback (event_handle); unknown numbers do no harm. */
PyObject *
py_delete_event_callback (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int number;
  PyObject *key;

  call_init (&c, "delete_event_callback", object, args, nr);
  number = arg_int (&c, "event_handle");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  zf_delete_event_callback (c.h, number);
  call_leave (&c, true);
  key = PyLong_FromLong (number);
  if (key == NULL || PyDict_DelItem (c.self->callbacks, key) == -1)
    PyErr_Clear ();
  Py_XDECREF (key);
  return call_end (&c, result_none ());
}
