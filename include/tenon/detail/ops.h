// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operations that Tenon knows.
#ifndef TENON_DETAIL_OPS_H_
#define TENON_DETAIL_OPS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tenon/detail/export.h>

TN_EXTERN_C_BEGIN

typedef struct tn_op_attribute {
  const char* name;
  const char* type;  // human-readable: "an integer of type i64", "one of EQ, NE, GE, GT, LE, LT"
  bool is_required;
} tn_op_attribute_t;

// An operation. All of it is a view that lives as long as the callback runs.
typedef struct tn_op_info {
  size_t struct_size;
  const char* name;        // "stablehlo.add"
  const char* dialect;     // "stablehlo"
  const char* short_name;  // "add"
  int32_t operand_count;   // -1: variadic, at least `minimum_operand_count`
  int32_t minimum_operand_count;
  int32_t result_count;  // -1: any number
  int32_t region_count;  // -1: any number
  bool is_pure;          // no side effects
  bool is_elementwise;
  bool is_deprecated;  // accepted, but not written by current producers
  size_t attribute_count;
  const tn_op_attribute_t* attributes;
  const char* doc;
  bool is_supported;   // at least some uses can be run
  const char* kernel;  // that computes it: "ref.add"; NULL: not needed, or not implemented
} tn_op_info_t;

// Called on the caller's thread; false ends the enumeration.
typedef bool (*tn_op_visit_fn)(void* user, const tn_op_info_t* info);

// Visits all operations in the order of the table. Thread-safe.
TN_API void tn_op_enumerate(tn_op_visit_fn visit, void* user);

// A known name close to `name` (with or without its dialect), for error messages; NULL if none is
// close. Static.
TN_API const char* tn_op_suggest(const char* name);

// An optional library that computes some operations if it is installed. Views, as above.
typedef struct tn_kernel_library_info {
  size_t struct_size;
  const char* name;     // "openblas", as the environment's TENON_LIBRARIES spells it
  const char* purpose;  // "matrix products, linear algebra"
  const char* package;  // its Debian package; NULL: there is none
  const char* soname;   // NULL: not found when Tenon was configured
  bool is_used;
  const char* state;  // its version, or why it is not used
} tn_kernel_library_info_t;

typedef bool (*tn_kernel_library_visit_fn)(void* user, const tn_kernel_library_info_t* info);

// Visits all optional libraries, and loads those that Tenon may use. Thread-safe.
TN_API void tn_kernel_library_enumerate(tn_kernel_library_visit_fn visit, void* user);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_OPS_H_
