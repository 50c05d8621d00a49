// What lazy arrays cost: small operations, and one operation of an author on large arrays. Prints a
// line "NAME VALUE UNIT" for each figure, the median of several runs.
#include <stdio.h>
#include <stdlib.h>
#include <tenon/array_ops.h>
#include <tenon/custom.h>
#include <tenon/operation.h>
#include <time.h>

#include "base/clock.h"

#define AXPBY(ARG, ATTR, RET)               \
  ARG(x, of(f32, f16, bf16, c64), any_rank) \
  ARG(y, dtype_of(x), shape_of(x))          \
  ATTR(alpha, float, 4.0f)                  \
  ATTR(beta, float, 2.0f)                   \
  RET(z, dtype_of(x), shape_of(x))

#define LOOP(type, load, store)                                                           \
  {                                                                                       \
    const type *x = call->x.data, *y = call->y.data;                                      \
    type* z = call->z.data;                                                               \
    for (int64_t i = 0; i < n; ++i) z[i] = store(alpha * load(x[i]) + beta * load(y[i])); \
    return TN_OK;                                                                         \
  }
#define SAME(value) (value)

TN_OP(axpby, AXPBY, "z = alpha * x + beta * y") {
  const int64_t n = tn_size(call->x);
  const float alpha = call->alpha, beta = call->beta;
  switch (call->x.dtype) {
    case TN_FFI_F32: LOOP(float, SAME, SAME)
    case TN_FFI_F16: LOOP(tn_f16_t, tn_f16_to_float, tn_f16_from_float)
    case TN_FFI_BF16: LOOP(tn_bf16_t, tn_bf16_to_float, tn_bf16_from_float)
    default: break;
  }
  const float *x = call->x.data, *y = call->y.data;  // pairs
  float* z = call->z.data;
  for (int64_t i = 0; i < 2 * n; ++i) z[i] = alpha * x[i] + beta * y[i];
  return TN_OK;
}
TN_DEFINE(axpby, .flags = TN_OP_ELEMENTWISE)

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
    check(tn_eval(1, &sum));
    tn_array_release(sum);
    if (run >= 0) times[run] = (double)(tn__clock_ns() - start) / SMALL_COUNT;
    start = tn__clock_ns();
    for (int i = 0; i < SMALL_COUNT; ++i) {
      sum = tn_array_retain(tn_array_add(s, one, one));
      tn_scope_clear(s);
      check(tn_eval(1, &sum));
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

static tn_array_t* custom(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  tn_array_t* operands[] = {x, y};
  const tn_application_t application = {sizeof application, "axpby", 2, operands, 0, NULL, 1, NULL};
  tn_array_t* z = NULL;
  tn_apply(s, &application, &z);
  return z;
}

static tn_array_t* composed(tn_scope_t* s, tn_array_t* x, tn_array_t* y) {
  tn_array_t* alpha = tn_array_scalar(s, tn_array_dtype(x), 4);
  tn_array_t* beta = tn_array_scalar(s, tn_array_dtype(x), 2);
  return tn_array_add(s, tn_array_multiply(s, alpha, x), tn_array_multiply(s, beta, y));
}

typedef struct large_case {
  const char* name;
  binary_t function;
  tn_array_t *x, *y;
  double times[RUN_COUNT], cpu_times[RUN_COUNT];
} large_case_t;

static double cpu_ms(void) {
  return (double)clock() * (1e3 / CLOCKS_PER_SEC);
}

// The cases by turns, so that whatever else the machine does falls on all of them.
static void bench_large(tn_scope_t* s, size_t count, large_case_t* cases) {
  for (int run = -2; run < RUN_COUNT; ++run) {
    for (large_case_t* c = cases; c < cases + count; ++c) {
      const double start = (double)tn__clock_ns() * 1e-6, cpu_start = cpu_ms();
      tn_array_t* z = tn_array_retain(c->function(s, c->x, c->y));
      tn_scope_clear(s);
      check(tn_eval(1, &z));
      tn_array_release(z);
      if (run < 0) continue;
      c->times[run] = (double)tn__clock_ns() * 1e-6 - start;
      c->cpu_times[run] = cpu_ms() - cpu_start;
    }
  }
  for (large_case_t* c = cases; c < cases + count; ++c) {
    printf("%s %s %.2f ms, %.2f ms of CPU time\n", c->name, tn_dtype_name(tn_array_dtype(c->x)),
           median(c->times), median(c->cpu_times));
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

static void bench_dtype(tn_scope_t* s, tn_dtype_t dtype) {
  const int64_t dims[] = {SIDE, SIDE}, starts[] = {0, 0}, row[] = {1, SIDE}, column[] = {SIDE, 1};
  const int64_t twice[] = {2, 2};
  tn_array_t* scalar = tn_array_scalar(s, dtype, 3);
  tn_array_t* x = tn_array_retain(tn_array_add(s, tn_array_full(s, 2, dims, scalar), scalar));
  tn_array_t* y = tn_array_retain(tn_array_multiply(s, x, x));
  tn_array_t* both[] = {x, y};
  check(tn_eval(2, both));
  tn_array_t* views[] = {
      tn_array_retain(tn_array_slice(s, y, starts, row, NULL)),
      tn_array_retain(tn_array_slice(s, y, starts, column, NULL)),
      tn_array_retain(tn_array_transpose(s, y, NULL)),
      tn_array_retain(tn_array_slice(s, x, starts, dims, twice)),
      tn_array_retain(tn_array_slice(s, y, starts, dims, twice)),
  };
  tn_scope_clear(s);
  large_case_t cases[] = {
      {.name = "custom", .function = custom, .x = x, .y = y},
      {.name = "composed", .function = composed, .x = x, .y = y},
      {.name = "custom, a row", .function = custom, .x = x, .y = views[0]},
      {.name = "custom, a column", .function = custom, .x = x, .y = views[1]},
      {.name = "custom, transposed", .function = custom, .x = x, .y = views[2]},
      {.name = "custom, every other element (a quarter)",
       .function = custom,
       .x = views[3],
       .y = views[4]},
  };
  bench_large(s, sizeof cases / sizeof *cases, cases);
  for (size_t i = 0; i < sizeof views / sizeof *views; ++i) tn_array_release(views[i]);
  tn_array_release(x);
  tn_array_release(y);
}

int main(void) {
  tn_device_t* device = NULL;
  tn_scope_t* scope = NULL;
  check(tn_op_register(tn_definition_of(axpby)));
  check(tn_device_create("cpu", NULL, &device));
  check(tn_scope_create(device, &scope));
  bench_small(scope);
  bench_loop();
  bench_dtype(scope, TN_DTYPE_F32);
  bench_dtype(scope, TN_DTYPE_F16);
  bench_dtype(scope, TN_DTYPE_BF16);
  bench_dtype(scope, TN_DTYPE_C64);
  tn_scope_destroy(scope);
  tn_device_release(device);
  return 0;
}
