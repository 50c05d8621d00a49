// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/transpose_block.h"

#include <string.h>

#include "kernel/common/isa.h"
#include "kernel/common/loop.h"
#include "kernel/common/shuffle.h"
#ifdef __SSE2__
#include <immintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { LINE = TN_TRANSPOSE_LINE_BYTES, VECTOR = 16, LARGEST_SIDE = 64 };

typedef uint8_t bytes_t __attribute__((vector_size(VECTOR)));
typedef uint16_t halves_t __attribute__((vector_size(VECTOR)));
typedef uint32_t words_t __attribute__((vector_size(VECTOR)));
typedef uint64_t doubles_t __attribute__((vector_size(VECTOR)));

// The lower halves of a and b, element by element in turn; and the upper ones.
ALWAYS_INLINE void interleave(size_t size, bytes_t a, bytes_t b, bytes_t* out_low,
                              bytes_t* out_high) {
  if (size == 1) {
    *out_low = TN_SHUFFLE(bytes_t, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *out_high =
        TN_SHUFFLE(bytes_t, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  } else if (size == 2) {
    const halves_t x = (halves_t)a, y = (halves_t)b;
    *out_low = (bytes_t)TN_SHUFFLE(halves_t, x, y, 0, 8, 1, 9, 2, 10, 3, 11);
    *out_high = (bytes_t)TN_SHUFFLE(halves_t, x, y, 4, 12, 5, 13, 6, 14, 7, 15);
  } else if (size == 4) {
    const words_t x = (words_t)a, y = (words_t)b;
    *out_low = (bytes_t)TN_SHUFFLE(words_t, x, y, 0, 4, 1, 5);
    *out_high = (bytes_t)TN_SHUFFLE(words_t, x, y, 2, 6, 3, 7);
  } else {
    const doubles_t x = (doubles_t)a, y = (doubles_t)b;
    *out_low = (bytes_t)TN_SHUFFLE(doubles_t, x, y, 0, 2);
    *out_high = (bytes_t)TN_SHUFFLE(doubles_t, x, y, 1, 3);
  }
}

// Transposes `side` vectors of `side` elements: log2(side) perfect shuffles.
ALWAYS_INLINE void transpose_vectors(size_t size, bytes_t* vectors) {
  const size_t side = VECTOR / size;
  for (size_t round = 1; round < side; round *= 2) {
    bytes_t next[VECTOR];
    for (size_t i = 0; i < side / 2; ++i) {
      interleave(size, vectors[i], vectors[i + side / 2], &next[2 * i], &next[2 * i + 1]);
    }
    for (size_t i = 0; i < side; ++i) vectors[i] = next[i];
  }
}

ALWAYS_INLINE void store_line(bool streaming, char* target, const bytes_t* line) {
#ifdef __SSE2__
  if (streaming) {
    for (size_t i = 0; i < LINE / VECTOR; ++i) {
      _mm_stream_si128((__m128i*)(void*)(target + i * VECTOR), (__m128i)line[i]);
    }
    return;
  }
#endif
  (void)streaming;
  memcpy(target, line, LINE);
}

// One block: a line's worth of rows from as many source rows. Each source line is read once, from
// left to right, and each target line written once and whole.
ALWAYS_INLINE void transpose_block(size_t size, bool streaming, char* target, int64_t target_stride,
                                   const char* source, int64_t source_stride) {
  const size_t side = LINE / size, vector_side = VECTOR / size;
  bytes_t lines[LARGEST_SIDE][LINE / VECTOR];
  for (size_t c = 0; c < side; c += vector_side) {
    for (size_t part = 0; part < LINE / VECTOR; ++part) {
      bytes_t vectors[VECTOR];
      for (size_t i = 0; i < vector_side; ++i) {
        memcpy(&vectors[i], source + (int64_t)(c + i) * source_stride + part * VECTOR, VECTOR);
      }
      transpose_vectors(size, vectors);
      for (size_t i = 0; i < vector_side; ++i) {
        lines[part * vector_side + i][c / vector_side] = vectors[i];
      }
    }
  }
  for (size_t r = 0; r < side; ++r) {
    store_line(streaming, target + (int64_t)r * target_stride, lines[r]);
  }
}

#if TN_ISA_X86
// The same of elements of 4 bytes by vectors of AVX2, which unpack within their halves.
typedef float floats_t __attribute__((vector_size(32)));
typedef float loose_floats_t __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t float_places_t __attribute__((vector_size(32)));

// out[i] has the elements i of the eight vectors.
TN_ISA_TARGET_AVX2 ALWAYS_INLINE void transpose_floats(const floats_t* rows, floats_t* out) {
  floats_t pairs[8], fours[8];
  for (size_t i = 0; i < 8; i += 2) {
    const floats_t a = rows[i], b = rows[i + 1];
    pairs[i] = TN_SHUFFLE(float_places_t, a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = TN_SHUFFLE(float_places_t, a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (size_t half = 0; half < 8; half += 4) {
    for (size_t i = 0; i < 2; ++i) {
      const floats_t a = pairs[half + i], b = pairs[half + 2 + i];
      fours[half + 2 * i] = TN_SHUFFLE(float_places_t, a, b, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[half + 2 * i + 1] = TN_SHUFFLE(float_places_t, a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (size_t i = 0; i < 4; ++i) {
    const floats_t a = fours[i], b = fours[i + 4];
    out[i] = TN_SHUFFLE(float_places_t, a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    out[i + 4] = TN_SHUFFLE(float_places_t, a, b, 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

TN_ISA_TARGET_AVX2 static void transpose_float_block(bool streaming, char* target,
                                                     int64_t target_stride, const char* source,
                                                     int64_t source_stride) {
  floats_t lines[16][2];
  for (size_t part = 0; part < 2; ++part) {
    floats_t rows[2][8];
    for (size_t i = 0; i < 8; ++i) {
      const char* row = source + (int64_t)(8 * part + i) * source_stride;
      rows[0][i] = ((const loose_floats_t*)(const void*)row)[0];
      rows[1][i] = ((const loose_floats_t*)(const void*)row)[1];
    }
    for (size_t half = 0; half < 2; ++half) {
      floats_t columns[8];
      transpose_floats(rows[half], columns);
      for (size_t i = 0; i < 8; ++i) lines[8 * half + i][part] = columns[i];
    }
  }
  for (size_t r = 0; r < 16; ++r) {
    char* line = target + (int64_t)r * target_stride;
    for (size_t part = 0; part < 2; ++part) {
      float* place = (float*)(void*)line + 8 * part;
      if (streaming) {
        _mm256_stream_ps(place, (__m256)lines[r][part]);
      } else {
        *(loose_floats_t*)(void*)place = lines[r][part];
      }
    }
  }
}
#endif

ALWAYS_INLINE void transpose_elements(size_t size, char* restrict target, int64_t target_stride,
                                      const char* restrict source, int64_t source_stride,
                                      int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      memcpy(target + r * target_stride + c * (int64_t)size,
             source + c * source_stride + r * (int64_t)size, size);
    }
  }
}

// What is not a whole block: vectors of a few source rows, from left to right.
ALWAYS_INLINE void transpose_rest(size_t size, char* restrict target, int64_t target_stride,
                                  const char* restrict source, int64_t source_stride, int64_t rows,
                                  int64_t columns) {
  const int64_t side = (int64_t)(VECTOR / size), step = (int64_t)size;
  int64_t c = 0;
  for (; c + side <= columns; c += side) {
    const char* from = source + c * source_stride;
    char* to = target + c * step;
    int64_t r = 0;
    for (; r + side <= rows; r += side) {
      bytes_t vectors[VECTOR];
      for (int64_t i = 0; i < side; ++i) {
        memcpy(&vectors[i], from + i * source_stride + r * step, VECTOR);
      }
      transpose_vectors(size, vectors);
      for (int64_t i = 0; i < side; ++i) {
        memcpy(to + (r + i) * target_stride, &vectors[i], VECTOR);
      }
    }
    transpose_elements(size, to + r * target_stride, target_stride, from + r * step, source_stride,
                       rows - r, side);
  }
  transpose_elements(size, target + c * step, target_stride, source + c * source_stride,
                     source_stride, rows, columns - c);
}

ALWAYS_INLINE void transpose_strip(size_t size, bool streaming, char* target, int64_t target_stride,
                                   const char* source, int64_t source_stride, int64_t rows,
                                   int64_t columns) {
  const int64_t side = (int64_t)(LINE / size);
  int64_t r = 0;
  if (columns == side) {
    const bool aligned = (((uintptr_t)target | (uintptr_t)target_stride) & (LINE - 1)) == 0;
#if TN_ISA_X86
    const bool by_floats = size == 4 && tn__isa_has(TN_ISA_FMA);
#endif
    for (; r + side <= rows; r += side) {
      char* block = target + r * target_stride;
      const char* from = source + r * (int64_t)size;
#if TN_ISA_X86
      if (by_floats) {
        transpose_float_block(streaming && aligned, block, target_stride, from, source_stride);
        continue;
      }
#endif
      if (streaming && aligned) {
        transpose_block(size, true, block, target_stride, from, source_stride);
      } else {
        transpose_block(size, false, block, target_stride, from, source_stride);
      }
    }
  }
  transpose_rest(size, target + r * target_stride, target_stride, source + r * (int64_t)size,
                 source_stride, rows - r, columns);
}

void tn__transpose_strip(size_t element_size, bool streaming, char* target, int64_t target_stride,
                         const char* source, int64_t source_stride, int64_t rows, int64_t columns) {
  switch (element_size) {
#define CASE(size)                                                                                 \
  case size:                                                                                       \
    transpose_strip(size, streaming, target, target_stride, source, source_stride, rows, columns); \
    break;
    TN_ELEMENT_SIZES(CASE)
#undef CASE
    default: break;
  }
}
