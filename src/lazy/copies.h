// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What an evaluation has copied to other devices: each buffer once to each of them, as long as
// another group of the evaluation may read it there.
#ifndef TENON_LAZY_COPIES_H_
#define TENON_LAZY_COPIES_H_

#include <tenon/detail/buffer.h>

#include "base/allocator.h"

typedef struct tn_copies {
  size_t count, capacity;
  struct tn_copy* list;
} tn_copies_t;

// A view; NULL: there is none.
tn_buffer_t* tn__copies_find(const tn_copies_t* copies, const tn_buffer_t* from,
                             const tn_device_t* device);
// Retains both: a buffer that is copied is not given away meanwhile.
TN_MUST_USE tn_status_t tn__copies_add(tn_copies_t* copies, const tn_allocator_t* allocator,
                                       tn_buffer_t* from, tn_buffer_t* to);
void tn__copies_forget(tn_copies_t* copies, const tn_buffer_t* from);
void tn__copies_deinit(tn_copies_t* copies, const tn_allocator_t* allocator);

#endif  // TENON_LAZY_COPIES_H_
