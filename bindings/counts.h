// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the generated table computes numbers of elements with.
#ifndef TENON_BINDINGS_COUNTS_H_
#define TENON_BINDINGS_COUNTS_H_

#include "bindings/functions.h"

// The dimensions of an array, less some. Any number for an array that carries an error, which the
// function reports.
static inline size_t rank_of(const tn_array_t* array, size_t less) {
  const size_t rank = tn_array_rank(array);
  return tn_array_dtype(array) == TN_DTYPE_INVALID || rank < less ? TN_ANY_COUNT : rank - less;
}

// The elements of a list, and some more; any number if it is not given.
static inline size_t count_of(const tn_argument_t* list, size_t more) {
  return list->integers ? list->count + more : TN_ANY_COUNT;
}

static inline size_t size_of(int64_t integer) {
  return integer > 0 ? (size_t)integer : 0;
}

#endif  // TENON_BINDINGS_COUNTS_H_
