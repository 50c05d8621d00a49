// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a function of 4096 elements costs, in ns an element: as the loop of the built-in operation,
// by tn_map in Tenon, and by tn_map where the table has no functions, a loop over C's.
#include <math.h>
#include <tenon/custom.h>
#include <time.h>
#undef TN_OP  // a list of operations, below

#include "call/api.h"
#include "kernel/elementwise/map.h"

enum { COUNT = 4096, REPEATS = 400 };

static double x[COUNT], y[COUNT];  // f32 or f64
static const tn_ffi_api_t* api;    // NULL: the built-in operation
static tn_map_t built_in;

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void run(void (*function)(tn_call_t* call)) {
  tn_ffi_call_frame_t frame = {.api = api};
  tn_call_t call = {&call, &frame, NULL, NULL};
  if (api) {
    function(&call);
  } else {
    const bool is_binary = built_in.binary != NULL;
    tn__map_run(&built_in, x, is_binary ? x : NULL, y, COUNT);
  }
}

// The least of many runs.
static double measure(void (*function)(tn_call_t* call)) {
  double least = INFINITY;
  for (int i = 0; i < REPEATS; ++i) {
    const double begin = seconds();
    run(function);
    least = fmin(least, seconds() - begin);
  }
  return least / COUNT * 1e9;
}

static void report(const char* name, void (*function)(tn_call_t* call)) {
  tn_ffi_api_t bare = *tn__call_api();
  bare.extension_start = NULL;
  printf("%-10s", name);
  for (int i = 0; i < 3; ++i) {
    api = i == 0 ? NULL : i == 1 ? tn__call_api() : &bare;
    printf(" %8.3f", measure(function));
  }
  printf("\n");
}

#define UNARY(name, operation, dtype, DTYPE, ctype)                  \
  static void name##_##dtype(tn_call_t* call) {                      \
    tn_map(call, name, dtype, COUNT, (const ctype*)x, (ctype*)y);    \
  }                                                                  \
  static void report_##name##_##dtype(void) {                        \
    if (!tn__map_unary(#operation, DTYPE, DTYPE, &built_in)) return; \
    report(#name " " #dtype, name##_##dtype);                        \
  }
#define BINARY(name, operation, dtype, DTYPE, ctype)                               \
  static void name##_##dtype(tn_call_t* call) {                                    \
    tn_map(call, name, dtype, COUNT, (const ctype*)x, (const ctype*)x, (ctype*)y); \
  }                                                                                \
  static void report_##name##_##dtype(void) {                                      \
    if (!tn__map_binary(#operation, DTYPE, DTYPE, &built_in)) return;              \
    report(#name " " #dtype, name##_##dtype);                                      \
  }
#define BOTH(KIND, name, operation)               \
  KIND(name, operation, f32, TN_DTYPE_F32, float) \
  KIND(name, operation, f64, TN_DTYPE_F64, double)
#define BOTH_UNARY(name, operation, function) BOTH(UNARY, name, operation)
#define BOTH_BINARY(name, operation, function) BOTH(BINARY, name, operation)
TN_FFI_UNARY_FUNCTIONS(BOTH_UNARY)
TN_FFI_BINARY_FUNCTIONS(BOTH_BINARY)

int main(void) {
  printf("%-10s %8s %8s %8s\n", "", "built-in", "tn_map", "C");
  for (int i = 0; i < COUNT; ++i) ((float*)x)[i] = 0.01f + (float)i * 0.0002f;
#define REPORT_F32(name, operation, function) report_##name##_f32();
#define REPORT_F64(name, operation, function) report_##name##_f64();
  TN_FFI_UNARY_FUNCTIONS(REPORT_F32)
  TN_FFI_BINARY_FUNCTIONS(REPORT_F32)
  for (int i = 0; i < COUNT; ++i) x[i] = 0.01 + i * 0.0002;
  TN_FFI_UNARY_FUNCTIONS(REPORT_F64)
  TN_FFI_BINARY_FUNCTIONS(REPORT_F64)
  return 0;
}
