// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations with an eval_gpu: on a device that is not the host they launch kernels of a library.
#include <tenon/kernel.h>
#include <unistd.h>

#include "device/kernel_file.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"

static const tn_kernel_library_t kernels = TN_KERNEL_LIBRARY(
    "test_kernels",
    "#include <tenon/gpu.h>\n"
    "#define LINEAR(name, type, load, store)                                                \\\n"
    "  TN_KERNEL void linear_##name(TN_GLOBAL const type* x, TN_GLOBAL type* y, float scale,  \\\n"
    "                               tn_i64 size, int rank, tn_dims dims, tn_dims strides) {   \\\n"
    "    const tn_i64 i = tn_item(0);                                                          \\\n"
    "    if (i < size) store(y, i, scale * load(x, tn_elem_to_loc(i, rank, &dims, &strides))); \\\n"
    "  }\n"
    "LINEAR(float32, float, tn_load_f32, tn_store_f32)\n"
    "LINEAR(float16, tn_f16, tn_load_f16, tn_store_f16)\n"
    "LINEAR(bfloat16, tn_bf16, tn_load_bf16, tn_store_bf16)\n"
    "TN_KERNEL void reverse(TN_GLOBAL const float* x, TN_GLOBAL float* y, tn_i64 size) {\n"
    "  TN_SHARED float row[256];\n"
    "  const tn_i64 lane = tn_lane(0), last = tn_group_size(0) - 1;\n"
    "  if (tn_item(0) < size) row[lane] = x[tn_item(0)];\n"
    "  tn_barrier();\n"
    "  if (tn_item(0) < size) y[tn_item(0)] = row[last - lane];\n"
    "}\n");

static const tn_kernel_library_t broken =
    TN_KERNEL_LIBRARY("broken_kernels", "TN_KERNEL void f(TN_GLOBAL float* x) {\n  x[0] = y;\n}\n");

static const tn_kernel_library_t nowhere = TN_KERNEL_LIBRARY_FILE("nowhere_kernels");
static const tn_kernel_library_t elsewhere = TN_KERNEL_LIBRARY_FILE("else/where_kernels");
static const tn_kernel_library_t filed_kernels = TN_KERNEL_LIBRARY_FILE("program_gpu_eval_test");

// --- operations

#define LINEAR(ARG, ATTR, RET)             \
  ARG(x, of(f32, f16, bf16), any_rank)     \
  ATTR(scale, float, 2.0f, "multiplies x") \
  RET(y, dtype_of(x), shape_of(x))

static int host_call_count;

TN_OP(linear, LINEAR, "y = scale * x") {
  ++host_call_count;
  for (int64_t i = 0; i < tn_size(call->x); ++i) {
    ((float*)call->y.data)[i] = call->scale * ((const float*)call->x.data)[i];
  }
  return TN_OK;
}

TN_EVAL_GPU(linear) {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  const char* name = x->dtype == TN_FFI_F32   ? "linear_float32"
                     : x->dtype == TN_FFI_F16 ? "linear_float16"
                                              : "linear_bfloat16";
  const int rank = (int)x->rank;
  TN_TRY(tn_eval_set_kernel(eval, &kernels, name));
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, y));
  TN_TRY(tn_eval_set_bytes(eval, &call->scale, sizeof call->scale));
  TN_TRY(tn_eval_set_bytes(eval, &y->element_count, sizeof y->element_count));
  TN_TRY(tn_eval_set_bytes(eval, &rank, sizeof rank));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->dims, x->rank));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->strides, x->rank));
  return tn_eval_dispatch_threads(eval, (int64_t[]){y->element_count, 1, 1}, NULL);
}
TN_DEFINE(linear, .eval_gpu = linear_eval_gpu)

#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

static tn_status_t reverse_rows(const tn_eval_call_t* eval, const tn_strided_t* from,
                                const tn_strided_t* to, const int64_t* group) {
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "reverse"));
  TN_TRY(tn_eval_set_input_array(eval, from));
  TN_TRY(tn_eval_set_output_array(eval, to));
  TN_TRY(tn_eval_set_bytes(eval, &to->element_count, sizeof to->element_count));
  return tn_eval_dispatch_threads(eval, (int64_t[]){to->element_count, 1, 1}, group);
}

// [1, 2, 3, 4] to [2, 1, 4, 3] in a temporary, and then to [3, 4, 1, 2].
TN_OP(turn, SAME, "pairs, then all") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(turn) {
  const tn_strided_t* x = eval->operands[0];
  tn_strided_t* between = NULL;
  TN_TRY(tn_eval_add_temporary(eval, TN_FFI_F32, x->rank, x->dims, &between));
  TN_TRY(reverse_rows(eval, x, between, (int64_t[]){2, 1, 1}));
  return reverse_rows(eval, between, eval->outputs[0], (int64_t[]){4, 1, 1});
}
TN_DEFINE(turn, .eval_gpu = turn_eval_gpu)

// Takes the memory of its operand where it may, and says so.
static int donated_count;

TN_EVAL_OP(reuse, SAME, "y = 2 x") {
  (void)call;
  return TN_EVAL_ERROR(eval, INTERNAL, "on the host");
}
TN_EVAL_GPU(reuse) {
  const tn_strided_t* x = eval->operands[0];
  const float scale = 2;
  const int rank = (int)x->rank;
  const bool is_donatable = x->flags & TN_DONATABLE;
  donated_count += is_donatable;
  TN_TRY(is_donatable ? tn_eval_donate(eval, 0, 0) : tn_eval_allocate(eval, 0));
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "linear_float32"));
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
  TN_TRY(tn_eval_set_bytes(eval, &scale, sizeof scale));
  TN_TRY(tn_eval_set_bytes(eval, &x->element_count, sizeof x->element_count));
  TN_TRY(tn_eval_set_bytes(eval, &rank, sizeof rank));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->dims, x->rank));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->strides, x->rank));
  return tn_eval_dispatch_threads(eval, (int64_t[]){x->element_count, 1, 1}, NULL);
}
TN_DEFINE(reuse, .flags = TN_OP_ALLOCATES, .donates = 1, .eval_cpu = reuse_eval,
          .eval_gpu = reuse_eval_gpu)

TN_EVAL_OP(unplaced, SAME, "forgets its output") {
  (void)call;
  return TN_EVAL_ERROR(eval, INTERNAL, "on the host");
}
TN_EVAL_GPU(unplaced) {
  (void)eval;
  return TN_OK;
}
TN_DEFINE(unplaced, .flags = TN_OP_ALLOCATES, .eval_cpu = unplaced_eval,
          .eval_gpu = unplaced_eval_gpu)

// One group, as large as one can be.
TN_OP(grand, SAME, "y = x") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(grand) {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  int64_t size = 0;
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "linear_float32"));
  TN_TRY(tn_eval_greatest_group_size(eval, &size));
  if (size < 64 || size > 1024) return TN_EVAL_ERROR(eval, INTERNAL, "%d threads", (int)size);
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, y));
  TN_TRY(tn_eval_set_bytes(eval, &(float){1}, sizeof(float)));
  TN_TRY(tn_eval_set_bytes(eval, &y->element_count, sizeof y->element_count));
  TN_TRY(tn_eval_set_bytes(eval, &(int){(int)x->rank}, sizeof(int)));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->dims, x->rank));
  TN_TRY(tn_eval_set_vector_bytes(eval, x->strides, x->rank));
  return tn_eval_dispatch_threads(eval, (int64_t[]){1, 1, 1}, (int64_t[]){size, 1, 1});
}
TN_DEFINE(grand, .eval_gpu = grand_eval_gpu)

// By two kernels of a file.
TN_OP(filed, SAME, "y = 6 x") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(filed) {
  static const char* const names[] = {"twice", "thrice"};
  const tn_strided_t *from = eval->operands[0], *to = eval->outputs[0];
  for (size_t i = 0; i < 2; ++i, from = to) {
    TN_TRY(tn_eval_set_kernel(eval, &filed_kernels, names[i]));
    TN_TRY(tn_eval_set_input_array(eval, from));
    TN_TRY(tn_eval_set_output_array(eval, to));
    TN_TRY(tn_eval_dispatch_threads(eval, (int64_t[]){4, 1, 1}, (int64_t[]){4, 1, 1}));
  }
  return TN_OK;
}
TN_DEFINE(filed, .flags = TN_OP_ROW_CONTIGUOUS, .eval_gpu = filed_eval_gpu)

// What an eval may do wrong, chosen by an attribute.
enum {
  NO_KERNEL,
  NOT_THERE,
  NOT_C,
  LARGE_GROUP,
  LONG_VECTOR,
  LARGE_VALUES,
  SHARES,
  WRONG_SIZE,
  MISSING,
  NO_FILE,
  NO_NAME_OF_FILE,
  NEGATIVE_GRID,
  EMPTY_GRID,
  NO_LAUNCH
};
#define WRONG(ARG, ATTR, RET)             \
  ARG(x, f32, any_rank)                   \
  ATTR(what, int32_t, 0, "which mistake") \
  RET(y, f32, shape_of(x))

TN_OP(wrong, WRONG, "fails") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(wrong) {
  static const int64_t one[3] = {1, 1, 1}, large[3] = {64, 32, 1};
  static const int64_t negative[3] = {-1, 1, 1}, empty[3] = {4, 0, 1};
  if (call->what == NO_LAUNCH) return TN_OK;
  const int64_t numbers[9] = {0};
  const char values[2048] = {0};
  const tn_strided_t* x = eval->operands[0];
  if (call->what == NO_KERNEL) return tn_eval_set_input_array(eval, x);
  if (call->what == SHARES) return tn_eval_share(eval, 0, 0, 0, x->strides);
  const bool is_broken = call->what == NOT_C;
  if (call->what == NO_FILE) return tn_eval_set_kernel(eval, &nowhere, "f");
  if (call->what == NO_NAME_OF_FILE) return tn_eval_set_kernel(eval, &elsewhere, "f");
  TN_TRY(tn_eval_set_kernel(eval, is_broken ? &broken : &kernels,
                            is_broken                 ? "f"
                            : call->what == NOT_THERE ? "inverse"
                                                      : "reverse"));
  if (call->what == NEGATIVE_GRID) return tn_eval_dispatch_threads(eval, negative, NULL);
  if (call->what == EMPTY_GRID) return tn_eval_dispatch_threadgroups(eval, empty, NULL);
  if (call->what == LARGE_GROUP) return tn_eval_dispatch_threads(eval, one, large);
  if (call->what == LONG_VECTOR) return tn_eval_set_vector_bytes(eval, numbers, 9);
  if (call->what == LARGE_VALUES) return tn_eval_set_bytes(eval, values, sizeof values);
  TN_TRY(tn_eval_set_input_array(eval, x));
  if (call->what == WRONG_SIZE) {
    TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
    TN_TRY(tn_eval_set_bytes(eval, values, 16));
  }
  return tn_eval_dispatch_threads(eval, one, NULL);
}
TN_DEFINE(wrong, .eval_gpu = wrong_eval_gpu)

TN_EVAL_OP(launch_on_the_host, SAME, "launches where nothing can be launched") {
  return tn_eval_set_kernel(eval, &kernels, "reverse");
}
TN_DEFINE(launch_on_the_host, .eval_cpu = launch_on_the_host_eval)

// Reads its operand as dense memory.
TN_EVAL_OP(dense_copy, SAME, "y = x") {
  (void)call;
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  if (!(x->flags & TN_ROW_CONTIGUOUS)) return TN_EVAL_ERROR(eval, INTERNAL, "a view");
  memcpy(y->data, x->data, (size_t)x->element_count * sizeof(float));
  return TN_OK;
}
TN_DEFINE(dense_copy, .flags = TN_OP_ROW_CONTIGUOUS, .eval_cpu = dense_copy_eval)

// --- running them

static const char* device_name;

static int setup(void** state) {
  static const tn_op_def_t* const definitions[] = {
      tn_definition_of(linear),     tn_definition_of(turn),  tn_definition_of(reuse),
      tn_definition_of(unplaced),   tn_definition_of(wrong), tn_definition_of(launch_on_the_host),
      tn_definition_of(dense_copy), tn_definition_of(grand), tn_definition_of(filed)};
  tn_device_t* device = NULL;
  for (size_t i = 0; i < sizeof definitions / sizeof *definitions; ++i) {
    TN_ASSERT_OK(tn_op_register(definitions[i]));
  }
  tn_status_release(tn_device_create(device_name, NULL, &device));
  *state = device;
  return 0;
}

static int teardown(void** state) {
  tn_device_release(*state);
  return 0;
}

// Where a driver is missing there is nothing to test.
static tn_device_t* device_of(void** state) {
  if (!*state) skip();
  return *state;
}

static tn_status_t run(tn_device_t* device, const char* text, size_t rank, const int64_t* dims,
                       tn_buffer_t** out_y) {
  static const float values[] = {1, 2, 3, 4, 5, 6};
  const size_t count = rank == 1 ? 4 : 6;
  tn_program_t* program = tn__testing_program_on(device, text, false);
  tn_buffer_t* x = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, rank, dims, values,
                                          count * sizeof(float), &x));
  tn_status_t status = TN_OK;
  for (int i = 0; i < 2 && !status; ++i) {
    if (i) tn_buffer_release(*out_y);
    status = tn_program_run(program, 1, &x, NULL, 1, out_y);
  }
  tn_buffer_release(x);
  tn_program_release(program);
  return status;
}

static void expect(tn_device_t* device, const char* text, size_t rank, const int64_t* dims,
                   size_t count, const float* expected) {
  tn_buffer_t* y = NULL;
  TN_ASSERT_OK(run(device, text, rank, dims, &y));
  tn__testing_expect_floats(y, count, expected);
  tn_buffer_release(y);
}

#define ON_4(target, config)                                                       \
  "func.func @main(%x: " F4 ") -> " F4 " {\n  %y = stablehlo.custom_call @" target \
  "(%x) {api_version = 4 : i32, backend_config = {" config "}} : (" F4 ") -> " F4  \
  "\n  return %y "                                                                 \
  ": " F4 "\n}\n"

static void kernels_are_launched_on_the_device_and_nowhere_else(void** state) {
  tn_device_t *device = device_of(state), *cpu = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &cpu));
  host_call_count = 0;
  expect(device, ON_4("linear", "scale = 3.0 : f32"), 1, (int64_t[]){4}, 4, (float[]){3, 6, 9, 12});
  assert_int_equal(host_call_count, 0);
  expect(cpu, ON_4("linear", "scale = 3.0 : f32"), 1, (int64_t[]){4}, 4, (float[]){3, 6, 9, 12});
  assert_int_equal(host_call_count, 2);
  tn_device_release(cpu);
}

static void operands_come_with_their_strides(void** state) {
  expect(device_of(state),
         "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
         "  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
         "  %y = stablehlo.custom_call @linear(%t) {api_version = 4 : i32, backend_config = {}} : "
         "(tensor<3x2xf32>) -> tensor<3x2xf32>\n"
         "  return %y : tensor<3x2xf32>\n}\n",
         2, (int64_t[]){2, 3}, 6, (float[]){2, 8, 4, 10, 6, 12});
}

#define NARROW(dtype)                                                                            \
  "func.func @main(%x: " F4 ") -> " F4 " {\n  %a = stablehlo.convert %x : (" F4                  \
  ") -> tensor<4x" dtype                                                                         \
  ">\n  %b = stablehlo.custom_call @linear(%a) {api_version = 4 : i32, backend_config = {scale " \
  "= 0.5 : f32}} : (tensor<4x" dtype ">) -> tensor<4x" dtype                                     \
  ">\n  %y = stablehlo.convert %b : (tensor<4x" dtype ">) -> " F4 "\n  return %y : " F4 "\n}\n"

static void one_source_serves_several_dtypes(void** state) {
  const float halves[] = {0.5f, 1, 1.5f, 2};
  expect(device_of(state), NARROW("f16"), 1, (int64_t[]){4}, 4, halves);
  expect(device_of(state), NARROW("bf16"), 1, (int64_t[]){4}, 4, halves);
}

static void kernels_run_in_order_with_temporaries_and_shared_memory(void** state) {
  expect(device_of(state), ON_4("turn", ""), 1, (int64_t[]){4}, 4, (float[]){3, 4, 1, 2});
}

static void a_kernel_says_how_large_its_groups_can_be(void** state) {
  expect(device_of(state), ON_4("grand", ""), 1, (int64_t[]){4}, 4, (float[]){1, 2, 3, 4});
}

static void an_operand_that_nobody_needs_gives_its_memory(void** state) {
  tn_device_t* device = device_of(state);
  donated_count = 0;
  expect(device, ON_4("reuse", ""), 1, (int64_t[]){4}, 4, (float[]){2, 4, 6, 8});
  assert_int_equal(donated_count, 0);
  expect(device,
         "func.func @main(%x: " F4 ") -> " F4 " {\n  %a = stablehlo.iota dim = 0 : " F4
         "\n  %b = stablehlo.add %a, %x : " F4
         "\n  %y = stablehlo.custom_call @reuse(%b) {api_version = 4 : i32, backend_config = {}} : "
         "(" F4 ") -> " F4 "\n  %z = stablehlo.add %y, %x : " F4 "\n  return %z : " F4 "\n}\n",
         1, (int64_t[]){4}, 4, (float[]){3, 8, 13, 18});
  assert_int_equal(donated_count, 2);
}

static void an_output_in_the_place_of_an_operand_is_computed_beside_it(void** state) {
  expect(device_of(state),
         "func.func @main(%x: " F4 ") -> " F4 " {\n  %a = stablehlo.negate %x : " F4
         "\n  %y = stablehlo.custom_call @turn(%a) {api_version = 4 : i32, backend_config = {}, "
         "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
         "operand_index = 0, operand_tuple_indices = []>]} : (" F4 ") -> " F4 "\n  return %y : " F4
         "\n}\n",
         1, (int64_t[]){4}, 4, (float[]){-3, -4, -1, -2});
}

static void an_output_without_memory_is_an_error(void** state) {
  tn_device_t* device = device_of(state);
  tn_buffer_t* y = NULL;
  TN_ASSERT_REPORT("output 0 was left without memory",
                   run(device, ON_4("unplaced", ""), 1, (int64_t[]){4}, &y));
}

static void what_is_wrong_is_said(void** state) {
  static const struct {
    const char *config, *error;
  } cases[] = {
      {"what = 0 : i32", "a parameter is set before the kernel: see tn_eval_set_kernel"},
      {"what = 1 : i32", "kernel library test_kernels has no kernel \"inverse\""},
      {"what = 2 : i32", "kernel library broken_kernels does not compile: "},
      {"what = 3 : i32",
       "kernel reverse: groups of 64 x 32 x 1 threads, 1 x 1 x 1 of them; expected groups of 1 to "
       "1024"},
      {"what = 4 : i32", "set_vector_bytes: 9 numbers; expected at most 8"},
      {"what = 5 : i32", "set_bytes: 2048 bytes; expected 1 to 1024"},
      {"what = 6 : i32", "tn_eval_share: not on a GPU"},
      {"what = 7 : i32", "kernel reverse of test_kernels: parameter 2, set to 16 bytes: "},
      {"what = 8 : i32", "kernel reverse of test_kernels: it has 3 parameters; 1 are set"},
      {"what = 9 : i32", "/nowhere_kernels.kernels: No such file or directory"},
      {"what = 10 : i32",
       "kernel library \"else/where_kernels\": expected the name of a file, without a folder and "
       "an "
       "ending"},
      {"what = 11 : i32", "kernel reverse: a grid of -1 x 1 x 1 threads; expected at least 1"},
      {"what = 12 : i32", "kernel reverse: a grid of 4 x 0 x 1 groups; expected at least 1"},
      {"what = 13 : i32", "output 0 was not written: eval_gpu launched no kernel"},
  };
  tn_device_t* device = device_of(state);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1024];
    tn_buffer_t* y = NULL;
    snprintf(text, sizeof text,
             "func.func @main(%%x: " F4 ") -> " F4
             " {\n  %%y = stablehlo.custom_call @wrong(%%x) {api_version = 4 : i32, "
             "backend_config = {%s}} : (" F4 ") -> " F4 "\n  return %%y : " F4 "\n}\n",
             cases[i].config);
    TN_ASSERT_REPORT(cases[i].error, run(device, text, 1, (int64_t[]){4}, &y));
    assert_null(y);
  }
}

static void a_kernel_library_is_a_file_beside_the_program(void** state) {
  tn_device_t* device = device_of(state);
  char *path = NULL, name[4200], other_name[4240];
  TN_ASSERT_OK(tn__kernel_file_path(&filed_kernels, filed_kernels.name, &path));
  snprintf(name, sizeof name, "%s" TN_KERNEL_FILE_SOURCE, path);
  snprintf(other_name, sizeof other_name, "%s.%d", name, (int)getpid());
  FILE* file = fopen(other_name, "w");
  assert_non_null(file);
  fputs(
      "#include <tenon/gpu.h>\n"
      "#define TIMES(name, n) TN_KERNEL void name(TN_GLOBAL const float* x, TN_GLOBAL float* y) "
      "{\\\n"
      "  y[tn_item(0)] = n * x[tn_item(0)];\\\n"
      "}\n"
      "TIMES(twice, 2)\n"
      "#include <tenon/gpu.h>\n"
      "TIMES(thrice, 3)\n",
      file);
  fclose(file);
  assert_int_equal(rename(other_name, name), 0);  // another process may run this test
  expect(device, ON_4("filed", ""), 1, (int64_t[]){4}, 4, (float[]){6, 12, 18, 24});
  free(path);
}

static void an_eval_of_the_host_launches_nothing(void** state) {
  tn_device_t* device = device_of(state);
  tn_buffer_t* y = NULL;
  TN_ASSERT_REPORT("only an eval_gpu launches kernels of a GPU",
                   run(device, ON_4("launch_on_the_host", ""), 1, (int64_t[]){4}, &y));
}

// Guarded calls too, which have kernels of their own.
static void an_eval_of_dense_operands_gets_copies_of_views(void** state) {
  (void)state;
  static const char text[] =
      "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {\n"
      "  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>\n"
      "  %y = stablehlo.custom_call @dense_copy(%t) {api_version = 4 : i32, backend_config = {}} : "
      "(tensor<3x2xf32>) -> tensor<3x2xf32>\n"
      "  return %y : tensor<3x2xf32>\n}\n";
  tn_device_t* cpu = NULL;
  tn_module_t* module = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &cpu));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_buffer_create_from_host(cpu, TN_DTYPE_F32, 2, (int64_t[]){2, 3},
                                          (float[]){1, 2, 3, 4, 5, 6}, 6 * sizeof(float), &x));
  for (int is_guarded = 0; is_guarded < 2; ++is_guarded) {
    const tn_compile_options_t options = {.struct_size = sizeof options, .guard_calls = is_guarded};
    tn_program_t* program = NULL;
    TN_ASSERT_OK(tn_program_compile(cpu, module, &options, &program));
    TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
    tn__testing_expect_floats(y, 6, (float[]){1, 4, 2, 5, 3, 6});
    tn_buffer_release(y);
    tn_program_release(program);
  }
  tn_buffer_release(x);
  tn_module_release(module);
  tn_device_release(cpu);
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_are_launched_on_the_device_and_nowhere_else),
      cmocka_unit_test(operands_come_with_their_strides),
      cmocka_unit_test(one_source_serves_several_dtypes),
      cmocka_unit_test(kernels_run_in_order_with_temporaries_and_shared_memory),
      cmocka_unit_test(a_kernel_says_how_large_its_groups_can_be),
      cmocka_unit_test(an_operand_that_nobody_needs_gives_its_memory),
      cmocka_unit_test(an_output_in_the_place_of_an_operand_is_computed_beside_it),
      cmocka_unit_test(an_output_without_memory_is_an_error),
      cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(a_kernel_library_is_a_file_beside_the_program),
      cmocka_unit_test(an_eval_of_the_host_launches_nothing),
      cmocka_unit_test(an_eval_of_dense_operands_gets_copies_of_views),
  };
  static const char* const names[] = {"opencl", "cuda"};
  int failed = 0;
  for (size_t i = 0; i < 2; ++i) {
    device_name = names[i];
    failed +=
        _cmocka_run_group_tests(names[i], tests, sizeof tests / sizeof *tests, setup, teardown);
  }
  return failed;
}
