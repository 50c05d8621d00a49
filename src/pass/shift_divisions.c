// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// shift-divisions: unsigned integers are divided by powers of two by shifts, and what remains is
// their lowest bits. No processor has vectors of integer divisions.
#include "kernel/common/element.h"
#include "pass/passes.h"

// How many bits the largest value of an integer type has; 0: it is none.
static uint32_t bits_of(const tn_value_t* value) {
  if (!tn__type_is_tensor(value->type)) return 0;
  const tn_kind_t kind = tn_dtype_kind(value->type->dtype);
  const uint32_t width = tn_dtype_bit_width(value->type->dtype);
  return kind == TN_KIND_UNSIGNED ? width : kind == TN_KIND_SIGNED ? width - 1 : 0;
}

// The power of two that all elements of the value are; 0: they are something else.
static uint64_t power_of(tn_value_t* value) {
  value = tn__value_resolve(value);
  uint32_t bits = bits_of(value);
  // Integers that are converted are not folded yet: they are the same if they fit all types.
  while (value->node && (value->node->op == TN__OP(broadcast_in_dim) ||
                         (value->node->op == TN__OP(convert) && bits))) {
    value = tn__value_resolve(value->node->operands[0]);
    const uint32_t own = bits_of(value);
    if (own < bits) bits = own;
  }
  const tn_attr_t* constant = tn__pass_constant_of(value);
  if (!constant || !(constant->elements.splat || tn__type_size(value->type) == 1)) return 0;
  const uint64_t power = (uint64_t)tn__element_to_i64(value->type->dtype, constant->elements.data);
  return power & (power - 1) || !bits || power >> (bits - 1) > 1 ? 0 : power;
}

// An array of the type of the node's result, all elements of which are `value`.
static tn_status_t insert_splat(tn_node_t* node, uint64_t value, tn_value_t** out_value) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_type_t* type = node->results[0].type;
  const tn_attr_t* elements = NULL;
  unsigned char bytes[sizeof value];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)(value >> 8 * i);
  TN_RETURN_IF_ERROR(tn__attr_elements(attrs.arena, type, true, bytes, &elements));
  tn__pass_add_attr(&attrs, "value", elements);
  return tn__pass_insert(node, TN__OP(constant), 0, NULL, &attrs, type, out_value);
}

static tn_status_t shift(tn_node_t* node) {
  const tn_type_t* type = node->results[0].type;
  if (!tn__type_is_tensor(type) || !tn__type_is_static(type) ||
      tn_dtype_kind(type->dtype) != TN_KIND_UNSIGNED || tn_dtype_bit_width(type->dtype) < 8) {
    return TN_OK;
  }
  const uint64_t power = power_of(node->operands[1]);
  if (power == 0) return TN_OK;
  const bool divides = node->op == TN__OP(divide);
  tn_value_t *operands[2] = {node->operands[0], NULL}, *result = NULL;
  TN_RETURN_IF_ERROR(
      insert_splat(node, divides ? (uint64_t)__builtin_ctzll(power) : power - 1, &operands[1]));
  TN_RETURN_IF_ERROR(tn__pass_insert(node, divides ? TN__OP(shift_right_logical) : TN__OP(and), 2,
                                     operands, NULL, type, &result));
  result->name = node->results[0].name;
  node->results[0].replacement = result;
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t shift_region(tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(shift_region(node->regions[i]));
    }
    if (node->op == TN__OP(divide) || node->op == TN__OP(remainder)) {
      TN_RETURN_IF_ERROR(shift(node));
    }
  }
  return TN_OK;
}

static tn_status_t shift_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  TN_RETURN_IF_ERROR(shift_region(function->body));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_shift_divisions(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, shift_function);
}
