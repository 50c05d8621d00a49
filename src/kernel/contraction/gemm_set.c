#include "kernel/contraction/gemm_set.h"

#include <stddef.h>
#include <string.h>

// Every instruction set has its vectors and as large a tile as its registers hold. All of them do
// the same operations in the same order on each element, so that results are equal to the bit.

// --- vectors of 16 bytes: what every x86-64 and 64-bit ARM processor has
#define TARGET
#define ROWS 4
#define VECTORS 2
#define LOOP(name) base_f32_##name
#define SCALAR float
#define LANES 4
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) base_f64_##name
#define SCALAR double
#define LANES 2
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) base_i32_##name
#define SCALAR uint32_t
#define LANES 4
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) base_i64_##name
#define SCALAR uint64_t
#define LANES 2
#include "kernel/contraction/gemm_loops.inc"
#undef TARGET
#undef ROWS
#undef VECTORS

#if defined(__x86_64__) && defined(__GNUC__)
#define X86 1
#else
#define X86 0
#endif

#if X86
// --- vectors of 32 bytes
#define TARGET __attribute__((target("avx2")))
#define ROWS 6
#define VECTORS 2
#define LOOP(name) avx2_f32_##name
#define SCALAR float
#define LANES 8
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx2_f64_##name
#define SCALAR double
#define LANES 4
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx2_i32_##name
#define SCALAR uint32_t
#define LANES 8
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx2_i64_##name
#define SCALAR uint64_t
#define LANES 4
#include "kernel/contraction/gemm_loops.inc"
#undef TARGET
#undef ROWS
#undef VECTORS

// --- vectors of 64 bytes
#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define ROWS 12
#define VECTORS 2
#define LOOP(name) avx512_f32_##name
#define SCALAR float
#define LANES 16
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx512_f64_##name
#define SCALAR double
#define LANES 8
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx512_i32_##name
#define SCALAR uint32_t
#define LANES 16
#include "kernel/contraction/gemm_loops.inc"
#define LOOP(name) avx512_i64_##name
#define SCALAR uint64_t
#define LANES 8
#include "kernel/contraction/gemm_loops.inc"
#undef TARGET
#undef ROWS
#undef VECTORS
#endif

// Worst first.
static const tn_gemm_set_t* const sets[][TN_GEMM_SCALAR_COUNT] = {
    {&base_f32_set, &base_f64_set, &base_i32_set, &base_i64_set},
#if X86
    {&avx2_f32_set, &avx2_f64_set, &avx2_i32_set, &avx2_i64_set},
    {&avx512_f32_set, &avx512_f64_set, &avx512_i32_set, &avx512_i64_set},
#endif
};

static bool has_isa(int isa) {
#if X86
  if (isa == 1) return __builtin_cpu_supports("avx2");
  if (isa == 2) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return isa == 0;
}

int tn__gemm_isa_count(void) {
  return (int)(sizeof sets / sizeof *sets);
}

const tn_gemm_set_t* tn__gemm_set_of(int isa, tn_gemm_scalar_t scalar) {
  return has_isa(isa) ? sets[isa][scalar] : NULL;
}

const tn_gemm_set_t* tn__gemm_set(tn_gemm_scalar_t scalar) {
  int isa = tn__gemm_isa_count() - 1;
  while (!has_isa(isa)) --isa;
  return sets[isa][scalar];
}
