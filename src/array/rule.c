// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/rule.h"

#include <tenon/detail/array_ops.h>

#include "call/fitted.h"

static tn_status_t create_error(tn_code_t code, const char* message) {
  return tn_status_create(code, "%s", message);
}

const tn_rule_api_t tn__rule_api = {
    .struct_size = sizeof(tn_rule_api_t),
#define TN_RULE_FUNCTION(name) .name = tn_array_##name,
    TN_RULE_UNARY(TN_RULE_FUNCTION) TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
        .scalar = tn_array_scalar,
    .astype = tn_array_astype,
    .broadcast_to = tn_array_broadcast_to,
    .reshape = tn_array_reshape,
    .transpose = tn_array_transpose,
    .slice = tn_array_slice,
    .sum = tn_array_sum,
    .apply = tn_op_apply,
    .dtype = tn_array_dtype,
    .rank = tn_array_rank,
    .dims = tn_array_dims,
    .error = create_error,
};

tn_rule_t tn__step_rule(const tn_step_t* step, tn_scope_t* scope, tn_array_t* const* operands,
                        const tn_array_type_t* result_types) {
  return (tn_rule_t){
      .struct_size = sizeof(tn_rule_t),
      .api = &tn__rule_api,
      .scope = scope,
      .name = tn__step_is_called(step) ? tn__op_called_name(step->op).data : tn__step_name(step),
      .op = step->excerpt ? NULL : tn__op_definition(step->op),
      .attribute_count = step->fitted ? step->attributes.count : 0,
      .attributes = step->fitted ? step->fitted->list : NULL,
      .operand_count = step->operand_count,
      .operands = operands,
      .result_count = step->result_count,
      .result_types = result_types,
      .internal = step,
  };
}

const tn_step_t* tn__rule_step(const tn_rule_t* rule) {
  return rule->internal;
}
