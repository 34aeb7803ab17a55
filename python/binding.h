/* What the parts of the Python extension share: the handle object, one running call, and conversions.
 *
 * Only the limited API of CPython 3.11 is used.  CPython 3.9 and 3.10 have all of it too, but do not
 * count the buffer protocol as limited; a build for those serves that one version.
 *
 * Locks, in the order in which they may be taken: the handle's, then the interpreter's; whoever waits for
 * the first gives up the second.  The library is only ever entered with the handle's lock and without the
 * interpreter's, and its callbacks take the interpreter's back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#ifndef ZEROFISH_BINDING_H
#define ZEROFISH_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

#include "zerofish.h"

/* What belongs to one module object. */
struct module_state {
  PyObject *handle_type;
  PyObject *error;          /* zerofish.Error */
  PyObject *closed;         /* zerofish.ClosedHandle */
};

struct call;

/* An object of type zerofish._zerofish.Handle.  Everything in it belongs to the interpreter's lock. */
struct handle {
  PyObject_HEAD
  zf_handle *h;             /* NULL: closed */
  PyThread_type_lock lock;  /* held by the thread whose call runs */
  unsigned long owner;      /* that thread, while depth is not 0 */
  unsigned depth;           /* 2 and more: calls from inside callbacks */
  struct call *call;        /* the innermost one */
  PyObject *callbacks;      /* dict: event handle to (function, events) */
  struct module_state *state;
};

/* One call of a method.  The arg_ functions take the arguments in turn; after a failure they do nothing,
 * so that only call_enter looks for one. */
struct call {
  const char *name;
  struct handle *self;
  PyObject *const *args;
  Py_ssize_t nr_args, next;
  bool failed;              /* a Python exception is set */

  /* What the C arguments point into. */
  PyObject *kept;           /* list, or NULL */
  Py_buffer view;           /* view.obj is NULL: none */

  zf_handle *h;             /* after call_enter */
  PyThreadState *thread;    /* while the interpreter's lock is given up */
  struct call *outer;

  char *message;            /* of the library's error; PyMem memory, or NULL */
  int err;
  PyObject *raised[3];      /* what a signal or callback raised that must end the call */
  PyObject *data;           /* bytearray that a buffer result is read into, or NULL */
};

/* --- call.c --- */

/* Begin a call with its arguments. */
extern void call_init (struct call *c, const char *name, PyObject *self, PyObject *const *args,
                       Py_ssize_t nr);
/* All arguments are taken: lock the handle and give up the interpreter's lock.  False with an exception
 * set. */
extern bool call_enter (struct call *c);
/* Undo call_enter.  OK is false if the library reported an error. */
extern void call_leave (struct call *c, bool ok);
/* Free what the call holds.  RESULT, or NULL with the exception set that is due.  RESULT may be NULL. */
extern PyObject *call_end (struct call *c, PyObject *result);
/* Keep the exception that is set, to be raised when the call ends, and ask the call to end. */
extern void call_interrupt (struct call *c);

/* --- handle.c --- */

extern PyType_Spec handle_spec;

#define METHOD(NAME) extern PyObject *py_##NAME (PyObject *self, PyObject *const *args, Py_ssize_t nr)
METHOD (close);
METHOD (close_at_exit);
METHOD (user_cancel);
METHOD (cancel_thread);
METHOD (is_closed);
METHOD (is_idle);
/* events.c */
METHOD (set_event_callback);
METHOD (delete_event_callback);

#define METHOD_ROW(NAME) { #NAME, (PyCFunction) (void (*) (void)) py_##NAME, METH_FASTCALL, NULL }
#define METHODS_BY_HAND \
  METHOD_ROW (close), METHOD_ROW (close_at_exit), METHOD_ROW (user_cancel), METHOD_ROW (cancel_thread), \
  METHOD_ROW (is_closed), METHOD_ROW (is_idle), \
  METHOD_ROW (set_event_callback), METHOD_ROW (delete_event_callback)

/* All methods: generated. */
extern PyMethodDef handle_methods[];

/* Take and release the handle's lock; the interpreter's is given up meanwhile.  False: a signal's handler
 * raised an exception. */
extern bool handle_lock (struct handle *self);
extern void handle_unlock (struct handle *self);

/* --- args.c --- */

/* Is the next (optional) argument given?  If not it is skipped. */
extern bool arg_given (struct call *c);
/* str, bytes or a path, without zero bytes.  Local names are encoded as the filesystem's, all else as
 * UTF-8. */
extern const char *arg_text (struct call *c, const char *name);
extern const char *arg_filename (struct call *c, const char *name);
extern int arg_int (struct call *c, const char *name);
extern int64_t arg_int64 (struct call *c, const char *name);
extern int arg_bool (struct call *c, const char *name);
/* The caller's memory itself, which cannot be resized until call_end.  At most one a call. */
extern const void *arg_buffer (struct call *c, const char *name, size_t *size);
/* The same for a result: it must be writable. */
extern void *arg_writable (struct call *c, const char *name, size_t *size);
extern char *const *arg_list (struct call *c, const char *name);

/* --- results.c: each takes over what it is given; NULL with an exception set without memory --- */

extern PyObject *result_none (void);
extern PyObject *result_text (char *s);
extern PyObject *result_list (char **list);
/* A list of pairs; the class makes a dict of it if the user wants that. */
extern PyObject *result_hash (char **list);
/* The bytearray that the call read into, or, if P is not its memory, a copy. */
extern PyObject *result_buffer (struct call *c, char *p, size_t size);

/* Fields of structs. */
extern PyObject *text_object (const char *s);
extern PyObject *char_object (char c);

#endif /* ZEROFISH_BINDING_H */
