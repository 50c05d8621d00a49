// Tiles are ranges of elements in the order in which arrays lie in memory. Where an operand is a
// view, rows of it are gathered, or looked at where they lie if the tile is a part of one row; what
// repeats in every tile is gathered once.
#include "kernel/fusion.h"

#include <stdlib.h>

#include "base/pool.h"
#include "kernel/ref/site.h"

enum {
  TILE_BYTES = 24 << 10,  // of all that a tile reads and writes: the first-level cache has more
  FEWEST_ELEMENTS = 256,  // of a tile: each step of it costs some 10 ns
  MOST_ELEMENTS = 4096,
  TILE_UNIT = 64,
  LARGE_BYTES = 8 << 20,  // more than the caches hold of a loop over arrays
  UNIT_GRAIN = 65536,     // elements, times operations, that are worth a thread's while
  ALIGNMENT = 64,
  STACK_BYTES = 24 << 10,  // scratch that is taken from the stack
};
#define NO_SLOT UINT32_MAX

const tn_op_t tn__op_fusion = {
    .name = "tenon.fusion",
    .operands = TN_VARIADIC,
    .results = TN_VARIADIC,
    .regions = 1,
    .traits = TN_PURE | TN_ELEMENTWISE | TN_ISOLATED,
    .doc = "What its region says, a tile of elements at a time.",
};

// An operand that is not dense: its elements along the loops outside of columns, and down a row.
typedef struct view {
  uint32_t operand;
  int64_t offset;
  int64_t column_stride;  // the size of an element, or 0
  const int64_t* loop_strides;
  bool is_same_for_rows;  // all strides but the column's are 0
  bool is_gathered;       // else a tile is a part of one row, whose elements are neighbours
} view_t;

// A pointer of a step that is another one in each tile.
typedef struct moving {
  uint32_t pointer, value;
} moving_t;

typedef struct fusion_state {
  tn_fusion_spec_t spec;
  int64_t element_count;
  size_t loop_count;
  int64_t* loop_counts;  // outside of columns
  int64_t row_count, column_count;
  int64_t rows_per_unit, columns_per_unit, column_units, unit_count, grain;
  bool asks_ahead;  // what it reads is larger than the caches
  bool* is_dense;   // by operand
  size_t view_count;
  view_t* views;
  // By value: where its elements are. Dense operands and results have no slot; of views, what is
  // gathered has one.
  uint32_t* slots;
  uint32_t* result_of;  // by value: 1 + which result it is; 0: none
  size_t slot_count;
  size_t* slot_sizes;    // bytes of an element
  size_t* slot_offsets;  // behind the pointers
  // The steps' pointers stand in one list, operands before results.
  size_t pointer_count, moving_count;
  uint32_t* pointer_values;
  moving_t* moving;
  size_t scratch_byte_length;
} fusion_state_t;

const tn_fusion_spec_t* tn__fusion_spec(const void* state) {
  return &((const fusion_state_t*)state)->spec;
}

int64_t tn__fusion_tile_length(const void* state) {
  const fusion_state_t* fusion = state;
  return fusion->rows_per_unit * fusion->columns_per_unit;
}

// --- when the program is compiled

static tn_status_t take_list(tn_arena_t* arena, size_t count, size_t item_size, void* out_list) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, item_size, &memory));
  memcpy(out_list, &memory, sizeof memory);
  return TN_OK;
}

static bool is_dense(const tn_type_t* shape, size_t element_size, const int64_t* view) {
  int64_t wanted = (int64_t)element_size;
  for (size_t d = shape->rank; d-- > 0;) {
    if (shape->dims[d] != 1 && view[d + 1] != wanted) return false;
    wanted *= shape->dims[d];
  }
  return view[0] == 0;
}

bool tn__fusion_takes_view(const tn_type_t* shape, size_t element_size, const int64_t* view) {
  for (size_t d = shape->rank; d-- > 0;) {
    if (shape->dims[d] == 1) continue;
    return view[d + 1] == 0 || view[d + 1] == (int64_t)element_size;
  }
  return true;
}

static const int64_t* view_of(const tn_fusion_spec_t* spec, size_t operand) {
  return spec->strides + operand * (spec->shape->rank + 1);
}

// Dimensions of all views, adjacent ones merged where every view allows it. The last one becomes
// the columns.
static tn_status_t make_loops(fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  const tn_type_t* shape = spec->shape;
  int64_t* strides = NULL;
  int64_t* dims = NULL;
  const size_t limit = shape->rank + 1;
  TN_RETURN_IF_ERROR(take_list(arena, limit * (state->view_count + 1), sizeof(int64_t), &strides));
  TN_RETURN_IF_ERROR(take_list(arena, limit, sizeof(int64_t), &dims));
  size_t count = 0;
  for (size_t d = 0; d < shape->rank; ++d) {
    if (shape->dims[d] == 1) continue;
    bool merges = count > 0;
    for (size_t v = 0; v < state->view_count && merges; ++v) {
      const int64_t stride = view_of(spec, state->views[v].operand)[d + 1];
      merges = strides[v * limit + count - 1] == stride * shape->dims[d];
    }
    if (merges) {
      dims[count - 1] *= shape->dims[d];
    } else {
      dims[count++] = shape->dims[d];
    }
    for (size_t v = 0; v < state->view_count; ++v) {
      strides[v * limit + count - 1] = view_of(spec, state->views[v].operand)[d + 1];
    }
  }
  state->loop_counts = dims;
  state->loop_count = count ? count - 1 : 0;
  state->column_count = count ? dims[count - 1] : 1;
  state->row_count = 1;
  for (size_t l = 0; l < state->loop_count; ++l) state->row_count *= dims[l];
  for (size_t v = 0; v < state->view_count; ++v) {
    view_t* view = &state->views[v];
    view->offset = view_of(spec, view->operand)[0];
    view->loop_strides = strides + v * limit;
    view->column_stride = count ? strides[v * limit + count - 1] : 0;
    view->is_same_for_rows = true;
    for (size_t l = 0; l < state->loop_count; ++l) {
      view->is_same_for_rows &= view->loop_strides[l] == 0;
    }
  }
  return TN_OK;
}

static tn_status_t find_views(fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  TN_RETURN_IF_ERROR(take_list(arena, spec->operand_count, sizeof(view_t), &state->views));
  for (size_t i = 0; i < spec->operand_count; ++i) {
    const int64_t* view = view_of(spec, i);
    state->is_dense[i] = is_dense(spec->shape, spec->element_sizes[i], view);
    if (state->is_dense[i]) continue;
    if (!tn__fusion_takes_view(spec->shape, spec->element_sizes[i], view)) {
      return tn_status_create(TN_CODE_INTERNAL, "fusion: operand %zu cannot be read by tiles", i);
    }
    state->views[state->view_count++].operand = (uint32_t)i;
  }
  return TN_OK;
}

static int64_t round_up(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Tiles are several rows, or a part of one. `element_bytes`: of one element of all values that a
// tile holds.
static void cut(fusion_state_t* state, size_t element_bytes) {
  // There is a result, so there are bytes. NOLINTNEXTLINE(clang-analyzer-core.DivideZero)
  int64_t length = (int64_t)(TILE_BYTES / element_bytes) / TILE_UNIT * TILE_UNIT;
  if (length < FEWEST_ELEMENTS) length = FEWEST_ELEMENTS;
  if (length > MOST_ELEMENTS) length = MOST_ELEMENTS;
  const int64_t columns = state->column_count;
  if (2 * columns <= length) {
    state->rows_per_unit = length / columns;
    if (state->rows_per_unit > state->row_count) state->rows_per_unit = state->row_count;
    state->columns_per_unit = columns;
  } else {
    const int64_t pieces = (columns + length - 1) / length;
    state->rows_per_unit = 1;
    state->columns_per_unit = round_up((columns + pieces - 1) / pieces, TILE_UNIT);
    if (state->columns_per_unit > columns) state->columns_per_unit = columns;
  }
  state->column_units = (columns + state->columns_per_unit - 1) / state->columns_per_unit;
  state->unit_count = (state->row_count + state->rows_per_unit - 1) / state->rows_per_unit;
  state->unit_count *= state->column_units;
  const int64_t unit_work =
      state->rows_per_unit * state->columns_per_unit * (int64_t)state->spec.step_count;
  state->grain = UNIT_GRAIN / unit_work + 1;
}

// --- slots

typedef struct slot_maker {
  fusion_state_t* state;
  uint32_t* last_reads;  // by value: 1 + the last step that reads it; 0: none
  bool* is_free;         // by slot
} slot_maker_t;

static uint32_t new_slot(slot_maker_t* maker, size_t element_size) {
  fusion_state_t* state = maker->state;
  for (size_t i = 0; i < state->slot_count; ++i) {
    if (!maker->is_free[i] || state->slot_sizes[i] != element_size) continue;
    maker->is_free[i] = false;
    return (uint32_t)i;
  }
  state->slot_sizes[state->slot_count] = element_size;
  return (uint32_t)state->slot_count++;
}

// Whether the step's result 0 may lie where `value`, which it reads, does.
static bool works_in_place(const tn_fusion_step_t* step, uint32_t value) {
  bool reads = false;
  for (uint32_t i = 0; i < step->operand_count; ++i) {
    if (step->operands[i] != value) continue;
    if (i >= 32 || !(step->kernel->in_place >> i & 1)) return false;
    reads = true;
  }
  return reads;
}

static bool is_inner(const fusion_state_t* state, uint32_t value) {
  return value >= state->spec.operand_count && !state->result_of[value];
}

static void make_slots_of_step(slot_maker_t* maker, uint32_t index) {
  fusion_state_t* state = maker->state;
  const tn_fusion_step_t* step = &state->spec.steps[index];
  const size_t* sizes = state->spec.element_sizes;
  for (uint32_t r = 0; r < step->result_count; ++r) {
    const uint32_t value = step->first_result + r;
    if (state->result_of[value]) continue;
    for (uint32_t i = 0; r == 0 && i < step->operand_count; ++i) {
      const uint32_t operand = step->operands[i];
      if (is_inner(state, operand) && state->slots[operand] != NO_SLOT &&
          maker->last_reads[operand] == index + 1 && sizes[operand] == sizes[value] &&
          works_in_place(step, operand)) {
        state->slots[value] = state->slots[operand];
        state->slots[operand] = NO_SLOT;  // for the rest of this function: it is not given back
        break;
      }
    }
    if (state->slots[value] == NO_SLOT) state->slots[value] = new_slot(maker, sizes[value]);
  }
}

static void give_back(slot_maker_t* maker, uint32_t index, uint32_t value) {
  fusion_state_t* state = maker->state;
  const bool is_over = maker->last_reads[value] == 0 || maker->last_reads[value] == index + 1;
  if (is_inner(state, value) && state->slots[value] != NO_SLOT && is_over) {
    maker->is_free[state->slots[value]] = true;
  }
}

// Values that steps hand to each other share slots as their lives allow. The step's operands are
// gone from `slots` where a result takes their place, so each step's pointers are noted at once.
static tn_status_t make_slots(fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  slot_maker_t maker = {.state = state};
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(uint32_t), &maker.last_reads));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count + 1, sizeof(bool), &maker.is_free));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count + 1, sizeof(size_t), &state->slot_sizes));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(uint32_t), &state->slots));
  TN_RETURN_IF_ERROR(
      take_list(arena, state->pointer_count, sizeof(uint32_t), &state->pointer_values));
  TN_RETURN_IF_ERROR(take_list(arena, state->pointer_count, sizeof(moving_t), &state->moving));
  for (size_t v = 0; v < spec->value_count; ++v) state->slots[v] = NO_SLOT;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    for (uint32_t i = 0; i < spec->steps[s].operand_count; ++i) {
      maker.last_reads[spec->steps[s].operands[i]] = s + 1;
    }
  }
  for (size_t v = 0; v < state->view_count; ++v) {
    view_t* view = &state->views[v];
    view->is_gathered = state->rows_per_unit > 1 || view->column_stride == 0;
    if (!view->is_gathered) continue;
    state->slots[view->operand] = new_slot(&maker, spec->element_sizes[view->operand]);
  }
  uint32_t* pointer = state->pointer_values;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    uint32_t* first = pointer;
    for (uint32_t i = 0; i < step->operand_count; ++i) {
      *pointer++ = state->slots[step->operands[i]];
    }
    make_slots_of_step(&maker, s);
    for (uint32_t r = 0; r < step->result_count; ++r) {
      *pointer++ = state->slots[step->first_result + r];
    }
    for (uint32_t i = 0; i < step->operand_count + step->result_count; ++i) {
      if (first[i] != NO_SLOT) continue;
      const uint32_t value = i < step->operand_count
                                 ? step->operands[i]
                                 : step->first_result + (i - step->operand_count);
      state->moving[state->moving_count++] =
          (moving_t){(uint32_t)(first - state->pointer_values) + i, value};
    }
    for (uint32_t i = 0; i < step->operand_count; ++i) give_back(&maker, s, step->operands[i]);
    for (uint32_t r = 0; r < step->result_count; ++r) give_back(&maker, s, step->first_result + r);
  }
  return TN_OK;
}

static tn_status_t place_slots(fusion_state_t* state, tn_arena_t* arena) {
  const size_t length = (size_t)tn__fusion_tile_length(state);
  size_t end = (state->pointer_count + state->spec.value_count) * sizeof(void*);
  TN_RETURN_IF_ERROR(take_list(arena, state->slot_count, sizeof(size_t), &state->slot_offsets));
  for (size_t i = 0; i < state->slot_count; ++i) {
    end = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    state->slot_offsets[i] = end;
    end += length * state->slot_sizes[i];
  }
  state->scratch_byte_length = end + ALIGNMENT;
  return TN_OK;
}

// --- in place

// Result `result` may lie in the storage of a dense operand that nothing reads any more when it is
// written.
static uint32_t in_place_mask(const fusion_state_t* state, size_t result) {
  const tn_fusion_spec_t* spec = &state->spec;
  const uint32_t value = spec->results[result];
  uint32_t mask = 0;
  for (uint32_t o = 0; o < spec->operand_count && o < 32; ++o) {
    bool fits = spec->element_sizes[o] == spec->element_sizes[value] &&
                is_dense(spec->shape, spec->element_sizes[o], view_of(spec, o));
    bool is_written = false;
    for (size_t s = 0; fits && s < spec->step_count; ++s) {
      const tn_fusion_step_t* step = &spec->steps[s];
      const bool writes =
          value >= step->first_result && value < step->first_result + step->result_count;
      for (uint32_t i = 0; fits && i < step->operand_count; ++i) {
        if (step->operands[i] != o) continue;
        fits = !is_written && (!writes || (value == step->first_result && works_in_place(step, o)));
      }
      is_written |= writes;
    }
    if (fits) mask |= UINT32_C(1) << o;
  }
  return mask;
}

static void clear_state(void* user) {
  const fusion_state_t* state = user;
  for (size_t s = 0; s < state->spec.step_count; ++s) {
    const tn_kernel_site_t* site = &state->spec.steps[s].site;
    if (site->state && site->state_deinit) site->state_deinit(site->state);
  }
}

tn_status_t tn__fusion_prepare(const tn_fusion_spec_t* spec, tn_kernel_site_t* site) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(fusion_state_t), &memory));
  fusion_state_t* state = memory;
  state->spec = *spec;
  site->state_deinit = clear_state;
  tn_arena_t* arena = site->arena;
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(uint32_t), &state->result_of));
  size_t element_bytes = 0;
  for (size_t v = 0; v < spec->value_count; ++v) element_bytes += spec->element_sizes[v];
  for (size_t r = 0; r < spec->result_count; ++r) {
    state->result_of[spec->results[r]] = (uint32_t)r + 1;
  }
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    state->pointer_count += (size_t)step->operand_count + step->result_count;
  }
  TN_RETURN_IF_ERROR(take_list(arena, spec->result_count, sizeof(uint32_t), &site->in_place));
  for (size_t r = 0; r < spec->result_count; ++r) site->in_place[r] = in_place_mask(state, r);
  state->element_count = tn__type_size(spec->shape);
  TN_RETURN_IF_ERROR(take_list(arena, spec->operand_count, sizeof(bool), &state->is_dense));
  state->asks_ahead = (uint64_t)state->element_count * element_bytes > LARGE_BYTES;
  TN_RETURN_IF_ERROR(find_views(state, arena));
  TN_RETURN_IF_ERROR(make_loops(state, arena));
  if (state->element_count == 0) return TN_OK;
  cut(state, element_bytes);
  TN_RETURN_IF_ERROR(make_slots(state, arena));
  return place_slots(state, arena);
}

// --- when it runs

// What one thread works with. In its scratch: the steps' pointers, the values' places, the slots.
typedef struct worker {
  const fusion_state_t* state;
  const tn_kernel_call_t* call;
  char* scratch;
  char** pointers;
  char** places;  // by value: of the tile's first element
} worker_t;

// What is gathered for a view, to be left there if it comes again.
typedef struct gathered {
  const char* source;
  int64_t rows, columns;
} gathered_t;

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
static const char* begin_rows(const fusion_state_t* state, const view_t* view, const char* base,
                              int64_t row, int64_t* index) {
  int64_t offset = view->offset;
  for (size_t l = state->loop_count; l-- > 0;) {
    index[l] = row % state->loop_counts[l];
    row /= state->loop_counts[l];
    offset += index[l] * view->loop_strides[l];
  }
  return base + offset;
}

static const char* next_row(const fusion_state_t* state, const view_t* view, const char* source,
                            int64_t* index) {
  for (size_t l = state->loop_count; l-- > 0;) {
    source += view->loop_strides[l];
    if (++index[l] < state->loop_counts[l]) break;
    source -= state->loop_counts[l] * view->loop_strides[l];
    index[l] = 0;
  }
  return source;
}

static void place_view(const worker_t* worker, const view_t* view, gathered_t* gathered,
                       int64_t row, int64_t rows, int64_t column, int64_t columns) {
  const fusion_state_t* state = worker->state;
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

static tn_status_t run_unit(const worker_t* worker, gathered_t* gathered, int64_t unit) {
  const fusion_state_t* state = worker->state;
  const tn_fusion_spec_t* spec = &state->spec;
  const int64_t column = unit % state->column_units * state->columns_per_unit;
  const int64_t row = unit / state->column_units * state->rows_per_unit;
  int64_t rows = state->row_count - row, columns = state->column_count - column;
  if (rows > state->rows_per_unit) rows = state->rows_per_unit;
  if (columns > state->columns_per_unit) columns = state->columns_per_unit;
  const size_t first = (size_t)(row * state->column_count + column);
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
  for (size_t r = 0; r < spec->result_count; ++r) {
    const uint32_t value = spec->results[r];
    worker->places[value] = (char*)worker->call->results[r] + first * spec->element_sizes[value];
  }
  for (size_t v = 0; v < state->view_count; ++v) {
    place_view(worker, &state->views[v], &gathered[v], row, rows, column, columns);
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

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const fusion_state_t* state = call->state;
  enum { FEW_VIEWS = 16 };
  _Alignas(ALIGNMENT) char small[STACK_BYTES];
  gathered_t few[FEW_VIEWS];
  const size_t view_bytes = state->view_count > FEW_VIEWS ? state->view_count * sizeof *few : 0;
  const size_t byte_length = state->scratch_byte_length + view_bytes;
  char* large = byte_length > STACK_BYTES ? malloc(byte_length) : NULL;
  if (byte_length > STACK_BYTES && !large) return tn__status_out_of_memory();
  char* memory = large ? large : small;
  gathered_t* gathered = view_bytes ? (gathered_t*)(void*)memory : few;
  memory += view_bytes;
  memory += -(uintptr_t)memory % ALIGNMENT;
  worker_t worker = {.state = state, .call = call, .scratch = memory};
  worker.pointers = (char**)(void*)memory;
  worker.places = worker.pointers + state->pointer_count;
  for (size_t v = 0; v < state->view_count; ++v) gathered[v] = (gathered_t){0};
  for (size_t p = 0; p < state->pointer_count; ++p) {
    const uint32_t slot = state->pointer_values[p];
    worker.pointers[p] = slot == NO_SLOT ? NULL : memory + state->slot_offsets[slot];
  }
  tn_status_t status = TN_OK;
  for (int64_t unit = begin; unit < end && !status; ++unit) {
    status = run_unit(&worker, gathered, unit);
  }
  free(large);
  return status;
}

static tn_status_t run(const tn_kernel_call_t* call) {
  const fusion_state_t* state = call->state;
  if (state->element_count == 0) return TN_OK;
  if (state->unit_count <= state->grain) {
    return run_units(0, state->unit_count, (void*)(uintptr_t)call);
  }
  return tn__pool_parallel_for(call->context->pool, state->unit_count, state->grain, run_units,
                               (void*)(uintptr_t)call);
}

const tn_kernel_t tn__kernel_fusion = {
    .op = "tenon.fusion", .name = "fusion", .run = run, .range = NULL};
