// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reduction/reduce.h"

#include "kernel/common/body.h"
#include "kernel/common/site.h"
#include "kernel/reduction/reduction.h"

// One of the operands that are folded together.
typedef struct channel {
  tn_element_path_t init, element;  // to the dtype of the body's arguments
  size_t operand_size, result_size;
} channel_t;

typedef struct reduce {
  // One operand and a known operation:
  bool is_known;
  tn_reduction_t known;
  // Else element by element, through the body.
  size_t count;
  channel_t* channels;
  tn_axes_t kept, folded;  // in elements of any operand; they have one shape
  tn_axis_t inner;         // the innermost folded one
  int64_t width;           // outputs that the body works on at a time, one in each lane
  size_t staging_size;     // of all accumulators; see accumulate
  bool by_tiles;           // the lanes' elements are taken several steps at a time; see load_tile
} reduce_t;

// Steps of a tile: as many elements as are in a line of the cache, mostly.
enum { TILE_STEPS = 16 };

static tn_status_t read_dimensions(const tn_op_use_t* use, tn_arena_t* arena, bool* out_is_folded) {
  tn_i64_list_t list;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use->attrs, "dimensions", arena, &list));
  for (size_t i = 0; i < list.count; ++i) out_is_folded[list.values[i]] = true;
  return TN_OK;
}

// One operand and an operation that has loops: a reduction. *out_is_known is false of others.
static tn_status_t plan_known(const tn_op_use_t* use, const int64_t* strides,
                              const tn_body_shape_t* body, tn_arena_t* arena, const bool* is_folded,
                              tn_reduction_t* out_reduction, bool* out_is_known) {
  const tn_dtype_t result = use->result_types[0]->dtype;
  const char* op = use->operand_count == 2 && body->binary ? tn__op_short_name(body->binary) : NULL;
  *out_is_known = op && tn__reduction_supports(op, result);
  if (!*out_is_known) return TN_OK;
  return tn__reduction_plan(arena, op, use->operand_types[0], strides, use->operand_types[1]->dtype,
                            result, is_folded, out_reduction);
}

// Several operands are read with the same strides.
bool tn__cpu_reduce_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  bool is_folded[TN_MAX_RANK] = {false};
  if (operand != 0 || use->operand_count != 2) return false;
  tn_status_t status = read_dimensions(use, use->arena, is_folded);
  const bool takes =
      !status && tn__reduction_takes_strides(use->operand_types[0], view->strides, is_folded);
  tn_status_release(status);
  return takes;
}

static tn_status_t run_short(const tn_kernel_call_t* call) {
  const reduce_t* state = call->state;
  tn__reduction_run_short(&state->known, call->operands[0], call->operands[1], call->results[0]);
  return TN_OK;
}

tn_status_t tn__cpu_reduce_prepare(tn_kernel_site_t* site) {
  const size_t count = site->use->operand_count / 2;
  const tn_type_t* operand = tn__site_operand(site, 0);
  bool is_folded[TN_MAX_RANK] = {false};
  int64_t strides[TN_MAX_RANK];
  TN_RETURN_IF_ERROR(read_dimensions(site->use, site->arena, is_folded));
  tn__site_strides(site, 0, strides);
  reduce_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(plan_known(site->use, strides, &site->bodies[0], site->arena, is_folded,
                                &state->known, &state->is_known));
  if (state->is_known) {
    site->scratch_byte_size = state->known.scratch_byte_size;
    if (tn__reduction_is_short(&state->known)) site->run_quick = run_short;
    return TN_OK;
  }
  state->count = count;
  state->width = site->bodies[0].lanes ? site->bodies[0].lanes : 1;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, count, &state->channels));
  for (size_t i = 0; i < count; ++i) {
    const tn_dtype_t element = tn__site_operand(site, i)->dtype;
    const tn_dtype_t argument = tn__site_result(site, i)->dtype;
    state->channels[i] = (channel_t){
        .init = tn__element_path(tn__site_operand(site, count + i)->dtype, argument),
        .element = tn__element_path(element, argument),
        .operand_size = tn_dtype_byte_size(element),
        .result_size = tn_dtype_byte_size(argument),
    };
    state->staging_size += (size_t)state->width * tn_dtype_byte_size(argument);
  }
  // bases, then the accumulators, then the tile
  site->scratch_byte_size =
      (size_t)state->width * sizeof(int64_t) + (1 + TILE_STEPS) * state->staging_size;
  // Strides in elements serve every operand.
  for (size_t d = 0; d < operand->rank; ++d)
    strides[d] /= (int64_t)tn_dtype_byte_size(operand->dtype);
  TN_RETURN_IF_ERROR(
      tn__reduction_axes(site->arena, operand, strides, is_folded, &state->kept, &state->folded));
  state->inner = (tn_axis_t){state->folded.size, 0};
  if (state->folded.count) {
    state->inner = state->folded.axes[--state->folded.count];
    state->folded.size = state->inner.count ? state->folded.size / state->inner.count : 0;
  }
  state->by_tiles = state->width > 1 && state->inner.stride == 1;
  for (size_t i = 0; i < count; ++i) {
    if (!state->channels[i].element.size) state->by_tiles = false;
  }
  return TN_OK;
}

// The elements of one step of the fold, one for each lane.
static void load_lanes(const reduce_t* state, const tn_kernel_call_t* call, const int64_t* bases,
                       int64_t at) {
  const tn_body_t* body = &call->bodies[0];
  for (size_t k = 0; k < state->count; ++k) {
    const channel_t* channel = &state->channels[k];
    char* lane = body->arguments[state->count + k];
    for (int64_t i = 0; i < state->width; ++i, lane += channel->result_size) {
      tn__element_move(
          &channel->element, lane,
          (const char*)call->operands[k] + (size_t)(bases[i] + at) * channel->operand_size);
    }
  }
}

static inline __attribute__((always_inline)) void turn_of(size_t size, char* restrict tile,
                                                          const char* restrict operand,
                                                          const int64_t* restrict bases,
                                                          int64_t width, int64_t steps) {
  for (int64_t i = 0; i < width; ++i) {
    const char* from = operand + bases[i] * (int64_t)size;
    for (int64_t s = 0; s < steps; ++s) {
      memcpy(tile + (size_t)(s * width + i) * size, from + (size_t)s * size, size);
    }
  }
}

// The next `steps` elements of every lane, which are together, step by step: lanes are far apart in
// memory, often by a power of two, so that few of them stay in the cache side by side.
static void load_tile(const reduce_t* state, const tn_kernel_call_t* call, const int64_t* bases,
                      int64_t at, int64_t steps, char* tile) {
  for (size_t k = 0; k < state->count; ++k) {
    const size_t size = state->channels[k].element.size;
    const char* operand = (const char*)call->operands[k] + (size_t)at * size;
    switch (size) {
      case 1: turn_of(1, tile, operand, bases, state->width, steps); break;
      case 2: turn_of(2, tile, operand, bases, state->width, steps); break;
      case 4: turn_of(4, tile, operand, bases, state->width, steps); break;
      case 8: turn_of(8, tile, operand, bases, state->width, steps); break;
      default: turn_of(16, tile, operand, bases, state->width, steps); break;
    }
    tile += (size_t)(TILE_STEPS * state->width) * size;
  }
}

// Step `step` of the tile.
static void load_step(const reduce_t* state, const tn_kernel_call_t* call, const char* tile,
                      int64_t step) {
  for (size_t k = 0; k < state->count; ++k) {
    const size_t row = (size_t)state->width * state->channels[k].element.size;
    memcpy(call->bodies[0].arguments[state->count + k], tile + (size_t)step * row, row);
    tile += TILE_STEPS * row;
  }
}

// The body's results become the accumulators, all at once: one result may be where another
// accumulator has to go.
static void accumulate(const reduce_t* state, const tn_kernel_call_t* call) {
  const tn_body_t* body = &call->bodies[0];
  bool crosses = false;
  for (size_t k = 0; k < state->count; ++k) {
    for (size_t i = 0; i < state->count; ++i) {
      crosses = crosses || (i != k && body->results[k] == body->arguments[i]);
    }
  }
  char* staging = (char*)call->scratch + (size_t)state->width * sizeof(int64_t);
  for (size_t k = 0; crosses && k < state->count; ++k) {
    const size_t size = (size_t)state->width * state->channels[k].result_size;
    memcpy(staging, body->results[k], size);
    staging += size;
  }
  staging = (char*)call->scratch + (size_t)state->width * sizeof(int64_t);
  for (size_t k = 0; k < state->count; ++k) {
    const size_t size = (size_t)state->width * state->channels[k].result_size;
    const void* from = crosses ? staging : body->results[k];
    if (from != body->arguments[k]) memcpy(body->arguments[k], from, size);
    staging += size;
  }
}

// Folds as many outputs as the body has lanes; the accumulators are its first arguments.
static tn_status_t fold_outputs(const reduce_t* state, const tn_kernel_call_t* call,
                                const int64_t* bases) {
  const tn_body_t* body = &call->bodies[0];
  char* tile = (char*)call->scratch + (size_t)state->width * sizeof(int64_t) + state->staging_size;
  for (int64_t outer = 0; outer < state->folded.size; ++outer) {
    int64_t at = tn__axes_offset(&state->folded, outer);
    for (int64_t i = 0; i < state->inner.count; ++i, at += state->inner.stride) {
      const int64_t step = i % TILE_STEPS, left = state->inner.count - i;
      if (state->by_tiles && step == 0) {
        load_tile(state, call, bases, at, left < TILE_STEPS ? left : TILE_STEPS, tile);
      }
      if (state->by_tiles) {
        load_step(state, call, tile, step);
      } else {
        load_lanes(state, call, bases, at);
      }
      TN_RETURN_IF_ERROR(body->run(body));
      accumulate(state, call);
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_reduce_run(const tn_kernel_call_t* call) {
  const reduce_t* state = call->state;
  if (state->is_known) {
    return tn__reduction_run(&state->known, call->context->pool, call->operands[0],
                             call->operands[1], call->results[0], call->scratch);
  }
  const tn_body_t* body = &call->bodies[0];
  int64_t* bases = call->scratch;
  for (int64_t output = 0; output < state->kept.size; output += state->width) {
    // Lanes behind the last output repeat it.
    for (int64_t i = 0; i < state->width; ++i) {
      int64_t lane = output + i < state->kept.size ? output + i : state->kept.size - 1;
      bases[i] = tn__axes_offset(&state->kept, lane);
    }
    for (size_t k = 0; k < state->count; ++k) {
      char* lane = body->arguments[k];
      for (int64_t i = 0; i < state->width; ++i, lane += state->channels[k].result_size) {
        tn__element_move(&state->channels[k].init, lane, call->operands[state->count + k]);
      }
    }
    TN_RETURN_IF_ERROR(fold_outputs(state, call, bases));
    int64_t left = state->kept.size - output;
    for (size_t k = 0; k < state->count; ++k) {
      const size_t size = state->channels[k].result_size;
      memcpy((char*)call->results[k] + (size_t)output * size, body->arguments[k],
             (size_t)(left < state->width ? left : state->width) * size);
    }
  }
  return TN_OK;
}

tn_status_t tn__cpu_reduce_folds(const tn_op_use_t* use, const tn_body_shape_t* body,
                                 uint32_t* out_folds) {
  tn_reduction_t reduction;
  bool is_known = false, is_folded[TN_MAX_RANK] = {false};
  int64_t strides[TN_MAX_RANK];
  tn__view_strides(NULL, use->operand_types[0], strides);
  *out_folds = 0;
  TN_RETURN_IF_ERROR(read_dimensions(use, use->arena, is_folded));
  TN_RETURN_IF_ERROR(plan_known(use, strides, body, use->arena, is_folded, &reduction, &is_known));
  if (is_known && tn__reduction_reads_neighbours(&reduction)) *out_folds |= TN_FOLDS_SOURCE;
  if (is_known && tn__reduction_has_rows(&reduction)) *out_folds |= TN_FOLDS_ROWS;
  return TN_OK;
}

tn_status_t tn__cpu_reduce_run_from(const tn_kernel_call_t* call,
                                    const tn_kernel_source_t* source) {
  const reduce_t* state = call->state;
  return tn__reduction_run_from(&state->known, call->context->pool, source, call->operands[1],
                                call->results[0], call->scratch);
}

tn_status_t tn__cpu_reduce_run_rows(const tn_kernel_call_t* call, int64_t count) {
  const reduce_t* state = call->state;
  return tn__reduction_run_rows(&state->known, call->operands[0], count, call->operands[1],
                                call->results[0]);
}

bool tn__cpu_reduce_fold_squares(void* state) {
  return tn__reduction_fold_squares(&((reduce_t*)state)->known);
}
