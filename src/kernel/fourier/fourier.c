// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/fourier/fourier.h"

#include <math.h>

enum { LARGEST_FACTOR = 31 };

static tn_complex_t add(tn_complex_t a, tn_complex_t b) {
  return (tn_complex_t){a.re + b.re, a.im + b.im};
}
static tn_complex_t subtract(tn_complex_t a, tn_complex_t b) {
  return (tn_complex_t){a.re - b.re, a.im - b.im};
}
static tn_complex_t multiply(tn_complex_t a, tn_complex_t b) {
  return (tn_complex_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static tn_complex_t conjugate(tn_complex_t a) {
  return (tn_complex_t){a.re, -a.im};
}

// From an angle of at most an eighth of the circle.
tn_complex_t tn__fourier_root(int64_t k, int64_t n) {
  const double pi = 3.14159265358979323846;
  // In eighths: k / n = octant / 8 + rest / (8 n).
  const double eight = 8.0 * (double)k / (double)n;
  const int octant = (int)eight;
  const double rest = fmod(8.0 * (double)k, (double)n) / (double)n;
  const bool is_odd = octant % 2;
  const double angle = pi / 4 * (is_odd ? 1 - rest : rest);
  const double small = sin(angle), large = cos(angle);
  const double c = is_odd ? small : large, s = is_odd ? large : small;
  switch (octant / 2 % 4) {
    case 0: return (tn_complex_t){c, -s};
    case 1: return (tn_complex_t){-s, -c};
    case 2: return (tn_complex_t){-c, s};
    default: return (tn_complex_t){s, c};
  }
}

// --- planning

static tn_status_t make_roots(tn_arena_t* arena, int64_t length, const tn_complex_t** out_roots) {
  tn_complex_t* roots;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)length, &roots));
  for (int64_t k = 0; k < length; ++k) roots[k] = tn__fourier_root(k, length);
  *out_roots = roots;
  return TN_OK;
}

bool tn__fourier_has_factors(int64_t length) {
  for (int64_t factor = 2; factor <= LARGEST_FACTOR; ++factor) {
    while (length % factor == 0) length /= factor;
  }
  return length == 1;
}

// False when a prime factor is too large.
static bool find_factors(tn_fourier_t* fourier) {
  int64_t rest = fourier->length;
  while (rest % 4 == 0) {
    fourier->factors[fourier->factor_count++] = 4;
    rest /= 4;
  }
  for (int64_t factor = 2; factor <= LARGEST_FACTOR; ++factor) {
    while (rest % factor == 0) {
      fourier->factors[fourier->factor_count++] = factor;
      rest /= factor;
    }
  }
  return rest == 1;
}

static tn_status_t plan_convolution(tn_arena_t* arena, tn_fourier_t* fourier) {
  const int64_t length = fourier->length;
  int64_t padded = 1;
  while (padded < 2 * length - 1) padded *= 2;
  tn_fourier_t* convolution;
  tn_complex_t *chirp, *filter, *work;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &convolution));
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, padded, convolution));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)length, &chirp));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)padded, &filter));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)convolution->work_count, &work));
  int64_t square = 0;  // k^2 modulo 2 length
  for (int64_t k = 0; k < length; ++k) {
    chirp[k] = tn__fourier_root(square, 2 * length);
    filter[k] = conjugate(chirp[k]);
    if (k) filter[padded - k] = filter[k];
    square = (square + 2 * k + 1) % (2 * length);
  }
  tn__fourier_run(convolution, false, filter, work);
  fourier->convolution = convolution;
  fourier->chirp = chirp;
  fourier->filter = filter;
  fourier->work_count = padded + convolution->work_count;
  return TN_OK;
}

tn_status_t tn__fourier_plan(tn_arena_t* arena, int64_t length, tn_fourier_t* out_fourier) {
  tn_fourier_t fourier = {.length = length, .work_count = length};
  if (find_factors(&fourier)) {
    TN_RETURN_IF_ERROR(make_roots(arena, length, &fourier.roots));
  } else {
    TN_RETURN_IF_ERROR(plan_convolution(arena, &fourier));
  }
  *out_fourier = fourier;
  return TN_OK;
}

// --- running

// One pass over `values`, seen as [radix][rest][stride], into [rest][radix][stride].
typedef struct pass {
  const tn_complex_t* roots;
  int64_t length;  // of the whole line
  int64_t radix, rest, stride;
  const tn_complex_t* from;
  tn_complex_t* to;
} pass_t;

// exp(-2 pi i p k / (radix * rest))
static tn_complex_t twiddle(const pass_t* pass, int64_t p, int64_t k) {
  return pass->roots[p * k * pass->stride];
}

static void pass_2(const pass_t* pass) {
  const int64_t s = pass->stride;
  for (int64_t p = 0; p < pass->rest; ++p) {
    const tn_complex_t w = twiddle(pass, p, 1);
    const tn_complex_t *a = pass->from + s * p, *b = a + s * pass->rest;
    tn_complex_t* out = pass->to + 2 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const tn_complex_t x = a[q], y = b[q];
      out[q] = add(x, y);
      out[q + s] = multiply(subtract(x, y), w);
    }
  }
}

static void pass_4(const pass_t* pass) {
  const int64_t s = pass->stride, step = s * pass->rest;
  for (int64_t p = 0; p < pass->rest; ++p) {
    const tn_complex_t w1 = twiddle(pass, p, 1), w2 = twiddle(pass, p, 2), w3 = twiddle(pass, p, 3);
    const tn_complex_t* from = pass->from + s * p;
    tn_complex_t* out = pass->to + 4 * s * p;
    for (int64_t q = 0; q < s; ++q) {
      const tn_complex_t a = from[q], b = from[q + step], c = from[q + 2 * step],
                         d = from[q + 3 * step];
      const tn_complex_t ac = add(a, c), a_c = subtract(a, c), bd = add(b, d);
      const tn_complex_t b_d = subtract(b, d), turned = {b_d.im, -b_d.re};  // times -i
      out[q] = add(ac, bd);
      out[q + s] = multiply(add(a_c, turned), w1);
      out[q + 2 * s] = multiply(subtract(ac, bd), w2);
      out[q + 3 * s] = multiply(subtract(a_c, turned), w3);
    }
  }
}

static void pass_any(const pass_t* pass) {
  const int64_t s = pass->stride, r = pass->radix, step = s * pass->rest;
  const int64_t turn = pass->length / r;
  for (int64_t p = 0; p < pass->rest; ++p) {
    for (int64_t q = 0; q < s; ++q) {
      const tn_complex_t* from = pass->from + s * p + q;
      tn_complex_t* out = pass->to + r * s * p + q;
      tn_complex_t values[LARGEST_FACTOR];
      for (int64_t j = 0; j < r; ++j) values[j] = from[j * step];
      for (int64_t k = 0; k < r; ++k) {
        tn_complex_t sum = values[0];
        int64_t angle = 0;
        for (int64_t j = 1; j < r; ++j) {
          angle += k;
          if (angle >= r) angle -= r;
          sum = add(sum, multiply(values[j], pass->roots[angle * turn]));
        }
        out[k * s] = multiply(sum, twiddle(pass, p, k));
      }
    }
  }
}

static void run_factors(const tn_fourier_t* fourier, tn_complex_t* values, tn_complex_t* work) {
  tn_complex_t *from = values, *to = work;
  int64_t rest = fourier->length, stride = 1;
  for (size_t i = 0; i < fourier->factor_count; ++i) {
    const int64_t radix = fourier->factors[i];
    rest /= radix;
    const pass_t pass = {fourier->roots, fourier->length, radix, rest, stride, from, to};
    switch (radix) {
      case 2: pass_2(&pass); break;
      case 4: pass_4(&pass); break;
      default: pass_any(&pass); break;
    }
    stride *= radix;
    tn_complex_t* kept = from;
    from = to;
    to = kept;
  }
  if (from != values) {
    memcpy(values, from, (size_t)fourier->length * sizeof *values);
  }
}

// Bluestein: j k = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with a chirp.
static void run_convolution(const tn_fourier_t* fourier, tn_complex_t* values, tn_complex_t* work) {
  const tn_fourier_t* convolution = fourier->convolution;
  const int64_t padded = convolution->length;
  tn_complex_t* inner_work = work + padded;
  for (int64_t k = 0; k < fourier->length; ++k) work[k] = multiply(values[k], fourier->chirp[k]);
  memset(work + fourier->length, 0, (size_t)(padded - fourier->length) * sizeof *work);
  tn__fourier_run(convolution, false, work, inner_work);
  for (int64_t k = 0; k < padded; ++k) work[k] = multiply(work[k], fourier->filter[k]);
  tn__fourier_run(convolution, true, work, inner_work);
  for (int64_t k = 0; k < fourier->length; ++k) values[k] = multiply(work[k], fourier->chirp[k]);
}

void tn__fourier_run(const tn_fourier_t* fourier, bool inverse, tn_complex_t* values,
                     tn_complex_t* work) {
  const int64_t length = fourier->length;
  // The inverse is the transform of the conjugate, conjugated.
  for (int64_t k = 0; inverse && k < length; ++k) values[k].im = -values[k].im;
  if (fourier->convolution) {
    run_convolution(fourier, values, work);
  } else {
    run_factors(fourier, values, work);
  }
  const double scale = (double)length;
  for (int64_t k = 0; inverse && k < length; ++k) {
    values[k].re /= scale;
    values[k].im /= -scale;
  }
}

// --- real lines

// Even elements are the real parts of the half line's, odd ones the imaginary parts. Their own
// transforms are the even and the odd part of the half line's, as a function of frequency.

tn_status_t tn__real_fourier_plan(tn_arena_t* arena, int64_t length,
                                  tn_real_fourier_t* out_fourier) {
  const int64_t half = length / 2;
  tn_complex_t* turns;
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, half, &out_fourier->half));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)(half / 2 + 1), &turns));
  for (int64_t k = 0; k <= half / 2; ++k) turns[k] = tn__fourier_root(k, length);
  out_fourier->turns = turns;
  return TN_OK;
}

void tn__real_fourier_run(const tn_real_fourier_t* fourier, tn_complex_t* values,
                          tn_complex_t* work) {
  const int64_t half = fourier->half.length;
  tn__fourier_run(&fourier->half, false, values, work);
  const tn_complex_t first = values[0];
  values[0] = (tn_complex_t){first.re + first.im, 0};
  values[half] = (tn_complex_t){first.re - first.im, 0};
  for (int64_t k = 1; k <= half - k; ++k) {
    const tn_complex_t a = values[k], b = values[half - k];
    const tn_complex_t even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
    const tn_complex_t odd = {(a.im + b.im) / 2, (b.re - a.re) / 2};
    const tn_complex_t turned = multiply(odd, fourier->turns[k]);
    values[k] = (tn_complex_t){even.re + turned.re, even.im + turned.im};
    values[half - k] = (tn_complex_t){even.re - turned.re, turned.im - even.im};
  }
}

void tn__real_fourier_undo(const tn_real_fourier_t* fourier, tn_complex_t* values,
                           tn_complex_t* work) {
  const int64_t half = fourier->half.length;
  const double first = values[0].re, last = values[half].re;
  values[0] = (tn_complex_t){(first + last) / 2, (first - last) / 2};
  for (int64_t k = 1; k <= half - k; ++k) {
    const tn_complex_t a = values[k], b = values[half - k];
    const tn_complex_t even = {(a.re + b.re) / 2, (a.im - b.im) / 2};
    const tn_complex_t turned = {(a.re - b.re) / 2, (a.im + b.im) / 2};
    const tn_complex_t back = {fourier->turns[k].re, -fourier->turns[k].im};
    const tn_complex_t odd = multiply(turned, back);
    values[k] = (tn_complex_t){even.re - odd.im, even.im + odd.re};
    values[half - k] = (tn_complex_t){even.re + odd.im, odd.re - even.im};
  }
  tn__fourier_run(&fourier->half, true, values, work);
}
