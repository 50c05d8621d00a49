// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Matrix products of strided operands: what dot_general, convolution and related operations are
// reduced to.
//
// Sums run in an order that only the shape decides: over blocks of TN_GEMM_DEPTH terms, each summed
// from zero in order, the blocks' sums added in order (a dot product: in lanes, see
// gemm_loops.inc). It is the same for every number of threads, and so are the results.
#ifndef TENON_KERNEL_CONTRACTION_GEMM_H_
#define TENON_KERNEL_CONTRACTION_GEMM_H_

#include "base/pool.h"
#include "base/status.h"
#include "kernel/common/element.h"
#include "kernel/contraction/gemm_set.h"

// What is computed in; integers wrap, of either sign.
typedef enum tn_gemm_type {
  TN_GEMM_F32 = TN_GEMM_SCALAR_F32,
  TN_GEMM_F64 = TN_GEMM_SCALAR_F64,
  TN_GEMM_I32 = TN_GEMM_SCALAR_I32,
  TN_GEMM_I64 = TN_GEMM_SCALAR_I64,
  TN_GEMM_C64,
  TN_GEMM_C128,
} tn_gemm_type_t;

typedef struct tn_gemm_batch {
  int64_t count, lhs_stride, rhs_stride;
} tn_gemm_batch_t;

// result[b][i][j] = sum over p of lhs[b][i][p] * rhs[b][p][j], where b goes over the batch loops,
// outermost first. Strides in elements of the operand; the result is dense.
typedef struct tn_gemm_shape {
  tn_gemm_type_t type;
  size_t batch_loop_count;
  const tn_gemm_batch_t* batch_loops;  // live as long as the plan
  int64_t rows, columns, depth;
  int64_t lhs_row_stride, lhs_depth_stride;
  int64_t rhs_depth_stride, rhs_column_stride;
  // How elements become what is computed in as they are read, where tn__gemm_loads; one of the
  // operand's two strides is 1 then. `run` is NULL: they are of the type.
  tn_conversion_t lhs_load, rhs_load;
} tn_gemm_shape_t;

enum { TN_GEMM_FEW_VECTORS = 8 };

typedef enum tn_gemm_form {
  TN_GEMM_NOTHING,  // the result has no elements
  TN_GEMM_ZERO,     // no terms
  TN_GEMM_SMALL,    // straight from the operands
  TN_GEMM_SHORT,    // few terms: the same in pieces of the result
  TN_GEMM_VECTOR,   // one of the two is a vector: row by row of the other
  TN_GEMM_THIN,     // one is TN_GEMM_FEW_VECTORS at most: dot products with each row of the other
  TN_GEMM_BLOCKED,  // packed into panels
} tn_gemm_form_t;

// One of the two operands. A line is a row of the left one, a column of the right one.
typedef struct tn_gemm_side {
  int64_t lines, stride, depth_stride;  // from line to line, from term to term, in elements
  size_t size;                          // bytes of an element
  tn_conversion_t load;  // to what is packed, or to the type; `run` is NULL: there is none
} tn_gemm_side_t;

// Immutable once planned.
typedef struct tn_gemm {
  tn_gemm_shape_t shape;
  tn_gemm_form_t form;
  const tn_gemm_set_t* set;
  bool is_complex;
  int64_t batch;  // matrices in all
  size_t scalar_size, element_size;
  tn_gemm_side_t lhs, rhs;
  int64_t slots;          // BLOCKED: how many matrices are under way at once
  size_t slot_byte_size;  // of scratch for each
  bool packs_vectors;     // VECTOR, THIN: they are copied into scratch, one after the other
  size_t scratch_byte_size;
} tn_gemm_t;

// Whether operands of other dtypes can be converted as they are read, by pieces that stay in the
// cache; of products of few terms the caller converts them before. Reads the type and the sizes.
bool tn__gemm_loads(const tn_gemm_shape_t* shape);

tn_gemm_t tn__gemm_plan(const tn_gemm_shape_t* shape);
// `scratch` has the planned length, 64-byte aligned. `pool` may be NULL.
TN_MUST_USE tn_status_t tn__gemm_run(const tn_gemm_t* gemm, tn_pool_t* pool, const void* lhs,
                                     const void* rhs, void* result, void* scratch);

// Some rows at a time, on the calling thread, with the right operands of all matrices packed
// before: the bits are those of the form BLOCKED, whatever the plan's is.
size_t tn__gemm_packed_byte_size(const tn_gemm_t* gemm);
// `packed` is 64-byte aligned, as all memory for panels.
TN_MUST_USE tn_status_t tn__gemm_pack(const tn_gemm_t* gemm, tn_pool_t* pool, const void* rhs,
                                      void* packed);
size_t tn__gemm_rows_scratch(const tn_gemm_t* gemm, int64_t rows);
// Rows of matrix `matrix` that follow each other from `lhs` on; `result` has these rows alone.
void tn__gemm_rows(const tn_gemm_t* gemm, const void* packed, int64_t matrix, const void* lhs,
                   int64_t rows, void* result, void* scratch);

// Where matrix `index` of the batch begins, in elements.
void tn__gemm_batch_offsets(const tn_gemm_shape_t* shape, int64_t index, int64_t* out_lhs,
                            int64_t* out_rhs);

#endif  // TENON_KERNEL_CONTRACTION_GEMM_H_
