// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// a[i] = b[i % 128] + c[i], by a custom call of three kinds:
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libbroadcast_add.so
#include <tenon/custom.h>

// The sizes are part of the function.
TN_UNTYPED(add_fixed, "a[i] = b[i % 128] + c[i], of 128 and 2048 elements")
void add_fixed(void* out, const void** in) {
  float* a = out;
  const float *b = in[0], *c = in[1];
  for (int i = 0; i < 2048; ++i) a[i] = b[i % 128] + c[i];
}

// The sizes are operands like any other.
TN_UNTYPED(add_sized, "a[i] = b[i % in[2]] + c[i], of in[2] and in[3] elements")
void add_sized(void* out, const void** in) {
  float* a = out;
  const float *b = in[0], *c = in[1];
  const int64_t b_size = *(const int64_t*)in[2], c_size = *(const int64_t*)in[3];
  for (int64_t i = 0; i < c_size; ++i) a[i] = b[i % b_size] + c[i];
}

// The sizes come with the buffers; calls with mismatched sizes are rejected before this point.
#define BROADCAST_ADD(ARG, ATTR, RET)      \
  ARG(b, f32, rank(1), "is repeated")      \
  ARG(c, f32, rank(1), "gives the length") \
  RET(a, f32, like(c))

TN_OP(broadcast_add, BROADCAST_ADD, "a[i] = b[i % size of b] + c[i]") {
  const int64_t b_size = tn_size(call->b), c_size = tn_size(call->c);
  if (b_size == 0 || c_size % b_size) {
    return TN_ERROR(call, INVALID_ARGUMENT, "c has %d elements, which %d of b do not divide",
                    (int)c_size, (int)b_size);
  }
  for (int64_t i = 0; i < c_size; ++i) {
    call->a.data[i] = call->b.data[i % b_size] + call->c.data[i];
  }
  return TN_OK;
}

TN_LIBRARY(add_fixed, add_sized, broadcast_add)
