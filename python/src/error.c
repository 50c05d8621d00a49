// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <string.h>

#include "core.h"

enum { MAX_NAMES = 64 };

// Exceptions of more than one class: what mlx.core raises, and what Python calls it.
typedef enum error { OUT_OF_RANGE, NOT_FOUND, DEADLINE_EXCEEDED, ERROR_COUNT } error_t;
static PyObject* errors[ERROR_COUNT];

static bool add_error(PyObject* module, error_t error, const char* name, const char* doc,
                      PyObject* first, PyObject* second) {
  char full[64];
  snprintf(full, sizeof full, "tenon.core.%s", name);
  PyObject* bases = PyTuple_Pack(2, first, second);
  errors[error] = bases ? PyErr_NewExceptionWithDoc(full, doc, bases, NULL) : NULL;
  Py_XDECREF(bases);
  return errors[error] && PyModule_AddObjectRef(module, name, errors[error]) == 0;
}

bool core_add_errors(PyObject* module) {
  return add_error(module, OUT_OF_RANGE, "OutOfRangeError", "An index or an axis is out of range.",
                   PyExc_ValueError, PyExc_IndexError) &&
         add_error(module, NOT_FOUND, "NotFoundError",
                   "There is no such file, library, target or function of a program.",
                   PyExc_FileNotFoundError, PyExc_LookupError) &&
         add_error(module, DEADLINE_EXCEEDED, "DeadlineExceededError",
                   "A run took longer than its time limit.", PyExc_TimeoutError,
                   PyExc_RuntimeError);
}

static PyObject* exception_of(tn_code_t code) {
  switch (code) {
    case TN_CODE_INVALID_ARGUMENT:
    case TN_CODE_ALREADY_EXISTS: return PyExc_ValueError;
    case TN_CODE_OUT_OF_RANGE: return errors[OUT_OF_RANGE];
    case TN_CODE_UNIMPLEMENTED: return PyExc_NotImplementedError;
    case TN_CODE_RESOURCE_EXHAUSTED: return PyExc_MemoryError;
    case TN_CODE_NOT_FOUND: return errors[NOT_FOUND];
    case TN_CODE_DEADLINE_EXCEEDED: return errors[DEADLINE_EXCEEDED];
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
