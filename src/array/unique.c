// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The elements of an array without repetition, in order.
#include "array/common.h"

// Runs of equal elements in a sorted line, numbered from 0.
static tn_array_t* number_runs(tn_scope_t* scope, tn_array_t* sorted) {
  const int64_t count = sorted->dims[0], zero = 0, one = 1, rest = count - 1;
  tn_array_t* after = tn_array_slice(scope, sorted, &one, &count, NULL);
  tn_array_t* before = tn_array_slice(scope, sorted, &zero, &rest, NULL);
  tn_array_t* begins =
      tn_array_astype(scope, tn_array_not_equal(scope, after, before), TN_DTYPE_S32);
  tn_array_t* parts[] = {tn_array_zeros(scope, TN_DTYPE_S32, 1, &one), begins};
  return tn_array_cumsum(scope, tn_array_concatenate(scope, 2, parts, 0), 0, false, true);
}

void tn_array_unique(tn_scope_t* scope, tn_array_t* a, int64_t size, tn_array_t* fill_value,
                     tn_array_t** out_values, tn_array_t** out_index, tn_array_t** out_inverse,
                     tn_array_t** out_counts) {
  TN__OPERATION(scope, "unique");
  tn_array_t** const outs[] = {out_values, out_index, out_inverse, out_counts};
  tn_array_t* operands[] = {a, fill_value};
  tn_array_t* error = tn__check_operands(scope, fill_value ? 2 : 1, operands);
  if (!error && (size < 0 || size >= INT32_MAX || tn_array_size(a) == 0)) {
    error = tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                           "%lld elements of an array of shape %s; expected 0 to 2^31 - 2 of "
                           "one that is not empty",
                           (long long)size, TN_SHAPE_TEXT(a->rank, a->dims));
  }
  if (!error && fill_value && tn_array_size(fill_value) != 1) {
    error = tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                           "the fill value has shape %s; expected one element",
                           TN_SHAPE_TEXT(fill_value->rank, fill_value->dims));
  }
  for (size_t i = 0; i < 4 && error; ++i) {
    if (outs[i]) *outs[i] = error;
  }
  if (error) return;
  tn_array_t* line = tn_array_flatten(scope, a, 0, -1);
  tn_array_t* order = tn_array_argsort(scope, line, 0);
  tn_array_t* runs = number_runs(scope, tn_array_take(scope, line, order, 0));
  tn_array_t* wanted = tn__iota(scope, TN_DTYPE_S32, 1, &size, 0);
  tn_array_t* begin = tn_array_searchsorted(scope, runs, wanted, false);
  tn_array_t* end = tn_array_searchsorted(scope, runs, wanted, true);
  tn_array_t* is_there = tn_array_less(scope, begin, end);
  // What is not there has the place of the first.
  begin = tn_array_where(scope, is_there, begin, tn__number_like(scope, begin, 0));
  tn_array_t* index = tn_array_take(scope, order, begin, 0);
  *out_values = tn_array_take(scope, line, index, 0);
  if (fill_value) {
    fill_value = tn_array_reshape(scope, fill_value, 0, NULL);
    fill_value = tn_array_astype(scope, fill_value, a->dtype);
    *out_values = tn_array_where(scope, is_there, *out_values, fill_value);
  }
  if (out_index) *out_index = index;
  if (out_counts) {
    tn_array_t* counts = tn_array_subtract(scope, tn_array_astype(scope, end, TN_DTYPE_S32),
                                           tn_array_astype(scope, begin, TN_DTYPE_S32));
    *out_counts = tn_array_where(scope, is_there, counts, tn__number_like(scope, counts, 0));
  }
  if (out_inverse) {
    tn_array_t* inverse = tn_array_take(scope, runs, tn_array_argsort(scope, order, 0), 0);
    inverse = tn_array_minimum(scope, inverse,
                               tn__number_like(scope, inverse, size ? (double)size - 1 : 0));
    inverse = tn_array_astype(scope, inverse, TN_DTYPE_U32);
    *out_inverse = tn_array_reshape(scope, inverse, a->rank, a->dims);
  }
}
