// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The module tenon.core.distributed for one process: a group of one, in which sums and gathers of
// all members are the array itself.

#include "core.h"

static PyTypeObject* group_type;

static PyObject* group_rank(PyObject* self, PyObject* unused) {
  (void)self, (void)unused;
  return PyLong_FromLong(0);
}

static PyObject* group_size(PyObject* self, PyObject* unused) {
  (void)self, (void)unused;
  return PyLong_FromLong(1);
}

static PyObject* group_split(PyObject* self, PyObject* arguments) {
  (void)self, (void)arguments;
  PyErr_SetString(PyExc_RuntimeError, "Cannot split a group of one process.");
  return NULL;
}

static PyMethodDef group_methods[] = {
    {"rank", group_rank, METH_NOARGS, "rank($self, /)\n--\n\nThe number of this process: 0."},
    {"size", group_size, METH_NOARGS, "size($self, /)\n--\n\nThe number of processes: 1."},
    {"split", group_split, METH_VARARGS,
     "split($self, color, key=-1)\n--\n\nRaises RuntimeError: a group of one has no parts."},
    {NULL, NULL, 0, NULL},
};

static PyObject* is_available(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"backend", NULL};
  PyObject* backend = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|U:is_available", names, &backend)) {
    return NULL;
  }
  return Py_NewRef(Py_False);
}

static PyObject* init(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"strict", "backend", "all_gather_factory", NULL};
  int is_strict = 0;
  PyObject *backend = NULL, *factory = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|pU$O:init", names, &is_strict, &backend,
                                   &factory)) {
    return NULL;
  }
  if (is_strict) {
    PyErr_SetString(PyExc_RuntimeError,
                    "distributed: there is no backend for more than one process");
    return NULL;
  }
  return PyType_GenericAlloc(group_type, 0);
}

// What a group of one makes of an array.
static PyObject* keep(PyObject* module, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"x", "group", "stream", NULL};
  PyObject *x = NULL, *group = NULL, *stream = NULL, *result = NULL;
  core_call_t call;
  tn_array_t* array = NULL;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OO", names, &x, &group, &stream) ||
      !core_begin(&call, stream)) {
    return NULL;
  }
  if (core_convert(&call, x, TN_DTYPE_INVALID, &array)) result = core_array_object(array);
  core_end(&call);
  return result;
}

static PyObject* refuse(PyObject* module, PyObject* arguments, PyObject* keywords) {
  (void)module, (void)arguments, (void)keywords;
  PyErr_SetString(PyExc_ValueError, "distributed: a group of one has no other process");
  return NULL;
}

#define WITH_KEYWORDS(function) \
  (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
#define OF_ALL(name, text) \
  { #name, WITH_KEYWORDS(keep), #name "(x, *, group=None, stream=None)\n--\n\n" text }

static PyMethodDef functions[] = {
    {"is_available", WITH_KEYWORDS(is_available),
     "is_available(backend='any')\n--\n\nWhether there can be more than one process: False."},
    {"init", WITH_KEYWORDS(init),
     "init(strict=False, backend='any', *, all_gather_factory=None)\n--\n\n"
     "The group of this process alone; `strict`: RuntimeError."},
    OF_ALL(all_sum, "The sum over all processes: the array."),
    OF_ALL(all_max, "The maximum over all processes: the array."),
    OF_ALL(all_min, "The minimum over all processes: the array."),
    OF_ALL(all_gather, "The arrays of all processes: the array."),
    OF_ALL(sum_scatter, "The part of the sum for this process: the array."),
    {"send", WITH_KEYWORDS(refuse),
     "send(x, dst, *, group=None, stream=None)\n--\n\nRaises ValueError."},
    {"recv", WITH_KEYWORDS(refuse),
     "recv(shape, dtype, src, *, group=None, stream=None)\n--\n\nRaises ValueError."},
    {"recv_like", WITH_KEYWORDS(refuse),
     "recv_like(x, src, *, group=None, stream=None)\n--\n\nRaises ValueError."},
    {NULL, NULL, 0, NULL},
};

static bool add_group(PyObject* module) {
  PyType_Slot slots[] = {{Py_tp_methods, group_methods}, {0, NULL}};
  PyType_Spec spec = {.name = "tenon.core.distributed.Group",
                      .basicsize = sizeof(PyObject),
                      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      .slots = slots};
  group_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return group_type && PyModule_AddObjectRef(module, "Group", (PyObject*)group_type) == 0;
}

bool core_add_distributed(PyObject* core) {
  PyObject* module = PyImport_AddModule("tenon.core.distributed");  // borrowed
  return module && add_group(module) && PyModule_AddFunctions(module, functions) == 0 &&
         PyModule_AddObjectRef(core, "distributed", module) == 0;
}
