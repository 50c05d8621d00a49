// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Sorting of signed integers where they are, by AVX2: quicksort whose partitions move a vector at a
// time, and sorting networks for what is left. Equal integers look the same, so that it need not be
// stable.
#ifndef TENON_KERNEL_SORT_QUICK_H_
#define TENON_KERNEL_SORT_QUICK_H_

#include <stdbool.h>
#include <stdint.h>

// How lanes are brought in order that a pivot has divided: by the bits of those above it, first
// the other lanes, then these. In parts of 32 bits.
typedef struct tn_quick {
  uint8_t narrow[256][8], wide[16][8];
} tn_quick_t;

// False: the processor has no AVX2, and nothing here may be called.
bool tn__quick_init(tn_quick_t* out_quick);

// What `depth` divisions have not made short is left to a heapsort, which no order of values slows
// down.
enum { TN_QUICK_DEEPEST = 64 };
void tn__quick_sort_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int depth);
void tn__quick_sort_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int depth);

// Divides the values into 2^`levels` pieces, some perhaps empty, none of whose values is above
// those of a later one. Piece i is [bounds[i], bounds[i + 1]); there are 2^levels + 1 bounds.
void tn__quick_split_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int levels,
                         int64_t* bounds);
void tn__quick_split_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int levels,
                         int64_t* bounds);

#endif  // TENON_KERNEL_SORT_QUICK_H_
