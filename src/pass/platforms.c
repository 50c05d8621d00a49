// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Programs for several platforms. JAX exports them with an argument that chooses the branch of the
// platform on which the program runs. A compile option states its value: the branches of other
// platforms go before anything in them is looked up. Without it, what the custom calls of a branch
// need is asked for when a run takes that branch.
#include "call/operation.h"
#include "kernel/target.h"
#include "pass/passes.h"

static bool is_named_platform_index(const tn_attr_dictionary_t* attrs) {
  const tn_attr_t* name = tn__attr_find(attrs, "jax.global_constant");
  return name && name->kind == TN_ATTR_STRING && tn__sv_is(name->string, "_platform_index");
}

// Whether the value chooses between platforms: such an argument, or the branch number that a case
// over one gives, where platforms share branches.
static bool is_platform_index(const tn_value_t* value) {
  while (value->node && value->node->op == TN__OP(case)) value = value->node->operands[0];
  const tn_region_t* region = value->region;
  return !value->node && !region->parent &&
         is_named_platform_index(&region->function->argument_attrs[value->index]);
}

// --- a platform that is known

static tn_status_t make_index(tn_function_t* function, const tn_value_t* argument, uint32_t index,
                              tn_value_t** out_value) {
  tn_pass_attrs_t attrs = {.arena = &function->module->arena};
  const uint64_t bytes = index;
  const tn_attr_t* value = NULL;
  *out_value = NULL;
  if (!tn__type_is_tensor(argument->type) || argument->type->rank != 0 ||
      !(tn_dtype_kind(argument->type->dtype) & TN_KIND_INTEGER)) {
    return tn__function_locate(
        function, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                   "argument %u, the platform index, has type %s; expected "
                                   "tensor<i32>",
                                   argument->index, TN_TYPE_TEXT(argument->type)));
  }
  TN_RETURN_IF_ERROR(tn__attr_elements(attrs.arena, argument->type, false, &bytes, &value));
  tn__pass_add_attr(&attrs, "value", value);
  return tn__pass_insert(function->body->first, TN__OP(constant), 0, NULL, &attrs, argument->type,
                         out_value);
}

// The last branch is that of all other numbers, so that too large an index would go unnoticed.
static tn_status_t check_index(const tn_node_t* node, uint32_t index) {
  if (index < node->region_count) return TN_OK;
  return tn__node_locate(
      node, tn_status_create(TN_CODE_OUT_OF_RANGE,
                             "platform index %u: the program was exported for %u platforms; "
                             "expected 0 to %u",
                             index, node->region_count, node->region_count - 1));
}

static tn_status_t check_indices(const tn_region_t* region, const tn_value_t* argument,
                                 uint32_t index) {
  TN_FOR_EACH_NODE (node, region) {
    const bool chooses = node->op == TN__OP(case) && node->operands[0] == argument;
    if (chooses) TN_RETURN_IF_ERROR(check_index(node, index));
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(check_indices(node->regions[i], argument, index));
    }
  }
  return TN_OK;
}

// The branch that a case over a constant takes; NULL: it is not known.
static tn_region_t* find_branch(const tn_node_t* node) {
  if (node->op != TN__OP(case)) return NULL;
  const tn_attr_t* constant = tn__pass_constant_of(tn__value_resolve(node->operands[0]));
  if (!constant) return NULL;
  const int32_t index = *(const int32_t*)constant->elements.data;
  const bool is_branch = index >= 0 && index < (int32_t)node->region_count;
  return node->regions[is_branch ? (uint32_t)index : node->region_count - 1];
}

// Puts what the branch holds in the place of the node. Returns the first node to go on with.
static tn_node_t* take_branch(tn_node_t* node, tn_region_t* branch) {
  tn_node_t* next = node->next;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    node->results[i].replacement = tn__value_resolve(branch->last->operands[i]);
  }
  tn_node_t* first = branch->first == branch->last ? next : branch->first;
  while (branch->first != branch->last) tn__node_move(branch->first, node);
  tn__node_remove(node);
  return first;
}

static void choose_in_region(tn_region_t* region) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    tn_region_t* branch = find_branch(node);
    next = branch ? take_branch(node, branch) : node->next;
    for (uint32_t i = 0; !branch && i < node->region_count; ++i) choose_in_region(node->regions[i]);
  }
}

// Takes an argument that nothing uses any more out of the signature, whose lists a clone shares
// with the module that it is one of.
static tn_status_t remove_argument(tn_function_t* function, uint32_t index) {
  tn_arena_t* arena = &function->module->arena;
  tn_region_t* body = function->body;
  const uint32_t count = function->argument_count - 1;
  const tn_type_t** types = NULL;
  tn_attr_dictionary_t* attrs = NULL;
  tn_value_t* arguments = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &types));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &attrs));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &arguments));
  for (uint32_t i = 0; i < count; ++i) {
    tn_value_t* old = &body->arguments[i < index ? i : i + 1];
    types[i] = function->argument_types[old->index];
    attrs[i] = function->argument_attrs[old->index];
    arguments[i] = *old;
    arguments[i].index = i;
    old->replacement = &arguments[i];
  }
  function->argument_types = types;
  function->argument_attrs = attrs;
  function->argument_count = body->argument_count = count;
  body->arguments = arguments;
  return TN_OK;
}

static tn_status_t choose_in_function(tn_function_t* function, uint32_t index, bool is_entry,
                                      bool* found) {
  tn_region_t* body = function->body;
  for (uint32_t i = 0; i < function->argument_count; ++i) {
    tn_value_t* argument = &body->arguments[i];
    if (!is_named_platform_index(&function->argument_attrs[i])) continue;
    TN_RETURN_IF_ERROR(check_indices(body, argument, index));
    TN_RETURN_IF_ERROR(make_index(function, argument, index, &argument->replacement));
    if (is_entry) TN_RETURN_IF_ERROR(remove_argument(function, i--));
    *found = true;
  }
  choose_in_region(body);
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_choose_platform(tn_module_t* module, tn_function_t* entry, uint32_t index) {
  bool found = false;
  for (tn_function_t* f = module->first_function; f; f = f->next) {
    if (!f->body) continue;
    TN_RETURN_IF_ERROR(choose_in_function(f, index, f == entry, &found));
  }
  if (found) return TN_OK;
  return tn__function_locate(
      entry, tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "a platform index is given, and the program is for one platform; "
                              "expected an argument with jax.global_constant = "
                              "\"_platform_index\", as jax.export writes for several"));
}

// --- a platform that a run chooses

// How a place is reached; the later, the more often.
typedef enum reach {
  UNREACHED,
  BY_PLATFORM,  // through a branch of one platform
  BY_BRANCH,    // through another branch
  ALWAYS,
} reach_t;

typedef struct deferrer {
  reach_t* functions;  // by function->index
} deferrer_t;

static bool is_branch(const tn_node_t* node) {
  return node->op == TN__OP(if) || node->op == TN__OP(case);
}

static reach_t reach_inside(const tn_node_t* node, reach_t reach) {
  if (!is_branch(node)) return reach;
  const reach_t branch = is_platform_index(node->operands[0]) ? BY_PLATFORM : BY_BRANCH;
  return reach < branch ? reach : branch;
}

static bool is_missing(const tn_node_t* node) {
  const tn_compile_target_t* target = node->region->function->module->target;
  return tn__op_registered(node->op) && !tn__op_target_for(node->op, target->platform);
}

static void defer_in_region(deferrer_t* deferrer, tn_region_t* region, reach_t reach) {
  TN_FOR_EACH_NODE (node, region) {
    const reach_t inside = reach_inside(node, reach);
    const tn_function_t* callee = tn__pass_callee(node);
    for (uint32_t i = 0; i < node->region_count; ++i) {
      defer_in_region(deferrer, node->regions[i], inside);
    }
    if (callee && deferrer->functions[callee->index] < reach) {
      deferrer->functions[callee->index] = reach;
    }
    if (reach == ALWAYS || !is_missing(node)) continue;
    node->op = reach == BY_PLATFORM ? tn__op_other_platform : tn__op_unavailable;
  }
}

tn_status_t tn__pass_defer_missing_calls(tn_module_t* module, tn_function_t* entry) {
  tn_status_t status = TN_OK;
  tn_arena_t scratch;
  tn_reached_functions_t reached;
  deferrer_t deferrer = {0};
  size_t count = 0;
  tn__arena_init(&scratch, module->allocator);
  TN_DONE_IF_ERROR(tn__pass_reach(module, entry, &scratch, &reached));
  for (const tn_function_t* f = module->first_function; f; f = f->next) ++count;
  TN_DONE_IF_ERROR(TN_ARENA_ARRAY(&scratch, count, &deferrer.functions));
  deferrer.functions[entry->index] = ALWAYS;
  for (size_t i = reached.count; i-- > 0;) {  // callers first
    tn_function_t* function = reached.functions[i];
    if (!function->body) continue;
    defer_in_region(&deferrer, function->body, deferrer.functions[function->index]);
  }
done:
  tn__arena_deinit(&scratch);
  return status;
}
