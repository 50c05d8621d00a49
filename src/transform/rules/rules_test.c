// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "transform/rules/testing_rules.h"

// --- the functions

#define UNARY(name)                                                   \
  static tn_array_t* of_##name(tn_scope_t* s, tn_array_t* const* x) { \
    return tn_array_##name(s, x[0]);                                  \
  }
#define BINARY(name)                                                  \
  static tn_array_t* of_##name(tn_scope_t* s, tn_array_t* const* x) { \
    return tn_array_##name(s, x[0], x[1]);                            \
  }
UNARY(abs)
UNARY(arccos)
UNARY(arccosh)
UNARY(arcsin)
UNARY(arcsinh)
UNARY(arctan)
UNARY(arctanh)
UNARY(cos)
UNARY(cosh)
UNARY(erf)
UNARY(erfinv)
UNARY(exp)
UNARY(expm1)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(negative)
UNARY(reciprocal)
UNARY(rsqrt)
UNARY(sigmoid)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(square)
UNARY(tan)
UNARY(tanh)
BINARY(add)
BINARY(arctan2)
BINARY(divide)
BINARY(logaddexp)
BINARY(matmul)
BINARY(maximum)
BINARY(minimum)
BINARY(multiply)
BINARY(power)
BINARY(remainder)
BINARY(subtract)

static const int64_t first[] = {0}, last[] = {-1};

TN_SUBJECT(sum) {
  return tn_array_sum(s, x[0], 1, last, true);
}
TN_SUBJECT(mean) {
  return tn_array_mean(s, x[0], 1, first, false);
}
TN_SUBJECT(max) {
  return tn_array_max(s, x[0], 1, last, false);
}
TN_SUBJECT(min) {
  return tn_array_min(s, x[0], 0, NULL, false);
}
TN_SUBJECT(prod) {
  return tn_array_prod(s, x[0], 1, last, false);
}
TN_SUBJECT(variance) {
  return tn_array_var(s, x[0], 1, last, false, 1);
}
TN_SUBJECT(softmax) {
  return tn_array_softmax(s, x[0], 1, last, false);
}
TN_SUBJECT(logsumexp) {
  return tn_array_logsumexp(s, x[0], 1, last, false);
}
TN_SUBJECT(cumsum) {
  return tn_array_cumsum(s, x[0], -1, false, true);
}
TN_SUBJECT(sort) {
  return tn_array_sort(s, x[0], -1);
}
TN_SUBJECT(concatenate) {
  return tn_array_concatenate(s, 2, x, 1);
}
TN_SUBJECT(stack) {
  return tn_array_stack(s, 2, x, 0);
}
TN_SUBJECT(transpose) {
  return tn_array_transpose(s, x[0], NULL);
}
TN_SUBJECT(diagonal) {
  return tn_array_diagonal(s, x[0], 0, 0, 1);
}
TN_SUBJECT(tril) {
  return tn_array_tril(s, x[0], 0);
}
TN_SUBJECT(reshape) {
  return tn_array_reshape(s, tn_array_transpose(s, x[0], NULL), TN_LIST(-1));
}
TN_SUBJECT(roll) {
  return tn_array_roll(s, x[0], TN_LIST(1), last);
}
TN_SUBJECT(broadcast) {
  return tn_array_broadcast_to(s, x[0], TN_LIST(2, 4, 3));
}
TN_SUBJECT(clip) {
  return tn_array_clip(s, x[0], tn_array_scalar(s, TN_DTYPE_F64, -0.4),
                       tn_array_scalar(s, TN_DTYPE_F64, 0.5));
}
TN_SUBJECT(where) {
  return tn_array_where(s, tn_array_greater(s, x[0], x[1]), tn_array_square(s, x[0]), x[1]);
}
TN_SUBJECT(slice) {
  return tn_array_slice(s, x[0], (int64_t[]){-1, 2}, (int64_t[]){-5, 0}, (int64_t[]){-2, -1});
}
TN_SUBJECT(pad) {
  return tn_array_pad(s, x[0], (int64_t[]){1, 0}, (int64_t[]){0, 2}, TN_PAD_CONSTANT,
                      tn_array_scalar(s, TN_DTYPE_F64, 3));
}
TN_SUBJECT(take) {
  const int32_t places[] = {2, 0, 2, 1};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(4), places, sizeof places);
  return tn_array_take(s, x[0], indices, -1);
}
TN_SUBJECT(take_along_axis) {
  return tn_array_take_along_axis(s, x[0], tn_array_argsort(s, x[1], -1), -1);
}
TN_SUBJECT(put) {
  const int32_t places[] = {2, 0, 2, 1};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(4, 1), places, sizeof places);
  return tn_array_put_along_axis(s, x[0], indices, x[1], -1, TN_SCATTER_SET);
}
// Places 2 and 0 of the last two rows come twice.
static tn_array_t* put_twice(tn_scope_t* s, tn_array_t* const* x, tn_scatter_mode_t mode) {
  const int32_t places[] = {2, 1, 0, 2, 2, 2, 0, 0};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(4, 2), places, sizeof places);
  return tn_array_put_along_axis(s, x[0], indices, x[1], -1, mode);
}
TN_SUBJECT(put_max) {
  return put_twice(s, x, TN_SCATTER_MAXIMUM);
}
TN_SUBJECT(put_min) {
  return put_twice(s, x, TN_SCATTER_MINIMUM);
}
TN_SUBJECT(put_product) {
  return put_twice(s, x, TN_SCATTER_MULTIPLY);
}
// Of zeros among what is multiplied: at a place of one update, of two, and in the operand.
TN_SUBJECT(put_product_of_zeros) {
  static const double zeros[] = {1, 0, 1, 1, 0, 0, 0, 1},
                      ones[] = {1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 1};
  tn_array_t* factors[] = {tn_array_from_host(s, TN_DTYPE_F64, TN_LIST(4, 3), ones, sizeof ones),
                           tn_array_from_host(s, TN_DTYPE_F64, TN_LIST(4, 2), zeros, sizeof zeros)};
  for (size_t i = 0; i < 2; ++i) factors[i] = tn_array_add(s, factors[i], x[i]);
  return put_twice(s, factors, TN_SCATTER_MULTIPLY);
}
// The last column goes nowhere.
static tn_array_t* put_outside(tn_scope_t* s, tn_array_t* const* x, tn_scatter_mode_t mode) {
  const int32_t places[] = {2, 1, 3, 0, 2, 5, 2, 1, 99, 0, 0, 3};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(4, 3), places, sizeof places);
  return tn_array_put_along_axis(s, x[0], indices, x[1], -1, mode);
}
TN_SUBJECT(put_set_outside) {
  return put_outside(s, x, TN_SCATTER_SET);
}
TN_SUBJECT(put_add_outside) {
  return put_outside(s, x, TN_SCATTER_ADD);
}
TN_SUBJECT(put_product_outside) {
  return put_outside(s, x, TN_SCATTER_MULTIPLY);
}
TN_SUBJECT(put_max_outside) {
  return put_outside(s, x, TN_SCATTER_MAXIMUM);
}
TN_SUBJECT(take_outside) {
  const int32_t places[] = {2, 1, 3, 0, 2, 5};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(6), places, sizeof places);
  return tn_array_take(s, x[0], indices, -1);
}
TN_SUBJECT(put_quotient) {
  return put_twice(s, x, TN_SCATTER_DIVIDE);
}
TN_SUBJECT(put_add) {
  const int32_t places[] = {2, 0, 2, 2, 1, 1, 0, 0};
  tn_array_t* indices = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(4, 2), places, sizeof places);
  return tn_array_put_along_axis(s, x[0], indices, x[1], -1, TN_SCATTER_ADD);
}
TN_SUBJECT(tensordot) {
  return tn_array_tensordot(s, x[0], x[1], 1, (const int64_t[]){1}, (const int64_t[]){0});
}
TN_SUBJECT(network) {
  tn_array_t* hidden = tn_array_tanh(s, tn_array_matmul(s, x[0], x[1]));
  return tn_array_softmax(s, tn_array_matmul(s, hidden, x[2]), 1, last, false);
}

// Zeros where the inputs are zeros: none, one or two of a row.
TN_SUBJECT(prod_of_zeros) {
  const double shift[] = {0, 1, 2, 0, 0, 1, 1, 2, 3, 3, 0, 2};
  tn_array_t* y = tn_array_from_host(s, TN_DTYPE_F64, TN_LIST(4, 3), shift, sizeof shift);
  return tn_array_prod(s, tn_array_add(s, x[0], y), 1, last, false);
}
TN_SUBJECT(prod_of_columns) {
  tn_array_t* cube = tn_array_reshape(s, x[0], TN_LIST(2, 2, 3));
  return tn_array_prod(s, cube, 2, (const int64_t[]){0, 2}, true);
}

static tn_array_t* as_f64(tn_scope_t* s, tn_array_t* x) {
  return tn_array_astype(s, x, TN_DTYPE_F64);
}
TN_SUBJECT(all) {
  return as_f64(s, tn_array_all(s, tn_array_greater(s, x[0], x[1]), 1, last, false));
}
TN_SUBJECT(any) {
  return as_f64(s, tn_array_any(s, tn_array_greater(s, x[0], x[1]), 1, first, false));
}
TN_SUBJECT(argmax) {
  return as_f64(s, tn_array_argmax(s, x[0], 0, false));
}
TN_SUBJECT(argmin) {
  return as_f64(s, tn_array_argmin(s, x[0], TN_ALL_AXES, false));
}
TN_SUBJECT(bits) {
  return as_f64(s, tn_array_view(s, x[0], TN_DTYPE_S16));
}

// --- gradients, whose derivatives are second ones

TN_GRADIENT(prod_of_zeros, 1, 0)
TN_GRADIENT(put_max, 2, 1)
TN_GRADIENT(put_product, 2, 1)
TN_PLAIN_GRADIENT(prod_of_zeros, 1)
TN_PLAIN_GRADIENT(put_product_of_zeros, 2)
TN_SUBJECT(second_gradient_of_put_product_of_zeros) {
  return tn__plain_gradient_of(s, of_plain_gradient_of_put_product_of_zeros, 2, x);
}

static const tn_rule_case_t cases[] = {
    TN_RULE_ONE(abs, -1, 1),
    TN_RULE_ONE(arccos, -0.9, 0.9),
    TN_RULE_ONE(arccosh, 1.2, 3),
    TN_RULE_ONE(arcsin, -0.9, 0.9),
    TN_RULE_ONE(arcsinh, -2, 2),
    TN_RULE_ONE(arctan, -2, 2),
    TN_RULE_ONE(arctanh, -0.9, 0.9),
    TN_RULE_ONE(cos, -2, 2),
    TN_RULE_ONE(cosh, -2, 2),
    TN_RULE_ONE(erf, -2, 2),
    TN_RULE_ONE(erfinv, -0.9, 0.9),
    TN_RULE_ONE(exp, -2, 2),
    TN_RULE_ONE(expm1, -2, 2),
    TN_RULE_ONE(log, 0.2, 3),
    TN_RULE_ONE(log10, 0.2, 3),
    TN_RULE_ONE(log1p, -0.5, 3),
    TN_RULE_ONE(log2, 0.2, 3),
    TN_RULE_ONE(negative, -2, 2),
    TN_RULE_ONE(reciprocal, 0.3, 2),
    TN_RULE_ONE(rsqrt, 0.3, 2),
    TN_RULE_ONE(sigmoid, -2, 2),
    TN_RULE_ONE(sin, -2, 2),
    TN_RULE_ONE(sinh, -2, 2),
    TN_RULE_ONE(sqrt, 0.3, 2),
    TN_RULE_ONE(square, -2, 2),
    TN_RULE_ONE(tan, -1, 1),
    TN_RULE_ONE(tanh, -2, 2),
    TN_RULE_TWO(add, -2, 2),
    TN_RULE_TWO(arctan2, 0.2, 2),
    TN_RULE_TWO(divide, 0.3, 2),
    TN_RULE_TWO(logaddexp, -2, 2),
    TN_RULE_TWO(maximum, -2, 2),
    TN_RULE_TWO(minimum, -2, 2),
    TN_RULE_TWO(multiply, -2, 2),
    TN_RULE_TWO(power, 0.3, 2),
    TN_RULE_TWO(remainder, 0.6, 0.9),
    TN_RULE_TWO(subtract, -2, 2),
    {"add, broadcast", of_add, 2, {2, 1}, {TN_RULE_MATRIX, {3}}, -2, 2},
    {"matmul", of_matmul, 2, {2, 2}, {TN_RULE_MATRIX, {3, 2}}, -1, 1},
    {"matmul, batched", of_matmul, 2, {3, 2}, {{2, 4, 3}, {3, 2}}, -1, 1},
    {"matmul of vectors", of_matmul, 2, {1, 2}, {{3}, {3, 2}}, -1, 1},
    TN_RULE_ONE(sum, -1, 1),
    TN_RULE_ONE(mean, -1, 1),
    TN_RULE_ONE(max, -1, 1),
    TN_RULE_ONE(min, -1, 1),
    TN_RULE_ONE(prod, 0.3, 1),
    TN_RULE_ONE(variance, -1, 1),
    TN_RULE_ONE(softmax, -1, 1),
    TN_RULE_ONE(logsumexp, -1, 1),
    TN_RULE_ONE(cumsum, -1, 1),
    TN_RULE_ONE(sort, -1, 1),
    TN_RULE_TWO(concatenate, -1, 1),
    TN_RULE_TWO(stack, -1, 1),
    TN_RULE_ONE(transpose, -1, 1),
    TN_RULE_ONE(diagonal, -1, 1),
    TN_RULE_ONE(tril, -1, 1),
    TN_RULE_ONE(reshape, -1, 1),
    TN_RULE_ONE(roll, -1, 1),
    TN_RULE_ONE(broadcast, -1, 1),
    TN_RULE_ONE(clip, -1, 1),
    TN_RULE_TWO(where, -1, 1),
    TN_RULE_ONE(slice, -1, 1),
    TN_RULE_ONE(pad, -1, 1),
    TN_RULE_ONE(take, -1, 1),
    TN_RULE_TWO(take_along_axis, -1, 1),
    {"put", of_put, 2, {2, 2}, {TN_RULE_MATRIX, {4, 1}}, -1, 1},
    {"put_add", of_put_add, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, -1, 1},
    {"put_max", of_put_max, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, -1, 1},
    {"put_min", of_put_min, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, -1, 1},
    {"put_product", of_put_product, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, -1, 1},
    {"put_quotient", of_put_quotient, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, 0.5, 1},
    {"put_product_of_zeros", of_put_product_of_zeros, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, 0, 0},
    {"gradient of put_product_of_zeros",
     of_plain_gradient_of_put_product_of_zeros,
     2,
     {2, 2},
     {TN_RULE_MATRIX, {4, 2}},
     0,
     0},
    {"second gradient of put_product_of_zeros",
     of_second_gradient_of_put_product_of_zeros,
     2,
     {2, 2},
     {TN_RULE_MATRIX, {4, 2}},
     0,
     0},
    TN_RULE_TWO(put_set_outside, -1, 1),
    TN_RULE_TWO(put_add_outside, -1, 1),
    TN_RULE_TWO(put_product_outside, -1, 1),
    TN_RULE_TWO(put_max_outside, -1, 1),
    TN_RULE_ONE(take_outside, -1, 1),
    {"gradient of put_max", of_gradient_of_put_max, 2, {2, 2}, {TN_RULE_MATRIX, {4, 2}}, -1, 1},
    {"gradient of put_product",
     of_gradient_of_put_product,
     2,
     {2, 2},
     {TN_RULE_MATRIX, {4, 2}},
     0.5,
     1},
    {"tensordot", of_tensordot, 2, {2, 2}, {TN_RULE_MATRIX, {3, 2}}, -1, 1},
    TN_RULE_ONE(prod_of_zeros, 0, 0),
    TN_RULE_ONE(prod_of_columns, -1, 1),
    TN_RULE_TWO(all, -1, 1),
    TN_RULE_TWO(any, -1, 1),
    TN_RULE_ONE(argmax, -1, 1),
    TN_RULE_ONE(argmin, -1, 1),
    TN_RULE_ONE(gradient_of_prod_of_zeros, 0, 0),
    TN_RULE_ONE(plain_gradient_of_prod_of_zeros, 0, 0),
    {"network", of_network, 3, {2, 2, 2}, {TN_RULE_MATRIX, {3, 5}, {5, 2}}, -1, 1},
};

static void rules_agree_with_differences_and_batches_with_elements(void** state) {
  (void)state;
  tn__check_rules(sizeof cases / sizeof *cases, cases, true);
}

static void batches_of_bits_are_their_elements(void** state) {
  (void)state;
  static const tn_rule_case_t bits = TN_RULE_ONE(bits, -1, 1);
  tn__check_rules(1, &bits, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_agree_with_differences_and_batches_with_elements),
      cmocka_unit_test(batches_of_bits_are_their_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
