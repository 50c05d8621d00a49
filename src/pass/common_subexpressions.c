// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// common-subexpression-elimination: merges pure nodes that compute the same: same operation,
// operands, attributes and result types. A node may stand for another in its own region and in
// those inside.
#include "pass/passes.h"

// Open addressing by hash. Entries of a region are taken out again when it ends, last one first,
// which is what linear probing needs to stay searchable.
typedef struct table {
  size_t capacity;  // a power of two, at least twice the nodes of the function
  tn_node_t** slots;
  size_t count;
  size_t* filled;  // slots in the order in which they were taken
} table_t;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

static uint64_t mix_type(uint64_t hash, const tn_type_t* type) {
  hash = mix(hash, (uint64_t)type->kind << 32 | type->dtype);
  for (size_t i = 0; i < type->rank; ++i) hash = mix(hash, (uint64_t)type->dims[i]);
  return mix(hash, type->element_count);
}

static uint64_t hash_node(const tn_node_t* node) {
  uint64_t hash = mix(0, (uintptr_t)node->op);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    hash = mix(hash, (uintptr_t)tn__value_resolve(node->operands[i]));
  }
  for (size_t i = 0; i < node->attrs.count; ++i) {
    hash = mix(hash, tn__attr_hash(node->attrs.entries[i].attr));
  }
  for (uint32_t i = 0; i < node->result_count; ++i) hash = mix_type(hash, node->results[i].type);
  return hash;
}

static bool same(const tn_node_t* a, const tn_node_t* b) {
  if (a->op != b->op || a->operand_count != b->operand_count ||
      a->result_count != b->result_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->operand_count; ++i) {
    if (tn__value_resolve(a->operands[i]) != tn__value_resolve(b->operands[i])) return false;
  }
  for (uint32_t i = 0; i < a->result_count; ++i) {
    if (!tn_type_equal(a->results[i].type, b->results[i].type)) return false;
  }
  return tn__attr_dictionary_equal(&a->attrs, &b->attrs);
}

// The node that already computes this, or NULL after `node` has been entered itself.
static tn_node_t* find_or_enter(table_t* table, tn_node_t* node) {
  size_t slot = hash_node(node) & (table->capacity - 1);
  for (; table->slots[slot]; slot = (slot + 1) & (table->capacity - 1)) {
    if (same(table->slots[slot], node)) return table->slots[slot];
  }
  table->slots[slot] = node;
  table->filled[table->count++] = slot;
  return NULL;
}

static void merge_region(table_t* table, tn_region_t* region) {
  size_t mark = table->count;
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) merge_region(table, node->regions[i]);
    if (node->region_count || node->result_count == 0 || !tn__pass_is_pure(node)) continue;
    tn_node_t* other = find_or_enter(table, node);
    if (!other) continue;
    for (uint32_t i = 0; i < node->result_count; ++i) {
      node->results[i].replacement = &other->results[i];
    }
    tn__node_remove(node);
  }
  while (table->count > mark) table->slots[table->filled[--table->count]] = NULL;
}

static tn_status_t merge_function(tn_function_t* function, tn_arena_t* scratch) {
  table_t table = {.capacity = 16};
  while (table.capacity < 2 * (size_t)function->node_count) table.capacity *= 2;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, table.capacity, &table.slots));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->node_count, &table.filled));
  merge_region(&table, function->body);
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_eliminate_common_subexpressions(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, merge_function);
}
