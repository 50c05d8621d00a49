// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// loop-invariant-carries: a carried value that the body returns unchanged is removed from the loop;
// its regions read the initial value from outside, which costs no copy and no storage.
#include "pass/passes.h"

static bool is_unchanged(const tn_node_t* loop, uint32_t index) {
  const tn_region_t* body = loop->regions[1];
  return tn__value_resolve(body->last->operands[index]) == &body->arguments[index];
}

// The region without the arguments that are dropped.
static tn_status_t drop_arguments(tn_region_t* region, const tn_node_t* loop,
                                  const bool* is_dropped, uint32_t kept) {
  tn_value_t* arguments = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&region->function->module->arena, kept, &arguments));
  uint32_t next = 0;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    if (is_dropped[i]) {
      region->arguments[i].replacement = tn__value_resolve(loop->operands[i]);
      continue;
    }
    arguments[next] = region->arguments[i];
    arguments[next].index = next;
    region->arguments[i].replacement = &arguments[next++];
  }
  region->arguments = arguments;
  region->argument_count = kept;
  return TN_OK;
}

TN_APART static tn_status_t drop_from(tn_node_t* loop, tn_arena_t* scratch) {
  uint32_t count = loop->operand_count, kept = 0;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(
      scratch, count, sizeof(bool) + sizeof(tn_value_t*) + sizeof(tn_type_t*), &memory));
  tn_value_t** operands = memory;
  const tn_type_t** types = (const tn_type_t**)(operands + count);
  bool* is_dropped = (bool*)(types + count);
  for (uint32_t i = 0; i < count; ++i) {
    is_dropped[i] = is_unchanged(loop, i);
    if (is_dropped[i]) continue;
    operands[kept] = loop->operands[i];
    types[kept++] = loop->results[i].type;
  }
  if (kept == count) return TN_OK;
  tn_node_t* body_return = loop->regions[1]->last;
  TN_RETURN_IF_ERROR(drop_arguments(loop->regions[0], loop, is_dropped, kept));
  TN_RETURN_IF_ERROR(drop_arguments(loop->regions[1], loop, is_dropped, kept));
  uint32_t next = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (!is_dropped[i]) body_return->operands[next++] = body_return->operands[i];
  }
  body_return->operand_count = kept;
  tn_node_t* fresh = NULL;
  TN_RETURN_IF_ERROR(tn__node_insert(loop,
                                     &(tn_node_spec_t){.op = loop->op,
                                                       .operand_count = kept,
                                                       .operands = operands,
                                                       .result_count = kept,
                                                       .result_types = types,
                                                       .attrs = loop->attrs,
                                                       .region_count = 2,
                                                       .regions = loop->regions,
                                                       .location = loop->location},
                                     &fresh));
  next = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (is_dropped[i]) {
      loop->results[i].replacement = tn__value_resolve(loop->operands[i]);
      continue;
    }
    fresh->results[next].name = loop->results[i].name;
    loop->results[i].replacement = &fresh->results[next++];
  }
  tn__node_remove(loop);
  return TN_OK;
}

static tn_status_t drop_in_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(drop_in_region(node->regions[i], scratch));
    }
    if (node->op == TN__OP(while)) TN_RETURN_IF_ERROR(drop_from(node, scratch));
  }
  return TN_OK;
}

static tn_status_t drop_in_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(drop_in_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_loop_invariant_carries(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, drop_in_function);
}
