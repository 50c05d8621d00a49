// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The check dialect: what test programs expect.
#include "ops/rules.h"

// Both operands are tensors of one type with elements of these kinds.
static tn_status_t same_operands(const tn_op_use_t* use, uint32_t kinds) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "lhs", kinds));
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 1, NULL, "rhs", kinds));
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  TN_CONSTRAINT(use, NULL, tn__types_agree(lhs, rhs), "rhs has type %s; expected %s, as lhs",
                TN_TYPE_TEXT(rhs), TN_TYPE_TEXT(lhs));
  return TN_OK;
}

static tn_status_t same_as_value(const tn_op_use_t* use, uint32_t kinds) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, NULL, "lhs", kinds));
  const tn_type_t *lhs = use->operand_types[0],
                  *value = tn__attr_find(&use->attrs, "value")->elements.type;
  TN_CONSTRAINT(use, NULL, tn__types_agree(lhs, value), "value has type %s; expected %s, as lhs",
                TN_TYPE_TEXT(value), TN_TYPE_TEXT(lhs));
  return TN_OK;
}

tn_status_t tn__verify_expect_eq(const tn_op_use_t* use) {
  return same_operands(use, TN__ANY_KIND);
}
tn_status_t tn__verify_expect_eq_const(const tn_op_use_t* use) {
  return same_as_value(use, TN__ANY_KIND);
}
tn_status_t tn__verify_expect_almost_eq(const tn_op_use_t* use) {
  return same_operands(use, TN__FLOAT_OR_COMPLEX);
}
tn_status_t tn__verify_expect_almost_eq_const(const tn_op_use_t* use) {
  return same_as_value(use, TN__FLOAT_OR_COMPLEX);
}
tn_status_t tn__verify_expect_close(const tn_op_use_t* use) {
  return same_operands(use, TN__FLOAT_OR_COMPLEX);
}
