#include "kernel/common/loops.h"

static const tn_loops_t* const sets[][TN_NATIVE_COUNT] = {
    {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name,
        TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
            [TN_NATIVE_PRED] = &tn__loops_pred,
        [TN_NATIVE_C64] = &tn__loops_c64,
        [TN_NATIVE_C128] = &tn__loops_c128,
    },
#if TN_ISA_X86
    {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name##_avx2,
        TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
            [TN_NATIVE_PRED] = &tn__loops_pred_avx2,
        [TN_NATIVE_C64] = &tn__loops_c64_avx2,
        [TN_NATIVE_C128] = &tn__loops_c128_avx2,
    },
#endif
};

const tn_loops_t* tn__loops_of(tn_isa_t isa, tn_native_t native) {
  return isa <= TN_ISA_AVX2 && tn__isa_has(isa) ? sets[isa][native] : NULL;
}

const tn_loops_t* tn__loops(tn_native_t native) {
  return sets[tn__isa_best(TN_ISA_AVX2)][native];
}
