// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// unroll-loops: a loop of few turns, as many as constants say, becomes its turns one after the
// other. What they hand to each other is fused, and what changes with the turn is folded: the
// rounds of a random generator are one pass over memory.
#include "kernel/common/element.h"
#include "pass/passes.h"

enum {
  MOST_TURNS = 8,
  MOST_NODES = 512,  // of all turns
};

// The loop goes on while carry `index` is less than `limit`.
typedef struct counter {
  uint32_t index;
  int64_t first, step, limit;
} counter_t;

static bool read_integer(tn_value_t* value, int64_t* out_integer) {
  value = tn__value_resolve(value);
  const tn_attr_t* constant = tn__pass_constant_of(value);
  const tn_kind_t kind = tn_dtype_kind(value->type->dtype);
  if (!constant || value->type->rank || !(kind & TN_KIND_INTEGER)) return false;
  *out_integer = tn__element_to_i64(value->type->dtype, constant->elements.data);
  return kind == TN_KIND_SIGNED || *out_integer >= 0;
}

static bool read_condition(const tn_node_t* loop, counter_t* out_counter) {
  const tn_region_t* region = loop->regions[0];
  const tn_value_t* result = tn__value_resolve(region->last->operands[0]);
  const tn_node_t* compare = result->node;
  if (!compare || compare->op != TN__OP(compare) || compare->region != region) return false;
  const tn_string_view_t direction = tn__attr_get_string(&compare->attrs, "comparison_direction");
  const tn_value_t* counted = tn__value_resolve(compare->operands[0]);
  if (!tn__sv_is(direction, "LT") || counted->node || counted->region != region) return false;
  out_counter->index = counted->index;
  return read_integer(compare->operands[1], &out_counter->limit);
}

static bool read_step(const tn_node_t* loop, counter_t* counter) {
  const tn_region_t* body = loop->regions[1];
  const tn_value_t* next = tn__value_resolve(body->last->operands[counter->index]);
  const tn_node_t* add = next->node;
  const tn_value_t* counted = &body->arguments[counter->index];
  if (!add || add->op != TN__OP(add) || add->region != body) return false;
  for (uint32_t i = 0; i < 2; ++i) {
    if (tn__value_resolve(add->operands[i]) != counted) continue;
    return read_integer(add->operands[1 - i], &counter->step) && counter->step > 0;
  }
  return false;
}

// 0: they are not known, or too many.
static int64_t count_turns(const tn_node_t* loop) {
  counter_t counter = {0};
  if (!read_condition(loop, &counter) || !read_step(loop, &counter)) return 0;
  if (!read_integer(loop->operands[counter.index], &counter.first)) return 0;
  int64_t turns = 0;
  while (counter.first < counter.limit && turns <= MOST_TURNS) {
    if (__builtin_add_overflow(counter.first, counter.step, &counter.first)) return 0;
    ++turns;
  }
  // A counter that wraps never ends the loop; of what can hold the limit and a step, none does.
  const uint32_t bits = tn_dtype_bit_width(loop->operands[counter.index]->type->dtype);
  if (bits < 64 && counter.first >= INT64_C(1) << (bits - 1)) return 0;
  return turns > MOST_TURNS ? 0 : turns;
}

static bool is_small(const tn_region_t* body, int64_t turns) {
  int64_t count = 0;
  TN_FOR_EACH_NODE (node, body) {
    if (node->region_count || tn__op_has(node->op, TN_FOREIGN)) return false;
    ++count;
  }
  return count * turns <= MOST_NODES;
}

static tn_status_t unroll(tn_node_t* loop, int64_t turns, tn_arena_t* scratch) {
  tn_value_t **carries = NULL, **next = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, loop->operand_count, &carries));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, loop->operand_count, &next));
  for (uint32_t i = 0; i < loop->operand_count; ++i) carries[i] = loop->operands[i];
  for (int64_t turn = 0; turn < turns; ++turn) {
    TN_RETURN_IF_ERROR(tn__region_splice(loop->regions[1], loop, carries, next));
    memcpy(carries, next, loop->operand_count * sizeof *next);
  }
  for (uint32_t i = 0; i < loop->result_count; ++i) loop->results[i].replacement = carries[i];
  tn__node_remove(loop);
  return TN_OK;
}

static tn_status_t unroll_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      node->operands[i] = tn__value_resolve(node->operands[i]);
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(unroll_region(node->regions[i], scratch));
    }
    if (node->op != TN__OP(while) || !tn__pass_is_pure(node)) continue;
    const int64_t turns = count_turns(node);
    if (turns && is_small(node->regions[1], turns)) {
      TN_RETURN_IF_ERROR(unroll(node, turns, scratch));
    }
  }
  return TN_OK;
}

static tn_status_t unroll_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(unroll_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_unroll_loops(tn_module_t* module, tn_function_t* entry) {
  if (!tn__pass_has_loops(module)) return TN_OK;
  return tn__pass_for_each_function(module, entry, unroll_function);
}
