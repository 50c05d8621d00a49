// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The rules of operations: derivatives and batches. Tenon's own operations have theirs in
// rules.def, with the signatures that authors' operations have.
#ifndef TENON_TRANSFORM_RULES_RULES_H_
#define TENON_TRANSFORM_RULES_RULES_H_

#include <tenon/detail/array_ops.h>
#include <tenon/detail/transform.h>

#include "array/rule.h"
#include "lazy/body.h"
#include "ops/scalar.h"

typedef struct tn_rules {
  tn_jvp_fn jvp;  // NULL: there is none
  tn_vjp_fn vjp;
  tn_vmap_fn vmap;
} tn_rules_t;

// Of the operation that a step applies.
tn_rules_t tn__step_rules(const tn_step_t* step);
// The error of a transform that needs the rule: UNIMPLEMENTED.
tn_status_t tn__step_no_rule(const tn_step_t* step, const char* rule);

// Attributes of it, which are there.
const tn_attr_t* tn__rule_attribute(const tn_rule_t* rule, const char* name);
int64_t tn__rule_integer(const tn_rule_t* rule, const char* name);
bool tn__rule_bool(const tn_rule_t* rule, const char* name);  // false when it is absent
const int64_t* tn__rule_list_attribute(const tn_rule_t* rule, const char* name, size_t* out_count);

// The operation itself, with its one result, on other operands; `type` is that of the result.
tn_array_t* tn__rule_apply(const tn_rule_t* rule, tn_array_t* const* operands,
                           const tn_array_type_t* type);
// The operation that its region applies (lazy/body.h).
static inline const tn_op_t* tn__rule_body_op(const tn_rule_t* rule) {
  return tn__body_op(tn__rule_step(rule)->body);
}
static inline bool tn__rule_folds_with(const tn_rule_t* rule, const tn_op_t* op) {
  return tn__rule_body_op(rule) == op;
}
// Whether reductions with that operation have derivatives; if not, UNIMPLEMENTED.
TN_MUST_USE tn_status_t tn__rule_check_fold(const tn_rule_t* rule, const char* derivative);
tn_array_t* tn__zeros_like(tn_scope_t* scope, const tn_array_t* x);
// a + b; NULL is zero.
tn_array_t* tn__add_or_either(tn_scope_t* scope, tn_array_t* a, tn_array_t* b);

// Whether derivatives with respect to it mean something: floats and complex dtypes.
static inline bool tn__is_differentiable(const tn_array_t* array) {
  return tn_issubdtype(array->dtype, TN_CATEGORY_INEXACT);
}

// Moves dimension `from` to `to`, as a view.
tn_array_t* tn__move_axis(tn_scope_t* scope, tn_array_t* x, int64_t from, int64_t to);
// The type of result 0 with the batch as dimension 0; the dimensions go to `out_dims`.
tn_array_type_t tn__batched_type(const tn_rule_t* rule, int64_t batch_size, int64_t* out_dims);
// With the batch as dimension 0: it is moved there, or made by broadcasting where there is none.
tn_array_t* tn__batched(const tn_rule_t* rule, const tn_vmap_call_t* call, size_t operand);

#define TN_DECLARE_RULES(name)                                                  \
  tn_status_t tn__jvp_##name(const tn_rule_t* rule, const tn_jvp_call_t* call); \
  tn_status_t tn__vjp_##name(const tn_rule_t* rule, const tn_vjp_call_t* call); \
  tn_status_t tn__vmap_##name(const tn_rule_t* rule, const tn_vmap_call_t* call);
// Families.
tn_status_t tn__jvp_zero(const tn_rule_t* rule, const tn_jvp_call_t* call);
tn_status_t tn__vjp_zero(const tn_rule_t* rule, const tn_vjp_call_t* call);
tn_status_t tn__vmap_elementwise(const tn_rule_t* rule, const tn_vmap_call_t* call);
tn_status_t tn__jvp_partial(const tn_rule_t* rule, const tn_jvp_call_t* call);
tn_status_t tn__vjp_partial(const tn_rule_t* rule, const tn_vjp_call_t* call);
#define TN_RULES(dialect, name, ...)
#define TN_OWN_RULES(name) TN_DECLARE_RULES(name)
#include "transform/rules/rules.def"
#undef TN_OWN_RULES
#undef TN_RULES

#endif  // TENON_TRANSFORM_RULES_RULES_H_
