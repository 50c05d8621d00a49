// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the rules of matrices are written with.
#ifndef TENON_TRANSFORM_RULES_MATRIX_H_
#define TENON_TRANSFORM_RULES_MATRIX_H_

#include "array/matrix.h"
#include "transform/rules/rules.h"

typedef enum tn_turn {
  TN_TURN_PLAIN,
  TN_TURN_TRANSPOSED,
  TN_TURN_ADJOINT,
} tn_turn_t;

typedef struct tn_triangle {
  bool is_left, is_lower, is_unit;
  tn_turn_t turn;
} tn_triangle_t;

tn_array_t* tn__adjoint(tn_scope_t* scope, tn_array_t* x);
// Ones below the diagonal, halves on it.
tn_array_t* tn__triangle_halves(tn_scope_t* scope, const tn_array_t* x);
// stablehlo.triangular_solve
tn_array_t* tn__solve_triangle(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                               tn_triangle_t triangle);

#endif  // TENON_TRANSFORM_RULES_MATRIX_H_
