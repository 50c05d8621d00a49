// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Discrete Fourier transforms of one line, of any length, in f64.
#ifndef TENON_KERNEL_FOURIER_FOURIER_H_
#define TENON_KERNEL_FOURIER_FOURIER_H_

#include "base/arena.h"
#include "base/type.h"

typedef struct tn_builder_complex {
  double re, im;
} tn_complex_t;

typedef struct tn_complex_f32 {
  float re, im;
} tn_complex_f32_t;

// Immutable once planned; lives in the arena.
typedef struct tn_fourier {
  int64_t length;
  size_t factor_count;
  int64_t factors[64];        // their product is the length; none above 31
  const tn_complex_t* roots;  // exp(-2 pi i k / length)
  // The same in f32, of a plan whose lanes (see fourier_lanes.h) work in that; NULL: in f64.
  const tn_complex_f32_t* narrow_roots;
  // Lengths with larger prime factors go by way of a convolution of a power of two; NULL: not so.
  const struct tn_fourier* convolution;
  const tn_complex_t* chirp;   // exp(-pi i k^2 / length)
  const tn_complex_t* filter;  // transform of the chirp's conjugate, round the power of two
  int64_t work_count;          // numbers of scratch
} tn_fourier_t;

// exp(-2 pi i k / n) for 0 <= k < n, as near as a double comes.
tn_complex_t tn__fourier_root(int64_t k, int64_t n);
// Whether `length` has no prime factor above 31.
bool tn__fourier_has_factors(int64_t length);

// `length` is at least 1.
TN_MUST_USE tn_status_t tn__fourier_plan(tn_arena_t* arena, int64_t length,
                                         tn_fourier_t* out_fourier);
// In place: the sums of values[j] * exp(-+2 pi i j k / length), + when `inverse`, which also
// divides by the length. `work` has work_count numbers.
void tn__fourier_run(const tn_fourier_t* fourier, bool inverse, tn_complex_t* values,
                     tn_complex_t* work);

// The same for lines of real numbers, of even length: a complex line of half of it.
typedef struct tn_real_fourier {
  tn_fourier_t half;
  const tn_complex_t* turns;  // exp(-2 pi i k / length), for k up to a quarter of the length
} tn_real_fourier_t;

TN_MUST_USE tn_status_t tn__real_fourier_plan(tn_arena_t* arena, int64_t length,
                                              tn_real_fourier_t* out_fourier);
// In place: `length` real numbers become length / 2 + 1 complex ones, or the other way round; the
// imaginary parts of the first and the last of these are not looked at. `work` has
// half.work_count numbers.
void tn__real_fourier_run(const tn_real_fourier_t* fourier, tn_complex_t* values,
                          tn_complex_t* work);
void tn__real_fourier_undo(const tn_real_fourier_t* fourier, tn_complex_t* values,
                           tn_complex_t* work);

#endif  // TENON_KERNEL_FOURIER_FOURIER_H_
