// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of a complex variable that C does not have, or whose corners it leaves open.
#ifndef TENON_KERNEL_ELEMENTWISE_COMPLEX_MATH_H_
#define TENON_KERNEL_ELEMENTWISE_COMPLEX_MATH_H_

#include <complex.h>

double complex tn__complex_exp(double complex z);
double complex tn__complex_expm1(double complex z);
double complex tn__complex_log1p(double complex z);
double complex tn__complex_rsqrt(double complex z);
double complex tn__complex_cbrt(double complex z);
double complex tn__complex_logistic(double complex z);
double complex tn__complex_sign(double complex z);
double complex tn__complex_square(double complex z);
double complex tn__complex_divide(double complex z, double complex w);
double complex tn__complex_power(double complex z, double complex w);
double complex tn__complex_atan2(double complex y, double complex x);

#endif  // TENON_KERNEL_ELEMENTWISE_COMPLEX_MATH_H_
