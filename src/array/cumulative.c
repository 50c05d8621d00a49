// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Folds of all elements up to each one.
#include <math.h>

#include "array/common.h"
#include "lazy/body.h"

// What a cumulative operation is asked for, checked.
typedef struct tn_cumulation {
  size_t axis;
  bool is_reverse;
} tn_cumulation_t;

// Windows that reach from an end of the axis to each element.
static tn_array_t* windows(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, tn_array_t* initial,
                           tn_cumulation_t how) {
  int64_t sizes[TN_MAX_RANK], padding[2 * TN_MAX_RANK] = {0};
  const int64_t length = x->dims[how.axis];
  for (size_t i = 0; i < x->rank; ++i) sizes[i] = i == how.axis ? length : 1;
  padding[2 * how.axis + how.is_reverse] = length - 1;
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("window_dimensions", x->rank, sizes),
      TN_I64_PAIRS_ATTR("padding", x->rank, padding),
  };
  tn_array_t* operands[] = {x, initial};
  const tn_array_type_t type = {x->dtype, x->rank, x->dims};
  return tn__apply_body(scope, TN__OP(reduce_window), 2, operands, 2, attributes,
                        tn__body_of(scope, op, x->dtype), &type);
}

// Everything `distance` places on, away from where the fold begins.
static tn_array_t* moved(tn_scope_t* scope, tn_array_t* x, tn_array_t* filling, tn_cumulation_t how,
                         int64_t distance) {
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0}, none[TN_MAX_RANK] = {0};
  low[how.axis] = how.is_reverse ? -distance : distance;
  high[how.axis] = -low[how.axis];
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", x->rank, low),
      TN_I64_LIST_ATTR("edge_padding_high", x->rank, high),
      TN_I64_LIST_ATTR("interior_padding", x->rank, none),
  };
  tn_array_t* operands[] = {x, filling};
  return tn__apply_with(scope, TN__OP(pad), 2, operands, 3, attributes, x->dtype, x->rank, x->dims);
}

static tn_array_t* cumulate(tn_scope_t* scope, const tn_op_t* op, double initial, tn_array_t* x,
                            int64_t axis, bool reverse, bool inclusive) {
  tn_cumulation_t how = {.is_reverse = reverse};
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &x, axis, &how.axis));
  const float pair[] = {(float)initial, isinf(initial) ? (float)initial : 0};
  tn_array_t* first = x->dtype == TN_DTYPE_C64    ? tn_array_scalar_of(scope, x->dtype, pair)
                      : x->dtype == TN_DTYPE_PRED ? tn_array_scalar(scope, x->dtype, initial > 0)
                                                  : tn_array_scalar(scope, x->dtype, initial);
  if (x->dims[how.axis] == 0) return x;
  tn_array_t* result = windows(scope, op, x, first, how);
  return inclusive ? result : moved(scope, result, first, how, 1);
}

tn_array_t* tn_array_cumsum(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool reverse,
                            bool inclusive) {
  TN__OPERATION_ON(scope, "cumsum", a);
  if (a->dtype == TN_DTYPE_PRED) a = tn_array_astype(scope, a, TN_DTYPE_S32);
  return cumulate(scope, TN__OP(add), 0, a, axis, reverse, inclusive);
}

tn_array_t* tn_array_cumprod(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool reverse,
                             bool inclusive) {
  TN__OPERATION(scope, "cumprod");
  return cumulate(scope, TN__OP(multiply), 1, a, axis, reverse, inclusive);
}

tn_array_t* tn_array_cummax(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool reverse,
                            bool inclusive) {
  TN__OPERATION(scope, "cummax");
  return cumulate(scope, TN__OP(maximum), -(double)INFINITY, a, axis, reverse, inclusive);
}

tn_array_t* tn_array_cummin(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool reverse,
                            bool inclusive) {
  TN__OPERATION(scope, "cummin");
  return cumulate(scope, TN__OP(minimum), INFINITY, a, axis, reverse, inclusive);
}

// Each round folds twice as many elements into one: there is no window of this operation.
tn_array_t* tn_array_logcumsumexp(tn_scope_t* scope, tn_array_t* a, int64_t axis, bool reverse,
                                  bool inclusive) {
  TN__OPERATION(scope, "logcumsumexp");
  tn_cumulation_t how = {.is_reverse = reverse};
  TN__RETURN_IF_FAILED(tn__axis_or_all(scope, &a, axis, &how.axis));
  a = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  tn_array_t* nothing = tn__number_like(scope, a, -(double)INFINITY);
  const int64_t length = a->dims[how.axis];
  for (int64_t distance = 1; distance < length; distance *= 2) {
    a = tn_array_logaddexp(scope, a, moved(scope, a, nothing, how, distance));
  }
  return inclusive || length == 0 ? a : moved(scope, a, nothing, how, 1);
}
