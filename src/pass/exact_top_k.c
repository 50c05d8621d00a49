// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// exact-top-k: JAX's approx_max_k and approx_min_k are custom calls @ApproxTopK that name their
// comparison. They become exact: a stable sort, of which the first elements are kept.
#include "call/operation.h"
#include "pass/passes.h"

enum { MOST_ARRAYS = 8 };

typedef struct top_k {
  uint32_t count;  // of arrays that are sorted together; as many initial values follow
  int64_t dimension;
  const tn_function_t* comparison;
} top_k_t;

static bool is_static_tensor(const tn_type_t* type) {
  return type->kind == TN_TYPE_TENSOR && tn__type_is_static(type);
}

// The results are the arrays, shorter in one dimension.
static bool has_fitting_types(const tn_node_t* node, const top_k_t* top_k) {
  for (uint32_t i = 0; i < top_k->count; ++i) {
    const tn_type_t *from = node->operands[i]->type, *to = node->results[i].type;
    if (!is_static_tensor(from) || !is_static_tensor(to) || from->dtype != to->dtype ||
        from->rank != to->rank || top_k->dimension < 0 || top_k->dimension >= (int64_t)from->rank) {
      return false;
    }
    const tn_type_t* first = node->operands[0]->type;
    for (int64_t d = 0; d < (int64_t)from->rank; ++d) {
      if (from->rank != first->rank || from->dims[d] != first->dims[d]) return false;
      if (d == top_k->dimension ? to->dims[d] > from->dims[d] : to->dims[d] != from->dims[d]) {
        return false;
      }
    }
  }
  return true;
}

// (x0, y0, x1, y1, ...) -> i1
static bool is_comparison(const tn_node_t* node, const top_k_t* top_k) {
  const tn_function_t* f = top_k->comparison;
  if (!f || !f->body || f->argument_count != 2 * top_k->count || f->result_count != 1) return false;
  if (!tn_type_equal(f->result_types[0], tn__type_scalar(TN_DTYPE_PRED))) return false;
  for (uint32_t i = 0; i < f->argument_count; ++i) {
    const tn_type_t* element = tn__type_scalar(node->operands[i / 2]->type->dtype);
    if (!tn_type_equal(f->argument_types[i], element)) return false;
  }
  return true;
}

int64_t tn__pass_top_k_dimension(const tn_node_t* node) {
  const tn_attr_t* config = tn__attr_find(&node->attrs, "mhlo.backend_config");
  if (!config) config = tn__attr_find(&node->attrs, "backend_config");
  const bool is_dictionary = config && config->kind == TN_ATTR_DICTIONARY;
  return is_dictionary ? tn__attr_get_integer(&config->dictionary, "reduction_dim", -1) : -1;
}

TN_APART static bool read_top_k(const tn_node_t* node, top_k_t* out) {
  const tn_attr_t* called = tn__attr_find(&node->attrs, "called_computations");
  if (!called || called->kind != TN_ATTR_ARRAY || called->array.count != 1 ||
      called->array.items[0]->kind != TN_ATTR_SYMBOL) {
    return false;
  }
  *out = (top_k_t){
      .count = node->result_count,
      .dimension = tn__pass_top_k_dimension(node),
      .comparison =
          tn__module_find_function(node->region->function->module, called->array.items[0]->string),
  };
  return out->count >= 1 && out->count <= MOST_ARRAYS && node->operand_count == 2 * out->count &&
         has_fitting_types(node, out) && is_comparison(node, out);
}

TN_APART static tn_status_t insert_sort(tn_node_t* node, const top_k_t* top_k,
                                        tn_node_t** out_sort) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_attr_t *dimension = NULL, *is_stable = NULL, *dictionary = NULL;
  const tn_type_t* types[MOST_ARRAYS];
  tn_region_t* comparator = NULL;
  TN_RETURN_IF_ERROR(tn__attr_integer(attrs.arena, TN_DTYPE_S64, top_k->dimension, &dimension));
  TN_RETURN_IF_ERROR(tn__attr_bool(attrs.arena, true, &is_stable));
  tn__pass_add_attr(&attrs, "dimension", dimension);
  tn__pass_add_attr(&attrs, "is_stable", is_stable);
  TN_RETURN_IF_ERROR(tn__attr_dictionary(attrs.arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs.count, attrs.entries, &dictionary));
  TN_RETURN_IF_ERROR(tn__pass_calling_region(node, top_k->comparison, &comparator));
  for (uint32_t i = 0; i < top_k->count; ++i) types[i] = node->operands[i]->type;
  return tn__node_insert(node,
                         &(tn_node_spec_t){.op = TN__OP(sort),
                                           .operand_count = top_k->count,
                                           .operands = node->operands,
                                           .result_count = top_k->count,
                                           .result_types = types,
                                           .attrs = dictionary->dictionary,
                                           .region_count = 1,
                                           .regions = &comparator,
                                           .location = node->location},
                         out_sort);
}

TN_APART static tn_status_t keep_first(tn_node_t* node, tn_value_t* sorted, const tn_type_t* type,
                                       tn_value_t** out_value) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  int64_t zeros[TN_MAX_RANK] = {0}, ones[TN_MAX_RANK];
  for (size_t i = 0; i < type->rank; ++i) ones[i] = 1;
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "start_indices", type->rank, zeros));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "limit_indices", type->rank, type->dims));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "strides", type->rank, ones));
  return tn__pass_insert(node, TN__OP(slice), 1, &sorted, &attrs, type, out_value);
}

static tn_status_t no_search(void) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "custom call @ApproxTopK: expected arrays of one shape, an initial value "
                          "for each, a function that compares their elements, reduction_dim in the "
                          "configuration, and results that are shorter along that dimension");
}

static tn_status_t sort_region(tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    top_k_t top_k;
    tn_node_t* sort = NULL;
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(sort_region(node->regions[i]));
    }
    if (node->op != tn__op_approx_top_k) continue;
    if (!read_top_k(node, &top_k)) return tn__node_locate(node, no_search());
    TN_RETURN_IF_ERROR(insert_sort(node, &top_k, &sort));
    for (uint32_t i = 0; i < top_k.count; ++i) {
      tn_value_t* result = &node->results[i];
      TN_RETURN_IF_ERROR(keep_first(node, &sort->results[i], result->type, &result->replacement));
      result->replacement->name = result->name;
    }
    tn__node_remove(node);
  }
  return TN_OK;
}

static tn_status_t sort_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  TN_RETURN_IF_ERROR(sort_region(function->body));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_exact_top_k(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, sort_function);
}
