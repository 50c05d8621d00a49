// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From text or the builder to results, with every allocation refused in turn.
#include <tenon/builder.h>
#include <tenon/tenon.h>

#include "base/testing.h"
#include "base/testing_allocator.h"

static const char text[] =
    "func.func @main(%x: tensor<4x3xf32>, %n: tensor<i32>) -> (tensor<4xf32>, tensor<4x3xf32>) {\n"
    "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %none = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %l:2 = stablehlo.while(%i = %none, %y = %x) : tensor<i32>, tensor<4x3xf32>\n"
    "  cond {\n"
    "    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n"
    "  } do {\n"
    "    %k = stablehlo.add %i, %one : tensor<i32>\n"
    "    %z = func.call @twice(%y) : (tensor<4x3xf32>) -> tensor<4x3xf32>\n"
    "    stablehlo.return %k, %z : tensor<i32>, tensor<4x3xf32>\n"
    "  }\n"
    "  %id = stablehlo.constant dense<[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]> : "
    "tensor<3x3xf32>\n"
    "  %e = stablehlo.einsum %l#1, %id, config = \"ab,bc->ac\" : (tensor<4x3xf32>, "
    "tensor<3x3xf32>) -> tensor<4x3xf32>\n"
    "  %rows = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi32>\n"
    "  %t = \"stablehlo.torch_index_select\"(%e, %rows) <{dim = 0 : i64, batch_dims = 0 : i64}> : "
    "(tensor<4x3xf32>, tensor<4xi32>) -> tensor<4x3xf32>\n"
    "  %f = \"stablehlo.async_start\"(%t) ({\n"
    "  ^bb0(%a: tensor<4x3xf32>):\n"
    "    %c = stablehlo.slice %a [0:4, 0:3] : (tensor<4x3xf32>) -> tensor<4x3xf32>\n"
    "    stablehlo.return %c : tensor<4x3xf32>\n"
    "  }) : (tensor<4x3xf32>) -> !stablehlo.future<tensor<4x3xf32>>\n"
    "  %d = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<4x3xf32>>) -> "
    "tensor<4x3xf32>\n"
    "  %nought = stablehlo.subtract %n, %n : tensor<i32>\n"
    "  %b = stablehlo.broadcast_in_dim %nought, dims = [] : (tensor<i32>) -> tensor<2xi32>\n"
    "  %g = stablehlo.dynamic_pad %d, %zero, %b, %b, %b : (tensor<4x3xf32>, tensor<f32>, "
    "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x3xf32>\n"
    "  %v = stablehlo.transpose %g, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>\n"
    "  %v0 = stablehlo.slice %v [0:2, 0:4] : (tensor<3x4xf32>) -> tensor<2x4xf32>\n"
    "  %v1 = stablehlo.slice %v [2:3, 0:4] : (tensor<3x4xf32>) -> tensor<1x4xf32>\n"
    "  %h = stablehlo.concatenate %v0, %v1, dim = 0 : (tensor<2x4xf32>, tensor<1x4xf32>) -> "
    "tensor<3x4xf32>\n"
    "  %s = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [0] : "
    "(tensor<3x4xf32>, tensor<f32>) -> tensor<4xf32>\n"
    "  return %s, %l#1 : tensor<4xf32>, tensor<4x3xf32>\n"
    "}\n"
    "func.func private @twice(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {\n"
    "  %0 = stablehlo.add %x, %x : tensor<4x3xf32>\n"
    "  return %0 : tensor<4x3xf32>\n"
    "}\n";

static tn_status_t run(tn_device_t* device, tn_program_t* program) {
  const float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const int32_t n = 2;
  tn_buffer_t *arguments[2] = {NULL, NULL}, *results[2] = {NULL, NULL};
  float sums[4];
  tn_status_t status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 2, (int64_t[]){4, 3}, x,
                                                  sizeof x, &arguments[0]);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_S32, 0, NULL, &n, sizeof n, &arguments[1]);
  }
  if (!status) status = tn_program_run(program, 2, arguments, NULL, 2, results);
  if (!status) status = tn_buffer_to_host(results[0], sums, sizeof sums);
  if (!status) assert_true(sums[0] == 24 && sums[3] == 132);
  for (int i = 0; i < 2; ++i) {
    tn_buffer_release(results[i]);
    tn_buffer_release(arguments[i]);
  }
  return status;
}

static tn_status_t from_text_to_results(const tn_allocator_t* allocator, void* context) {
  const tn_compile_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .keep_all = *(const bool*)context};
  const tn_device_options_t device_options = {
      .struct_size = sizeof device_options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_status_t status = tn_device_create("cpu", &device_options, &device);
  if (!status) {
    status = tn_module_parse(allocator, "test.mlir", text, sizeof text - 1, &module);
  }
  if (!status) status = tn_program_compile(device, module, &options, &program);
  if (!status) status = run(device, program);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

static tn_status_t from_builder_to_module(const tn_allocator_t* allocator, void* context) {
  (void)context;
  tn_builder_t* builder = NULL;
  tn_module_t* module = NULL;
  tn_status_t status = tn_builder_create(allocator, "test", &builder);
  if (!status) {
    const tn_type_t* type = tn_builder_tensor_type(builder, TN_DTYPE_F32, 1, (int64_t[]){8});
    tn_value_t* x = tn_builder_parameter(builder, 0, type, "x");
    tn_value_t* pair[] = {x, tn_builder_exponential(builder, x)};
    tn_value_t* sum = tn_builder_add(
        builder, x, tn_builder_get_tuple_element(builder, tn_builder_tuple(builder, 2, pair), 1));
    const tn_attribute_t eps = {
        .name = "eps", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F32, .real = 1e-3};
    const tn_custom_call_options_t options = {.struct_size = sizeof options,
                                              .api_version = TN_API_VERSION_TYPED_FFI,
                                              .attribute_count = 1,
                                              .attributes = &eps};
    tn_value_t* y = tn_builder_custom_call(builder, "f", 1, &sum, type, &options);
    tn_value_t* total = NULL;
    tn_value_t* zero = tn_builder_scalar_f32(builder, 0);
    tn_computation_t* add = tn_builder_binary_computation(builder, "add", TN_DTYPE_F32);
    tn_builder_reduce(builder, 1, &y, &zero, add, 1, (int64_t[]){0}, &total);
    status = tn_builder_build(builder, 1, &total, &module);
  }
  tn_module_release(module);
  tn_builder_destroy(builder);
  return status;
}

static void a_program_survives_any_refused_allocation(void** state) {
  (void)state;
  bool keep_all = false;
  tn__testing_sweep_allocations(from_text_to_results, &keep_all);
}

static void a_program_with_calls_survives_any_refused_allocation(void** state) {
  (void)state;
  bool keep_all = true;
  tn__testing_sweep_allocations(from_text_to_results, &keep_all);
}

static void a_builder_survives_any_refused_allocation(void** state) {
  (void)state;
  tn__testing_sweep_allocations(from_builder_to_module, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_program_survives_any_refused_allocation),
      cmocka_unit_test(a_program_with_calls_survives_any_refused_allocation),
      cmocka_unit_test(a_builder_survives_any_refused_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
