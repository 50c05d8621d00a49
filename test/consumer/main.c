// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a user of the installed package writes: compiles and runs a program, and prints its result
// behind the version of the library, which must be the one that belongs to the headers.
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

static const char text[] =
    "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
    "  %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0]\n"
    "    : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
    "  return %y : tensor<2x2xf32>\n"
    "}\n";

static int report(tn_status_t status) {
  tn_status_print(status, stderr);
  tn_status_release(status);
  return 1;
}

static tn_status_t square(const float* x, float* out_square) {
  const int64_t dims[] = {2, 2};
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *input = NULL, *output = NULL;
  tn_status_t status = tn_device_create("cpu", NULL, &device);
  if (!status) status = tn_module_parse(NULL, "square.mlir", text, strlen(text), &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 2, dims, x, 4 * sizeof *x, &input);
  }
  if (!status) status = tn_program_run(program, 1, &input, NULL, 1, &output);
  if (!status) status = tn_buffer_to_host(output, out_square, 4 * sizeof *out_square);
  tn_buffer_release(output);
  tn_buffer_release(input);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

int main(void) {
  const float x[] = {1, 2, 3, 4};
  float y[4];
  tn_status_t status;
  if (tn_version() != TN_VERSION) {
    return report(tn_status_create(TN_CODE_FAILED_PRECONDITION, "the library is %s, the headers %d",
                                   tn_version_string(), TN_VERSION));
  }
  status = square(x, y);
  if (status) return report(status);
  printf("%s: %g %g %g %g\n", tn_version_string(), (double)y[0], (double)y[1], (double)y[2],
         (double)y[3]);
  return 0;
}
