// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/elementwise/chain.h"

#include <string.h>

#include "kernel/common/half.h"
#include "kernel/common/half_vectors.h"
#include "kernel/common/loop.h"

enum { VECTORS = 8 };  // that a chain works on at a time: half of the registers, or a quarter

#define NAME bf16
#define SCALAR float
#define BITS_T uint32_t
#define IS_FLOAT 1
#define IS_HALF 1
#define HALF BF16
#define DECODE_HALF(half) tn__bits_float((uint32_t)(half) << 16)
#include "kernel/elementwise/chain_sets.inc"

#if TN_ISA_X86
#define NAME f16
#define SCALAR float
#define BITS_T uint32_t
#define IS_FLOAT 1
#define IS_HALF 1
#define IS_F16 1
#define HALF F16
#define DECODE_HALF _cvtsh_ss
#include "kernel/elementwise/chain_sets.inc"
#endif

#define NAME f32
#define SCALAR float
#define BITS_T uint32_t
#define IS_FLOAT 1
#include "kernel/elementwise/chain_sets.inc"

#define NAME f64
#define SCALAR double
#define BITS_T uint64_t
#define IS_FLOAT 1
#include "kernel/elementwise/chain_sets.inc"

#define NAME i32
#define SCALAR uint32_t
#define BITS_T uint32_t
#define IS_FLOAT 0
#include "kernel/elementwise/chain_sets.inc"

#define NAME i64
#define SCALAR uint64_t
#define BITS_T uint64_t
#define IS_FLOAT 0
#include "kernel/elementwise/chain_sets.inc"

tn_chain_fn tn__chain_loop_of(tn_isa_t isa, tn_dtype_t dtype) {
#define SETS(name)                  \
  static const tn_chain_fn name[] = \
      TN_ISA_SETS(chain_##name##_run, chain_avx2_##name##_run, chain_avx512_##name##_run)
  SETS(bf16);
#if TN_ISA_X86
  static const tn_chain_fn f16[] = {NULL, chain_avx2_f16_run, chain_avx512_f16_run};
#else
  static const tn_chain_fn f16[TN_ISA_COUNT] = {NULL};
#endif
  SETS(f32);
  SETS(f64);
  SETS(i32);
  SETS(i64);
#undef SETS
  if (!tn__isa_has(isa)) return NULL;
  switch (dtype) {
    case TN_DTYPE_BF16: return bf16[isa];
    case TN_DTYPE_F16: return f16[isa];
    case TN_DTYPE_F32: return f32[isa];
    case TN_DTYPE_F64: return f64[isa];
    case TN_DTYPE_S32:
    case TN_DTYPE_U32: return i32[isa];
    case TN_DTYPE_S64:
    case TN_DTYPE_U64: return i64[isa];
    default: return NULL;
  }
}

tn_chain_fn tn__chain_loop(tn_dtype_t dtype) {
  return tn__chain_loop_of(tn__isa_best(TN_ISA_AVX512), dtype);
}

static tn_link_t link_of_floats(const tn_op_t* op, uint32_t operand) {
  if (op == TN__OP(divide)) return operand == 0 ? TN_LINK_DIVIDE : TN_LINK_DIVIDE_INTO;
  if (op == TN__OP(maximum)) return TN_LINK_MAXIMUM;
  if (op == TN__OP(minimum)) return TN_LINK_MINIMUM;
  return op == TN__OP(abs) ? TN_LINK_ABS : TN_LINK_COUNT;
}

static tn_link_t link_of_integers(const tn_op_t* op, uint32_t operand) {
  if (op == TN__OP(and)) return TN_LINK_AND;
  if (op == TN__OP(or)) return TN_LINK_OR;
  if (op == TN__OP(xor)) return TN_LINK_XOR;
  if (op == TN__OP(shift_left) && operand == 0) return TN_LINK_SHIFT_LEFT;
  return op == TN__OP(shift_right_logical) && operand == 0 ? TN_LINK_SHIFT_RIGHT : TN_LINK_COUNT;
}

tn_link_t tn__link_of(const tn_op_t* op, tn_dtype_t dtype, uint32_t operand) {
  if (op == TN__OP(add)) return TN_LINK_ADD;
  if (op == TN__OP(subtract)) return operand == 0 ? TN_LINK_SUBTRACT : TN_LINK_SUBTRACT_FROM;
  if (op == TN__OP(multiply)) return TN_LINK_MULTIPLY;
  if (op == TN__OP(negate)) return TN_LINK_NEGATE;
  return (tn_dtype_kind(dtype) == TN_KIND_FLOAT ? link_of_floats : link_of_integers)(op, operand);
}
