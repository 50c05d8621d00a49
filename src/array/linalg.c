// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Factors of matrices, and what is computed with them.
#include <math.h>

#include <tenon/detail/transform.h>

#include "array/matrix.h"

#define ROWS(x) ((x)->dims[(x)->rank - 2])
#define COLUMNS(x) ((x)->dims[(x)->rank - 1])
static const int64_t last[] = {-1};

static int64_t shorter_side(const tn_array_t* x) {
  return ROWS(x) < COLUMNS(x) ? ROWS(x) : COLUMNS(x);
}

static void give_all(size_t count, tn_array_t** const* outs, tn_array_t* error) {
  for (size_t i = 0; i < count; ++i) {
    if (outs[i]) *outs[i] = error;
  }
}

// --- triangles

tn_array_t* tn_array_linalg_cholesky(tn_scope_t* scope, tn_array_t* a, bool upper) {
  TN__OPERATION(scope, "cholesky");
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, a, TN_MATRIX_SQUARE));
  const tn_named_attr_t attribute = TN_BOOL_ATTR("lower", !upper);
  a = tn__apply_with(scope, TN__OP(cholesky), 1, &a, 1, &attribute, a->dtype, a->rank, a->dims);
  return upper ? tn_array_triu(scope, a, 0) : tn_array_tril(scope, a, 0);
}

tn_array_t* tn_array_linalg_tri_inv(tn_scope_t* scope, tn_array_t* a, bool upper) {
  TN__OPERATION(scope, "tri_inv");
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, a, TN_MATRIX_SQUARE));
  return tn__solve_triangles(scope, a, tn_array_identity(scope, a->dtype, ROWS(a)), !upper, false);
}

tn_array_t* tn_array_linalg_cholesky_inv(tn_scope_t* scope, tn_array_t* a, bool upper) {
  TN__OPERATION(scope, "cholesky_inv");
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, a, TN_MATRIX_SQUARE));
  tn_array_t* inverse = tn_array_linalg_tri_inv(scope, a, upper);
  tn_array_t* turned = tn_array_matrix_transpose(scope, inverse);
  return upper ? tn_array_matmul(scope, inverse, turned) : tn_array_matmul(scope, turned, inverse);
}

// Both of one dtype, `b` with columns. False with an error array.
static tn_array_t* prepare_system(tn_scope_t* scope, tn_array_t** operands, bool* out_is_vector) {
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 2, operands));
  tn_dtype_t dtype = TN_DTYPE_INVALID;
  TN__RETURN_IF_FAILED(tn__result_type(scope, 2, operands, &dtype));
  for (int i = 0; i < 2; ++i) operands[i] = tn_array_astype(scope, operands[i], dtype);
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, operands[0], TN_MATRIX_SQUARE));
  const tn_array_t* a = operands[0];
  *out_is_vector = operands[1]->rank == 1;
  if (*out_is_vector) operands[1] = tn_array_expand_dims(scope, operands[1], 1, last);
  const tn_array_t* b = operands[1];
  if (b->rank < 2 || ROWS(b) != ROWS(a)) {
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "shapes %s and %s: expected as many rows",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims));
  }
  const size_t shared = (a->rank < b->rank ? a->rank : b->rank) - 2;
  for (size_t i = 0; i < shared; ++i) {
    const int64_t from_a = a->dims[a->rank - 3 - i], from_b = b->dims[b->rank - 3 - i];
    if (from_a == from_b || from_a == 1 || from_b == 1) continue;
    return tn__scope_fail(scope, TN_CODE_INVALID_ARGUMENT,
                          "the batches of shapes %s and %s do not broadcast",
                          TN_SHAPE_TEXT(a->rank, a->dims), TN_SHAPE_TEXT(b->rank, b->dims));
  }
  return NULL;
}

tn_array_t* tn_array_linalg_solve_triangular(tn_scope_t* scope, tn_array_t* a, tn_array_t* b,
                                             bool upper) {
  TN__OPERATION(scope, "solve_triangular");
  tn_array_t* operands[] = {a, b};
  bool is_vector = false;
  TN__RETURN_IF_FAILED(prepare_system(scope, operands, &is_vector));
  tn_array_t* x = tn__solve_triangles(scope, operands[0], operands[1], !upper, false);
  return is_vector ? tn_array_squeeze(scope, x, 1, last) : x;
}

// --- LU

// Pivots count from 1, as the routine gives them.
static void factor(tn_scope_t* scope, tn_array_t* x, tn_array_t** out_factors,
                   tn_array_t** out_pivots) {
  const tn_lapack_result_t types[] = {{x->dtype, 2, {ROWS(x), COLUMNS(x)}, true},
                                      {TN_DTYPE_S32, 1, {shorter_side(x)}, true},
                                      {TN_DTYPE_S32, 0, {0}, false}};
  tn_array_t* results[3];
  tn__lapack(scope, "getrf", 1, &x, 0, NULL, 3, types, results);
  *out_factors = results[0];
  *out_pivots = results[1];
}

void tn_array_linalg_lu_factor(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_factors,
                               tn_array_t** out_pivots) {
  TN__OPERATION(scope, "lu_factor");
  *out_factors = *out_pivots = NULL;
  tn_array_t* error = tn__check_matrices(scope, a, 0);
  if (error) {
    *out_factors = *out_pivots = error;
    return;
  }
  factor(scope, a, out_factors, out_pivots);
  tn_array_t* pivots = tn_array_astype(scope, *out_pivots, TN_DTYPE_U32);
  *out_pivots = tn_array_subtract(scope, pivots, tn__number_like(scope, pivots, 1));
}

void tn_array_linalg_lu(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_rows,
                        tn_array_t** out_lower, tn_array_t** out_upper) {
  TN__OPERATION(scope, "lu");
  tn_array_t *factors = NULL, *pivots = NULL;
  tn_array_t* error = tn__check_matrices(scope, a, 0);
  if (error) {
    give_all(3, (tn_array_t * *[]){out_rows, out_lower, out_upper}, error);
    return;
  }
  const int64_t side = shorter_side(a);
  factor(scope, a, &factors, &pivots);
  // a[rows] = L U; the inverse of the permutation gives a = L[inverse] U.
  tn_array_t* rows = tn_array_argsort(scope, tn__rows_of_pivots(scope, a, pivots), -1);
  tn_array_t* lower = tn_array_tril(scope, tn__leading_block(scope, factors, ROWS(a), side), -1);
  *out_rows = rows;
  *out_lower = tn_array_add(scope, lower, tn_array_eye(scope, a->dtype, ROWS(a), side, 0));
  *out_upper = tn_array_triu(scope, tn__leading_block(scope, factors, side, COLUMNS(a)), 0);
}

tn_array_t* tn_array_linalg_solve(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  TN__OPERATION(scope, "solve");
  tn_array_t* operands[] = {a, b};
  tn_array_t *factors = NULL, *pivots = NULL;
  bool is_vector = false;
  TN__RETURN_IF_FAILED(prepare_system(scope, operands, &is_vector));
  a = operands[0];
  b = operands[1];
  factor(scope, a, &factors, &pivots);
  tn_array_t* rows = tn__rows_of_pivots(scope, a, pivots);
  rows = tn_array_expand_dims(scope, rows, 1, last);
  if (rows->dtype == TN_DTYPE_INVALID) return rows;
  // As many dimensions as b has, or b as many as they.
  int64_t ones[TN_MAX_RANK];
  tn_array_t** shorter = rows->rank < b->rank ? &rows : &b;
  const size_t rank = rows->rank < b->rank ? b->rank : rows->rank, lead = rank - (*shorter)->rank;
  for (size_t i = 0; i < lead; ++i) ones[i] = (int64_t)i;
  *shorter = tn_array_expand_dims(scope, *shorter, lead, ones);
  b = tn_array_take_along_axis(scope, b, rows, -2);
  tn_array_t* x = tn__solve_triangles(scope, factors, b, true, true);
  x = tn__solve_triangles(scope, factors, x, false, false);
  return is_vector ? tn_array_squeeze(scope, x, 1, last) : x;
}

tn_array_t* tn_array_linalg_inv(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "inv");
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, a, TN_MATRIX_SQUARE));
  return tn_array_linalg_solve(scope, a, tn_array_identity(scope, a->dtype, ROWS(a)));
}

void tn__know_matrix(tn_scope_t* scope, const tn_op_t* op, tn_array_t* x, size_t count,
                     tn_array_t** arrays) {
  tn_array_t* operands[TN_MADE_LIMIT + 1];
  tn_array_type_t types[TN_MADE_LIMIT];
  if (!(x->flags & TN_ARRAY_TRACED)) return;
  tn_array_t* error = tn__check_operands(scope, count, arrays);
  for (size_t i = 0; i < count && error; ++i) arrays[i] = error;
  if (error) return;
  for (size_t i = 0; i < count; ++i) {
    operands[i] = arrays[i];
    types[i] = (tn_array_type_t){arrays[i]->dtype, arrays[i]->rank, arrays[i]->dims};
  }
  operands[count] = x;
  const tn_step_spec_t spec = {.op = op,
                               .operand_count = count + 1,
                               .operands = operands,
                               .result_count = count,
                               .result_types = types};
  tn__step_add(scope, &spec, arrays);
}

// The diagonal of U, and -1 for an odd number of exchanges, else 1.
static tn_array_t* prepare_determinant(tn_scope_t* scope, tn_array_t* x, tn_array_t** out_diagonal,
                                       tn_array_t** out_sign) {
  tn_array_t *factors = NULL, *pivots = NULL;
  TN__RETURN_IF_FAILED(tn__check_operands(scope, 1, &x));
  if (!tn_issubdtype(x->dtype, TN_CATEGORY_INEXACT)) x = tn_array_astype(scope, x, TN_DTYPE_F32);
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, x, TN_MATRIX_SQUARE));
  factor(scope, x, &factors, &pivots);
  *out_diagonal = tn_array_diagonal(scope, factors, 0, -2, -1);
  tn_array_t* one = tn_array_scalar(scope, TN_DTYPE_S32, 1);
  tn_array_t* places = tn__iota(scope, TN_DTYPE_S32, x->rank - 1, x->dims, x->rank - 2);
  tn_array_t* is_moved = tn_array_not_equal(scope, tn_array_subtract(scope, pivots, one), places);
  *out_sign = tn_array_prod(scope,
                            tn_array_where(scope, is_moved, tn_array_scalar(scope, x->dtype, -1),
                                           tn_array_scalar(scope, x->dtype, 1)),
                            1, last, false);
  return NULL;
}

tn_array_t* tn_array_linalg_det(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION_ON(scope, "det", a);
  tn_array_t *diagonal = NULL, *sign = NULL;
  if (!tn_issubdtype(a->dtype, TN_CATEGORY_INEXACT)) a = tn_array_astype(scope, a, TN_DTYPE_F32);
  tn_array_t* constant = tn_array_stop_gradient(scope, a);
  TN__RETURN_IF_FAILED(prepare_determinant(scope, constant, &diagonal, &sign));
  tn_array_t* product = tn_array_prod(scope, diagonal, 1, last, false);
  product = tn_array_multiply(scope, sign, product);
  tn__know_matrix(scope, TN__IDENTITY(determinant), a, 1, &product);
  return product;
}

void tn_array_linalg_slogdet(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_sign,
                             tn_array_t** out_logarithm) {
  TN__OPERATION(scope, "slogdet");
  tn_array_t *diagonal = NULL, *sign = NULL;
  tn_array_t* error = prepare_determinant(scope, a, &diagonal, &sign);
  if (error) {
    *out_sign = *out_logarithm = error;
    return;
  }
  tn_array_t* signs = tn_array_prod(scope, tn_array_sign(scope, diagonal), 1, last, false);
  *out_sign = tn_array_multiply(scope, sign, signs);
  *out_logarithm =
      tn_array_sum(scope, tn_array_log(scope, tn_array_abs(scope, diagonal)), 1, last, false);
}

// --- QR

void tn_array_linalg_qr(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_q, tn_array_t** out_r) {
  TN__OPERATION(scope, "qr");
  tn_array_t* results[2];
  tn_array_t* error = tn__check_matrices(scope, a, 0);
  if (error) {
    *out_q = *out_r = error;
    return;
  }
  const int64_t side = shorter_side(a);
  const tn_lapack_result_t types[] = {{a->dtype, 2, {ROWS(a), COLUMNS(a)}, true},
                                      {a->dtype, 1, {side}, true}};
  // What the routines do has no derivative of its own.
  tn_array_t* constant = tn_array_stop_gradient(scope, a);
  tn__lapack(scope, "geqrf", 1, &constant, 0, NULL, 2, types, results);
  *out_r = tn_array_triu(scope, tn__leading_block(scope, results[0], side, COLUMNS(a)), 0);
  const tn_lapack_result_t q = {a->dtype, 2, {ROWS(a), side}, true};
  results[0] = tn__leading_block(scope, results[0], ROWS(a), side);
  if (results[0]->dtype == TN_DTYPE_INVALID) {
    *out_q = results[0];
    return;
  }
  tn__lapack(scope, "orgqr", 2, results, 0, NULL, 1, &q, out_q);
  tn_array_t* factors[] = {*out_q, *out_r};
  tn__know_matrix(scope, TN__IDENTITY(qr), a, 2, factors);
  *out_q = factors[0];
  *out_r = factors[1];
}

// --- singular values

// Of matrices without elements there are no values, and any vectors will do.
static void give_empty_svd(tn_scope_t* scope, const tn_array_t* a, tn_array_t** out_u,
                           tn_array_t** out_s, tn_array_t** out_vt) {
  tn_array_t** outs[] = {out_u, out_vt};
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, a->dims, a->rank * sizeof *dims);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t size = dims[a->rank - 2] = dims[a->rank - 1] = i ? COLUMNS(a) : ROWS(a);
    tn_array_t* identity = tn_array_eye(scope, a->dtype, size, size, 0);
    if (outs[i]) *outs[i] = tn_array_broadcast_to(scope, identity, a->rank, dims);
  }
  dims[a->rank - 2] = 0;
  *out_s = tn_array_zeros(scope, tn__real_dtype(a->dtype), a->rank - 1, dims);
}

void tn_array_linalg_svd(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_u, tn_array_t** out_s,
                         tn_array_t** out_vt) {
  TN__OPERATION(scope, "svd");
  tn_array_t* results[5];
  tn_array_t* error = tn__check_matrices(scope, a, TN_MATRIX_COMPLEX);
  if (error) {
    give_all(3, (tn_array_t * *[]){out_u, out_s, out_vt}, error);
    return;
  }
  const bool has_vectors = out_u && out_vt;
  if (shorter_side(a) == 0) {
    give_empty_svd(scope, a, out_u, out_s, out_vt);
    return;
  }
  const tn_lapack_result_t types[] = {{a->dtype, 2, {ROWS(a), COLUMNS(a)}, false},
                                      {tn__real_dtype(a->dtype), 1, {shorter_side(a)}, true},
                                      {a->dtype, 2, {ROWS(a), ROWS(a)}, has_vectors},
                                      {a->dtype, 2, {COLUMNS(a), COLUMNS(a)}, has_vectors},
                                      {TN_DTYPE_S32, 0, {0}, false}};
  const tn_named_attr_t mode = TN_LETTER_ATTR("mode", has_vectors ? 'A' : 'N');
  tn__lapack(scope, "gesdd", 1, &a, 1, &mode, 5, types, results);
  *out_s = results[1];
  if (out_u) *out_u = results[2];
  if (out_vt) *out_vt = results[3];
}

tn_array_t* tn_array_linalg_pinv(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "pinv");
  static const int64_t row[] = {-2};
  int64_t dims[TN_MAX_RANK];
  tn_array_t *u = NULL, *s = NULL, *vt = NULL;
  TN__RETURN_IF_FAILED(tn__check_matrices(scope, a, 0));
  if (tn_array_size(a) == 0) {
    memcpy(dims, a->dims, a->rank * sizeof *dims);
    dims[a->rank - 2] = COLUMNS(a);
    dims[a->rank - 1] = ROWS(a);
    return tn_array_zeros(scope, a->dtype, a->rank, dims);
  }
  const int64_t side = shorter_side(a);
  // Values that are equal have vectors without a derivative; what is made of them here has one.
  tn_array_linalg_svd(scope, tn_array_stop_gradient(scope, a), &u, &s, &vt);
  u = tn_array_matrix_transpose(scope, tn__leading_block(scope, u, ROWS(a), side));
  vt = tn_array_matrix_transpose(scope, tn__leading_block(scope, vt, side, COLUMNS(a)));
  // Smaller values are noise.
  const double eps = a->dtype == TN_DTYPE_F64 ? 0x1p-52 : 0x1p-23;
  const double longest = (double)(ROWS(a) > COLUMNS(a) ? ROWS(a) : COLUMNS(a));
  tn_array_t* limit = tn_array_multiply(scope, tn_array_max(scope, s, 1, last, true),
                                        tn__number_like(scope, s, 10 * longest * eps));
  tn_array_t* inverse = tn_array_where(scope, tn_array_greater(scope, s, limit),
                                       tn_array_reciprocal(scope, s), tn__number_like(scope, s, 0));
  inverse = tn_array_expand_dims(scope, inverse, 1, row);
  inverse = tn_array_matmul(scope, tn_array_multiply(scope, vt, inverse), u);
  tn__know_matrix(scope, TN__IDENTITY(pseudoinverse), a, 1, &inverse);
  return inverse;
}

// --- eigenvalues

void tn_array_linalg_eigh(tn_scope_t* scope, tn_array_t* a, bool upper, tn_array_t** out_values,
                          tn_array_t** out_vectors) {
  TN__OPERATION(scope, "eigh");
  tn_array_t* results[3];
  tn_array_t* error = tn__check_matrices(scope, a, TN_MATRIX_SQUARE | TN_MATRIX_COMPLEX);
  if (error) {
    give_all(2, (tn_array_t * *[]){out_values, out_vectors}, error);
    return;
  }
  const tn_lapack_result_t types[] = {{a->dtype, 2, {ROWS(a), ROWS(a)}, out_vectors != NULL},
                                      {tn__real_dtype(a->dtype), 1, {ROWS(a)}, true},
                                      {TN_DTYPE_S32, 0, {0}, false}};
  const tn_named_attr_t attributes[] = {TN_LETTER_ATTR("mode", out_vectors ? 'V' : 'N'),
                                        TN_LETTER_ATTR("uplo", upper ? 'U' : 'L')};
  const bool is_complex = tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX;
  tn__lapack(scope, is_complex ? "heevd" : "syevd", 1, &a, 2, attributes, 3, types, results);
  *out_values = results[1];
  if (out_vectors) *out_vectors = results[0];
}

tn_array_t* tn_array_linalg_eigvalsh(tn_scope_t* scope, tn_array_t* a, bool upper) {
  TN__OPERATION(scope, "eigvalsh");
  tn_array_t* values = NULL;
  tn_array_linalg_eigh(scope, a, upper, &values, NULL);
  return values;
}

void tn_array_linalg_eig(tn_scope_t* scope, tn_array_t* a, tn_array_t** out_values,
                         tn_array_t** out_vectors) {
  TN__OPERATION(scope, "eig");
  tn_array_t* results[5];
  tn_array_t* error = tn__check_matrices(scope, a, TN_MATRIX_SQUARE | TN_MATRIX_COMPLEX);
  if (error) {
    give_all(2, (tn_array_t * *[]){out_values, out_vectors}, error);
    return;
  }
  const bool is_complex = tn_dtype_kind(a->dtype) == TN_KIND_COMPLEX;
  const tn_dtype_t real = tn__real_dtype(a->dtype);
  const tn_dtype_t complex = real == TN_DTYPE_F32 ? TN_DTYPE_C64 : TN_DTYPE_C128;
  const int64_t size = ROWS(a);
  const tn_lapack_result_t parts = {real, 1, {size}, true};
  const tn_lapack_result_t types[] = {
      parts,
      is_complex ? (tn_lapack_result_t){complex, 1, {size}, true} : parts,
      {complex, 2, {size, size}, false},
      {complex, 2, {size, size}, out_vectors != NULL},
      {TN_DTYPE_S32, 0, {0}, false}};
  const tn_named_attr_t attributes[] = {TN_LETTER_ATTR("compute_left", 'N'),
                                        TN_LETTER_ATTR("compute_right", out_vectors ? 'V' : 'N')};
  // Complex matrices have complex eigenvalues in one result, not in two.
  tn__lapack(scope, "geev", 1, &a, 2, attributes, is_complex ? 4 : 5, types + is_complex,
             results + is_complex);
  *out_values = is_complex ? results[1] : results[0];
  if (!is_complex && results[0]->dtype != TN_DTYPE_INVALID) {
    *out_values =
        tn__apply(scope, TN__OP(complex), 2, results, complex, results[0]->rank, results[0]->dims);
  }
  if (out_vectors) *out_vectors = results[3];
}

tn_array_t* tn_array_linalg_eigvals(tn_scope_t* scope, tn_array_t* a) {
  TN__OPERATION(scope, "eigvals");
  tn_array_t* values = NULL;
  tn_array_linalg_eig(scope, a, &values, NULL);
  return values;
}
