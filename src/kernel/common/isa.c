// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/isa.h"

#include <pthread.h>

#if TN_ISA_X86
#include <cpuid.h>
#endif

static tn_isa_t best, limit = TN_ISA_COUNT;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_best(void) {
#if TN_ISA_X86
  unsigned a, b, c, d;
  // Not all compilers' __builtin_cpu_supports knows of f16c.
  const bool has_f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c) return;
  best = TN_ISA_FMA;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    best = TN_ISA_AVX512;
  }
#elif TN_ISA_HAS_FMA
  best = TN_ISA_FMA;
#endif
}

tn_isa_t tn__isa_best(tn_isa_t most) {
  pthread_once(&once, find_best);
  const tn_isa_t limited = best < limit ? best : limit;
  return limited < most ? limited : most;
}

void tn__isa_limit(tn_isa_t most) {
  limit = most;
}

bool tn__isa_has(tn_isa_t isa) {
  return tn__isa_best(isa) == isa;
}
