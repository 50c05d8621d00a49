// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "array/rule.h"

#include <tenon/detail/array_ops.h>

#include "call/fitted.h"

static tn_status_t create_error(tn_code_t code, const char* message) {
  return tn_status_create(code, "%s", message);
}

static tn_array_t* pad(tn_scope_t* scope, tn_array_t* x, const int64_t* low, const int64_t* high,
                       tn_array_t* value) {
  return tn_array_pad(scope, x, low, high, TN_PAD_CONSTANT, value);
}

static tn_array_t* cumsum(tn_scope_t* scope, tn_array_t* x, int64_t axis, bool reverse) {
  return tn_array_cumsum(scope, x, axis, reverse, true);
}

const tn_rule_api_t tn__rule_api = {
    .struct_size = sizeof(tn_rule_api_t),
#define TN_RULE_FUNCTION(name) .name = tn_array_##name,
    TN_RULE_UNARY(TN_RULE_FUNCTION) TN_RULE_BINARY(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
#define TN_RULE_FUNCTION(name, parameters, arguments) .name = tn_array_##name,
        TN_RULE_OTHER(TN_RULE_FUNCTION)
#undef TN_RULE_FUNCTION
            .apply = tn_op_apply,
    .dtype = tn_array_dtype,
    .rank = tn_array_rank,
    .dims = tn_array_dims,
    .error = create_error,
    .erf = tn_array_erf,
    .power = tn_array_power,
    .matmul = tn_array_matmul,
    .where = tn_array_where,
    .concatenate = tn_array_concatenate,
    .pad = pad,
    .max = tn_array_max,
    .cumsum = cumsum,
    .take = tn_array_take,
    .vmap_leading = tn__vmap_in_front,
    .vmap_sequential = tn__vmap_one_by_one,
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
