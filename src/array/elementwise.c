// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Element by element, after promotion and broadcasting.
#include <math.h>

#include "array/common.h"
#include "ops/scalar.h"

#define NUMBER(x, value) tn__number_like(scope, (x), (value))

tn_array_t* tn_array_astype(tn_scope_t* scope, tn_array_t* a, tn_dtype_t dtype) {
  TN__OPERATION_ON(scope, "astype", a);
  if (a->dtype == dtype) return a;
  TN__RETURN_IF_FAILED(tn__check_dtype(scope, dtype));
  return tn__map(scope, TN__OP(convert), a, dtype);
}

// --- one operand

// Functions that are one operation (ops/scalar.def).
#define RULES_ANY_DTYPE 0
#define RULES_FLOATS TN_OPERANDS_FLOAT
#define RULES_REALS (TN_OPERANDS_FLOAT | TN_OPERANDS_REAL)
#define RULES_INTEGERS TN_OPERANDS_INTEGER
#define UNARY_NONE(op, dialect, pair)
#define UNARY_ARRAY(op, dialect, pair) UNARY_1(TN__OP_OF(dialect, op), UNPACK pair)
#define UNARY_1(op, ...) UNARY_2(op, __VA_ARGS__)
#define UNARY_2(op, name, rules)                                    \
  tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a) {   \
    return tn__elementwise(scope, #name, op, 1, &a, RULES_##rules); \
  }
#define BINARY_NONE(op, dialect, pair)
#define BINARY_ARRAY(op, dialect, pair) BINARY_1(TN__OP_OF(dialect, op), UNPACK pair)
#define BINARY_1(op, ...) BINARY_2(op, __VA_ARGS__)
#define BINARY_2(op, name, rules)                                                \
  tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) { \
    tn_array_t* operands[] = {a, b};                                             \
    return tn__elementwise(scope, #name, op, 2, operands, RULES_##rules);        \
  }
#define UNPACK(...) __VA_ARGS__
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, slope, array, \
                 ...)                                                                            \
  TN_COLUMN(UNARY, name, dialect, array)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, slope, \
                  array, ...)                                                                     \
  TN_COLUMN(BINARY, name, dialect, array)
#include "ops/scalar.def"

static tn_array_t* as_float(tn_scope_t* scope, tn_array_t* x) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  return tn_array_astype(scope, x, tn__at_least_float(x->dtype));
}

// f(a) times or divided by a number, in the dtype of a.
#define SCALED(name, inner, outer, value)                         \
  tn_array_t* tn_array_##name(tn_scope_t* scope, tn_array_t* a) { \
    TN__OPERATION(scope, #name);                                  \
    a = as_float(scope, a);                                       \
    return tn_array_##outer(scope, inner(a), NUMBER(a, value));   \
  }
#define ITSELF(x) (x)
#define LOG_OF(x) tn_array_log(scope, x)
SCALED(degrees, ITSELF, multiply, 180 / M_PI)
SCALED(log10, LOG_OF, divide, M_LN10)
SCALED(log2, LOG_OF, divide, M_LN2)
SCALED(radians, ITSELF, multiply, M_PI / 180)

tn_array_t* tn_array_reciprocal(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "reciprocal");
  a = as_float(scope, a);
  return tn_array_divide(scope, NUMBER(a, 1), a);
}

tn_array_t* tn_array_abs(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "abs", a);
  const tn_kind_t kind = tn_dtype_kind(a->dtype);
  if (kind == TN_KIND_BOOL || kind == TN_KIND_UNSIGNED) return a;
  return tn__map(scope, TN__OP(abs), a, tn__real_dtype(a->dtype));
}

tn_array_t* tn_array_negative(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "negative");
  return tn__elementwise(scope, "negative", TN__OP(negate), 1, &a, TN_OPERANDS_NUMBER);
}

tn_array_t* tn_array_positive(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "positive", a);
  return a;
}

tn_array_t* tn_array_sign(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "sign", a);
  const tn_kind_t kind = tn_dtype_kind(a->dtype);
  if (kind == TN_KIND_BOOL) return a;
  if (kind == TN_KIND_UNSIGNED) return tn_array_minimum(scope, a, NUMBER(a, 1));
  return tn__map(scope, TN__OP(sign), a, a->dtype);
}

tn_array_t* tn_array_square(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "square");
  return tn_array_multiply(scope, a, a);
}

// What integers and booleans are already.
static tn_array_t* round_with(tn_scope_t* scope, const char* name, const tn_op_t* op,
                              tn_array_t* x) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  if (!tn_issubdtype(x->dtype, TN_CATEGORY_INEXACT)) return x;
  return tn__elementwise(scope, name, op, 1, &x, TN_OPERANDS_REAL);
}

tn_array_t* tn_array_ceil(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "ceil");
  return round_with(scope, "ceil", TN__OP(ceil), a);
}

tn_array_t* tn_array_floor(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "floor");
  return round_with(scope, "floor", TN__OP(floor), a);
}

tn_array_t* tn_array_trunc(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "trunc", a);
  if (!tn_issubdtype(a->dtype, TN_CATEGORY_INEXACT)) return a;
  tn_array_t* down = round_with(scope, "trunc", TN__OP(floor), a);
  tn_array_t* up = round_with(scope, "trunc", TN__OP(ceil), a);
  return tn_array_where(scope, tn_array_less(scope, a, NUMBER(a, 0)), up, down);
}

static tn_array_t* round_whole(tn_scope_t* scope, tn_array_t* x) {
  if (tn_dtype_kind(x->dtype) != TN_KIND_COMPLEX) {
    return round_with(scope, "round", TN__OP(round_nearest_even), x);
  }
  tn_array_t* parts[] = {round_whole(scope, tn_array_real(scope, x)),
                         round_whole(scope, tn_array_imag(scope, x))};
  return tn__apply(scope, TN__OP(complex), 2, parts, x->dtype, x->rank, x->dims);
}

tn_array_t* tn_array_round(tn_scope_t* scope, tn_array_t* a, int decimals) {
  TN__OPERATION_ON(scope, "round", a);
  if (decimals == 0) return round_whole(scope, a);
  tn_array_t* y = tn_array_astype(scope, a, tn__at_least_float(a->dtype));
  const double scale = pow(10, decimals);
  // Narrow floats as MLX has them, whose scale is a float.
  const bool is_double = tn__real_dtype(y->dtype) == TN_DTYPE_F64;
  const double back = is_double ? 1 / scale : (double)(1 / (float)scale);
  y = round_whole(scope, tn_array_multiply(scope, y, NUMBER(y, scale)));
  y = tn_array_multiply(scope, y, NUMBER(y, back));
  return tn_array_astype(scope, y, a->dtype);
}

// --- complex elements

static tn_array_t* part(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  if (tn_dtype_kind(x->dtype) == TN_KIND_COMPLEX) {
    return tn__map(scope, op, x, tn__real_dtype(x->dtype));
  }
  return op == TN__OP(real) ? x : tn_array_zeros(scope, x->dtype, x->rank, x->dims);
}

tn_array_t* tn_array_real(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "real");
  return part(scope, TN__OP(real), a);
}

tn_array_t* tn_array_imag(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "imag");
  return part(scope, TN__OP(imag), a);
}

tn_array_t* tn_array_conjugate(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "conjugate", a);
  if (tn_dtype_kind(a->dtype) != TN_KIND_COMPLEX) return a;
  tn_array_t* parts[] = {tn_array_real(scope, a),
                         tn_array_negative(scope, tn_array_imag(scope, a))};
  return tn__apply(scope, TN__OP(complex), 2, parts, a->dtype, a->rank, a->dims);
}

// --- two operands

tn_array_t* tn_array_subtract(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "subtract");
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, 0, &shape, &dtype));
  // Of booleans: modulo 2.
  const tn_op_t* op = dtype == TN_DTYPE_PRED ? TN__OP(xor) : TN__OP(subtract);
  return tn__apply(scope, op, 2, operands, dtype, shape.rank, shape.dims);
}

tn_array_t* tn_array_bitwise_invert(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "bitwise_invert");
  return tn__elementwise(scope, "bitwise_invert", TN__OP(not ), 1, &a, TN_OPERANDS_INTEGER);
}

static tn_array_t* shift(tn_scope_t* scope, bool left, tn_array_t* a, tn_array_t* b) {
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, TN_OPERANDS_INTEGER, &shape, &dtype));
  if (dtype == TN_DTYPE_PRED) {
    dtype = TN_DTYPE_U8;
    for (size_t i = 0; i < 2; ++i) operands[i] = tn_array_astype(scope, operands[i], dtype);
  }
  const bool is_signed = tn_dtype_kind(dtype) == TN_KIND_SIGNED;
  const tn_op_t* op = left        ? TN__OP(shift_left)
                      : is_signed ? TN__OP(shift_right_arithmetic)
                                  : TN__OP(shift_right_logical);
  return tn__apply(scope, op, 2, operands, dtype, shape.rank, shape.dims);
}

tn_array_t* tn_array_left_shift(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "left_shift");
  return shift(scope, true, a, b);
}

tn_array_t* tn_array_right_shift(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "right_shift");
  return shift(scope, false, a, b);
}

// log(exp(a) + exp(b)), without the difference of equal infinities.
tn_array_t* tn_array_logaddexp(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "logaddexp");
  tn_array_t* operands[] = {a, b};
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, TN_OPERANDS_FLOAT, &shape, &dtype));
  tn_array_t* high = tn_array_maximum(scope, operands[0], operands[1]);
  tn_array_t* low = tn_array_minimum(scope, operands[0], operands[1]);
  tn_array_t* distance = tn_array_where(scope, tn_array_equal(scope, operands[0], operands[1]),
                                        NUMBER(high, 0), tn_array_subtract(scope, low, high));
  return tn_array_add(scope, high, tn_array_log1p(scope, tn_array_exp(scope, distance)));
}

// --- quotients and powers

// Booleans as the integers that they are for what has no meaning on them.
static tn_array_t* prepare_quotient(tn_scope_t* scope, unsigned rules, tn_array_t** operands,
                                    bool* out_is_bool) {
  tn_array_shape_t shape;
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__prepare(scope, 2, operands, rules, &shape, &dtype));
  *out_is_bool = dtype == TN_DTYPE_PRED;
  for (size_t i = 0; i < 2 && *out_is_bool; ++i) {
    operands[i] = tn_array_astype(scope, operands[i], TN_DTYPE_U8);
  }
  return NULL;
}

static tn_array_t* apply_two(tn_scope_t* scope, const tn_op_t* op, tn_array_t** operands) {
  tn_array_t* a = operands[0];
  return tn__apply(scope, op, 2, operands, a->dtype, a->rank, a->dims);
}

static tn_array_t* as_bool_if(tn_scope_t* scope, bool is_bool, tn_array_t* x) {
  return is_bool ? tn_array_astype(scope, x, TN_DTYPE_PRED) : x;
}

// Where a quotient that was cut towards zero is above the true one: the remainder has the sign that
// the divisor does not have.
static tn_array_t* is_above(tn_scope_t* scope, tn_array_t* rest, tn_array_t* divisor) {
  tn_array_t* zero = NUMBER(rest, 0);
  tn_array_t* differ = tn_array_not_equal(scope, tn_array_less(scope, rest, zero),
                                          tn_array_less(scope, divisor, zero));
  return tn_array_logical_and(scope, differ, tn_array_not_equal(scope, rest, zero));
}

tn_array_t* tn_array_remainder(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "remainder");
  tn_array_t* operands[] = {a, b};
  bool is_bool = false;
  TN__RETURN_IF_FAILED(prepare_quotient(scope, TN_OPERANDS_REAL, operands, &is_bool));
  tn_array_t* rest = apply_two(scope, TN__OP(remainder), operands);
  if (tn_dtype_kind(operands[0]->dtype) != TN_KIND_UNSIGNED) {
    rest = tn_array_where(scope, is_above(scope, rest, operands[1]),
                          tn_array_add(scope, rest, operands[1]), rest);
  }
  return as_bool_if(scope, is_bool, rest);
}

tn_array_t* tn_array_floor_divide(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "floor_divide");
  tn_array_t* operands[] = {a, b};
  bool is_bool = false;
  TN__RETURN_IF_FAILED(prepare_quotient(scope, TN_OPERANDS_REAL, operands, &is_bool));
  tn_array_t* quotient = apply_two(scope, TN__OP(divide), operands);
  const tn_kind_t kind = tn_dtype_kind(operands[0]->dtype);
  if (kind == TN_KIND_FLOAT) return tn_array_floor(scope, quotient);
  if (kind == TN_KIND_UNSIGNED) return as_bool_if(scope, is_bool, quotient);
  tn_array_t* rest = apply_two(scope, TN__OP(remainder), operands);
  return tn_array_where(scope, is_above(scope, rest, operands[1]),
                        tn_array_subtract(scope, quotient, NUMBER(quotient, 1)), quotient);
}

void tn_array_divmod(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, tn_array_t** out_quotient,
                     tn_array_t** out_remainder) {
  TN__OPERATION(scope, "divmod");
  *out_quotient = tn_array_floor_divide(scope, a, b);
  *out_remainder = tn_array_remainder(scope, a, b);
}

tn_array_t* tn_array_power(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "power");
  tn_array_t* operands[] = {a, b};
  bool is_bool = false;
  TN__RETURN_IF_FAILED(prepare_quotient(scope, 0, operands, &is_bool));
  return as_bool_if(scope, is_bool, apply_two(scope, TN__OP(power), operands));
}
