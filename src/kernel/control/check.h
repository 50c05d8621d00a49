// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Comparing results with what was expected: the operations of the check dialect, and the custom
// calls of the same names that StableHLO's own tests use.
#ifndef TENON_KERNEL_CONTROL_CHECK_H_
#define TENON_KERNEL_CONTROL_CHECK_H_

#include "kernel/kernel.h"

typedef enum tn_check_rule {
  TN_CHECK_EQ,         // equal values: NaN differs from NaN, -0 equals 0
  TN_CHECK_ALMOST_EQ,  // at most `tolerance` apart; NaN equals NaN, infinities themselves
  TN_CHECK_CLOSE,      // min_ulps to max_ulps apart; what is not finite must have equal bits
} tn_check_rule_t;

// A plain value. Complex numbers are compared part by part.
typedef struct tn_check {
  const char* name;  // for messages: "check.expect_eq"
  tn_check_rule_t rule;
  double tolerance;
  uint64_t min_ulps, max_ulps;
} tn_check_t;

// What a custom call target of that name checks: check.expect_eq, check.expect_almost_eq,
// check.expect_close, check.eq. The last one never fails: it returns a boolean. False when the
// target is none of them.
bool tn__check_find(tn_string_view_t target, const tn_type_t* type, tn_check_t* out_check,
                    bool* out_returns_boolean);

// Compares two dense arrays of `type`, a tensor. OK, or a FAILED_PRECONDITION that names the first
// element that differs, both its values, and how many differ.
TN_MUST_USE tn_status_t tn__check_compare(const tn_check_t* check, const tn_type_t* type,
                                          const void* actual, const void* expected);
// The same without the message.
bool tn__check_holds(const tn_check_t* check, const tn_type_t* type, const void* actual,
                     const void* expected);

TN_MUST_USE tn_status_t tn__cpu_check_prepare(tn_kernel_site_t* site);
TN_MUST_USE tn_status_t tn__cpu_check_run(const tn_kernel_call_t* call);

#endif  // TENON_KERNEL_CONTROL_CHECK_H_
