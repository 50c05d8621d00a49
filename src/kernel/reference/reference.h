// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the reference kernels share: their use of an operation, places in arrays, bodies. All of
// them read types and attributes when they run; nothing is prepared.
#ifndef TENON_KERNEL_REFERENCE_REFERENCE_H_
#define TENON_KERNEL_REFERENCE_REFERENCE_H_

#include "kernel/kernel.h"
#include "kernel/reference/number.h"

#include <string.h>

// The state of every reference kernel. Both live as long as the program.
typedef struct tn_reference_use {
  const tn_op_use_t* use;
  const tn_body_shape_t* bodies;
  bool is_strict;  // sums round each product and each partial sum to the dtype of the result
} tn_reference_use_t;

tn_status_t tn__reference_prepare(tn_kernel_site_t* site);
// The same for strict arithmetic.
tn_status_t tn__reference_prepare_strict(tn_kernel_site_t* site);

static inline const tn_op_use_t* tn__reference_use(const tn_kernel_call_t* call) {
  return ((const tn_reference_use_t*)call->state)->use;
}
static inline const tn_type_t* tn__reference_operand(const tn_kernel_call_t* call, size_t index) {
  return tn__reference_use(call)->operand_types[index];
}
static inline const tn_type_t* tn__reference_result(const tn_kernel_call_t* call, size_t index) {
  return tn__reference_use(call)->result_types[index];
}

// --- attributes

// A list of integers of at most this many: pairs for each dimension.
typedef struct tn_reference_list {
  size_t count;
  int64_t values[2 * TN_MAX_RANK];
} tn_reference_list_t;

// Absent: `count` times `fallback`.
TN_MUST_USE tn_status_t tn__reference_list(const tn_attr_dictionary_t* attrs, const char* name,
                                           size_t count, int64_t fallback,
                                           tn_reference_list_t* out_list);
// The fields of the structure `name` of the operation; none when it is absent.
const tn_attr_dictionary_t* tn__reference_struct(const tn_op_use_t* use, const char* name);
// The number of the enumerator; `fallback` when the attribute is absent.
int tn__reference_enum(const tn_attr_dictionary_t* attrs, const char* name, const char* enumeration,
                       int fallback);
// Where `value` is in the list; -1: nowhere.
int64_t tn__reference_index_in(const tn_reference_list_t* list, int64_t value);

// --- indices

// The coordinates of element `index` of an array of these dimensions, and back; -1 when they are
// outside.
void tn__reference_split(size_t rank, const int64_t* dims, int64_t index, int64_t* out_coordinates);
int64_t tn__reference_join(size_t rank, const int64_t* dims, const int64_t* coordinates);

static inline const void* tn__reference_element(const tn_type_t* type, const void* elements,
                                                int64_t index) {
  return (const char*)elements + (size_t)index * tn_dtype_byte_size(type->dtype);
}
static inline void tn__reference_copy(const tn_type_t* type, const void* from, void* elements,
                                      int64_t index) {
  memcpy((char*)elements + (size_t)index * tn_dtype_byte_size(type->dtype), from,
         tn_dtype_byte_size(type->dtype));
}

// --- bodies

enum { TN_REFERENCE_FOLDED = 16 };  // arrays that a reduction, sort... takes at most

// The dtype that region `region` computes argument `index` in.
tn_dtype_t tn__reference_body_dtype(const tn_kernel_call_t* call, size_t region, size_t index);
// Runs a region. Numbers are of the dtypes of its arguments, and of its results.
TN_MUST_USE tn_status_t tn__reference_run_body(const tn_kernel_call_t* call, size_t region,
                                               size_t argument_count, const tn_number_t* arguments,
                                               size_t result_count, tn_number_t* out_results);
// `accumulated` = body(accumulated, elements), `count` of each. One known operation is applied to
// the numbers as they are, so that only the last result is rounded.
TN_MUST_USE tn_status_t tn__reference_fold(const tn_kernel_call_t* call, size_t region,
                                           size_t count, tn_number_t* accumulated,
                                           const tn_number_t* elements);

#endif  // TENON_KERNEL_REFERENCE_REFERENCE_H_
