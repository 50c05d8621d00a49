// Tiles are ranges of elements in the order in which arrays lie in memory. Where an operand is a
// view, rows of it are gathered, or looked at where they lie if the tile is a part of one row; what
// repeats in every tile is gathered once.
#include "kernel/common/site.h"
#include "kernel/fusion_state.h"

enum {
  TILE_BYTES = 24 << 10,  // of all that a tile reads and writes: the first-level cache has more
  FEWEST_ELEMENTS = 256,  // of a tile: each step of it costs some 10 ns
  MOST_ELEMENTS = 4096,
  TILE_UNIT = 64,
  LARGE_BYTES = 8 << 20,  // more than the caches hold of a loop over arrays
  UNIT_GRAIN = 65536,     // elements, times operations, that are worth a thread's while
};

const tn_op_t tn__op_fusion = {
    .name = "tenon.fusion",
    .operands = TN_VARIADIC,
    .results = TN_VARIADIC,
    .regions = 1,
    .traits = TN_PURE | TN_ELEMENTWISE | TN_ISOLATED,
    .doc = "What its region says, a tile of elements at a time.",
};

const tn_fusion_spec_t* tn__fusion_spec(const void* state) {
  return &((const tn_fusion_state_t*)state)->spec;
}

int64_t tn__fusion_tile_length(const void* state) {
  const tn_fusion_state_t* fusion = state;
  return fusion->rows_per_unit * fusion->columns_per_unit;
}

static tn_status_t take_list(tn_arena_t* arena, size_t count, size_t item_size, void* out_list) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, count, item_size, &memory));
  memcpy(out_list, &memory, sizeof memory);
  return TN_OK;
}

bool tn__fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_type_t* type = use->operand_types[operand];
  for (size_t d = type->rank; d-- > 0;) {
    if (type->dims[d] == 1) continue;
    return view->strides[d] == 0 || view->strides[d] == (int64_t)tn_dtype_size(type->dtype);
  }
  return true;
}

static bool is_dense(const tn_fusion_spec_t* spec, size_t operand) {
  return !spec->views || !spec->views[operand].strides;
}

// Dimensions of all views, adjacent ones merged where every view allows it. The last one becomes
// the columns.
static tn_status_t make_loops(tn_fusion_state_t* state, tn_arena_t* arena) {
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
      const int64_t stride = spec->views[state->views[v].operand].strides[d];
      merges = strides[v * limit + count - 1] == stride * shape->dims[d];
    }
    if (merges) {
      dims[count - 1] *= shape->dims[d];
    } else {
      dims[count++] = shape->dims[d];
    }
    for (size_t v = 0; v < state->view_count; ++v) {
      strides[v * limit + count - 1] = spec->views[state->views[v].operand].strides[d];
    }
  }
  state->loop_counts = dims;
  state->loop_count = count ? count - 1 : 0;
  state->column_count = count ? dims[count - 1] : 1;
  state->row_count = 1;
  for (size_t l = 0; l < state->loop_count; ++l) state->row_count *= dims[l];
  for (size_t v = 0; v < state->view_count; ++v) {
    tn_fusion_view_t* view = &state->views[v];
    view->loop_strides = strides + v * limit;
    view->column_stride = count ? strides[v * limit + count - 1] : 0;
    view->is_same_for_rows = true;
    for (size_t l = 0; l < state->loop_count; ++l) {
      view->is_same_for_rows &= view->loop_strides[l] == 0;
    }
  }
  return TN_OK;
}

// By elements: the reduction's initial value is not.
static bool is_read(const tn_fusion_spec_t* spec, uint32_t operand) {
  for (size_t s = 0; s < spec->step_count; ++s) {
    for (uint32_t i = 0; i < spec->steps[s].operand_count; ++i) {
      if (spec->steps[s].operands[i] == operand) return true;
    }
  }
  return false;
}

static tn_status_t find_views(tn_fusion_state_t* state, tn_arena_t* arena) {
  const tn_fusion_spec_t* spec = &state->spec;
  TN_RETURN_IF_ERROR(
      take_list(arena, spec->operand_count, sizeof(tn_fusion_view_t), &state->views));
  for (size_t i = 0; i < spec->operand_count; ++i) {
    if (!is_read(spec, (uint32_t)i)) continue;
    state->is_dense[i] = is_dense(spec, i);
    if (state->is_dense[i]) continue;
    state->views[state->view_count++].operand = (uint32_t)i;
  }
  return TN_OK;
}

static int64_t round_up(int64_t count, int64_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Tiles are several rows, or a part of one. `element_bytes`: of one element of all values that a
// tile holds.
static void cut(tn_fusion_state_t* state, size_t element_bytes) {
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
  tn_fusion_state_t* state;
  uint32_t* last_reads;  // by value: 1 + the last step that reads it; 0: none
  bool* is_free;         // by slot
} slot_maker_t;

static uint32_t new_slot(slot_maker_t* maker, size_t element_size) {
  tn_fusion_state_t* state = maker->state;
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

static bool is_inner(const tn_fusion_state_t* state, uint32_t value) {
  return value >= state->spec.operand_count && !state->is_placed[value];
}

static void make_slots_of_step(slot_maker_t* maker, uint32_t index) {
  tn_fusion_state_t* state = maker->state;
  const tn_fusion_step_t* step = &state->spec.steps[index];
  const size_t* sizes = state->spec.element_sizes;
  for (uint32_t r = 0; r < step->result_count; ++r) {
    const uint32_t value = step->first_result + r;
    if (state->is_placed[value]) continue;
    for (uint32_t i = 0; r == 0 && i < step->operand_count; ++i) {
      const uint32_t operand = step->operands[i];
      if (is_inner(state, operand) && state->slots[operand] != TN_FUSION_NO_SLOT &&
          maker->last_reads[operand] == index + 1 && sizes[operand] == sizes[value] &&
          works_in_place(step, operand)) {
        state->slots[value] = state->slots[operand];
        state->slots[operand] =
            TN_FUSION_NO_SLOT;  // for the rest of this function: it is not given back
        break;
      }
    }
    if (state->slots[value] == TN_FUSION_NO_SLOT)
      state->slots[value] = new_slot(maker, sizes[value]);
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
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(uint32_t), &maker.last_reads));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count + 1, sizeof(bool), &maker.is_free));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count + 1, sizeof(size_t), &state->slot_sizes));
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(uint32_t), &state->slots));
  TN_RETURN_IF_ERROR(
      take_list(arena, state->pointer_count, sizeof(uint32_t), &state->pointer_values));
  TN_RETURN_IF_ERROR(
      take_list(arena, state->pointer_count, sizeof(tn_fusion_pointer_t), &state->moving));
  for (size_t v = 0; v < spec->value_count; ++v) state->slots[v] = TN_FUSION_NO_SLOT;
  for (uint32_t s = 0; s < spec->step_count; ++s) {
    for (uint32_t i = 0; i < spec->steps[s].operand_count; ++i) {
      maker.last_reads[spec->steps[s].operands[i]] = s + 1;
    }
  }
  for (size_t v = 0; v < state->view_count; ++v) {
    tn_fusion_view_t* view = &state->views[v];
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
      if (first[i] != TN_FUSION_NO_SLOT) continue;
      const uint32_t value = i < step->operand_count
                                 ? step->operands[i]
                                 : step->first_result + (i - step->operand_count);
      state->moving[state->moving_count++] =
          (tn_fusion_pointer_t){(uint32_t)(first - state->pointer_values) + i, value};
    }
    for (uint32_t i = 0; i < step->operand_count; ++i) give_back(&maker, s, step->operands[i]);
    for (uint32_t r = 0; r < step->result_count; ++r) give_back(&maker, s, step->first_result + r);
  }
  return TN_OK;
}

static tn_status_t place_slots(tn_fusion_state_t* state, tn_arena_t* arena) {
  const size_t length = (size_t)tn__fusion_tile_length(state);
  size_t end = (state->pointer_count + state->spec.value_count) * sizeof(void*);
  TN_RETURN_IF_ERROR(take_list(arena, state->slot_count, sizeof(size_t), &state->slot_offsets));
  for (size_t i = 0; i < state->slot_count; ++i) {
    end = (end + TN_FUSION_ALIGNMENT - 1) / TN_FUSION_ALIGNMENT * TN_FUSION_ALIGNMENT;
    state->slot_offsets[i] = end;
    end += length * state->slot_sizes[i];
  }
  end = (end + TN_FUSION_ALIGNMENT - 1) / TN_FUSION_ALIGNMENT * TN_FUSION_ALIGNMENT;
  state->scratch_byte_length = end + TN_FUSION_ALIGNMENT;
  return TN_OK;
}

// --- in place

// Result `result` of a step may lie in the storage of a dense operand that nothing reads any more
// when it is written.
static uint32_t in_place_mask(const tn_fusion_state_t* state, size_t result) {
  const tn_fusion_spec_t* spec = &state->spec;
  const uint32_t value = spec->results[result];
  uint32_t mask = 0;
  if (spec->reduction && value == spec->reduction->first_result) return 0;
  for (uint32_t o = 0; o < spec->operand_count && o < 32; ++o) {
    bool fits = spec->element_sizes[o] == spec->element_sizes[value] && is_dense(spec, o) &&
                !(spec->reduction && spec->reduction->operands[1] == o);
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

static void place_reduction(tn_fusion_state_t* state, tn_kernel_site_t* site) {
  const tn_fusion_step_t* reduction = state->spec.reduction;
  state->is_placed[reduction->operands[0]] = true;
  state->reduced_result = TN_FUSION_NO_RESULT;
  for (size_t r = 0; r < state->spec.result_count; ++r) {
    const uint32_t value = state->spec.results[r];
    if (value == reduction->first_result) state->reduction_result = (uint32_t)r;
    if (value == reduction->operands[0]) state->reduced_result = (uint32_t)r;
  }
  site->scratch_byte_length = reduction->site.scratch_byte_length;
}

static void clear_state(void* user) {
  const tn_fusion_state_t* state = user;
  const tn_fusion_step_t* reduction = state->spec.reduction;
  if (reduction && reduction->site.state && reduction->site.state_deinit) {
    reduction->site.state_deinit(reduction->site.state);
  }
  for (size_t s = 0; s < state->spec.step_count; ++s) {
    const tn_kernel_site_t* site = &state->spec.steps[s].site;
    if (site->state && site->state_deinit) site->state_deinit(site->state);
  }
}

tn_status_t tn__fusion_prepare(const tn_fusion_spec_t* spec, tn_kernel_site_t* site) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(tn_fusion_state_t), &memory));
  tn_fusion_state_t* state = memory;
  state->spec = *spec;
  site->state_deinit = clear_state;
  tn_arena_t* arena = site->arena;
  TN_RETURN_IF_ERROR(take_list(arena, spec->value_count, sizeof(bool), &state->is_placed));
  size_t element_bytes = 0;
  for (size_t v = 0; v < spec->value_count; ++v) element_bytes += spec->element_sizes[v];
  for (size_t r = 0; r < spec->result_count; ++r) {
    state->is_placed[spec->results[r]] = true;
  }
  if (spec->reduction) place_reduction(state, site);
  for (size_t s = 0; s < spec->step_count; ++s) {
    const tn_fusion_step_t* step = &spec->steps[s];
    state->pointer_count += (size_t)step->operand_count + step->result_count;
  }
  TN_RETURN_IF_ERROR(take_list(arena, spec->result_count, sizeof(uint32_t), &site->in_place));
  for (size_t r = 0; r < spec->result_count; ++r) {
    site->in_place[r] = in_place_mask(state, r) & site->single_operands;
  }
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

const tn_kernel_t tn__kernel_fusion = {
    .op = "tenon.fusion",
    .name = "fusion",
    .takes_view = tn__fusion_takes_view,
    .run = tn__fusion_run,
};
