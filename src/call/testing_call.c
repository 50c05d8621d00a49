// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/testing_call.h"

#include "base/type.h"

// Lives as long as the test program: buffers and programs must be on the same one.
static tn_status_t find_device(tn_device_t** out_device) {
  static tn_device_t* device;
  tn_status_t status = device ? TN_OK : tn_device_create("cpu", NULL, &device);
  *out_device = device;
  return status;
}

tn_status_t tn__testing_compile(const char* text, tn_program_t** out_program) {
  tn_module_t* module = NULL;
  tn_device_t* device = NULL;
  *out_program = NULL;
  tn_status_t status = find_device(&device);
  if (!status) status = tn_module_parse(NULL, "test.mlir", text, strlen(text), &module);
  if (!status) status = tn_program_compile(device, module, NULL, out_program);
  tn_module_release(module);
  return status;
}

tn_status_t tn__testing_run(tn_program_t* program, size_t argument_count,
                            const tn_testing_array_t* arguments, size_t result_count,
                            void* const* out_data) {
  enum { LIMIT = 16 };
  tn_buffer_t *inputs[LIMIT] = {NULL}, *outputs[LIMIT] = {NULL};
  tn_device_t* device = NULL;
  const tn_run_options_t options = {.struct_size = sizeof options};
  assert_true(argument_count <= LIMIT && result_count <= LIMIT);
  tn_status_t status = find_device(&device);
  for (size_t i = 0; !status && i < argument_count; ++i) {
    const tn_testing_array_t* array = &arguments[i];
    size_t byte_size = tn_dtype_byte_size(array->dtype);
    for (size_t k = 0; k < array->rank; ++k) byte_size *= (size_t)array->dims[k];
    status = tn_buffer_create_from_host(device, array->dtype, array->rank, array->dims, array->data,
                                        byte_size, &inputs[i]);
  }
  if (!status) {
    status = tn_program_run(program, argument_count, inputs, &options, result_count, outputs);
  }
  for (size_t i = 0; !status && i < result_count; ++i) {
    status = tn_buffer_to_host(outputs[i], out_data[i], tn_buffer_byte_size(outputs[i]));
  }
  for (size_t i = 0; i < LIMIT; ++i) {
    tn_buffer_release(inputs[i]);
    tn_buffer_release(outputs[i]);
  }
  return status;
}

tn_status_t tn__testing_call(const char* text, size_t argument_count,
                             const tn_testing_array_t* arguments, size_t result_count,
                             void* const* out_data) {
  tn_program_t* program = NULL;
  TN_RETURN_IF_ERROR(tn__testing_compile(text, &program));
  tn_status_t status = tn__testing_run(program, argument_count, arguments, result_count, out_data);
  tn_program_release(program);
  return status;
}

static bool unregister(void* user, const tn_target_info_t* info) {
  (void)user;
  TN_ASSERT_OK(tn_target_unregister(info->name, info->platform));
  return true;
}

int tn__testing_unregister_all(void** state) {
  (void)state;
  TN_ASSERT_OK(tn_target_enumerate(unregister, NULL));
  return 0;
}
