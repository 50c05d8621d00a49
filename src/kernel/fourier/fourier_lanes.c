#include "kernel/fourier/fourier_lanes.h"

#include <string.h>

#include "base/integer.h"
#include "kernel/common/shuffle.h"
#include "kernel/common/transpose_block.h"

enum {
  FINE = 1 << 10,      // the long line's table of roots in two parts
  SHORTEST_SIDE = 16,  // of a long line's matrix
};

// One pass over `from`, seen as [radix][rest][stride], into [rest][radix][stride].
typedef struct pass {
  const tn_complex_t* roots;
  int64_t length;  // of the whole line
  int64_t radix, rest, stride;
  const tn_complex_lanes_t* from;
  tn_complex_lanes_t* to;
} pass_t;

typedef struct passes {
  void (*two)(const pass_t* pass);
  void (*four)(const pass_t* pass);
  void (*any)(const pass_t* pass);
  void (*turn)(int64_t count, const tn_complex_t* start, const tn_complex_lanes_t* turns,
               tn_complex_lanes_t* values);
  void (*join)(int64_t half, const tn_complex_t* turns, tn_complex_lanes_t* values);
  void (*split)(int64_t half, const tn_complex_t* turns, tn_complex_lanes_t* values);
  // Of eight lines. NULL: one number after the other.
  int64_t (*load_rows)(const float* from, int64_t line_step, int64_t length,
                       tn_complex_lanes_t* out);
  int64_t (*store_rows)(const tn_complex_lanes_t* values, int64_t length, float* to,
                        int64_t line_step);
  void (*load_columns)(const tn_fourier_array_t* array, int64_t first, int64_t stride,
                       int64_t length, tn_complex_lanes_t* out);
  void (*store_columns)(const tn_complex_lanes_t* values, int64_t length,
                        const tn_fourier_array_t* array, int64_t first, int64_t stride);
} passes_t;

// exp(-2 pi i p k / (radix * rest))
static inline tn_complex_t twiddle(const pass_t* pass, int64_t p, int64_t k) {
  return pass->roots[p * k * pass->stride];
}

#define LOOP(name) base_##name
#define TARGET
#define WIDTH 2
#include "kernel/fourier/fourier_lanes.inc"

#if TN_ISA_X86
#define LOOP(name) avx2_##name
#define TARGET TN_ISA_TARGET_AVX2
#define WIDTH 4
#include "kernel/fourier/fourier_lanes.inc"
#define LOOP(name) avx512_##name
#define TARGET TN_ISA_TARGET_AVX512
#define WIDTH 8
#include "kernel/fourier/fourier_lanes.inc"
#endif

static const passes_t* const sets[] = TN_ISA_SETS(&base_passes, &avx2_passes, &avx512_passes);

static const passes_t* best_passes(void) {
  return sets[tn__isa_best(TN_ISA_AVX512)];
}

// --- eight lines

bool tn__fourier_has_lanes(const tn_fourier_t* fourier) {
  return !fourier->convolution && fourier->length <= TN_FOURIER_LANES_LENGTH;
}

// Returns where the result is.
static tn_complex_lanes_t* run_passes(const passes_t* passes, const tn_fourier_t* fourier,
                                      tn_complex_lanes_t* values, tn_complex_lanes_t* work) {
  tn_complex_lanes_t *from = values, *to = work;
  int64_t rest = fourier->length, stride = 1;
  for (size_t i = 0; i < fourier->factor_count; ++i) {
    const int64_t radix = fourier->factors[i];
    rest /= radix;
    const pass_t pass = {fourier->roots, fourier->length, radix, rest, stride, from, to};
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
  return tn__isa_has(isa) ? run_passes(sets[isa], fourier, values, work) : NULL;
}

typedef struct narrow {
  float re, im;
} narrow_t;

static inline tn_complex_t load_number(const tn_fourier_array_t* array, bool is_narrow, int64_t i) {
  if (!is_narrow) return ((const tn_complex_t*)array->data)[i];
  const narrow_t value = ((const narrow_t*)array->data)[i];
  return (tn_complex_t){(double)value.re, (double)value.im};
}

static inline void store_number(const tn_fourier_array_t* array, bool is_narrow, int64_t i,
                                double re, double im) {
  if (is_narrow) {
    ((narrow_t*)array->data)[i] = (narrow_t){(float)re, (float)im};
  } else {
    ((tn_complex_t*)array->data)[i] = (tn_complex_t){re, im};
  }
}

static inline __attribute__((always_inline)) void load_lanes(const tn_fourier_lines_t* lines,
                                                             bool is_narrow, int64_t count,
                                                             int64_t begin, int64_t length,
                                                             tn_complex_lanes_t* restrict out) {
  const int64_t line_stride = lines->line_stride;
  for (int64_t k = begin; k < length; ++k) {
    const int64_t first = lines->first + k * lines->stride;
    for (int64_t l = 0; l < count; ++l) {
      const tn_complex_t value = load_number(&lines->from, is_narrow, first + l * line_stride);
      out[k].re[l] = value.re;
      out[k].im[l] = value.im;
    }
  }
}

// What is known when this is compiled makes loops without branches.
static void load_lines(const passes_t* passes, const tn_fourier_lines_t* lines, int64_t length,
                       tn_complex_lanes_t* out) {
  const bool is_narrow = lines->from.is_narrow;
  if (lines->count < TN_FOURIER_LANES) {
    memset(out, 0, (size_t)length * sizeof *out);
    load_lanes(lines, is_narrow, lines->count, 0, length, out);
  } else if (lines->line_stride == 1 && passes->load_columns) {
    passes->load_columns(&lines->from, lines->first, lines->stride, length, out);
  } else if (lines->stride == 1 && !is_narrow) {
    const tn_complex_t* from = (const tn_complex_t*)lines->from.data + lines->first;
    tn__transpose_strip(sizeof(double), false, (char*)out, sizeof out->re, (const char*)from,
                        lines->line_stride * (int64_t)sizeof *from, 2 * length, TN_FOURIER_LANES);
  } else if (is_narrow) {
    int64_t begin = 0;
    if (lines->stride == 1 && passes->load_rows) {
      const float* from = (const float*)lines->from.data + 2 * lines->first;
      begin = passes->load_rows(from, 2 * lines->line_stride, length, out);
    }
    load_lanes(lines, true, TN_FOURIER_LANES, begin, length, out);
  } else {
    load_lanes(lines, false, TN_FOURIER_LANES, 0, length, out);
  }
}

// The inverse is the transform of the conjugate, conjugated.
static void conjugate_lanes(int64_t length, tn_complex_lanes_t* values) {
  for (int64_t k = 0; k < length; ++k) {
    for (int l = 0; l < TN_FOURIER_LANES; ++l) values[k].im[l] = -values[k].im[l];
  }
}

static inline __attribute__((always_inline)) void store_lanes(
    const tn_fourier_lines_t* lines, bool is_narrow, int64_t count, int64_t begin, int64_t length,
    const tn_complex_lanes_t* restrict values) {
  const int64_t line_stride = lines->line_stride;
  for (int64_t k = begin; k < length; ++k) {
    const int64_t first = lines->first + k * lines->stride;
    for (int64_t l = 0; l < count; ++l) {
      store_number(&lines->to, is_narrow, first + l * line_stride, values[k].re[l],
                   values[k].im[l]);
    }
  }
}

static void store_lines(const passes_t* passes, const tn_fourier_lines_t* lines, int64_t length,
                        const tn_complex_lanes_t* values) {
  const bool is_narrow = lines->to.is_narrow;
  if (lines->count < TN_FOURIER_LANES) {
    store_lanes(lines, is_narrow, lines->count, 0, length, values);
  } else if (lines->line_stride == 1 && passes->store_columns) {
    passes->store_columns(values, length, &lines->to, lines->first, lines->stride);
  } else if (lines->stride == 1 && !is_narrow) {
    const int64_t step = lines->line_stride * (int64_t)sizeof(tn_complex_t);
    char* to = (char*)((tn_complex_t*)lines->to.data + lines->first);
    const char* from = (const char*)values;
    for (int64_t i = 0; i < 2 * length; i += TN_FOURIER_LANES) {
      tn__transpose_strip(sizeof(double), false, to + i * (int64_t)sizeof(double), step,
                          from + i * (int64_t)sizeof values->re, sizeof values->re,
                          TN_FOURIER_LANES, tn__least(2 * length - i, TN_FOURIER_LANES));
    }
  } else if (is_narrow) {
    int64_t begin = 0;
    if (lines->stride == 1 && passes->store_rows) {
      float* to = (float*)lines->to.data + 2 * lines->first;
      begin = passes->store_rows(values, length, to, 2 * lines->line_stride);
    }
    store_lanes(lines, true, TN_FOURIER_LANES, begin, length, values);
  } else {
    store_lanes(lines, false, TN_FOURIER_LANES, 0, length, values);
  }
}

static void invert(int64_t length, double scale, tn_complex_lanes_t* values) {
  for (int64_t k = 0; k < length; ++k) {
    for (int l = 0; l < TN_FOURIER_LANES; ++l) {
      values[k].re[l] /= scale;
      values[k].im[l] /= -scale;
    }
  }
}

void tn__fourier_run_lines(const tn_fourier_t* fourier, bool inverse,
                           const tn_fourier_lines_t* lines, tn_complex_lanes_t* work) {
  const int64_t length = fourier->length;
  const passes_t* passes = best_passes();
  load_lines(passes, lines, length, work);
  if (inverse) conjugate_lanes(length, work);
  tn_complex_lanes_t* result = run_passes(passes, fourier, work, work + length);
  if (inverse) invert(length, (double)length, result);
  store_lines(passes, lines, length, result);
}

void tn__real_fourier_run_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* reals,
                                const tn_fourier_lines_t* lines, tn_complex_lanes_t* work) {
  const int64_t half = fourier->half.length;
  const passes_t* passes = best_passes();
  load_lines(passes, reals, half, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->half, work, work + half + 1);
  passes->join(half, fourier->turns, result);
  store_lines(passes, lines, half + 1, result);
}

void tn__real_fourier_undo_lines(const tn_real_fourier_t* fourier, const tn_fourier_lines_t* lines,
                                 const tn_fourier_lines_t* reals, tn_complex_lanes_t* work) {
  const int64_t half = fourier->half.length;
  const passes_t* passes = best_passes();
  load_lines(passes, lines, half + 1, work);
  passes->split(half, fourier->turns, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->half, work, work + half + 1);
  invert(half, (double)half, result);
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

tn_status_t tn__fourier_long_plan(tn_arena_t* arena, int64_t length,
                                  tn_fourier_long_t** out_fourier) {
  *out_fourier = NULL;
  const int64_t column = find_column(length);
  if (!column) return TN_OK;
  const int64_t row = length / column, coarse_count = tn__ceil_divide(length, FINE);
  tn_fourier_long_t* fourier;
  tn_complex_lanes_t* turns;
  tn_complex_t *coarse, *fine;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &fourier));
  TN_RETURN_IF_ERROR(tn__arena_allocate_aligned(arena, (size_t)column * sizeof *turns,
                                                sizeof turns->re, (void**)&turns));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (size_t)coarse_count, &coarse));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, FINE, &fine));
  *fourier = (tn_fourier_long_t){
      .length = length,
      .turns = turns,
      .coarse = coarse,
      .fine = fine,
      .column_groups = tn__ceil_divide(row, TN_FOURIER_LANES),
      .row_groups = tn__ceil_divide(column, TN_FOURIER_LANES),
      // Twice the longer side, and the numbers that a group of columns starts to turn with.
      .work_count = 2 * row + column / TN_FOURIER_LANES + 1,
  };
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, column, &fourier->column));
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, row, &fourier->row));
  for (int64_t k = 0; k < column; ++k) {
    for (int64_t l = 0; l < TN_FOURIER_LANES; ++l) {
      const tn_complex_t turn = tn__fourier_root(k * l % length, length);
      turns[k].re[l] = turn.re;
      turns[k].im[l] = turn.im;
    }
  }
  for (int64_t k = 0; k < coarse_count; ++k) coarse[k] = tn__fourier_root(k * FINE, length);
  for (int64_t k = 0; k < FINE; ++k) fine[k] = tn__fourier_root(k, length);
  *out_fourier = fourier;
  return TN_OK;
}

// Lanes of a group: all, but of the last one.
static int64_t lanes_of(int64_t group, int64_t line_count) {
  const int64_t left = line_count - group * TN_FOURIER_LANES;
  return left < TN_FOURIER_LANES ? left : TN_FOURIER_LANES;
}

void tn__fourier_long_columns(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                              tn_fourier_array_t from, int64_t first, tn_complex_t* array,
                              tn_complex_lanes_t* work) {
  const int64_t length = fourier->column.length, row = fourier->row.length;
  const passes_t* passes = best_passes();
  const int64_t place = group * TN_FOURIER_LANES;
  tn_fourier_lines_t lines = {
      .from = from,
      .to = {array, false},
      .first = first + place,
      .count = lanes_of(group, row),
      .line_stride = 1,
      .stride = row,
  };
  load_lines(passes, &lines, length, work);
  if (inverse) conjugate_lanes(length, work);
  tn_complex_lanes_t* result = run_passes(passes, &fourier->column, work, work + length);
  tn_complex_t* start = (tn_complex_t*)(void*)(work + 2 * length);
  for (int64_t k = 0; k < length; ++k) {
    const int64_t angle = place * k;  // below the length
    const tn_complex_t a = fourier->coarse[angle / FINE], b = fourier->fine[angle % FINE];
    start[k] = (tn_complex_t){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  passes->turn(length, start, fourier->turns, result);
  lines.first = place;
  store_lines(passes, &lines, length, result);
}

void tn__fourier_long_rows(const tn_fourier_long_t* fourier, bool inverse, int64_t group,
                           tn_complex_t* array, tn_fourier_array_t to, int64_t first,
                           tn_complex_lanes_t* work) {
  const int64_t length = fourier->row.length, column = fourier->column.length;
  const int64_t place = group * TN_FOURIER_LANES;
  tn_fourier_lines_t lines = {
      .from = {array, false},
      .to = to,
      .first = place * length,
      .count = lanes_of(group, column),
      .line_stride = length,
      .stride = 1,
  };
  const passes_t* passes = best_passes();
  load_lines(passes, &lines, length, work);
  tn_complex_lanes_t* values = run_passes(passes, &fourier->row, work, work + length);
  if (inverse) invert(length, (double)fourier->length, values);
  lines.first = first + place;
  lines.line_stride = 1;
  lines.stride = column;
  store_lines(passes, &lines, length, values);
}
