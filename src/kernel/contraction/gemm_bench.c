// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Matrix products, on one thread and on all: kernel_ref_gemm_bench
#include <stdio.h>
#include <stdlib.h>

#include "base/linux/clock.h"
#include "kernel/contraction/gemm.h"

enum { RUNS = 15 };

static int compare(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static double median_ms(const tn_gemm_t* gemm, tn_pool_t* pool, const void* lhs, const void* rhs,
                        void* result, void* scratch, int repeats) {
  double ms[RUNS];
  for (int run = -2; run < RUNS; ++run) {
    const int64_t start_ns = tn__clock_ns();
    for (int i = 0; i < repeats; ++i) {
      tn_status_release(tn__gemm_run(gemm, pool, lhs, rhs, result, scratch));
    }
    if (run >= 0) ms[run] = (double)(tn__clock_ns() - start_ns) / 1e6 / repeats;
  }
  qsort(ms, RUNS, sizeof *ms, compare);
  return ms[RUNS / 2];
}

int main(void) {
  tn_pool_t* pool;
  tn_status_t status = tn__pool_create(NULL, tn_allocator_system(), &pool);
  if (status) return 1;
  static const struct {
    const char* name;
    tn_gemm_type_t type;
    int64_t rows, columns, depth;
    size_t size;
  } cases[] = {
      {"f32", TN_GEMM_F32, 8, 8, 8, 4},          {"f32", TN_GEMM_F32, 64, 64, 64, 4},
      {"f32", TN_GEMM_F32, 256, 256, 256, 4},    {"f32", TN_GEMM_F32, 1024, 1024, 1024, 4},
      {"f32", TN_GEMM_F32, 2048, 2048, 2048, 4}, {"f64", TN_GEMM_F64, 1024, 1024, 1024, 8},
      {"i32", TN_GEMM_I32, 1024, 1024, 1024, 4}, {"c64", TN_GEMM_C64, 1024, 1024, 1024, 8},
      {"f32", TN_GEMM_F32, 1, 4096, 4096, 4},    {"f32", TN_GEMM_F32, 4096, 1, 4096, 4},
      {"f32", TN_GEMM_F32, 8, 4096, 4096, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int64_t m = cases[i].rows, n = cases[i].columns, k = cases[i].depth;
    const tn_gemm_shape_t shape = {
        .type = cases[i].type,
        .rows = m,
        .columns = n,
        .depth = k,
        .lhs_row_stride = k,
        .lhs_depth_stride = 1,
        .rhs_depth_stride = n,
        .rhs_column_stride = 1,
    };
    const tn_gemm_t gemm = tn__gemm_plan(&shape);
    const size_t size = cases[i].size;
    float* lhs = aligned_alloc(64, (size_t)(m * k) * size + 64);
    float* rhs = aligned_alloc(64, (size_t)(k * n) * size + 64);
    void* result = aligned_alloc(64, (size_t)(m * n) * size + 64);
    void* scratch = aligned_alloc(64, gemm.scratch_byte_size + 64);
    if (!lhs || !rhs || !result || !scratch) return 1;
    for (size_t j = 0; j < (size_t)(m * k) * size / 4; ++j) lhs[j] = 1.0f;
    for (size_t j = 0; j < (size_t)(k * n) * size / 4; ++j) rhs[j] = 1.0f;
    const double products = (double)m * (double)n * (double)k;
    const int repeats = products < 1e6 ? 1000 : 1;
    const double one = median_ms(&gemm, NULL, lhs, rhs, result, scratch, repeats);
    const double all = median_ms(&gemm, pool, lhs, rhs, result, scratch, repeats);
    const double operations = products * (cases[i].type >= TN_GEMM_C64 ? 8 : 2);
    printf(
        "%s %5lld x %5lld x %5lld   1 thread %10.5f ms %6.1f G/s   %d threads %10.5f ms %6.1f "
        "G/s\n",
        cases[i].name, (long long)m, (long long)n, (long long)k, one, operations / one / 1e6,
        tn__pool_thread_count(pool), all, operations / all / 1e6);
    free(lhs), free(rhs), free(result), free(scratch);
  }
  tn__pool_release(pool);
  return 0;
}
