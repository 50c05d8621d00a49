// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Views by the operations of the IR, whose attributes have been checked.
#ifndef TENON_ARRAY_VIEWS_H_
#define TENON_ARRAY_VIEWS_H_

#include "lazy/array.h"

// broadcast_in_dim: dimension i of x becomes dimensions[i] of the result.
tn_array_t* tn__view_broadcast(tn_scope_t* scope, tn_array_t* x, const int64_t* dimensions,
                               size_t rank, const int64_t* dims);
// `count` 0 gives x itself.
tn_array_t* tn__view_reverse(tn_scope_t* scope, tn_array_t* x, size_t count,
                             const int64_t* dimensions);
// Bounds from the beginning, steps at least 1.
tn_array_t* tn__view_slice(tn_scope_t* scope, tn_array_t* x, const int64_t* starts,
                           const int64_t* limits, const int64_t* steps);

#endif  // TENON_ARRAY_VIEWS_H_
