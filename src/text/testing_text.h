// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules from and to C strings, for tests.
#ifndef TENON_TEXT_TESTING_TEXT_H_
#define TENON_TEXT_TESTING_TEXT_H_

#include "ir/ir.h"

// Reads "test.mlir", which must succeed.
tn_module_t* tn__testing_read(const char* text);
// The module as text; the caller frees it.
char* tn__testing_print(const tn_module_t* module);
// Fails the test unless both are the same, name by name and node by node (names of values and
// places aside).
void tn__testing_assert_same_module(const tn_module_t* a, const tn_module_t* b);

#endif  // TENON_TEXT_TESTING_TEXT_H_
