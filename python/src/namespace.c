// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// __array_namespace_info__: what the array API asks of a namespace.

#include <string.h>

#include "core.h"

static PyTypeObject* type;

// --- dtypes

static const tn_dtype_t dtypes[] = {
    TN_DTYPE_PRED, TN_DTYPE_S8,  TN_DTYPE_S16, TN_DTYPE_S32, TN_DTYPE_S64, TN_DTYPE_U8,
    TN_DTYPE_U16,  TN_DTYPE_U32, TN_DTYPE_U64, TN_DTYPE_F32, TN_DTYPE_F64, TN_DTYPE_C64,
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

static bool set_dtype(PyObject* dict, const char* name, tn_dtype_t dtype) {
  PyObject* object = core_dtype_object(dtype);
  const bool is_set = object && PyDict_SetItemString(dict, name, object) == 0;
  Py_XDECREF(object);
  return is_set;
}

// 1: of the kind, 0: not, -1: there is no such kind.
static int is_of_kind(tn_dtype_t dtype, PyObject* kind) {
  static const char* const kinds[] = {"bool",     "signed integer", "unsigned integer",
                                      "integral", "real floating",  "complex floating",
                                      "numeric"};
  const char* text = PyUnicode_Check(kind) ? PyUnicode_AsUTF8AndSize(kind, NULL) : NULL;
  for (size_t i = 0; text && i < sizeof kinds / sizeof *kinds; ++i) {
    if (strcmp(text, kinds[i]) == 0) return tn_isdtype(dtype, text);
  }
  if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "there is no kind of dtypes %R", kind);
  return -1;
}

static int is_of_kinds(tn_dtype_t dtype, PyObject* kinds) {
  int is_one = 0;
  if (kinds == Py_None) return 1;
  if (!PyTuple_Check(kinds)) return is_of_kind(dtype, kinds);
  const Py_ssize_t count = PyTuple_Size(kinds);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const int is_this = is_of_kind(dtype, PyTuple_GetItem(kinds, i));
    if (is_this < 0) return -1;
    is_one |= is_this;
  }
  return is_one;
}

static PyObject* info_dtypes(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"device", "kind", NULL};
  PyObject *device = Py_None, *kind = Py_None;
  (void)self;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$OO:dtypes", names, &device, &kind)) {
    return NULL;
  }
  PyObject* all = PyDict_New();
  for (size_t i = 0; all && i < DTYPE_COUNT; ++i) {
    const int is_wanted = is_of_kinds(dtypes[i], kind);
    if (is_wanted < 0 ||
        (is_wanted && !set_dtype(all, tn_dtype_numpy_name(dtypes[i]), dtypes[i]))) {
      Py_CLEAR(all);
    }
  }
  return all;
}

static PyObject* info_default_dtypes(PyObject* self, PyObject* arguments, PyObject* keywords) {
  static char* names[] = {"device", NULL};
  PyObject* device = Py_None;
  (void)self;
  if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$O:default_dtypes", names, &device)) {
    return NULL;
  }
  PyObject* all = PyDict_New();
  if (all && set_dtype(all, "real floating", TN_DTYPE_F32) &&
      set_dtype(all, "complex floating", TN_DTYPE_C64) &&
      set_dtype(all, "integral", TN_DTYPE_S32) && set_dtype(all, "indexing", TN_DTYPE_S32)) {
    return all;
  }
  Py_XDECREF(all);
  return NULL;
}

// --- the rest

static PyObject* info_capabilities(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return Py_BuildValue("{s:O,s:O,s:i}", "boolean indexing", Py_True, "data-dependent shapes",
                       Py_True, "max dimensions", (int)TN_MAX_RANK);
}

static PyObject* call_core(const char* name, PyObject* argument) {
  PyObject* core = PyImport_ImportModule("tenon.core");
  PyObject* result = !core      ? NULL
                     : argument ? PyObject_CallMethod(core, name, "O", argument)
                                : PyObject_CallMethod(core, name, NULL);
  Py_XDECREF(core);
  return result;
}

static PyObject* info_default_device(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  return call_core("default_device", NULL);
}

// Devices of a type, at the end of a list.
static bool append_devices(PyObject* list, PyObject* core, const char* name) {
  PyObject* kind = PyObject_GetAttrString(core, name);
  PyObject* count = kind ? call_core("device_count", kind) : NULL;
  const long limit = count ? PyLong_AsLong(count) : -1;
  bool is_done = limit >= 0;
  for (int i = 0; is_done && i < limit; ++i) {
    PyObject* device = PyObject_CallMethod(core, "Device", "Oi", kind, i);
    is_done = device && PyList_Append(list, device) == 0;
    Py_XDECREF(device);
  }
  Py_XDECREF(count);
  Py_XDECREF(kind);
  return is_done;
}

static PyObject* info_devices(PyObject* self, PyObject* unused) {
  (void)self;
  (void)unused;
  PyObject* core = PyImport_ImportModule("tenon.core");
  PyObject* list = core ? PyList_New(0) : NULL;
  PyObject* devices = list && append_devices(list, core, "cpu") && append_devices(list, core, "gpu")
                          ? PyList_AsTuple(list)
                          : NULL;
  Py_XDECREF(list);
  Py_XDECREF(core);
  return devices;
}

static PyMethodDef methods[] = {
    {"capabilities", info_capabilities, METH_NOARGS,
     "capabilities($self, /)\n--\n\nWhat arrays of this namespace can do, a dict."},
    {"default_device", info_default_device, METH_NOARGS,
     "default_device($self, /)\n--\n\nThe default device."},
    {"default_dtypes", (PyCFunction)(void (*)(void))info_default_dtypes,
     METH_VARARGS | METH_KEYWORDS,
     "default_dtypes($self, /, *, device=None)\n--\n\nThe dtypes of arrays that are made without "
     "one, a dict."},
    {"devices", info_devices, METH_NOARGS, "devices($self, /)\n--\n\nAll devices, a tuple."},
    {"dtypes", (PyCFunction)(void (*)(void))info_dtypes, METH_VARARGS | METH_KEYWORDS,
     "dtypes($self, /, *, device=None, kind=None)\n--\n\nThe dtypes of the array API by their "
     "names, all of them or those of a kind, or of a tuple of kinds."},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    {Py_tp_doc, "What the array API asks of a namespace."},
    CORE_SLOT(Py_tp_methods, methods),
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "tenon.core.ArrayNamespaceInfo",
    .basicsize = sizeof(PyObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyObject* namespace_info(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyObject_New(PyObject, type);
}

static PyMethodDef functions[] = {
    {"__array_namespace_info__", namespace_info, METH_NOARGS,
     "__array_namespace_info__()\n--\n\nWhat the array API asks of this namespace."},
    {NULL, NULL, 0, NULL},
};

bool core_add_namespace(PyObject* module) {
  type = (PyTypeObject*)PyType_FromSpec(&spec);
  return type && PyModule_AddFunctions(module, functions) == 0;
}
