// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One dimension after the other. The real side of RFFT and IRFFT is the last dimension: its lines
// are read first, or written last. Lines go in lanes, long ones as matrices, whose columns and rows
// do. Of many arrays, a thread takes one after the other through all dimensions, so that what it
// hands on stays in the cache.
//
// Numbers of f32 stay so if all lines go in lanes. Otherwise all is in f64, and the result is
// rounded once.
#include "kernel/fourier/fft.h"

#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/element.h"
#include "kernel/common/site.h"
#include "kernel/fourier/fourier_lanes.h"

enum { SLOT_LIMIT = 16, GRAIN = 4 << 10, CONVERT_GRAIN = 8 << 10 };

typedef enum kind { FFT, IFFT, RFFT, IRFFT } kind_t;

// The lines along one dimension of the array [outer, length, inner].
typedef struct axis {
  tn_fourier_t fourier;
  int64_t length, inner, line_count;
  int64_t lanes;                  // lines that go together
  tn_fourier_long_t* long_lines;  // NULL: the lines are not long; then `fourier` is planned
} axis_t;

// Of one array, or of all of them as one.
typedef struct fft {
  kind_t kind;
  int64_t item_count;                          // arrays that are done one by one
  size_t operand_item_size, result_item_size;  // bytes of each
  size_t scratch_length;                       // for one
  bool is_empty;
  bool is_narrow;               // in f32
  tn_conversion_t load, store;  // between dtypes and c128, or f64 on the real side, unless narrow
  size_t operand_size, result_size;
  int64_t complex_count;  // numbers of the complex side, whichever that is
  size_t axis_count;
  axis_t* axes;  // in order of execution; without the real one
  bool has_real;
  axis_t real;   // lines of the real side
  int64_t half;  // numbers of a complex line of it
  bool is_even;  // its length: then `even` does its lines
  tn_real_fourier_t even;
  int64_t slots;
  size_t slot_length, array_length, array_count;
  bool has_long_lines;  // they go from one array to another
  // The first lines are read from the operand, and the last ones written to the result, as they
  // are: these have the type that the lines are computed in.
  bool reads_operand, writes_result;
} fft_t;

static int64_t count_lines(const tn_type_t* type, size_t dimension) {
  return tn__type_size(type) / type->dims[dimension];
}

static bool is_long(const tn_type_t* type, size_t dimension) {
  return dimension + 1 == type->rank && tn__fourier_is_long(type->dims[dimension]);
}

static bool has_lanes(const tn_type_t* type, size_t dimension) {
  return count_lines(type, dimension) > 1 && tn__fourier_has_lanes(type->dims[dimension]);
}

// Of the last dimension.
static bool has_real_lanes(const tn_type_t* real_side) {
  const int64_t length = real_side->dims[real_side->rank - 1];
  return length % 2 == 0 && count_lines(real_side, real_side->rank - 1) > 1 &&
         tn__fourier_has_lanes(length / 2);
}

// Whether all goes in f32; the dimensions of the transform are from `first` on.
static bool find_is_narrow(const fft_t* state, const tn_type_t* complex_side,
                           const tn_type_t* real_side, size_t first) {
  if (complex_side->dtype != TN_DTYPE_C64) return false;
  if (state->has_real && !has_real_lanes(real_side)) return false;
  const size_t last = complex_side->rank - (state->has_real ? 1 : 0);
  for (size_t d = first; d < last; ++d) {
    if (!is_long(complex_side, d) && !has_lanes(complex_side, d)) return false;
  }
  return true;
}

static axis_t find_axis(const tn_type_t* type, size_t dimension) {
  axis_t axis = {.length = type->dims[dimension],
                 .inner = 1,
                 .line_count = count_lines(type, dimension),
                 .lanes = 1};
  for (size_t i = dimension + 1; i < type->rank; ++i) axis.inner *= type->dims[i];
  return axis;
}

static tn_status_t plan_axis(tn_arena_t* arena, const tn_type_t* type, size_t dimension,
                             fft_t* state) {
  axis_t* axis = &state->axes[state->axis_count++];
  *axis = find_axis(type, dimension);
  if (is_long(type, dimension)) {
    state->has_long_lines = true;
    return tn__fourier_long_plan(arena, axis->length, state->is_narrow, &axis->long_lines);
  }
  if (has_lanes(type, dimension)) axis->lanes = tn__fourier_lane_count(state->is_narrow);
  TN_RETURN_IF_ERROR(tn__fourier_plan(arena, axis->length, &axis->fourier));
  return state->is_narrow ? tn__fourier_narrow(arena, &axis->fourier) : TN_OK;
}

static tn_status_t plan_real(tn_arena_t* arena, const tn_type_t* type, fft_t* state) {
  axis_t* axis = &state->real;
  *axis = find_axis(type, type->rank - 1);
  state->is_even = axis->length % 2 == 0;
  if (!state->is_even) return tn__fourier_plan(arena, axis->length, &axis->fourier);
  if (has_real_lanes(type) && (state->is_narrow || type->dtype == TN_DTYPE_F64)) {
    axis->lanes = tn__fourier_lane_count(state->is_narrow);
  }
  TN_RETURN_IF_ERROR(tn__real_fourier_plan(arena, axis->length, &state->even));
  return state->is_narrow ? tn__fourier_narrow(arena, &state->even.half) : TN_OK;
}

// Whether its lines go in lanes, or as matrices whose lines do.
static bool goes_in_lanes(const axis_t* axis) {
  return axis->long_lines || axis->lanes > 1;
}

// Bytes that a slot needs to transform a line, or lines side by side.
static size_t axis_slot_length(const axis_t* axis) {
  if (axis->long_lines) return (size_t)axis->long_lines->work_count * sizeof(tn_complex_lanes_t);
  if (axis->lanes > 1) return (size_t)(2 * axis->length) * sizeof(tn_complex_lanes_t);
  return (size_t)(axis->length + axis->fourier.work_count) * sizeof(tn_complex_t);
}

static size_t real_slot_length(const fft_t* state) {
  if (!state->is_even) return axis_slot_length(&state->real);
  if (state->real.lanes > 1) return (size_t)(2 * state->half) * sizeof(tn_complex_lanes_t);
  return (size_t)(state->half + state->even.half.work_count) * sizeof(tn_complex_t);
}

static size_t slot_length(const fft_t* state) {
  size_t length = state->has_real ? real_slot_length(state) : 0;
  for (size_t i = 0; i < state->axis_count; ++i) {
    const size_t needed = axis_slot_length(&state->axes[i]);
    if (needed > length) length = needed;
  }
  return length;
}

// Of arrays of more than one dimension, enough for all threads; otherwise these share each. Small
// ones are all together, so that there are lines for all lanes.
static int64_t count_items(const tn_type_t* type, size_t first) {
  int64_t count = 1;
  for (size_t d = 0; d < first; ++d) count *= type->dims[d];
  const bool is_large = tn__type_size(type) / count >= GRAIN;
  return is_large && type->rank - first > 1 && count >= SLOT_LIMIT ? count : 1;
}

tn_status_t tn__cpu_fft_prepare(tn_kernel_site_t* site) {
  const tn_type_t *all = tn__site_operand(site, 0), *all_results = tn__site_result(site, 0);
  fft_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_attr_t* kind = tn__attr_find(&site->use->attrs, "fft_type");
  state->kind = kind ? (kind_t)tn__enum_value("fft_type", kind->string) : FFT;
  tn_i64_list_t lengths;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&site->use->attrs, "fft_length", site->arena, &lengths));
  state->is_empty = tn__type_size(all) == 0 || tn__type_size(all_results) == 0;
  if (state->is_empty) return TN_OK;
  tn_type_t operand_item = *all, result_item = *all_results;
  const size_t outer = all->rank - lengths.count;
  state->item_count = count_items(all, outer);
  if (state->item_count > 1) {
    operand_item.rank = result_item.rank = lengths.count;
    operand_item.dims += outer;
    result_item.dims += outer;
  }
  const tn_type_t *operand = &operand_item, *result = &result_item;
  state->operand_item_size = tn__type_byte_size(operand);
  state->result_item_size = tn__type_byte_size(result);
  state->has_real = state->kind == RFFT || state->kind == IRFFT;
  const tn_type_t* complex_side = state->kind == RFFT ? result : operand;
  const tn_type_t* real_side = state->kind == RFFT ? operand : result;
  state->load = tn__conversion(operand->dtype, state->kind == RFFT ? TN_DTYPE_F64 : TN_DTYPE_C128);
  state->store = tn__conversion(state->kind == IRFFT ? TN_DTYPE_F64 : TN_DTYPE_C128, result->dtype);
  state->operand_size = tn_dtype_byte_size(operand->dtype);
  state->result_size = tn_dtype_byte_size(result->dtype);
  state->complex_count = tn__type_size(complex_side);
  const size_t first = complex_side->rank - lengths.count;
  const size_t last = state->has_real ? complex_side->rank - 1 : complex_side->rank;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, lengths.count, &state->axes));
  state->is_narrow = find_is_narrow(state, complex_side, real_side, first);
  for (size_t d = first; d < last; ++d) {
    TN_RETURN_IF_ERROR(plan_axis(site->arena, complex_side, d, state));
  }
  if (state->has_real) {
    TN_RETURN_IF_ERROR(plan_real(site->arena, real_side, state));
    state->half = complex_side->dims[complex_side->rank - 1];
  }
  const tn_dtype_t complex_dtype = state->is_narrow ? TN_DTYPE_C64 : TN_DTYPE_C128;
  state->reads_operand = state->writes_result = goes_in_lanes(&state->real);
  if (state->axis_count) {
    const axis_t *first_axis = &state->axes[0], *last_axis = &state->axes[state->axis_count - 1];
    state->reads_operand = operand->dtype == complex_dtype && goes_in_lanes(first_axis);
    state->writes_result = result->dtype == complex_dtype && goes_in_lanes(last_axis);
  }
  state->slots = state->item_count > 1 ? 1 : SLOT_LIMIT;
  state->slot_length = (slot_length(state) + 63) / 64 * 64;
  state->array_length =
      ((size_t)state->complex_count * tn_dtype_byte_size(complex_dtype) + 63) / 64 * 64;
  state->array_count = state->has_long_lines ? 2 : 1;
  // What goes from the operand to the result at once needs one less.
  if (state->axis_count == 1 && state->reads_operand && state->writes_result) --state->array_count;
  state->scratch_length =
      state->array_length * state->array_count + state->slot_length * (size_t)state->slots;
  site->scratch_byte_size =
      state->scratch_length * (size_t)(state->item_count > 1 ? SLOT_LIMIT : 1);
  return TN_OK;
}

// --- running

typedef struct fft_run {
  const fft_t* state;
  const axis_t* axis;
  const char* operand;
  char* result;
  void *array, *other;  // of complex numbers
  const void* from;     // what the axis reads and writes
  void* to;
  char* slots;
  bool inverse;
} fft_run_t;

// Items [*out_first, *out_last) of `count` that are a slot's, and its memory.
static void* slot_of(const fft_run_t* run, int64_t count, int64_t slot, int64_t* out_first,
                     int64_t* out_last) {
  const int64_t slots = run->state->slots;
  *out_first = count * slot / slots;
  *out_last = count * (slot + 1) / slots;
  return run->slots + (size_t)slot * run->state->slot_length;
}

// The element that line `i` of an axis begins with; its numbers are `inner` apart.
static int64_t line_of(const axis_t* axis, int64_t i) {
  return i / axis->inner * axis->length * axis->inner + i % axis->inner;
}

static tn_status_t transform_slots(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const axis_t* axis = run->axis;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    tn_complex_t* line = slot_of(run, axis->line_count, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      tn_complex_t* place = (tn_complex_t*)run->array + line_of(axis, i);
      for (int64_t k = 0; k < axis->length; ++k) line[k] = place[k * axis->inner];
      tn__fourier_run(&axis->fourier, run->inverse, line, line + axis->length);
      for (int64_t k = 0; k < axis->length; ++k) place[k * axis->inner] = line[k];
    }
  }
  return TN_OK;
}

// Adjacent lines, as many as there are lanes: those of one row of the inner dimensions are
// adjacent, and without inner dimensions one behind the other.
static tn_status_t transform_lanes(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const axis_t* axis = run->axis;
  const bool is_row = axis->inner == 1;
  const int64_t row = is_row ? axis->line_count : axis->inner;
  const int64_t groups = (row + axis->lanes - 1) / axis->lanes;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    void* work = slot_of(run, axis->line_count / row * groups, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const int64_t lane = i % groups * axis->lanes, left = row - lane;
      const tn_fourier_lines_t lines = {
          .from = run->from,
          .to = run->to,
          .first = line_of(axis, i / groups * row + lane),
          .count = left < axis->lanes ? left : axis->lanes,
          .line_stride = is_row ? axis->length : 1,
          .stride = axis->inner,
      };
      tn__fourier_run_lines(&axis->fourier, run->inverse, &lines, work);
    }
  }
  return TN_OK;
}

static tn_status_t transform_columns(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const axis_t* axis = run->axis;
  const int64_t groups = axis->long_lines->column_groups;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    void* work = slot_of(run, axis->line_count * groups, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const int64_t line = i / groups * axis->length;
      tn__fourier_long_columns(axis->long_lines, run->inverse, i % groups, run->from, run->array,
                               line, work);
    }
  }
  return TN_OK;
}

static tn_status_t transform_rows(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const axis_t* axis = run->axis;
  const int64_t groups = axis->long_lines->row_groups;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    void* work = slot_of(run, axis->line_count * groups, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const int64_t line = i / groups * axis->length;
      tn__fourier_long_rows(axis->long_lines, run->inverse, i % groups, run->array, run->to, line,
                            work);
    }
  }
  return TN_OK;
}

static tn_status_t read_real_slots(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  const axis_t* axis = run->axis;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    tn_complex_t* line = slot_of(run, axis->line_count, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      tn_complex_t* to = (tn_complex_t*)run->array + i * state->half;
      const char* row = run->operand + (size_t)(i * axis->length) * state->operand_size;
      // Real numbers first, spread from the last one on.
      double* values = &line[0].re;
      state->load.run(&state->load, row, values, (size_t)axis->length);
      if (state->is_even) {
        tn__real_fourier_run(&state->even, line, line + state->half);
        memcpy(to, line, (size_t)state->half * sizeof *line);
        continue;
      }
      for (int64_t k = axis->length; k-- > 0;) line[k] = (tn_complex_t){values[k], 0};
      tn__fourier_run(&axis->fourier, false, line, line + axis->length);
      memcpy(to, line, (size_t)state->half * sizeof *line);
    }
  }
  return TN_OK;
}

// The same in lanes, in the order of `line_of`: a real line is half as many pairs.
static tn_status_t transform_real_lanes(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  const int64_t line_count = run->axis->line_count, pairs = run->axis->length / 2;
  const int64_t lanes = run->axis->lanes, groups = tn__ceil_divide(line_count, lanes);
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    void* work = slot_of(run, groups, slot, &first, &last);
    for (int64_t i = first * lanes; i < last * lanes; i += lanes) {
      const int64_t count = tn__least(line_count - i, lanes);
      const tn_fourier_lines_t reals = {.from = run->from,
                                        .to = run->to,
                                        .first = i * pairs,
                                        .count = count,
                                        .line_stride = pairs,
                                        .stride = 1};
      const tn_fourier_lines_t lines = {.from = run->from,
                                        .to = run->to,
                                        .first = i * state->half,
                                        .count = count,
                                        .line_stride = state->half,
                                        .stride = 1};
      if (state->kind == RFFT) {
        tn__real_fourier_run_lines(&state->even, &reals, &lines, work);
      } else {
        tn__real_fourier_undo_lines(&state->even, &lines, &reals, work);
      }
    }
  }
  return TN_OK;
}

static tn_status_t write_real_slots(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  const axis_t* axis = run->axis;
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    tn_complex_t* line = slot_of(run, axis->line_count, slot, &first, &last);
    for (int64_t i = first; i < last; ++i) {
      const tn_complex_t* row = (const tn_complex_t*)run->array + i * state->half;
      char* result = run->result + (size_t)(i * axis->length) * state->result_size;
      if (state->is_even) {
        memcpy(line, row, (size_t)state->half * sizeof *line);
        tn__real_fourier_undo(&state->even, line, line + state->half);
        state->store.run(&state->store, line, result, (size_t)axis->length);
        continue;
      }
      // The other half is the conjugate, mirrored; what is its own mirror image is real.
      for (int64_t k = 0; k < state->half; ++k) {
        line[k] = row[k];
        const int64_t mirror = axis->length - k;
        if (k == 0 || mirror == k) {
          line[k].im = 0;
        } else {
          line[mirror] = (tn_complex_t){row[k].re, -row[k].im};
        }
      }
      tn__fourier_run(&axis->fourier, true, line, line + axis->length);
      double* values = &line[0].re;
      for (int64_t k = 0; k < axis->length; ++k) values[k] = line[k].re;
      state->store.run(&state->store, values, result, (size_t)axis->length);
    }
  }
  return TN_OK;
}

static tn_status_t load_range(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  state->load.run(&state->load, run->operand + (size_t)begin * state->operand_size,
                  (tn_complex_t*)run->array + begin, (size_t)(end - begin));
  return TN_OK;
}

static tn_status_t store_range(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  state->store.run(&state->store, (const tn_complex_t*)run->array + begin,
                   run->result + (size_t)begin * state->result_size, (size_t)(end - begin));
  return TN_OK;
}

// Small work stays on this thread.
static tn_status_t for_slots(tn_pool_t* pool, tn_parallel_body_fn body, fft_run_t* run,
                             const axis_t* axis) {
  run->axis = axis;
  const bool is_small = axis->line_count * axis->length < GRAIN;
  return tn__pool_parallel_for(is_small ? NULL : pool, run->state->slots, 1, body, run);
}

static tn_status_t transform_real(tn_pool_t* pool, fft_run_t* run) {
  const fft_t* state = run->state;
  const bool is_first = state->kind == RFFT;
  if (!goes_in_lanes(&state->real)) {
    return for_slots(pool, is_first ? read_real_slots : write_real_slots, run, &state->real);
  }
  const bool is_all = state->axis_count == 0;
  run->from = is_first || is_all ? run->operand : run->array;
  run->to = !is_first || is_all ? run->result : run->array;
  return for_slots(pool, transform_real_lanes, run, &state->real);
}

static tn_status_t transform_axis(tn_pool_t* pool, fft_run_t* run, size_t index) {
  const fft_t* state = run->state;
  const axis_t* axis = &state->axes[index];
  const bool is_first = index == 0, is_last = index + 1 == state->axis_count;
  run->from = is_first && state->reads_operand ? run->operand : run->array;
  run->to = axis->long_lines ? run->other : run->array;
  if (is_last && state->writes_result) run->to = run->result;
  if (!axis->long_lines) {
    return for_slots(pool, axis->lanes > 1 ? transform_lanes : transform_slots, run, axis);
  }
  TN_RETURN_IF_ERROR(for_slots(pool, transform_columns, run, axis));
  TN_RETURN_IF_ERROR(for_slots(pool, transform_rows, run, axis));
  void* kept = run->array;
  run->array = run->other;
  run->other = kept;
  return TN_OK;
}

static tn_status_t run_item(const fft_t* state, tn_pool_t* pool, const char* operand, char* result,
                            char* scratch) {
  fft_run_t run = {
      .state = state,
      .operand = operand,
      .result = result,
      .array = scratch,
      .other = scratch + state->array_length,
      .slots = scratch + state->array_length * state->array_count,
      .inverse = state->kind == IFFT || state->kind == IRFFT,
  };
  if (state->kind == RFFT) {
    TN_RETURN_IF_ERROR(transform_real(pool, &run));
  } else if (!state->reads_operand) {
    TN_RETURN_IF_ERROR(
        tn__pool_parallel_for(pool, state->complex_count, CONVERT_GRAIN, load_range, &run));
  }
  for (size_t i = 0; i < state->axis_count; ++i) {
    TN_RETURN_IF_ERROR(transform_axis(pool, &run, i));
  }
  if (state->kind == IRFFT) return transform_real(pool, &run);
  if (state->writes_result) return TN_OK;
  return tn__pool_parallel_for(pool, state->complex_count, CONVERT_GRAIN, store_range, &run);
}

static tn_status_t run_items(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const fft_t* state = call->state;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t last = state->item_count * (slot + 1) / SLOT_LIMIT;
    for (int64_t i = state->item_count * slot / SLOT_LIMIT; i < last; ++i) {
      TN_RETURN_IF_ERROR(run_item(
          state, NULL, (const char*)call->operands[0] + (size_t)i * state->operand_item_size,
          (char*)call->results[0] + (size_t)i * state->result_item_size,
          (char*)call->scratch + (size_t)slot * state->scratch_length));
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_fft_run(const tn_kernel_call_t* call) {
  const fft_t* state = call->state;
  if (state->is_empty) return TN_OK;
  tn_pool_t* pool = call->context->pool;
  if (state->item_count == 1) {
    return run_item(state, pool, call->operands[0], call->results[0], call->scratch);
  }
  return tn__pool_parallel_for(pool, SLOT_LIMIT, 1, run_items, (void*)call);
}
