// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Gives a function whose arguments have unknown dimensions the types of arguments that are there,
// and every value inside the type that follows: sizes of dimensions become constants, what is
// computed of them is folded, and operations that take shapes as operands become those that have
// them as attributes.
#include "pass/refine.h"

#include "base/c_locale.h"
#include "call/infer.h"
#include "call/operation.h"
#include "kernel/static_form.h"
#include "pass/passes.h"

typedef struct refiner {
  tn_arena_t* arena;  // the module's
  tn_arena_t scratch;
} refiner_t;

static tn_status_t refine_region(refiner_t* refiner, tn_region_t* region);

// What names an operation in an error, for "%s%s".
#define OP_TEXT(op) tn__op_has(op, TN_FOREIGN) ? "custom call @" : "", tn__op_short_name(op)

// --- values that are known

static tn_status_t replace_by_number(tn_node_t* node, int64_t number) {
  tn_pass_attrs_t attrs = {.arena = &node->region->function->module->arena};
  const tn_attr_t* value = NULL;
  const int32_t narrow = (int32_t)number;
  if (narrow != number) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s%s: the dimension has size %lld; expected one that an i32 holds",
                            OP_TEXT(node->op), (long long)number);
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
static tn_status_t read_operand(refiner_t* refiner, const tn_node_t* node, uint32_t operand,
                                size_t count, const int64_t** out_values) {
  *out_values = NULL;
  if (operand >= node->operand_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s%s: operand %u is missing; expected %zu integer%s",
                            OP_TEXT(node->op), operand, count, count == 1 ? "" : "s");
  }
  const tn_value_t* value = node->operands[operand];
  const tn_attr_t* attr = tn__pass_constant_of(value);
  if (!attr) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "%s%s: operand %u gives sizes and depends on data; expected sizes "
                            "that follow from the shapes of the arguments",
                            OP_TEXT(node->op), operand);
  }
  if (!has_integers(value->type, count)) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "%s%s: operand %u has type %s; expected %zu integer%s",
        OP_TEXT(node->op), operand, TN_TYPE_TEXT(value->type), count, count == 1 ? "" : "s");
  }
  return tn__static_form_read(&refiner->scratch, value->type, attr->elements.data,
                              attr->elements.splat, out_values);
}

// --- types that follow

static tn_status_t set_shape(refiner_t* refiner, tn_value_t* result, size_t rank,
                             const int64_t* dims) {
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] >= 0) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s%s: dimension %zu would have size %lld",
                            OP_TEXT(result->node->op), i, (long long)dims[i]);
  }
  TN_RETURN_IF_ERROR(tn_status_prefix(tn__type_check(result->type->dtype, rank, dims), "%s%s",
                                      OP_TEXT(result->node->op)));
  return tn__type_tensor(refiner->arena, result->type->dtype, rank, dims, &result->type);
}

static tn_status_t infer(refiner_t* refiner, tn_node_t* node, const tn_op_use_t* use) {
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

// dynamic_pad and similar operations: their last operands say the shape, or are attributes of the
// static form.
static tn_status_t refine_dynamic(refiner_t* refiner, tn_node_t* node,
                                  const tn_static_form_t* form) {
  const int64_t* values[3] = {NULL, NULL, NULL};
  tn_op_use_t use, fixed;
  tn_value_t* result = &node->results[0];
  for (uint32_t i = (uint32_t)form->data_count; i < node->operand_count; ++i) {
    const size_t count =
        form->attrs[0] ? (size_t)tn__type_size(node->operands[i]->type) : result->type->rank;
    TN_RETURN_IF_ERROR(read_operand(refiner, node, i, count, &values[i - form->data_count]));
  }
  if (node->op == TN__OP(set_dimension_size) && values[0]) {
    int64_t dims[TN_MAX_RANK];
    const tn_type_t* type = node->operands[0]->type;
    if (type->rank) memcpy(dims, type->dims, type->rank * sizeof *dims);
    dims[tn__attr_get_integer(&node->attrs, "dimension", 0)] = values[0][0];
    TN_RETURN_IF_ERROR(set_shape(refiner, result, type->rank, dims));
  } else if (!form->attrs[0] && values[0]) {
    TN_RETURN_IF_ERROR(set_shape(refiner, result, result->type->rank, values[0]));
  } else {
    TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
    TN_RETURN_IF_ERROR(tn__static_form_use(form, &use, values, &refiner->scratch, &fixed));
    TN_RETURN_IF_ERROR(infer(refiner, node, &fixed));
  }
  return tn__pass_fix_node(node, &refiner->scratch);
}

static bool can_follow(const tn_inferred_t* inferred, const tn_type_t* type) {
  if (!inferred->has_shape || !tn__type_is_tensor(type) || inferred->rank != type->rank) {
    return false;
  }
  for (size_t i = 0; i < inferred->rank; ++i) {
    if (inferred->dims[i] == TN_DIM_DYNAMIC) return false;
  }
  return true;
}

// Custom calls: operands say the shapes of results, as JAX writes it, or the operation infers them.
static tn_status_t refine_called(refiner_t* refiner, tn_node_t* node) {
  tn_i64_list_t operands;
  tn_inferred_t* inferred = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&refiner->scratch, node->result_count, &inferred));
  TN_RETURN_IF_ERROR(tn__call_infer_node(node, &refiner->scratch, inferred));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&node->attrs, "indices_of_shape_operands",
                                           &refiner->scratch, &operands));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const int64_t* dims = NULL;
    tn_value_t* result = &node->results[i];
    if (tn__type_is_static(result->type)) continue;
    const bool is_said =
        i < operands.count && operands.values[i] >= 0 && operands.values[i] < node->operand_count;
    if (!is_said && can_follow(&inferred[i], result->type)) {
      TN_RETURN_IF_ERROR(set_shape(refiner, result, inferred[i].rank, inferred[i].dims));
      continue;
    }
    if (!is_said) {
      return tn_status_create(TN_CODE_UNIMPLEMENTED,
                              "%s%s: result %u has type %s; expected a static one, one that the "
                              "operation infers, or its sizes as an operand that "
                              "indices_of_shape_operands names",
                              OP_TEXT(node->op), i, TN_TYPE_TEXT(result->type));
    }
    TN_RETURN_IF_ERROR(
        read_operand(refiner, node, (uint32_t)operands.values[i], result->type->rank, &dims));
    TN_RETURN_IF_ERROR(set_shape(refiner, result, result->type->rank, dims));
  }
  return TN_OK;
}

// What JAX writes for reduce_window: behind arrays and initial values come the dimensions, strides
// and dilations of windows, and the padding.
static bool is_dynamic_window(const tn_node_t* node) {
  return node->op == tn__op_dynamic_reduce_window && node->result_count > 0 &&
         node->operand_count == 2 * node->result_count + 5;
}

static tn_status_t refine_window(refiner_t* refiner, tn_node_t* node) {
  static const char* const lists[] = {"window_dimensions", "window_strides", "base_dilations",
                                      "window_dilations"};
  tn_pass_attrs_t attrs = {.arena = refiner->arena};
  const tn_attr_t* called = tn__attr_find(&node->attrs, "called_computations");
  const bool is_called = called && called->kind == TN_ATTR_ARRAY && called->array.count == 1 &&
                         called->array.items[0]->kind == TN_ATTR_SYMBOL;
  const tn_function_t* body = is_called ? tn__module_find_function(node->region->function->module,
                                                                   called->array.items[0]->string)
                                        : NULL;
  const size_t rank = node->operands[0]->type->rank;
  const int64_t* values = NULL;
  const tn_attr_t *padding = NULL, *dictionary = NULL;
  const tn_type_t* pairs = NULL;
  tn_op_use_t use;
  if (!body) return refine_called(refiner, node);
  uint32_t next = 2 * node->result_count;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i, ++next) {
    TN_RETURN_IF_ERROR(read_operand(refiner, node, next, rank, &values));
    TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, lists[i], rank, values));
  }
  TN_RETURN_IF_ERROR(read_operand(refiner, node, next, 2 * rank, &values));
  TN_RETURN_IF_ERROR(tn__type_tensor(refiner->arena, TN_DTYPE_S64, 2,
                                     (const int64_t[]){(int64_t)rank, 2}, &pairs));
  TN_RETURN_IF_ERROR(tn__attr_elements(refiner->arena, pairs, false, values, &padding));
  tn__pass_add_attr(&attrs, "padding", padding);
  TN_RETURN_IF_ERROR(tn__attr_dictionary(refiner->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs.count, attrs.entries, &dictionary));
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(refiner->arena, &node->regions));
  TN_RETURN_IF_ERROR(tn__pass_calling_region(node, body, &node->regions[0]));
  node->regions[0]->parent = node;
  node->region_count = 1;
  node->op = TN__OP(reduce_window);
  node->operand_count = 2 * node->result_count;
  node->attrs = dictionary->dictionary;
  TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
  return infer(refiner, node, &use);
}

// Those that have no rule to infer by.
static tn_status_t refine_stated(refiner_t* refiner, tn_node_t* node) {
  tn_value_t* result = node->result_count ? &node->results[0] : NULL;
  const tn_type_t* first = node->operand_count ? node->operands[0]->type : NULL;
  if (!result || tn__type_is_static(result->type)) return TN_OK;
  if (node->op == TN__OP(rng)) {
    const int64_t* dims = NULL;
    TN_RETURN_IF_ERROR(read_operand(refiner, node, 2, result->type->rank, &dims));
    return set_shape(refiner, result, result->type->rank, dims);
  }
  const bool is_like_first = tn__op_has(node->op, TN_ELEMENTWISE) ||
                             node->op == TN__OP(bitcast_convert) ||
                             node->op == TN__OP(rng_bit_generator);
  if (is_like_first && node->result_count == 1 && first && tn__type_is_tensor(first) &&
      first->rank == result->type->rank) {
    return set_shape(refiner, result, first->rank, first->dims);
  }
  if (tn__op_has(node->op, TN_FOREIGN)) return refine_called(refiner, node);
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "%s%s: the result has type %s, whose sizes do not follow from the "
                          "operands",
                          OP_TEXT(node->op), TN_TYPE_TEXT(result->type));
}

// --- regions

// A while's values keep their types from turn to turn.
static tn_status_t refine_while(refiner_t* refiner, tn_node_t* node) {
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

static tn_status_t refine_branches(refiner_t* refiner, tn_node_t* node) {
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
static tn_status_t fail_assertion(refiner_t* refiner, const tn_node_t* node) {
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
    TN_RETURN_IF_ERROR(read_operand(refiner, node, operand, 1, &value));
    length +=
        (size_t)tn__c_snprintf(text + length, sizeof text - length, "%lld", (long long)value[0]);
    i += 2;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%.*s", (int)length, text);
}

static tn_status_t refine_assertion(refiner_t* refiner, tn_node_t* node) {
  const int64_t* holds = NULL;
  TN_RETURN_IF_ERROR(read_operand(refiner, node, 0, 1, &holds));
  if (!holds[0]) return fail_assertion(refiner, node);
  tn__node_remove(node);
  return TN_OK;
}

// --- all of it

static tn_status_t refine_types(refiner_t* refiner, tn_node_t* node) {
  tn_op_use_t use;
  if (node->op == TN__OP(while)) return refine_while(refiner, node);
  if (node->op == TN__OP(if) || node->op == TN__OP(case)) return refine_branches(refiner, node);
  if (is_dynamic_window(node)) return refine_window(refiner, node);
  const tn_static_form_t* form = tn__static_form_of(node->op);
  if (form) return refine_dynamic(refiner, node, form);
  for (uint32_t i = 0; i < node->region_count; ++i) {
    TN_RETURN_IF_ERROR(refine_region(refiner, node->regions[i]));
  }
  if (!node->op->infer) return refine_stated(refiner, node);
  TN_RETURN_IF_ERROR(tn__node_use(node, &refiner->scratch, &use));
  return infer(refiner, node, &use);
}

static tn_status_t refine_node(refiner_t* refiner, tn_node_t* node) {
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

static tn_status_t refine_region(refiner_t* refiner, tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    tn_status_t status = refine_node(refiner, node);
    if (status) return tn__node_locate(node, status);
  }
  return TN_OK;
}

tn_status_t tn__pass_refine(tn_module_t* module, tn_function_t* entry,
                            const tn_type_t* const* argument_types) {
  refiner_t refiner = {.arena = &module->arena};
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

static bool has_unknown_sizes(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->result_count; ++i) {
      if (!tn__type_is_static(node->results[i].type)) return true;
    }
    for (uint32_t i = 0; i < node->region_count; ++i) {
      if (has_unknown_sizes(node->regions[i])) return true;
    }
  }
  return false;
}

bool tn__pass_must_refine(const tn_module_t* module) {
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    if (f->body && has_unknown_sizes(f->body)) return true;
  }
  return false;
}
