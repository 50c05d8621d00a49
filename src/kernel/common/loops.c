#include "kernel/common/loops.h"

#include "kernel/elementwise/loops_avx2.h"

static const tn_loops_t* const sets[][TN_NATIVE_COUNT] = {
    {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name,
        TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
            [TN_NATIVE_PRED] = &tn__loops_pred,
        [TN_NATIVE_C64] = &tn__loops_c64,
        [TN_NATIVE_C128] = &tn__loops_c128,
    },
#if TN_HAS_LOOPS_AVX2
    {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_avx2_##name,
        TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
            [TN_NATIVE_PRED] = &tn__loops_avx2_pred,
        [TN_NATIVE_C64] = &tn__loops_avx2_c64,
        [TN_NATIVE_C128] = &tn__loops_avx2_c128,
    },
#endif
};

static bool has_isa(int isa) {
#if TN_HAS_LOOPS_AVX2
  if (isa == 1) return __builtin_cpu_supports("avx2");
#endif
  return isa == 0;
}

int tn__loops_isa_count(void) {
  return (int)(sizeof sets / sizeof *sets);
}

const tn_loops_t* tn__loops_of(int isa, tn_native_t native) {
  return has_isa(isa) ? sets[isa][native] : NULL;
}

const tn_loops_t* tn__loops(tn_native_t native) {
  int isa = tn__loops_isa_count() - 1;
  while (!has_isa(isa)) --isa;
  return sets[isa][native];
}
