// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What lazy arrays cost: small operations, and one operation of an author on large arrays. Prints a
// line "NAME VALUE UNIT" for each figure, the median of several runs.
#include <stdio.h>
#include <stdlib.h>
#include <tenon/builder.h>
#include <tenon/detail/array_ops.h>
#include <tenon/detail/call.h>
#include <tenon/detail/eval.h>
#include <time.h>

#include "base/linux/clock.h"

// What axpby does (examples/axpby), by strides.
#define STRIDED_AXPBY(ARG, ATTR, RET)       \
  ARG(x, of(f32, f16, bf16, c64), any_rank) \
  ARG(y, dtype_of(x), shape_of(x))          \
  ATTR(alpha, float, 1.0f)                  \
  ATTR(beta, float, 1.0f)                   \
  RET(z, dtype_of(x), shape_of(x))
#define SAME(value) (value)

typedef struct factors {
  tn_ffi_dtype_t dtype;
  float alpha, beta;
} factors_t;

#define ROW(type, load, store)                                              \
  {                                                                         \
    const type *x = rows[1], *y = rows[2];                                  \
    type* z = rows[0];                                                      \
    for (int64_t i = 0; i < count; ++i) {                                   \
      z[i] = store(factors.alpha * load(x[i]) + factors.beta * load(y[i])); \
    }                                                                       \
    return TN_OK;                                                           \
  }

static tn_status_t axpby_row(void* user, int64_t count, void* const* rows) {
  const factors_t factors = *(const factors_t*)user;
  if (factors.dtype == TN_FFI_C64) count *= 2;
  switch (factors.dtype) {
    case TN_FFI_F16: ROW(tn_f16_t, tn_f16_to_float, tn_f16_from_float)
    case TN_FFI_BF16: ROW(tn_bf16_t, tn_bf16_to_float, tn_bf16_from_float)
    default: ROW(float, SAME, SAME)
  }
}

TN_EVAL_OP(strided_axpby, STRIDED_AXPBY, "z = alpha * x + beta * y") {
  const tn_strided_t* arrays[] = {eval->outputs[0], eval->operands[0], eval->operands[1]};
  factors_t factors = {arrays[0]->dtype, call->alpha, call->beta};
  return tn_eval_for_rows(eval, 3, arrays, 1, axpby_row, &factors);
}
TN_DEFINE(strided_axpby, .flags = TN_OP_ELEMENTWISE, .eval_cpu = strided_axpby_eval)

enum { SIDE = 4096, SMALL_COUNT = 1000, RUN_COUNT = 15 };

static void check(tn_status_t status) {
  if (!status) return;
  fprintf(stderr, "%s\n", tn_status_message(status));
  exit(1);
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* times) {
  qsort(times, RUN_COUNT, sizeof *times, compare);
  return times[RUN_COUNT / 2];
}

// --- small ones

static void bench_small(tn_scope_t* s) {
  const float ones[4] = {1, 1, 1, 1};
  const int64_t dim = 4;
  double times[RUN_COUNT], singles[RUN_COUNT];
  tn_array_t* one =
      tn_array_retain(tn_array_from_host(s, TN_DTYPE_F32, 1, &dim, ones, sizeof ones));
  tn_scope_clear(s);
  for (int run = -3; run < RUN_COUNT; ++run) {  // the first ones are not counted
    int64_t start = tn__clock_ns();
    tn_array_t* sum = one;
    for (int i = 0; i < SMALL_COUNT; ++i) sum = tn_array_add(s, sum, one);
    tn_array_retain(sum);
    tn_scope_clear(s);
    check(tn_array_eval(1, &sum));
    tn_array_release(sum);
    if (run >= 0) times[run] = (double)(tn__clock_ns() - start) / SMALL_COUNT;
    start = tn__clock_ns();
    for (int i = 0; i < SMALL_COUNT; ++i) {
      sum = tn_array_retain(tn_array_add(s, one, one));
      tn_scope_clear(s);
      check(tn_array_eval(1, &sum));
      tn_array_release(sum);
    }
    if (run >= 0) singles[run] = (double)(tn__clock_ns() - start) / SMALL_COUNT;
  }
  printf("add x1000 and eval, an operation %.1f ns\n", median(times));
  printf("add and eval %.1f ns\n", median(singles));
  tn_array_release(one);
}

// --- large ones

typedef tn_array_t* (*binary_t)(tn_scope_t* s, tn_array_t* x, tn_array_t* y);

static tn_array_t* apply(tn_scope_t* s, const char* name, tn_array_t* x, tn_array_t* y) {
  tn_array_t* operands[] = {x, y};
  const tn_attribute_t attributes[] = {tn_attribute_float("alpha", TN_DTYPE_F32, 4),
                                       tn_attribute_float("beta", TN_DTYPE_F32, 2)};
  return tn_op_apply_one(s, name, 2, operands, 2, attributes);
}

static tn_array_t* custom(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  return apply(s, "axpby", x, y);
}

static tn_array_t* strided(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  return apply(s, "strided_axpby", x, y);
}

static tn_array_t* composed(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  tn_array_t* alpha = tn_array_scalar(s, tn_array_dtype(x), 4);
  tn_array_t* beta = tn_array_scalar(s, tn_array_dtype(x), 2);
  return tn_array_add(s, tn_array_multiply(s, alpha, x), tn_array_multiply(s, beta, y));
}

// What the operation is done to; the first of the same function is dense.
typedef struct large_case {
  const char* name;
  binary_t function;
  tn_array_t *x, *y;
  double times[RUN_COUNT], cpu_times[RUN_COUNT], ratios[RUN_COUNT];
} large_case_t;

static double cpu_ms(void) {
  return (double)clock() * (1e3 / CLOCKS_PER_SEC);
}

// The cases by turns, so that whatever else the machine does falls on all of them.
static void bench_large(tn_scope_t* s, int64_t side, size_t count, large_case_t* cases) {
  for (int run = -2; run < RUN_COUNT; ++run) {
    const large_case_t* dense = cases;
    for (large_case_t* c = cases; c < cases + count; ++c) {
      const double start = (double)tn__clock_ns() * 1e-6, cpu_start = cpu_ms();
      tn_array_t* z = tn_array_retain(c->function(s, c->x, c->y));
      tn_scope_clear(s);
      check(tn_array_eval(1, &z));
      tn_array_release(z);
      if (run < 0) continue;
      c->times[run] = (double)tn__clock_ns() * 1e-6 - start;
      c->cpu_times[run] = cpu_ms() - cpu_start;
      if (c->function != dense->function) dense = c;
      c->ratios[run] = c->cpu_times[run] / (double)tn_array_size(c->x) *
                       (double)tn_array_size(dense->x) / dense->cpu_times[run];
    }
  }
  for (large_case_t* c = cases; c < cases + count; ++c) {
    printf("%s %s %d %.2f ms, %.2f ms of CPU time, %.2f times dense an element\n", c->name,
           tn_dtype_name(tn_array_dtype(c->x)), (int)side, median(c->times), median(c->cpu_times),
           median(c->ratios));
  }
}

__attribute__((noinline)) static void plain_loop(const float* x, const float* y, float* z) {
  for (size_t i = 0; i < (size_t)SIDE * SIDE; ++i) z[i] = 4.0f * x[i] + 2.0f * y[i];
}

static void bench_loop(void) {
  const size_t size = (size_t)SIDE * SIDE;
  float* data = calloc(3 * size, sizeof *data);
  double times[RUN_COUNT];
  if (!data) exit(1);
  for (size_t i = 0; i < 3 * size; ++i) data[i] = (float)(i % 97);
  for (int run = 0; run < RUN_COUNT; ++run) {
    const int64_t start = tn__clock_ns();
    plain_loop(data, data + size, data + 2 * size);
    times[run] = (double)(tn__clock_ns() - start) * 1e-6;
  }
  printf("plain C loop f32 %.2f ms\n", median(times));
  free(data);
}

static void bench_dtype(tn_scope_t* s, tn_dtype_t dtype, int64_t side) {
  const int64_t dims[] = {side, side}, starts[] = {0, 0}, row[] = {1, side}, column[] = {side, 1};
  const int64_t twice[] = {2, 2};
  tn_array_t* scalar = tn_array_scalar(s, dtype, 3);
  tn_array_t* x = tn_array_retain(tn_array_add(s, tn_array_full(s, 2, dims, scalar), scalar));
  tn_array_t* y = tn_array_retain(tn_array_multiply(s, x, x));
  tn_array_t* both[] = {x, y};
  check(tn_array_eval(2, both));
  tn_array_t* views[] = {
      tn_array_retain(tn_array_slice(s, y, starts, row, NULL)),
      tn_array_retain(tn_array_slice(s, y, starts, column, NULL)),
      tn_array_retain(tn_array_transpose(s, y, NULL)),
      tn_array_retain(tn_array_slice(s, x, starts, dims, twice)),
      tn_array_retain(tn_array_slice(s, y, starts, dims, twice)),
  };
  tn_scope_clear(s);
#define VIEWS(name, function)                                                                    \
  {name, function, x, y, {0}, {0}, {0}}, {name ", a row", function, x, views[0], {0}, {0}, {0}}, \
      {name ", a column", function, x, views[1], {0}, {0}, {0}},                                 \
      {name ", transposed", function, x, views[2], {0}, {0}, {0}}, {                             \
    name ", sliced", function, views[3], views[4], {0}, {0}, {                                   \
      0                                                                                          \
    }                                                                                            \
  }
  large_case_t cases[] = {VIEWS("custom", custom),
                          VIEWS("strided eval", strided),
                          {"composed", composed, x, y, {0}, {0}, {0}}};
#undef VIEWS
  bench_large(s, side, sizeof cases / sizeof *cases, cases);
  for (size_t i = 0; i < sizeof views / sizeof *views; ++i) tn_array_release(views[i]);
  tn_array_release(x);
  tn_array_release(y);
}

// --- donation

// -x * 2 of an array that is given up before, whose memory the result then takes, or held until
// after.
static void bench_donation(tn_scope_t* s) {
  const int64_t dims[] = {SIDE, SIDE};
  double cpu_times[2][RUN_COUNT];
  tn_memory_statistics_t memory[2] = {{.struct_size = sizeof *memory},
                                      {.struct_size = sizeof *memory}};
  for (int run = -3; run < RUN_COUNT; ++run) {
    for (int is_held = 0; is_held < 2; ++is_held) {
      tn_array_t* one = tn_array_scalar(s, TN_DTYPE_F32, 1);
      tn_array_t* two = tn_array_scalar(s, TN_DTYPE_F32, 2);
      tn_array_t* x = tn_array_retain(tn_array_add(s, tn_array_full(s, 2, dims, one), two));
      check(tn_array_eval(1, &x));
      tn_array_t* y = tn_array_retain(tn_array_multiply(s, tn_array_negative(s, x), two));
      tn_scope_clear(s);
      if (!is_held) tn_array_release(x);
      tn_device_reset_peak(tn_scope_device(s));
      const double start = cpu_ms();
      check(tn_array_eval(1, &y));
      if (run >= 0) cpu_times[is_held][run] = cpu_ms() - start;
      tn_device_memory_statistics(tn_scope_device(s), &memory[is_held]);
      if (is_held) tn_array_release(x);
      tn_array_release(y);
    }
  }
  for (int is_held = 0; is_held < 2; ++is_held) {
    printf("-x * 2, x %s %.2f ms of CPU time, peak %.1f MB\n", is_held ? "held" : "given up",
           median(cpu_times[is_held]), (double)memory[is_held].peak_byte_size * 1e-6);
  }
}

int main(int argc, char** argv) {
  const tn_dtype_t dtypes[] = {TN_DTYPE_F32, TN_DTYPE_F16, TN_DTYPE_BF16, TN_DTYPE_C64};
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  if (argc < 2) {
    fprintf(stderr, "usage: lazy_eval_bench LIBRARY [DTYPE]\nLIBRARY is that of examples/axpby.\n");
    return 2;
  }
  check(tn_library_load(argv[1]));
  check(tn_op_register(tn_definition_of(strided_axpby)));
  check(tn_device_create("cpu", NULL, &device));
  check(tn_scope_create(device, &scope));
  if (argc < 3) bench_small(scope);
  if (argc < 3) bench_loop();
  if (argc < 3) bench_donation(scope);
  for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; ++i) {
    if (argc > 2 && strcmp(argv[2], tn_dtype_name(dtypes[i])) != 0) continue;
    bench_dtype(scope, dtypes[i], SIDE);
    bench_dtype(scope, dtypes[i], SIDE - 1);
  }
  tn_scope_destroy(scope);
  tn_device_release(device);
  return 0;
}
