// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Special functions against values computed with 60 digits.
#include "kernel/elementwise/special_math.h"

#include <math.h>

#include "base/testing.h"
#include "kernel/elementwise/map.h"

typedef struct golden {
  const char* op;
  double a, b;  // b of binary ones only
  double wanted;
} golden_t;

static const golden_t goldens[] = {
    {"bessel_i1e", 0x1.56e1fc2f8f359p-997, 0, 0x1.56e1fc2f8f359p-998},
    {"bessel_i1e", -0x1.47ae147ae147bp-7, 0, -0x1.446c700d6a1ebp-8},
    {"bessel_i1e", 0x1.6666666666666p-1, 0, 0x1.7a34418426ac6p-3},
    {"bessel_i1e", 0x1.a666666666666p+1, 0, 0x1.875a48d4c3d02p-3},
    {"bessel_i1e", -0x1.8p+3, 0, -0x1.c88eca01f7548p-4},
    {"bessel_i1e", 0x1.de66666666666p+4, 0, 0x1.270c77d778c38p-4},
    {"bessel_i1e", 0x1.e19999999999ap+4, 0, 0x1.26179aa4b9041p-4},
    {"bessel_i1e", 0x1.5ep+9, 0, 0x1.edd4ae130b94ep-7},
    {"bessel_i1e", 0x1.fffffffffffffp+1023, 0, 0x1.9884533d43651p-514},
    {"bessel_i1e", 0x1.2a05f2p+33, 0, 0x1.0bb9c30b3a255p-18},
    {"erf_inv", 0x1.56e1fc2f8f359p-997, 0, 0x1.2fdf36bf69b9fp-997},
    {"erf_inv", -0x1.12e0be826d695p-30, 0, -0x1.e7355a02875c3p-31},
    {"erf_inv", 0x1.999999999999ap-4, 0, 0x1.6bf442539fd74p-4},
    {"erf_inv", 0x1.f5c28f5c28f5cp-2, 0, 0x1.dd0ca888f8b2bp-2},
    {"erf_inv", -0x1.051eb851eb852p-1, 0, -0x1.f3d6444db0a4ap-2},
    {"erf_inv", 0x1.ccccccccccccdp-1, 0, 0x1.29c0146770651p+0},
    {"erf_inv", -0x1.ff7ced916872bp-1, 0, -0x1.29d311405cdb4p+1},
    {"erf_inv", 0x1.fffffff8p-1, 0, 0x1.14fe6a4f2e9dp+2},
    {"erf_inv", -0x1.fffffffffffffp-1, 0, -0x1.7744f8f74e94ap+2},
    {"lgamma", 0x1.b7cdfd9d7bdbbp-34, 0, 0x1.7069e2aa26ae4p+4},
    {"lgamma", 0x1p-1, 0, 0x1.250d048e7a1bdp-1},
    {"lgamma", 0x1.8p+0, 0, -0x1.eeb95b094c191p-4},
    {"lgamma", 0x1.2p+1, 0, 0x1.ff797bba88502p-4},
    {"lgamma", -0x1p-1, 0, 0x1.43f89a3f0edd6p+0},
    {"lgamma", -0x1.a666666666666p+1, 0, -0x1.a611f6cda29c6p-1},
    {"lgamma", 0x1.9p+6, 0, 0x1.67225b4879462p+8},
    {"lgamma", 0x1.e848p+19, 0, 0x1.871921236750dp+23},
    {"digamma", 0x1.b7cdfd9d7bdbbp-34, 0, -0x1.2a05f20049e23p+33},
    {"digamma", 0x1.3333333333333p-2, 0, -0x1.c052b6b5e6118p+1},
    {"digamma", 0x1.3333333333333p+0, 0, -0x1.27fa131c69229p-2},
    {"digamma", 0x1.762d86356be3fp+0, 0, -0x1.aa2d9b3ce29ep-54},
    {"digamma", 0x1.762d8721c7d0ep+0, 0, 0x1.c96fad5c720d5p-25},
    {"digamma", 0x1.b333333333333p+0, 0, 0x1.ab1b25f1db0cp-3},
    {"digamma", 0x1.4p+1, 0, 0x1.680425af12b5ep-1},
    {"digamma", 0x1.3cccccccccccdp+3, 0, 0x1.1edeff2221b4fp+1},
    {"digamma", 0x1.9p+6, 0, 0x1.26690d4274475p+2},
    {"digamma", -0x1p-2, 0, 0x1.750282bca7d92p+1},
    {"digamma", -0x1.8p-1, 0, -0x1.727287dcf04dbp+1},
    {"digamma", -0x1.a666666666666p+1, 0, 0x1.cf67be009a0fcp+1},
    {"digamma", -0x1.90ccccccccccdp+5, 0, 0x1.b2f82efaed787p+3},
    {"digamma", -0x1.4f8b588e368f1p-17, 0, 0x1.869f6c3a84229p+16},
    {"digamma", -0x1.079ed3b387f41p-1, 0, -0x1.8c0b51b62cdd7p-4},
    {"digamma", -0x1.4e2b6ae7d566dp+1, 0, 0x1.dac20240464cdp-13},
    {"digamma", -0x1.02172b05ee289p-1, 0, -0x1.6de009005c0fdp-45},
    {"digamma", -0x1.92d0cbc289d48p+0, 0, 0x1.4967c187504b5p-48},
    {"zeta", 0x1.8p+0, 0x1p+0, 0x1.4e6250bfbd89dp+1},
    {"zeta", 0x1p+1, 0x1p-2, 0x1.1328429d927c6p+4},
    {"zeta", 0x1.8p+1, 0x1.0624dd2f1a9fcp-10, 0x1.dcd65009972cep+29},
    {"zeta", 0x1.ep+2, 0x1.8p+1, 0x1.3d25dce565b9dp-12},
    {"zeta", 0x1.ep+5, 0x1.ccccccccccccdp-1, 0x1.163d6b522cb74p+9},
    {"zeta", 0x1.004p+0, 0x1.4p+2, 0x1.ff3f5bbf762d5p+9},
    {"zeta", 0x1p+1, 0x1.e848p+19, 0x1.0c6f82d72bcaap-20},
    {"zeta", 0x1.9p+7, 0x1.9p+3, 0x1.2bfd001faab91p-729},
    {"polygamma", 0x0p+0, 0x1.4p+1, 0x1.680425af12b5ep-1},
    {"polygamma", 0x1p+0, 0x1p-1, 0x1.3bd3cc9be45dep+2},
    {"polygamma", 0x1p+0, 0x1.4p+3, 0x1.aec2e54649b87p-4},
    {"polygamma", 0x1p+1, 0x1.ap+1, -0x1.06772645bdd9ap-3},
    {"polygamma", 0x1.4p+2, 0x1.6666666666666p-1, 0x1.005503c118edfp+10},
    {"polygamma", 0x1.4p+4, 0x1p+1, -0x1.0e29215949bccp+40},
    {"polygamma", 0x1.9p+6, 0x1.ep+4, -0x1.2ac2ac7d5951ep+29},
    {"polygamma", 0x1.4p+7, 0x1.9p+6, -0x1.41cbcf876b36bp-124},
    {"zeta", 0x1p+1, -0x1.999999999999ap-4, 0x1.97b0ae50acd4bp+6},
    {"zeta", 0x1.8p+1, -0x1.6p+1, 0x1.f0787a0b2f011p+5},
    {"zeta", 0x1p+2, -0x1.f44p+9, 0x1.03c1f081aa41p+5},
    {"polygamma", 0x1p+0, -0x1.3333333333333p-2, 0x1.be3ec0bef688ap+3},
    {"polygamma", 0x1p+1, -0x1.d99999999999ap+2, 0x1.642a57c49c66dp+4},
};

static bool find(const char* op, tn_dtype_t dtype, tn_map_t* out_map) {
  return tn__map_unary(op, dtype, dtype, out_map) || tn__map_binary(op, dtype, dtype, out_map);
}

static void f64_functions_are_within_eight_ulp(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof goldens / sizeof *goldens; ++i) {
    const golden_t* golden = &goldens[i];
    tn_map_t map;
    double got;
    assert_true(find(golden->op, TN_DTYPE_F64, &map));
    tn__map_run(&map, &golden->a, map.binary ? &golden->b : NULL, &got, 1);
    if (!(fabs(got - golden->wanted) <= 0x1p-49 * fabs(golden->wanted))) {
      fail_msg("%s(%a, %a): got %a, wanted %a", golden->op, golden->a, golden->b, got,
               golden->wanted);
    }
  }
}

static void f16_functions_are_rounded_once(void** state) {
  (void)state;
  const struct {
    const char* op;
    uint16_t x, wanted;
  } cases[] = {
      {"erf_inv", 0x3800, 0x37a2},     // 0.5: 0.47693...
      {"bessel_i1e", 0x3c00, 0x32a7},  // 1: 0.20791...
      {"digamma", 0x3c00, 0xb89e},     // 1: -0.57721...
      {"lgamma", 0x4200, 0x398c},      // 3: log 2
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_map_t map;
    uint16_t got;
    assert_true(find(cases[i].op, TN_DTYPE_F16, &map));
    tn__map_run(&map, &cases[i].x, NULL, &got, 1);
    assert_int_equal(got, cases[i].wanted);
  }
}

static void ends_and_poles_are_as_documented(void** state) {
  (void)state;
  assert_true(isinf(tn__erf_inverse(1)) && tn__erf_inverse(-1) < 0);
  assert_true(isnan(tn__erf_inverse(1.5)));
  assert_true(tn__erf_inverse(0) == 0);
  assert_true(tn__bessel_i1e(INFINITY) == 0 && tn__bessel_i1e(0) == 0);
  assert_true(isnan(tn__digamma(0)) && isnan(tn__digamma(-3)) && isnan(tn__digamma(-INFINITY)));
  assert_true(tn__digamma(INFINITY) == INFINITY);
  assert_true(tn__log_gamma(-2) == INFINITY);
  assert_true(tn__zeta(1, 3) == INFINITY && isnan(tn__zeta(0.5, 3)));
  assert_true(tn__zeta(1, NAN) == INFINITY && isnan(tn__zeta(2, NAN)));
  assert_true(tn__zeta(2, -3) == INFINITY && isnan(tn__zeta(3, 0)) && isnan(tn__zeta(2.5, -0.5)));
  assert_true(tn__zeta(3, INFINITY) == 0);
  assert_true(isnan(tn__polygamma(-1, 2)) && isnan(tn__polygamma(1.5, 2)));
  assert_true(tn__polygamma(1, 0) == INFINITY && isnan(tn__polygamma(2, -1)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(f64_functions_are_within_eight_ulp),
      cmocka_unit_test(f16_functions_are_rounded_once),
      cmocka_unit_test(ends_and_poles_are_as_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
