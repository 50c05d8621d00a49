// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What linear algebra is written with: checks of matrices, and LAPACK's routines as custom calls.
#ifndef TENON_ARRAY_MATRIX_H_
#define TENON_ARRAY_MATRIX_H_

#include <tenon/detail/array_linalg.h>

#include "array/common.h"

typedef enum tn_matrix_rule {
  TN_MATRIX_SQUARE = 1 << 0,
  TN_MATRIX_COMPLEX = 1 << 1,  // complex elements are fine
} tn_matrix_rule_t;
// Floats of at least two dimensions; if not, false and an error array.
tn_array_t* tn__check_matrices(tn_scope_t* scope, tn_array_t* x, unsigned rules);

// x[..., :rows, :columns]
tn_array_t* tn__leading_block(tn_scope_t* scope, tn_array_t* x, int64_t rows, int64_t columns);

enum { TN_LAPACK_LIMIT = 5 };
// A result of a routine.
typedef struct tn_lapack_result {
  tn_dtype_t dtype;
  size_t rank;  // after the batch: 2, 1 or 0
  int64_t dims[2];
  bool is_used;  // if not, what the routine says there is of no interest
} tn_lapack_result_t;
// The routine of x's dtype: "gesdd" is lapack_sgesdd_ffi. Attributes are letters and the like. An
// error array for every result when x holds one.
void tn__lapack(tn_scope_t* scope, const char* routine, size_t operand_count,
                tn_array_t* const* operands, size_t attribute_count,
                const tn_named_attr_t* attributes, size_t result_count,
                const tn_lapack_result_t* results, tn_array_t** out_results);
#define TN_LETTER_ATTR(text, letter) \
  TN_ATTR_OF(text, .kind = TN_ATTR_INTEGER, .dtype = TN_DTYPE_U8, .integer = (letter))

enum { TN_MADE_LIMIT = 2 };
// Turns what was made of x into results of an identity (array.h) that has x as its last operand:
// its rules are the derivatives. Nothing unless x is traced.
void tn__know_matrix(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, size_t count,
                     tn_array_t** arrays);

// a x = b for triangles, whose batches broadcast; both are matrices of one dtype.
tn_array_t* tn__solve_triangles(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, bool lower,
                                bool unit_diagonal);

// Where each row of x came from, after the exchanges that getrf says, one after the other.
tn_array_t* tn__rows_of_pivots(tn_scope_t* scope, const tn_array_t* x, tn_array_t* pivots);

#endif  // TENON_ARRAY_MATRIX_H_
