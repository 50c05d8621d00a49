// The loops of the integer dtypes of 8 to 64 bits.
#include "kernel/ref/loops.h"

#define TN_T int8_t
#define TN_NAME s8
#define TN_SIGNED int8_t
#define TN_UNSIGNED uint8_t
#define TN_BITS 8
#define TN_WIDE uint32_t
#define TN_MINIMUM INT8_MIN
#include "kernel/ref/integer.inc"

#define TN_T int16_t
#define TN_NAME s16
#define TN_SIGNED int16_t
#define TN_UNSIGNED uint16_t
#define TN_BITS 16
#define TN_WIDE uint32_t
#define TN_MINIMUM INT16_MIN
#include "kernel/ref/integer.inc"

#define TN_T int32_t
#define TN_NAME s32
#define TN_SIGNED int32_t
#define TN_UNSIGNED uint32_t
#define TN_BITS 32
#define TN_WIDE uint32_t
#define TN_MINIMUM INT32_MIN
#include "kernel/ref/integer.inc"

#define TN_T int64_t
#define TN_NAME s64
#define TN_SIGNED int64_t
#define TN_UNSIGNED uint64_t
#define TN_BITS 64
#define TN_WIDE uint64_t
#define TN_MINIMUM INT64_MIN
#include "kernel/ref/integer.inc"

#define TN_T uint8_t
#define TN_NAME u8
#define TN_SIGNED int8_t
#define TN_UNSIGNED uint8_t
#define TN_BITS 8
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint16_t
#define TN_NAME u16
#define TN_SIGNED int16_t
#define TN_UNSIGNED uint16_t
#define TN_BITS 16
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint32_t
#define TN_NAME u32
#define TN_SIGNED int32_t
#define TN_UNSIGNED uint32_t
#define TN_BITS 32
#define TN_WIDE uint32_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"

#define TN_T uint64_t
#define TN_NAME u64
#define TN_SIGNED int64_t
#define TN_UNSIGNED uint64_t
#define TN_BITS 64
#define TN_WIDE uint64_t
#define TN_MINIMUM 0
#include "kernel/ref/integer.inc"
