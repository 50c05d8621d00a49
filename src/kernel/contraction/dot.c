// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/dot.h"

#include "base/integer.h"
#include "kernel/common/merge.h"
#include "kernel/common/site.h"
#include "kernel/contraction/product.h"

typedef tn_dot_path_t path_t;

// Elements that become others in scratch memory; `conversion.run` is NULL where they stay.
typedef struct converted {
  tn_conversion_t conversion;
  size_t offset;
  int64_t count;
} converted_t;

typedef struct dot {
  tn_dot_plan_t plan;
  tn_gemm_t gemm;
  size_t gemm_offset;
  converted_t operands[2], result;  // operands that are not converted as they are read
} dot_t;

// A group of dimensions (batch, free or contracted ones) of one operand.
typedef struct group {
  size_t rank;
  int64_t dims[TN_MAX_RANK], strides[TN_MAX_RANK];  // strides in elements
  // Folded into one:
  int64_t count, stride;
} group_t;

static void add_dimension(group_t* group, const tn_type_t* type, const int64_t* strides,
                          int64_t dimension) {
  group->dims[group->rank] = type->dims[dimension];
  group->strides[group->rank++] = strides[dimension];
}

// False when the dimensions do not follow each other in memory.
static bool fold(group_t* group) {
  bool folds = true;
  group->count = 1;
  group->stride = 0;
  for (size_t i = group->rank; i-- > 0;) {
    if (group->dims[i] == 1) continue;
    if (group->count == 1) {
      group->stride = group->strides[i];
    } else if (group->strides[i] != group->stride * group->count) {
      folds = false;
    }
    group->count *= group->dims[i];
  }
  return folds;
}

static bool has_stride(const group_t* group, int64_t stride) {
  return group->count == 1 || group->stride == stride;
}

typedef struct operand {
  group_t batch, free, contracted;
} operand_t;

static void sort_dimensions(const tn_type_t* type, const tn_view_t* view,
                            const tn_i64_list_t* batch, const tn_i64_list_t* contracted,
                            operand_t* out) {
  int64_t strides[TN_MAX_RANK];
  tn__view_strides(view, type, strides);
  for (size_t i = 0; i < type->rank; ++i) strides[i] /= (int64_t)tn_dtype_byte_size(type->dtype);
  for (size_t i = 0; i < batch->count; ++i) {
    add_dimension(&out->batch, type, strides, batch->values[i]);
  }
  for (size_t i = 0; i < contracted->count; ++i) {
    add_dimension(&out->contracted, type, strides, contracted->values[i]);
  }
  for (size_t i = 0; i < type->rank; ++i) {
    if (tn__list_has(batch, (int64_t)i, NULL) || tn__list_has(contracted, (int64_t)i, NULL))
      continue;
    add_dimension(&out->free, type, strides, (int64_t)i);
  }
}

// Whether elements are neighbours along `line`, and no line overlaps the one before it.
static bool has_lines(const group_t* line, const group_t* across) {
  return has_stride(line, 1) &&
         (across->count == 1 || (across->stride >= line->count && across->stride <= INT32_MAX));
}

static bool grants(tn_dot_layout_t layout, const group_t* outer, const group_t* inner) {
  switch (layout) {
    case TN_DOT_ANY_STRIDES:
    case TN_DOT_NO_VIEW: return true;
    case TN_DOT_UNIT_STRIDE: return has_lines(inner, outer) || has_lines(outer, inner);
    case TN_DOT_DENSE: break;
  }
  return (has_stride(inner, 1) && has_stride(outer, inner->count)) ||
         (has_stride(outer, 1) && has_stride(inner, outer->count));
}

// Makes outer and inner group fold, in the requested layout, by moving the operand into the order
// batch, outer, inner if need be. Batch dimensions may be anywhere.
static tn_status_t plan_move(tn_kernel_site_t* site, tn_dot_layout_t layout, size_t operand,
                             group_t* batch, group_t* outer, group_t* inner, path_t* path) {
  const tn_type_t* type = tn__site_operand(site, operand);
  const bool must_move = layout == TN_DOT_NO_VIEW && site->views && site->views[operand].strides;
  path->element_count = tn__type_size(type);
  group_t* const groups[] = {batch, outer, inner};
  const bool outer_folds = fold(outer), inner_folds = fold(inner);
  if (path->element_count == 0) return TN_OK;
  if (!must_move && outer_folds && inner_folds && grants(layout, outer, inner)) return TN_OK;
  const size_t element_size = tn_dtype_byte_size(type->dtype);
  int64_t dims[TN_MAX_RANK], target_strides[TN_MAX_RANK], source_strides[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (size_t d = 0; d < groups[i]->rank; ++d, ++rank) {
      dims[rank] = groups[i]->dims[d];
      source_strides[rank] = groups[i]->strides[d] * (int64_t)element_size;
    }
  }
  tn__dense_strides(rank, dims, element_size, target_strides);
  inner->stride = 1;
  outer->stride = inner->count;
  int64_t stride = inner->count * outer->count;
  for (size_t d = batch->rank; d-- > 0;) {
    batch->strides[d] = stride;
    stride *= batch->dims[d];
  }
  path->is_moved = true;
  path->moved_offset = tn__site_reserve(site, tn__type_byte_size(type));
  return tn__strided_copy_prepare(site->arena, element_size, rank, dims, target_strides,
                                  source_strides, &path->move);
}

// Loops over the batch dimensions, merged where both operands let them.
static tn_status_t list_batch(tn_kernel_site_t* site, const group_t* lhs, const group_t* rhs,
                              tn_gemm_shape_t* shape) {
  tn_gemm_batch_t* loops;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, lhs->rank, &loops));
  for (size_t i = 0; i < lhs->rank; ++i) {
    loops[i] = (tn_gemm_batch_t){lhs->dims[i], lhs->strides[i], rhs->strides[i]};
  }
  shape->batch_loops = loops;
  shape->batch_loop_count = TN_MERGE_LOOPS(lhs->rank, loops, 2);
  return TN_OK;
}

// The dimensions of both operands, by what happens to them. Lists live in the arena of `use`.
static tn_status_t read_dimensions(const tn_op_use_t* use, const tn_view_t* views, operand_t* lhs,
                                   operand_t* rhs) {
  tn_i64_list_t lists[4] = {{0}};  // lhs batch, lhs contracted, rhs batch, rhs contracted
  // dot: the last dimension of the left operand with the first of the right one.
  static const int64_t first = 0;
  const int64_t last = (int64_t)use->operand_types[0]->rank - 1;
  if (use->op == TN__OP(dot)) {
    lists[1] = (tn_i64_list_t){true, 1, &last};
    lists[3] = (tn_i64_list_t){true, 1, &first};
  } else {
    const tn_attr_t* attr = tn__attr_find(&use->attrs, "dot_dimension_numbers");
    if (!attr || attr->kind != TN_ATTR_STRUCT) {
      return tn_status_create(TN_CODE_INTERNAL, "dot_general: no dot_dimension_numbers");
    }
    static const char* const names[] = {"lhs_batching_dimensions", "lhs_contracting_dimensions",
                                        "rhs_batching_dimensions", "rhs_contracting_dimensions"};
    for (size_t i = 0; i < 4; ++i) {
      TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&attr->dictionary, names[i], use->arena, &lists[i]));
    }
  }
  sort_dimensions(use->operand_types[0], views, &lists[0], &lists[1], lhs);
  sort_dimensions(use->operand_types[1], views ? &views[1] : NULL, &lists[2], &lists[3], rhs);
  return TN_OK;
}

tn_status_t tn__dot_extent(const tn_op_use_t* use, tn_dot_extent_t* out_extent) {
  operand_t lhs = {0}, rhs = {0};
  TN_RETURN_IF_ERROR(read_dimensions(use, NULL, &lhs, &rhs));
  fold(&rhs.free);
  const bool folds[] = {fold(&lhs.batch), fold(&lhs.free), fold(&lhs.contracted)};
  const int64_t depth = lhs.contracted.count, rows = lhs.free.count;
  *out_extent = (tn_dot_extent_t){
      .batch = lhs.batch.count,
      .rows = rows,
      .columns = rhs.free.count,
      .depth = depth,
      .is_lhs_ordered = folds[0] && folds[1] && folds[2] && has_stride(&lhs.contracted, 1) &&
                        has_stride(&lhs.free, depth) && has_stride(&lhs.batch, rows * depth),
  };
  return TN_OK;
}

tn_status_t tn__dot_plan(tn_kernel_site_t* site, tn_dot_layout_t layout, tn_dot_plan_t* out_plan) {
  const tn_dtype_t dtypes[] = {tn__site_operand(site, 0)->dtype, tn__site_operand(site, 1)->dtype};
  operand_t lhs = {0}, rhs = {0};
  tn_dot_plan_t plan = {0};
  TN_RETURN_IF_ERROR(read_dimensions(site->use, site->views, &lhs, &rhs));
  TN_RETURN_IF_ERROR(plan_move(site, layout, 0, &lhs.batch, &lhs.free, &lhs.contracted, &plan.lhs));
  TN_RETURN_IF_ERROR(plan_move(site, layout, 1, &rhs.batch, &rhs.contracted, &rhs.free, &plan.rhs));
  const tn_dtype_t compute = tn__product_carrier(
      dtypes[0], dtypes[1], tn__site_result(site, 0)->dtype, lhs.contracted.count);
  plan.shape = (tn_gemm_shape_t){
      .type = tn__product_type(compute),
      .rows = lhs.free.count,
      .columns = rhs.free.count,
      .depth = lhs.contracted.count,
      .lhs_row_stride = lhs.free.stride,
      .lhs_depth_stride = lhs.contracted.stride,
      .rhs_depth_stride = rhs.contracted.stride,
      .rhs_column_stride = rhs.free.stride,
  };
  TN_RETURN_IF_ERROR(list_batch(site, &lhs.batch, &rhs.batch, &plan.shape));
  *out_plan = plan;
  return TN_OK;
}

// --- our own kernel

static converted_t plan_conversion(tn_kernel_site_t* site, tn_dtype_t from, tn_dtype_t to,
                                   tn_dtype_t compute, int64_t count) {
  converted_t converted = {.conversion = tn__product_load(from, to), .count = count};
  if (converted.conversion.run) {
    converted.offset = tn__site_reserve(site, (size_t)count * tn_dtype_byte_size(compute));
  }
  return converted;
}

// Whether operands of this product can be converted as they are read, to `compute`.
static bool can_load(const tn_dot_extent_t* extent, tn_dtype_t compute) {
  return tn__gemm_loads(&(tn_gemm_shape_t){.type = tn__product_type(compute),
                                           .rows = extent->rows,
                                           .columns = extent->columns,
                                           .depth = extent->depth});
}

static tn_dtype_t compute_dtype(const tn_op_use_t* use, const tn_dot_extent_t* extent) {
  return tn__product_carrier(use->operand_types[0]->dtype, use->operand_types[1]->dtype,
                             use->result_types[0]->dtype, extent->depth);
}

bool tn__cpu_dot_loads(const tn_op_use_t* use) {
  tn_dot_extent_t extent;
  const tn_status_t status = tn__dot_extent(use, &extent);
  tn_status_release(status);
  return !status && can_load(&extent, compute_dtype(use, &extent)) &&
         tn__least(extent.rows, extent.columns) <= TN_GEMM_FEW_VECTORS;
}

tn_status_t tn__cpu_dot_prepare(tn_kernel_site_t* site) {
  const tn_type_t *lhs = tn__site_operand(site, 0), *rhs = tn__site_operand(site, 1);
  const tn_type_t* result = tn__site_result(site, 0);
  tn_dot_extent_t extent;
  dot_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(tn__dot_extent(site->use, &extent));
  const tn_dtype_t compute = compute_dtype(site->use, &extent);
  const bool converts =
      tn__product_converts(lhs->dtype, compute) || tn__product_converts(rhs->dtype, compute);
  const bool loads = converts && can_load(&extent, compute);
  tn_dot_layout_t layout = TN_DOT_ANY_STRIDES;
  if (converts) layout = loads ? TN_DOT_UNIT_STRIDE : TN_DOT_NO_VIEW;
  TN_RETURN_IF_ERROR(tn__dot_plan(site, layout, &state->plan));
  if (loads) {
    state->plan.shape.lhs_load = tn__product_load(lhs->dtype, compute);
    state->plan.shape.rhs_load = tn__product_load(rhs->dtype, compute);
  } else {
    state->operands[0] =
        plan_conversion(site, lhs->dtype, compute, compute, state->plan.lhs.element_count);
    state->operands[1] =
        plan_conversion(site, rhs->dtype, compute, compute, state->plan.rhs.element_count);
  }
  state->result = plan_conversion(site, compute, result->dtype, compute, tn__type_size(result));
  state->gemm = tn__gemm_plan(&state->plan.shape);
  state->gemm_offset = tn__site_reserve(site, state->gemm.scratch_byte_size);
  return TN_OK;
}

// --- running

tn_status_t tn__dot_fetch(const tn_dot_path_t* path, const tn_kernel_call_t* call, size_t index,
                          const void** out_data) {
  char* scratch = call->scratch;
  const void* data = call->operands[index];
  *out_data = data;
  if (path->element_count == 0) return TN_OK;  // without scratch
  if (path->is_moved) {
    void* moved = scratch + path->moved_offset;
    TN_RETURN_IF_ERROR(tn__strided_copy_run(&path->move, call->context->pool, moved, data));
    data = moved;
  }
  *out_data = data;
  return TN_OK;
}

static tn_status_t fetch_converted(const dot_t* state, const tn_kernel_call_t* call, size_t index,
                                   const void** out_data) {
  const converted_t* converted = &state->operands[index];
  TN_RETURN_IF_ERROR(
      tn__dot_fetch(index ? &state->plan.rhs : &state->plan.lhs, call, index, out_data));
  if (!converted->conversion.run || converted->count == 0) return TN_OK;
  void* target = (char*)call->scratch + converted->offset;
  TN_RETURN_IF_ERROR(tn__product_convert(&converted->conversion, call->context->pool, *out_data,
                                         target, converted->count));
  *out_data = target;
  return TN_OK;
}

tn_status_t tn__cpu_dot_run(const tn_kernel_call_t* call) {
  const dot_t* state = call->state;
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  const void *lhs, *rhs;
  if (state->gemm.form == TN_GEMM_NOTHING) return TN_OK;  // without scratch
  TN_RETURN_IF_ERROR(fetch_converted(state, call, 0, &lhs));
  TN_RETURN_IF_ERROR(fetch_converted(state, call, 1, &rhs));
  const converted_t* result = &state->result;
  void* sums = result->conversion.run ? scratch + result->offset : call->results[0];
  TN_RETURN_IF_ERROR(tn__gemm_run(&state->gemm, pool, lhs, rhs, sums,
                                  scratch ? scratch + state->gemm_offset : NULL));
  if (!result->conversion.run) return TN_OK;
  return tn__product_convert(&result->conversion, pool, sums, call->results[0], result->count);
}
