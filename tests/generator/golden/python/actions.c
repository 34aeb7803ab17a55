/* Methods of the Python extension's handle, one an action.
 * Generated from the action table in generator/; do not edit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 * Copyright (C) 2026 The zerofish authors
 */

#include "binding.h"

/* struct every */
static PyObject *
every_object (const struct zf_every *s)
{
  return Py_BuildValue ("{s:i,s:L,s:N,s:N}", "number", s->number, "big", (long long) s->big, "letter",
                        char_object (s->letter), "text", text_object (s->text));
}

static PyObject *
result_every (struct zf_every *s)
{
  PyObject *r = every_object (s);

  zf_free_every (s);
  return r;
}

static PyObject *
result_every_list (struct zf_every_list *list)
{
  PyObject *r = PyList_New (list->len);

  for (uint32_t i = 0; r && i < list->len; i++) {
    PyObject *o = every_object (&list->val[i]);

    if (o == NULL || PyList_SetItem (r, i, o) == -1)
      Py_CLEAR (r);
  }
  zf_free_every_list (list);
  return r;
}

/* struct small */
static PyObject *
small_object (const struct zf_small *s)
{
  return Py_BuildValue ("{s:L}", "number", (long long) s->number);
}

static PyObject *
result_small (struct zf_small *s)
{
  PyObject *r = small_object (s);

  zf_free_small (s);
  return r;
}

/* all_names: take a name of every kind. */
static PyObject *
py_all_names (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *mountable;
  const char *path;
  const char *place;
  const char *key;
  int r;

  call_init (&c, "all_names", self, args, nr);
  mountable = arg_text (&c, "mountable");
  path = arg_text (&c, "path");
  place = arg_text (&c, "place");
  key = arg_text (&c, "key");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_all_names (c.h, mountable, path, place, key);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? result_none () : NULL);
}

/* all_values: take a value of every type. */
static PyObject *
py_all_values (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *text;
  int number;
  int64_t big;
  int flag;
  const char *device;
  char *const *texts;
  char *const *devices;
  const void *content;
  size_t content_size;
  struct zf_all_values_opts opts = { 0 };
  int r;

  call_init (&c, "all_values", self, args, nr);
  text = arg_text (&c, "text");
  number = arg_int (&c, "number");
  big = arg_int64 (&c, "big");
  flag = arg_bool (&c, "flag");
  device = arg_text (&c, "device");
  texts = arg_list (&c, "texts");
  devices = arg_list (&c, "devices");
  content = arg_buffer (&c, "content", &content_size);
  if (arg_given (&c)) {
    opts.otext = arg_text (&c, "otext");
    opts.bitmask |= ZF_ALL_VALUES_OPTS_OTEXT;
  }
  if (arg_given (&c)) {
    opts.onumber = arg_int (&c, "onumber");
    opts.bitmask |= ZF_ALL_VALUES_OPTS_ONUMBER;
  }
  if (arg_given (&c)) {
    opts.obig = arg_int64 (&c, "obig");
    opts.bitmask |= ZF_ALL_VALUES_OPTS_OBIG;
  }
  if (arg_given (&c)) {
    opts.oflag = arg_bool (&c, "oflag");
    opts.bitmask |= ZF_ALL_VALUES_OPTS_OFLAG;
  }
  if (arg_given (&c)) {
    opts.otexts = (char **) arg_list (&c, "otexts");
    opts.bitmask |= ZF_ALL_VALUES_OPTS_OTEXTS;
  }
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_all_values (c.h, text, number, big, flag, device, texts, devices, content, content_size, &opts);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyBool_FromLong (r) : NULL);
}

/* get_buffer: return a value. */
static PyObject *
py_get_buffer (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int count;
  size_t size_r = 0;
  char *r;

  call_init (&c, "get_buffer", self, args, nr);
  count = arg_int (&c, "count");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_buffer (c.h, count, &size_r);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_buffer (&c, r, size_r) : NULL);
}

/* get_buffer: return a value. */
static PyObject *
py_get_buffer_into (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  void *buf;
  size_t buf_size;
  int64_t r;

  call_init (&c, "get_buffer_into", self, args, nr);
  buf = arg_writable (&c, "buffer", &buf_size);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_buffer_into (c.h, buf, buf_size);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);
}

/* get_device: return a value. */
static PyObject *
py_get_device (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  char *r;

  call_init (&c, "get_device", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_device (c.h);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_text (r) : NULL);
}

/* get_devices: return a value. */
static PyObject *
py_get_devices (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  char *const *devices;
  char **r;

  call_init (&c, "get_devices", self, args, nr);
  devices = arg_list (&c, "devices");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_devices (c.h, devices);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_list (r) : NULL);
}

/* get_file: return a value. */
static PyObject *
py_get_file (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *filename;
  struct zf_get_file_opts opts = { 0 };
  int r;

  call_init (&c, "get_file", self, args, nr);
  filename = arg_filename (&c, "filename");
  if (arg_given (&c)) {
    opts.limit = arg_int64 (&c, "limit");
    opts.bitmask |= ZF_GET_FILE_OPTS_LIMIT;
  }
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_file (c.h, filename, &opts);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? result_none () : NULL);
}

/* get_hash: return a value. */
static PyObject *
py_get_hash (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  char **r;

  call_init (&c, "get_hash", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_hash (c.h);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_hash (r) : NULL);
}

/* get_int: return a value. */
static PyObject *
py_get_int (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int r;

  call_init (&c, "get_int", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLong (r) : NULL);
}

/* get_int64: return a value. */
static PyObject *
py_get_int64 (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *device;
  int64_t r;

  call_init (&c, "get_int64", self, args, nr);
  device = arg_text (&c, "device");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int64 (c.h, device);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);
}

/* get_int64_hex: return a value. */
static PyObject *
py_get_int64_hex (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int64_t r;

  call_init (&c, "get_int64_hex", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int64_hex (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);
}

/* get_int64_human: return a value. */
static PyObject *
py_get_int64_human (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int64_t r;

  call_init (&c, "get_int64_human", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int64_human (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);
}

/* get_int64_octal: return a value. */
static PyObject *
py_get_int64_octal (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int64_t r;

  call_init (&c, "get_int64_octal", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int64_octal (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLongLong (r) : NULL);
}

/* get_int_hex: return a value. */
static PyObject *
py_get_int_hex (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *device;
  int r;

  call_init (&c, "get_int_hex", self, args, nr);
  device = arg_text (&c, "device");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int_hex (c.h, device);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLong (r) : NULL);
}

/* get_int_octal: return a value. */
static PyObject *
py_get_int_octal (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int r;

  call_init (&c, "get_int_octal", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_int_octal (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? PyLong_FromLong (r) : NULL);
}

/* get_string: return a value. */
static PyObject *
py_get_string (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  char *r;

  call_init (&c, "get_string", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_string (c.h);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_text (r) : NULL);
}

/* get_strings: return a value. */
static PyObject *
py_get_strings (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  char **r;

  call_init (&c, "get_strings", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_strings (c.h);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_list (r) : NULL);
}

/* get_struct: return a value. */
static PyObject *
py_get_struct (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  struct zf_every *r;

  call_init (&c, "get_struct", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_struct (c.h);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_every (r) : NULL);
}

/* get_structs: return a value. */
static PyObject *
py_get_structs (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *path;
  struct zf_every_list *r;

  call_init (&c, "get_structs", self, args, nr);
  path = arg_text (&c, "path");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_get_structs (c.h, path);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_every_list (r) : NULL);
}

/* local: work done by the library. */
static PyObject *
py_local (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *filename;
  char *const *texts;
  struct zf_local_opts opts = { 0 };
  struct zf_small *r;

  call_init (&c, "local", self, args, nr);
  filename = arg_filename (&c, "filename");
  texts = arg_list (&c, "texts");
  if (arg_given (&c)) {
    opts.speed = arg_int (&c, "speed");
    opts.bitmask |= ZF_LOCAL_OPTS_SPEED;
  }
  if (arg_given (&c)) {
    opts.label = arg_text (&c, "label");
    opts.bitmask |= ZF_LOCAL_OPTS_LABEL;
  }
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_local (c.h, filename, texts, &opts);
  call_leave (&c, r != NULL);
  return call_end (&c, r ? result_small (r) : NULL);
}

/* only_in_c: return a value. */
static PyObject *
py_only_in_c (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  int r;

  call_init (&c, "only_in_c", self, args, nr);
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_only_in_c (c.h);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? result_none () : NULL);
}

/* send_file: return a value. */
static PyObject *
py_send_file (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *filename;
  const char *path;
  int r;

  call_init (&c, "send_file", self, args, nr);
  filename = arg_filename (&c, "filename");
  path = arg_text (&c, "path");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_send_file (c.h, filename, path);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? result_none () : NULL);
}

/* set_up: work done before the launch. */
static PyObject *
py_set_up (PyObject *self, PyObject *const *args, Py_ssize_t nr)
{
  struct call c;
  const char *filename;
  int r;

  call_init (&c, "set_up", self, args, nr);
  filename = arg_filename (&c, "filename");
  if (!call_enter (&c))
    return call_end (&c, NULL);
  r = zf_set_up (c.h, filename);
  call_leave (&c, r != -1);
  return call_end (&c, r != -1 ? result_none () : NULL);
}

PyMethodDef handle_methods[] = {
  METHODS_BY_HAND,
  METHOD_ROW (all_names),
  METHOD_ROW (all_values),
  METHOD_ROW (get_buffer),
  METHOD_ROW (get_buffer_into),
  METHOD_ROW (get_device),
  METHOD_ROW (get_devices),
  METHOD_ROW (get_file),
  METHOD_ROW (get_hash),
  METHOD_ROW (get_int),
  METHOD_ROW (get_int64),
  METHOD_ROW (get_int64_hex),
  METHOD_ROW (get_int64_human),
  METHOD_ROW (get_int64_octal),
  METHOD_ROW (get_int_hex),
  METHOD_ROW (get_int_octal),
  METHOD_ROW (get_string),
  METHOD_ROW (get_strings),
  METHOD_ROW (get_struct),
  METHOD_ROW (get_structs),
  METHOD_ROW (local),
  METHOD_ROW (only_in_c),
  METHOD_ROW (send_file),
  METHOD_ROW (set_up),
  { NULL, NULL, 0, NULL }
};
