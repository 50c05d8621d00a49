// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Comparisons, logic, and what depends on them.
#include <math.h>

#include "array/common.h"

// --- comparisons

static tn_array_t* compare_prepared(tn_scope_t* scope, const char* direction, tn_array_t* a,
                                    tn_array_t* b) {
  tn_array_t* operands[] = {a, b};
  const tn_named_attr_t attribute =
      TN_ENUM_ATTR("comparison_direction", "comparison_direction", direction);
  return tn__apply_with(scope, TN__OP(compare), 2, operands, 1, &attribute, TN_DTYPE_PRED, a->rank,
                        a->dims);
}

// Complex numbers are ordered by their real parts, equal ones by the imaginary parts.
static tn_array_t* compare_complex(tn_scope_t* scope, const char* direction, tn_array_t* a,
                                   tn_array_t* b) {
  const char strict[] = {direction[0], 'T', 0};
  tn_array_t* parts[] = {tn_array_real(scope, a), tn_array_real(scope, b), tn_array_imag(scope, a),
                         tn_array_imag(scope, b)};
  return tn_array_logical_or(
      scope, compare_prepared(scope, strict, parts[0], parts[1]),
      tn_array_logical_and(scope, compare_prepared(scope, "EQ", parts[0], parts[1]),
                           compare_prepared(scope, direction, parts[2], parts[3])));
}

static tn_array_t* compare(tn_scope_t* scope, const char* name, const char* direction,
                           tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, name);
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, 0, &shape, &dtype));
  const bool is_order = direction[0] == 'L' || direction[0] == 'G';
  if (is_order && tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    return compare_complex(scope, direction, operands[0], operands[1]);
  }
  return compare_prepared(scope, direction, operands[0], operands[1]);
}

#define COMPARISON(name, direction)                                              \
  tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) { \
    return compare(scope, #name, direction, a, b);                               \
  }
COMPARISON(equal, "EQ")
COMPARISON(greater, "GT")
COMPARISON(greater_equal, "GE")
COMPARISON(less, "LT")
COMPARISON(less_equal, "LE")
COMPARISON(not_equal, "NE")

// --- logic

#define LOGICAL(name, op)                                                                       \
  tn_array_t* tn_array_logical_##name(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {        \
    tn_array_t* operands[] = {a, b};                                                            \
    return tn__elementwise(scope, "logical_" #name, TN__OP(op), 2, operands, TN_OPERANDS_BOOL); \
  }
LOGICAL(and, and)
LOGICAL(or, or)
LOGICAL(xor, xor)

tn_array_t* tn_array_logical_not(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "logical_not");
  return tn__elementwise(scope, "logical_not", TN__OP(not ), 1, &a, TN_OPERANDS_BOOL);
}

// --- choices

tn_array_t* tn_array_where(tn_scope_t* scope, tn_array_t* condition, tn_array_t* x, tn_array_t* y) {
  TN__OPERATION_ON(scope, "where", condition, x, y);
  tn_array_t* operands[] = {condition, x, y};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 2, operands + 1, &dtype));
  TN__RETURN_IF_FAILED(tn__broadcast_shapes(scope, 3, operands, &shape));
  for (size_t i = 0; i < 3; ++i) {
    operands[i] = tn_array_astype(scope, operands[i], i ? dtype : TN_DTYPE_PRED);
    operands[i] = tn_array_broadcast_to(scope, operands[i], shape.rank, shape.dims);
  }
  return tn__apply(scope, TN__OP(select), 3, operands, dtype, shape.rank, shape.dims);
}

tn_array_t* tn_array_clip(tn_scope_t* scope, tn_array_t* a, tn_array_t* a_min, tn_array_t* a_max) {
  TN__OPERATION(scope, "clip");
  if (!a_min && !a_max) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "neither a_min nor a_max is given");
  }
  if (a_min) a = tn_array_maximum(scope, a, a_min);
  return a_max ? tn_array_minimum(scope, a, a_max) : a;
}

// --- kinds of numbers

typedef tn_array_t* (*unary_fn)(tn_scope_t* scope, tn_array_t* x);

// For complex elements: whether it is so of a part, or of both.
static tn_array_t* of_parts(tn_scope_t* scope, unary_fn is, bool both, tn_array_t* x) {
  tn_array_t* parts[] = {is(scope, tn_array_real(scope, x)), is(scope, tn_array_imag(scope, x))};
  return both ? tn_array_logical_and(scope, parts[0], parts[1])
              : tn_array_logical_or(scope, parts[0], parts[1]);
}

// What `x` is when it holds no floats: all the same. NULL: it does.
static tn_array_t* without_floats(tn_scope_t* scope, bool value, tn_array_t* x) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  if (tn_issubdtype(x->dtype, TN_CATEGORY_INEXACT)) return NULL;
  return tn_array_full(scope, x->rank, x->dims, tn_array_scalar(scope, TN_DTYPE_PRED, value));
}

tn_array_t* tn_array_isnan(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "isnan");
  tn_array_t* known = without_floats(scope, false, a);
  return known ? known : tn_array_not_equal(scope, a, a);
}

tn_array_t* tn_array_isfinite(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "isfinite");
  tn_array_t* known = without_floats(scope, true, a);
  if (known) return known;
  if (tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX) {
    return of_parts(scope, tn_array_isfinite, true, a);
  }
  return tn__map(scope, TN__OP(is_finite), a, TN_DTYPE_PRED);
}

tn_array_t* tn_array_isinf(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "isinf");
  tn_array_t* known = without_floats(scope, false, a);
  if (known) return known;
  if (tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX) return of_parts(scope, tn_array_isinf, false, a);
  tn_array_t* size = tn_array_abs(scope, a);
  return tn_array_equal(scope, size, tn__number_like(scope, size, INFINITY));
}

tn_array_t* tn_array_isposinf(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "isposinf");
  tn_array_t* known = without_floats(scope, false, a);
  return known ? known : tn_array_equal(scope, a, tn__number_like(scope, a, INFINITY));
}

tn_array_t* tn_array_isneginf(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "isneginf");
  tn_array_t* known = without_floats(scope, false, a);
  return known ? known : tn_array_equal(scope, a, tn__number_like(scope, a, -(double)INFINITY));
}

// The largest finite number of a float dtype.
static double largest(tn_dtype_t dtype) {
  switch (dtype) {
    case TN_DTYPE_F16: return 65504;
    case TN_DTYPE_BF16: return 0x1.FEp127;
    case TN_DTYPE_F64: return 0x1.FFFFFFFFFFFFFp1023;
    default: return (double)0x1.FFFFFEp127f;
  }
}

tn_array_t* tn_array_nan_to_num(tn_scope_t* scope, tn_array_t* a, double nan, const double* posinf,
                                const double* neginf) {
  TN__OPERATION_ON(scope, "nan_to_num", a);
  if (!tn_issubdtype(a->dtype, TN_CATEGORY_INEXACT)) return a;
  if (tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "takes no complex elements; got %s",
                          tn_dtype_name(a->dtype));
  }
  const double high = posinf ? *posinf : largest(a->dtype);
  const double low = neginf ? *neginf : -largest(a->dtype);
  tn_array_t* y =
      tn_array_where(scope, tn_array_isnan(scope, a), tn__number_like(scope, a, nan), a);
  y = tn_array_where(scope, tn_array_isposinf(scope, a), tn__number_like(scope, a, high), y);
  return tn_array_where(scope, tn_array_isneginf(scope, a), tn__number_like(scope, a, low), y);
}

// --- closeness

// abs(a - b) <= atol + rtol * abs(b), or the same infinity.
tn_array_t* tn_array_isclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                             double atol, bool equal_nan) {
  TN__OPERATION(scope, "isclose");
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, TN_OPERANDS_FLOAT, &shape, &dtype));
  a = operands[0];
  b = operands[1];
  tn_array_t* size = tn_array_abs(scope, b);
  tn_array_t* limit =
      tn_array_add(scope, tn__number_like(scope, size, atol),
                   tn_array_multiply(scope, tn__number_like(scope, size, rtol), size));
  tn_array_t* distance = tn_array_abs(scope, tn_array_subtract(scope, a, b));
  tn_array_t* are_finite =
      tn_array_logical_and(scope, tn_array_isfinite(scope, a), tn_array_isfinite(scope, b));
  tn_array_t* close =
      tn_array_logical_and(scope, are_finite, tn_array_less_equal(scope, distance, limit));
  close = tn_array_logical_or(scope, close, tn_array_equal(scope, a, b));
  if (!equal_nan) return close;
  tn_array_t* are_nan =
      tn_array_logical_and(scope, tn_array_isnan(scope, a), tn_array_isnan(scope, b));
  return tn_array_logical_or(scope, close, are_nan);
}

tn_array_t* tn_array_allclose(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, double rtol,
                              double atol, bool equal_nan) {
  TN__OPERATION(scope, "allclose");
  return tn_array_all(scope, tn_array_isclose(scope, a, b, rtol, atol, equal_nan), 0, NULL, false);
}

tn_array_t* tn_array_array_equal(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, bool equal_nan) {
  TN__OPERATION_ON(scope, "array_equal", a, b);
  if (a->rank != b->rank || (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) != 0)) {
    return tn_array_scalar(scope, TN_DTYPE_PRED, 0);
  }
  tn_array_t* same = tn_array_equal(scope, a, b);
  if (equal_nan) {
    same = tn_array_logical_or(
        scope, same,
        tn_array_logical_and(scope, tn_array_isnan(scope, a), tn_array_isnan(scope, b)));
  }
  return tn_array_all(scope, same, 0, NULL, false);
}
