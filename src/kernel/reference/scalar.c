#include "kernel/reference/scalar.h"

#include <math.h>
#include <string.h>

// --- integers

static tn_wide_t low_bits(tn_wide_t a, uint32_t bits) {
  return a & (((tn_wide_t)1 << bits) - 1);
}

static tn_wide_t as_signed(tn_wide_t a, uint32_t bits) {
  const tn_wide_t low = low_bits(a, bits), sign = (tn_wide_t)1 << (bits - 1);
  return low & sign ? low - 2 * sign : low;
}

static tn_wide_t count_ones(tn_wide_t a, uint32_t bits) {
  return __builtin_popcountll((uint64_t)low_bits(a, bits));
}

static tn_wide_t count_leading_zeros(tn_wide_t a, uint32_t bits) {
  tn_wide_t count = 0;
  while (count < bits && !(low_bits(a, bits) >> (bits - 1 - count) & 1)) ++count;
  return count;
}

static tn_wide_t wrapping_product(tn_wide_t a, tn_wide_t b) {
  return (tn_wide_t)((tn_unsigned_wide_t)a * (tn_unsigned_wide_t)b);
}

static tn_wide_t high_product(tn_wide_t a, tn_wide_t b, uint32_t bits) {
  if (a >= 0 && b >= 0) return (tn_wide_t)((tn_unsigned_wide_t)a * (tn_unsigned_wide_t)b >> bits);
  return a * b >> bits;
}

// Amounts are unsigned; with the width or more, nothing is left but the sign.
static tn_wide_t shift_left(tn_wide_t a, tn_wide_t b, uint32_t bits) {
  const tn_wide_t amount = low_bits(b, bits);
  return amount >= bits ? 0 : (tn_wide_t)((tn_unsigned_wide_t)a << amount);
}

static tn_wide_t shift_right(tn_wide_t a, tn_wide_t b, uint32_t bits) {
  const tn_wide_t amount = low_bits(b, bits);
  return a >> (amount >= bits ? bits : (uint32_t)amount);
}

// A negative exponent leaves nothing but of 1 and -1.
static tn_wide_t integer_power(tn_wide_t a, tn_wide_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  tn_wide_t result = 1;
  for (; b; b >>= 1) {
    if (b & 1) result = wrapping_product(result, a);
    a = wrapping_product(a, a);
  }
  return result;
}

// --- floats

// NaN when one of them is; -0 is below +0.
static long double float_maximum(long double a, long double b) {
  if (isnan(a) || isnan(b)) return NAN;
  if (a == b) return signbit(a) ? b : a;
  return a > b ? a : b;
}
static long double float_minimum(long double a, long double b) {
  return -float_maximum(-a, -b);
}

static long double log_gamma(long double a) {
  int sign;
  return lgammal_r(a, &sign);
}

// Newton's steps for erf(x) = a, where a is near 1 for erfc(x) = 1 - a, which is exact.
static long double erf_inverse(long double a) {
  static const long double pi = 3.14159265358979323846264338327950288L;
  const long double size = fabsl(a);
  if (!(size < 1)) return size == 1 ? copysignl(INFINITY, a) : NAN;
  if (a == 0) return a;
  long double x = sqrtl(-logl((1 - size) * (1 + size)));
  for (int i = 0; i < 60; ++i) {
    const long double error = size < 0.5L ? erfl(x) - size : (1 - size) - erfcl(x);
    const long double slope = 2 / sqrtl(pi) * expl(-x * x);
    const long double step = error / slope / (1 + x * error / slope);
    x -= step;
    if (fabsl(step) <= 1e-20L * x) break;
  }
  return copysignl(x, a);
}

// I1(x) exp(-|x|): the power series, whose terms are all of one sign, or the asymptotic one.
static long double bessel_i1e(long double a) {
  static const long double pi = 3.14159265358979323846264338327950288L;
  const long double x = fabsl(a);
  long double sum = 0, term = 1;
  if (isnan(a)) return a;
  if (isinf(a)) return copysignl(0, a);
  if (x < 50) {
    term = x / 2;
    for (int k = 1; term > 0 && k < 400; ++k) {
      sum += term;
      term *= x / 2 * (x / 2) / ((long double)k * (k + 1));
      if (term < sum * 1e-22L) break;
    }
    sum *= expl(-x);
  } else {
    for (int k = 1; fabsl(term) > 1e-22L && k < 90; ++k) {
      sum += term;
      term *= -(4 - (2.0L * k - 1) * (2 * k - 1)) / (8 * x * k);
    }
    sum /= sqrtl(2 * pi * x);
  }
  return copysignl(sum, a);
}

// --- complex numbers

static long double complex make_complex(long double re, long double im) {
  return tn__complex_of((tn_number_t){.re = re, .im = im});
}

static long double complex sign_of(long double complex a) {
  return a == 0 ? a : a / cabsl(a);
}

// Of small numbers, too: exp(x + iy) - 1 without subtracting what is nearly equal.
static long double complex complex_expm1(long double complex a) {
  const long double x = creall(a), y = cimagl(a), half = sinl(y / 2);
  return make_complex(expm1l(x) * cosl(y) - 2 * half * half, expl(x) * sinl(y));
}

static long double complex complex_log1p(long double complex a) {
  const long double x = creall(a), y = cimagl(a);
  const long double square = x * (2 + x) + y * y;  // |1 + a|^2 - 1
  const long double re = fabsl(square) < 0.5L ? log1pl(square) / 2 : logl(cabsl(1 + a));
  return make_complex(re, atan2l(y, 1 + x));
}

// --- the table

enum { INTEGERS, FLOATS, COMPLEX_NUMBERS, CLASS_COUNT };

typedef struct scalar_row {
  const char* operation;
  const char* texts[CLASS_COUNT];
  tn_scalar_fn functions[CLASS_COUNT];
} scalar_row_t;

// What an expression gives: a number of its class, and the truth for results that are booleans.
static tn_number_t of_integer(tn_wide_t value) {
  return tn__number_integer(value);
}
static tn_number_t of_real(long double value) {
  return (tn_number_t){.integer = value != 0, .re = value};
}

#define NONE 0
#define OF(value) \
  _Generic((value), long double complex : tn__number_complex, default : of_real)(value)
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##b
#define TN_SCALAR(operation, operands, integers, floats, complexes)                   \
  static tn_number_t PASTE(integer_, __LINE__)(const tn_number_t* x, uint32_t bits) { \
    const tn_wide_t a = x[0].integer, b = operands > 1 ? x[1].integer : 0;            \
    (void)a, (void)b, (void)bits;                                                     \
    return of_integer(integers);                                                      \
  }                                                                                   \
  static tn_number_t PASTE(real_, __LINE__)(const tn_number_t* x, uint32_t bits) {    \
    const long double a = x[0].re, b = operands > 1 ? x[1].re : 0;                    \
    (void)a, (void)b, (void)bits;                                                     \
    return OF(floats);                                                                \
  }                                                                                   \
  static tn_number_t PASTE(complex_, __LINE__)(const tn_number_t* x, uint32_t bits) { \
    const long double complex a = tn__complex_of(x[0]);                               \
    const long double complex b = operands > 1 ? tn__complex_of(x[1]) : 0;            \
    (void)a, (void)b, (void)bits;                                                     \
    return OF(complexes);                                                             \
  }
#include "kernel/reference/scalar.def"
#undef TN_SCALAR
#undef NONE

#define TN_SCALAR(operation, operands, integers, floats, complexes) \
  {operation,                                                       \
   {#integers, #floats, #complexes},                                \
   {PASTE(integer_, __LINE__), PASTE(real_, __LINE__), PASTE(complex_, __LINE__)}},
static const scalar_row_t rows[] = {
#include "kernel/reference/scalar.def"
};
#undef TN_SCALAR

tn_scalar_fn tn__scalar_find(const tn_op_t* op, tn_dtype_t dtype) {
  const char* name = strncmp(op->name, "chlo.", 5) == 0 ? op->name : tn__op_short_name(op);
  const tn_kind_t kind = tn_dtype_kind(dtype);
  const int class = kind == TN_KIND_FLOAT     ? FLOATS
                    : kind == TN_KIND_COMPLEX ? COMPLEX_NUMBERS
                                              : INTEGERS;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(rows[i].operation, name) != 0) continue;
    return strcmp(rows[i].texts[class], "NONE") == 0 ? NULL : rows[i].functions[class];
  }
  return NULL;
}
