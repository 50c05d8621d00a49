// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Boolean arrays as indices.
#ifndef TENON_ARRAY_MASK_H_
#define TENON_ARRAY_MASK_H_

#include "array/common.h"

bool tn__has_masks(size_t count, const tn_index_t* items);

// The items with arrays of integers in the place of masks: the places of what is true, one array
// for each dimension of the mask. That takes their values: they are evaluated. *out_items is the
// caller's to give back with tn__items_free. NULL with an error array.
typedef struct tn_items {
  const tn_allocator_t* allocator;
  size_t capacity, count;
  tn_index_t* items;
} tn_items_t;
tn_array_t* tn__find_masked(tn_scope_t* scope, tn_array_t* x, size_t count, const tn_index_t* items,
                            tn_items_t* out_items);
void tn__items_free(tn_items_t* items);

// Whether the items are one mask of the first dimensions, and nothing else that matters.
bool tn__is_mask_alone(size_t count, const tn_index_t* items);
// x with updates where the mask, which is items[0], is true: without its values.
tn_array_t* tn__update_masked(tn_scope_t* scope, tn_array_t* x, tn_array_t* mask,
                              tn_array_t* updates, tn_scatter_mode_t mode);

#endif  // TENON_ARRAY_MASK_H_
