// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of scatter, of one array: updates that replace, are added, multiply, or hold above or
// below.
#include "transform/rules/index.h"

#include <string.h>

#include "array/common.h"

static tn_index_numbers_t scatter_numbers(const tn_rule_t* rule) {
  return tn__index_numbers(tn__rule_attribute(rule, "scatter_dimension_numbers"),
                           tn__scatter_names);
}

// What is where the updates go.
static tn_array_t* read_windows(const tn_rule_t* rule, tn_array_t* t) {
  tn_index_numbers_t numbers = scatter_numbers(rule);
  int64_t sizes[TN_MAX_RANK];
  const tn_array_t* updates = rule->operands[2];
  tn__window_sizes(&numbers, rule->operands[0], updates, sizes);
  const tn_array_type_t type = {t->dtype, updates->rank, updates->dims};
  return tn__gather_by(rule->scope, t, rule->operands[1], &numbers, sizes, &type);
}

static bool combines_with(const tn_rule_t* rule, const tn_op_t* op) {
  return tn__rule_body_op(rule) == op;
}

static bool adds(const tn_rule_t* rule) {
  return combines_with(rule, TN__OP(add));
}

static bool replaces(const tn_rule_t* rule) {
  return tn__body_replaces(tn__rule_step(rule)->body);
}

static bool multiplies(const tn_rule_t* rule) {
  return combines_with(rule, TN__OP(multiply));
}

static tn_status_t check_scatter(const tn_rule_t* rule, const char* what) {
  if (rule->operand_count == 3 &&
      (adds(rule) || replaces(rule) || multiplies(rule) || combines_with(rule, TN__OP(maximum)) ||
       combines_with(rule, TN__OP(minimum)))) {
    return TN_OK;
  }
  const tn_op_t* op = tn__rule_body_op(rule);
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "scatter: there is no %s of updates with %s", what,
                          op ? tn__op_short_name(op) : "a region of their own");
}

// Updates added to x at the places of the rule's.
static tn_array_t* add_at(const tn_rule_t* rule, tn_array_t* x, tn_array_t* updates) {
  tn_index_numbers_t numbers = scatter_numbers(rule);
  const tn_region_t* sum = tn__body_of(rule->scope, TN__OP(add), x->dtype);
  return tn__scatter_by(rule->scope, x, rule->operands[1], updates, &numbers, sum);
}

// Which of the updates is what is there in the end, when several went to one place: each writes
// its number, and reads whose it finds.
static tn_array_t* mask_of_last(const tn_rule_t* rule) {
  tn_scope_t* scope = rule->scope;
  tn_index_numbers_t numbers = scatter_numbers(rule);
  const tn_array_t *x = rule->operands[0], *updates = rule->operands[2];
  const int64_t size = tn_array_size(updates);
  const tn_named_attr_t attribute = TN_I64_ATTR("iota_dimension", 0);
  tn_array_t* own =
      tn__apply_with(scope, TN__OP(iota), 0, NULL, 1, &attribute, TN_DTYPE_S64, 1, &size);
  own = tn_array_reshape(scope, own, updates->rank, updates->dims);
  tn_array_t* no_update =
      tn_array_full(scope, x->rank, x->dims, tn_array_scalar(scope, TN_DTYPE_S64, -1));
  const tn_region_t* replace = tn__body_replacing(scope, TN_DTYPE_S64);
  tn_array_t* last = tn__scatter_by(scope, no_update, rule->operands[1], own, &numbers, replace);
  return tn_array_equal(scope, read_windows(rule, last), own);
}

// What the result has of its operand and of its updates, element by element: how much of a tangent
// of either reaches it.
typedef struct tn_shares {
  tn_array_t* of_operand;
  tn_array_t* of_updates;
} tn_shares_t;

static tn_places_t places_of(const tn_rule_t* rule) {
  tn_index_numbers_t numbers = scatter_numbers(rule);
  return tn__places_of_updates(rule->scope, rule->operands[0], rule->operands[1], rule->operands[2],
                               &numbers);
}

// Zeros for updates that go nowhere.
static tn_array_t* of_inside(tn_scope_t* scope, tn_places_t places, tn_array_t* of_updates) {
  if (!places.is_inside) return of_updates;
  return tn_array_where(scope, places.is_inside, of_updates, tn__number_like(scope, of_updates, 0));
}

// The product of all updates for a place, and of all but the one with what was there.
static tn_shares_t shares_of_product(const tn_rule_t* rule) {
  tn_scope_t* scope = rule->scope;
  tn_index_numbers_t numbers = scatter_numbers(rule);
  tn_array_t *x = rule->operands[0], *updates = rule->operands[2];
  const tn_region_t* product = tn__body_of(scope, TN__OP(multiply), x->dtype);
  tn_array_t* ones = tn_array_full(scope, x->rank, x->dims, tn_array_scalar(scope, x->dtype, 1));
  tn_places_t places = places_of(rule);
  tn_array_t* nowhere = tn_array_scalar(scope, TN_DTYPE_S64, -1);
  tn_array_t* zero = tn_array_scalar(scope, TN_DTYPE_S64, 0);
  tn_array_t* own = places.numbers ? places.numbers : zero;
  if (places.is_inside) own = tn_array_where(scope, places.is_inside, own, nowhere);
  tn_array_t* rest = tn__products_of_others(scope, own, updates);
  rest = tn_array_multiply(scope, rest, read_windows(rule, x));
  return (tn_shares_t){
      .of_operand = tn__scatter_by(scope, ones, rule->operands[1], updates, &numbers, product),
      .of_updates = of_inside(scope, places, rest)};
}

// Those that are the result share it.
static tn_shares_t shares_of_choice(const tn_rule_t* rule, tn_array_t* result) {
  tn_scope_t* scope = rule->scope;
  const tn_array_t* x = rule->operands[0];
  tn_array_t* is_operand = tn_array_equal(scope, rule->operands[0], result);
  tn_array_t* is_update = tn_array_equal(scope, rule->operands[2], read_windows(rule, result));
  is_operand = tn_array_astype(scope, is_operand, x->dtype);
  is_update = of_inside(scope, places_of(rule), tn_array_astype(scope, is_update, x->dtype));
  tn_array_t* count = add_at(rule, is_operand, is_update);
  return (tn_shares_t){.of_operand = tn_array_divide(scope, is_operand, count),
                       .of_updates = tn_array_divide(scope, is_update, read_windows(rule, count))};
}

static tn_shares_t shares_of(const tn_rule_t* rule, tn_array_t* result) {
  return multiplies(rule) ? shares_of_product(rule) : shares_of_choice(rule, result);
}

tn_status_t tn__jvp_scatter(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* tangents[3] = {NULL, rule->operands[1], NULL};
  TN_RETURN_IF_ERROR(check_scatter(rule, "jvp"));
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] != 1) tangents[call->argnums[i]] = call->tangents[i];
  }
  for (size_t i = 0; i < 3; ++i) {
    if (!tangents[i]) tangents[i] = tn__zeros_like(scope, rule->operands[i]);
  }
  if (adds(rule) || replaces(rule)) {
    call->out_tangents[0] = tn__rule_apply(rule, tangents, rule->result_types);
    return TN_OK;
  }
  const tn_shares_t shares = shares_of(rule, call->outputs[0]);
  call->out_tangents[0] = add_at(rule, tn_array_multiply(scope, tangents[0], shares.of_operand),
                                 tn_array_multiply(scope, tangents[2], shares.of_updates));
  return TN_OK;
}

// Of updates that are added or replace: what is at their places, for those that are still there.
static tn_array_t* cotangent_of_updates(const tn_rule_t* rule, tn_array_t* t) {
  tn_array_t* read = read_windows(rule, t);
  if (adds(rule)) return of_inside(rule->scope, places_of(rule), read);
  return tn_array_multiply(rule->scope, read,
                           tn_array_astype(rule->scope, mask_of_last(rule), t->dtype));
}

static tn_array_t* cotangent_of_operand(const tn_rule_t* rule, tn_array_t* t) {
  if (adds(rule)) return t;
  tn_array_t* operands[] = {t, rule->operands[1], tn__zeros_like(rule->scope, rule->operands[2])};
  return tn__rule_apply(rule, operands, rule->result_types);
}

tn_status_t tn__vjp_scatter(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_scope_t* scope = rule->scope;
  tn_array_t* t = call->cotangents[0];
  tn_shares_t shares = {NULL, NULL};
  TN_RETURN_IF_ERROR(check_scatter(rule, "vjp"));
  const bool is_linear = adds(rule) || replaces(rule);
  if (!is_linear) shares = shares_of(rule, call->outputs[0]);
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = NULL;
    if (call->argnums[i] == 0) {
      call->out_cotangents[i] = is_linear ? cotangent_of_operand(rule, t)
                                          : tn_array_multiply(scope, t, shares.of_operand);
    } else if (call->argnums[i] == 2) {
      call->out_cotangents[i] =
          is_linear ? cotangent_of_updates(rule, t)
                    : tn_array_multiply(scope, read_windows(rule, t), shares.of_updates);
    }
  }
  return TN_OK;
}

tn_status_t tn__vmap_scatter(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_index_numbers_t numbers = scatter_numbers(rule);
  const bool has_indices = call->axes[1] != TN_NO_AXIS;
  if (rule->operand_count != 3) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "scatter: a batch of several arrays");
  }
  tn__index_add_batch(&numbers, true, has_indices);
  call->out_results[0] =
      tn__scatter_by(rule->scope, tn__batched(rule, call, 0),
                     has_indices ? tn__batched(rule, call, 1) : rule->operands[1],
                     tn__batched(rule, call, 2), &numbers, tn__rule_step(rule)->body);
  call->out_axes[0] = 0;
  return TN_OK;
}
