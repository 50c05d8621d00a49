// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Execution-context services: memory, threads, the device, and user data of the caller.
#include <math.h>
#include <tenon/custom.h>

typedef struct squares {
  const float* x;
  float* squares;
} squares_t;

// Runs on a thread of the runtime, for a range of the elements.
static void square(void* user, int64_t begin, int64_t end) {
  const squares_t* work = (const squares_t*)user;
  for (int64_t i = begin; i < end; ++i) work->squares[i] = work->x[i] * work->x[i];
}

#define LENGTH(ARG, ATTR, RET) ARG(x, f32, rank(1)) RET(length, f32, rank(0))
TN_OP(length, LENGTH, "the root of the sum of the squares of x") {
  squares_t work = {call->x.data, (float*)tn_scratch(call, tn_byte_size(call->x))};
  if (!work.squares) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory for the squares");
  tn_parallel_for(call, tn_size(call->x), 4096, square, &work);
  float sum = 0;
  for (int64_t i = 0; i < tn_size(call->x); ++i) sum += work.squares[i];
  *call->length.data = sqrtf(sum);
  return TN_OK;
}

#define TALLY(ARG, ATTR, RET)                                      \
  ARG(x, f64, rank(0))                                             \
  ATTR(type, int64_t, TN_REQUIRED, "of the double to be added to") \
  RET(sum, f64, rank(0))                                           \
  RET(run, s64, rank(0))                                           \
  RET(device, s32, rank(0))
TN_OP(tally, TALLY, "adds x to a number of the program's caller") {
  void* found = NULL;
  TN_TRY(tn_user_data(call, (tn_ffi_type_id_t){call->type}, &found));
  double* sum = (double*)found;
  *call->sum.data = *sum += *call->x.data;
  TN_TRY(tn_run_id(call, call->run.data));
  return tn_device_ordinal(call, call->device.data);
}

TN_LIBRARY(length, tally)
