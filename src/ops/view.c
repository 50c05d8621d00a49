// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ops/view.h"

void tn__dense_strides(size_t rank, const int64_t* dims, size_t element_size,
                       int64_t* out_strides) {
  int64_t stride = (int64_t)element_size;
  for (size_t i = rank; i-- > 0;) {
    out_strides[i] = stride;
    // Only empty arrays may have dimensions whose product overflows.
    if (__builtin_mul_overflow(stride, dims[i], &stride)) stride = 0;
  }
}

void tn__view_strides(const tn_view_t* view, const tn_type_t* type, int64_t* out_strides) {
  if (!view || !view->strides) {
    tn__dense_strides(type->rank, type->dims, tn_dtype_byte_size(type->dtype), out_strides);
  } else if (type->rank) {
    memcpy(out_strides, view->strides, type->rank * sizeof *out_strides);
  }
}

bool tn__strides_are_dense(const tn_type_t* type, const int64_t* strides) {
  int64_t expected = (int64_t)tn_dtype_byte_size(type->dtype);
  for (size_t d = type->rank; d-- > 0;) {
    if (type->dims[d] != 1 && strides[d] != expected) return false;
    expected *= type->dims[d];
  }
  return true;
}

static bool has_elements(const tn_type_t* type) {
  return tn__type_is_tensor(type) && tn__type_is_static(type) && tn__type_size(type) > 0;
}

tn_status_t tn__view_of_layout(const tn_op_use_t* use, const char* list, size_t index,
                               const tn_type_t* type, tn_view_t* out_view) {
  const tn_attr_t* layouts = tn__attr_find(&use->attrs, list);
  void* memory = NULL;
  *out_view = (tn_view_t){0};
  if (!layouts || index >= layouts->array.count || !has_elements(type)) return TN_OK;
  const tn_named_attr_t entry = {TN_SV_LITERAL("layout"), layouts->array.items[index]};
  const tn_attr_dictionary_t dictionary = {1, &entry};
  tn_i64_list_t order;  // the dimension that varies fastest comes first
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&dictionary, "layout", use->arena, &order));
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(use->arena, type->rank, sizeof(int64_t), &memory));
  int64_t *strides = memory, stride = (int64_t)tn_dtype_byte_size(type->dtype);
  for (size_t i = 0; i < order.count; ++i) {
    strides[order.values[i]] = stride;
    stride *= type->dims[order.values[i]];
  }
  if (!tn__strides_are_dense(type, strides)) out_view->strides = strides;
  return TN_OK;
}

// --- the operations; `from` are the operand's strides, `to` the result's, which begin as zero

typedef struct viewer {
  const tn_op_use_t* use;
  const tn_type_t *operand, *result;
  const int64_t* from;
  int64_t* to;
  int64_t byte_offset;
} viewer_t;

static tn_status_t read_list(const viewer_t* viewer, const char* name, tn_i64_list_t* out_list) {
  return tn__attr_get_i64_list(&viewer->use->attrs, name, viewer->use->arena, out_list);
}

static tn_status_t view_broadcast_in_dim(viewer_t* viewer) {
  tn_i64_list_t dims;
  TN_RETURN_IF_ERROR(read_list(viewer, "broadcast_dimensions", &dims));
  for (size_t d = 0; d < viewer->operand->rank; ++d) {
    if (viewer->operand->dims[d] != 1) viewer->to[dims.values[d]] = viewer->from[d];
  }
  return TN_OK;
}

// The new dimensions come first.
static tn_status_t view_broadcast(viewer_t* viewer) {
  const size_t added = viewer->result->rank - viewer->operand->rank;
  for (size_t d = 0; d < viewer->operand->rank; ++d) viewer->to[added + d] = viewer->from[d];
  return TN_OK;
}

static tn_status_t view_transpose(viewer_t* viewer) {
  tn_i64_list_t permutation;
  TN_RETURN_IF_ERROR(read_list(viewer, "permutation", &permutation));
  for (size_t d = 0; d < viewer->result->rank; ++d) {
    viewer->to[d] = viewer->from[permutation.values[d]];
  }
  return TN_OK;
}

static tn_status_t view_reverse(viewer_t* viewer) {
  tn_i64_list_t list;
  TN_RETURN_IF_ERROR(read_list(viewer, "dimensions", &list));
  for (size_t d = 0; d < viewer->result->rank; ++d) viewer->to[d] = viewer->from[d];
  for (size_t i = 0; i < list.count; ++i) {
    const size_t d = (size_t)list.values[i];
    viewer->byte_offset += (viewer->operand->dims[d] - 1) * viewer->from[d];
    viewer->to[d] = -viewer->from[d];
  }
  return TN_OK;
}

static tn_status_t view_slice(viewer_t* viewer) {
  tn_i64_list_t starts, steps;
  TN_RETURN_IF_ERROR(read_list(viewer, "start_indices", &starts));
  TN_RETURN_IF_ERROR(read_list(viewer, "strides", &steps));
  for (size_t d = 0; d < viewer->result->rank; ++d) {
    viewer->byte_offset += starts.values[d] * viewer->from[d];
    // A step past the end may be any number; it is never taken.
    viewer->to[d] = viewer->from[d] * (viewer->result->dims[d] > 1 ? steps.values[d] : 1);
  }
  return TN_OK;
}

// Dimensions of both that hold the same elements are taken together, from the first ones on: those
// of the operand must then be neighbours, and the result's are parts of their stride.
static bool view_reshape(viewer_t* viewer) {
  const tn_type_t *operand = viewer->operand, *result = viewer->result;
  size_t from = 0, to = 0;
  while (to < result->rank) {
    int64_t left = result->dims[to], right = 1, stride = 0;
    const size_t first = to++;
    while (left != right) {
      if (left > right) {
        const int64_t dim = operand->dims[from], next = viewer->from[from];
        ++from;
        if (dim == 1) continue;
        if (right > 1 && stride != next * dim) return false;
        stride = next;
        right *= dim;
      } else {
        left *= result->dims[to++];
      }
    }
    for (size_t d = to; d-- > first;) {
      viewer->to[d] = stride;
      stride *= result->dims[d];
    }
  }
  return true;
}

static tn_status_t view_by_operation(viewer_t* viewer, bool* out_is_view) {
  const tn_op_t* op = viewer->use->op;
  *out_is_view = true;
  if (op == TN__OP(broadcast_in_dim)) return view_broadcast_in_dim(viewer);
  if (op == TN__OP(broadcast)) return view_broadcast(viewer);
  if (op == TN__OP(transpose)) return view_transpose(viewer);
  if (op == TN__OP(reverse)) return view_reverse(viewer);
  if (op == TN__OP(slice)) return view_slice(viewer);
  *out_is_view = op == TN__OP(reshape) && view_reshape(viewer);
  return TN_OK;
}

tn_status_t tn__view_of_result(const tn_op_use_t* use, const tn_view_t* operand,
                               tn_view_t* out_view, bool* out_is_view) {
  int64_t from[TN_MAX_RANK] = {0};
  viewer_t viewer = {.use = use,
                     .operand = use->operand_types[0],
                     .result = use->result_types[0],
                     .from = from,
                     .byte_offset = operand->byte_offset};
  *out_is_view = false;
  *out_view = (tn_view_t){0};
  if (!has_elements(viewer.operand) || !has_elements(viewer.result)) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, viewer.result->rank, &viewer.to));
  tn__view_strides(operand, viewer.operand, from);
  TN_RETURN_IF_ERROR(view_by_operation(&viewer, out_is_view));
  if (!*out_is_view) return TN_OK;
  const bool is_dense = tn__strides_are_dense(viewer.result, viewer.to);
  *out_view = (tn_view_t){viewer.byte_offset, is_dense ? NULL : viewer.to};
  return TN_OK;
}
