// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// MLIR bytecode that holds a StableHLO portable artifact to a module: the inside of
// tn_module_parse, when the bytes begin as bytecode does.
#ifndef TENON_TEXT_BYTECODE_READER_H_
#define TENON_TEXT_BYTECODE_READER_H_

#include "ir/ir.h"
#include "text/bytecode/container.h"

// Reads and verifies; keeps nothing of `data`. After an error nothing is left behind.
TN_MUST_USE tn_status_t tn__bytecode_read(const tn_allocator_t* allocator, const char* name,
                                          const void* data, size_t length,
                                          tn_module_t** out_module);

#endif  // TENON_TEXT_BYTECODE_READER_H_
