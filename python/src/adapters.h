// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions whose parameters in Python are not those of the table: see adapters.def.
#ifndef TENON_PYTHON_ADAPTERS_H_
#define TENON_PYTHON_ADAPTERS_H_

#include "core.h"

#define FORWARD(module, name, target, signature)
#define CASTING(module, name, target, signature)
#define ADAPTER(module, name, target, signature, function) \
  PyObject* function(core_call_t* call, PyObject* const* objects);
#define DOCUMENTED(module, name, doc, signature, function) \
  PyObject* function(core_call_t* call, PyObject* const* objects);
#include "adapters.def"
#undef FORWARD
#undef CASTING
#undef ADAPTER
#undef DOCUMENTED

// --- arguments: false with an exception

bool core_integer_from(PyObject* object, int64_t* out_integer);
// One integer, or a sequence of at most TN_MAX_RANK of them.
bool core_integers_from(PyObject* object, size_t* out_count, int64_t* out_integers);
PyObject* core_integers(size_t count, const int64_t* integers);  // a tuple
// A dtype; `otherwise` if none is given.
bool core_dtype_or(PyObject* object, tn_dtype_t otherwise, tn_dtype_t* out_dtype);
// Whether a flag is given and true; -1 with an exception.
int core_is_true(PyObject* object);
// A string of the two; false with a ValueError for others.
bool core_choose(PyObject* object, const char* name, const char* first, const char* second,
                 bool* out_is_second);

// std and var with a `correction` that is not an integer.
PyObject* core_corrected(core_call_t* call, PyObject* const* objects);

#endif  // TENON_PYTHON_ADAPTERS_H_
