// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// gather: an item for each element of the result.
#include "base/type.h"
#include "kernel/gpu/windows.h"

bool tn__gpu_gather_supports(const tn_op_use_t* use) {
  return tn__gpu_have_dtypes(use);
}

tn_status_t tn__gpu_gather_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *array = use->operand_types[0], *indices = use->operand_types[1];
  const tn_type_t* result = use->result_types[0];
  int64_t strides[TN_MAX_RANK], index_strides[TN_MAX_RANK];
  tn_gpu_windows_t windows;
  tn_gpu_source_t source;
  TN_RETURN_IF_ERROR(tn__gpu_windows_of_gather(use, site->arena, &windows));
  tn__gpu_element_strides(site->views ? &site->views[0] : NULL, array, strides);
  tn__gpu_element_strides(site->views ? &site->views[1] : NULL, indices, index_strides);
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  tn__gpu_add_address(&source, 0, 0, tn__gpu_bits_of(array));
  const size_t x = tn__gpu_add_address(&source, 1, 0, tn__gpu_dtype(indices->dtype)->memory);
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, tn__gpu_bits_of(result));
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  tn__gpu_add_window_starts(&source, &windows, "c", x, index_strides);
  tn__gpu_add(&source.body, "  long at = 0;\n");
  for (size_t d = 0; d < array->rank; ++d) {
    const size_t stride = tn__gpu_add_number(&source, strides[d]);
    const size_t most = tn__gpu_add_number(&source, array->dims[d] - windows.counts[d]);
    tn__gpu_add(&source.body, "  at += (clamp(s%zu, 0L, n(%zu))", d, most);
    if (windows.window_dims[d] >= 0 && !windows.is_batching[d]) {
      tn__gpu_add(&source.body, " + c%lld", (long long)windows.window_dims[d]);
    }
    tn__gpu_add(&source.body, ") * n(%zu);\n", stride);
  }
  tn__gpu_add(&source.body, "  y0[i] = x0[at];\n");
  return tn__gpu_finish_one(site, &source);
}
