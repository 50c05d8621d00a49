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
  TN_LINK_DIVIDE,         // a / x
  TN_LINK_DIVIDE_INTO,    // x / a
  TN_LINK_MAXIMUM,        // as StableHLO's, which know NaN and signed zeros
  TN_LINK_MINIMUM,
  TN_LINK_SQUARE,  // a * a; no operand, and neither have those that follow
  TN_LINK_NEGATE,
  TN_LINK_ABS,
  TN_LINK_COUNT
} tn_link_t;

// Added to a link: x is one element that stands for all.
enum { TN_LINK_ONE = 16, TN_LINK_LIMIT = 32 };  // and how many links a chain has at most

static inline bool tn__link_has_operand(uint8_t link) {
  return link % TN_LINK_ONE < TN_LINK_SQUARE;
}

// operands[0] is what the value is at first; behind it the operands of links, in their order.
// `count` elements; `out` may be any operand that has all elements.
typedef void (*tn_chain_fn)(const uint8_t* links, size_t link_count, const void* const* operands,
                            void* out, size_t count);

// The link that the operation is when operand `operand` of it is the value; TN_LINK_COUNT: none.
tn_link_t tn__link_of(const tn_op_t* op, uint32_t operand);

// NULL: the dtype has no chains. f32 and f64 have.
tn_chain_fn tn__chain_loop(tn_dtype_t dtype);
// For tests: that of one instruction set; NULL where the processor has not got it.
tn_chain_fn tn__chain_loop_of(tn_isa_t isa, tn_dtype_t dtype);

#endif  // TENON_KERNEL_ELEMENTWISE_CHAIN_H_
