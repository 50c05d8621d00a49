#include "kernel/elementwise/chain.h"

#include <string.h>

#include "kernel/common/loop.h"

enum { VECTORS = 8 };  // that a chain works on at a time: half of the registers, or a quarter

#define SCALAR float
#define BITS_T uint32_t
#define LOOP(name) TN_PASTE(chain_f32, name)
#define TARGET
#define LANES 4
#include "kernel/elementwise/chain.inc"
#if TN_ISA_X86
#undef TARGET
#define TARGET TN_ISA_TARGET_AVX2
#define LOOP(name) TN_PASTE(chain_f32_avx2, name)
#define LANES 8
#include "kernel/elementwise/chain.inc"
#undef TARGET
#define TARGET TN_ISA_TARGET_AVX512
#define LOOP(name) TN_PASTE(chain_f32_avx512, name)
#define LANES 16
#include "kernel/elementwise/chain.inc"
#endif
#undef SCALAR
#undef BITS_T
#undef TARGET

#define SCALAR double
#define BITS_T uint64_t
#define LOOP(name) TN_PASTE(chain_f64, name)
#define TARGET
#define LANES 2
#include "kernel/elementwise/chain.inc"
#if TN_ISA_X86
#undef TARGET
#define TARGET TN_ISA_TARGET_AVX2
#define LOOP(name) TN_PASTE(chain_f64_avx2, name)
#define LANES 4
#include "kernel/elementwise/chain.inc"
#undef TARGET
#define TARGET TN_ISA_TARGET_AVX512
#define LOOP(name) TN_PASTE(chain_f64_avx512, name)
#define LANES 8
#include "kernel/elementwise/chain.inc"
#endif
#undef SCALAR
#undef BITS_T
#undef TARGET

tn_chain_fn tn__chain_loop_of(tn_isa_t isa, tn_dtype_t dtype) {
  static const tn_chain_fn f32[] =
      TN_ISA_SETS(chain_f32_run, chain_f32_avx2_run, chain_f32_avx512_run);
  static const tn_chain_fn f64[] =
      TN_ISA_SETS(chain_f64_run, chain_f64_avx2_run, chain_f64_avx512_run);
  if (!tn__isa_has(isa)) return NULL;
  if (dtype == TN_DTYPE_F32) return f32[isa];
  return dtype == TN_DTYPE_F64 ? f64[isa] : NULL;
}

tn_chain_fn tn__chain_loop(tn_dtype_t dtype) {
  return tn__chain_loop_of(tn__isa_best(TN_ISA_AVX512), dtype);
}

tn_link_t tn__link_of(const tn_op_t* op, uint32_t operand) {
  if (op == TN__OP(add)) return TN_LINK_ADD;
  if (op == TN__OP(subtract)) return operand == 0 ? TN_LINK_SUBTRACT : TN_LINK_SUBTRACT_FROM;
  if (op == TN__OP(multiply)) return TN_LINK_MULTIPLY;
  if (op == TN__OP(divide)) return operand == 0 ? TN_LINK_DIVIDE : TN_LINK_DIVIDE_INTO;
  if (op == TN__OP(maximum)) return TN_LINK_MAXIMUM;
  if (op == TN__OP(minimum)) return TN_LINK_MINIMUM;
  if (op == TN__OP(negate)) return TN_LINK_NEGATE;
  if (op == TN__OP(abs)) return TN_LINK_ABS;
  return TN_LINK_COUNT;
}
