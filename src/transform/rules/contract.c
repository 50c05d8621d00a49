// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of what folds dimensions: reduce and dot_general.
#include <string.h>

#include "array/common.h"
#include "array/views.h"
#include "transform/rules/rules.h"

// --- reduce

// Numbers of the dimensions of x that a reduce keeps.
static size_t kept_dimensions(size_t rank, size_t count, const int64_t* folded, int64_t* out_kept) {
  uint64_t set = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) set |= UINT64_C(1) << folded[i];
  for (size_t d = 0; d < rank; ++d) {
    if (!(set >> d & 1)) out_kept[kept++] = (int64_t)d;
  }
  return kept;
}

// A result of the reduction, repeated along what was folded.
static tn_array_t* spread(const tn_rule_t* rule, tn_array_t* t) {
  const tn_array_t* x = rule->operands[0];
  size_t count = 0;
  const int64_t* folded = tn__rule_list_attribute(rule, "dimensions", &count);
  int64_t kept[TN_MAX_RANK];
  kept_dimensions(x->rank, count, folded, kept);
  return tn__view_broadcast(rule->scope, t, kept, x->rank, x->dims);
}

static tn_array_t* sum_folded(const tn_rule_t* rule, tn_array_t* x) {
  size_t count = 0;
  const int64_t* folded = tn__rule_list_attribute(rule, "dimensions", &count);
  return tn_array_sum(rule->scope, x, count, folded, false);
}

// The product of the others that are folded with each element: of those before it and of those
// behind it, so that an element of zero has one.
static tn_array_t* products_of_others(const tn_rule_t* rule) {
  tn_scope_t* scope = rule->scope;
  const tn_array_t* x = rule->operands[0];
  size_t count = 0;
  const int64_t* folded = tn__rule_list_attribute(rule, "dimensions", &count);
  int64_t order[TN_MAX_RANK], dims[TN_MAX_RANK], turned[TN_MAX_RANK], inverse[TN_MAX_RANK];
  const size_t kept = kept_dimensions(x->rank, count, folded, order);
  if (tn_array_size(x) == 0) return tn__zeros_like(scope, x);
  for (size_t i = 0; i < count; ++i) order[kept + i] = folded[i];
  for (size_t i = 0; i < x->rank; ++i) {
    dims[i] = turned[i] = x->dims[order[i]];
    inverse[order[i]] = (int64_t)i;
  }
  dims[kept] = -1;
  tn_array_t* line = tn_array_transpose(scope, rule->operands[0], order);
  line = tn_array_reshape(scope, line, kept + 1, dims);
  line = tn_array_multiply(scope, tn_array_cumprod(scope, line, -1, false, false),
                           tn_array_cumprod(scope, line, -1, true, false));
  return tn_array_transpose(scope, tn_array_reshape(scope, line, x->rank, turned), inverse);
}

// How much each element of x has to say in the result: of maxima and minima a share of the elements
// that are equal to it; of products that of the others.
static tn_array_t* weights(const tn_rule_t* rule, tn_array_t* y) {
  tn_array_t* x = rule->operands[0];
  tn_scope_t* scope = rule->scope;
  if (tn__rule_folds_with(rule, TN__OP(multiply))) return products_of_others(rule);
  tn_array_t* is_chosen =
      tn_array_astype(scope, tn_array_equal(scope, x, spread(rule, y)), x->dtype);
  return tn_array_divide(scope, is_chosen, spread(rule, sum_folded(rule, is_chosen)));
}

tn_status_t tn__jvp_reduce(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  TN_RETURN_IF_ERROR(tn__rule_check_fold(rule, "jvp"));
  call->out_tangents[0] = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    if (call->argnums[i] != 0) continue;  // the initial value is a constant of Tenon's own
    tn_array_t* t = call->tangents[i];
    if (!tn__rule_folds_with(rule, TN__OP(add))) {
      t = tn_array_multiply(rule->scope, t, weights(rule, call->outputs[0]));
    }
    call->out_tangents[0] = sum_folded(rule, t);
  }
  return TN_OK;
}

tn_status_t tn__vjp_reduce(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  TN_RETURN_IF_ERROR(tn__rule_check_fold(rule, "vjp"));
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = NULL;
    if (call->argnums[i] != 0) continue;
    tn_array_t* t = spread(rule, call->cotangents[0]);
    if (!tn__rule_folds_with(rule, TN__OP(add))) {
      t = tn_array_multiply(rule->scope, t, weights(rule, call->outputs[0]));
    }
    call->out_cotangents[i] = t;
  }
  return TN_OK;
}

// Several arrays may be folded together, each from its initial value on.
tn_status_t tn__vmap_reduce(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  enum { LIMIT = 16 };
  const size_t result_count = rule->result_count;
  size_t count = 0;
  const int64_t* folded = tn__rule_list_attribute(rule, "dimensions", &count);
  int64_t shifted[TN_MAX_RANK], dims[LIMIT][TN_MAX_RANK];
  tn_array_t* operands[2 * LIMIT];
  tn_array_type_t types[LIMIT];
  if (result_count > LIMIT) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "reduce: a batch of more than %d arrays", LIMIT);
  }
  for (size_t i = 0; i < count; ++i) shifted[i] = folded[i] + 1;
  for (size_t i = 0; i < result_count; ++i) {
    const tn_array_type_t* type = &rule->result_types[i];
    if (call->axes[result_count + i] != TN_NO_AXIS) {
      return tn_status_create(TN_CODE_UNIMPLEMENTED, "reduce: a batch of initial values");
    }
    operands[i] = tn__batched(rule, call, i);
    operands[result_count + i] = rule->operands[result_count + i];
    dims[i][0] = call->batch_size;
    if (type->rank) memcpy(dims[i] + 1, type->dims, type->rank * sizeof *type->dims);
    types[i] = (tn_array_type_t){type->dtype, type->rank + 1, dims[i]};
    call->out_axes[i] = 0;
  }
  const tn_named_attr_t attribute = TN_I64_LIST_ATTR("dimensions", count, shifted);
  const tn_step_spec_t spec = {
      .op = TN__OP(reduce),
      .operand_count = 2 * result_count,
      .operands = operands,
      .attributes = {1, &attribute},
      .body = tn__rule_step(rule)->body,
      .result_count = result_count,
      .result_types = types,
  };
  tn__step_add(rule->scope, &spec, call->out_results);
  return TN_OK;
}

// --- dot_general

// The dimensions of one side: batching, contracting, and the rest in order.
typedef struct tn_dot_side {
  size_t rank;
  size_t batching_count, contracting_count, free_count;
  int64_t batching[TN_MAX_RANK], contracting[TN_MAX_RANK], free[TN_MAX_RANK];
} tn_dot_side_t;

static tn_dot_side_t side_of(const tn_rule_t* rule, bool is_rhs) {
  const tn_attr_dictionary_t* numbers =
      &tn__rule_attribute(rule, "dot_dimension_numbers")->dictionary;
  tn_dot_side_t side = {.rank = rule->operands[is_rhs]->rank};
  const int64_t* batching =
      tn__attr_get_elements(numbers, is_rhs ? "rhs_batching_dimensions" : "lhs_batching_dimensions",
                            &side.batching_count);
  const int64_t* contracting = tn__attr_get_elements(
      numbers, is_rhs ? "rhs_contracting_dimensions" : "lhs_contracting_dimensions",
      &side.contracting_count);
  uint64_t set = 0;
  for (size_t i = 0; i < side.batching_count; ++i) {
    side.batching[i] = batching[i];
    set |= UINT64_C(1) << batching[i];
  }
  for (size_t i = 0; i < side.contracting_count; ++i) {
    side.contracting[i] = contracting[i];
    set |= UINT64_C(1) << contracting[i];
  }
  for (size_t d = 0; d < side.rank; ++d) {
    if (!(set >> d & 1)) side.free[side.free_count++] = (int64_t)d;
  }
  return side;
}

static tn_array_t* dot_general(tn_scope_t* scope, tn_array_t* lhs, tn_array_t* rhs,
                               size_t batching_count, const int64_t* lhs_batching,
                               const int64_t* rhs_batching, size_t contracting_count,
                               const int64_t* lhs_contracting, const int64_t* rhs_contracting,
                               const tn_array_type_t* type) {
  const tn_named_attr_t fields[] = {
      TN_I64_LIST_ATTR("lhs_batching_dimensions", batching_count, lhs_batching),
      TN_I64_LIST_ATTR("rhs_batching_dimensions", batching_count, rhs_batching),
      TN_I64_LIST_ATTR("lhs_contracting_dimensions", contracting_count, lhs_contracting),
      TN_I64_LIST_ATTR("rhs_contracting_dimensions", contracting_count, rhs_contracting),
  };
  const tn_named_attr_t numbers =
      TN_STRUCT_ATTR("dot_dimension_numbers", "dot", sizeof fields / sizeof *fields, fields);
  tn_array_t* operands[] = {lhs, rhs};
  return tn__apply_with(scope, TN__OP(dot_general), 2, operands, 1, &numbers, type->dtype,
                        type->rank, type->dims);
}

static tn_array_t* dot(const tn_rule_t* rule, tn_array_t* lhs, tn_array_t* rhs) {
  tn_array_t* operands[] = {lhs, rhs};
  return tn__rule_apply(rule, operands, rule->result_types);
}

tn_status_t tn__jvp_dot_general(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_array_t* sum = NULL;
  for (size_t i = 0; i < call->argnum_count; ++i) {
    tn_array_t* t = call->tangents[i];
    tn_array_t* part =
        call->argnums[i] == 0 ? dot(rule, t, rule->operands[1]) : dot(rule, rule->operands[0], t);
    sum = tn__add_or_either(rule->scope, sum, part);
  }
  call->out_tangents[0] = sum;
  return TN_OK;
}

// The cotangent has (batching, free of lhs, free of rhs). Contracted with the free dimensions of
// the other side it has (batching, free of this, contracting of the other), which is then put in
// order.
static tn_array_t* dot_cotangent(const tn_rule_t* rule, tn_array_t* t, bool is_rhs) {
  const tn_dot_side_t self = side_of(rule, is_rhs), other = side_of(rule, !is_rhs);
  tn_array_t* factor = rule->operands[!is_rhs];
  const tn_array_t* x = rule->operands[is_rhs];
  int64_t t_batching[TN_MAX_RANK], t_contracting[TN_MAX_RANK], dims[TN_MAX_RANK];
  int64_t order[TN_MAX_RANK];
  size_t rank = 0;
  const size_t first = self.batching_count + (is_rhs ? 0 : self.free_count);
  for (size_t i = 0; i < self.batching_count; ++i) {
    t_batching[i] = (int64_t)i;
    order[self.batching[i]] = (int64_t)rank;
    dims[rank++] = x->dims[self.batching[i]];
  }
  for (size_t i = 0; i < other.free_count; ++i) t_contracting[i] = (int64_t)(first + i);
  for (size_t i = 0; i < self.free_count; ++i) {
    order[self.free[i]] = (int64_t)rank;
    dims[rank++] = x->dims[self.free[i]];
  }
  // The other's contracting dimensions come in their order there.
  for (size_t d = 0; d < other.rank; ++d) {
    for (size_t i = 0; i < other.contracting_count; ++i) {
      if (other.contracting[i] != (int64_t)d) continue;
      order[self.contracting[i]] = (int64_t)rank;
      dims[rank++] = x->dims[self.contracting[i]];
    }
  }
  const tn_array_type_t type = {x->dtype, rank, dims};
  tn_array_t* product =
      dot_general(rule->scope, t, factor, self.batching_count, t_batching, other.batching,
                  other.free_count, t_contracting, other.free, &type);
  return tn_array_transpose(rule->scope, product, order);
}

tn_status_t tn__vjp_dot_general(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  for (size_t i = 0; i < call->argnum_count; ++i) {
    call->out_cotangents[i] = dot_cotangent(rule, call->cotangents[0], call->argnums[i] == 1);
  }
  return TN_OK;
}

static void shift_side(tn_dot_side_t* side) {
  for (size_t i = 0; i < side->contracting_count; ++i) ++side->contracting[i];
  for (size_t i = side->batching_count; i-- > 0;) side->batching[i + 1] = side->batching[i] + 1;
  side->batching[0] = 0;
}

// With a batch on one side it is one more free dimension; on both, one more batching dimension.
tn_status_t tn__vmap_dot_general(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_dot_side_t lhs = side_of(rule, false), rhs = side_of(rule, true);
  int64_t dims[TN_MAX_RANK];
  const tn_array_type_t* type = rule->result_types;
  const bool has_lhs = call->axes[0] != TN_NO_AXIS, has_rhs = call->axes[1] != TN_NO_AXIS;
  size_t batching_count = lhs.batching_count, axis = 0;
  if (has_lhs && has_rhs) {
    shift_side(&lhs);
    shift_side(&rhs);
    ++batching_count;
  } else {
    tn_dot_side_t* side = has_lhs ? &lhs : &rhs;
    for (size_t i = 0; i < side->batching_count; ++i) ++side->batching[i];
    for (size_t i = 0; i < side->contracting_count; ++i) ++side->contracting[i];
    axis = lhs.batching_count + (has_lhs ? 0 : lhs.free_count);
  }
  for (size_t d = 0, from = 0; d < type->rank + 1 && d < TN_MAX_RANK; ++d) {
    dims[d] = d == axis ? call->batch_size : type->dims[from++];
  }
  const tn_array_type_t batched = {type->dtype, type->rank + 1, dims};
  call->out_results[0] = dot_general(
      rule->scope, has_lhs ? tn__batched(rule, call, 0) : rule->operands[0],
      has_rhs ? tn__batched(rule, call, 1) : rule->operands[1], batching_count, lhs.batching,
      rhs.batching, lhs.contracting_count, lhs.contracting, rhs.contracting, &batched);
  call->out_axes[0] = (int64_t)axis;
  return TN_OK;
}
