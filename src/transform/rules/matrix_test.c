// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of linear algebra and of Fourier transforms.
#include <tenon/detail/array_linalg.h>

#include "kernel/lib/openblas.h"
#include "transform/rules/testing_rules.h"

// Two matrices as one of complex numbers, and back.
static tn_array_t* join_parts(tn_scope_t* s, tn_array_t* const* x) {
  return tn__apply(s, TN__OP(complex), 2, x, TN_DTYPE_C128, x[0]->rank, x[0]->dims);
}
static tn_array_t* fourier(tn_scope_t* s, const char* kind, tn_array_t* x, tn_dtype_t dtype,
                           int64_t length, int64_t size) {
  const int64_t dims[] = {x->dims[0], size};
  const tn_named_attr_t attributes[] = {TN_ENUM_ATTR("fft_type", "fft_type", kind),
                                        TN_I64_LIST_ATTR("fft_length", 1, &length)};
  return tn__apply_with(s, TN__OP(fft), 1, &x, 2, attributes, dtype, 2, dims);
}
TN_SUBJECT(fft) {
  return tn__testing_parts(s, fourier(s, "FFT", join_parts(s, x), TN_DTYPE_C128, 3, 3));
}
TN_SUBJECT(ifft) {
  return tn__testing_parts(s, fourier(s, "IFFT", join_parts(s, x), TN_DTYPE_C128, 3, 3));
}
TN_SUBJECT(rfft) {
  return tn__testing_parts(s, fourier(s, "RFFT", x[0], TN_DTYPE_C128, 3, 2));
}
TN_SUBJECT(rfft_even) {
  tn_array_t* turned = tn_array_transpose(s, x[0], NULL);
  return tn__testing_parts(s, fourier(s, "RFFT", turned, TN_DTYPE_C128, 4, 3));
}
TN_SUBJECT(irfft) {
  return fourier(s, "IRFFT", join_parts(s, x), TN_DTYPE_F64, 5, 5);
}
TN_SUBJECT(irfft_even) {
  return fourier(s, "IRFFT", join_parts(s, x), TN_DTYPE_F64, 4, 4);
}
// Along both dimensions at once.
static tn_array_t* fourier_of_both(tn_scope_t* s, const char* kind, tn_array_t* x, tn_dtype_t dtype,
                                   int64_t length, int64_t size) {
  const int64_t dims[] = {x->dims[0], size}, lengths[] = {x->dims[0], length};
  const tn_named_attr_t attributes[] = {TN_ENUM_ATTR("fft_type", "fft_type", kind),
                                        TN_I64_LIST_ATTR("fft_length", 2, lengths)};
  return tn__apply_with(s, TN__OP(fft), 1, &x, 2, attributes, dtype, 2, dims);
}
TN_SUBJECT(rfft_of_both) {
  return tn__testing_parts(s, fourier_of_both(s, "RFFT", x[0], TN_DTYPE_C128, 3, 2));
}
TN_SUBJECT(irfft_of_both) {
  return fourier_of_both(s, "IRFFT", join_parts(s, x), TN_DTYPE_F64, 5, 5);
}
TN_SUBJECT(irfft_of_both_even) {
  return fourier_of_both(s, "IRFFT", join_parts(s, x), TN_DTYPE_F64, 4, 4);
}

static tn_array_t* adjoint(tn_scope_t* s, tn_array_t* x) {
  return tn_array_conjugate(s, tn_array_matrix_transpose(s, x));
}
// Of a matrix that is positive definite in the triangle that is read, and something else in the
// other.
static tn_array_t* cholesky(tn_scope_t* s, tn_array_t* x, bool lower) {
  const int64_t size = x->dims[0];
  tn_array_t* product = tn_array_matmul(s, x, adjoint(s, x));
  tn_array_t* unit = tn_array_eye(s, TN_DTYPE_F64, size, size, 0);
  tn_array_t* a = tn_array_add(s, product, tn_array_astype(s, unit, x->dtype));
  a = tn_array_add(s, a, lower ? tn_array_triu(s, x, 1) : tn_array_tril(s, x, -1));
  const tn_named_attr_t attribute = TN_BOOL_ATTR("lower", lower);
  a = tn__apply_with(s, TN__OP(cholesky), 1, &a, 1, &attribute, a->dtype, 2, a->dims);
  return lower ? tn_array_tril(s, a, 0) : tn_array_triu(s, a, 0);
}
TN_SUBJECT(cholesky) {
  return cholesky(s, x[0], true);
}
TN_SUBJECT(cholesky_upper) {
  return cholesky(s, x[0], false);
}
TN_SUBJECT(cholesky_complex) {
  return tn__testing_parts(s, cholesky(s, join_parts(s, x), true));
}
TN_SUBJECT(cholesky_complex_upper) {
  return tn__testing_parts(s, cholesky(s, join_parts(s, x), false));
}

// Of the matrix with 2 added on the diagonal.
static tn_array_t* solve(tn_scope_t* s, tn_array_t* a, tn_array_t* b, bool left, bool lower,
                         bool unit, const char* transpose) {
  tn_array_t* two = tn_array_eye(s, TN_DTYPE_F64, a->dims[0], a->dims[0], 0);
  two = tn_array_astype(s, tn_array_add(s, two, two), a->dtype);
  const tn_named_attr_t attributes[] = {
      TN_BOOL_ATTR("left_side", left),
      TN_BOOL_ATTR("lower", lower),
      TN_BOOL_ATTR("unit_diagonal", unit),
      TN_ENUM_ATTR("transpose_a", "transpose", transpose),
  };
  tn_array_t* operands[] = {tn_array_add(s, a, two), b};
  return tn__apply_with(s, TN__OP(triangular_solve), 2, operands, 4, attributes, b->dtype, 2,
                        b->dims);
}
TN_SUBJECT(solve) {
  return solve(s, x[0], x[1], true, true, false, "NO_TRANSPOSE");
}
TN_SUBJECT(solve_unit) {
  return solve(s, x[0], x[1], true, false, true, "TRANSPOSE");
}
TN_SUBJECT(solve_right) {
  return solve(s, x[0], x[1], false, true, false, "TRANSPOSE");
}
TN_SUBJECT(solve_adjoint) {
  tn_array_t* b[] = {x[2], tn_array_sin(s, x[2])};
  return tn__testing_parts(
      s, solve(s, join_parts(s, x), join_parts(s, b), false, false, false, "ADJOINT"));
}

TN_SUBJECT(linear_solve) {
  return tn_array_linalg_solve(s, x[0], x[1]);
}
TN_SUBJECT(inverse) {
  return tn_array_linalg_inv(s, x[0]);
}
TN_SUBJECT(determinant) {
  return tn_array_linalg_det(s, x[0]);
}
// Of a matrix of four rows, of this rank where x is 0.
static tn_array_t* determinant_of_rank(tn_scope_t* s, tn_array_t* x, size_t rank) {
  static const double u[4][4] = {{3, 1, 0, 1}, {1, 0, 2, 1}, {0, 1, 1, 1}, {2, 5, 0, 1}};
  static const double v[4][4] = {{1, 2, 0, 1}, {0, 1, 1, 4}, {2, 0, 1, 1}, {1, 1, 3, 0}};
  double sum[4][4] = {{0}};
  for (size_t k = 0; k < rank; ++k) {
    for (size_t i = 0; i < 16; ++i) sum[i / 4][i % 4] += u[k][i / 4] * v[k][i % 4];
  }
  tn_array_t* a = tn_array_from_host(s, TN_DTYPE_F64, 2, (int64_t[]){4, 4}, sum, sizeof sum);
  return tn_array_linalg_det(s, tn_array_add(s, a, x));
}
TN_SUBJECT(determinant_of_rank_0) {
  return determinant_of_rank(s, x[0], 0);
}
TN_SUBJECT(determinant_of_rank_1) {
  return determinant_of_rank(s, x[0], 1);
}
TN_SUBJECT(determinant_of_rank_2) {
  return determinant_of_rank(s, x[0], 2);
}
TN_SUBJECT(determinant_of_rank_3) {
  return determinant_of_rank(s, x[0], 3);
}
// The pivot that is 0 is the first one.
TN_SUBJECT(determinant_without_column) {
  tn_array_t* shift = tn_array_eye(s, TN_DTYPE_F64, 4, 4, 1);
  return tn_array_linalg_det(
      s,
      tn_array_add(s,
                   tn_array_add(s, shift,
                                tn_array_triu(s, tn_array_ones(s, TN_DTYPE_F64, TN_LIST(4, 4)), 2)),
                   x[0]));
}
TN_SUBJECT(log_determinant) {
  tn_array_t *sign = NULL, *logarithm = NULL;
  tn_array_linalg_slogdet(s, x[0], &sign, &logarithm);
  return tn_array_multiply(s, sign, logarithm);
}
// Does not depend on the signs of the vectors.
static tn_array_t* exp_of_matrix(tn_scope_t* s, tn_array_t* x, bool upper) {
  tn_array_t *values = NULL, *vectors = NULL;
  tn_array_linalg_eigh(s, x, upper, &values, &vectors);
  values = tn_array_astype(s, tn_array_exp(s, values), x->dtype);
  return tn_array_matmul(s, tn_array_multiply(s, vectors, values), adjoint(s, vectors));
}
TN_SUBJECT(eigh) {
  return exp_of_matrix(s, x[0], false);
}
TN_SUBJECT(eigh_complex) {
  return tn__testing_parts(s, exp_of_matrix(s, join_parts(s, x), true));
}
TN_SUBJECT(eigvalsh) {
  return tn_array_linalg_eigvalsh(s, x[0], true);
}
TN_SUBJECT(singular_values) {
  tn_array_t* values = NULL;
  tn_array_linalg_svd(s, x[0], NULL, &values, NULL);
  return values;
}
// Does not depend on the signs of the vectors.
static tn_array_t* with_squares(tn_scope_t* s, tn_array_t* x) {
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, x, &u, &values, &vt);
  values = tn_array_astype(s, tn_array_square(s, values), x->dtype);
  return tn_array_matmul(s, tn_array_multiply(s, u, values), vt);
}
TN_SUBJECT(svd) {
  return with_squares(s, x[0]);
}
TN_SUBJECT(svd_complex) {
  return tn__testing_parts(s, with_squares(s, join_parts(s, x)));
}
// Of the longer side there is one vector more than there are values.
TN_SUBJECT(vectors) {
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, x[0], &u, &values, &vt);
  const int64_t rows = tn_array_dim(u, 0), columns = tn_array_dim(vt, 0);
  return tn_array_matmul(s, rows > columns ? u : vt, tn_array_ones(s, TN_DTYPE_F64, TN_LIST(4)));
}
// Both factors, one below the other.
TN_SUBJECT(qr) {
  tn_array_t* factors[2];
  tn_array_linalg_qr(s, x[0], &factors[0], &factors[1]);
  factors[0] = tn_array_matrix_transpose(s, factors[0]);
  return tn_array_concatenate(s, 2, factors, 1);
}
TN_SUBJECT(lu) {
  tn_array_t *factors = NULL, *pivots = NULL;
  tn_array_linalg_lu_factor(s, x[0], &factors, &pivots);
  return factors;
}
// Of complex numbers, of which there are some among the values of real ones, too.
static tn_array_t* general_eigen(tn_scope_t* s, tn_array_t* a, bool has_vectors) {
  tn_array_t *values = NULL, *vectors = NULL;
  if (!has_vectors) return tn__testing_parts(s, tn_array_linalg_eigvals(s, a));
  tn_array_linalg_eig(s, a, &values, &vectors);
  return tn_array_abs(s, vectors);
}
TN_SUBJECT(eigvals) {
  return general_eigen(s, x[0], false);
}
TN_SUBJECT(eigvals_complex) {
  return general_eigen(s, join_parts(s, x), false);
}
TN_SUBJECT(eig) {
  return general_eigen(s, x[0], true);
}
TN_SUBJECT(eig_complex) {
  return general_eigen(s, join_parts(s, x), true);
}

// --- gradients, whose derivatives are second ones

TN_PLAIN_GRADIENT(determinant, 1)
TN_PLAIN_GRADIENT(determinant_of_rank_0, 1)
TN_PLAIN_GRADIENT(determinant_of_rank_1, 1)
TN_PLAIN_GRADIENT(determinant_of_rank_2, 1)
TN_PLAIN_GRADIENT(determinant_of_rank_3, 1)
TN_PLAIN_GRADIENT(determinant_without_column, 1)

TN_GRADIENT(cholesky_upper, 1, 0)
TN_GRADIENT(solve, 2, 0)
TN_GRADIENT(inverse, 1, 0)
TN_GRADIENT(eigh, 1, 0)
TN_GRADIENT(singular_values, 1, 0)
TN_GRADIENT(qr, 1, 0)
TN_GRADIENT(eig, 1, 0)

static const tn_rule_case_t cases[] = {
    TN_RULE_TWO(fft, -1, 1),
    TN_RULE_TWO(ifft, -1, 1),
    TN_RULE_ONE(rfft, -1, 1),
    TN_RULE_ONE(rfft_even, -1, 1),
    TN_RULE_TWO(irfft, -1, 1),
    TN_RULE_TWO(irfft_even, -1, 1),
    TN_RULE_ONE(rfft_of_both, -1, 1),
    TN_RULE_TWO(irfft_of_both, -1, 1),
    TN_RULE_TWO(irfft_of_both_even, -1, 1),
    {"cholesky", of_cholesky, 1, {2}, {{3, 3}}, -1, 1},
    {"cholesky_upper", of_cholesky_upper, 1, {2}, {{3, 3}}, -1, 1},
    {"cholesky_complex", of_cholesky_complex, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"cholesky_complex_upper", of_cholesky_complex_upper, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"gradient of cholesky_upper", of_gradient_of_cholesky_upper, 1, {2}, {{3, 3}}, -1, 1},
    {"solve", of_solve, 2, {2, 2}, {{3, 3}, {3, 2}}, -1, 1},
    {"solve_unit", of_solve_unit, 2, {2, 2}, {{3, 3}, {3, 2}}, -1, 1},
    {"solve_right", of_solve_right, 2, {2, 2}, {{3, 3}, {2, 3}}, -1, 1},
    {"solve_adjoint", of_solve_adjoint, 3, {2, 2, 2}, {{3, 3}, {3, 3}, {2, 3}}, -1, 1},
    {"gradient of solve", of_gradient_of_solve, 2, {2, 2}, {{3, 3}, {3, 2}}, -1, 1},
};

static void rules_agree_with_differences_and_batches_with_elements(void** state) {
  (void)state;
  tn__check_rules(sizeof cases / sizeof *cases, cases, true);
}

// At 0, and what changes there.
#define DETERMINANT_ROWS(name)                                                \
  {#name, of_##name, 1, {2}, {{4, 4}}, 0, 0}, {                               \
    "gradient of " #name, of_plain_gradient_of_##name, 1, {2}, {{4, 4}}, 0, 0 \
  }

static const tn_rule_case_t lapack_cases[] = {
    {"svd", of_svd, 1, {2}, {{3, 3}}, -1, 1},
    {"svd_complex", of_svd_complex, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"singular_values", of_singular_values, 1, {2}, {{4, 3}}, -1, 1},
    {"singular_values, wide", of_singular_values, 1, {2}, {{2, 4}}, -1, 1},
    {"gradient of singular_values", of_gradient_of_singular_values, 1, {2}, {{3, 3}}, -1, 1},
    {"linear_solve", of_linear_solve, 2, {2, 2}, {{3, 3}, {3, 2}}, -1, 1},
    {"linear_solve of a batch", of_linear_solve, 2, {3, 3}, {{2, 3, 3}, {2, 3, 1}}, -1, 1},
    {"inverse", of_inverse, 1, {2}, {{3, 3}}, -1, 1},
    {"gradient of inverse", of_gradient_of_inverse, 1, {2}, {{3, 3}}, -1, 1},
    {"determinant", of_determinant, 1, {2}, {{3, 3}}, -1, 1},
    DETERMINANT_ROWS(determinant_of_rank_0),
    DETERMINANT_ROWS(determinant_of_rank_1),
    DETERMINANT_ROWS(determinant_of_rank_2),
    DETERMINANT_ROWS(determinant_of_rank_3),
    DETERMINANT_ROWS(determinant_without_column),
    {"gradient of determinant", of_plain_gradient_of_determinant, 1, {2}, {{4, 4}}, -1, 1},
    {"log_determinant", of_log_determinant, 1, {2}, {{4, 4}}, -1, 1},
    {"eigh", of_eigh, 1, {2}, {{3, 3}}, -1, 1},
    {"eigh_complex", of_eigh_complex, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"eigvalsh", of_eigvalsh, 1, {2}, {{3, 3}}, -1, 1},
    {"gradient of eigh", of_gradient_of_eigh, 1, {2}, {{3, 3}}, -1, 1},
    {"vectors", of_vectors, 1, {2}, {{4, 3}}, -1, 1},
    {"vectors, wide", of_vectors, 1, {2}, {{3, 4}}, -1, 1},
    {"qr", of_qr, 1, {2}, {{4, 3}}, -1, 1},
    {"qr, wide", of_qr, 1, {2}, {{2, 4}}, -1, 1},
    {"gradient of qr", of_gradient_of_qr, 1, {2}, {{4, 2}}, -1, 1},
    {"lu", of_lu, 1, {2}, {{4, 3}}, -1, 1},
    {"lu, wide", of_lu, 1, {2}, {{2, 4}}, -1, 1},
    {"eigvals", of_eigvals, 1, {2}, {{4, 4}}, -1, 1},
    {"eigvals_complex", of_eigvals_complex, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"eig", of_eig, 1, {2}, {{4, 4}}, -1, 1},
    {"eig_complex", of_eig_complex, 2, {2, 2}, {{3, 3}, {3, 3}}, -1, 1},
    {"gradient of eig", of_gradient_of_eig, 1, {2}, {{3, 3}}, -1, 1},
};

static void routines_of_lapack_have_rules(void** state) {
  (void)state;
  const char* reason = NULL;
  if (!tn__openblas(&reason)) {
    print_message("%s\n", reason ? reason : "no OpenBLAS");
    skip();
  }
  tn__check_rules(sizeof lapack_cases / sizeof *lapack_cases, lapack_cases, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_agree_with_differences_and_batches_with_elements),
      cmocka_unit_test(routines_of_lapack_have_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
