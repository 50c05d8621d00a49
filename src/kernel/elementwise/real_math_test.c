// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elementary functions against values computed in 400 bits.
#include <math.h>

#include "base/testing.h"
#include "kernel/elementwise/map.h"

typedef struct golden {
  const char* op;
  float x32, wanted32;
  double x64, wanted64;
} golden_t;

static const golden_t goldens[] = {
    {"cbrt", -0x1.4484cp-100f, -0x1.b7cdfep-34f, -0x1.4484bfeebc2ap-100, -0x1.b7cdfd9d7bdbbp-34},
    {"cbrt", 0x1p+1f, 0x1.428a3p+0f, 0x1p+1, 0x1.428a2f98d728bp+0},
    {"cbrt", -0x1.b8p+4f, -0x1.825b1cp+1f, -0x1.b8p+4, -0x1.825b1b6bac03bp+1},
    {"cosine", 0x1.921ff2p+0f, -0x1.e5ddeap-19f, 0x1.921ff2e48e8a7p+0, -0x1.ed025dc757f0cp-19},
    {"cosine", -0x1p+1f, -0x1.aa2266p-2f, -0x1p+1, -0x1.aa22657537205p-2},
    {"cosine", 0x1.e848p+19f, 0x1.df9dfap-1f, 0x1.e848p+19, 0x1.df9df9906d32cp-1},
    {"exponential", -0x1.5ap+6f, 0x1.2778e8p-125f, -0x1.5ap+6, 0x1.2778e721b447bp-125},
    {"exponential", 0x1.0624dep-10f, 0x1.004192p+0f, 0x1.0624dd2f1a9fcp-10, 0x1.0041919b7ee34p+0},
    {"exponential", 0x1.666666p-1f, 0x1.01c2a6p+1f, 0x1.6666666666666p-1, 0x1.01c2a61268987p+1},
    {"exponential", 0x1.6p+6f, 0x1.f1056ep+126f, 0x1.6p+6, 0x1.f1056dc7bf22dp+126},
    {"exponential_minus_one", -0x1.4p+4f, -0x1p+0f, -0x1.4p+4, -0x1.ffffffee4b79bp-1},
    {"exponential_minus_one", 0x1.0c6f7ap-20f, 0x1.0c6f82p-20f, 0x1.0c6f7a0b5ed8dp-20,
     0x1.0c6f82d72bca9p-20},
    {"exponential_minus_one", 0x1.666666p-1f, 0x1.03854cp+0f, 0x1.6666666666666p-1,
     0x1.03854c24d130dp+0},
    {"log", 0x1.4484cp-100f, -0x1.144f6ap+6f, 0x1.4484bfeebc2ap-100, -0x1.144f69ff9ffc4p+6},
    {"log", 0x1.fff2e4p-1f, -0x1.a3855ep-14f, 0x1.fff2e48e8a71ep-1, -0x1.a3738d2cf1cc2p-14},
    {"log", 0x1.8p+1f, 0x1.193ea8p+0f, 0x1.8p+1, 0x1.193ea7aad030bp+0},
    {"log", 0x1.81cd6cp+13f, 0x1.2d7956p+3f, 0x1.81cd6c8b43958p+13, 0x1.2d79559791e31p+3},
    {"log_plus_one", 0x1.79ca1p-67f, 0x1.79ca1p-67f, 0x1.79ca10c924223p-67, 0x1.79ca10c924223p-67},
    {"log_plus_one", -0x1.8p-1f, -0x1.62e43p+0f, -0x1.8p-1, -0x1.62e42fefa39efp+0},
    {"log_plus_one", 0x1.8p+1f, 0x1.62e43p+0f, 0x1.8p+1, 0x1.62e42fefa39efp+0},
    {"logistic", -0x1.4p+6f, 0x1.7fd974p-116f, -0x1.4p+6, 0x1.7fd974d372e45p-116},
    {"logistic", -0x1p-1f, 0x1.829a06p-2f, -0x1p-1, 0x1.829a0565978dfp-2},
    {"logistic", 0x1.0624dep-10f, 0x1.0020c4p-1f, 0x1.0624dd2f1a9fcp-10, 0x1.0020c49b78133p-1},
    {"logistic", 0x1.4p+4f, 0x1p+0f, 0x1.4p+4, 0x1.ffffffee4b79bp-1},
    {"rsqrt", 0x1.4484cp-100f, 0x1.c6bf52p+49f, 0x1.4484bfeebc2ap-100, 0x1.c6bf52634p+49},
    {"rsqrt", 0x1p+1f, 0x1.6a09e6p-1f, 0x1p+1, 0x1.6a09e667f3bcdp-1},
    {"rsqrt", 0x1.2f939cp+69f, 0x1.4c7608p-35f, 0x1.2f939c99edab8p+69, 0x1.4c7608720b692p-35},
    {"sine", 0x1.4f8b58p-17f, 0x1.4f8b58p-17f, 0x1.4f8b588e368f1p-17, 0x1.4f8b588e1e8a2p-17},
    {"sine", 0x1.921fap+1f, 0x1.54442ep-19f, 0x1.921f9f01b866ep+1, 0x1.6428a6aa44cdp-19},
    {"sine", 0x1.e848p+19f, -0x1.6664b2p-2f, 0x1.e848p+19, -0x1.6664b2568d867p-2},
    {"sqrt", 0x1.4484cp-100f, 0x1.203afap-50f, 0x1.4484bfeebc2ap-100, 0x1.203af9ee75616p-50},
    {"sqrt", 0x1p+1f, 0x1.6a09e6p+0f, 0x1p+1, 0x1.6a09e667f3bcdp+0},
    {"sqrt", 0x1.2f939cp+69f, 0x1.8a3f66p+34f, 0x1.2f939c99edab8p+69, 0x1.8a3f6725a9568p+34},
    {"tan", 0x1.921ff2p+0f, -0x1.0dc4f6p+18f, 0x1.921ff2e48e8a7p+0, -0x1.09dc73bcfa42dp+18},
    {"tan", 0x1.99999ap-4f, 0x1.9af888p-4f, 0x1.999999999999ap-4, 0x1.9af8877430b8p-4},
    {"tan", -0x1.9p+6f, 0x1.2ca74ep-1f, -0x1.9p+6, 0x1.2ca74d62b5d38p-1},
    {"tanh", 0x1.a36e2ep-14f, 0x1.a36e2ep-14f, 0x1.a36e2eb1c432dp-14, 0x1.a36e2e9a4f662p-14},
    {"tanh", -0x1.333334p-1f, -0x1.12f82ap-1f, -0x1.3333333333333p-1, -0x1.12f8292d2ccfcp-1},
    {"tanh", 0x1.8p+1f, 0x1.fd77d2p-1f, 0x1.8p+1, 0x1.fd77d111a0bp-1},
};

static void run_unary(const char* op, tn_dtype_t dtype, const void* x, void* out, size_t count) {
  tn_map_t map;
  if (!tn__map_unary(op, dtype, dtype, &map)) fail_msg("no %s of %s", op, tn_dtype_name(dtype));
  tn__map_run(&map, x, NULL, out, count);
}

static void the_most_exact_f32_functions_are_rounded_correctly(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof goldens / sizeof *goldens; ++i) {
    const golden_t* golden = &goldens[i];
    float got;
    tn_map_t map;
    assert_true(tn__map_unary_exactly(golden->op, TN_DTYPE_F32, TN_DTYPE_F32, &map));
    tn__map_run(&map, &golden->x32, NULL, &got, 1);
    if (got != golden->wanted32) {
      fail_msg("%s(%a): got %a, wanted %a", golden->op, (double)golden->x32, (double)got,
               (double)golden->wanted32);
    }
  }
}

static void f64_functions_are_within_two_ulp(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof goldens / sizeof *goldens; ++i) {
    const golden_t* golden = &goldens[i];
    double got, wanted = golden->wanted64;
    run_unary(golden->op, TN_DTYPE_F64, &golden->x64, &got, 1);
    double ulp = nextafter(fabs(wanted), INFINITY) - fabs(wanted);
    if (!(fabs(got - wanted) <= 2 * ulp)) {
      fail_msg("%s(%a): got %a, wanted %a", golden->op, golden->x64, got, wanted);
    }
  }
}

// bf16 and f16 of every argument: what f64 gives, rounded once.
static void narrow_functions_round_the_f64_result_once(void** state) {
  (void)state;
  static uint16_t arguments[65536], got[65536], wanted[65536];
  static double wide[65536];
  for (uint32_t i = 0; i < 65536; ++i) arguments[i] = (uint16_t)i;
  const tn_dtype_t dtypes[] = {TN_DTYPE_BF16, TN_DTYPE_F16};
  for (size_t d = 0; d < 2; ++d) {
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; ++i) {
      if (i > 0 && strcmp(goldens[i].op, goldens[i - 1].op) == 0) continue;
      tn__convert_elements(dtypes[d], arguments, TN_DTYPE_F64, wide, 65536);
      run_unary(goldens[i].op, TN_DTYPE_F64, wide, wide, 65536);
      tn__convert_elements(TN_DTYPE_F64, wide, dtypes[d], wanted, 65536);
      run_unary(goldens[i].op, dtypes[d], arguments, got, 65536);
      for (uint32_t a = 0; a < 65536; ++a) {
        if (isnan(wide[a])) {
          double back;
          tn__convert_elements(dtypes[d], &got[a], TN_DTYPE_F64, &back, 1);
          assert_true(isnan(back));
        } else if (got[a] != wanted[a]) {
          fail_msg("%s of %s %#x: got %#x, wanted %#x", goldens[i].op, tn_dtype_name(dtypes[d]), a,
                   got[a], wanted[a]);
        }
      }
    }
  }
}

#define ASSERT_F64(op, x, wanted)                                        \
  do {                                                                   \
    double x_ = (x), wanted_ = (wanted), got_;                           \
    run_unary(op, TN_DTYPE_F64, &x_, &got_, 1);                          \
    bool same_ = got_ == wanted_ && !signbit(got_) == !signbit(wanted_); \
    if (!same_ && !(isnan(got_) && isnan(wanted_))) {                    \
      fail_msg("%s(%a): got %a, wanted %a", op, x_, got_, wanted_);      \
    }                                                                    \
  } while (0)

static void functions_are_right_at_zeros_and_infinities(void** state) {
  (void)state;
  ASSERT_F64("sqrt", -0.0, -0.0);
  ASSERT_F64("sqrt", -1, NAN);
  ASSERT_F64("rsqrt", 0.0, INFINITY);
  ASSERT_F64("rsqrt", -0.0, -INFINITY);
  ASSERT_F64("rsqrt", INFINITY, 0);
  ASSERT_F64("rsqrt", -4, NAN);
  ASSERT_F64("cbrt", -0.0, -0.0);
  ASSERT_F64("cbrt", -INFINITY, -INFINITY);
  ASSERT_F64("cbrt", 0x1p-1074, 0x1p-358);
  ASSERT_F64("log", -0.0, -INFINITY);
  ASSERT_F64("log_plus_one", -0.0, -0.0);
  ASSERT_F64("log_plus_one", -1, -INFINITY);
  ASSERT_F64("exponential_minus_one", -0.0, -0.0);
  ASSERT_F64("exponential_minus_one", -INFINITY, -1);
  ASSERT_F64("exponential", -INFINITY, 0);
  ASSERT_F64("logistic", -INFINITY, 0);
  ASSERT_F64("logistic", INFINITY, 1);
  ASSERT_F64("logistic", -745, exp(-745));  // subnormal, not lost
  ASSERT_F64("logistic", NAN, NAN);
  ASSERT_F64("tanh", -INFINITY, -1);
  ASSERT_F64("sine", INFINITY, NAN);
}

static void rounding_goes_where_its_name_says(void** state) {
  (void)state;
  ASSERT_F64("round_nearest_afz", 0.5, 1);
  ASSERT_F64("round_nearest_afz", -2.5, -3);
  ASSERT_F64("round_nearest_afz", 0x1.fffffffffffffp-2, 0);
  ASSERT_F64("round_nearest_even", 0.5, 0);
  ASSERT_F64("round_nearest_even", -0.5, -0.0);
  ASSERT_F64("round_nearest_even", 2.5, 2);
  ASSERT_F64("round_nearest_even", 3.5, 4);
  ASSERT_F64("ceil", -0.5, -0.0);
  ASSERT_F64("floor", -0.5, -1);
  ASSERT_F64("floor", -0.0, -0.0);
  ASSERT_F64("floor", 0x1p52, 0x1p52);
}

static void signs_of_nothing_are_kept(void** state) {
  (void)state;
  ASSERT_F64("sign", -0.0, -0.0);
  ASSERT_F64("sign", 0.0, 0.0);
  ASSERT_F64("sign", NAN, NAN);
  ASSERT_F64("sign", -INFINITY, -1);
  ASSERT_F64("sign", 0x1p-1074, 1);
  ASSERT_F64("abs", -0.0, 0.0);
  ASSERT_F64("negate", 0.0, -0.0);
  ASSERT_F64("imag", -3, 0.0);
  ASSERT_F64("real", -0.0, -0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_most_exact_f32_functions_are_rounded_correctly),
      cmocka_unit_test(f64_functions_are_within_two_ulp),
      cmocka_unit_test(narrow_functions_round_the_f64_result_once),
      cmocka_unit_test(functions_are_right_at_zeros_and_infinities),
      cmocka_unit_test(rounding_goes_where_its_name_says),
      cmocka_unit_test(signs_of_nothing_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
