// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/lib/openblas.h"

#include <dlfcn.h>
#include <pthread.h>

static tn_openblas_t functions;
static void* handle;
static const char* failure;  // NULL once it is loaded
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  const tn_kernel_symbol_t symbols[] = {
#define SYMBOL(result, name, parameters) {#name, &functions.name},
      TN_OPENBLAS_FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  failure = tn__kernel_library_load(TN_KERNEL_OPENBLAS, sizeof symbols / sizeof *symbols, symbols,
                                    &handle);
  if (!failure) functions.openblas_set_num_threads(1);
}

const tn_openblas_t* tn__openblas(const char** out_reason) {
  pthread_once(&once, load);
  if (out_reason) *out_reason = failure;
  return failure ? NULL : &functions;
}

const char* tn__openblas_version(const char** out_reason) {
  const tn_openblas_t* blas = tn__openblas(out_reason);
  return blas ? blas->openblas_get_config() : NULL;
}

void* tn__openblas_symbol(const char* name) {
  return tn__openblas(NULL) ? dlsym(handle, name) : NULL;
}

void tn__openblas_gemm(const tn_openblas_t* blas, tn_dtype_t dtype, bool lhs_is_transposed,
                       bool rhs_is_transposed, int rows, int columns, int depth, const void* lhs,
                       int lhs_stride, const void* rhs, int rhs_stride, void* result,
                       int result_stride) {
  const int left = lhs_is_transposed ? TN_BLAS_TRANSPOSED : TN_BLAS_AS_IS;
  const int right = rhs_is_transposed ? TN_BLAS_TRANSPOSED : TN_BLAS_AS_IS;
  const float one_c64[] = {1, 0}, zero_c64[] = {0, 0};
  const double one_c128[] = {1, 0}, zero_c128[] = {0, 0};
  switch (dtype) {
    case TN_DTYPE_F32:
      blas->cblas_sgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, 1, lhs, lhs_stride, rhs,
                        rhs_stride, 0, result, result_stride);
      break;
    case TN_DTYPE_F64:
      blas->cblas_dgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, 1, lhs, lhs_stride, rhs,
                        rhs_stride, 0, result, result_stride);
      break;
    case TN_DTYPE_C64:
      blas->cblas_cgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, one_c64, lhs, lhs_stride,
                        rhs, rhs_stride, zero_c64, result, result_stride);
      break;
    default:
      blas->cblas_zgemm(TN_BLAS_ROWS, left, right, rows, columns, depth, one_c128, lhs, lhs_stride,
                        rhs, rhs_stride, zero_c128, result, result_stride);
  }
}
