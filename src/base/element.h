// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The bytes of elements narrower than a byte: booleans are 0 or 1; integers and floats use the low
// bits, above which signed integers have their sign and all others zeros.
#ifndef TENON_BASE_ELEMENT_H_
#define TENON_BASE_ELEMENT_H_

#include <stddef.h>
#include <tenon/detail/dtype.h>

// Makes them so: any byte but 0 is true, and the upper bits of others are as they have to be.
void tn__elements_tidy(tn_dtype_t dtype, void* data, size_t count);
// The first of `count` elements that has other bytes; `count` when there is none, and for wider
// dtypes.
size_t tn__elements_find_untidy(tn_dtype_t dtype, const void* data, size_t count);

#endif  // TENON_BASE_ELEMENT_H_
