// What the output_operand_aliases of a custom call say, in numbers of leaves.
#include "plan/planner.h"

// Leaves of a type: `count` of them from number `first` on.
typedef struct leaves {
  size_t first, count;
} leaves_t;

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

static leaves_t leaves_of_operand(const tn_node_t* node, int64_t operand,
                                  const tn_i64_list_t* path) {
  if (operand < 0 || operand >= node->operand_count) return (leaves_t){0, 0};
  leaves_t leaves = leaves_at(node->operands[operand]->type, path, 0);
  for (int64_t i = 0; i < operand; ++i) {
    leaves.first += tn_type_leaf_count(node->operands[i]->type);
  }
  return leaves;
}

// With several results the first index names one of them; a single one is descended into.
static leaves_t leaves_of_result(const tn_node_t* node, const tn_i64_list_t* path) {
  if (node->result_count == 1) return leaves_at(node->results[0].type, path, 0);
  int64_t result = path->count ? path->values[0] : -1;
  if (result < 0 || result >= node->result_count) return (leaves_t){0, 0};
  leaves_t leaves = leaves_at(node->results[result].type, path, 1);
  for (int64_t i = 0; i < result; ++i) leaves.first += tn_type_leaf_count(node->results[i].type);
  return leaves;
}

// The verifier has seen to it that both sides are there and have one type, and that no operand or
// result is named twice.
static tn_status_t read_alias(planner_t* planner, step_t* step, const tn_attr_t* alias) {
  const tn_node_t* node = step->plan.node;
  const tn_attr_dictionary_t* fields = &alias->dictionary;
  tn_i64_list_t output_path, operand_path;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "output_tuple_indices", &planner->scratch, &output_path));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "operand_tuple_indices", &planner->scratch, &operand_path));
  leaves_t operands =
      leaves_of_operand(node, tn__attr_get_integer(fields, "operand_index", 0), &operand_path);
  leaves_t results = leaves_of_result(node, &output_path);
  for (size_t i = 0; i < operands.count && operands.count == results.count; ++i) {
    if (step->alias_count == step->plan.operand_count) break;
    step->aliases[step->alias_count++] =
        (alias_t){(uint32_t)(operands.first + i), (uint32_t)(results.first + i)};
  }
  return TN_OK;
}

tn_status_t tn__plan_read_aliases(planner_t* planner, step_t* step) {
  const tn_attr_t* aliases = tn__attr_find(&step->plan.node->attrs, "output_operand_aliases");
  if (!aliases) return TN_OK;
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(&planner->scratch, step->plan.operand_count,
                                              sizeof(alias_t), &memory));
  step->aliases = memory;
  for (size_t i = 0; i < aliases->array.count; ++i) {
    TN_RETURN_IF_ERROR(read_alias(planner, step, aliases->array.items[i]));
  }
  return TN_OK;
}
