// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// How fast modules are read, artifacts or text: megabytes a second and nanoseconds an operation of
// CPU time, the best of several runs, and the most memory at once. One JSON object a line.
//
//   text_bytecode_bytecode_bench FILE...
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/allocator.h"
#include "ir/ir.h"

enum { RUNS = 15 };

// Passes on to the system's and counts.
typedef struct counter {
  size_t bytes, most;
} counter_t;

static void* count_and_reallocate(void* user, void* old, size_t old_size, size_t new_size) {
  counter_t* counter = user;
  void* memory = tn_allocator_system()->reallocate(NULL, old, old_size, new_size);
  if (!memory && new_size) return NULL;
  counter->bytes += new_size - old_size;
  if (counter->bytes > counter->most) counter->most = counter->bytes;
  return memory;
}

static int64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static size_t count_nodes(const tn_module_t* module) {
  size_t count = 0;
  for (const tn_function_t* f = module->first_function; f; f = f->next) count += f->node_count;
  return count;
}

static char* read_file(const char* path, size_t* out_length) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long length = ftell(file);
  rewind(file);
  char* bytes = length > 0 ? malloc((size_t)length) : NULL;
  *out_length = bytes ? fread(bytes, 1, (size_t)length, file) : 0;
  fclose(file);
  return bytes;
}

static tn_status_t measure(const char* path, const char* bytes, size_t length) {
  int64_t best_ns = INT64_MAX;
  size_t nodes = 0;
  counter_t counter = {0};
  const tn_allocator_t allocator = {.reallocate = count_and_reallocate, .user = &counter};
  for (int run = 0; run < RUNS; ++run) {
    tn_module_t* module = NULL;
    int64_t start_ns = cpu_ns();
    tn_status_t status = tn_module_parse(&allocator, path, bytes, length, &module);
    int64_t end_ns = cpu_ns();
    if (status) return status;
    nodes = count_nodes(module);
    tn_module_release(module);
    if (end_ns - start_ns < best_ns) best_ns = end_ns - start_ns;
  }
  printf(
      "{\"file\": \"%s\", \"bytes\": %zu, \"operations\": %zu, \"most_memory\": %zu, "
      "\"mb_per_s\": %.6g, \"ns_per_operation\": %.6g}\n",
      path, length, nodes, counter.most, (double)length * 1e3 / (double)best_ns,
      nodes ? (double)best_ns / (double)nodes : 0);
  return TN_OK;
}

int main(int count, char** paths) {
  int failed = 0;
  for (int i = 1; i < count; ++i) {
    size_t length = 0;
    char* bytes = read_file(paths[i], &length);
    tn_status_t status = bytes ? measure(paths[i], bytes, length)
                               : tn_status_create(TN_CODE_NOT_FOUND, "cannot read %s", paths[i]);
    free(bytes);
    if (!status) continue;
    char report[1024];
    tn_status_format(status, report, sizeof report);
    fputs(report, stderr);
    tn_status_release(status);
    failed = 1;
  }
  return failed;
}
