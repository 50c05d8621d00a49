// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A tile at a time, on all threads: in the order of memory, or as a reduction asks for elements.
#include <stdlib.h>

#include "base/pool.h"
#include "kernel/common/rows.h"
#include "kernel/common/streaming.h"
#include "kernel/common/strided.h"
#include "kernel/fusion/state.h"

enum { STACK_BYTES = 24 << 10 };  // scratch that is taken from the stack

// What is gathered for a read, to be left there if it comes again.
typedef struct gathered {
  const char* source;
  int64_t lines, columns;
  int64_t line, column;  // of a block: where it begins
} gathered_t;

// What one thread works with. In its scratch: the steps' pointers, the values' places, the slots.
typedef struct worker {
  const tn_fusion_state_t* state;
  const tn_kernel_call_t* call;
  const tn_fusion_part_t* part;  // NULL: arrays are whole
  char* scratch;
  char** pointers;
  char** places;         // by value: of the tile's first element
  gathered_t* gathered;  // by gather
  char* window;          // for the last reduction: elements from `window_first` on
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

// Where line `line` begins, and its index along each loop.
static const char* begin_lines(const tn_fusion_state_t* state, const tn_fusion_gather_t* gather,
                               const char* base, int64_t line, int64_t* index) {
  int64_t offset = 0;
  for (size_t l = state->loop_count; l-- > 0;) {
    index[l] = line % state->loop_counts[l];
    line /= state->loop_counts[l];
    offset += index[l] * gather->loop_strides[l];
  }
  return base + offset;
}

static const char* next_line(const tn_fusion_state_t* state, const tn_fusion_gather_t* gather,
                             const char* source, int64_t* index) {
  for (size_t l = state->loop_count; l-- > 0;) {
    source += gather->loop_strides[l];
    if (++index[l] < state->loop_counts[l]) break;
    source -= state->loop_counts[l] * gather->loop_strides[l];
    index[l] = 0;
  }
  return source;
}

static char* slot_of(const worker_t* worker, uint32_t value) {
  return worker->scratch + worker->state->slot_offsets[worker->state->slots[value]];
}

typedef struct tile {
  int64_t line, lines, column, columns;
  int64_t row, rows;  // where tiles are whole rows
} tile_t;

// Lines that are near each other, some at a time: up to where an outer loop goes on.
static void gather_block(const worker_t* worker, const tn_fusion_gather_t* gather,
                         const gathered_t* block) {
  const tn_fusion_state_t* state = worker->state;
  const tn_fusion_read_t* read = &state->spec.reads[gather->read];
  if (state->loop_count == 0) return;  // what is transposed has loops
  const size_t last = state->loop_count - 1;
  const tn_row_path_t path = {
      .element_size = state->spec.values[read->value].element_size,
      .row_stride = gather->loop_strides[last],
      .column_stride = gather->column_stride,
      .is_packed = true,
      .block_stride = gather->pitch,
  };
  char* target = worker->scratch + gather->block_offset;
  for (int64_t done = 0; done < block->lines;) {
    int64_t index[TN_MAX_RANK + 1], lines = block->lines - done;
    const char* source = begin_lines(state, gather, worker->call->operands[read->operand],
                                     block->line + done, index) +
                         read->byte_offset + block->column * gather->column_stride;
    const int64_t left = state->loop_counts[last] - index[last];
    if (lines > left) lines = left;
    tn__rows_pack(target + done * gather->pitch, source, &path, lines, block->columns, left);
    done += lines;
  }
}

static void place_block(const worker_t* worker, const tn_fusion_gather_t* gather, gathered_t* block,
                        const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const bool is_there = block->columns == tile->columns && block->column == tile->column &&
                        tile->line >= block->line &&
                        tile->line + tile->lines <= block->line + block->lines;
  if (!is_there) {
    // A last reduction may ask for parts of a line, one behind the other.
    const bool stays = !state->spec.last || tile->columns == state->column_count;
    *block = (gathered_t){.lines = stays ? state->lines_per_unit : tile->lines,
                          .columns = tile->columns,
                          .line = tile->line,
                          .column = tile->column};
    if (block->lines > state->line_count - tile->line) {
      block->lines = state->line_count - tile->line;
    }
    gather_block(worker, gather, block);
  }
  worker->places[state->spec.reads[gather->read].value] =
      worker->scratch + gather->block_offset + (tile->line - block->line) * gather->pitch;
}

static void place_gather(const worker_t* worker, const tn_fusion_gather_t* gather,
                         gathered_t* gathered, const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const tn_fusion_read_t* read = &state->spec.reads[gather->read];
  const size_t size = state->spec.values[read->value].element_size;
  const int64_t lines = tile->lines, columns = tile->columns;
  int64_t index[TN_MAX_RANK + 1];
  const char* source =
      begin_lines(state, gather, worker->call->operands[read->operand], tile->line, index) +
      read->byte_offset + tile->column * gather->column_stride;
  if (gather->is_transposed) {
    place_block(worker, gather, gathered, tile);
    return;
  }
  if (gather->is_one && gather->is_gathered) {
    char* target = slot_of(worker, read->value);
    for (int64_t l = 0; l < lines; ++l) {
      memcpy(target + (size_t)l * size, source, size);
      source = next_line(state, gather, source, index);
    }
    return;
  }
  if (!gather->is_gathered) {
    worker->places[read->value] = (char*)(uintptr_t)source;
    return;
  }
  const bool is_there = gathered->source == source && gathered->columns == columns &&
                        lines <= gathered->lines && (lines == 1 || gather->is_same_for_lines);
  if (is_there) return;
  *gathered = (gathered_t){
      .source = source, .lines = gather->is_same_for_lines ? lines : 1, .columns = columns};
  char* target = slot_of(worker, read->value);
  const size_t line_bytes = (size_t)columns * size;
  for (int64_t l = 0; l < lines; ++l, target += line_bytes) {
    if (gather->column_stride == 0) {
      fill_row(target, source, size, columns);
    } else if (gather->column_stride == (int64_t)size) {
      memcpy(target, source, line_bytes);
    } else {
      tn__step_row(size, target, (int64_t)size, source, gather->column_stride, columns);
    }
    source = next_line(state, gather, source, index);
  }
}

// Elements `first` <= i < `first` + `count` of a view, one behind the other.
static void pick(const tn_type_t* type, size_t size, const int64_t* strides, const char* source,
                 int64_t first, int64_t count, char* target) {
  for (int64_t i = first; i < first + count; ++i, target += size) {
    const char* element = source;
    int64_t left = i;
    for (size_t d = type->rank; d-- > 0;) {
      element += left % type->dims[d] * strides[d];
      left /= type->dims[d];
    }
    memcpy(target, element, size);
  }
}

static void pick_rows(const worker_t* worker, const tn_fusion_read_t* read, const tile_t* tile) {
  const char* source = worker->call->operands[read->operand];
  pick(read->type, worker->state->spec.values[read->value].element_size, read->strides,
       source + read->byte_offset, tile->row, tile->rows, slot_of(worker, read->value));
}

// Where element `element` of what the last reduction reads is.
static char* place_of_folded(const worker_t* worker, size_t element) {
  const tn_fusion_state_t* state = worker->state;
  const size_t size = state->spec.values[state->spec.last->operands[0]].element_size;
  if (state->folded_result != TN_FUSION_NO_RESULT) {
    return (char*)worker->call->results[state->folded_result] + element * size;
  }
  return worker->window + (element - (size_t)worker->window_first) * size;
}

// Of a value in an array that is dense, or in a block of it: that of the part.
static char* place_in(const worker_t* worker, const void* array, bool is_block, uint32_t value,
                      const tile_t* tile) {
  const tn_fusion_value_t* kind = &worker->state->spec.values[value];
  int64_t first = 0;
  if (kind->space == TN_FUSION_ALL) {
    first = tile->line * worker->state->column_count + tile->column;
    if (is_block) first -= worker->part->first;
  } else if (kind->space == TN_FUSION_ROW) {
    first = tile->row;
  }
  return (char*)(uintptr_t)array + (size_t)first * kind->element_size;
}

static char* place_of_operand(const worker_t* worker, const tn_fusion_read_t* read,
                              const tile_t* tile) {
  const uint32_t operand = read->operand;
  const bool is_block =
      worker->part && operand < 32 && (worker->part->operand_blocks >> operand & 1);
  return place_in(worker, worker->call->operands[operand], is_block, read->value, tile);
}

static char* place_of_result(const worker_t* worker, size_t result, const tile_t* tile) {
  const bool is_block = worker->part && result < 32 && (worker->part->result_blocks >> result & 1);
  return place_in(worker, worker->call->results[result], is_block,
                  worker->state->spec.results[result], tile);
}

static void place_reads(const worker_t* worker, const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const tn_fusion_spec_t* spec = &state->spec;
  for (size_t i = 0; i < spec->read_count; ++i) {
    const tn_fusion_read_t* read = &spec->reads[i];
    if (!read->is_dense) {
      if (tn__fusion_is_picked(state, i)) pick_rows(worker, read, tile);
      continue;
    }
    worker->places[read->value] = place_of_operand(worker, read, tile);
  }
  for (size_t g = 0; g < state->gather_count; ++g) {
    if (state->gathers[g].is_scalar) continue;
    place_gather(worker, &state->gathers[g], &worker->gathered[g], tile);
  }
}

static void place_results(const worker_t* worker, const tile_t* tile) {
  const tn_fusion_spec_t* spec = &worker->state->spec;
  if (spec->last && !spec->values[spec->last->operands[0]].is_read) {
    const int64_t first = tile->line * worker->state->column_count + tile->column;
    worker->places[spec->last->operands[0]] = place_of_folded(worker, (size_t)first);
  }
  for (size_t r = 0; r < spec->result_count; ++r) {
    const uint32_t value = spec->results[r];
    if (!worker->state->is_placed[value] || (spec->last && value == spec->last->first_result)) {
      continue;
    }
    worker->places[value] = place_of_result(worker, r, tile);
  }
}

// A value of rows for all elements of each.
static void repeat_rows(const tn_fusion_state_t* state, uint32_t value, char* const* pointers,
                        int64_t rows) {
  const size_t size = state->spec.values[value].element_size;
  const char* source = pointers[0];
  char* target = pointers[1];
  for (int64_t r = 0; r < rows; ++r) {
    fill_row(target, source, size, state->row_length);
    source += size;
    target += (size_t)state->row_length * size;
  }
}

// A step of one result, of which an operand has an element for each row or line, or one for all.
static tn_status_t run_with_repeated(const worker_t* worker, const tn_fusion_step_t* step,
                                     char* const* pointers, const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const uint32_t one = (uint32_t)__builtin_ctz(step->repeated), count = step->operand_count;
  const tn_fusion_value_t* value = &state->spec.values[step->operands[one]];
  int64_t segments = 1, length = tile->lines * tile->columns;
  if (value->space == TN_FUSION_ROW) segments = tile->rows, length = state->row_length;
  if (value->space == TN_FUSION_LINE) segments = tile->lines, length = tile->columns;
  size_t sizes[TN_FUSION_REPEATED_OPERANDS + 1];
  char* moved[TN_FUSION_REPEATED_OPERANDS + 1];
  for (uint32_t i = 0; i <= count; ++i) {
    const uint32_t number = i < count ? step->operands[i] : step->first_result;
    sizes[i] = state->spec.values[number].element_size * (i == one ? 1 : (size_t)length);
    moved[i] = pointers[i];
  }
  tn_kernel_call_t part = {
      .operands = (const void* const*)moved,
      .results = (void* const*)(moved + count),
      .state = step->state,
      .context = worker->call->context,
      .repeated = step->repeated,
  };
  for (int64_t s = 0; s < segments; ++s) {
    TN_RETURN_IF_ERROR(step->kernel->range(0, length, &part));
    for (uint32_t i = 0; i <= count; ++i) moved[i] += sizes[i];
  }
  return TN_OK;
}

// Operands of which one element stands for a row or line begin anew with each.
static void run_chain(const worker_t* worker, const tn_fusion_step_t* step, char* const* pointers,
                      const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  const tn_fusion_chain_t* chain = step->chain;
  int64_t segments = 1, length = tile->lines * tile->columns, row = 1;
  if (chain->segments == TN_FUSION_ROW) segments = tile->rows, length = state->row_length;
  if (chain->segments == TN_FUSION_LINE) {
    segments = tile->lines, length = tile->columns, row = state->lines_per_row;
  }
  const uint32_t count = step->operand_count;
  if (segments == 1) {
    chain->run(chain->links, chain->link_count, (const void* const*)pointers, pointers[count],
               (size_t)length);
    return;
  }
  const char* operands[TN_LINK_OPERANDS];
  const size_t out_size = state->spec.values[step->first_result].element_size * (size_t)length;
  for (int64_t s = 0; s < segments; ++s) {
    for (uint32_t i = 0; i < count; ++i) {
      const tn_fusion_value_t* value = &state->spec.values[step->operands[i]];
      int64_t at = 0;
      if (value->space == TN_FUSION_ALL) at = s * length;
      if (value->space == TN_FUSION_LINE) at = s;
      if (value->space == TN_FUSION_ROW) at = s / row;
      operands[i] = pointers[i] + (size_t)at * value->element_size;
    }
    chain->run(chain->links, chain->link_count, (const void* const*)operands,
               pointers[count] + (size_t)s * out_size, (size_t)length);
  }
}

static tn_status_t run_step(const worker_t* worker, const tn_fusion_step_t* step, char** pointers,
                            const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  if (step->repeated) return run_with_repeated(worker, step, pointers, tile);
  if (step->kind == TN_FUSION_CHAIN) {
    run_chain(worker, step, pointers, tile);
    return TN_OK;
  }
  if (step->kind == TN_FUSION_REPEAT) {
    repeat_rows(state, step->first_result, pointers, tile->rows);
    return TN_OK;
  }
  tn_kernel_call_t part = {
      .operands = (const void* const*)pointers,
      .results = (void* const*)(pointers + step->operand_count),
      .state = step->state,
      .context = worker->call->context,
  };
  if (step->kind == TN_FUSION_FOLD) return step->kernel->run_rows(&part, tile->rows);
  const bool is_row = state->spec.values[step->first_result].space == TN_FUSION_ROW;
  return step->kernel->range(0, is_row ? tile->rows : tile->lines * tile->columns, &part);
}

static void stream_results(const worker_t* worker, const tile_t* tile) {
  const tn_fusion_spec_t* spec = &worker->state->spec;
  for (size_t r = 0; r < spec->result_count; ++r) {
    const uint32_t value = spec->results[r];
    if (worker->state->is_placed[value]) continue;
    const size_t count = (size_t)(tile->lines * tile->columns);
    tn__stream_bytes(place_of_result(worker, r, tile), slot_of(worker, value),
                     count * spec->values[value].element_size);
  }
}

// The next tile comes from memory while this one is computed in the cache, a part with each step:
// the processor itself does not look so far ahead, and does not remember more requests at once.
static void ask_ahead(const worker_t* worker, const tile_t* tile, size_t step) {
  enum { LINE_BYTES = 64 };
  const tn_fusion_state_t* state = worker->state;
  if (state->ahead_count == 0 || tile->columns != state->columns_per_unit) return;
  const size_t tile_elements = (size_t)(tile->lines * tile->columns);
  const bool is_stacked = state->lines_per_unit > state->lines_per_tile;
  const size_t ahead = is_stacked ? (size_t)(tile->lines * state->column_count) : tile_elements;
  for (size_t i = 0; i < state->ahead_count; ++i) {
    const size_t size = state->spec.values[state->ahead[i]].element_size;
    const char* start = worker->places[state->ahead[i]] + ahead * size;
    const size_t length = tile_elements * size;
    const size_t part = (length / state->step_count + LINE_BYTES) / LINE_BYTES * LINE_BYTES;
    const size_t end = (step + 1) * part < length ? (step + 1) * part : length;
    for (size_t at = step * part; at < end; at += LINE_BYTES) __builtin_prefetch(start + at, 0, 2);
  }
}

static tn_status_t run_tile(const worker_t* worker, const tile_t* tile) {
  const tn_fusion_state_t* state = worker->state;
  place_reads(worker, tile);
  place_results(worker, tile);
  for (size_t m = 0; m < state->moving_count; ++m) {
    worker->pointers[state->moving[m].pointer] = worker->places[state->moving[m].value];
  }
  char** pointers = worker->pointers;
  for (size_t s = 0; s < state->step_count; ++s) {
    const tn_fusion_step_t* step = &state->steps[s];
    ask_ahead(worker, tile, s);
    tn_status_t status = run_step(worker, step, pointers, tile);
    if (__builtin_expect(status != TN_OK, 0)) return tn__node_locate(step->node, status);
    pointers += step->operand_count + step->result_count;
  }
  if (state->streams) stream_results(worker, tile);
  return TN_OK;
}

static void find_rows(const tn_fusion_state_t* state, tile_t* tile) {
  if (!state->spec.has_rows) return;
  tile->row = tile->line / state->lines_per_row;
  tile->rows = tile->lines / state->lines_per_row;
}

static tn_status_t run_unit(const worker_t* worker, int64_t unit) {
  const tn_fusion_state_t* state = worker->state;
  tile_t tile = {
      .line = unit / state->column_units * state->lines_per_unit,
      .column = unit % state->column_units * state->columns_per_unit,
      .columns = state->columns_per_unit,
  };
  int64_t end = tile.line + state->lines_per_unit;
  if (end > state->line_count) end = state->line_count;
  if (tile.columns > state->column_count - tile.column) {
    tile.columns = state->column_count - tile.column;
  }
  for (; tile.line < end; tile.line += tile.lines) {
    tile.lines = state->lines_per_tile;
    if (tile.lines > end - tile.line) tile.lines = end - tile.line;
    find_rows(state, &tile);
    TN_RETURN_IF_ERROR(run_tile(worker, &tile));
  }
  return TN_OK;
}

// Bytes that a worker has behind it.
static size_t worker_byte_size(const tn_fusion_state_t* state) {
  return state->gather_count * sizeof(gathered_t) + state->scratch_byte_size;
}

// What is the same in all tiles.
static void place_scalars(const worker_t* worker) {
  const tn_fusion_state_t* state = worker->state;
  for (size_t g = 0; g < state->gather_count; ++g) {
    const tn_fusion_gather_t* gather = &state->gathers[g];
    if (!gather->is_scalar) continue;
    const tn_fusion_read_t* read = &state->spec.reads[gather->read];
    const char* source = (const char*)worker->call->operands[read->operand] + read->byte_offset;
    worker->places[read->value] = (char*)(uintptr_t)source;
    if (!gather->is_gathered) continue;
    fill_row(slot_of(worker, read->value), source, state->spec.values[read->value].element_size,
             tn__fusion_tile_length(state));
  }
}

static void start_worker(worker_t* worker, const tn_kernel_call_t* call, char* memory) {
  const tn_fusion_state_t* state = call->state;
  memory += -(uintptr_t)memory % TN_FUSION_ALIGNMENT;
  *worker = (worker_t){.state = state, .call = call, .scratch = memory};
  worker->pointers = (char**)(void*)memory;
  worker->places = worker->pointers + state->pointer_count;
  // The slots end where scratch_byte_size says, less what aligning takes.
  worker->gathered = (gathered_t*)(void*)(memory + state->scratch_byte_size - TN_FUSION_ALIGNMENT);
  memset(worker->gathered, 0, state->gather_count * sizeof *worker->gathered);
  for (size_t p = 0; p < state->pointer_count; ++p) {
    const uint32_t slot = state->pointer_slots[p];
    worker->pointers[p] = slot == TN_FUSION_NO_SLOT ? NULL : memory + state->slot_offsets[slot];
  }
  place_scalars(worker);
  for (size_t f = 0; f < state->fixed_count; ++f) {
    worker->pointers[state->fixed[f].pointer] = worker->places[state->fixed[f].value];
  }
}

// What follows each other is cut where a tile may end: parts of lines, or several whole ones.
static tn_status_t run_elements(const worker_t* worker, int64_t first, int64_t count) {
  const tn_fusion_state_t* state = worker->state;
  const int64_t end = first + count;
  for (int64_t at = first; at < end;) {
    tile_t tile = {.line = at / state->column_count,
                   .lines = 1,
                   .column = at % state->column_count,
                   .columns = state->columns_per_unit};
    if (tile.columns > state->column_count - tile.column) {
      tile.columns = state->column_count - tile.column;
    }
    if (tile.columns > end - at) tile.columns = end - at;
    if (tile.columns == state->column_count) {
      tile.lines = (end - at) / state->column_count;
      if (tile.lines > state->lines_per_tile) tile.lines = state->lines_per_tile;
    }
    find_rows(state, &tile);
    TN_RETURN_IF_ERROR(run_tile(worker, &tile));
    at += tile.lines * tile.columns;
  }
  return TN_OK;
}

// What a thread does with a worker of its own: some units, or a part.
static tn_status_t run_worker(const tn_kernel_call_t* call, int64_t begin, int64_t end,
                              const tn_fusion_part_t* part) {
  _Alignas(TN_FUSION_ALIGNMENT) char small[STACK_BYTES];
  const size_t byte_size = worker_byte_size(call->state);
  char* large = byte_size > STACK_BYTES ? malloc(byte_size) : NULL;
  if (byte_size > STACK_BYTES && !large) return tn__status_out_of_memory();
  worker_t worker;
  start_worker(&worker, call, large ? large : small);
  worker.part = part;
  tn_status_t status = part ? run_elements(&worker, part->first, part->count) : TN_OK;
  for (int64_t unit = begin; unit < end && !status; ++unit) status = run_unit(&worker, unit);
  if (worker.state->streams) tn__stream_end();
  free(large);
  return status;
}

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  return run_worker(user, begin, end, NULL);
}

tn_status_t tn__cpu_fusion_run_part(const tn_kernel_call_t* call, const tn_fusion_part_t* part) {
  return run_worker(call, 0, 0, part);
}

// --- as a reduction asks for them

static tn_status_t open_reader(const tn_kernel_source_t* source, int64_t most, void** out_reader) {
  const tn_kernel_call_t* call = source->user;
  const tn_fusion_state_t* state = call->state;
  const size_t size = state->spec.values[state->spec.last->operands[0]].element_size;
  const size_t own = worker_byte_size(state), window = (size_t)most * size;
  worker_t* worker = malloc(sizeof *worker + own + window + TN_FUSION_ALIGNMENT);
  *out_reader = worker;
  if (!worker) return tn__status_out_of_memory();
  char* memory = (char*)(worker + 1);
  start_worker(worker, call, memory);
  memory += own;
  worker->window = memory + -(uintptr_t)memory % TN_FUSION_ALIGNMENT;
  return TN_OK;
}

static uint32_t operand_of(const tn_fusion_spec_t* spec, uint32_t value) {
  size_t i = 0;
  while (spec->reads[i].value != value) ++i;
  return spec->reads[i].operand;
}

static tn_status_t read_elements(void* reader, int64_t first, int64_t count,
                                 const void** out_elements) {
  worker_t* worker = reader;
  const tn_fusion_spec_t* spec = &worker->state->spec;
  const uint32_t value = spec->last->operands[0];
  const bool is_read = spec->values[value].is_read;
  worker->window_first = first;
  if (spec->step_count) TN_RETURN_IF_ERROR(run_elements(worker, first, count));
  *out_elements = is_read ? (const char*)worker->call->operands[operand_of(spec, value)] +
                                (size_t)first * spec->values[value].element_size
                          : place_of_folded(worker, (size_t)first);
  return TN_OK;
}

static tn_status_t run_last(const tn_kernel_call_t* call) {
  const tn_fusion_state_t* state = call->state;
  const tn_fusion_step_t* last = state->spec.last;
  const tn_kernel_source_t source = {open_reader, read_elements, free, call};
  const tn_kernel_call_t part = {
      .operands =
          (const void* const[]){NULL, call->operands[operand_of(&state->spec, last->operands[1])]},
      .results = &call->results[state->last_result],
      .state = last->state,
      .scratch = call->scratch,
      .context = call->context,
  };
  return last->kernel->run_from(&part, &source);
}

// --- as it is

tn_status_t tn__cpu_region_run(const tn_kernel_call_t* call, const tn_op_use_t* use,
                               const tn_view_t* views) {
  const tn_body_t* body = &call->bodies[0];
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_type_t* type = use->operand_types[i];
    const size_t length = tn__type_byte_size(type);
    const int64_t* strides = views ? views[i].strides : NULL;
    if (strides) {
      pick(type, tn_dtype_byte_size(type->dtype), strides, call->operands[i], 0,
           tn__type_size(type), body->arguments[i]);
    } else if (length) {
      memcpy(body->arguments[i], call->operands[i], length);
    }
  }
  TN_RETURN_IF_ERROR(body->run(body));
  for (size_t i = 0; i < use->result_count; ++i) {
    const size_t length = tn__type_byte_size(use->result_types[i]);
    if (length) memcpy(call->results[i], body->results[i], length);
  }
  return TN_OK;
}

tn_status_t tn__cpu_fusion_run(const tn_kernel_call_t* call) {
  const tn_fusion_state_t* state = call->state;
  if (state->runs_region) return tn__cpu_region_run(call, state->use, state->views);
  if (state->spec.last) return run_last(call);
  if (state->element_count == 0) return TN_OK;
  if (state->unit_count <= state->grain) {
    return run_units(0, state->unit_count, (void*)(uintptr_t)call);
  }
  return tn__pool_parallel_for(call->context->pool, state->unit_count, state->grain, run_units,
                               (void*)(uintptr_t)call);
}
