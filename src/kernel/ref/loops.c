#include "kernel/ref/loops.h"

const tn_loops_t* tn__loops(tn_native_t native) {
  static const tn_loops_t* const loops[TN_NATIVE_COUNT] = {
#define TN_NATIVE(NAME, name, type) [TN_NATIVE_##NAME] = &tn__loops_##name,
      TN_NATIVE_NUMBERS(TN_NATIVE)
#undef TN_NATIVE
          [TN_NATIVE_PRED] = &tn__loops_pred,
      [TN_NATIVE_C64] = &tn__loops_c64,
      [TN_NATIVE_C128] = &tn__loops_c128,
  };
  return loops[native];
}
