// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs a model that returns one array of floats: predict MODEL INPUT.npy... An argument that ends
// in .npz or .safetensors gives every input whose name it has; the others follow in order.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>

static bool is_archive(const char* path) {
  const char* end = strrchr(path, '.');
  return end && (strcmp(end, ".npz") == 0 || strcmp(end, ".safetensors") == 0);
}

static tn_status_t read_inputs(tn_program_t* program, tn_device_t* device, size_t path_count,
                               char** paths, tn_buffer_t** inputs) {
  const size_t count = tn_program_input_count(program);
  tn_status_t status = NULL;
  size_t next = 0;
  for (size_t i = 0; !status && i < path_count; ++i) {
    if (is_archive(paths[i])) status = tn_program_read_inputs(program, paths[i], count, inputs);
  }
  for (size_t i = 0; !status && i < path_count; ++i) {
    if (is_archive(paths[i])) continue;
    while (next < count && inputs[next]) ++next;
    if (next == count) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: the program takes %zu inputs",
                              paths[i], count);
    }
    status = tn_npy_read(device, paths[i], tn_program_input_type(program, next), &inputs[next]);
  }
  return status;
}

static tn_status_t predict(const char* model, size_t path_count, char** paths,
                           tn_buffer_t** output) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_status_t status = tn_default_device(&device);
  if (!status) status = tn_module_parse_file(NULL, model, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  const size_t count = status ? 0 : tn_program_input_count(program);
  tn_buffer_t** inputs = calloc(count + 1, sizeof *inputs);
  if (!status && !inputs) status = tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  if (!status) status = read_inputs(program, device, path_count, paths, inputs);
  if (!status) status = tn_program_run(program, count, inputs, NULL, 1, output);
  for (size_t i = 0; inputs && i < count; ++i) tn_buffer_release(inputs[i]);
  free(inputs);
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
  if (argc < 3) {
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
