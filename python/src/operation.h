// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom operations: a use of one, and attributes from Python's values.
#ifndef TENON_PYTHON_OPERATION_H_
#define TENON_PYTHON_OPERATION_H_

#include <tenon/operation.h>

#include "core.h"

// --- attributes.c

// An attribute from a bool, a number, text, bytes, a dict, or anything that is like an array.
// `type`: as in the signature ("float", "array(int64_t)"); NULL: what the value says. Memory of the
// pool, and of the object, holds the value.
bool core_attribute_from(core_call_t* call, core_pool_t* pool, const char* name, const char* type,
                         PyObject* object, tn_attribute_t* out_attribute);

// --- operation.c

bool core_add_operations(PyObject* module);

// --- gpu_kernel.c

bool core_add_gpu_kernels(PyObject* module);

// --- profile.c

bool core_add_profiles(PyObject* module);

// --- exports.c

bool core_add_exports(PyObject* module);

// --- program.c

// A text that the library writes to a stream.
typedef struct core_text {
  char* bytes;
  size_t size;
  FILE* stream;
} core_text_t;
FILE* core_text_open(core_text_t* text);
// The text as a str, unless the status, which is taken, is an error.
PyObject* core_text_close(core_text_t* text, tn_status_t status);

bool core_add_programs(PyObject* module);

#endif  // TENON_PYTHON_OPERATION_H_
