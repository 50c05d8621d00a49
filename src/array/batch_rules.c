// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Batching rules for custom operations that leave them to Tenon: the batch as a leading dimension,
// or one element after the other.
#include <tenon/detail/array_ops.h>

#include "array/rule.h"
#include "call/dims.h"
#include "call/signature.h"

static void apply(const tn_rule_t* rule, tn_array_t* const* operands, const tn_array_type_t* types,
                  tn_array_t** out_results) {
  const tn_application_t application = {.struct_size = sizeof application,
                                        .name = rule->name,
                                        .operand_count = rule->operand_count,
                                        .operands = operands,
                                        .attribute_count = rule->attribute_count,
                                        .attributes = rule->attributes,
                                        .result_count = rule->result_count,
                                        .result_types = types};
  tn_op_apply(rule->scope, &application, out_results);
}

// --- in front

// Whether the operand may have more dimensions in front than it has.
static bool takes_leading(const tn_rule_t* rule, size_t operand) {
  const tn_ffi_op_t* op = rule->op ? rule->op->handler : NULL;
  const tn_ffi_param_t* param = tn__op_value_param(op, TN_FFI_PARAM_ARG, operand);
  const char* dims = tn__param_dims(op, param);
  if (dims) return tn__read_leading(&dims);
  return !param || param->rank < 0;
}

static tn_array_t* with_batch(const tn_rule_t* rule, tn_array_t* x, int64_t axis, int64_t size) {
  int64_t dims[TN_MAX_RANK + 1] = {size};
  const size_t rank = tn_array_rank(x);
  if (axis != TN_NO_AXIS) return tn_array_moveaxis(rule->scope, x, axis, 0);
  if (rank) memcpy(dims + 1, tn_array_dims(x), rank * sizeof *dims);
  return tn_array_broadcast_to(rule->scope, x, rank + 1, dims);
}

// The types of the results with the batch in front. vmap has made sure that there is room.
static tn_status_t batch_types(const tn_rule_t* rule, int64_t size, tn_arena_t* arena,
                               tn_array_type_t** out_types) {
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, rule->result_count, out_types));
  for (size_t i = 0; i < rule->result_count; ++i) {
    const tn_array_type_t* type = &rule->result_types[i];
    int64_t* dims = NULL;
    TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, type->rank + 1, &dims));
    dims[0] = size;
    if (type->rank) memcpy(dims + 1, type->dims, type->rank * sizeof *dims);
    (*out_types)[i] = (tn_array_type_t){type->dtype, type->rank + 1, dims};
  }
  return TN_OK;
}

static tn_status_t put_in_front(const tn_rule_t* rule, const tn_vmap_call_t* call,
                                tn_arena_t* arena) {
  tn_array_t** operands = NULL;
  tn_array_type_t* types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, rule->operand_count, &operands));
  TN_RETURN_IF_ERROR(batch_types(rule, call->batch_size, arena, &types));
  for (size_t i = 0; i < rule->operand_count; ++i) {
    operands[i] = rule->operands[i];
    if (!takes_leading(rule, i)) continue;
    operands[i] = with_batch(rule, operands[i], call->axes[i], call->batch_size);
  }
  apply(rule, operands, types, call->out_results);
  for (size_t i = 0; i < rule->result_count; ++i) call->out_axes[i] = 0;
  return TN_OK;
}

tn_status_t tn__vmap_in_front(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_arena_t arena;
  for (size_t i = 0; i < rule->operand_count; ++i) {
    if (call->axes[i] != TN_NO_AXIS && !takes_leading(rule, i)) {
      return tn__vmap_one_by_one(rule, call);
    }
  }
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_t status = put_in_front(rule, call, &arena);
  tn__arena_deinit(&arena);
  return status;
}

// --- one by one

static tn_array_t* element_of(const tn_rule_t* rule, tn_array_t* x, int64_t axis, int64_t index) {
  if (axis == TN_NO_AXIS) return x;
  tn_array_t* place = tn_array_scalar(rule->scope, TN_DTYPE_S32, (double)index);
  return tn_array_take(rule->scope, x, place, axis);
}

// `results` has the results of all elements: those of the first, then those of the second...
static void stack(const tn_rule_t* rule, const tn_vmap_call_t* call, tn_array_t* const* results,
                  tn_array_t** column, const tn_array_type_t* types) {
  const size_t size = (size_t)call->batch_size;
  for (size_t r = 0; r < rule->result_count; ++r) {
    for (size_t b = 0; b < size; ++b) column[b] = results[b * rule->result_count + r];
    call->out_results[r] =
        size ? tn_array_stack(rule->scope, size, column, 0)
             : tn_array_zeros(rule->scope, types[r].dtype, types[r].rank, types[r].dims);
    call->out_axes[r] = 0;
  }
}

static tn_status_t do_one_by_one(const tn_rule_t* rule, const tn_vmap_call_t* call,
                                 tn_arena_t* arena) {
  const size_t size = (size_t)call->batch_size;
  tn_array_t **operands = NULL, **column = NULL;
  tn_array_type_t* types = NULL;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, rule->operand_count, &operands));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, size, &column));
  TN_RETURN_IF_ERROR(
      tn__arena_allocate_array(arena, size, rule->result_count * sizeof(tn_array_t*), &memory));
  TN_RETURN_IF_ERROR(batch_types(rule, call->batch_size, arena, &types));
  tn_array_t** results = memory;
  for (size_t b = 0; b < size; ++b) {
    for (size_t i = 0; i < rule->operand_count; ++i) {
      operands[i] = element_of(rule, rule->operands[i], call->axes[i], (int64_t)b);
    }
    apply(rule, operands, rule->result_types, results + b * rule->result_count);
  }
  stack(rule, call, results, column, types);
  return TN_OK;
}

tn_status_t tn__vmap_one_by_one(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_t status = do_one_by_one(rule, call, &arena);
  tn__arena_deinit(&arena);
  return status;
}
