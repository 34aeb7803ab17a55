/* The handle object: its life, its lock, closing and cancelling.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include <errno.h>
#include <string.h>

#include "binding.h"

#define LOCK_WAIT_US (200 * 1000)       /* between two looks for signals */
#define EXIT_LOOKS   25                 /* of the same length */

bool
handle_lock (struct handle *self)
{
  unsigned long me = PyThread_get_thread_ident ();
  PyLockStatus status;

  if (self->depth > 0 && self->owner == me) {
    self->depth++;
    return true;
  }
  status = PyThread_acquire_lock_timed (self->lock, 0, 0);
  while (status != PY_LOCK_ACQUIRED) {
    Py_BEGIN_ALLOW_THREADS
    status = PyThread_acquire_lock_timed (self->lock, LOCK_WAIT_US, 1);
    Py_END_ALLOW_THREADS
    if (PyErr_CheckSignals () == -1) {
      if (status == PY_LOCK_ACQUIRED)
        PyThread_release_lock (self->lock);
      return false;
    }
  }
  self->owner = me;
  self->depth = 1;
  return true;
}

void
handle_unlock (struct handle *self)
{
  if (--self->depth == 0)
    PyThread_release_lock (self->lock);
}

/* The library calls this, in the thread of the call that runs, when there may be signals.  Their Python
 * handlers run only in the main thread, and only here while that is inside a call. */
static int
on_wait (zf_handle *h, void *opaque)
{
  struct handle *self = opaque;
  struct call *c = self->call;
  int r;

  (void) h;
  PyEval_RestoreThread (c->thread);
  r = PyErr_CheckSignals ();
  if (r == -1)
    call_interrupt (c);
  c->thread = PyEval_SaveThread ();
  return r;
}

/* The library wants memory for the result of the call that runs: that of a bytearray, so that nothing is
 * copied.  Nobody else has a reference to that before the call is over. */
static void *
on_allocate (zf_handle *h, void *opaque, size_t size)
{
  struct handle *self = opaque;
  struct call *c = self->call;
  void *p = NULL;

  (void) h;
  PyEval_RestoreThread (c->thread);
  Py_CLEAR (c->data);
  c->data = PyByteArray_FromStringAndSize (NULL, size);
  if (c->data)
    p = PyByteArray_AsString (c->data);
  else if (c->raised[0])
    PyErr_Clear ();
  else
    PyErr_Fetch (&c->raised[0], &c->raised[1], &c->raised[2]);
  c->thread = PyEval_SaveThread ();
  errno = ENOMEM;
  return p;
}

static PyObject *
handle_new (PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
  allocfunc allocate = (allocfunc) PyType_GetSlot (type, Py_tp_alloc);
  struct handle *self;
  unsigned flags = 0;

  if (PyTuple_Size (args) != 1 || kwargs)
    return PyErr_Format (PyExc_TypeError, "Handle() takes one argument");
  if (PyTuple_GetItem (args, 0) == Py_False)
    flags |= ZF_CREATE_NO_ENVIRONMENT;
  self = (struct handle *) allocate (type, 0);
  if (self == NULL)
    return NULL;
  self->state = PyType_GetModuleState (type);
  self->lock = PyThread_allocate_lock ();
  self->callbacks = PyDict_New ();
  if (self->lock == NULL)
    PyErr_NoMemory ();
  else if (self->callbacks && (self->h = zf_create_flags (flags)) == NULL)
    PyErr_SetFromErrno (PyExc_OSError);
  if (self->h == NULL) {
    Py_DECREF (self);
    return NULL;
  }
  zf_set_wait_callback (self->h, on_wait, self);
  zf_set_allocate_callback (self->h, on_allocate, self);
  return (PyObject *) self;
}

/* Close the handle, whose lock is held, and release that.  Callbacks hear of it; calls that they make find
 * a closed handle. */
static void
close_locked (struct handle *self, struct call *c)
{
  c->h = self->h;
  self->h = NULL;
  c->outer = self->call;
  self->call = c;
  c->thread = PyEval_SaveThread ();
  zf_close (c->h);
  PyEval_RestoreThread (c->thread);
  self->call = c->outer;
  PyDict_Clear (self->callbacks);
  handle_unlock (self);
}

PyObject *
py_close (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct handle *self = (struct handle *) object;
  struct call c;

  call_init (&c, "close", object, args, nr);
  if (nr != 0)
    return PyErr_Format (PyExc_TypeError, "close() takes no arguments");
  if (self->h == NULL)
    Py_RETURN_NONE;
  if (self->depth > 0 && self->owner == PyThread_get_thread_ident ()) {
    static const char message[] =
      "close: called from inside a callback of a call that is still running on this handle";

    c.err = EBUSY;
    if ((c.message = PyMem_Malloc (sizeof message)) != NULL)
      memcpy (c.message, message, sizeof message);
    return call_end (&c, NULL);
  }
  if (!handle_lock (self))
    return NULL;
  if (self->h)
    close_locked (self, &c);
  else
    handle_unlock (self);
  return call_end (&c, result_none ());
}

/* close_at_exit (): the program ends.  A call that still runs, in a thread that nobody waits for, is
 * cancelled; if it does not end soon, the handle is left alone, as its machine ends with the process. */
PyObject *
py_close_at_exit (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct handle *self = (struct handle *) object;
  PyLockStatus status = PY_LOCK_FAILURE;

  for (int i = 0; i < EXIT_LOOKS && self->h && self->depth > 0 && status != PY_LOCK_ACQUIRED; i++) {
    zf_user_cancel (self->h);
    Py_BEGIN_ALLOW_THREADS
    status = PyThread_acquire_lock_timed (self->lock, LOCK_WAIT_US, 0);
    Py_END_ALLOW_THREADS
  }
  if (status == PY_LOCK_ACQUIRED)
    PyThread_release_lock (self->lock);
  if (self->depth > 0)
    Py_RETURN_NONE;
  return py_close (object, args, nr);
}

static int
handle_traverse (PyObject *object, visitproc visit, void *arg)
{
  struct handle *self = (struct handle *) object;

  Py_VISIT (Py_TYPE (object));
  Py_VISIT (self->callbacks);
  return 0;
}

static int
handle_clear (PyObject *object)
{
  struct handle *self = (struct handle *) object;

  if (self->callbacks)
    PyDict_Clear (self->callbacks);
  return 0;
}

/* No call can be running, since a call holds a reference. */
static void
handle_dealloc (PyObject *object)
{
  struct handle *self = (struct handle *) object;
  PyTypeObject *type = Py_TYPE (object);
  PyObject *saved[3];

  PyObject_GC_UnTrack (object);
  PyErr_Fetch (&saved[0], &saved[1], &saved[2]);
  if (self->h && handle_lock (self)) {
    struct call c;

    call_init (&c, "close", object, NULL, 0);
    close_locked (self, &c);
    if (call_end (&c, result_none ()) == NULL)
      PyErr_WriteUnraisable (NULL);
  }
  PyErr_Restore (saved[0], saved[1], saved[2]);
  Py_CLEAR (self->callbacks);
  if (self->lock)
    PyThread_free_lock (self->lock);
  ((freefunc) PyType_GetSlot (type, Py_tp_free)) (object);
  Py_DECREF (type);
}

PyObject *
py_is_closed (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  (void) args;
  if (nr != 0)
    return PyErr_Format (PyExc_TypeError, "is_closed() takes no arguments");
  return PyBool_FromLong (((struct handle *) object)->h == NULL);
}

/* Does no call run? */
PyObject *
py_is_idle (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  (void) args;
  if (nr != 0)
    return PyErr_Format (PyExc_TypeError, "is_idle() takes no arguments");
  return PyBool_FromLong (((struct handle *) object)->call == NULL);
}

/* No lock: the point is to reach a call that runs.  The interpreter's lock keeps the handle from being
 * closed. */
PyObject *
py_user_cancel (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct handle *self = (struct handle *) object;

  (void) args;
  if (nr != 0)
    return PyErr_Format (PyExc_TypeError, "user_cancel() takes no arguments");
  if (self->h == NULL)
    return PyErr_Format (self->state->closed, "user_cancel: the handle is closed");
  zf_user_cancel (self->h);
  Py_RETURN_NONE;
}

/* cancel_thread (ident): cancel the call that runs, if it is that thread's. */
PyObject *
py_cancel_thread (PyObject *object, PyObject *const *args, Py_ssize_t nr)
{
  struct handle *self = (struct handle *) object;
  unsigned long ident = nr == 1 ? PyLong_AsUnsignedLong (args[0]) : (unsigned long) -1;

  if (nr != 1)
    return PyErr_Format (PyExc_TypeError, "cancel_thread() takes one argument");
  if (PyErr_Occurred ())
    return NULL;
  if (self->call && self->depth > 0 && self->owner == ident)
    zf_user_cancel (self->call->h);
  Py_RETURN_NONE;
}

static PyType_Slot slots[] = {
  { Py_tp_new, handle_new },
  { Py_tp_dealloc, handle_dealloc },
  { Py_tp_traverse, handle_traverse },
  { Py_tp_clear, handle_clear },
  { Py_tp_methods, handle_methods },
  { 0, NULL }
};

PyType_Spec handle_spec = {
  .name = "zerofish._zerofish.Handle",
  .basicsize = sizeof (struct handle),
  .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
  .slots = slots,
};
