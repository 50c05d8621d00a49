// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the output_operand_aliases of a custom call say, in numbers of leaves.
#include "plan/planner.h"

// Leaves of a type: `count` of them from number `first` on.
typedef struct leaves {
  size_t first, count;
} leaves_t;

// A custom call, and the number of the first leaf of each operand and result.
typedef struct alias_reader {
  const tn_node_t* node;
  size_t *operand_leaves, *result_leaves;
} alias_reader_t;

// Those that `path` leads to, from its element `from` on; none when it leads nowhere.
static leaves_t leaves_at(const tn_type_t* type, const tn_i64_list_t* path, size_t from) {
  leaves_t leaves = {0, 0};
  for (size_t i = from; i < path->count; ++i) {
    int64_t index = path->values[i];
    if (type->kind != TN_TYPE_TUPLE || index < 0 || (size_t)index >= type->element_count) {
      return leaves;
    }
    leaves.first += tn__type_leaf_offset(type, (size_t)index);
    type = type->elements[index];
  }
  leaves.count = tn_type_leaf_count(type);
  return leaves;
}

static leaves_t leaves_of_operand(const alias_reader_t* reader, int64_t operand,
                                  const tn_i64_list_t* path) {
  const tn_node_t* node = reader->node;
  if (operand < 0 || operand >= node->operand_count) return (leaves_t){0, 0};
  leaves_t leaves = leaves_at(node->operands[operand]->type, path, 0);
  leaves.first += reader->operand_leaves[operand];
  return leaves;
}

// With several results the first index names one of them; a single one is descended into.
static leaves_t leaves_of_result(const alias_reader_t* reader, const tn_i64_list_t* path) {
  const tn_node_t* node = reader->node;
  if (node->result_count == 1) return leaves_at(node->results[0].type, path, 0);
  int64_t result = path->count ? path->values[0] : -1;
  if (result < 0 || result >= node->result_count) return (leaves_t){0, 0};
  leaves_t leaves = leaves_at(node->results[result].type, path, 1);
  leaves.first += reader->result_leaves[result];
  return leaves;
}

// The verifier has seen to it that both sides are there and have one type, and that no operand or
// result is named twice.
static tn_status_t read_alias(planner_t* planner, step_t* step, const alias_reader_t* reader,
                              const tn_attr_t* alias) {
  const tn_attr_dictionary_t* fields = &alias->dictionary;
  tn_i64_list_t output_path, operand_path;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "output_tuple_indices", &planner->scratch, &output_path));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "operand_tuple_indices", &planner->scratch, &operand_path));
  leaves_t operands =
      leaves_of_operand(reader, tn__attr_get_integer(fields, "operand_index", 0), &operand_path);
  leaves_t results = leaves_of_result(reader, &output_path);
  for (size_t i = 0; i < operands.count && operands.count == results.count; ++i) {
    if (step->alias_count == step->plan.operand_count) break;
    step->aliases[step->alias_count++] =
        (alias_t){(uint32_t)(operands.first + i), (uint32_t)(results.first + i)};
  }
  return TN_OK;
}

static tn_status_t count_leaves(planner_t* planner, alias_reader_t* reader) {
  const tn_node_t* node = reader->node;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch,
                                    (size_t)node->operand_count + node->result_count,
                                    &reader->operand_leaves));
  reader->result_leaves = reader->operand_leaves + node->operand_count;
  for (uint32_t i = 1; i < node->operand_count; ++i) {
    reader->operand_leaves[i] =
        reader->operand_leaves[i - 1] + tn_type_leaf_count(node->operands[i - 1]->type);
  }
  for (uint32_t i = 1; i < node->result_count; ++i) {
    reader->result_leaves[i] =
        reader->result_leaves[i - 1] + tn_type_leaf_count(node->results[i - 1].type);
  }
  return TN_OK;
}

tn_status_t tn__plan_read_aliases(planner_t* planner, step_t* step) {
  alias_reader_t reader = {.node = step->plan.node};
  const tn_attr_t* aliases = tn__attr_find(&step->plan.node->attrs, "output_operand_aliases");
  if (!aliases) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, step->plan.operand_count, &step->aliases));
  TN_RETURN_IF_ERROR(count_leaves(planner, &reader));
  for (size_t i = 0; i < aliases->array.count; ++i) {
    TN_RETURN_IF_ERROR(read_alias(planner, step, &reader, aliases->array.items[i]));
  }
  return TN_OK;
}
