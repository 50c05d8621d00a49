// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Windows that slide over an array, as source (kernel/common/sliding.h).
#ifndef TENON_KERNEL_GPU_SLIDING_H_
#define TENON_KERNEL_GPU_SLIDING_H_

#include "kernel/common/sliding.h"
#include "kernel/gpu/source.h"

// Elements of a window.
int64_t tn__gpu_sliding_size(const tn_sliding_t* window);
// Writes `at` and is_inside: where element w of the window at the coordinates `name`0, `name`1...
// is in the array, or whether it is there at all. Strides are the array's.
void tn__gpu_add_sliding(tn_gpu_source_t* source, const tn_sliding_t* window, const char* name,
                         const int64_t* strides);

#endif  // TENON_KERNEL_GPU_SLIDING_H_
