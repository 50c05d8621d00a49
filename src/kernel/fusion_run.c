// A tile at a time, on all threads: in the order of memory, or as a reduction asks for elements.
#include <stdlib.h>

#include "base/pool.h"
#include "kernel/fusion_state.h"

enum { STACK_BYTES = 24 << 10 };  // scratch that is taken from the stack

// What is gathered for a view, to be left there if it comes again.
typedef struct gathered {
  const char* source;
  int64_t rows, columns;
} gathered_t;

// What one thread works with. In its scratch: the steps' pointers, the values' places, the slots.
typedef struct worker {
  const tn_fusion_state_t* state;
  const tn_kernel_call_t* call;
  char* scratch;
  char** pointers;
  char** places;         // by value: of the tile's first element
  gathered_t* gathered;  // by view
  char* window;          // for the reduction: elements from `window_first` on
  int64_t window_first;
} worker_t;

typedef struct pair {
  uint64_t words[2];
} pair_t;

static void fill_row(char* target, const char* element, size_t element_size, int64_t count) {
#define FILL(type)                                           \
  {                                                          \
    const type value = *(const type*)(const void*)element;   \
    type* elements = (type*)(void*)target;                   \
    for (int64_t i = 0; i < count; ++i) elements[i] = value; \
    break;                                                   \
  }
  switch (element_size) {
    case 1: FILL(uint8_t)
    case 2: FILL(uint16_t)
    case 4: FILL(uint32_t)
    case 8: FILL(uint64_t)
    default: FILL(pair_t)
  }
#undef FILL
}

// Where row `row` of a view begins, and its index along each loop.
static const char* begin_rows(const tn_fusion_state_t* state, const tn_fusion_view_t* view,
                              const char* base, int64_t row, int64_t* index) {
  int64_t offset = 0;
  for (size_t l = state->loop_count; l-- > 0;) {
    index[l] = row % state->loop_counts[l];
    row /= state->loop_counts[l];
    offset += index[l] * view->loop_strides[l];
  }
  return base + offset;
}

static const char* next_row(const tn_fusion_state_t* state, const tn_fusion_view_t* view,
                            const char* source, int64_t* index) {
  for (size_t l = state->loop_count; l-- > 0;) {
    source += view->loop_strides[l];
    if (++index[l] < state->loop_counts[l]) break;
    source -= state->loop_counts[l] * view->loop_strides[l];
    index[l] = 0;
  }
  return source;
}

static void place_view(const worker_t* worker, const tn_fusion_view_t* view, gathered_t* gathered,
                       int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const tn_fusion_state_t* state = worker->state;
  const size_t size = state->spec.element_sizes[view->operand];
  int64_t index[TN_MAX_RANK + 1];
  const char* source = begin_rows(state, view, worker->call->operands[view->operand], row, index) +
                       column * view->column_stride;
  if (!view->is_gathered) {
    worker->places[view->operand] = (char*)(uintptr_t)source;
    return;
  }
  const bool is_there = gathered->source == source && gathered->columns == columns &&
                        rows <= gathered->rows && (rows == 1 || view->is_same_for_rows);
  if (is_there) return;
  *gathered = (gathered_t){source, view->is_same_for_rows ? rows : 1, columns};
  char* target = worker->scratch + state->slot_offsets[state->slots[view->operand]];
  if (view->column_stride == 0 && view->is_same_for_rows) {
    fill_row(target, source, size, rows * columns);
    return;
  }
  const size_t row_bytes = (size_t)columns * size;
  for (int64_t r = 0; r < rows; ++r, target += row_bytes) {
    if (view->column_stride == 0) {
      fill_row(target, source, size, columns);
    } else {
      memcpy(target, source, row_bytes);
    }
    source = next_row(state, view, source, index);
  }
}

// The next tile comes from memory while this one is computed in the cache: the processor itself
// does not look so far ahead.
static void ask_for(const char* start, size_t length) {
  enum { LINE_BYTES = 64 };
  for (size_t i = 0; i < length; i += LINE_BYTES) __builtin_prefetch(start + i, 0, 2);
}

// Where element `element` of what the reduction reads lies.
static char* place_of_reduced(const worker_t* worker, size_t element) {
  const tn_fusion_state_t* state = worker->state;
  const size_t size = state->spec.element_sizes[state->spec.reduction->operands[0]];
  if (state->reduced_result != TN_FUSION_NO_RESULT) {
    return (char*)worker->call->results[state->reduced_result] + element * size;
  }
  return worker->window + (element - (size_t)worker->window_first) * size;
}

typedef struct tile {
  int64_t row, rows, column, columns;
} tile_t;

static tn_status_t run_tile(const worker_t* worker, const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const tn_fusion_spec_t* spec = &state->spec;
  const int64_t rows = tile->rows, columns = tile->columns;
  const size_t first = (size_t)(tile->row * state->column_count + tile->column);
  for (size_t i = 0; i < spec->operand_count; ++i) {
    worker->places[i] =
        (char*)(uintptr_t)worker->call->operands[i] + first * spec->element_sizes[i];
  }
  if (state->asks_ahead && columns == state->columns_per_unit) {
    for (size_t i = 0; i < spec->operand_count; ++i) {
      const size_t length = (size_t)(rows * columns) * spec->element_sizes[i];
      if (state->is_dense[i]) ask_for(worker->places[i] + length, length);
    }
  }
  if (spec->reduction) {
    worker->places[spec->reduction->operands[0]] = place_of_reduced(worker, first);
  }
  for (size_t r = 0; r < spec->result_count; ++r) {
    const uint32_t value = spec->results[r];
    if (spec->reduction && value == spec->reduction->first_result) continue;
    worker->places[value] = (char*)worker->call->results[r] + first * spec->element_sizes[value];
  }
  for (size_t v = 0; v < state->view_count; ++v) {
    place_view(worker, &state->views[v], &worker->gathered[v], tile->row, rows, tile->column,
               columns);
  }
  for (size_t m = 0; m < state->moving_count; ++m) {
    worker->pointers[state->moving[m].pointer] = worker->places[state->moving[m].value];
  }
  char** pointers = worker->pointers;
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    tn_kernel_call_t part = {
        .operands = (const void* const*)pointers,
        .results = (void* const*)(pointers + step->operand_count),
        .state = step->site.state,
        .context = worker->call->context,
    };
    tn_status_t status = step->kernel->range(0, rows * columns, &part);
    if (__builtin_expect(status != TN_OK, 0)) return tn__node_locate(step->node, status);
    pointers += step->operand_count + step->result_count;
  }
  return TN_OK;
}

static tn_status_t run_unit(const worker_t* worker, int64_t unit) {
  const tn_fusion_state_t* state = worker->state;
  tile_t tile = {
      .row = unit / state->column_units * state->rows_per_unit,
      .rows = state->rows_per_unit,
      .column = unit % state->column_units * state->columns_per_unit,
      .columns = state->columns_per_unit,
  };
  if (tile.rows > state->row_count - tile.row) tile.rows = state->row_count - tile.row;
  if (tile.columns > state->column_count - tile.column) {
    tile.columns = state->column_count - tile.column;
  }
  return run_tile(worker, &tile);
}

// Bytes that a worker has behind it.
static size_t worker_byte_length(const tn_fusion_state_t* state) {
  return state->view_count * sizeof(gathered_t) + state->scratch_byte_length;
}

static void start_worker(worker_t* worker, const tn_kernel_call_t* call, char* memory) {
  const tn_fusion_state_t* state = call->state;
  memory += -(uintptr_t)memory % TN_FUSION_ALIGNMENT;
  *worker = (worker_t){.state = state, .call = call, .scratch = memory};
  worker->pointers = (char**)(void*)memory;
  worker->places = worker->pointers + state->pointer_count;
  // The slots end where scratch_byte_length says, less what aligning takes.
  worker->gathered =
      (gathered_t*)(void*)(memory + state->scratch_byte_length - TN_FUSION_ALIGNMENT);
  memset(worker->gathered, 0, state->view_count * sizeof *worker->gathered);
  for (size_t p = 0; p < state->pointer_count; ++p) {
    const uint32_t slot = state->pointer_values[p];
    worker->pointers[p] = slot == TN_FUSION_NO_SLOT ? NULL : memory + state->slot_offsets[slot];
  }
}

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  _Alignas(TN_FUSION_ALIGNMENT) char small[STACK_BYTES];
  const size_t byte_length = worker_byte_length(call->state);
  char* large = byte_length > STACK_BYTES ? malloc(byte_length) : NULL;
  if (byte_length > STACK_BYTES && !large) return tn__status_out_of_memory();
  worker_t worker;
  start_worker(&worker, call, large ? large : small);
  tn_status_t status = TN_OK;
  for (int64_t unit = begin; unit < end && !status; ++unit) status = run_unit(&worker, unit);
  free(large);
  return status;
}

// --- as a reduction asks for them

static tn_status_t open_reader(const tn_kernel_source_t* source, int64_t most, void** out_reader) {
  const tn_kernel_call_t* call = source->user;
  const tn_fusion_state_t* state = call->state;
  const size_t size = state->spec.element_sizes[state->spec.reduction->operands[0]];
  const size_t own = worker_byte_length(state), window = (size_t)most * size;
  worker_t* worker = malloc(sizeof *worker + own + window + TN_FUSION_ALIGNMENT);
  *out_reader = worker;
  if (!worker) return tn__status_out_of_memory();
  char* memory = (char*)(worker + 1);
  start_worker(worker, call, memory);
  memory += own;
  worker->window = memory + -(uintptr_t)memory % TN_FUSION_ALIGNMENT;
  return TN_OK;
}

// What follows each other is cut where a tile may end: parts of rows, or several whole ones.
static tn_status_t read_elements(void* reader, int64_t first, int64_t count,
                                 const void** out_elements) {
  worker_t* worker = reader;
  const tn_fusion_state_t* state = worker->state;
  worker->window_first = first;
  const int64_t end = first + count;
  for (int64_t at = first; at < end;) {
    tile_t tile = {.row = at / state->column_count,
                   .rows = 1,
                   .column = at % state->column_count,
                   .columns = state->columns_per_unit};
    if (tile.columns > state->column_count - tile.column) {
      tile.columns = state->column_count - tile.column;
    }
    if (tile.columns > end - at) tile.columns = end - at;
    if (tile.columns == state->column_count) {
      tile.rows = (end - at) / state->column_count;
      if (tile.rows > state->rows_per_unit) tile.rows = state->rows_per_unit;
    }
    TN_RETURN_IF_ERROR(run_tile(worker, &tile));
    at += tile.rows * tile.columns;
  }
  *out_elements = place_of_reduced(worker, (size_t)first);
  return TN_OK;
}

static tn_status_t run_reduction(const tn_kernel_call_t* call) {
  const tn_fusion_state_t* state = call->state;
  const tn_fusion_step_t* reduction = state->spec.reduction;
  const tn_kernel_source_t source = {open_reader, read_elements, free, call};
  const tn_kernel_call_t part = {
      .operands = (const void* const[]){NULL, call->operands[reduction->operands[1]]},
      .results = &call->results[state->reduction_result],
      .state = reduction->site.state,
      .scratch = call->scratch,
      .context = call->context,
  };
  return reduction->kernel->run_from(&part, &source);
}

tn_status_t tn__fusion_run(const tn_kernel_call_t* call) {
  const tn_fusion_state_t* state = call->state;
  if (state->spec.reduction) return run_reduction(call);
  if (state->element_count == 0) return TN_OK;
  if (state->unit_count <= state->grain) {
    return run_units(0, state->unit_count, (void*)(uintptr_t)call);
  }
  return tn__pool_parallel_for(call->context->pool, state->unit_count, state->grain, run_units,
                               (void*)(uintptr_t)call);
}
