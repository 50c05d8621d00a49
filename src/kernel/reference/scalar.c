// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reference/scalar.h"

#include <math.h>
#include <string.h>

#include "ops/scalar.h"

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
static tn_wide_t power_of(tn_wide_t a, tn_wide_t b) {
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

static long double _Complex make_complex(long double re, long double im) {
  return tn__complex_of((tn_number_t){.re = re, .im = im});
}

static long double _Complex sign_of(long double _Complex a) {
  return a == 0 ? a : a / cabsl(a);
}

// An infinite imaginary part is no direction, whatever the modulus.
static long double _Complex complex_exp(long double _Complex a) {
  const long double y = cimagl(a);
  if (isinf(y)) return make_complex(NAN, NAN);
  return y == 0 ? make_complex(expl(creall(a)), y) : cexpl(a);
}

// Of small numbers, too: exp(x + iy) - 1 without subtracting what is nearly equal.
static long double _Complex complex_expm1(long double _Complex a) {
  const long double x = creall(a), y = cimagl(a), half = sinl(y / 2);
  return make_complex(expm1l(x) * cosl(y) - 2 * half * half, expl(x) * sinl(y));
}

static long double _Complex complex_log1p(long double _Complex a) {
  const long double x = creall(a), y = cimagl(a);
  const long double square = x * (2 + x) + y * y;  // |1 + a|^2 - 1
  const long double re = fabsl(square) < 0.5L ? log1pl(square) / 2 : logl(cabsl(1 + a));
  return make_complex(re, atan2l(y, 1 + x));
}

// --- the words of scalar.def

// a and b are as wide as tn_number_t has them; `bits` is the width of their dtype.
#define ALL_ONES (-1)
#define WIDE(x) ((tn_unsigned_wide_t)(x))
#define NOT(x) (bits == 1 ? !(x) : ~(x))
#define IS_NEGATIVE(x) ((x) < 0)
#define POPCNT(x) count_ones(x, bits)
#define LEADING_ZEROS(x) count_leading_zeros(x, bits)
#define QUOTIENT(x, y) ((x) / (y))
#define REST(x, y) ((x) % (y))
#define UPPER_PRODUCT(x, y) high_product(x, y, bits)
#define SHIFT_LEFT(x, y) shift_left(x, y, bits)
#define SHIFT_RIGHT_LOGICAL(x, y) shift_right(low_bits(x, bits), y, bits)
#define SHIFT_RIGHT_ARITHMETIC(x, y) shift_right(as_signed(x, bits), y, bits)
#define INTEGER_POWER(x, y) power_of(x, y)

// What IEEE 754 defines for double is computed in double: rounding that again to a narrower format
// is as rounding once, and for f64 it is the answer.
#define EXACT(x) ((double)(x))
#define SQRT(x) sqrt((double)(x))
#define FMOD(x, y) fmod((double)(x), (double)(y))
#define ABS(x) fabsl(x)
#define ACOS(x) acosl(x)
#define ACOSH(x) acoshl(x)
#define ASIN(x) asinl(x)
#define ASINH(x) asinhl(x)
#define ATAN(x) atanl(x)
#define ATANH(x) atanhl(x)
#define BESSEL_I1E(x) bessel_i1e(x)
#define CBRT(x) cbrtl(x)
#define CEIL(x) ceill(x)
#define COS(x) cosl(x)
#define COSH(x) coshl(x)
#define ERF(x) erfl(x)
#define ERFC(x) erfcl(x)
#define ERF_INV(x) erf_inverse(x)
#define EXP(x) expl(x)
#define EXPM1(x) expm1l(x)
#define FLOOR(x) floorl(x)
#define LGAMMA(x) log_gamma(x)
#define LOG(x) logl(x)
#define LOG1P(x) log1pl(x)
#define RINT(x) rintl(x)
#define ROUND(x) roundl(x)
#define SIN(x) sinl(x)
#define SINH(x) sinhl(x)
#define TAN(x) tanl(x)
#define TANH(x) tanhl(x)
#define RSQRT(x) (1 / sqrtl(x))
#define LOGISTIC(x) (1 / (1 + expl(-(x))))
#define ATAN2(x, y) atan2l(x, y)
#define POW(x, y) powl(x, y)
#define MAXIMUM(x, y) float_maximum(x, y)
#define MINIMUM(x, y) float_minimum(x, y)
#define MAKE_COMPLEX(x, y) make_complex(x, y)

#define CABS(x) cabsl(x)
#define CACOS(x) cacosl(x)
#define CACOSH(x) cacoshl(x)
#define CASIN(x) casinl(x)
#define CASINH(x) casinhl(x)
#define CATAN(x) catanl(x)
#define CATANH(x) catanhl(x)
#define CCOS(x) ccosl(x)
#define CCOSH(x) ccoshl(x)
#define CEXP(x) complex_exp(x)
#define CEXPM1(x) complex_expm1(x)
#define CIMAG(x) cimagl(x)
#define CLOG(x) clogl(x)
#define CLOG1P(x) complex_log1p(x)
#define CONJ(x) conjl(x)
#define CREAL(x) creall(x)
#define CSIGN(x) sign_of(x)
#define CSIN(x) csinl(x)
#define CSINH(x) csinhl(x)
#define CSQRT(x) csqrtl(x)
#define CTAN(x) ctanl(x)
#define CTANH(x) ctanhl(x)
#define CLOGISTIC(x) (1 / (1 + cexpl(-(x))))
#define CRSQRT(x) (1 / csqrtl(x))
#define CSQUARE(x) ((x) * (x))
#define CDIVIDE(x, y) ((x) / (y))
#define CMULTIPLY(x, y) ((x) * (y))
#define CPOW(x, y) cpowl(x, y)

// --- the table

enum { INTEGERS, REALS, COMPLEX_NUMBERS, CLASS_COUNT };

typedef struct scalar_row {
  const char* operation;  // without its dialect
  tn_scalar_fn functions[CLASS_COUNT];
} scalar_row_t;

// What an expression gives: a number of its class, and the truth for results that are booleans.
static tn_number_t of_integer(tn_wide_t value) {
  return tn__number_integer(value);
}
static tn_number_t of_real(long double value) {
  return (tn_number_t){.integer = value != 0, .re = value};
}

#define OF(value) \
  _Generic((value), long double _Complex : tn__number_complex, default : of_real)(value)

#define INTEGER_NONE(name, detail, expression)
#define INTEGER_IS(name, detail, expression)                               \
  static tn_number_t integer_##name(const tn_number_t* x, uint32_t bits) { \
    const tn_wide_t a = x[0].integer, b = x[1].integer;                    \
    (void)a, (void)b, (void)bits;                                          \
    return of_integer((tn_wide_t)expression);                              \
  }
#define REAL_NONE(name, detail, expression)
#define REAL_ALONE(name, detail, expression)
#define REAL_IS(name, detail, expression)                               \
  static tn_number_t real_##name(const tn_number_t* x, uint32_t bits) { \
    const long double a = x[0].re, b = x[1].re;                         \
    (void)a, (void)b, (void)bits;                                       \
    return OF(expression);                                              \
  }
#define COMPLEX_NONE(name, detail, expression)
#define COMPLEX_ALONE(name, detail, expression)
#define COMPLEX_IS(name, detail, expression)                                       \
  static tn_number_t complex_##name(const tn_number_t* x, uint32_t bits) {         \
    const long double _Complex a = tn__complex_of(x[0]), b = tn__complex_of(x[1]); \
    (void)a, (void)b, (void)bits;                                                  \
    return OF(expression);                                                         \
  }
#define COMPLEX_APART COMPLEX_IS
#define COMPLEX_BY_PARTS(name, detail, expression)                                              \
  static tn_number_t complex_##name(const tn_number_t* x, uint32_t bits) {                      \
    const tn_number_t imaginary[] = {{.re = x[0].im}, {.re = x[1].im}};                         \
    return (tn_number_t){.re = real_##name(x, bits).re, .im = real_##name(imaginary, bits).re}; \
  }
#define TN_FUNCTIONS(name, integers, reals, complexes) \
  TN_COLUMN(INTEGER, name, 0, integers)                \
  TN_COLUMN(REAL, name, 0, reals)                      \
  TN_COLUMN(COMPLEX, name, 0, complexes)
#undef complex  // an operation's name
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, ...) \
  TN_FUNCTIONS(name, integers, reals, complexes)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, ...) \
  TN_FUNCTIONS(name, integers, reals, complexes)
#include "ops/scalar.def"

#define ENTRY_NONE(name, class, expression) NULL,
#define ENTRY_ALONE(name, class, expression) NULL,
#define ENTRY_IS(name, class, expression) class##_##name,
#define ENTRY_APART ENTRY_IS
#define ENTRY_BY_PARTS ENTRY_IS
#define TN_ROW(name, integers, reals, complexes)                                  \
  {#name,                                                                         \
   {TN_COLUMN(ENTRY, name, integer, integers) TN_COLUMN(ENTRY, name, real, reals) \
        TN_COLUMN(ENTRY, name, complex, complexes)}},
static const scalar_row_t rows[] = {
#define TN_UNARY(dialect, name, carrier, cost, result, integers, reals, complexes, ...) \
  TN_ROW(name, integers, reals, complexes)
#define TN_BINARY(dialect, name, carrier, cost, result, order, integers, reals, complexes, ...) \
  TN_ROW(name, integers, reals, complexes)
#include "ops/scalar.def"
};

tn_scalar_fn tn__scalar_find(const tn_op_t* op, tn_dtype_t dtype) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  const int class = kind == TN_KIND_FLOAT     ? REALS
                    : kind == TN_KIND_COMPLEX ? COMPLEX_NUMBERS
                                              : INTEGERS;
  const char* name = tn__op_short_name(op);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (strcmp(rows[i].operation, name) == 0) return rows[i].functions[class];
  }
  return NULL;
}
