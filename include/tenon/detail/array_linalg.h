// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Linear algebra, with the names and semantics of mlx.core.linalg.
//
// The last two dimensions are matrices, leading dimensions are batches. Elements are float32 or
// float64, and complex where stated. Eigenvalues of general matrices need OpenBLAS; without it
// their evaluation is an error, and the other factorisations are Tenon's own, which are slower.
#ifndef TENON_DETAIL_ARRAY_LINALG_H_
#define TENON_DETAIL_ARRAY_LINALG_H_

#include <tenon/detail/array.h>

TN_EXTERN_C_BEGIN

// Cholesky factor: lower L with a = L L^T, or upper U with a = U^T U. NaN if a is not positive
// definite.
TN_API tn_array_t* tn_array_linalg_cholesky(tn_scope_t* scope, tn_array_t* a,
                                            bool upper TN_DEFAULT(false));
// The inverse of a matrix from its Cholesky factor: of L L^T from L, or of U^T U from U.
TN_API tn_array_t* tn_array_linalg_cholesky_inv(tn_scope_t* scope, tn_array_t* a,
                                                bool upper TN_DEFAULT(false));
// The inverse of a triangular matrix.
TN_API tn_array_t* tn_array_linalg_tri_inv(tn_scope_t* scope, tn_array_t* a,
                                           bool upper TN_DEFAULT(false));
// The inverse. NaN or infinite if the matrix is singular.
TN_API tn_array_t* tn_array_linalg_inv(tn_scope_t* scope, tn_array_t* a);
// The Moore-Penrose pseudoinverse.
TN_API tn_array_t* tn_array_linalg_pinv(tn_scope_t* scope, tn_array_t* a);
// Solves a x = b for each column of b; a 1-D b is one column. Batches broadcast.
TN_API tn_array_t* tn_array_linalg_solve(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);
// Solves a x = b for a lower triangular matrix a, or an upper one.
TN_API tn_array_t* tn_array_linalg_solve_triangular(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                                    bool upper TN_DEFAULT(false));
// Determinant. Integers are converted to float32.
TN_API tn_array_t* tn_array_linalg_det(tn_scope_t* scope, tn_array_t* a);
// The sign of the determinant (-1, 0 or 1) and the logarithm of its magnitude.
TN_API void tn_array_linalg_slogdet(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_sign,
                                    tn_array_t** out_logarithm);
// LU factorisation with both factors in one matrix (L has a unit diagonal, which is not stored);
// pivots[i] (uint32) is the row that was swapped with row i.
TN_API void tn_array_linalg_lu_factor(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_factors,
                                      tn_array_t** out_pivots);
// LU factorisation a = L[rows] U; rows are uint32.
TN_API void tn_array_linalg_lu(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_rows,
                               tn_array_t** out_lower, tn_array_t** out_upper);
// Reduced QR factorisation a = Q R: Q has min(rows, columns) columns.
TN_API void tn_array_linalg_qr(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_q,
                               tn_array_t** out_r);
// Singular value decomposition a = U diag(S) V^T with square U and V^T, also for complex dtypes.
// out_u and out_vt may be NULL, both or neither.
TN_API void tn_array_linalg_svd(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_u,
                                tn_array_t** out_s, tn_array_t** out_vt);
// Eigenvalues of symmetric or Hermitian matrices in ascending order, and eigenvectors as columns;
// only one triangle is read. out_vectors may be NULL.
TN_API void tn_array_linalg_eigh(tn_scope_t* scope, tn_array_t* a, bool upper TN_DEFAULT(false),
                                 tn_array_t** out_values, tn_array_t** out_vectors);
// Eigenvalues of symmetric or Hermitian matrices in ascending order; only one triangle is read.
TN_API tn_array_t* tn_array_linalg_eigvalsh(tn_scope_t* scope, tn_array_t* a,
                                            bool upper TN_DEFAULT(false));
// Eigenvalues and eigenvectors of general matrices; complex, in unspecified order.
TN_API void tn_array_linalg_eig(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_values,
                                tn_array_t** out_vectors);
// Eigenvalues of general matrices; complex, in unspecified order.
TN_API tn_array_t* tn_array_linalg_eigvals(tn_scope_t* scope, tn_array_t* a);
// Cross product of vectors with 2 or 3 elements along an axis.
TN_API tn_array_t* tn_array_linalg_cross(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                         int64_t axis TN_DEFAULT(-1));

typedef enum tn_norm {
  TN_NORM_DEFAULT = 0,  // square root of the sum of squares
  TN_NORM_ORDER,        // the norm of order `ord`
  TN_NORM_FROBENIUS,    // matrices
  TN_NORM_NUCLEAR,      // matrices: the sum of the singular values
} tn_norm_t;
// Vector norm along one axis, or matrix norm along two; `axes` NULL: all axes. Matrix norms have
// orders 1, -1, 2, -2 and +-infinity.
TN_API tn_array_t* tn_array_linalg_norm(tn_scope_t* scope, tn_array_t* a,
                                        tn_norm_t kind TN_DEFAULT(TN_NORM_DEFAULT),
                                        double ord TN_DEFAULT(2), size_t axis_count,
                                        const int64_t* axes TN_NAMED(axis) TN_DEFAULT(NULL),
                                        bool keepdims TN_DEFAULT(false));

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_LINALG_H_
