// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Elements that are copied to other places.
#include <string.h>

#include "base/type.h"
#include "kernel/gpu/source.h"

static const char* memory_of(const tn_type_t* type) {
  return tn__gpu_dtype(type->dtype)->memory;
}

const char* tn__gpu_bits_of(const tn_type_t* type) {
  switch (tn_dtype_byte_size(type->dtype)) {
    case 1: return "uchar";
    case 2: return "ushort";
    case 4: return "uint";
    default: return "ulong";
  }
}

// The bytes of the operand.
tn_status_t tn__gpu_copy_prepare(tn_kernel_site_t* site) {
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, 1, &state));
  return tn__gpu_finish_copy(site, state, 0, 0, 0);
}

// --- concatenate: a launch for each operand

tn_status_t tn__gpu_concatenate_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const size_t dimension = (size_t)tn__attr_get_integer(&use->attrs, "dimension", 0);
  int64_t inner = 1, offset = 0;
  tn_gpu_state_t* state = NULL;
  tn_gpu_source_t source;
  for (size_t d = dimension + 1; d < result->rank; ++d) inner *= result->dims[d];
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, use->operand_count, &state));
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_type_t* operand = use->operand_types[k];
    tn__gpu_begin(&source, site->arena, tn__type_size(operand));
    tn__gpu_add_number(&source, operand->dims[dimension] * inner);
    tn__gpu_add_number(&source, result->dims[dimension] * inner);
    tn__gpu_add_number(&source, offset * inner);
    tn__gpu_add_address(&source, (int32_t)k, 0, tn__gpu_bits_of(operand));
    tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, tn__gpu_bits_of(result));
    tn__gpu_add(&source.body, "  y0[i / n(1) * n(2) + n(3) + i %% n(1)] = x0[i];\n");
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, k, &source));
    offset += operand->dims[dimension];
  }
  return TN_OK;
}

// --- pad

tn_status_t tn__gpu_pad_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  tn_i64_list_t low, interior;
  tn_gpu_source_t source;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use->attrs, "edge_padding_low", site->arena, &low));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&use->attrs, "interior_padding", site->arena, &interior));
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  tn__gpu_add_address(&source, 0, 0, tn__gpu_bits_of(operand));
  tn__gpu_add_address(&source, 1, 0, tn__gpu_bits_of(operand));
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, tn__gpu_bits_of(result));
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  tn__gpu_add(&source.body, "  long at = 0, step = 1;\n  int is_inside = 1;\n");
  for (size_t d = result->rank; d-- > 0;) {
    const int64_t step = interior.present ? interior.values[d] + 1 : 1;
    const size_t first = tn__gpu_add_number(&source, low.values[d]);
    const size_t dim = tn__gpu_add_number(&source, operand->dims[d]);
    tn__gpu_add(&source.body, "  {\n    long c = c%zu - n(%zu);\n", d, first);
    if (step != 1) {
      const size_t gap = tn__gpu_add_number(&source, step);
      tn__gpu_add(&source.body, "    is_inside &= c >= 0 && c %% n(%zu) == 0;\n    c /= n(%zu);\n",
                  gap, gap);
    }
    tn__gpu_add(&source.body,
                "    is_inside &= c >= 0 && c < n(%zu);\n"
                "    at += c * step;\n    step *= n(%zu);\n  }\n",
                dim, dim);
  }
  tn__gpu_add(&source.body, "  y0[i] = is_inside ? x0[at] : x1[0];\n");
  return tn__gpu_finish_one(site, &source);
}

// --- windows whose starts are operands

bool tn__gpu_window_supports(const tn_op_use_t* use) {
  const bool is_update = use->op == TN__OP(dynamic_update_slice);
  const tn_type_t* index = use->operand_types[use->operand_count - 1];
  return tn__gpu_have_dtypes(use) && use->operand_count + 1 <= TN_GPU_MOST_ADDRESSES &&
         (use->operand_count == 1u + is_update || index->dtype != TN_DTYPE_U64);
}

// Writes s0, s1...: the starts, so that a window of `sizes` stays inside of operand 0.
static void add_starts(tn_gpu_source_t* source, const tn_op_use_t* use, size_t first,
                       const int64_t* sizes) {
  const tn_type_t* operand = use->operand_types[0];
  for (size_t d = 0; d < operand->rank; ++d) {
    const size_t most = tn__gpu_add_number(source, operand->dims[d] - sizes[d]);
    tn__gpu_add(&source->body, "  const long s%zu = clamp((long)x%zu[0], 0L, n(%zu));\n", d,
                first + d, most);
  }
}

static void add_addresses(tn_gpu_source_t* source, const tn_op_use_t* use, size_t window_count) {
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_type_t* type = use->operand_types[k];
    tn__gpu_add_address(source, (int32_t)k, 0,
                        k < window_count ? tn__gpu_bits_of(type) : memory_of(type));
  }
  tn__gpu_add_output(source, TN_GPU_RESULT(0), 0, tn__gpu_bits_of(use->result_types[0]));
}

tn_status_t tn__gpu_dynamic_slice_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *operand = use->operand_types[0], *result = use->result_types[0];
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  add_addresses(&source, use, 1);
  add_starts(&source, use, 1, result->dims);
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  tn__gpu_add(&source.body, "  long at = 0;\n");
  for (size_t d = 0; d < result->rank; ++d) {
    const size_t dim = tn__gpu_add_number(&source, operand->dims[d]);
    tn__gpu_add(&source.body, "  at = at * n(%zu) + s%zu + c%zu;\n", dim, d, d);
  }
  tn__gpu_add(&source.body, "  y0[i] = x0[at];\n");
  return tn__gpu_finish_one(site, &source);
}

tn_status_t tn__gpu_dynamic_update_slice_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t *update = use->operand_types[1], *result = use->result_types[0];
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  add_addresses(&source, use, 2);
  add_starts(&source, use, 2, update->dims);
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  tn__gpu_add(&source.body, "  long at = 0;\n  int is_inside = 1;\n");
  for (size_t d = 0; d < result->rank; ++d) {
    const size_t dim = tn__gpu_add_number(&source, update->dims[d]);
    tn__gpu_add(&source.body,
                "  is_inside &= c%zu >= s%zu && c%zu < s%zu + n(%zu);\n"
                "  at = at * n(%zu) + c%zu - s%zu;\n",
                d, d, d, d, dim, dim, d, d);
  }
  tn__gpu_add(&source.body, "  y0[i] = is_inside ? x1[at] : x0[i];\n");
  return tn__gpu_finish_one(site, &source);
}

// --- iota

tn_status_t tn__gpu_iota_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  const size_t dimension = (size_t)tn__attr_get_integer(&use->attrs, "iota_dimension", 0);
  int64_t inner = 1;
  tn_gpu_source_t source;
  for (size_t d = dimension + 1; d < result->rank; ++d) inner *= result->dims[d];
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  tn__gpu_add_number(&source, inner);
  tn__gpu_add_number(&source, result->dims[dimension]);
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  const char* expression = "";
  if (tn_dtype_kind(result->dtype) == TN_KIND_COMPLEX) expression = "C_MAKE((float)at, 0)";
  tn__gpu_add_helpers(&source, expression);
  tn__gpu_add(&source.body, "  const long at = i / n(1) %% n(2);\n");
  if (*expression) {
    tn__gpu_add(&source.body, "  y0[i] = %s;\n", expression);
  } else {
    tn__gpu_add(&source.body, "  STORE%s(y0, i, (%s)at);\n", dtype->suffix, dtype->value);
  }
  return tn__gpu_finish_one(site, &source);
}
