// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "lazy/testing_lazy.h"

static void matrices_and_vectors_multiply(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* a = tn__testing_range(s, TN_LIST(2, 3));
  tn_array_t* v = tn__testing_range(s, TN_LIST(3));
  TN_ASSERT_F32(tn_array_matmul(s, a, v), TN_LIST(2), 5, 14);
  TN_ASSERT_F32(tn_array_matmul(s, v, v), TN_NO_DIMS, 5);
  tn_array_t* batch = tn__testing_range(s, TN_LIST(2, 1, 3));
  TN_ASSERT_F32(tn_array_matmul(s, batch, tn_array_transpose(s, a, NULL)), TN_LIST(2, 1, 2), 5, 14,
                14, 50);
  TN_ASSERT_F32(tn_array_addmm(s, tn_array_scalar(s, TN_DTYPE_F32, 1), a, v, 2, 3), TN_LIST(2), 13,
                31);
  tn_array_t* bad = tn_array_matmul(s, a, a);
  TN_ASSERT_REPORT(
      "matmul: operands have shapes 2x3 and 2x3; contracting dimensions 1 of the first and 0 of "
      "the "
      "second have sizes 3 and 2; expected equal ones",
      tn_array_eval(1, &bad));
  bad = tn_array_tensordot(s, a, a, 1, (int64_t[]){0}, (int64_t[]){1});
  TN_ASSERT_REPORT("contracting dimensions 0 of the first and 1 of the second have sizes 2 and 3",
                   tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

static void products_are_summed_over_the_axes_given(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* a = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_F32(tn_array_tensordot(s, a, a, 2, NULL, NULL), TN_NO_DIMS, 55);
  TN_ASSERT_F32(tn_array_inner(s, a, a), TN_LIST(2, 2), 5, 14, 14, 50);
  TN_ASSERT_F32(
      tn_array_outer(s, tn__testing_range(s, TN_LIST(2)), tn__testing_range(s, TN_LIST(2))),
      TN_LIST(2, 2), 0, 0, 0, 1);
  tn_scope_destroy(s);
}

static void convolutions_slide_kernels(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(1, 4, 1));
  tn_array_t* k = tn__testing_f32(s, TN_LIST(1, 2, 1), (float[]){1, 10});
  const int64_t two[] = {2}, one[] = {1};
  TN_ASSERT_F32(tn_array_conv1d(s, x, k, NULL, one, NULL, 1), TN_LIST(1, 5, 1), 0, 10, 21, 32, 3);
  TN_ASSERT_F32(tn_array_conv_transpose1d(s, x, k, two, NULL, NULL, NULL, 1), TN_LIST(1, 8, 1), 0,
                0, 1, 10, 2, 20, 3, 30);
  TN_ASSERT_F32(tn_array_convolve(s, tn__testing_range(s, TN_LIST(3)),
                                  tn__testing_range(s, TN_LIST(2)), TN_CONVOLVE_SAME),
                TN_LIST(3), 0, 0, 1);
  tn_array_t* bad = tn_array_conv2d(s, x, k, NULL, NULL, NULL, 1);
  TN_ASSERT_REPORT("conv2d: an input of shape 1x4x1", tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_and_vectors_multiply),
      cmocka_unit_test(products_are_summed_over_the_axes_given),
      cmocka_unit_test(convolutions_slide_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
