// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One element of any dtype as a number that is at least as exact: integers as they are, floats and
// the parts of complex numbers in long double. Kernels compute with these and round once, when they
// store.
#ifndef TENON_KERNEL_REFERENCE_NUMBER_H_
#define TENON_KERNEL_REFERENCE_NUMBER_H_

#include <complex.h>
#include <tenon/detail/dtype.h>

__extension__ typedef __int128 tn_wide_t;
__extension__ typedef unsigned __int128 tn_unsigned_wide_t;

typedef struct tn_number {
  tn_wide_t integer;   // of booleans and integers
  long double re, im;  // of floats and complex numbers; `im` is 0 for floats
} tn_number_t;

static inline tn_number_t tn__number_integer(tn_wide_t value) {
  return (tn_number_t){.integer = value};
}
static inline tn_number_t tn__number_real(long double value) {
  return (tn_number_t){.re = value};
}
static inline tn_number_t tn__number_complex(long double complex value) {
  return (tn_number_t){.re = creall(value), .im = cimagl(value)};
}
long double complex tn__complex_of(tn_number_t number);

tn_number_t tn__number_load(tn_dtype_t dtype, const void* element);
// Integers keep their low bits, floats are rounded to nearest, ties to even.
void tn__number_store(tn_dtype_t dtype, tn_number_t number, void* element);
// As stablehlo.convert: between kinds, too, from complex numbers by the real part. To integers the
// fraction is dropped, and what is out of range becomes the nearest.
tn_number_t tn__number_convert(tn_dtype_t from, tn_dtype_t to, tn_number_t number);

// Element `index` of an array.
static inline tn_number_t tn__number_at(tn_dtype_t dtype, const void* elements, int64_t index) {
  return tn__number_load(dtype, (const char*)elements + (size_t)index * tn_dtype_byte_size(dtype));
}
static inline void tn__number_put(tn_dtype_t dtype, tn_number_t number, void* elements,
                                  int64_t index) {
  tn__number_store(dtype, number, (char*)elements + (size_t)index * tn_dtype_byte_size(dtype));
}

#endif  // TENON_KERNEL_REFERENCE_NUMBER_H_
