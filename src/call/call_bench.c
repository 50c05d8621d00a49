// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a custom call costs: 1000 chained calls in one program, the handler's own time, and what is
// left for Tenon. One JSON object a line.
//
//   call_call_bench      handlers that are empty functions, in programs made here
//   call_call_bench LIB.so SYMBOL PROGRAM.mlir OPERANDS RESULTS ATTRIBUTES
//                        a handler from a library, in a program of 1000 calls of it (0 or 2
//                        attributes); for bench/call.py
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "base/linux/clock.h"
#include "call/abi.h"

enum { CALLS = 1000, RUNS = 300, COMPILATIONS = 15 };

// What is measured.
typedef struct subject {
  const char* name;
  tn_ffi_handler_t handler;
  int operands, results;
  bool has_attributes;  // eps = 1.0e-5 : f32, n = 3 : i64
  char* text;
  size_t text_length;
} subject_t;

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

static double median(double* values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

// All operands go in; the results (one or two) come back as the first operands of the next call.
static void make_text(subject_t* subject) {
  const char* config = subject->has_attributes ? "eps = 1.0e-5 : f32, n = 3 : i64" : "";
  int operands = subject->operands, results = subject->results;
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
  subject->text = text;
  subject->text_length = length;
}

static double compile(const subject_t* subject, tn_device_t* device, tn_program_t** out_program) {
  tn_module_t* module = NULL;
  int64_t start = tn__clock_ns();
  die_if_error(tn_module_parse(NULL, "bench.mlir", subject->text, subject->text_length, &module));
  die_if_error(tn_program_compile(device, module, NULL, out_program));
  double time_ms = (double)(tn__clock_ns() - start) * 1e-6;
  tn_module_release(module);
  return time_ms;
}

// Compiles the program several times, the first time apart.
static void measure_compiling(const subject_t* subject, tn_device_t* device, double* out_first_ms,
                              double* out_ms) {
  double times[COMPILATIONS];
  tn_program_t* program = NULL;
  *out_first_ms = compile(subject, device, &program);
  for (int i = 0; i < COMPILATIONS; ++i) {
    tn_program_release(program);
    times[i] = compile(subject, device, &program);
  }
  tn_program_release(program);
  *out_ms = median(times, COMPILATIONS);
}

static double in_program_ns(const subject_t* subject, tn_device_t* device) {
  tn_program_t* program = NULL;
  tn_buffer_t *arguments[8], *results[8];
  double times[RUNS];
  compile(subject, device, &program);
  size_t argument_count = tn_program_input_count(program);
  size_t result_count = tn_program_output_count(program);
  if (argument_count > 8 || result_count > 8) exit(1);
  for (size_t i = 0; i < argument_count; ++i) {
    const int64_t dims[] = {8};
    die_if_error(tn_buffer_create(device, TN_DTYPE_F32, 1, dims, NULL, &arguments[i]));
  }
  for (int i = 0; i < RUNS; ++i) {
    int64_t start = tn__clock_ns();
    die_if_error(tn_program_run(program, argument_count, arguments, NULL, result_count, results));
    times[i] = (double)(tn__clock_ns() - start) / CALLS;
    for (size_t k = 0; k < result_count; ++k) tn_buffer_release(results[k]);
  }
  for (size_t i = 0; i < argument_count; ++i) tn_buffer_release(arguments[i]);
  tn_program_release(program);
  return median(times, RUNS);
}

// The handler alone, from a frame that does not change.
static double alone_ns(const subject_t* subject, tn_ffi_handler_t handler) {
  static float data[8];
  static int64_t dims[] = {8};
  tn_ffi_buffer_t buffers[8];
  int32_t types[8], attr_types[] = {TN_FFI_SCALAR, TN_FFI_SCALAR};
  void* values[8];
  for (int i = 0; i < 8; ++i) {
    buffers[i] = (tn_ffi_buffer_t){TN_FFI_BUFFER_SIZE, NULL, TN_FFI_F32, data, 1, dims};
    types[i] = TN_FFI_BUFFER;
    values[i] = &buffers[i];
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
      .args = {TN_FFI_VALUES_SIZE, NULL, subject->operands, types, values},
      .rets = {TN_FFI_VALUES_SIZE, NULL, subject->results, types, values + subject->operands},
      .attrs = {TN_FFI_ATTRS_SIZE, NULL, subject->has_attributes ? 2 : 0, attr_types, name_list,
                attr_values},
  };
  double times[RUNS];
  for (int i = 0; i < RUNS; ++i) {
    int64_t start = tn__clock_ns();
    for (int call = 0; call < CALLS; ++call) die_if_error(handler(&frame));
    times[i] = (double)(tn__clock_ns() - start) / CALLS;
  }
  return median(times, RUNS);
}

static void measure(const subject_t* subject) {
  double first_ms, compile_ms;
  tn_device_t* device = NULL;
  die_if_error(tn_device_create("cpu", NULL, &device));
  measure_compiling(subject, device, &first_ms, &compile_ms);
  double all = in_program_ns(subject, device);
  double alone = alone_ns(subject, subject->handler);
  double empty = alone_ns(subject, noop);
  tn_device_release(device);
  printf(
      "{\"name\": \"%s\", \"call_ns\": %.2f, \"handler_ns\": %.2f, \"empty_ns\": %.2f, "
      "\"tenon_ns\": %.2f, "
      "\"text_bytes\": %zu, \"first_compile_ms\": %.3f, \"compile_ms\": %.3f}\n",
      subject->name, all, alone, empty, all - alone, subject->text_length, first_ms, compile_ms);
}

// --- from a library

static char* read_file(const char* path, size_t* out_length) {
  FILE* file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(1);
  }
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char* text = malloc((size_t)length + 1);
  if (!text || fread(text, 1, (size_t)length, file) != (size_t)length) exit(1);
  text[length] = 0;
  fclose(file);
  *out_length = (size_t)length;
  return text;
}

// The target is the one that the text names first: @TARGET( behind custom_call.
static void load_target(const subject_t* subject, const char* library) {
  static const char before[] = "stablehlo.custom_call @";
  const char* name = strstr(subject->text, before);
  if (!name) exit(1);
  name += sizeof before - 1;
  char spec[1024];
  snprintf(spec, sizeof spec, "%s:%.*s=%s", library, (int)strcspn(name, "("), name, subject->name);
  die_if_error(tn_library_load(spec));
}

static int number(const char* text) {
  return (int)strtol(text, NULL, 10);
}

static void measure_library(char** arguments) {
  subject_t subject = {
      .name = arguments[2],
      .operands = number(arguments[4]),
      .results = number(arguments[5]),
      .has_attributes = number(arguments[6]) == 2,
  };
  void* library = dlopen(arguments[1], RTLD_NOW);
  void* address = library ? dlsym(library, subject.name) : NULL;
  if (!address) {
    fprintf(stderr, "%s: %s\n", subject.name, dlerror());
    exit(1);
  }
  memcpy(&subject.handler, &address, sizeof address);
  subject.text = read_file(arguments[3], &subject.text_length);
  load_target(&subject, arguments[1]);
  measure(&subject);
  free(subject.text);
  dlclose(library);
}

int main(int argument_count, char** arguments) {
  if (argument_count == 7) {
    measure_library(arguments);
    return 0;
  }
  subject_t subjects[] = {
      {"1 operand, 1 result", noop, 1, 1, false, NULL, 0},
      {"6 operands, 2 attributes, 2 results", noop, 6, 2, true, NULL, 0},
  };
  die_if_error(
      tn_target_register("bench", "Host", (tn_target_function_t)noop, TN_API_VERSION_TYPED_FFI));
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i) {
    make_text(&subjects[i]);
    measure(&subjects[i]);
    free(subjects[i].text);
  }
  return 0;
}
