// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The dtypes that C has: computed in directly.
#ifndef TENON_KERNEL_COMMON_NATIVE_H_
#define TENON_KERNEL_COMMON_NATIVE_H_

#include "kernel/common/element.h"
#include "kernel/common/threaded.h"

// TN_NATIVE(NAME, name, type)
#define TN_NATIVE_INTEGERS(TN_NATIVE) \
  TN_NATIVE(S8, s8, int8_t)           \
  TN_NATIVE(S16, s16, int16_t)        \
  TN_NATIVE(S32, s32, int32_t)        \
  TN_NATIVE(S64, s64, int64_t)        \
  TN_NATIVE(U8, u8, uint8_t)          \
  TN_NATIVE(U16, u16, uint16_t)       \
  TN_NATIVE(U32, u32, uint32_t)       \
  TN_NATIVE(U64, u64, uint64_t)
#define TN_NATIVE_FLOATS(TN_NATIVE) \
  TN_NATIVE(F32, f32, float)        \
  TN_NATIVE(F64, f64, double)
#define TN_NATIVE_NUMBERS(TN_NATIVE) TN_NATIVE_INTEGERS(TN_NATIVE) TN_NATIVE_FLOATS(TN_NATIVE)

typedef enum tn_native {
#define TN_NATIVE(NAME, name, type) TN_NATIVE_##NAME,
  TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
      TN_NATIVE_PRED,
  TN_NATIVE_C64,
  TN_NATIVE_C128,
  TN_NATIVE_COUNT,
} tn_native_t;

// TN_NATIVE_COUNT for a dtype that C does not have.
tn_native_t tn__native(tn_dtype_t dtype);

// Between i1, integers of 8 to 64 bits, f32 and f64; NULL for others.
tn_convert_fn tn__native_conversion(tn_dtype_t from, tn_dtype_t to);
tn_threaded_forms_t tn__threaded_conversion(tn_dtype_t from, tn_dtype_t to);

#endif  // TENON_KERNEL_COMMON_NATIVE_H_
