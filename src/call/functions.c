// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/functions.h"

#include "kernel/elementwise/map.h"

static const tn_unary_op_t unary[] = {
#define OPERATION(name, operation, function) TN_UNARY_##operation,
    TN_FFI_UNARY_FUNCTIONS(OPERATION)
#undef OPERATION
};

static const tn_binary_op_t binary[] = {
#define OPERATION(name, operation, function) TN_BINARY_##operation,
    TN_FFI_BINARY_FUNCTIONS(OPERATION)
#undef OPERATION
};

static bool find(int32_t function, bool is_binary, tn_dtype_t dtype, tn_map_t* out_map) {
  const int32_t count = is_binary ? TN__BINARY_FUNCTION_COUNT : TN__UNARY_FUNCTION_COUNT;
  if (function < 0 || function >= count || tn_dtype_kind(dtype) != TN_KIND_FLOAT) return false;
  return is_binary ? tn__map_binary_op(binary[function], dtype, out_map)
                   : tn__map_unary_op(unary[function], dtype, out_map);
}

static int32_t map_elements(int32_t function, tn_ffi_dtype_t dtype, int64_t count, const void* a,
                            const void* b, void* out) {
  tn_map_t map;
  if (count < 1) return 1;
  if (!find(function, b != NULL, (tn_dtype_t)dtype, &map)) return 0;
  tn__map_run(&map, a, b, out, (size_t)count);
  return 1;
}

const tn_ffi_map_extension_t tn__call_functions = {
    .extension = {TN_FFI_MAP_EXTENSION_SIZE, TN_FFI_MAP, NULL},
    .map = map_elements,
};
