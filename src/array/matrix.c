// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/matrix.h"
#include "call/operation.h"

#include <stdio.h>

tn_array_t* tn__check_matrices(tn_scope_t* scope, tn_array_t* x, unsigned rules) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  const bool is_complex = tn_dtype_kind(x->dtype) == TN_KIND_COMPLEX;
  const bool is_fine = x->dtype == TN_DTYPE_F32 || x->dtype == TN_DTYPE_F64 ||
                       (is_complex && rules & TN_MATRIX_COMPLEX);
  const char* problem = NULL;
  if (!is_fine) {
    problem =
        rules & TN_MATRIX_COMPLEX ? "expected f32, f64 or complex elements" : "expected f32 or f64";
  } else if (x->rank < 2) {
    problem = "expected at least two dimensions";
  } else if (rules & TN_MATRIX_SQUARE && x->dims[x->rank - 1] != x->dims[x->rank - 2]) {
    problem = "expected square matrices";
  }
  if (!problem) return NULL;
  return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT, "%s of shape %s: %s",
                        tn_dtype_name(x->dtype), TN_SHAPE_TEXT(x->rank, x->dims), problem);
}

tn_array_t* tn__leading_block(tn_scope_t* scope, tn_array_t* x, int64_t rows, int64_t columns) {
  const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(0, rows), TN_SLICE(0, columns)};
  return tn_array_index(scope, x, 3, items);
}

static char type_letter(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_F32   ? 's'
         : dtype == TN_DTYPE_F64 ? 'd'
         : dtype == TN_DTYPE_C64 ? 'c'
                                 : 'z';
}

// Routines take matrices column by column: the elements of the transposed one, under the shape of
// the other.
static tn_array_t* turn(tn_scope_t* scope, tn_array_t* x, size_t rank, const int64_t* dims) {
  int64_t turned[TN_MAX_RANK];
  memcpy(turned, dims, rank * sizeof *turned);
  turned[rank - 1] = dims[rank - 2];
  turned[rank - 2] = dims[rank - 1];
  return tn_array_matrix_transpose(scope, tn_array_reshape(scope, x, rank, turned));
}

void tn__lapack(tn_scope_t* scope, const char* routine, size_t operand_count,
                tn_array_t* const* operands, size_t attribute_count,
                const tn_named_attr_t* attributes, size_t result_count,
                const tn_lapack_result_t* results, tn_array_t** out_results) {
  char name[40];
  const tn_op_t* op = NULL;
  int64_t dims[TN_LAPACK_LIMIT][TN_MAX_RANK];
  tn_array_type_t types[TN_LAPACK_LIMIT];
  tn_array_t* turned[TN_LAPACK_LIMIT];
  const tn_array_t* x = operands[0];
  const size_t batch_rank = x->rank - 2;
  snprintf(name, sizeof name, "lapack_%c%s_ffi", type_letter(x->dtype), routine);
  tn_status_t status =
      tn__call_find_any(tn_device_context(tn_scope_device(scope)), tn__sv(name), &op);
  if (status) {
    tn_array_t* error = tn_array_error(scope, status);
    for (size_t i = 0; i < result_count; ++i) out_results[i] = error;
    return;
  }
  for (size_t i = 0; i < operand_count; ++i) {
    turned[i] = operands[i];
    if (operands[i]->rank != x->rank) continue;  // a vector of each matrix
    turned[i] = tn_array_matrix_transpose(scope, operands[i]);
    turned[i] = tn_array_reshape(scope, turned[i], operands[i]->rank, operands[i]->dims);
  }
  for (size_t i = 0; i < result_count; ++i) {
    memcpy(dims[i], x->dims, batch_rank * sizeof *dims[i]);
    memcpy(dims[i] + batch_rank, results[i].dims, results[i].rank * sizeof *dims[i]);
    types[i] = (tn_array_type_t){results[i].dtype, batch_rank + results[i].rank, dims[i]};
  }
  const tn_step_spec_t spec = {
      .op = op,
      .operand_count = operand_count,
      .operands = turned,
      .attributes = {attribute_count, attributes},
      .result_count = result_count,
      .result_types = types,
  };
  tn__step_add(scope, &spec, out_results);
  tn__op_release(op);
  for (size_t i = 0; i < result_count; ++i) {
    if (results[i].rank == 2 && results[i].is_used) {
      out_results[i] = turn(scope, out_results[i], types[i].rank, dims[i]);
    }
  }
}

tn_array_t* tn__solve_triangles(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, bool lower,
                                bool unit_diagonal) {
  int64_t dims[TN_MAX_RANK];
  tn_array_t* operands[] = {a, b};
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  const size_t rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t from_a = i + a->rank < rank ? 1 : a->dims[i + a->rank - rank];
    const int64_t from_b = i + b->rank < rank ? 1 : b->dims[i + b->rank - rank];
    dims[i] = from_a == 1 ? from_b : from_a;
  }
  for (int i = 0; i < 2; ++i) {
    memcpy(dims + rank - 2, operands[i]->dims + operands[i]->rank - 2, 2 * sizeof *dims);
    operands[i] = tn_array_broadcast_to(scope, operands[i], rank, dims);
  }
  const tn_named_attr_t attributes[] = {
      TN_BOOL_ATTR("left_side", true),
      TN_BOOL_ATTR("lower", lower),
      TN_BOOL_ATTR("unit_diagonal", unit_diagonal),
      TN_ENUM_ATTR("transpose_a", "transpose", "NO_TRANSPOSE"),
  };
  return tn__apply_with(scope, TN__OP(triangular_solve), 2, operands, 4, attributes, b->dtype, rank,
                        dims);
}

tn_array_t* tn__rows_of_pivots(tn_scope_t* scope, const tn_array_t* x, tn_array_t* pivots) {
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, x->dims, (x->rank - 1) * sizeof *dims);
  const size_t axis = x->rank - 2;
  const int64_t rows_of_x = x->dims[axis], columns = x->dims[axis + 1];
  const int64_t side = rows_of_x < columns ? rows_of_x : columns;
  tn_array_t* places = tn__iota(scope, TN_DTYPE_S32, x->rank - 1, dims, axis);
  tn_array_t* rows = places;
  tn_array_t* one = tn_array_scalar(scope, TN_DTYPE_S32, 1);
  pivots = tn_array_subtract(scope, pivots, one);
  for (int64_t i = 0; i < side; ++i) {
    const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(i, i + 1)};
    tn_array_t* other = tn_array_index(scope, pivots, 2, items);
    tn_array_t* here = tn_array_index(scope, rows, 2, items);
    tn_array_t* there = tn_array_take_along_axis(scope, rows, other, -1);
    tn_array_t* at = tn_array_scalar(scope, TN_DTYPE_S32, (double)i);
    rows = tn_array_where(scope, tn_array_equal(scope, places, other), here, rows);
    rows = tn_array_where(scope, tn_array_equal(scope, places, at), there, rows);
  }
  return rows;
}
