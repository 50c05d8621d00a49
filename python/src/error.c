// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>

#include "core.h"

enum { MAX_NAMES = 64 };

// An index or an axis that is out of range: an IndexError for those who index, and a ValueError as
// in mlx.core.
static PyObject* out_of_range;

bool core_add_errors(PyObject* module) {
  PyObject* bases = PyTuple_Pack(2, PyExc_ValueError, PyExc_IndexError);
  out_of_range =
      bases ? PyErr_NewExceptionWithDoc("tenon.core.OutOfRangeError",
                                        "An index or an axis is out of range.", bases, NULL)
            : NULL;
  Py_XDECREF(bases);
  return out_of_range && PyModule_AddObjectRef(module, "OutOfRangeError", out_of_range) == 0;
}

static PyObject* exception_of(tn_code_t code) {
  switch (code) {
    case TN_CODE_INVALID_ARGUMENT:
    case TN_CODE_ALREADY_EXISTS: return PyExc_ValueError;
    case TN_CODE_OUT_OF_RANGE: return out_of_range;
    case TN_CODE_UNIMPLEMENTED: return PyExc_NotImplementedError;
    case TN_CODE_RESOURCE_EXHAUSTED: return PyExc_MemoryError;
    case TN_CODE_NOT_FOUND: return PyExc_FileNotFoundError;
    case TN_CODE_PERMISSION_DENIED: return PyExc_PermissionError;
    default: return PyExc_RuntimeError;
  }
}

PyObject* core_raise(tn_status_t status) {
  static const char prefix[] = "error: ";
  if (PyErr_Occurred()) {  // raised by a function of Python that the work has called
    tn_status_release(status);
    return NULL;
  }
  PyObject* exception = exception_of(tn_status_code(status));
  const size_t length = tn_status_format(status, NULL, 0);
  char* text = PyMem_Malloc(length + 1);
  if (text) {
    tn_status_format(status, text, length + 1);
    const bool has_prefix = strncmp(text, prefix, strlen(prefix)) == 0;
    char* end = text + length;
    while (end > text && end[-1] == '\n') *--end = 0;
    PyErr_SetString(exception, has_prefix ? text + strlen(prefix) : text);
    PyMem_Free(text);
  } else {
    PyErr_NoMemory();
  }
  tn_status_release(status);
  return NULL;
}

bool core_check(tn_status_t status) {
  if (status) core_raise(status);
  return !status;
}

PyObject* core_take_type_error(void) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return value;
}

bool core_raise_keyword(const char* function, PyObject* keyword, size_t count,
                        PyObject* const* names, const char* signature) {
  const char* known[MAX_NAMES + 1] = {"stream"};
  size_t known_count = strstr(signature, "stream") != NULL;
  for (size_t i = 0; i < count && i < MAX_NAMES; ++i) {
    if (PyUnicode_Compare(names[i], keyword) == 0) continue;  // for positions only
    known[known_count] = PyUnicode_AsUTF8AndSize(names[i], NULL);
    if (!known[known_count++]) return false;
  }
  const char* text = PyUnicode_AsUTF8AndSize(keyword, NULL);
  if (!text) return false;
  const char* nearest = tn_nearest_name(text, known_count, known);
  PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'%s%s%s; it is %s",
               function, keyword, nearest ? " (did you mean '" : "", nearest ? nearest : "",
               nearest ? "'?)" : "", signature);
  return false;
}

bool core_raise_type(PyObject* exception, const char* format, PyObject* object) {
  PyObject* name = PyType_GetName(Py_TYPE(object));
  if (name) PyErr_Format(exception, format, name);
  Py_XDECREF(name);
  return false;
}
