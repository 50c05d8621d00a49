// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The inner loops of matrix products, for each scalar type and instruction set.
#ifndef TENON_KERNEL_CONTRACTION_GEMM_SET_H_
#define TENON_KERNEL_CONTRACTION_GEMM_SET_H_

#include <stdbool.h>
#include <stdint.h>

#include "kernel/common/isa.h"

// TN_GEMM_SCALAR(name, C type)
#define TN_GEMM_SCALARS(X) \
  X(F32, float)            \
  X(F64, double)           \
  X(I32, uint32_t)         \
  X(I64, uint64_t)         \
  X(I16, uint32_t)  // two 16-bit integers of neighbouring terms; sums of 32 bits

typedef enum tn_gemm_scalar {
#define TN_GEMM_SCALAR_ID(name, type) TN_GEMM_SCALAR_##name,
  TN_GEMM_SCALARS(TN_GEMM_SCALAR_ID)
#undef TN_GEMM_SCALAR_ID
      TN_GEMM_SCALAR_COUNT
} tn_gemm_scalar_t;

enum {
  TN_GEMM_TILE_COLUMNS = 32,                       // of the widest tile
  TN_GEMM_TILE_LIMIT = 12 * TN_GEMM_TILE_COLUMNS,  // scalars of the largest
  TN_GEMM_LANES = 64,                              // partial sums of a dot product
  TN_GEMM_DOTS_LANES = 16,                         // of one of several at a time
  TN_GEMM_DEPTH = 256,       // terms in a block of sums, or scalars that hold several
  TN_GEMM_DOT_TERMS = 4096,  // terms in a block of a dot product
  TN_GEMM_SUM_WIDTH = 1024,  // sums side by side
};

// Terms of sums in place: a few runs of `length` of them. Places in scalars, from
// where each row of the left matrix begins, and the right one.
typedef struct tn_gemm_walk {
  int64_t run_count, length;
  const int64_t *lhs_offsets, *rhs_offsets;  // of each run
  int64_t lhs_step, rhs_step;
} tn_gemm_walk_t;

// Operands and result of small products; the results of several matrices follow each other. Strides
// in scalars; rows of `rhs` and `result` are contiguous.
typedef struct tn_gemm_small {
  const void *lhs, *rhs;
  void* result;
  int64_t lhs_matrix, lhs_row, lhs_depth;
  int64_t rhs_matrix, rhs_depth;
  int64_t result_row;
} tn_gemm_small_t;

typedef void tn_gemm_dots_fn(int64_t rows, int64_t vectors, int64_t depth, const void* matrix,
                             int64_t row_stride, const void* vector, int64_t vector_stride,
                             void* result, int64_t result_row, int64_t result_vector, bool add);
typedef void tn_gemm_rows_fn(int64_t rows, int64_t depth, const void* matrix, int64_t row_stride,
                             const void* vector, void* result, bool add);

// Immutable, static. Pointers are to scalars of the set's type; strides in scalars. That of pairs
// has only what packed products need.
typedef struct tn_gemm_set {
  int64_t tile_rows, tile_columns, lanes;  // a tile is a whole number of vectors wide
  int64_t terms;                           // of a product that a scalar holds
  // tile[tile_rows][tile_columns] (+)= lhs[depth][tile_rows] * rhs[depth][tile_columns], both
  // packed.
  void (*tile)(int64_t depth, const void* lhs, const void* rhs, void* result, int64_t result_stride,
               bool add);
  // results[i][j] (+)= sum over the terms of lhs_rows[i][lhs place] * rhs[rhs place + j], for i <
  // rows <= tile_rows and j < columns <= tile_columns. Whole vectors of `rhs` are read.
  void (*walk)(const tn_gemm_walk_t* walk, int64_t rows, int64_t columns,
               const void* const* lhs_rows, const void* rhs, void* const* results, bool add);
  // result[m][i][j] = sum lhs[m][i][p] * rhs[m][p][j] for m < count.
  void (*small)(int64_t count, int64_t rows, int64_t columns, int64_t depth,
                const tn_gemm_small_t* small);
  // result[i * result_row + v * result_vector] (+)= sum matrix[i][p] * vector[v][p]; rows of
  // `matrix` and vectors are contiguous.
  tn_gemm_dots_fn* dots;
  // result[i] (+)= sum matrix[i][p] * vector[p]; rows of `matrix` are contiguous.
  tn_gemm_rows_fn* dot_rows;
  // result[i] (+)= sum matrix[p][i] * vector[p] for i < rows, one term after the other; rows of
  // `matrix` are contiguous.
  tn_gemm_rows_fn* sum_rows;
  // The same of matrices of bf16, if that of F32; else NULL.
  tn_gemm_dots_fn* bf16_dots;
  tn_gemm_rows_fn *bf16_dot_rows, *bf16_sum_rows;
  void (*add)(int64_t count, const void* values, void* sums);  // sums[i] += values[i]
  // Panels of tile_rows (tile_columns) rows of a strided matrix, the rest of the last filled up
  // with zeros: packed[depth][side] = matrix[row * row_stride + p * depth_stride].
  void (*pack_rows)(int64_t rows, int64_t depth, const void* matrix, int64_t row_stride,
                    int64_t depth_stride, void* packed);
  void (*pack_columns)(int64_t columns, int64_t depth, const void* matrix, int64_t column_stride,
                       int64_t depth_stride, void* packed);
} tn_gemm_set_t;

// The best that this processor can do. NULL: there are no instructions for pairs.
const tn_gemm_set_t* tn__gemm_set(tn_gemm_scalar_t scalar);

// For tests: that of one instruction set; NULL when the processor has not got it.
const tn_gemm_set_t* tn__gemm_set_of(tn_isa_t isa, tn_gemm_scalar_t scalar);

#endif  // TENON_KERNEL_CONTRACTION_GEMM_SET_H_
