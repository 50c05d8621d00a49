// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Conversions between the dtypes that C has: a loop for each pair.
#include "kernel/common/loop.h"
#include "kernel/common/native.h"

#define TN_FROM int8_t
#define TN_FROM_NAME s8
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM int16_t
#define TN_FROM_NAME s16
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM int32_t
#define TN_FROM_NAME s32
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM int64_t
#define TN_FROM_NAME s64
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM uint8_t
#define TN_FROM_NAME u8
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM uint16_t
#define TN_FROM_NAME u16
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM uint32_t
#define TN_FROM_NAME u32
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM uint64_t
#define TN_FROM_NAME u64
#define TN_FROM_FLOAT 0
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM float
#define TN_FROM_NAME f32
#define TN_FROM_FLOAT 1
#include "kernel/elementwise/convert_from.inc"

#define TN_FROM double
#define TN_FROM_NAME f64
#define TN_FROM_FLOAT 1
#include "kernel/elementwise/convert_from.inc"

#define ROW(from)                                                                             \
  {                                                                                           \
    [TN_NATIVE_S8] = from##_s8, [TN_NATIVE_S16] = from##_s16, [TN_NATIVE_S32] = from##_s32,   \
    [TN_NATIVE_S64] = from##_s64, [TN_NATIVE_U8] = from##_u8, [TN_NATIVE_U16] = from##_u16,   \
    [TN_NATIVE_U32] = from##_u32, [TN_NATIVE_U64] = from##_u64, [TN_NATIVE_F32] = from##_f32, \
    [TN_NATIVE_F64] = from##_f64, [TN_NATIVE_PRED] = from##_pred,                             \
  }

static const tn_convert_fn conversions[TN_NATIVE_COUNT][TN_NATIVE_COUNT] = {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = ROW(name),
    TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
        [TN_NATIVE_PRED] = ROW(u8),
};

#define FORMS(from, to) \
  { memory_##from##_##to, register_##from##_##to }
#define FORMS_ROW(from)                                                     \
  {                                                                         \
    [TN_NATIVE_S8] = FORMS(from, s8), [TN_NATIVE_S16] = FORMS(from, s16),   \
    [TN_NATIVE_S32] = FORMS(from, s32), [TN_NATIVE_S64] = FORMS(from, s64), \
    [TN_NATIVE_U8] = FORMS(from, u8), [TN_NATIVE_U16] = FORMS(from, u16),   \
    [TN_NATIVE_U32] = FORMS(from, u32), [TN_NATIVE_U64] = FORMS(from, u64), \
    [TN_NATIVE_F32] = FORMS(from, f32), [TN_NATIVE_F64] = FORMS(from, f64), \
    [TN_NATIVE_PRED] = FORMS(from, pred),                                   \
  }

static const tn_threaded_fn threaded[][TN_NATIVE_PRED + 1][2] = {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = FORMS_ROW(name),
    TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
        [TN_NATIVE_PRED] = FORMS_ROW(u8),
};

tn_register_t tn__register_of(tn_dtype_t dtype) {
  const tn_native_t native = tn__native(dtype);
  if (native == TN_NATIVE_F32) return TN_REGISTER_F32;
  if (native == TN_NATIVE_F64) return TN_REGISTER_F64;
  return native <= TN_NATIVE_PRED ? TN_REGISTER_BITS : TN_REGISTER_COUNT;
}

tn_native_t tn__native(tn_dtype_t dtype) {
  switch (dtype) {
#define TN_NATIVE(NAME, name, type) \
  case TN_DTYPE_##NAME: return TN_NATIVE_##NAME;
    TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
    case TN_DTYPE_PRED: return TN_NATIVE_PRED;
    case TN_DTYPE_C64: return TN_NATIVE_C64;
    case TN_DTYPE_C128: return TN_NATIVE_C128;
    case TN_DTYPE_INDEX: return TN_NATIVE_S64;
    default: return TN_NATIVE_COUNT;
  }
}

tn_convert_fn tn__native_conversion(tn_dtype_t from, tn_dtype_t to) {
  tn_native_t a = tn__native(from), b = tn__native(to);
  return a < TN_NATIVE_COUNT && b < TN_NATIVE_COUNT ? conversions[a][b] : NULL;
}

tn_threaded_forms_t tn__threaded_conversion(tn_dtype_t from, tn_dtype_t to) {
  const tn_native_t a = tn__native(from), b = tn__native(to);
  return a <= TN_NATIVE_PRED && b <= TN_NATIVE_PRED ? threaded[a][b] : NULL;
}
