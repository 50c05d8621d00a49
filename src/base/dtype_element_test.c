// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>
#include <tenon/detail/dtype.h>

#include "base/testing.h"

static double stored(tn_dtype_t dtype, double value) {
  char element[16];
  memset(element, 0x5a, sizeof element);
  tn_dtype_store(dtype, value, element);
  return tn_dtype_load(dtype, element);
}

static void small_whole_numbers_survive_in_every_dtype_of_numbers(void** state) {
  (void)state;
  for (int i = 1; i < TN_DTYPE_LIMIT; ++i) {
    tn_dtype_t dtype = (tn_dtype_t)i;
    if (!tn_dtype_is_valid(i) || dtype == TN_DTYPE_TOKEN || dtype == TN_DTYPE_S1) continue;
    assert_true(stored(dtype, 1) == 1);
    if (dtype != TN_DTYPE_F8E8M0FNU) assert_true(stored(dtype, 0) == 0);
    if (tn_dtype_kind(dtype) == TN_KIND_SIGNED) assert_true(stored(dtype, -2) == -2);
  }
}

static void integers_saturate_and_cut_off(void** state) {
  (void)state;
  assert_true(stored(TN_DTYPE_S8, 1000) == 127);
  assert_true(stored(TN_DTYPE_S8, -1000) == -128);
  assert_true(stored(TN_DTYPE_U8, 1000) == 255);
  assert_true(stored(TN_DTYPE_U8, -1) == 0);
  assert_true(stored(TN_DTYPE_S4, 9) == 7);
  assert_true(stored(TN_DTYPE_U2, 9) == 3);
  assert_true(stored(TN_DTYPE_S32, 2.9) == 2);
  assert_true(stored(TN_DTYPE_S32, -2.9) == -2);
  assert_true(stored(TN_DTYPE_S64, 1e300) == 0x1p63);
  assert_true(stored(TN_DTYPE_U64, INFINITY) == 0x1p64);
  assert_true(stored(TN_DTYPE_S16, NAN) == 0);
  assert_true(stored(TN_DTYPE_U16, NAN) == 0);
}

static void floats_round_to_the_nearest(void** state) {
  (void)state;
  assert_true(stored(TN_DTYPE_F64, 0.1) == 0.1);
  assert_true(stored(TN_DTYPE_F32, 0.1) == (double)0.1F);
  assert_true(stored(TN_DTYPE_BF16, 1.00390625) == 1);  // halfway: to even
  assert_true(isinf(stored(TN_DTYPE_F16, 1e9)));
  assert_true(isnan(stored(TN_DTYPE_F8E4M3FN, NAN)));
}

static void a_complex_number_gets_no_imaginary_part(void** state) {
  (void)state;
  float pair[2] = {9, 9};
  tn_dtype_store(TN_DTYPE_C64, 2.5, pair);
  assert_true(pair[0] == 2.5F && pair[1] == 0);
  double wide[2] = {9, 9};
  tn_dtype_store(TN_DTYPE_C128, -1, wide);
  assert_true(wide[0] == -1 && wide[1] == 0);
  assert_true(tn_dtype_load(TN_DTYPE_C128, wide) == -1);
}

static void nothing_is_stored_for_tokens(void** state) {
  (void)state;
  char byte = 0x5a;
  tn_dtype_store(TN_DTYPE_TOKEN, 1, &byte);
  tn_dtype_store(TN_DTYPE_INVALID, 1, &byte);
  assert_int_equal(byte, 0x5a);
  assert_true(tn_dtype_load(TN_DTYPE_TOKEN, &byte) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_whole_numbers_survive_in_every_dtype_of_numbers),
      cmocka_unit_test(integers_saturate_and_cut_off),
      cmocka_unit_test(floats_round_to_the_nearest),
      cmocka_unit_test(a_complex_number_gets_no_imaginary_part),
      cmocka_unit_test(nothing_is_stored_for_tokens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
