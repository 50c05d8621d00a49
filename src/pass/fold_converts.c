// fold-converts: a product whose kernel converts operands as it reads them reads what a conversion
// to wider elements reads. Weights that are stored in few bits are then never in memory as wide as
// they are multiplied.
#include "kernel/target.h"
#include "pass/passes.h"

// Of the significands that the dtype's numbers have; 0: it has no such numbers.
static uint32_t digits_of(tn_dtype_t dtype) {
  const uint32_t width = tn_dtype_bit_width(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_BOOL:
    case TN_KIND_UNSIGNED: return width;
    case TN_KIND_SIGNED: return width - 1;
    default: break;
  }
  switch (dtype) {
    case TN_DTYPE_F64: return 53;
    case TN_DTYPE_F32: return 24;
    case TN_DTYPE_F16: return 11;
    case TN_DTYPE_BF16: return 8;
    default: return tn_dtype_kind(dtype) == TN_KIND_FLOAT && width <= 8 ? 5 : 0;  // at most
  }
}

// Whether all numbers of the one dtype are of the other, in which they take more bytes.
static bool is_widening(tn_dtype_t from, tn_dtype_t to) {
  const bool from_float = tn_dtype_kind(from) == TN_KIND_FLOAT;
  const bool to_float = tn_dtype_kind(to) == TN_KIND_FLOAT;
  const bool loses_sign =
      tn_dtype_kind(from) == TN_KIND_SIGNED && tn_dtype_kind(to) == TN_KIND_UNSIGNED;
  return digits_of(from) && digits_of(from) <= digits_of(to) && !loses_sign &&
         (to_float || !from_float) && to != TN_DTYPE_F16 &&  // which has few exponents
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
