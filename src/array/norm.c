// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Norms and cross products.
#include <math.h>

#include "array/matrix.h"

// The root of the sum of squares.
static tn_array_t* euclidean(tn_scope_t* scope, tn_array_t* x, size_t axis_count,
                             const int64_t* axes, bool keepdims) {
  x = tn_array_square(scope, tn_array_abs(scope, x));
  return tn_array_sqrt(scope, tn_array_sum(scope, x, axis_count, axes, keepdims));
}

static tn_array_t* of_vectors(tn_scope_t* scope, tn_array_t* x, double order, int64_t axis,
                              bool keepdims) {
  if (order == 2) return euclidean(scope, x, 1, &axis, keepdims);
  tn_array_t* sizes = tn_array_abs(scope, x);
  if (order == 0) {
    tn_array_t* counts = tn_array_count_nonzero(scope, x, 1, &axis, keepdims);
    return tn_array_astype(scope, counts, sizes->dtype);
  }
  if (order == 1) return tn_array_sum(scope, sizes, 1, &axis, keepdims);
  if (isinf(order)) {
    return order > 0 ? tn_array_max(scope, sizes, 1, &axis, keepdims)
                     : tn_array_min(scope, sizes, 1, &axis, keepdims);
  }
  tn_array_t* powers = tn_array_power(scope, sizes, tn__number_like(scope, sizes, order));
  tn_array_t* sum = tn_array_sum(scope, powers, 1, &axis, keepdims);
  return tn_array_power(scope, sum, tn__number_like(scope, sum, 1 / order));
}

// The largest or smallest sum of rows or columns.
static tn_array_t* of_sums(tn_scope_t* scope, tn_array_t* x, int64_t summed, int64_t other,
                           bool largest, bool keepdims) {
  const int64_t axes[] = {summed, other};
  tn_array_t* sums = tn_array_sum(scope, tn_array_abs(scope, x), 1, &summed, true);
  sums = largest ? tn_array_max(scope, sums, 1, &other, true)
                 : tn_array_min(scope, sums, 1, &other, true);
  return keepdims ? sums : tn_array_squeeze(scope, sums, 2, axes);
}

static tn_array_t* singular_values(tn_scope_t* scope, tn_array_t* x, int64_t row, int64_t column) {
  int64_t axes[TN_MAX_RANK];
  size_t count = 0;
  tn_array_t* values = NULL;
  for (size_t i = 0; i < x->rank; ++i) {
    if ((int64_t)i != row && (int64_t)i != column) axes[count++] = (int64_t)i;
  }
  axes[count++] = row;
  axes[count] = column;
  tn_array_linalg_svd(scope, tn_array_transpose(scope, x, axes), NULL, &values, NULL);
  return values;
}

static tn_array_t* of_matrices(tn_scope_t* scope, tn_array_t* x, tn_norm_t kind, double order,
                               int64_t row, int64_t column, bool keepdims) {
  static const int64_t last[] = {-1};
  const int64_t axes[] = {row < column ? row : column, row < column ? column : row};
  if (kind != TN_NORM_ORDER && kind != TN_NORM_NUCLEAR) {
    return euclidean(scope, x, 2, axes, keepdims);
  }
  if (kind == TN_NORM_ORDER && fabs(order) == 1) {
    return of_sums(scope, x, row, column, order > 0, keepdims);
  }
  if (kind == TN_NORM_ORDER && isinf(order)) {
    return of_sums(scope, x, column, row, order > 0, keepdims);
  }
  if (kind == TN_NORM_ORDER && fabs(order) != 2) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "matrices have no norm of order %g",
                          order);
  }
  tn_array_t* values = singular_values(scope, x, row, column);
  values = kind == TN_NORM_NUCLEAR ? tn_array_sum(scope, values, 1, last, false)
           : order > 0             ? tn_array_max(scope, values, 1, last, false)
                                   : tn_array_min(scope, values, 1, last, false);
  return keepdims ? tn_array_expand_dims(scope, values, 2, axes) : values;
}

tn_array_t* tn_array_linalg_norm(tn_scope_t* scope, tn_array_t* a, tn_norm_t kind, double ord,
                                 size_t axis_count, const int64_t* axes, bool keepdims) {
  TN__OPERATION_ON(scope, "norm", a);
  size_t places[2] = {0, 1};
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(tn__check_choice(scope, "kind", (int)kind, TN_NORM_NUCLEAR));
  a = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  if (!axes && kind == TN_NORM_DEFAULT) return euclidean(scope, a, 0, NULL, keepdims);
  if (!axes) axis_count = a->rank;
  const bool is_matrix_norm = kind == TN_NORM_FROBENIUS || kind == TN_NORM_NUCLEAR;
  if (axis_count > 2 || axis_count == 0 || (is_matrix_norm && axis_count == 1)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%zu axes of the shape %s; expected %s",
                          axis_count, TN_SHAPE_TEXT(a->rank, a->dims),
                          is_matrix_norm ? "2" : "1 or 2");
  }
  if (axes) TN__RETURN_IF_FAILED(tn__normalise_axes(scope, axis_count, axes, a->rank, &set));
  for (size_t i = 0; axes && i < axis_count; ++i) {
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axes[i], a->rank, &places[i]));
  }
  if (axis_count == 1) {
    return of_vectors(scope, a, kind == TN_NORM_ORDER ? ord : 2, (int64_t)places[0], keepdims);
  }
  return of_matrices(scope, a, kind, ord, (int64_t)places[0], (int64_t)places[1], keepdims);
}

// --- cross products

// The elements of an axis of two or three; the third of two is missing.
static tn_array_t* take_parts(tn_scope_t* scope, tn_array_t* x, int64_t axis,
                              tn_array_t** out_parts) {
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, x->rank, &at));
  const int64_t size = x->dims[at];
  if (size != 2 && size != 3) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "axis %lld of the shape %s has size %lld; expected 2 or 3",
                          (long long)axis, TN_SHAPE_TEXT(x->rank, x->dims), (long long)size);
  }
  out_parts[2] = NULL;
  tn_array_split(scope, x, (size_t)size, axis, out_parts);
  return NULL;
}

// a b - c d, where what is missing is 0.
static tn_array_t* difference(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, tn_array_t* c,
                              tn_array_t* d) {
  tn_array_t* first = a && b ? tn_array_multiply(scope, a, b) : NULL;
  tn_array_t* second = c && d ? tn_array_multiply(scope, c, d) : NULL;
  if (first && second) return tn_array_subtract(scope, first, second);
  if (first) return first;
  return second ? tn_array_negative(scope, second) : NULL;
}

tn_array_t* tn_array_linalg_cross(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, int64_t axis) {
  TN__OPERATION_ON(scope, "cross", a, b);
  tn_array_t *x[3] = {NULL}, *y[3] = {NULL};
  TN__RETURN_IF_FAILED(take_parts(scope, a, axis, x));
  TN__RETURN_IF_FAILED(take_parts(scope, b, axis, y));
  tn_array_t* parts[] = {difference(scope, x[1], y[2], x[2], y[1]),
                         difference(scope, x[2], y[0], x[0], y[2]),
                         difference(scope, x[0], y[1], x[1], y[0])};
  for (int i = 0; i < 2; ++i) {
    if (!parts[i]) parts[i] = tn_array_zeros_like(scope, parts[2]);
  }
  return tn_array_concatenate(scope, 3, parts, axis);
}
