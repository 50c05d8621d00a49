// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Windows that slide over tensors: their attributes and how many there are.
#ifndef TENON_OPS_WINDOW_H_
#define TENON_OPS_WINDOW_H_

#include "ops/rule.h"

// One dimension of a window.
typedef struct tn_window {
  int64_t size, stride;
  int64_t low, high;  // padding around the base; negative: cut
  int64_t base_dilation, window_dilation;
} tn_window_t;

// How many windows fit in a base of `size` elements, which may be `?` as may the window's size.
// False when the numbers overflow.
bool tn__window_count(int64_t size, const tn_window_t* window, int64_t* out_count);

// The list `name`: `count` entries (else the first constraint is broken) of at least 1 (else the
// second); ones when it is absent.
TN_MUST_USE tn_status_t tn__window_list(const tn_op_use_t* use, const char* count_constraint,
                                        const char* value_constraint, const char* name,
                                        size_t count, tn_i64_list_t* out_list);
// The attribute `padding`, low and high for each dimension in turn; zeros when it is absent.
TN_MUST_USE tn_status_t tn__window_padding(const tn_op_use_t* use, const char* constraint,
                                           size_t count, tn_i64_list_t* out_list);

#endif  // TENON_OPS_WINDOW_H_
