// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A program with a function of its own that reports through XLA's status, and an operation: it
// links libtenon alone, without optimisation.
#include <stdio.h>
#include <string.h>
#include <tenon/custom.h>
#include <tenon/custom_call_status.h>
#include <tenon/tenon.h>

static const char text[] =
    "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n"
    "  %y = stablehlo.custom_call @root(%x) {api_version = 2 : i32} : (tensor<f32>) -> "
    "tensor<f32>\n"
    "  return %y : tensor<f32>\n"
    "}\n";

static void root(void* out, const void** in, XlaCustomCallStatus* status) {
  const float x = *(const float*)in[0];
  if (x < 0) {
    XlaCustomCallStatusSetFailure(status, "x is negative", strlen("x is negative"));
    return;
  }
  *(float*)out = x == 4 ? 2 : x;
  XlaCustomCallStatusSetSuccess(status);
}

TN_REGISTER_CUSTOM_CALL_TARGET(root, "Host");

#define TWICE(ARG, ATTR, RET) ARG(x, f32, any_rank) RET(y, f32, like(x))
TN_OP(twice, TWICE, "y = 2 x") {
  for (int64_t i = 0; i < tn_size(call->x); ++i) call->y.data[i] = 2 * call->x.data[i];
  return TN_OK;
}
TN_LIBRARY(twice)

static tn_status_t run(float x, float* out_y) {
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *input = NULL, *output = NULL;
  tn_status_t status = tn_device_create("cpu", NULL, &device);
  if (!status) status = tn_module_parse(NULL, "alone.mlir", text, strlen(text), &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) {
    status = tn_buffer_create_from_host(device, TN_DTYPE_F32, 0, NULL, &x, sizeof x, &input);
  }
  if (!status) status = tn_program_run(program, 1, &input, NULL, 1, &output);
  if (!status) status = tn_buffer_to_host(output, out_y, sizeof *out_y);
  tn_buffer_release(output);
  tn_buffer_release(input);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  return status;
}

int main(void) {
  char report[1000];
  float y = 0;
  tn_status_t status = run(4, &y);
  tn_status_format(status, report, sizeof report);
  if (status || y != 2) return fprintf(stderr, "%s: %g\n", report, (double)y), 1;
  status = run(-1, &y);
  tn_status_format(status, report, sizeof report);
  tn_status_release(status);
  if (!strstr(report, "x is negative")) return fprintf(stderr, "%s\n", report), 1;
  return 0;
}
