// Custom operations: a use of one, and attributes from Python's values.
#ifndef TENON_PYTHON_OPERATION_H_
#define TENON_PYTHON_OPERATION_H_

#include <tenon/operation.h>

#include "core.h"

// Memory of one call, freed together.
typedef struct core_block core_block_t;
typedef struct core_pool {
  core_block_t* last;
} core_pool_t;
void* core_allocate(core_pool_t* pool, size_t count, size_t size);  // zeroed; NULL: MemoryError
void core_free(core_pool_t* pool);

// --- attributes.c

// An attribute from a bool, a number, text, bytes, a dict, or anything that is like an array.
// `type`: as in the signature ("float", "array(int64_t)"); NULL: what the value says. Memory of the
// pool, and of the object, holds the value.
bool core_attribute_from(core_call_t* call, core_pool_t* pool, const char* name, const char* type,
                         PyObject* object, tn_attribute_t* out_attribute);

// --- operation.c

bool core_add_operations(PyObject* module);

// --- profile.c

bool core_add_profiles(PyObject* module);

// --- exports.c

bool core_add_exports(PyObject* module);

// --- program.c

// A tuple of sizes, None for those that are not known.
PyObject* core_shape_of(size_t rank, const int64_t* dims);

bool core_add_programs(PyObject* module);

#endif  // TENON_PYTHON_OPERATION_H_
