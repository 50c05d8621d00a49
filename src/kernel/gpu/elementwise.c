// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A result for each element of the operands, which may be views, or scalars.
#include "base/type.h"
#include "kernel/gpu/reads.h"
#include "kernel/gpu/region.h"

enum { MOST_OPERANDS = 3 };

bool tn__gpu_know_types(const tn_op_use_t* use) {
  for (size_t i = 0; i < use->operand_count + use->result_count; ++i) {
    const tn_type_t* type =
        i < use->operand_count ? use->operand_types[i] : use->result_types[i - use->operand_count];
    if (type->kind != TN_TYPE_TENSOR || !tn__gpu_dtype(type->dtype)) return false;
    if (type->rank > TN_GPU_MOST_DIMS) return false;
  }
  return true;
}

bool tn__gpu_have_dtypes(const tn_op_use_t* use) {
  return use->result_count == 1 && tn__gpu_know_types(use);
}

bool tn__gpu_map_supports(const tn_op_use_t* use) {
  return tn__gpu_have_dtypes(use) && use->operand_count <= MOST_OPERANDS && tn__gpu_expression(use);
}

bool tn__gpu_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_type_t* type = use->operand_types[operand];
  const int64_t size = (int64_t)tn_dtype_byte_size(type->dtype);
  if (view->byte_offset % size) return false;
  for (size_t d = 0; view->strides && d < type->rank; ++d) {
    if (view->strides[d] % size) return false;
  }
  return true;
}

bool tn__gpu_element_strides(const tn_view_t* view, const tn_type_t* type, int64_t* out_strides) {
  tn__view_strides(view, type, out_strides);
  const bool is_dense = tn__strides_are_dense(type, out_strides);
  for (size_t d = 0; d < type->rank; ++d) {
    out_strides[d] /= (int64_t)tn_dtype_byte_size(type->dtype);
  }
  return is_dense;
}

static tn_status_t finish(tn_kernel_site_t* site, tn_gpu_reads_t* reads, const char* expression) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  source.is_elementwise = true;
  const size_t function = tn__gpu_add_function(&source, use, expression);
  tn__gpu_add_loads(&source, reads, "i");
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add(&source.body, "  STORE%s(y0, i, f%zu(", dtype->suffix, function);
  for (size_t k = 0; k < use->operand_count; ++k) {
    tn__gpu_add(&source.body, "%sr%zu", k ? ", " : "", k);
  }
  tn__gpu_add(&source.body, "));\n");
  return tn__gpu_finish_one(site, &source);
}

tn_status_t tn__gpu_map_prepare(tn_kernel_site_t* site) {
  static const tn_view_t dense;
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  tn_gpu_reads_t reads;
  tn__gpu_reads_begin(&reads, result);
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_type_t* type = use->operand_types[k];
    const bool is_scalar = type->rank == 0 && result->rank;
    tn_view_t view = site->views ? site->views[k] : dense;
    view.byte_offset = 0;  // is in the pointer
    tn__gpu_add_read(&reads, k, type->dtype, is_scalar ? NULL : &view);
  }
  return finish(site, &reads, tn__gpu_expression(use));
}

// The result is the operand, read as the operation says.
tn_status_t tn__gpu_view_prepare(tn_kernel_site_t* site) {
  static const tn_view_t dense;
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  tn_gpu_reads_t reads;
  tn_view_t view = {0};
  bool is_view = tn__type_size(result) == 0;
  if (!is_view) TN_RETURN_IF_ERROR(tn__view_of_result(use, &dense, &view, &is_view));
  if (!is_view) {
    return tn_status_create(TN_CODE_INTERNAL, "%s is no view of its operand", use->op->name);
  }
  tn__gpu_reads_begin(&reads, result);
  tn__gpu_add_read(&reads, 0, result->dtype, &view);
  tn__gpu_collapse_reads(&reads);
  if (tn__gpu_is_transposed(&reads)) return tn__gpu_transpose_prepare(site, &reads);
  return finish(site, &reads, "a");
}

// --- map

enum { MOST_MAPPED = 16 };  // operands

bool tn__gpu_region_map_supports(const tn_op_use_t* use) {
  if (use->region_count != 1 || use->operand_count > MOST_MAPPED || !tn__gpu_have_dtypes(use)) {
    return false;
  }
  const tn_region_t* region = use->regions[0].region;
  if (!tn__gpu_region_is_elementwise(region)) return false;
  for (size_t k = 0; k < use->operand_count; ++k) {
    if (region->arguments[k].type->dtype != use->operand_types[k]->dtype) return false;
  }
  return region->last->operands[0]->type->dtype == use->result_types[0]->dtype;
}

tn_status_t tn__gpu_region_map_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  tn_gpu_reads_t reads;
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  source.is_elementwise = true;
  TN_RETURN_IF_ERROR(tn__gpu_add_region(&source, use->regions[0].region, "tn_map"));
  tn__gpu_reads_begin(&reads, result);
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_view_t view = {.strides = site->views ? site->views[k].strides : NULL};
    tn__gpu_add_read(&reads, k, use->operand_types[k]->dtype, &view);
  }
  tn__gpu_add_loads(&source, &reads, "i");
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add(&source.body, "  %s value;\n  tn_map(", dtype->value);
  for (size_t k = 0; k < use->operand_count; ++k) tn__gpu_add(&source.body, "r%zu, ", k);
  tn__gpu_add(&source.body, "&value);\n  STORE%s(y0, i, value);\n", dtype->suffix);
  site->holds_regions = true;
  return tn__gpu_finish_one(site, &source);
}
