// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A stateful handler: an exponential average over runs.
//   cc -O3 -shared -fPIC -I <tenon>/include kernels.c -o libstateful.so
#include <tenon/custom.h>

typedef struct average {
  double value;
  int64_t count;
} average_t;

// How many states there are; so that a program can see that they are destroyed.
static int64_t live_count;

static void average_destroy(void* average) {
  __atomic_sub_fetch(&live_count, 1, __ATOMIC_RELAXED);
  free(average);
}
TN_STATE(average_t, average_destroy)

#define AVERAGE(ARG, ATTR, RET)                       \
  ARG(x, f64, rank(0))                                \
  ATTR(weight, double, 0.5, "of the newest number")   \
  RET(average, f64, rank(0), "of all numbers so far") \
  RET(count, s64, rank(0), "how many they are")

TN_STATEFUL_OP(moving_average, AVERAGE, average_t, "an exponential average over runs") {
  average_t* average = call->state;
  average->value += call->weight * (*call->x.data - average->value);
  *call->average.data = average->value;
  *call->count.data = ++average->count;
  return TN_OK;
}

// When a program is compiled, once for each call in it.
TN_INSTANTIATE(moving_average) {
  if (!(call->weight > 0 && call->weight <= 1)) {
    return TN_ERROR(call, INVALID_ARGUMENT, "weight is %g, which is not in (0, 1]", call->weight);
  }
  *state = calloc(1, sizeof **state);
  if (!*state) return TN_ERROR(call, RESOURCE_EXHAUSTED, "no memory for a state");
  __atomic_add_fetch(&live_count, 1, __ATOMIC_RELAXED);
  return TN_OK;
}

#define LIVE(ARG, ATTR, RET) RET(count, s64, rank(0))
TN_OP(live_averages, LIVE, "how many states there are") {
  *call->count.data = __atomic_load_n(&live_count, __ATOMIC_RELAXED);
  return TN_OK;
}

TN_LIBRARY(moving_average, live_averages)
