// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <tenon/detail/array_fast.h>
#include <tenon/detail/array_fft.h>

#include "lazy/testing_lazy.h"

static void norms_keep_the_dtype(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_f32(s, TN_LIST(1, 2), (float[]){-3, 3});
  TN_ASSERT_F32(tn_array_rms_norm(s, x, NULL, 0), TN_LIST(1, 2), -1, 1);
  tn_array_t* half = tn_array_astype(s, x, TN_DTYPE_F16);
  assert_int_equal(tn_array_dtype(tn_array_layer_norm(s, half, NULL, NULL, 1e-5)), TN_DTYPE_F16);
  tn_array_t* bad = tn_array_rms_norm(s, x, tn__testing_range(s, TN_LIST(3)), 0);
  TN_ASSERT_REPORT("rms_norm: the weight has shape 3; expected 2 elements", tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

static void attention_to_one_key_is_its_value(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* q = tn__testing_range(s, TN_LIST(1, 2, 2, 1));
  tn_array_t* k = tn__testing_range(s, TN_LIST(1, 1, 2, 1));
  const tn_attention_t options = {.struct_size = sizeof options, .scale = 1, .causal = true};
  tn_array_t* y = tn_array_scaled_dot_product_attention(s, q, k, k, &options);
  const tn_index_t first[] = {TN_ELLIPSIS, TN_SLICE(0, 1), TN_ALL};
  TN_ASSERT_F32(tn_array_index(s, y, 3, first), TN_LIST(1, 2, 1, 1), 0, 0);
  tn_scope_destroy(s);
}

static void transforms_come_back(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 4));
  tn_array_t* y = tn_array_rfftn(s, x, 0, NULL, NULL, TN_FFT_BACKWARD);
  TN_ASSERT_F32(tn_array_irfftn(s, y, 0, NULL, NULL, TN_FFT_BACKWARD), TN_LIST(2, 4), 0, 1, 2, 3, 4,
                5, 6, 7);
  TN_ASSERT_F32(tn_array_real(s, tn_array_fft(s, x, 0, 0, TN_FFT_FORWARD)), TN_LIST(2, 4), 2, 3, 4,
                5, -2, -2, -2, -2);
  tn_array_t* bad = tn_array_fft(s, x, -1, 0, TN_FFT_BACKWARD);
  TN_ASSERT_REPORT("fft: -1 elements along axis 0", tn_array_eval(1, &bad));
  bad = tn_array_fftfreq(s, 0, 1);
  TN_ASSERT_REPORT("fftfreq: 0 elements; expected 1 to", tn_array_eval(1, &bad));
  bad = tn_array_rfftfreq(s, 3, 0);
  TN_ASSERT_REPORT("rfftfreq: the sample spacing d is 0", tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

static void letters_say_what_is_summed(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 2));
  TN_ASSERT_F32(tn_array_einsum(s, "ii", 1, &x), TN_NO_DIMS, 3);
  TN_ASSERT_F32(tn_array_einsum(s, "...i,ij->j...", 2, (tn_array_t*[]){x, x}), TN_LIST(2, 2), 2, 6,
                3, 11);
  tn_array_t* bad =
      tn_array_einsum(s, "ij,jk", 2, (tn_array_t*[]){x, tn__testing_range(s, TN_LIST(3, 2))});
  TN_ASSERT_REPORT("einsum: \"ij,jk\": letter j has sizes 2 and 3; expected equal ones, or 1",
                   tn_array_eval(1, &bad));
  bad = tn_array_einsum(s, "ij->k", 1, &x);
  TN_ASSERT_REPORT("einsum: \"ij->k\": the result has a letter twice, or one that no operand has",
                   tn_array_eval(1, &bad));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(norms_keep_the_dtype),
      cmocka_unit_test(attention_to_one_key_is_its_value),
      cmocka_unit_test(transforms_come_back),
      cmocka_unit_test(letters_say_what_is_summed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
