// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/sort/quick.h"

#include "kernel/common/isa.h"

// In parts of 32 bits: lanes of `parts` of them.
static void fill_orders(uint8_t (*orders)[8], int lanes, int parts) {
  for (int bits = 0; bits < 1 << lanes; ++bits) {
    uint8_t* next = orders[bits];
    for (int above = 0; above < 2; ++above) {
      for (int lane = 0; lane < lanes; ++lane) {
        if ((bits >> lane & 1) != above) continue;
        for (int part = 0; part < parts; ++part) *next++ = (uint8_t)(lane * parts + part);
      }
    }
  }
}

bool tn__quick_init(tn_quick_t* out_quick) {
  if (!TN_ISA_X86 || !tn__isa_has(TN_ISA_FMA)) return false;
  fill_orders(out_quick->narrow, 8, 1);
  fill_orders(out_quick->wide, 4, 2);
  return true;
}

#if TN_ISA_X86
#include <immintrin.h>
#include <string.h>

#define TARGET TN_ISA_TARGET_AVX2

enum { NETWORK = 8, FEW = 32 };  // vectors

static inline TARGET __m256i in_order(const uint8_t* order, __m256i v) {
  const __m128i bytes = _mm_loadl_epi64((const __m128i*)(const void*)order);
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(bytes));
}

// --- 32 bits

static inline TARGET __m256i clean_narrow(__m256i v) {
  __m256i other = _mm256_permute2x128_si256(v, v, 1);
  v = _mm256_blend_epi32(_mm256_min_epi32(v, other), _mm256_max_epi32(v, other), 0xF0);
  other = _mm256_shuffle_epi32(v, 0x4E);
  v = _mm256_blend_epi32(_mm256_min_epi32(v, other), _mm256_max_epi32(v, other), 0xCC);
  other = _mm256_shuffle_epi32(v, 0xB1);
  return _mm256_blend_epi32(_mm256_min_epi32(v, other), _mm256_max_epi32(v, other), 0xAA);
}

static inline TARGET void transpose_narrow(__m256i* v) {
  __m256i a[8], b[8];
  for (int i = 0; i < 8; i += 2) {
    a[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
    a[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    b[i] = _mm256_unpacklo_epi64(a[i], a[i + 2]);
    b[i + 1] = _mm256_unpackhi_epi64(a[i], a[i + 2]);
    b[i + 2] = _mm256_unpacklo_epi64(a[i + 1], a[i + 3]);
    b[i + 3] = _mm256_unpackhi_epi64(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x20);
    v[i + 4] = _mm256_permute2x128_si256(b[i], b[i + 4], 0x31);
  }
}

#define QUICK(name) s32_##name
#define VALUE int32_t
#define GREATEST INT32_MAX
#define LANES 8
#define RUN 1
#define ALL(value) _mm256_set1_epi32(value)
#define LEAST_OF(a, b) _mm256_min_epi32(a, b)
#define GREATEST_OF(a, b) _mm256_max_epi32(a, b)
#define ABOVE(v, pivot) \
  (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(v, pivot)))
#define DIVIDED(quick, v, bits) in_order((quick)->narrow[bits], v)
#define REVERSED(v) _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0))
#define CLEANED(v) clean_narrow(v)
#define TRANSPOSE(v) transpose_narrow(v)
#include "kernel/sort/quick.inc"

// --- 64 bits

static inline TARGET __m256i least_wide(__m256i a, __m256i b) {
  return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
}
static inline TARGET __m256i greatest_wide(__m256i a, __m256i b) {
  return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}

static inline TARGET __m256i clean_wide(__m256i v) {
  __m256i other = _mm256_permute4x64_epi64(v, 0x4E);
  v = _mm256_blend_epi32(least_wide(v, other), greatest_wide(v, other), 0xF0);
  other = _mm256_shuffle_epi32(v, 0x4E);
  return _mm256_blend_epi32(least_wide(v, other), greatest_wide(v, other), 0xCC);
}

// Four columns of eight become runs of two vectors.
static inline TARGET void transpose_wide(__m256i* v) {
  __m256i rows[8];
  for (int i = 0; i < 8; i += 4) {
    const __m256i a = _mm256_unpacklo_epi64(v[i], v[i + 1]);
    const __m256i b = _mm256_unpackhi_epi64(v[i], v[i + 1]);
    const __m256i c = _mm256_unpacklo_epi64(v[i + 2], v[i + 3]);
    const __m256i d = _mm256_unpackhi_epi64(v[i + 2], v[i + 3]);
    rows[i] = _mm256_permute2x128_si256(a, c, 0x20);
    rows[i + 1] = _mm256_permute2x128_si256(b, d, 0x20);
    rows[i + 2] = _mm256_permute2x128_si256(a, c, 0x31);
    rows[i + 3] = _mm256_permute2x128_si256(b, d, 0x31);
  }
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = rows[i];
    v[2 * i + 1] = rows[i + 4];
  }
}

#define QUICK(name) s64_##name
#define VALUE int64_t
#define GREATEST INT64_MAX
#define LANES 4
#define RUN 2
#define ALL(value) _mm256_set1_epi64x(value)
#define LEAST_OF(a, b) least_wide(a, b)
#define GREATEST_OF(a, b) greatest_wide(a, b)
#define ABOVE(v, pivot) \
  (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(v, pivot)))
#define DIVIDED(quick, v, bits) in_order((quick)->wide[bits], v)
#define REVERSED(v) _mm256_permute4x64_epi64(v, 0x1B)
#define CLEANED(v) clean_wide(v)
#define TRANSPOSE(v) transpose_wide(v)
#include "kernel/sort/quick.inc"

void tn__quick_sort_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int depth) {
  s32_sort(quick, values, count, depth);
}
void tn__quick_sort_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int depth) {
  s64_sort(quick, values, count, depth);
}
void tn__quick_split_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int levels,
                         int64_t* bounds) {
  s32_split(quick, values, 0, count, levels, bounds);
}
void tn__quick_split_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int levels,
                         int64_t* bounds) {
  s64_split(quick, values, 0, count, levels, bounds);
}
#else
void tn__quick_sort_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int depth) {
  (void)quick, (void)values, (void)count, (void)depth;
}
void tn__quick_sort_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int depth) {
  (void)quick, (void)values, (void)count, (void)depth;
}
void tn__quick_split_s32(const tn_quick_t* quick, int32_t* values, int64_t count, int levels,
                         int64_t* bounds) {
  (void)quick, (void)values, (void)count, (void)levels, (void)bounds;
}
void tn__quick_split_s64(const tn_quick_t* quick, int64_t* values, int64_t count, int levels,
                         int64_t* bounds) {
  (void)quick, (void)values, (void)count, (void)levels, (void)bounds;
}
#endif
