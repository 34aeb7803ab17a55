/* The extension module zerofish._zerofish: its type and its exceptions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "binding.h"

/* Take over O, a new reference or NULL, as an attribute.  -1 with an exception set. */
static int
add (PyObject *module, const char *name, PyObject *o)
{
  return o ? PyObject_SetAttrString (module, name, o) : -1;
}

static int
module_exec (PyObject *module)
{
  struct module_state *state = PyModule_GetState (module);
  PyObject *fields = Py_BuildValue ("{s:i}", "errno", 0);

  if (fields)
    state->error = PyErr_NewExceptionWithDoc ("zerofish.Error", "A call failed; errno says why.",
                                              PyExc_RuntimeError, fields);
  Py_XDECREF (fields);
  state->closed = PyErr_NewExceptionWithDoc ("zerofish.ClosedHandle",
                                             "A method was called on a closed handle.", PyExc_ValueError,
                                             NULL);
  state->handle_type = PyType_FromModuleAndSpec (module, &handle_spec, NULL);
  if (add (module, "Error", state->error) == -1 || add (module, "ClosedHandle", state->closed) == -1)
    return -1;
  return add (module, "Handle", state->handle_type);
}

static int
module_traverse (PyObject *module, visitproc visit, void *arg)
{
  struct module_state *state = PyModule_GetState (module);

  Py_VISIT (state->handle_type);
  Py_VISIT (state->error);
  Py_VISIT (state->closed);
  return 0;
}

static int
module_clear (PyObject *module)
{
  struct module_state *state = PyModule_GetState (module);

  Py_CLEAR (state->handle_type);
  Py_CLEAR (state->error);
  Py_CLEAR (state->closed);
  return 0;
}

static void
module_free (void *module)
{
  module_clear (module);
}

static PyModuleDef_Slot slots[] = {
  { Py_mod_exec, module_exec },
  { 0, NULL }
};

static struct PyModuleDef definition = {
  .m_base = PyModuleDef_HEAD_INIT,
  .m_name = "_zerofish",
  .m_size = sizeof (struct module_state),
  .m_slots = slots,
  .m_traverse = module_traverse,
  .m_clear = module_clear,
  .m_free = module_free,
};

PyMODINIT_FUNC PyInit__zerofish (void);

PyMODINIT_FUNC
PyInit__zerofish (void)
{
  return PyModuleDef_Init (&definition);
}
