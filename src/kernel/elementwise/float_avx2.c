// The loops of floats for processors with vectors of 32 bytes.
#include "kernel/common/isa.h"

#if TN_ISA_X86
#define TN_TARGET __attribute__((target("avx2")))
#define TN_VARIANT(name) name##_avx2
#include "kernel/elementwise/float_dtypes.inc"
#endif
