// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// LAPACK's potrf does a matrix, or a block on the diagonal of a large one: what follows from the
// block for the rest is one solution with a triangle and one product, cut into pieces by shape.
//
// Our matrices are row-major. For LAPACK, which reads them column by column, that is the conjugate
// of a Hermitian matrix with the other triangle, whose factor is the transpose of ours: so its
// other triangle is what we want, in place.
#include "kernel/lib/openblas_linear.h"

#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/element.h"
#include "kernel/common/site.h"
#include "kernel/lib/openblas.h"

enum {
  LEAST_ORDER = 24,   // below, our own is as fast
  BLOCK = 128,        // of a large matrix
  SPLIT_ORDER = 384,  // from here on, all threads do one matrix together
  PIECE = 128,        // rows of a panel, and sides of a product
  SOLVE_PIECE = 64,   // right sides
  GRAIN_PRODUCTS = 1 << 16,
};

const char* tn__openblas_linear_refuse(const tn_op_use_t* use) {
  const tn_type_t* type = use->operand_types[0];
  const char* reason;
  if (type->dtype != TN_DTYPE_F32 && type->dtype != TN_DTYPE_F64 && type->dtype != TN_DTYPE_C64 &&
      type->dtype != TN_DTYPE_C128) {
    return "openblas has no such element types";
  }
  if (type->dims[type->rank - 1] < LEAST_ORDER) return "too small for openblas";
  if (tn__type_size(type) > INT32_MAX || tn__type_size(use->result_types[0]) > INT32_MAX) {
    return "too large for openblas";
  }
  return tn__openblas(&reason) ? NULL : reason;
}

// --- the routines, by dtype

static bool factor_block(const tn_openblas_t* blas, tn_dtype_t dtype, bool lower, int order,
                         void* matrix, int stride) {
  const char* triangle = lower ? "U" : "L";
  int info = 0;
  switch (dtype) {
    case TN_DTYPE_F32: blas->spotrf_(triangle, &order, matrix, &stride, &info, 1); break;
    case TN_DTYPE_F64: blas->dpotrf_(triangle, &order, matrix, &stride, &info, 1); break;
    case TN_DTYPE_C64: blas->cpotrf_(triangle, &order, matrix, &stride, &info, 1); break;
    default: blas->zpotrf_(triangle, &order, matrix, &stride, &info, 1);
  }
  return info == 0;
}

typedef struct solution {
  int side, triangle, transpose, diagonal;
} solution_t;

static void solve_block(const tn_openblas_t* blas, tn_dtype_t dtype, const solution_t* s, int rows,
                        int columns, const void* a, int a_stride, void* b, int b_stride) {
  const float one_c64[] = {1, 0};
  const double one_c128[] = {1, 0};
  switch (dtype) {
    case TN_DTYPE_F32:
      blas->cblas_strsm(TN_BLAS_ROWS, s->side, s->triangle, s->transpose, s->diagonal, rows,
                        columns, 1, a, a_stride, b, b_stride);
      break;
    case TN_DTYPE_F64:
      blas->cblas_dtrsm(TN_BLAS_ROWS, s->side, s->triangle, s->transpose, s->diagonal, rows,
                        columns, 1, a, a_stride, b, b_stride);
      break;
    case TN_DTYPE_C64:
      blas->cblas_ctrsm(TN_BLAS_ROWS, s->side, s->triangle, s->transpose, s->diagonal, rows,
                        columns, one_c64, a, a_stride, b, b_stride);
      break;
    default:
      blas->cblas_ztrsm(TN_BLAS_ROWS, s->side, s->triangle, s->transpose, s->diagonal, rows,
                        columns, one_c128, a, a_stride, b, b_stride);
  }
}

// c -= a * b, either of which is taken as its adjoint.
static void subtract_product(const tn_openblas_t* blas, tn_dtype_t dtype, bool a_is_adjoint,
                             int rows, int columns, int depth, const void* a, const void* b,
                             void* c, int stride) {
  const float one_c64[] = {1, 0}, minus_c64[] = {-1, 0};
  const double one_c128[] = {1, 0}, minus_c128[] = {-1, 0};
  const int left = a_is_adjoint ? TN_BLAS_ADJOINT : TN_BLAS_AS_IS;
  const int right = a_is_adjoint ? TN_BLAS_AS_IS : TN_BLAS_ADJOINT;
  switch (dtype) {
    case TN_DTYPE_F32:
      blas->cblas_sgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, -1, a, stride, b, stride,
                        1, c, stride);
      break;
    case TN_DTYPE_F64:
      blas->cblas_dgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, -1, a, stride, b, stride,
                        1, c, stride);
      break;
    case TN_DTYPE_C64:
      blas->cblas_cgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, minus_c64, a, stride, b,
                        stride, one_c64, c, stride);
      break;
    default:
      blas->cblas_zgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, minus_c128, a, stride, b,
                        stride, one_c128, c, stride);
  }
}

// --- cholesky

typedef struct cholesky {
  const tn_openblas_t* blas;
  tn_dtype_t dtype;
  size_t size;
  bool is_lower;
  int64_t batch, order;
  uint8_t nan[16];
} cholesky_t;

tn_status_t tn__openblas_cholesky_prepare(tn_kernel_site_t* site) {
  const tn_type_t* type = tn__site_result(site, 0);
  const char* reason;
  cholesky_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->blas = tn__openblas(&reason);
  if (!state->blas) return tn_status_create(TN_CODE_UNAVAILABLE, "openblas: %s", reason);
  state->dtype = type->dtype;
  state->size = tn_dtype_byte_size(type->dtype);
  state->is_lower = tn__attr_get_bool(&site->use->attrs, "lower", false);
  state->order = type->dims[type->rank - 1];
  state->batch = tn__type_size(type) / (state->order * state->order);
  const double nan = __builtin_nan("");
  tn__convert_elements(TN_DTYPE_F64, &nan, state->dtype, state->nan, 1);
  return TN_OK;
}

// Copies the triangle that is read and clears the other one.
static void copy_triangle(const cholesky_t* state, const char* source, char* target) {
  const size_t row = (size_t)state->order * state->size;
  for (int64_t i = 0; i < state->order; ++i, source += row, target += row) {
    const size_t first = state->is_lower ? 0 : (size_t)i * state->size;
    const size_t end = state->is_lower ? (size_t)(i + 1) * state->size : row;
    memset(target, 0, first);
    if (source != target) memcpy(target + first, source + first, end - first);
    memset(target + end, 0, row - end);
  }
}

static void fill_triangle(const cholesky_t* state, char* matrix) {
  for (int64_t i = 0; i < state->order; ++i) {
    const int64_t first = state->is_lower ? 0 : i, end = state->is_lower ? i + 1 : state->order;
    for (int64_t j = first; j < end; ++j) {
      memcpy(matrix + (size_t)(i * state->order + j) * state->size, state->nan, state->size);
    }
  }
}

// What the block at `first`, which is factored, means for the rest of the matrix.
typedef struct step {
  const cholesky_t* state;
  char* matrix;
  int64_t first, count;  // the block
  int64_t rest;          // the first row and column behind it
  int64_t pieces;        // each way
} step_t;

static char* at(const step_t* step, int64_t row, int64_t column) {
  return step->matrix + (size_t)(row * step->state->order + column) * step->state->size;
}

static tn_status_t solve_panel(int64_t begin, int64_t end, void* user) {
  const step_t* step = user;
  const cholesky_t* state = step->state;
  const solution_t solution = {state->is_lower ? TN_BLAS_RIGHT : TN_BLAS_LEFT,
                               state->is_lower ? TN_BLAS_LOWER : TN_BLAS_UPPER, TN_BLAS_ADJOINT,
                               TN_BLAS_NON_UNIT};
  const int stride = (int)state->order, count = (int)step->count;
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t place = step->rest + piece * PIECE;
    const int width = (int)tn__least(PIECE, state->order - place);
    solve_block(state->blas, state->dtype, &solution, state->is_lower ? width : count,
                state->is_lower ? count : width, at(step, step->first, step->first), stride,
                state->is_lower ? at(step, place, step->first) : at(step, step->first, place),
                stride);
  }
  return TN_OK;
}

// Pieces of the triangle, counted row by row: 0, 1 to 2, 3 to 5 ...
static tn_status_t update_triangle(int64_t begin, int64_t end, void* user) {
  const step_t* step = user;
  const cholesky_t* state = step->state;
  const int stride = (int)state->order;
  for (int64_t piece = begin; piece < end; ++piece) {
    int64_t far = 0;
    while ((far + 1) * (far + 2) / 2 <= piece) ++far;
    const int64_t near = piece - far * (far + 1) / 2;
    // Of a lower triangle the far side is down, of an upper one to the right.
    const int64_t down = step->rest + (state->is_lower ? far : near) * PIECE;
    const int64_t right = step->rest + (state->is_lower ? near : far) * PIECE;
    const int rows = (int)tn__least(PIECE, state->order - down);
    const int columns = (int)tn__least(PIECE, state->order - right);
    if (state->is_lower) {
      subtract_product(state->blas, state->dtype, false, rows, columns, (int)step->count,
                       at(step, down, step->first), at(step, right, step->first),
                       at(step, down, right), stride);
    } else {
      subtract_product(state->blas, state->dtype, true, rows, columns, (int)step->count,
                       at(step, step->first, down), at(step, step->first, right),
                       at(step, down, right), stride);
    }
  }
  return TN_OK;
}

// Pieces on the diagonal are done whole; what that leaves in the other triangle is cleared here.
static void clear_other(const cholesky_t* state, char* matrix) {
  const size_t row = (size_t)state->order * state->size;
  for (int64_t i = 0; i < state->order; ++i, matrix += row) {
    const size_t first = state->is_lower ? (size_t)(i + 1) * state->size : 0;
    const size_t end = state->is_lower ? row : (size_t)i * state->size;
    memset(matrix + first, 0, end - first);
  }
}

static tn_status_t factor_large(const cholesky_t* state, tn_pool_t* pool, char* matrix,
                                bool* out_is_definite) {
  step_t step = {.state = state, .matrix = matrix};
  *out_is_definite = true;
  for (step.first = 0; step.first < state->order; step.first += BLOCK) {
    step.count = tn__least(BLOCK, state->order - step.first);
    step.rest = step.first + step.count;
    *out_is_definite = factor_block(state->blas, state->dtype, state->is_lower, (int)step.count,
                                    at(&step, step.first, step.first), (int)state->order);
    if (!*out_is_definite) return TN_OK;
    step.pieces = tn__ceil_divide(state->order - step.rest, PIECE);
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, step.pieces, 1, solve_panel, &step));
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, step.pieces * (step.pieces + 1) / 2, 1,
                                             update_triangle, &step));
  }
  clear_other(state, matrix);
  return TN_OK;
}

static tn_status_t factor_range(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const cholesky_t* state = call->state;
  const size_t length = (size_t)(state->order * state->order) * state->size;
  for (int64_t i = begin; i < end; ++i) {
    char* matrix = (char*)call->results[0] + (size_t)i * length;
    copy_triangle(state, (const char*)call->operands[0] + (size_t)i * length, matrix);
    if (!factor_block(state->blas, state->dtype, state->is_lower, (int)state->order, matrix,
                      (int)state->order)) {
      fill_triangle(state, matrix);
    }
  }
  return TN_OK;
}

tn_status_t tn__openblas_cholesky_run(const tn_kernel_call_t* call) {
  const cholesky_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  const int64_t products = state->order * state->order * state->order / 6;
  if (state->order < SPLIT_ORDER) {
    return tn__pool_parallel_for(pool, state->batch, GRAIN_PRODUCTS / products + 1, factor_range,
                                 (void*)(uintptr_t)call);
  }
  const size_t length = (size_t)(state->order * state->order) * state->size;
  for (int64_t i = 0; i < state->batch; ++i) {
    char* matrix = (char*)call->results[0] + (size_t)i * length;
    bool is_definite;
    copy_triangle(state, (const char*)call->operands[0] + (size_t)i * length, matrix);
    TN_RETURN_IF_ERROR(factor_large(state, pool, matrix, &is_definite));
    if (!is_definite) {
      clear_other(state, matrix);
      fill_triangle(state, matrix);
    }
  }
  return TN_OK;
}

// --- triangular_solve

typedef struct solve {
  const tn_openblas_t* blas;
  tn_dtype_t dtype;
  size_t size;
  solution_t solution;
  int64_t batch, order, rows, columns;  // of b
  int64_t pieces;                       // of a matrix: right sides are solved apart
} solve_t;

tn_status_t tn__openblas_solve_prepare(tn_kernel_site_t* site) {
  const tn_type_t *a = tn__site_operand(site, 0), *b = tn__site_operand(site, 1);
  const tn_attr_dictionary_t* attrs = &site->use->attrs;
  const char* reason;
  solve_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->blas = tn__openblas(&reason);
  if (!state->blas) return tn_status_create(TN_CODE_UNAVAILABLE, "openblas: %s", reason);
  const tn_attr_t* transpose = tn__attr_find(attrs, "transpose_a");
  const bool is_adjoint = transpose && tn__sv_is(transpose->string, "ADJOINT");
  const bool is_transposed = transpose && tn__sv_is(transpose->string, "TRANSPOSE");
  state->solution = (solution_t){
      .side = tn__attr_get_bool(attrs, "left_side", false) ? TN_BLAS_LEFT : TN_BLAS_RIGHT,
      .triangle = tn__attr_get_bool(attrs, "lower", false) ? TN_BLAS_LOWER : TN_BLAS_UPPER,
      .transpose = is_adjoint      ? TN_BLAS_ADJOINT
                   : is_transposed ? TN_BLAS_TRANSPOSED
                                   : TN_BLAS_AS_IS,
      .diagonal =
          tn__attr_get_bool(attrs, "unit_diagonal", false) ? TN_BLAS_UNIT : TN_BLAS_NON_UNIT,
  };
  state->dtype = b->dtype;
  state->size = tn_dtype_byte_size(b->dtype);
  state->order = a->dims[a->rank - 1];
  state->rows = b->dims[b->rank - 2];
  state->columns = b->dims[b->rank - 1];
  state->batch = tn__type_size(a) / (state->order * state->order);
  state->pieces = tn__ceil_divide(
      state->solution.side == TN_BLAS_LEFT ? state->columns : state->rows, SOLVE_PIECE);
  return TN_OK;
}

static tn_status_t solve_pieces(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const solve_t* state = call->state;
  const bool is_left = state->solution.side == TN_BLAS_LEFT;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t matrix = i / state->pieces, first = i % state->pieces * SOLVE_PIECE;
    const int64_t rows = is_left ? state->rows : tn__least(SOLVE_PIECE, state->rows - first);
    const int64_t columns =
        is_left ? tn__least(SOLVE_PIECE, state->columns - first) : state->columns;
    const size_t place = (size_t)(matrix * state->rows * state->columns +
                                  (is_left ? first : first * state->columns)) *
                         state->size;
    const char* source = (const char*)call->operands[1] + place;
    char* target = (char*)call->results[0] + place;
    const size_t stride = (size_t)state->columns * state->size;
    for (int64_t r = 0; source != target && r < rows; ++r) {
      memcpy(target + (size_t)r * stride, source + (size_t)r * stride,
             (size_t)columns * state->size);
    }
    const char* triangle = (const char*)call->operands[0] +
                           (size_t)(matrix * state->order * state->order) * state->size;
    solve_block(state->blas, state->dtype, &state->solution, (int)rows, (int)columns, triangle,
                (int)state->order, target, (int)state->columns);
  }
  return TN_OK;
}

tn_status_t tn__openblas_solve_run(const tn_kernel_call_t* call) {
  const solve_t* state = call->state;
  const int64_t products = state->order * state->order * SOLVE_PIECE / 2;
  return tn__pool_parallel_for(call->context->pool, state->batch * state->pieces,
                               GRAIN_PRODUCTS / products + 1, solve_pieces, (void*)(uintptr_t)call);
}
