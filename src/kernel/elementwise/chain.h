// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Chains: a value that several operations change one after the other, each with one more operand or
// none. It stays in registers; the bits are those of the operations one by one. For fusions.
#ifndef TENON_KERNEL_ELEMENTWISE_CHAIN_H_
#define TENON_KERNEL_ELEMENTWISE_CHAIN_H_

#include "kernel/common/isa.h"
#include "ops/op.h"

// What happens to the value a, with an operand x.
typedef enum tn_link {
  TN_LINK_ADD,            // a + x
  TN_LINK_SUBTRACT,       // a - x
  TN_LINK_SUBTRACT_FROM,  // x - a
  TN_LINK_MULTIPLY,       // a * x
  // of floats
  TN_LINK_DIVIDE,       // a / x
  TN_LINK_DIVIDE_INTO,  // x / a
  TN_LINK_MAXIMUM,      // as StableHLO's, which know NaN and signed zeros
  TN_LINK_MINIMUM,
  // of integers
  TN_LINK_AND,
  TN_LINK_OR,
  TN_LINK_XOR,
  TN_LINK_SHIFT_LEFT,   // x is one element for all, here and in the next two
  TN_LINK_SHIFT_RIGHT,  // logical
  TN_LINK_SHIFT_BOTH,   // (a << x) | (a >> y), where y is one more operand: a rotation, mostly
  // without an operand
  TN_LINK_SQUARE,  // a * a
  TN_LINK_NEGATE,
  TN_LINK_ABS,  // of floats
  TN_LINK_COUNT
} tn_link_t;

enum {
  TN_LINK_ONE = 32,    // added to a link: x is one element that stands for all
  TN_LINK_LIMIT = 32,  // links of a chain
  TN_LINK_OPERANDS = 2 * TN_LINK_LIMIT + 1,
};

static inline uint32_t tn__link_operand_count(uint8_t link) {
  const uint8_t op = link % TN_LINK_ONE;
  return op == TN_LINK_SHIFT_BOTH ? 2 : op < TN_LINK_SHIFT_BOTH;
}

// operands[0] is what the value is at first; behind it the operands of links, in their order.
// `count` elements; `out` may be any operand that has all elements.
typedef void (*tn_chain_fn)(const uint8_t* links, size_t link_count, const void* const* operands,
                            void* out, size_t count);

// The link that the operation on this dtype is when operand `operand` of it is the value;
// TN_LINK_COUNT: none.
tn_link_t tn__link_of(const tn_op_t* op, tn_dtype_t dtype, uint32_t operand);

// NULL: the dtype has no chains. bf16, f32, f64 and integers of 32 and 64 bits have, and f16 where
// the processor converts it.
tn_chain_fn tn__chain_loop(tn_dtype_t dtype);
// For tests: that of one instruction set; NULL where the processor has not got it.
tn_chain_fn tn__chain_loop_of(tn_isa_t isa, tn_dtype_t dtype);

#endif  // TENON_KERNEL_ELEMENTWISE_CHAIN_H_
