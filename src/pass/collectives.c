// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// single-process-collectives: collectives and channels of a program that runs as one process. In a
// group of one process the results of a collective are its operands. A value that is sent and
// received within a region of the program is forwarded. Everything else needs another process, and
// is an error.
#include "pass/passes.h"

typedef struct channel {
  struct channel* next;
  int64_t handle;
  tn_node_t* send;
} channel_t;

typedef struct collectives {
  tn_arena_t* scratch;
  channel_t* channels;  // on which something was sent and not yet received
} collectives_t;

static tn_status_t reject(const tn_node_t* node, const char* reason) {
  tn_status_t status =
      tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: %s", tn__op_short_name(node->op), reason);
  return tn__node_locate(node, status);
}

// --- groups

// The members of the group of process 0, which is this one. No groups: all processes, this one.
static tn_status_t check_group(const collectives_t* collectives, const tn_node_t* node) {
  const tn_attr_t* groups = tn__attr_find(&node->attrs, "replica_groups");
  tn_i64_list_t ids = {0};
  if (groups->kind != TN_ATTR_ELEMENTS) {
    return reject(node, "replica_groups are mesh axes; the program runs as one process");
  }
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&node->attrs, "replica_groups", collectives->scratch, &ids));
  const size_t length = ids.count ? (size_t)groups->elements.type->dims[1] : 0;
  for (size_t row = 0; row < ids.count; row += length) {
    size_t members = 0;
    for (size_t i = 0; i < length; ++i) members += ids.values[row + i] >= 0;
    if (members > 1) {
      return reject(node,
                    "replica_groups has a group of several processes; the program runs as one");
    }
  }
  return TN_OK;
}

// ID 0 is this process; others do not exist.
static tn_status_t check_pairs(const collectives_t* collectives, const tn_node_t* node,
                               size_t* out_count) {
  tn_i64_list_t ids = {0};
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&node->attrs, "source_target_pairs", collectives->scratch, &ids));
  for (size_t i = 0; i < ids.count; ++i) {
    if (ids.values[i] == 0) continue;
    return reject(node, "source_target_pairs has another process than 0; the program runs as one");
  }
  *out_count = ids.count / 2;
  return TN_OK;
}

static tn_status_t forward(tn_node_t* node) {
  const bool splits = node->op == TN__OP(all_to_all);
  if (splits && tn__attr_get_integer(&node->attrs, "split_count", 1) != 1) {
    return reject(node, "split_count is not 1; the program runs as one process");
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    tn_value_t* operand = tn__value_resolve(node->operands[i]);
    const tn_type_t* type = node->results[i].type;
    if (!tn__type_is_tensor(type) || !tn__type_same_shape(operand->type, type)) {
      return reject(node,
                    "the result has the shape for several processes; the program runs as one");
    }
    if (operand->type->dtype != type->dtype) {  // a computation in wider elements
      TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(convert), 1, &operand, NULL, type, &operand));
    }
    node->results[i].replacement = operand;
  }
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t replace_collective(const collectives_t* collectives, tn_node_t* node) {
  TN_RETURN_IF_ERROR(check_group(collectives, node));
  return forward(node);
}

// The result is zeros unless the process sends to itself.
static tn_status_t replace_permute(const collectives_t* collectives, tn_node_t* node) {
  static const uint64_t zero[2] = {0, 0};
  size_t count = 0;
  const tn_attr_t* value = NULL;
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  TN_RETURN_IF_ERROR(check_pairs(collectives, node, &count));
  if (count) return forward(node);
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_static(type)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__attr_elements(attrs.arena, type, true, zero, &value));
  tn__pass_add_attr(&attrs, "value", value);
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(constant), 0, NULL, &attrs, type,
                                     &node->results[0].replacement));
  tn__node_remove(node);
  return TN_OK;
}

// --- channels

static int64_t handle_of(const tn_node_t* node) {
  const tn_attr_t* channel = tn__attr_find(&node->attrs, "channel_handle");
  return tn__attr_get_integer(&channel->dictionary, "handle", 0);
}

static tn_status_t check_channel(const collectives_t* collectives, const tn_node_t* node) {
  size_t count = 0;
  if (tn__attr_get_bool(&node->attrs, "is_host_transfer", false)) {
    return reject(node, "is a transfer to or from the host, which a run has no channel for");
  }
  return check_pairs(collectives, node, &count);
}

// Its token is that of its operands.
static tn_status_t replace_send(collectives_t* collectives, tn_node_t* node) {
  TN_RETURN_IF_ERROR(check_channel(collectives, node));
  channel_t* channel = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(collectives->scratch, &channel));
  *channel = (channel_t){collectives->channels, handle_of(node), node};
  collectives->channels = channel;
  node->results[0].replacement = tn__value_resolve(node->operands[node->operand_count - 1]);
  tn__node_remove(node);
  return TN_OK;
}

static bool fits(const tn_node_t* recv, const tn_node_t* send) {
  bool result = recv->result_count == send->operand_count;
  for (uint32_t i = 0; result && i + 1 < recv->result_count; ++i) {
    result = tn_type_equal(recv->results[i].type, tn__value_resolve(send->operands[i])->type);
  }
  return result;
}

static tn_status_t replace_recv(collectives_t* collectives, tn_node_t* node) {
  TN_RETURN_IF_ERROR(check_channel(collectives, node));
  const int64_t handle = handle_of(node);
  channel_t** sent = NULL;  // the first in, since the list begins with the last
  for (channel_t** at = &collectives->channels; *at; at = &(*at)->next) {
    if ((*at)->handle == handle) sent = at;
  }
  if (!sent) {
    return reject(node, "nothing was sent on its channel before; the program runs as one process");
  }
  tn_node_t* send = (*sent)->send;
  if (!fits(node, send)) return reject(node, "its results are not what was sent on its channel");
  for (uint32_t i = 0; i + 1 < node->result_count; ++i) {
    node->results[i].replacement = tn__value_resolve(send->operands[i]);
  }
  node->results[node->result_count - 1].replacement = tn__value_resolve(node->operands[0]);
  *sent = (*sent)->next;
  tn__node_remove(node);
  return TN_OK;
}

// An infeed or outfeed without values.
static tn_status_t replace_queue(tn_node_t* node) {
  if (node->operand_count > 1) {
    return reject(node, "a run has no queue to the host; return the values");
  }
  if (node->result_count > 1) {
    return reject(node, "not supported; pass the values as inputs");
  }
  node->results[0].replacement = tn__value_resolve(node->operands[0]);
  tn__node_remove(node);
  return TN_OK;
}

// --- futures

// Nothing runs asynchronously: the operations of the body (a slice; collectives are replaced
// already) replace the start, and the future is a tuple of its results.
static tn_status_t replace_start(tn_node_t* node) {
  tn_region_t* body = node->regions[0];
  for (uint32_t i = 0; i < body->argument_count; ++i) {
    body->arguments[i].replacement = tn__value_resolve(node->operands[i]);
  }
  TN_FOR_EACH_NODE (inner, body) {
    for (uint32_t i = 0; i < inner->operand_count; ++i) {
      inner->operands[i] = tn__value_resolve(inner->operands[i]);
    }
    if (tn__op_has(inner->op, TN_TERMINATOR)) break;
    tn_node_t* outer = NULL;
    const tn_type_t* type = inner->results[0].type;
    TN_RETURN_IF_ERROR(tn__node_insert(node,
                                       &(tn_node_spec_t){.op = inner->op,
                                                         .operand_count = inner->operand_count,
                                                         .operands = inner->operands,
                                                         .result_count = 1,
                                                         .result_types = &type,
                                                         .attrs = inner->attrs,
                                                         .location = inner->location},
                                       &outer));
    inner->results[0].replacement = &outer->results[0];
  }
  const tn_type_t *future = node->results[0].type, *tuple = NULL;
  tn_arena_t* arena = &node->region->function->module->arena;
  TN_RETURN_IF_ERROR(tn__type_tuple(arena, future->element_count, future->elements, &tuple));
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(tuple), body->last->operand_count,
                                     body->last->operands, NULL, tuple,
                                     &node->results[0].replacement));
  tn__node_remove(node);
  return TN_OK;
}

// A future that is not of such a start stays, and is an error when the program is planned.
static tn_status_t replace_done(tn_node_t* node) {
  tn_value_t* tuple = tn__value_resolve(node->operands[0]);
  if (tuple->type->kind != TN_TYPE_TUPLE) return TN_OK;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const tn_attr_t* index = NULL;
    tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
    TN_RETURN_IF_ERROR(tn__attr_integer(attrs.arena, TN_DTYPE_S32, i, &index));
    tn__pass_add_attr(&attrs, "index", index);
    TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(get_tuple_element), 1, &tuple, &attrs,
                                       node->results[i].type, &node->results[i].replacement));
  }
  tn__node_remove(node);
  return TN_OK;
}

// --- all of them

TN_APART static tn_status_t replace_node(collectives_t* collectives, tn_node_t* node) {
  const tn_op_t* op = node->op;
  if (op == TN__OP(all_gather) || op == TN__OP(all_reduce) || op == TN__OP(all_to_all) ||
      op == TN__OP(collective_broadcast) || op == TN__OP(collective_reduce) ||
      op == TN__OP(reduce_scatter) || op == TN__OP(cross_replica_sum)) {
    return replace_collective(collectives, node);
  }
  if (op == TN__OP(collective_permute)) return replace_permute(collectives, node);
  if (op == TN__OP(send)) return replace_send(collectives, node);
  if (op == TN__OP(recv)) return replace_recv(collectives, node);
  if (op == TN__OP(async_start)) return replace_start(node);
  if (op == TN__OP(async_done)) return replace_done(node);
  if (op == TN__OP(infeed) || op == TN__OP(outfeed)) return replace_queue(node);
  return TN_OK;
}

static tn_status_t replace_region(tn_region_t* region, tn_arena_t* scratch) {
  collectives_t collectives = {.scratch = scratch};
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(replace_region(node->regions[i], scratch));
    }
    TN_RETURN_IF_ERROR(replace_node(&collectives, node));
  }
  if (!collectives.channels) return TN_OK;
  return reject(collectives.channels->send,
                "its channel has no receiver; the program runs as one process");
}

static tn_status_t reject_futures(const tn_function_t* function, size_t count,
                                  const tn_type_t* const* types) {
  for (size_t i = 0; i < count; ++i) {
    if (types[i]->kind != TN_TYPE_FUTURE) continue;
    return tn__function_locate(
        function, tn_status_create(TN_CODE_UNIMPLEMENTED,
                                   "@%.*s takes or gives a future; futures are waited for where "
                                   "they begin",
                                   TN_SV(function->name)));
  }
  return TN_OK;
}

static tn_status_t replace_in_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(reject_futures(function, function->argument_count, function->argument_types));
  TN_RETURN_IF_ERROR(reject_futures(function, function->result_count, function->result_types));
  TN_RETURN_IF_ERROR(replace_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_single_process_collectives(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, replace_in_function);
}
