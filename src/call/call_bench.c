// What a custom call costs: 1000 chained calls in one program, the handler's own time, and what is
// left for Tenon. `call_call_bench [LIB.so SYMBOL1 SYMBOL2]` takes the handlers (1 operand and 1
// result; 6 operands, 2 attributes and 2 results) from a library, for bench/call.py; without it
// they are plain C. One JSON object a line.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "base/clock.h"
#include "call/abi.h"

enum { CALLS = 1000, RUNS = 300 };

static tn_status_t noop(tn_ffi_call_frame_t* frame) {
  if (frame->extension_start) {
    tn_ffi_metadata_t* metadata =
        ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
    metadata->api_version.major = 0;
    metadata->api_version.minor = 1;
  }
  return TN_OK;
}

static void die_if_error(tn_status_t status) {
  if (!status) return;
  char text[4096];
  tn_status_format(status, text, sizeof text);
  fputs(text, stderr);
  exit(1);
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// `operands` values go in; the first two results (or the one) come back as the first operands of
// the next call.
static char* program_text(int operands, int results, const char* config) {
  size_t capacity = 1024 + (size_t)CALLS * 600, length = 0;
  char* text = malloc(capacity);
  if (!text) exit(1);
#define PUT(...) length += (size_t)snprintf(text + length, capacity - length, __VA_ARGS__)
  PUT("func.func @main(");
  for (int i = 0; i < operands; ++i) PUT("%s%%a%d: tensor<8xf32>", i ? ", " : "", i);
  PUT(") -> tensor<8xf32> {\n");
  for (int call = 0; call < CALLS; ++call) {
    PUT("  %%v%d%s = stablehlo.custom_call @bench(", call, results == 2 ? ":2" : "");
    for (int i = 0; i < operands; ++i) {
      bool is_chained = call > 0 && i < results;
      if (is_chained && results == 2) {
        PUT("%s%%v%d#%d", i ? ", " : "", call - 1, i);
      } else if (is_chained) {
        PUT("%s%%v%d", i ? ", " : "", call - 1);
      } else {
        PUT("%s%%a%d", i ? ", " : "", i);
      }
    }
    PUT(") {api_version = 4 : i32, backend_config = {%s}} : (", config);
    for (int i = 0; i < operands; ++i) PUT("%stensor<8xf32>", i ? ", " : "");
    PUT(") -> %s\n", results == 2 ? "(tensor<8xf32>, tensor<8xf32>)" : "tensor<8xf32>");
  }
  PUT("  return %%v%d%s : tensor<8xf32>\n}\n", CALLS - 1, results == 2 ? "#0" : "");
  return text;
}

static double in_program_ns(int operands, int results, const char* config, double* compile_ms,
                            size_t* text_length) {
  char* text = program_text(operands, results, config);
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *arguments[6], *result = NULL;
  double times[RUNS];
  *text_length = strlen(text);
  die_if_error(tn_device_create("cpu", NULL, &device));
  int64_t start = tn__clock_ns();
  die_if_error(tn_module_parse(NULL, "bench.mlir", text, *text_length, &module));
  die_if_error(tn_program_compile(device, module, NULL, &program));
  *compile_ms = (double)(tn__clock_ns() - start) * 1e-6;
  for (int i = 0; i < operands; ++i) {
    die_if_error(
        tn_buffer_create(device, TN_DTYPE_F32, 1, (const int64_t[]){8}, NULL, &arguments[i]));
  }
  for (int i = 0; i < RUNS; ++i) {
    start = tn__clock_ns();
    die_if_error(tn_program_run(program, NULL, (size_t)operands, arguments, 1, &result));
    times[i] = (double)(tn__clock_ns() - start) / CALLS;
    tn_buffer_release(result);
  }
  for (int i = 0; i < operands; ++i) tn_buffer_release(arguments[i]);
  tn_program_release(program);
  tn_module_release(module);
  tn_device_release(device);
  free(text);
  qsort(times, RUNS, sizeof *times, by_value);
  return times[RUNS / 2];
}

// The handler alone, from a frame that does not change.
static double alone_ns(tn_ffi_handler_t handler, int operands, int results, bool with_attributes) {
  static float data[8];
  static int64_t dims[] = {8};
  tn_ffi_buffer_t buffer = {TN_FFI_BUFFER_SIZE, NULL, TN_FFI_F32, data, 1, dims};
  int32_t types[8], attr_types[] = {TN_FFI_SCALAR, TN_FFI_SCALAR};
  void* values[8];
  for (int i = 0; i < 8; ++i) {
    types[i] = TN_FFI_BUFFER;
    values[i] = &buffer;
  }
  float eps = 1e-5F;
  int64_t n = 3;
  tn_ffi_scalar_t scalars[] = {{TN_FFI_F32, &eps}, {TN_FFI_S64, &n}};
  tn_ffi_bytes_t names[] = {{"eps", 3}, {"n", 1}};
  tn_ffi_bytes_t* name_list[] = {&names[0], &names[1]};
  void* attr_values[] = {&scalars[0], &scalars[1]};
  tn_ffi_call_frame_t frame = {
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .stage = TN_FFI_EXECUTE,
      .args = {TN_FFI_VALUES_SIZE, NULL, operands, types, values},
      .rets = {TN_FFI_VALUES_SIZE, NULL, results, types, values},
      .attrs = {TN_FFI_ATTRS_SIZE, NULL, with_attributes ? 2 : 0, attr_types, name_list,
                attr_values},
  };
  double times[RUNS];
  for (int i = 0; i < RUNS; ++i) {
    int64_t start = tn__clock_ns();
    for (int call = 0; call < CALLS; ++call) die_if_error(handler(&frame));
    times[i] = (double)(tn__clock_ns() - start) / CALLS;
  }
  qsort(times, RUNS, sizeof *times, by_value);
  return times[RUNS / 2];
}

static void measure(const char* name, tn_ffi_handler_t handler, int operands, int results,
                    const char* config) {
  double compile_ms;
  size_t text_length;
  die_if_error(
      tn_register("bench", "Host", (tn_target_function_t)handler, TN_API_VERSION_TYPED_FFI));
  double all = in_program_ns(operands, results, config, &compile_ms, &text_length);
  double alone = alone_ns(handler, operands, results, config[0] != 0);
  printf(
      "{\"name\": \"%s\", \"call_ns\": %.2f, \"handler_ns\": %.2f, \"tenon_ns\": %.2f, "
      "\"text_bytes\": %zu, \"compile_ms\": %.2f}\n",
      name, all, alone, all - alone, text_length, compile_ms);
}

static tn_ffi_handler_t find(void* library, const char* symbol) {
  void* address = library ? dlsym(library, symbol) : NULL;
  tn_ffi_handler_t handler;
  if (!address) {
    fprintf(stderr, "%s: %s\n", symbol, dlerror());
    exit(1);
  }
  memcpy(&handler, &address, sizeof address);
  return handler;
}

int main(int argument_count, char** arguments) {
  tn_ffi_handler_t small = noop, large = noop;
  if (argument_count == 4) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    small = find(library, arguments[2]);
    large = find(library, arguments[3]);
  }
  measure("1 operand, 1 result", small, 1, 1, "");
  measure("6 operands, 2 attributes, 2 results", large, 6, 2, "eps = 1.0e-5 : f32, n = 3 : i64");
  return 0;
}
