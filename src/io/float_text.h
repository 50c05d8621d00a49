// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Floats as decimal text, the way NumPy writes them: the shortest digits that no other number of
// the dtype shares.
#ifndef TENON_IO_FLOAT_TEXT_H_
#define TENON_IO_FLOAT_TEXT_H_

#include <stdbool.h>
#include <stddef.h>
#include <tenon/detail/dtype.h>

enum { TN_FLOAT_TEXT_SIZE = 512 };  // of every text below: 1.8e308 has 309 digits

typedef enum tn_float_trim {
  TN_TRIM_POINT,  // no zeros at the end, but the point: "1."
  TN_TRIM_ZERO,   // a zero behind the point at least: "1.0"
  TN_TRIM_ALL,    // no point at the end either: "1"
} tn_float_trim_t;

// These write finite values of a float dtype (complex: of one of their parts). `precision` is the
// largest number of digits behind the point; negative: no limit.

// "0.5". Returns the digits behind the point.
int tn__float_text_positional(tn_dtype_t dtype, double value, int precision, tn_float_trim_t trim,
                              char* out_text);
// "1.5e-05", with at least `minimum` digits behind the point: what is more than the shortest are
// the value's own digits. The exponent has two digits or more.
int tn__float_text_scientific(tn_dtype_t dtype, double value, int precision, int minimum,
                              tn_float_trim_t trim, char* out_text);

// What str() gives for one number of the dtype alone, which may be nan or inf.
void tn__float_text_scalar(tn_dtype_t dtype, double value, tn_float_trim_t trim, char* out_text);

#endif  // TENON_IO_FLOAT_TEXT_H_
