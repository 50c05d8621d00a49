// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements taken from places that arrays name, and put there: StableHLO's gather and scatter.
#ifndef TENON_ARRAY_GATHER_H_
#define TENON_ARRAY_GATHER_H_

#include "array/common.h"

// Which dimensions of an array indices go to, and where its others are in the result (of a gather)
// or in the updates (of a scatter).
typedef struct tn_indexed {
  size_t indexed_count;  // dimensions that have an index, as `indexed` lists them
  int64_t indexed[TN_MAX_RANK];
  size_t window_count;               // the others
  int64_t window[TN_MAX_RANK];       // their places in the result, rising
  size_t batch_count;                // dimensions in which indices and array go along, one by one
  int64_t batch[TN_MAX_RANK];        // of the array
  int64_t index_batch[TN_MAX_RANK];  // of the indices
} tn_indexed_t;

// Indices as gather wants them: negative ones count from the end of a dimension of `size`. False
// with an error array when they are no integers.
tn_array_t* tn__wrap_indices(tn_scope_t* scope, tn_array_t** indices, int64_t size);

// `indices` has one vector of indexed_count numbers along its last dimension for each slice, or no
// such dimension when there is one number (vector_dim == rank).
tn_array_t* tn__gather(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices, size_t vector_dim,
                       const tn_indexed_t* indexed, size_t rank, const int64_t* dims);
// `body` combines what is there with what comes; see lazy/body.h.
tn_array_t* tn__scatter(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices, size_t vector_dim,
                        tn_array_t* updates, const tn_indexed_t* indexed, const tn_region_t* body);
// The body of a mode, of updates that tn__scatter_updates made.
const tn_region_t* tn__scatter_body(tn_scope_t* scope, tn_scatter_mode_t mode, tn_dtype_t dtype);
tn_array_t* tn__scatter_updates(tn_scope_t* scope, tn_scatter_mode_t mode, tn_array_t* updates);
// What a mode makes of what is there and what comes.
tn_array_t* tn__scatter_combine(tn_scope_t* scope, tn_scatter_mode_t mode, tn_array_t* there,
                                tn_array_t* updates);

#endif  // TENON_ARRAY_GATHER_H_
