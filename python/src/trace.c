// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of Python under a transform, and what transforms make of them.

#include <string.h>

#include "core.h"

static _Thread_local size_t depth;    // traces that have begun on this thread
static _Thread_local PyObject* kept;  // a list, until the outermost ends

bool core_is_tracing(void) {
  return depth != 0;
}

size_t core_trace_depth(void) {
  return depth;
}

bool core_trace_keep(PyObject* object) {
  if (!kept) kept = PyList_New(0);
  return kept && PyList_Append(kept, object) == 0;
}

bool core_trace_begin(core_trace_t* trace, tn_trace_kind_t kind, const int64_t* in_axes) {
  core_call_t call;
  const size_t count = trace->inputs.count;
  tn_array_t** tracers = PyMem_Calloc(count ? count : 1, sizeof(tn_array_t*));
  if (!tracers) {
    PyErr_NoMemory();
    return false;
  }
  if (!core_begin(&call, NULL)) {
    PyMem_Free(tracers);
    return false;
  }
  tn_status_t status = tn_trace_begin(call.scope, kind, count, trace->inputs.values, in_axes,
                                      &trace->trace, tracers);
  if (!status) ++depth;
  if (core_check(status)) trace->tracers = core_objects_of(count, tracers);
  core_end(&call);
  PyMem_Free(tracers);
  return trace->tracers != NULL;
}

void core_trace_end(core_trace_t* trace) {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Py_CLEAR(trace->tracers);
  core_leaves_clear(&trace->inputs);
  if (trace->trace) {
    tn_trace_end(trace->trace);
    if (--depth == 0) Py_CLEAR(kept);
  }
  trace->trace = NULL;
  PyErr_Restore(type, value, traceback);
}

static PyObject* find_original(void* originals, PyObject* leaf) {
  PyObject* original = core_is_array(leaf) ? PyDict_GetItemWithError(originals, leaf) : NULL;
  if (!original && PyErr_Occurred()) return NULL;
  return Py_NewRef(original ? original : leaf);
}

bool core_trace_restore(const core_trace_t* trace, PyObject* tree) {
  PyObject* originals = PyDict_New();
  bool is_done = originals != NULL;
  for (size_t i = 0; is_done && i < trace->inputs.count; ++i) {
    is_done = PyDict_SetItem(originals, PyList_GetItem(trace->tracers, (Py_ssize_t)i),
                             trace->inputs.objects[i]) == 0;
  }
  PyObject* restored = is_done ? core_tree_update(tree, find_original, originals) : NULL;
  Py_XDECREF(restored);
  Py_XDECREF(originals);
  return restored != NULL;
}

// --- what transforms make of functions

static PyTypeObject* transformed_type;

static PyObject* call_transformed(PyObject* self, PyObject* arguments, PyObject* keywords) {
  core_transformed_t* transformed = (core_transformed_t*)self;
  return transformed->call(transformed, arguments, keywords);
}

static int traverse(PyObject* self, visitproc visit, void* arg) {
  core_transformed_t* transformed = (core_transformed_t*)self;
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(transformed->function);
  Py_VISIT(transformed->data);
  return 0;
}

static int clear(PyObject* self) {
  core_transformed_t* transformed = (core_transformed_t*)self;
  Py_CLEAR(transformed->function);
  Py_CLEAR(transformed->data);
  return 0;
}

static void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  clear(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// Of the function.
static PyObject* get_attribute(PyObject* self, void* name) {
  return PyObject_GetAttrString(((core_transformed_t*)self)->function, name);
}

static PyObject* get_wrapped(PyObject* self, void* unused) {
  (void)unused;
  return Py_NewRef(((core_transformed_t*)self)->function);
}

static PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<tenon.core function of %R>", ((core_transformed_t*)self)->function);
}

static PyGetSetDef attributes[] = {
    {"__name__", get_attribute, NULL, NULL, "__name__"},
    {"__qualname__", get_attribute, NULL, NULL, "__qualname__"},
    {"__doc__", get_attribute, NULL, NULL, "__doc__"},
    {"__wrapped__", get_wrapped, NULL, "The function.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

bool core_add_transformed(PyObject* module) {
  (void)module;
  PyType_Slot slots[] = {CORE_SLOT(Py_tp_call, call_transformed),
                         CORE_SLOT(Py_tp_traverse, traverse),
                         CORE_SLOT(Py_tp_clear, clear),
                         CORE_SLOT(Py_tp_dealloc, dealloc),
                         CORE_SLOT(Py_tp_repr, repr),
                         {Py_tp_getset, attributes},
                         {0, NULL}};
  PyType_Spec spec = {
      .name = "tenon.core.TransformedFunction",
      .basicsize = sizeof(core_transformed_t),
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
      .slots = slots};
  transformed_type = (PyTypeObject*)PyType_FromSpec(&spec);
  return transformed_type != NULL;
}

PyObject* core_transformed_new(const char* name, core_call_fn call, PyObject* function,
                               PyObject* data) {
  if (!PyCallable_Check(function)) {
    PyErr_Format(PyExc_TypeError, "%s(): expected a function; found %R", name, function);
    return NULL;
  }
  core_transformed_t* transformed = PyObject_GC_New(core_transformed_t, transformed_type);
  if (!transformed) return NULL;
  transformed->call = call;
  transformed->function = Py_NewRef(function);
  transformed->data = Py_XNewRef(data);
  PyObject_GC_Track(transformed);
  return (PyObject*)transformed;
}
