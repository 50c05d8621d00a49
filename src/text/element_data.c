// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "text/element_data.h"

enum { DATA_ALIGNMENT = 64 };

tn_status_t tn__element_data_make(tn_arena_t* arena, const tn_type_t* type, size_t byte_size,
                                  tn_attr_t** out_attr) {
  void *memory = NULL, *data = NULL;
  *out_attr = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(tn_attr_t), &memory));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, byte_size, DATA_ALIGNMENT, &data));
  tn_attr_t* attr = memory;
  attr->kind = TN_ATTR_ELEMENTS;
  attr->elements.type = type;
  attr->elements.data = data;
  *out_attr = attr;
  return TN_OK;
}

void tn__element_data_note_splat(tn_attr_t* attr) {
  attr->elements.splat = tn__elements_are_alike(attr->elements.type, attr->elements.data);
}
