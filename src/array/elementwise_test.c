// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "lazy/testing_lazy.h"

// The elements as float32, whatever they are.
#define NUMBERS(array) tn_array_astype(s, (array), TN_DTYPE_F32)

static tn_array_t* integers(tn_scope_t* s, size_t count, const int32_t* values) {
  return tn_array_from_host(s, TN_DTYPE_S32, 1, (int64_t[]){(int64_t)count}, values,
                            count * sizeof *values);
}
#define INTEGERS(...) integers(s, sizeof((int32_t[]){__VA_ARGS__}) / 4, (int32_t[]){__VA_ARGS__})
#define FLOATS(...)                                                      \
  tn__testing_f32(s, 1, (int64_t[]){sizeof((float[]){__VA_ARGS__}) / 4}, \
                  (const float[]){__VA_ARGS__})

static void quotients_round_down_and_rests_follow_the_divisor(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* a = INTEGERS(-7, 7, -7, 7);
  tn_array_t* b = INTEGERS(2, -2, -2, 2);
  TN_ASSERT_F32(NUMBERS(tn_array_floor_divide(s, a, b)), TN_LIST(4), -4, -4, 3, 3);
  TN_ASSERT_F32(NUMBERS(tn_array_remainder(s, a, b)), TN_LIST(4), 1, -1, -1, 1);
  tn_array_t* x = FLOATS(-7.5f, 7.5f);
  tn_array_t* y = FLOATS(2, -2);
  TN_ASSERT_F32(tn_array_floor_divide(s, x, y), TN_LIST(2), -4, -4);
  TN_ASSERT_F32(tn_array_remainder(s, x, y), TN_LIST(2), 0.5f, -0.5f);
  tn_scope_destroy(s);
}

static void halves_round_to_the_even_one(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = FLOATS(0.5f, 1.5f, 2.5f, -0.5f, 125);
  TN_ASSERT_F32(tn_array_round(s, x, 0), TN_LIST(5), 0, 2, 2, -0.0f, 125);
  TN_ASSERT_F32(tn_array_round(s, FLOATS(125, 1234), -1), TN_LIST(2), 120, 1230);
  tn_scope_destroy(s);
}

static void infinities_and_nans_are_told_apart(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = FLOATS(1, INFINITY, -INFINITY, NAN);
  TN_ASSERT_F32(NUMBERS(tn_array_isfinite(s, x)), TN_LIST(4), 1, 0, 0, 0);
  TN_ASSERT_F32(NUMBERS(tn_array_isinf(s, x)), TN_LIST(4), 0, 1, 1, 0);
  TN_ASSERT_F32(NUMBERS(tn_array_isneginf(s, x)), TN_LIST(4), 0, 0, 1, 0);
  TN_ASSERT_F32(NUMBERS(tn_array_isnan(s, x)), TN_LIST(4), 0, 0, 0, 1);
  const double high = 9;
  TN_ASSERT_F32(tn_array_nan_to_num(s, x, 5, &high, NULL), TN_LIST(4), 1, 9, -0x1.FFFFFEp127f, 5);
  TN_ASSERT_F32(NUMBERS(tn_array_isclose(s, x, x, 1e-5, 1e-8, false)), TN_LIST(4), 1, 1, 1, 0);
  TN_ASSERT_F32(NUMBERS(tn_array_array_equal(s, x, x, true)), TN_NO_DIMS, 1);
  tn_scope_destroy(s);
}

static void choices_promote_and_broadcast(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* condition = tn_array_reshape(s, INTEGERS(1, 0), TN_LIST(2, 1));
  TN_ASSERT_F32(tn_array_where(s, condition, INTEGERS(1, 2), FLOATS(0.5f, 0.25f)), TN_LIST(2, 2), 1,
                2, 0.5f, 0.25f);
  tn_array_t* two = tn_array_scalar(s, TN_DTYPE_F32, 2);
  TN_ASSERT_F32(tn_array_clip(s, FLOATS(1, 3), two, NULL), TN_LIST(2), 2, 3);
  tn_array_t* none = tn_array_clip(s, two, NULL, NULL);
  TN_ASSERT_REPORT("clip: neither a_min nor a_max", tn_array_eval(1, &none));
  tn_scope_destroy(s);
}

static void dtypes_without_an_operation_are_refused(void** state) {
  (void)state;
  tn_scope_t* s = tn__testing_scope();
  tn_array_t* x = FLOATS(1);
  tn_array_t* c = tn_array_astype(s, x, TN_DTYPE_C64);
  tn_array_t* failures[] = {tn_array_bitwise_and(s, x, x), tn_array_remainder(s, c, x),
                            tn_array_negative(s, tn_array_isnan(s, x))};
  TN_ASSERT_REPORT("bitwise_and: takes only integers and booleans; got f32",
                   tn_array_eval(1, &failures[0]));
  TN_ASSERT_REPORT("remainder: takes no complex elements; got complex<f32>",
                   tn_array_eval(1, &failures[1]));
  TN_ASSERT_REPORT("negative: takes no booleans; got i1", tn_array_eval(1, &failures[2]));
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quotients_round_down_and_rests_follow_the_divisor),
      cmocka_unit_test(halves_round_to_the_even_one),
      cmocka_unit_test(infinities_and_nans_are_told_apart),
      cmocka_unit_test(choices_promote_and_broadcast),
      cmocka_unit_test(dtypes_without_an_operation_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
