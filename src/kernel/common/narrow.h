// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays of the floats that C lacks (16 bits and fewer), to and from those that it has.
// They do not overlap.
#ifndef TENON_KERNEL_COMMON_NARROW_H_
#define TENON_KERNEL_COMMON_NARROW_H_

#include <stddef.h>
#include <tenon/detail/dtype.h>

// Exact. `dtype` is a float of at most 16 bits.
void tn__narrow_decode(tn_dtype_t dtype, const void* source, float* destination, size_t count);
// Round once, to nearest even.
void tn__narrow_encode_f32(tn_dtype_t dtype, const float* source, void* destination, size_t count);
void tn__narrow_encode_f64(tn_dtype_t dtype, const double* source, void* destination, size_t count);

#endif  // TENON_KERNEL_COMMON_NARROW_H_
