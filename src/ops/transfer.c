// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Data that leaves a process or comes to it: pairs of processes, channels, the host's queues; and
// what is done meanwhile.
#include <stdlib.h>

#include "ops/rules.h"

static int compare_ids(const void* a, const void* b) {
  int64_t x = *(const int64_t*)a, y = *(const int64_t*)b;
  return (x > y) - (x < y);
}

// The attribute source_target_pairs, or nothing: ids from 0 on, no source and no target twice.
static tn_status_t check_pairs(const tn_op_use_t* use) {
  static const char *const roles[] = {"source", "target"}, *const unique[] = {"C2", "C3"};
  tn_i64_list_t ids;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "source_target_pairs", &ids));
  for (size_t column = 0; column < 2 && ids.count; ++column) {
    size_t count = ids.count / 2;
    int64_t* sorted = NULL;
    TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, &sorted));
    for (size_t i = 0; i < count; ++i) {
      sorted[i] = ids.values[2 * i + column];
      TN_CONSTRAINT(use, "C4", sorted[i] >= 0,
                    "source_target_pairs has %s %lld; expected ids from 0 on", roles[column],
                    (long long)sorted[i]);
    }
    qsort(sorted, count, sizeof *sorted, compare_ids);
    for (size_t i = 1; i < count; ++i) {
      TN_CONSTRAINT(use, unique[column], sorted[i - 1] != sorted[i],
                    "source_target_pairs has %s %lld twice", roles[column], (long long)sorted[i]);
    }
  }
  return TN_OK;
}

tn_status_t tn__infer_collective_permute(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_operand(use, 0, "I1", "operand", TN__ANY_KIND));
  // collective_permute_c1 is the attribute's type.
  TN_RETURN_IF_ERROR(check_pairs(use));  // collective_permute_c2 to collective_permute_c4
  return tn__give(use, results, "C5", use->operand_types[0]);  // collective_permute_c5
}

// --- channels

// Numbers of #stablehlo.channel_handle's `type`.
enum { DEVICE_TO_DEVICE = 1, DEVICE_TO_HOST = 2, HOST_TO_DEVICE = 3 };

static tn_status_t check_channel(const tn_op_use_t* use, int64_t host_type) {
  bool is_host = tn__attr_get_bool(&use->attrs, "is_host_transfer", false);
  int64_t type = tn__attr_get_integer(tn__rule_struct(use, "channel_handle"), "type", 0);
  int64_t wanted = is_host ? host_type : DEVICE_TO_DEVICE;
  TN_CONSTRAINT(use, "C5", type == wanted,  // send_c5, recv_c5
                "channel_handle has type %lld; expected %lld with is_host_transfer %s",
                (long long)type, (long long)wanted, is_host ? "true" : "false");
  return check_pairs(use);  // send_c2 to send_c4, recv_c2 to recv_c4
}

// Tensors, then a token.
static tn_status_t tensors_and_token(const tn_op_use_t* use, const char* what,
                                     const char* tensor_constraint, const char* token_constraint,
                                     size_t count, const tn_type_t* const* types) {
  for (size_t i = 0; i + 1 < count; ++i) {
    TN_CONSTRAINT(use, tensor_constraint, tn__type_is_tensor(types[i]),
                  "%s %zu has type %s; expected a tensor", what, i, TN_TYPE_TEXT(types[i]));
  }
  TN_CONSTRAINT(use, token_constraint, types[count - 1]->kind == TN_TYPE_TOKEN,
                "the last %s has type %s; expected a token", what, TN_TYPE_TEXT(types[count - 1]));
  return TN_OK;
}

static tn_status_t only_token(const tn_op_use_t* use) {
  TN_CONSTRAINT(use, "I1", use->operand_types[0]->kind == TN_TYPE_TOKEN,
                "token has type %s; expected a token", TN_TYPE_TEXT(use->operand_types[0]));
  return TN_OK;
}

tn_status_t tn__infer_send(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(
      tensors_and_token(use, "operand", "I1", "I2", use->operand_count, use->operand_types));
  TN_RETURN_IF_ERROR(check_channel(use, DEVICE_TO_HOST));
  return tn__give(use, results, NULL, tn__type_token());
}

tn_status_t tn__verify_recv(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(only_token(use));
  TN_RETURN_IF_ERROR(check_channel(use, HOST_TO_DEVICE));
  TN_CONSTRAINT(use, NULL, use->result_count > 0, "has no results; expected a token at least");
  return tensors_and_token(use, "result", NULL, NULL, use->result_count, use->result_types);
}

// --- queues of the host

// [[1, 0], []]: a list of integers for each tensor.
static tn_status_t check_infeed_layout(const tn_op_use_t* use) {
  const tn_attr_t* layout = tn__attr_find(&use->attrs, "layout");
  if (!layout) return TN_OK;
  size_t count = use->result_count - 1;
  TN_CONSTRAINT(use, NULL, layout->kind == TN_ATTR_ARRAY && layout->array.count == count,
                "layout is %s; expected a list of %zu, one for each tensor",
                tn__attr_kind_name(layout->kind), count);
  for (size_t i = 0; i < count; ++i) {
    const tn_attr_t* order = layout->array.items[i];
    bool is_order = order->kind == TN_ATTR_ARRAY;
    for (size_t d = 0; is_order && d < order->array.count; ++d) {
      is_order = order->array.items[d]->kind == TN_ATTR_INTEGER;
    }
    TN_CONSTRAINT(use, NULL, is_order, "layout [%zu] is %s; expected a list of integers", i,
                  tn__attr_kind_name(order->kind));
  }
  return TN_OK;
}

tn_status_t tn__verify_infeed(const tn_op_use_t* use) {
  TN_RETURN_IF_ERROR(only_token(use));
  TN_CONSTRAINT(use, "C1", use->result_count > 0,  // infeed_c1
                "has no results; expected a token at least");
  TN_RETURN_IF_ERROR(tensors_and_token(use, "result", "C2", "C3", use->result_count,
                                       use->result_types));  // infeed_c2, infeed_c3
  return check_infeed_layout(use);
}

tn_status_t tn__infer_outfeed(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(
      tensors_and_token(use, "operand", "I1", "I2", use->operand_count, use->operand_types));
  return tn__give(use, results, NULL, tn__type_token());
}

// --- asynchronously

// That the body is one operation, and of which kind, is seen where there are nodes (ir/verify.c).
tn_status_t tn__infer_async_start(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, use->operand_count, "I1", "operand"));
  const tn_region_signature_t* body = &use->regions[0];
  TN_RETURN_IF_ERROR(  // async_start_c3
      tn__rule_region(use, 0, "C3", "body", use->operand_count, use->operand_types,
                      body->result_count, body->result_types));
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__type_future(use->arena, body->result_count, body->result_types, &type));
  return tn__give(use, results, "C4", type);  // async_start_c4
}

tn_status_t tn__infer_async_done(const tn_op_use_t* use, tn_op_results_t* results) {
  const tn_type_t* future = use->operand_types[0];
  TN_CONSTRAINT(use, "I1", future->kind == TN_TYPE_FUTURE, "future has type %s; expected a future",
                TN_TYPE_TEXT(future));
  for (size_t i = 0; i < future->element_count; ++i) {
    TN_RETURN_IF_ERROR(tn__give(use, results, "C1", future->elements[i]));  // async_done_c1
  }
  return TN_OK;
}
