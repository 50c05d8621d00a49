// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/complex_math.h"

#include <math.h>
#include <stdbool.h>

#include "kernel/elementwise/complex_parts.h"
#include "kernel/elementwise/real_math.h"

static const double PI = 3.14159265358979323846;

static bool is_zero(double complex z) {
  return creal(z) == 0 && cimag(z) == 0;
}

static bool is_finite(double complex z) {
  return isfinite(creal(z)) && isfinite(cimag(z));
}

// On the real axis the result stays there, at infinities as well. An infinite angle has no
// direction, whatever the modulus.
double complex tn__complex_exp(double complex z) {
  double y = cimag(z);
  if (isinf(y)) return tn__c128(NAN, NAN);
  return y == 0 ? tn__c128(exp(creal(z)), y) : cexp(z);
}

// exp(x) cos(y) - 1 = expm1(x) cos(y) - 2 sin(y/2)^2, which does not cancel near zero.
double complex tn__complex_expm1(double complex z) {
  double x = creal(z), y = cimag(z);
  if (y == 0) return tn__c128(expm1(x), y);
  if (!is_finite(z) || x > 700) return cexp(z) - 1;
  double half = sin(y / 2);
  return tn__c128(expm1(x) * cos(y) - 2 * half * half, exp(x) * sin(y));
}

// The sum of both and what its rounding has lost.
static double two_sum(double a, double b, double* out_rest) {
  double sum = a + b, b_part = sum - a;
  *out_rest = (a - (sum - b_part)) + (b - b_part);
  return sum;
}

// |1 + z|^2 - 1 = 2x + x^2 + y^2, as if computed in twice the precision.
static double squared_modulus_minus_one(double x, double y) {
  double xx = x * x, xx_rest = fma(x, x, -xx);
  double yy = y * y, yy_rest = fma(y, y, -yy);
  double rest1, rest2;
  double sum = two_sum(2 * x, xx, &rest1);
  sum = two_sum(sum, yy, &rest2);
  return sum + (rest1 + rest2 + xx_rest + yy_rest);
}

double complex tn__complex_log1p(double complex z) {
  double x = creal(z), y = cimag(z);
  double angle = atan2(y, 1 + x);
  // Far from 1 in modulus, a logarithm of the modulus is exact enough and does not overflow.
  double size = fmax(fabs(x), fabs(y));
  if (size > 0x1p1000) {  // hypot could overflow
    return tn__c128(log(hypot(x * 0x1p-2, y * 0x1p-2)) + log(4), angle);
  }
  if (!(size < 4)) return tn__c128(log(hypot(1 + x, y)), angle);
  double excess = squared_modulus_minus_one(x, y);
  // Near -1 the logarithm is large, and 1 + x exact.
  if (excess < -0.5) return tn__c128(log(hypot(1 + x, y)), angle);
  return tn__c128(0.5 * log1p(excess), angle);
}

double complex tn__complex_rsqrt(double complex z) {
  return tn__c128(1, 0) / csqrt(z);
}

double complex tn__complex_cbrt(double complex z) {
  if (is_zero(z)) return z;
  if (!is_finite(z)) return cpow(z, 1.0 / 3);
  double x = creal(z), y = cimag(z);
  double modulus = tn__cbrt(cabs(z)), angle = carg(z) / 3;
  // The sine of a tiny angle is the angle, which may be too small for a number.
  bool tiny = x > 0 && fabs(y) < 0x1p-30 * x;
  double im = tiny ? modulus / x * y / 3 : modulus * sin(angle);
  return tn__c128(modulus * cos(angle), im);
}

// 1 + exp(-z) cancels near its zeros at odd multiples of i pi. With half angles, in
//   1 + exp(-z) = -expm1(-x) + 2 exp(-x) cos(y/2)^2 - i 2 exp(-x) sin(y/2) cos(y/2)
// it does not, and its modulus is at least that of each term. The exponential is taken where it
// cannot overflow: logistic(z) = exp(z) / (1 + exp(z)). In the wider type where C has one, because
// each of the steps rounds.
double complex tn__complex_logistic(double complex z) {
  const double x = creal(z), y = cimag(z), sign = x < 0 ? 1 : -1;
  if (!is_finite(z) || y == 0) {
    const double complex power = tn__complex_exp(sign * z);
    return (x < 0 ? power : 1) / (1 + power);
  }
  const long double complex i = (long double complex)tn__c128(0, 1);
  const long double size = expl(-fabsl((long double)x));
  const long double cosine = cosl((long double)y / 2), sine = sinl((long double)y / 2);
  const long double im = 2 * size * sine * cosine * sign;
  const long double sum = 2 * size * cosine * cosine - expm1l(-fabsl((long double)x));
  const long double power = size * (cosine - sine) * (cosine + sine);
  const long double complex above = x < 0 ? power + i * im : 1;
  return (double complex)(above / (sum + i * im));
}

double complex tn__complex_sign(double complex z) {
  double x = creal(z), y = cimag(z);
  if (is_zero(z)) return z;
  if (isnan(x) || isnan(y)) return tn__c128(NAN, NAN);
  // The modulus of finite numbers must neither overflow nor be subnormal.
  if (is_finite(z)) {
    int exponent = ilogb(fmax(fabs(x), fabs(y)));
    x = scalbn(x, -exponent);
    y = scalbn(y, -exponent);
  }
  double modulus = hypot(x, y);
  return tn__c128(x / modulus, y / modulus);
}

// The difference of the squares as a product neither cancels nor overflows early; of equal squares
// one factor is zero and the other may have overflowed.
double complex tn__complex_square(double complex z) {
  double x = creal(z), y = cimag(z);
  bool is_zero_part = isfinite(x) && fabs(x) == fabs(y);
  double im = fabs(x) > fabs(y) ? x * (2 * y) : y * (2 * x);
  return tn__c128(is_zero_part ? 0 : (x - y) * (x + y), im);
}

double complex tn__complex_divide(double complex z, double complex w) {
  return z / w;
}

double complex tn__complex_power(double complex z, double complex w) {
  if (is_zero(w) || (creal(z) == 1 && cimag(z) == 0)) return 1;
  if (is_zero(z)) return creal(w) > 0 ? tn__c128(0, 0) : tn__c128(NAN, NAN);
  // exp(w log z) loses as many bits as the exponent has: start with more where C has them.
  return (double complex)cpowl((long double complex)z, (long double complex)w);
}

// ab + cd, to about an ulp even when they cancel.
static double sum_of_products(double a, double b, double c, double d) {
  double cd = c * d, rest = fma(c, d, -cd);
  return fma(a, b, cd) + rest;
}

// x^2 + y^2, which must be right near y = +-ix, and on the right side of the root's cut.
static double complex sum_of_squares(double complex x, double complex y) {
  double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
  return tn__c128(sum_of_products(a - d, a + d, c - b, c + b), 2 * sum_of_products(a, b, c, d));
}

// -i log((x + iy) / s), s the root of x^2 + y^2; as twice the angle whose tangent is y / (s + x) =
// (s - x) / y, which does not cancel.
double complex tn__complex_atan2(double complex y, double complex x) {
  if (is_zero(y)) return tn__c128(creal(x) < 0 ? copysign(PI, creal(y)) : creal(y), 0);
  if (is_finite(x) && is_finite(y)) {
    double size = fmax(fmax(fabs(creal(x)), fabs(cimag(x))), fmax(fabs(creal(y)), fabs(cimag(y))));
    int exponent = -ilogb(size);
    x = tn__c128(scalbn(creal(x), exponent), scalbn(cimag(x), exponent));
    y = tn__c128(scalbn(creal(y), exponent), scalbn(cimag(y), exponent));
  }
  double complex s = csqrt(sum_of_squares(x, y));
  double complex sum = s + x, difference = s - x;
  return 2 * catan(cabs(sum) >= cabs(difference) ? y / sum : difference / y);
}
