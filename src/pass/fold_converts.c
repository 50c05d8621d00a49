// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// fold-converts: a product whose kernel converts operands as it reads them reads what a conversion
// to wider elements reads. Weights that are stored in few bits are then never in memory as wide as
// they are multiplied.
#include "base/float_format.h"
#include "kernel/target.h"
#include "pass/passes.h"

// Digits of the dtype's numbers, and the highest exponent; 0 digits: it has none of these.
typedef struct range {
  uint32_t digits;
  int32_t exponent;
  bool has_sign, has_fractions;
} range_t;

static range_t range_of(tn_dtype_t dtype) {
  const tn_kind_t kind = tn_dtype_kind(dtype);
  const tn_float_format_t* format = tn__float_format(dtype);
  const uint32_t width = tn_dtype_bit_width(dtype);
  if (kind == TN_KIND_FLOAT) return (range_t){format->mantissa_bits + 1, format->bias, true, true};
  if (!(kind & (TN_KIND_INTEGER | TN_KIND_BOOL))) return (range_t){0};
  const bool has_sign = kind == TN_KIND_SIGNED;
  return (range_t){width - has_sign, (int32_t)width - has_sign, has_sign, false};
}

// Whether all numbers of the one dtype are of the other, in which they take more bytes.
static bool is_widening(tn_dtype_t from, tn_dtype_t to) {
  const range_t narrow = range_of(from), wide = range_of(to);
  return narrow.digits && narrow.digits <= wide.digits && narrow.exponent <= wide.exponent &&
         narrow.has_sign <= wide.has_sign && narrow.has_fractions <= wide.has_fractions &&
         tn_dtype_byte_size(from) < tn_dtype_byte_size(to);
}

static tn_value_t* alone(tn_value_t* value, const uint32_t* uses) {
  value = tn__value_resolve(value);
  return value->node && uses[value->id] == 1 ? value : NULL;
}

// The conversion whose result is operand `index`, or is transposed to be it, and nothing else;
// NULL.
static tn_node_t* find_convert(const tn_node_t* node, uint32_t index, const uint32_t* uses,
                               tn_node_t** out_transpose) {
  *out_transpose = NULL;
  const tn_value_t* value = alone(node->operands[index], uses);
  if (value && value->node->op == TN__OP(transpose)) {
    *out_transpose = value->node;
    value = alone(value->node->operands[0], uses);
  }
  return value && value->node->op == TN__OP(convert) ? value->node : NULL;
}

TN_APART static tn_status_t fold_operand(tn_node_t* node, uint32_t index, const uint32_t* uses,
                                         tn_arena_t* scratch) {
  tn_node_t* transpose = NULL;
  const tn_node_t* convert = find_convert(node, index, uses, &transpose);
  tn_op_use_t use;
  if (!convert) return TN_OK;
  tn_value_t* source = tn__value_resolve(convert->operands[0]);
  const tn_dtype_t from = source->type->dtype;
  if (!is_widening(from, convert->results[0].type->dtype)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  const tn_kernel_t* kernel = tn__kernel_find(node->region->function->module->target, &use);
  if (!kernel || !kernel->loads || !kernel->loads(&use)) return TN_OK;
  if (!transpose) {
    node->operands[index] = source;
    return TN_OK;
  }
  tn_value_t* value = &transpose->results[0];
  TN_RETURN_IF_ERROR(tn__type_tensor(&node->region->function->module->arena, from,
                                     value->type->rank, value->type->dims, &value->type));
  transpose->operands[0] = source;
  return TN_OK;
}

static tn_status_t fold_region(tn_region_t* region, const uint32_t* uses, tn_arena_t* scratch) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(fold_region(node->regions[i], uses, scratch));
    }
    if (node->op != TN__OP(dot_general) && node->op != TN__OP(dot)) continue;
    for (uint32_t i = 0; i < 2; ++i) TN_RETURN_IF_ERROR(fold_operand(node, i, uses, scratch));
  }
  return TN_OK;
}

static tn_status_t fold_function(tn_function_t* function, tn_arena_t* scratch) {
  uint32_t* uses = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &uses));
  tn__pass_count_uses(function->body, uses);
  return fold_region(function->body, uses, scratch);
}

tn_status_t tn__pass_fold_converts(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, fold_function);
}
