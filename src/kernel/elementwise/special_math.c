// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/special_math.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

static const double PI = 3.14159265358979323846;
static const double HALF_ROOT_PI = 0.88622692545275801365;

// --- bessel_i1e

// The power series (DLMF 10.25.2), whose terms are all positive; x > 0. Each is made of the one
// before it, whose errors add up: hence the wider type.
static double i1_by_powers(double x) {
  const long double quarter = (long double)x * x / 4;
  long double term = (long double)x / 2, sum = term;
  for (int k = 1; term > 0x1p-60L * sum; ++k) {
    term *= quarter / ((long double)k * (k + 1));
    sum += term;
  }
  return (double)sum;
}

// Times exp(-x), by the expansion for large arguments (DLMF 10.40.1); x > 30, where the terms fall
// below an ulp long before they grow again.
static double i1e_by_inverse_powers(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 40 && fabs(term) > 0x1p-60; ++k) {
    const double odd = 2 * k - 1;
    term *= -(4 - odd * odd) / (8 * k * x);
    sum += term;
  }
  return sum / (4 * sqrt(PI / 8 * x));  // 2 pi x may overflow
}

double tn__bessel_i1e(double x) {
  const double size = fabs(x);
  if (isnan(x)) return x;
  if (isinf(x)) return copysign(0, x);
  const double value = size > 30 ? i1e_by_inverse_powers(size) : exp(-size) * i1_by_powers(size);
  return copysign(value, x);
}

// --- erf_inv

// Good to 7 digits: M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2011, the
// single-precision polynomials. For 0 <= x < 1.
static double first_erf_inverse(double x) {
  static const double central[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                   -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                   -0.00417768164,  0.246640727,    1.50140941};
  static const double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
  const double w = -log((1 - x) * (1 + x));
  if (w > 16) {  // past single precision: erfc(y) = exp(-y^2) / (y sqrt(pi)) for large y
    const double t = -log(2 * HALF_ROOT_PI * (1 - x));
    return sqrt(t - 0.5 * log(t));
  }
  const bool is_central = w < 5;
  const double t = is_central ? w - 2.5 : sqrt(w) - 3;
  const double* c = is_central ? central : tail;
  double sum = c[0];
  for (size_t i = 1; i < sizeof central / sizeof *central; ++i) sum = sum * t + c[i];
  return sum * x;
}

// Halley's steps on erf(y) = x; in the tails on erfc(y) = 1 - x, which is exact there and loses
// nothing.
double tn__erf_inverse(double x) {
  const double size = fabs(x);
  if (isnan(x) || size > 1) return NAN;
  if (size == 1) return copysign(INFINITY, x);
  if (size < 0x1p-30) return x * HALF_ROOT_PI;  // the next term is x^3
  double y = first_erf_inverse(size);
  for (int step = 0; step < 8; ++step) {
    const double excess = size < 0.5 ? erf(y) - size : (1 - size) - erfc(y);
    const double newton = excess * HALF_ROOT_PI * exp(y * y);
    const double change = newton / (1 + y * newton);
    y -= change;
    if (fabs(change) <= 0x1p-40 * y) break;
  }
  return copysign(y, x);
}

// --- lgamma

// The C function writes a global sign.
double tn__log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// --- digamma

// B_2k / 2k! of the Euler-Maclaurin formula and others come from the same Bernoulli numbers (DLMF
// 24.2.6): B_2, B_4, ...
static const double bernoulli[] = {
    1.0 / 6, -1.0 / 30,     1.0 / 42,      -1.0 / 30,       5.0 / 66,       -691.0 / 2730,
    7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330, 854513.0 / 138, -236364091.0 / 2730,
};
enum { BERNOULLI_COUNT = sizeof bernoulli / sizeof *bernoulli };

// Its Taylor series around its positive root, which is given in two parts: nothing cancels. The
// coefficients are polygamma(k, root) / k!, computed with 60 digits.
static double digamma_near_root(double x) {
  static const double coefficients[] = {
      0x1.ef72bc8ee38acp-1,  -0x1.c563b54aa1a35p-2,  0x1.08b4294d50381p-2,  -0x1.4fc1317257da8p-3,
      0x1.b9a5b6370f3abp-4,  -0x1.27baba261cc2cp-4,  0x1.8fce02b239ca7p-5,  -0x1.0fa7ec36a7d8fp-5,
      0x1.723d6807edccp-6,   -0x1.f970508e1b6a2p-7,  0x1.5955caaa962f3p-7,  -0x1.d828079282eb8p-8,
      0x1.42e1acf81d8dcp-8,  -0x1.b9afc7cee8a14p-9,  0x1.2e23345f79aafp-9,  -0x1.9d626f71d1f7ap-10,
      0x1.1acebbd761089p-10, -0x1.82f6345c65b35p-11, 0x1.08bdae1a261d4p-11, -0x1.6a3fddea11304p-12,
      0x1.efacab6fb8985p-13, -0x1.531f5dc5eb563p-13, 0x1.d0080f810fab5p-14,
  };
  const double root = 0x1.762d86356be3fp+0, root_rest = 0x1.b86a722197829p-54;
  const double t = (x - root) - root_rest;
  double sum = 0;
  for (size_t i = sizeof coefficients / sizeof *coefficients; i-- > 0;) {
    sum = sum * t + coefficients[i];
  }
  return sum * t;
}

// x > 0: by recurrence (DLMF 5.5.2) to where the asymptotic series (5.11.2) holds.
static long double digamma_of_positive(long double x) {
  long double sum = 0;
  while (x < 16) {
    sum -= 1 / x;
    x += 1;
  }
  const long double inverse_square = 1 / (x * x);
  long double series = 0;
  for (size_t i = 10; i-- > 0;) {
    series = (series + bernoulli[i] / (2 * ((long double)i + 1))) * inverse_square;
  }
  return sum + logl(x) - 0.5L / x - series;
}

// pi / tan(pi x), with the period taken away first.
static long double pi_cotangent(double x) {
  const long double pi = 3.14159265358979323846264338327950288L, rest = x - rint(x);
  return pi / tanl(pi * rest);
}

static long double zeta_of_negative(double s, long double q);

// Near a negative root the terms of the reflection cancel. Near the first of them, which are given
// in two parts each, the Taylor series does not; its coefficients are Hurwitz zeta functions (DLMF
// 25.11.12). Returns whether x is near one.
static bool digamma_near_negative_root(double x, double* out_value) {
  static const double roots[][2] = {
      {-0x1.02172b05ee260p-1, -0x1.2cd704405bff6p-57},
      {-0x1.92d0cbc289d4ap+0, -0x1.2262d144a30e4p-56},
      {-0x1.4e2c19f679e5ap+1, 0x1.c7b999bd14f47p-54},
      {-0x1.d1514b041b2a8p+1, 0x1.f71449c2a5446p-55},
      {-0x1.29cea5c1ccbd0p+2, -0x1.25e92119a56a9p-52},
      {-0x1.6ab2ca18e6ce3p+2, -0x1.da7ecae62c5bdp-59},
      {-0x1.ab6b34398a4ffp+2, 0x1.9027e5b26e237p-52},
      {-0x1.ec04b952a5368p+2, -0x1.37a62af51caacp-53},
      {-0x1.1643b3352a3f5p+3, -0x1.7ad951453a497p-52},
      {-0x1.367c4b1f635e4p+3, -0x1.776d89f6e1950p-52},
      {-0x1.56ae014434848p+3, -0x1.6a6ede6ee3df8p-51},
      {-0x1.76da2d93df103p+3, 0x1.efa7c6ac12c96p-51},
  };
  for (size_t i = 0; i < sizeof roots / sizeof *roots; ++i) {
    const double distance = x - roots[i][0];
    if (fabs(distance) > 0x1p-8) continue;
    const long double root = (long double)roots[i][0] + roots[i][1];
    const long double t = (long double)distance - roots[i][1];
    long double sum = 0;
    for (int k = 12; k > 0; --k) {
      const long double coefficient = zeta_of_negative(k + 1, root);
      sum = (sum + (k % 2 ? coefficient : -coefficient)) * t;
    }
    *out_value = (double)sum;
    return true;
  }
  return false;
}

// The reflection (DLMF 5.5.4) for negative numbers. Between there and zero one step up is better.
// The wider type for the roots that digamma_near_negative_root does not know.
double tn__digamma(double x) {
  if (isnan(x) || x == INFINITY) return x;
  if (x <= 0 && x == floor(x)) return NAN;
  if (fabs(x - 1.46) < 0.25) return digamma_near_root(x);
  if (x > 0) return (double)digamma_of_positive(x);
  double value;
  if (digamma_near_negative_root(x, &value)) return value;
  if (x > -0.25) return (double)(digamma_of_positive(1 + (long double)x) - 1 / (long double)x);
  return (double)(digamma_of_positive(1 - (long double)x) - pi_cotangent(x));
}

// --- zeta

// q > 0, s > 1: the first terms, and Euler-Maclaurin's formula (DLMF 25.11.28) for the rest. In the
// wider type for its range: a factorial may bring back what is too small for a double.
static long double zeta_of_positive(long double s, long double q) {
  enum { TERMS = 12 };
  long double sum = 0;
  for (int n = 0; n < TERMS; ++n) {
    const long double term = powl(q + n, -s);
    sum += term;
    if (term < 0x1p-70L * sum) return sum;
  }
  const long double a = q + TERMS;
  const long double power = powl(a, -s);
  sum += power * (a / (s - 1) + 0.5L);
  long double factor = s / a;  // s (s + 1) ... (s + 2k) / (a^(2k + 1) (2k + 2)!), but for the last
  for (int k = 0; k < BERNOULLI_COUNT; ++k) {
    factor /= (2.0L * k + 1) * (2.0L * k + 2);
    const long double term = power * factor * bernoulli[k];
    sum += term;
    if (fabsl(term) < 0x1p-70L * sum) break;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (a * a);
  }
  return sum;
}

static bool is_even(double integer) {
  return fmod(integer, 2) == 0;
}

// Below zero: the sum over all integers, which has the period 1, less the terms before q.
static long double zeta_of_negative(double s, long double q) {
  const long double sign = is_even(s) ? 1 : -1;
  const long double above = q - floorl(q), below = ceill(q) - q;
  return zeta_of_positive(s, above) +
         sign * (zeta_of_positive(s, below) - zeta_of_positive(s, 1 - q));
}

// With the range of the wider type.
static long double wide_zeta(double s, double q) {
  if (s == 1) return INFINITY;  // for any q, even one that is none
  if (isnan(s) || isnan(q) || s < 1) return NAN;
  if (q > 0) return isinf(q) ? 0 : zeta_of_positive(s, q);
  const bool is_integer = s == floor(s);
  if (q == floor(q)) return is_integer && is_even(s) ? INFINITY : NAN;
  return is_integer ? zeta_of_negative(s, q) : NAN;
}

double tn__zeta(double s, double q) {
  return (double)wide_zeta(s, q);
}

// --- polygamma

// (-1)^(n + 1) n! zeta(n + 1, x) (DLMF 25.11.12).
double tn__polygamma(double order, double x) {
  if (isnan(order) || isnan(x) || order < 0 || order != floor(order)) return NAN;
  if (order == 0) return tn__digamma(x);
  const long double zeta = wide_zeta(order + 1, x);
  const long double size = zeta == 0 ? 0 : tgammal(order + 1) * zeta;
  return (double)(is_even(order) ? -size : size);
}
