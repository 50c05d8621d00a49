// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "ir/trace.h"

tn_value_t* tn__value_root(tn_value_t* value) {
  for (int i = 0; i < TN_TRACE_VIEWS && value->node && tn__op_makes_view(value->node->op); ++i) {
    value = value->node->operands[0];
  }
  return value;
}

static tn_status_t follow(const tn_node_t* node, tn_arena_t* arena, tn_value_trace_t* trace) {
  tn_op_use_t use;
  const tn_view_t operand = trace->view;
  TN_RETURN_IF_ERROR(tn__node_use(node, arena, &use));
  return tn__view_of_result(&use, &operand, &trace->view, &trace->is_view);
}

tn_status_t tn__value_trace(tn_value_t* value, const tn_view_t* arguments, tn_arena_t* arena,
                            tn_value_trace_t* out_trace) {
  const tn_node_t* chain[TN_TRACE_VIEWS];
  size_t length = 0;
  *out_trace = (tn_value_trace_t){.root = tn__value_root(value), .is_view = true};
  for (; value != out_trace->root; value = value->node->operands[0]) chain[length++] = value->node;
  // The offset of an argument is in the pointer that a run has.
  if (arguments && !out_trace->root->node) {
    out_trace->view.strides = arguments[out_trace->root->index].strides;
  }
  while (length-- > 0 && out_trace->is_view) {
    TN_RETURN_IF_ERROR(follow(chain[length], arena, out_trace));
  }
  return TN_OK;
}
