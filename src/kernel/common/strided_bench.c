// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Transposes, broadcasts and copies of 4096x4096 f32: kernel_ref_strided_bench
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/linux/clock.h"
#include "kernel/common/strided.h"

enum { SIDE = 4096, RUNS = 21 };

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median_ms(const tn_strided_copy_t* copy, tn_pool_t* pool, void* target,
                        const void* source) {
  double ms[RUNS];
  for (int run = -3; run < RUNS; ++run) {
    const int64_t start_ns = tn__clock_ns();
    tn_status_release(tn__strided_copy_run(copy, pool, target, source));
    if (run >= 0) ms[run] = (double)(tn__clock_ns() - start_ns) / 1e6;
  }
  qsort(ms, RUNS, sizeof *ms, compare);
  return ms[RUNS / 2];
}

static void* huge_block(size_t length) {
  void* block = aligned_alloc(2 << 20, length);
  if (block) {
    madvise(block, length, MADV_HUGEPAGE);
    memset(block, 1, length);
  }
  return block;
}

int main(void) {
  tn_pool_t* pool;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  if (tn__pool_create(NULL, tn_allocator_system(), &pool)) return 1;
  const size_t length = (size_t)SIDE * SIDE * sizeof(float);
  void *source = huge_block(length), *target = huge_block(length);
  if (!source || !target) return 1;
  static const struct {
    const char* name;
    size_t rank;
    int64_t dims[3], strides[3];
  } cases[] = {
      {"copy", 2, {SIDE, SIDE}, {SIDE * 4, 4}},
      {"transpose f32", 2, {SIDE, SIDE}, {4, SIDE * 4}},
      {"reverse columns", 2, {SIDE, SIDE}, {SIDE * 4, -4}},
      {"broadcast row", 2, {SIDE, SIDE}, {0, 4}},
      {"broadcast column", 2, {SIDE, SIDE}, {4, 0}},
      {"broadcast 3 floats", 2, {SIDE * (SIDE / 4), 3}, {0, 4}},
      {"swap inner of 64x64x4096", 3, {4096, 64, 64}, {SIDE * 4, 4, 256}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    int64_t target_strides[3];
    tn__dense_strides(cases[i].rank, cases[i].dims, 4, target_strides);
    tn_strided_copy_t copy;
    tn_status_t status = tn__strided_copy_prepare(&arena, 4, cases[i].rank, cases[i].dims,
                                                  target_strides, cases[i].strides, &copy);
    if (status) return 1;
    const char* from = source;
    if (cases[i].strides[1] < 0) from += (SIDE - 1) * 4;
    const double one = median_ms(&copy, NULL, target, from);
    const double all = median_ms(&copy, pool, target, from);
    printf("%-28s 1 thread %7.2f ms   %d threads %7.2f ms\n", cases[i].name, one,
           tn__pool_thread_count(pool), all);
  }
  tn__pool_release(pool);
  tn__arena_deinit(&arena);
  free(source), free(target);
  return 0;
}
