// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tiles are ranges of elements in the order in which arrays are in memory. Where a member reads
// something else, lines of it are gathered, or looked at where they are if the tile is a part of
// one line; what repeats in every tile is gathered once.
#include <stdlib.h>
#include <tenon/detail/strided.h>

#include "base/integer.h"
#include "kernel/common/site.h"
#include "kernel/common/streaming.h"
#include "kernel/fusion/state.h"
#include "kernel/node.h"

enum {
  TILE_BYTES = 24 << 10,   // of all that a tile reads and writes: the first-level cache has more
  ROWS_BYTES = 192 << 10,  // the same of whole rows, each of which costs something besides
  FEWEST_ELEMENTS = 256,   // of a tile: each step of it costs some 10 ns
  MOST_ELEMENTS = 4096,
  TILE_UNIT = 64,
  LARGE_BYTES = 8 << 20,  // more than the caches hold of a loop over arrays
  UNIT_GRAIN = 65536,     // elements, times operations, that are worth a thread's while
  // Of what is read transposed: what is used of each line of memory, of how many at a time, and
  // what may be in the second-level cache.
  TRANSPOSED_BYTES = 256,
  TRANSPOSED_COLUMNS = 1024,
  BLOCK_BYTES = 256 << 10,
  LINE_BYTES = 64,
  FEWEST_REPEATS = 64,  // elements that one stands for
};

const tn_fusion_spec_t* tn__fusion_spec(const tn_kernel_t* kernel, const void* state) {
  if (!kernel || kernel->run != tn__cpu_fusion_run) return NULL;
  const tn_fusion_state_t* fusion = state;
  return fusion->runs_region ? NULL : &fusion->spec;
}

bool tn__fusion_runs_parts(const void* state) {
  const tn_fusion_state_t* fusion = state;
  return fusion->runs_parts && !fusion->runs_region;
}

int64_t tn__fusion_tile_length(const void* state) {
  const tn_fusion_state_t* fusion = state;
  return fusion->lines_per_tile * fusion->columns_per_unit;
}

// --- lines and columns

static tn_status_t find_gathers(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->read_count, &state->gathers));
  for (size_t i = 0; i < spec->read_count; ++i) {
    const tn_fusion_read_t* read = &spec->reads[i];
    if (read->is_dense || spec->values[read->value].space != TN_FUSION_ALL) continue;
    state->gathers[state->gather_count++] =
        (tn_fusion_gather_t){.read = (uint32_t)i, .is_same_for_lines = true};
  }
  return TN_OK;
}

static const int64_t* strides_of(const tn_fusion_state_t* state, size_t gather) {
  return state->spec.reads[state->gathers[gather].read].strides;
}

static int64_t element_size_of(const tn_fusion_state_t* state, const tn_fusion_gather_t* gather) {
  const tn_fusion_spec_t* spec = &state->spec;
  return (int64_t)spec->values[spec->reads[gather->read].value].element_size;
}

// The dimensions, and the strides of all gathers along them. Behind these, with rows, are those of
// the rows' numbers: that dimensions merge where they allow it keeps rows apart.
static tn_status_t list_strides(const tn_fusion_state_t* state, tn_arena_t* arena,
                                int64_t** out_dims, int64_t*** out_lists) {
  const tn_fusion_spec_t* spec = &state->spec;
  const tn_type_t* shape = spec->shape;
  const size_t count = state->gather_count + 1;
  int64_t *dims = NULL, **lists = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, (count + 1) * shape->rank, &dims));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &lists));
  for (size_t g = 0; g < count; ++g) lists[g] = dims + (g + 1) * shape->rank;
  for (size_t d = 0; d < shape->rank; ++d) {
    dims[d] = shape->dims[d];
    for (size_t g = 0; g < state->gather_count; ++g) lists[g][d] = strides_of(state, g)[d];
  }
  if (spec->has_rows) tn_row_major_strides(spec->row_rank, dims, lists[state->gather_count]);
  *out_dims = dims;
  *out_lists = lists;
  return TN_OK;
}

// Dimensions that all gathers allow to merge are one. The last one becomes the columns.
static tn_status_t make_loops(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  const tn_type_t* shape = spec->shape;
  int64_t *dims = NULL, **lists = NULL;
  TN_RETURN_IF_ERROR(list_strides(state, arena, &dims, &lists));
  const size_t count =
      tn_collapse_contiguous_dims(shape->rank, dims, state->gather_count + spec->has_rows, lists);
  state->loop_counts = dims;
  state->loop_count = count ? count - 1 : 0;
  state->column_count = count ? dims[count - 1] : 1;
  state->line_count = 1;
  for (size_t l = 0; l < state->loop_count; ++l) state->line_count *= dims[l];
  for (size_t g = 0; g < state->gather_count; ++g) {
    tn_fusion_gather_t* gather = &state->gathers[g];
    gather->loop_strides = lists[g];
    gather->column_stride = count ? lists[g][count - 1] : 0;
    for (size_t l = 0; l < state->loop_count; ++l) {
      gather->is_same_for_lines &= gather->loop_strides[l] == 0;
    }
    gather->is_scalar = gather->is_same_for_lines && gather->column_stride == 0;
    const int64_t size = element_size_of(state, gather), column = llabs(gather->column_stride);
    const int64_t line = count > 1 ? llabs(gather->loop_strides[count - 2]) : 0;
    gather->is_transposed = column > size && line != 0 && line < column;
  }
  state->row_length = 1;
  for (size_t d = spec->row_rank; d < shape->rank; ++d) state->row_length *= shape->dims[d];
  state->lines_per_row = spec->has_rows ? state->row_length / state->column_count : 1;
  return TN_OK;
}

// Tiles one below the other, so that all of a line of memory is used that a transposed gather
// reads.
static void stack_tiles(tn_fusion_state_t* state) {
  int64_t largest = 0;
  for (size_t g = 0; g < state->gather_count; ++g) {
    const tn_fusion_gather_t* gather = &state->gathers[g];
    const int64_t size = element_size_of(state, gather);
    if (gather->is_transposed && size > largest) largest = size;
  }
  if (largest == 0) return;
  int64_t lines = TRANSPOSED_BYTES / largest;
  const int64_t most = BLOCK_BYTES / (state->columns_per_unit * largest);
  if (lines > most) lines = most;
  if (lines > state->lines_per_tile) {
    state->lines_per_unit = lines / state->lines_per_tile * state->lines_per_tile;
  }
}

static bool has_transposed(const tn_fusion_state_t* state) {
  for (size_t g = 0; g < state->gather_count; ++g) {
    if (state->gathers[g].is_transposed) return true;
  }
  return false;
}

// Tiles are several lines, or a part of one where rows need not be whole. `element_bytes`: of one
// element of all values that a tile holds.
static void cut(tn_fusion_state_t* state, size_t element_bytes) {
  const size_t bytes = state->spec.has_rows ? ROWS_BYTES : TILE_BYTES;
  // There is a result, so there are bytes. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  int64_t length = (int64_t)(bytes / element_bytes) / TILE_UNIT * TILE_UNIT;
  if (length < FEWEST_ELEMENTS) length = FEWEST_ELEMENTS;
  if (length > MOST_ELEMENTS) length = MOST_ELEMENTS;
  if (length > TRANSPOSED_COLUMNS && has_transposed(state)) length = TRANSPOSED_COLUMNS;
  const int64_t columns = state->column_count;
  state->columns_per_unit = columns;
  if (state->spec.has_rows) {
    const int64_t rows = length / state->row_length;
    state->lines_per_unit = (rows ? rows : 1) * state->lines_per_row;
  } else if (2 * columns <= length) {
    state->lines_per_unit = length / columns;
  } else {
    const int64_t pieces = tn__ceil_divide(columns, length);
    state->lines_per_unit = 1;
    state->columns_per_unit =
        tn__ceil_divide(tn__ceil_divide(columns, pieces), TILE_UNIT) * TILE_UNIT;
    if (state->columns_per_unit > columns) state->columns_per_unit = columns;
  }
  if (state->lines_per_unit > state->line_count) state->lines_per_unit = state->line_count;
  state->lines_per_tile = state->lines_per_unit;
  stack_tiles(state);
  state->column_units = tn__ceil_divide(columns, state->columns_per_unit);
  state->unit_count = tn__ceil_divide(state->line_count, state->lines_per_unit);
  state->unit_count *= state->column_units;
  const size_t steps = state->spec.step_count + (state->spec.last != NULL);
  const int64_t unit_work = state->lines_per_unit * state->columns_per_unit * (int64_t)steps;
  // There are steps, or a fold that comes last. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  state->grain = UNIT_GRAIN / unit_work + 1;
}

// --- single elements that stand for several

static bool reads_twice(const tn_fusion_step_t* step, uint32_t value) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < step->operand_count; ++i) count += step->operands[i] == value;
  return count > 1;
}

// Whether all that read the value take it so, and nothing else of theirs.
static bool is_taken_repeated(const tn_fusion_spec_t* spec, uint32_t value) {
  bool is_read = false;
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    for (uint32_t i = 0; i < step->operand_count; ++i) {
      if (step->operands[i] != value) continue;
      if (step->kind != TN_FUSION_MAP || step->repeated || reads_twice(step, value) ||
          step->operand_count > TN_FUSION_REPEATED_OPERANDS || !step->kernel->takes_repeated ||
          !step->kernel->takes_repeated(step->state, i)) {
        return false;
      }
      is_read = true;
    }
  }
  return is_read && !(spec->last && spec->last->operands[0] == value);
}

// `by`: what its readers read in its place.
static tn_status_t take_repeated(const tn_fusion_spec_t* spec, uint32_t value, uint32_t by,
                                 tn_arena_t* arena) {
  for (size_t s = 0; s < spec->step_count; ++s) {
    tn_fusion_step_t* step = &spec->steps[s];
    uint32_t* operands = NULL;
    for (uint32_t i = 0; i < step->operand_count; ++i) {
      if (step->operands[i] != value) continue;
      TN_RETURN_IF_ERROR(TN_ARENA_COPY(arena, step->operand_count, step->operands, &operands));
      operands[i] = by;
      step->operands = operands;
      step->repeated |= UINT32_C(1) << i;
    }
  }
  return TN_OK;
}

// Values of rows that need not be repeated.
static tn_status_t drop_repeats(tn_fusion_state_t* state, tn_arena_t* arena) {
  tn_fusion_spec_t* spec = &state->spec;
  size_t kept = 0;
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    const bool is_dropped = step->kind == TN_FUSION_REPEAT && state->row_length >= FEWEST_REPEATS &&
                            is_taken_repeated(spec, step->first_result);
    if (is_dropped) {
      spec->values[step->first_result].space = TN_FUSION_ONE;  // it is nowhere
      TN_RETURN_IF_ERROR(take_repeated(spec, step->first_result, step->operands[0], arena));
    } else {
      spec->steps[kept++] = *step;
    }
  }
  spec->step_count = kept;
  return TN_OK;
}

// Of reads that are the same all along a line, one element is enough.
static tn_status_t find_repeated(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  for (size_t g = 0; g < state->gather_count; ++g) {
    tn_fusion_gather_t* gather = &state->gathers[g];
    const uint32_t value = spec->reads[gather->read].value;
    const bool is_long = gather->is_same_for_lines || state->column_count >= FEWEST_REPEATS;
    if (gather->column_stride || !is_long || !is_taken_repeated(spec, value)) continue;
    gather->is_one = true;
    spec->values[value].space = gather->is_same_for_lines ? TN_FUSION_ONE : TN_FUSION_LINE;
    TN_RETURN_IF_ERROR(take_repeated(spec, value, value, arena));
  }
  return TN_OK;
}

// --- slots

typedef struct slot_maker {
  tn_fusion_state_t* state;
  uint32_t* last_reads;  // by value: 1 + the last step that reads it; 0: none
  bool* is_free;         // by slot
} slot_maker_t;

static bool is_alike(const tn_fusion_value_t* a, const tn_fusion_value_t* b) {
  return a->element_size == b->element_size && a->space == b->space;
}

// Of the same kind as `value`.
static uint32_t new_slot(slot_maker_t* maker, uint32_t value) {
  tn_fusion_state_t* state = maker->state;
  const tn_fusion_value_t* model = &state->spec.values[value];
  for (size_t i = 0; i < state->slot_count; ++i) {
    if (!maker->is_free[i] || !is_alike(&state->slot_values[i], model)) continue;
    maker->is_free[i] = false;
    return (uint32_t)i;
  }
  state->slot_values[state->slot_count] = *model;
  return (uint32_t)state->slot_count++;
}

// Whether the step's result 0 may be where `value`, which it reads, is.
static bool works_in_place(const tn_fusion_step_t* step, uint32_t value) {
  bool reads = false;
  if (step->kind == TN_FUSION_CHAIN) return true;
  if (step->kind != TN_FUSION_MAP) return false;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    if (step->operands[i] != value) continue;
    if (i >= 32 || !(step->kernel->in_place >> i & 1)) return false;
    reads = true;
  }
  return reads;
}

static bool is_inner(const tn_fusion_state_t* state, uint32_t value) {
  return !state->spec.values[value].is_read && !state->is_placed[value];
}

static void make_slots_of_step(slot_maker_t* maker, uint32_t index) {
  tn_fusion_state_t* state = maker->state;
  const tn_fusion_step_t* step = &state->steps[index];
  const tn_fusion_value_t* values = state->spec.values;
  for (uint32_t r = 0; r < step->result_count; ++r) {
    const uint32_t value = step->first_result + r;
    if (state->is_placed[value]) continue;
    for (uint32_t i = 0; r == 0 && i < step->operand_count; ++i) {
      const uint32_t operand = step->operands[i];
      if (is_inner(state, operand) && state->slots[operand] != TN_FUSION_NO_SLOT &&
          maker->last_reads[operand] == index + 1 && is_alike(&values[operand], &values[value]) &&
          works_in_place(step, operand)) {
        state->slots[value] = state->slots[operand];
        state->slots[operand] =
            TN_FUSION_NO_SLOT;  // for the rest of this function: it is not given back
        break;
      }
    }
    if (state->slots[value] == TN_FUSION_NO_SLOT) state->slots[value] = new_slot(maker, value);
  }
}

static void give_back(slot_maker_t* maker, uint32_t index, uint32_t value) {
  tn_fusion_state_t* state = maker->state;
  const bool is_over = maker->last_reads[value] == 0 || maker->last_reads[value] == index + 1;
  if (is_inner(state, value) && state->slots[value] != TN_FUSION_NO_SLOT && is_over) {
    maker->is_free[state->slots[value]] = true;
  }
}

// Values that steps hand to each other share slots as their lives allow. The step's operands are
// gone from `slots` where a result takes their place, so each step's pointers are noted at once.
static tn_status_t make_slots(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  slot_maker_t maker = {.state = state};
  bool* is_fixed = NULL;  // by value
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &maker.last_reads));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count + 1, &maker.is_free));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count + 1, &state->slot_values));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &state->slots));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->pointer_count, &state->pointer_slots));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->pointer_count, &state->moving));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->pointer_count, &state->fixed));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &is_fixed));
  for (size_t v = 0; v < spec->value_count; ++v) state->slots[v] = TN_FUSION_NO_SLOT;
  for (uint32_t s = 0; s < state->step_count; ++s) {
    for (uint32_t i = 0; i < state->steps[s].operand_count; ++i) {
      maker.last_reads[state->steps[s].operands[i]] = s + 1;
    }
  }
  for (size_t r = 0; r < spec->result_count; ++r) {
    if (!state->is_placed[spec->results[r]]) maker.last_reads[spec->results[r]] = UINT32_MAX;
  }
  for (size_t g = 0; g < state->gather_count; ++g) {
    tn_fusion_gather_t* gather = &state->gathers[g];
    gather->is_gathered =
        !gather->is_transposed &&
        (state->lines_per_tile > 1 || gather->column_stride != element_size_of(state, gather));
    const uint32_t value = spec->reads[gather->read].value;
    if (gather->is_one) gather->is_gathered = !gather->is_same_for_lines;
    is_fixed[value] = gather->is_scalar && !gather->is_gathered;
    if (gather->is_gathered) state->slots[value] = new_slot(&maker, value);
  }
  for (size_t i = 0; i < spec->read_count; ++i) {
    const uint32_t value = spec->reads[i].value;
    if (tn__fusion_is_picked(state, i)) state->slots[value] = new_slot(&maker, value);
  }
  uint32_t* pointer = state->pointer_slots;
  for (uint32_t s = 0; s < state->step_count; ++s) {
    const tn_fusion_step_t* step = &state->steps[s];
    uint32_t* first = pointer;
    for (uint32_t i = 0; i < step->operand_count; ++i) {
      *pointer++ = state->slots[step->operands[i]];
    }
    make_slots_of_step(&maker, s);
    for (uint32_t r = 0; r < step->result_count; ++r) {
      *pointer++ = state->slots[step->first_result + r];
    }
    for (uint32_t i = 0; i < step->operand_count + step->result_count; ++i) {
      if (first[i] != TN_FUSION_NO_SLOT) continue;
      const uint32_t value = i < step->operand_count
                                 ? step->operands[i]
                                 : step->first_result + (i - step->operand_count);
      tn_fusion_pointer_t* moving = is_fixed[value] ? &state->fixed[state->fixed_count++]
                                                    : &state->moving[state->moving_count++];
      *moving = (tn_fusion_pointer_t){(uint32_t)(first - state->pointer_slots) + i, value};
    }
    for (uint32_t i = 0; i < step->operand_count; ++i) give_back(&maker, s, step->operands[i]);
    for (uint32_t r = 0; r < step->result_count; ++r) give_back(&maker, s, step->first_result + r);
  }
  return TN_OK;
}

static tn_status_t place_slots(tn_fusion_state_t* state, tn_arena_t* arena) {
  const size_t length = (size_t)tn__fusion_tile_length(state);
  const size_t rows = (size_t)(state->lines_per_tile / state->lines_per_row);
  size_t end = (state->pointer_count + state->spec.value_count) * sizeof(void*);
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->slot_count, &state->slot_offsets));
  for (size_t i = 0; i < state->slot_count; ++i) {
    end = tn__align_up(end, TN_FUSION_ALIGNMENT);
    state->slot_offsets[i] = end;
    const tn_fusion_value_t* value = &state->slot_values[i];
    const size_t count = value->space == TN_FUSION_ROW    ? rows
                         : value->space == TN_FUSION_LINE ? (size_t)state->lines_per_tile
                                                          : length;
    end += count * value->element_size;
  }
  for (size_t g = 0; g < state->gather_count; ++g) {
    tn_fusion_gather_t* gather = &state->gathers[g];
    if (!gather->is_transposed) continue;
    gather->pitch = state->columns_per_unit * element_size_of(state, gather);
    // Elements of a column fall into different sets of the cache. Tiles of several lines are dense.
    if (state->lines_per_tile == 1 && gather->pitch >= 4 * LINE_BYTES) gather->pitch += LINE_BYTES;
    end = tn__align_up(end, TN_FUSION_ALIGNMENT);
    gather->block_offset = end;
    end += (size_t)(state->lines_per_unit * gather->pitch);
  }
  end = tn__align_up(end, TN_FUSION_ALIGNMENT);
  state->scratch_byte_size = end + TN_FUSION_ALIGNMENT;
  return TN_OK;
}

// --- in place

// Whether nothing but one dense read of the operand, value `*out_value`, has to do with it.
static bool is_read_once(const tn_fusion_spec_t* spec, uint32_t operand, uint32_t* out_value) {
  size_t count = 0;
  bool is_dense = true;
  for (size_t i = 0; i < spec->read_count; ++i) {
    if (spec->reads[i].operand != operand) continue;
    ++count;
    is_dense = spec->reads[i].is_dense;
    *out_value = spec->reads[i].value;
  }
  return count == 1 && is_dense;
}

// Result `value` of a step may be in the storage of a dense operand that nothing reads any more
// when it is written.
static uint32_t in_place_mask(const tn_fusion_state_t* state, uint32_t value) {
  const tn_fusion_spec_t* spec = &state->spec;
  uint32_t mask = 0, read = 0;
  if (spec->last && value == spec->last->first_result) return 0;
  for (uint32_t o = 0; o < spec->operand_count && o < 32; ++o) {
    bool fits = is_read_once(spec, o, &read) && is_alike(&spec->values[read], &spec->values[value]);
    if (spec->last && spec->last->operands[0] == read) fits = false;  // read after it is written
    bool is_written = false;
    for (size_t s = 0; fits && s < state->step_count; ++s) {
      const tn_fusion_step_t* step = &state->steps[s];
      const bool writes =
          value >= step->first_result && value < step->first_result + step->result_count;
      for (uint32_t i = 0; fits && i < step->operand_count; ++i) {
        if (step->operands[i] != read) continue;
        fits =
            !is_written && (!writes || (value == step->first_result && works_in_place(step, read)));
      }
      is_written |= writes;
    }
    if (fits) mask |= UINT32_C(1) << o;
  }
  return mask;
}

// --- kernels

static void clear_step(const tn_fusion_step_t* step) {
  if (step->state && step->state_deinit) step->state_deinit(step->state);
}

static void clear_state(void* user) {
  const tn_fusion_state_t* state = user;
  for (size_t s = 0; s < state->spec.step_count; ++s) clear_step(&state->spec.steps[s]);
  if (state->spec.last) clear_step(state->spec.last);
}

static tn_status_t choose_step(tn_fusion_step_t* step, tn_arena_t* arena, bool* out_fits) {
  tn_node_choice_t choice;
  if (!step->node) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_choose(step->node, arena, &choice));
  step->kernel = choice.kernel;
  step->use = choice.use;
  *out_fits &= choice.kernel && (step->kind != TN_FUSION_MAP || choice.kernel->range);
  return TN_OK;
}

static tn_status_t choose_kernels(const tn_fusion_spec_t* spec, tn_arena_t* arena, bool* out_fits) {
  *out_fits = true;
  for (size_t s = 0; s < spec->step_count; ++s) {
    TN_RETURN_IF_ERROR(choose_step(&spec->steps[s], arena, out_fits));
  }
  return spec->last ? choose_step(spec->last, arena, out_fits) : TN_OK;
}

static tn_status_t prepare_step(tn_fusion_step_t* step, const tn_kernel_site_t* fusion,
                                size_t* out_scratch_byte_size) {
  const tn_node_choice_t choice = {step->use, step->kernel};
  tn_kernel_site_t site = {.arena = fusion->arena, .calls = fusion->calls};
  if (!step->node) return TN_OK;
  tn_status_t status = tn__node_prepare(step->node, &choice, &site);
  step->state = site.state;
  step->state_deinit = site.state_deinit;
  *out_scratch_byte_size = site.scratch_byte_size;
  return tn__node_locate(step->node, status);
}

// The last reduction's scratch memory is the fusion's; others need none.
static tn_status_t prepare_steps(const tn_fusion_spec_t* spec, tn_kernel_site_t* fusion) {
  size_t unused = 0;
  for (size_t s = 0; s < spec->step_count; ++s) {
    TN_RETURN_IF_ERROR(prepare_step(&spec->steps[s], fusion, &unused));
  }
  return spec->last ? prepare_step(spec->last, fusion, &fusion->scratch_byte_size) : TN_OK;
}

// --- all of it

static void place_last(tn_fusion_state_t* state) {
  const tn_fusion_step_t* last = state->spec.last;
  state->is_placed[last->operands[0]] = true;
  state->folded_result = TN_FUSION_NO_RESULT;
  for (size_t r = 0; r < state->spec.result_count; ++r) {
    const uint32_t value = state->spec.results[r];
    if (value == last->first_result) state->last_result = (uint32_t)r;
    if (value == last->operands[0]) state->folded_result = (uint32_t)r;
  }
}

// Results are where steps write them, or, if they are large, copied there.
static void place_results(tn_fusion_state_t* state) {
  const tn_fusion_spec_t* spec = &state->spec;
  for (size_t r = 0; r < spec->result_count; ++r) {
    const tn_fusion_value_t* value = &spec->values[spec->results[r]];
    const uint64_t byte_size = (uint64_t)state->element_count * value->element_size;
    const bool is_streamed = !spec->last && !state->runs_parts && value->space == TN_FUSION_ALL &&
                             !value->is_read && byte_size >= TN_STREAMED_BYTES;
    state->is_placed[spec->results[r]] = !is_streamed;
    state->streams |= is_streamed;
  }
}

static bool is_result(const tn_fusion_spec_t* spec, uint32_t value) {
  bool is = spec->last && spec->last->operands[0] == value;
  for (size_t r = 0; r < spec->result_count; ++r) is |= spec->results[r] == value;
  return is;
}

// Of what a tile holds at once: what is read and what results, and the most of the values between.
static tn_status_t bytes_of_element(const tn_fusion_state_t* state, tn_arena_t* arena,
                                    size_t* out_byte_size) {
  const tn_fusion_spec_t* spec = &state->spec;
  size_t fixed = 0, live = 0, most = 0;
  size_t* ended = NULL;  // by step: bytes of values that are read there last
  size_t* lasts = NULL;  // by value: the step that reads it last
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->step_count + 1, &ended));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &lasts));
  for (size_t s = 0; s < state->step_count; ++s) {
    const tn_fusion_step_t* step = &state->steps[s];
    for (uint32_t i = 0; i < step->operand_count; ++i) lasts[step->operands[i]] = s;
  }
  for (size_t v = 0; v < spec->value_count; ++v) {
    const tn_fusion_value_t* value = &spec->values[v];
    if (value->space == TN_FUSION_ALL && value->is_read) fixed += value->element_size;
  }
  for (size_t s = 0; s < state->step_count; ++s) {
    const tn_fusion_step_t* step = &state->steps[s];
    for (uint32_t r = 0; r < step->result_count; ++r) {
      const uint32_t v = step->first_result + r;
      if (spec->values[v].space != TN_FUSION_ALL) continue;
      live += spec->values[v].element_size;
      // A result stays.
      if (!is_result(spec, v)) ended[lasts[v] > s ? lasts[v] : s] += spec->values[v].element_size;
    }
    if (live > most) most = live;
    live -= ended[s];
  }
  *out_byte_size = fixed + most;
  return TN_OK;
}

// What comes from memory, where all that is read and written is more than the caches hold.
static tn_status_t find_ahead(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  uint64_t element_bytes = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->read_count, &state->ahead));
  for (size_t i = 0; i < spec->read_count; ++i) {
    const uint32_t value = spec->reads[i].value;
    if (!spec->reads[i].is_dense || spec->values[value].space != TN_FUSION_ALL) continue;
    state->ahead[state->ahead_count++] = value;
    element_bytes += spec->values[value].element_size;
  }
  for (size_t r = 0; r < spec->result_count; ++r) {
    const tn_fusion_value_t* value = &spec->values[spec->results[r]];
    if (value->space == TN_FUSION_ALL) element_bytes += value->element_size;
  }
  const bool is_large = (uint64_t)state->element_count * element_bytes > LARGE_BYTES;
  if (!is_large || state->runs_parts) state->ahead_count = 0;
  return TN_OK;
}

static tn_status_t plan_tiles(tn_fusion_state_t* state, tn_kernel_site_t* site) {
  const tn_fusion_spec_t* spec = &state->spec;
  tn_arena_t* arena = site->arena;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->value_count, &state->is_placed));
  state->element_count = tn__type_size(spec->shape);
  place_results(state);
  if (spec->last) place_last(state);
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, spec->result_count, &site->in_place));
  TN_RETURN_IF_ERROR(find_gathers(state, arena));
  TN_RETURN_IF_ERROR(make_loops(state, arena));
  if (state->element_count == 0) return TN_OK;
  TN_RETURN_IF_ERROR(drop_repeats(state, arena));
  TN_RETURN_IF_ERROR(find_repeated(state, arena));
  TN_RETURN_IF_ERROR(tn__fusion_join_steps(state, arena));
  for (size_t s = 0; s < state->step_count; ++s) {
    state->pointer_count += (size_t)state->steps[s].operand_count + state->steps[s].result_count;
  }
  for (size_t r = 0; r < spec->result_count; ++r) {
    site->in_place[r] = in_place_mask(state, spec->results[r]) & site->single_operands;
  }
  size_t element_bytes = 0;
  TN_RETURN_IF_ERROR(bytes_of_element(state, arena, &element_bytes));
  TN_RETURN_IF_ERROR(find_ahead(state, arena));
  cut(state, element_bytes);
  TN_RETURN_IF_ERROR(make_slots(state, arena));
  return place_slots(state, arena);
}

static tn_status_t prepare(tn_kernel_site_t* site, bool runs_parts) {
  void* memory = NULL;
  bool fits = false;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(tn_fusion_state_t), &memory));
  tn_fusion_state_t* state = memory;
  TN_RETURN_IF_ERROR(tn__fusion_read_region(site->use->regions[0].region, site->views, site->arena,
                                            &state->spec, &fits));
  if (fits) TN_RETURN_IF_ERROR(choose_kernels(&state->spec, site->arena, &fits));
  state->use = site->use;
  state->views = site->views;
  state->runs_region = !fits;
  state->runs_parts = runs_parts;
  if (!fits) return TN_OK;
  site->state_deinit = clear_state;
  site->holds_regions = true;
  TN_RETURN_IF_ERROR(prepare_steps(&state->spec, site));
  TN_RETURN_IF_ERROR(tn__fusion_fold_squares(&state->spec, site->arena));
  return plan_tiles(state, site);
}

tn_status_t tn__cpu_fusion_prepare(tn_kernel_site_t* site) {
  return prepare(site, false);
}

tn_status_t tn__cpu_fusion_prepare_parts(tn_kernel_site_t* site) {
  return prepare(site, true);
}
