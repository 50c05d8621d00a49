// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs a model that returns one array of floats: predict MODEL INPUT.npy...
#include <stdio.h>
#include <stdlib.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>

enum { INPUT_LIMIT = 16 };

static tn_status_t predict(const char* model, size_t count, char** paths, tn_buffer_t** output) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t* inputs[INPUT_LIMIT] = {NULL};
  tn_status_t status = tn_default_device(&device);
  if (!status) status = tn_module_parse_file(NULL, model, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  for (size_t i = 0; !status && i < count; ++i) {
    status = tn_npy_read(device, paths[i], tn_program_input_type(program, i), &inputs[i]);
  }
  if (!status) status = tn_program_run(program, count, inputs, NULL, 1, output);
  for (size_t i = 0; i < count; ++i) tn_buffer_release(inputs[i]);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

static tn_status_t print_rows(tn_buffer_t* output) {
  const void* data = NULL;
  tn_status_t status = tn_buffer_map(output, &data);
  if (status) return status;
  const float* probabilities = data;
  const int64_t rows = tn_buffer_dims(output)[0], columns = tn_buffer_dims(output)[1];
  for (int64_t i = 0; i < rows * columns; ++i) {
    printf("%.4f%c", (double)probabilities[i], (i + 1) % columns ? ' ' : '\n');
  }
  tn_buffer_unmap(output);
  return TN_OK;
}

int main(int argc, char** argv) {
  tn_buffer_t* output = NULL;
  if (argc < 3 || argc - 2 > INPUT_LIMIT) {
    fprintf(stderr, "usage: predict MODEL INPUT.npy...\n");
    return 2;
  }
  tn_status_t status = predict(argv[1], (size_t)argc - 2, argv + 2, &output);
  if (!status) status = print_rows(output);
  tn_buffer_release(output);
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
