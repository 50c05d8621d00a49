// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Helpers over tn_allocator_t with checked sizes.
#ifndef TENON_BASE_ALLOCATOR_H_
#define TENON_BASE_ALLOCATOR_H_

#include <tenon/detail/allocator.h>

#include "base/status.h"
#include "base/visibility.h"

// Zeroed memory; *out is NULL after an error. A size of 0 gives NULL.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__allocate(const tn_allocator_t* allocator, size_t size,
                                                    void** out);
// Zeroed array; the product is checked.
TN_FOR_INSPECT TN_MUST_USE tn_status_t tn__allocate_array(const tn_allocator_t* allocator,
                                                          size_t count, size_t element_size,
                                                          void** out);
// `size` as it was allocated; NULL is fine.
TN_FOR_INSPECT void tn__free(const tn_allocator_t* allocator, void* pointer, size_t size);

// Grows *array to hold at least `needed` elements (doubling); *capacity is updated. The new part is
// zeroed.
TN_MUST_USE tn_status_t tn__grow(const tn_allocator_t* allocator, void** array, size_t* capacity,
                                 size_t needed, size_t element_size);

#endif  // TENON_BASE_ALLOCATOR_H_
