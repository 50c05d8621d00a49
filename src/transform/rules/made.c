// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of what is made of a matrix by several steps, and known by an identity behind them: QR
// factors, pseudoinverses, determinants. Each has one function, linear in the change of the matrix,
// that serves both ways.
#include "transform/rules/matrix.h"

typedef struct tn_made {
  tn_array_t* const* results;
  tn_array_t* matrix;
} tn_made_t;

// From A = Q R follows Q* dA R^-1 = Q* dQ + dR R^-1: what turns Q in its plane is a skew matrix,
// and the other one an upper triangle. Q is that of the leading columns if there are more of them
// than rows.
static tn_status_t change_qr(void* user, tn_scope_t* scope, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count,
                             tn_array_t** out_outputs) {
  static const tn_triangle_t upper = {.is_left = false, .is_lower = false};
  const tn_made_t* made = user;
  (void)input_count, (void)output_count;
  tn_array_t *q = made->results[0], *r = made->results[1], *x = made->matrix;
  const int64_t height = x->dims[x->rank - 2], width = x->dims[x->rank - 1];
  const int64_t side = height < width ? height : width;
  tn_array_t* turned = tn__adjoint(scope, q);
  tn_array_t* change = tn__leading_block(scope, inputs[0], height, side);
  tn_array_t* leading = tn__leading_block(scope, r, side, side);
  change = tn__solve_triangle(scope, leading, change, upper);
  tn_array_t* inside = tn_array_matmul(scope, turned, change);
  tn_array_t* skew = tn_array_tril(scope, inside, -1);
  skew = tn_array_subtract(scope, skew, tn__adjoint(scope, skew));
  tn_array_t* rest = tn_array_subtract(scope, inside, skew);
  tn_array_t* of_q = tn_array_subtract(scope, change, tn_array_matmul(scope, q, rest));
  tn_array_t* of_r = tn_array_matmul(scope, rest, leading);
  if (width > height) {
    const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(height, width)};
    tn_array_t* more =
        tn_array_matmul(scope, tn__adjoint(scope, of_q), tn_array_index(scope, x, 2, items));
    more = tn_array_add(scope, more,
                        tn_array_matmul(scope, turned, tn_array_index(scope, inputs[0], 2, items)));
    tn_array_t* parts[] = {of_r, more};
    of_r = tn_array_concatenate(scope, 2, parts, -1);
  }
  out_outputs[0] = of_q;
  out_outputs[1] = of_r;
  return TN_OK;
}

// -P dA P, and what the spaces that P leaves out get.
static tn_status_t change_pseudoinverse(void* user, tn_scope_t* scope, size_t input_count,
                                        tn_array_t* const* inputs, size_t output_count,
                                        tn_array_t** out_outputs) {
  const tn_made_t* made = user;
  (void)input_count, (void)output_count;
  tn_array_t *p = made->results[0], *x = made->matrix, *turned = tn__adjoint(scope, p);
  tn_array_t* change = tn__adjoint(scope, inputs[0]);
  tn_array_t* inside = tn_array_matmul(scope, tn_array_matmul(scope, p, inputs[0]), p);
  tn_array_t* left = tn_array_matmul(scope, tn_array_matmul(scope, p, turned), change);
  tn_array_t* right = tn_array_matmul(scope, change, tn_array_matmul(scope, turned, p));
  left = tn_array_subtract(scope, left, tn_array_matmul(scope, tn_array_matmul(scope, left, x), p));
  right =
      tn_array_subtract(scope, right, tn_array_matmul(scope, p, tn_array_matmul(scope, x, right)));
  out_outputs[0] = tn_array_subtract(scope, tn_array_add(scope, left, right), inside);
  return TN_OK;
}

// The trace of det(A) A^-1 dA.
static tn_array_t* change_by_inverse(tn_scope_t* scope, tn_array_t* x, tn_array_t* change) {
  tn_array_t* trace =
      tn_array_trace(scope, tn_array_linalg_solve(scope, x, change), 0, -2, -1, TN_DTYPE_INVALID);
  return tn_array_multiply(scope, tn_array_linalg_det(scope, x), trace);
}

// The product of all elements but each one, along the last axis.
static tn_array_t* products_of_others(tn_scope_t* scope, tn_array_t* x) {
  return tn_array_multiply(scope, tn_array_cumprod(scope, x, -1, false, false),
                           tn_array_cumprod(scope, x, -1, true, false));
}

// Of any matrix. Between its singular vectors, which stay as they are, it is M = D + N, D on the
// diagonal and N, which is 0, beside it: det(M) is the product of D, less N[i][j] N[j][i] times the
// product of what D has besides for each pair, and more of the third order in N. So first and
// second derivatives are right.
static tn_array_t* change_by_values(tn_scope_t* scope, tn_array_t* x, tn_array_t* change) {
  static const int64_t last[] = {-1}, row[] = {-2}, both[] = {-2, -1};
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  const int64_t size = x->dims[x->rank - 1];
  tn_array_linalg_svd(scope, tn_array_stop_gradient(scope, x), &u, &values, &vt);
  tn_array_t* sign = tn_array_linalg_det(scope, tn_array_matmul(scope, u, vt));
  tn_array_t *left = tn__adjoint(scope, u), *right = tn__adjoint(scope, vt);
  x = tn_array_matmul(scope, tn_array_matmul(scope, left, x), right);
  change = tn_array_matmul(scope, tn_array_matmul(scope, left, change), right);
  tn_array_t* is_diagonal = tn_array_eye(scope, TN_DTYPE_PRED, size, size, 0);
  tn_array_t* diagonal = tn_array_diagonal(scope, x, 0, -2, -1);
  tn_array_t* beside = tn_array_where(scope, is_diagonal, tn__number_like(scope, x, 0),
                                      tn_array_swapaxes(scope, x, -2, -1));
  tn_array_t* pairs = tn_array_where(scope, is_diagonal, tn__number_like(scope, x, 1),
                                     tn_array_expand_dims(scope, diagonal, 1, row));
  beside = tn_array_multiply(scope, beside, products_of_others(scope, pairs));
  beside = tn_array_sum(scope, tn_array_multiply(scope, beside, change), 2, both, false);
  tn_array_t* sum = tn_array_multiply(scope, products_of_others(scope, diagonal),
                                      tn_array_diagonal(scope, change, 0, -2, -1));
  sum = tn_array_subtract(scope, tn_array_sum(scope, sum, 1, last, false), beside);
  return tn_array_multiply(scope, sign, sum);
}

// Where a pivot is 0, or noise.
static tn_array_t* lacks_pivots(tn_scope_t* scope, tn_array_t* x) {
  static const int64_t last[] = {-1};
  tn_array_t *factors = NULL, *exchanges = NULL;
  tn_array_linalg_lu_factor(scope, tn_array_stop_gradient(scope, x), &factors, &exchanges);
  tn_array_t* pivots = tn_array_abs(scope, tn_array_diagonal(scope, factors, 0, -2, -1));
  const double eps = x->dtype == TN_DTYPE_F64 ? 0x1p-52 : 0x1p-23;
  const double size = (double)x->dims[x->rank - 1];
  tn_array_t* noise = tn_array_multiply(scope, tn_array_max(scope, pivots, 1, last, false),
                                        tn__number_like(scope, pivots, size * eps));
  return tn_array_less_equal(scope, tn_array_min(scope, pivots, 1, last, false), noise);
}

static tn_status_t change_determinant(void* user, tn_scope_t* scope, size_t input_count,
                                      tn_array_t* const* inputs, size_t output_count,
                                      tn_array_t** out_outputs) {
  static const int64_t both[] = {-2, -1};
  const tn_made_t* made = user;
  tn_array_t *x = made->matrix, *change = inputs[0];
  const int64_t size = x->dims[x->rank - 1];
  (void)input_count, (void)output_count;
  if (size < 2) {
    out_outputs[0] = tn_array_sum(scope, change, 2, both, false);
    return TN_OK;
  }
  // What the inverse gives must be a number also where it is not taken.
  tn_array_t* is_lacking = lacks_pivots(scope, x);
  tn_array_t* safe = tn_array_where(scope, tn_array_expand_dims(scope, is_lacking, 2, both),
                                    tn_array_identity(scope, x->dtype, size), x);
  out_outputs[0] = tn_array_where(scope, is_lacking, change_by_values(scope, x, change),
                                  change_by_inverse(scope, safe, change));
  return TN_OK;
}

// --- the rules

static tn_status_t jvp(const tn_rule_t* rule, const tn_jvp_call_t* call, tn_closure_t change) {
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] != rule->result_count) continue;
    return change.call(change.user, rule->scope, 1, &call->tangents[i], rule->result_count,
                       call->out_tangents);
  }
  return TN_OK;
}

static tn_status_t vjp(const tn_rule_t* rule, const tn_vjp_call_t* call, tn_closure_t change) {
  tn_array_t* anywhere = tn__zeros_like(rule->scope, rule->operands[rule->result_count]);
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = NULL;
    if (call->argnums[i] != rule->result_count) continue;
    TN_RETURN_IF_ERROR(tn_vjp(rule->scope, &change, 1, &anywhere, rule->result_count,
                              call->cotangents, NULL, &call->out_cotangents[i]));
  }
  return TN_OK;
}

#define DERIVATIVES_OF(name)                                                     \
  tn_status_t tn__jvp_##name(const tn_rule_t* rule, const tn_jvp_call_t* call) { \
    tn_made_t made = {call->outputs, rule->operands[rule->result_count]};        \
    return jvp(rule, call, (tn_closure_t){change_##name, &made});                \
  }                                                                              \
  tn_status_t tn__vjp_##name(const tn_rule_t* rule, const tn_vjp_call_t* call) { \
    tn_made_t made = {call->outputs, rule->operands[rule->result_count]};        \
    return vjp(rule, call, (tn_closure_t){change_##name, &made});                \
  }
DERIVATIVES_OF(determinant)
DERIVATIVES_OF(pseudoinverse)
DERIVATIVES_OF(qr)

tn_status_t tn__vmap_made(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  for (size_t i = 0; i < rule->result_count; ++i) {
    call->out_results[i] = tn__batched(rule, call, i);
    call->out_axes[i] = 0;
  }
  tn__know_matrix(rule->scope, tn__rule_step(rule)->op, tn__batched(rule, call, rule->result_count),
                  rule->result_count, call->out_results);
  return TN_OK;
}
