// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "base/spelling.h"
#include "ir/ir.h"

enum { REMEMBERED = 512 };  // uses that passed

typedef struct verifier {
  const tn_allocator_t* allocator;
  tn_function_t* function;
  tn_value_t** visible;  // by id: the value when it is defined and in scope here
  size_t first_visible;  // of values outside of an isolated region none is
  size_t capacity;
  uint64_t part_count;  // of the lists and dictionaries so far
  // Rules see types and attributes alone, and a program repeats few uses of them: a node like one
  // that has passed is not checked again.
  const tn_node_t* passed[REMEMBERED];
  tn_arena_t scratch;  // of one node
} verifier_t;

static tn_status_t refuse(const tn_node_t* node, tn_status_t status) {
  return tn__node_locate(node, status);
}

// A list or dictionary may be shared, so that a short text or a few calls of the builder mean more
// than anybody can walk: each mention counts.
static tn_status_t count_parts(verifier_t* verifier, const tn_attr_dictionary_t* attrs) {
  for (size_t i = 0; i < attrs->count; ++i) {
    verifier->part_count += attrs->entries[i].attr->inner_count;
  }
  if (verifier->part_count <= TN_LIMIT_MODULE_PARTS) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "the lists and dictionaries of the module up to here have more than %d "
                          "parts, each counted as often as it is mentioned",
                          TN_LIMIT_MODULE_PARTS);
}

static tn_status_t check_operands(const verifier_t* verifier, const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_value_t* value = node->operands[i];
    if (!value) {
      return refuse(node, tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %u is missing",
                                           tn__op_short_name(node->op), i));
    }
    if (value->id >= verifier->function->value_count || value->id < verifier->first_visible ||
        verifier->visible[value->id] != value) {
      return refuse(
          node, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                 "%s: operand %u (%%%.*s) is not defined before this operation, or "
                                 "belongs to another region or function",
                                 tn__op_short_name(node->op), i, TN_SV(value->name)));
    }
  }
  return TN_OK;
}

// A node that names a function in an attribute (the callee of a call, the decomposition of a
// composite) has that function's types.
static tn_status_t check_callee(const tn_node_t* node, const char* attr_name) {
  const bool is_composite = node->op == TN__OP(composite);
  const char* const names[] = {is_composite ? "composite (C2)" : "call",   // composite_c2
                               is_composite ? "composite (C3)" : "call",   // composite_c3
                               is_composite ? "composite (C4)" : "call"};  // composite_c4
  tn_string_view_t callee = tn__attr_get_string(&node->attrs, attr_name);
  const tn_module_t* module = node->region->function->module;
  const tn_function_t* function = tn__module_find_function(module, callee);
  if (!function) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: there is no function @%.*s", names[0],
                            TN_SV(callee));
  }
  if (node->operand_count != function->argument_count ||
      node->result_count != function->result_count) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        "%s: @%.*s takes %u arguments and gives %u results; found %u operands and %u results",
        names[node->operand_count == function->argument_count ? 2 : 1], TN_SV(callee),
        function->argument_count, function->result_count, node->operand_count, node->result_count);
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn_type_equal(node->operands[i]->type, function->argument_types[i])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: operand %u is %s; @%.*s expects %s",
                              names[1], i, TN_TYPE_TEXT(node->operands[i]->type), TN_SV(callee),
                              TN_TYPE_TEXT(function->argument_types[i]));
    }
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (!tn_type_equal(node->results[i].type, function->result_types[i])) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: result %u is %s; @%.*s gives %s",
                              names[2], i, TN_TYPE_TEXT(node->results[i].type), TN_SV(callee),
                              TN_TYPE_TEXT(function->result_types[i]));
    }
  }
  return TN_OK;
}

static tn_status_t note_near_function(tn_status_t status, const tn_module_t* module,
                                      tn_string_view_t name) {
  tn_spelling_t search = {.word = name};
  for (const tn_function_t* f = module->first_function; f; f = f->next) {
    (void)tn__spelling_consider(&search, f->name);
  }
  return tn__spelling_note(&search, "@", status);
}

// The computations that a custom call names are functions of the module, of any types.
static tn_status_t check_called(const tn_node_t* node) {
  const tn_attr_t* called = tn__attr_find(&node->attrs, "called_computations");
  const tn_module_t* module = node->region->function->module;
  for (size_t i = 0; called && i < called->array.count; ++i) {
    const tn_string_view_t name = called->array.items[i]->string;
    if (tn__module_find_function(module, name)) continue;
    return note_near_function(
        tn_status_create(TN_CODE_INVALID_ARGUMENT,
                         "custom_call: called_computations names @%.*s; expected a function of the "
                         "module",
                         TN_SV(name)),
        module, name);
  }
  return TN_OK;
}

// The body of async_start is one collective or slice of the body's arguments, and its return.
static tn_status_t check_async(const tn_node_t* node) {
  const tn_op_t* const allowed[] = {TN__OP(all_reduce),
                                    TN__OP(all_gather),
                                    TN__OP(all_to_all),
                                    TN__OP(collective_permute),
                                    TN__OP(reduce_scatter),
                                    TN__OP(collective_broadcast),
                                    TN__OP(slice),
                                    TN__OP(dynamic_slice),
                                    TN__OP(dynamic_update_slice)};
  const tn_region_t* body = node->regions[0];
  const tn_node_t* only = body->first;
  bool fits = false;
  if (!only || only->next != body->last || only == body->last) {  // async_start_c1
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "async_start (C1): body is expected to be one operation and a return");
  }
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; ++i) fits |= only->op == allowed[i];
  if (!fits) {  // async_start_c2
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "async_start (C2): body is %s; expected a collective or a slice",
                            tn__op_short_name(only->op));
  }
  fits = only->operand_count == body->argument_count;
  for (uint32_t i = 0; fits && i < only->operand_count; ++i) {
    fits = only->operands[i] == &body->arguments[i];
  }
  if (fits) return TN_OK;
  return tn_status_create(  // async_start_c3
      TN_CODE_INVALID_ARGUMENT,
      "async_start (C3): the operands of %s are expected to be the arguments of body, in order",
      tn__op_short_name(only->op));
}

static bool is_same_use(const tn_node_t* a, const tn_node_t* b) {
  if (a->op != b->op || a->operand_count != b->operand_count ||
      a->result_count != b->result_count) {
    return false;
  }
  for (uint32_t i = 0; i < a->operand_count; ++i) {
    if (a->operands[i]->type != b->operands[i]->type) return false;
  }
  for (uint32_t i = 0; i < a->result_count; ++i) {
    if (a->results[i].type != b->results[i].type) return false;
  }
  return tn__attr_dictionary_same(&a->attrs, &b->attrs);
}

// Where a node like this one is remembered.
static const tn_node_t** place_of(verifier_t* verifier, const tn_node_t* node) {
  uint64_t hash = (uintptr_t)node->op;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    hash = (hash ^ (uintptr_t)node->operands[i]->type) * 0x9E3779B97F4A7C15u;
  }
  if (node->result_count) hash ^= (uintptr_t)node->results[0].type;
  return &verifier->passed[hash * 0x9E3779B97F4A7C15u >> 32 & (REMEMBERED - 1)];
}

static tn_status_t check_use(verifier_t* verifier, const tn_node_t* node) {
  tn_op_use_t use;
  TN_RETURN_IF_ERROR(tn__node_use(node, &verifier->scratch, &use));
  return tn__op_check(&use);
}

static tn_status_t check_node(verifier_t* verifier, const tn_node_t* node) {
  const tn_node_t** like = node->region_count ? NULL : place_of(verifier, node);
  if (!like || !*like || !is_same_use(node, *like)) {
    tn_status_t status = check_use(verifier, node);
    tn__arena_reset(&verifier->scratch);
    if (status) return status;
    if (like) *like = node;
  }
  if (node->op == TN__OP_OF(func, call)) return check_callee(node, "callee");
  if (node->op == TN__OP(composite)) return check_callee(node, "decomposition");
  if (tn__op_has(node->op, TN_FOREIGN)) return check_called(node);
  if (node->op == TN__OP(async_start)) return check_async(node);
  if (node->op == TN__OP_OF(tenon, fusion)) return tn__verify_fusion(node);
  return TN_OK;
}

static tn_status_t check_return(const tn_function_t* function, const tn_node_t* last) {
  if (!last || !tn__op_has(last->op, TN_TERMINATOR)) {
    tn_status_t status = tn_status_create(
        TN_CODE_INVALID_ARGUMENT, "function @%.*s does not end in a return", TN_SV(function->name));
    return last ? refuse(last, status) : tn__function_locate(function, status);
  }
  if (last->operand_count != function->result_count) {
    return refuse(
        last, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                               "return: @%.*s gives %u results; found %u operands",
                               TN_SV(function->name), function->result_count, last->operand_count));
  }
  for (uint32_t i = 0; i < last->operand_count; ++i) {
    if (!tn_type_equal(last->operands[i]->type, function->result_types[i])) {
      return refuse(
          last, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                 "return: operand %u is %s; result %u of @%.*s is %s", i,
                                 TN_TYPE_TEXT(last->operands[i]->type), i, TN_SV(function->name),
                                 TN_TYPE_TEXT(function->result_types[i])));
    }
  }
  return TN_OK;
}

// Numbers `value` as tn__function_number does; from here on it can be used.
static tn_status_t define(verifier_t* verifier, tn_value_t* value) {
  void* visible = verifier->visible;
  size_t id = verifier->function->value_count++;
  TN_RETURN_IF_ERROR(tn__grow(verifier->allocator, &visible, &verifier->capacity, id + 1,
                              sizeof *verifier->visible));
  verifier->visible = visible;
  value->id = (uint32_t)id;
  verifier->visible[id] = value;
  return TN_OK;
}

static tn_status_t check_region(verifier_t* verifier, tn_region_t* region, size_t depth);

static tn_status_t check_regions(verifier_t* verifier, tn_node_t* node, size_t depth) {
  const size_t first_visible = verifier->first_visible;
  for (uint32_t i = 0; i < node->region_count; ++i) {
    if (tn__op_has(node->op, TN_ISOLATED))
      verifier->first_visible = verifier->function->value_count;
    TN_RETURN_IF_ERROR(check_region(verifier, node->regions[i], depth + 1));
    verifier->first_visible = first_visible;
    const tn_node_t* last = node->regions[i]->last;
    if (last && tn__op_has(last->op, TN_TERMINATOR)) continue;
    return refuse(last ? last : node, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                                       "%s: region %u does not end in a return",
                                                       tn__op_short_name(node->op), i));
  }
  return TN_OK;
}

static tn_status_t check_region(verifier_t* verifier, tn_region_t* region, size_t depth) {
  size_t first = verifier->function->value_count;
  if (depth > TN_LIMIT_NESTING) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "regions nest deeper than %d levels",
                            TN_LIMIT_NESTING);
  }
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    TN_RETURN_IF_ERROR(define(verifier, &region->arguments[i]));
  }
  TN_FOR_EACH_NODE (node, region) {
    node->id = verifier->function->node_count++;
    TN_RETURN_IF_ERROR(check_operands(verifier, node));
    TN_RETURN_IF_ERROR(check_regions(verifier, node, depth));
    tn_status_t status = count_parts(verifier, &node->attrs);
    if (!status) status = check_node(verifier, node);
    if (status) return refuse(node, status);
    if (tn__op_has(node->op, TN_TERMINATOR) && node->next) {
      return refuse(node->next, tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: follows the return",
                                                 tn__op_short_name(node->next->op)));
    }
    for (uint32_t i = 0; i < node->result_count; ++i) {
      TN_RETURN_IF_ERROR(define(verifier, &node->results[i]));
    }
  }
  // What was defined here is not visible outside.
  size_t count = verifier->function->value_count - first;
  if (count) memset(verifier->visible + first, 0, count * sizeof *verifier->visible);
  return TN_OK;
}

static tn_status_t check_attributes(verifier_t* verifier, const tn_function_t* function) {
  TN_RETURN_IF_ERROR(count_parts(verifier, &function->attrs));
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    TN_RETURN_IF_ERROR(count_parts(verifier, &function->argument_attrs[i]));
  }
  for (uint32_t i = 0; i < function->result_count; ++i) {
    TN_RETURN_IF_ERROR(count_parts(verifier, &function->result_attrs[i]));
  }
  return TN_OK;
}

static tn_status_t check_function(verifier_t* verifier, tn_function_t* function) {
  verifier->function = function;
  verifier->first_visible = 0;
  function->value_count = function->node_count = 0;
  tn_status_t status = check_attributes(verifier, function);
  if (status) return tn__function_locate(function, status);
  if (!function->body) return TN_OK;
  TN_RETURN_IF_ERROR(check_region(verifier, function->body, 1));
  return check_return(function, function->body->last);
}

tn_status_t tn__module_verify(tn_module_t* module) {
  tn_status_t status = TN_OK;
  verifier_t verifier = {.allocator = module->allocator};
  tn__arena_init(&verifier.scratch, module->allocator);
  status = count_parts(&verifier, &module->attrs);
  for (tn_function_t* f = module->first_function; f && !status; f = f->next) {
    status = check_function(&verifier, f);
  }
  tn__free(module->allocator, verifier.visible, verifier.capacity * sizeof *verifier.visible);
  tn__arena_deinit(&verifier.scratch);
  return status;
}
