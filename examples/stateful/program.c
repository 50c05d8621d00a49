// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A state lives as long as the compiled program, and each call in a program has its own.
#include <stdio.h>

#include "../example.h"

static tn_module_t* build(double weight) {
  tn_builder_t* b = NULL;
  tn_module_t* module = NULL;
  if (!example_succeeded(tn_builder_create(NULL, "stateful", &b))) return NULL;
  const tn_type_t* number = tn_builder_tensor_type(b, TN_DTYPE_F64, 0, NULL);
  const tn_type_t* results[] = {number, tn_builder_tensor_type(b, TN_DTYPE_S64, 0, NULL)};
  const tn_attribute_t attributes[] = {
      {.name = "weight", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F64, .real = weight},
  };
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .has_side_effect = true,  // two calls with the same number are not one
      .api_version = TN_API_VERSION_TYPED_FFI,
      .attribute_count = 1,
      .attributes = attributes,
  };
  tn_value_t* x = tn_builder_parameter(b, 0, number, "x");
  tn_value_t* both = tn_builder_custom_call(b, "moving_average", 1, &x,
                                            tn_builder_tuple_type(b, 2, results), &options);
  tn_value_t* values[] = {tn_builder_get_tuple_element(b, both, 0),
                          tn_builder_get_tuple_element(b, both, 1)};
  tn_status_t status = tn_builder_build(b, 2, values, &module);
  tn_builder_destroy(b);
  return example_succeeded(status) ? module : NULL;
}

static tn_status_t run(tn_device_t* device, tn_program_t* program, double x, double* average,
                       int64_t* count) {
  tn_buffer_t *argument = NULL, *results[2] = {NULL, NULL};
  tn_status_t status =
      tn_buffer_create_from_host(device, TN_DTYPE_F64, 0, NULL, &x, sizeof x, &argument);
  if (!status) status = tn_program_run(program, 1, &argument, NULL, 2, results);
  if (!status) status = tn_buffer_to_host(results[0], average, sizeof *average);
  if (!status) status = tn_buffer_to_host(results[1], count, sizeof *count);
  tn_buffer_release(results[1]);
  tn_buffer_release(results[0]);
  tn_buffer_release(argument);
  return status;
}

static int64_t live_count(void) {
  static const char text[] =
      "func.func @main() -> tensor<i64> {\n"
      "  %n = stablehlo.custom_call @live_averages() {api_version = 4 : i32, has_side_effect = "
      "true}"
      " : () -> tensor<i64>\n"
      "  return %n : tensor<i64>\n"
      "}\n";
  int64_t count = -1;
  return example_succeeded(example_run_text(text, NULL, (void*[]){&count})) ? count : -1;
}

// Three runs of each of two programs, which do not see each other's numbers.
static bool averages(tn_device_t* device, tn_program_t* const* programs) {
  static const double wanted[3] = {4, 6, 7};  // from 0, half the way to 8 each time
  for (int64_t i = 0; i < 3; ++i) {
    for (int k = 0; k < 2; ++k) {
      double average = 0;
      int64_t count = 0;
      if (!example_succeeded(run(device, programs[k], 8, &average, &count))) return false;
      printf("program %d, run %lld: %g\n", k, (long long)count, average);
      if (average != wanted[i] || count != i + 1) return false;
    }
  }
  return live_count() == 2;
}

int main(int argc, char** argv) {
  tn_device_t* device = NULL;
  tn_program_t* programs[3] = {NULL, NULL, NULL};
  example_load(argc, argv);
  if (!example_succeeded(tn_default_device(&device))) return 1;
  tn_module_t *module = build(0.5), *wrong = build(2);
  if (!module || !wrong) return 1;
  bool is_right = example_succeeded(tn_program_compile(device, module, NULL, &programs[0])) &&
                  example_succeeded(tn_program_compile(device, module, NULL, &programs[1])) &&
                  averages(device, programs);
  // The stage that makes the state can refuse the program.
  is_right &= example_failed_with(tn_program_compile(device, wrong, NULL, &programs[2]),
                                  TN_CODE_INVALID_ARGUMENT, "weight is 2");
  for (int i = 0; i < 3; ++i) tn_program_release(programs[i]);
  tn_module_release(wrong);
  tn_module_release(module);
  tn_device_release(device);
  is_right &= live_count() == 0;
  return is_right ? 0 : 1;
}
