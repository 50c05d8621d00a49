// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gpu/windows.h"

#include "kernel/common/site.h"

typedef struct names {
  const char *attribute, *window, *single, *batching, *index_batching, *map;
} names_t;

static tn_status_t read(const tn_op_use_t* use, tn_arena_t* arena, const names_t* names,
                        tn_gpu_windows_t* out) {
  tn_i64_list_t window, single, batching, index_batching, map;
  const tn_attr_dictionary_t* numbers = &tn__attr_find(&use->attrs, names->attribute)->dictionary;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(numbers, names->window, arena, &window));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(numbers, names->single, arena, &single));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(numbers, names->batching, arena, &batching));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(numbers, names->index_batching, arena, &index_batching));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(numbers, names->map, arena, &map));
  out->vector_dim = tn__attr_get_integer(numbers, "index_vector_dim", 0);
  size_t index_dim = 0, next = 0, position = 0;
  int64_t batch_dims[TN_MAX_RANK];  // by dimension of the indices: of the windows
  for (size_t d = 0; d < out->windows->rank; ++d) {
    out->index_dims[d] = -1;
    if (tn__list_has(&window, (int64_t)d, NULL)) continue;
    if ((int64_t)index_dim == out->vector_dim && index_dim < out->indices->rank) ++index_dim;
    batch_dims[index_dim] = (int64_t)d;
    out->index_dims[d] = (int64_t)index_dim++;
  }
  for (size_t d = 0; d < out->array->rank; ++d) {
    out->is_batching[d] = tn__list_has(&batching, (int64_t)d, &position);
    out->counts[d] = 1;
    out->parts[d] = out->window_dims[d] = -1;
    if (out->is_batching[d]) {
      out->window_dims[d] = batch_dims[index_batching.values[position]];
    } else if (!tn__list_has(&single, (int64_t)d, NULL)) {
      out->window_dims[d] = window.values[next++];
      out->counts[d] = out->windows->dims[out->window_dims[d]];
    }
    if (tn__list_has(&map, (int64_t)d, &position)) out->parts[d] = (int64_t)position;
  }
  return TN_OK;
}

tn_status_t tn__gpu_windows_of_gather(const tn_op_use_t* use, tn_arena_t* arena,
                                      tn_gpu_windows_t* out) {
  static const names_t names = {"dimension_numbers",           "offset_dims",
                                "collapsed_slice_dims",        "operand_batching_dims",
                                "start_indices_batching_dims", "start_index_map"};
  out->array = use->operand_types[0];
  out->indices = use->operand_types[1];
  out->windows = use->result_types[0];
  return read(use, arena, &names, out);
}

tn_status_t tn__gpu_windows_of_scatter(const tn_op_use_t* use, tn_arena_t* arena,
                                       tn_gpu_windows_t* out) {
  static const names_t names = {"scatter_dimension_numbers",     "update_window_dims",
                                "inserted_window_dims",          "input_batching_dims",
                                "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"};
  out->array = use->operand_types[0];
  out->indices = use->operand_types[use->result_count];
  out->windows = use->operand_types[use->result_count + 1];
  return read(use, arena, &names, out);
}

void tn__gpu_add_window_starts(tn_gpu_source_t* source, const tn_gpu_windows_t* windows,
                               const char* name, size_t x, const int64_t* index_strides) {
  tn_gpu_text_t* body = &source->body;
  const bool is_unsigned = windows->indices->dtype == TN_DTYPE_U64;
  const bool has_vector = (size_t)windows->vector_dim < windows->indices->rank;
  tn__gpu_add(body, "  const long ix = 0");
  for (size_t d = 0; d < windows->windows->rank; ++d) {
    if (windows->index_dims[d] < 0) continue;
    const size_t stride = tn__gpu_add_number(source, index_strides[windows->index_dims[d]]);
    tn__gpu_add(body, " + %s%zu * n(%zu)", name, d, stride);
  }
  tn__gpu_add(body, ";\n");
  for (size_t d = 0; d < windows->array->rank; ++d) {
    if (windows->is_batching[d]) {
      tn__gpu_add(body, "  const long s%zu = %s%lld;\n", d, name,
                  (long long)windows->window_dims[d]);
    } else if (windows->parts[d] < 0) {
      tn__gpu_add(body, "  const long s%zu = 0;\n", d);
    } else {
      const int64_t step = has_vector ? index_strides[windows->vector_dim] : 0;
      const size_t at = tn__gpu_add_number(source, windows->parts[d] * step);
      const size_t least = tn__gpu_add_number(source, -windows->counts[d]);
      const size_t most = tn__gpu_add_number(source, windows->array->dims[d]);
      tn__gpu_add(body, "  const long s%zu = clamp(%s(x%zu[ix + n(%zu)]), n(%zu), n(%zu));\n", d,
                  is_unsigned ? "INDEX_U64" : "INDEX", x, at, least, most);
    }
  }
}
