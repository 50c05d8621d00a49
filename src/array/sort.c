// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Order along a dimension. NaNs are behind everything else; equal elements keep their order.
#include <math.h>

#include "array/common.h"
#include "lazy/body.h"

// Sorts `count` arrays of one shape by the first.
static void sort_together(tn_scope_t* scope, size_t count, tn_array_t* const* arrays, size_t axis,
                          tn_array_t** out_results) {
  const tn_named_attr_t attributes[] = {TN_I64_ATTR("dimension", (int64_t)axis),
                                        TN_BOOL_ATTR("is_stable", true)};
  tn_array_type_t types[2];
  for (size_t i = 0; i < count; ++i) {
    types[i] = (tn_array_type_t){arrays[i]->dtype, arrays[i]->rank, arrays[i]->dims};
  }
  const tn_step_spec_t spec = {
      .op = TN__OP(sort),
      .operand_count = count,
      .operands = arrays,
      .attributes = {2, attributes},
      .body = tn__body_before(scope, arrays[0]->dtype),
      .result_count = count,
      .result_types = types,
  };
  tn__step_add(scope, &spec, out_results);
}

tn_array_t* tn_array_sort(tn_scope_t* scope, tn_array_t* a, int64_t axis) {
  TN__OPERATION(scope, "sort");
  size_t at = 0;
  tn_array_t* result = NULL;
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &a, axis, &at));
  sort_together(scope, 1, &a, at, &result);
  return result;
}

tn_array_t* tn_array_argsort(tn_scope_t* scope, tn_array_t* a, int64_t axis) {
  TN__OPERATION(scope, "argsort");
  size_t at = 0;
  tn_array_t* results[2] = {NULL, NULL};
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &a, axis, &at));
  tn_array_t* operands[] = {a, tn__iota(scope, TN_DTYPE_U32, a->rank, a->dims, at)};
  sort_together(scope, 2, operands, at, results);
  return results[1];
}

// Sorted arrays are partitioned around every place.
static tn_array_t* check_place(tn_scope_t* scope, tn_array_t* x, int64_t place, int64_t axis) {
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &x, axis, &at));
  const int64_t size = x->dims[at];
  if (place >= -size && place < size) return NULL;
  return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE,
                        "index %lld is out of bounds for an axis of %lld elements",
                        (long long)place, (long long)size);
}

tn_array_t* tn_array_partition(tn_scope_t* scope, tn_array_t* a, int64_t kth, int64_t axis) {
  TN__OPERATION(scope, "partition");
  TN__RETURN_IF_FAILED(check_place(scope, a, kth, axis));
  return tn_array_sort(scope, a, axis);
}

tn_array_t* tn_array_argpartition(tn_scope_t* scope, tn_array_t* a, int64_t kth, int64_t axis) {
  TN__OPERATION(scope, "argpartition");
  TN__RETURN_IF_FAILED(check_place(scope, a, kth, axis));
  return tn_array_argsort(scope, a, axis);
}

tn_array_t* tn_array_topk(tn_scope_t* scope, tn_array_t* a, int64_t k, int64_t axis) {
  TN__OPERATION(scope, "topk");
  int64_t starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK];
  size_t at = 0;
  tn_array_t* result = NULL;
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &a, axis, &at));
  if (k < 0 || k > a->dims[at]) {
    return tn__scope_fail(scope, TN_CODE_OUT_OF_RANGE,
                          "k is %lld; expected 0 to %lld, the size of axis %zu", (long long)k,
                          (long long)a->dims[at], at);
  }
  if (k == a->dims[at]) return a;
  sort_together(scope, 1, &a, at, &result);
  for (size_t i = 0; i < a->rank; ++i) stops[i] = a->dims[i];
  starts[at] = a->dims[at] - k;
  return tn_array_slice(scope, result, starts, stops, NULL);
}

tn_array_t* tn_array_median(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                            const int64_t* axes, bool keepdims) {
  TN__OPERATION_ON(scope, "median", a);
  int64_t order[TN_MAX_RANK] = {0}, starts[TN_MAX_RANK] = {0}, stops[TN_MAX_RANK];
  uint64_t set = 0;
  size_t count = 0;
  tn_array_shape_t kept = {0}, lines = {0};
  int64_t length = 1;
  TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, a->rank, &set));
  for (size_t i = 0; i < a->rank; ++i) {
    const bool is_folded = set >> i & 1;
    if (!is_folded || keepdims) kept.dims[kept.rank++] = is_folded ? 1 : a->dims[i];
    if (is_folded) {
      length *= a->dims[i];
    } else {
      order[count++] = (int64_t)i;
      lines.dims[lines.rank++] = a->dims[i];
    }
  }
  for (size_t i = 0; i < a->rank; ++i) {
    if (set >> i & 1) order[count++] = (int64_t)i;
  }
  if (length == 0) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "no elements along the axes of the shape %s",
                          TN_SHAPE_TEXT(a->rank, a->dims));
  }
  lines.dims[lines.rank++] = length;
  tn_array_t* line =
      tn_array_reshape(scope, tn_array_transpose(scope, a, order), lines.rank, lines.dims);
  tn_array_t* sorted =
      tn_array_astype(scope, tn_array_sort(scope, line, -1), tn__at_least_float(a->dtype));
  const size_t last = lines.rank - 1;
  for (size_t i = 0; i < last; ++i) stops[i] = lines.dims[i];
  starts[last] = (length - 1) / 2;
  stops[last] = length / 2 + 1;
  tn_array_t* middle = tn_array_mean(scope, tn_array_slice(scope, sorted, starts, stops, NULL), 1,
                                     (const int64_t[]){-1}, false);
  if (tn_issubdtype(a->dtype, TN_CATEGORY_INEXACT)) {
    tn_array_t* has_nan =
        tn_array_any(scope, tn_array_isnan(scope, line), 1, (const int64_t[]){-1}, false);
    middle = tn_array_where(scope, has_nan, tn__number_like(scope, middle, (double)NAN), middle);
  }
  return tn_array_reshape(scope, middle, kept.rank, kept.dims);
}

// --- searching

// Whether `a` comes before `b` in a sorted array.
static tn_array_t* comes_before(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  tn_array_t* less = tn_array_less(scope, a, b);
  if (!tn_issubdtype(a->dtype, TN_CATEGORY_INEXACT)) return less;
  return tn_array_logical_or(
      scope, less,
      tn_array_logical_and(scope, tn_array_isnan(scope, b),
                           tn_array_logical_not(scope, tn_array_isnan(scope, a))));
}

// Halves the interval that may hold the place as often as its length asks for.
tn_array_t* tn_array_searchsorted(tn_scope_t* scope, tn_array_t* sorted_sequence,
                                  tn_array_t* values, bool right) {
  TN__OPERATION_ON(scope, "searchsorted", sorted_sequence, values);
  tn_array_t* operands[] = {sorted_sequence, values};
  if (sorted_sequence->rank != 1 || sorted_sequence->dims[0] >= INT32_MAX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "sorted_sequence has shape %s; expected one dimension",
                          TN_SHAPE_TEXT(sorted_sequence->rank, sorted_sequence->dims));
  }
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 2, operands, &dtype));
  sorted_sequence = tn_array_astype(scope, sorted_sequence, dtype);
  values = tn_array_astype(scope, values, dtype);
  const int64_t size = sorted_sequence->dims[0], axis = 0;
  tn_array_t* low = tn_array_zeros(scope, TN_DTYPE_S32, values->rank, values->dims);
  tn_array_t* high = tn_array_full(scope, values->rank, values->dims,
                                   tn_array_scalar(scope, TN_DTYPE_S32, (double)size));
  for (int64_t rest = size; rest > 0; rest /= 2) {
    tn_array_t* middle = tn_array_right_shift(scope, tn_array_add(scope, low, high),
                                              tn_array_scalar(scope, TN_DTYPE_S32, 1));
    tn_array_t* there = tn_array_take(scope, sorted_sequence, middle, axis);
    tn_array_t* goes_on = right ? tn_array_logical_not(scope, comes_before(scope, values, there))
                                : comes_before(scope, there, values);
    goes_on = tn_array_logical_and(scope, goes_on, tn_array_less(scope, low, high));
    tn_array_t* next = tn_array_add(scope, middle, tn_array_scalar(scope, TN_DTYPE_S32, 1));
    low = tn_array_where(scope, goes_on, next, low);
    high = tn_array_where(scope, goes_on, high, middle);
  }
  return tn_array_astype(scope, low, TN_DTYPE_U32);
}
