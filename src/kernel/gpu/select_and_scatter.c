// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// select_and_scatter: a launch finds the element that each window selects, and another gives each
// element the sources of the windows that selected it, in their order.
#include "base/type.h"
#include "kernel/gpu/region.h"
#include "kernel/gpu/sliding.h"

enum { SELECT, SCATTER };  // the regions

bool tn__gpu_select_and_scatter_supports(const tn_op_use_t* use) {
  if (use->region_count != 2 || !tn__gpu_have_dtypes(use)) return false;
  const tn_dtype_t dtype = use->result_types[0]->dtype;
  for (size_t k = 0; k < use->operand_count; ++k) {
    if (use->operand_types[k]->dtype != dtype) return false;
  }
  for (size_t r = 0; r < 2; ++r) {
    const tn_region_t* region = use->regions[r].region;
    if (!tn__gpu_region_is_elementwise(region) || region->arguments[0].type->dtype != dtype ||
        region->arguments[1].type->dtype != dtype) {
      return false;
    }
  }
  return use->regions[SCATTER].region->last->operands[0]->type->dtype == dtype;
}

// Leaves which element of the operand each window selects; -1: it has none.
static tn_status_t write_selection(tn_gpu_source_t* source, const tn_kernel_site_t* site,
                                   const tn_sliding_t* window, const int64_t* strides) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* windows = use->operand_types[1];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(windows->dtype);
  tn_gpu_text_t* body = &source->body;
  tn__gpu_begin(source, site->arena, tn__type_size(windows));
  TN_RETURN_IF_ERROR(tn__gpu_add_region(source, use->regions[SELECT].region, "tn_select"));
  tn__gpu_add_address(source, 0, 0, dtype->memory);
  tn__gpu_add_output(source, TN_GPU_SCRATCH, 0, "long");
  tn__gpu_add_coordinates(source, "i", windows->rank, windows->dims);
  const size_t size = tn__gpu_add_number(source, tn__gpu_sliding_size(window));
  tn__gpu_add(body,
              "  long selected = -1;\n  %s best = {0};\n"
              "  for (long w = 0; w < n(%zu); ++w) {\n",
              dtype->value, size);
  tn__gpu_add_sliding(source, window, "c", strides);
  tn__gpu_add(body,
              "    if (!is_inside) continue;\n"
              "    const %s element = LOAD%s(x0, at);\n"
              "    uchar stays = 0;\n"
              "    if (selected >= 0) tn_select(best, element, &stays);\n"
              "    if (stays) continue;\n"
              "    selected = at;\n    best = element;\n  }\n"
              "  y0[i] = selected;\n",
              dtype->value, dtype->suffix);
  return TN_OK;
}

// Writes `at`: the window that has element i as its element w, if it is there.
static void add_windows(tn_gpu_source_t* source, const tn_sliding_t* window,
                        const int64_t* strides) {
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "    long at = 0, inside = w;\n    int is_there = 1;\n");
  for (size_t d = window->rank; d-- > 0;) {
    const tn_sliding_dim_t* dim = &window->dims[d];
    const size_t size = tn__gpu_add_number(source, dim->size);
    const size_t step = tn__gpu_add_number(source, dim->stride);
    const size_t low = tn__gpu_add_number(source, dim->low);
    const size_t output = tn__gpu_add_number(source, dim->output);
    const size_t stride = tn__gpu_add_number(source, strides[d]);
    tn__gpu_add(body,
                "    {\n      const long p = c%zu + n(%zu) - inside %% n(%zu);\n"
                "      inside /= n(%zu);\n"
                "      is_there &= p >= 0 && p %% n(%zu) == 0 && p / n(%zu) < n(%zu);\n"
                "      at += p / n(%zu) * n(%zu);\n    }\n",
                d, low, size, size, step, step, output, step, stride);
  }
}

static tn_status_t write_results(tn_gpu_source_t* source, const tn_kernel_site_t* site,
                                 const tn_sliding_t* window, const int64_t* strides) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  tn_gpu_text_t* body = &source->body;
  tn__gpu_begin(source, site->arena, tn__type_size(result));
  TN_RETURN_IF_ERROR(tn__gpu_add_region(source, use->regions[SCATTER].region, "tn_scatter"));
  tn__gpu_add_address(source, 1, 0, dtype->memory);
  tn__gpu_add_address(source, 2, 0, dtype->memory);
  tn__gpu_add_address(source, TN_GPU_SCRATCH, 0, "long");
  tn__gpu_add_output(source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add_coordinates(source, "i", result->rank, result->dims);
  const size_t size = tn__gpu_add_number(source, tn__gpu_sliding_size(window));
  tn__gpu_add(body, "  %s sum = LOAD%s(x1, 0);\n  for (long w = n(%zu); w-- > 0;) {\n",
              dtype->value, dtype->suffix, size);
  add_windows(source, window, strides);
  tn__gpu_add(body,
              "    if (is_there && x2[at] == i) tn_scatter(sum, LOAD%s(x0, at), &sum);\n  }\n"
              "  STORE%s(y0, i, sum);\n",
              dtype->suffix, dtype->suffix);
  return TN_OK;
}

tn_status_t tn__gpu_select_and_scatter_prepare(tn_kernel_site_t* site) {
  const tn_type_t *operand = site->use->operand_types[0], *windows = site->use->operand_types[1];
  int64_t strides[TN_MAX_RANK];
  tn_sliding_t window;
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__sliding_read(site, operand, windows, &window));
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, 2, &state));
  tn__dense_strides(operand->rank, operand->dims, 1, strides);
  TN_RETURN_IF_ERROR(write_selection(&source, site, &window, strides));
  TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, 0, &source));
  tn__dense_strides(windows->rank, windows->dims, 1, strides);
  TN_RETURN_IF_ERROR(write_results(&source, site, &window, strides));
  site->scratch_byte_size = (size_t)tn__type_size(windows) * sizeof(int64_t);
  site->holds_regions = true;
  return tn__gpu_finish(site, state, 1, &source);
}
