// What a function of one f32 or f64 costs an element, by instruction set, and how far it is from
// the exact value: [STEP] takes one in so many f32 (97 where none is given; 1 is all of them).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/common/loops.h"

enum { COUNT = 4096, REPEATS = 400 };

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
static const char* const isas[] = {"base", "AVX2", "AVX-512"};

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
    run(x, result, COUNT);
    least = fmin(least, seconds() - begin);
  }
  return least / COUNT * 1e9;
}

static double ulp_of_f32(double value) {
  int exponent;
  frexp(value, &exponent);
  return ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static double worst_error(tn_unary_op_t op, const tn_loops_t* loops, uint32_t step, float* out_at) {
  static float x[COUNT], got[COUNT];
  static double wide[COUNT];
  double worst = 0;
  for (uint64_t bits = 0; bits <= UINT32_MAX;) {
    size_t count = 0;
    for (; count < COUNT && bits <= UINT32_MAX; ++count, bits += step) {
      const uint32_t narrow = (uint32_t)bits;
      memcpy(&x[count], &narrow, sizeof narrow);
      wide[count] = (double)x[count];
    }
    loops->unary[op](x, got, count);
    tn__loops_of(TN_ISA_BASE, TN_NATIVE_F64)->unary[op](wide, wide, count);
    for (size_t i = 0; i < count; ++i) {
      const double error = fabs((double)got[i] - wide[i]) / ulp_of_f32(wide[i]);
      if (!(error > worst) || isinf(got[i]) || isinf((float)wide[i])) continue;
      worst = error;
      *out_at = x[i];
    }
  }
  return worst;
}

int main(int argc, char** argv) {
  const uint32_t step = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 97;
  static float narrow[COUNT], narrow_result[COUNT];
  static double wide[COUNT], wide_result[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    narrow[i] = 0.01f + (float)i * 0.0002f;
    wide[i] = (double)narrow[i];
  }
  printf("%-22s %-8s %8s %8s %8s  %s\n", "", "", "f32, ns", "f64, ns", "f32, ulp", "at");
  for (tn_unary_op_t op = 0; op < TN_UNARY_COUNT; ++op) {
    if (!are_heavy[op] || (argc > 2 && strcmp(argv[2], names[op]) != 0)) continue;
    for (tn_isa_t isa = TN_ISA_BASE; isa < TN_ISA_COUNT; ++isa) {
      const tn_loops_t *f32 = tn__loops_of(isa, TN_NATIVE_F32),
                       *f64 = tn__loops_of(isa, TN_NATIVE_F64);
      if (!f32) continue;
      float at = 0;
      const double error = worst_error(op, f32, step, &at);
      printf("%-22s %-8s %8.3f %8.3f %8.4f  %a\n", names[op], isas[isa],
             measure(f32->unary[op], narrow, narrow_result),
             measure(f64->unary[op], wide, wide_result), error, (double)at);
    }
  }
  return 0;
}
