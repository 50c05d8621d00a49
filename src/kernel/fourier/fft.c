// One dimension after the other, all in c128; the result is rounded once. The real side of RFFT and
// IRFFT is the last dimension: its lines are read first, or written last. Lines go eight at a time,
// long ones as matrices, whose columns and rows do. Of many arrays, a thread takes one after the
// other through all dimensions, so that what it hands on stays in the cache.
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
  tn_conversion_t load, store;  // between dtypes and c128, or f64 on the real side
  size_t operand_size, result_size;
  int64_t complex_count;  // numbers of the complex side, whichever that is
  size_t axis_count;
  axis_t* axes;  // in order of execution; without the real one
  bool has_real;
  axis_t real;   // lines of the real side
  int64_t half;  // numbers of a complex line of it
  bool is_even;  // its length: then `even` does its lines
  tn_real_fourier_t even;
  bool has_real_lanes;  // eight at a time
  int64_t slots;
  size_t slot_length, array_length, array_count;
  bool has_long_lines;  // they go from one array to another
  // The first lines are read from the operand, and the last ones written to the result, as they
  // are.
  bool reads_operand, writes_result;
} fft_t;

static tn_status_t plan_axis(tn_arena_t* arena, const tn_type_t* type, size_t dimension,
                             bool may_be_long, axis_t* out_axis) {
  axis_t axis = {.length = type->dims[dimension], .inner = 1};
  for (size_t i = dimension + 1; i < type->rank; ++i) axis.inner *= type->dims[i];
  axis.line_count = tn__type_size(type) / axis.length;
  axis.lanes = 1;
  if (may_be_long && axis.inner == 1) {
    TN_RETURN_IF_ERROR(tn__fourier_long_plan(arena, axis.length, &axis.long_lines));
  }
  if (!axis.long_lines) {
    TN_RETURN_IF_ERROR(tn__fourier_plan(arena, axis.length, &axis.fourier));
    if (axis.line_count > 1 && tn__fourier_has_lanes(&axis.fourier)) axis.lanes = TN_FOURIER_LANES;
  }
  *out_axis = axis;
  return TN_OK;
}

static tn_status_t plan_real(tn_arena_t* arena, const tn_type_t* type, fft_t* state) {
  const int64_t length = type->dims[type->rank - 1];
  state->is_even = length % 2 == 0;
  if (!state->is_even) return plan_axis(arena, type, type->rank - 1, false, &state->real);
  state->real = (axis_t){.length = length, .inner = 1, .line_count = tn__type_size(type) / length};
  TN_RETURN_IF_ERROR(tn__real_fourier_plan(arena, length, &state->even));
  state->has_real_lanes = state->real.line_count > 1 && tn__fourier_has_lanes(&state->even.half) &&
                          (type->dtype == TN_DTYPE_F32 || type->dtype == TN_DTYPE_F64);
  return TN_OK;
}

static void widen(size_t* length, const axis_t* axis) {
  size_t needed = (size_t)(axis->length + axis->fourier.work_count) * sizeof(tn_complex_t);
  if (axis->long_lines) {
    needed = (size_t)axis->long_lines->work_count * sizeof(tn_complex_lanes_t);
  } else if (axis->lanes > 1) {
    needed = (size_t)(2 * axis->length) * sizeof(tn_complex_lanes_t);
  }
  if (needed > *length) *length = needed;
}

// Whether an axis reads and writes arrays of this dtype without help.
static bool can_convert(const axis_t* axis, tn_dtype_t dtype) {
  return (axis->long_lines || axis->lanes > 1) && (dtype == TN_DTYPE_C64 || dtype == TN_DTYPE_C128);
}

// Of arrays of more than one dimension, enough for all threads; otherwise these share each. Small
// ones are all together, so that there are eight lines.
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
  size_t slot_length = 0;
  for (size_t d = first; d < last; ++d) {
    axis_t* axis = &state->axes[state->axis_count++];
    TN_RETURN_IF_ERROR(plan_axis(site->arena, complex_side, d, true, axis));
    widen(&slot_length, axis);
    if (axis->long_lines) state->has_long_lines = true;
  }
  if (state->has_real) {
    TN_RETURN_IF_ERROR(plan_real(site->arena, real_side, state));
    state->half = complex_side->dims[complex_side->rank - 1];
    state->real.lanes = 1;
    if (!state->is_even) widen(&slot_length, &state->real);
    const size_t needed =
        state->has_real_lanes
            ? (size_t)(2 * state->half) * sizeof(tn_complex_lanes_t)
            : (size_t)(state->half + state->even.half.work_count) * sizeof(tn_complex_t);
    if (state->is_even && needed > slot_length) slot_length = needed;
  }
  state->reads_operand = state->writes_result = state->has_real_lanes;
  if (state->axis_count) {
    const axis_t *first_axis = &state->axes[0], *last_axis = &state->axes[state->axis_count - 1];
    state->reads_operand = can_convert(first_axis, operand->dtype);
    state->writes_result = can_convert(last_axis, result->dtype);
  }
  state->slots = state->item_count > 1 ? 1 : SLOT_LIMIT;
  state->slot_length = (slot_length + 63) / 64 * 64;
  state->array_length = ((size_t)state->complex_count * sizeof(tn_complex_t) + 63) / 64 * 64;
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
  tn_complex_t *array, *other;
  tn_fourier_array_t from, to;  // what the axis reads and writes
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
      tn_complex_t* place = run->array + line_of(axis, i);
      for (int64_t k = 0; k < axis->length; ++k) line[k] = place[k * axis->inner];
      tn__fourier_run(&axis->fourier, run->inverse, line, line + axis->length);
      for (int64_t k = 0; k < axis->length; ++k) place[k * axis->inner] = line[k];
    }
  }
  return TN_OK;
}

// Adjacent lines by eight: those of one row of the inner dimensions are adjacent, and without
// inner dimensions one behind the other.
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
      tn__fourier_long_columns(axis->long_lines, run->inverse, i % groups, run->from, line,
                               run->array + line, work);
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
      tn__fourier_long_rows(axis->long_lines, run->inverse, i % groups, run->array + line, run->to,
                            line, work);
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
      const char* row = run->operand + (size_t)(i * axis->length) * state->operand_size;
      // Real numbers first, spread from the last one on.
      double* values = &line[0].re;
      state->load.run(&state->load, row, values, (size_t)axis->length);
      if (state->is_even) {
        tn__real_fourier_run(&state->even, line, line + state->half);
        memcpy(run->array + i * state->half, line, (size_t)state->half * sizeof *line);
        continue;
      }
      for (int64_t k = axis->length; k-- > 0;) line[k] = (tn_complex_t){values[k], 0};
      tn__fourier_run(&axis->fourier, false, line, line + axis->length);
      memcpy(run->array + i * state->half, line, (size_t)state->half * sizeof *line);
    }
  }
  return TN_OK;
}

// The same by eight, in the order of `line_of`: a real line is half as many pairs.
static tn_status_t transform_real_lanes(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  const int64_t line_count = run->axis->line_count, pairs = run->axis->length / 2;
  const int64_t groups = tn__ceil_divide(line_count, TN_FOURIER_LANES);
  for (int64_t slot = begin; slot < end; ++slot) {
    int64_t first, last;
    void* work = slot_of(run, groups, slot, &first, &last);
    for (int64_t i = first * TN_FOURIER_LANES; i < last * TN_FOURIER_LANES; i += TN_FOURIER_LANES) {
      const int64_t count = tn__least(line_count - i, TN_FOURIER_LANES);
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
      const tn_complex_t* row = run->array + i * state->half;
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
                  run->array + begin, (size_t)(end - begin));
  return TN_OK;
}

static tn_status_t store_range(int64_t begin, int64_t end, void* user) {
  const fft_run_t* run = user;
  const fft_t* state = run->state;
  state->store.run(&state->store, run->array + begin,
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

static tn_fourier_array_t operand_array(const fft_run_t* run) {
  const tn_dtype_t dtype = run->state->load.from;
  return (tn_fourier_array_t){(void*)run->operand, dtype == TN_DTYPE_C64 || dtype == TN_DTYPE_F32};
}

static tn_fourier_array_t result_array(const fft_run_t* run) {
  const tn_dtype_t dtype = run->state->store.to;
  return (tn_fourier_array_t){run->result, dtype == TN_DTYPE_C64 || dtype == TN_DTYPE_F32};
}

static tn_status_t transform_real(tn_pool_t* pool, fft_run_t* run) {
  const fft_t* state = run->state;
  const bool is_first = state->kind == RFFT;
  if (!state->has_real_lanes) {
    return for_slots(pool, is_first ? read_real_slots : write_real_slots, run, &state->real);
  }
  const bool is_all = state->axis_count == 0;
  const tn_fourier_array_t array = {run->array, false};
  run->from = is_first || is_all ? operand_array(run) : array;
  run->to = !is_first || is_all ? result_array(run) : array;
  return for_slots(pool, transform_real_lanes, run, &state->real);
}

static tn_status_t transform_axis(tn_pool_t* pool, fft_run_t* run, size_t index) {
  const fft_t* state = run->state;
  const axis_t* axis = &state->axes[index];
  run->from = run->to = (tn_fourier_array_t){run->array, false};
  if (axis->long_lines) run->to.data = run->other;
  if (index == 0 && state->reads_operand) run->from = operand_array(run);
  if (index + 1 == state->axis_count && state->writes_result) run->to = result_array(run);
  if (!axis->long_lines) {
    return for_slots(pool, axis->lanes > 1 ? transform_lanes : transform_slots, run, axis);
  }
  TN_RETURN_IF_ERROR(for_slots(pool, transform_columns, run, axis));
  TN_RETURN_IF_ERROR(for_slots(pool, transform_rows, run, axis));
  tn_complex_t* kept = run->array;
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
      .array = (tn_complex_t*)(void*)scratch,
      .other = (tn_complex_t*)(void*)(scratch + state->array_length),
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
