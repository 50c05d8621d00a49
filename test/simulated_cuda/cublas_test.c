// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products on devices of CUDA, by the cuBLAS that is simulated. Operands are small whole numbers,
// so that each dtype has every sum, and all devices find the same bits.
#include "cublas.h"

#include <dlfcn.h>
#include <time.h>

#include "base/type.h"
#include "device/device.h"
#include "kernel/encoder.h"
#include "program/testing_run.h"

enum { TEXT_CAPACITY = 1 << 15 };

static simulated_cublas_t* cublas;
static tn_device_t *cpu, *cuda, *cuda_alone;  // the last one without the library

static int setup(void** state) {
  static const char* const none[] = {"TENON_LIBRARIES=none", NULL};
  const tn_context_options_t options = {.struct_size = sizeof options, .environment = none};
  tn_context_t* context = NULL;
  (void)state;
  TN_ASSERT_OK(tn_context_create(&options, &context));
  const tn_device_options_t alone = {.struct_size = sizeof alone, .context = context};
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &cpu));
  TN_ASSERT_OK(tn_device_create("cuda", NULL, &cuda));
  TN_ASSERT_OK(tn_device_create("cuda", &alone, &cuda_alone));
  tn_context_release(context);
  void* library = dlopen("libcublas.so.12", RTLD_NOW);
  assert_non_null(library);
  *(void**)&cublas = dlsym(library, "simulated_cublas");
  assert_non_null(cublas);
  return 0;
}

static int teardown(void** state) {
  (void)state;
  tn_device_release(cuda_alone);
  tn_device_release(cuda);
  tn_device_release(cpu);
  return 0;
}

// --- programs

static tn_status_t append(void* user, const char* text, size_t length) {
  char* out = user;
  const size_t at = strlen(out);
  if (at + length < TEXT_CAPACITY) memcpy(out + at, text, length);
  return TN_OK;
}

static bool is_by_cublas(const tn_program_t* program) {
  char* text = calloc(1, TEXT_CAPACITY);
  assert_non_null(text);
  TN_ASSERT_OK(tn_program_print(program, TN_STAGE_PROGRAM, TN_FORMAT_TEXT, append, text));
  const bool is_found = strstr(text, "cublas.dot");
  free(text);
  return is_found;
}

// Whole numbers from -4 to 4, also as imaginary parts.
static void fill(tn_dtype_t dtype, int64_t count, unsigned seed, char* data) {
  const bool is_complex = tn_dtype_kind(dtype) == TN_KIND_COMPLEX;
  const tn_dtype_t part = dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : is_complex ? TN_DTYPE_F64 : dtype;
  const size_t size = tn_dtype_byte_size(part);
  for (int64_t i = 0; i < count * (is_complex ? 2 : 1); ++i) {
    seed = seed * 1103515245u + 12345u;
    tn_dtype_store(part, (double)(seed >> 16 & 7) - 3, data + (size_t)i * size);
  }
}

static void create_arguments(const tn_program_t* program, tn_device_t* device,
                             tn_testing_buffers_t* out) {
  out->count = tn_program_input_count(program);
  for (size_t i = 0; i < out->count; ++i) {
    const tn_type_t* type = tn_program_input_type(program, i);
    const size_t byte_size = tn__type_byte_size(type);
    char* data = calloc(1, byte_size + 1);
    assert_non_null(data);
    fill(type->dtype, tn__type_size(type), (unsigned)i + 1, data);
    TN_ASSERT_OK(tn_buffer_create_from_host(device, type->dtype, type->rank, type->dims, data,
                                            byte_size, &out->list[i]));
    free(data);
  }
}

static void run_program(tn_program_t* program, tn_device_t* device, tn_testing_bytes_t* out) {
  tn_testing_buffers_t arguments;
  create_arguments(program, device, &arguments);
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, out));
  tn__testing_buffers_release(&arguments);
}

// What the device finds, and whether by cuBLAS.
static bool find(tn_device_t* device, const char* text, tn_testing_bytes_t* out) {
  tn_program_t* program = tn__testing_program_on(device, text, false);
  const bool is_by_library = device != cpu && is_by_cublas(program);
  run_program(program, device, out);
  tn_program_release(program);
  return is_by_library;
}

// In how many products of cuBLAS a device of CUDA found the same as the CPU. `compares_kernels`:
// and one without it, too.
static int64_t count_products(const char* text, bool compares_kernels) {
  tn_testing_bytes_t wanted, by_library;
  const int64_t before = cublas->product_count;
  find(cpu, text, &wanted);
  if (compares_kernels) {
    tn_testing_bytes_t by_kernels;
    assert_false(find(cuda_alone, text, &by_kernels));
    assert_int_equal(cublas->product_count, before);
    if (!tn__testing_bytes_equal(&wanted, &by_kernels)) fail_msg("another sum of ours: %s", text);
    free(by_kernels.bytes);
  }
  const bool is_by_library = find(cuda, text, &by_library);
  const int64_t count = cublas->product_count - before;
  if (!tn__testing_bytes_equal(&wanted, &by_library)) fail_msg("another product: %s", text);
  assert_int_equal(count > 0, is_by_library);
  free(wanted.bytes), free(by_library.bytes);
  return count;
}

typedef struct product_case {
  const char *lhs, *rhs, *result;  // dimensions
  const char* numbers;
  int64_t count;  // of products; 0: our own kernel
} product_case_t;

static const product_case_t cases[] = {
    // Rows or columns of each side.
    {"5x7", "7x3", "5x3", "contracting_dims = [1] x [0]", 1},
    {"7x5", "7x3", "5x3", "contracting_dims = [0] x [0]", 1},
    {"5x7", "3x7", "5x3", "contracting_dims = [1] x [1]", 1},
    {"7x5", "3x7", "5x3", "contracting_dims = [0] x [1]", 1},
    // Vectors, and matrices of one row or column.
    {"5x7", "7", "5", "contracting_dims = [1] x [0]", 1},
    {"7", "7x3", "3", "contracting_dims = [0] x [0]", 1},
    {"7", "7", "", "contracting_dims = [0] x [0]", 1},
    {"5", "3", "5x3", "contracting_dims = [] x []", 1},
    {"1x7", "7x1", "1x1", "contracting_dims = [1] x [0]", 1},
    {"5x1", "1x3", "5x3", "contracting_dims = [1] x [0]", 1},
    // Batches: neighbours, between other dimensions, of two that do not join.
    {"2x5x7", "2x7x3", "2x5x3", "batching_dims = [0] x [0], contracting_dims = [2] x [1]", 1},
    {"5x2x7", "7x3x2", "2x5x3", "batching_dims = [1] x [2], contracting_dims = [2] x [0]", 0},
    {"5x2x7", "3x2x7", "2x5x3", "batching_dims = [1] x [1], contracting_dims = [2] x [2]", 1},
    {"4x2x5x7", "4x2x7x3", "4x2x5x3",
     "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]", 1},
    {"2x5x4x7", "2x6x4x7", "2x4x5x6",
     "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]", 2},
    {"2x5x4x7", "2x6x4x7", "4x2x5x6",
     "batching_dims = [2, 0] x [2, 0], contracting_dims = [3] x [3]", 2},
    // Several dimensions that join, or do not.
    {"2x3x7", "7x3", "2x3x3", "contracting_dims = [2] x [0]", 1},
    {"5x2x3", "2x3x4", "5x4", "contracting_dims = [1, 2] x [0, 1]", 1},
    {"2x5x3", "2x3x4", "5x4", "contracting_dims = [0, 2] x [0, 1]", 0},
    {"300x2x3x5", "300x2x5x4", "300x2x3x4",
     "batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2]", 1},
    // Nothing.
    {"5x0", "0x3", "5x3", "contracting_dims = [1] x [0]", 0},
};

static void write_dot(const product_case_t* it, const char* dtype, const char* result_dtype,
                      char* text, size_t size) {
  const char* x = *it->result ? "x" : "";
  snprintf(text, size,
           "func.func @main(%%x: tensor<%sx%s>, %%y: tensor<%sx%s>) -> tensor<%s%s%s> {\n"
           "  %%0 = stablehlo.dot_general %%x, %%y, %s : (tensor<%sx%s>, tensor<%sx%s>) -> "
           "tensor<%s%s%s>\n  return %%0 : tensor<%s%s%s>\n}\n",
           it->lhs, dtype, it->rhs, dtype, it->result, x, result_dtype, it->numbers, it->lhs, dtype,
           it->rhs, dtype, it->result, x, result_dtype, it->result, x, result_dtype);
}

static void products_of_all_dtypes_are_the_cpus(void** state) {
  static const char* const dtypes[][2] = {
      {"f32", "f32"},
      {"f64", "f64"},
      {"f16", "f16"},
      {"bf16", "bf16"},
      {"f16", "f32"},
      {"bf16", "f32"},
      {"complex<f32>", "complex<f32>"},
      {"complex<f64>", "complex<f64>"},
  };
  char text[1024];
  (void)state;
  for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; ++d) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      write_dot(&cases[i], dtypes[d][0], dtypes[d][1], text, sizeof text);
      const int64_t count = count_products(text, d == 0);
      if (count != cases[i].count) {
        fail_msg("%lld products, wanted %lld: %s", (long long)count, (long long)cases[i].count,
                 text);
      }
    }
  }
}

typedef struct text_case {
  const char *arguments, *body, *result;
  int64_t count;
  size_t instruction_count;  // by cuBLAS: more than one copy operands first; 0: not looked at
} text_case_t;

static size_t count_instructions(const char* text) {
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_program_t* program = tn__testing_program_on(cuda, text, false);
  tn_program_statistics(program, &statistics);
  tn_program_release(program);
  return statistics.instruction_count;
}

static void expect_counts(const text_case_t* list, size_t count) {
  char text[2048];
  for (size_t i = 0; i < count; ++i) {
    snprintf(text, sizeof text, "func.func @main(%s) -> %s {\n%s  return %%0 : %s\n}\n",
             list[i].arguments, list[i].result, list[i].body, list[i].result);
    const int64_t found = count_products(text, true);
    if (found != list[i].count) {
      fail_msg("%lld products, wanted %lld: %s", (long long)found, (long long)list[i].count, text);
    }
    if (list[i].instruction_count) {
      assert_int_equal(count_instructions(text), list[i].instruction_count);
    }
  }
}
#define EXPECT_COUNTS(list) expect_counts(list, sizeof(list) / sizeof *(list))

// Whether a view is read in place: nothing but the product runs, and by whom.
static void views_are_read_in_place(void** state) {
  static const text_case_t list[] = {
      // A part of the rows and columns, every second row, a transposed part.
      {"%x: tensor<9x8xf32>, %y: tensor<5x3xf32>",
       "  %a = stablehlo.slice %x [2:6, 1:6] : (tensor<9x8xf32>) -> tensor<4x5xf32>\n"
       "  %0 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<4x5xf32>, "
       "tensor<5x3xf32>) -> tensor<4x3xf32>\n",
       "tensor<4x3xf32>", 1, 1},
      {"%x: tensor<9x8xf32>, %y: tensor<5x3xf32>",
       "  %a = stablehlo.slice %x [1:9:2, 1:6] : (tensor<9x8xf32>) -> tensor<4x5xf32>\n"
       "  %0 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<4x5xf32>, "
       "tensor<5x3xf32>) -> tensor<4x3xf32>\n",
       "tensor<4x3xf32>", 1, 1},
      {"%x: tensor<9x8xf32>, %y: tensor<5x3xf32>",
       "  %a = stablehlo.slice %x [1:6, 2:6] : (tensor<9x8xf32>) -> tensor<5x4xf32>\n"
       "  %b = stablehlo.transpose %a, dims = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>\n"
       "  %0 = stablehlo.dot_general %b, %y, contracting_dims = [1] x [0] : (tensor<4x5xf32>, "
       "tensor<5x3xf32>) -> tensor<4x3xf32>\n",
       "tensor<4x3xf32>", 1, 1},
      // One matrix for all of a batch, whose dimensions are swapped.
      {"%x: tensor<2x4x5x7xf32>, %y: tensor<7x3xf32>",
       "  %a = stablehlo.transpose %x, dims = [1, 0, 2, 3] : (tensor<2x4x5x7xf32>) -> "
       "tensor<4x2x5x7xf32>\n"
       "  %b = stablehlo.broadcast_in_dim %y, dims = [2, 3] : (tensor<7x3xf32>) -> "
       "tensor<4x2x7x3xf32>\n"
       "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 1] x [0, 1], contracting_dims = "
       "[3] x [2] : (tensor<4x2x5x7xf32>, tensor<4x2x7x3xf32>) -> tensor<4x2x5x3xf32>\n",
       "tensor<4x2x5x3xf32>", 2, 1},
      // Every second column, or backwards: copied first.
      {"%x: tensor<9x8xf32>, %y: tensor<4x3xf32>",
       "  %a = stablehlo.slice %x [2:6, 0:8:2] : (tensor<9x8xf32>) -> tensor<4x4xf32>\n"
       "  %0 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
       "tensor<4x3xf32>) -> tensor<4x3xf32>\n",
       "tensor<4x3xf32>", 1, 2},
      {"%x: tensor<4x4xf32>, %y: tensor<4x3xf32>",
       "  %a = stablehlo.reverse %x, dims = [0] : tensor<4x4xf32>\n"
       "  %0 = stablehlo.dot_general %a, %y, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
       "tensor<4x3xf32>) -> tensor<4x3xf32>\n",
       "tensor<4x3xf32>", 1, 2},
  };
  (void)state;
  EXPECT_COUNTS(list);
}

static void other_products_take_our_own_kernels(void** state) {
  static const text_case_t list[] = {
      {"%x: tensor<5x7xi32>, %y: tensor<7x3xi32>",
       "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xi32>, "
       "tensor<7x3xi32>) -> tensor<5x3xi32>\n",
       "tensor<5x3xi32>", 0, 0},
      {"%x: tensor<5x7xi8>, %y: tensor<7x3xi8>",
       "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xi8>, "
       "tensor<7x3xi8>) -> tensor<5x3xi32>\n",
       "tensor<5x3xi32>", 0, 0},
      {"%x: tensor<5x7xf16>, %y: tensor<7x3xbf16>",
       "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xf16>, "
       "tensor<7x3xbf16>) -> tensor<5x3xf32>\n",
       "tensor<5x3xf32>", 0, 0},
      {"%x: tensor<5x7xf32>, %y: tensor<7x3xf32>",
       "  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xf32>, "
       "tensor<7x3xf32>) -> tensor<5x3xf64>\n",
       "tensor<5x3xf64>", 0, 0},
      // A batch of 300 times 300 that may not join.
      {"%x: tensor<300x1x300x2xf32>, %y: tensor<300x1x300x2xf32>",
       "  %0 = stablehlo.dot_general %x, %y, batching_dims = [0, 2] x [0, 2], contracting_dims = "
       "[3] x [3] : (tensor<300x1x300x2xf32>, tensor<300x1x300x2xf32>) -> "
       "tensor<300x300x1x1xf32>\n",
       "tensor<300x300x1x1xf32>", 0, 0},
      // The operation without numbers.
      {"%x: tensor<5x7xf32>, %y: tensor<7x3xf32>",
       "  %0 = stablehlo.dot %x, %y : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>\n",
       "tensor<5x3xf32>", 1, 0},
  };
  (void)state;
  EXPECT_COUNTS(list);
}

// --- tf32

// The product of 1 + 2^-13, which tf32 has not got, and 1.
static float multiply_one(tn_device_t* device, const char* attributes) {
  char text[1024];
  const float x = 1 + 0x1p-13f, one = 1;
  float result = 0;
  tn_buffer_t *arguments[2], *output = NULL;
  snprintf(text, sizeof text,
           "func.func @main(%%x: tensor<1x1xf32>, %%y: tensor<1x1xf32>) -> tensor<1x1xf32> {\n"
           "  %%0 = stablehlo.dot_general %%x, %%y, contracting_dims = [1] x [0]%s : "
           "(tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>\n"
           "  return %%0 : tensor<1x1xf32>\n}\n",
           attributes);
  tn_program_t* program = tn__testing_program_on(device, text, false);
  static const int64_t dims[] = {1, 1};
  TN_ASSERT_OK(
      tn_buffer_create_from_host(device, TN_DTYPE_F32, 2, dims, &x, sizeof x, &arguments[0]));
  TN_ASSERT_OK(
      tn_buffer_create_from_host(device, TN_DTYPE_F32, 2, dims, &one, sizeof one, &arguments[1]));
  TN_ASSERT_OK(tn_program_run(program, 2, arguments, NULL, 1, &output));
  TN_ASSERT_OK(tn_buffer_to_host(output, &result, sizeof result));
  tn_buffer_release(output);
  tn_buffer_release(arguments[0]);
  tn_buffer_release(arguments[1]);
  tn_program_release(program);
  return result;
}

#define ALGORITHM(lhs, count, operations, sums)                                             \
  ", algorithm = <lhs_precision_type = " lhs                                                \
  ", rhs_precision_type = tf32, accumulation_type = " sums ", lhs_component_count = " count \
  ", rhs_component_count = 1, num_primitive_operations = " operations                       \
  ", allow_imprecise_accumulation = false>"

static void only_an_algorithm_makes_tf32_of_f32(void** state) {
  static const char* const exact[] = {
      "",
      ", precision = [DEFAULT, DEFAULT]",
      ", precision = [HIGH, HIGH]",
      ", precision = [HIGHEST, HIGHEST]",
      ALGORITHM("f32", "1", "1", "f32"),
      ALGORITHM("tf32", "2", "1", "f32"),
      ALGORITHM("tf32", "1", "3", "f32"),
      ALGORITHM("tf32", "1", "1", "f64"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
    assert_true(multiply_one(cuda, exact[i]) == 1 + 0x1p-13f);
  }
  assert_true(multiply_one(cuda, ALGORITHM("tf32", "1", "1", "f32")) == 1);
  assert_true(multiply_one(cuda_alone, ALGORITHM("tf32", "1", "1", "f32")) == 1 + 0x1p-13f);
}

// --- handles, errors

static const char square[] =
    "func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
    "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
    "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, "
    "tensor<4x4xf32>) -> tensor<4x4xf32>\n"
    "  return %1 : tensor<4x4xf32>\n}\n";

static void queues_leave_their_handle_to_later_ones(void** state) {
  tn_device_t* device = NULL;
  (void)state;
  TN_ASSERT_OK(tn_device_create("cuda", NULL, &device));
  const int64_t before = cublas->handle_count;
  for (int i = 0; i < 3; ++i) {
    tn_program_t* program = tn__testing_program_on(device, square, false);
    for (int k = 0; k < 2; ++k) {
      tn_testing_bytes_t bytes;
      run_program(program, device, &bytes);
      free(bytes.bytes);
    }
    tn_program_release(program);
  }
  assert_int_equal(cublas->handle_count, before + 1);
  const int64_t live = cublas->live_handle_count;
  tn_device_release(device);
  assert_int_equal(cublas->live_handle_count, live - 1);
}

static void workspace_goes_back_when_a_run_ends(void** state) {
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_testing_bytes_t bytes;
  tn_device_t* device = NULL;
  (void)state;
  TN_ASSERT_OK(tn_device_create("cuda", NULL, &device));
  tn_program_t* program = tn__testing_program_on(device, square, false);
  run_program(program, device, &bytes);
  free(bytes.bytes);
  tn_device_memory_statistics(device, &statistics);
  assert_true(statistics.peak_byte_size >= (uint64_t)32 << 20);
  assert_true(statistics.in_use_byte_size < 1 << 20);
  // Where there is no memory for it, the library's own will do.
  tn_device_trim(device, 0);
  tn_device_set_memory_limit(device, 16 << 20);
  run_program(program, device, &bytes);
  free(bytes.bytes);
  tn_program_release(program);
  tn_device_release(device);
}

// Each run's result is the next one's argument, so that few addresses take turns: later runs are
// graphs, and cuBLAS does not see them. Its workspace stays as long as they do.
static void graphs_keep_products_and_their_workspace(void** state) {
  enum { STEPS = 4, RUNS = 10 };
  static const int64_t dims[] = {2, 2};
  static const float begin[] = {1, 2, 3, 4};
  char text[2048];
  tn_buffer_t* x = NULL;
  float found[4];
  int64_t counts[RUNS];
  (void)state;
  int length =
      snprintf(text, sizeof text,
               "func.func @main(%%v0: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
               "  %%w = stablehlo.constant dense<[[0.0, 1.0], [1.0, 0.0]]> : tensor<2x2xf32>\n");
  for (int i = 0; i < STEPS; ++i) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  %%u%d = stablehlo.dot_general %%v%d, %%w, contracting_dims = [1] x [0] : "
                       "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
                       "  %%v%d = stablehlo.negate %%u%d : tensor<2x2xf32>\n",
                       i, i, i + 1, i);
  }
  snprintf(text + length, sizeof text - (size_t)length, "  return %%v%d : tensor<2x2xf32>\n}\n",
           STEPS);
  tn_program_t* program = tn__testing_program_on(cuda, text, false);
  TN_ASSERT_OK(tn_buffer_create_from_host(cuda, TN_DTYPE_F32, 2, dims, begin, sizeof begin, &x));
  for (int i = 0; i < RUNS; ++i) {
    tn_buffer_t* y = NULL;
    const int64_t before = cublas->product_count;
    TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
    TN_ASSERT_OK(tn_buffer_to_host(y, found, sizeof found));
    counts[i] = cublas->product_count - before;
    assert_memory_equal(found, begin, sizeof found);  // turned around four times
    tn_buffer_release(x);
    x = y;
  }
  tn_buffer_release(x);
  tn_program_release(program);
  assert_int_equal(counts[0], STEPS);
  assert_int_equal(counts[RUNS - 1], 0);
}

static void errors_have_cublas_name_for_them(void** state) {
  tn_program_t* program = tn__testing_program_on(cuda, square, false);
  tn_testing_buffers_t arguments;
  tn_testing_bytes_t bytes;
  (void)state;
  create_arguments(program, cuda, &arguments);
  cublas->next_status = 13;
  TN_ASSERT_REPORT("cublasGemmEx: CUBLAS_STATUS_EXECUTION_FAILED (13)",
                   tn__testing_run_bytes(program, NULL, &arguments, &bytes));
  cublas->next_status = 3;
  TN_ASSERT_CODE(RESOURCE_EXHAUSTED, tn__testing_run_bytes(program, NULL, &arguments, &bytes));
  TN_ASSERT_OK(tn__testing_run_bytes(program, NULL, &arguments, &bytes));
  free(bytes.bytes);
  tn__testing_buffers_release(&arguments);
  tn_program_release(program);
}

static tn_status_t write_nowhere(const tn_kernel_call_t* call) {
  static const tn_device_code_t code = {
      .text = "TN_KERNEL void tn_entry(TN_GLOBAL int* y) { y[tn_item(0)] = 1; }\n",
      .operation = "test"};
  static int32_t number;
  const tn_launch_argument_t argument = {.address = &number};  // of the host
  tn_encoder_t* encoder = call->context->encoder;
  return encoder->dispatch(encoder, &(tn_dispatch_t){.code = &code,
                                                     .group_count = {1, 1, 1},
                                                     .group_size = {1, 1, 1},
                                                     .argument_count = 1,
                                                     .arguments = &argument});
}

static tn_status_t multiply_nothing(const tn_kernel_call_t* call) {
  static const tn_product_t product = {.dtype = TN_DTYPE_F32,
                                       .result_dtype = TN_DTYPE_F32,
                                       .rows = 1,
                                       .columns = 1,
                                       .depth = 1,
                                       .batch = 1,
                                       .lhs = {.stride = 1},
                                       .rhs = {.stride = 1},
                                       .result = {.stride = 1}};
  tn_encoder_t* encoder = call->context->encoder;
  return encoder->multiply(encoder, &product, NULL, NULL, NULL);
}

static tn_status_t launch(tn_device_t* device, tn_queue_t* queue, tn_kernel_run_fn run) {
  const tn_kernel_t kernel = {.op = "test", .name = "test", .run = run};
  const tn_kernel_context_t context = {.pool = device->pool};
  const tn_kernel_call_t call = {.context = &context};
  return device->vtable->launch(queue, &(tn_launch_t){.kernel = &kernel, .call = &call});
}

// Whether it has failed already when the product is begun, or not yet.
static void a_product_is_not_blamed_for_the_kernel_before(void** state) {
  tn_device_t* device = NULL;
  tn_queue_t* queue = NULL;
  uint32_t tag = 0;
  (void)state;
  TN_ASSERT_OK(tn_device_create("cuda:1", NULL, &device));
  TN_ASSERT_OK(device->vtable->queue_create(device, &queue));
  TN_ASSERT_OK(launch(device, queue, write_nowhere));
  nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
  tn_status_t status = launch(device, queue, multiply_nothing);
  if (!status) status = device->vtable->finish(queue, &tag);
  TN_ASSERT_REPORT("cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)\nnote: a kernel failed",
                   status);
  device->vtable->queue_destroy(queue);
  tn_device_release(device);
}

// --- what the simulated library refuses

typedef struct tn_cublas_object* tn_cublas_handle_t;

static void wrong_calls_are_refused(void** state) {
  enum { NOT_INITIALIZED = 1, INVALID_VALUE = 7, NOT_SUPPORTED = 15 };
  static const float one = 1, zero = 0;
  static const struct {
    int32_t form, rows, a_type, a_stride, compute, status;
  } calls[] = {
      {0, 4, 0, 3, 68, INVALID_VALUE},  {1, 4, 0, 1, 68, INVALID_VALUE},
      {2, 4, 0, 4, 68, INVALID_VALUE},  {0, -1, 0, 4, 68, INVALID_VALUE},
      {0, 4, 1, 4, 68, NOT_SUPPORTED},  {0, 4, 0, 4, 70, NOT_SUPPORTED},
      {0, 4, 10, 4, 72, NOT_SUPPORTED},
  };
  struct {
#define TN_CUBLAS_FUNCTION(result, name, suffix, ...) result (*name)(__VA_ARGS__);
#include "kernel/lib/cublas.def"
#undef TN_CUBLAS_FUNCTION
  } library;
  tn_cublas_handle_t handle = NULL;
  void* opened = dlopen("libcublas.so.12", RTLD_NOW);
  (void)state;
#define TN_CUBLAS_FUNCTION(result, name, suffix, ...) \
  *(void**)&library.name = dlsym(opened, "cublas" #name #suffix);
#include "kernel/lib/cublas.def"
#undef TN_CUBLAS_FUNCTION
  assert_int_equal(library.Create(&handle), NOT_INITIALIZED);  // without a context
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  int32_t (*retain)(void**, int32_t) = NULL, (*release_context)(int32_t) = NULL;
  int32_t (*push)(void*) = NULL, (*pop)(void**) = NULL;
  *(void**)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void**)&release_context = dlsym(driver, "cuDevicePrimaryCtxRelease_v2");
  *(void**)&push = dlsym(driver, "cuCtxPushCurrent_v2");
  *(void**)&pop = dlsym(driver, "cuCtxPopCurrent_v2");
  void* context = NULL;
  assert_int_equal(retain(&context, 0) | push(context), 0);
  assert_int_equal(library.Create(&handle), 0);
  assert_int_equal(library.SetStream(NULL, NULL), NOT_INITIALIZED);
  assert_int_equal(library.SetWorkspace(handle, (void*)(uintptr_t)128, 1024), INVALID_VALUE);
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    assert_int_equal(
        library.GemmEx(handle, calls[i].form, 0, calls[i].rows, 4, 2, &one, NULL, calls[i].a_type,
                       calls[i].a_stride, NULL, 0, 2, &zero, NULL, 0, 4, calls[i].compute, -1),
        calls[i].status);
  }
  assert_int_equal(
      library.GemmEx(NULL, 0, 0, 4, 4, 2, &one, NULL, 0, 4, NULL, 0, 2, &zero, NULL, 0, 4, 68, -1),
      NOT_INITIALIZED);
  assert_int_equal(library.Destroy(handle) | pop(&context) | release_context(0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_of_all_dtypes_are_the_cpus),
      cmocka_unit_test(views_are_read_in_place),
      cmocka_unit_test(other_products_take_our_own_kernels),
      cmocka_unit_test(only_an_algorithm_makes_tf32_of_f32),
      cmocka_unit_test(queues_leave_their_handle_to_later_ones),
      cmocka_unit_test(workspace_goes_back_when_a_run_ends),
      cmocka_unit_test(graphs_keep_products_and_their_workspace),
      cmocka_unit_test(errors_have_cublas_name_for_them),
      cmocka_unit_test(a_product_is_not_blamed_for_the_kernel_before),
      cmocka_unit_test(wrong_calls_are_refused),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
