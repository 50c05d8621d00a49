// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The functions of tn_map as a table, for tests. In a file of their own, since authors' names and
// the runtime's do not mix.
#ifndef TENON_CALL_TESTING_FUNCTIONS_H_
#define TENON_CALL_TESTING_FUNCTIONS_H_

#include <stdbool.h>

#include "call/abi.h"

// tn_map of a call with this table; `y` is NULL for one operand.
typedef void (*tn_testing_map_fn)(const tn_ffi_api_t* api, int64_t n, const void* x, const void* y,
                                  void* out);

typedef struct tn_testing_function {
  const char* operation;  // of the same results, without dialect
  bool is_binary;
  tn_testing_map_fn f32, f64, f16, bf16;
} tn_testing_function_t;

extern const tn_testing_function_t tn__testing_functions[];
extern const size_t tn__testing_function_count;

#endif  // TENON_CALL_TESTING_FUNCTIONS_H_
