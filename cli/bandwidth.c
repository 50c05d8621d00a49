// What memory gives, which a profile is compared with.
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { ELEMENTS = 1 << 24, ROUNDS = 4 };  // 64 MiB, more than caches hold
static const double enough_ms = 200;

static tn_status_t compile_negation(tn_device_t* device, tn_program_t** out_program) {
  static const char text[] =
      "func.func @main(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {\n"
      "  %y = stablehlo.negate %x : tensor<16777216xf32>\n"
      "  return %y : tensor<16777216xf32>\n"
      "}\n";
  tn_module_t* module = NULL;
  *out_program = NULL;
  tn_status_t status = tn_module_parse(NULL, "bandwidth", text, sizeof text - 1, &module);
  if (!status) status = tn_program_compile(device, module, NULL, out_program);
  tn_module_release(module);
  return status;
}

static tn_status_t create_operand(tn_device_t* device, tn_buffer_t** out_buffer) {
  const int64_t dims[] = {ELEMENTS};
  const size_t byte_size = ELEMENTS * sizeof(float);
  void* data = malloc(byte_size);
  *out_buffer = NULL;
  if (!data) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  memset(data, 1, byte_size);  // pages of their own
  tn_status_t status =
      tn_buffer_create_from_host(device, TN_DTYPE_F32, 1, dims, data, byte_size, out_buffer);
  free(data);
  return status;
}

// The fastest of a few runs, the first of which gets its memory; one of a slow device is enough.
static tn_status_t time_rounds(tn_program_t* program, tn_buffer_t* x, tn_stream_t* stream,
                               double* out_ms) {
  const tn_run_options_t options = {.struct_size = sizeof options, .stream = stream};
  tn_status_t status = NULL;
  for (int i = 0; i < ROUNDS && !status && (i == 0 || *out_ms < enough_ms); ++i) {
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

double cli_measure_bandwidth(tn_device_t* device) {
  double ms = 0;
  tn_program_t* program = NULL;
  tn_buffer_t* x = NULL;
  tn_stream_t* stream = NULL;
  tn_status_t status = compile_negation(device, &program);
  if (!status) status = create_operand(device, &x);
  if (!status) status = tn_stream_create(device, &stream);
  if (!status) status = time_rounds(program, x, stream, &ms);
  const bool is_measured = !status && ms > 0;
  tn_status_release(status);
  tn_stream_release(stream);
  tn_buffer_release(x);
  tn_program_release(program);
  return is_measured ? 2.0 * ELEMENTS * sizeof(float) / ms / 1e6 : 0;
}
