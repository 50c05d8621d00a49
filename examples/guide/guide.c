// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operations that docs/custom-op.md shows beside rms_norm.
#include <stdlib.h>
#include <string.h>
#include <tenon/custom.h>

#define SUM_ALL(ARG, ATTR, RET)            \
  ARG(first, f32, any_rank, "one of them") \
  ARG(more, f32, remaining)                \
  RET(sum, f32, like(first))

TN_OP(sum_all, SUM_ALL, "adds up any number of arrays") {
  memcpy(call->sum.data, call->first.data, tn_byte_size(call->first));
  for (int64_t k = 0; k < call->more.count; ++k) {
    tn_arg_f32_t x;
    TN_TRY(tn_get_arg(call, call->more, k, f32, &x));
    if (tn_size(x) != tn_size(call->sum)) {
      return TN_ERROR(call, INVALID_ARGUMENT, "array %d is of another size", (int)k);
    }
    for (int64_t i = 0; i < tn_size(x); ++i) call->sum.data[i] += x.data[i];
  }
  return TN_OK;
}

typedef enum { MEAN, SUM } reduction_t;

#define WINDOW(FIELD) FIELD(lo, int64_t, 0) FIELD(hi, int64_t, TN_REQUIRED)
TN_RECORD(window_t, WINDOW)

#define REDUCE(ARG, ATTR, RET)                             \
  ARG(x, f32, rank(1))                                     \
  ATTR(window, record(window_t), TN_REQUIRED)              \
  ATTR(reduction, enum_of(reduction_t, int32_t), MEAN)     \
  ATTR(weights, array(float), TN_EMPTY, "none: all are 1") \
  RET(y, f32, rank(0))

TN_OP(reduce_window, REDUCE, "the weighted sum or mean of x[lo:hi]") {
  const window_t window = call->window;
  if (window.lo < 0 || window.hi > tn_size(call->x)) {
    return TN_ERROR(call, OUT_OF_RANGE, "window %d to %d", (int)window.lo, (int)window.hi);
  }
  float sum = 0;
  for (int64_t i = window.lo; i < window.hi; ++i) {
    sum += call->x.data[i] * (i < call->weights.count ? call->weights.data[i] : 1);
  }
  *call->y.data = call->reduction == MEAN ? sum / (float)(window.hi - window.lo) : sum;
  return TN_OK;
}

#define NUMBERS f32, f64, s32, s64

#define RUNNING_SUM(ARG, ATTR, RET) \
  ARG(x, of(NUMBERS), rank(1))      \
  RET(y, dtype_of(x), shape_of(x))

#define RUNNING_SUM_OF(dtype, type)                                           \
  static tn_status_t running_sum_##dtype(int64_t n, const void* x, void* y) { \
    type sum = 0;                                                             \
    for (int64_t i = 0; i < n; ++i) {                                         \
      sum += ((const type*)x)[i];                                             \
      ((type*)y)[i] = sum;                                                    \
    }                                                                         \
    return TN_OK;                                                             \
  }
TN_FOR_DTYPES(RUNNING_SUM_OF, NUMBERS)

TN_OP(running_sum, RUNNING_SUM, "y[i] = x[0] + ... + x[i]") {
  TN_DISPATCH(call, x, running_sum, (tn_size(call->x), call->x.data, call->y.data), NUMBERS);
}

typedef struct {
  int64_t calls;
} counter_t;
TN_STATE(counter_t, free)

#define COUNT(ARG, ATTR, RET) ATTR(first, int64_t, 0) RET(y, s64, rank(0))

TN_STATEFUL_OP(count, COUNT, counter_t, "counts its calls") {
  *call->y.data = __atomic_fetch_add(&call->state->calls, 1, __ATOMIC_RELAXED);
  return TN_OK;
}

TN_INSTANTIATE(count) {
  *state = (counter_t*)malloc(sizeof **state);
  if (!*state) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory");
  (*state)->calls = call->first;
  return TN_OK;
}

TN_UNTYPED(add_one, "out = in + 1, for one element")
void add_one(void* out, const void** in) {
  *(float*)out = *(const float*)in[0] + 1;
}

TN_LIBRARY(sum_all, reduce_window, running_sum, count, add_one)
