// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gather_scatter/scatter.h"

#include "kernel/common/merge.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/gather_scatter/scatter_plan.h"

typedef struct scatter_numbers {
  tn_i64_list_t window, inserted, batching, index_batching, map;
  int64_t index_vector_dim;
} scatter_numbers_t;

static tn_status_t read_numbers(const tn_kernel_site_t* site, scatter_numbers_t* out) {
  const tn_attr_t* attr = tn__attr_find(&site->use->attrs, "scatter_dimension_numbers");
  if (!attr || attr->kind != TN_ATTR_STRUCT) {
    return tn_status_create(TN_CODE_INTERNAL, "scatter: no scatter_dimension_numbers");
  }
  const struct {
    const char* name;
    tn_i64_list_t* list;
  } lists[] = {
      {"update_window_dims", &out->window},
      {"inserted_window_dims", &out->inserted},
      {"input_batching_dims", &out->batching},
      {"scatter_indices_batching_dims", &out->index_batching},
      {"scatter_dims_to_operand_dims", &out->map},
  };
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    TN_RETURN_IF_ERROR(
        tn__attr_get_i64_list(&attr->dictionary, lists[i].name, site->arena, lists[i].list));
  }
  out->index_vector_dim = tn__attr_get_integer(&attr->dictionary, "index_vector_dim", 0);
  return TN_OK;
}

static tn_status_t list_channels(tn_kernel_site_t* site, tn_scatter_t* state) {
  const size_t count = state->channel_count;
  tn_scatter_channel_t* channels;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, count, &channels));
  for (size_t i = 0; i < count; ++i) {
    const tn_type_t *input = tn__site_operand(site, i), *result = tn__site_result(site, i);
    const tn_dtype_t update = tn__site_operand(site, count + 1 + i)->dtype;
    channels[i] = (tn_scatter_channel_t){
        .byte_size = tn__type_byte_size(input),
        .input_size = tn_dtype_byte_size(input->dtype),
        .update_size = tn_dtype_byte_size(update),
        .result_size = tn_dtype_byte_size(result->dtype),
        .input = tn__element_path(input->dtype, result->dtype),
        .update = tn__element_path(update, result->dtype),
        .element_count = tn__type_size(input),
    };
  }
  state->channels = channels;
  return TN_OK;
}

static void choose_form(const tn_kernel_site_t* site, tn_scatter_t* state) {
  const tn_dtype_t dtype = tn__site_result(site, 0)->dtype;
  const bool is_plain = state->channel_count == 1 && tn__site_operand(site, 0)->dtype == dtype &&
                        tn__site_operand(site, 2)->dtype == dtype;
  const tn_body_shape_t* shape = &site->bodies[0];
  const bool is_empty = tn__type_size(tn__site_operand(site, state->channel_count + 1)) == 0 ||
                        tn__type_size(tn__site_operand(site, 0)) == 0;
  if (is_empty || (is_plain && shape->forwarded == 1)) {
    state->form = TN_SCATTER_NOTHING;
  } else if (is_plain && shape->forwarded == 2) {
    state->form = TN_SCATTER_WRITE;
  } else if (is_plain && shape->binary &&
             tn__binary_find(tn__op_short_name(shape->binary), dtype, &state->binary)) {
    state->form = TN_SCATTER_BINARY;
  } else {
    state->form = TN_SCATTER_BODY;
  }
}

// Scatter dimensions of the updates, with those of the indices that they go through. Behind
// batching dimensions, those that follow each other in both arrays are one.
static tn_status_t list_loops(tn_kernel_site_t* site, const scatter_numbers_t* numbers,
                              const int64_t* update_strides, const int64_t* index_strides,
                              tn_scatter_t* state) {
  const tn_type_t* indices = tn__site_operand(site, state->channel_count);
  const tn_type_t* updates = tn__site_operand(site, state->channel_count + 1);
  tn_scatter_loop_t* loops;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, updates->rank, &loops));
  state->loops = loops;
  state->position_count = 1;
  size_t index_dim = 0, count = 0, first_merged = 0;
  for (size_t d = 0; d < updates->rank; ++d) {
    if (tn__list_has(&numbers->window, (int64_t)d, NULL)) continue;
    if (index_dim == (size_t)numbers->index_vector_dim && index_dim < indices->rank) ++index_dim;
    size_t position;
    const bool batching = tn__list_has(&numbers->index_batching, (int64_t)index_dim, &position);
    loops[count++] = (tn_scatter_loop_t){
        .count = updates->dims[d],
        .index_stride = index_strides[index_dim],
        .update_stride = update_strides[d],
        .batching = batching ? numbers->batching.values[position] : -1,
        .input_stride = batching ? state->input_strides[numbers->batching.values[position]] : 0,
    };
    if (batching) first_merged = count;
    state->position_count *= updates->dims[d];
    ++index_dim;
  }
  state->loop_count = first_merged + TN_MERGE_LOOPS(count - first_merged, loops + first_merged, 2);
  return TN_OK;
}

tn_status_t tn__cpu_scatter_prepare(tn_kernel_site_t* site) {
  tn_scatter_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->channel_count = (site->use->operand_count - 1) / 2;
  const tn_type_t* input = tn__site_operand(site, 0);
  const tn_type_t* indices = tn__site_operand(site, state->channel_count);
  const tn_type_t* updates = tn__site_operand(site, state->channel_count + 1);
  TN_RETURN_IF_ERROR(list_channels(site, state));
  choose_form(site, state);
  if (state->form == TN_SCATTER_NOTHING) return TN_OK;
  scatter_numbers_t numbers;
  TN_RETURN_IF_ERROR(read_numbers(site, &numbers));
  int64_t index_strides[TN_MAX_RANK], update_strides[TN_MAX_RANK];
  tn__dense_strides(input->rank, input->dims, 1, state->input_strides);
  tn__dense_strides(updates->rank, updates->dims, 1, update_strides);
  tn__dense_strides(indices->rank, indices->dims, tn_dtype_byte_size(indices->dtype),
                    index_strides);
  state->rank = input->rank;
  for (size_t i = 0; i < input->rank; ++i) state->input_dims[i] = input->dims[i];
  state->index_dtype = indices->dtype;

  tn_scatter_coordinate_t* coordinates;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, numbers.map.count, &coordinates));
  const bool has_vector = (size_t)numbers.index_vector_dim < indices->rank;
  for (size_t i = 0; i < numbers.map.count; ++i) {
    coordinates[i] = (tn_scatter_coordinate_t){
        .dimension = (size_t)numbers.map.values[i],
        .index_offset = has_vector ? (int64_t)i * index_strides[numbers.index_vector_dim] : 0,
    };
  }
  state->coordinates = coordinates;
  state->coordinate_count = numbers.map.count;
  TN_RETURN_IF_ERROR(list_loops(site, &numbers, update_strides, index_strides, state));

  tn_scatter_window_t *window, *whole;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, input->rank, &window));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, input->rank, &whole));
  size_t update_dim_index = 0;
  state->is_flat = true;
  for (size_t d = 0; d < input->rank; ++d) {
    state->is_place[d] = tn__list_has(&numbers.inserted, (int64_t)d, NULL) ||
                         tn__list_has(&numbers.batching, (int64_t)d, NULL);
    if (state->is_place[d]) continue;
    const int64_t update_dim = numbers.window.values[update_dim_index++];
    const int64_t count = updates->dims[update_dim];
    // A window of one place is cut as a place is: not at all, or altogether.
    state->is_place[d] = count == 1;
    if (count == 1) continue;
    if (count != input->dims[d] || tn__list_has(&numbers.map, (int64_t)d, NULL)) {
      state->is_flat = false;
    }
    window[state->window_rank++] = (tn_scatter_window_t){
        .dimension = d,
        .count = count,
        .input_stride = state->input_strides[d],
        .update_stride = update_strides[update_dim],
    };
  }
  state->window = window;
  state->whole = whole;
  memcpy(whole, window, state->window_rank * sizeof *whole);
  state->whole_rank = TN_MERGE_LOOPS(state->window_rank, whole, 2);
  state->update_count = tn__type_size(updates);
  state->place_limit = 1;
  for (size_t d = 0; d < input->rank; ++d) {
    if (state->is_place[d]) {
      state->place_limit += (input->dims[d] - 1) * state->input_strides[d];
    }
    if (input->dims[d] > input->dims[state->split_dimension]) state->split_dimension = d;
  }
  return TN_OK;
}
