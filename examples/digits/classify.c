// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Classifies images in C, as `tenon run` does it:
//
//   classify MODEL LIBRARY IMAGES.npy PREDICTIONS.npy PROBABILITIES.npy
//
// reads the images and writes the other two arrays.
#include <stdio.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>

static tn_status_t classify(const char* model, const char* library, const char* images,
                            const char* const* out_paths) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *input = NULL, *outputs[2] = {NULL};
  tn_status_t status = tn_library_load(library);
  if (!status) status = tn_default_device(&device);
  if (!status) status = tn_module_parse_file(NULL, model, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) status = tn_npy_read(device, images, tn_program_input_type(program, 0), &input);
  if (!status) status = tn_program_run(program, 1, &input, NULL, 2, outputs);
  for (int i = 0; i < 2; ++i) {
    if (!status) status = tn_npy_write(out_paths[i], outputs[i]);
    tn_buffer_release(outputs[i]);
  }
  tn_buffer_release(input);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: classify MODEL LIBRARY IMAGES.npy PREDICTIONS.npy PROBABILITIES.npy\n");
    return 2;
  }
  tn_status_t status = classify(argv[1], argv[2], argv[3], (const char* const[]){argv[4], argv[5]});
  if (!status) return 0;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}
