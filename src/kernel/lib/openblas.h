// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// OpenBLAS: matrix products and LAPACK. It runs on the calling thread alone; we cut the work.
//
// Its own names and numbers: matrices are column-major in the functions of LAPACK, `int` counts
// elements, a pointer to void points to elements of the type in the name (s, d, c, z). Functions of
// LAPACK take everything by pointer, and the lengths of their strings at the end.
#ifndef TENON_KERNEL_LIB_OPENBLAS_H_
#define TENON_KERNEL_LIB_OPENBLAS_H_

#include <tenon/detail/dtype.h>

#include "kernel/lib/library.h"

// Constants of CBLAS.
enum {
  TN_BLAS_ROWS = 101,     // row-major
  TN_BLAS_COLUMNS = 102,  // column-major
  TN_BLAS_AS_IS = 111,
  TN_BLAS_TRANSPOSED = 112,
  TN_BLAS_ADJOINT = 113,
  TN_BLAS_UPPER = 121,
  TN_BLAS_LOWER = 122,
  TN_BLAS_NON_UNIT = 131,
  TN_BLAS_UNIT = 132,
  TN_BLAS_LEFT = 141,
  TN_BLAS_RIGHT = 142,
};

#define TN_OPENBLAS_GEMM(scalar)                                                                \
  (int order, int transpose_a, int transpose_b, int rows, int columns, int depth, scalar alpha, \
   const void* a, int a_stride, const void* b, int b_stride, scalar beta, void* c, int c_stride)
#define TN_OPENBLAS_TRSM(scalar)                                                          \
  (int order, int side, int triangle, int transpose, int diagonal, int rows, int columns, \
   scalar alpha, const void* a, int a_stride, void* b, int b_stride)
#define TN_OPENBLAS_POTRF \
  (const char* triangle, const int* order, void* a, const int* stride, int* info, size_t length)

// F(result, name, parameters)
#define TN_OPENBLAS_FUNCTIONS(F)                      \
  F(void, openblas_set_num_threads, (int count))      \
  F(const char*, openblas_get_config, (void))         \
  F(void, cblas_sgemm, TN_OPENBLAS_GEMM(float))       \
  F(void, cblas_dgemm, TN_OPENBLAS_GEMM(double))      \
  F(void, cblas_cgemm, TN_OPENBLAS_GEMM(const void*)) \
  F(void, cblas_zgemm, TN_OPENBLAS_GEMM(const void*)) \
  F(void, cblas_strsm, TN_OPENBLAS_TRSM(float))       \
  F(void, cblas_dtrsm, TN_OPENBLAS_TRSM(double))      \
  F(void, cblas_ctrsm, TN_OPENBLAS_TRSM(const void*)) \
  F(void, cblas_ztrsm, TN_OPENBLAS_TRSM(const void*)) \
  F(void, spotrf_, TN_OPENBLAS_POTRF)                 \
  F(void, dpotrf_, TN_OPENBLAS_POTRF)                 \
  F(void, cpotrf_, TN_OPENBLAS_POTRF)                 \
  F(void, zpotrf_, TN_OPENBLAS_POTRF)

typedef struct tn_openblas {
#define TN_OPENBLAS_MEMBER(result, name, parameters) result(*name) parameters;
  TN_OPENBLAS_FUNCTIONS(TN_OPENBLAS_MEMBER)
#undef TN_OPENBLAS_MEMBER
} tn_openblas_t;

// Loads the library when first called. NULL when it is not there, switched off or unfit;
// `out_reason`, which may be NULL, says so in static text.
const tn_openblas_t* tn__openblas(const char** out_reason);
// Which one it is: "OpenBLAS 0.3.21 ...", or NULL.
const char* tn__openblas_version(const char** out_reason);
// Another function of it; NULL when it has none of that name, or when it is not there.
void* tn__openblas_symbol(const char* name);

// result = lhs * rhs, all row-major, lhs of `rows` x `depth` and rhs of `depth` x `columns` unless
// transposed. f32, f64, c64, c128.
void tn__openblas_gemm(const tn_openblas_t* blas, tn_dtype_t dtype, bool lhs_is_transposed,
                       bool rhs_is_transposed, int rows, int columns, int depth, const void* lhs,
                       int lhs_stride, const void* rhs, int rhs_stride, void* result,
                       int result_stride);

#endif  // TENON_KERNEL_LIB_OPENBLAS_H_
