// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Passes user data: a number that a handler adds to.
#include <stdio.h>

#include "../example.h"

static tn_module_t* build(int64_t type_id) {
  tn_builder_t* b = NULL;
  tn_module_t* module = NULL;
  if (!example_succeeded(tn_builder_create(NULL, "tally", &b))) return NULL;
  const tn_type_t* number = tn_builder_tensor_type(b, TN_DTYPE_F64, 0, NULL);
  const tn_type_t* types[] = {number, tn_builder_tensor_type(b, TN_DTYPE_S64, 0, NULL),
                              tn_builder_tensor_type(b, TN_DTYPE_S32, 0, NULL)};
  tn_value_t* x = tn_builder_parameter(b, 0, number, "x");
  const tn_attribute_t attributes[] = {
      {.name = "type", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = type_id},
  };
  const tn_custom_call_options_t options = {
      .struct_size = sizeof options,
      .api_version = TN_API_VERSION_TYPED_FFI,
      .has_side_effect = true,
      .attribute_count = 1,
      .attributes = attributes,
  };
  tn_value_t* result =
      tn_builder_custom_call(b, "tally", 1, &x, tn_builder_tuple_type(b, 3, types), &options);
  tn_status_t status = tn_builder_build(b, 1, &result, &module);
  tn_builder_destroy(b);
  return example_succeeded(status) ? module : NULL;
}

// The sum, or -1.
static double run(tn_device_t* device, tn_program_t* program, double x, int64_t type_id,
                  double* sum) {
  tn_buffer_t *input = NULL, *outputs[3] = {NULL, NULL, NULL};
  double result = -1;
  const tn_user_data_t mine = {.type_id = type_id, .data = sum};
  const tn_run_options_t options = {
      .struct_size = sizeof options,
      .user_data_count = 1,
      .user_data = &mine,
  };
  tn_status_t status =
      tn_buffer_create_from_host(device, TN_DTYPE_F64, 0, NULL, &x, sizeof x, &input);
  if (!status) status = tn_program_run(program, 1, &input, &options, 3, outputs);
  if (!status) status = tn_buffer_to_host(outputs[0], &result, sizeof result);
  for (int i = 0; i < 3; ++i) tn_buffer_release(outputs[i]);
  tn_buffer_release(input);
  return example_succeeded(status) ? result : -1;
}

int main(int argc, char** argv) {
  int64_t type_id = 0;
  double mine = 10, yours = 0;
  tn_device_t* device = NULL;
  tn_program_t* program = NULL;
  example_load(argc, argv);
  if (!example_succeeded(tn_type_register("example.sum", NULL, &type_id))) return 1;
  if (!example_succeeded(tn_default_device(&device))) return 1;
  tn_module_t* module = build(type_id);
  if (!module || !example_succeeded(tn_program_compile(device, module, NULL, &program))) return 1;
  bool is_right = run(device, program, 2.5, type_id, &mine) == 12.5;
  is_right &= run(device, program, 1, type_id, &yours) == 1;
  is_right &= run(device, program, 2.5, type_id, &mine) == 15;
  printf("sums: %g and %g\n", mine, yours);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return is_right && mine == 15 && yours == 1 ? 0 : 1;
}
