// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Gives a function whose arguments have unknown dimensions the types of arguments that are there,
// and every value inside the type that follows: sizes of dimensions become constants, what is
// computed of them is folded, and operations that take shapes as operands become those that have
// them as attributes.
#include "pass/refine.h"

#include "base/c_locale.h"
#include "base/interrupt.h"
#include "call/operation.h"
#include "kernel/static_form.h"
#include "pass/passes.h"
#include "pass/refiner.h"

static tn_status_t refine_region(tn_refiner_t* refiner, tn_region_t* region);

// --- values that are known

static tn_status_t replace_by_number(tn_node_t* node, int64_t number) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_attr_t* value = NULL;
  const int32_t narrow = (int32_t)number;
  if (narrow != number) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s%s: the dimension has size %lld; expected one that an i32 holds",
                            TN_REFINED_OP(node->op), (long long)number);
  }
  TN_RETURN_IF_ERROR(
      tn__attr_elements(attrs.arena, tn__type_scalar(TN_DTYPE_S32), false, &narrow, &value));
  tn__pass_add_attr(&attrs, "value", value);
  TN_RETURN_IF_ERROR(tn__pass_insert(node, TN__OP(constant), 0, NULL, &attrs,
                                     tn__type_scalar(TN_DTYPE_S32), &node->results[0].replacement));
  tn__node_remove(node);
  return TN_OK;
}

static bool has_integers(const tn_type_t* type, size_t count) {
  const bool is_integer = tn_dtype_kind(type->dtype) & (TN_KIND_INTEGER | TN_KIND_BOOL);
  return is_integer && tn__type_size(type) == (int64_t)count;
}

// The elements of an operand, which must be that many integers or booleans.
tn_status_t tn__refine_read_operand(tn_refiner_t* refiner, const tn_node_t* node, uint32_t operand,
                                    size_t count, const int64_t** out_values) {
  *out_values = NULL;
  if (operand >= node->operand_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s%s: operand %u is missing; expected %zu integer%s",
                            TN_REFINED_OP(node->op), operand, count, count == 1 ? "" : "s");
  }
  const tn_value_t* value = node->operands[operand];
  const tn_attr_t* attr = tn__pass_constant_of(value);
  if (!attr) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s%s: operand %u gives sizes and depends on data; expected sizes "
                            "that follow from the shapes of the arguments",
                            TN_REFINED_OP(node->op), operand);
  }
  if (!has_integers(value->type, count)) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s%s: operand %u has type %s; expected %zu integer%s",
        TN_REFINED_OP(node->op), operand, TN_TYPE_TEXT(value->type), count, count == 1 ? "" : "s");
  }
  return tn__static_form_read(&refiner->scratch, value->type, attr->elements.data,
                              attr->elements.splat, out_values);
}

// --- types that follow

tn_status_t tn__refine_set_shape(tn_refiner_t* refiner, tn_value_t* result, size_t rank,
                                 const int64_t* dims) {
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] >= 0) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s%s: dimension %zu would have size %lld",
                            TN_REFINED_OP(result->node->op), i, (long long)dims[i]);
  }
  TN_RETURN_IF_ERROR(tn_status_prefix(tn__type_check(result->type->dtype, rank, dims), "%s%s",
                                      TN_REFINED_OP(result->node->op)));
  return tn__type_tensor(refiner->arena, result->type->dtype, rank, dims, &result->type);
}

tn_status_t tn__refine_infer(tn_refiner_t* refiner, tn_node_t* node, const tn_op_use_t* use) {
  size_t count = 0;
  tn_op_use_t lasting = *use;
  lasting.arena = refiner->arena;
  const tn_type_t** types = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, node->result_count, &types));
  TN_RETURN_IF_ERROR(tn__op_infer(&lasting, node->result_count, types, &count));
  for (uint32_t i = 0; i < count; ++i) {
    if (tn__type_is_static(types[i])) node->results[i].type = types[i];
  }
  return TN_OK;
}

static bool has_constant_amounts(const tn_node_t* node, const tn_static_form_t* form) {
  for (uint32_t i = (uint32_t)form->data_count; i < node->operand_count; ++i) {
    if (!tn__pass_constant_of(node->operands[i])) return false;
  }
  return true;
}

// dynamic_pad and similar operations: their last operands say the shape, or are attributes of the
// static form.
static tn_status_t refine_dynamic(tn_refiner_t* refiner, tn_node_t* node,
                                  const tn_static_form_t* form) {
  const int64_t* values[3] = {NULL, NULL, NULL};
  tn_op_use_t use, fixed;
  tn_value_t* result = &node->results[0];
  if (tn__type_is_static(result->type) && !has_constant_amounts(node, form)) return TN_OK;
  for (uint32_t i = (uint32_t)form->data_count; i < node->operand_count; ++i) {
    const size_t count =
        form->attrs[0] ? (size_t)tn__type_size(node->operands[i]->type) : result->type->rank;
    TN_RETURN_IF_ERROR(
        tn__refine_read_operand(refiner, node, i, count, &values[i - form->data_count]));
  }
  if (node->op == TN__OP(set_dimension_size) && values[0]) {
    int64_t dims[TN_MAX_RANK];
    const tn_type_t* type = node->operands[0]->type;
    if (type->rank) memcpy(dims, type->dims, type->rank * sizeof *dims);
    dims[tn__attr_get_integer(&node->attrs, "dimension", 0)] = values[0][0];
    TN_RETURN_IF_ERROR(tn__refine_set_shape(refiner, result, type->rank, dims));
  } else if (!form->attrs[0] && values[0]) {
    TN_RETURN_IF_ERROR(tn__refine_set_shape(refiner, result, result->type->rank, values[0]));
  } else {
    TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
    TN_RETURN_IF_ERROR(tn__static_form_use(form, &use, values, &refiner->scratch, &fixed));
    TN_RETURN_IF_ERROR(tn__refine_infer(refiner, node, &fixed));
  }
  return tn__pass_fix_node(node, &refiner->scratch);
}

// Those that have no rule to infer by.
static tn_status_t refine_stated(tn_refiner_t* refiner, tn_node_t* node) {
  tn_value_t* result = node->result_count ? &node->results[0] : NULL;
  const tn_type_t* first = node->operand_count ? node->operands[0]->type : NULL;
  if (!result || tn__type_is_static(result->type)) return TN_OK;
  if (node->op == TN__OP(rng)) {
    const int64_t* dims = NULL;
    TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, 2, result->type->rank, &dims));
    return tn__refine_set_shape(refiner, result, result->type->rank, dims);
  }
  const bool is_like_first = tn__op_has(node->op, TN_ELEMENTWISE) ||
                             node->op == TN__OP(bitcast_convert) ||
                             node->op == TN__OP(rng_bit_generator);
  if (is_like_first && node->result_count == 1 && first && tn__type_is_tensor(first) &&
      first->rank == result->type->rank) {
    return tn__refine_set_shape(refiner, result, first->rank, first->dims);
  }
  if (tn__op_has(node->op, TN_FOREIGN)) return tn__refine_call(refiner, node);
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s%s: the result has type %s, whose sizes do not follow from the "
                          "operands",
                          TN_REFINED_OP(node->op), TN_TYPE_TEXT(result->type));
}

// --- regions

// A while's values keep their types from turn to turn.
static tn_status_t refine_while(tn_refiner_t* refiner, tn_node_t* node) {
  for (uint32_t r = 0; r < node->region_count; ++r) {
    tn_region_t* region = node->regions[r];
    for (uint32_t i = 0; i < region->argument_count; ++i) {
      region->arguments[i].type = node->operands[i]->type;
    }
    TN_RETURN_IF_ERROR(refine_region(refiner, region));
  }
  const tn_node_t* last = node->regions[1]->last;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const tn_type_t* type = tn__value_resolve(last->operands[i])->type;
    node->results[i].type = node->operands[i]->type;
    if (tn_type_equal(type, node->operands[i]->type)) continue;
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "while: value %u has type %s before the loop and %s after a turn; "
                            "expected sizes that stay",
                            i, TN_TYPE_TEXT(node->operands[i]->type), TN_TYPE_TEXT(type));
  }
  return TN_OK;
}

static tn_status_t refine_branches(tn_refiner_t* refiner, tn_node_t* node) {
  for (uint32_t r = 0; r < node->region_count; ++r) {
    TN_RETURN_IF_ERROR(refine_region(refiner, node->regions[r]));
  }
  const tn_node_t* last = node->regions[0]->last;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    node->results[i].type = tn__value_resolve(last->operands[i])->type;
  }
  return TN_OK;
}

// --- shape assertions of JAX

// "{1}" in the text of the assertion stands for operand 1 + 1.
static tn_status_t fail_assertion(tn_refiner_t* refiner, const tn_node_t* node) {
  char text[512];
  size_t length = 0;
  const tn_string_view_t message = tn__attr_get_string(&node->attrs, "error_message");
  for (size_t i = 0; i < message.length && length + 24 < sizeof text; ++i) {
    const bool is_number = message.data[i] == '{' && i + 2 < message.length &&
                           message.data[i + 1] >= '0' && message.data[i + 1] <= '9' &&
                           message.data[i + 2] == '}';
    const uint32_t operand = is_number ? (uint32_t)(message.data[i + 1] - '0') + 1 : 0;
    const int64_t* value = NULL;
    if (!is_number || operand >= node->operand_count) {
      text[length++] = message.data[i];
      continue;
    }
    TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, operand, 1, &value));
    length +=
        (size_t)tn__c_snprintf(text + length, sizeof text - length, "%lld", (long long)value[0]);
    i += 2;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%.*s", (int)length, text);
}

static tn_status_t refine_assertion(tn_refiner_t* refiner, tn_node_t* node) {
  const int64_t* holds = NULL;
  TN_RETURN_IF_ERROR(tn__refine_read_operand(refiner, node, 0, 1, &holds));
  if (!holds[0]) return fail_assertion(refiner, node);
  tn__node_remove(node);
  return TN_OK;
}

// --- all of it

// Calls have been replaced by copies of what they call, as far as the program may grow or nest.
static tn_status_t refine_callee(const tn_node_t* node) {
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "callee");
  bool is_static = true;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    is_static = is_static && tn__type_is_static(node->operands[i]->type);
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    is_static = is_static && tn__type_is_static(node->results[i].type);
  }
  const tn_function_t* callee = tn__pass_callee(node);
  for (uint32_t i = 0; is_static && callee && i < callee->argument_count; ++i) {
    is_static = tn__type_is_static(callee->argument_types[i]);
  }
  if (is_static) return TN_OK;
  return tn_status_create(
      TN_CODE_UNIMPLEMENTED,
      "call: the function @%.*s has unknown sizes, so that each call becomes a copy of it, and the "
      "program with all copies is too large or nests too deep",
      TN_SV(name));
}

static tn_status_t refine_types(tn_refiner_t* refiner, tn_node_t* node) {
  tn_op_use_t use;
  if (node->op == TN__OP(while)) return refine_while(refiner, node);
  if (node->op == TN__OP(if) || node->op == TN__OP(case)) return refine_branches(refiner, node);
  if (node->op == TN__OP_OF(func, call)) return refine_callee(node);
  if (tn__refine_has_rule(node)) return tn__refine_call(refiner, node);
  const tn_static_form_t* form = tn__static_form_of(node->op);
  if (form) return refine_dynamic(refiner, node, form);
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_RETURN_IF_ERROR(refine_region(refiner, node->regions[i]));
  }
  if (!node->op->infer) return refine_stated(refiner, node);
  TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
  return tn__refine_infer(refiner, node, &use);
}

static tn_status_t refine_node(tn_refiner_t* refiner, tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    node->operands[i] = tn__value_resolve(node->operands[i]);
  }
  if (node->op == TN__OP(get_dimension_size)) {
    const int64_t dimension = tn__attr_get_integer(&node->attrs, "dimension", 0);
    return replace_by_number(node, node->operands[0]->type->dims[dimension]);
  }
  if (node->op == tn__op_shape_assertion) return refine_assertion(refiner, node);
  TN_RETURN_IF_ERROR(refine_types(refiner, node));
  return tn__pass_fold_node(node, &refiner->scratch);
}

static tn_status_t refine_region(tn_refiner_t* refiner, tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    TN_RETURN_IF_ERROR(tn__interrupt_check(region->function->module->interrupt));
    tn_status_t status = refine_node(refiner, node);
    if (status) return tn__node_locate(node, status);
  }
  return TN_OK;
}

tn_status_t tn__pass_refine(tn_module_t* module, tn_function_t* entry,
                            const tn_type_t* const* argument_types) {
  tn_refiner_t refiner = {.arena = &module->arena};
  TN_RETURN_IF_ERROR(tn__pass_flatten(module, entry));
  for (uint32_t i = 0; i < entry->argument_count; ++i) {
    const tn_type_t* type = argument_types[i];
    if (tn__type_is_tensor(type)) {
      TN_RETURN_IF_ERROR(
          tn__type_tensor(refiner.arena, type->dtype, type->rank, type->dims, &type));
    }
    entry->argument_types[i] = entry->body->arguments[i].type = type;
  }
  tn__arena_init(&refiner.scratch, module->allocator);
  tn_status_t status = refine_region(&refiner, entry->body);
  tn__arena_deinit(&refiner.scratch);
  TN_RETURN_IF_ERROR(status);
  tn__function_resolve(entry);
  const tn_node_t* last = entry->body->last;
  for (uint32_t i = 0; i < entry->result_count; ++i) {
    entry->result_types[i] = last->operands[i]->type;
  }
  // What contradicts itself is found here.
  return tn__module_verify(module);
}

// --- whether it is needed

static bool must_refine(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    if (tn__refine_has_rule(node)) return true;
    for (uint32_t i = 0; i < node->result_count; ++i) {
      if (!tn__type_is_static(node->results[i].type)) return true;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      if (must_refine(node->regions[i])) return true;
    }
  }
  return false;
}

bool tn__pass_must_refine(const tn_module_t* module) {
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    if (f->body && must_refine(f->body)) return true;
  }
  return false;
}
