// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of operations that move elements. They are linear, so a tangent goes the way of its
// operand, and a cotangent back.
#include <string.h>

#include "array/common.h"
#include "array/views.h"
#include "transform/rules/rules.h"

// A list of dimensions with the batch before them.
static void shift(size_t count, const int64_t* list, int64_t* out_shifted) {
  for (size_t i = 0; i < count; ++i) out_shifted[i] = list[i] + 1;
}

// `list` with `first` before it.
static void prepend(int64_t first, size_t count, const int64_t* list, int64_t* out) {
  out[0] = first;
  if (count) memcpy(out + 1, list, count * sizeof *out);
}

// --- optimization_barrier: what must not be merged with what was computed before

static tn_array_t* barrier(const tn_rule_t* rule, tn_array_t* x) {
  return tn__apply(rule->scope, TN__OP(optimization_barrier), 1, &x, x->dtype, x->rank, x->dims);
}

tn_status_t tn__jvp_optimization_barrier(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_tangents[call->argnums[i]] = barrier(rule, call->tangents[i]);
  }
  return TN_OK;
}

tn_status_t tn__vjp_optimization_barrier(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = barrier(rule, call->cotangents[call->argnums[i]]);
  }
  return TN_OK;
}

tn_status_t tn__vmap_optimization_barrier(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  for (size_t i = 0; i < rule->operand_count; ++i) call->out_axes[i] = call->axes[i];
  tn_array_depends(rule->scope, rule->operand_count, rule->operands, 0, NULL, call->out_results);
  return TN_OK;
}

// --- broadcast_in_dim

static tn_array_t* broadcast(const tn_rule_t* rule, tn_array_t* x) {
  size_t count = 0;
  const int64_t* dimensions = tn__rule_list_attribute(rule, "broadcast_dimensions", &count);
  const tn_array_type_t* type = rule->result_types;
  return tn__view_broadcast(rule->scope, x, dimensions, type->rank, type->dims);
}

tn_status_t tn__jvp_broadcast_in_dim(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = broadcast(rule, call->tangents[0]);
  return TN_OK;
}

// Sums over the dimensions that were made, and those that were 1.
tn_status_t tn__vjp_broadcast_in_dim(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const tn_array_t* x = rule->operands[0];
  size_t count = 0, sum_count = 0;
  const int64_t* dimensions = tn__rule_list_attribute(rule, "broadcast_dimensions", &count);
  int64_t axes[TN_MAX_RANK], permutation[TN_MAX_RANK];
  const size_t rank = rule->result_types[0].rank;
  uint64_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    if (x->dims[i] == rule->result_types[0].dims[dimensions[i]])
      kept |= UINT64_C(1) << dimensions[i];
  }
  for (size_t d = 0; d < rank; ++d) {
    if (!(kept >> d & 1)) axes[sum_count++] = (int64_t)d;
  }
  tn_array_t* t = call->cotangents[0];
  if (sum_count) t = tn_array_sum(rule->scope, t, sum_count, axes, false);
  // What is left is in the order of the result; that of x comes first, then the ones.
  size_t used = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!(kept >> dimensions[i] & 1)) continue;
    permutation[used++] = __builtin_popcountll(kept & ((UINT64_C(1) << dimensions[i]) - 1));
  }
  t = tn_array_transpose(rule->scope, t, permutation);
  call->out_cotangents[0] = tn_array_reshape(rule->scope, t, x->rank, x->dims);
  return TN_OK;
}

tn_status_t tn__vmap_broadcast_in_dim(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  size_t count = 0;
  const int64_t* dimensions = tn__rule_list_attribute(rule, "broadcast_dimensions", &count);
  int64_t shifted[TN_MAX_RANK + 1], dims[TN_MAX_RANK];
  shifted[0] = 0;
  shift(count, dimensions, shifted + 1);
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  call->out_results[0] =
      tn__view_broadcast(rule->scope, tn__batched(rule, call, 0), shifted, type.rank, type.dims);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- reshape

tn_status_t tn__jvp_reshape(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const tn_array_type_t* type = rule->result_types;
  call->out_tangents[0] = tn_array_reshape(rule->scope, call->tangents[0], type->rank, type->dims);
  return TN_OK;
}

tn_status_t tn__vjp_reshape(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const tn_array_t* x = rule->operands[0];
  call->out_cotangents[0] = tn_array_reshape(rule->scope, call->cotangents[0], x->rank, x->dims);
  return TN_OK;
}

tn_status_t tn__vmap_reshape(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  int64_t dims[TN_MAX_RANK];
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  call->out_results[0] =
      tn_array_reshape(rule->scope, tn__batched(rule, call, 0), type.rank, type.dims);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- reverse

static tn_array_t* reverse(const tn_rule_t* rule, tn_array_t* x) {
  size_t count = 0;
  const int64_t* dimensions = tn__rule_list_attribute(rule, "dimensions", &count);
  return tn__view_reverse(rule->scope, x, count, dimensions);
}

tn_status_t tn__jvp_reverse(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = reverse(rule, call->tangents[0]);
  return TN_OK;
}

tn_status_t tn__vjp_reverse(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  call->out_cotangents[0] = reverse(rule, call->cotangents[0]);
  return TN_OK;
}

tn_status_t tn__vmap_reverse(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  size_t count = 0;
  const int64_t* dimensions = tn__rule_list_attribute(rule, "dimensions", &count);
  int64_t shifted[TN_MAX_RANK];
  shift(count, dimensions, shifted);
  call->out_results[0] = tn__view_reverse(rule->scope, tn__batched(rule, call, 0), count, shifted);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- slice

typedef struct tn_slice_lists {
  size_t count;
  const int64_t *starts, *limits, *strides;
} tn_slice_lists_t;

static tn_slice_lists_t slice_lists(const tn_rule_t* rule) {
  tn_slice_lists_t lists;
  lists.starts = tn__rule_list_attribute(rule, "start_indices", &lists.count);
  lists.limits = tn__rule_list_attribute(rule, "limit_indices", &lists.count);
  lists.strides = tn__rule_list_attribute(rule, "strides", &lists.count);
  return lists;
}

tn_status_t tn__jvp_slice(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const tn_slice_lists_t lists = slice_lists(rule);
  call->out_tangents[0] =
      tn__view_slice(rule->scope, call->tangents[0], lists.starts, lists.limits, lists.strides);
  return TN_OK;
}

// Zeros around the elements and between them.
tn_status_t tn__vjp_slice(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const tn_slice_lists_t lists = slice_lists(rule);
  const tn_array_t* x = rule->operands[0];
  const int64_t* dims = rule->result_types[0].dims;
  int64_t high[TN_MAX_RANK], interior[TN_MAX_RANK];
  for (size_t i = 0; i < lists.count; ++i) {
    interior[i] = lists.strides[i] - 1;
    const int64_t extent = dims[i] ? (dims[i] - 1) * lists.strides[i] + 1 : 0;
    high[i] = x->dims[i] - lists.starts[i] - extent;
  }
  tn_array_t* operands[] = {call->cotangents[0], tn_array_scalar(rule->scope, x->dtype, 0)};
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", lists.count, lists.starts),
      TN_I64_LIST_ATTR("edge_padding_high", lists.count, high),
      TN_I64_LIST_ATTR("interior_padding", lists.count, interior),
  };
  call->out_cotangents[0] = tn__apply_with(rule->scope, TN__OP(pad), 2, operands, 3, attributes,
                                           x->dtype, x->rank, x->dims);
  return TN_OK;
}

tn_status_t tn__vmap_slice(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const tn_slice_lists_t lists = slice_lists(rule);
  int64_t starts[TN_MAX_RANK], limits[TN_MAX_RANK], strides[TN_MAX_RANK];
  prepend(0, lists.count, lists.starts, starts);
  prepend(call->batch_size, lists.count, lists.limits, limits);
  prepend(1, lists.count, lists.strides, strides);
  call->out_results[0] =
      tn__view_slice(rule->scope, tn__batched(rule, call, 0), starts, limits, strides);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- transpose

tn_status_t tn__jvp_transpose(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  size_t count = 0;
  const int64_t* permutation = tn__rule_list_attribute(rule, "permutation", &count);
  call->out_tangents[0] = tn_array_transpose(rule->scope, call->tangents[0], permutation);
  return TN_OK;
}

tn_status_t tn__vjp_transpose(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  size_t count = 0;
  const int64_t* permutation = tn__rule_list_attribute(rule, "permutation", &count);
  int64_t inverse[TN_MAX_RANK];
  for (size_t i = 0; i < count; ++i) inverse[permutation[i]] = (int64_t)i;
  call->out_cotangents[0] = tn_array_transpose(rule->scope, call->cotangents[0], inverse);
  return TN_OK;
}

tn_status_t tn__vmap_transpose(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  size_t count = 0;
  const int64_t* permutation = tn__rule_list_attribute(rule, "permutation", &count);
  int64_t shifted[TN_MAX_RANK + 1];
  shifted[0] = 0;
  shift(count, permutation, shifted + 1);
  call->out_results[0] = tn_array_transpose(rule->scope, tn__batched(rule, call, 0), shifted);
  call->out_axes[0] = 0;
  return TN_OK;
}

// --- get_dimension_size, which is the same for all elements of a batch

tn_status_t tn__vmap_get_dimension_size(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const tn_named_attr_t attribute =
      TN_I64_ATTR("dimension", tn__rule_integer(rule, "dimension") + 1);
  tn_array_t* x = tn__batched(rule, call, 0);
  call->out_results[0] = tn__apply_with(rule->scope, TN__OP(get_dimension_size), 1, &x, 1,
                                        &attribute, TN_DTYPE_S32, 0, NULL);
  call->out_axes[0] = TN_NO_AXIS;
  return TN_OK;
}
