// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What host memory costs: device_cpu_host_memory_bench
//
// "fresh result" is what a run does: take a block, compute into it, give it back. The kernel is
// y = a * x + b over 64 MiB of f32, with ordinary stores.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/linux/clock.h"
#include "device/cpu/host_memory.h"

enum { SAMPLES = 31, BYTES = 64 << 20, COUNT = BYTES / 4 };

static int compare(const void* a, const void* b) {
  double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

static void compute(const float* x, float* y, float a, float b) {
  for (size_t i = 0; i < COUNT; ++i) y[i] = a * x[i] + b;
}

static void* take(tn_host_memory_t* memory, size_t byte_size) {
  void* block;
  tn_status_t status = tn__host_memory_allocate(memory, byte_size, 0, &block);
  if (status) {
    fprintf(stderr, "host_memory_bench: %s\n", tn_status_message(status));
    exit(1);
  }
  return block;
}

static void print_small(tn_host_memory_t* memory, size_t byte_size) {
  enum { REPEATS = 200000, LIVE = 64 };
  void* blocks[LIVE];
  double ours_ns[SAMPLES / 3], theirs_ns[SAMPLES / 3];
  for (int sample = 0; sample < SAMPLES / 3; ++sample) {
    int64_t start_ns = tn__clock_ns();
    for (int i = 0; i < REPEATS / LIVE; ++i) {
      for (int k = 0; k < LIVE; ++k) blocks[k] = take(memory, byte_size);
      for (int k = 0; k < LIVE; ++k) tn__host_memory_free(memory, blocks[k]);
    }
    ours_ns[sample] = (double)(tn__clock_ns() - start_ns) / REPEATS;
    start_ns = tn__clock_ns();
    for (int i = 0; i < REPEATS / LIVE; ++i) {
      for (int k = 0; k < LIVE; ++k) blocks[k] = aligned_alloc(64, byte_size);
      for (int k = 0; k < LIVE; ++k) free(blocks[k]);
    }
    theirs_ns[sample] = (double)(tn__clock_ns() - start_ns) / REPEATS;
  }
  printf("%8zu bytes, take and give back: %7.1f ns  (aligned_alloc %7.1f)\n", byte_size,
         median(ours_ns, SAMPLES / 3), median(theirs_ns, SAMPLES / 3));
}

int main(void) {
  tn_host_memory_t* memory;
  tn_status_t status = tn__host_memory_create(NULL, tn_allocator_system(), &memory);
  if (status) {
    fprintf(stderr, "host_memory_bench: %s\n", tn_status_message(status));
    return 1;
  }
  static const size_t small_sizes[] = {64, 4096, 65536, 262144, 2 << 20};
  for (size_t i = 0; i < sizeof small_sizes / sizeof *small_sizes; ++i) {
    print_small(memory, small_sizes[i]);
  }
  float* x = take(memory, BYTES);
  float* reused = take(memory, BYTES);
  memset(x, 0, BYTES);
  memset(reused, 0, BYTES);
  double reused_ms[SAMPLES], fresh_ms[SAMPLES], system_ms[SAMPLES];
  for (int sample = 0; sample < SAMPLES; ++sample) {
    int64_t start_ns = tn__clock_ns();
    compute(x, reused, 1.5f, (float)sample);
    reused_ms[sample] = (double)(tn__clock_ns() - start_ns) / 1e6;

    start_ns = tn__clock_ns();
    float* fresh = take(memory, BYTES);
    compute(x, fresh, 1.5f, (float)sample);
    tn__host_memory_free(memory, fresh);
    fresh_ms[sample] = (double)(tn__clock_ns() - start_ns) / 1e6;

    start_ns = tn__clock_ns();
    float* other = aligned_alloc(64, BYTES);
    if (!other) return 1;
    compute(x, other, 1.5f, (float)sample);
    free(other);
    system_ms[sample] = (double)(tn__clock_ns() - start_ns) / 1e6;
  }
  double reused_median_ms = median(reused_ms, SAMPLES);
  double fresh_median_ms = median(fresh_ms, SAMPLES);
  printf("64 MiB, reused buffer         %7.2f ms\n", reused_median_ms);
  printf("64 MiB, fresh result          %7.2f ms  (%.2f of the reused)\n", fresh_median_ms,
         fresh_median_ms / reused_median_ms);
  printf("64 MiB, fresh result, malloc  %7.2f ms\n", median(system_ms, SAMPLES));
  tn__host_memory_free(memory, x);
  tn__host_memory_free(memory, reused);
  tn__host_memory_destroy(memory);
  return 0;
}
