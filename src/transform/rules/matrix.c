// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of cholesky and of triangular_solve. What is in a triangle that is not read has no
// derivative.
#include "transform/rules/matrix.h"

#include <string.h>

tn_array_t* tn__adjoint(tn_scope_t* scope, tn_array_t* x) {
  x = tn_array_matrix_transpose(scope, x);
  return tn_issubdtype(x->dtype, TN_CATEGORY_COMPLEX_FLOATING) ? tn_array_conjugate(scope, x) : x;
}

static const char* const turns[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

tn_array_t* tn__solve_triangle(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                               tn_triangle_t triangle) {
  const tn_named_attr_t attributes[] = {
      TN_BOOL_ATTR("left_side", triangle.is_left),
      TN_BOOL_ATTR("lower", triangle.is_lower),
      TN_BOOL_ATTR("unit_diagonal", triangle.is_unit),
      TN_ENUM_ATTR("transpose_a", "transpose", turns[triangle.turn]),
  };
  tn_array_t* operands[] = {a, b};
  return tn__apply_with(scope, TN__OP(triangular_solve), 2, operands, 4, attributes, b->dtype,
                        b->rank, b->dims);
}

// --- cholesky

tn_array_t* tn__triangle_halves(tn_scope_t* scope, const tn_array_t* x) {
  const int64_t size = x->dims[x->rank - 1];
  tn_array_t* sum = tn_array_add(scope, tn_array_tri(scope, TN_DTYPE_F32, size, size, 0),
                                 tn_array_tri(scope, TN_DTYPE_F32, size, size, -1));
  sum = tn_array_multiply(scope, sum, tn_array_scalar(scope, TN_DTYPE_F32, 0.5));
  return tn_array_astype(scope, sum, x->dtype);
}

typedef struct tn_factor {
  const tn_rule_t* rule;
  tn_array_t* factor;
} tn_factor_t;

// From A = L L* follows L^-1 dA L^-* = L^-1 dL + (L^-1 dL)*, where the first is a lower triangle:
// the half of the whole. Linear in the change of A.
static tn_status_t change_factor(void* user, tn_scope_t* scope, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count,
                                 tn_array_t** out_outputs) {
  static const tn_triangle_t lower = {.is_left = true, .is_lower = true};
  const tn_factor_t* f = user;
  const bool is_lower = tn__rule_bool(f->rule, "lower");
  tn_array_t *factor = f->factor, *change = inputs[0];
  (void)input_count, (void)output_count;
  if (!is_lower) {
    factor = tn__adjoint(scope, factor);
    change = tn__adjoint(scope, change);
  }
  factor = tn_array_tril(scope, factor, 0);
  tn_array_t* mask = tn__triangle_halves(scope, factor);
  change = tn_array_multiply(scope, change, mask);
  change = tn_array_add(scope, change, tn__adjoint(scope, change));
  change = tn__solve_triangle(
      scope, factor, tn__adjoint(scope, tn__solve_triangle(scope, factor, change, lower)), lower);
  change = tn_array_multiply(scope, tn__adjoint(scope, change), mask);
  change = tn_array_matmul(scope, factor, change);
  out_outputs[0] = is_lower ? change : tn__adjoint(scope, change);
  return TN_OK;
}

tn_status_t tn__jvp_cholesky(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_factor_t factor = {rule, call->outputs[0]};
  return change_factor(&factor, rule->scope, 1, call->tangents, 1, call->out_tangents);
}

tn_status_t tn__vjp_cholesky(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_factor_t factor = {rule, call->outputs[0]};
  const tn_closure_t change = {change_factor, &factor};
  tn_array_t* anywhere = tn__zeros_like(rule->scope, rule->operands[0]);
  return tn_vjp(rule->scope, &change, 1, &anywhere, 1, call->cotangents, NULL,
                call->out_cotangents);
}

// The batch goes before the matrices.
tn_status_t tn__vmap_cholesky(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}

// --- triangular_solve

static tn_triangle_t triangle_of(const tn_rule_t* rule) {
  const tn_string_view_t turn = tn__rule_attribute(rule, "transpose_a")->string;
  tn_triangle_t triangle = {.is_left = tn__rule_bool(rule, "left_side"),
                            .is_lower = tn__rule_bool(rule, "lower"),
                            .is_unit = tn__rule_bool(rule, "unit_diagonal")};
  for (tn_turn_t i = TN_TURN_PLAIN; i <= TN_TURN_ADJOINT; ++i) {
    if (tn__sv_is(turn, turns[i])) triangle.turn = i;
  }
  return triangle;
}

static tn_array_t* turned(tn_scope_t* scope, tn_array_t* x, tn_turn_t turn) {
  if (turn == TN_TURN_PLAIN) return x;
  return turn == TN_TURN_ADJOINT ? tn__adjoint(scope, x) : tn_array_matrix_transpose(scope, x);
}

// What is read of a matrix.
static tn_array_t* read_triangle(tn_scope_t* scope, tn_array_t* x, tn_triangle_t triangle) {
  return triangle.is_lower ? tn_array_tril(scope, x, triangle.is_unit ? -1 : 0)
                           : tn_array_triu(scope, x, triangle.is_unit ? 1 : 0);
}

// From A X = B follows A dX = dB - dA X.
tn_status_t tn__jvp_triangular_solve(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  const tn_triangle_t triangle = triangle_of(rule);
  tn_array_t *sum = NULL, *x = call->outputs[0];
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* t = call->tangents[i];
    if (call->argnums[i] == 0) {
      t = turned(scope, read_triangle(scope, t, triangle), triangle.turn);
      t = triangle.is_left ? tn_array_matmul(scope, t, x) : tn_array_matmul(scope, x, t);
      t = tn_array_negative(scope, t);
    }
    sum = tn__add_or_either(scope, sum, t);
  }
  call->out_tangents[0] = sum ? tn__solve_triangle(scope, rule->operands[0], sum, triangle) : NULL;
  return TN_OK;
}

// Backwards the matrix is the transpose of what it was.
static tn_array_t* solve_back(const tn_rule_t* rule, tn_array_t* t, tn_triangle_t triangle) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* a = rule->operands[0];
  const bool is_adjoint = triangle.turn == TN_TURN_ADJOINT;
  triangle.turn = triangle.turn == TN_TURN_PLAIN ? TN_TURN_TRANSPOSED : TN_TURN_PLAIN;
  if (!is_adjoint || !tn_issubdtype(a->dtype, TN_CATEGORY_COMPLEX_FLOATING)) {
    return tn__solve_triangle(scope, a, t, triangle);
  }
  t = tn__solve_triangle(scope, a, tn_array_conjugate(scope, t), triangle);
  return tn_array_conjugate(scope, t);
}

tn_status_t tn__vjp_triangular_solve(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  const tn_triangle_t triangle = triangle_of(rule);
  tn_array_t* of_b = solve_back(rule, call->cotangents[0], triangle);
  tn_array_t* x = tn_array_matrix_transpose(scope, call->outputs[0]);
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = of_b;
    if (call->argnums[i] == 1) continue;
    tn_array_t* of_a =
        triangle.is_left ? tn_array_matmul(scope, of_b, x) : tn_array_matmul(scope, x, of_b);
    of_a = turned(scope, tn_array_negative(scope, of_a), triangle.turn);
    call->out_cotangents[i] = read_triangle(scope, of_a, triangle);
  }
  return TN_OK;
}

// The batch goes before the matrices.
tn_status_t tn__vmap_triangular_solve(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  return tn__vmap_elementwise(rule, call);
}
