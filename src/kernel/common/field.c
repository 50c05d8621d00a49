// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <math.h>

#include "kernel/linalg/linear.h"

// --- real numbers

#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define DIV(a, b) ((a) / (b))
#define CONJ(a) (a)
#define REAL(a) (a)
#define MAKE(a) (a)

#define FIELD(name) f64_##name
#define VALUE double
#include "kernel/common/field.inc"

#undef SUB
#undef MUL
#undef DIV
#undef CONJ
#undef REAL
#undef MAKE

// --- complex numbers

typedef struct c128 {
  double re, im;
} c128_t;

static inline c128_t c128_sub(c128_t a, c128_t b) {
  return (c128_t){a.re - b.re, a.im - b.im};
}
static inline c128_t c128_mul(c128_t a, c128_t b) {
  return (c128_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline c128_t c128_conj(c128_t a) {
  return (c128_t){a.re, -a.im};
}
// Smith's way: divides by the larger part first.
static inline c128_t c128_div(c128_t a, c128_t b) {
  if (fabs(b.re) >= fabs(b.im)) {
    const double ratio = b.im / b.re, size = b.re + b.im * ratio;
    return (c128_t){(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
  }
  const double ratio = b.re / b.im, size = b.re * ratio + b.im;
  return (c128_t){(a.re * ratio + a.im) / size, (a.im * ratio - a.re) / size};
}

#define REAL(a) ((a).re)

#define SUB c128_sub
#define MUL c128_mul
#define DIV c128_div
#define CONJ c128_conj
#define MAKE(a) ((c128_t){(a), 0})
#define FIELD(name) c128_##name
#define VALUE c128_t
#include "kernel/common/field.inc"
#undef SUB
#undef MUL
#undef DIV
#undef CONJ
#undef MAKE

const tn_field_t* tn__field(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_C128 ? &c128_field : &f64_field;
}
