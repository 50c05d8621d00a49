// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/array_linalg.h>

#include "lazy/testing_lazy.h"

static void triangles_are_solved_without_a_library(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 2), (float[]){4, 2, 2, 10});
  tn_array_t* factor = tn_array_linalg_cholesky(s, x, false);
  TN_ASSERT_F32(factor, TN_LIST(2, 2), 2, 0, 1, 3);
  tn_array_t* b = tn__testing_f32(s, TN_LIST(2), (float[]){4, 8});
  TN_ASSERT_F32(tn_array_linalg_solve_triangular(s, factor, b, false), TN_LIST(2), 2, 2);
  TN_ASSERT_F32(tn_array_linalg_cholesky(s, x, true), TN_LIST(2, 2), 2, 1, 0, 3);
  tn_scope_destroy(s);
}

static void vectors_have_norms_and_products(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(2, 2), (float[]){3, -4, 0, 1});
  TN_ASSERT_F32(tn_array_linalg_norm(s, x, TN_NORM_DEFAULT, 0, TN_LIST(1), false), TN_LIST(2), 5,
                1);
  TN_ASSERT_F32(tn_array_linalg_norm(s, x, TN_NORM_ORDER, 1, 0, NULL, false), TN_NO_DIMS, 5);
  tn_array_t* a = tn__testing_f32(s, TN_LIST(3), (float[]){1, 0, 0});
  tn_array_t* b = tn__testing_f32(s, TN_LIST(3), (float[]){0, 1, 0});
  TN_ASSERT_F32(tn_array_linalg_cross(s, a, b, -1), TN_LIST(3), 0, 0, 1);
  tn_scope_destroy(s);
}

static void what_is_no_matrix_is_refused(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* i = tn_array_ones(s, TN_DTYPE_S32, TN_LIST(2, 2));
  tn_array_t *q = NULL, *r = NULL;
  tn_array_linalg_qr(s, i, &q, &r);
  tn_array_t* failures[] = {tn_array_linalg_inv(s, x), r,
                            tn_array_linalg_norm(s, x, TN_NORM_ORDER, 3, 0, NULL, false)};
  TN_ASSERT_REPORT("inv: f32 of shape 2x3: expected square matrices",
                   tn_array_eval(1, &failures[0]));
  TN_ASSERT_REPORT("qr: i32 of shape 2x2: expected f32 or f64", tn_array_eval(1, &failures[1]));
  TN_ASSERT_REPORT("norm: matrices have no norm of order 3", tn_array_eval(1, &failures[2]));
  tn_scope_destroy(s);
}

static void vectors_of_matrices_without_elements_are_identities(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(1, 2, 0)), &u, &values, &vt);
  TN_ASSERT_F32(u, TN_LIST(1, 2, 2), 1, 0, 0, 1);
  assert_int_equal(tn_array_size(values), 0);
  assert_int_equal(tn_array_rank(values), 2);
  assert_int_equal(tn_array_size(vt), 0);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_are_solved_without_a_library),
      cmocka_unit_test(vectors_have_norms_and_products),
      cmocka_unit_test(what_is_no_matrix_is_refused),
      cmocka_unit_test(vectors_of_matrices_without_elements_are_identities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
