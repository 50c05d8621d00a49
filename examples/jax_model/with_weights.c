// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs a model whose weights are in one file: with_weights MODEL WEIGHTS X.npy Y.npy.
#include <stdio.h>
#include <stdlib.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>

// The weights that the file has, and the one input that it does not have.
static tn_status_t read_inputs(tn_program_t* program, tn_device_t* device, char** paths,
                               size_t count, tn_buffer_t** inputs) {
  tn_status_t status = tn_program_read_inputs(program, paths[0], count, inputs);
  for (size_t i = 0; !status && i < count; ++i) {
    if (inputs[i]) continue;
    status = tn_npy_read(device, paths[1], tn_program_input_type(program, i), &inputs[i]);
  }
  return status;
}

int main(int argc, char** argv) {
  enum { INPUT_LIMIT = 16 };
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *inputs[INPUT_LIMIT] = {NULL}, *output = NULL;
  if (argc != 5) {
    fprintf(stderr, "usage: with_weights MODEL WEIGHTS X.npy Y.npy\n");
    return 2;
  }
  tn_status_t status = tn_default_device(&device);
  if (!status) status = tn_module_parse_file(NULL, argv[1], &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  const size_t count = status ? 0 : tn_program_input_count(program);
  if (count > INPUT_LIMIT) {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "the model has %zu inputs", count);
  }
  if (!status) status = read_inputs(program, device, argv + 2, count, inputs);
  if (!status) status = tn_program_run(program, count, inputs, NULL, 1, &output);
  if (!status) status = tn_npy_write(argv[4], output);
  for (size_t i = 0; i < INPUT_LIMIT; ++i) tn_buffer_release(inputs[i]);
  tn_buffer_release(output);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
