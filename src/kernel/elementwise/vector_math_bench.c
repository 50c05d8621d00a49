// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a function of one f32 or f64 costs an element, by instruction set: [NAME]. How exact it is,
// tools/accuracy measures.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernel/common/loops.h"

enum { COUNT = 4096, REPEATS = 100, RUNS = 16 };  // of one look at the clock

static const char* const names[] = {
#define TN_UNARY(dialect, name, ...) #name,
#define TN_BINARY(...)
#include "ops/scalar.def"
};
static const bool are_heavy[] = {
#define COST_LIGHT false
#define COST_HEAVY true
#define TN_UNARY(dialect, name, carrier, cost, ...) COST_##cost,
#define TN_BINARY(...)
#include "ops/scalar.def"
};
static const char* const isas[] = {"base", "FMA", "AVX-512"};

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Nanoseconds an element, the least of many runs.
static double measure(tn_unary_fn run, const void* x, void* result) {
  double least = INFINITY;
  for (int i = 0; i < REPEATS; ++i) {
    const double begin = seconds();
    for (int k = 0; k < RUNS; ++k) run(x, result, COUNT);
    least = fmin(least, seconds() - begin);
  }
  return least / (RUNS * COUNT) * 1e9;
}

int main(int argc, char** argv) {
  static float narrow[COUNT], narrow_result[COUNT];
  static double wide[COUNT], wide_result[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    narrow[i] = 0.01f + (float)i * 0.0002f;
    wide[i] = (double)narrow[i];
  }
  printf("%-22s %-8s %8s %8s\n", "", "", "f32, ns", "f64, ns");
  for (tn_unary_op_t op = 0; op < TN_UNARY_COUNT; ++op) {
    if (!are_heavy[op] || (argc > 1 && strcmp(argv[1], names[op]) != 0)) continue;
    for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
      const tn_loops_t *f32 = tn__loops_of(isa, TN_NATIVE_F32),
                       *f64 = tn__loops_of(isa, TN_NATIVE_F64);
      if (!f32) continue;
      printf("%-22s %-8s %8.3f %8.3f\n", names[op], isas[isa],
             measure(f32->unary[op], narrow, narrow_result),
             measure(f64->unary[op], wide, wide_result));
    }
  }
  return 0;
}
