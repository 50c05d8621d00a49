// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions: an item for each element of the result; large ones by tiles.
#include "kernel/gpu/convolution.h"

#include "base/type.h"

bool tn__gpu_convolution_supports(const tn_op_use_t* use) {
  if (!tn__gpu_have_dtypes(use) || use->result_types[0]->dtype == TN_DTYPE_PRED ||
      tn_dtype_kind(use->result_types[0]->dtype) == TN_KIND_COMPLEX) {
    return false;
  }
  const bool is_real = tn_dtype_kind(use->result_types[0]->dtype) == TN_KIND_FLOAT;
  for (size_t k = 0; k < use->operand_count; ++k) {
    if ((tn_dtype_kind(use->operand_types[k]->dtype) == TN_KIND_FLOAT) != is_real) return false;
  }
  return true;
}

static tn_status_t read_layouts(const tn_kernel_site_t* site, tn_gpu_convolution_t* out) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *input = use->operand_types[0], *kernel = use->operand_types[1];
  TN_RETURN_IF_ERROR(tn__convolution_layouts(site, &out->input, &out->kernel, &out->output));
  TN_RETURN_IF_ERROR(tn__sliding_read_spatial(site, input, &out->input.spatial, kernel,
                                              &out->kernel.spatial, use->result_types[0],
                                              &out->output.spatial, &out->spatial));
  tn__gpu_element_strides(site->views ? &site->views[0] : NULL, input, out->input_strides);
  tn__gpu_element_strides(site->views ? &site->views[1] : NULL, kernel, out->kernel_strides);
  for (size_t d = 0; d < out->spatial.rank; ++d) {
    out->spatial_strides[d] = out->input_strides[out->input.spatial.values[d]];
  }
  const int64_t feature_groups = tn__attr_get_integer(&use->attrs, "feature_group_count", 1);
  const int64_t batch_groups = tn__attr_get_integer(&use->attrs, "batch_group_count", 1);
  out->use = use;
  out->group_count = feature_groups > 1 ? feature_groups : batch_groups;
  out->group_stride =
      batch_groups > 1
          ? use->result_types[0]->dims[out->output.first] * out->input_strides[out->input.first]
          : kernel->dims[out->kernel.first] * out->input_strides[out->input.second];
  out->features = kernel->dims[out->kernel.second] / out->group_count;
  return tn__attr_get_i64_list(&use->attrs, "window_reversal", site->arena, &out->reversal);
}

// Writes `x` and `k`: the first element of the input that element i may read, as if windows began
// there, and of the kernel.
static void add_starts(tn_gpu_source_t* source, const tn_gpu_convolution_t* layouts) {
  const size_t features = tn__gpu_add_number(source, layouts->features);
  const size_t batch_stride =
      tn__gpu_add_number(source, layouts->input_strides[layouts->input.first]);
  const size_t group_stride = tn__gpu_add_number(source, layouts->group_stride);
  const size_t kernel_stride =
      tn__gpu_add_number(source, layouts->kernel_strides[layouts->kernel.second]);
  tn__gpu_add(&source->body,
              "  const long x = c%lld * n(%zu) + c%lld / n(%zu) * n(%zu);\n"
              "  const long k = c%lld * n(%zu);\n",
              (long long)layouts->output.first, batch_stride, (long long)layouts->output.second,
              features, group_stride, (long long)layouts->output.second, kernel_stride);
  for (size_t d = 0; d < layouts->spatial.rank; ++d) {
    tn__gpu_add(&source->body, "  const long q%zu = c%lld;\n", d,
                (long long)layouts->output.spatial.values[d]);
  }
}

void tn__gpu_add_tap(tn_gpu_source_t* source, const tn_gpu_convolution_t* layouts) {
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "    long tap = k, rest = w;\n");
  for (size_t d = layouts->spatial.rank; d-- > 0;) {
    const size_t size = tn__gpu_add_number(source, layouts->spatial.dims[d].size);
    const size_t stride =
        tn__gpu_add_number(source, layouts->kernel_strides[layouts->kernel.spatial.values[d]]);
    const bool is_reversed = layouts->reversal.present && layouts->reversal.values[d];
    if (is_reversed) {
      tn__gpu_add(body, "    tap += (n(%zu) - 1 - rest %% n(%zu)) * n(%zu);\n", size, size, stride);
    } else {
      tn__gpu_add(body, "    tap += rest %% n(%zu) * n(%zu);\n", size, stride);
    }
    tn__gpu_add(body, "    rest /= n(%zu);\n", size);
  }
}

tn_status_t tn__gpu_convolution_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *input = use->operand_types[0], *kernel = use->operand_types[1];
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  const bool is_real = tn_dtype_kind(result->dtype) == TN_KIND_FLOAT;
  tn_gpu_convolution_t layouts;
  tn_gpu_source_t source;
  tn_gpu_text_t* body = &source.body;
  TN_RETURN_IF_ERROR(read_layouts(site, &layouts));
  if (tn__gpu_convolution_has_tiles(&layouts)) {
    return tn__gpu_tiled_convolution_prepare(site, &layouts);
  }
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  tn__gpu_add_words(&source, result->dtype);
  tn__gpu_add_address(&source, 0, 0, tn__gpu_dtype(input->dtype)->memory);
  tn__gpu_add_address(&source, 1, 0, tn__gpu_dtype(kernel->dtype)->memory);
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  add_starts(&source, &layouts);
  const size_t size = tn__gpu_add_number(&source, tn__gpu_sliding_size(&layouts.spatial));
  const size_t depth = tn__gpu_add_number(&source, kernel->dims[layouts.kernel.first]);
  const size_t input_step =
      tn__gpu_add_number(&source, layouts.input_strides[layouts.input.second]);
  const size_t kernel_step =
      tn__gpu_add_number(&source, layouts.kernel_strides[layouts.kernel.first]);
  tn__gpu_add(body, "  T sum = 0;\n  for (long w = 0; w < n(%zu); ++w) {\n", size);
  tn__gpu_add_sliding(&source, &layouts.spatial, "q", layouts.spatial_strides);
  tn__gpu_add(body, "    if (!is_inside) continue;\n");
  tn__gpu_add_tap(&source, &layouts);
  tn__gpu_add(body,
              "    for (long f = 0; f < n(%zu); ++f) {\n"
              "      const T a = (T)LOAD%s(x0, x + at + f * n(%zu));\n"
              "      const T b = (T)LOAD%s(x1, tap + f * n(%zu));\n"
              "      sum = %s;\n    }\n  }\n"
              "  STORE%s(y0, i, sum);\n",
              depth, tn__gpu_dtype(input->dtype)->suffix, input_step,
              tn__gpu_dtype(kernel->dtype)->suffix, kernel_step,
              is_real ? "fma(a, b, sum)" : "(T)(WIDE(sum) + WIDE(a) * WIDE(b))", dtype->suffix);
  return tn__gpu_finish_one(site, &source);
}
