// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Derivatives of operations element by element. One function for each says what a small change of
// one operand does to the result: its product with the derivative. As the derivative is diagonal,
// it serves both ways.
#include <math.h>

#include "transform/rules/rules.h"

// t * dy/dx for operand `argnum`; y is the result.
typedef tn_array_t* (*tn_chain_fn)(const tn_rule_t* rule, size_t argnum, tn_array_t* y,
                                   tn_array_t* t);

#define SCOPE rule->scope

// --- the words of the slopes in ops/scalar.def

#define A rule->operands[0]
#define B rule->operands[1]
#define Y y
#define T t
#define N(value) tn_array_scalar(SCOPE, y->dtype, (value))
#define TWO(of_a, of_b) (argnum == 0 ? (of_a) : (of_b))
#define SUM(x, z) tn_array_add(SCOPE, (x), (z))
#define DIFFERENCE(x, z) tn_array_subtract(SCOPE, (x), (z))
#define TIMES(x, z) tn_array_multiply(SCOPE, (x), (z))
#define OVER(x, z) tn_array_divide(SCOPE, (x), (z))
#define MINUS(x) tn_array_negative(SCOPE, (x))
#define SQUARE(x) tn_array_square(SCOPE, (x))
#define COS(x) tn_array_cos(SCOPE, (x))
#define EXP(x) tn_array_exp(SCOPE, (x))
#define RSQRT(x) tn_array_rsqrt(SCOPE, (x))
#define SIN(x) tn_array_sin(SCOPE, (x))
#define CHOICE_SLOPE choice_slope(rule, argnum, y, t)
#define POWER_SLOPE power_slope(rule, argnum, y, t)

// --- operations without an expression

// t where the predicate holds, else 0.
static tn_array_t* where(const tn_rule_t* rule, tn_array_t* predicate, tn_array_t* t) {
  tn_array_t* operands[] = {predicate, t, tn__zeros_like(SCOPE, t)};
  return tn__apply(SCOPE, TN__OP(select), 3, operands, t->dtype, t->rank, t->dims);
}

// The operand that is the result gets it all; of two equal ones each gets half.
static tn_array_t* choice_slope(const tn_rule_t* rule, size_t argnum, tn_array_t* y,
                                tn_array_t* t) {
  tn_array_t* is_chosen = tn_array_equal(SCOPE, rule->operands[argnum], y);
  tn_array_t* is_tie = tn_array_equal(SCOPE, A, B);
  tn_array_t* operands[] = {is_tie, TIMES(t, N(0.5)), where(rule, is_chosen, t)};
  return tn__apply(SCOPE, TN__OP(select), 3, operands, t->dtype, t->rank, t->dims);
}

// b * a^(b - 1), which is 0 for b = 0 whatever a is; a^b * log(a), which is 0 for a = 0.
static tn_array_t* power_slope(const tn_rule_t* rule, size_t argnum, tn_array_t* y, tn_array_t* t) {
  tn_array_t* one = tn_array_broadcast_to(SCOPE, N(1), A->rank, A->dims);
  if (argnum == 0) {
    tn_array_t* operands[] = {A, DIFFERENCE(B, one)};
    tn_array_t* lower = tn__apply(SCOPE, TN__OP(power), 2, operands, A->dtype, A->rank, A->dims);
    return where(rule, tn_array_not_equal(SCOPE, B, N(0)), TIMES(t, TIMES(B, lower)));
  }
  tn_array_t* operands[] = {tn_array_equal(SCOPE, A, N(0)), one, A};
  tn_array_t* base = tn__apply(SCOPE, TN__OP(select), 3, operands, A->dtype, A->rank, A->dims);
  tn_array_t* slope = TIMES(t, TIMES(y, tn_array_log(SCOPE, base)));
  return where(rule, tn_array_not_equal(SCOPE, A, N(0)), slope);
}

// Of reals; see tn__jvp_abs.
static tn_array_t* chain_abs(const tn_rule_t* rule, size_t argnum, tn_array_t* y, tn_array_t* t) {
  (void)argnum, (void)y;
  return TIMES(t, tn_array_sign(SCOPE, A));
}

// minimum, x, maximum: the one that is the result.
static tn_array_t* chain_clamp(const tn_rule_t* rule, size_t argnum, tn_array_t* y, tn_array_t* t) {
  (void)y;
  tn_array_t* x = rule->operands[1];
  tn_array_t* is_low = tn_array_less(SCOPE, x, A);
  tn_array_t* is_high = tn_array_greater(SCOPE, x, rule->operands[2]);
  if (argnum == 0) return where(rule, is_low, t);
  if (argnum == 2) return where(rule, is_high, t);
  t = where(rule, tn_array_equal(SCOPE, is_low, tn_array_scalar(SCOPE, TN_DTYPE_PRED, 0)), t);
  return where(rule, tn_array_equal(SCOPE, is_high, tn_array_scalar(SCOPE, TN_DTYPE_PRED, 0)), t);
}

// --- the table

#define CHAIN_NONE(name, dialect, expression)
#define CHAIN_FLAT(name, dialect, expression)
#define CHAIN_OWN(name, dialect, expression)
#define CHAIN_IS(name, dialect, expression)                                                        \
  static tn_array_t* chain_##dialect##_##name(const tn_rule_t* rule, size_t argnum, tn_array_t* y, \
                                              tn_array_t* t) {                                     \
    (void)rule, (void)argnum, (void)y;                                                             \
    return expression;                                                                             \
  }
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, slope, ...) \
  TN_COLUMN(CHAIN, name, dialect, slope)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, slope, \
                  ...)                                                                            \
  TN_COLUMN(CHAIN, name, dialect, slope)
#include "ops/scalar.def"

#define ENTRY_NONE(name, dialect, expression)
#define ENTRY_FLAT(name, dialect, expression)
#define ENTRY_OWN(name, dialect, expression)
#define ENTRY_IS(name, dialect, expression) \
  [TN_OP_ID_##dialect##_##name] = chain_##dialect##_##name,
static const tn_chain_fn chains[TN_OP_ID_COUNT] = {
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, slope, ...) \
  TN_COLUMN(ENTRY, name, dialect, slope)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, slope, \
                  ...)                                                                            \
  TN_COLUMN(ENTRY, name, dialect, slope)
#include "ops/scalar.def"
    [TN_OP_ID_stablehlo_abs] = chain_abs,
    [TN_OP_ID_stablehlo_clamp] = chain_clamp,
};

static tn_chain_fn chain_of(const tn_rule_t* rule) {
  return chains[tn__rule_step(rule)->op - tn__ops];
}

tn_status_t tn__jvp_partial(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* sum = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* part = chain_of(rule)(rule, call->argnums[i], call->outputs[0], call->tangents[i]);
    sum = tn__add_or_either(SCOPE, sum, part);
  }
  call->out_tangents[0] = sum;
  return TN_OK;
}

tn_status_t tn__vjp_partial(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] =
        chain_of(rule)(rule, call->argnums[i], call->outputs[0], call->cotangents[0]);
  }
  return TN_OK;
}

// --- select and convert

static tn_array_t* select_of(const tn_rule_t* rule, tn_array_t* on_true, tn_array_t* on_false) {
  const tn_array_type_t* type = rule->result_types;
  tn_array_t* zeros = tn_array_zeros(SCOPE, type->dtype, type->rank, type->dims);
  tn_array_t* operands[] = {rule->operands[0], on_true ? on_true : zeros,
                            on_false ? on_false : zeros};
  return tn__rule_apply(rule, operands, type);
}

tn_status_t tn__jvp_select(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* tangents[3] = {NULL, NULL, NULL};
  for (size_t i = 0; i < call->argnum_count; ++i) tangents[call->argnums[i]] = call->tangents[i];
  call->out_tangents[0] = select_of(rule, tangents[1], tangents[2]);
  return TN_OK;
}

tn_status_t tn__vjp_select(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  for (size_t i = 0; i < call->argnum_count; ++i) {
    const bool is_true = call->argnums[i] == 1;
    call->out_cotangents[i] = select_of(rule, is_true ? t : NULL, is_true ? NULL : t);
  }
  return TN_OK;
}

// What becomes an integer has no derivative.
tn_status_t tn__jvp_convert(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const tn_dtype_t dtype = rule->result_types[0].dtype;
  const bool is_smooth = tn_issubdtype(dtype, TN_CATEGORY_INEXACT);
  call->out_tangents[0] = is_smooth ? tn_array_astype(SCOPE, call->tangents[0], dtype) : NULL;
  return TN_OK;
}

tn_status_t tn__vjp_convert(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  call->out_cotangents[0] = tn_array_astype(SCOPE, call->cotangents[0], rule->operands[0]->dtype);
  return TN_OK;
}
