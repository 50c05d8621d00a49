// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The data of constants: memory for it in the arena, and the one form it has there.
#ifndef TENON_TEXT_ELEMENT_DATA_H_
#define TENON_TEXT_ELEMENT_DATA_H_

#include "ops/attr.h"

// ELEMENTS of a static tensor type with `byte_size` zeroed bytes, 64-byte aligned; the caller
// fills them, and says whether they are a splat, before handing it out.
TN_MUST_USE tn_status_t tn__element_data_make(tn_arena_t* arena, const tn_type_t* type,
                                              size_t byte_size, tn_attr_t** out_attr);
// Elements that are all alike are a splat, whichever way they were written. All of them are there.
void tn__element_data_note_splat(tn_attr_t* attr);

#endif  // TENON_TEXT_ELEMENT_DATA_H_
