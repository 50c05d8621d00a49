// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// fold-transposes: the attributes of a convolution state the order of the dimensions of its
// operands, and whether the kernel is reversed. So it can read the operand of a transpose or
// reversal itself. Gradients have such operands, as large as the images. And a product whose rows
// and columns are exchanged is the product of the operands in the other order: gradients of weights
// are such products.
#include "pass/passes.h"

enum { FIELD_LIMIT = 16 };

static const struct side {
  const char *first, *second, *spatial;
} sides[] = {
    {"input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions"},
    {"kernel_input_feature_dimension", "kernel_output_feature_dimension",
     "kernel_spatial_dimensions"},
};

// The node's attributes with another one of this name.
static tn_status_t replace(tn_node_t* node, tn_arena_t* scratch, const char* name,
                           const tn_attr_t* value) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_attr_t* dictionary = NULL;
  tn_named_attr_t* entries = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, node->attrs.count + 1, &entries));
  for (size_t i = 0; i < node->attrs.count; ++i) {
    if (!tn__sv_is(node->attrs.entries[i].name, name)) entries[count++] = node->attrs.entries[i];
  }
  entries[count++] = (tn_named_attr_t){tn__sv(name), value};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, count,
                                         entries, &dictionary));
  node->attrs = dictionary->dictionary;
  return TN_OK;
}

// Dimension d of the operand becomes permutation[d].
static tn_status_t read_transposed(tn_node_t* node, size_t operand,
                                   const tn_i64_list_t* permutation, tn_arena_t* scratch) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_attr_t* numbers = tn__attr_find(&node->attrs, "dimension_numbers");
  const struct side* side = &sides[operand];
  tn_named_attr_t fields[FIELD_LIMIT];
  const size_t count = numbers->dictionary.count;
  for (size_t i = 0; i < count; ++i) {
    const tn_named_attr_t field = numbers->dictionary.entries[i];
    fields[i] = field;
    if (tn__sv_is(field.name, side->first) || tn__sv_is(field.name, side->second)) {
      TN_RETURN_IF_ERROR(tn__attr_integer(
          arena, field.attr->dtype, permutation->values[field.attr->integer], &fields[i].attr));
    } else if (tn__sv_is(field.name, side->spatial)) {
      int64_t dims[TN_MAX_RANK];
      tn_i64_list_t list;
      TN_RETURN_IF_ERROR(
          tn__attr_get_i64_list(&numbers->dictionary, side->spatial, scratch, &list));
      for (size_t k = 0; k < list.count; ++k) dims[k] = permutation->values[list.values[k]];
      TN_RETURN_IF_ERROR(tn__attr_i64_array(arena, list.count, dims, &fields[i].attr));
    }
  }
  TN_RETURN_IF_ERROR(
      tn__attr_dictionary(arena, TN_ATTR_STRUCT, numbers->name, count, fields, &numbers));
  return replace(node, scratch, "dimension_numbers", numbers);
}

// *out_is_read: all dimensions that were reversed are spatial ones of the kernel.
static tn_status_t read_reversed(tn_node_t* node, const tn_i64_list_t* reversed,
                                 tn_arena_t* scratch, bool* out_is_read) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_attr_t* numbers = tn__attr_find(&node->attrs, "dimension_numbers");
  bool values[TN_MAX_RANK] = {false};
  tn_i64_list_t spatial, reversal;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&numbers->dictionary, sides[1].spatial, scratch, &spatial));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&node->attrs, "window_reversal", scratch, &reversal));
  size_t found = 0;
  for (size_t i = 0; i < spatial.count; ++i) {
    bool is_reversed = reversal.present && reversal.values[i];
    for (size_t k = 0; k < reversed->count; ++k) {
      if (reversed->values[k] != spatial.values[i]) continue;
      is_reversed = !is_reversed;
      ++found;
    }
    values[i] = is_reversed;
  }
  *out_is_read = found == reversed->count;
  if (!*out_is_read) return TN_OK;
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(
      tn__attr_dense_array(arena, TN_DTYPE_PRED, (int64_t)spatial.count, values, &attr));
  return replace(node, scratch, "window_reversal", attr);
}

TN_APART static tn_status_t fold_operand(tn_node_t* node, size_t index, tn_arena_t* scratch) {
  const tn_attr_t* numbers = tn__attr_find(&node->attrs, "dimension_numbers");
  if (!numbers || numbers->kind != TN_ATTR_STRUCT || numbers->dictionary.count > FIELD_LIMIT) {
    return TN_OK;
  }
  for (;;) {
    const tn_node_t* maker = tn__value_resolve(node->operands[index])->node;
    tn_i64_list_t list;
    bool is_read = true;
    if (maker && maker->op == TN__OP(transpose)) {
      TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&maker->attrs, "permutation", scratch, &list));
      TN_RETURN_IF_ERROR(read_transposed(node, index, &list, scratch));
    } else if (maker && maker->op == TN__OP(reverse) && index == 1) {
      TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&maker->attrs, "dimensions", scratch, &list));
      TN_RETURN_IF_ERROR(read_reversed(node, &list, scratch, &is_read));
    } else {
      return TN_OK;
    }
    if (!is_read) return TN_OK;
    node->operands[index] = tn__value_resolve(maker->operands[0]);
  }
}

// --- products

static const struct dot_field {
  const char *lhs, *rhs;
} dot_fields[] = {
    {"lhs_batching_dimensions", "rhs_batching_dimensions"},
    {"lhs_contracting_dimensions", "rhs_contracting_dimensions"},
};

// The product of the operands in the other order.
static tn_status_t exchange_operands(tn_node_t* dot, tn_arena_t* scratch) {
  tn_arena_t* arena = &dot->region->function->module->arena;
  const tn_attr_t* numbers = tn__attr_find(&dot->attrs, "dot_dimension_numbers");
  tn_named_attr_t fields[2 * sizeof dot_fields / sizeof *dot_fields];
  size_t count = 0;
  for (size_t i = 0; i < sizeof dot_fields / sizeof *dot_fields; ++i) {
    const tn_attr_t* lhs = tn__attr_find(&numbers->dictionary, dot_fields[i].lhs);
    const tn_attr_t* rhs = tn__attr_find(&numbers->dictionary, dot_fields[i].rhs);
    if (rhs) fields[count++] = (tn_named_attr_t){tn__sv(dot_fields[i].lhs), rhs};
    if (lhs) fields[count++] = (tn_named_attr_t){tn__sv(dot_fields[i].rhs), lhs};
  }
  TN_RETURN_IF_ERROR(
      tn__attr_dictionary(arena, TN_ATTR_STRUCT, numbers->name, count, fields, &numbers));
  TN_RETURN_IF_ERROR(replace(dot, scratch, "dot_dimension_numbers", numbers));
  tn_value_t* lhs = dot->operands[0];
  dot->operands[0] = dot->operands[1];
  dot->operands[1] = lhs;
  return TN_OK;
}

// Whether the permutation moves the rows of the product `dot` behind its columns.
static tn_status_t exchanges_sides(const tn_node_t* dot, const tn_i64_list_t* permutation,
                                   tn_arena_t* scratch, bool* out_exchanges) {
  const tn_attr_t* numbers = tn__attr_find(&dot->attrs, "dot_dimension_numbers");
  tn_i64_list_t batching, contracting;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&numbers->dictionary, dot_fields[0].lhs, scratch, &batching));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&numbers->dictionary, dot_fields[1].lhs, scratch, &contracting));
  const size_t batch = batching.count;
  const size_t rows = dot->operands[0]->type->rank - batch - contracting.count;
  const size_t columns = permutation->count - batch - rows;
  *out_exchanges = true;
  for (size_t i = 0; i < permutation->count; ++i) {
    const size_t from = i < batch ? i : i < batch + columns ? i + rows : i - columns;
    *out_exchanges &= permutation->values[i] == (int64_t)from;
  }
  return TN_OK;
}

static bool is_plain_product(const tn_node_t* node) {
  const tn_attr_t* precision = tn__attr_find(&node->attrs, "precision_config");
  return node->op == TN__OP(dot_general) && !tn__attr_find(&node->attrs, "algorithm") &&
         (!precision || precision->array.count < 2 ||
          tn__attr_equal(precision->array.items[0], precision->array.items[1]));
}

static tn_status_t fold_result(tn_node_t* transpose, const uint32_t* uses, tn_arena_t* scratch) {
  tn_value_t* product = tn__value_resolve(transpose->operands[0]);
  tn_i64_list_t permutation;
  bool exchanges = false;
  if (!product->node || !is_plain_product(product->node) || uses[product->id] != 1) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&transpose->attrs, "permutation", scratch, &permutation));
  TN_RETURN_IF_ERROR(exchanges_sides(product->node, &permutation, scratch, &exchanges));
  if (!exchanges) return TN_OK;
  TN_RETURN_IF_ERROR(exchange_operands(product->node, scratch));
  product->type = transpose->results[0].type;
  transpose->results[0].replacement = product;
  return TN_OK;
}

// --- all of them

static tn_status_t fold_region(tn_region_t* region, const uint32_t* uses, tn_arena_t* scratch) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(fold_region(node->regions[i], uses, scratch));
    }
    if (node->op == TN__OP(transpose)) TN_RETURN_IF_ERROR(fold_result(node, uses, scratch));
    if (node->op != TN__OP(convolution)) continue;
    for (size_t i = 0; i < 2; ++i) TN_RETURN_IF_ERROR(fold_operand(node, i, scratch));
  }
  return TN_OK;
}

static tn_status_t fold_function(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t* uses = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &uses));
  tn__pass_count_uses(function->body, uses);
  TN_RETURN_IF_ERROR(fold_region(function->body, uses, scratch));
  tn__function_resolve(function);
  return TN_OK;
}

tn_status_t tn__pass_fold_transposes(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, fold_function);
}
