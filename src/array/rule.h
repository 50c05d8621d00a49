// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One use of an operation as functions of its definition see it: rules, inference, printing.
#ifndef TENON_ARRAY_RULE_H_
#define TENON_ARRAY_RULE_H_

#include "lazy/array.h"

// The functions that rules are handed.
extern const tn_rule_api_t tn__rule_api;

// The batching rules of operations that choose one of Tenon's (TN_VMAP_LEADING,
// TN_VMAP_SEQUENTIAL).
TN_MUST_USE tn_status_t tn__vmap_in_front(const tn_rule_t* rule, const tn_vmap_call_t* call);
TN_MUST_USE tn_status_t tn__vmap_one_by_one(const tn_rule_t* rule, const tn_vmap_call_t* call);

// The step as its rules see it. `operands` may be others than the step's.
tn_rule_t tn__step_rule(const tn_step_t* step, tn_scope_t* scope, tn_array_t* const* operands,
                        const tn_array_type_t* result_types);
// The step behind a rule of Tenon's own.
const tn_step_t* tn__rule_step(const tn_rule_t* rule);

#endif  // TENON_ARRAY_RULE_H_
