// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// For tests of rules, every rule against finite differences: what a small step along v does to
// u . f(x) is u . jvp(v), and vjp(u) . v; and a batch, with its derivative, is its elements
// one by one. All in float64.
#ifndef TENON_TRANSFORM_RULES_TESTING_RULES_H_
#define TENON_TRANSFORM_RULES_TESTING_RULES_H_

#include <tenon/detail/transform.h>

#include "array/common.h"
#include "lazy/testing_lazy.h"

enum { TN_RULE_INPUT_LIMIT = 3 };

typedef tn_array_t* (*tn_subject_t)(tn_scope_t* s, tn_array_t* const* x);

typedef struct tn_rule_case {
  const char* name;
  tn_subject_t function;
  size_t input_count;
  size_t ranks[TN_RULE_INPUT_LIMIT];
  int64_t dims[TN_RULE_INPUT_LIMIT][4];
  double low, high;  // where the inputs are
} tn_rule_case_t;

// A closure whose user is a case.
tn_status_t tn__call_subject(void* user, tn_scope_t* s, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count, tn_array_t** out);
// Batches, and derivatives if it is smooth. TENON_TEST_RULE in the environment: the case of this
// name alone.
void tn__check_rules(size_t count, const tn_rule_case_t* cases, bool is_smooth);
// Of the sum of squares of what the function makes, with respect to input `argnum`.
tn_array_t* tn__gradient_of(tn_scope_t* s, tn_subject_t function, size_t input_count, size_t argnum,
                            tn_array_t* const* x);
// Of the sum of what the function makes, with respect to all inputs, in one line.
tn_array_t* tn__plain_gradient_of(tn_scope_t* s, tn_subject_t function, size_t input_count,
                                  tn_array_t* const* x);
// Real and imaginary parts.
tn_array_t* tn__testing_parts(tn_scope_t* s, tn_array_t* z);

// The function of_name(s, x); its body follows.
#define TN_SUBJECT(name) \
  static tn_array_t* of_##name(tn_scope_t* s, __attribute__((unused)) tn_array_t* const* x)

// of_gradient_of_name.
#define TN_GRADIENT(name, count, argnum)                    \
  TN_SUBJECT(gradient_of_##name) {                          \
    return tn__gradient_of(s, of_##name, count, argnum, x); \
  }

// of_plain_gradient_of_name. Squares would hide second derivatives of what is 0.
#define TN_PLAIN_GRADIENT(name, count)                    \
  TN_SUBJECT(plain_gradient_of_##name) {                  \
    return tn__plain_gradient_of(s, of_##name, count, x); \
  }

// Cases of functions of matrices.
#define TN_RULE_MATRIX \
  { 4, 3 }
#define TN_RULE_ONE(name, low, high) \
  { #name, of_##name, 1, {2 }, {TN_RULE_MATRIX }, low, high }
#define TN_RULE_TWO(name, low, high) \
  { #name, of_##name, 2, {2, 2 }, {TN_RULE_MATRIX, TN_RULE_MATRIX }, low, high }

#endif  // TENON_TRANSFORM_RULES_TESTING_RULES_H_
