// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One operand that is a tuple (f32[32], (f32[64], f32[128]), f32[256]), and a result that is a
// tuple (f32[512], f32[1024]): the running sums of all 480 numbers, with 0 for those that are
// missing, and scratch memory, which has no further uses.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libtuples.so
#include <tenon/custom.h>

enum { SUM_COUNT = 512 };

// Sums over 1, 2, 4 ... numbers, made in nine steps from one half of the scratch to the other.
static void add_up(float* sums, float* scratch) {
  float *from = scratch, *to = scratch + SUM_COUNT;
  for (int distance = 1; distance < SUM_COUNT; distance *= 2) {
    for (int i = 0; i < SUM_COUNT; ++i) to[i] = from[i] + (i < distance ? 0 : from[i - distance]);
    float* const full = to;
    to = from;
    from = full;
  }
  memcpy(sums, from, SUM_COUNT * sizeof *sums);
}

// In the legacy ABI a tuple is an array of pointers, one for each element.
TN_UNTYPED(sum_tuple, "running sums of a nested tuple")
void sum_tuple(void* out, const void** in) {
  const void* const* p0 = in[0];
  const void* const* pair = p0[1];
  void* const* results = out;
  float *sums = results[0], *scratch = results[1];
  memcpy(scratch, p0[0], 32 * sizeof(float));
  memcpy(scratch + 32, pair[0], 64 * sizeof(float));
  memcpy(scratch + 96, pair[1], 128 * sizeof(float));
  memcpy(scratch + 224, p0[2], 256 * sizeof(float));
  memset(scratch + 480, 0, 32 * sizeof(float));
  add_up(sums, scratch);
}

// In typed calls the arrays of a tuple are ordinary arguments and results, from left to right.
#define SUM_LEAVES(ARG, ATTR, RET) \
  ARG(parts, f32, remaining)       \
  RET(sums, f32, rank(1))          \
  RET(scratch, f32, rank(1))

TN_OP(sum_leaves, SUM_LEAVES, "running sums of all its arguments") {
  int64_t filled = 0;
  if (tn_size(call->sums) != SUM_COUNT || tn_size(call->scratch) != 2 * SUM_COUNT) {
    return TN_ERROR(call, INVALID_ARGUMENT, "the results are not of %d and %d elements", SUM_COUNT,
                    2 * SUM_COUNT);
  }
  for (int64_t k = 0; k < call->parts.count; ++k) {
    tn_arg_f32_t part;
    TN_TRY(tn_get_arg(call, call->parts, k, f32, &part));
    if (tn_size(part) > SUM_COUNT - filled) return TN_ERROR(call, OUT_OF_RANGE, "too many numbers");
    memcpy(call->scratch.data + filled, part.data, tn_byte_size(part));
    filled += tn_size(part);
  }
  memset(call->scratch.data + filled, 0, (size_t)(SUM_COUNT - filled) * sizeof(float));
  add_up(call->sums.data, call->scratch.data);
  return TN_OK;
}

TN_LIBRARY(sum_tuple, sum_leaves)
