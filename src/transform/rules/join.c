// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of concatenate and pad.
#include <string.h>

#include "array/common.h"
#include "array/views.h"
#include "transform/rules/rules.h"

// --- concatenate

static tn_array_t* concatenate(const tn_rule_t* rule, tn_array_t* const* operands,
                               int64_t dimension, const tn_array_type_t* type) {
  const tn_named_attr_t attribute = TN_I64_ATTR("dimension", dimension);
  return tn__apply_with(rule->scope, TN__OP(concatenate), rule->operand_count, operands, 1,
                        &attribute, type->dtype, type->rank, type->dims);
}

static tn_status_t list_arrays(const tn_rule_t* rule, tn_array_t*** out_arrays) {
  void* memory = NULL;
  *out_arrays = NULL;
  TN_RETURN_IF_ERROR(tn__allocate_array(tn__scope_evaluator(rule->scope)->allocator,
                                        rule->operand_count, sizeof(tn_array_t*), &memory));
  *out_arrays = memory;
  return TN_OK;
}

static void free_arrays(const tn_rule_t* rule, tn_array_t** arrays) {
  tn__free(tn__scope_evaluator(rule->scope)->allocator, arrays,
           rule->operand_count * sizeof *arrays);
}

tn_status_t tn__jvp_concatenate(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t** tangents = NULL;
  TN_RETURN_IF_ERROR(list_arrays(rule, &tangents));
  for (size_t i = 0; i < call->argnum_count; ++i) tangents[call->argnums[i]] = call->tangents[i];
  for (size_t i = 0; i < rule->operand_count; ++i) {
    if (!tangents[i]) tangents[i] = tn__zeros_like(rule->scope, rule->operands[i]);
  }
  call->out_tangents[0] =
      concatenate(rule, tangents, tn__rule_integer(rule, "dimension"), rule->result_types);
  free_arrays(rule, tangents);
  return TN_OK;
}

tn_status_t tn__vjp_concatenate(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const size_t axis = (size_t)tn__rule_integer(rule, "dimension");
  const tn_array_type_t* type = rule->result_types;
  int64_t starts[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK], strides[TN_MAX_RANK];
  for (size_t d = 0; d < type->rank; ++d) {
    limits[d] = type->dims[d];
    strides[d] = 1;
  }
  for (size_t i = 0; i < call->argnum_count; ++i) {
    starts[axis] = 0;
    for (size_t k = 0; k < call->argnums[i]; ++k) starts[axis] += rule->operands[k]->dims[axis];
    limits[axis] = starts[axis] + rule->operands[call->argnums[i]]->dims[axis];
    call->out_cotangents[i] =
        tn__view_slice(rule->scope, call->cotangents[0], starts, limits, strides);
  }
  return TN_OK;
}

tn_status_t tn__vmap_concatenate(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  int64_t dims[TN_MAX_RANK];
  tn_array_t** operands = NULL;
  TN_RETURN_IF_ERROR(list_arrays(rule, &operands));
  for (size_t i = 0; i < rule->operand_count; ++i) operands[i] = tn__batched(rule, call, i);
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  call->out_results[0] =
      concatenate(rule, operands, tn__rule_integer(rule, "dimension") + 1, &type);
  call->out_axes[0] = 0;
  free_arrays(rule, operands);
  return TN_OK;
}

// --- pad

typedef struct tn_padding {
  size_t rank;
  int64_t low[TN_MAX_RANK], high[TN_MAX_RANK], interior[TN_MAX_RANK];
} tn_padding_t;

static tn_padding_t padding_of(const tn_rule_t* rule) {
  tn_padding_t padding = {0};
  const int64_t* low = tn__rule_list_attribute(rule, "edge_padding_low", &padding.rank);
  const int64_t* high = tn__rule_list_attribute(rule, "edge_padding_high", &padding.rank);
  const int64_t* interior = tn__rule_list_attribute(rule, "interior_padding", &padding.rank);
  for (size_t i = 0; i < padding.rank; ++i) {
    padding.low[i] = low[i];
    padding.high[i] = high[i];
    padding.interior[i] = interior[i];
  }
  return padding;
}

static tn_array_t* pad(const tn_rule_t* rule, tn_array_t* x, tn_array_t* value,
                       const tn_padding_t* padding, const tn_array_type_t* type) {
  tn_array_t* operands[] = {x, value};
  const tn_named_attr_t attributes[] = {
      TN_I64_LIST_ATTR("edge_padding_low", padding->rank, padding->low),
      TN_I64_LIST_ATTR("edge_padding_high", padding->rank, padding->high),
      TN_I64_LIST_ATTR("interior_padding", padding->rank, padding->interior),
  };
  return tn__apply_with(rule->scope, TN__OP(pad), 2, operands, 3, attributes, type->dtype,
                        type->rank, type->dims);
}

// Linear in both operands together.
tn_status_t tn__jvp_pad(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* tangents[2] = {NULL, NULL};
  const tn_padding_t padding = padding_of(rule);
  for (size_t i = 0; i < call->argnum_count; ++i) tangents[call->argnums[i]] = call->tangents[i];
  for (size_t i = 0; i < 2; ++i) {
    if (!tangents[i]) tangents[i] = tn__zeros_like(rule->scope, rule->operands[i]);
  }
  call->out_tangents[0] = pad(rule, tangents[0], tangents[1], &padding, rule->result_types);
  return TN_OK;
}

// What was padded is taken off again: edges by padding of the opposite sign, what is between by a
// slice with steps.
static tn_array_t* unpad(const tn_rule_t* rule, tn_array_t* t) {
  const tn_array_t* x = rule->operands[0];
  tn_padding_t padding = padding_of(rule);
  int64_t dims[TN_MAX_RANK], starts[TN_MAX_RANK] = {0}, steps[TN_MAX_RANK];
  for (size_t i = 0; i < padding.rank; ++i) {
    steps[i] = padding.interior[i] + 1;
    dims[i] = x->dims[i] ? (x->dims[i] - 1) * steps[i] + 1 : 0;
    padding.low[i] = -padding.low[i];
    padding.high[i] = -padding.high[i];
    padding.interior[i] = 0;
  }
  const tn_array_type_t type = {t->dtype, padding.rank, dims};
  t = pad(rule, t, tn_array_scalar(rule->scope, t->dtype, 0), &padding, &type);
  return tn__view_slice(rule->scope, t, starts, dims, steps);
}

tn_status_t tn__vjp_pad(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_array_t* t = call->cotangents[0];
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* inside = unpad(rule, t);
    call->out_cotangents[i] =
        call->argnums[i] == 0
            ? inside
            : tn_array_subtract(rule->scope, tn_array_sum(rule->scope, t, 0, NULL, false),
                                tn_array_sum(rule->scope, inside, 0, NULL, false));
  }
  return TN_OK;
}

// A padding value for each element of the batch is put where a padded mask says so.
tn_status_t tn__vmap_pad(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_scope_t* scope = rule->scope;
  const tn_padding_t inner = padding_of(rule);
  tn_padding_t padding = {.rank = inner.rank + 1};
  int64_t dims[TN_MAX_RANK], zero[] = {0};
  for (size_t i = 0; i < inner.rank; ++i) {
    padding.low[i + 1] = inner.low[i];
    padding.high[i + 1] = inner.high[i];
    padding.interior[i + 1] = inner.interior[i];
  }
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  tn_array_t* x = tn__batched(rule, call, 0);
  call->out_axes[0] = 0;
  if (call->axes[1] == TN_NO_AXIS) {
    call->out_results[0] = pad(rule, x, rule->operands[1], &padding, &type);
    return TN_OK;
  }
  const tn_array_type_t mask_type = {TN_DTYPE_PRED, type.rank, type.dims};
  tn_array_t* mask = pad(rule, tn_array_ones(scope, TN_DTYPE_PRED, x->rank, x->dims),
                         tn_array_scalar(scope, TN_DTYPE_PRED, 0), &padding, &mask_type);
  tn_array_t* operands[] = {
      mask, pad(rule, x, tn_array_scalar(scope, x->dtype, 0), &padding, &type),
      tn__view_broadcast(scope, tn__batched(rule, call, 1), zero, type.rank, type.dims)};
  call->out_results[0] =
      tn__apply(scope, TN__OP(select), 3, operands, type.dtype, type.rank, type.dims);
  return TN_OK;
}
