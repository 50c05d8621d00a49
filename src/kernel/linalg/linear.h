// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// cholesky and triangular_solve. Everything is computed in f64 and rounded once: errors grow with
// the order and the condition of a matrix, and narrower types have no room for that.
#ifndef TENON_KERNEL_LINALG_LINEAR_H_
#define TENON_KERNEL_LINALG_LINEAR_H_

#include "kernel/kernel.h"

TN_MUST_USE tn_status_t tn__cpu_cholesky_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_cholesky_run(const tn_kernel_call_t* call);
TN_MUST_USE tn_status_t tn__cpu_triangular_solve_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_triangular_solve_run(const tn_kernel_call_t* call);

// The steps inside of a block, over one field. Matrices are row-major.
typedef struct tn_field {
  // rows[i] = (rows[i] - sum over j < i of triangle[i][j] * rows[j]) / triangle[i][i] for i <
  // count, or from the last row up with an upper triangle. Rows have `width` elements.
  void (*substitute)(int64_t count, int64_t width, const void* triangle, int64_t triangle_stride,
                     bool lower, bool unit_diagonal, void* rows, int64_t stride);
  // target -= product
  void (*subtract)(int64_t rows, int64_t width, const void* product, void* target, int64_t stride);
  // The lower factor of the first `count` columns of `rows` rows, in place. False when the matrix
  // is not positive definite.
  bool (*factor)(int64_t count, int64_t rows, void* matrix, int64_t stride);
  void (*conjugate)(int64_t count, void* elements);
} tn_field_t;

// The field to compute in: f64, or c128 for complex dtypes.
static inline tn_dtype_t tn__field_dtype(tn_dtype_t dtype) {
  return tn_dtype_kind(dtype) == TN_KIND_COMPLEX ? TN_DTYPE_C128 : TN_DTYPE_F64;
}
// Of one of these two.
const tn_field_t* tn__field(tn_dtype_t dtype);

#endif  // TENON_KERNEL_LINALG_LINEAR_H_
