// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/testing_functions.h"

#include <tenon/custom.h>

#define FUNCTION(name, dtype, ...)                                                             \
  static void name##_##dtype(const tn_ffi_api_t* api, int64_t n, const void* x, const void* y, \
                             void* out) {                                                      \
    tn_ffi_call_frame_t frame = {.api = api};                                                  \
    tn_call_t call = {&call, &frame, NULL, NULL};                                              \
    (void)y;                                                                                   \
    tn_map(&call, name, dtype, n, __VA_ARGS__);                                                \
  }
#define FUNCTIONS(name, ...)       \
  FUNCTION(name, f32, __VA_ARGS__) \
  FUNCTION(name, f64, __VA_ARGS__) \
  FUNCTION(name, f16, __VA_ARGS__) \
  FUNCTION(name, bf16, __VA_ARGS__)
#define UNARY_FUNCTIONS(name, operation, function) FUNCTIONS(name, x, out)
#define BINARY_FUNCTIONS(name, operation, function) FUNCTIONS(name, x, y, out)
TN_FFI_UNARY_FUNCTIONS(UNARY_FUNCTIONS)
TN_FFI_BINARY_FUNCTIONS(BINARY_FUNCTIONS)

const tn_testing_function_t tn__testing_functions[] = {
#define UNARY_ROW(name, operation, function) \
  {#operation, false, name##_f32, name##_f64, name##_f16, name##_bf16},
#define BINARY_ROW(name, operation, function) \
  {#operation, true, name##_f32, name##_f64, name##_f16, name##_bf16},
    TN_FFI_UNARY_FUNCTIONS(UNARY_ROW) TN_FFI_BINARY_FUNCTIONS(BINARY_ROW)};
const size_t tn__testing_function_count =
    sizeof tn__testing_functions / sizeof *tn__testing_functions;
