// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Slices whose places are in an array, and are known only when the graph runs.
#include "array/common.h"

// The place along each axis as an operand of its own: 0 where none is given. False with an error.
static tn_array_t* split_starts(tn_scope_t* scope, tn_array_t* x, tn_array_t* starts,
                                size_t axis_count, const int64_t* axes, tn_array_t** out_starts) {
  tn_array_t* operands[] = {x, starts};
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "axes", axis_count, axes));
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, x->rank, &set));
  if (!tn_issubdtype(starts->dtype, TN_CATEGORY_INTEGER) || starts->rank > 1 ||
      tn_array_size(starts) != (int64_t)axis_count) {
    return tn__scope_fail(
        scope, TN_CODE_INVALID_ARGUMENT, "the starts are %s of shape %s; expected %zu integers",
        tn_dtype_name(starts->dtype), TN_SHAPE_TEXT(starts->rank, starts->dims), axis_count);
  }
  tn_array_t* line = tn_array_astype(scope, tn_array_flatten(scope, starts, 0, -1), TN_DTYPE_S64);
  for (size_t i = 0; i < x->rank; ++i) out_starts[i] = tn_array_scalar(scope, TN_DTYPE_S64, 0);
  for (size_t i = 0; i < axis_count; ++i) {
    size_t at = 0;
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axes[i], x->rank, &at));
    out_starts[at] = tn_array_index(scope, line, 1, &TN_AT((int64_t)i));
  }
  return NULL;
}

tn_array_t* tn_array_slice_at(tn_scope_t* scope, tn_array_t* a, tn_array_t* start_indices,
                              size_t axis_count, const int64_t* axes, const int64_t* slice_size) {
  TN__OPERATION(scope, "slice_at");
  tn_array_t* operands[1 + TN_MAX_RANK] = {a};
  TN__RETURN_IF_FAILED(split_starts(scope, a, start_indices, axis_count, axes, operands + 1));
  TN__RETURN_IF_FAILED(tn__check_list(scope, "slice_size", a->rank, slice_size));
  for (size_t i = 0; i < a->rank; ++i) {
    if (slice_size[i] >= 0 && slice_size[i] <= a->dims[i]) continue;
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the size along axis %zu is %lld; expected 0 to %lld", i,
                          (long long)slice_size[i], (long long)a->dims[i]);
  }
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("slice_sizes", a->rank, slice_size);
  return tn__apply_with(scope, TN__OP(dynamic_slice), 1 + a->rank, operands, 1, &attribute,
                        a->dtype, a->rank, slice_size);
}

tn_array_t* tn_array_slice_update_at(tn_scope_t* scope, tn_array_t* a, tn_array_t* update,
                                     tn_array_t* start_indices, size_t axis_count,
                                     const int64_t* axes) {
  TN__OPERATION(scope, "slice_update_at");
  tn_array_t* operands[2 + TN_MAX_RANK] = {a};
  int64_t dims[TN_MAX_RANK];
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &update));
  TN__RETURN_IF_FAILED(split_starts(scope, a, start_indices, axis_count, axes, operands + 2));
  // Dimensions that the update does not have are single.
  bool fits = update->rank <= a->rank;
  const size_t lead = fits ? a->rank - update->rank : 0;
  for (size_t i = 0; fits && i < a->rank; ++i) {
    dims[i] = i < lead ? 1 : update->dims[i - lead];
    fits = dims[i] <= a->dims[i];
  }
  if (!fits) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "an update of shape %s is larger than the array of shape %s",
                          TN_SHAPE_TEXT(update->rank, update->dims),
                          TN_SHAPE_TEXT(a->rank, a->dims));
  }
  update = tn_array_reshape(scope, update, a->rank, dims);
  operands[1] = tn_array_astype(scope, update, a->dtype);
  return tn__apply(scope, TN__OP(dynamic_update_slice), 2 + a->rank, operands, a->dtype, a->rank,
                   a->dims);
}
