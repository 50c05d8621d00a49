// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Adapters: elementwise functions that the array API standard has besides mlx.core.

#include <math.h>

#include "adapters.h"

// Two operands, promoted to a real float dtype together. Numbers take that of an array beside them.
static bool read_pair(core_call_t* call, const char* name, PyObject* const* objects,
                      tn_array_t** out_pair) {
  const bool is_second_first = core_is_number(objects[0]);
  for (size_t i = 0; i < 2; ++i) {
    const size_t at = is_second_first ? 1 - i : i;
    const tn_dtype_t like = i ? tn_array_dtype(out_pair[1 - at]) : TN_DTYPE_INVALID;
    if (!core_convert(call, objects[at], like, &out_pair[at])) return false;
  }
  tn_dtype_t dtype = tn_promote_types(tn_array_dtype(out_pair[0]), tn_array_dtype(out_pair[1]));
  if (tn_dtype_kind(dtype) == TN_KIND_COMPLEX) {
    PyErr_Format(PyExc_ValueError, "%s: takes no complex elements; got %s", name,
                 tn_dtype_numpy_name(dtype));
    return false;
  }
  if (!(tn_dtype_kind(dtype) & TN_KIND_FLOAT)) dtype = TN_DTYPE_F32;
  for (size_t i = 0; i < 2; ++i) out_pair[i] = tn_array_astype(call->scope, out_pair[i], dtype);
  tn_array_broadcast_arrays(call->scope, 2, out_pair, out_pair);
  return true;
}

static tn_dtype_t integer_of(tn_dtype_t dtype) {
  switch (tn_dtype_byte_size(dtype)) {
    case 1: return TN_DTYPE_S8;
    case 2: return TN_DTYPE_S16;
    case 4: return TN_DTYPE_S32;
    default: return TN_DTYPE_S64;
  }
}

static tn_array_t* bits_of(tn_scope_t* scope, tn_array_t* a) {
  return tn_array_view(scope, a, integer_of(tn_array_dtype(a)));
}

static tn_array_t* is_negative(tn_scope_t* scope, tn_array_t* a) {
  return tn_array_less(scope, a, tn_array_scalar_like(scope, a, 0));
}

static tn_array_t* sign_of(tn_scope_t* scope, tn_array_t* a) {
  return is_negative(scope, bits_of(scope, a));
}

PyObject* core_signbit(core_call_t* call, PyObject* const* objects) {
  tn_array_t* a = NULL;
  if (!core_convert(call, objects[0], TN_DTYPE_INVALID, &a)) return NULL;
  const tn_kind_t kind = tn_dtype_kind(tn_array_dtype(a));
  if (kind == TN_KIND_COMPLEX) {
    return PyErr_Format(PyExc_ValueError, "signbit: takes no complex elements; got %s",
                        tn_dtype_numpy_name(tn_array_dtype(a)));
  }
  const bool is_float = kind & TN_KIND_FLOAT;
  return core_array_object(is_float ? sign_of(call->scope, a) : is_negative(call->scope, a));
}

PyObject* core_copysign(core_call_t* call, PyObject* const* objects) {
  tn_array_t* pair[2];
  tn_scope_t* scope = call->scope;
  if (!read_pair(call, "copysign", objects, pair)) return NULL;
  tn_array_t* is_same = tn_array_equal(scope, sign_of(scope, pair[0]), sign_of(scope, pair[1]));
  return core_array_object(
      tn_array_where(scope, is_same, pair[0], tn_array_negative(scope, pair[0])));
}

// The larger magnitude times sqrt(1 + quotient^2), without overflow. An infinity counts more than
// a NaN.
PyObject* core_hypot(core_call_t* call, PyObject* const* objects) {
  tn_array_t* pair[2];
  tn_scope_t* scope = call->scope;
  if (!read_pair(call, "hypot", objects, pair)) return NULL;
  tn_array_t *a = tn_array_abs(scope, pair[0]), *b = tn_array_abs(scope, pair[1]);
  tn_array_t *high = tn_array_maximum(scope, a, b), *low = tn_array_minimum(scope, a, b);
  tn_array_t* zero = tn_array_scalar_like(scope, a, 0);
  tn_array_t* one = tn_array_scalar_like(scope, a, 1);
  tn_array_t* infinity = tn_array_scalar_like(scope, a, INFINITY);
  tn_array_t* divisor = tn_array_where(scope, tn_array_equal(scope, high, zero), one, high);
  tn_array_t* ratio = tn_array_square(scope, tn_array_divide(scope, low, divisor));
  tn_array_t* root = tn_array_sqrt(scope, tn_array_add(scope, one, ratio));
  tn_array_t* is_infinite = tn_array_logical_or(scope, tn_array_equal(scope, a, infinity),
                                                tn_array_equal(scope, b, infinity));
  return core_array_object(
      tn_array_where(scope, is_infinite, infinity, tn_array_multiply(scope, high, root)));
}

// The floats of one sign are in the order of their bits as integers.
PyObject* core_nextafter(core_call_t* call, PyObject* const* objects) {
  tn_array_t* pair[2];
  tn_scope_t* scope = call->scope;
  if (!read_pair(call, "nextafter", objects, pair)) return NULL;
  tn_array_t *a = pair[0], *b = pair[1], *bits = bits_of(scope, a);
  tn_array_t* zero = tn_array_scalar_like(scope, a, 0);
  tn_array_t *up = tn_array_scalar_like(scope, bits, 1),
             *down = tn_array_scalar_like(scope, bits, -1);
  tn_array_t* is_away =
      tn_array_equal(scope, tn_array_less(scope, a, b), tn_array_greater(scope, a, zero));
  tn_array_t* next = tn_array_add(scope, bits, tn_array_where(scope, is_away, up, down));
  next = tn_array_view(scope, next, tn_array_dtype(a));
  // From zero: the smallest number, with the sign of b.
  tn_array_t* smallest = tn_array_view(scope, up, tn_array_dtype(a));
  smallest = tn_array_where(scope, sign_of(scope, b), tn_array_negative(scope, smallest), smallest);
  next = tn_array_where(scope, tn_array_equal(scope, a, zero), smallest, next);
  next = tn_array_where(scope, tn_array_equal(scope, a, b), b, next);
  tn_array_t* is_nan =
      tn_array_logical_or(scope, tn_array_isnan(scope, a), tn_array_isnan(scope, b));
  return core_array_object(tn_array_where(scope, is_nan, tn_array_add(scope, a, b), next));
}
