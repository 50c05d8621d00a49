// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Numbers and their spellings, free of the locale.
#ifndef TENON_TEXT_NUMBERS_H_
#define TENON_TEXT_NUMBERS_H_

#include <stdbool.h>
#include <stdint.h>
#include <tenon/detail/dtype.h>

enum { TN_NUMBER_CAPACITY = 32 };  // characters of a printed number, with its NUL

// Digits, or 0x and hexadecimal digits, without a sign. False when it does not fit 64 bits.
bool tn__number_parse_unsigned(const char* begin, const char* end, uint64_t* out);
// digits.digits?[(e|E)[+-]digits], without a sign; correctly rounded.
double tn__number_parse_double(const char* begin, const char* end);

// An integer of the dtype (i1 included) from sign and magnitude, as a value widened to 64 bits:
// signless types take both ranges, so that 255 : i8 is -1. False when it does not fit.
bool tn__number_fit_integer(tn_dtype_t dtype, bool negative, uint64_t magnitude, int64_t* out);

// One element of an integer or boolean dtype in memory.
int64_t tn__number_load_integer(tn_dtype_t dtype, const void* element);
void tn__number_store_integer(tn_dtype_t dtype, int64_t value, void* element);

// A value of a float dtype as text that reads back to the same bits: 1.000000e+00, with more digits
// where seven do not do; the format's bits 0x7FC00000 for NaN and infinity. Returns the length.
size_t tn__number_print_float(tn_dtype_t dtype, double value, char text[TN_NUMBER_CAPACITY]);
// An element in memory: as above; an integer; true or false. Not for complex dtypes.
size_t tn__number_print_element(tn_dtype_t dtype, const void* element,
                                char text[TN_NUMBER_CAPACITY]);

#endif  // TENON_TEXT_NUMBERS_H_
