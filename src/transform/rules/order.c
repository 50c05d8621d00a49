// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of sort: what goes with an element goes where the element goes.
#include <string.h>

#include "array/common.h"
#include "transform/rules/rules.h"

// Values, and what goes with them.
enum { OPERAND_LIMIT = 64 };

static int64_t axis_of(const tn_rule_t* rule) {
  const int64_t rank = (int64_t)rule->result_types[0].rank;
  const int64_t axis = tn__attr_get_integer(&tn__rule_step(rule)->attributes, "dimension", -1);
  return axis < 0 ? axis + rank : axis;
}

static void add_sort(const tn_rule_t* rule, size_t count, tn_array_t* const* operands, int64_t axis,
                     tn_array_t** out_results) {
  tn_array_type_t types[OPERAND_LIMIT + 1];
  for (size_t i = 0; i < count; ++i) {
    types[i] = (tn_array_type_t){operands[i]->dtype, operands[i]->rank, operands[i]->dims};
  }
  const tn_named_attr_t attributes[] = {
      TN_I64_ATTR("dimension", axis),
      TN_BOOL_ATTR("is_stable", tn__rule_bool(rule, "is_stable")),
  };
  const tn_step_spec_t spec = {
      .op = TN__OP(sort),
      .operand_count = count,
      .operands = operands,
      .attributes = {2, attributes},
      .body = tn__rule_step(rule)->body,
      .result_count = count,
      .result_types = types,
  };
  tn__step_add(rule->scope, &spec, out_results);
}

static tn_status_t check_count(const tn_rule_t* rule) {
  if (rule->operand_count <= OPERAND_LIMIT) return TN_OK;
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "sort: there are no rules for more than %d arrays",
                          OPERAND_LIMIT);
}

// Where the element at each place comes from. Whatever compares them, places are moved along.
static tn_array_t* sources(const tn_rule_t* rule, int64_t axis) {
  tn_array_t *operands[OPERAND_LIMIT + 1], *results[OPERAND_LIMIT + 1];
  const size_t count = rule->operand_count;
  const tn_array_t* x = rule->operands[0];
  memcpy(operands, rule->operands, count * sizeof *operands);
  operands[count] = tn__iota(rule->scope, TN_DTYPE_U32, x->rank, x->dims, (size_t)axis);
  if (operands[count]->dtype == TN_DTYPE_INVALID) return operands[count];
  add_sort(rule, count + 1, operands, axis, results);
  return results[count];
}

tn_status_t tn__jvp_sort(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  const int64_t axis = axis_of(rule);
  TN_RETURN_IF_ERROR(check_count(rule));
  tn_array_t* places = sources(rule, axis);
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_tangents[call->argnums[i]] =
        tn_array_take_along_axis(rule->scope, call->tangents[i], places, axis);
  }
  return TN_OK;
}

// The inverse of a permutation is what sorts it.
tn_status_t tn__vjp_sort(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const int64_t axis = axis_of(rule);
  TN_RETURN_IF_ERROR(check_count(rule));
  tn_array_t* places = tn_array_argsort(rule->scope, sources(rule, axis), axis);
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] =
        tn_array_take_along_axis(rule->scope, call->cotangents[call->argnums[i]], places, axis);
  }
  return TN_OK;
}

tn_status_t tn__vmap_sort(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_array_t* operands[OPERAND_LIMIT];
  TN_RETURN_IF_ERROR(check_count(rule));
  for (size_t i = 0; i < rule->operand_count; ++i) {
    operands[i] = tn__batched(rule, call, i);
    TN_RETURN_IF_ERROR(tn_array_status(operands[i]));
    call->out_axes[i] = 0;
  }
  add_sort(rule, rule->operand_count, operands, axis_of(rule) + 1, call->out_results);
  return TN_OK;
}
