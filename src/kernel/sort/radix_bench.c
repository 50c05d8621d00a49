// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Sorting 2^20 numbers, in CPU time of the one thread: kernel_ref_radix_bench
#include "kernel/sort/radix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1 << 20, RUNS = 15 };

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void print(const char* name, double* ms) {
  qsort(ms, RUNS, sizeof *ms, compare);
  printf("%-24s %7.2f ms\n", name, ms[RUNS / 2]);
}

int main(void) {
  const size_t length = (size_t)COUNT * sizeof(tn_wide_pair_t);
  char *source = malloc(length), *values = malloc(length), *spare = malloc(length);
  if (!source || !values || !spare) {
    free(source);
    free(values);
    free(spare);
    return 1;
  }
  uint64_t seed = 1;
  for (size_t i = 0; i < length; i += 8) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const uint64_t word = seed ^ seed >> 29;
    memcpy(source + i, &word, 8);
  }
  double ms[3][RUNS];
  for (int run = 0; run < RUNS; ++run) {
    memcpy(values, source, length);
    memcpy(spare, source, length);
    double start = cpu_ms();
    tn__radix_sort_u32((uint32_t*)(void*)values, (uint32_t*)(void*)spare, COUNT, 0, 32);
    ms[0][run] = cpu_ms() - start;
    memcpy(values, source, length);
    start = cpu_ms();
    tn__radix_sort_u64((uint64_t*)(void*)values, (uint64_t*)(void*)spare, COUNT, 32, 32);
    ms[1][run] = cpu_ms() - start;
    memcpy(values, source, length);
    start = cpu_ms();
    tn__radix_sort_pairs((tn_wide_pair_t*)(void*)values, (tn_wide_pair_t*)(void*)spare, COUNT, 0,
                         64);
    ms[2][run] = cpu_ms() - start;
  }
  print("32-bit keys", ms[0]);
  print("32-bit keys with index", ms[1]);
  print("64-bit keys with index", ms[2]);
  free(source), free(values), free(spare);
  return 0;
}
