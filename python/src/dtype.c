// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>

#include "core.h"

static PyTypeObject* type;
static PyObject* objects[TN_DTYPE_LIMIT];

// The module that dtypes say they belong to: mlx.core where tenon.core takes its place, since code
// reads their texts.
static PyObject* module_name;  // owned

static PyObject* dtype_repr(PyObject* self) {
  return PyUnicode_FromFormat("%U.%s", module_name,
                              tn_dtype_numpy_name(((core_dtype_t*)self)->value));
}

static PyObject* name_dtypes(PyObject* module, PyObject* name) {
  (void)module;
  if (!PyUnicode_Check(name)) {
    return PyErr_Format(PyExc_TypeError, "expected the name of a module; found %R", name);
  }
  PyObject* before = module_name;
  module_name = Py_NewRef(name);
  Py_DECREF(before);
  return Py_NewRef(Py_None);
}

static PyObject* dtype_size(PyObject* self, void* unused) {
  (void)unused;
  return PyLong_FromSize_t(tn_dtype_byte_size(((core_dtype_t*)self)->value));
}

static PyObject* dtype_name(PyObject* self, void* unused) {
  (void)unused;
  return PyUnicode_FromString(tn_dtype_numpy_name(((core_dtype_t*)self)->value));
}

// bool and the names of types are no names in a module.
static const char* attribute_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_PRED ? "bool_" : tn_dtype_numpy_name(dtype);
}

// Copies and pickles are the same object: the name of a module's attribute says so.
static PyObject* dtype_reduce(PyObject* self, PyObject* unused) {
  (void)unused;
  return PyUnicode_FromString(attribute_of(((core_dtype_t*)self)->value));
}

static PyGetSetDef members[] = {
    {"size", dtype_size, NULL, "The bytes of an element.", NULL},
    {"name", dtype_name, NULL, "The name in NumPy or ml_dtypes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
static PyMethodDef methods[] = {
    {"__reduce__", dtype_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};
static PyType_Slot slots[] = {
    CORE_SLOT(Py_tp_repr, dtype_repr),
    CORE_SLOT(Py_tp_getset, members),
    CORE_SLOT(Py_tp_methods, methods),
    {Py_tp_doc, "The type of an array's elements."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "tenon.core.Dtype",
    .basicsize = sizeof(core_dtype_t),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

static PyMethodDef functions[] = {
    {"_name_dtypes", name_dtypes, METH_O,
     "_name_dtypes(module_name)\n--\n\nThe module in the text of dtypes. For tenon.mlx."},
    {NULL, NULL, 0, NULL},
};

bool core_add_dtypes(PyObject* module) {
  module_name = PyUnicode_FromString("tenon.core");
  type = module_name ? (PyTypeObject*)PyType_FromSpec(&spec) : NULL;
  if (!type || PyModule_AddType(module, type) < 0 || PyModule_AddFunctions(module, functions) < 0) {
    return false;
  }
  for (int dtype = 1; dtype < TN_DTYPE_LIMIT; ++dtype) {
    if (!tn_dtype_is_valid(dtype) || !*tn_dtype_numpy_name((tn_dtype_t)dtype)) continue;
    core_dtype_t* object = PyObject_New(core_dtype_t, type);
    if (!object) return false;
    object->value = (tn_dtype_t)dtype;
    objects[dtype] = (PyObject*)object;
    if (PyModule_AddObjectRef(module, attribute_of(object->value), objects[dtype]) < 0) {
      return false;
    }
  }
  return true;
}

PyObject* core_dtype_object(tn_dtype_t dtype) {
  if (objects[dtype]) return Py_NewRef(objects[dtype]);
  PyErr_Format(PyExc_TypeError, "elements of type %s have no dtype", tn_dtype_name(dtype));
  return NULL;
}

bool core_is_dtype(PyObject* object) {
  return Py_TYPE(object) == type;
}

static tn_dtype_t from_name(PyObject* name) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8AndSize(name, &length) : NULL;
  if (!text) PyErr_Clear();
  return text ? tn_dtype_from_name(text, (size_t)length) : TN_DTYPE_INVALID;
}

// A dtype of NumPy has a name; its scalar types (numpy.float32, ml_dtypes.bfloat16) have __name__.
static tn_dtype_t from_numpy(PyObject* object) {
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  PyObject* name = PyObject_GetAttrString(object, PyType_Check(object) ? "__name__" : "name");
  if (name) {
    dtype = from_name(name);
    Py_DECREF(name);
  } else {
    PyErr_Clear();
  }
  return dtype;
}

bool core_dtype_from(PyObject* object, tn_dtype_t* out_dtype) {
  if (core_is_dtype(object)) {
    *out_dtype = ((core_dtype_t*)object)->value;
    return true;
  }
  *out_dtype = PyUnicode_Check(object) ? from_name(object) : from_numpy(object);
  if (*out_dtype != TN_DTYPE_INVALID && objects[*out_dtype]) return true;
  PyErr_Format(PyExc_TypeError, "expected a dtype such as tenon.core.float32; found %R", object);
  return false;
}
