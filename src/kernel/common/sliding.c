// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/common/sliding.h"

// Absent: `fallback` everywhere.
static tn_status_t read_list(const tn_kernel_site_t* site, const char* name, size_t count,
                             int64_t fallback, int64_t* out_values) {
  tn_i64_list_t list;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&site->use->attrs, name, site->arena, &list));
  if (list.present && list.count != count) {
    return tn_status_create(TN_CODE_INTERNAL, "%s: attribute %s has %zu entries; expected %zu",
                            tn__op_short_name(site->use->op), name, list.count, count);
  }
  for (size_t i = 0; i < count; ++i) out_values[i] = list.present ? list.values[i] : fallback;
  return TN_OK;
}

tn_status_t tn__sliding_read(const tn_kernel_site_t* site, const tn_type_t* input,
                             const tn_type_t* output, tn_sliding_t* out_window) {
  const size_t rank = input->rank;
  int64_t sizes[TN_MAX_RANK], strides[TN_MAX_RANK], dilations[TN_MAX_RANK], bases[TN_MAX_RANK];
  int64_t padding[2 * TN_MAX_RANK];
  TN_RETURN_IF_ERROR(read_list(site, "window_dimensions", rank, 1, sizes));
  TN_RETURN_IF_ERROR(read_list(site, "window_strides", rank, 1, strides));
  TN_RETURN_IF_ERROR(read_list(site, "window_dilations", rank, 1, dilations));
  TN_RETURN_IF_ERROR(read_list(site, "base_dilations", rank, 1, bases));
  TN_RETURN_IF_ERROR(read_list(site, "padding", 2 * rank, 0, padding));
  out_window->rank = rank;
  for (size_t i = 0; i < rank; ++i) {
    out_window->dims[i] = (tn_sliding_dim_t){
        .size = sizes[i],
        .stride = strides[i],
        .dilation = dilations[i],
        .base_dilation = bases[i],
        .low = padding[2 * i],
        .input = input->dims[i],
        .output = output->dims[i],
    };
  }
  return TN_OK;
}

tn_status_t tn__sliding_read_spatial(const tn_kernel_site_t* site, const tn_type_t* input,
                                     const tn_i64_list_t* input_dims, const tn_type_t* kernel,
                                     const tn_i64_list_t* kernel_dims, const tn_type_t* output,
                                     const tn_i64_list_t* output_dims, tn_sliding_t* out_window) {
  const size_t rank = input_dims->count;
  int64_t strides[TN_MAX_RANK], dilations[TN_MAX_RANK], bases[TN_MAX_RANK];
  int64_t padding[2 * TN_MAX_RANK];
  TN_RETURN_IF_ERROR(read_list(site, "window_strides", rank, 1, strides));
  TN_RETURN_IF_ERROR(read_list(site, "rhs_dilation", rank, 1, dilations));
  TN_RETURN_IF_ERROR(read_list(site, "lhs_dilation", rank, 1, bases));
  TN_RETURN_IF_ERROR(read_list(site, "padding", 2 * rank, 0, padding));
  out_window->rank = rank;
  for (size_t i = 0; i < rank; ++i) {
    out_window->dims[i] = (tn_sliding_dim_t){
        .size = kernel->dims[kernel_dims->values[i]],
        .stride = strides[i],
        .dilation = dilations[i],
        .base_dilation = bases[i],
        .low = padding[2 * i],
        .input = input->dims[input_dims->values[i]],
        .output = output->dims[output_dims->values[i]],
    };
  }
  return TN_OK;
}

void tn__sliding_merge(tn_sliding_t* window) {
  if (window->rank == 0) {
    window->rank = 1;
    window->dims[0] = (tn_sliding_dim_t){1, 1, 1, 1, 0, 1, 1};
  }
  while (window->rank >= 2 && tn__sliding_is_trivial(&window->dims[window->rank - 1]) &&
         tn__sliding_is_trivial(&window->dims[window->rank - 2])) {
    tn_sliding_dim_t* outer = &window->dims[window->rank - 2];
    outer->input *= window->dims[window->rank - 1].input;
    outer->output = outer->input;
    --window->rank;
  }
}

int64_t tn__sliding_element(const tn_sliding_t* window, const int64_t* strides, int64_t output,
                            int64_t at) {
  int64_t element = 0;
  for (size_t i = window->rank; i-- > 0;) {
    const tn_sliding_dim_t* dim = &window->dims[i];
    const int64_t place = tn__sliding_place(dim, output % dim->output, at % dim->size);
    if (place < 0) return -1;
    element += place * strides[i];
    output /= dim->output;
    at /= dim->size;
  }
  return element;
}

void tn__sliding_inside(const tn_sliding_dim_t* dim, int64_t at, int64_t* out_first,
                        int64_t* out_last) {
  // 0 <= output * stride + shift < input
  const int64_t shift = at * dim->dilation - dim->low;
  const int64_t room = dim->input - 1 - shift;
  int64_t first = shift < 0 ? -shift : 0, last = room < 0 ? 0 : room + 1;
  if (dim->stride != 1) {
    first = (first + dim->stride - 1) / dim->stride;
    last = (last + dim->stride - 1) / dim->stride;
  }
  if (last > dim->output) last = dim->output;
  if (first > last) first = last;
  *out_first = first;
  *out_last = last;
}
