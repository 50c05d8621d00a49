// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Each matrix of the result is cut into pieces by its shape alone, so that any number of threads
// gives the same sums. An operand is copied only where neither its rows nor its columns are
// contiguous. Products of other types than the library has are our own kernel's, which converts
// operands as it reads them.
#include "kernel/lib/openblas_dot.h"

#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/contraction/dot.h"
#include "kernel/lib/openblas.h"

enum {
  // The library pays from so many products in a matrix on, if no side is too thin.
  LEAST_PRODUCTS = 1 << 12,
  LEAST_SIDE = 4,
  // A piece: fewer products are not worth a thread's while. The library copies what a piece reads
  // into panels, so wide and tall pieces cost less; too few leave threads idle.
  PIECE_PRODUCTS = 1 << 21,
  PIECE_ROWS = 256,
  PIECE_COLUMNS = 1024,
  LEAST_PIECES = 8,
  LEAST_PIECE_ROWS = 128,
  LEAST_PIECE_COLUMNS = 512,
  FEW_PIECE_COLUMNS = 64,  // of two, if there is but one otherwise
};

typedef struct dot {
  tn_dot_plan_t plan;
  const tn_openblas_t* blas;
  tn_dtype_t dtype;
  size_t element_size;
  int64_t batch;
  bool lhs_is_transposed, rhs_is_transposed;
  int64_t lhs_stride, rhs_stride;
  int64_t piece_rows, piece_columns;
  int64_t rows_of_pieces, columns_of_pieces;
} dot_t;

static void cut_pieces(dot_t* state) {
  const tn_gemm_shape_t* shape = &state->plan.shape;
  int64_t rows = PIECE_ROWS, columns = PIECE_COLUMNS;
  for (;;) {
    state->piece_rows = tn__least(shape->rows, rows);
    state->piece_columns = tn__least(shape->columns, columns);
    state->rows_of_pieces = (shape->rows + state->piece_rows - 1) / state->piece_rows;
    state->columns_of_pieces = (shape->columns + state->piece_columns - 1) / state->piece_columns;
    const int64_t pieces = state->batch * state->rows_of_pieces * state->columns_of_pieces;
    if (pieces >= LEAST_PIECES) break;
    if (columns > (pieces > 1 ? LEAST_PIECE_COLUMNS : FEW_PIECE_COLUMNS)) {
      columns /= 2;
    } else if (rows > LEAST_PIECE_ROWS) {
      rows /= 2;
    } else {
      break;
    }
  }
}

const char* tn__openblas_dot_refuse(const tn_op_use_t* use) {
  const tn_dtype_t dtype = use->result_types[0]->dtype;
  tn_dot_extent_t extent;
  const char* reason;
  const bool has_type = dtype == TN_DTYPE_F32 || dtype == TN_DTYPE_F64 || dtype == TN_DTYPE_C64 ||
                        dtype == TN_DTYPE_C128;
  if (!has_type || use->operand_types[0]->dtype != dtype || use->operand_types[1]->dtype != dtype) {
    return "openblas has no such element types";
  }
  const tn_status_t status = tn__dot_extent(use, &extent);
  if (status) {
    tn_status_release(status);
    return "the dimensions cannot be read";
  }
  if (extent.rows < LEAST_SIDE || extent.columns < LEAST_SIDE || extent.depth < LEAST_SIDE ||
      (double)extent.rows * (double)extent.columns * (double)extent.depth < LEAST_PRODUCTS) {
    return "too small for openblas";
  }
  const int64_t most = INT32_MAX;
  if (tn__type_size(use->operand_types[0]) > most || tn__type_size(use->operand_types[1]) > most ||
      tn__type_size(use->result_types[0]) > most) {
    return "too large for openblas";
  }
  return tn__openblas(&reason) ? NULL : reason;
}

tn_status_t tn__openblas_dot_prepare(tn_kernel_site_t* site) {
  dot_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(tn__dot_plan(site, TN_DOT_UNIT_STRIDE, &state->plan));
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const char* reason;
  state->blas = tn__openblas(&reason);
  if (!state->blas) return tn_status_create(TN_CODE_UNAVAILABLE, "openblas: %s", reason);
  state->dtype = tn__site_result(site, 0)->dtype;
  state->element_size = tn_dtype_byte_size(state->dtype);
  state->batch = 1;
  for (size_t i = 0; i < shape->batch_loop_count; ++i) state->batch *= shape->batch_loops[i].count;
  state->lhs_is_transposed = shape->lhs_depth_stride != 1;
  state->lhs_stride = state->lhs_is_transposed ? shape->lhs_depth_stride : shape->lhs_row_stride;
  state->rhs_is_transposed = shape->rhs_column_stride != 1;
  state->rhs_stride = state->rhs_is_transposed ? shape->rhs_column_stride : shape->rhs_depth_stride;
  cut_pieces(state);
  while (state->piece_rows < shape->rows &&
         state->piece_rows * state->piece_columns * shape->depth < PIECE_PRODUCTS) {
    state->piece_rows *= 2;
  }
  while (state->piece_columns < shape->columns &&
         state->piece_rows * state->piece_columns * shape->depth < PIECE_PRODUCTS) {
    state->piece_columns *= 2;
  }
  state->rows_of_pieces = (shape->rows + state->piece_rows - 1) / state->piece_rows;
  state->columns_of_pieces = (shape->columns + state->piece_columns - 1) / state->piece_columns;
  return TN_OK;
}

typedef struct dot_run {
  const dot_t* state;
  const tn_openblas_t* blas;
  const char *lhs, *rhs;
  char* result;
} dot_run_t;

static tn_status_t run_pieces(int64_t begin, int64_t end, void* user) {
  const dot_run_t* run = user;
  const dot_t* state = run->state;
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const int64_t size = (int64_t)state->element_size;
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t row = piece % state->rows_of_pieces * state->piece_rows;
    const int64_t rest = piece / state->rows_of_pieces;
    const int64_t column = rest % state->columns_of_pieces * state->piece_columns;
    const int64_t matrix = rest / state->columns_of_pieces;
    int64_t lhs, rhs;
    tn__gemm_batch_offsets(shape, matrix, &lhs, &rhs);
    lhs += row * shape->lhs_row_stride;
    rhs += column * shape->rhs_column_stride;
    const int64_t result = (matrix * shape->rows + row) * shape->columns + column;
    tn__openblas_gemm(run->blas, state->dtype, state->lhs_is_transposed, state->rhs_is_transposed,
                      (int)tn__least(state->piece_rows, shape->rows - row),
                      (int)tn__least(state->piece_columns, shape->columns - column),
                      (int)shape->depth, run->lhs + lhs * size, (int)state->lhs_stride,
                      run->rhs + rhs * size, (int)state->rhs_stride, run->result + result * size,
                      (int)shape->columns);
  }
  return TN_OK;
}

tn_status_t tn__openblas_dot_run(const tn_kernel_call_t* call) {
  const dot_t* state = call->state;
  const tn_gemm_shape_t* shape = &state->plan.shape;
  const void *lhs, *rhs;
  TN_RETURN_IF_ERROR(tn__dot_fetch(&state->plan.lhs, call, 0, &lhs));
  TN_RETURN_IF_ERROR(tn__dot_fetch(&state->plan.rhs, call, 1, &rhs));
  dot_run_t run = {state, state->blas, lhs, rhs, call->results[0]};
  const int64_t products = state->piece_rows * state->piece_columns * shape->depth;
  return tn__pool_parallel_for(call->context->pool,
                               state->batch * state->rows_of_pieces * state->columns_of_pieces,
                               (PIECE_PRODUCTS - 1) / products + 1, run_pieces, &run);
}
