// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Typed handlers: buffers of any type, variadic operands, attributes.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libtyped_attributes.so
#include <tenon/custom.h>

// Buffers of any element type and rank.
#define COPY(ARG, ATTR, RET) ARG(x, any, any_rank) RET(y, dtype_of(x), shape_of(x))
TN_OP(copy, COPY, "y = x") {
  memcpy(call->y.data, call->x.data, tn_byte_size(call->x));
  return TN_OK;
}

// Any number of buffers.
#define REVERSE(ARG, ATTR, RET) ARG(xs, any, remaining) RET(ys, any, remaining)
TN_OP(reverse_all, REVERSE, "gives its arguments in the opposite order") {
  const int64_t count = call->xs.count;
  if (call->ys.count != count) {
    return TN_ERROR(call, INVALID_ARGUMENT, "%d arguments, %d results", (int)count,
                    (int)call->ys.count);
  }
  for (int64_t k = 0; k < count; ++k) {
    tn_arg_any_t x;
    tn_ret_any_t y;
    TN_TRY(tn_get_arg(call, call->xs, count - 1 - k, any, &x));
    TN_TRY(tn_get_ret(call, call->ys, k, any, &y));
    if (tn_byte_size(x) != tn_byte_size(y)) {
      return TN_ERROR(call, INVALID_ARGUMENT, "result %d has another size", (int)k);
    }
    memcpy(y.data, x.data, tn_byte_size(x));
  }
  return TN_OK;
}

// Attributes: a number and a string.
#define SCALAR(ARG, ATTR, RET)                     \
  ARG(x, f32, rank(0))                             \
  ATTR(i32, int32_t, TN_REQUIRED, "is added")      \
  ATTR(str, string, "", "its length is added too") \
  RET(y, f32, rank(0))
TN_OP(scalar_attributes, SCALAR, "y = x + i32 + length of str") {
  *call->y.data = *call->x.data + (float)call->i32 + (float)call->str.size;
  return TN_OK;
}

// An enumeration, which is passed as its integer type.
typedef enum command { COMMAND_ADD = 0, COMMAND_MULTIPLY = 1 } command_t;

#define COMMAND(ARG, ATTR, RET)                                \
  ARG(x, f32, rank(0))                                         \
  ATTR(command, enum_of(command_t, int32_t), COMMAND_MULTIPLY) \
  RET(y, f32, rank(0))
TN_OP(enum_attribute, COMMAND, "y = x + x, or x * x") {
  const float x = *call->x.data;
  switch (call->command) {
    case COMMAND_ADD: *call->y.data = x + x; return TN_OK;
    case COMMAND_MULTIPLY: *call->y.data = x * x; return TN_OK;
    default: return TN_ERROR(call, INVALID_ARGUMENT, "there is no command %d", (int)call->command);
  }
}

// A struct, decoded from a dictionary.
#define RANGE(FIELD) FIELD(lo, int64_t, TN_REQUIRED) FIELD(hi, int64_t, TN_REQUIRED)
TN_RECORD(range_t, RANGE)

#define CLAMP(ARG, ATTR, RET)               \
  ARG(x, f32, rank(0))                      \
  ATTR(range, record(range_t), TN_REQUIRED) \
  RET(y, f32, rank(0))
TN_OP(struct_attribute, CLAMP, "y = x, but not below lo and not above hi") {
  const float x = *call->x.data, lo = (float)call->range.lo, hi = (float)call->range.hi;
  *call->y.data = x < lo ? lo : x > hi ? hi : x;
  return TN_OK;
}

// All attributes, looked up when they are needed.
#define DICTIONARY(ARG, ATTR, RET)    \
  ARG(x, f32, rank(0))                \
  ATTR(all, all_attributes, TN_EMPTY) \
  RET(y, f32, rank(0))
TN_OP(all_attributes_of_it, DICTIONARY, "y = x + i32, where there is one") {
  int32_t i32 = 0;
  if (tn_has(call->all, "i32")) TN_TRY(tn_get(call, call->all, "i32", int32_t, &i32));
  *call->y.data = *call->x.data + (float)i32;
  return TN_OK;
}

// An error: a code, and a message.
#define NOTHING(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
TN_OP(always_error, NOTHING, "fails") {
  return TN_ERROR(call, INTERNAL, "Oops!");
}

TN_LIBRARY(copy, reverse_all, scalar_attributes, enum_attribute, struct_attribute,
           all_attributes_of_it, always_error)
