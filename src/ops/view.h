// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Views: where the elements of a value are in the storage of another one.
//
// A transpose, slice, reverse or broadcast computes nothing: its result is its operand, read with
// other strides. The planner keeps such a value where its root is, and hands kernels the view
// (plan/views.c).
#ifndef TENON_OPS_VIEW_H_
#define TENON_OPS_VIEW_H_

#include "ops/op.h"

typedef struct tn_view {
  int64_t byte_offset;     // of element [0, 0, ...]
  const int64_t* strides;  // in bytes, one for each dimension; NULL: dense, the last one fastest
} tn_view_t;

// Whether its result is a view of its operand (TN_VIEW), or may be one: a reshape that splits or
// merges dimensions.
static inline bool tn__op_makes_view(const tn_op_t* op) {
  return tn__op_has(op, TN_VIEW) || op == TN__OP(reshape);
}

// The result of such an operation as a view of what its operand is the view `operand` of. What it
// needs lives in use->arena. *out_is_view is false where strides cannot say it: a reshape across
// gaps, types that are not static tensors with elements.
TN_MUST_USE tn_status_t tn__view_of_result(const tn_op_use_t* use, const tn_view_t* operand,
                                           tn_view_t* out_view, bool* out_is_view);

// Where the elements of operand or result `index` of a custom call are, which has this type and
// takes as much memory as a dense one: `list` is "operand_layouts" or "result_layouts". Dense if it
// says nothing, or row-major.
TN_MUST_USE tn_status_t tn__view_of_layout(const tn_op_use_t* use, const char* list, size_t index,
                                           const tn_type_t* type, tn_view_t* out_view);

// Row-major strides in bytes of a dense array. The result has `rank` entries.
void tn__dense_strides(size_t rank, const int64_t* dims, size_t element_size, int64_t* out_strides);
// The strides of a view, which may be dense or NULL (dense), of an array of this type.
void tn__view_strides(const tn_view_t* view, const tn_type_t* type, int64_t* out_strides);
// Whether strides are those of a dense array. Dimensions of size 1 do not count.
bool tn__strides_are_dense(const tn_type_t* type, const int64_t* strides);

#endif  // TENON_OPS_VIEW_H_
