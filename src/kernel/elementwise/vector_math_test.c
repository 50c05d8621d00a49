// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The functions of vector_math.inc: how far they are from the exact values, which the loops of the
// base compute in f64, and C's functions of long double. TENON_PART=2/4: every fourth function of
// f32 from the second on; the first part has all else.
#include <float.h>
#include <math.h>

#include "base/testing.h"
#include "base/testing_part.h"
#include "kernel/common/loops.h"
#include "kernel/elementwise/special_math.h"

enum {
  COUNT = 4096,
  SHORT_STEP = 40009,
#ifdef TN_SANITIZED
  LONG_STEP = 257,
#else
  LONG_STEP = 1,  // all of them: half an hour of processors
#endif
};

typedef struct limit {
  tn_unary_op_t op;
  const char* name;
  double ulps;
} limit_t;

#define LIMIT(name, ulps) \
  { TN_UNARY_##name, #name, ulps }
// What docs/accuracy.md promises: 1 ulp, 2 where it says so.
static const limit_t limits[] = {
    LIMIT(acos, 1),        LIMIT(acosh, 1),
    LIMIT(asin, 1),        LIMIT(asinh, 1),
    LIMIT(atan, 1),        LIMIT(atanh, 1),
    LIMIT(cbrt, 1),        LIMIT(cosh, 1),
    LIMIT(cosine, 1),      LIMIT(erf, 1),
    LIMIT(erf_inv, 2),     LIMIT(erfc, 1),
    LIMIT(exponential, 1), LIMIT(exponential_minus_one, 1),
    LIMIT(log, 1),         LIMIT(log_plus_one, 1),
    LIMIT(logistic, 1),    LIMIT(rsqrt, 1),
    LIMIT(sine, 1),        LIMIT(sinh, 1),
    LIMIT(tan, 1),         LIMIT(tanh, 1),
};

// The spacing of the f32 around a value.
static double ulp_of_f32(double value) {
  int exponent;
  frexp(value, &exponent);
  return ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static bool is_as_exact(float got, double exact, double ulps) {
  const float rounded = (float)exact;
  if (got == rounded) return !signbit(got) == !signbit(rounded);
  if (isnan(rounded)) return isnan(got);
  if (isinf(got) || isinf(rounded)) {
    const double limit = (double)FLT_MAX + ulps * 0x1p104;
    return isinf(got) ? fabs(exact) > (double)FLT_MAX - ulps * 0x1p104 && (got > 0) == (exact > 0)
                      : fabs(exact) < limit;
  }
  return fabs((double)got - exact) <= ulps * ulp_of_f32(exact);
}

// By the loops of every instruction set.
static void check_elements(const limit_t* limit, const float* x, const double* exact,
                           size_t count) {
  static float got[COUNT];
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t* loops = tn__loops_of(isa, TN_NATIVE_F32);
    if (!loops) continue;
    loops->unary[limit->op](x, got, count);
    for (size_t i = 0; i < count; ++i) {
      if (is_as_exact(got[i], exact[i], limit->ulps)) continue;
      fail_msg("%s(%a): got %a, %.13a is exact, %g ulp apart", limit->name, (double)x[i],
               (double)got[i], exact[i], fabs((double)got[i] - exact[i]) / ulp_of_f32(exact[i]));
    }
  }
}

// One in `step` of all f32.
static void check_f32(const limit_t* limit, uint32_t step) {
  static float x[COUNT];
  static double wide[COUNT];
  const tn_loops_t* exact = tn__loops_of(TN_ISA_BASE, TN_NATIVE_F64);
  for (uint64_t bits = 0; bits <= UINT32_MAX;) {
    size_t count = 0;
    for (; count < COUNT && bits <= UINT32_MAX; ++count, bits += step) {
      const uint32_t narrow = (uint32_t)bits;
      memcpy(&x[count], &narrow, sizeof narrow);
      wide[count] = (double)x[count];
    }
    exact->unary[limit->op](wide, wide, count);
    check_elements(limit, x, wide, count);
  }
}

static void functions_of_f32_are_as_exact_as_documented(void** state) {
  (void)state;
  const uint32_t step = getenv("TENON_LONG_TESTS") ? LONG_STEP : SHORT_STEP;
  const tn_testing_part_t part = tn__testing_part();
  for (size_t i = part.first; i < sizeof limits / sizeof *limits; i += part.distance) {
    check_f32(&limits[i], step);
  }
}

// What is left of the angle is a little more than a power of 2, and the sine of that a little less.
static void cosines_below_a_power_of_two_are_as_exact(void** state) {
  (void)state;
  const float x[] = {0x1.c4a3acp+3f, 0x1.f9cfe2p+7f, 0x1.9a48e2p+15f};
  const limit_t limit = LIMIT(cosine, 1);
  double exact[3];
  for (size_t i = 0; i < 3; ++i) exact[i] = cos((double)x[i]);
  check_elements(&limit, x, exact, 3);
}

// --- f64

static long double logistic(long double x) {
  return 1 / (1 + expl(-x));
}
static long double rsqrt(long double x) {
  return 1 / sqrtl(x);
}

// Newton's step from what is good to a few ulp.
static long double erf_inverse(long double x) {
  const long double size = fabsl(x), y = fabsl((long double)tn__erf_inverse((double)x));
  if (!(size < 1)) return copysignl(y, x);
  const long double excess = size < 0.5L ? erfl(y) - size : (1 - size) - erfcl(y);
  return copysignl(y - excess * expl(y * y) * 0.886226925452758013649L, x);
}

// Between 1/2 and 1, or their opposites, and as many near 1 as far from it.
static double near_one(double x) {
  int exponent;
  const double part = frexp(x, &exponent);
  return copysign(1 - ldexp(fabs(part), -1 - abs(exponent) % 52), x);
}

typedef struct wide_limit {
  tn_unary_op_t op;
  const char* name;
  long double (*exact)(long double x);
  double (*from)(double x);  // what is tried is made so from any numbers; NULL: any numbers
  long double ulps;          // 0: 1
} wide_limit_t;

static const wide_limit_t wide_limits[] = {
    {TN_UNARY_cosine, "cosine", cosl, NULL, 0},
    {TN_UNARY_erf_inv, "erf_inv", erf_inverse, NULL, 2},
    {TN_UNARY_erf_inv, "erf_inv", erf_inverse, near_one, 2},
    {TN_UNARY_exponential, "exponential", expl, NULL, 0},
    {TN_UNARY_exponential_minus_one, "exponential_minus_one", expm1l, NULL, 0},
    {TN_UNARY_log, "log", logl, NULL, 0},
    {TN_UNARY_log_plus_one, "log_plus_one", log1pl, NULL, 0},
    {TN_UNARY_logistic, "logistic", logistic, NULL, 0},
    {TN_UNARY_rsqrt, "rsqrt", rsqrt, NULL, 0},
    {TN_UNARY_sine, "sine", sinl, NULL, 0},
    {TN_UNARY_tanh, "tanh", tanhl, NULL, 0},
};

// Any bits, and numbers of ordinary size.
static void fill_f64(double* x, uint64_t* random) {
  static const double sizes[] = {0x1p-64, 0x1p-60, 0x1p-56};
  for (size_t i = 0; i < COUNT; ++i) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t bits = *random ^ *random >> 29;
    if (i % 2) {
      memcpy(&x[i], &bits, sizeof bits);
    } else {
      x[i] = (double)(int64_t)bits * sizes[i / 2 % 3];
    }
  }
}

static void check_f64(const wide_limit_t* limit, const tn_loops_t* loops) {
  static double x[COUNT], got[COUNT];
  uint64_t random = 11;
  for (int round = 0; round < 20; ++round) {
    fill_f64(x, &random);
    for (size_t i = 0; limit->from && i < COUNT; ++i) x[i] = limit->from(x[i]);
    loops->unary[limit->op](x, got, COUNT);
    for (size_t i = 0; i < COUNT; ++i) {
      const long double exact = limit->exact((long double)x[i]);
      const double rounded = (double)exact;
      if (isnan(rounded) ? isnan(got[i]) : got[i] == rounded) continue;
      int exponent;
      frexp(rounded, &exponent);
      const double ulp = ldexp(1, exponent < -1021 ? -1074 : exponent - 53);
      const long double ulps = limit->ulps == 0 ? 1 : limit->ulps;
      if (!(fabsl((long double)got[i] - exact) <= ulps * (long double)ulp)) {
        fail_msg("%s(%a): got %a, %a is exact", limit->name, x[i], got[i], rounded);
      }
    }
  }
}

static void functions_of_f64_are_as_exact_as_documented(void** state) {
  (void)state;
  for (tn_isa_t isa = TN_ISA_BASE + 1; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t* loops = tn__loops_of(isa, TN_NATIVE_F64);
    for (size_t i = 0; loops && i < sizeof wide_limits / sizeof *wide_limits; ++i) {
      check_f64(&wide_limits[i], loops);
    }
  }
}

// --- special values

static void check_values(tn_unary_op_t op, const float* x, const float* wanted, size_t count) {
  for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t *f32 = tn__loops_of(isa, TN_NATIVE_F32),
                     *f64 = tn__loops_of(isa, TN_NATIVE_F64);
    for (size_t i = 0; f32 && i < count; ++i) {
      float got;
      double wide_x = (double)x[i], wide;
      f32->unary[op](&x[i], &got, 1);
      f64->unary[op](&wide_x, &wide, 1);
      const float both[] = {got, (float)wide};
      for (size_t j = 0; j < 2; ++j) {
        if (isnan(wanted[i]) ? isnan(both[j])
                             : both[j] == wanted[i] && !signbit(both[j]) == !signbit(wanted[i])) {
          continue;
        }
        fail_msg("operation %d of %a: got %a, wanted %a", (int)op, (double)x[i], (double)both[j],
                 (double)wanted[i]);
      }
    }
  }
}

#define CHECK_VALUES(name, ...)                                     \
  do {                                                              \
    static const float pairs[][2] = {__VA_ARGS__};                  \
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {     \
      check_values(TN_UNARY_##name, &pairs[i][0], &pairs[i][1], 1); \
    }                                                               \
  } while (0)

static void zeros_infinities_and_nan_give_what_c_says(void** state) {
  (void)state;
  CHECK_VALUES(exponential, {-INFINITY, 0}, {INFINITY, INFINITY}, {NAN, NAN}, {0, 1}, {-0.0f, 1});
  CHECK_VALUES(exponential_minus_one, {-INFINITY, -1}, {INFINITY, INFINITY}, {NAN, NAN}, {0, 0},
               {-0.0f, -0.0f}, {0x1p-149f, 0x1p-149f});
  CHECK_VALUES(log, {0, -INFINITY}, {-0.0f, -INFINITY}, {INFINITY, INFINITY}, {-1, NAN}, {NAN, NAN},
               {1, 0});
  CHECK_VALUES(log_plus_one, {-1, -INFINITY}, {INFINITY, INFINITY}, {-2, NAN}, {NAN, NAN}, {0, 0},
               {-0.0f, -0.0f}, {-0x1p-149f, -0x1p-149f});
  CHECK_VALUES(tanh, {INFINITY, 1}, {-INFINITY, -1}, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(logistic, {INFINITY, 1}, {-INFINITY, 0}, {NAN, NAN}, {0, 0.5f});
  CHECK_VALUES(sine, {INFINITY, NAN}, {-INFINITY, NAN}, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(cosine, {INFINITY, NAN}, {NAN, NAN}, {0, 1}, {-0.0f, 1});
  CHECK_VALUES(tan, {INFINITY, NAN}, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(rsqrt, {0, INFINITY}, {-0.0f, -INFINITY}, {INFINITY, 0}, {-1, NAN}, {NAN, NAN});
  CHECK_VALUES(cbrt, {0, 0}, {-0.0f, -0.0f}, {INFINITY, INFINITY}, {-INFINITY, -INFINITY},
               {NAN, NAN});
  CHECK_VALUES(erf, {INFINITY, 1}, {-INFINITY, -1}, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(erfc, {INFINITY, 0}, {-INFINITY, 2}, {NAN, NAN}, {0, 1});
  CHECK_VALUES(erf_inv, {1, INFINITY}, {-1, -INFINITY}, {2, NAN}, {NAN, NAN}, {0, 0},
               {-0.0f, -0.0f});
  CHECK_VALUES(acos, {1, 0}, {2, NAN}, {-2, NAN}, {NAN, NAN});
  CHECK_VALUES(asin, {2, NAN}, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(atan, {NAN, NAN}, {0, 0}, {-0.0f, -0.0f});
  CHECK_VALUES(sinh, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {NAN, NAN}, {-0.0f, -0.0f});
  CHECK_VALUES(cosh, {INFINITY, INFINITY}, {-INFINITY, INFINITY}, {NAN, NAN}, {0, 1});
  CHECK_VALUES(asinh, {INFINITY, INFINITY}, {-INFINITY, -INFINITY}, {NAN, NAN}, {-0.0f, -0.0f});
  CHECK_VALUES(acosh, {INFINITY, INFINITY}, {-INFINITY, NAN}, {0.5f, NAN}, {NAN, NAN}, {1, 0},
               {-0x1p120f, NAN});
  CHECK_VALUES(atanh, {1, INFINITY}, {-1, -INFINITY}, {2, NAN}, {NAN, NAN}, {-0.0f, -0.0f});
}

// Every pair of zeros, ones, infinities, NaN, subnormal, odd, even, fractional and huge numbers.
static void powers_and_angles_are_those_of_c(void** state) {
  (void)state;
  static const float values[] = {
      0,       -0.0f,           1,         -1,     2,         -2,    3,      -3,     0.5f,
      -0.5f,   INFINITY,        -INFINITY, NAN,    0x1p-149f, 1e38f, -1e38f, 1e-40f, -1e-40f,
      0x1p24f, 0x1.fffffep+23f, 7.25f,     -7.25f, 1.0000001f};
  static const tn_binary_op_t ops[] = {TN_BINARY_power, TN_BINARY_atan2};
  enum { VALUES = sizeof values / sizeof *values };
  for (tn_isa_t isa = TN_ISA_BASE + 1; isa < TN_ISA_COUNT; ++isa) {
    const tn_loops_t* loops = tn__loops_of(isa, TN_NATIVE_F32);
    for (size_t pair = 0; loops && pair < 2 * VALUES * VALUES; ++pair) {
      const float x = values[pair / 2 / VALUES], y = values[pair / 2 % VALUES];
      float got, wanted;
      loops->binary[ops[pair % 2]](&x, &y, &got, 1);
      tn__loops_of(TN_ISA_BASE, TN_NATIVE_F32)->binary[ops[pair % 2]](&x, &y, &wanted, 1);
      if (isnan(wanted) ? isnan(got) : got == wanted && !signbit(got) == !signbit(wanted)) continue;
      fail_msg("%s(%a, %a): got %a, wanted %a", pair % 2 ? "atan2" : "power", (double)x, (double)y,
               (double)got, (double)wanted);
    }
  }
}

// A large operand of sine changes nothing for its neighbours, also where the result replaces it.
static void large_operands_of_sine_leave_others_as_they_are(void** state) {
  (void)state;
  float x[600], alone[600];
  for (size_t i = 0; i < 600; ++i) x[i] = (float)i * 0.37f - 90;
  const tn_loops_t* loops = tn__loops(TN_NATIVE_F32);
  loops->unary[TN_UNARY_sine](x, alone, 600);
  x[300] = 1e30f;
  loops->unary[TN_UNARY_sine](x, x, 600);
  assert_true(x[300] == (float)sin((double)1e30f));
  x[300] = alone[300];
  assert_memory_equal(x, alone, sizeof x);
}

int main(void) {
  const struct CMUnitTest swept[] = {
      cmocka_unit_test(functions_of_f32_are_as_exact_as_documented),
  };
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(functions_of_f32_are_as_exact_as_documented),
      cmocka_unit_test(cosines_below_a_power_of_two_are_as_exact),
      cmocka_unit_test(functions_of_f64_are_as_exact_as_documented),
      cmocka_unit_test(zeros_infinities_and_nan_give_what_c_says),
      cmocka_unit_test(powers_and_angles_are_those_of_c),
      cmocka_unit_test(large_operands_of_sine_leave_others_as_they_are),
  };
  if (tn__testing_part().first > 0) return cmocka_run_group_tests(swept, NULL, NULL);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
