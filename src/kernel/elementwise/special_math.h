// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Special functions of real variables, to a few units in the last place of double: those of the
// dialect chlo that C libraries do not have. References are to the Digital Library of Mathematical
// Functions (DLMF, https://dlmf.nist.gov).
#ifndef TENON_KERNEL_ELEMENTWISE_SPECIAL_MATH_H_
#define TENON_KERNEL_ELEMENTWISE_SPECIAL_MATH_H_

// exp(-|x|) I1(x), I1 the modified Bessel function of the first kind.
double tn__bessel_i1e(double x);
// The inverse of erf; infinite at -1 and 1, NaN beyond.
double tn__erf_inverse(double x);
// log |gamma(x)|; infinite at the poles.
double tn__log_gamma(double x);
// The derivative of log gamma; NaN at the poles.
double tn__digamma(double x);
// Derivative number `order` of digamma; NaN unless the order is a natural number. At poles infinite
// for odd orders, NaN for even ones.
double tn__polygamma(double order, double x);
// Hurwitz's zeta function, the sum of (q + n)^-s over n = 0, 1, ... Infinite at s = 1; NaN below
// it. Where q is negative, s must be an integer; where q is a pole, the result is infinite, and NaN
// if the sign differs on both sides.
double tn__zeta(double s, double q);

#endif  // TENON_KERNEL_ELEMENTWISE_SPECIAL_MATH_H_
