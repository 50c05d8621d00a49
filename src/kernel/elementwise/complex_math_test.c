// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Complex functions against values computed in 1200 bits.
#include "kernel/elementwise/complex_math.h"

#include <math.h>

#include "base/testing.h"
#include "kernel/elementwise/map.h"

typedef struct golden {
  const char* op;
  double re, im, wanted_re, wanted_im;
} golden_t;

static const golden_t goldens[] = {
    {"exponential", 0x1p-1, 0x1p+1, -0x1.5f49d4136292p-1, 0x1.7fca21478a01cp+0},
    {"exponential_minus_one", 0x1.19799812dea11p-40, 0x1.4f8b588e368f1p-17, -0x1.af0230dcd707bp-35,
     0x1.4f8b588e1ffb1p-17},
    {"exponential_minus_one", -0x1.8p+1, 0x1p+0, -0x1.f23a2780b8752p-1, 0x1.5732de7b5c7b3p-5},
    {"log", 0x1.0def50ddc92d7p-530, 0x1.67e9c127b6e74p-530, -0x1.6ecdde8aabccep+8,
     0x1.dac670561bb4fp-1},
    {"log", 0x1.3333333333333p-1, 0x1.999999999999ap-1, 0x1.999999999999ap-56, 0x1.dac670561bb5p-1},
    {"log_plus_one", 0x1.b7cdfd9d7bdbbp-34, -0x1.4f8b588e368f1p-17, 0x1.49da7e35779c6p-33,
     -0x1.4f8b588d7667cp-17},
    {"log_plus_one", -0x1.ccccccccccccdp-1, 0x1.3333333333333p-2, -0x1.26bb1bbb55516p+0,
     0x1.3fc176b7a856p+0},
    {"sqrt", -0x1p+2, 0x1.b7cdfd9d7bdbbp-34, 0x1.b7cdfd9d7bdbbp-36, 0x1p+1},
    {"sqrt", 0x1.1eb2d66005835p+998, 0x1.7e43c8800759cp+998, 0x1.38d352e5096afp+499,
     0x1.38d352e5096afp+498},
    {"rsqrt", -0x1p+1, -0x1.8p+1, 0x1.fced465e4e814p-3, 0x1.db7821a757b3dp-2},
    {"cbrt", -0x1p+3, 0x1p+0, 0x1.12dd325d63a0fp+0, 0x1.b188cb86f537dp+0},
    {"sine", 0x1p+0, 0x1.4p+4, 0x1.8557012c6a766p+27, 0x1.f3fc0839d1ee3p+26},
    {"cosine", 0x1p+0, -0x1.4p+4, 0x1.f3fc0839d1ee3p+26, 0x1.8557012c6a766p+27},
    {"tan", 0x1.3333333333333p-2, 0x1.2cp+8, 0x1.78fd9cd9f9dc5p-866, 0x1p+0},
    {"tanh", -0x1.2cp+8, 0x1.3333333333333p-2, -0x1p+0, 0x1.78fd9cd9f9dc5p-866},
    {"logistic", -0x1.9p+5, 0x1p+0, 0x1.f7eeb87c2ec69p-74, 0x1.886a08190f04fp-73},
    {"logistic", -0x1.235b086c6bc03p-8, -0x1.72aba98ceb7d7p+839, -0x1.465fb9407fe35p+1,
     -0x1.a0241ac583b9fp+4},
    {"logistic", 0x1.0624dd2f1a9fcp-10, 0x1.921cac083126fp+1, 0x1.effe860736325p+9,
     0x1.6f75b57a83ff0p+6},
    {"logistic", 0x1p+1, -0x1p+0, 0x1.d7cca2197224fp-1, -0x1.908ad634952c3p-4},
    {"sign", 0x1.7e43c8800759cp+996, 0x1.7e43c8800759cp+996, 0x1.6a09e667f3bcdp-1,
     0x1.6a09e667f3bcdp-1},
    {"sign", -0x0.03739a252b281p-1022, 0x0.049a22dc398acp-1022, -0x1.3333333333333p-1,
     0x1.999999999999ap-1},
};

static void run(const char* op, tn_dtype_t dtype, const void* a, const void* b, void* out,
                size_t count) {
  tn_map_t map;
  bool found = b ? tn__map_binary(op, dtype, dtype, &map) : tn__map_unary(op, dtype, dtype, &map);
  if (!found) fail_msg("no %s of %s", op, tn_dtype_name(dtype));
  tn__map_run(&map, a, b, out, count);
}

static void c128_functions_are_accurate_in_each_part(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof goldens / sizeof *goldens; ++i) {
    const golden_t* golden = &goldens[i];
    double z[2] = {golden->re, golden->im}, got[2];
    run(golden->op, TN_DTYPE_C128, z, NULL, got, 1);
    if (!(fabs(got[0] - golden->wanted_re) <= 0x1p-49 * fabs(golden->wanted_re)) ||
        !(fabs(got[1] - golden->wanted_im) <= 0x1p-49 * fabs(golden->wanted_im))) {
      fail_msg("%s(%a, %a): got (%a, %a), wanted (%a, %a)", golden->op, z[0], z[1], got[0], got[1],
               golden->wanted_re, golden->wanted_im);
    }
  }
}

static bool same(double a, double b) {
  return (isnan(a) && isnan(b)) || (a == b && !signbit(a) == !signbit(b));
}

// Both dtypes.
#define ASSERT_UNARY(op, re, im, wanted_re, wanted_im)                                 \
  do {                                                                                 \
    double z_[2] = {re, im}, got_[2];                                                  \
    run(op, TN_DTYPE_C128, z_, NULL, got_, 1);                                         \
    if (!same(got_[0], wanted_re) || !same(got_[1], wanted_im)) {                      \
      fail_msg("%s(%g, %g): got (%g, %g)", op, z_[0], z_[1], got_[0], got_[1]);        \
    }                                                                                  \
    float z32_[2] = {(float)z_[0], (float)z_[1]}, got32_[2];                           \
    run(op, TN_DTYPE_C64, z32_, NULL, got32_, 1);                                      \
    if (!same((double)got32_[0], (double)(float)(wanted_re)) ||                        \
        !same((double)got32_[1], (double)(float)(wanted_im))) {                        \
      fail_msg("%s(%g, %g) in c64: got (%g, %g)", op, z_[0], z_[1], (double)got32_[0], \
               (double)got32_[1]);                                                     \
    }                                                                                  \
  } while (0)

#define ASSERT_BINARY(op, a_re, a_im, b_re, b_im, wanted_re, wanted_im)                        \
  do {                                                                                         \
    double a_[2] = {a_re, a_im}, b_[2] = {b_re, b_im}, got_[2];                                \
    run(op, TN_DTYPE_C128, a_, b_, got_, 1);                                                   \
    if (!same(got_[0], wanted_re) || !same(got_[1], wanted_im)) {                              \
      fail_msg("%s: got (%g, %g), wanted (%g, %g)", op, got_[0], got_[1], (double)(wanted_re), \
               (double)(wanted_im));                                                           \
    }                                                                                          \
  } while (0)

static void branch_cuts_follow_the_sign_of_zero(void** state) {
  (void)state;
  ASSERT_UNARY("sqrt", -4, 0.0, 0.0, 2);
  ASSERT_UNARY("sqrt", -4, -0.0, 0.0, -2);
  ASSERT_UNARY("log", -1, 0.0, 0.0, M_PI);
  ASSERT_UNARY("log", -1, -0.0, 0.0, -M_PI);
  ASSERT_UNARY("log_plus_one", -2, 0.0, 0.0, M_PI);
  ASSERT_UNARY("log_plus_one", -2, -0.0, 0.0, -M_PI);
}

static void zeros_and_infinities_have_their_values(void** state) {
  (void)state;
  ASSERT_UNARY("log", 0.0, 0.0, -INFINITY, 0.0);
  ASSERT_UNARY("log_plus_one", -1, 0.0, -INFINITY, 0.0);
  ASSERT_UNARY("log_plus_one", 0.0, -0.0, 0.0, -0.0);
  ASSERT_UNARY("log_plus_one", -INFINITY, 0.0, INFINITY, M_PI);
  ASSERT_UNARY("exponential", INFINITY, 0.0, INFINITY, 0.0);
  ASSERT_UNARY("exponential", -INFINITY, 1, 0.0, 0.0);
  ASSERT_UNARY("exponential_minus_one", INFINITY, 0.0, INFINITY, 0.0);
  ASSERT_UNARY("exponential_minus_one", -INFINITY, 0.0, -1, 0.0);
  ASSERT_UNARY("sign", 0.0, -0.0, 0.0, -0.0);
  ASSERT_UNARY("sign", NAN, 1, NAN, NAN);
  ASSERT_UNARY("sign", 0.0, -7, 0.0, -1);
  ASSERT_UNARY("rsqrt", INFINITY, 0.0, 0.0, 0.0);
  ASSERT_UNARY("rsqrt", 4, 0.0, 0.5, 0.0);
  ASSERT_UNARY("cbrt", 0.0, 0.0, 0.0, 0.0);
  ASSERT_UNARY("logistic", -800, 0.0, exp(-800), 0.0);
  ASSERT_UNARY("logistic", 800, 0.0, 1, 0.0);
}

static void moduli_neither_overflow_nor_vanish(void** state) {
  (void)state;
  tn_map_t map;
  assert_true(tn__map_unary("abs", TN_DTYPE_C128, TN_DTYPE_F64, &map));
  const double numbers[] = {3e300, -4e300, 3e-310, 4e-310, -INFINITY, NAN, 0, -0.0};
  double got[4];
  tn__map_run(&map, numbers, NULL, got, 4);
  assert_true(got[0] == 5e300);
  assert_true(fabs(got[1] - 5e-310) <= 0x1p-1074);
  assert_true(got[2] == INFINITY);
  assert_true(same(got[3], 0.0));
}

static void quotients_neither_overflow_nor_vanish(void** state) {
  (void)state;
  ASSERT_BINARY("divide", 1e300, 1e300, 1e300, 1e300, 1, 0.0);
  ASSERT_BINARY("divide", 1e-300, 0, 1e-300, 0, 1, 0);
  ASSERT_BINARY("divide", 1, 1, INFINITY, 0, 0.0, 0.0);
  float a[2] = {3e38f, 3e38f}, b[2] = {1e-45f, 0}, got[2];
  run("divide", TN_DTYPE_C64, a, a, got, 1);
  assert_true(got[0] == 1 && got[1] == 0);
  run("divide", TN_DTYPE_C64, b, b, got, 1);
  assert_true(got[0] == 1 && got[1] == 0);
}

static void powers_of_zero_and_of_one_are_exact(void** state) {
  (void)state;
  ASSERT_BINARY("power", 0, 0, 0, 0, 1, 0.0);
  ASSERT_BINARY("power", NAN, NAN, 0, 0, 1, 0.0);
  ASSERT_BINARY("power", 0, 0, 2, 1, 0.0, 0.0);
  ASSERT_BINARY("power", 0, 0, -1, 0, NAN, NAN);
  ASSERT_BINARY("power", 1, 0, INFINITY, 0, 1, 0.0);
}

static void order_is_lexicographic_and_nan_wins(void** state) {
  (void)state;
  ASSERT_BINARY("maximum", 1, 5, 1, 7, 1, 7);
  ASSERT_BINARY("maximum", 2, -9, 1, 7, 2, -9);
  ASSERT_BINARY("minimum", 1, 5, 1, 7, 1, 5);
  ASSERT_BINARY("minimum", 2, -9, 1, 7, 1, 7);
  ASSERT_BINARY("maximum", 1, NAN, 9, 9, 1, NAN);
  ASSERT_BINARY("maximum", 9, 9, NAN, 1, NAN, 1);
  ASSERT_BINARY("minimum", 1, NAN, 9, 9, 1, NAN);
  ASSERT_BINARY("minimum", -9, 9, 1, NAN, 1, NAN);
  const float a[] = {1, 5, 1, 5, NAN, 0}, b[] = {1, 7, 1, 5, NAN, 0};
  const uint8_t wanted[TN_DIRECTION_COUNT][3] = {
      [TN_DIRECTION_EQ] = {0, 1, 0}, [TN_DIRECTION_NE] = {1, 0, 1}, [TN_DIRECTION_GE] = {0, 1, 0},
      [TN_DIRECTION_GT] = {0, 0, 0}, [TN_DIRECTION_LE] = {1, 1, 0}, [TN_DIRECTION_LT] = {1, 0, 0},
  };
  for (int direction = 0; direction < TN_DIRECTION_COUNT; ++direction) {
    tn_map_t map;
    uint8_t got[3];
    assert_true(tn__map_compare((tn_direction_t)direction, false, TN_DTYPE_C64, &map));
    tn__map_run(&map, a, b, got, 3);
    assert_memory_equal(got, wanted[direction], 3);
  }
}

static void atan2_of_real_numbers_is_the_real_one(void** state) {
  (void)state;
  const double points[] = {0.0, -0.0, 1, -1, 1e300, -1e300, 1e-300, 3, -0.5};
  enum { COUNT = sizeof points / sizeof *points };
  for (size_t i = 0; i < COUNT; ++i) {
    for (size_t j = 0; j < COUNT; ++j) {
      double y[2] = {points[i], 0}, x[2] = {points[j], 0}, got[2];
      run("atan2", TN_DTYPE_C128, y, x, got, 1);
      double wanted = atan2(y[0], x[0]);
      if (y[0] == 0 && x[0] == 0) wanted = y[0];  // a zero's sign means nothing there
      if (!(fabs(got[0] - wanted) <= 0x1p-51 * fabs(wanted)) || got[1] != 0) {
        fail_msg("atan2(%g, %g): got (%g, %g)", y[0], x[0], got[0], got[1]);
      }
    }
  }
  // tan(1 + 2i) = sin(1 + 2i) / cos(1 + 2i)
  double z[2] = {1, 2}, sine[2], cosine[2], got[2];
  run("sine", TN_DTYPE_C128, z, NULL, sine, 1);
  run("cosine", TN_DTYPE_C128, z, NULL, cosine, 1);
  run("atan2", TN_DTYPE_C128, sine, cosine, got, 1);
  assert_true(fabs(got[0] - 1) < 1e-14 && fabs(got[1] - 2) < 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(c128_functions_are_accurate_in_each_part),
      cmocka_unit_test(branch_cuts_follow_the_sign_of_zero),
      cmocka_unit_test(zeros_and_infinities_have_their_values),
      cmocka_unit_test(moduli_neither_overflow_nor_vanish),
      cmocka_unit_test(quotients_neither_overflow_nor_vanish),
      cmocka_unit_test(powers_of_zero_and_of_one_are_exact),
      cmocka_unit_test(order_is_lexicographic_and_nan_wins),
      cmocka_unit_test(atan2_of_real_numbers_is_the_real_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
