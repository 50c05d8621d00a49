// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One use of an operation as functions of its definition see it: rules, inference, printing.
#ifndef TENON_ARRAY_RULE_H_
#define TENON_ARRAY_RULE_H_

#include "lazy/array.h"

// The functions that rules are handed.
extern const tn_rule_api_t tn__rule_api;

// The step as its rules see it. `operands` may be others than the step's.
tn_rule_t tn__step_rule(const tn_step_t* step, tn_scope_t* scope, tn_array_t* const* operands,
                        const tn_array_type_t* result_types);
// The step behind a rule of Tenon's own.
const tn_step_t* tn__rule_step(const tn_rule_t* rule);

#endif  // TENON_ARRAY_RULE_H_
