// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations on floats of 32 and of 16 bits, side by side: nanoseconds of processor time an
// element, of one thread, medians, as a table. The dtypes take turns, so that whatever else the
// machine does falls on all of them.
//
//   program_dtype_bench [NAME]   all operations, or those whose name contains NAME
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>

#include "kernel/common/element.h"

enum { SIDE = 1024, COUNT = SIDE * SIDE, RUNS = 25, DTYPES = 3, TEXT_LIMIT = 2048 };

typedef struct column {
  tn_dtype_t dtype;
  const char *name, *wider;
} column_t;

static const column_t columns[DTYPES] = {
    {TN_DTYPE_F32, "f32", "f64"},
    {TN_DTYPE_BF16, "bf16", "f32"},
    {TN_DTYPE_F16, "f16", "f32"},
};

// In texts F stands for the dtype and W for the next wider one. The operands are %a and %b, %one
// is a number, %r the result.
typedef struct operation {
  const char *name, *body, *result;
} operation_t;

#define MATRIX(dtype) "tensor<1024x1024x" dtype ">"
#define ROW "tensor<1024xF>"
#define F MATRIX("F")
#define UNARY(name) \
  { #name, "%r = stablehlo." #name " %a : " F, F }
#define BINARY(name) \
  { #name, "%r = stablehlo." #name " %a, %b : " F, F }
#define COMPARE(name) \
  name " = stablehlo.compare LT, %a, %b, FLOAT : (" F ", " F ") -> " MATRIX("i1")
#define REDUCE(name, op, dimensions, result)                                     \
  {                                                                              \
    name,                                                                        \
        "%r = stablehlo.reduce(%a init: %one) applies stablehlo." op             \
        " across dimensions = [" dimensions "] : (" F ", tensor<F>) -> " result, \
        result                                                                   \
  }

static const operation_t operations[] = {
    BINARY(add),
    BINARY(multiply),
    BINARY(divide),
    BINARY(maximum),
    UNARY(negate),
    UNARY(floor),
    UNARY(sqrt),
    {"4 a + 2 b, fused",
     "%four = stablehlo.constant dense<4.0> : " F "\n%two = stablehlo.constant dense<2.0> : " F "\n"
     "%p = stablehlo.multiply %four, %a : " F "\n%q = stablehlo.multiply %two, %b : " F "\n"
     "%r = stablehlo.add %p, %q : " F,
     F},
    {"clamp",
     "%two = stablehlo.constant dense<2.0> : tensor<F>\n"
     "%r = stablehlo.clamp %one, %a, %two : (tensor<F>, " F ", tensor<F>) -> " F,
     F},
    {"compare", COMPARE("%r"), MATRIX("i1")},
    {"compare, select", COMPARE("%p") "\n%r = stablehlo.select %p, %a, %b : " MATRIX("i1") ", " F,
     F},
    {"convert to wider", "%r = stablehlo.convert %a : (" F ") -> " MATRIX("W"), MATRIX("W")},
    {"convert to s32", "%r = stablehlo.convert %a : (" F ") -> " MATRIX("i32"), MATRIX("i32")},
    UNARY(exponential),
    UNARY(log),
    UNARY(tanh),
    UNARY(logistic),
    UNARY(cosine),
    BINARY(power),
    REDUCE("sum of all", "add", "0, 1", "tensor<F>"),
    REDUCE("sum of rows", "add", "1", ROW),
    REDUCE("sum of columns", "add", "0", ROW),
    REDUCE("maximum of rows", "maximum", "1", ROW),
    {"scatter-add to 2^16",
     "%i = stablehlo.iota dim = 0 : tensor<1048576x1xi32>\n"
     "%m = stablehlo.constant dense<65535> : tensor<1048576x1xi32>\n"
     "%at = stablehlo.and %i, %m : tensor<1048576x1xi32>\n"
     "%u = stablehlo.reshape %b : (" F ") -> tensor<1048576xF>\n"
     "%c = stablehlo.constant dense<0.0> : tensor<65536xF>\n"
     "%r = \"stablehlo.scatter\"(%c, %at, %u) ({\n^bb0(%x: tensor<F>, %y: tensor<F>):\n"
     "%z = stablehlo.add %x, %y : tensor<F>\nstablehlo.return %z : tensor<F>\n}) "
     "{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : "
     "(tensor<65536xF>, tensor<1048576x1xi32>, tensor<1048576xF>) -> tensor<65536xF>",
     "tensor<65536xF>"},
    {"matrix times vector",
     "%s = stablehlo.slice %b [0:1, 0:1024] : (" F ") -> tensor<1x1024xF>\n"
     "%v = stablehlo.reshape %s : (tensor<1x1024xF>) -> " ROW "\n"
     "%r = stablehlo.dot %a, %v : (" F ", " ROW ") -> " ROW,
     ROW},
};

static void die_if_error(tn_status_t status) {
  if (!status) return;
  char text[4096];
  tn_status_format(status, text, sizeof text);
  fputs(text, stderr);
  exit(1);
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static tn_program_t* compile(tn_device_t* device, const operation_t* operation,
                             const column_t* column) {
  char pattern[TEXT_LIMIT], text[TEXT_LIMIT];
  snprintf(pattern, sizeof pattern,
           "func.func @main(%%a: " F ", %%b: " F
           ") -> %s {\n"
           "%%one = stablehlo.constant dense<1.0> : tensor<F>\n%s\nreturn %%r : %s\n}\n",
           operation->result, operation->body, operation->result);
  size_t length = 0;
  for (const char* at = pattern; *at && length + 8 < sizeof text; ++at) {
    const bool is_dtype = (*at == 'F' || *at == 'W') && at[1] == '>';
    const char* dtype = *at == 'F' ? column->name : column->wider;
    length += (size_t)sprintf(text + length, "%.*s", is_dtype ? 4 : 1, is_dtype ? dtype : at);
  }
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  die_if_error(tn_module_parse(NULL, operation->name, text, length, &module));
  die_if_error(tn_program_compile(device, module, NULL, &program));
  tn_module_release(module);
  return program;
}

static void measure(tn_device_t* device, const operation_t* operation,
                    tn_buffer_t* (*arguments)[2]) {
  double times[DTYPES][RUNS];
  tn_program_t* programs[DTYPES];
  for (int d = 0; d < DTYPES; ++d) programs[d] = compile(device, operation, &columns[d]);
  for (int run = -3; run < RUNS; ++run) {  // the first ones are not counted
    for (int d = 0; d < DTYPES; ++d) {
      tn_buffer_t* result = NULL;
      const double start_ns = cpu_ns();
      die_if_error(tn_program_run(programs[d], 2, arguments[d], NULL, 1, &result));
      if (run >= 0) times[d][run] = (cpu_ns() - start_ns) / COUNT;
      tn_buffer_release(result);
    }
  }
  printf("| %s |", operation->name);
  for (int d = 0; d < DTYPES; ++d) {
    qsort(times[d], RUNS, sizeof *times[d], by_value);
    printf(" %.2f |", times[d][RUNS / 2]);
    tn_program_release(programs[d]);
  }
  printf("\n");
}

// From 0.5 to 3.5.
static tn_buffer_t* make_argument(tn_device_t* device, tn_dtype_t dtype, uint64_t seed) {
  static float values[COUNT], converted[COUNT];
  for (size_t i = 0; i < COUNT; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    values[i] = 0.5f + (float)(seed >> 40) * (3.0f / (1 << 24));
  }
  tn__convert_elements(TN_DTYPE_F32, values, dtype, converted, COUNT);
  const int64_t dims[] = {SIDE, SIDE};
  tn_buffer_t* buffer = NULL;
  die_if_error(tn_buffer_create_from_host(device, dtype, 2, dims, converted,
                                          COUNT * tn_dtype_byte_size(dtype), &buffer));
  return buffer;
}

int main(int argc, char** argv) {
  tn_device_t* device = NULL;
  tn_buffer_t* arguments[DTYPES][2];
  setenv("TENON_NUM_THREADS", "1", 1);
  die_if_error(tn_device_create("cpu", NULL, &device));
  printf("| ns an element |");
  for (int d = 0; d < DTYPES; ++d) {
    for (size_t i = 0; i < 2; ++i) arguments[d][i] = make_argument(device, columns[d].dtype, i + 1);
    printf(" %s |", tn_dtype_name(columns[d].dtype));
  }
  printf("\n| --- | --- | --- | --- |\n");
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (argc > 1 && !strstr(operations[i].name, argv[1])) continue;
    measure(device, &operations[i], arguments);
  }
  for (int d = 0; d < DTYPES; ++d) {
    for (size_t i = 0; i < 2; ++i) tn_buffer_release(arguments[d][i]);
  }
  tn_device_release(device);
  return 0;
}
