// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Vectors of floats of 16 bits in memory, as f32 that have the same values; words are their bits.
//
//   TN_LOAD_BF16_4(place)          4 of them, from anywhere; with AVX2 8, with AVX-512 16
//   TN_STORE_BF16_4(place, words)  those whose bits are the upper halves of 4 words
//   TN_ROUND_BF16_4(words)         to the nearest bf16, ties to even; a NaN stays one if its lower
//                                  half is 0
//   TN_LOAD_F16_8(place), TN_STORE_F16_8(place, words), TN_ROUND_F16_8(words)
//                                  the same of f16, with AVX2 and AVX-512 alone
#ifndef TENON_KERNEL_COMMON_HALF_VECTORS_H_
#define TENON_KERNEL_COMMON_HALF_VECTORS_H_

#include <stdint.h>

#include "kernel/common/isa.h"

typedef uint32_t tn_words_4_t __attribute__((vector_size(16)));
typedef uint32_t tn_words_8_t __attribute__((vector_size(32)));
typedef uint32_t tn_words_16_t __attribute__((vector_size(64)));

#define TN_ROUND_BF16(words) (((words) + 0x7fff + ((words) >> 16 & 1)) & 0xffff0000)
#define TN_ROUND_BF16_4 TN_ROUND_BF16
#define TN_ROUND_BF16_8 TN_ROUND_BF16
#define TN_ROUND_BF16_16 TN_ROUND_BF16

#if TN_ISA_X86
#include <immintrin.h>

#define TN_LOAD_BF16_4(place)                            \
  ((tn_words_4_t)_mm_unpacklo_epi16(_mm_setzero_si128(), \
                                    _mm_loadl_epi64((const __m128i*)(const void*)(place))))
#define TN_LOAD_BF16_8(place)       \
  ((tn_words_8_t)_mm256_slli_epi32( \
      _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)(const void*)(place))), 16))
#define TN_LOAD_BF16_16(place)       \
  ((tn_words_16_t)_mm512_slli_epi32( \
      _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i*)(const void*)(place))), 16))

// With their sign, upper halves fit 16 bits: nothing saturates.
#define TN_STORE_BF16_4(place, words)                                          \
  do {                                                                         \
    const __m128i upper = _mm_srai_epi32((__m128i)(words), 16);                \
    _mm_storel_epi64((__m128i*)(void*)(place), _mm_packs_epi32(upper, upper)); \
  } while (0)
#define TN_STORE_BF16_8(place, words)                                                        \
  do {                                                                                       \
    const __m256i upper = _mm256_srai_epi32((__m256i)(words), 16);                           \
    _mm_storeu_si128(                                                                        \
        (__m128i*)(void*)(place),                                                            \
        _mm_packs_epi32(_mm256_castsi256_si128(upper), _mm256_extracti128_si256(upper, 1))); \
  } while (0)
#define TN_STORE_BF16_16(place, words)          \
  _mm256_storeu_si256((__m256i*)(void*)(place), \
                      _mm512_cvtepi32_epi16(_mm512_srli_epi32((__m512i)(words), 16)))

#define TN_LOAD_F16_8(place) \
  ((tn_words_8_t)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(const void*)(place))))
#define TN_LOAD_F16_16(place) \
  ((tn_words_16_t)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(const void*)(place))))
#define TN_STORE_F16_8(place, words)         \
  _mm_storeu_si128((__m128i*)(void*)(place), \
                   _mm256_cvtps_ph((__m256)(words), _MM_FROUND_TO_NEAREST_INT))
#define TN_STORE_F16_16(place, words)           \
  _mm256_storeu_si256((__m256i*)(void*)(place), \
                      _mm512_cvtps_ph((__m512)(words), _MM_FROUND_TO_NEAREST_INT))
#define TN_ROUND_F16_8(words) \
  ((tn_words_8_t)_mm256_cvtph_ps(_mm256_cvtps_ph((__m256)(words), _MM_FROUND_TO_NEAREST_INT)))
#define TN_ROUND_F16_16(words) \
  ((tn_words_16_t)_mm512_cvtph_ps(_mm512_cvtps_ph((__m512)(words), _MM_FROUND_TO_NEAREST_INT)))
#else
typedef uint16_t tn_halves_4_t __attribute__((vector_size(8), aligned(2), may_alias));

#define TN_LOAD_BF16_4(place) \
  (__builtin_convertvector(*(const tn_halves_4_t*)(const void*)(place), tn_words_4_t) << 16)
#define TN_STORE_BF16_4(place, words) \
  (*(tn_halves_4_t*)(void*)(place) =  \
       __builtin_convertvector((tn_words_4_t)(words) >> 16, tn_halves_4_t))
#endif

#endif  // TENON_KERNEL_COMMON_HALF_VECTORS_H_
