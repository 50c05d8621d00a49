// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From text to a runnable program: medians over the modules named on the command line (without any:
// x + 1), for bench/walk.py and bench/growth.py. One JSON object a line; cpu_ms is what the thread
// itself took, which others on the machine do not change, most_memory what the process had at most.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>

#include "base/linux/clock.h"

enum { LONGEST_MS = 2000, MOST_RUNS = 200, FEWEST_RUNS = 5 };

static const char x_plus_1[] =
    "module @jit_f {\n"
    "  func.func public @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n"
    "    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>\n"
    "    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>\n"
    "    %1 = stablehlo.add %arg0, %0 : tensor<8xf32>\n"
    "    return %1 : tensor<8xf32>\n"
    "  }\n"
    "}\n";

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

// The most that this process has had in memory; 0 when the system does not say.
static size_t most_memory(void) {
  char line[256];
  size_t kilobytes = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && kilobytes == 0 && fgets(line, sizeof line, file)) {
    if (!strncmp(line, "VmHWM:", 6)) kilobytes = strtoul(line + 6, NULL, 10);
  }
  if (file) fclose(file);
  return kilobytes * 1024;
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static tn_status_t compile(tn_device_t* device, const char* name, const char* text, size_t length,
                           tn_program_statistics_t* statistics) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_status_t status = tn_module_parse(NULL, name, text, length, &module);
  if (!status) status = tn_program_compile(device, module, NULL, &program);
  if (!status) tn_program_statistics(program, statistics);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static tn_status_t measure(tn_device_t* device, const char* name, const char* text, size_t length) {
  double times[MOST_RUNS], cpu_times[MOST_RUNS];
  int runs = 0;
  tn_program_statistics_t statistics = {.struct_size = sizeof statistics};
  int64_t start_ns = tn__clock_ns();
  for (; runs < MOST_RUNS; ++runs) {
    int64_t before_ns = tn__clock_ns();
    double cpu_before_ms = cpu_ms();
    tn_status_t status = compile(device, name, text, length, &statistics);
    if (status) return status;
    times[runs] = (double)(tn__clock_ns() - before_ns) * 1e-6;
    cpu_times[runs] = cpu_ms() - cpu_before_ms;
    bool is_late = tn__clock_ns() - start_ns > (int64_t)LONGEST_MS * 1000000;
    if (is_late && runs + 1 >= FEWEST_RUNS) {
      ++runs;
      break;
    }
  }
  double first_ms = times[0];
  qsort(times, (size_t)runs, sizeof *times, by_value);
  qsort(cpu_times, (size_t)runs, sizeof *cpu_times, by_value);
  printf(
      "{\"module\": \"%s\", \"text_bytes\": %zu, \"first_ms\": %.6g, \"median_ms\": %.6g, "
      "\"min_ms\": %.6g, \"cpu_ms\": %.6g, \"runs\": %d, \"instructions\": %zu, \"plan_bytes\": "
      "%zu, "
      "\"plan_lower_bound_bytes\": %zu, \"most_memory\": %zu}\n",
      name, length, first_ms, times[runs / 2], times[0], cpu_times[runs / 2], runs,
      statistics.instruction_count, statistics.plan_byte_size, statistics.lower_bound_byte_size,
      most_memory());
  return TN_OK;
}

static tn_status_t measure_file(tn_device_t* device, const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  tn_status_t status = TN_OK;
  long length = 0;
  if (file && fseek(file, 0, SEEK_END) == 0) length = ftell(file);
  if (file && length > 0) text = malloc((size_t)length);
  if (!text || fseek(file, 0, SEEK_SET) != 0 ||
      fread(text, 1, (size_t)length, file) != (size_t)length) {
    status = tn_status_create(TN_CODE_NOT_FOUND, "%s cannot be read", path);
  } else {
    status = measure(device, path, text, (size_t)length);
  }
  free(text);
  if (file) fclose(file);
  return status;
}

int main(int argument_count, char** arguments) {
  tn_device_t* device = NULL;
  tn_status_t status = tn_device_create("cpu", NULL, &device);
  if (!status && argument_count < 2) {
    status = measure(device, "x + 1", x_plus_1, sizeof x_plus_1 - 1);
  }
  for (int i = 1; i < argument_count && !status; ++i) status = measure_file(device, arguments[i]);
  if (status) fprintf(stderr, "compile_bench: %s\n", tn_status_message(status));
  int code = status ? 1 : 0;
  tn_status_release(status);
  tn_device_release(device);
  return code;
}
