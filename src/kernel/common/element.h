// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements as they are in memory, of any dtype: conversion between dtypes as stablehlo.convert
// defines it.
//
// In memory an i1 is a byte 0 or 1; integers below 8 bits are a sign- or zero-extended byte; floats
// below 8 bits have their bits at the bottom of a byte.
#ifndef TENON_KERNEL_COMMON_ELEMENT_H_
#define TENON_KERNEL_COMMON_ELEMENT_H_

#include <tenon/detail/dtype.h>

typedef struct tn_conversion tn_conversion_t;

// Converts `count` elements; the arrays may be the same one when both dtypes have the same size.
typedef void (*tn_convert_fn)(const tn_conversion_t* conversion, const void* source,
                              void* destination, size_t count);

// A plain value; immutable, thread-safe.
struct tn_conversion {
  tn_dtype_t from, to;
  tn_convert_fn run;
};

// Both dtypes are valid and no tokens.
tn_conversion_t tn__conversion(tn_dtype_t from, tn_dtype_t to);

// Floats to integers: toward zero, saturating, NaN to 0. To i1: not equal to zero. Integers to
// narrower integers wrap. Complex to anything but complex and i1: the real part. Rounds once, to
// nearest even.
void tn__convert_elements(tn_dtype_t from, const void* source, tn_dtype_t to, void* destination,
                          size_t count);

// One integer of any integer dtype (or i1); unsigned 64-bit values keep their bits.
int64_t tn__element_to_i64(tn_dtype_t dtype, const void* element);

#endif  // TENON_KERNEL_COMMON_ELEMENT_H_
