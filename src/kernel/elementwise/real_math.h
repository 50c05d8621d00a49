// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Functions of a real variable that C libraries do not have well enough.
#ifndef TENON_KERNEL_ELEMENTWISE_REAL_MATH_H_
#define TENON_KERNEL_ELEMENTWISE_REAL_MATH_H_

#include <math.h>

// The library's root with one step of Newton's method, whose residual is exact but for its last
// rounding.
static inline double tn__cbrt(double x) {
  // Cubes must neither overflow nor be subnormal: 2^1023 and 2^-1074 are far from that at a third.
  double scaled = fabs(x) < 0x1p-900 ? x * 0x1p600 : fabs(x) > 0x1p900 ? x * 0x1p-600 : x;
  double root = cbrt(scaled);
  if (scaled == 0 || scaled - scaled != 0) return root;
  double square = root * root, cube = square * root;
  double square_rest = fma(root, root, -square), cube_rest = fma(square, root, -cube);
  double residual = (cube - scaled) + (cube_rest + square_rest * root);
  root -= residual / (3 * square);
  return fabs(x) < 0x1p-900 ? root * 0x1p-200 : fabs(x) > 0x1p900 ? root * 0x1p200 : root;
}

// 1 / (1 + exp(-x)). The exponential of what is not positive neither overflows nor loses what is
// tiny.
static inline double tn__logistic(double x) {
  const double power = exp(-fabs(x));
  return (x < 0 ? power : 1.0) / (1.0 + power);
}

#endif  // TENON_KERNEL_ELEMENTWISE_REAL_MATH_H_
