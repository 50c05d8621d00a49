// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "transform/rules/rules.h"

#include <string.h>

#include "array/definition.h"
#include "array/views.h"
#include "base/type.h"
#include "call/operation.h"

enum { OPERAND_LIMIT = 64 };  // of an element-wise operation over a batch

// --- the table

static const tn_rules_t rules_of_operations[TN_STEP_OP_COUNT] = {
#define TN_OWN_RULES(name)
#define TN_RULES(dialect, name, jvp, vjp, vmap) [TN_OP_ID_##dialect##_##name] = {jvp, vjp, vmap},
#include "transform/rules/rules.def"
#undef TN_RULES
#undef TN_OWN_RULES
};

tn_status_t tn__jvp_identity(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  (void)rule;
  call->out_tangents[0] = call->tangents[0];
  return TN_OK;
}

tn_status_t tn__vjp_identity(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  (void)rule;
  call->out_cotangents[0] = call->cotangents[0];
  return TN_OK;
}

tn_status_t tn__vmap_identity(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  call->out_results[0] = rule->operands[0];
  call->out_axes[0] = call->axes[0];
  return TN_OK;
}

// A constant to derivatives of the batch as well.
tn_status_t tn__vmap_stop_gradient(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  call->out_results[0] = tn_array_stop_gradient(rule->scope, rule->operands[0]);
  call->out_axes[0] = call->axes[0];
  return TN_OK;
}

// Element-wise operations of authors: every operand with the batch before its dimensions.
static tn_status_t vmap_application(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_array_t* operands[OPERAND_LIMIT];
  if (rule->operand_count > OPERAND_LIMIT) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: a batch of more than %d operands",
                            rule->name, OPERAND_LIMIT);
  }
  for (size_t i = 0; i < rule->operand_count; ++i) operands[i] = tn__batched(rule, call, i);
  const tn_application_t application = {
      .struct_size = sizeof application,
      .name = rule->name,
      .operand_count = rule->operand_count,
      .operands = operands,
      .attribute_count = rule->attribute_count,
      .attributes = rule->attributes,
      .result_count = rule->result_count,
  };
  tn__apply_op(rule->scope, tn__rule_step(rule)->op, &application, call->out_results);
  for (size_t i = 0; i < rule->result_count; ++i) call->out_axes[i] = 0;
  return TN_OK;
}

static tn_rules_t rules_of_table(const tn_op_t* op) {
  return tn__op_has(op, TN_IDENTITY) ? rules_of_operations[TN_OP_ID_COUNT + (op - tn__identities)]
                                     : rules_of_operations[tn__op_written(op) - tn__ops];
}

tn_rules_t tn__step_rules(const tn_step_t* step) {
  if (!step->op || step->excerpt) return (tn_rules_t){0};
  const tn_op_def_t* definition = tn__op_definition(step->op);
  if (!definition) return rules_of_table(step->op);
  tn_rules_t rules = {definition->jvp, definition->vjp, definition->vmap};
  if (!rules.vmap && definition->flags & TN_OP_ELEMENTWISE) rules.vmap = vmap_application;
  return rules;
}

tn_status_t tn__step_no_rule(const tn_step_t* step, const char* rule) {
  const char* name = tn__step_name(step);
  tn_status_t status =
      tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: there is no %s of this operation", name, rule);
  if (!tn__step_is_called(step)) return status;
  const tn_op_def_t* definition = tn__op_definition(step->op);
  if (!definition) {
    return tn_status_note(status, "it is a custom call without a definition (TN_DEFINE)");
  }
  // Operations that Tenon makes for others have no definition that their users could extend.
  if (strncmp(name, "tenon.", 6) == 0) {
    return tn_status_note(
        status,
        "a function with rules of its own gives it one: custom_function in Python, "
        "tn_custom_function_call in C");
  }
  return tn_status_note(status, "TN_DEFINE(%s, .%s = ...) gives it one", name, rule);
}

const tn_attr_t* tn__rule_attribute(const tn_rule_t* rule, const char* name) {
  return tn__attr_find(&tn__rule_step(rule)->attributes, name);
}

bool tn__rule_bool(const tn_rule_t* rule, const char* name) {
  return tn__attr_get_bool(&tn__rule_step(rule)->attributes, name, false);
}

int64_t tn__rule_integer(const tn_rule_t* rule, const char* name) {
  return tn__rule_attribute(rule, name)->integer;
}

const int64_t* tn__rule_list_attribute(const tn_rule_t* rule, const char* name, size_t* out_count) {
  return tn__attr_get_elements(&tn__rule_step(rule)->attributes, name, out_count);
}

// --- what rules are written with

tn_array_t* tn__rule_apply(const tn_rule_t* rule, tn_array_t* const* operands,
                           const tn_array_type_t* type) {
  const tn_step_t* step = tn__rule_step(rule);
  return tn__apply_body(rule->scope, step->op, step->operand_count, operands,
                        step->attributes.count, step->attributes.entries, step->body, type);
}

tn_array_t* tn__zeros_like(tn_scope_t* scope, const tn_array_t* x) {
  return tn_array_zeros(scope, x->dtype, x->rank, x->dims);
}

tn_array_t* tn__add_or_either(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  if (!a || !b) return a ? a : b;
  return tn_array_add(scope, a, b);
}

tn_array_t* tn__move_axis(tn_scope_t* scope, tn_array_t* x, int64_t from, int64_t to) {
  int64_t axes[TN_MAX_RANK];
  size_t source = 0;
  if (from == to) return x;
  for (size_t i = 0; i < x->rank; ++i) {
    if ((int64_t)source == from) ++source;
    axes[i] = (int64_t)i == to ? from : (int64_t)source++;
  }
  return tn_array_transpose(scope, x, axes);
}

tn_array_type_t tn__batched_type(const tn_rule_t* rule, int64_t batch_size, int64_t* out_dims) {
  const tn_array_type_t* type = &rule->result_types[0];
  out_dims[0] = batch_size;
  const size_t kept = type->rank < TN_MAX_RANK ? type->rank : TN_MAX_RANK - 1;
  if (kept) memcpy(out_dims + 1, type->dims, kept * sizeof *out_dims);
  return (tn_array_type_t){type->dtype, type->rank + 1, out_dims};
}

tn_array_t* tn__batched(const tn_rule_t* rule, const tn_vmap_call_t* call, size_t operand) {
  tn_array_t* x = rule->operands[operand];
  int64_t dims[TN_MAX_RANK], dimensions[TN_MAX_RANK];
  if (call->axes[operand] != TN_NO_AXIS) {
    return tn__move_axis(rule->scope, x, call->axes[operand], 0);
  }
  if (x->rank == TN_MAX_RANK) {
    return tn__scope_fail(rule->scope, TN_CODE_INVALID_ARGUMENT,
                          "vmap: an array has %d dimensions, and no room for the batch",
                          TN_MAX_RANK);
  }
  dims[0] = call->batch_size;
  for (size_t i = 0; i < x->rank; ++i) {
    dims[i + 1] = x->dims[i];
    dimensions[i] = (int64_t)i + 1;
  }
  return tn__view_broadcast(rule->scope, x, dimensions, x->rank + 1, dims);
}

tn_status_t tn__rule_check_fold(const tn_rule_t* rule, const char* derivative) {
  const tn_op_t* op = tn__rule_body_op(rule);
  if (op == TN__OP(add) || op == TN__OP(maximum) || op == TN__OP(minimum) ||
      op == TN__OP(multiply)) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: there is no %s of a reduction with %s",
                          tn__op_short_name(tn__rule_step(rule)->op), derivative,
                          op ? tn__op_short_name(op) : "a region of its own");
}

// --- rules of many operations

tn_status_t tn__jvp_zero(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  return TN_OK;
}

tn_status_t tn__vjp_zero(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  (void)rule;
  for (size_t i = 0; i < call->argnum_count; ++i) call->out_cotangents[i] = NULL;
  return TN_OK;
}

tn_status_t tn__vmap_elementwise(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_array_t* operands[OPERAND_LIMIT];
  for (size_t i = 0; i < rule->operand_count; ++i) operands[i] = tn__batched(rule, call, i);
  int64_t dims[TN_MAX_RANK];
  const tn_array_type_t type = tn__batched_type(rule, call->batch_size, dims);
  call->out_results[0] = tn__rule_apply(rule, operands, &type);
  call->out_axes[0] = 0;
  return TN_OK;
}
