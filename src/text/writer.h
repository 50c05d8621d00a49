// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A module to StableHLO text; the inside of tn_module_print. Operations take their pretty form
// where they have one that says everything, else the generic form.
#ifndef TENON_TEXT_WRITER_H_
#define TENON_TEXT_WRITER_H_

#include "ir/ir.h"

TN_MUST_USE tn_status_t tn__text_write(const tn_module_t* module, tn_write_fn write, void* user);
// One attribute, or one type, as they stand in such text.
TN_MUST_USE tn_status_t tn__text_write_attribute(const tn_allocator_t* allocator,
                                                 const tn_attr_t* attr, tn_write_fn write,
                                                 void* user);
TN_MUST_USE tn_status_t tn__text_write_type(const tn_allocator_t* allocator, const tn_type_t* type,
                                            tn_write_fn write, void* user);

#endif  // TENON_TEXT_WRITER_H_
