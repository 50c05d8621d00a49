// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where the elements of a value are: in another one, of which it is views of views (ops/view.h).
#ifndef TENON_IR_TRACE_H_
#define TENON_IR_TRACE_H_

#include "ir/ir.h"
#include "ops/view.h"

enum { TN_TRACE_VIEWS = 8 };  // one of the other that are followed

// What a value is a view of, after so many views at most: no view, but for longer chains.
tn_value_t* tn__value_root(tn_value_t* value);

typedef struct tn_value_trace {
  tn_value_t* root;
  bool is_view;    // false: strides cannot say it
  tn_view_t view;  // of the root's elements; in the arena
} tn_value_trace_t;

// `arguments`: where those of the region are, by index; NULL: they are dense.
TN_MUST_USE tn_status_t tn__value_trace(tn_value_t* value, const tn_view_t* arguments,
                                        tn_arena_t* arena, tn_value_trace_t* out_trace);

#endif  // TENON_IR_TRACE_H_
