// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What memory and multipliers give, which a profile is compared with.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum {
  ELEMENTS = 1 << 24,  // 64 MiB, more than caches hold
  ROUNDS = 4,
  SMALLEST_ORDER = 128,
  LARGEST_ORDER = 8192,
};
static const double long_ms = 5;

static tn_status_t create_operand(tn_device_t* device, size_t rank, const int64_t* dims,
                                  tn_buffer_t** out_buffer) {
  size_t byte_size = sizeof(float);
  for (size_t i = 0; i < rank; ++i) byte_size *= (size_t)dims[i];
  void* data = malloc(byte_size);
  if (!data) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  memset(data, 1, byte_size);  // pages of their own
  tn_status_t status =
      tn_buffer_create_from_host(device, TN_DTYPE_F32, rank, dims, data, byte_size, out_buffer);
  free(data);
  return status;
}

// The fastest of a few runs, the first of which gets its memory: any of them may be held up.
static tn_status_t time_rounds(tn_program_t* program, tn_buffer_t* x, tn_stream_t* stream,
                               double* out_ms) {
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  tn_status_t status = NULL;
  for (int i = 0; i < ROUNDS && !status; ++i) {
    tn_buffer_t* y = NULL;
    const double start = cli_now_ms();
    status = tn_program_run(program, 1, &x, &options, 1, &y);
    if (!status) status = tn_stream_synchronize(stream);
    const double ms = cli_now_ms() - start;
    if (i == 0 || ms < *out_ms) *out_ms = ms;
    tn_buffer_release(y);
  }
  return status;
}

// Milliseconds of a function of one array of f32; 0 if they cannot be measured.
static double time_program(tn_device_t* device, const char* text, size_t rank,
                           const int64_t* dims) {
  double ms = 0;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t* x = NULL;
  tn_stream_t* stream = NULL;
  tn_status_t status = tn_module_parse(NULL, "machine", text, strlen(text), &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) status = create_operand(device, rank, dims, &x);
  if (!status) status = tn_stream_create(device, &stream);
  if (!status) status = time_rounds(program, x, stream, &ms);
  const bool is_measured = !status;
  tn_status_release(status);
  tn_stream_release(stream);
  tn_buffer_release(x);
  tn_program_release(program);
  tn_module_release(module);
  return is_measured ? ms : 0;
}

double cli_measure_bandwidth(tn_device_t* device) {
  static const char text[] =
      "func.func @main(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {\n"
      "  %y = stablehlo.negate %x : tensor<16777216xf32>\n"
      "  return %y : tensor<16777216xf32>\n"
      "}\n";
  const double ms = time_program(device, text, 1, (int64_t[]){ELEMENTS});
  return ms > 0 ? 2.0 * ELEMENTS * sizeof(float) / ms / 1e6 : 0;
}

double cli_measure_products(tn_device_t* device) {
  double ms = 0, best = 0;
  for (int n = SMALLEST_ORDER; n <= LARGEST_ORDER && ms < long_ms; n *= 2) {
    char text[400];
    snprintf(text, sizeof text,
             "func.func @main(%%x: tensor<%dx%dxf32>) -> tensor<%dx%dxf32> {\n"
             "  %%y = stablehlo.dot_general %%x, %%x, contracting_dims = [1] x [0] : "
             "(tensor<%dx%dxf32>, tensor<%dx%dxf32>) -> tensor<%dx%dxf32>\n"
             "  return %%y : tensor<%dx%dxf32>\n"
             "}\n",
             n, n, n, n, n, n, n, n, n, n, n, n);
    ms = time_program(device, text, 2, (int64_t[]){n, n});
    if (ms <= 0) return best;
    const double gflop_per_s = 2.0 * n * n * n / ms / 1e6;
    if (gflop_per_s > best) best = gflop_per_s;
  }
  return best;
}
