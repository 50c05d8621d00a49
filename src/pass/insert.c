// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Making nodes.
#include "pass/passes.h"

void tn__pass_add_attr(tn_pass_attrs_t* attrs, const char* name, const tn_attr_t* attr) {
  attrs->entries[attrs->count++] = (tn_named_attr_t){tn__sv(name), attr};
}

tn_status_t tn__pass_add_list(tn_pass_attrs_t* attrs, const char* name, size_t count,
                              const int64_t* values) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_i64_array(attrs->arena, count, values, &attr));
  tn__pass_add_attr(attrs, name, attr);
  return TN_OK;
}

tn_status_t tn__pass_insert(tn_node_t* position, const tn_op_t* op, size_t operand_count,
                            tn_value_t* const* operands, const tn_pass_attrs_t* attrs,
                            const tn_type_t* type, tn_value_t** out_value) {
  tn_node_spec_t spec = {.op = op,
                         .operand_count = operand_count,
                         .operands = operands,
                         .result_count = 1,
                         .result_types = &type,
                         .location = position->location};
  const tn_attr_t* dictionary = NULL;
  tn_node_t* node = NULL;
  if (attrs) {
    TN_RETURN_IF_ERROR(tn__attr_dictionary(attrs->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                           attrs->count, attrs->entries, &dictionary));
    spec.attrs = dictionary->dictionary;
  }
  TN_RETURN_IF_ERROR(tn__node_insert(position, &spec, &node));
  *out_value = &node->results[0];
  return TN_OK;
}

tn_status_t tn__pass_insert_reshape(tn_node_t* position, tn_value_t* value, const tn_type_t* type,
                                    tn_value_t** out_value) {
  *out_value = value;
  while (!tn_type_equal(value->type, type)) {
    if (!value->node || value->node->op != TN__OP(reshape)) {
      return tn__pass_insert(position, TN__OP(reshape), 1, &value, NULL, type, out_value);
    }
    *out_value = value = tn__value_resolve(value->node->operands[0]);
  }
  return TN_OK;
}

// (a, b) -> op(a, b), of scalars.
static tn_status_t binary_region(const tn_node_t* node, const tn_op_t* op, tn_dtype_t dtype,
                                 tn_region_t** out_region) {
  const tn_type_t *scalar = tn__type_scalar(dtype), *pair[] = {scalar, scalar};
  tn_region_t* region = NULL;
  tn_node_t *binary = NULL, *last = NULL;
  TN_RETURN_IF_ERROR(tn__region_create(node->region->function, 2, pair, &region));
  tn_value_t* operands[] = {&region->arguments[0], &region->arguments[1]};
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = op,
                                                       .operand_count = 2,
                                                       .operands = operands,
                                                       .result_count = 1,
                                                       .result_types = &scalar,
                                                       .location = node->location},
                                     &binary));
  tn_value_t* result = &binary->results[0];
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = TN__OP(return ),
                                                       .operand_count = 1,
                                                       .operands = &result,
                                                       .location = node->location},
                                     &last));
  *out_region = region;
  return TN_OK;
}

tn_status_t tn__pass_insert_reduce(tn_node_t* position, const tn_op_t* op, tn_value_t* input,
                                   tn_value_t* initial, size_t count, const int64_t* dimensions,
                                   const tn_type_t* type, tn_value_t** out_value) {
  tn_pass_attrs_t attrs = {.arena = &position->region->function->module->arena};
  const tn_attr_t* dictionary = NULL;
  tn_value_t* operands[] = {input, initial};
  tn_region_t* body = NULL;
  tn_node_t* reduce = NULL;
  TN_RETURN_IF_ERROR(binary_region(position, op, type->dtype, &body));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "dimensions", count, dimensions));
  TN_RETURN_IF_ERROR(tn__attr_dictionary(attrs.arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs.count, attrs.entries, &dictionary));
  TN_RETURN_IF_ERROR(tn__node_insert(position,
                                     &(tn_node_spec_t){.op = TN__OP(reduce),
                                                       .operand_count = 2,
                                                       .operands = operands,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = dictionary->dictionary,
                                                       .region_count = 1,
                                                       .regions = &body,
                                                       .location = position->location},
                                     &reduce));
  *out_value = &reduce->results[0];
  return TN_OK;
}

tn_status_t tn__pass_calling_region(const tn_node_t* node, const tn_function_t* function,
                                    tn_region_t** out_region) {
  tn_arena_t* arena = &node->region->function->module->arena;
  const tn_attr_t *callee = NULL, *dictionary = NULL;
  tn_node_t *call = NULL, *last = NULL;
  tn_region_t* region = NULL;
  *out_region = NULL;
  TN_RETURN_IF_ERROR(tn__region_create(node->region->function, function->argument_count,
                                       function->argument_types, &region));
  tn_value_t** arguments = NULL;
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(arena, (size_t)function->argument_count + function->result_count, &arguments));
  tn_value_t** results = arguments + function->argument_count;
  for (uint32_t i = 0; i < function->argument_count; ++i) arguments[i] = &region->arguments[i];
  TN_RETURN_IF_ERROR(tn__attr_text(arena, TN_ATTR_SYMBOL, function->name, &callee));
  const tn_named_attr_t named = {TN_SV_LITERAL("callee"), callee};
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = TN__OP_OF(func, call),
                                                       .operand_count = function->argument_count,
                                                       .operands = arguments,
                                                       .result_count = function->result_count,
                                                       .result_types = function->result_types,
                                                       .attrs = dictionary->dictionary,
                                                       .location = node->location},
                                     &call));
  for (uint32_t i = 0; i < function->result_count; ++i) results[i] = &call->results[i];
  TN_RETURN_IF_ERROR(tn__node_append(region,
                                     &(tn_node_spec_t){.op = TN__OP(return ),
                                                       .operand_count = function->result_count,
                                                       .operands = results,
                                                       .location = node->location},
                                     &last));
  *out_region = region;
  return TN_OK;
}
