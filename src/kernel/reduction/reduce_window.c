// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Padding and the holes of a dilated base count as elements with the initial value.
//
// A known operation works on rows of results: first it folds the rows of the input that are under
// them, then, for each element of a row of the window, what it has of all windows. Channels that
// come last are folded side by side: places of a row are then lines of channels. Windows that reach
// from an end of the array to the current element are cumulative sums.
#include "kernel/reduction/reduce_window.h"

#include "base/pool.h"
#include "kernel/common/body.h"
#include "kernel/common/loop.h"
#include "kernel/common/site.h"
#include "kernel/common/sliding.h"
#include "kernel/common/strided.h"
#include "kernel/reduction/reduction.h"
#include "kernel/reduction/scan.h"

enum { BLOCK = 512, LINES = 1024, SPAN = 1200, GRAIN = 16 << 10, CARRIER_LIMIT = 16 };

typedef enum form {
  FORM_NOTHING,  // the results have no elements
  FORM_SCAN,
  FORM_ROWS,
  FORM_BODY,
} form_t;

typedef struct channel {
  tn_element_path_t init, element;  // to the dtype of the body's arguments
  size_t operand_size, result_size;
} channel_t;

typedef struct reduce_window {
  form_t form;
  // Trailing dimensions in which windows are single elements are one dimension.
  tn_sliding_t window;
  int64_t input_strides[TN_MAX_RANK];  // elements
  int64_t output_count, window_count;
  // SCAN and ROWS:
  tn_binary_t binary;  // over the carrier
  tn_conversion_t load, load_init, store;
  size_t carrier_size, operand_size, result_size;
  tn_scan_t scan;
  int64_t line;         // channels that are folded side by side; 0: they are not
  int64_t line_places;  // how many lines at a time
  // BODY:
  size_t channel_count;  // operands
  const channel_t* channels;
} reduce_window_t;

// --- preparing

// Windows that hold all elements up to their own, or from it on, in one dimension.
static bool is_cumulative(const tn_sliding_t* window, size_t* out_dimension, bool* out_reversed) {
  size_t found = TN_MAX_RANK;
  for (size_t i = 0; i < window->rank; ++i) {
    const tn_sliding_dim_t* dim = &window->dims[i];
    if (tn__sliding_is_trivial(dim)) continue;
    const bool fits = dim->size == dim->input && dim->input == dim->output && dim->stride == 1 &&
                      dim->dilation == 1 && dim->base_dilation == 1;
    if (found != TN_MAX_RANK || !fits) return false;
    if (dim->low != dim->size - 1 && dim->low != 0) return false;
    *out_reversed = dim->low == 0;
    found = i;
  }
  *out_dimension = found;
  return found != TN_MAX_RANK;
}

// What sums are made in. Short cumulative ones are rounded at every step, as the program says it;
// everything else is rounded once.
static tn_dtype_t carrier_of(const tn_type_t* operand, tn_dtype_t result, bool cumulative,
                             int64_t length) {
  if (cumulative && length <= TN_FOLD_SEQUENTIAL && operand->dtype == result) return result;
  return tn__reduction_carrier(result);
}

// Elements of a row that `count` windows reach over.
static int64_t span_of(const tn_sliding_dim_t* dim, int64_t count) {
  return (count - 1) * dim->stride + (dim->size - 1) * dim->dilation + 1;
}

// Whether lines of channels are folded side by side: enough windows of them fit into a block.
static void choose_places(reduce_window_t* state) {
  const tn_sliding_t* window = &state->window;
  if (window->rank < 2 || !tn__sliding_is_trivial(&window->dims[window->rank - 1])) return;
  const tn_sliding_dim_t* dim = &window->dims[window->rank - 2];
  const int64_t channels = window->dims[window->rank - 1].output;
  const int64_t lone = span_of(dim, 1);
  if (dim->size == 1 || dim->base_dilation != 1 || lone > SPAN / channels) return;
  int64_t places = (SPAN / channels - lone) / dim->stride + 1;
  if (places > LINES / channels) places = LINES / channels;
  if (places < dim->size) return;
  state->line = channels;
  state->line_places = places;
}

static tn_status_t prepare_known(tn_kernel_site_t* site, const char* op, reduce_window_t* state) {
  const tn_type_t* operand = tn__site_operand(site, 0);
  const tn_dtype_t result = tn__site_result(site, 0)->dtype;
  const tn_sliding_t* window = &state->window;
  size_t dimension = 0;
  bool reversed;
  const bool cumulative = is_cumulative(window, &dimension, &reversed);
  const int64_t length = cumulative ? window->dims[dimension].output : 0;
  const tn_dtype_t carrier = carrier_of(operand, result, cumulative, length);
  state->form = FORM_ROWS;
  state->load = tn__conversion(operand->dtype, carrier);
  state->load_init = tn__conversion(tn__site_operand(site, 1)->dtype, carrier);
  state->store = tn__conversion(carrier, result);
  state->carrier_size = tn_dtype_byte_size(carrier);
  state->operand_size = tn_dtype_byte_size(operand->dtype);
  state->result_size = tn_dtype_byte_size(result);
  if (!tn__binary_find(op, carrier, &state->binary)) {
    return tn_status_create(TN_CODE_INTERNAL, "reduce_window: no %s of %s", op,
                            tn_dtype_name(carrier));
  }
  if (cumulative) {
    int64_t outer = 1, inner = 1;
    for (size_t i = 0; i < window->rank; ++i) {
      if (i < dimension) outer *= window->dims[i].output;
      if (i > dimension) inner *= window->dims[i].output;
    }
    if (tn__scan_plan(op, carrier, outer, length, inner, reversed, &state->scan)) {
      state->form = FORM_SCAN;
      if (operand->dtype != carrier || result != carrier) {
        site->scratch_byte_size = (size_t)state->output_count * state->carrier_size;
      }
    }
  }
  choose_places(state);
  return TN_OK;
}

static tn_status_t prepare_body(tn_kernel_site_t* site, reduce_window_t* state) {
  const size_t count = site->use->operand_count / 2;
  channel_t* channels;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, count, &channels));
  for (size_t i = 0; i < count; ++i) {
    const tn_dtype_t element = tn__site_operand(site, i)->dtype;
    const tn_dtype_t argument = tn__site_result(site, i)->dtype;
    channels[i] = (channel_t){
        .init = tn__element_path(tn__site_operand(site, count + i)->dtype, argument),
        .element = tn__element_path(element, argument),
        .operand_size = tn_dtype_byte_size(element),
        .result_size = tn_dtype_byte_size(argument),
    };
  }
  state->form = FORM_BODY;
  site->scratch_byte_size = count * CARRIER_LIMIT;
  state->channel_count = count;
  state->channels = channels;
  return TN_OK;
}

tn_status_t tn__cpu_reduce_window_prepare(tn_kernel_site_t* site) {
  reduce_window_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  const tn_type_t *operand = tn__site_operand(site, 0), *result = tn__site_result(site, 0);
  TN_RETURN_IF_ERROR(tn__sliding_read(site, operand, result, &state->window));
  state->output_count = tn__type_size(result);
  if (state->output_count == 0) return TN_OK;
  tn_sliding_t* window = &state->window;
  tn__sliding_merge(window);
  state->window_count = 1;
  int64_t stride = 1;
  for (size_t i = window->rank; i-- > 0;) {
    state->input_strides[i] = stride;
    stride *= window->dims[i].input;
    state->window_count *= window->dims[i].size;
  }
  const tn_op_t* op = site->use->operand_count == 2 ? site->bodies[0].binary : NULL;
  if (op && tn__reduction_supports(tn__op_short_name(op), result->dtype)) {
    return prepare_known(site, tn__op_short_name(op), state);
  }
  return prepare_body(site, state);
}

// --- indices of windows and of elements in a window

static void split(const tn_sliding_t* window, size_t rank, int64_t index, bool of_outputs,
                  int64_t* out_indices) {
  for (size_t i = rank; i-- > 0;) {
    const int64_t count = of_outputs ? window->dims[i].output : window->dims[i].size;
    out_indices[i] = index % count;
    index /= count;
  }
}

// Steps to the next one, the last dimension first.
static void advance(const tn_sliding_t* window, size_t rank, int64_t* indices) {
  for (size_t i = rank; i-- > 0;) {
    if (++indices[i] < window->dims[i].size) return;
    indices[i] = 0;
  }
}

// --- known operations

typedef struct window_run {
  const reduce_window_t* state;
  const char* operand;
  char* result;
  char init[CARRIER_LIMIT];  // of the carrier
  bool skips_padding;        // another initial value changes nothing
  // Rows are of elements, or of lines of channels.
  size_t outer_rank;  // of the dimensions before a row's
  int64_t line;       // elements
  int64_t places;     // of a row, at a time
} window_run_t;

static void fill_init(const window_run_t* run, char* target, int64_t count) {
  // Without a pool it cannot fail.
  (void)!tn__fill(NULL, target, run->init, run->state->carrier_size, count);
}

// Elements `at` of the windows [first, first + count) of a row of the input, in the carrier.
static const char* load_elements(const window_run_t* run, const char* row, int64_t at,
                                 int64_t first, int64_t count, char* picked, char* loaded) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[state->window.rank - 1];
  const size_t size = state->operand_size;
  const int64_t place = first * dim->stride + at * dim->dilation - dim->low;
  const char* source = row + place * (int64_t)size;
  if (dim->stride != 1) {
    const int64_t step = dim->stride * (int64_t)size;
    for (int64_t i = 0; i < count; ++i) {
      tn__element_copy(size, picked + (size_t)i * size, source + i * step);
    }
    source = picked;
  }
  if (state->load.from == state->load.to) return source;
  state->load.run(&state->load, source, loaded, (size_t)count);
  return loaded;
}

// Element `at` of every window of a block, one by one: initial values where there is none.
static const char* load_holes(const window_run_t* run, const char* row, int64_t at, int64_t first,
                              int64_t count, char* loaded) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[state->window.rank - 1];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t element = tn__sliding_place(dim, first + i, at);
    char* target = loaded + (size_t)i * state->carrier_size;
    if (element < 0) {
      tn__element_copy(state->carrier_size, target, run->init);
    } else {
      state->load.run(&state->load, row + (size_t)element * state->operand_size, target, 1);
    }
  }
  return loaded;
}

// One element of the innermost window dimension after another, for a block of a row.
static void fold_row(const window_run_t* run, const char* row, int64_t first, int64_t count,
                     char* sums) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[state->window.rank - 1];
  char picked[BLOCK * CARRIER_LIMIT], loaded[BLOCK * CARRIER_LIMIT];
  for (int64_t at = 0; at < dim->size; ++at) {
    int64_t begin = first, end = first + count;
    const char* elements;
    if (dim->base_dilation == 1) {
      tn__sliding_inside(dim, at, &begin, &end);
      if (begin < first) begin = first;
      if (end > first + count) end = first + count;
    }
    const bool all = begin == first && end == first + count;
    if (dim->base_dilation == 1 && (all || run->skips_padding)) {
      if (begin >= end) continue;
      elements = load_elements(run, row, at, begin, end - begin, picked, loaded);
    } else {
      begin = first;
      end = first + count;
      elements = load_holes(run, row, at, first, count, loaded);
    }
    char* target = sums + (size_t)(begin - first) * state->carrier_size;
    tn__binary_map(&state->binary, target, elements, target, (size_t)(end - begin));
  }
}

// Row `w` of the windows of a row of results: where it is in the input; -1: padding.
static int64_t row_offset(const reduce_window_t* state, size_t outer_rank, const int64_t* outer,
                          const int64_t* at) {
  int64_t offset = 0;
  for (size_t i = 0; i < outer_rank; ++i) {
    // The callers' split() has filled as many. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
    const int64_t element = tn__sliding_place(&state->window.dims[i], outer[i], at[i]);
    if (element < 0) return -1;
    offset += element * state->input_strides[i];
  }
  return offset;
}

// Whether rows can be folded as they are, before windows are looked at: nothing is in the holes of
// a base, and initial values change nothing.
static bool folds_rows_first(const window_run_t* run, int64_t count) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[state->window.rank - 1];
  return run->skips_padding && dim->base_dilation == 1 && dim->size > 1 &&
         dim->size < state->window_count && span_of(dim, count) <= SPAN;
}

// Folds the rows of the input that the windows [first, first + count) reach over.
static void fold_input_rows(const window_run_t* run, const int64_t* outer, int64_t first,
                            int64_t count, char* folded, char* loaded) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[run->outer_rank];
  const int64_t begin = first * dim->stride - dim->low, span = span_of(dim, count);
  const int64_t inside = begin < 0 ? 0 : begin;
  const int64_t end = begin + span < dim->input ? begin + span : dim->input;
  fill_init(run, folded, span * run->line);
  if (inside >= end) return;
  const size_t length = (size_t)((end - inside) * run->line);
  char* place = folded + (size_t)((inside - begin) * run->line) * state->carrier_size;
  int64_t at[TN_MAX_RANK] = {0};
  const int64_t outer_windows = state->window_count / dim->size;
  for (int64_t w = 0; w < outer_windows; ++w, advance(&state->window, run->outer_rank, at)) {
    const int64_t offset = row_offset(state, run->outer_rank, outer, at);
    if (offset < 0) continue;
    const char* elements =
        run->operand + (size_t)(offset + inside * run->line) * state->operand_size;
    if (state->load.from != state->load.to) {
      state->load.run(&state->load, elements, loaded, length);
      elements = loaded;
    }
    tn__binary_map(&state->binary, place, elements, place, length);
  }
}

// For each place of a row of the window, what it has of all windows.
static void fold_places(const window_run_t* run, const char* folded, int64_t count, char* loaded,
                        char* sums) {
  const reduce_window_t* state = run->state;
  const tn_sliding_dim_t* dim = &state->window.dims[run->outer_rank];
  const size_t size = state->carrier_size, line = (size_t)run->line * size;
  for (int64_t at = 0; at < dim->size; ++at) {
    const char* places = folded + (size_t)(at * dim->dilation) * line;
    const int64_t step = dim->stride * (int64_t)line;
    if (dim->stride == 1) {
      tn__binary_map(&state->binary, sums, places, sums, (size_t)(count * run->line));
    } else if (run->line == 1) {
      tn__step_row(size, loaded, (int64_t)size, places, step, count);
      tn__binary_map(&state->binary, sums, loaded, sums, (size_t)count);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        char* sum = sums + (size_t)i * line;
        tn__binary_map(&state->binary, sum, places + i * step, sum, (size_t)run->line);
      }
    }
  }
}

static void reduce_rows_first(const window_run_t* run, const int64_t* outer, int64_t first,
                              int64_t count, char* target) {
  const reduce_window_t* state = run->state;
  char folded[SPAN * CARRIER_LIMIT], loaded[SPAN * CARRIER_LIMIT], sums[LINES * CARRIER_LIMIT];
  fold_input_rows(run, outer, first, count, folded, loaded);
  fill_init(run, sums, count * run->line);
  fold_places(run, folded, count, loaded, sums);
  state->store.run(&state->store, sums, target, (size_t)(count * run->line));
}

// The part [first, first + count) of the row of results with the given outer indices.
static void reduce_block(const window_run_t* run, const int64_t* outer, int64_t first,
                         int64_t count, char* target) {
  const reduce_window_t* state = run->state;
  const tn_sliding_t* window = &state->window;
  const size_t outer_rank = window->rank - 1;
  char sums[BLOCK * CARRIER_LIMIT];
  fill_init(run, sums, count);
  int64_t at[TN_MAX_RANK];
  for (size_t i = 0; i < outer_rank; ++i) at[i] = 0;
  const int64_t outer_windows = state->window_count / window->dims[outer_rank].size;
  for (int64_t w = 0; w < outer_windows; ++w, advance(window, outer_rank, at)) {
    const int64_t offset = row_offset(state, outer_rank, outer, at);
    if (offset >= 0) {
      fold_row(run, run->operand + (size_t)offset * state->operand_size, first, count, sums);
    } else if (!run->skips_padding) {
      char padding[BLOCK * CARRIER_LIMIT];
      fill_init(run, padding, count);
      for (int64_t i = 0; i < window->dims[outer_rank].size; ++i) {
        tn__binary_map(&state->binary, sums, padding, sums, (size_t)count);
      }
    }
  }
  state->store.run(&state->store, sums, target, (size_t)count);
}

static tn_status_t reduce_rows(int64_t begin, int64_t end, void* user) {
  const window_run_t* run = user;
  const reduce_window_t* state = run->state;
  const int64_t width = state->window.dims[run->outer_rank].output;
  for (int64_t row = begin; row < end; ++row) {
    int64_t outer[TN_MAX_RANK];
    split(&state->window, run->outer_rank, row, true, outer);
    for (int64_t first = 0; first < width; first += run->places) {
      const int64_t count = width - first < run->places ? width - first : run->places;
      (run->line > 1 || folds_rows_first(run, count) ? reduce_rows_first : reduce_block)(
          run, outer, first, count,
          run->result + (size_t)((row * width + first) * run->line) * state->result_size);
    }
  }
  return TN_OK;
}

static tn_status_t run_scan(const tn_kernel_call_t* call, const window_run_t* run) {
  const reduce_window_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  if (state->load.from == state->load.to && state->store.from == state->store.to) {
    return tn__scan_run(&state->scan, pool, call->operands[0], run->init, call->results[0]);
  }
  const size_t count = (size_t)state->output_count;
  state->load.run(&state->load, call->operands[0], call->scratch, count);
  TN_RETURN_IF_ERROR(tn__scan_run(&state->scan, pool, call->scratch, run->init, call->scratch));
  state->store.run(&state->store, call->scratch, call->results[0], count);
  return TN_OK;
}

// --- through the body

static tn_status_t fold_window(const tn_kernel_call_t* call, int64_t output) {
  const reduce_window_t* state = call->state;
  const tn_body_t* body = &call->bodies[0];
  const size_t channels = state->channel_count;
  for (int64_t w = 0; w < state->window_count; ++w) {
    const int64_t offset = tn__sliding_element(&state->window, state->input_strides, output, w);
    for (size_t k = 0; k < channels; ++k) {
      const channel_t* channel = &state->channels[k];
      void* argument = body->arguments[channels + k];
      if (offset < 0) {
        tn__element_move(&channel->init, argument, call->operands[channels + k]);
      } else {
        const char* operand = call->operands[k];
        tn__element_move(&channel->element, argument,
                         operand + (size_t)offset * channel->operand_size);
      }
    }
    TN_RETURN_IF_ERROR(body->run(body));
    // One result may be where another accumulator has to go.
    char* staging = call->scratch;
    for (size_t k = 0; k < channels; ++k) {
      tn__element_copy(state->channels[k].result_size, staging + k * CARRIER_LIMIT,
                       body->results[k]);
    }
    for (size_t k = 0; k < channels; ++k) {
      tn__element_copy(state->channels[k].result_size, body->arguments[k],
                       staging + k * CARRIER_LIMIT);
    }
  }
  return TN_OK;
}

static tn_status_t run_body(const tn_kernel_call_t* call) {
  const reduce_window_t* state = call->state;
  const tn_body_t* body = &call->bodies[0];
  for (int64_t i = 0; i < state->output_count; ++i) {
    for (size_t k = 0; k < state->channel_count; ++k) {
      tn__element_move(&state->channels[k].init, body->arguments[k],
                       call->operands[state->channel_count + k]);
    }
    TN_RETURN_IF_ERROR(fold_window(call, i));
    for (size_t k = 0; k < state->channel_count; ++k) {
      const size_t size = state->channels[k].result_size;
      tn__element_copy(size, (char*)call->results[k] + (size_t)i * size, body->arguments[k]);
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_reduce_window_run(const tn_kernel_call_t* call) {
  const reduce_window_t* state = call->state;
  if (state->form == FORM_NOTHING) return TN_OK;
  if (state->form == FORM_BODY) return run_body(call);
  window_run_t run = {.state = state, .operand = call->operands[0], .result = call->results[0]};
  state->load_init.run(&state->load_init, call->operands[1], run.init, 1);
  char twice[CARRIER_LIMIT];
  tn__binary_map(&state->binary, run.init, run.init, twice, 1);
  run.skips_padding = memcmp(twice, run.init, state->carrier_size) == 0;
  // Cumulative windows reach over the edge, where a scan does not look.
  if (state->form == FORM_SCAN && run.skips_padding) return run_scan(call, &run);
  const bool by_lines = run.skips_padding && state->line > 1;
  run.outer_rank = state->window.rank - (by_lines ? 2 : 1);
  run.line = by_lines ? state->line : 1;
  run.places = by_lines ? state->line_places : BLOCK;
  const int64_t row = state->window.dims[run.outer_rank].output * run.line;
  const int64_t work = row * state->window_count;
  return tn__pool_parallel_for(call->context->pool, state->output_count / row,
                               work < GRAIN ? GRAIN / work : 1, reduce_rows, &run);
}
