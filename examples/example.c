// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_LIMIT = 16 };

static tn_status_t run_program(tn_device_t* device, tn_program_t* program,
                               const void* const* arguments, void* const* results) {
  tn_buffer_t *inputs[ARRAY_LIMIT] = {NULL}, *outputs[ARRAY_LIMIT] = {NULL};
  size_t input_count = tn_program_input_count(program);
  size_t output_count = tn_program_output_count(program);
  tn_status_t status = TN_OK;
  if (input_count > ARRAY_LIMIT || output_count > ARRAY_LIMIT) {
    return tn_status_create(TN_CODE_OUT_OF_RANGE, "no more than %d arrays", ARRAY_LIMIT);
  }
  for (size_t i = 0; i < input_count && !status; ++i) {
    const tn_type_t* type = tn_program_input_type(program, i);
    size_t byte_size = tn_dtype_byte_size(tn_type_dtype(type));
    for (size_t d = 0; d < tn_type_rank(type); ++d) byte_size *= (size_t)tn_type_dims(type)[d];
    status = tn_buffer_create_from_host(device, tn_type_dtype(type), tn_type_rank(type),
                                        tn_type_dims(type), arguments[i], byte_size, &inputs[i]);
  }
  if (!status) status = tn_program_run(program, input_count, inputs, NULL, output_count, outputs);
  for (size_t i = 0; i < output_count && !status; ++i) {
    status = tn_buffer_to_host(outputs[i], results[i], tn_buffer_byte_size(outputs[i]));
  }
  for (size_t i = 0; i < ARRAY_LIMIT; ++i) {
    tn_buffer_release(inputs[i]);
    tn_buffer_release(outputs[i]);
  }
  return status;
}

tn_status_t example_run(tn_module_t* module, const void* const* arguments, void* const* results) {
  tn_device_t* device = NULL;
  tn_program_t* program = NULL;
  tn_status_t status = tn_default_device(&device);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) status = run_program(device, program, arguments, results);
  tn_program_release(program);
  tn_device_release(device);
  tn_module_release(module);
  return status;
}

tn_status_t example_build_and_run(tn_builder_t* builder, tn_value_t* result,
                                  const void* const* arguments, void* const* results) {
  tn_module_t* module = NULL;
  tn_status_t status = tn_builder_build(builder, 1, &result, &module);
  tn_builder_destroy(builder);
  return status ? status : example_run(module, arguments, results);
}

tn_status_t example_run_text(const char* text, const void* const* arguments, void* const* results) {
  tn_module_t* module = NULL;
  tn_status_t status = tn_module_parse(NULL, "example.mlir", text, strlen(text), &module);
  return status ? status : example_run(module, arguments, results);
}

void example_load(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    exit(2);
  }
  if (!example_succeeded(tn_library_load(argv[1]))) exit(1);
}

bool example_succeeded(tn_status_t status) {
  if (!status) return true;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return false;
}

bool example_failed_with(tn_status_t status, tn_code_t code, const char* wanted) {
  char text[2048] = "success";
  bool has_code = tn_status_code(status) == code;
  if (status) tn_status_format(status, text, sizeof text);
  tn_status_release(status);
  printf("%s\n", text);
  if (has_code && strstr(text, wanted)) return true;
  fprintf(stderr, "expected %s with \"%s\"\n", tn_code_name(code), wanted);
  return false;
}
