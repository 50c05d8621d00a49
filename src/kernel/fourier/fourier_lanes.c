// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/fourier/fourier_lanes.h"

#include <string.h>

#include "base/integer.h"
#include "kernel/common/shuffle.h"
#include "kernel/common/transpose_block.h"

enum {
  FINE = 1 << 10,                                 // the long line's table of roots in two parts
  SHORTEST_SIDE = 16,                             // of a long line's matrix
  LANE_BYTES = sizeof(double[TN_FOURIER_LANES]),  // of lanes' real, or imaginary parts
};

// One pass over `from`, seen as [radix][rest][stride], into [rest][radix][stride].
typedef struct pass {
  const void* roots;
  int64_t length;  // of the whole line
  int64_t radix, rest, stride;
  const tn_complex_lanes_t* from;
  tn_complex_lanes_t* to;
} pass_t;

// Of one type and one instruction set. Arrays have complex numbers of the type, and begin with the
// first number of the first line.
typedef struct passes {
  size_t real_size;
  int64_t lanes;
  void (*two)(const pass_t* pass);
  void (*four)(const pass_t* pass);
  void (*any)(const pass_t* pass);
  void (*turn)(int64_t count, const tn_complex_t* start, const tn_complex_lanes_t* turns,
               tn_complex_lanes_t* values);
  void (*join)(int64_t half, const tn_complex_t* turns, tn_complex_lanes_t* values);
  void (*split)(int64_t half, const tn_complex_t* turns, tn_complex_lanes_t* values);
  void (*conjugate)(int64_t length, tn_complex_lanes_t* values);
  void (*invert)(int64_t length, double scale, tn_complex_lanes_t* values);
  void (*load_columns)(const void* array, int64_t stride, int64_t length, tn_complex_lanes_t* out);
  void (*store_columns)(const tn_complex_lanes_t* values, int64_t length, void* array,
                        int64_t stride);
  void (*load_some)(const void* array, const tn_fourier_lines_t* lines, int64_t length,
                    tn_complex_lanes_t* out);
  void (*store_some)(const tn_complex_lanes_t* values, int64_t length,
                     const tn_fourier_lines_t* lines, void* array);
} passes_t;

#define LOOP(name) base_##name
#define TARGET
#define REAL double
#define PLACE int64_t
#define TYPE f64
#define LANES TN_FOURIER_LANES
#define WIDTH 2
#include "kernel/fourier/fourier_lanes.inc"
#define LOOP(name) base_f32_##name
#define TARGET
#define REAL float
#define PLACE int32_t
#define TYPE f32
#define LANES TN_FOURIER_LANES_F32
#define WIDTH 4
#include "kernel/fourier/fourier_lanes.inc"

#if TN_ISA_X86
#define LOOP(name) avx2_##name
#define TARGET TN_ISA_TARGET_AVX2
#define REAL double
#define PLACE int64_t
#define TYPE f64
#define LANES TN_FOURIER_LANES
#define WIDTH 4
#include "kernel/fourier/fourier_lanes.inc"
#define LOOP(name) avx2_f32_##name
#define TARGET TN_ISA_TARGET_AVX2
#define REAL float
#define PLACE int32_t
#define TYPE f32
#define LANES TN_FOURIER_LANES_F32
#define WIDTH 8
#include "kernel/fourier/fourier_lanes.inc"
#define LOOP(name) avx512_##name
#define TARGET TN_ISA_TARGET_AVX512
#define REAL double
#define PLACE int64_t
#define TYPE f64
#define LANES TN_FOURIER_LANES
#define WIDTH 8
#include "kernel/fourier/fourier_lanes.inc"
#define LOOP(name) avx512_f32_##name
#define TARGET TN_ISA_TARGET_AVX512
#define REAL float
#define PLACE int32_t
#define TYPE f32
#define LANES TN_FOURIER_LANES_F32
#define WIDTH 16
#include "kernel/fourier/fourier_lanes.inc"
#endif

static const passes_t* const sets[] = TN_ISA_SETS(&base_passes, &avx2_passes, &avx512_passes);
static const passes_t* const f32_sets[] =
    TN_ISA_SETS(&base_f32_passes, &avx2_f32_passes, &avx512_f32_passes);

static const passes_t* passes_of(tn_isa_t isa, const tn_fourier_t* fourier) {
  return fourier->narrow_roots ? f32_sets[isa] : sets[isa];
}

static const passes_t* best_passes(const tn_fourier_t* fourier) {
  return passes_of(tn__isa_best(TN_ISA_AVX512), fourier);
}

// --- lines side by side

bool tn__fourier_has_lanes(int64_t length) {
  return length <= TN_FOURIER_LANES_LENGTH && tn__fourier_has_factors(length);
}

tn_status_t tn__fourier_narrow(tn_arena_t* arena, tn_fourier_t* fourier) {
  tn_complex_f32_t* roots;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)fourier->length, &roots));
  for (int64_t k = 0; k < fourier->length; ++k) {
    const tn_complex_t root = fourier->roots[k];
    roots[k] = (tn_complex_f32_t){(float)root.re, (float)root.im};
  }
  fourier->narrow_roots = roots;
  return TN_OK;
}

// Returns where the result is.
static tn_complex_lanes_t* run_passes(const passes_t* passes, const tn_fourier_t* fourier,
                                      tn_complex_lanes_t* values, tn_complex_lanes_t* work) {
  const void* roots = fourier->narrow_roots ? (const void*)fourier->narrow_roots : fourier->roots;
  tn_complex_lanes_t *from = values, *to = work;
  int64_t rest = fourier->length, stride = 1;
  for (size_t i = 0; i < fourier->factor_count; ++i) {
    const int64_t radix = fourier->factors[i];
    rest /= radix;
    const pass_t pass = {roots, fourier->length, radix, rest, stride, from, to};
    switch (radix) {
      case 2: passes->two(&pass); break;
      case 4: passes->four(&pass); break;
      default: passes->any(&pass); break;
    }
    stride *= radix;
    tn_complex_lanes_t* kept = from;
    from = to;
    to = kept;
  }
  return from;
}

tn_complex_lanes_t* tn__fourier_lanes_of(tn_isa_t isa, const tn_fourier_t* fourier,
                                         tn_complex_lanes_t* values, tn_complex_lanes_t* work) {
  return tn__isa_has(isa) ? run_passes(passes_of(isa, fourier), fourier, values, work) : NULL;
}

// The byte at which complex number `i` of an array begins.
static int64_t number_at(const passes_t* passes, int64_t i) {
  return 2 * i * (int64_t)passes->real_size;
}

static void load_lines(const passes_t* passes, const tn_fourier_lines_t* lines, int64_t length,
                       tn_complex_lanes_t* out) {
  const char* from = (const char*)lines->from + number_at(passes, lines->first);
  if (lines->count == passes->lanes && lines->line_stride == 1) {
    passes->load_columns(from, lines->stride, length, out);
  } else if (lines->count == passes->lanes && lines->stride == 1) {
    tn__transpose_strip(passes->real_size, false, (char*)out, LANE_BYTES, from,
                        number_at(passes, lines->line_stride), 2 * length, passes->lanes);
  } else {
    passes->load_some(from, lines, length, out);
  }
}

static void store_lines(const passes_t* passes, const tn_fourier_lines_t* lines, int64_t length,
                        const tn_complex_lanes_t* values) {
  char* to = (char*)lines->to + number_at(passes, lines->first);
  if (lines->count == passes->lanes && lines->line_stride == 1) {
    passes->store_columns(values, length, to, lines->stride);
  } else if (lines->count == passes->lanes && lines->stride == 1) {
    for (int64_t i = 0; i < 2 * length; i += passes->lanes) {
      tn__transpose_strip(passes->real_size, false, to + i * (int64_t)passes->real_size,
                          number_at(passes, lines->line_stride),
                          (const char*)values + i * LANE_BYTES, LANE_BYTES, passes->lanes,
                          tn__least(2 * length - i, passes->lanes));
    }
  } else {
    passes->store_some(values, length, lines, to);
  }
}

void tn__fourier_run_lines(const tn_fourier_t* fourier, bool inverse,
                           const tn_fourier_lines_t* lines, tn_complex_lanes_t* work) {
  const int64_t length = fourier->length;
  const passes_t* passes = best_passes(fourier);
  load_lines(passes, lines, length, work);
  if (inverse) passes->conjugate(length, work);
  tn_complex_lanes_t* result = run_passes(passes, fourier, work, work + length);
  if (inverse) passes->invert(length, (double)length, result);
  store_lines(passes, lines, length, result);
}

void tn__real_fourier_run_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* reals,
                                const tn_fourier_lines_t* lines, tn_complex_lanes_t* work) {
  const int64_t half = fourier->half.length;
  const passes_t* passes = best_passes(&fourier->half);
  load_lines(passes, reals, half, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->half, work, work + half + 1);
  passes->join(half, fourier->turns, result);
  store_lines(passes, lines, half + 1, result);
}

void tn__real_fourier_undo_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* lines,
                                 const tn_fourier_lines_t* reals, tn_complex_lanes_t* work) {
  const int64_t half = fourier->half.length;
  const passes_t* passes = best_passes(&fourier->half);
  load_lines(passes, lines, half + 1, work);
  passes->split(half, fourier->turns, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->half, work, work + half + 1);
  passes->invert(half, (double)half, result);
  store_lines(passes, reals, half, result);
}

// --- a long line

// With j = j1 * row + j2 and k = k1 + k2 * column,
//   exp(-2 pi i j k / n) = exp(-2 pi i j1 k1 / column) exp(-2 pi i j2 k1 / n)
//                          exp(-2 pi i j2 k2 / row).

// The number of rows that the line's matrix has; 0: there is none that fits.
static int64_t find_column(int64_t length) {
  if (length <= TN_FOURIER_LANES_LENGTH || !tn__fourier_has_factors(length)) return 0;
  int64_t column = TN_FOURIER_LANES_LENGTH;
  while (column > SHORTEST_SIDE && column * column > length) --column;
  for (; column >= SHORTEST_SIDE; --column) {
    const int64_t row = length / column;
    if (row > TN_FOURIER_LANES_LENGTH) return 0;
    if (length % column == 0 && tn__fourier_has_factors(column) && tn__fourier_has_factors(row)) {
      return column;
    }
  }
  return 0;
}

bool tn__fourier_is_long(int64_t length) {
  return find_column(length) != 0;
}

tn_status_t tn__fourier_long_plan(tn_arena_t* arena, int64_t length, bool is_narrow,
                                  tn_fourier_long_t** out_fourier) {
  const int64_t column = find_column(length), lanes = tn__fourier_lane_count(is_narrow);
  if (!column) return tn_status_create(TN_CODE_INTERNAL, "fft: the line is not long");
  const int64_t row = length / column, coarse_count = tn__ceil_divide(length, FINE);
  tn_fourier_long_t* fourier;
  tn_complex_lanes_t* turns;
  tn_complex_t *coarse, *fine;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &fourier));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, (size_t)column * sizeof *turns, LANE_BYTES,
                                                (void**)&turns));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)coarse_count, &coarse));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, FINE, &fine));
  *fourier = (tn_fourier_long_t){
      .length = length,
      .turns = turns,
      .coarse = coarse,
      .fine = fine,
      .column_groups = tn__ceil_divide(row, lanes),
      .row_groups = tn__ceil_divide(column, lanes),
      // Twice the longer side, and the numbers that a group of columns starts to turn with.
      .work_count = 2 * row + column * (int64_t)sizeof *fine / (int64_t)sizeof *turns + 1,
  };
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, column, &fourier->column));
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, row, &fourier->row));
  if (is_narrow) {
    TN_RETURN_IF_ERROR(tn__fourier_narrow(arena, &fourier->column));
    TN_RETURN_IF_ERROR(tn__fourier_narrow(arena, &fourier->row));
  }
  for (int64_t k = 0; k < column; ++k) {
    for (int64_t l = 0; l < lanes; ++l) {
      const tn_complex_t turn = tn__fourier_root(k * l % length, length);
      if (is_narrow) {
        turns[k].f32.re[l] = (float)turn.re;
        turns[k].f32.im[l] = (float)turn.im;
      } else {
        turns[k].f64.re[l] = turn.re;
        turns[k].f64.im[l] = turn.im;
      }
    }
  }
  for (int64_t k = 0; k < coarse_count; ++k) coarse[k] = tn__fourier_root(k * FINE, length);
  for (int64_t k = 0; k < FINE; ++k) fine[k] = tn__fourier_root(k, length);
  *out_fourier = fourier;
  return TN_OK;
}

// Lanes of the group that begins with line `place`: all, but of the last one.
static int64_t lanes_of(const passes_t* passes, int64_t place, int64_t line_count) {
  return tn__least(line_count - place, passes->lanes);
}

void tn__fourier_long_columns(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                              const void* from, void* to, int64_t first, tn_complex_lanes_t* work) {
  const int64_t length = fourier->column.length, row = fourier->row.length;
  const passes_t* passes = best_passes(&fourier->column);
  const int64_t place = group * passes->lanes;
  const tn_fourier_lines_t lines = {
      .from = from,
      .to = to,
      .first = first + place,
      .count = lanes_of(passes, place, row),
      .line_stride = 1,
      .stride = row,
  };
  load_lines(passes, &lines, length, work);
  if (inverse) passes->conjugate(length, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->column, work, work + length);
  tn_complex_t* start = (tn_complex_t*)(void*)(work + 2 * length);
  for (int64_t k = 0; k < length; ++k) {
    const int64_t angle = place * k;  // below the length
    const tn_complex_t a = fourier->coarse[angle / FINE], b = fourier->fine[angle % FINE];
    start[k] = (tn_complex_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  passes->turn(length, start, fourier->turns, result);
  store_lines(passes, &lines, length, result);
}

void tn__fourier_long_rows(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                           const void* from, void* to, int64_t first, tn_complex_lanes_t* work) {
  const int64_t length = fourier->row.length, column = fourier->column.length;
  const passes_t* passes = best_passes(&fourier->row);
  const int64_t place = group * passes->lanes;
  tn_fourier_lines_t lines = {
      .from = from,
      .to = to,
      .first = first + place * length,
      .count = lanes_of(passes, place, column),
      .line_stride = length,
      .stride = 1,
  };
  load_lines(passes, &lines, length, work);
  tn_complex_lanes_t* values = run_passes(passes, &fourier->row, work, work + length);
  if (inverse) passes->invert(length, (double)fourier->length, values);
  lines.first = first + place;
  lines.line_stride = 1;
  lines.stride = column;
  store_lines(passes, &lines, length, values);
}
