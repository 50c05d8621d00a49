// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The table of adapters, and how they read their arguments.

#include "adapters.h"

#include <string.h>

const core_adapter_t core_adapters[] = {
#define FORWARD(module, name, target, signature) \
  {module, #name, signature, target, NULL, NULL, false},
#define CASTING(module, name, target, signature) \
  {module, #name, signature, target, NULL, NULL, true},
#define ADAPTER(module, name, target, signature, function) \
  {module, #name, signature, target, NULL, function, false},
#define DOCUMENTED(module, name, doc, signature, function) \
  {module, #name, signature, NULL, doc, function, false},
#include "adapters.def"
#undef FORWARD
#undef CASTING
#undef ADAPTER
#undef DOCUMENTED
};
const size_t core_adapter_count = sizeof core_adapters / sizeof *core_adapters;

const core_alias_t core_aliases[] = {
#define ALIAS(name, target) {#name, #target},
#define KEYWORD(function, name, parameter)
#include "aliases.def"
#undef ALIAS
#undef KEYWORD
};
const size_t core_alias_count = sizeof core_aliases / sizeof *core_aliases;

const core_keyword_t core_keywords[] = {
#define ALIAS(name, target)
#define KEYWORD(function, name, parameter) {#function, #name, #parameter},
#include "aliases.def"
#undef ALIAS
#undef KEYWORD
};
const size_t core_keyword_count = sizeof core_keywords / sizeof *core_keywords;

const char* const core_hidden[] = {"split_at",    "slice_at",       "slice_update_at",
                                   "random_bits", "random_permute", "random_categorical_samples"};
const size_t core_hidden_count = sizeof core_hidden / sizeof *core_hidden;

bool core_integer_from(PyObject* object, int64_t* out_integer) {
  PyObject* index = PyNumber_Index(object);
  if (!index) return false;
  *out_integer = PyLong_AsLongLong(index);
  Py_DECREF(index);
  return *out_integer != -1 || !PyErr_Occurred();
}

bool core_integers_from(PyObject* object, size_t* out_count, int64_t* out_integers) {
  *out_count = 1;
  if (core_is_integer(object)) {
    return core_integer_from(object, out_integers);
  }
  PyObject* list = PySequence_Tuple(object);
  if (!list) return false;
  *out_count = (size_t)PyTuple_Size(list);
  bool is_done = *out_count <= TN_MAX_RANK;
  if (!is_done) {
    PyErr_Format(PyExc_ValueError, "%zu integers; at most %d are supported", *out_count,
                 TN_MAX_RANK);
  }
  for (size_t i = 0; is_done && i < *out_count; ++i) {
    is_done = core_integer_from(PyTuple_GetItem(list, (Py_ssize_t)i), &out_integers[i]);
  }
  Py_DECREF(list);
  return is_done;
}

PyObject* core_integers(size_t count, const int64_t* integers) {
  PyObject* tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; tuple && i < count; ++i) {
    PyObject* integer = PyLong_FromLongLong(integers[i]);
    if (integer) {
      PyTuple_SetItem(tuple, (Py_ssize_t)i, integer);
    } else {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

bool core_dtype_or(PyObject* object, tn_dtype_t otherwise, tn_dtype_t* out_dtype) {
  *out_dtype = otherwise;
  return !object || core_dtype_from(object, out_dtype);
}

int core_is_true(PyObject* object) {
  return object ? PyObject_IsTrue(object) : 0;
}

bool core_choose(PyObject* object, const char* name, const char* first, const char* second,
                 bool* out_is_second) {
  *out_is_second = false;
  const char* text = NULL;
  if (object && !(text = PyUnicode_AsUTF8AndSize(object, NULL))) return false;
  *out_is_second = text && strcmp(text, second) == 0;
  if (!text || *out_is_second || strcmp(text, first) == 0) return true;
  PyErr_Format(PyExc_ValueError, "%s: expected '%s' or '%s'; found %R", name, first, second,
               object);
  return false;
}
