// The loops of the integer dtypes of 8 to 64 bits.
#include "kernel/ref/loops.h"

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

#define TN_T int8_t
#define TN_PRODUCT int16_t
#define TN_NAME s8
#define TN_SIGNED int8_t
#define TN_UNSIGNED uint8_t
#define TN_BITS 8
#define TN_WIDE uint32_t
#define TN_MINIMUM INT8_MIN
#include "kernel/ref/integer.inc"

#define TN_T int16_t
#define TN_PRODUCT int32_t
#define TN_NAME s16
#define TN_SIGNED int16_t
#define TN_UNSIGNED uint16_t
#define TN_BITS 16
#define TN_WIDE uint32_t
#define TN_MINIMUM INT16_MIN
#include "kernel/ref/integer.inc"

#define TN_T int32_t
#define TN_PRODUCT int64_t
#define TN_NAME s32
#define TN_SIGNED int32_t
#define TN_UNSIGNED uint32_t
#define TN_BITS 32
#define TN_WIDE uint32_t
#define TN_MINIMUM INT32_MIN
#include "kernel/ref/integer.inc"

#define TN_T int64_t
#define TN_PRODUCT int128_t
#define TN_NAME s64
#define TN_SIGNED int64_t
#define TN_UNSIGNED uint64_t
#define TN_BITS 64
#define TN_WIDE uint64_t
#define TN_MINIMUM INT64_MIN
#include "kernel/ref/integer.inc"

#define TN_T uint8_t
#define TN_PRODUCT uint16_t
#define TN_NAME u8
#define TN_SIGNED int8_t
#define TN_UNSIGNED uint8_t
#define TN_BITS 8
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint16_t
#define TN_PRODUCT uint32_t
#define TN_NAME u16
#define TN_SIGNED int16_t
#define TN_UNSIGNED uint16_t
#define TN_BITS 16
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint32_t
#define TN_PRODUCT uint64_t
#define TN_NAME u32
#define TN_SIGNED int32_t
#define TN_UNSIGNED uint32_t
#define TN_BITS 32
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint64_t
#define TN_PRODUCT uint128_t
#define TN_NAME u64
#define TN_SIGNED int64_t
#define TN_UNSIGNED uint64_t
#define TN_BITS 64
#define TN_WIDE uint64_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

// Truth values: a byte 0 or 1. Sums and greatest ones are or, products and least ones are and.
#define TN_T uint8_t
#define TN_NAME pred
static inline uint8_t not_pred(uint8_t a) {
  return a == 0;
}
#define TN_OPERATION not
#include "kernel/ref/map_unary.inc"
#undef TN_T
#undef TN_NAME

const tn_loops_t tn__loops_pred = {
    .unary = {[TN_UNARY_not] = map_not_pred},
    .binary = {[TN_BINARY_add] = map_or_u8,
               [TN_BINARY_and] = map_and_u8,
               [TN_BINARY_maximum] = map_or_u8,
               [TN_BINARY_minimum] = map_and_u8,
               [TN_BINARY_multiply] = map_and_u8,
               [TN_BINARY_or] = map_or_u8,
               [TN_BINARY_xor] = map_xor_u8},
    .fold = {[TN_BINARY_add] = fold_or_u8,
             [TN_BINARY_and] = fold_and_u8,
             [TN_BINARY_maximum] = fold_or_u8,
             [TN_BINARY_minimum] = fold_and_u8,
             [TN_BINARY_multiply] = fold_and_u8,
             [TN_BINARY_or] = fold_or_u8,
             [TN_BINARY_xor] = fold_xor_u8},
    .compare = {[TN_DIRECTION_EQ] = compare_eq_u8,
                [TN_DIRECTION_NE] = compare_ne_u8,
                [TN_DIRECTION_GE] = compare_ge_u8,
                [TN_DIRECTION_GT] = compare_gt_u8,
                [TN_DIRECTION_LE] = compare_le_u8,
                [TN_DIRECTION_LT] = compare_lt_u8},
};
