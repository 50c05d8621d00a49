// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Folding dimensions.
#include <math.h>
#include <tenon/detail/transform.h>

#include "array/common.h"
#include "lazy/body.h"

// `x` without the dimensions of `set`, or with ones in their place.
static void reduced_shape(const tn_array_t* x, uint64_t set, bool keeps,
                          tn_array_shape_t* out_shape) {
  out_shape->rank = 0;
  for (size_t i = 0; i < x->rank; ++i) {
    const bool is_folded = set >> i & 1;
    if (!is_folded || keeps) out_shape->dims[out_shape->rank++] = is_folded ? 1 : x->dims[i];
  }
}

static tn_array_t* fold(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, tn_array_t* initial,
                        uint64_t set, bool keepdims) {
  int64_t dimensions[TN_MAX_RANK];
  size_t count = 0;
  tn_array_shape_t folded, kept;
  for (size_t i = 0; i < x->rank; ++i) {
    if (set >> i & 1) dimensions[count++] = (int64_t)i;
  }
  if (count == 0) return x;
  reduced_shape(x, set, false, &folded);
  reduced_shape(x, set, keepdims, &kept);
  tn_array_t* operands[] = {x, initial};
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("dimensions", count, dimensions);
  const tn_array_type_t type = {x->dtype, folded.rank, folded.dims};
  tn_array_t* result = tn__apply_body(scope, TN__OP(reduce), 2, operands, 1, &attribute,
                                      tn__body_of(scope, op, x->dtype), &type);
  return tn_array_reshape(scope, result, kept.rank, kept.dims);
}

// What is common to all of them: the operand is usable and the axes are some of its own.
static tn_array_t* begin(tn_scope_t* scope, tn_array_t* x, size_t axis_count, const int64_t* axes,
                         uint64_t* out_set) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  return tn__normalise_axes(scope, axis_count, axes, x->rank, out_set);
}

// How many elements of `x` become one.
static int64_t folded_size(const tn_array_t* x, uint64_t set) {
  int64_t size = 1;
  for (size_t i = 0; i < x->rank; ++i) {
    if (set >> i & 1) size *= x->dims[i];
  }
  return size;
}

// --- sums and products

static tn_dtype_t sum_dtype(tn_dtype_t dtype) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  if (kind == TN_KIND_BOOL) return TN_DTYPE_S32;
  if (kind & TN_KIND_INTEGER && tn_dtype_bit_width(dtype) < 32) {
    return kind == TN_KIND_SIGNED ? TN_DTYPE_S32 : TN_DTYPE_U32;
  }
  return dtype;
}

static tn_array_t* accumulate(tn_scope_t* scope, const tn_op_t* op, double initial, tn_array_t* x,
                              size_t axis_count, const int64_t* axes, bool keepdims) {
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, x, axis_count, axes, &set));
  if (axes && axis_count == 0) return x;
  x = tn_array_astype(scope, x, sum_dtype(x->dtype));
  return fold(scope, op, x, tn__number_like(scope, x, initial), set, keepdims);
}

tn_array_t* tn_array_sum(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims) {
  TN__OPERATION(scope, "sum");
  return accumulate(scope, TN__OP(add), 0, a, axis_count, axes, keepdims);
}

tn_array_t* tn_array_prod(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                          bool keepdims) {
  TN__OPERATION(scope, "prod");
  return accumulate(scope, TN__OP(multiply), 1, a, axis_count, axes, keepdims);
}

tn_array_t* tn_array_count_nonzero(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                                   const int64_t* axes, bool keepdims) {
  TN__OPERATION_ON(scope, "count_nonzero", a);
  a = tn_array_astype(scope, tn_array_not_equal(scope, a, tn__number_like(scope, a, 0)),
                      TN_DTYPE_S32);
  return accumulate(scope, TN__OP(add), 0, a, axis_count, axes, keepdims);
}

tn_array_t* tn_array_all(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims) {
  TN__OPERATION(scope, "all");
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  return fold(scope, TN__OP(and), tn_array_astype(scope, a, TN_DTYPE_PRED),
              tn_array_scalar(scope, TN_DTYPE_PRED, 1), set, keepdims);
}

tn_array_t* tn_array_any(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims) {
  TN__OPERATION(scope, "any");
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  return fold(scope, TN__OP(or), tn_array_astype(scope, a, TN_DTYPE_PRED),
              tn_array_scalar(scope, TN_DTYPE_PRED, 0), set, keepdims);
}

// --- extremes

// What every element is at least, or at most.
static tn_array_t* bound(tn_scope_t* scope, tn_dtype_t dtype, bool is_low) {
  const double value = is_low ? -(double)INFINITY : INFINITY;
  const float pair[] = {(float)value, (float)value};
  const double wide_pair[] = {value, value};
  if (dtype == TN_DTYPE_PRED) return tn_array_scalar(scope, dtype, !is_low);
  if (dtype == TN_DTYPE_C64) return tn_array_scalar_of(scope, dtype, pair);
  if (dtype == TN_DTYPE_C128) return tn_array_scalar_of(scope, dtype, wide_pair);
  return tn_array_scalar(scope, dtype, value);
}

static tn_array_t* check_extreme(tn_scope_t* scope, const tn_array_t* x, uint64_t set) {
  for (size_t i = 0; i < x->rank; ++i) {
    if (!(set >> i & 1) || x->dims[i]) continue;
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "axis %zu of the shape %s is empty and has no such element", i,
                          TN_SHAPE_TEXT(x->rank, x->dims));
  }
  return NULL;
}

static tn_array_t* extreme(tn_scope_t* scope, bool is_max, tn_array_t* x, size_t axis_count,
                           const int64_t* axes, bool keepdims) {
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, x, axis_count, axes, &set));
  TN__RETURN_IF_FAILED(check_extreme(scope, x, set));
  const tn_op_t* op = is_max ? TN__OP(maximum) : TN__OP(minimum);
  return fold(scope, op, x, bound(scope, x->dtype, is_max), set, keepdims);
}

tn_array_t* tn_array_max(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims) {
  TN__OPERATION(scope, "max");
  return extreme(scope, true, a, axis_count, axes, keepdims);
}

tn_array_t* tn_array_min(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims) {
  TN__OPERATION(scope, "min");
  return extreme(scope, false, a, axis_count, axes, keepdims);
}

void tn_array_minmax(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                     bool keepdims, tn_array_t** out_min, tn_array_t** out_max) {
  TN__OPERATION(scope, "minmax");
  *out_min = tn_array_min(scope, a, axis_count, axes, keepdims);
  *out_max = tn_array_max(scope, a, axis_count, axes, keepdims);
}

// The first place of the extreme; a NaN is one.
static tn_array_t* place(tn_scope_t* scope, bool is_max, tn_array_t* x, int64_t axis,
                         bool keepdims) {
  int64_t ones[TN_MAX_RANK];
  size_t at = 0;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  const size_t rank = x->rank;
  const bool is_flat = axis == TN_ALL_AXES;
  if (is_flat) {
    x = tn_array_reshape(scope, x, 1, (const int64_t[]){-1});
    if (x->dtype == TN_DTYPE_INVALID) return x;
  } else {
    TN__RETURN_IF_FAILED(tn__normalise_axis(scope, axis, rank, &at));
  }
  const uint64_t set = UINT64_C(1) << at;
  TN__RETURN_IF_FAILED(check_extreme(scope, x, set));
  tn_array_t* best = fold(scope, is_max ? TN__OP(maximum) : TN__OP(minimum), x,
                          bound(scope, x->dtype, is_max), set, true);
  tn_array_t* is_best =
      tn_array_logical_or(scope, tn_array_equal(scope, x, best), tn_array_isnan(scope, x));
  tn_array_t* places = tn__iota(scope, TN_DTYPE_U32, x->rank, x->dims, at);
  tn_array_t* none = tn_array_scalar(scope, TN_DTYPE_U32, UINT32_MAX);
  tn_array_t* first = fold(scope, TN__OP(minimum), tn_array_where(scope, is_best, places, none),
                           none, set, keepdims && !is_flat);
  if (!is_flat || !keepdims) return first;
  for (size_t i = 0; i < rank; ++i) ones[i] = 1;
  return tn_array_reshape(scope, first, rank, ones);
}

tn_array_t* tn_array_argmax(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool keepdims) {
  TN__OPERATION(scope, "argmax");
  return place(scope, true, a, axis, keepdims);
}

tn_array_t* tn_array_argmin(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool keepdims) {
  TN__OPERATION(scope, "argmin");
  return place(scope, false, a, axis, keepdims);
}

// --- statistics

// How many elements of `x` become one, less `ddof`, as a number of sum's dtype.
static tn_array_t* count_folded(tn_scope_t* scope, tn_array_t* x, uint64_t set, int64_t ddof,
                                tn_array_t* sum) {
  const double count = (double)folded_size(x, set) - (double)ddof;
  return tn__number_like(scope, sum, count > 0 ? count : 0);
}

tn_array_t* tn_array_mean(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                          bool keepdims) {
  TN__OPERATION(scope, "mean");
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  a = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  tn_array_t* sum = tn_array_sum(scope, a, axis_count, axes, keepdims);
  tn_array_t* share = tn__number_like(scope, sum, 1 / (double)folded_size(a, set));
  return tn_array_multiply(scope, sum, share);
}

tn_array_t* tn_array_var(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims, int64_t ddof) {
  TN__OPERATION(scope, "var");
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  a = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  tn_array_t* distance =
      tn_array_subtract(scope, a, tn_array_mean(scope, a, axis_count, axes, true));
  tn_array_t* square =
      tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX
          ? tn_array_real(scope,
                          tn_array_multiply(scope, distance, tn_array_conjugate(scope, distance)))
          : tn_array_square(scope, distance);
  tn_array_t* sum = tn_array_sum(scope, square, axis_count, axes, keepdims);
  tn_array_t* count = count_folded(scope, a, set, ddof, sum);
  if (sum->dtype != TN_DTYPE_INVALID) count = tn_array_astype(scope, count, sum->dtype);
  return tn_array_divide(scope, sum, count);
}

tn_array_t* tn_array_std(tn_scope_t* scope, tn_array_t* a, size_t axis_count, const int64_t* axes,
                         bool keepdims, int64_t ddof) {
  TN__OPERATION(scope, "std");
  return tn_array_sqrt(scope, tn_array_var(scope, a, axis_count, axes, keepdims, ddof));
}

// --- exponentials

tn_array_t* tn_array_softmax(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                             const int64_t* axes, bool precise) {
  TN__OPERATION(scope, "softmax");
  uint64_t set = 0;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  if (tn_array_size(a) == 0) return a;
  const tn_dtype_t dtype = tn__at_least_float(a->dtype);
  const bool is_narrow = tn_dtype_kind(dtype) == TN_KIND_FLOAT && tn_dtype_bit_width(dtype) < 32;
  a = tn_array_astype(scope, a, precise && is_narrow ? TN_DTYPE_F32 : dtype);
  tn_array_t* highest =
      tn_array_stop_gradient(scope, tn_array_max(scope, a, axis_count, axes, true));
  tn_array_t* powers = tn_array_exp(scope, tn_array_subtract(scope, a, highest));
  tn_array_t* sum = tn_array_sum(scope, powers, axis_count, axes, true);
  return tn_array_astype(scope, tn_array_divide(scope, powers, sum), dtype);
}

tn_array_t* tn_array_logsumexp(tn_scope_t* scope, tn_array_t* a, size_t axis_count,
                               const int64_t* axes, bool keepdims) {
  TN__OPERATION(scope, "logsumexp");
  uint64_t set = 0;
  tn_array_shape_t shape;
  TN__RETURN_IF_FAILED(begin(scope, a, axis_count, axes, &set));
  a = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  tn_array_t* highest = tn_array_max(scope, a, axis_count, axes, true);
  // An infinite highest element is not taken away: the difference of infinities is no number.
  highest = tn_array_where(scope, tn_array_isfinite(scope, highest), highest,
                           tn__number_like(scope, highest, 0));
  highest = tn_array_stop_gradient(scope, highest);
  tn_array_t* sum = tn_array_sum(scope, tn_array_exp(scope, tn_array_subtract(scope, a, highest)),
                                 axis_count, axes, keepdims);
  reduced_shape(a, set, keepdims, &shape);
  return tn_array_add(scope, tn_array_log(scope, sum),
                      tn_array_reshape(scope, highest, shape.rank, shape.dims));
}
