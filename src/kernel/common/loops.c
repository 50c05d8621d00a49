// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/loops.h"

#define TN_NATIVE_ROW(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name,
#define TN_NATIVE_ROW_AVX2(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name##_avx2,
#define TN_NATIVE_ROW_FMA(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name##_fma,

static const tn_loops_t* const sets[TN_ISA_COUNT][TN_NATIVE_COUNT] = {
    [TN_ISA_BASE] = {TN_NATIVE_NUMBERS(TN_NATIVE_ROW)[TN_NATIVE_PRED] = &tn__loops_pred,
                     [TN_NATIVE_C64] = &tn__loops_c64, [TN_NATIVE_C128] = &tn__loops_c128},
#if TN_ISA_X86
    [TN_ISA_FMA] = {TN_NATIVE_INTEGERS(TN_NATIVE_ROW_AVX2)
                        TN_NATIVE_FLOATS(TN_NATIVE_ROW_FMA)[TN_NATIVE_PRED] = &tn__loops_pred_avx2,
                    [TN_NATIVE_C64] = &tn__loops_c64_avx2, [TN_NATIVE_C128] = &tn__loops_c128_avx2},
    [TN_ISA_AVX512] =
        {[TN_NATIVE_F32] = &tn__loops_f32_avx512, [TN_NATIVE_F64] = &tn__loops_f64_avx512},
#elif TN_ISA_HAS_FMA
    [TN_ISA_FMA] = {TN_NATIVE_FLOATS(TN_NATIVE_ROW_FMA)},
#endif
};
#undef TN_NATIVE_ROW
#undef TN_NATIVE_ROW_AVX2
#undef TN_NATIVE_ROW_FMA

const tn_loops_t* tn__loops_of(tn_isa_t isa, tn_native_t native) {
  return tn__isa_has(isa) ? sets[isa][native] : NULL;
}

const tn_loops_t* tn__loops(tn_native_t native) {
  tn_isa_t isa = tn__isa_best(TN_ISA_AVX512);
  while (!sets[isa][native]) --isa;
  return sets[isa][native];
}

const tn_threaded_table_t* tn__threaded(tn_native_t native) {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__threaded_##name,
  static const tn_threaded_table_t* const tables[TN_NATIVE_COUNT] = {
      TN_NATIVE_NUMBERS(TN_NATIVE)[TN_NATIVE_PRED] = &tn__threaded_pred};
#undef TN_NATIVE
  return tables[native];
}
