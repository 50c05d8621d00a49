// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "lazy/copies.h"

typedef struct tn_copy {
  tn_buffer_t *from, *to;  // retained
} tn_copy_t;

tn_buffer_t* tn__copies_find(const tn_copies_t* copies, const tn_buffer_t* from,
                             const tn_device_t* device) {
  for (size_t i = 0; i < copies->count; ++i) {
    const tn_copy_t* copy = &copies->list[i];
    if (copy->from == from && tn_buffer_device(copy->to) == device) return copy->to;
  }
  return NULL;
}

tn_status_t tn__copies_add(tn_copies_t* copies, const tn_allocator_t* allocator, tn_buffer_t* from,
                           tn_buffer_t* to) {
  void* list = copies->list;
  tn_status_t status =
      tn__grow(allocator, &list, &copies->capacity, copies->count + 1, sizeof *copies->list);
  copies->list = list;
  if (status) return status;
  copies->list[copies->count++] = (tn_copy_t){tn_buffer_retain(from), tn_buffer_retain(to)};
  return TN_OK;
}

static void release(const tn_copy_t* copy) {
  tn_buffer_release(copy->from);
  tn_buffer_release(copy->to);
}

void tn__copies_forget(tn_copies_t* copies, const tn_buffer_t* from) {
  for (size_t i = copies->count; i-- > 0;) {
    const tn_copy_t copy = copies->list[i];
    if (copy.from != from) continue;
    copies->list[i] = copies->list[--copies->count];
    release(&copy);
  }
}

void tn__copies_deinit(tn_copies_t* copies, const tn_allocator_t* allocator) {
  while (copies->count) release(&copies->list[--copies->count]);
  tn__free(allocator, copies->list, copies->capacity * sizeof *copies->list);
}
