// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What prepare functions ask of a site.
#ifndef TENON_KERNEL_COMMON_SITE_H_
#define TENON_KERNEL_COMMON_SITE_H_

#include "kernel/kernel.h"

// A list attribute of `wanted_count` numbers. Anything else is an INTERNAL error: the verifier has
// seen to it.
TN_MUST_USE tn_status_t tn__site_list(const tn_kernel_site_t* site, const char* name,
                                      size_t wanted_count, const int64_t** out_values);
// Allocates the site's state, zeroed.
TN_MUST_USE tn_status_t tn__site_state(tn_kernel_site_t* site, size_t byte_size, void** out);

// Where `byte_size` bytes of the scratch memory begin, 64-byte aligned.
static inline size_t tn__site_reserve(tn_kernel_site_t* site, size_t byte_size) {
  const size_t offset = site->scratch_byte_size;
  site->scratch_byte_size += (byte_size + 63) / 64 * 64;
  return offset;
}

static inline const tn_type_t* tn__site_operand(const tn_kernel_site_t* site, size_t index) {
  return site->use->operand_types[index];
}
static inline const tn_type_t* tn__site_result(const tn_kernel_site_t* site, size_t index) {
  return site->use->result_types[index];
}

// Where the elements of an operand are, in bytes from one to the next along each dimension.
static inline void tn__site_strides(const tn_kernel_site_t* site, size_t index,
                                    int64_t* out_strides) {
  tn__view_strides(site->views ? &site->views[index] : NULL, tn__site_operand(site, index),
                   out_strides);
}

// Rows' takes_view: any view, of any operand or the first one.
static inline bool tn__takes_views(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  (void)use, (void)operand, (void)view;
  return true;
}
static inline bool tn__takes_first_view(const tn_op_use_t* use, size_t operand,
                                        const tn_view_t* view) {
  (void)use, (void)view;
  return operand == 0;
}

// Whether the list has `value`, and where (`out_position` may be NULL).
static inline bool tn__list_has(const tn_i64_list_t* list, int64_t value, size_t* out_position) {
  for (size_t i = 0; i < list->count; ++i) {
    if (list->values[i] != value) continue;
    if (out_position) *out_position = i;
    return true;
  }
  return false;
}

#endif  // TENON_KERNEL_COMMON_SITE_H_
