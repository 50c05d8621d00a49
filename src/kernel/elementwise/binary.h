// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Binary operations on arrays of one dtype, for use outside of an instruction:
// bodies of reductions, scans and scatters that are a single operation.
#ifndef TENON_KERNEL_ELEMENTWISE_BINARY_H_
#define TENON_KERNEL_ELEMENTWISE_BINARY_H_

#include "kernel/elementwise/map.h"

// An operation ready to be applied to elements of `dtype` as they are in memory. A plain value;
// immutable, thread-safe.
typedef struct tn_binary {
  tn_dtype_t dtype;
  tn_map_t map;
  tn_fold_fn fold;   // for native dtypes; NULL where there is none
  tn_at_fn at;       // the same
  bool associative;  // up to rounding
} tn_binary_t;

// `op` without dialect: "add", "maximum", ... False when it is no binary operation of elements of
// this dtype with a result of the same dtype.
bool tn__binary_find(const char* op, tn_dtype_t dtype, tn_binary_t* out_binary);

// out[i] = a[i] op b[i]; each result is rounded to the dtype. `out` may be `a` or `b` itself; other
// overlap is not allowed.
void tn__binary_map(const tn_binary_t* binary, const void* a, const void* b, void* out,
                    size_t count);

// *accumulator = *accumulator op values[0] op values[1] ... Each step is rounded to the dtype. From
// the left; but add, multiply, maximum, minimum, and, or, xor of more than TN_FOLD_SEQUENTIAL (32)
// values run in lanes and halves, in an order that depends on `count` alone.
void tn__binary_fold(const tn_binary_t* binary, void* accumulator, const void* values,
                     size_t count);

// target[places[i]] = target[places[i]] op values[i], one after the other, each rounded to the
// dtype. Places below 0 are left out.
void tn__binary_at(const tn_binary_t* binary, void* target, const int64_t* places,
                   const void* values, size_t count);

// The function behind a native dtype (no conversion around it): NULL when there is none.
static inline tn_binary_fn tn__binary_native(const tn_binary_t* binary) {
  bool native = binary->map.load.to == binary->dtype && binary->map.store.from == binary->dtype;
  return native ? binary->map.binary : (tn_binary_fn)0;
}

#endif  // TENON_KERNEL_ELEMENTWISE_BINARY_H_
