// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One attribute by itself, as text.
#ifndef TENON_TEXT_ATTRIBUTE_H_
#define TENON_TEXT_ATTRIBUTE_H_

#include "ir/ir.h"

// Reads an attribute that is all of the text; what it is made of lives in `arena`. Errors have a
// place in the text, which they call `name`.
TN_MUST_USE tn_status_t tn__text_read_attribute(tn_arena_t* arena, tn_string_view_t name,
                                                tn_string_view_t text, const tn_attr_t** out_attr);

#endif  // TENON_TEXT_ATTRIBUTE_H_
