// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the rules of gather and scatter are written with.
#ifndef TENON_TRANSFORM_RULES_INDEX_H_
#define TENON_TRANSFORM_RULES_INDEX_H_

#include "transform/rules/rules.h"

// The numbers of either operation: what gather calls offset, collapsed and start index dimensions
// is scatter's update window, inserted and scatter dimensions.
typedef struct tn_index_numbers {
  size_t window_count, collapsed_count, batching_count, index_batching_count, map_count;
  int64_t window[TN_MAX_RANK], collapsed[TN_MAX_RANK], batching[TN_MAX_RANK];
  int64_t index_batching[TN_MAX_RANK], map[TN_MAX_RANK];
  int64_t vector_dim;
} tn_index_numbers_t;

// Names of their fields, in the order of the struct.
extern const char* const tn__gather_names[];
extern const char* const tn__scatter_names[];
tn_index_numbers_t tn__index_numbers(const tn_attr_t* attr, const char* const* names);
// With the batch as dimension 0 of the operand, of the indices, or of both, and of the result or
// the updates.
void tn__index_add_batch(tn_index_numbers_t* numbers, bool has_operand, bool has_indices);

tn_array_t* tn__gather_by(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                          tn_index_numbers_t* numbers, const int64_t* sizes,
                          const tn_array_type_t* type);
tn_array_t* tn__scatter_by(tn_scope_t* scope, tn_array_t* x, tn_array_t* indices,
                           tn_array_t* updates, tn_index_numbers_t* numbers,
                           const tn_region_t* body);

// Sizes of the windows of a scatter along each dimension of x.
void tn__window_sizes(const tn_index_numbers_t* numbers, const tn_array_t* x,
                      const tn_array_t* updates, int64_t* out_sizes);
// The indices of a gather as it reads them: each slice is within x.
tn_array_t* tn__clamp_starts(tn_scope_t* scope, tn_array_t* indices,
                             const tn_index_numbers_t* numbers, const tn_array_t* x,
                             const int64_t* sizes);

// Both broadcast to the updates.
typedef struct tn_places {
  tn_array_t* numbers;    // of the element of x that an update goes to; NULL: 0
  tn_array_t* is_inside;  // whether there is one; NULL: always
} tn_places_t;
tn_places_t tn__places_of_updates(tn_scope_t* scope, const tn_array_t* x, tn_array_t* indices,
                                  const tn_array_t* updates, const tn_index_numbers_t* numbers);
// Of all updates but each one that go to its place.
tn_array_t* tn__products_of_others(tn_scope_t* scope, tn_array_t* places, tn_array_t* updates);

#endif  // TENON_TRANSFORM_RULES_INDEX_H_
