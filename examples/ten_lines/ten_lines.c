// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// StableHLO text to a result: the hyperbolic tangents of three numbers.
#include <stdio.h>
#include <tenon/tenon.h>

static const char text[] =
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
    "  %y = stablehlo.tanh %x : tensor<3xf32>\n"
    "  return %y : tensor<3xf32>\n"
    "}\n";

static tn_status_t tanh_of(const float* x, float* y) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *input = NULL, *output = NULL;
  tn_status_t status = tn_default_device(&device);
  if (!status) status = tn_module_parse(NULL, "tanh.mlir", text, sizeof text - 1, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, (int64_t[]){3}, x,
                                        3 * sizeof(float), &input);
  }
  if (!status) status = tn_program_run(program, 1, &input, NULL, 1, &output);
  if (!status) status = tn_buffer_to_host(output, y, 3 * sizeof(float));
  tn_buffer_release(output);
  tn_buffer_release(input);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

int main(void) {
  float y[3];
  tn_status_t status = tanh_of((const float[]){-1, 0, 1}, y);
  if (status) {
    tn_status_print(status, stderr);
    tn_status_release(status);
    return 1;
  }
  printf("%.4f %.4f %.4f\n", (double)y[0], (double)y[1], (double)y[2]);
  return 0;
}
