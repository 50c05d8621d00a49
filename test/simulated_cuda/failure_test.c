// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a device of CUDA says of memory, launches and kernels that go wrong in a program, and what
// is left then.
#include <tenon/kernel.h>

#include "device/cuda/cuda.h"
#include "program/testing_run.h"

#define F4 "tensor<4xf32>"
#define SAME(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)      \
  RET(y, f32, shape_of(x))

static const tn_kernel_library_t kernels =
    TN_KERNEL_LIBRARY("test_kernels",
                      "#include <tenon/gpu.h>\n"
                      "TN_KERNEL void copy(TN_GLOBAL const float* x, TN_GLOBAL float* y) {\n"
                      "  if (tn_item(0) < 4) y[tn_item(0)] = x[tn_item(0)];\n"
                      "}\n");

// --- operations

TN_OP(copies, SAME, "y = x") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(copies) {
  (void)call;
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "copy"));
  TN_TRY(tn_eval_set_input_array(eval, eval->operands[0]));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
  return tn_eval_dispatch_threads(eval, (int64_t[]){4, 1, 1}, NULL);
}
TN_DEFINE(copies, .eval_gpu = copies_eval_gpu)

// Writes to memory of the host.
TN_OP(strays, SAME, "fails") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(strays) {
  static float host[4];
  const float* address = host;
  (void)call;
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "copy"));
  TN_TRY(tn_eval_set_input_array(eval, eval->operands[0]));
  TN_TRY(tn_eval_set_bytes(eval, &address, sizeof address));
  return tn_eval_dispatch_threads(eval, (int64_t[]){4, 1, 1}, NULL);
}
TN_DEFINE(strays, .eval_gpu = strays_eval_gpu)

TN_OP(launches_too_many, SAME, "fails") {
  return TN_ERROR(call, INTERNAL, "on the host");
}
TN_EVAL_GPU(launches_too_many) {
  (void)call;
  TN_TRY(tn_eval_set_kernel(eval, &kernels, "copy"));
  TN_TRY(tn_eval_set_input_array(eval, eval->operands[0]));
  TN_TRY(tn_eval_set_output_array(eval, eval->outputs[0]));
  return tn_eval_dispatch_threadgroups(eval, (int64_t[]){1, 1 << 20, 1}, NULL);
}
TN_DEFINE(launches_too_many, .eval_gpu = launches_too_many_eval_gpu)

// Finds out about whatever went wrong before, and passes it on.
TN_OP_ON("CUDA", "notices", 0, notices, SAME, "y = x") {
  void* stream = NULL;
  const char* reason = NULL;
  const tn_cuda_t* cuda = tn__cuda_load(&reason);
  TN_TRY(tn_stream(call, &stream));
  if (cuda->StreamSynchronize(stream) != TN_CU_SUCCESS) {
    return TN_ERROR(call, INTERNAL, "the library that I use has failed");
  }
  cuda->MemcpyAsync((uintptr_t)call->y.data, (uintptr_t)call->x.data, 4 * sizeof(float), stream);
  return TN_OK;
}

// --- running them

static tn_device_t* device;

static int setup(void** state) {
  static const tn_op_def_t* const definitions[] = {
      tn_definition_of(copies), tn_definition_of(strays), tn_definition_of(launches_too_many)};
  (void)state;
  for (size_t i = 0; i < sizeof definitions / sizeof *definitions; ++i) {
    TN_ASSERT_OK(tn_op_register(definitions[i]));
  }
  TN_ASSERT_OK(tn_target_register("notices", "CUDA", (tn_target_function_t)notices,
                                  TN_API_VERSION_TYPED_FFI));
  tn_status_release(tn_device_create("cuda", NULL, &device));
  return device ? 0 : -1;
}

static int teardown(void** state) {
  (void)state;
  tn_device_release(device);
  return 0;
}

// Each line is an operation of the one before; the first is line 2.
static tn_program_t* compile(size_t count, const char* const* targets, bool is_guarded) {
  const tn_compile_options_t options = {.struct_size = sizeof options, .guard_calls = is_guarded};
  char text[2048];
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  int length = snprintf(text, sizeof text, "func.func @main(%%v0: " F4 ") -> " F4 " {\n");
  for (size_t i = 0; i < count; ++i) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  %%v%zu = stablehlo.custom_call @%s(%%v%zu) {api_version = 4 : i32, "
                       "backend_config = {}} : (" F4 ") -> " F4 "\n",
                       i + 1, targets[i], i);
  }
  snprintf(text + length, sizeof text - (size_t)length, "  return %%v%zu : " F4 "\n}\n", count);
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, &options, &program));
  tn_module_release(module);
  return program;
}

static tn_buffer_t* floats_on(tn_device_t* on) {
  tn_buffer_t* x = NULL;
  TN_ASSERT_OK(tn_buffer_create_from_host(on, TN_DTYPE_F32, 1, (int64_t[]){4},
                                          (float[]){1, 2, 3, 4}, 4 * sizeof(float), &x));
  return x;
}

static void expect_error(size_t count, const char* const* targets, bool is_guarded,
                         const char* error) {
  tn_program_t* program = compile(count, targets, is_guarded);
  tn_buffer_t *x = floats_on(device), *y = NULL;
  TN_ASSERT_REPORT(error, tn_program_run(program, 1, &x, NULL, 1, &y));
  assert_null(y);
  tn_buffer_release(x);
  tn_program_release(program);
}
#define EXPECT_ERROR(is_guarded, error, ...)                                                       \
  expect_error(sizeof((const char*[]){__VA_ARGS__}) / sizeof(char*), (const char*[]){__VA_ARGS__}, \
               is_guarded, error)

#define FAULT "cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS (700)"

static void a_fault_is_blamed_on_the_call_and_not_on_the_next(void** state) {
  (void)state;
  EXPECT_ERROR(false, "test.mlir:2:9: error: custom call @strays: " FAULT, "strays", "notices");
}

static void the_first_of_several_calls_is_blamed(void** state) {
  (void)state;
  EXPECT_ERROR(false, "test.mlir:2:9: error: custom call @copies: " FAULT, "copies", "strays",
               "copies");
}

static void others_that_may_have_failed_are_told_of(void** state) {
  (void)state;
  EXPECT_ERROR(false,
               "note: a kernel failed; what the memory of device cuda:0 held is lost, and the "
               "device can do nothing more\nnote: or a custom call that was launched behind it; "
               "guarded calls (--guard) are waited for one by one",
               "copies", "strays", "copies");
}

static void a_guarded_call_is_blamed_for_its_own_fault(void** state) {
  (void)state;
  EXPECT_ERROR(true, "test.mlir:3:9: error: custom call @strays: " FAULT, "copies", "strays",
               "copies");
}

static void overrun(void* out, const void** in) {
  memcpy(out, in[0], 4 * sizeof(float));
  ((volatile float*)out)[4] = 1;
}

static void a_guarded_call_that_the_host_computes_has_pages_there(void** state) {
  static const char text[] =
      "func.func @main(%x: " F4 ") -> " F4 " {\n  %y = stablehlo.custom_call @overrun(%x) : (" F4
      ") -> " F4 "\n  return %y : " F4 "\n}\n";
  const tn_compile_options_t options = {.struct_size = sizeof options, .guard_calls = true};
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = floats_on(device), *y = NULL;
  (void)state;
  TN_ASSERT_OK(tn_target_register("overrun", "Host", (tn_target_function_t)overrun,
                                  TN_API_VERSION_ORIGINAL));
  TN_ASSERT_OK(tn_module_parse(NULL, "test.mlir", text, strlen(text), &module));
  TN_ASSERT_OK(tn_program_compile(device, module, &options, &program));
  TN_ASSERT_REPORT("custom call @overrun: write past the end of result 0: byte offset 16 of 16",
                   tn_program_run(program, 1, &x, NULL, 1, &y));
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
}

// Once in full; what comes after is refused. What the host has stays, and everything is released.
static void a_fault_closes_the_device_and_leaves_the_host_alone(void** state) {
  tn_program_t* program = compile(1, (const char*[]){"copies"}, false);
  tn_buffer_t *x = floats_on(device), *y = NULL, *z = NULL, *home = NULL;
  tn_device_t *cpu = NULL, *again = NULL;
  float numbers[4] = {0};
  (void)state;
  TN_ASSERT_OK(tn_device_create("cpu", NULL, &cpu));
  TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
  TN_ASSERT_OK(tn_buffer_to_device(y, cpu, NULL, &home));
  EXPECT_ERROR(false, "note: a kernel failed; what the memory of device cuda:0 held is lost",
               "strays");
  const char* const refusal = "device cuda:0 can do nothing more since CUDA_ERROR_ILLEGAL_ADDRESS";
  TN_ASSERT_REPORT(refusal, tn_program_run(program, 1, &x, NULL, 1, &z));
  TN_ASSERT_REPORT(refusal, tn_buffer_to_host(y, numbers, sizeof numbers));
  TN_ASSERT_OK(tn_buffer_to_host(home, numbers, sizeof numbers));
  assert_true(numbers[3] == 4);
  tn_buffer_release(x);
  tn_buffer_release(y);
  tn_buffer_release(home);
  tn_program_release(program);
  tn_device_release(cpu);
  // The context goes with the last that uses it, and its error with it.
  tn_device_release(device);
  TN_ASSERT_OK(tn_device_create("cuda", NULL, &again));
  device = again;
  program = compile(1, (const char*[]){"copies"}, false);
  x = floats_on(device);
  TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
  tn__testing_expect_floats(y, 4, (float[]){1, 2, 3, 4});
  tn_buffer_release(x);
  tn_buffer_release(y);
  tn_program_release(program);
}

static void a_run_that_was_under_way_tells_of_a_loss_that_another_saw(void** state) {
  tn_stream_t* streams[2] = {NULL, NULL};
  tn_program_t *strays = compile(1, (const char*[]){"strays"}, false),
               *copies = compile(1, (const char*[]){"copies"}, false);
  tn_buffer_t *x = floats_on(device), *y[2] = {NULL, NULL};
  tn_status_t status = NULL;
  (void)state;
  for (int i = 0; i < 2; ++i) {
    TN_ASSERT_OK(tn_stream_create(device, &streams[i]));
    const tn_run_options_t options = {.struct_size = sizeof options, .stream = streams[i]};
    tn_buffer_t* argument = i ? y[0] : x;
    status = tn_program_run(i ? copies : strays, 1, &argument, &options, 1, &y[i]);
    if (i == 0) TN_ASSERT_OK(status);
  }
  if (status) {  // the first was over before the second began
    TN_ASSERT_REPORT("can do nothing more", status);
  } else {
    for (int i = 0; i < 2; ++i) {
      TN_ASSERT_REPORT("custom call @strays: " FAULT, tn_stream_synchronize(streams[1 - i]));
    }
  }
  for (int i = 0; i < 2; ++i) {
    tn_buffer_release(y[i]);
    tn_stream_release(streams[i]);
  }
  tn_buffer_release(x);
  tn_program_release(strays);
  tn_program_release(copies);
}

static void a_launch_that_is_too_large_names_the_call(void** state) {
  (void)state;
  EXPECT_ERROR(false,
               "custom call @launches_too_many: INVALID_ARGUMENT: kernel copy of test_kernels: the "
               "kernel of launches_too_many is launched with 1 x 1048576 x 1 groups of 256 x 1 x 1 "
               "items; CUDA has at most 2147483647 x 65535 x 65535 groups",
               "launches_too_many");
}

// The device goes on.
static void memory_that_is_short_says_what_was_needed(void** state) {
  static const char text[] =
      "func.func @main(%x: tensor<1x1xf32>) -> tensor<16384x32768xf32> {\n"
      "  %y = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<1x1xf32>) -> "
      "tensor<16384x32768xf32>\n"
      "  return %y : tensor<16384x32768xf32>\n}\n";
  tn_buffer_t *x = NULL, *y = NULL;
  (void)state;
  tn_device_set_memory_limit(device, UINT64_C(1) << 40);  // more than there is
  tn_program_t* program = tn__testing_program_on(device, text, false);
  TN_ASSERT_OK(tn_buffer_create_from_host(device, TN_DTYPE_F32, 2, (int64_t[]){1, 1}, (float[]){1},
                                          sizeof(float), &x));
  TN_ASSERT_REPORT(
      "error: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)\nnote: device cuda:0: asked "
      "for 2147483648 bytes\nnote: the program needs 2147483648 bytes for results",
      tn_program_run(program, 1, &x, NULL, 1, &y));
  tn_buffer_release(x);
  tn_program_release(program);
  program = compile(1, (const char*[]){"copies"}, false);
  x = floats_on(device);
  TN_ASSERT_OK(tn_program_run(program, 1, &x, NULL, 1, &y));
  tn_buffer_release(x);
  tn_buffer_release(y);
  tn_program_release(program);
}

static void arrays_of_another_device_are_refused(void** state) {
  static const char* const names[] = {"cuda:1", "cpu"};
  tn_program_t* program = compile(1, (const char*[]){"copies"}, false);
  (void)state;
  for (int i = 0; i < 2; ++i) {
    tn_device_t* other = NULL;
    tn_buffer_t* y = NULL;
    char devices[64];
    TN_ASSERT_OK(tn_device_create(names[i], NULL, &other));
    tn_buffer_t* x = floats_on(other);
    snprintf(devices, sizeof devices, "the devices are %s and cuda:0", tn_device_name(other));
    TN_ASSERT_REPORT(devices, tn_program_run(program, 1, &x, NULL, 1, &y));
    tn_buffer_release(x);
    tn_device_release(other);
  }
  tn_program_release(program);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_fault_is_blamed_on_the_call_and_not_on_the_next),
      TEST(the_first_of_several_calls_is_blamed),
      TEST(others_that_may_have_failed_are_told_of),
      TEST(a_guarded_call_is_blamed_for_its_own_fault),
      TEST(a_guarded_call_that_the_host_computes_has_pages_there),
      TEST(a_fault_closes_the_device_and_leaves_the_host_alone),
      TEST(a_run_that_was_under_way_tells_of_a_loss_that_another_saw),
      TEST(a_launch_that_is_too_large_names_the_call),
      TEST(memory_that_is_short_says_what_was_needed),
      TEST(arrays_of_another_device_are_refused),
  };
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
