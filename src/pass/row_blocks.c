// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// row-blocks: a product whose result one fusion alone reads, that fusion, and a product that reads
// what it gives are one node (tenon.row_blocks): the target's kernel computes them a block of rows
// at a time. The target says where that is faster (kernel/target.h).
#include "kernel/target.h"
#include "pass/passes.h"

enum { MOST_BETWEEN = 64 };  // nodes between a fusion and the product that reads it

typedef struct chain {
  tn_node_t *before, *fusion, *after;  // after: NULL: none
} chain_t;

typedef struct maker {
  tn_arena_t* scratch;
  uint32_t* uses;        // by value
  tn_node_t** products;  // by value: the first product whose left operand it is
  size_t replaced_count;
  tn_value_t** replaced;
  tn_region_t* region;  // that is being made
  size_t operand_count;
  tn_value_t** operands;  // by its argument
} maker_t;

static bool is_product(const tn_node_t* node) {
  return node->op == TN__OP(dot_general) || node->op == TN__OP(dot);
}

static bool reads(const tn_node_t* node, const tn_value_t* value) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (node->operands[i] == value) return true;
  }
  return false;
}

// --- where a chain can stand

// Whether `value` is there before `node`, which is in a region that sees it.
static bool is_there(tn_value_t* value, const tn_node_t* node) {
  value = tn__value_resolve(value);
  return !value->node || value->region != node->region || value->node->id < node->id;
}

// Whether nothing between the fusion and `after` needs a result of the fusion.
static bool is_free_until(const tn_node_t* fusion, const tn_node_t* after) {
  size_t count = 0;
  for (const tn_node_t* node = fusion->next; node != after; node = node->next) {
    // What a region uses is not looked at.
    if (++count > MOST_BETWEEN) return false;
    if (node->region_count && !tn__op_has(node->op, TN_ISOLATED)) return false;
    for (uint32_t r = 0; r < fusion->result_count; ++r) {
      if (reads(node, &fusion->results[r])) return false;
    }
  }
  return true;
}

static bool stands_at_fusion(const chain_t* chain) {
  return !chain->after || is_there(chain->after->operands[1], chain->fusion);
}

static tn_status_t find_after(const maker_t* maker, chain_t* chain, bool* out_suits) {
  const tn_node_t* fusion = chain->fusion;
  const tn_fusion_rules_t* rules = fusion->region->function->module->target->fusion;
  for (uint32_t r = 0; r < fusion->result_count; ++r) {
    chain->after = maker->products[fusion->results[r].id];
    if (!chain->after || chain->after->region != fusion->region) continue;
    if (!stands_at_fusion(chain) && !is_free_until(fusion, chain->after)) continue;
    TN_RETURN_IF_ERROR(
        rules->suits_row_blocks(chain->before, fusion, chain->after, maker->scratch, out_suits));
    if (*out_suits) return TN_OK;
  }
  chain->after = NULL;
  return rules->suits_row_blocks(chain->before, fusion, NULL, maker->scratch, out_suits);
}

static tn_status_t find_chain(const maker_t* maker, tn_node_t* fusion, chain_t* out_chain,
                              bool* out_suits) {
  *out_suits = false;
  for (uint32_t i = 0; i < fusion->operand_count && !*out_suits; ++i) {
    const tn_value_t* operand = fusion->operands[i];
    tn_node_t* before = operand->node;
    if (!before || before->region != fusion->region || !is_product(before) ||
        maker->uses[operand->id] != 1) {
      continue;
    }
    *out_chain = (chain_t){.before = before, .fusion = fusion};
    TN_RETURN_IF_ERROR(find_after(maker, out_chain, out_suits));
  }
  return TN_OK;
}

// --- making one

static tn_value_t* bring(maker_t* maker, tn_value_t* value) {
  if (value->region == maker->region) return value;
  value = tn__value_resolve(value);
  for (size_t i = 0; i < maker->operand_count; ++i) {
    if (maker->operands[i] == value) return &maker->region->arguments[i];
  }
  tn_value_t* argument = &maker->region->arguments[maker->operand_count];
  argument->type = value->type;
  argument->name = value->name;
  maker->operands[maker->operand_count++] = value;
  return argument;
}

static tn_status_t begin_region(maker_t* maker, const chain_t* chain, size_t result_count,
                                tn_value_t* const* results, tn_node_t** out_terminator) {
  size_t operand_count = chain->before->operand_count + chain->fusion->operand_count;
  const tn_type_t** types = NULL;
  if (chain->after) operand_count += chain->after->operand_count;
  maker->operand_count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(maker->scratch, operand_count, &maker->operands));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(maker->scratch, operand_count, &types));
  TN_RETURN_IF_ERROR(
      tn__region_create(chain->fusion->region->function, operand_count, types, &maker->region));
  return tn__node_append(maker->region,
                         &(tn_node_spec_t){.op = TN__OP(return ),
                                           .operand_count = result_count,
                                           .operands = results,
                                           .location = chain->fusion->location},
                         out_terminator);
}

static void move_in(maker_t* maker, tn_node_t* node, tn_node_t* terminator) {
  tn__node_move(node, terminator);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    node->operands[i] = bring(maker, node->operands[i]);
  }
}

// Results of the fusion that others read than `after`, and that of `after`.
static tn_status_t list_results(const maker_t* maker, const chain_t* chain, size_t* out_count,
                                tn_value_t*** out_results, const tn_type_t*** out_types) {
  const tn_node_t *fusion = chain->fusion, *after = chain->after;
  size_t count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(maker->scratch, fusion->result_count + 1, out_results));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(maker->scratch, fusion->result_count + 1, out_types));
  for (uint32_t r = 0; r < fusion->result_count; ++r) {
    tn_value_t* result = &fusion->results[r];
    const bool is_given = after && reads(after, result);
    if (maker->uses[result->id] > (is_given ? 1 : 0)) (*out_results)[count++] = result;
  }
  if (after) (*out_results)[count++] = &after->results[0];
  for (size_t r = 0; r < count; ++r) (*out_types)[r] = (*out_results)[r]->type;
  *out_count = count;
  return TN_OK;
}

// *next: what was behind the fusion, and still is there.
static tn_status_t make(maker_t* maker, const chain_t* chain, tn_node_t** next) {
  tn_node_t *made = NULL, *terminator = NULL;
  tn_node_t *after = chain->after, *behind = chain->fusion->next;  // there is a terminator
  *next = after && behind == after ? after->next : behind;
  tn_node_t* position = after && !stands_at_fusion(chain) ? after->next : *next;
  tn_value_t** results = NULL;
  const tn_type_t** types = NULL;
  size_t result_count = 0;
  TN_RETURN_IF_ERROR(list_results(maker, chain, &result_count, &results, &types));
  TN_RETURN_IF_ERROR(begin_region(maker, chain, result_count, results, &terminator));
  move_in(maker, chain->before, terminator);
  move_in(maker, chain->fusion, terminator);
  if (after) move_in(maker, after, terminator);
  maker->region->argument_count = (uint32_t)maker->operand_count;
  TN_RETURN_IF_ERROR(tn__node_insert(position,
                                     &(tn_node_spec_t){.op = TN__OP_OF(tenon, row_blocks),
                                                       .operand_count = maker->operand_count,
                                                       .operands = maker->operands,
                                                       .result_count = result_count,
                                                       .result_types = types,
                                                       .region_count = 1,
                                                       .regions = &maker->region,
                                                       .location = chain->fusion->location},
                                     &made));
  for (size_t r = 0; r < result_count; ++r) {
    made->results[r].name = results[r]->name;
    results[r]->replacement = &made->results[r];
    maker->replaced[maker->replaced_count++] = results[r];
  }
  made->id = position->id;
  return TN_OK;
}

// --- all of them

static void note_products(const maker_t* maker, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t r = 0; r < node->region_count && !tn__op_has(node->op, TN_ISOLATED); ++r) {
      note_products(maker, node->regions[r]);
    }
    if (!is_product(node)) continue;
    tn_node_t** product = &maker->products[node->operands[0]->id];
    if (!*product) *product = node;
  }
}

static tn_status_t rewrite_region(maker_t* maker, tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    chain_t chain = {0};
    bool suits = false;
    next = node->next;
    for (uint32_t r = 0; r < node->region_count && !tn__op_has(node->op, TN_ISOLATED); ++r) {
      TN_RETURN_IF_ERROR(rewrite_region(maker, node->regions[r]));
    }
    if (node->op != TN__OP_OF(tenon, fusion)) continue;
    TN_RETURN_IF_ERROR(find_chain(maker, node, &chain, &suits));
    if (suits) TN_RETURN_IF_ERROR(make(maker, &chain, &next));
  }
  return TN_OK;
}

static void resolve_region(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      node->operands[i] = tn__value_resolve(node->operands[i]);
    }
    for (uint32_t r = 0; r < node->region_count && !tn__op_has(node->op, TN_ISOLATED); ++r) {
      resolve_region(node->regions[r]);
    }
  }
}

static tn_status_t rewrite_function(tn_function_t* function, tn_arena_t* scratch) {
  const uint32_t count = function->value_count;
  maker_t maker = {.scratch = scratch};
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &maker.uses));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &maker.products));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count, &maker.replaced));
  tn__pass_count_uses(function->body, maker.uses);
  note_products(&maker, function->body);
  TN_RETURN_IF_ERROR(rewrite_region(&maker, function->body));
  if (maker.replaced_count == 0) return TN_OK;
  resolve_region(function->body);
  for (size_t i = 0; i < maker.replaced_count; ++i) maker.replaced[i]->replacement = NULL;
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_block_rows(tn_module_t* module, tn_function_t* entry) {
  if (!module->target->fusion || !module->target->fusion->suits_row_blocks) return TN_OK;
  return tn__pass_for_each_function(module, entry, rewrite_function);
}
