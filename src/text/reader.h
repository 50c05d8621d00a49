// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// StableHLO text to a module: the inside of tn_module_parse.
#ifndef TENON_TEXT_READER_H_
#define TENON_TEXT_READER_H_

#include "ir/ir.h"

// Reads `source`, which the module then retains, and verifies what was read. After an error nothing
// is left behind.
TN_MUST_USE tn_status_t tn__text_read(const tn_allocator_t* allocator, tn_source_t* source,
                                      tn_module_t** out_module);

#endif  // TENON_TEXT_READER_H_
